/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of report/segment: which knob events cut a run into before and after.
 *
 * The machine: loop0 stands on md0, that on the partition sda1 and on sdb; sdc
 * and sdd have nothing to do with them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/segment.h"
#include "test.h"

static struct frame frame;

static void set_text(struct row *row, enum schema_id id, const char *key,
		     const char *text)
{
	int i = schema_field(id, key);

	ck_assert_int_ge(i, 0);
	row->value[i].text = text;
}

static struct row *add_device(const char *name, const char *kind,
			      const char *parent, const char *members)
{
	struct row *row = frame_add_row(&frame, SCHEMA_DEVICE, name);

	set_text(row, SCHEMA_DEVICE, "kind", kind);
	set_text(row, SCHEMA_DEVICE, "parent", parent);
	set_text(row, SCHEMA_DEVICE, "members", members);
	return row;
}

static void add_job(const char *name, const char *devices)
{
	struct row *row = frame_add_row(&frame, SCHEMA_JOB, name);

	set_text(row, SCHEMA_JOB, "device", devices);
}

static void set_moving(struct row *row)
{
	row->value[schema_field(SCHEMA_DEVICE, "read_iops")].number = 5;
}

static void setup(void)
{
	memset(&frame, 0, sizeof(frame));
	frame.interval_s = 1;
	add_device("sda", "disk", NULL, NULL);
	add_device("sda1", "part", "sda", NULL);
	add_device("sdb", "disk", NULL, NULL);
	set_moving(add_device("sdc", "disk", NULL, NULL));
	add_device("sdd", "disk", NULL, NULL);
	add_device("md0", "md", NULL, "sda1 sdb");
	add_device("loop0", "loop", "md0", "md0");
}

static void teardown(void)
{
	frame_free(&frame);
}

static struct event turn(const char *device, enum event_by by)
{
	struct event e = { .kind = EVENT_KNOB };

	text_copy(e.device, sizeof(e.device), device);
	text_copy(e.knob, sizeof(e.knob), "scheduler");
	text_copy(e.old_value, sizeof(e.old_value), "none");
	text_copy(e.new_value, sizeof(e.new_value), "bfq");
	e.by = by;
	return e;
}

/* What an event of the frame is. */
static unsigned is(struct event e)
{
	static struct digest digest;
	const size_t n = frame.n_events;
	unsigned bits;

	frame_add_event(&frame, &e);
	digest_take(&digest, &frame);
	bits = digest.event[n].is;
	digest_free(&digest);
	frame.n_events = n;
	return bits;
}

static bool is_turn(const char *device, enum event_by by)
{
	return is(turn(device, by)) & DIGEST_CHANGE;
}

/* With a job on loop0: what is under it matters, what is beside it does not. */
static const struct {
	const char *device;
	bool cuts;
} foreign[] = {
	{ "loop0", true }, { "md0", true },  { "sda1", true },
	{ "sda", true },   { "sdb", true },  { "vm", true },
	{ "sdc", false },  { "sdd", false }, { "loop1", false },
	{ "loop", false }, { "", false },    { "kernel", false },
};

START_TEST(foreign_turns)
{
	add_job("j", "loop0");
	ck_assert_msg(is_turn(foreign[_i].device, BY_FOREIGN) ==
			      foreign[_i].cuts,
		      "a foreign turn of '%s'", foreign[_i].device);
}
END_TEST

/* Ours always count, wherever: somebody meant to do that. */
START_TEST(own_turns)
{
	add_job("j", "loop0");
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		ck_assert(is_turn(foreign[i].device, BY_OPERATOR));
		ck_assert(is_turn(foreign[i].device, BY_PLAN));
	}
}
END_TEST

/* More load and less is a turn of its own. */
START_TEST(jobs_come_and_go)
{
	struct event e = { .kind = EVENT_JOB_START, .job = "j" };

	struct row *row;

	add_job("j", "loop0");
	ck_assert(!(is(e) & DIGEST_CHANGE));
	ck_assert((is(e) & DIGEST_CUTS));
	/* There is one beside it, which began in this interval, then before. */
	row = frame_add_row(&frame, SCHEMA_JOB, "k");
	set_text(row, SCHEMA_JOB, "phase", "run");
	row->value[schema_field(SCHEMA_JOB, "run_s")].number = 0.5;
	ck_assert(!(is(e) & DIGEST_CHANGE));
	row->value[schema_field(SCHEMA_JOB, "run_s")].number = 5;
	ck_assert((is(e) & DIGEST_CHANGE));
	e.kind = EVENT_JOB_STOP;
	ck_assert((is(e) & DIGEST_CHANGE));
	e.kind = EVENT_PHASE;
	ck_assert(!(is(e) & DIGEST_CHANGE));
	ck_assert(!(is(e) & DIGEST_CUTS));
}
END_TEST

/* What is above a job's disk does not carry its I/O. */
START_TEST(above_the_job)
{
	add_job("j", "sda");
	ck_assert(is_turn("sda", BY_FOREIGN));
	ck_assert(!is_turn("md0", BY_FOREIGN));
	ck_assert(!is_turn("loop0", BY_FOREIGN));
	ck_assert(!is_turn("sdb", BY_FOREIGN));
}
END_TEST

START_TEST(any_of_many)
{
	add_job("j", "sdd sdc");
	add_job("k", "sdb");
	ck_assert(is_turn("sdc", BY_FOREIGN));
	ck_assert(is_turn("sdd", BY_FOREIGN));
	ck_assert(is_turn("sdb", BY_FOREIGN));
	ck_assert(!is_turn("sda", BY_FOREIGN));
}
END_TEST

/* Without jobs, or when none says where it works, no change of another program
 * counts: it is one of the others, which are listed. */
START_TEST(nobody_says_where)
{
	struct event e = turn("sdc", BY_FOREIGN);

	ck_assert(!is_turn("sdc", BY_FOREIGN));
	ck_assert((is(e) & DIGEST_OTHER));
	add_job("j", NULL);
	ck_assert(!is_turn("sdc", BY_FOREIGN));
	ck_assert((is(e) & DIGEST_OTHER));
	e = turn("sdc", BY_OPERATOR);
	ck_assert(!(is(e) & DIGEST_OTHER));
}
END_TEST

/* A captured tree, or a log, may hold a ring. */
START_TEST(ring)
{
	add_device("dm-0", "dm", NULL, "dm-1");
	add_device("dm-1", "dm", NULL, "dm-0");
	add_job("j", "dm-0");
	ck_assert(is_turn("dm-1", BY_FOREIGN));
	ck_assert(!is_turn("sda", BY_FOREIGN));
}
END_TEST

/* What did not happen, or came along with another turn, is none. */
START_TEST(no_turns)
{
	struct event e = turn("sda", BY_PLAN);

	e.error = EINVAL;
	ck_assert(!(is(e) & DIGEST_CHANGE));
	e = turn("sda", BY_PLAN);
	strcpy(e.cause, "scheduler");
	ck_assert(!(is(e) & DIGEST_CHANGE));
	e = turn("sda", BY_PLAN);
	strcpy(e.new_value, e.old_value);
	ck_assert(!(is(e) & DIGEST_CHANGE));
	e = turn("sda", BY_PLAN);
	e.kind = EVENT_NOTE;
	ck_assert(!(is(e) & DIGEST_CHANGE));
	e = turn("sda", BY_RESTORE);
	ck_assert(!(is(e) & DIGEST_CHANGE));
	ck_assert((is(e) & DIGEST_CUTS));
	e.error = EIO;
	ck_assert(!(is(e) & DIGEST_CUTS));
}
END_TEST

static bool cuts(void)
{
	struct digest digest = { 0 };
	bool found;

	digest_take(&digest, &frame);
	found = digest.events & DIGEST_CUTS;
	digest_free(&digest);
	return found;
}

START_TEST(cut)
{
	struct event e = turn("sdd", BY_FOREIGN);

	add_job("j", "sda");
	ck_assert(!cuts());
	frame_add_event(&frame, &e);
	ck_assert(!cuts());
	e = turn("sdd", BY_RESTORE);
	frame_add_event(&frame, &e);
	ck_assert(cuts());
	frame.n_events = 0;
	e = turn("sdd", BY_OPERATOR);
	frame_add_event(&frame, &e);
	ck_assert(cuts());
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("turns");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, foreign_turns, 0, ARRAY_SIZE(foreign));
	tcase_add_test(tc, own_turns);
	tcase_add_test(tc, jobs_come_and_go);
	tcase_add_test(tc, above_the_job);
	tcase_add_test(tc, any_of_many);
	tcase_add_test(tc, nobody_says_where);
	tcase_add_test(tc, ring);
	tcase_add_test(tc, no_turns);
	tcase_add_test(tc, cut);
	suite_add_tcase(suite, tc);
}
