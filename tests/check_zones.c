/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: zonemode=strided, as fio does it. */
#include <errno.h>
#include <stdlib.h>

#include "offsets_rig.h"

#define MIB (1ull << 20)
#define BS  65536

/*
 * What fio 3.33 does on a file of 24 MiB: in which MiB each zone's I/Os lie,
 * and how many they are.
 */
static const struct {
	const char *options;
	unsigned ios, step, range; /* of a zone; MiB to the next; MiB of it */
} rows[] = {
	{ "rw=read zonesize=256k zonerange=1m zoneskip=1m", 4, 2, 1 },
	{ "rw=read zonesize=2m zonerange=1m", 32, 1, 1 },
	{ "rw=write zonesize=1m zoneskip=3m", 16, 4, 1 },
	{ "rw=randread zonesize=1m zonerange=2m zoneskip=2m", 16, 4, 2 },
	{ "rw=randread zonesize=2m zonerange=1m zoneskip=3m", 32, 4, 1 },
	{ "rw=randrw zonesize=1m zonerange=2m norandommap=1", 16, 2, 2 },
	{ "rw=randwrite zonesize=1m random_distribution=zipf:1.2", 16, 1, 1 },
};

START_TEST(zones_as_fio)
{
	char *options =
		xasprintf("bs=64k zonemode=strided %s", rows[_i].options);
	uint64_t zone = 0, last = 0;
	struct rig r;
	struct io io;

	open_rig(&r, options, 24 * MIB);
	for (unsigned i = 0; i < 5000; i++) {
		if (i && i % rows[_i].ios == 0) {
			zone += rows[_i].step * MIB;
			zone = zone < 24 * MIB ? zone : 0;
		}
		next(&r, &io);
		ck_assert_uint_ge(io.offset, zone);
		ck_assert_uint_le(io.offset + io.bytes,
				  zone + rows[_i].range * MIB);
		if (!job_random(&r.job))
			ck_assert_uint_eq(io.offset, i % rows[_i].ios % 16 == 0
							     ? zone
							     : last);
		last = io.offset + io.bytes;
	}
	close_rig(&r);
	free(options);
}
END_TEST

/* Blocks of one zone come once each, of unlike sizes, too. */
START_TEST(a_zone_is_covered)
{
	static const char *const options[] = {
		"rw=randread bs=64k zonemode=strided zonesize=1m zoneskip=1m",
		"rw=randread bsrange=4k-64k zonemode=strided zonesize=1m",
	};

	for (int k = 0; k < 2; k++) {
		unsigned char seen[256] = { 0 };
		uint64_t moved = 0;
		struct rig r;
		struct io io;

		open_rig(&r, options[k], 8 * MIB);
		for (; moved < MIB; moved += io.bytes) {
			next(&r, &io);
			for (uint64_t at = 0; at < io.bytes; at += 4096)
				ck_assert_uint_eq(
					seen[(io.offset + at) / 4096]++, 0);
		}
		ck_assert_uint_eq(moved, MIB);
		next(&r, &io);
		ck_assert_uint_ge(io.offset, (k ? 1 : 2) * MIB);
		close_rig(&r);
	}
}
END_TEST

/* Size says how much is moved, not how far: a disk is crossed. */
START_TEST(zones_go_round_the_target)
{
	char *dir = make_dir(), *path = xasprintf("%s/disk", dir);
	struct outcome o;
	struct job job;

	make_file(path, 8 * MIB, 7);
	job_init(&job);
	set_option(&job, "name", "zones");
	set_option(&job, "filename", path);
	set_option(&job, "size", "2m");
	set_option(&job, "bs", "64k");
	set_option(&job, "zonemode", "strided");
	set_option(&job, "zonesize", "512k");
	set_option(&job, "zoneskip", "1m");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].bytes, 2 * MIB);
	free_outcome(&o);
	job_free(&job);
	free(path);
	remove_dir(dir);
}
END_TEST

START_TEST(zones_need_a_size)
{
	struct job job;

	job_init(&job);
	set_option(&job, "name", "zones");
	set_option(&job, "zonemode", "strided");
	ck_assert_int_eq(job_check(&job), -EINVAL);
	set_option(&job, "zonesize", "1m");
	ck_assert_int_eq(job_check(&job), 0);
	set_option(&job, "bs", "2m");
	ck_assert_int_eq(job_check(&job), -EINVAL);
	set_option(&job, "bs", "4k");
	set_option(&job, "zonemode", "none");
	ck_assert_int_eq(job_check(&job), -EINVAL);
	ck_assert_int_eq(job_set(&job, "zonemode", "zbd"), -EINVAL);
	job_free(&job);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("zones");

	tcase_add_loop_test(tc, zones_as_fio, 0, ARRAY_SIZE(rows));
	tcase_add_test(tc, a_zone_is_covered);
	tcase_add_test(tc, zones_go_round_the_target);
	tcase_add_test(tc, zones_need_a_size);
	suite_add_tcase(suite, tc);
}
