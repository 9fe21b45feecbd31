/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of history (bounds, what is kept) and of watch (own, foreign and
 * pending turns).
 */
#include "check_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/frame.h"
#include "model/history.h"

static struct frame frame;

static void begin(void)
{
	memset(&frame, 0, sizeof(frame));
}

static void end(void)
{
	frame_free(&frame);
}

static void add_device(const char *id, double iops)
{
	struct row *row = frame_add_row(&frame, SCHEMA_DEVICE, id);

	row->value[schema_field(SCHEMA_DEVICE, "read_iops")].number = iops;
}

static int field(const char *key)
{
	return schema_field(SCHEMA_DEVICE, key);
}

START_TEST(history_is_a_ring)
{
	struct history *h = history_new(10, 1 << 20);

	ck_assert_uint_eq(history_count(h), 0);
	ck_assert(isnan(history_t(h, 0)));
	for (int i = 0; i < 25; i++) {
		frame_reset(&frame);
		frame.t_s = i;
		frame.interval_s = 0.5;
		add_device("sda", i + 1);
		add_device("idle", 0);
		history_push(h, &frame);
	}
	ck_assert_uint_eq(history_count(h), 10);
	ck_assert_double_eq(history_t(h, 0), 24);
	ck_assert_double_eq(history_t(h, 9), 15);
	ck_assert(isnan(history_t(h, 10)));
	ck_assert_double_eq(history_interval(h, 3), 0.5);
	ck_assert_double_eq(
		history_number(h, 0, SCHEMA_DEVICE, "sda", field("read_iops")),
		25);
	ck_assert_double_eq(
		history_number(h, 9, SCHEMA_DEVICE, "sda", field("read_iops")),
		16);
	ck_assert(isnan(history_number(h, 0, SCHEMA_DEVICE, "sda",
				       field("write_iops"))));
	ck_assert_double_eq(
		history_number(h, 9, SCHEMA_DEVICE, "idle", field("read_iops")),
		0);
	ck_assert(isnan(history_number(h, 0, SCHEMA_DEVICE, "sdb",
				       field("read_iops"))));
	ck_assert(isnan(history_number(h, 99, SCHEMA_DEVICE, "sda", 0)));
	ck_assert(isnan(history_number(h, 0, SCHEMA_DEVICE, "sda", -1)));
	history_clear(h);
	ck_assert_uint_eq(history_count(h), 0);
	history_free(h);
	history_free(NULL);
}
END_TEST

static double reads(const struct history *h, size_t age, const char *id)
{
	return history_number(h, age, SCHEMA_DEVICE, id, field("read_iops"));
}

/*
 * A device that does nothing reads 0 for as long as it was there, and not
 * longer, whoever else comes, goes or wakes up, and however far one looks back.
 */
START_TEST(history_knows_rest_from_absence)
{
	struct history *h = history_new(300, 1 << 20);

	for (int i = 0; i < 1000; i++) {
		frame_reset(&frame);
		frame.t_s = i;
		if (i % 100 >= 50)
			add_device("loop0", 0);
		add_device("sda", i % 3 == 0 ? 7 : 0);
		add_device("zram0", 0);
		if (i == 998)
			frame.table[SCHEMA_DEVICE]
				.row[2]
				.value[field("queue_depth")]
				.number = 4;
		history_push(h, &frame);
	}
	history_hide(h, 1);
	ck_assert_uint_eq(history_count(h), 299);
	for (size_t age = 0; age < 299; age++) {
		int i = 998 - (int)age;

		ck_assert_double_eq(reads(h, age, "sda"), i % 3 == 0 ? 7 : 0);
		ck_assert(isnan(reads(h, age, "loop0")) == (i % 100 < 50));
		ck_assert(isnan(reads(h, age, "zram0")) == false);
		ck_assert(isnan(reads(h, age, "loop")));
	}
	ck_assert(isnan(reads(h, 299, "sda")));
	ck_assert(isnan(history_number(h, 1, SCHEMA_CPU, "sda", 0)));
	history_clear(h);
	ck_assert(isnan(reads(h, 0, "zram0")));
	history_free(h);
}
END_TEST

/* What wakes and sleeps in turns is counted like what is awake. */
START_TEST(history_at_rest_is_bounded_in_bytes)
{
	struct history *h = history_new(5000, 200000);
	char id[16];

	for (int i = 0; i < 4000; i++) {
		frame_reset(&frame);
		frame.t_s = i;
		for (int d = 0; d < 20; d++) {
			snprintf(id, sizeof(id), "sd%d", d);
			add_device(id, (i + d) % 2);
		}
		history_push(h, &frame);
	}
	ck_assert_uint_ge(history_count(h), 10);
	ck_assert_uint_lt(history_count(h), 200000 / (20 * ROW_ID_MAX));
	ck_assert_double_eq(reads(h, 1, "sd0"), 0);
	ck_assert_double_eq(reads(h, 0, "sd0"), 1);
	history_free(h);
}
END_TEST

/* What is hidden is not to be had, nor what the ring would lead back to. */
START_TEST(history_is_hidden)
{
	struct history *h = history_new(4, 1 << 20);
	int iops = field("read_iops");

	for (int i = 0; i < 6; i++) {
		frame_reset(&frame);
		frame.t_s = i;
		add_device("sda", i + 1);
		history_push(h, &frame);
	}
	history_hide(h, 2);
	ck_assert_uint_eq(history_count(h), 2);
	ck_assert_double_eq(
		history_number_near(h, 1, SCHEMA_DEVICE, "sda", iops, 0), 3);
	ck_assert(isnan(history_number(h, 2, SCHEMA_DEVICE, "sda", iops)));
	for (size_t age = 2; age < 4; age++)
		ck_assert(isnan(history_number_near(h, age, SCHEMA_DEVICE,
						    "sda", iops, 0)));
	history_free(h);
}
END_TEST

START_TEST(history_is_bounded_in_bytes)
{
	struct history *h = history_new(1000, 60000);
	char id[16];

	for (int i = 0; i < 50; i++) {
		frame_reset(&frame);
		frame.t_s = i;
		for (int d = 0; d < 20; d++) {
			snprintf(id, sizeof(id), "sd%d", d);
			add_device(id, 1);
		}
		history_push(h, &frame);
	}
	ck_assert_uint_ge(history_count(h), 1);
	ck_assert_uint_lt(history_count(h), 25);
	ck_assert_double_eq(history_t(h, 0), 49);
	/* One frame that is larger than all of it still shows. */
	frame_reset(&frame);
	for (int d = 0; d < 1000; d++) {
		snprintf(id, sizeof(id), "sd%d", d);
		add_device(id, d + 1);
	}
	history_push(h, &frame);
	ck_assert_uint_eq(history_count(h), 1);
	ck_assert_double_eq(history_number(h, 0, SCHEMA_DEVICE, "sd999",
					   field("read_iops")),
			    1000);
	history_free(h);
}
END_TEST

START_TEST(history_keeps_events)
{
	struct history *h = history_new(4, 1 << 20);
	struct event e = { .kind = EVENT_MARK, .text = "here" };
	const struct event *got;
	size_t n;

	frame_add_event(&frame, &e);
	frame_add_row(&frame, SCHEMA_KNOB, "sda.scheduler");
	frame_add_row(&frame, SCHEMA_TASK, "1");
	history_push(h, &frame);
	frame_reset(&frame);
	history_push(h, &frame);
	ck_assert_ptr_null(history_events(h, 0, &n));
	ck_assert_uint_eq(n, 0);
	got = history_events(h, 1, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(got->text, "here");
	ck_assert(isnan(history_number(h, 1, SCHEMA_TASK, "1", 1)));
	history_free(h);
}
END_TEST

static void knobs(const char *scheduler, const char *ahead)
{
	int value = schema_field(SCHEMA_KNOB, "value");

	frame_reset(&frame);
	frame_add_row(&frame, SCHEMA_KNOB, "sda.scheduler")->value[value].text =
		scheduler;
	frame_add_row(&frame, SCHEMA_KNOB, "sda.read_ahead_kb")
		->value[value]
		.text = ahead;
}

static struct event turn(const char *knob, const char *value)
{
	struct event e = { .kind = EVENT_KNOB, .device = "sda" };

	text_copy(e.knob, sizeof(e.knob), knob);
	text_copy(e.new_value, sizeof(e.new_value), value);
	return e;
}

START_TEST(foreign_turns_are_told)
{
	struct foreign_changes *w = frame_foreign_new();

	knobs("none", "128");
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 0);
	knobs("bfq", "128");
	frame.t_s = 9;
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 1);
	ck_assert_int_eq(frame.event[0].kind, EVENT_KNOB);
	ck_assert_str_eq(frame.event[0].device, "sda");
	ck_assert_str_eq(frame.event[0].knob, "scheduler");
	ck_assert_str_eq(frame.event[0].old_value, "none");
	ck_assert_str_eq(frame.event[0].new_value, "bfq");
	ck_assert_int_eq(frame.event[0].by, BY_FOREIGN);
	ck_assert_double_eq(frame.event[0].t_s, 9);
	/* Once only. */
	knobs("bfq", "128");
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 0);
	frame_foreign_free(w);
	frame_foreign_free(NULL);
}
END_TEST

START_TEST(own_turns_are_not_foreign)
{
	struct foreign_changes *w = frame_foreign_new();
	struct event e = turn("scheduler", "bfq");

	knobs("none", "128");
	frame_foreign_find(w, &frame, NULL);
	frame_foreign_own(w, &e);
	knobs("bfq", "128");
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 0);
	/* Somebody else turns it back: told. */
	knobs("none", "128");
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 1);
	ck_assert_str_eq(frame.event[0].old_value, "bfq");
	frame_foreign_free(w);
}
END_TEST

START_TEST(a_pending_turn_is_waited_for)
{
	struct foreign_changes *w = frame_foreign_new();
	struct event e = turn("read_ahead_kb", "4096");

	knobs("none", "128");
	frame_foreign_find(w, &frame, NULL);
	/* The kernel says it already, our report has not come yet. */
	knobs("none", "4096");
	frame_foreign_find(w, &frame, "sda");
	ck_assert_uint_eq(frame.n_events, 0);
	frame_foreign_own(w, &e);
	knobs("none", "4096");
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 0);
	/* Another device of a longer name is not the pending one. */
	knobs("bfq", "4096");
	frame_foreign_find(w, &frame, "sd");
	ck_assert_uint_eq(frame.n_events, 1);
	frame_foreign_free(w);
}
END_TEST

START_TEST(absent_values_are_no_turns)
{
	struct foreign_changes *w = frame_foreign_new();

	knobs("none", "128");
	frame_foreign_find(w, &frame, NULL);
	knobs(NULL, NULL);
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 0);
	knobs("none", "256");
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 1);
	frame_foreign_free(w);
}
END_TEST

START_TEST(another_device_of_the_name_is_no_turn)
{
	struct event came = { .kind = EVENT_DEVICE_ADDED, .device = "sda" };
	struct foreign_changes *w = frame_foreign_new();

	knobs("none", "128");
	frame_foreign_find(w, &frame, NULL);
	knobs("bfq", "4096");
	frame_add_event(&frame, &came);
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 1);
	knobs("none", "4096");
	frame_foreign_find(w, &frame, NULL);
	ck_assert_uint_eq(frame.n_events, 1);
	ck_assert_str_eq(frame.event[0].old_value, "bfq");
	frame_foreign_free(w);
}
END_TEST

TCase *history_case(void)
{
	TCase *c = tcase_create("history");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, history_is_a_ring);
	tcase_add_test(c, history_is_hidden);
	tcase_add_test(c, history_is_bounded_in_bytes);
	tcase_add_test(c, history_knows_rest_from_absence);
	tcase_add_test(c, history_at_rest_is_bounded_in_bytes);
	tcase_add_test(c, history_keeps_events);
	tcase_add_test(c, foreign_turns_are_told);
	tcase_add_test(c, own_turns_are_not_foreign);
	tcase_add_test(c, a_pending_turn_is_waited_for);
	tcase_add_test(c, absent_values_are_no_turns);
	tcase_add_test(c, another_device_of_the_name_is_no_turn);
	return c;
}
