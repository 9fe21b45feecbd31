/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collect: the parser of diskstats on noise, and what headers say of devices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/device.h"
#include "collect_fixture.h"
#include "test.h"

/* Any bytes at all: it ends, and what it finds lies within the text. */
START_TEST(parser_on_noise)
{
	static const char alphabet[] = "0123456789 \n\t 8 sda\r\x1b\xff-";
	char text[600], *copy;
	unsigned seed = 1;

	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)rand_r(&seed) % sizeof(text);
		struct diskstats_line line;
		const char *p;

		for (size_t i = 0; i < n; i++)
			text[i] = round % 2 ? (char)rand_r(&seed)
					    : alphabet[(size_t)rand_r(&seed) %
						       (sizeof(alphabet) - 1)];
		/* An exact allocation, so that a sanitizer sees an overrun. */
		copy = malloc(n + 1);
		memcpy(copy, text, n);
		p = copy;
		while (diskstats_next(&p, copy + n, &line)) {
			struct device_raw raw;

			ck_assert(line.name >= copy &&
				  line.name + line.name_length <= copy + n);
			ck_assert_uint_ge(line.columns, 11);
			ck_assert_uint_lt(line.name_length, ROW_ID_MAX);
			diskstats_fill(&line, &raw);
		}
		ck_assert_ptr_eq(p, copy + n);
		free(copy);
	}
}
END_TEST

/* What is mounted from a disk, its partitions and what is built on them. */
START_TEST(device_use)
{
	static const struct {
		const char *device, *words;
	} cases[] = { { "sda", "mounted on /, /var, swap" },
		      { "sda1", "mounted on /, /var" },
		      { "dm-1", "mounted on /var" },
		      { "sdc", "" },
		      { "nosuch", "" } };
	struct fixture f;
	char words[128];

	fixture_make(&f, "stack");
	fixture_put(&f, "proc/self/mountinfo",
		    "20 1 253:0 / / rw - ext4 /dev/mapper/vg-root rw\n"
		    "21 20 253:1 / /var rw - ext4 /dev/mapper/vg-var rw\n"
		    "22 20 253:1 /x /var rw - ext4 /dev/mapper/vg-var rw\n"
		    "23 20 0:5 / /tmp rw - tmpfs none rw\n"
		    "nonsense - at all\n");
	fixture_put(&f, "proc/swaps",
		    "Filename Type Size Used Priority\n"
		    "/dev/sda partition 1 0 -2\n/swapfile file 1 0 -3\n");
	fixture_put(&f, "sys/block/dm-0/slaves/sda1", "%s", "");
	fixture_put(&f, "sys/block/dm-1/slaves/sda1", "%s", "");
	fixture_put(&f, "sys/block/dm-1/slaves/dm-1", "%s", "");
	fixture_put(&f, "sys/dev/block/none", "%s", "");
	ck_assert_int_eq(
		symlinkat("../../block/dm-0", f.root.fd, "sys/dev/block/253:0"),
		0);
	ck_assert_int_eq(
		symlinkat("../../block/dm-1", f.root.fd, "sys/dev/block/253:1"),
		0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(device_use_collect(&f.root, cases[i].device,
						    words, sizeof(words)),
				 *cases[i].words != 0);
		ck_assert_str_eq(words, cases[i].words);
	}
	/* What does not fit is not left out silently. */
	device_use_collect(&f.root, "sda", words, 24);
	ck_assert_str_eq(words, "mounted on /, ...");
	fixture_free(&f);
}
END_TEST

START_TEST(device_info)
{
	struct device_info info;
	struct fixture f;

	fixture_make(&f, "nvme");
	ck_assert(device_header_collect(&f.root, "/dev/nvme0n1", &info));
	ck_assert_str_eq(info.model, "Fast Disk 1T");
	ck_assert_str_eq(info.serial, "S123");
	ck_assert_uint_eq(info.size_bytes, 1ull << 30);
	ck_assert_uint_eq(info.logical_block_bytes, 512);
	ck_assert(!info.rotational);
	ck_assert(device_header_collect(&f.root, "nvme0n1p1", &info));
	ck_assert_str_eq(info.serial, "S123");
	ck_assert_uint_eq(info.size_bytes, 1ull << 29);
	ck_assert(!device_header_collect(&f.root, "sdq", &info));
	ck_assert(!device_header_collect(&f.root, "../../etc", &info));
	fixture_free(&f);
	fixture_make(&f, "sata");
	ck_assert(device_header_collect(&f.root, "sda", &info));
	ck_assert_str_eq(info.serial, "SER-77");
	ck_assert(info.rotational);
	fixture_free(&f);
	fixture_make(&f, "stack");
	ck_assert(device_header_collect(&f.root, "loop0", &info));
	ck_assert_str_eq(info.members, "dm-1");
	ck_assert(device_header_collect(&f.root, "dm-0", &info));
	ck_assert_str_eq(info.model, "vg-root");
	ck_assert_str_eq(info.members, "md0");
	fixture_free(&f);
	fixture_make(&f, "multipath");
	ck_assert(device_header_collect(&f.root, "nvme0n1", &info));
	ck_assert_str_eq(info.members, "nvme0c0n1 nvme0c1n1");
	fixture_free(&f);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("info");

	tcase_add_test(t, parser_on_noise);
	tcase_add_test(t, device_use);
	tcase_add_test(t, device_info);
	suite_add_tcase(suite, t);
}
