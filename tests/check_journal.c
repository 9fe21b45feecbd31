/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journal and ledger: the accounts, the file, and bytes that are neither. */
#include "knob/journal.h"
#include "knob/turn.h"

#include "knob_tree.h"

#define HEAD "{\"journal\":1,\"boot_id\":\"boot-one\"}\n"
#define SET(knob, orig, ours)                                                \
	"{\"device\":\"vda\",\"diskseq\":9,\"inode\":\"0\",\"knob\":\"" knob \
	"\",\"scheduler\":\"\",\"orig\":\"" orig "\",\"ours\":\"" ours "\"}\n"

static struct knob_setting setting(const char *name, const char *scheduler,
				   const char *value)
{
	struct knob_setting s = { .row = knob_find(name) };

	strcpy(s.name, name);
	strcpy(s.scheduler, scheduler);
	strcpy(s.value, value);
	return s;
}

static const struct knob_identity vda = { .diskseq = 9 };

/*
 * mq-deadline with a tuned fifo_batch and nr_requests 64; a switch to bfq and
 * the way back, with what the kernel resets on each.
 */
START_TEST(switch_and_back)
{
	struct knob_setting deadline[] = {
		setting("scheduler", "", "mq-deadline"),
		setting("nr_requests", "", "64"),
		setting("iosched.fifo_batch", "mq-deadline", "4"),
		setting("wbt_lat_usec", "", "75000"),
	};
	struct knob_setting bfq[] = {
		setting("scheduler", "", "bfq"),
		setting("nr_requests", "", "256"),
		setting("iosched.slice_idle", "bfq", "8"),
		setting("wbt_lat_usec", "", "0"),
	};
	struct knob_setting again[] = {
		setting("scheduler", "", "mq-deadline"),
		setting("nr_requests", "", "256"),
		setting("iosched.fifo_batch", "mq-deadline", "16"),
		setting("wbt_lat_usec", "", "75000"),
	};
	struct knob_scan a = { deadline, 4, 4 }, b = { bfq, 4, 4 },
			 c = { again, 4, 4 };
	struct ledger l = { 0 }, none = { 0 };
	const char *target;

	ledger_before(&l, "vda", &vda, 7, &a, "scheduler", &none);
	ck_assert_uint_eq(l.n, 4);
	ledger_after(&l, "vda", &vda, &a, &b, &none);
	ck_assert_uint_eq(l.n, 5);
	ck_assert_int_eq(ledger_judge(ledger_find(&l, "vda", "scheduler", ""),
				      &b, &none, &target),
			 LEDGER_WRITE);
	ck_assert_int_eq(ledger_judge(ledger_find(&l, "vda", "nr_requests", ""),
				      &b, &none, &target),
			 LEDGER_WRITE);
	/* What came with bfq goes with it. */
	ck_assert_int_eq(ledger_judge(ledger_find(&l, "vda",
						  "iosched.slice_idle", "bfq"),
				      &b, &none, &target),
			 LEDGER_NOTHING);
	ck_assert_int_eq(
		ledger_judge(ledger_find(&l, "vda", "iosched.fifo_batch",
					 "mq-deadline"),
			     &b, &none, &target),
		LEDGER_NOTHING);
	ledger_before(&l, "vda", &vda, 7, &b, "scheduler", &none);
	ledger_after(&l, "vda", &vda, &b, &c, &none);
	/* The tunables came back with defaults: that too is our doing. */
	ck_assert_int_eq(
		ledger_judge(ledger_find(&l, "vda", "iosched.fifo_batch",
					 "mq-deadline"),
			     &c, &none, &target),
		LEDGER_WRITE);
	ck_assert_str_eq(
		ledger_find(&l, "vda", "iosched.fifo_batch", NULL)->orig, "4");
	ck_assert_int_eq(ledger_judge(ledger_find(&l, "vda", "nr_requests", ""),
				      &c, &none, &target),
			 LEDGER_WRITE);
	ck_assert_int_eq(
		ledger_judge(ledger_find(&l, "vda", "wbt_lat_usec", ""), &c,
			     &none, &target),
		LEDGER_NOTHING);
	ledger_free(&l);
}
END_TEST

START_TEST(parses)
{
	static const char text[] = HEAD SET("scheduler", "none", "none")
		SET("nr_requests", "128",
		    "128") "{\"device\":\"vda\",\"turn\":\"scheduler\"}\n"
			   "nonsense\n" SET("../../etc/passwd", "a", "b")
				   SET("scheduler", "none",
				       "bfq") "{\"device\":\"vda\",\"turned\":"
					      "\"scheduler\"}\n"
					      "{\"device\":\"vda\",\"turn\":"
					      "\"nr_requests\"}\n"
					      "{\"device\":\"vda\",\"knob\":"
					      "\"nr_requests\",\"ori";
	struct ledger l = { 0 };
	char boot[JOURNAL_BOOT_ID_MAX];

	ck_assert(journal_parse(text, sizeof(text) - 1, &l, boot));
	ck_assert_str_eq(boot, "boot-one");
	ck_assert_uint_eq(l.n, 2);
	ck_assert_str_eq(l.at[0].orig, "none");
	ck_assert_str_eq(l.at[0].ours, "bfq");
	ck_assert(!l.at[0].turning);
	ck_assert_uint_eq(l.at[0].identity.diskseq, 9);
	ck_assert_str_eq(l.at[1].ours, "128");
	ck_assert(l.at[1].turning);
	ledger_free(&l);
	ck_assert(!journal_parse(text + 1, sizeof(text) - 2, &l, boot));
	ck_assert(!journal_parse("", 0, &l, boot));
	ck_assert(!journal_parse(HEAD, sizeof(HEAD) - 2, &l, boot));
	ledger_free(&l);
}
END_TEST

static void put_journal(const char *text)
{
	char path[128];

	tree_put("run/iodyno/1-1.journal", text);
	snprintf(path, sizeof(path), "%s/run/iodyno", tree);
	chmod(path, 0700);
}

/* Killed in the middle of a write that went through, with a torn line. */
START_TEST(unfinished_turn_is_undone)
{
	put_journal(HEAD SET("scheduler", "mq-deadline", "mq-deadline")
			    SET("nr_requests", "64", "64")
				    SET("read_ahead_kb", "128",
					"128") "{\"device\":\"vda\",\"turn\":"
					       "\"scheduler\"}\n{\"dev");
	tree_put(Q("scheduler"), "none mq-deadline kyber [bfq]\n");
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 2);
	tree_is(Q("scheduler"), "mq-deadline");
	tree_is(Q("nr_requests"), "64");
	tree_is(Q("read_ahead_kb"), "128");
	ck_assert_int_eq(tree_journals(), 0);
}
END_TEST

/*
 * A write of the value that max_sectors_kb has raises readahead all the same:
 * 64 KiB that we set to 128. A death in the middle of it leaves no doubt that the
 * original comes back.
 */
START_TEST(unfinished_turn_of_the_same_value_is_undone)
{
	put_journal(HEAD SET("max_sectors_kb", "1280", "64")
			    SET("read_ahead_kb", "2560",
				"64") "{\"device\":\"vda\",\"turn\":"
				      "\"max_sectors_kb\"}\n");
	tree_put(Q("max_sectors_kb"), "64\n");
	tree_put(Q("read_ahead_kb"), "128\n");
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 2);
	tree_is(Q("max_sectors_kb"), "1280");
	tree_is(Q("read_ahead_kb"), "2560");
	ck_assert_int_eq(tree_journals(), 0);
}
END_TEST

/* Killed before the write was done: what differs is somebody else's. */
START_TEST(unbegun_turn_is_nothing)
{
	put_journal(HEAD SET("scheduler", "mq-deadline", "mq-deadline") SET(
		"nr_requests", "64",
		"64") "{\"device\":\"vda\",\"turn\":\"scheduler\"}\n");
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 0);
	tree_is(Q("nr_requests"), "256");
	ck_assert_int_eq(tree_journals(), 0);
}
END_TEST

START_TEST(useless_ones_are_removed)
{
	static const char *const text[] = {
		"", "garbage\n", HEAD, "{\"journal\":1,\"boot_id\":\"x\"}\n",
		"{\"journal\":2,\"boot_id\":\"boot-one\"}\n"
	};

	put_journal(text[_i]);
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 0);
	ck_assert_int_eq(tree_journals(), 0);
	tree_is(Q("nr_requests"), "256");
}
END_TEST

/* A directory that others may fill is not believed. */
START_TEST(foreign_directory_is_refused)
{
	char path[128];

	if (geteuid())
		return;
	put_journal(HEAD SET("nr_requests", "64", "256"));
	snprintf(path, sizeof(path), "%s/run/iodyno", tree);
	ck_assert_int_eq(chown(path, 65534, 65534), 0);
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 0);
	tree_is(Q("nr_requests"), "256");
}
END_TEST

START_TEST(failure_keeps_the_journal)
{
	char path[128];

	put_journal(HEAD SET("nr_requests", "64", "256")
			    SET("read_ahead_kb", "64", "128"));
	/* It is read, and cannot be written: a link to a read-only file. */
	snprintf(path, sizeof(path), "%s/" Q("nr_requests"), tree);
	unlink(path);
	tree_put(Q("nr_requests"), "256\n");
	ck_assert_int_eq(chmod(path, 0444), 0);
	if (!geteuid())
		return;
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), -EACCES);
	ck_assert_int_eq(tree_journals(), 1);
	tree_is(Q("read_ahead_kb"), "64");
}
END_TEST

/* Many turns do not let it grow without end. */
START_TEST(it_is_compacted)
{
	struct turn t;
	char value[16];

	turn_init(&t, &root, NULL);
	for (int i = 0; i < 2000; i++) {
		struct keeper_report r = { .device = "vda",
					   .knob = "nr_requests" };

		/* The accounts alone: a fork for each would be slow. */
		snprintf(value, sizeof(value), "%d", 64 + i % 2);
		ck_assert_int_eq(journal_compact(&t.journal, &root, &t.ledger),
				 0);
		ck_assert_int_eq(journal_open(&t.journal, &root), 0);
		strcpy(ledger_entry(&t.ledger, r.device, r.knob, "")->ours,
		       value);
		ledger_entry(&t.ledger, r.device, r.knob, "")->dirty = true;
		journal_turn(&t.journal, r.device, r.knob);
		journal_entries(&t.journal, &t.ledger);
		journal_turned(&t.journal, r.device, r.knob);
		ck_assert_int_eq(journal_sync(&t.journal), 0);
		ck_assert_uint_lt(t.journal.bytes, 300000);
	}
	ck_assert_int_eq(tree_journals(), 1);
	journal_remove(&t.journal);
	ck_assert_int_eq(tree_journals(), 0);
	turn_free(&t);
}
END_TEST

/* A captured tree whose settings are links to files outside of it. */
START_TEST(link_out_of_the_tree)
{
	char outside[] = "/tmp/iodyno-outside-XXXXXX", path[128], now[8] = "";
	int fd = mkstemp(outside), rc;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "256\n", 4), 4);
	put_journal(HEAD SET("nr_requests", "64", "256"));
	snprintf(path, sizeof(path), "%s/" Q("nr_requests"), tree);
	unlink(path);
	ck_assert_int_eq(symlink(outside, path), 0);
	/* Without openat2(2), as under qemu-user, a path with a link is refused. */
	rc = root_open_file(&root, Q("nr_requests"), O_RDONLY);
	ck_assert(rc == -ENOENT || rc == -ELOOP);
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 0);
	ck_assert_int_eq(pread(fd, now, sizeof(now) - 1, 0), 4);
	ck_assert_str_eq(now, "256\n");
	close(fd);
	unlink(outside);
}
END_TEST

/* The settings of vda: its scheduler, and async_depth of mq-deadline unless NULL. */
static struct knob_scan settings_of(struct knob_setting *at,
				    const char *scheduler, const char *depth)
{
	struct knob_scan s = { at, depth ? 2 : 1, 0 };

	memset(at, 0, 2 * sizeof(*at));
	strcpy(at[0].name, "scheduler");
	strcpy(at[0].value, scheduler);
	if (depth) {
		strcpy(at[1].name, "iosched.async_depth");
		strcpy(at[1].scheduler, scheduler);
		strcpy(at[1].value, depth);
	}
	return s;
}

/* An instance turns a knob; from and to are the settings around its write. */
static void turns(struct ledger *l, const char *knob,
		  const struct knob_scan *from, const struct knob_scan *to,
		  const struct ledger *others, uint64_t now_ns)
{
	const struct knob_identity id = { 0 };

	ledger_before(l, "vda", &id, now_ns, from, knob, others);
	ledger_after(l, "vda", &id, from, to, others);
}

static const char *original(const struct ledger *l)
{
	return ledger_find(l, "vda", "iosched.async_depth", "mq-deadline")->orig;
}

/*
 * One instance leaves mq-deadline, a second one returns to it and changes its
 * tunable through nr_requests, and a third one begins then: the value before all of
 * them is the original of each. Where mq-deadline was not there, nothing is.
 */
START_TEST(tunable_that_went_and_came)
{
	struct knob_setting at[5][2];
	struct knob_scan first = settings_of(at[0], "mq-deadline", "32"),
			 none = settings_of(at[1], "none", NULL),
			 fresh = settings_of(at[2], "mq-deadline", "256"),
			 fewer = settings_of(at[3], "mq-deadline", "64"),
			 more = settings_of(at[4], "mq-deadline", "128");
	struct ledger nobody = { 0 }, a = { 0 }, b = { 0 }, c = { 0 },
		      others = { 0 };
	const struct ledger_entry *e;
	const char *target;
	bool was_there = _i == 0;

	if (was_there) {
		turns(&a, "scheduler", &first, &none, &nobody, 1);
		ck_assert_str_eq(original(&a), "32");
	}
	turns(&b, "scheduler", &none, &fresh, &a, 2);
	turns(&b, "nr_requests", &fresh, &fewer, &a, 3);
	ck_assert_str_eq(original(&b), was_there ? "32" : "");
	for (size_t i = 0; i < a.n; i++)
		ledger_add(&others, &a.at[i]);
	for (size_t i = 0; i < b.n; i++)
		ledger_add(&others, &b.at[i]);
	turns(&c, "nr_requests", &fewer, &more, &others, 4);
	ck_assert_str_eq(original(&c), was_there ? "32" : "");
	/* The others have ended, and the third one puts back what is left. */
	e = ledger_find(&c, "vda", "iosched.async_depth", "mq-deadline");
	ck_assert_int_eq(ledger_judge(e, &more, &nobody, &target),
			 was_there ? LEDGER_WRITE : LEDGER_NOTHING);
	ck_assert_str_eq(target, was_there ? "32" : "");
	ledger_free(&a);
	ledger_free(&b);
	ledger_free(&c);
	ledger_free(&others);
}
END_TEST

/* Scans of one device, and the books of three instances, for the tests below. */
static struct knob_setting at[5][2];
static struct knob_scan first, bfq, kyber, back, fewer;
static struct ledger nobody, a, b, c;

static void make_scans(void)
{
	first = settings_of(at[0], "mq-deadline", "33");
	bfq = settings_of(at[1], "bfq", NULL);
	kyber = settings_of(at[2], "kyber", NULL);
	back = settings_of(at[3], "mq-deadline", "256");
	fewer = settings_of(at[4], "mq-deadline", "64");
}

static void free_books(void)
{
	ledger_free(&a);
	ledger_free(&b);
	ledger_free(&c);
}

/*
 * The first instance leaves mq-deadline and asks for it again after the second one
 * has returned to it: the value that the tunable then has counts as made by the
 * first one, too, and the first one puts the original back.
 */
START_TEST(tunable_that_another_brought_back)
{
	const struct ledger_entry *e;
	const char *target;

	turns(&a, "scheduler", &first, &bfq, &nobody, 1);
	turns(&b, "scheduler", &bfq, &back, &a, 2);
	turns(&a, "scheduler", &back, &back, &b, 3);
	e = ledger_find(&a, "vda", "iosched.async_depth", "mq-deadline");
	ck_assert_int_eq(ledger_judge(e, &back, &nobody, &target),
			 LEDGER_WRITE);
	ck_assert_str_eq(target, "33");
}
END_TEST

/*
 * The first instance leaves mq-deadline, a second one returns to it and the first
 * changes the tunable then; the second one ends, and a third one returns to
 * mq-deadline: the tunable goes back to the value before all of them.
 */
START_TEST(tunable_that_went_twice)
{
	turns(&a, "scheduler", &first, &kyber, &nobody, 1);
	turns(&b, "scheduler", &kyber, &back, &a, 2);
	turns(&a, "nr_requests", &back, &fewer, &b, 3);
	turns(&c, "scheduler", &kyber, &back, &a, 4);
	ck_assert_str_eq(original(&c), "33");
}
END_TEST

/* A scheduler that another instance set after us is left to that one. */
START_TEST(left_to_another)
{
	const struct ledger_entry *e;
	const char *target;

	turns(&a, "scheduler", &first, &bfq, &nobody, 1);
	turns(&b, "scheduler", &bfq, &kyber, &a, 2);
	e = ledger_find(&a, "vda", "scheduler", "");
	ck_assert_int_eq(ledger_judge(e, &kyber, &b, &target), LEDGER_LEFT);
	ck_assert_int_eq(ledger_judge(e, &kyber, &nobody, &target),
			 LEDGER_FOREIGN);
}
END_TEST

/* Bytes at random, and a right journal with some of them wrong. */
START_TEST(random_bytes)
{
	static const char right[] =
		HEAD SET("scheduler", "none",
			 "bfq") "{\"device\":\"vda\",\"turn\":\"scheduler\"}"
				"\n" SET("nr_requests", "64", "256");
	char text[sizeof(right)], boot[JOURNAL_BOOT_ID_MAX];
	unsigned seed = 1;

	for (int i = 0; i < 20000; i++) {
		struct ledger l = { 0 };
		size_t n = sizeof(right) - 1;

		memcpy(text, right, sizeof(right));
		for (int k = 0; k < 1 + i % 8; k++)
			text[(unsigned)rand_r(&seed) % n] = (char)rand_r(&seed);
		if (i % 4 == 0)
			for (size_t k = 0; k < n; k++)
				text[k] = (char)rand_r(&seed);
		journal_parse(text, (unsigned)rand_r(&seed) % (n + 1), &l,
			      boot);
		for (size_t k = 0; k < l.n; k++) {
			char path[KNOB_PATH_MAX];

			ck_assert(knob_path(l.at[k].row, l.at[k].device,
					    l.at[k].name, path));
			ck_assert_ptr_null(strstr(path, "/../"));
		}
		ledger_free(&l);
	}
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("journal");

	tcase_add_checked_fixture(t, tree_make, tree_remove);
	tcase_add_test(t, switch_and_back);
	tcase_add_test(t, parses);
	tcase_add_test(t, unfinished_turn_is_undone);
	tcase_add_test(t, unbegun_turn_is_nothing);
	tcase_add_test(t, unfinished_turn_of_the_same_value_is_undone);
	tcase_add_loop_test(t, useless_ones_are_removed, 0, 5);
	tcase_add_test(t, foreign_directory_is_refused);
	tcase_add_test(t, failure_keeps_the_journal);
	tcase_add_test(t, it_is_compacted);
	tcase_add_test(t, link_out_of_the_tree);
	tcase_add_loop_test(t, tunable_that_went_and_came, 0, 2);
	tcase_add_test(t, random_bytes);
	suite_add_tcase(suite, t);

	t = tcase_create("several");
	tcase_add_checked_fixture(t, make_scans, free_books);
	tcase_add_test(t, tunable_that_another_brought_back);
	tcase_add_test(t, tunable_that_went_twice);
	tcase_add_test(t, left_to_another);
	suite_add_tcase(suite, t);
}
