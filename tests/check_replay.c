/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of cmd/replay: positions, a log that grows, two logs side by side. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "cmd/replay/replay.h"

#include "test.h"

static char path[2][64];
static FILE *file[2];

static void open_logs(void)
{
	for (int i = 0; i < 2; i++) {
		int fd;

		strcpy(path[i], "/tmp/check_replay.XXXXXX");
		fd = mkstemp(path[i]);
		ck_assert_int_ge(fd, 0);
		file[i] = fdopen(fd, "w");
	}
}

static void close_logs(void)
{
	for (int i = 0; i < 2; i++) {
		fclose(file[i]);
		unlink(path[i]);
	}
}

/* A busy machine may not have read all of it at once. */
static int open_whole(struct replay *r, const struct replay_options *o)
{
	int err = replay_open(r, o);

	while (err == 0 && replay_reads(r))
		err = replay_read_on(r, 0);
	return err;
}

static void put_header(int log)
{
	fputs("{\"type\":\"header\",\"schema\":1,\"program\":\"p\","
	      "\"interval_s\":1}\n",
	      file[log]);
	fflush(file[log]);
}

/* A frame; its device reads t times 10 per second. end: with its newline. */
static void put_frame(int log, double t, const char *event, bool end)
{
	int s = (int)t;

	fprintf(file[log],
		"{\"type\":\"frame\",\"t\":%g,\"time\":\"2026-11-20T18:%02d:"
		"%02d.000Z\""
		",\"interval_s\":1,\"device\":[{\"id\":\"vda\",\"read_iops\":%"
		"g,"
		"\"read_await_ns\":1000}]%s%s%s}%s",
		t, s / 60 % 60, s % 60, t * 10, event ? ",\"event\":[" : "", event ? event : "",
		event ? "]" : "", end ? "\n" : "");
	fflush(file[log]);
}

#define TURN                                                         \
	"{\"t\":%d.5,\"kind\":\"knob\",\"device\":\"vda\",\"knob\":" \
	"\"scheduler\",\"old\":\"none\",\"new\":\"bfq\",\"by\":\"%s\"}"

static const char *turn(int t, enum event_by by)
{
	static char text[256];

	snprintf(text, sizeof(text), TURN, t - 1, event_by_word(by));
	return text;
}

static void open_replay(struct replay *r, size_t n, bool follow,
			const char *align)
{
	char *paths[2] = { path[0], path[1] };
	struct replay_options o = { .path = paths,
				    .n = n,
				    .speed = 1,
				    .follow = follow,
				    .align = align };
	int err = open_whole(r, &o);

	ck_assert_msg(err == 0, "%s", fail_sentence());
}

static void act(struct replay *r, enum action_kind kind, double number)
{
	struct action a = { .kind = kind, .number = number };

	ck_assert_int_eq(replay_act(r, &a), 0);
}

static double iops(const struct frame *f)
{
	return frame_number(f, SCHEMA_DEVICE, "vda", "read_iops");
}

/* What is shown, and the end of the graph, is the frame of that time. */
static void shows(struct replay *r, double t)
{
	int field = schema_field(SCHEMA_DEVICE, "read_iops");
	struct ui_view view;

	replay_view(r, &view);
	ck_assert_double_eq(view.frame->t_s, t);
	ck_assert_double_eq(view.position_s, t);
	ck_assert_double_eq(iops(view.frame), t * 10);
	ck_assert_double_eq(history_t(view.history, 0), t);
	ck_assert_double_eq(
		history_number(view.history, 0, SCHEMA_DEVICE, "vda", field),
		t * 10);
	for (size_t age = 1; age < history_count(view.history); age++)
		ck_assert_double_eq(history_t(view.history, age),
				    t - (double)age);
}

START_TEST(to_and_fro)
{
	static const double seeks[] = { 3000, 1,    2500, 2499, 10,  2999,
					1500, 1499, 0,    1501, 700, 699 };
	struct replay r;

	put_header(0);
	for (int t = 1; t <= 3000; t++)
		put_frame(0, t, NULL, true);
	open_replay(&r, 1, false, NULL);
	shows(&r, 1);
	ck_assert_double_eq_tol(replay_wait_s(&r), 1, 1e-9);
	act(&r, ACTION_SPEED, 4);
	ck_assert_double_eq_tol(replay_wait_s(&r), 0.25, 1e-9);
	ck_assert_int_eq(replay_next(&r), 0);
	shows(&r, 2);
	for (size_t i = 0; i < ARRAY_SIZE(seeks); i++) {
		struct ui_view view;

		act(&r, ACTION_SEEK, seeks[i]);
		shows(&r, seeks[i] < 1 ? 1 : seeks[i]);
		replay_view(&r, &view);
		/* The graph reaches back as far as there is something. */
		ck_assert_uint_ge(history_count(view.history) + 1,
				  seeks[i] < 300 ? (size_t)seeks[i] : 300);
	}
	act(&r, ACTION_STEP, -1);
	shows(&r, 698);
	ck_assert(r.paused);
	ck_assert_double_eq(replay_wait_s(&r), -1);
	act(&r, ACTION_STEP, 3);
	shows(&r, 701);
	act(&r, ACTION_SEEK, 1e9);
	shows(&r, 3000);
	act(&r, ACTION_PAUSE, 0);
	ck_assert_double_eq(replay_wait_s(&r), -1);
	act(&r, ACTION_SPEED, 1e-9);
	ck_assert_double_eq(r.speed, 0.01);
	/* Back from the limit it passes by 1. */
	for (int i = 0; i < 7; i++)
		act(&r, ACTION_SPEED, 2);
	ck_assert_double_eq(r.speed, 1);
	act(&r, ACTION_SPEED, 2);
	ck_assert_double_eq(r.speed, 2);
	act(&r, ACTION_SPEED, 1e9);
	ck_assert_double_eq(r.speed, 1000);
	replay_close(&r);
}
END_TEST

START_TEST(events)
{
	struct action all = { .kind = ACTION_SEEK_EVENT,
			      .number = 1,
			      .all = true };
	struct replay r;

	put_header(0);
	for (int t = 1; t <= 50; t++)
		put_frame(0, t,
			  t == 10   ? turn(t, BY_FOREIGN)
			  : t == 20 ? turn(t, BY_OPERATOR)
			  : t == 30 ? "{\"t\":29.5,\"kind\":\"mark\",\"text\":"
				      "\"x\"}"
				    : NULL,
			  true);
	open_replay(&r, 1, false, NULL);
	act(&r, ACTION_SEEK_EVENT, 1);
	shows(&r, 20);
	act(&r, ACTION_SEEK_EVENT, 1);
	shows(&r, 30);
	act(&r, ACTION_SEEK_EVENT, 1);
	shows(&r, 30);
	ck_assert_ptr_nonnull(strstr(r.message, "no later event"));
	act(&r, ACTION_SEEK_EVENT, -1);
	shows(&r, 20);
	act(&r, ACTION_SEEK_EVENT, -1);
	ck_assert_ptr_nonnull(strstr(r.message, "no earlier event"));
	act(&r, ACTION_SEEK, 1);
	ck_assert_int_eq(replay_act(&r, &all), 0);
	shows(&r, 10);
	/* The time of an event: the frame that holds it. */
	act(&r, ACTION_SEEK, 19.5);
	shows(&r, 20);
	replay_close(&r);
}
END_TEST

/* It begins with nothing at all; a line is there when its newline is. */
START_TEST(follows)
{
	struct replay r;
	struct ui_view view;

	open_replay(&r, 1, true, NULL);
	replay_view(&r, &view);
	ck_assert_ptr_null(view.frame);
	ck_assert(view.following);
	ck_assert(replay_grows(&r));
	ck_assert_int_eq(replay_more(&r), 0);
	put_header(0);
	put_frame(0, 1, NULL, true);
	ck_assert_int_eq(replay_more(&r), 1);
	shows(&r, 1);
	ck_assert_int_eq(replay_more(&r), 0);
	put_frame(0, 2, NULL, false);
	ck_assert_int_eq(replay_more(&r), 0);
	shows(&r, 1);
	fputs("\n", file[0]);
	fflush(file[0]);
	ck_assert_int_eq(replay_more(&r), 1);
	shows(&r, 2);
	put_frame(0, 3, turn(3, BY_OPERATOR), true);
	put_frame(0, 4, NULL, true);
	ck_assert_int_eq(replay_more(&r), 2);
	shows(&r, 4);
	/* Who looks back stays there while more comes in. */
	act(&r, ACTION_STEP, -2);
	shows(&r, 2);
	put_frame(0, 5, NULL, true);
	ck_assert_int_eq(replay_more(&r), 1);
	shows(&r, 2);
	replay_view(&r, &view);
	ck_assert_double_eq(view.length_s, 5);
	act(&r, ACTION_PAUSE, 0);
	ck_assert_double_eq_tol(replay_wait_s(&r), 1, 1e-9);
	act(&r, ACTION_SEEK, 5);
	/* At the end it is shown what comes, also if it was paused. */
	act(&r, ACTION_PAUSE, 0);
	put_frame(0, 6, NULL, true);
	ck_assert_int_eq(replay_more(&r), 1);
	shows(&r, 5);
	act(&r, ACTION_SEEK, INFINITY);
	shows(&r, 6);
	put_frame(0, 7, NULL, true);
	ck_assert_int_eq(replay_more(&r), 1);
	shows(&r, 7);
	fputs("{\"type\":\"summary\"}\n", file[0]);
	fflush(file[0]);
	ck_assert_int_eq(replay_more(&r), 0);
	ck_assert(!replay_grows(&r));
	replay_close(&r);
}
END_TEST

START_TEST(a_cut_log_is_told)
{
	struct replay r;

	put_header(0);
	put_frame(0, 1, NULL, true);
	open_replay(&r, 1, true, NULL);
	ck_assert_int_eq(ftruncate(fileno(file[0]), 10), 0);
	ck_assert_int_lt(replay_more(&r), 0);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "was cut"));
	replay_close(&r);
}
END_TEST

/* Frames end at 18:00:01 to 18:10:00 UTC. */
static int open_range(struct replay *r, const char *from, const char *to)
{
	char *paths[] = { path[0] };
	struct replay_options o = {
		.path = paths, .n = 1, .speed = 1, .from = from, .to = to
	};

	return open_whole(r, &o);
}

static void put_ten_minutes(void)
{
	static const char alarm[] =
		"{\"t\":%d,\"kind\":\"%s\",\"device\":\"vda\",\"name\":"
		"\"stall\",\"value\":2,\"limit\":2,\"text\":\"x\"}";
	char event[256];

	setenv("TZ", "UTC", 1);
	put_header(0);
	for (int t = 1; t <= 600; t++) {
		snprintf(event, sizeof(event), alarm, t,
			 t % 100 == 50 ? "alarm_begin" : "alarm_end");
		put_frame(0, t, t % 50 ? NULL : event, true);
	}
}

/* A range may begin before the log, but not behind its end. */
START_TEST(range_from_before)
{
	struct replay r;

	put_ten_minutes();
	ck_assert_msg(open_range(&r, "2026-11-20 17:00", NULL) == 0, "%s",
		      fail_sentence());
	shows(&r, 1);
	replay_close(&r);
	ck_assert_int_lt(open_range(&r, "2026-11-20 18:10", NULL), 0);
	replay_close(&r);
	ck_assert_int_lt(open_range(&r, NULL, "2026-11-20 17:00"), 0);
	replay_close(&r);
}
END_TEST

START_TEST(times_of_the_clock)
{
	struct replay r;

	put_ten_minutes();
	ck_assert_int_eq(open_range(&r, NULL, NULL), 0);
	act(&r, ACTION_SEEK_CLOCK,
	    (double)clock_parse_utc("2026-11-20T18:03:20Z"));
	shows(&r, 200);
	act(&r, ACTION_SEEK_CLOCK,
	    (double)clock_parse_utc("2026-11-20T18:03:20.500Z"));
	shows(&r, 201);
	/* Only alarms that begin. */
	act(&r, ACTION_SEEK_ALARM, 1);
	shows(&r, 250);
	act(&r, ACTION_SEEK_ALARM, -1);
	shows(&r, 150);
	act(&r, ACTION_SEEK, 560);
	act(&r, ACTION_SEEK_ALARM, 1);
	shows(&r, 560);
	ck_assert_str_eq(r.message, "there is no later alarm");
	replay_close(&r);
}
END_TEST

/*
 * A log of several pieces is shown before it is read; keys work meanwhile, and
 * in the end all of it is there.
 */
START_TEST(long_log_is_read_in_slices)
{
	struct replay_options o = { .path = (char *[]){ path[0] },
				    .n = 1,
				    .speed = 1 };
	struct replay r;
	size_t slices = 0, first;

	put_header(0);
	for (int t = 1; t <= 60000; t++)
		put_frame(0, t, t % 20000 ? NULL : turn(t, BY_OPERATOR), true);
	ck_assert_int_eq(replay_open(&r, &o), 0);
	shows(&r, 1);
	first = log_cursor_count(&r.tape[0]);
	ck_assert_uint_ge(first, 1);
	ck_assert(replay_reads(&r));
	ck_assert_ptr_nonnull(strstr(r.title, "reading: "));
	/* To a time that is not read yet, and to one that is. */
	act(&r, ACTION_SEEK, 59000);
	if (log_indexed(r.tape[0].log) < 1)
		ck_assert_ptr_nonnull(strstr(r.message, "as soon as"));
	for (; replay_reads(&r); slices++) {
		ck_assert_int_eq(replay_read_on(&r, clock_mono_ns() + 2000000),
				 0);
		ck_assert_uint_ge(log_cursor_count(&r.tape[0]), first);
	}
	ck_assert_uint_gt(slices, 2);
	shows(&r, 59000);
	ck_assert_uint_eq(log_cursor_count(&r.tape[0]), 60000);
	ck_assert_uint_eq(r.tape[0].taken, 60000);
	ck_assert_ptr_null(strstr(r.title, "reading"));
	act(&r, ACTION_SEEK_EVENT, -1);
	shows(&r, 40000);
	replay_close(&r);
}
END_TEST

/* A slice without time reads at least a line, however long it is. */
START_TEST(long_line_is_read_in_one_slice)
{
	struct replay_options o = { .path = (char *[]){ path[0] },
				    .n = 1,
				    .speed = 1 };
	struct replay r;
	size_t slices = 0;

	put_header(0);
	put_frame(0, 1, NULL, true);
	fprintf(file[0], "{\"type\":\"later\",\"text\":\"%08388608d\"}\n",
		0);
	put_frame(0, 2, NULL, true);
	ck_assert_int_eq(replay_open(&r, &o), 0);
	for (; log_indexed(r.tape[0].log) < 1; slices++) {
		ck_assert_int_eq(replay_read_on(&r, 1), 0);
		ck_assert_uint_lt(slices, 100);
	}
	ck_assert_int_eq(replay_read_on(&r, UINT64_MAX), 0);
	ck_assert(!replay_reads(&r));
	ck_assert_uint_eq(log_cursor_count(&r.tape[0]), 2);
	replay_close(&r);
}
END_TEST

START_TEST(ranges)
{
	struct replay r;

	put_ten_minutes();
	ck_assert_int_eq(open_range(&r, "18:05", "+5:02"), 0);
	shows(&r, 300);
	ck_assert_int_eq(replay_next(&r), 0);
	ck_assert_double_ge(replay_wait_s(&r), 0);
	ck_assert_int_eq(replay_next(&r), 0);
	shows(&r, 302);
	/* There it stops by itself. */
	ck_assert_double_lt(replay_wait_s(&r), 0);
	replay_close(&r);
	ck_assert_int_eq(open_range(&r, "2026-11-20 18:00:10", NULL), 0);
	shows(&r, 10);
	replay_close(&r);
	ck_assert_int_eq(open_range(&r, "20m", NULL), -EINVAL);
	replay_close(&r);
	ck_assert_int_eq(open_range(&r, "18:05", "1m"), -EINVAL);
	replay_close(&r);
	ck_assert_int_eq(open_range(&r, "soon", NULL), -EINVAL);
	replay_close(&r);
}
END_TEST

START_TEST(what_cannot_be_followed)
{
	char *paths[] = { (char *)"/dev/null" };
	struct replay_options o = {
		.path = paths, .n = 1, .speed = 1, .follow = true
	};
	struct replay r;

	ck_assert_int_lt(replay_open(&r, &o), 0);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "regular file"));
	replay_close(&r);
	/* A pipe without a writer is not waited for. */
	paths[0] = path[1];
	(void)unlink(paths[0]);
	ck_assert_int_eq(mkfifo(paths[0], 0600), 0);
	ck_assert_int_lt(replay_open(&r, &o), 0);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "regular file"));
	replay_close(&r);
	/* A device without an end is read as far as it may be a log. */
	o.follow = false;
	paths[0] = (char *)"/dev/zero";
	ck_assert_int_lt(replay_open(&r, &o), 0);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "longer than 64 MiB"));
	replay_close(&r);
}
END_TEST

/* The second log starts at 100 and turns 3 s later than the first. */
static void put_two(void)
{
	put_header(0);
	put_header(1);
	for (int t = 1; t <= 20; t++)
		put_frame(0, t, t == 10 ? turn(t, BY_PLAN) : NULL, true);
	for (int t = 101; t <= 130; t++)
		put_frame(1, t, t == 113 ? turn(t, BY_PLAN) : NULL, true);
}

static void stand(struct replay *r, double a, double b)
{
	struct ui_view view;

	replay_view(r, &view);
	ck_assert_ptr_nonnull(view.other);
	if (isnan(a))
		ck_assert_ptr_null(view.frame);
	else
		ck_assert_double_eq(view.frame->t_s, a);
	if (isnan(b))
		ck_assert_ptr_null(view.other->frame);
	else
		ck_assert_double_eq(view.other->frame->t_s, b);
}

START_TEST(aligned_on_start)
{
	struct ui_view view;
	struct replay r;

	put_two();
	open_replay(&r, 2, false, NULL);
	stand(&r, 1, 101);
	act(&r, ACTION_SEEK, 10);
	stand(&r, 10, 110);
	ck_assert_int_eq(replay_next(&r), 0);
	stand(&r, 11, 111);
	act(&r, ACTION_STEP, -2);
	stand(&r, 9, 109);
	/* The longer one goes on alone. */
	act(&r, ACTION_SEEK, 25);
	stand(&r, 20, 125);
	act(&r, ACTION_SEEK, 1000);
	stand(&r, 20, 130);
	replay_view(&r, &view);
	ck_assert_int_eq(view.letter, 'A');
	ck_assert_int_eq(view.other->letter, 'B');
	ck_assert_double_eq(view.other->shift_s, -100);
	act(&r, ACTION_SWAP, 0);
	replay_view(&r, &view);
	ck_assert_int_eq(view.letter, 'B');
	ck_assert_double_eq(view.frame->t_s, 130);
	ck_assert_double_eq(view.position_s, 130);
	ck_assert_double_eq(view.other->shift_s, 100);
	/* Times are those of the log that is shown. */
	act(&r, ACTION_SEEK, 112);
	ck_assert_double_eq(r.now_s, 12);
	act(&r, ACTION_SEEK, -INFINITY);
	ck_assert_double_eq(r.now_s, 1);
	act(&r, ACTION_SEEK, INFINITY);
	ck_assert_double_eq(r.now_s, 30);
	replay_close(&r);
}
END_TEST

/* The geometric mean of the rates of these frames: 10 a second of their time. */
static double rate_of(int from, int to)
{
	double sum = 0;

	for (int t = from; t <= to; t++)
		sum += log(10.0 * t);
	return exp(sum / (to - from + 1));
}

START_TEST(aligned_on_event)
{
	struct ui_view view;
	struct replay r;

	put_two();
	open_replay(&r, 2, false, "event");
	/* 113 stands beside 10: at the start the second is 3 s ahead. */
	stand(&r, NAN, 101);
	act(&r, ACTION_SEEK, 10);
	stand(&r, 10, 113);
	act(&r, ACTION_SEEK_EVENT, -1);
	stand(&r, 10, 113);
	act(&r, ACTION_SEEK, 0);
	stand(&r, NAN, 103);
	act(&r, ACTION_SEEK_EVENT, 1);
	stand(&r, 10, 113);
	/* What is compared is what came after the turns. */
	replay_view(&r, &view);
	ck_assert_uint_eq(view.n_segments, 6);
	ck_assert_int_eq(view.segment[0].log, 'A');
	ck_assert_int_eq(view.segment[3].log, 'B');
	ck_assert_uint_eq(view.chosen_before, 2);
	ck_assert_uint_eq(view.chosen_after, 5);
	ck_assert_ptr_nonnull(view.chosen);
	ck_assert_double_eq_tol(view.chosen->figure[0].before,
				rate_of(11, 20), 1e-6);
	ck_assert_double_eq_tol(view.chosen->figure[0].after,
				rate_of(114, 130), 1e-6);
	replay_close(&r);
}
END_TEST

START_TEST(compares_what_was_chosen)
{
	struct action a = { .kind = ACTION_COMPARE, .number = 1, .second = 5 };
	struct ui_view view;
	struct replay r;

	put_two();
	open_replay(&r, 2, false, "start");
	replay_view(&r, &view);
	ck_assert_uint_eq(view.chosen_before, 0);
	ck_assert_uint_eq(view.chosen_after, 3);
	ck_assert_int_eq(replay_act(&r, &a), 0);
	replay_view(&r, &view);
	ck_assert_uint_eq(view.chosen_before, 1);
	ck_assert_uint_eq(view.chosen_after, 5);
	ck_assert_double_eq_tol(view.chosen->figure[0].before,
				rate_of(1, 9), 1e-6);
	ck_assert_double_eq_tol(view.chosen->figure[0].after,
				rate_of(114, 130), 1e-6);
	a.second = 99;
	ck_assert_int_eq(replay_act(&r, &a), 0);
	replay_view(&r, &view);
	ck_assert_ptr_null(view.chosen);
	a.number = -1;
	ck_assert_int_eq(replay_act(&r, &a), 0);
	replay_view(&r, &view);
	ck_assert_ptr_null(view.chosen);
	replay_close(&r);
}
END_TEST

START_TEST(what_cannot_be_aligned)
{
	static const char *const aligns[] = { "event", "run", "nonsense" };
	static const char *const words[] = { "no turn or a mark", "no job",
					     "start, run and event" };

	put_header(0);
	put_header(1);
	put_frame(0, 1, NULL, true);
	put_frame(1, 1, NULL, true);
	for (size_t i = 0; i < ARRAY_SIZE(aligns); i++) {
		char *paths[2] = { path[0], path[1] };
		struct replay_options o = {
			.path = paths, .n = 2, .speed = 1, .align = aligns[i]
		};
		struct replay r;

		ck_assert_int_lt(replay_open(&r, &o), 0);
		ck_assert_msg(strstr(fail_sentence(), words[i]) != NULL, "%s",
			      fail_sentence());
		replay_close(&r);
	}
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("replay");

	tcase_add_checked_fixture(tc, open_logs, close_logs);
	tcase_add_test(tc, to_and_fro);
	tcase_add_test(tc, events);
	tcase_add_test(tc, follows);
	tcase_add_test(tc, a_cut_log_is_told);
	tcase_add_test(tc, what_cannot_be_followed);
	tcase_add_test(tc, times_of_the_clock);
	tcase_add_test(tc, range_from_before);
	tcase_add_test(tc, long_log_is_read_in_slices);
	tcase_add_test(tc, long_line_is_read_in_one_slice);
	tcase_add_test(tc, ranges);
	tcase_add_test(tc, aligned_on_start);
	tcase_add_test(tc, aligned_on_event);
	tcase_add_test(tc, compares_what_was_chosen);
	tcase_add_test(tc, what_cannot_be_aligned);
	suite_add_tcase(suite, tc);
}
