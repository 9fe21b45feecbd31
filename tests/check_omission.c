/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coordinated omission: a disk that stands still for 2 s of a run at 1000 IOPS
 * must show in the percentiles, whatever the load generator could not submit
 * meanwhile. The disk is a loop device whose backing file system is frozen.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "workload_help.h"

/* linux/fs.h, which does not go with sys/mount.h in every C library. */
#ifndef FIFREEZE
#define FIFREEZE _IOWR('X', 119, int)
#define FITHAW   _IOWR('X', 120, int)
#endif

#define FROZEN_NS (2 * NS_PER_S)
#define RATE      1000

static char *dir, mount_point[256], outer[32];
static int frozen_fd = -1;

/* However the test ends: thaw, unmount, detach. */
static void teardown(void)
{
	if (frozen_fd >= 0) {
		ioctl(frozen_fd, FITHAW, 0);
		close(frozen_fd);
		frozen_fd = -1;
	}
	umount2(mount_point, MNT_DETACH);
	remove_dir(dir);
}

/* An ext4 on a loop device, in it a file for the second loop device. */
static bool make_disks(char *disk, size_t size)
{
	char image[300], inner[300];

	snprintf(image, sizeof(image), "%s/image", dir);
	snprintf(mount_point, sizeof(mount_point), "%s/mnt", dir);
	snprintf(inner, sizeof(inner), "%s/disk", mount_point);
	make_file(image, 64 << 20, 0);
	if (mkdir(mount_point, 0700) ||
	    run_command("mkfs.ext4 -q -F -O ^has_journal '%s'", image) ||
	    !loop_attach(image, false, outer, sizeof(outer)) ||
	    mount(outer, mount_point, "ext4", 0, NULL))
		return false;
	make_file(inner, 16 << 20, 1);
	sync();
	frozen_fd = open(mount_point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return frozen_fd >= 0 && loop_attach(inner, false, disk, size);
}

static uint64_t writes(struct workload *w)
{
	struct sample s = { 0 };
	uint64_t n;

	workload_sample(w, &s);
	n = ((struct job_raw *)sample_row(&s, SCHEMA_JOB, 0))
		    ->op[JOB_WRITE]
		    .ios;
	sample_free(&s);
	return n;
}

static void serve(struct workload *w, uint64_t ns)
{
	uint64_t end_ns = clock_mono_ns() + ns;
	struct event e;

	while (clock_mono_ns() < end_ns && !workload_done(w)) {
		struct pollfd p = { .fd = workload_fd(w), .events = POLLIN };

		poll(&p, 1, 10);
		while (workload_event(w, &e))
			;
	}
}

static void run_frozen(const char *disk, unsigned depth)
{
	char *const destroy[] = { (char *)disk };
	const struct allow_list allowed = { .destroy = (char **)destroy,
					    .n_destroy = 1 };
	struct sample s = { 0 };
	struct job_raw *row;
	struct workload *w;
	struct root root;
	struct job job;

	job_init(&job);
	set_option(&job, "name", "frozen");
	set_option(&job, "filename", disk);
	set_option(&job, "rw", "randwrite");
	set_option(&job, "direct", "1");
	set_option(&job, "runtime", "6");
	set_option(&job, "time_based", "1");
	if (depth > 1)
		set_option(&job, "ioengine", "libaio");
	job.iodepth = depth;
	for (int i = 0; i < JOB_DIRS; i++)
		job.rate_iops[i] = RATE;
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_msg(workload_open(&w, &root, &job, 1, &allowed) == 0, "%s",
		      fail_sentence());
	ck_assert_int_eq(workload_start(w), 0);
	serve(w, NS_PER_S);
	ck_assert_uint_gt(writes(w), 0);
	ck_assert_int_eq(ioctl(frozen_fd, FIFREEZE, 0), 0);
	serve(w, FROZEN_NS);
	ck_assert_int_eq(ioctl(frozen_fd, FITHAW, 0), 0);
	serve(w, 30 * NS_PER_S);
	ck_assert(workload_done(w));
	workload_sample(w, &s);
	row = sample_row(&s, SCHEMA_JOB, 0);
	ck_assert_ptr_nonnull(row->op[JOB_WRITE].response.hist);
	/*
	 * 2000 of 6000 arrivals meet the stop, waiting for 0 to 2 s: the 99th
	 * percentile is 1.94 s. A slow machine may be behind at the end.
	 */
	ck_assert_double_gt(
		histogram_percentile(row->op[JOB_WRITE].response.hist, 99),
		1.5e9);
	ck_assert_double_gt(
		histogram_percentile(row->op[JOB_WRITE].response.hist, 80),
		0.2e9);
	/* The service time hides it: but for depth I/Os none saw the stop. */
	ck_assert_double_lt(
		histogram_percentile(row->op[JOB_WRITE].service.hist, 90), 1e9);
	ck_assert_uint_ge(row->op[JOB_WRITE].service.max_ns, FROZEN_NS / 2);
	ck_assert_uint_gt(row->late, RATE);
	sample_free(&s);
	ck_assert_int_eq(workload_close(w, 5 * NS_PER_S), 0);
	root_close(&root);
	job_free(&job);
}

START_TEST(a_stop_is_seen)
{
	static const unsigned depths[] = { 1, 8 };
	char disk[32];

	dir = make_dir();
	ck_assert(make_disks(disk, sizeof(disk)));
	run_frozen(disk, depths[_i]);
	loop_detach(disk);
}
END_TEST

static bool can_freeze(void)
{
	/* Here libcheck takes no assertion. */
	return can_loop() && run_command("command -v mkfs.ext4") == 0;
}

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("omission");

	test_takes_long();
	if (!can_freeze())
		test_skip(NEEDS_LOOP);
	tcase_set_timeout(t, 300);
	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_add_loop_test(t, a_stop_is_seen, 0, 2);
	suite_add_tcase(suite, t);
}
