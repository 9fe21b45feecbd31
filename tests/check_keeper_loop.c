/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper on a real queue: a loop device of our own. What a scheduler switch
 * resets, real kills, and a write that is stuck in the kernel. Skipped without
 * root, loop devices or a second scheduler.
 */
#include "knob/knob.h"

#include "model/schema/schema_machine.h"

#include "knob_peer.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

static char image[64], name[32];
static struct wish switched[3];

/* Run a command; its first line of output without the newline. */
static bool run(char *out, size_t size, const char *command)
{
	FILE *p = popen(command, "r");

	if (out && (!fgets(out, (int)size, p) || !strchr(out, '\n')))
		out[0] = '\0';
	if (out)
		out[strcspn(out, "\n")] = '\0';
	return pclose(p) == 0;
}

/* Attach a file; the device's name without /dev/, false when it cannot be. */
static bool attach(const char *file, const char *size, char *device)
{
	char command[256], out[64];

	snprintf(command, sizeof(command),
		 "truncate -s %s %s 2>/dev/null && "
		 "losetup -f --show %s 2>/dev/null",
		 size, file, file);
	if (!run(out, sizeof(out), command) || strncmp(out, "/dev/", 5))
		return false;
	snprintf(device, 32, "%.31s", out + 5);
	return true;
}

static void detach(const char *device, const char *file)
{
	char command[256];

	snprintf(command, sizeof(command), "losetup -d /dev/%s; rm -f %s",
		 device, file);
	run(NULL, 0, command);
}

static void get(const char *knob, char *value)
{
	ck_assert_msg(!knob_get(&root, name, knob, value, 64, NULL, 0), "%s",
		      fail_sentence());
}

static void is(const char *knob, const char *wanted)
{
	char value[64];

	get(knob, value);
	ck_assert_msg(!strcmp(value, wanted), "%s is %s, not %s", knob, value,
		      wanted);
}

static void comes_back(const char *knob, const char *wanted)
{
	char value[64];

	test_within(60, !knob_get(&root, name, knob, value, 64, NULL, 0) &&
				!strcmp(value, wanted));
	is(knob, wanted);
}

static char old_scheduler[64], other[64], old_requests[64], old_ahead[64];

/* The device, its values, and a scheduler that is not the present one. */
static bool prepare(void)
{
	char choices[128], command[128];

	if (geteuid() || root_open(&root, NULL))
		return false;
	snprintf(image, sizeof(image), "/var/tmp/iodyno-check-%d.img",
		 (int)getpid());
	if (!attach(image, "16M", name)) {
		unlink(image);
		return false;
	}
	/* A loop device keeps the scheduler of its last user. */
	snprintf(command, sizeof(command),
		 "echo none >/sys/block/%s/queue/scheduler", name);
	run(NULL, 0, command);
	if (knob_get(&root, name, "scheduler", old_scheduler, 64, choices,
		     sizeof(choices)) ||
	    knob_get(&root, name, "nr_requests", old_requests, 64, NULL, 0) ||
	    knob_get(&root, name, "read_ahead_kb", old_ahead, 64, NULL, 0))
		return false;
	strcpy(other, strstr(choices, "mq-deadline") ? "mq-deadline" : "none");
	switched[0] = (struct wish){ name, "scheduler", other };
	switched[1] = (struct wish){ name, "nr_requests", "96" };
	switched[2] = (struct wish){ name, "read_ahead_kb", "3072" };
	return strcmp(other, old_scheduler) && strstr(choices, other);
}

static void all_back(void)
{
	comes_back("scheduler", old_scheduler);
	comes_back("nr_requests", old_requests);
	comes_back("read_ahead_kb", old_ahead);
}

START_TEST(switch_resets_and_comes_back)
{
	struct keeper_report r;
	struct keeper *k;
	char values[3][64];
	bool seen = false;

	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	turn(k, name, "nr_requests", "64", &r);
	ck_assert_int_eq(r.error, 0);
	ck_assert_int_eq(keeper_set(k, name, "scheduler", other), 0);
	do {
		ck_assert(next_report(k, &r, 60000));
		seen |= r.kind == KEEPER_CHANGED &&
			!strcmp(r.knob, "nr_requests") &&
			!strcmp(r.old_value, "64");
	} while (r.kind != KEEPER_TURNED);
	ck_assert_int_eq(r.error, 0);
	ck_assert_str_eq(r.new_value, other);
	ck_assert_int_gt(r.took_ns, 1000);
	ck_assert(seen);
	get("nr_requests", values[0]);
	ck_assert_str_ne(values[0], "64");
	/* Rounded down to pages of 4 KiB: read back, not believed. */
	turn(k, name, "read_ahead_kb", "1027", &r);
	ck_assert_str_eq(r.new_value, "1024");
	/* A limit raises readahead, and both come back. */
	turn(k, name, "max_sectors_kb", "64", &r);
	if (!strcmp(other, "mq-deadline")) {
		turn(k, name, "iosched.fifo_batch", "3", &r);
		ck_assert_int_eq(r.error, 0);
		turn(k, name, "iosched.fifo_batch", "-1", &r);
		ck_assert_int_eq(r.error, EINVAL);
		is("iosched.fifo_batch", "3");
	}
	ck_assert_int_eq(keeper_stop(k, 60 * NS_PER_S, NULL, NULL), 0);
	all_back();
}
END_TEST

/* Tuned before we came: a switch away and back must not lose it. */
START_TEST(tunables_of_the_user_survive)
{
	struct keeper_report r;
	struct keeper *user, *k;
	char batch[64];

	if (strcmp(other, "mq-deadline"))
		return;
	ck_assert_int_eq(keeper_start(&user, &root, -1), 0);
	turn(user, name, "scheduler", "mq-deadline", &r);
	turn(user, name, "iosched.fifo_batch", "5", &r);
	turn(user, name, "nr_requests", "77", &r);
	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	turn(k, name, "scheduler", old_scheduler, &r);
	ck_assert_int_eq(r.error, 0);
	ck_assert_int_eq(keeper_stop(k, 60 * NS_PER_S, NULL, NULL), 0);
	is("scheduler", "mq-deadline");
	get("iosched.fifo_batch", batch);
	ck_assert_str_eq(batch, "5");
	is("nr_requests", "77");
	ck_assert_int_eq(keeper_stop(user, 60 * NS_PER_S, NULL, NULL), 0);
	all_back();
}
END_TEST

static const char *sampled(struct knob_sampler *k, struct sample *s,
			   const char *knob)
{
	struct device_raw *d;
	struct knob_raw *r;
	char id[ROW_ID_MAX];

	sample_reset(s);
	d = sample_add(s, SCHEMA_DEVICE);
	strcpy(d->key.id, name);
	knob_sampler_read(k, s);
	snprintf(id, sizeof(id), "%.31s.%.31s", name, knob);
	r = sample_find(s, SCHEMA_KNOB, id);
	return r ? r->value : "";
}

/*
 * Its open files of tunables die with the scheduler: they read ENODEV. Of a device that
 * is not watched and does nothing the kernel reports who writes.
 */
START_TEST(sampler_follows_a_switch)
{
	struct knob_sampler *s = knob_sampler_new(&root);
	struct sample sample = { 0 };
	struct keeper_report r;
	struct keeper *k;

	if (strcmp(other, "mq-deadline"))
		return;
	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	if (_i)
		knob_sampler_watch(s, name);
	sampled(s, &sample, "scheduler");
	turn(k, name, "scheduler", "mq-deadline", &r);
	for (int i = 0; i < 3; i++)
		ck_assert_str_eq(sampled(s, &sample, "iosched.fifo_batch"),
				 "16");
	turn(k, name, "iosched.fifo_batch", "7", &r);
	ck_assert_str_eq(sampled(s, &sample, "iosched.fifo_batch"), "7");
	/* There and back between two samples. */
	turn(k, name, "scheduler", "none", &r);
	turn(k, name, "scheduler", "mq-deadline", &r);
	ck_assert_str_eq(sampled(s, &sample, "iosched.fifo_batch"), "16");
	turn(k, name, "scheduler", "none", &r);
	ck_assert_str_eq(sampled(s, &sample, "scheduler"), "none");
	ck_assert_str_eq(sampled(s, &sample, "iosched.fifo_batch"), "");
	ck_assert_int_eq(keeper_stop(k, 60 * NS_PER_S, NULL, NULL), 0);
	knob_sampler_free(s);
	sample_free(&sample);
	all_back();
}
END_TEST

START_TEST(peer_is_killed)
{
	pid_t pid = start_peer(switched, 3, -1);

	is("scheduler", other);
	is("nr_requests", "96");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	all_back();
}
END_TEST

START_TEST(both_are_killed)
{
	pid_t pid = start_peer(switched, 3, -1), keeper = child_of(pid);

	kill(pid, SIGSTOP);
	kill(keeper, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_dead(keeper);
	is("scheduler", other);
	ck_assert_int_ge(keeper_restore_journals(&root, NULL, NULL), 2);
	all_back();
}
END_TEST

/* The device is taken away before the end: its queue must still come back. */
START_TEST(detached_before_the_end)
{
	char command[200], out[64];
	struct keeper_report r;
	struct keeper *k;

	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	turn(k, name, "scheduler", other, &r);
	snprintf(command, sizeof(command), "losetup -d /dev/%s", name);
	ck_assert(run(NULL, 0, command));
	snprintf(command, sizeof(command), "/sys/block/%s/loop/backing_file",
		 name);
	test_within(1, access(command, F_OK) != 0);
	ck_assert_int_eq(keeper_stop(k, 60 * NS_PER_S, NULL, NULL), 0);
	is("scheduler", old_scheduler);
	snprintf(command, sizeof(command), "losetup --show /dev/%s %s", name,
		 image);
	ck_assert(run(out, sizeof(out), command));
}
END_TEST

/* Writes that the device has not answered. */
static unsigned writes_in_flight(const char *device)
{
	char path[96];
	unsigned reads, writes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/block/%s/inflight", device);
	f = fopen(path, "r");
	if (f && fscanf(f, "%u %u", &reads, &writes) != 2)
		writes = 0;
	if (f)
		fclose(f);
	return writes;
}

/*
 * A small ext4 on the device, a second device on a file in it, and the ext4
 * frozen: I/O to the second device then never ends, nor does a switch of its
 * scheduler. Thawed on every way out of here.
 */
static void stuck_body(const char *inner, int mnt)
{
	char path[64], outer[32], was[64], ahead[64] = "";
	struct keeper_report r;
	struct keeper *k;
	uint64_t since = 0;
	pid_t writer;

	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	strcpy(outer, name);
	strcpy(name, inner);
	get("scheduler", was);
	strcpy(name, outer);
	/* Another device, which can be put back while that one is stuck. */
	turn(k, name, "read_ahead_kb", "3072", &r);
	ck_assert_int_eq(r.error, 0);
	ck_assert_int_eq(ioctl(mnt, FIFREEZE, 0), 0);
	snprintf(path, sizeof(path), "/dev/%s", inner);
	writer = fork();
	if (writer == 0) {
		int fd = open(path, O_WRONLY | O_SYNC);

		_exit(write(fd, path, sizeof(path)) < 0);
	}
	/* In D it may still be on its way to the device. */
	test_within(60, test_state(writer) == 'D' && writes_in_flight(inner));
	if (keeper_set(k, inner, "scheduler",
		       strcmp(was, other) ? other : old_scheduler) ||
	    next_report(k, &r, 1000) || !keeper_pending(k, &since) ||
	    keeper_set(k, inner, "nomerges", "1") != -EBUSY ||
	    keeper_stop(k, NS_PER_S, NULL, NULL) != -ETIMEDOUT) {
		ioctl(mnt, FITHAW, 0);
		ck_abort_msg("the write was not stuck as it should be");
	}
	test_within(60, knob_get(&root, name, "read_ahead_kb", ahead, 64, NULL,
				 0) ||
				!strcmp(ahead, old_ahead));
	ioctl(mnt, FITHAW, 0);
	ck_assert_str_eq(ahead, old_ahead);
	waitpid(writer, NULL, 0);
	strcpy(name, inner);
	comes_back("scheduler", was);
	strcpy(name, outer);
}

START_TEST(stuck_write)
{
	char dir[64], file[96], command[300], inner[32];
	int mnt;

	snprintf(dir, sizeof(dir), "/var/tmp/iodyno-check-%d.d", (int)getpid());
	snprintf(file, sizeof(file), "%s/file", dir);
	snprintf(command, sizeof(command),
		 "mkdir %s && mkfs.ext4 -q /dev/%s >/dev/null 2>&1 && "
		 "mount /dev/%s %s 2>/dev/null",
		 dir, name, name, dir);
	if (!run(NULL, 0, command)) {
		rmdir(dir);
		return;
	}
	mnt = open(dir, O_RDONLY | O_CLOEXEC);
	if (mnt >= 0 && attach(file, "4M", inner)) {
		pid_t pid = fork();

		/* Apart, so that a failed assertion still cleans up. */
		if (pid == 0) {
			stuck_body(inner, mnt);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &_i, 0), pid);
		detach(inner, file);
	}
	close(mnt);
	snprintf(command, sizeof(command), "umount %s && rmdir %s", dir, dir);
	ck_assert(run(NULL, 0, command));
	ck_assert_int_eq(_i, 0);
}
END_TEST

/*
 * A second instance cannot put nr_requests back before the scheduler that the
 * first one, which has ended, turned is back.
 */
START_TEST(one_needs_the_scheduler_of_the_other)
{
	struct keeper *first, *second;
	struct keeper_report r;
	char command[300];

	/* nomerges, too, is as the last user of the loop device left it. */
	snprintf(command, sizeof(command),
		 "cd /sys/block/%s/queue && echo 0 >nomerges && "
		 "echo %s >scheduler",
		 name, other);
	ck_assert(run(NULL, 0, command));
	ck_assert_int_eq(keeper_start(&first, &root, -1), 0);
	turn(first, name, "nomerges", "1", &r);
	ck_assert_int_eq(keeper_start(&second, &root, -1), 0);
	turn(second, name, "nr_requests", "32", &r);
	turn(first, name, "scheduler", old_scheduler, &r);
	turn(second, name, "nr_requests", "64", &r);
	ck_assert_int_eq(keeper_stop(first, 60 * NS_PER_S, NULL, NULL), 0);
	ck_assert_msg(!keeper_stop(second, 60 * NS_PER_S, NULL, NULL), "%s",
		      fail_sentence());
	is("scheduler", other);
	is("nr_requests", "256");
	is("nomerges", "0");
	snprintf(command, sizeof(command),
		 "echo %s >/sys/block/%s/queue/scheduler", old_scheduler, name);
	ck_assert(run(NULL, 0, command));
	all_back();
}
END_TEST

static void undo(void)
{
	detach(name, image);
	root_close(&root);
}

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("loop");

	if (!prepare()) {
		if (name[0])
			detach(name, image);
		test_skip(can_loop() ? "needs a second scheduler" : NEEDS_LOOP);
	}
	tcase_add_unchecked_fixture(t, NULL, undo);
	tcase_add_test(t, switch_resets_and_comes_back);
	tcase_add_test(t, tunables_of_the_user_survive);
	tcase_add_loop_test(t, sampler_follows_a_switch, 0, 2);
	tcase_add_test(t, peer_is_killed);
	tcase_add_test(t, both_are_killed);
	tcase_add_test(t, detached_before_the_end);
	tcase_add_test(t, stuck_write);
	tcase_add_test(t, one_needs_the_scheduler_of_the_other);
	suite_add_tcase(suite, t);
}
