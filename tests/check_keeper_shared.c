/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper: two instances that change one device, on a fake tree. However they
 * end, in whatever order, the original values are back.
 */
#include "knob/keeper.h"

#include <stdlib.h>
#include <sys/file.h>

#include "knob/journal.h"

#include "knob_peer.h"

/* How an instance ends. */
enum end {
	END_STOP, /* by itself */
	END_TERM, /* its peer is killed, so its keeper restores */
	END_BOTH, /* peer and keeper are killed: a later start restores */
	ENDS
};

struct instance {
	pid_t pid, keeper;
};

static struct instance begin(const struct wish *wish, size_t n)
{
	struct instance a = { .pid = start_peer(wish, n, -1) };

	a.keeper = child_of(a.pid);
	ck_assert_int_gt(a.keeper, 0);
	return a;
}

static void finish(const struct instance *a, enum end how)
{
	int status;

	if (how == END_BOTH) {
		kill(a->pid, SIGSTOP);
		kill(a->keeper, SIGKILL);
	}
	kill(a->pid, how == END_STOP ? SIGUSR1 : SIGKILL);
	waitpid(a->pid, &status, 0);
	if (how == END_STOP)
		ck_assert_int_eq(status, 0);
	wait_dead(a->keeper);
}

static void all_back(void)
{
	char scheduler[KNOB_VALUE_MAX];

	/* The file of a tree says "none [mq-deadline]" until it is written. */
	ck_assert_int_eq(knob_get(&root, "vda", "scheduler", scheduler,
				  sizeof(scheduler), NULL, 0),
			 0);
	ck_assert_str_eq(scheduler, "mq-deadline");
	tree_is(Q("nr_requests"), "256");
	tree_is(Q("read_ahead_kb"), "128");
	ck_assert_int_eq(tree_journals(), 0);
}

static const struct wish first[] = {
	{ "vda", "read_ahead_kb", "256" },
	{ "vda", "scheduler", "bfq" },
	{ "vda", "scheduler", "bfq" },
	{ "vda", "nr_requests", "64" },
};
static const struct wish second[] = {
	{ "vda", "read_ahead_kb", "512" }, /* the same knob */
	{ "vda", "scheduler", "kyber" },
	{ "vda", "nr_requests", "64" }, /* another knob of the device */
	{ "vda", "scheduler", "kyber" },
};

#define PAIRS (int)ARRAY_SIZE(first)

/* Every pair of changes, both orders, every pair of endings. */
START_TEST(any_order)
{
	int pair = _i % PAIRS, order = _i / PAIRS % 2;
	enum end one = _i / PAIRS / 2 % ENDS, two = _i / PAIRS / 2 / ENDS;
	struct instance a, b;

	a = begin(&first[pair], 1);
	b = begin(&second[pair], 1);
	finish(order ? &b : &a, one);
	finish(order ? &a : &b, two);
	if (one == END_BOTH || two == END_BOTH)
		ck_assert_int_ge(keeper_restore_journals(&root, NULL, NULL), 0);
	all_back();
}
END_TEST

/* The later one ends first: the earlier one has its own value again. */
START_TEST(earlier_value_comes_back)
{
	struct instance a = begin(&first[0], 1), b = begin(&second[0], 1);

	tree_is(Q("read_ahead_kb"), "512");
	finish(&b, END_STOP);
	tree_is(Q("read_ahead_kb"), "256");
	finish(&a, END_STOP);
	all_back();
}
END_TEST

/* The earlier one changes the knob once more, and ends first. */
START_TEST(earlier_one_turns_again)
{
	struct instance b;
	struct keeper_report r;
	struct keeper *k;

	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	turn(k, "vda", "read_ahead_kb", "256", &r);
	b = begin(&second[0], 1);
	turn(k, "vda", "read_ahead_kb", "1024", &r);
	if (_i)
		finish(&b, END_STOP);
	ck_assert_int_eq(keeper_stop(k, 60 * NS_PER_S, NULL, NULL), 0);
	if (!_i)
		finish(&b, END_STOP);
	all_back();
}
END_TEST

static void note(const struct keeper_report *r, void *arg)
{
	*(pid_t *)arg = r->kind == KEEPER_HELD ? r->owner : *(pid_t *)arg;
}

START_TEST(second_hears_of_the_first)
{
	struct instance a = begin(&first[0], 1);
	struct keeper_report r;
	struct keeper *k;
	pid_t owner = 0;

	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	ck_assert_int_eq(keeper_set(k, "vda", "nr_requests", "64"), 0);
	ck_assert(next_report(k, &r, 60000));
	ck_assert_int_eq(r.kind, KEEPER_SHARED);
	ck_assert_int_eq(r.owner, a.keeper);
	ck_assert(next_report(k, &r, 60000));
	ck_assert_int_eq(r.kind, KEEPER_TURNED);
	/* Once is enough. */
	ck_assert_int_eq(keeper_set(k, "vda", "nr_requests", "32"), 0);
	ck_assert(next_report(k, &r, 60000));
	ck_assert_int_eq(r.kind, KEEPER_TURNED);
	ck_assert_int_eq(keeper_stop(k, 60 * NS_PER_S, note, &owner), 0);
	ck_assert_int_eq(owner, 0);
	finish(&a, END_STOP);
	all_back();
}
END_TEST

/* The one that ends first says which process puts its settings back. */
START_TEST(first_hears_of_the_second)
{
	struct keeper_report r;
	struct instance b;
	struct keeper *k;
	pid_t owner = 0;

	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	turn(k, "vda", "nr_requests", "64", &r);
	b = begin(&second[0], 1);
	ck_assert_int_eq(keeper_stop(k, 60 * NS_PER_S, note, &owner), 0);
	ck_assert_int_eq(owner, b.keeper);
	tree_is(Q("nr_requests"), "64");
	/* It lives, so nothing is put back behind its back. */
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), -EBUSY);
	tree_is(Q("nr_requests"), "64");
	finish(&b, END_STOP);
	all_back();
}
END_TEST

/* iodyno knob set, of the very value that an instance has set. */
START_TEST(value_set_on_purpose_stays)
{
	struct instance a = begin(&first[0], 1);
	const char *value = _i ? "640" : "256";
	struct keeper_report r;
	struct keeper *k;

	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	turn(k, "vda", "read_ahead_kb", value, &r);
	ck_assert_int_eq(r.error, 0);
	ck_assert_int_eq(keeper_forget(k), 0);
	ck_assert_int_eq(keeper_stop(k, 60 * NS_PER_S, NULL, NULL), 0);
	finish(&a, END_STOP);
	tree_is(Q("read_ahead_kb"), value);
	ck_assert_int_eq(tree_journals(), 0);
}
END_TEST

/* What another program sets in between comes back, and nothing older. */
START_TEST(foreign_value_between)
{
	struct instance a = begin(&first[0], 1), b;

	tree_put(Q("read_ahead_kb"), "333\n");
	b = begin(&second[0], 1);
	finish(_i ? &a : &b, END_STOP);
	finish(_i ? &b : &a, END_STOP);
	tree_is(Q("read_ahead_kb"), "333");
	ck_assert_int_eq(tree_journals(), 0);
}
END_TEST

/* Open and lock a file of the tree's journals, as another process would. */
static int lock_file(const char *name)
{
	char path[200];
	int fd;

	snprintf(path, sizeof(path), "%s/run/iodyno/%s", tree, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	return fd;
}

/* The name of the only journal. */
static void only_journal(char name[64])
{
	char(*list)[JOURNAL_NAME_MAX];

	ck_assert_uint_eq(journal_list(&root, &list), 1);
	snprintf(name, 64, "%s", list[0]);
	free(list);
}

/*
 * A third process puts settings back when the last instance ends, and has a
 * journal that it then leaves: the last instance waits until it has ended.
 */
START_TEST(another_restores_when_the_last_ends)
{
	struct instance a = begin(&first[0], 1), b;
	int journal, all, status;
	char name[64];

	only_journal(name);
	finish(&a, END_BOTH);
	b = begin(&second[2], 1);
	all = lock_file("*.lock");
	journal = lock_file(name);
	kill(b.pid, SIGKILL);
	waitpid(b.pid, &status, 0);
	sleep(3);
	close(journal);
	close(all);
	wait_dead(b.keeper);
	all_back();
}
END_TEST

/*
 * The first one leaves its value to the others, which are killed at the same
 * moment: each keeper must not take the other for a living one and leave it.
 */
START_TEST(two_end_at_once)
{
	struct instance a = begin(&first[0], 1), b = begin(&first[3], 1);
	struct instance c = begin(&second[1], 1);
	int status;

	finish(&a, END_STOP);
	kill(b.pid, SIGKILL);
	usleep((unsigned)_i * 300);
	kill(c.pid, SIGKILL);
	waitpid(b.pid, &status, 0);
	waitpid(c.pid, &status, 0);
	wait_dead(b.keeper);
	wait_dead(c.keeper);
	all_back();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("keeper_shared");
	TCase *t = tcase_create("shared");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 300);
	tcase_add_checked_fixture(t, tree_make, tree_remove);
	tcase_add_loop_test(t, any_order, 0, PAIRS * 2 * ENDS * ENDS);
	tcase_add_test(t, earlier_value_comes_back);
	tcase_add_loop_test(t, earlier_one_turns_again, 0, 2);
	tcase_add_test(t, second_hears_of_the_first);
	tcase_add_test(t, first_hears_of_the_second);
	tcase_add_loop_test(t, value_set_on_purpose_stays, 0, 2);
	tcase_add_loop_test(t, foreign_value_between, 0, 2);
	tcase_add_test(t, another_restores_when_the_last_ends);
	tcase_add_loop_test(t, two_end_at_once, 0, 40);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
