/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeper: turns, refusals, restore, on a fake tree. */
#include "knob/keeper.h"

#include "knob_peer.h"

#include <sys/inotify.h>
#include <sys/socket.h>

static struct keeper *k;

static void start(void)
{
	tree_make();
	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
}

static void count(const struct keeper_report *r, void *arg)
{
	int *n = arg;

	n[0] += r->kind == KEEPER_RESTORED && !r->error;
	n[1] += r->kind == KEEPER_RESTORED && r->error == ESTALE;
	n[2] += r->kind == KEEPER_DONE;
}

#define STOP(n) keeper_stop(k, 60 * NS_PER_S, count, (n))

START_TEST(turns_and_restores)
{
	struct keeper_report r;
	int n[3] = { 0 };

	turn(k, "vda", "scheduler", "bfq", &r);
	ck_assert_int_eq(r.error, 0);
	ck_assert_str_eq(r.old_value, "mq-deadline");
	ck_assert_str_eq(r.new_value, "bfq");
	ck_assert_str_eq(r.wanted, "bfq");
	ck_assert_int_gt(r.took_ns, 0);
	tree_is(Q("scheduler"), "bfq");
	ck_assert_int_eq(tree_journals(), 1);
	turn(k, "vda", "read_ahead_kb", "4096", &r);
	turn(k, "vm", "dirty_ratio", "10", &r);
	ck_assert_int_eq(r.error, 0);
	ck_assert_int_eq(STOP(n), 0);
	tree_is(Q("scheduler"), "mq-deadline");
	tree_is(Q("read_ahead_kb"), "128");
	tree_is("proc/sys/vm/dirty_ratio", "20");
	ck_assert_int_eq(n[0], 3);
	ck_assert_int_eq(n[1], 0);
	ck_assert_int_eq(n[2], 1);
	ck_assert_int_eq(tree_journals(), 0);
}
END_TEST

START_TEST(refuses)
{
	struct keeper_report r;
	char path[200];

	turn(k, "vda", "scheduler", "cfq", &r);
	ck_assert_int_eq(r.error, EINVAL);
	turn(k, "vda", "nr_requests", "-5", &r);
	ck_assert_int_eq(r.error, EINVAL);
	turn(k, "vdz", "nr_requests", "64", &r);
	ck_assert_int_eq(r.error, ENODEV);
	turn(k, "dm-0", "scheduler", "none", &r);
	ck_assert_int_eq(r.error, ENOENT);
	turn(k, "vda", "iosched.nothing", "1", &r);
	ck_assert_int_eq(r.error, ENOENT);
	ck_assert_int_eq(keeper_set(k, "vda", "cheduler", "none"), -EINVAL);
	ck_assert_int_eq(keeper_set(k, "../vda", "iosched", "none"), -EINVAL);
	ck_assert_int_eq(keeper_set(k, "vda", "iosched.a/b", "1"), -EINVAL);
	ck_assert_int_eq(keeper_set(k, "vda", "nr_requests", ""), -EINVAL);
	memset(path, '1', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	ck_assert_int_eq(keeper_set(k, "vda", "nr_requests", path), -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "a value of 1 to"));
	ck_assert_int_eq(tree_journals(), 0);
	/* A file that will not be written: a directory in its place. */
	snprintf(path, sizeof(path), "%s/" Q("nomerges"), tree);
	unlink(path);
	mkdir(path, 0755);
	turn(k, "vda", "nomerges", "1", &r);
	ck_assert_int_eq(r.error, EISDIR);
	ck_assert_int_eq(keeper_stop(k, NS_PER_S, NULL, NULL), 0);
}
END_TEST

/* A program that was taken over: messages of each length, for no known knob. */
START_TEST(messages_are_checked)
{
	struct keeper_report r;
	char bytes[1024];

	memset(bytes, 0xff, sizeof(bytes));
	memset(bytes, 0, 4);
	for (size_t n = 1; n <= sizeof(bytes); n++)
		ck_assert_int_eq(send(keeper_fd(k), bytes, n, MSG_NOSIGNAL),
				 (ssize_t)n);
	ck_assert(next_report(k, &r, 60000));
	ck_assert_int_eq(r.kind, KEEPER_TURNED);
	ck_assert_int_eq(r.error, EINVAL);
	ck_assert_int_eq(tree_journals(), 0);
	/* It lives. */
	turn(k, "vda", "nr_requests", "64", &r);
	ck_assert_int_eq(r.error, 0);
	tree_is(Q("nr_requests"), "64");
	ck_assert_int_eq(keeper_stop(k, 5 * NS_PER_S, NULL, NULL), 0);
	tree_is(Q("nr_requests"), "256");
}
END_TEST

START_TEST(second_is_refused)
{
	struct keeper_report r;
	uint64_t since = 0;

	ck_assert_ptr_null(keeper_pending(k, &since));
	ck_assert_int_eq(keeper_set(k, "vda", "nr_requests", "64"), 0);
	ck_assert_str_eq(keeper_pending(k, &since), "vda");
	ck_assert(since > 0);
	ck_assert_int_eq(keeper_set(k, "vda", "nr_requests", "32"), -EBUSY);
	ck_assert_int_eq(keeper_restore(k, NULL), -EBUSY);
	ck_assert(next_report(k, &r, 60000));
	ck_assert_int_eq(r.kind, KEEPER_TURNED);
	ck_assert_ptr_null(keeper_pending(k, NULL));
	ck_assert_int_eq(keeper_stop(k, 5 * NS_PER_S, NULL, NULL), 0);
	tree_is(Q("nr_requests"), "256");
}
END_TEST

START_TEST(foreign_change_is_left)
{
	struct keeper_report r;
	int n[3] = { 0 };

	turn(k, "vda", "nr_requests", "64", &r);
	turn(k, "vda", "read_ahead_kb", "512", &r);
	tree_put(Q("nr_requests"), "100\n");
	/* He changes it, then we do: his comes back. */
	tree_put(Q("read_ahead_kb"), "1024\n");
	turn(k, "vda", "read_ahead_kb", "2048", &r);
	ck_assert_str_eq(r.old_value, "1024");
	/* What we never touched is none of our business. */
	tree_put(Q("rq_affinity"), "2\n");
	ck_assert_int_eq(STOP(n), 0);
	tree_is(Q("nr_requests"), "100");
	tree_is(Q("read_ahead_kb"), "1024");
	tree_is(Q("rq_affinity"), "2");
	ck_assert_int_eq(n[0], 1);
	ck_assert_int_eq(n[1], 1);
}
END_TEST

START_TEST(undone_is_done)
{
	struct keeper_report r;
	int n[3] = { 0 };

	turn(k, "vda", "nr_requests", "64", &r);
	turn(k, "vda", "nr_requests", r.old_value, &r);
	tree_is(Q("nr_requests"), "256");
	ck_assert_int_eq(keeper_restore(k, NULL), 0);
	ck_assert(next_report(k, &r, 60000));
	ck_assert_int_eq(r.kind, KEEPER_DONE);
	ck_assert_int_eq(r.error, 0);
	ck_assert_int_eq(tree_journals(), 0);
	/* And it serves on. */
	turn(k, "vda", "nr_requests", "32", &r);
	ck_assert_int_eq(r.error, 0);
	ck_assert_int_eq(STOP(n), 0);
	tree_is(Q("nr_requests"), "256");
	ck_assert_int_eq(n[0], 1);
}
END_TEST

/* One device's settings come back, another's stay until the end. */
START_TEST(one_device_is_reset)
{
	struct keeper_report r;
	int n[3] = { 0 };

	turn(k, "vda", "nr_requests", "64", &r);
	turn(k, "vdb", "read_ahead_kb", "512", &r);
	ck_assert_int_eq(r.error, 0);
	ck_assert_int_eq(keeper_restore(k, "vda"), 0);
	ck_assert_str_eq(keeper_pending(k, NULL), "vda");
	ck_assert_int_eq(keeper_set(k, "vda", "nr_requests", "8"), -EBUSY);
	ck_assert(next_report(k, &r, 60000));
	ck_assert_int_eq(r.kind, KEEPER_RESTORED);
	ck_assert_str_eq(r.knob, "nr_requests");
	ck_assert(next_report(k, &r, 60000));
	ck_assert_int_eq(r.kind, KEEPER_DONE);
	ck_assert_str_eq(r.device, "vda");
	ck_assert_ptr_null(keeper_pending(k, NULL));
	tree_is(Q("nr_requests"), "256");
	tree_is("sys/block/vdb/queue/read_ahead_kb", "512");
	ck_assert_int_eq(STOP(n), 0);
	tree_is("sys/block/vdb/queue/read_ahead_kb", "256");
	ck_assert_int_eq(n[0], 1);
}
END_TEST

/* Which file of the queue was written, as inotify tells. */
static void written(int fd, char *out, size_t size)
{
	char buf[8192] __attribute__((aligned(8)));
	ssize_t n = read(fd, buf, sizeof(buf));

	out[0] = '\0';
	for (char *p = buf; n > 0 && p < buf + n;) {
		struct inotify_event *e = (struct inotify_event *)p;

		if (e->len && size > strlen(out) + strlen(e->name) + 2) {
			strcat(out, e->name);
			strcat(out, " ");
		}
		p += sizeof(*e) + e->len;
	}
}

START_TEST(restores_in_order)
{
	struct keeper_report r;
	char path[200], order[512];
	int fd = inotify_init1(IN_NONBLOCK);

	turn(k, "vda", "read_ahead_kb", "512", &r);
	turn(k, "vda", "wbt_lat_usec", "0", &r);
	turn(k, "vda", "max_sectors_kb", "64", &r);
	turn(k, "vda", "iosched.fifo_batch", "1", &r);
	turn(k, "vda", "nr_requests", "64", &r);
	tree_put(Q("scheduler"), "none [mq-deadline] kyber bfq\n");
	snprintf(path, sizeof(path), "%s/" Q(""), tree);
	ck_assert_int_ge(inotify_add_watch(fd, path, IN_CLOSE_WRITE), 0);
	snprintf(path, sizeof(path), "%s/" Q("iosched"), tree);
	ck_assert_int_ge(inotify_add_watch(fd, path, IN_CLOSE_WRITE), 0);
	ck_assert_int_eq(keeper_stop(k, 5 * NS_PER_S, NULL, NULL), 0);
	written(fd, order, sizeof(order));
	ck_assert_str_eq(order, "nr_requests fifo_batch max_sectors_kb "
				"wbt_lat_usec read_ahead_kb ");
	close(fd);
}
END_TEST

START_TEST(device_replaced_is_left)
{
	struct keeper_report r;
	int n[3] = { 0 };

	turn(k, "vda", "nr_requests", "64", &r);
	turn(k, "vdb", "read_ahead_kb", "64", &r);
	tree_put("sys/block/vda/diskseq", "77\n");
	ck_assert_int_eq(STOP(n), 0);
	tree_is(Q("nr_requests"), "64");
	tree_is("sys/block/vdb/queue/read_ahead_kb", "256");
	ck_assert_int_eq(n[0], 1);
}
END_TEST

START_TEST(keeper_death_is_seen)
{
	struct keeper_report r;
	pid_t keeper = child_of(getpid());

	turn(k, "vda", "nr_requests", "64", &r);
	kill(keeper, SIGKILL);
	ck_assert(!next_report(k, &r, 1000));
	ck_assert_int_eq(keeper_receive(k, &r), -EPIPE);
	ck_assert_int_eq(keeper_set(k, "vda", "nomerges", "1"), -EPIPE);
	ck_assert_int_eq(keeper_stop(k, NS_PER_S, NULL, NULL), -EIO);
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 1);
	tree_is(Q("nr_requests"), "256");
}
END_TEST

/*
 * The journal says that the turn has its outcome: what differs after that is
 * another program's, and stays when the keeper has been killed.
 */
START_TEST(change_after_the_death_is_left)
{
	struct keeper_report r;
	pid_t keeper = child_of(getpid());

	turn(k, "vda", "nr_requests", "64", &r);
	turn(k, "vda", "nomerges", "1", &r);
	kill(keeper, SIGKILL);
	ck_assert(!next_report(k, &r, 1000));
	ck_assert_int_eq(keeper_stop(k, NS_PER_S, NULL, NULL), -EIO);
	tree_put(Q("nr_requests"), "100\n");
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 1);
	tree_is(Q("nr_requests"), "100");
	tree_is(Q("nomerges"), "0");
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("keeper");

	tcase_add_checked_fixture(t, start, tree_remove);
	tcase_add_test(t, turns_and_restores);
	tcase_add_test(t, refuses);
	tcase_add_test(t, messages_are_checked);
	tcase_add_test(t, second_is_refused);
	tcase_add_test(t, foreign_change_is_left);
	tcase_add_test(t, undone_is_done);
	tcase_add_test(t, one_device_is_reset);
	tcase_add_test(t, restores_in_order);
	tcase_add_test(t, device_replaced_is_left);
	tcase_add_test(t, keeper_death_is_seen);
	tcase_add_test(t, change_after_the_death_is_left);
	suite_add_tcase(suite, t);
}
