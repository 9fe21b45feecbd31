/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload: where I/Os go and how large they are, without any
 * I/O, and compared with fio where it is installed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "offsets_rig.h"

/* Chi-square: observed against shares that sum up to 1. */
static double chi_square(const double *seen, const double *share, size_t n)
{
	double total = 0, chi = 0;

	for (size_t i = 0; i < n; i++)
		total += seen[i];
	for (size_t i = 0; i < n; i++) {
		double want = share[i] * total;

		ck_assert_double_gt(want, 4);
		chi += (seen[i] - want) * (seen[i] - want) / want;
	}
	return chi;
}

/* Five standard deviations of it: far out by chance once in a million. */
static void expect_fit(const double *seen, const double *share, size_t n,
		       const char *what)
{
	double chi = chi_square(seen, share, n), k = (double)n - 1;

	ck_assert_msg(chi < k + 5 * sqrt(2 * k) + 10, "%s: chi2 %.1f of %.0f",
		      what, chi, k);
}

static const char *const covering[] = {
	"rw=randread bs=4k",
	"rw=randwrite bsrange=4k-64k",
	"rw=randwrite bssplit=4k/10:64k/50:32k/40",
	"rw=randrw bs=4k",
	"rw=randrw bs=4k,64k",
	"rw=randrw bs=8k,12k",
	"rw=randread bssplit=4k/1:1m/99",
	"rw=read bs=4k",
	"rw=write bsrange=4k-64k",
	"rw=randwrite bs_is_seq_rand=1 bs=64k,4k",
};

/* Each pass covers each 4 KiB exactly once, whatever the sizes. */
START_TEST(pass_is_exact)
{
	static const uint64_t sizes[] = { 1, 2, 3, 16, 97, 256, 1000, 4099 };

	for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
		uint64_t bytes = sizes[k] * 4096, moved = 0;
		unsigned char *seen = xcalloc(sizes[k], 1);
		struct rig r;
		struct io io;
		int rc = try_open(&r, covering[_i], 1, &bytes, k);

		if (rc) {
			ck_assert_int_eq(rc, -EINVAL);
			ck_assert_ptr_nonnull(
				strstr(fail_sentence(), "less than one block"));
		}
		for (unsigned pass = 1; pass <= 3 && !rc; pass++) {
			for (; moved < pass * bytes; moved += io.bytes) {
				next(&r, &io);
				for (uint64_t b = 0; b < io.bytes; b += 4096)
					ck_assert_uint_eq(
						++seen[(io.offset + b) / 4096],
						pass);
			}
			/* 4k in all but 8k,12k */
			ck_assert_uint_eq(moved, pass * bytes);
		}
		close_rig(&r);
		free(seen);
	}
}
END_TEST

/* More blocks than 32 bits can count: none twice, all parts alike. */
START_TEST(large_permutation)
{
	const uint64_t blocks = (1ull << 32) + 15;
	const size_t n = 1 << 18;
	double seen[64] = { 0 }, share[64];
	struct rusage before, after;
	unsigned char *bit = xcalloc(blocks / 8 / 64 + 1, 1);
	struct rig r;
	struct io io;

	getrusage(RUSAGE_SELF, &before);
	open_rig(&r, "rw=randread bs=512", blocks * 512);
	for (size_t i = 0; i < n; i++) {
		uint64_t block;

		next(&r, &io);
		block = io.offset / 512;
		seen[block * 64 / blocks]++;
		if (block % 64)
			continue;
		block /= 64;
		ck_assert(!(bit[block / 8] >> block % 8 & 1));
		bit[block / 8] |= (unsigned char)(1 << block % 8);
	}
	for (int i = 0; i < 64; i++)
		share[i] = 1.0 / 64;
	expect_fit(seen, share, 64, "large permutation");
	close_rig(&r);
	free(bit);
	/* A whole TiB: no memory, whichever order. */
	getrusage(RUSAGE_SELF, &before);
	open_rig(&r, "rw=randrw bs=4k", 1ull << 40);
	for (size_t i = 0; i < n; i++)
		next(&r, &io);
	close_rig(&r);
	open_rig(&r, "rw=randread random_distribution=zipf:1.2", 1ull << 40);
	for (size_t i = 0; i < n; i++)
		next(&r, &io);
	close_rig(&r);
	getrusage(RUSAGE_SELF, &after);
#ifndef __SANITIZE_ADDRESS__ /* which has shadows of its own */
	ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 1024);
#endif
}
END_TEST

/* Every number of blocks up to some hundreds, by the permutation itself. */
START_TEST(every_small_permutation)
{
	for (uint64_t n = 1; n < 700; n++) {
		unsigned char seen[700] = { 0 };
		struct pattern p;

		pattern_init(&p, &patterns[PATTERN_RANDOM], n, n * 31);
		for (uint64_t i = 0; i < 2 * n; i++)
			seen[p.next(&p)]++;
		for (uint64_t i = 0; i < n; i++)
			ck_assert_uint_eq(seen[i], 2);
	}
}
END_TEST

/* The sequences of fio 3.33 for these options, in blocks of 4 KiB. */
START_TEST(sequences)
{
	static const struct {
		const char *options;
		uint64_t blocks;
		int at[20];
	} rows[] = {
		{ "rw=write:4k", 16, { 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, -1 } },
		{ "rw=read:-8k", 16, { 0, 14, 13, 12, 11, 10, 9, 8, 7, -1 } },
		{ "rw=read:-4k", 16, { 0, 0, 0, -1 } },
		{ "rw=write:8k", 15, { 0, 3, 6, 9, 12, 0, 3, -1 } },
		{ "rw=read", 4, { 0, 1, 2, 3, 0, 1, -1 } },
		{ "rw=trimwrite", 3, { 0, 0, 1, 1, 2, 2, 0, 0, -1 } },
	};

	for (size_t k = 0; k < ARRAY_SIZE(rows); k++) {
		struct rig r;
		struct io io;

		open_rig(&r, rows[k].options, rows[k].blocks * 4096);
		for (int i = 0; rows[k].at[i] >= 0; i++) {
			next(&r, &io);
			ck_assert_msg(io.offset / 4096 ==
					      (uint64_t)rows[k].at[i],
				      "%s: I/O %d at block %d", rows[k].options,
				      i, (int)(io.offset / 4096));
			if (r.w->offsets->trimwrite)
				ck_assert_int_eq(io.op,
						 i % 2 ? JOB_WRITE : JOB_TRIM);
		}
		close_rig(&r);
	}
}
END_TEST

/* The same run by fio: its own log of I/Os against our choice. */
START_TEST(sequences_as_fio)
{
	static const char *const rows[] = {
		"rw=write:4k bs=4k",  "rw=read:-8k bs=4k", "rw=write:12k bs=8k",
		"rw=read:-64k bs=4k", "rw=write bs=12k",
	};
	char *dir = make_dir(), path[300], line[300], *fio = NULL;
	unsigned long long offset, bytes;
	struct rig r;
	struct io io;
	FILE *f;

	for (size_t k = 0; k < ARRAY_SIZE(rows); k++) {
		int n = 0;

		free(fio);
		fio = xasprintf("fio --name=a --ioengine=null --size=252k "
				"--filename=%s/f --write_iolog=%s/log --%s",
				dir, dir, rows[k]);
		*strstr(fio, " bs=") = '\0';
		if (run_command("cd %s && %s --%s", dir, fio,
				strstr(rows[k], "bs=")))
			break; /* no fio here */
		open_rig(&r, rows[k], 252 << 10);
		snprintf(path, sizeof(path), "%s/log", dir);
		f = fopen(path, "r");
		if (!f)
			snprintf(path, sizeof(path), "%s/log.0", dir);
		f = f ? f : fopen(path, "r");
		ck_assert_ptr_nonnull(f);
		while (fgets(line, sizeof(line), f)) {
			const char *at = strstr(line, " write ");

			at = at ? at + 7 : strstr(line, " read ");
			if (!at ||
			    sscanf(at + (strncmp(at, " read ", 6) ? 0 : 6),
				   "%llu %llu", &offset, &bytes) != 2)
				continue;
			next(&r, &io);
			ck_assert_msg(io.offset == offset && io.bytes == bytes,
				      "%s: I/O %d at %llu, fio at %llu",
				      rows[k], n, (unsigned long long)io.offset,
				      offset);
			n++;
		}
		fclose(f);
		unlink(path);
		ck_assert_int_ge(n, 20);
		close_rig(&r);
	}
	free(fio);
	remove_dir(dir);
}
END_TEST

/* randread:4: a random place, then three that follow it; or it again. */
START_TEST(random_every_n)
{
	struct rig r;
	struct io io;
	uint64_t at = 0, starts[32] = { 0 };

	open_rig(&r, "rw=randread:4", 256 << 12);
	for (int i = 0; i < 400; i++) {
		next(&r, &io);
		if (i % 4 && at < 256 << 12)
			ck_assert_uint_eq(io.offset, at);
		else
			starts[io.offset >> 15]++;
		at = io.offset + 4096;
	}
	for (int i = 0; i < 32; i++)
		ck_assert_uint_lt(starts[i], 20);
	close_rig(&r);
	open_rig(&r, "rw=randread:4 rw_sequencer=identical", 256 << 12);
	for (int i = 0; i < 400; i++) {
		next(&r, &io);
		if (i % 4)
			ck_assert_uint_eq(io.offset, at);
		at = io.offset;
	}
	close_rig(&r);
}
END_TEST

START_TEST(random_share)
{
	struct rig r;
	struct io io;
	uint64_t at[2] = { 0, 0 };
	unsigned jumps[2] = { 0, 0 }, n[2] = { 0, 0 };

	open_rig(&r, "rw=randrw percentage_random=30,0", 1ull << 34);
	for (int i = 0; i < 40000; i++) {
		next(&r, &io);
		jumps[io.op] += io.offset != at[io.op];
		n[io.op]++;
		at[io.op] = io.offset + io.bytes;
	}
	ck_assert_uint_eq(jumps[JOB_WRITE], 0);
	ck_assert_double_lt(fabs(jumps[JOB_READ] / (double)n[JOB_READ] - 0.3),
			    0.02);
	close_rig(&r);
	/* Large ones in sequence, small ones at random. */
	open_rig(&r,
		 "rw=randread percentage_random=50 bs_is_seq_rand=1 "
		 "bs=64k,4k",
		 1ull << 34);
	at[0] = 0;
	for (int i = 0; i < 1000; i++) {
		next(&r, &io);
		ck_assert_uint_eq(io.bytes, io.offset == at[0] ? 65536 : 4096);
		at[0] = io.offset + io.bytes;
	}
	close_rig(&r);
}
END_TEST

/* Sizes by their shares, with and without a map. */
START_TEST(size_shares)
{
	static const double share[3] = { 0.1, 0.5, 0.4 };
	double seen[3] = { 0 }, range[16] = { 0 }, even[16];
	struct rig r;
	struct io io;

	open_rig(&r,
		 "rw=randwrite norandommap=1 "
		 "bssplit=4k/10:64k/50:32k/40",
		 1 << 30);
	for (int i = 0; i < 20000; i++) {
		next(&r, &io);
		seen[io.bytes == 4096 ? 0 : io.bytes == 65536 ? 1 : 2]++;
		ck_assert_uint_eq(io.offset % 4096, 0);
	}
	expect_fit(seen, share, 3, "bssplit");
	close_rig(&r);
	open_rig(&r, "rw=write bsrange=4k-64k", 1 << 30);
	for (int i = 0; i < 20000; i++) {
		next(&r, &io);
		ck_assert_uint_eq(io.bytes % 4096, 0);
		range[io.bytes / 4096 - 1]++;
	}
	for (int i = 0; i < 16; i++)
		even[i] = 1.0 / 16;
	expect_fit(range, even, 16, "bsrange");
	close_rig(&r);
	/* Any size, any start. */
	open_rig(&r, "rw=randread bsrange=1k-9k bs_unaligned=1 ba=100",
		 1 << 30);
	memset(range, 0, sizeof(range));
	for (int i = 0; i < 20000; i++) {
		next(&r, &io);
		range[(io.bytes - 1024) * 16 / (8 * 1024 + 1)]++;
		ck_assert_uint_eq(io.offset % 100, 0);
	}
	expect_fit(range, even, 16, "bs_unaligned");
	close_rig(&r);
}
END_TEST

/* Two clones differ, the same one is the same. */
START_TEST(seeds)
{
	const uint64_t bytes = 1 << 30;
	struct io io[3];
	int same[2] = { 0, 0 };
	struct rig r[3];

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(try_open(&r[i], "rw=randrw bsrange=4k-64k", 1,
					  &bytes, i == 2 ? 8 : 7),
				 0);
	for (int k = 0; k < 1000; k++) {
		for (int i = 0; i < 3; i++)
			next(&r[i], &io[i]);
		same[0] += io[0].offset == io[1].offset &&
			   io[0].bytes == io[1].bytes && io[0].op == io[1].op;
		same[1] += io[0].offset == io[2].offset;
	}
	ck_assert_int_eq(same[0], 1000);
	ck_assert_int_lt(same[1], 10);
	for (int i = 0; i < 3; i++)
		close_rig(&r[i]);
}
END_TEST

static const char *const services[] = {
	"rw=randread file_service_type=roundrobin:3",
	"rw=randread file_service_type=random",
	"rw=read file_service_type=sequential",
	"rw=randwrite bssplit=4k/50:8k/50",
	"rw=write file_service_type=random:4",
	"rw=randread openfiles=2",
	"rw=read openfiles=1",
	"rw=write openfiles=3 file_service_type=random",
	"rw=read openfiles=9 file_service_type=sequential",
};

/* Files of unlike sizes: every block of each once before any twice. */
START_TEST(files_are_covered)
{
	const uint64_t bytes[5] = { 4096, 40960, 8192, 409600, 4096 };
	unsigned char seen[5][100] = { 0 };
	uint64_t total = 0, moved = 0;
	struct rig r;
	struct io io;

	for (int i = 0; i < 5; i++)
		total += bytes[i];
	open_files(&r, services[_i], 5, bytes);
	for (unsigned pass = 1; pass <= 3; pass++) {
		for (; moved < pass * total; moved += io.bytes) {
			unsigned f = next(&r, &io);

			for (uint64_t b = 0; b < io.bytes; b += 4096)
				ck_assert_uint_eq(
					++seen[f][(io.offset + b) / 4096],
					pass);
		}
		ck_assert_uint_eq(moved, pass * total);
	}
	close_rig(&r);
}
END_TEST

START_TEST(files_in_turn)
{
	const uint64_t bytes[3] = { 1 << 20, 1 << 20, 1 << 20 };
	double seen[3] = { 0 }, share[3];
	struct rig r;
	struct io io;

	open_files(&r, "rw=read", 3, bytes);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(next(&r, &io), i % 3);
	close_rig(&r);
	open_files(&r, "rw=read file_service_type=roundrobin:8", 3, bytes);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(next(&r, &io), i / 8 % 3);
	close_rig(&r);
	open_files(&r, "rw=read openfiles=2", 3, bytes);
	for (unsigned i = 0; i < 511; i++)
		ck_assert_uint_eq(next(&r, &io), i % 2);
	for (unsigned i = 511; i < 768; i++)
		ck_assert_uint_eq(next(&r, &io), i == 511 ? 1 : 2);
	close_rig(&r);
	open_files(&r, "rw=read file_service_type=sequential", 3, bytes);
	for (unsigned i = 0; i < 600; i++)
		ck_assert_uint_eq(next(&r, &io), i / 256 % 3);
	close_rig(&r);
	open_files(&r, "rw=read file_service_type=zipf:1.5", 3, bytes);
	for (unsigned i = 0; i < 20000; i++)
		seen[next(&r, &io)]++;
	for (int i = 0; i < 3; i++)
		share[i] = pow(i + 1, -1.5) / (1 + pow(2, -1.5) + pow(3, -1.5));
	expect_fit(seen, share, 3, "zipf files");
	close_rig(&r);
}
END_TEST

START_TEST(zones)
{
	double seen[3] = { 0 };
	static const double share[3] = { 0.6, 0.3, 0.1 };
	struct rig r;
	struct io io;

	open_rig(&r, "rw=randread random_distribution=zoned:60/10:30/20:10/70",
		 1000 << 12);
	for (int i = 0; i < 20000; i++) {
		uint64_t pct = (next(&r, &io), io.offset / 40960);

		seen[pct < 10 ? 0 : pct < 30 ? 1 : 2]++;
	}
	expect_fit(seen, share, 3, "zoned");
	close_rig(&r);
	open_rig(&r,
		 "rw=randread random_distribution=zoned_abs:60/1m:30/2m:10/1m",
		 1 << 24);
	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < 20000; i++) {
		uint64_t mib = (next(&r, &io), io.offset >> 20);

		seen[mib < 1 ? 0 : mib < 3 ? 1 : 2]++;
	}
	expect_fit(seen, share, 3, "zoned_abs");
	close_rig(&r);
	ck_assert_int_eq(
		try_open(&r, "rw=randread random_distribution=zoned_abs:60/9m",
			 1, &(uint64_t){ 1 << 20 }, 1),
		-EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "do not fit"));
	close_rig(&r);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("places");

	tcase_add_loop_test(tc, pass_is_exact, 0, ARRAY_SIZE(covering));
	tcase_add_test(tc, large_permutation);
	tcase_add_test(tc, every_small_permutation);
	tcase_add_test(tc, sequences);
	tcase_add_test(tc, sequences_as_fio);
	tcase_add_test(tc, random_every_n);
	tcase_add_test(tc, random_share);
	tcase_add_test(tc, size_shares);
	tcase_add_test(tc, seeds);
	tcase_add_loop_test(tc, files_are_covered, 0, ARRAY_SIZE(services));
	tcase_add_test(tc, files_in_turn);
	tcase_add_test(tc, zones);
	suite_add_tcase(suite, tc);
}
