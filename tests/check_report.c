/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/report: windows, effects and the printed reports.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "record/log.h"
#include "report/report.h"
#include "test.h"

static void set_number(struct row *row, enum schema_id id, const char *key,
		       double v)
{
	int i = schema_field(id, key);

	ck_assert_int_ge(i, 0);
	row->value[i].number = v;
}

/* A frame of one second with one job. */
static void make_frame(struct frame *f, double t, const char *phase,
		       double iops)
{
	struct row *row;

	frame_reset(f);
	f->t_s = t;
	f->interval_s = 1;
	row = frame_add_row(f, SCHEMA_JOB, "j");
	set_number(row, SCHEMA_JOB, "read_iops", iops);
	set_number(row, SCHEMA_JOB, "read_bytes_per_s", iops * 4096);
	row->value[schema_field(SCHEMA_JOB, "phase")].text = phase;
	row = frame_add_row(f, SCHEMA_DEVICE, "d");
	set_number(row, SCHEMA_DEVICE, "read_iops", iops);
	set_number(row, SCHEMA_DEVICE, "read_await_ns", 1e9 / iops);
}

static void add_turn(struct frame *f, const char *by, const char *cause)
{
	struct event e = { .kind = EVENT_KNOB, .t_s = f->t_s - 0.5 };

	text_copy(e.device, sizeof(e.device), "d");
	text_copy(e.knob, sizeof(e.knob), "scheduler");
	text_copy(e.old_value, sizeof(e.old_value), "none");
	text_copy(e.new_value, sizeof(e.new_value), "bfq");
	text_copy(e.by, sizeof(e.by), by);
	text_copy(e.cause, sizeof(e.cause), cause);
	frame_add_event(f, &e);
}

static double total_of(struct report *r, const char *list, const char *key)
{
	struct json *j = report_summary_json(r, true);
	double v = json_get_number(json_at(json_get(j, list), 0), key);

	ck_assert(json_true(json_get(j, "restored")));
	json_free(j);
	return v;
}

/* Ramp and layout do not count; means of latencies are weighted by I/Os. */
START_TEST(test_totals)
{
	static const struct {
		const char *phase;
		double iops;
	} step[] = { { "layout", 9 }, { "ramp", 7 },  { "run", 100 },
		     { "run", 300 },  { "done", 50 }, { "done", 0 } };
	struct report *r = report_new();
	struct frame f = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(step); i++) {
		make_frame(&f, (double)i + 1, step[i].phase, step[i].iops);
		report_add(r, &f);
	}
	ck_assert_double_eq(total_of(r, "job", "read_ios"), 450);
	ck_assert_double_eq(total_of(r, "job", "read_bytes"), 450 * 4096);
	ck_assert_double_eq(total_of(r, "job", "read_iops"), 200);
	ck_assert_double_eq(total_of(r, "device", "read_ios"), 466);
	/* Each frame's I/Os took 1 s together: mean is 5 s over 466 I/Os. */
	ck_assert_double_eq_tol(total_of(r, "device", "read_await_ns"),
				5e9 / 466, 1);
	report_free(r);
	frame_free(&f);
}
END_TEST

static const char *last_sentence(struct report *r)
{
	size_t n;
	const struct effect *e = report_effects(r, &n);

	ck_assert_uint_gt(n, 0);
	return e[n - 1].sentence;
}

/* A turn with one side only says which is missing. */
START_TEST(test_no_figures)
{
	struct report *r = report_new();
	struct frame f = { 0 };
	const struct effect *e;
	size_t n;

	make_frame(&f, 1, "run", 100);
	add_turn(&f, "operator", "");
	report_add(r, &f);
	ck_assert_ptr_nonnull(strstr(last_sentence(r), "no data before"));
	for (int t = 2; t < 8; t++) {
		make_frame(&f, t, "run", 100);
		report_add(r, &f);
	}
	make_frame(&f, 8, "run", 100);
	add_turn(&f, "operator", "");
	report_add(r, &f);
	ck_assert_ptr_nonnull(strstr(last_sentence(r), "no data since"));
	make_frame(&f, 9, "run", 100);
	add_turn(&f, "operator", "");
	report_add(r, &f);
	e = report_effects(r, &n);
	ck_assert_uint_eq(n, 3);
	ck_assert_ptr_nonnull(strstr(e[1].sentence, "too soon"));
	/* Of two in one interval the last tells for both. */
	make_frame(&f, 10, "run", 100);
	add_turn(&f, "operator", "");
	add_turn(&f, "operator", "");
	report_add(r, &f);
	make_frame(&f, 11, "run", 100);
	report_add(r, &f);
	e = report_effects(r, &n);
	ck_assert_uint_eq(n, 5);
	ck_assert_ptr_nonnull(strstr(e[3].sentence, "see the next one"));
	ck_assert_uint_eq(e[3].n_figures, 0);
	ck_assert_uint_gt(e[4].n_figures, 0);
	report_free(r);
	frame_free(&f);
}
END_TEST

/* The text of the results holds these words. */
static void must_say(struct report *r, const char *words)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_format_find("text")->print(r, NULL, out);
	fclose(out);
	ck_assert_msg(strstr(text, words) != NULL, "%s", text);
	free(text);
}

/* Of all percentiles of the first job only this one. */
static void must_be_unreliable(struct report *r, const char *key)
{
	struct json *j = report_summary_json(r, true);
	struct json *list =
		json_get(json_at(json_get(j, "job"), 0), "unreliable");

	ck_assert_uint_eq(json_length(list), 1);
	ck_assert_str_eq(json_string(json_at(list, 0)), key);
	json_free(j);
	must_say(r, " ~1.00ms");
	must_say(r, "\n~ fewer than 10");
}

/* Latencies of many frames are merged, not averaged. */
START_TEST(test_percentiles)
{
	int hist = schema_field(SCHEMA_JOB, "read_hist");
	struct report *r = report_new();
	struct frame f = { 0 };

	for (int i = 0; i < 10; i++) {
		struct histogram *h;

		make_frame(&f, i + 1, "run", 100);
		h = arena_zalloc(&f.arena, sizeof(*h));
		h->bucket[histogram_index(i < 9 ? 100 : 1000000)] = 100;
		f.table[SCHEMA_JOB].row[0].value[hist].histogram = h;
		report_add(r, &f);
	}
	ck_assert_double_eq(total_of(r, "job", "read_p50_ns"), 100);
	ck_assert_double_eq(total_of(r, "job", "read_p90_ns"), 100);
	ck_assert_double_eq_tol(total_of(r, "job", "read_p99_ns"), 1e6, 4e3);
	ck_assert_double_eq_tol(total_of(r, "job", "read_mean_ns"), 100090,
				400);
	/* Of 1000 there are 10 beyond 99 % and one beyond 99.9 %. */
	must_be_unreliable(r, "read_p999_ns");
	report_free(r);
	frame_free(&f);
}
END_TEST

/* The window's figures stand beside those of the whole run. */
START_TEST(test_steady)
{
	int steady = schema_field(SCHEMA_JOB, "steady");
	struct report *r = report_new();
	struct frame f = { 0 };

	for (int i = 0; i < 3; i++) {
		struct row *row;

		make_frame(&f, i + 1, i < 2 ? "run" : "done", i < 2 ? 100 : 0);
		row = &f.table[SCHEMA_JOB].row[0];
		row->value[steady].text = "iops:2%";
		set_number(row, SCHEMA_JOB, "steady_attained", i > 0);
		set_number(row, SCHEMA_JOB, "steady_iops", 97 + i);
		set_number(row, SCHEMA_JOB, "run_s", i < 2 ? i + 1 : 2);
		report_add(r, &f);
	}
	ck_assert_double_eq(total_of(r, "job", "steady_iops"), 99);
	ck_assert_double_eq(total_of(r, "job", "read_iops"), 100);
	must_say(r, "j: steady state iops:2% attained; window: 99.0 IOPS");
	report_free(r);
	frame_free(&f);
}
END_TEST

/*
 * A job that reads 100 MiB/s from its disk d, but for the frames in which it
 * does what is in no figure; the disk reads so many MiB/s in all of them.
 */
static struct report *run_on_disk(double disk_mib, unsigned frames)
{
	static const char *const phase[] = { "layout", "ramp", "run",   "run",
					     "run",    "run",  "verify" };
	struct report *r = report_new();
	struct frame f = { 0 };

	for (unsigned i = 0; i < frames; i++) {
		struct row *row;

		make_frame(&f, i + 1, phase[i], 100);
		row = &f.table[SCHEMA_JOB].row[0];
		set_number(row, SCHEMA_JOB, "read_bytes_per_s", 100 << 20);
		row->value[schema_field(SCHEMA_JOB, "device")].text = "c d";
		set_number(&f.table[SCHEMA_DEVICE].row[0], SCHEMA_DEVICE,
			   "read_bytes_per_s", disk_mib * (1 << 20));
		report_add(r, &f);
	}
	frame_free(&f);
	return r;
}

/* A setting of a job is named as --at names it. */
START_TEST(test_job_set)
{
	struct report *r = report_new();
	struct frame f = { 0 };

	for (int i = 0; i < 4; i++) {
		struct event e = { .kind = EVENT_JOB_SET, .t_s = 1.5 };

		make_frame(&f, i + 1, "run", 100);
		text_copy(e.job, sizeof(e.job), "j");
		text_copy(e.knob, sizeof(e.knob), "iodepth");
		text_copy(e.old_value, sizeof(e.old_value), "16");
		text_copy(e.new_value, sizeof(e.new_value), "4");
		text_copy(e.by, sizeof(e.by), "plan");
		if (i == 1)
			frame_add_event(&f, &e);
		report_add(r, &f);
	}
	must_say(r, "1.5 s to 4.0 s, job.j.iodepth=4: 2 intervals");
	report_free(r);
	frame_free(&f);
}
END_TEST

START_TEST(test_cross_check)
{
	static const struct {
		double disk_mib;
		unsigned frames;
		const char *say;
	} cases[] = {
		{ 100, 7, NULL },
		{ 70, 7, NULL },
		{ 140, 7, NULL },
		/* Of too few frames nothing is said. */
		{ 1, 4, NULL },
		/* The first run frame holds the end of the ramp. */
		{ 1, 7, "jobs read 300MiB, c d only 3.00MiB; " },
		{ 200, 7, "jobs read 300MiB, c d 600MiB; " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r =
			run_on_disk(cases[i].disk_mib, cases[i].frames);
		struct json *j = report_summary_json(r, true);
		struct json *check = json_get(j, "cross_check");

		if (cases[i].say) {
			must_say(r, cases[i].say);
			ck_assert_uint_eq(json_length(check), 1);
		} else {
			ck_assert_ptr_null(check);
		}
		json_free(j);
		report_free(r);
	}
}
END_TEST

START_TEST(test_effect)
{
	struct report *r = report_new();
	struct frame f = { 0 };
	const struct effect *e;
	size_t n;

	for (int i = 1; i <= 40; i++) {
		double iops = i <= 20 ? 1000 : 1500;

		/* 5 is still ramp; the turn's own frame stands still. */
		make_frame(&f, i,
			   i <= 5    ? "ramp"
			   : i <= 35 ? "run"
				     : "done",
			   i == 20  ? 1
			   : i > 35 ? 0
				    : iops + i % 3);
		if (i == 20) {
			add_turn(&f, "plan", "");
			add_turn(&f, "plan", "scheduler"); /* a side effect */
		}
		if (i == 34)
			add_turn(&f, "restore", "");
		report_add(r, &f);
		e = report_effects(r, &n);
		ck_assert_uint_eq(n, i >= 20 ? 1 : 0);
		if (i == 20) {
			ck_assert_uint_gt(e[0].n_figures, 0);
			ck_assert_uint_eq(e[0].figure[0].n_after, 0);
			ck_assert_double_nan(e[0].figure[0].after);
			ck_assert_int_eq(e[0].figure[0].verdict,
					 VERDICT_UNKNOWN);
		}
	}
	ck_assert_str_eq(e[0].figure[0].row, "j");
	/* 6 is partly ramp: 7 to 19 are before, 21 to 33 after. */
	ck_assert_uint_eq(e[0].figure[0].n_before, 13);
	ck_assert_uint_eq(e[0].figure[0].n_after, 13);
	ck_assert_int_eq(e[0].figure[0].verdict, VERDICT_HIGHER);
	ck_assert_double_eq_tol(e[0].figure[0].change_pct, 50, 0.2);
	ck_assert_double_lt(e[0].figure[0].low_pct, 50);
	ck_assert_double_gt(e[0].figure[0].high_pct, 49.9);
	report_free(r);
	frame_free(&f);
}
END_TEST

/* Memory and time stay bounded however often somebody turns. */
START_TEST(test_many_turns)
{
	struct report *r = report_new();
	struct frame f = { 0 };
	struct json *j;
	size_t n;

	for (int i = 1; i <= 5000; i++) {
		make_frame(&f, i, "run", 100 + i % 7);
		if (i % 2)
			add_turn(&f, "foreign", "");
		report_add(r, &f);
	}
	report_effects(r, &n);
	ck_assert_uint_eq(n, 1023);
	j = report_summary_json(r, true);
	ck_assert_double_eq(json_get_number(j, "turns_left_out"), 2500 - 1023);
	ck_assert_uint_eq(json_length(json_get(j, "segment")), 1024);
	json_free(j);
	report_free(r);
	frame_free(&f);
}
END_TEST

START_TEST(test_words)
{
	struct figure f = { .schema = SCHEMA_JOB,
			    .field = schema_field(SCHEMA_JOB, "read_iops"),
			    .row = "x",
			    .before = 1234,
			    .after = 1500,
			    .change_pct = 21.6,
			    .low_pct = 18.1,
			    .high_pct = 25,
			    .n_before = 5,
			    .n_after = 7,
			    .verdict = VERDICT_HIGHER };
	char buf[300];

	ck_assert_str_eq(report_figure_words(&f, buf, sizeof(buf)),
			 "  r/s of x 1234 -> 1500, +21.6 % (+18.1 to +25.0)");
	f.better = 1;
	f.low_pct = 0.04;
	ck_assert_str_eq(report_figure_words(&f, buf, sizeof(buf)),
			 "+ r/s of x 1234 -> 1500, +21.6 % (+0.0 to +25.0)");
	f.verdict = VERDICT_SAME;
	f.low_pct = -82.5;
	ck_assert_str_eq(report_figure_words(&f, buf, sizeof(buf)),
			 "? r/s of x 1234 -> 1500, +21.6 % (-82.5 to +25.0), "
			 "undecided");
	f.verdict = VERDICT_UNKNOWN;
	f.after = f.change_pct = f.low_pct = f.high_pct = NAN;
	f.n_after = 0;
	ck_assert_str_eq(report_figure_words(&f, buf, sizeof(buf)),
			 "? r/s of x 1234 -> -, 5 and 0 intervals: too few");
}
END_TEST

/* json-c before 0.18 prints an empty array or object on two lines. */
static void join_empty(char *text)
{
	char *to = text;

	for (const char *at = text; *at;) {
		const char *end = at + 1 + strspn(at + 1, " \n");

		*to++ = *at;
		at = (*at == '[' && *end == ']') || (*at == '{' && *end == '}')
			     ? end
			     : at + 1;
	}
	*to = '\0';
}

/*
 * A log printed in every format is what logs/NAME.FORMAT holds; with
 * UPDATE_GOLDEN=1 in the environment that file is written anew.
 */
static void check_golden(const char *name, const struct report_format *format)
{
	char path[512], *got, want[65536];
	struct log_reader *log;
	struct report *r = report_new();
	struct frame f = { 0 };
	size_t size, n;
	FILE *out, *file;

	snprintf(path, sizeof(path), SRCDIR "/logs/%s.jsonl", name);
	ck_assert_int_eq(log_open(&log, path), 0);
	for (size_t i = 0; i < log_count(log); i++) {
		ck_assert_int_eq(log_read(log, i, &f), 0);
		report_add(r, &f);
	}
	out = open_memstream(&got, &size);
	format->print(r, log_reader_header(log), out);
	fclose(out);
	snprintf(path, sizeof(path), SRCDIR "/logs/%s.%s", name, format->name);
	if (getenv("UPDATE_GOLDEN")) {
		file = fopen(path, "w");
		ck_assert_ptr_nonnull(file);
		fwrite(got, 1, size, file);
		fclose(file);
	}
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	n = fread(want, 1, sizeof(want) - 1, file);
	want[n] = '\0';
	fclose(file);
	join_empty(got);
	join_empty(want);
	ck_assert_str_eq(got, want);
	free(got);
	frame_free(&f);
	report_free(r);
	log_reader_free(log);
}

START_TEST(test_golden)
{
	static const char *const names[] = { "turns", "record" };

	/* fio tells the local time. */
	setenv("TZ", "UTC", 1);
	tzset();
	ck_assert_ptr_null(report_format_find("no"));
	for (size_t n = 0; n < ARRAY_SIZE(names); n++)
		for (size_t i = 0; i < n_report_formats; i++)
			if (report_formats[i].print)
				check_golden(names[n], &report_formats[i]);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("report");

	tcase_add_test(t, test_totals);
	tcase_add_test(t, test_no_figures);
	tcase_add_test(t, test_percentiles);
	tcase_add_test(t, test_steady);
	tcase_add_test(t, test_job_set);
	tcase_add_test(t, test_cross_check);
	tcase_add_test(t, test_effect);
	tcase_add_test(t, test_many_turns);
	tcase_add_test(t, test_words);
	tcase_add_test(t, test_golden);
	suite_add_tcase(suite, t);
}
