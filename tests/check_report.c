/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/report: windows, effects and the printed reports. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/schema/schema_machine.h"
#include "record/log.h"
#include "report/page.h"
#include "report/checks.h"
#include "report/report.h"
#include "report/window.h"
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

static void add_turn(struct frame *f, enum event_by by, const char *cause)
{
	struct event e = { .kind = EVENT_KNOB, .t_s = f->t_s - 0.5 };

	text_copy(e.device, sizeof(e.device), "d");
	text_copy(e.knob, sizeof(e.knob), "scheduler");
	text_copy(e.old_value, sizeof(e.old_value), "none");
	text_copy(e.new_value, sizeof(e.new_value), "bfq");
	e.by = by;
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

static void add_frame(struct window *w, const struct frame *f)
{
	struct digest digest = { 0 };

	digest_take(&digest, f);
	window_add(w, &digest);
	digest_free(&digest);
}

/* What the trace missed is counted, whatever the lengths of the intervals. */
START_TEST(test_missed)
{
	static const double seconds[] = { 1, 0.1 }, missed[] = { 10, 0 };
	struct window w = { 0 };
	struct frame f = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		make_frame(&f, (double)i + 1, "run", 1000);
		f.interval_s = seconds[i];
		set_number(&f.table[SCHEMA_DEVICE].row[0], SCHEMA_DEVICE,
			   "trace_missed", missed[i]);
		add_frame(&w, &f);
	}
	ck_assert_double_eq_tol(
		window_missed_pct(window_find(&w, SCHEMA_DEVICE, "d")),
		100 * 10 / 1100.0, 1e-9);
	window_free(&w);
	frame_free(&f);
}
END_TEST

/* The check of units sees every metric of a job, however many there are. */
START_TEST(test_units_of_many)
{
	char words[CHECK_WORDS] = "";
	char chosen[] = "+m39=(x)";
	struct job job = { .name = "j", .metrics = chosen };
	struct window w = { 0 };
	struct frame f = { .t_s = 1, .interval_s = 1 };
	const struct check_case c = {
		.sums = &w, .job = &job, .n_jobs = 1, .words = words
	};

	frame_add_row(&f, SCHEMA_JOB, "j");
	for (int i = 0; i < 40; i++) {
		struct event e = { .kind = EVENT_METRIC, .job = "j" };

		snprintf(e.name, sizeof(e.name), "m%d", i);
		frame_add_event(&f, &e);
	}
	add_frame(&w, &f);
	ck_assert_int_eq(checks_work_units(&c), CHECK_NOTE);
	ck_assert_ptr_nonnull(strstr(words, "m39"));
	window_free(&w);
	frame_free(&f);
}
END_TEST

/* Percentiles of a traced device are those of all requests, no mean of intervals. */
START_TEST(test_traced_percentiles)
{
	static const struct {
		double iops, ns, queue_pct;
	} second[] = { { 1000, 1e6, 0 }, { 10, 100e6, 100 } };
	const struct window_row *row;
	struct histogram h;
	struct window w = { 0 };
	struct frame f = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(second); i++) {
		struct row *d;

		memset(&h, 0, sizeof(h));
		h.bucket[histogram_index((uint64_t)second[i].ns)] =
			(uint64_t)second[i].iops;
		make_frame(&f, (double)i + 1, "run", 1000);
		d = &f.table[SCHEMA_DEVICE].row[0];
		set_number(d, SCHEMA_DEVICE, "read_iops", second[i].iops);
		set_number(d, SCHEMA_DEVICE, "read_queue_p99_ns", second[i].ns);
		set_number(d, SCHEMA_DEVICE, "read_max_ns", second[i].ns);
		set_number(d, SCHEMA_DEVICE, "read_await_ns", second[i].ns);
		set_number(d, SCHEMA_DEVICE, "read_p99_ns", second[i].ns);
		set_number(d, SCHEMA_DEVICE, "read_queue_pct", second[i].queue_pct);
		set_number(d, SCHEMA_DEVICE, "read_slow_queue_pct", second[i].queue_pct);
		d->value[schema_field(SCHEMA_DEVICE, "read_queue_hist")]
			.histogram = &h;
		/* The kernel does not count the requests of this one. */
		d = frame_add_row(&f, SCHEMA_DEVICE, "uncounted");
		set_number(d, SCHEMA_DEVICE, "read_max_ns", second[i].ns);
		set_number(d, SCHEMA_DEVICE, "read_p99_ns", second[i].ns);
		d->value[schema_field(SCHEMA_DEVICE, "read_hist")].histogram = &h;
		ck_assert(!schema_device_idle(d));
		add_frame(&w, &f);
	}
	row = window_find(&w, SCHEMA_DEVICE, "uncounted");
	ck_assert(window_row_active(row));
	ck_assert_double_eq_tol(window_mean(row, "read_p99_ns"), 1e6, 4e4);
	row = window_find(&w, SCHEMA_DEVICE, "d");
	ck_assert_double_eq_tol(window_mean(row, "read_queue_p99_ns"), 1e6, 4e4);
	ck_assert_double_eq_tol(window_mean(row, "read_max_ns"), 100e6, 1);
	ck_assert(isnan(window_mean(row, "write_queue_p99_ns")));
	/* Shares of the time: 1 s of requests in each second. */
	ck_assert_double_eq_tol(window_mean(row, "read_queue_pct"), 50, 0.1);
	ck_assert_double_eq_tol(window_mean(row, "read_slow_queue_pct"), 50, 0.1);
	window_close(&w);
	ck_assert_double_eq_tol(window_mean(row, "read_queue_p99_ns"), 1e6, 4e4);
	window_free(&w);
	frame_free(&f);
}
END_TEST

/* A window without rows of idle devices has the same figures of the others. */
START_TEST(test_idle_devices)
{
	static const double iops[] = { 0, 0, 0, 0, 300, 0, 100 };
	struct window all = { 0 }, few = { .without_idle = true };
	const struct window_row *a, *b;
	struct frame f = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(iops); i++) {
		struct row *row;

		make_frame(&f, (double)i + 1, "run", iops[i]);
		set_number(&f.table[SCHEMA_DEVICE].row[0], SCHEMA_DEVICE,
			   "read_bytes_per_s", iops[i] * 4096);
		/* An idle device whose numbers change; one that never does I/O. */
		row = frame_add_row(&f, SCHEMA_DEVICE, "e");
		set_number(row, SCHEMA_DEVICE, "util_pct", (double)i);
		frame_add_row(&f, SCHEMA_DEVICE, "idle");
		add_frame(&all, &f);
		add_frame(&few, &f);
	}
	ck_assert_ptr_null(window_find(&few, SCHEMA_DEVICE, "idle"));
	for (int i = 0; i < 2; i++) {
		a = window_find(&all, SCHEMA_DEVICE, i ? "e" : "d");
		b = window_find(&few, SCHEMA_DEVICE, i ? "e" : "d");
		ck_assert_ptr_nonnull(b);
		ck_assert_uint_eq(a->frames, b->frames);
		for (size_t k = 0; k < schemas[SCHEMA_DEVICE]->n_fields; k++) {
			ck_assert_double_eq(a->mean[k].sum, b->mean[k].sum);
			ck_assert_double_eq(a->mean[k].weight,
					    b->mean[k].weight);
		}
		for (int op = 0; op < WINDOW_OPS; op++) {
			ck_assert_double_eq(a->op[op].ios, b->op[op].ios);
			ck_assert_mem_eq(&a->op[op].iops, &b->op[op].iops,
					 sizeof(a->op[op].iops));
			ck_assert_mem_eq(&a->op[op].bytes_per_s,
					 &b->op[op].bytes_per_s,
					 sizeof(a->op[op].bytes_per_s));
		}
	}
	ck_assert_double_eq(window_mean(b, "util_pct"), 3);
	window_free(&all);
	window_free(&few);
	frame_free(&f);
}
END_TEST

/* The screen keeps the figures of a job that is over; another job and the frame
 * itself stay as they are. */
START_TEST(test_totals_on_screen)
{
	static const struct {
		const char *phase;
		double iops;
	} step[] = { { "run", 100 }, { "run", 300 },
		     { "done", 50 }, { "done", 0 } };
	const int hist = schema_field(SCHEMA_JOB, "read_hist");
	static struct histogram one = { .bucket = { [7] = 1 } };
	struct report *r = report_new();
	const struct frame *shown = NULL;
	struct frame f = { 0 };

	ck_assert_ptr_null(report_with_totals(r, NULL));
	for (size_t i = 0; i < ARRAY_SIZE(step); i++) {
		struct row *k;

		make_frame(&f, (double)i + 1, step[i].phase, step[i].iops);
		if (step[i].iops > 0)
			set_number(&f.table[SCHEMA_JOB].row[0], SCHEMA_JOB,
				   "read_min_ns", 500 - step[i].iops);
		if (step[i].iops > 0)
			f.table[SCHEMA_JOB].row[0].value[hist].histogram = &one;
		k = frame_add_row(&f, SCHEMA_JOB, "k");
		set_number(k, SCHEMA_JOB, "read_iops", 7 + (double)i);
		k->value[schema_field(SCHEMA_JOB, "phase")].text = "run";
		report_add(r, &f);
		shown = report_with_totals(r, &f);
		if (i < 2)
			ck_assert_ptr_eq(shown, &f);
	}
	ck_assert_double_eq(frame_number(shown, SCHEMA_JOB, "j", "read_iops"),
			    200);
	ck_assert_double_eq(frame_number(shown, SCHEMA_JOB, "j",
					 "read_bytes_per_s"),
			    200 * 4096);
	ck_assert_double_eq(frame_number(shown, SCHEMA_JOB, "j", "read_min_ns"),
			    200);
	ck_assert_str_eq(frame_text(shown, SCHEMA_JOB, "j", "phase"), "done");
	ck_assert_ptr_nonnull(
		frame_find(shown, SCHEMA_JOB, "j")->value[hist].histogram);
	ck_assert_uint_eq(frame_find(shown, SCHEMA_JOB, "j")
				  ->value[hist].histogram->bucket[7],
			  3);
	ck_assert_double_eq(frame_number(shown, SCHEMA_JOB, "k", "read_iops"),
			    10);
	ck_assert_double_eq(frame_number(shown, SCHEMA_DEVICE, "d",
					 "read_iops"),
			    0);
	ck_assert_double_eq(frame_number(&f, SCHEMA_JOB, "j", "read_iops"), 0);
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
	add_turn(&f, BY_OPERATOR, "");
	report_add(r, &f);
	ck_assert_ptr_nonnull(strstr(last_sentence(r), "no data before"));
	for (int t = 2; t < 8; t++) {
		make_frame(&f, t, "run", 100);
		report_add(r, &f);
	}
	make_frame(&f, 8, "run", 100);
	add_turn(&f, BY_OPERATOR, "");
	report_add(r, &f);
	ck_assert_ptr_nonnull(strstr(last_sentence(r), "waiting for data"));
	make_frame(&f, 9, "run", 100);
	add_turn(&f, BY_OPERATOR, "");
	report_add(r, &f);
	e = report_effects(r, &n);
	ck_assert_uint_eq(n, 3);
	ck_assert_ptr_nonnull(strstr(e[1].sentence, "too soon"));
	/* Of two in one interval the last tells for both. */
	make_frame(&f, 10, "run", 100);
	add_turn(&f, BY_OPERATOR, "");
	add_turn(&f, BY_OPERATOR, "");
	report_add(r, &f);
	make_frame(&f, 11, "run", 100);
	report_add(r, &f);
	e = report_effects(r, &n);
	ck_assert_uint_eq(n, 5);
	ck_assert_ptr_nonnull(strstr(e[3].sentence, "together with the next one"));
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

	report_format_find("text")->print(r, NULL, PAGE_TEXT, out);
	fclose(out);
	ck_assert_msg(strstr(text, words) != NULL, "%s", text);
	free(text);
}

/* Assertions: grammar, units, the worst row, what is missing. */
START_TEST(test_assertions)
{
	static const struct {
		const char *text;
		double limit; /* NaN: refused */
		size_t failed;
		const char *words;
	} row[] = {
		{ "job.j.read_iops>=200", 200, 0, "" },
		{ "job.j.read_iops > 1k", 1000, 1,
		  "job.j.read_iops is 200, asserted > 1k" },
		{ "read_iops!=200", 200, 1, "is 200, asserted != 200" },
		{ "job.all.read_bytes_per_s==800KiB/s", 819200, 0, "" },
		{ "device.*.read_await_ns<1us", 1000, 1,
		  "device.d.read_await_ns is 5.00ms" },
		{ "device.d.read_await_ns<=2s", 2e9, 0, "" },
		{ "job.x.read_iops>1", 1, 1, "was not measured" },
		{ "job.j.run_s<1.5m", 90, 1, "was not measured" },
		{ "cpu.all.idle_pct>=5%", 5, 1, "was not measured" },
		{ "read_iops", NAN, 0, "such as job.wal.sync_p99_ns<10ms" },
		{ "job.j.read_p99_ns<10", 10, 1, "was not measured" },
		{ "job.j.read_p99_ns<10KiB", NAN, 0, "is written as 10ms" },
		{ "job.j.read_iops<10MiB", NAN, 0, "is written as 1500" },
		{ "task.1.cpu_pct<3", NAN, 0, "there are the tables " },
		{ "job.j.<3", NAN, 0, "such as" },
		{ "x=>3", NAN, 0, "such as" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct report *r = report_new();
		struct assertions a = { 0 };
		struct frame f = { 0 };
		char words[700] = "";
		int err = assertions_add(&a, row[i].text, NULL);

		ck_assert_int_eq(!err, isfinite(row[i].limit));
		for (int t = 1; t < 4; t++) {
			make_frame(&f, t, "run", 200);
			report_add(r, &f);
		}
		if (!err)
			ck_assert_double_eq(a.list[0].limit, row[i].limit);
		report_assert(r, &a);
		ck_assert_uint_eq(report_failed_assertions(r, words,
							   sizeof(words)),
				  row[i].failed);
		ck_assert_msg(strstr(err ? fail_sentence() : words,
				     row[i].words) != NULL,
			      "%s: %s", row[i].text,
			      err ? fail_sentence() : words);
		if (!err)
			must_say(r, row[i].failed ? "FAILED " : "passed ");
		assertions_free(&a);
		report_free(r);
		frame_free(&f);
	}
}
END_TEST

/* The text of a job's own assertion goes to the terminal. */
START_TEST(test_assertion_is_clean)
{
	struct assertions a = { 0 };

	ck_assert_int_eq(assertions_add(&a, " read\033_iops<10 ", "j"), 0);
	ck_assert_str_eq(a.list[0].text, "job.j.read?_iops<10");
	assertions_free(&a);
}
END_TEST

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
	must_say(r, "  ~ fewer than 10");
}

/* The line of a job is over the time of its figures: not the ramp, nor the
 * interval in which that ended. */
START_TEST(test_line_begins_after_ramp)
{
	struct report *r = report_new();
	struct frame f = { 0 };
	char *text, *chart;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int t = 1; t <= 20; t++) {
		make_frame(&f, t, t <= 10 ? "ramp" : "run", 100);
		report_add(r, &f);
	}
	report_format_find("html")->print(r, NULL, PAGE_HTML, out);
	fclose(out);
	chart = strstr(text, "r/s of j");
	ck_assert_ptr_nonnull(chart);
	*strstr(chart, "</svg>") = '\0';
	ck_assert_msg(strstr(chart, ">11.0 s<") && strstr(chart, ">20.0 s<"),
		      "%s", chart);
	free(text);
	report_free(r);
	frame_free(&f);
}
END_TEST

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
		e.by = BY_PLAN;
		if (i == 1)
			frame_add_event(&f, &e);
		report_add(r, &f);
	}
	must_say(r, "1.5 s to 4.0 s, job.j.iodepth=4: 2 intervals");
	report_free(r);
	frame_free(&f);
}
END_TEST

/* A check of a summary by its name, or NULL. */
static struct json *find_in(struct json *list, const char *name)
{
	for (size_t i = 0; i < json_length(list); i++)
		if (!strcmp(json_get_string(json_at(list, i), "id"), name))
			return json_at(list, i);
	return NULL;
}

static struct json *find_check(struct json *summary, const char *name)
{
	return find_in(json_get(summary, "check"), name);
}

/* "job.j.read_iops=5 device.d.members=a,b": commas become blanks. */
static void set_values(struct frame *f, const char *text)
{
	char *copy = xstrdup(text), *save = NULL;

	for (char *word = strtok_r(copy, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		char *row = strchr(word, '.'), *key = strchr(row + 1, '.');
		char *value = strchr(word, '=');
		enum schema_id id;
		struct row *r;
		int field;

		*row++ = *key++ = *value++ = '\0';
		id = schema_by_name(word);
		field = schema_field(id, key);
		ck_assert_msg(field >= 0, "%s", key);
		r = (struct row *)(uintptr_t)frame_find(f, id, row);
		if (!r)
			r = frame_add_row(f, id, row);
		for (char *p = value; *p; p++)
			*p = *p == ',' ? ' ' : *p;
		if (schemas[id]->fields[field].kind == FIELD_TEXT)
			r->value[field].text = arena_strdup(&f->arena, value);
		else
			r->value[field].number = strtod(value, NULL);
	}
	free(copy);
}

static void set_options(struct job *job, const char *text)
{
	char *copy = xstrdup(text), *save = NULL;

	job_init(job);
	ck_assert(!job_set(job, "name", "j"));
	for (char *word = strtok_r(copy, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		ck_assert_msg(!job_set(job, word, value), "%s",
			      fail_sentence());
	}
	free(copy);
}

#define RUN       "job.j.phase=run job.j.device=d "
#define MIB_READ  RUN "job.j.read_bytes_per_s=1048576 "
#define MIB_EACH  MIB_READ "device.d.read_bytes_per_s=1048576 "
#define STACK     "device.d.members=a,b device.d.read_iops=200 "

/* Each check, found and not found: options of the job, a frame, an event. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const struct check_row {
	const char *check, *options, *frame, *state, *words;
	struct event event;
	struct header_fact fact;
} check_rows[] = {
	{ "cache-reads", "direct=1", MIB_EACH, "ok", "j" },
	{ "cache-reads", "direct=1", MIB_READ, "spoilt", "only" },
	/* Blocks that are read again need not come from the disk. */
	{ "cache-reads", "direct=0",
	  MIB_READ "job.j.set_bytes=2097152 device.d.read_bytes_per_s=104858",
	  "note", "90 % came from the page cache, most of it read again" },
	{ "cache-reads", "direct=0",
	  MIB_READ "job.j.set_bytes=33554432 device.d.read_bytes_per_s=120000",
	  "spoilt", "page cache" },
	/* Of 20 MiB drawn from 20 MiB with repeats 63 % are new. */
	{ "cache-reads", "direct=0 rw=randread norandommap=1",
	  MIB_READ "job.j.set_bytes=20971520 device.d.read_bytes_per_s=662832",
	  "ok", "" },
	{ "cache-reads", "direct=0 rw=randread",
	  MIB_READ "job.j.set_bytes=20971520 device.d.read_bytes_per_s=662832",
	  "spoilt", "" },
	{ "cache-reads", "direct=1", MIB_READ "device.d.read_bytes_per_s=3e6",
	  "note", "(see foreign-io)" },
	/* A set that the cache does not hold is read again from the disk. */
	{ "cache-reads", "direct=0",
	  MIB_READ "job.j.set_bytes=8388608 device.d.read_bytes_per_s=800000",
	  "ok", "" },
	{ "cache-writes", "rw=write direct=1",
	  RUN "job.j.write_bytes_per_s=1048576", "note",
	  "set end_fsync=1 or direct=1)" },
	{ "cache-writes", "rw=write direct=1",
	  RUN "job.j.write_bytes_per_s=1048576 "
	      "device.d.write_bytes_per_s=1048576", "ok", "" },
	{ "holes", "direct=1",
	  MIB_EACH "job.j.read_iops=1 job.j.set_bytes=1e9 job.j.hole_bytes=5e8",
	  "spoilt", "unwritten space" },
	{ "holes", "direct=1", MIB_EACH "job.j.read_iops=1 job.j.set_bytes=1e9",
	  "ok", "" },
	/* 4 in flight and 10 ms allow 400 a second. */
	{ "bound", "direct=1 iodepth=4",
	  MIB_EACH "job.j.read_iops=399 device.d.read_iops=399 "
		   "device.d.read_await_ns=1e7", "ok", "allow 400" },
	{ "bound", "direct=1 iodepth=4",
	  MIB_EACH "job.j.read_iops=900 device.d.read_iops=100 "
		   "device.d.read_await_ns=1e7", "spoilt", "allow 400" },
	/* The slow I/O of another program is no proof against the job. */
	{ "bound", "direct=1 iodepth=4",
	  MIB_EACH "job.j.read_iops=900 device.d.read_iops=1000 "
		   "device.d.read_await_ns=1e7", NULL, "" },
	{ "bound", "direct=1 iodepth=4",
	  MIB_EACH "job.j.read_iops=900 device.d.read_iops=100 "
		   "device.d.read_await_ns=1e7 task.9.comm=tar "
		   "task.9.read_bytes_per_s=9e5", NULL, "" },
	{ "bound", "direct=1 iodepth=4",
	  MIB_EACH "job.j.read_iops=399 device.d.read_iops=399 "
		   "device.d.read_await_ns=1e7 device.d.write_iops=50 "
		   "device.d.write_await_ns=9e9", "ok", "allow 400" },
	{ "flushes", "rw=write", RUN "job.j.sync_iops=50 device.d.flush_iops=0",
	  "note", "1000 syncs of jobs, 0 flushes of d" },
	{ "flushes", "rw=write", RUN "job.j.sync_iops=50 device.d.flush_iops=9",
	  "ok", "" },
	{ "flushes", "rw=write", RUN "job.j.sync_iops=50", NULL, "" },
	{ "flushes", "rw=write",
	  RUN "job.j.sync_iops=50 device.d.flush_iops=50 device.d.kind=loop",
	  "note", "on no disk that is visible" },
	{ "flushes", "rw=write",
	  RUN "job.j.sync_iops=50 device.d.flush_iops=50 device.d.kind=loop "
	      "device.d.members=v", "ok", "" },
	{ "flush-chain", "rw=write",
	  RUN "job.j.sync_iops=50 device.d.flush_iops=50 device.d.kind=loop "
	      "device.d.members=v device.v.flush_iops=48",
	  "ok", "jobs asked for 1000 flushes, d 1000, v 960" },
	{ "flush-chain", "rw=write",
	  RUN "job.j.sync_iops=50 device.d.flush_iops=50 device.d.kind=loop "
	      "device.d.members=v device.v.flush_iops=0",
	  "note", "d 1000, v 0: they end at d, and v gets none" },
	{ "flush-chain", "rw=write",
	  RUN "job.j.sync_iops=50 device.d.flush_iops=0", "note",
	  "d 0: they end above d" },
	/* What is not counted is no 0. */
	{ "flush-chain", "rw=write",
	  RUN "job.j.sync_iops=50 device.d.flush_iops=0 device.d.kind=dm "
	      "device.d.members=v device.v.flush_iops=50",
	  "ok", "d not counted, v 1000" },
	{ "flush-chain", "rw=write",
	  RUN "job.j.sync_iops=50 device.d.flush_iops=0 device.d.kind=dm "
	      "device.d.members=v device.v.flush_iops=0",
	  "note", "d not counted, v 0: they end above v" },
	/* Two members of a mirror; a log may say that a device is below itself. */
	{ "flush-chain", "rw=write",
	  RUN "job.j.sync_iops=50 device.d.flush_iops=50 device.d.kind=md "
	      "device.d.members=v,w,d device.v.flush_iops=50 "
	      "device.w.flush_iops=0",
	  "note", "v 1000, w 0: they end at d, and w gets none" },
	{ "flush-chain", "rw=write", RUN "job.j.sync_iops=50", NULL, "" },
	{ "members", "direct=1",
	  MIB_EACH STACK "device.a.read_iops=150 device.b.read_iops=50",
	  NULL, "" },
	{ "members", "direct=1",
	  MIB_EACH STACK "device.a.read_iops=150 device.b.read_iops=50 "
		"device.a.read_bytes_per_s=5e5 device.b.read_bytes_per_s=5e5",
	  "note", "1.5 times" },
	{ "members", "direct=1",
	  MIB_EACH STACK "device.a.read_iops=101 device.b.read_iops=99 "
		"device.a.read_bytes_per_s=5e5 device.b.read_bytes_per_s=5e5",
	  "ok", "" },
	/* A btrfs over two devices has no row of its own. */
	{ "members", "direct=1",
	  MIB_EACH "job.j.device=a,b "
		"device.a.member_of=btrfs:x device.b.member_of=btrfs:x "
		"device.a.read_iops=150 device.b.read_iops=50 "
		"device.a.read_bytes_per_s=5e5 device.b.read_bytes_per_s=5e5",
	  "note", "2 members of btrfs:x: bytes differ by 0 %" },
	/* A stack that the jobs do not use. */
	{ "members", "direct=1",
	  MIB_EACH "device.a.member_of=btrfs:x device.b.member_of=btrfs:x "
		"device.a.read_iops=150 device.b.read_iops=50 "
		"device.a.read_bytes_per_s=5e5 device.b.read_bytes_per_s=5e5",
	  NULL, "" },
	{ "members", "direct=1",
	  MIB_EACH "job.j.device=e " STACK
		"device.a.read_iops=150 device.b.read_iops=50 "
		"device.a.read_bytes_per_s=5e5 device.b.read_bytes_per_s=5e5",
	  NULL, "" },
	{ "layers", "direct=1",
	  MIB_EACH STACK "device.a.read_iops=1 device.b.read_iops=1 "
		"device.a.queue_size=0.4 device.b.queue_size=0.7", "note",
	  "queue 1.1" },
	{ "layers", "direct=1",
	  MIB_EACH STACK "device.a.read_iops=1 device.b.read_iops=1 "
		"device.a.queue_size=1.4 device.b.queue_size=0.7", "ok", "" },
	{ "depth", "iodepth=32", RUN "job.j.depth_1_per_s=50", "note",
	  "asked for 32 in flight and had 1.0" },
	{ "depth", "iodepth=32", RUN "job.j.depth_32_per_s=50", "ok", "32.0" },
	/* The options of the job ask for less than iodepth. */
	{ "depth", "iodepth=32 latency_target=1ms latency_window=1s",
	  RUN "job.j.depth_1_per_s=50", NULL, "" },
	{ "depth", "iodepth=32 thinktime=1ms", RUN "job.j.depth_1_per_s=50",
	  NULL, "" },
	{ "depth", "iodepth=32 rate_iops=50",
	  RUN "job.j.depth_1_per_s=50 job.j.read_iops=50", NULL, "" },
	{ "depth", "iodepth=32 rate=1m",
	  MIB_READ "job.j.depth_1_per_s=50 job.j.read_iops=50", NULL, "" },
	{ "depth", "iodepth=32 rate_iops=90",
	  RUN "job.j.depth_1_per_s=50 job.j.read_iops=50", "note", "had 1.0" },
	{ "helpers", "direct=1",
	  RUN "job.j.cpu_pct=20 task.7.kernel=1 task.7.comm=jbd2 "
	      "task.7.cpu_pct=40", "ok",
	  "kernel threads took 40 % of a processor, jbd2 most; the jobs 20 %" },
	{ "cpu-cost", "direct=1",
	  MIB_EACH "job.j.cpu_pct=1 task.7.kernel=1 task.7.cpu_pct=2 "
		   "cpu.all.idle_pct=90 cpu.all.iowait_pct=0", "ok",
	  "10.0ms of the jobs, 30.0ms with kernel threads, 100ms of the" },
	{ "generator", "direct=1", RUN "job.j.cpu_pct=97", "note",
	  "the CPU, not the disk" },
	{ "generator", "direct=1 numjobs=2", RUN "job.j.cpu_pct=97", "ok", "" },
	{ "readahead", "direct=0",
	  MIB_EACH STACK "device.d.read_ahead_kb=128 device.a.read_ahead_kb=64 "
			 "device.b.read_ahead_kb=128", "note", "64 KiB" },
	{ "readahead", "direct=0",
	  MIB_EACH STACK "device.d.read_ahead_kb=64 device.a.read_ahead_kb=64",
	  "ok", "" },
	{ "readahead", "direct=0",
	  MIB_EACH "job.j.device=a device.a.member_of=btrfs:x "
		"device.b.member_of=btrfs:x device.a.read_ahead_kb=64 "
		"device.b.read_ahead_kb=128", NULL, "" },
	/* The disks below a disk of the job count, too; others do not. */
	{ "readahead", "direct=0",
	  MIB_EACH "job.j.device=m device.m.members=d device.m.read_iops=1 "
		"device.m.read_ahead_kb=64 device.d.read_ahead_kb=64 " STACK
		"device.a.read_ahead_kb=128", "note", "128 KiB" },
	{ "readahead", "direct=0",
	  MIB_EACH "job.j.device=e " STACK
		"device.d.read_ahead_kb=128 device.a.read_ahead_kb=64", NULL, "" },
	{ "cold", "direct=0 invalidate=0", MIB_EACH, "note", "invalidate=0" },
	{ "cold", "direct=0", MIB_EACH, "ok", "" },
	{ "offsets", "rw=randread randrepeat=0", MIB_EACH, "note", "" },
	{ "offsets", "rw=randread", MIB_EACH, "ok", "" },
	{ "steady", "direct=1", MIB_EACH, "ok", "drifts by +0 %" },
	{ "phases", "kind=exec exec=fsck", RUN "job.j.cpu_pct=20", "ok",
	  "0.0 s of 16.0 s passed without I/O and CPU time; Pass 1 16.0 s",
	  { .kind = EVENT_MARK, .job = "j", .text = "Pass 1" } },
	{ "phases", "kind=exec exec=fsck", RUN "job.j.cpu_pct=0", "note",
	  "16.0 s of 16.0 s passed without I/O",
	  { .kind = EVENT_MARK, .job = "j", .text = "Pass 1" } },
	{ "units", "kind=exec exec=x metric=speed=(.*)", RUN, "note",
	  "metric speed of job j has no unit in its name",
	  { .kind = EVENT_METRIC, .job = "j", .name = "speed" } },
	{ "units", "kind=exec exec=x", RUN, "ok", "",
	  { .kind = EVENT_METRIC, .job = "j", .name = "copy_bytes_per_s" } },
	{ "units", "kind=exec exec=x profile=fio", RUN, "ok", "",
	  { .kind = EVENT_METRIC, .job = "j", .name = "speed" } },
	{ "units", "kind=dbench", RUN, "ok", "",
	  { .kind = EVENT_METRIC, .job = "j", .name = "clients" } },
	{ "steady", "direct=1", RUN "job.j.steady=iops:2%", "spoilt",
	  "was not reached", { .kind = EVENT_STEADY } },
	{ "settings", "direct=1", RUN, "spoilt", "Invalid",
	  { .kind = EVENT_KNOB, .device = "d", .knob = "nr_requests",
	    .wanted = "9", .by = BY_PLAN, .error = 22 } },
	{ "settings", "direct=1", RUN, "note", "asked for 777",
	  { .kind = EVENT_KNOB, .device = "d", .knob = "read_ahead_kb",
	    .wanted = "777", .new_value = "776", .by = BY_PLAN } },
	{ "settings", "direct=1", RUN, "ok", "",
	  { .kind = EVENT_KNOB, .device = "d", .knob = "scheduler",
	    .wanted = "bfq", .new_value = "bfq", .by = BY_PLAN } },
	{ "foreign-knob", "direct=1", RUN, "spoilt", "d.scheduler",
	  { .kind = EVENT_KNOB, .device = "d", .knob = "scheduler",
	    .old_value = "none", .new_value = "bfq", .by = BY_FOREIGN } },
	{ "foreign-knob", "direct=1", RUN, "ok", "",
	  { .kind = EVENT_KNOB, .device = "other", .knob = "scheduler",
	    .old_value = "none", .new_value = "bfq", .by = BY_FOREIGN } },
	{ "foreign-knob", "direct=1", RUN, "ok", "",
	  { .kind = EVENT_KNOB, .device = "kernel", .knob = "task_delayacct",
	    .old_value = "0", .new_value = "1", .by = BY_FOREIGN } },
	/* The disk below device mapper over md. */
	{ "foreign-io", "direct=1",
	  MIB_EACH "device.d.kind=dm device.d.members=m device.m.kind=md "
		   "device.m.members=v,w device.m.read_bytes_per_s=1e6 "
		   "device.v.read_bytes_per_s=3e6 task.9.comm=dd "
		   "task.9.read_bytes_per_s=2e6", "spoilt", "on v, " },
	{ "foreign-io", "direct=1",
	  MIB_READ "device.d.read_bytes_per_s=2e6 task.9.comm=tar "
		   "task.9.read_bytes_per_s=9e5", "spoilt",
	  "on d, 86 % of what the jobs did; the busiest of them: "
	  "tar (pid 9)" },
	/* I/Os that a job does not count are not those of others. */
	{ "foreign-io", "direct=1",
	  MIB_READ "device.d.read_bytes_per_s=2e6 job.k.phase=run job.k.in_flight=4 "
		   "job.k.device=d task.9.comm=tar task.9.read_bytes_per_s=9e5",
	  NULL, "jobs ran in 0 whole intervals without a change of phase" },
	/* A process that may have done its I/O on another disk is not named, and
	 * what it did there is no I/O of these disks. */
	{ "foreign-io", "direct=1",
	  MIB_READ "device.d.read_bytes_per_s=3e7 task.9.comm=tar "
		   "task.9.read_bytes_per_s=3e7", "spoilt",
	  "on d, 28 times what the jobs did; the busiest of them: " },
	{ "foreign-io", "direct=1",
	  MIB_READ "device.d.read_bytes_per_s=2e6 device.e.read_bytes_per_s=9e5 "
		   "task.9.comm=tar task.9.read_bytes_per_s=9e5", "ok", "" },
	{ "foreign-io", "direct=1",
	  MIB_READ "device.d.read_bytes_per_s=2e6 device.e.read_bytes_per_s=9e5 "
		   "task.9.comm=tar task.9.read_bytes_per_s=9e5 task.8.comm=cp "
		   "task.8.read_bytes_per_s=7e5", "spoilt",
	  "67 % of what the jobs did" },
	/* The disk below the loop device of the job. */
	{ "foreign-io", "direct=1",
	  MIB_EACH "device.d.kind=loop device.d.members=v "
		   "device.v.read_bytes_per_s=3e6 task.9.comm=dd "
		   "task.9.read_bytes_per_s=2e6", "spoilt",
	  "on v, 186 % of what the jobs did; the busiest of them: dd (pid 9)" },
	/* Another loop device over that disk. */
	{ "foreign-io", "direct=1",
	  MIB_EACH "device.d.kind=loop device.d.members=v device.w.kind=loop "
		   "device.w.members=v device.w.read_bytes_per_s=2e6 "
		   "device.v.read_bytes_per_s=3e6 task.9.comm=dd "
		   "task.9.read_bytes_per_s=2e6", "spoilt", "dd (pid 9)" },
	/* What is below the second loop device is not known, as in a chroot. */
	{ "foreign-io", "direct=1",
	  MIB_READ "device.d.read_bytes_per_s=3e6 device.d.kind=loop "
		   "device.d.members=w device.w.kind=loop "
		   "device.w.read_bytes_per_s=3e6 device.v.read_bytes_per_s=3e6 "
		   "task.9.comm=dd task.9.read_bytes_per_s=2e6", "spoilt", "on d, " },
	/* A mirror writes twice; a reader of a member is seen. */
	{ "foreign-io", "rw=write direct=1",
	  RUN "job.j.write_bytes_per_s=1048576 device.d.write_bytes_per_s=1048576 "
	      "device.d.kind=md device.d.members=a,b "
	      "device.a.write_bytes_per_s=1048576 "
	      "device.b.write_bytes_per_s=1048576 task.9.comm=dd "
	      "task.9.read_bytes_per_s=2e6", "ok", "" },
	{ "foreign-io", "direct=1",
	  MIB_EACH "device.d.kind=dm device.d.members=a,b "
		   "device.a.read_bytes_per_s=524288 "
		   "device.b.read_bytes_per_s=2524288 task.9.comm=dd "
		   "task.9.read_bytes_per_s=2e6", "spoilt", "on b, 141 %" },
	/* A file system over two devices has no row of its own. */
	{ "foreign-io", "direct=1",
	  MIB_READ "job.j.device=a,b device.a.read_bytes_per_s=524288 "
		   "device.a.member_of=btrfs device.b.member_of=btrfs "
		   "device.b.read_bytes_per_s=524288 task.9.comm=dd "
		   "task.9.read_bytes_per_s=2e6", "ok", "" },
	{ "foreign-io", "direct=1",
	  MIB_READ "job.j.device=a,b device.a.read_bytes_per_s=524288 "
		   "device.a.member_of=btrfs device.b.member_of=btrfs "
		   "device.b.read_bytes_per_s=2524288 task.9.comm=dd "
		   "task.9.read_bytes_per_s=2e6", "spoilt", "on a b, 191 %" },
	/* A volume over an array over disks. */
	{ "foreign-io", "direct=1",
	  MIB_EACH "device.d.kind=dm device.d.members=m device.m.kind=md "
		   "device.m.members=a,b device.m.read_bytes_per_s=1048576 "
		   "device.a.read_bytes_per_s=524288 "
		   "device.b.read_bytes_per_s=2524288 task.9.comm=dd "
		   "task.9.read_bytes_per_s=2e6", "spoilt", "dd (pid 9)" },
	/* The journal of the job's own file system; on a device there is none. */
	{ "foreign-io", "rw=write fsync=1 directory=/x",
	  RUN "job.j.write_bytes_per_s=1048576 job.j.sync_iops=256 "
	      "device.d.write_bytes_per_s=4194304 task.9.comm=cc "
	      "task.9.write_bytes_per_s=4e6", "ok", "" },
	{ "foreign-io", "rw=write fsync=1 filename=/dev/d",
	  RUN "job.j.write_bytes_per_s=1048576 job.j.sync_iops=256 "
	      "device.d.write_bytes_per_s=4194304 task.9.comm=cc "
	      "task.9.write_bytes_per_s=4e6", "spoilt", "on d, 300 %" },
	/* Btrfs writes more for a sync. */
	{ "foreign-io", "rw=write fsync=1 directory=/x",
	  RUN "job.j.write_bytes_per_s=1048576 job.j.sync_iops=100 "
	      "device.d.write_bytes_per_s=13029376 device.d.member_of=btrfs:x "
	      "task.9.comm=cc task.9.write_bytes_per_s=9e6", "ok", "" },
	{ "foreign-io", "rw=write fsync=1 directory=/x",
	  RUN "job.j.write_bytes_per_s=1048576 job.j.sync_iops=100 "
	      "device.d.write_bytes_per_s=19029376 device.d.member_of=btrfs:x "
	      "task.9.comm=cc task.9.write_bytes_per_s=9e6", "spoilt", "on d, " },
	/* What the jobs' own processes read ahead; another disk is not visible. */
	{ "foreign-io", "direct=0",
	  MIB_READ "device.d.read_bytes_per_s=2e6 task.8.own=1 "
		   "task.8.read_bytes_per_s=2e6 task.9.comm=tar "
		   "task.9.read_bytes_per_s=9e5", "ok", "" },
	/* A reader of a loop device without a disk below, beside writes that no
	 * process is seen to do. */
	{ "foreign-io", "direct=1",
	  MIB_READ "device.d.kind=loop device.d.read_bytes_per_s=5e6 "
		   "device.v.write_bytes_per_s=2e7 task.9.comm=dd "
		   "task.9.read_bytes_per_s=4e6", "spoilt", "dd (pid 9)" },
	/* More disks than a row of the log names: said, not judged. */
	{ "cache-reads", "direct=0",
	  MIB_EACH "job.j.device=d,...", NULL, NULL },
	/* The layout of the run itself is in a frame with a change of phase. */
	{ "foreign-io", "direct=1",
	  MIB_EACH "task.9.comm=tar task.9.cpu_pct=1", "ok", "",
	  { .kind = EVENT_PHASE, .job = "j", .phase = PHASE_RUN } },
	{ "cpu-busy", "direct=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "task.9.comm=hog task.9.cpu_pct=150 task.8.own=1 "
	      "task.8.cpu_pct=20 task.8.run_delay_pct=20", "spoilt",
	  "used 75 % of the processors (most: hog, pid 9), and the run's own "
	  "threads waited for one 50 % of the time" },
	{ "cpu-busy", "direct=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "task.9.comm=hog task.9.cpu_pct=150 task.8.own=1 "
	      "task.8.cpu_pct=20 task.8.run_delay_pct=20", "note",
	  "50 % of the time that they could run; the run has a real-time "
	  "priority", .fact = { FACT_REALTIME, "10" } },
	{ "cpu-busy", "direct=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "task.9.comm=hog task.9.cpu_pct=80 task.8.own=1 "
	      "task.8.cpu_pct=80 task.8.run_delay_pct=20", "note", "20 %" },
	/* Processors were idle meanwhile. */
	{ "cpu-busy", "direct=1",
	  RUN "cpu.all.idle_pct=40 cpu.all.iowait_pct=0 cpu.0.idle_pct=40 cpu.1.idle_pct=40 "
	      "task.9.comm=hog task.9.cpu_pct=100 task.8.own=1 "
	      "task.8.cpu_pct=20 task.8.run_delay_pct=20", "note", "50 %" },
	/* Half of what they could run, and a hundredth of the run. */
	{ "cpu-busy", "direct=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "task.9.comm=hog task.9.cpu_pct=150 task.8.own=1 "
	      "task.8.cpu_pct=1 task.8.run_delay_pct=1", "note", "50 %" },
	/* Threads: each of 16 waits 0.2 % of the run; each of 2, 4 %. */
	{ "cpu-busy", "direct=1 numjobs=16 thread=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "task.9.comm=hog task.9.cpu_pct=150 task.8.own=1 "
	      "task.8.threads=17 task.8.cpu_pct=3.2 "
	      "task.8.run_delay_pct=3.2", "note", "50 %" },
	{ "cpu-busy", "direct=1 numjobs=2 thread=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "task.9.comm=hog task.9.cpu_pct=150 task.8.own=1 "
	      "task.8.threads=3 task.8.cpu_pct=8 "
	      "task.8.run_delay_pct=8", "spoilt", "50 %" },
	/* Several, each a hundredth of the run. */
	{ "cpu-busy", "direct=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "task.9.comm=hog task.9.cpu_pct=150 task.8.own=1 "
	      "task.8.cpu_pct=1 task.8.run_delay_pct=1 task.7.own=1 "
	      "task.7.cpu_pct=1 task.7.run_delay_pct=1 task.6.own=1 "
	      "task.6.cpu_pct=1 task.6.run_delay_pct=1", "note", "50 %" },
	/* Without waiting nobody is disturbed; own threads disturb each other. */
	{ "cpu-busy", "direct=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "task.9.comm=hog task.9.cpu_pct=80 task.8.own=1 "
	      "task.8.cpu_pct=100 task.8.run_delay_pct=1", "ok", "" },
	{ "cpu-busy", "direct=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "task.9.comm=hog task.9.cpu_pct=5 task.8.own=1 "
	      "task.8.cpu_pct=100 task.8.run_delay_pct=90", "ok", "" },
	/* A kernel without schedstat has only the pressure. */
	{ "cpu-busy", "direct=1",
	  RUN "cpu.all.idle_pct=0 cpu.0.idle_pct=0 cpu.1.idle_pct=0 "
	      "pressure.cpu.some_pct=70 task.9.comm=hog task.9.cpu_pct=150",
	  "note", "70 % of the time a process waited for one" },
	{ "cpu-busy", "direct=1", RUN, NULL, NULL },
	{ "foreign-io", "direct=1",
	  MIB_EACH "task.9.comm=tar task.9.read_bytes_per_s=9e5", "ok", "" },
	/* Of another user's process only the CPU time may be seen. */
	{ "foreign-io", "direct=1",
	  MIB_READ "device.d.read_bytes_per_s=2e6 task.9.comm=tar "
		   "task.9.cpu_pct=5", NULL, "18.1MiB more than the jobs, and the "
	  "I/O of other" },
	{ "foreign-io", "direct=1",
	  RUN "job.j.read_bytes_per_s=999 task.9.comm=tar task.9.cpu_pct=5",
	  NULL, "the jobs read and wrote 19.5KiB, and 1.00MiB is needed" },
	{ "foreign-io", "direct=1",
	  MIB_EACH "task.9.comm=tar task.9.cpu_pct=5", "ok", "" },
	/* A process that lived too short a time to be seen; readahead is none. */
	{ "foreign-io", "direct=1 filename=/dev/d",
	  MIB_READ "device.d.read_bytes_per_s=3e6 task.9.comm=tar "
		   "task.9.read_bytes_per_s=2e4", "note",
	  "d read and wrote 37.2MiB more than the jobs, and no process" },
	{ "foreign-io", "direct=0 filename=/dev/d",
	  MIB_READ "device.d.read_bytes_per_s=3e6 task.9.comm=tar "
		   "task.9.read_bytes_per_s=2e4", "ok", "" },
	/* A thread's bytes are those of its process. */
	{ "foreign-io", "direct=1",
	  MIB_READ "device.d.read_bytes_per_s=2e6 task.9.comm=tar "
		   "task.9.read_bytes_per_s=2e5 task.10.process=9 "
		   "task.10.comm=tar task.10.read_bytes_per_s=2e5", "note",
	  "19 % of what the jobs did" },
	{ "steal", "direct=1", RUN "cpu.all.steal_pct=30", "spoilt", "30 %" },
	{ "steal", "direct=1", RUN "cpu.all.steal_pct=9", "note", "9 %" },
	{ "steal", "direct=1", RUN "cpu.all.steal_pct=1", "ok", "" },
	/* A simulated disk of which more than 1 % of the answers were late. */
	{ "simulation", "direct=1",
	  MIB_EACH "device.d.answers_per_s=1000 "
		   "device.d.late_answers_per_s=20", "spoilt", "2.0 %" },
	{ "simulation", "direct=1",
	  MIB_EACH "device.d.answers_per_s=1000 "
		   "device.d.late_answers_per_s=9", "ok", "" },
	{ "simulation", "direct=1", MIB_EACH, NULL, NULL },
	/* The simulated disk of another run, beside a job without a disk. */
	{ "simulation", "kind=cpuio cpuload=20",
	  "job.j.phase=run device.d.answers_per_s=1000 "
	  "device.d.late_answers_per_s=20", NULL, NULL },
	/* Beside a command, unless it names the disk. */
	{ "simulation", "kind=exec exec=make",
	  "job.j.phase=run device.d7.answers_per_s=1000 "
	  "device.d7.late_answers_per_s=20", NULL, NULL },
	{ "simulation", "kind=exec exec=/dev/d7",
	  "job.j.phase=run device.d7.answers_per_s=1000 "
	  "device.d7.late_answers_per_s=20", "spoilt", "2.0 %" },
	{ "simulation", "kind=exec exec=make directory=/x",
	  "job.j.phase=run device.d7.answers_per_s=1000 "
	  "device.d7.late_answers_per_s=20", "spoilt", "2.0 %" },
	{ "simulation", "ioengine=null",
	  "job.j.phase=run device.d.answers_per_s=1000 "
	  "device.d.late_answers_per_s=20", NULL, NULL },
	{ "ticks", "direct=1", RUN, "ok", "" },
	{ "set-size", "direct=0",
	  MIB_EACH "job.j.read_iops=1 job.j.set_bytes=1e9 "
		   "memory.memory.total_bytes=8e9", "note", "memory" },
	{ "set-size", "direct=0",
	  MIB_EACH "job.j.read_iops=1 job.j.set_bytes=2e10 "
		   "memory.memory.total_bytes=8e9", "ok", "" },
	{ "syncs", "rw=write fsync=4",
	  RUN "job.j.write_iops=200 job.j.sync_iops=50 job.j.sync_mean_ns=1e7",
	  "ok", "1000 syncs, one for 4.0 writes; 50 % of the time of the jobs" },
	{ "syncs", "rw=write fsync=4 numjobs=2",
	  RUN "job.j.write_iops=400 job.j.sync_iops=100 job.j.sync_mean_ns=1e7",
	  "ok", "50 % of the time of the jobs that sync" },
};

START_TEST(test_check)
{
	const struct check_row *row = &check_rows[_i];
	struct header_fact fact = row->fact;
	struct header h = { .n_jobs = 1, .fact = &fact, .n_facts = *fact.key != 0 };
	struct report *r = report_new();
	struct frame f = { 0 };
	struct json *j, *check, *invalid;
	struct job job;
	bool bad = row->state && !strcmp(row->state, "spoilt");

	set_options(&job, row->options);
	h.job = &job;
	for (int t = 1; t <= 20; t++) {
		frame_reset(&f);
		f.t_s = t;
		f.interval_s = 1;
		set_values(&f, row->frame);
		if (t == 5 && (row->event.by || row->event.kind))
			frame_add_event(&f, &row->event);
		report_add(r, &f);
	}
	report_header(r, &h);
	j = report_summary_json(r, true);
	check = find_check(j, row->check);
	if (!row->state) {
		ck_assert_ptr_null(check);
		check = find_in(json_get(j, "not_checked"), row->check);
		ck_assert(!row->words || !*row->words ||
			  strstr(json_get_string(check, "sentence"),
				 row->words));
	} else {
		const char *words = json_get_string(check, "sentence");

		ck_assert_msg(check && !strcmp(json_get_string(check, "state"),
					       row->state),
			      "%s %s: %s, %s", row->check, row->options,
			      json_get_string(check, "state"), words);
		ck_assert_msg(!*row->words ||
				      (words && strstr(words, row->words)),
			      "%s: %s", row->check, words);
		/* Advice is of what was found, not of its opposite, too. */
		words = json_get_string(check, "look");
		ck_assert(!words || !strstr(words, "; where the disk"));
	}
	/* A check that makes a run invalid is named, so that it is left out of means. */
	invalid = json_get(j, "invalid");
	ck_assert_int_eq(bad, json_length(invalid) == 1 &&
					 !strcmp(json_string(json_at(invalid, 0)),
						 row->check));
	json_free(j);
	report_free(r);
	frame_free(&f);
	job_free(&job);
}
END_TEST

/*
 * Processes are read in a few frames only: a reading is of all the time since the
 * last one, not of its frame.
 */
START_TEST(test_check_look)
{
	static const char *const rate[2][2] = { { "0", "9e5" },
						{ "9e5", "0" } };
	struct report *r = report_new();
	struct header h = { .n_jobs = 1 };
	struct frame f = { 0 };
	struct json *j;
	struct job job;
	char text[400];

	set_options(&job, "direct=1");
	h.job = &job;
	for (int t = 1; t <= 20; t++) {
		frame_reset(&f);
		f.t_s = t;
		f.interval_s = 1;
		snprintf(text, sizeof(text),
			 MIB_READ "device.d.read_bytes_per_s=2e6 "
				  "task.9.comm=tar task.9.cpu_pct=1 "
				  "task.9.read_bytes_per_s=%s",
			 rate[_i][t == 20]);
		set_values(&f, text);
		f.table[SCHEMA_TASK].repeats = t > 1 && t < 20;
		report_add(r, &f);
	}
	report_header(r, &h);
	j = report_summary_json(r, true);
	ck_assert_str_eq(json_get_string(find_check(j, "foreign-io"), "state"),
			 _i ? "ok" : "spoilt");
	json_free(j);
	report_free(r);
	frame_free(&f);
	job_free(&job);
}
END_TEST

/* As many jobs as there are, each with a disk of its own. */
START_TEST(test_check_many)
{
	struct report *r = report_new();
	struct header h = { 0 };
	struct frame f = { 0 };
	struct json *j, *check;
	struct job job;
	const char *words;

	set_options(&job, "direct=0");
	h.job = &job;
	h.n_jobs = 1;
	for (int t = 1; t <= 10; t++) {
		frame_reset(&f);
		f.t_s = t;
		f.interval_s = 1;
		for (int i = 0; i < 130; i++) {
			char text[160];

			snprintf(text, sizeof(text),
				 "job.j%d.phase=run job.j%d.device=nvme%dn1 "
				 "job.j%d.read_bytes_per_s=1048576 "
				 "device.nvme%dn1.read_bytes_per_s=1048576",
				 i, i, i, i, i);
			set_values(&f, text);
		}
		report_add(r, &f);
	}
	report_header(r, &h);
	j = report_summary_json(r, true);
	check = find_check(j, "cache-reads");
	words = json_get_string(check, "sentence");
	/* 130 jobs, 10 s, 1 MiB/s each. */
	ck_assert_msg(words && strstr(words, "jobs read 1.27GiB"), "%s", words);
	ck_assert_msg(strstr(words, "nvme0n1") && strstr(words, " more "),
		      "%s", words);
	ck_assert_str_eq(json_get_string(check, "state"), "ok");
	json_free(j);
	report_free(r);
	frame_free(&f);
	job_free(&job);
}
END_TEST

/* Each reader has writers of its own: those of another file do not count. */
START_TEST(test_check_order)
{
	static const char *const options[2][4] = {
		{ "rw=write filename=/a", "rw=read filename=/a",
		  "rw=randwrite filename=/b", "rw=read filename=/b" },
		{ "rw=write filename=/a", "rw=read filename=/c",
		  "rw=randwrite filename=/a", "rw=read filename=/a" },
	};
	struct job jobs[4];
	struct header h = { .n_jobs = 4, .job = jobs };
	struct report *r = report_new();
	struct frame f = { 0 };
	struct json *j;

	for (int i = 0; i < 4; i++)
		set_options(&jobs[i], options[_i][i]);
	f.interval_s = f.t_s = 1;
	set_values(&f, RUN);
	report_add(r, &f);
	report_header(r, &h);
	j = report_summary_json(r, true);
	ck_assert_str_eq(json_get_string(find_check(j, "order"), "state"),
			 _i ? "note" : "ok");
	json_free(j);
	report_free(r);
	frame_free(&f);
	for (int i = 0; i < 4; i++)
		job_free(&jobs[i]);
}
END_TEST

/* One minute in which a job does nothing for a while: long enough for a stall
 * but too short to lower a fifth of the run by much. */
static char *steady_of(const char *options, int from, int to, bool retuned)
{
	struct header h = { .n_jobs = 1 };
	struct report *r = report_new();
	struct event turn = { .kind = EVENT_KNOB, .device = "d", .knob = "x",
			      .by = BY_OPERATOR };
	struct frame f = { 0 };
	struct json *j, *check;
	struct job job;
	char *words;

	set_options(&job, options);
	h.job = &job;
	for (int t = 1; t <= 60; t++) {
		frame_reset(&f);
		f.t_s = t;
		f.interval_s = 1;
		set_values(&f, t >= from && t <= to
				       ? RUN
				       : MIB_READ "job.j.read_iops=256");
		if (retuned && t == 5)
			frame_add_event(&f, &turn);
		report_add(r, &f);
	}
	report_header(r, &h);
	j = report_summary_json(r, true);
	check = find_check(j, "steady");
	words = xasprintf("%s: %s",
			  check ? json_get_string(check, "state") : "unknown",
			  check ? json_get_string(check, "sentence") : "");
	json_free(j);
	report_free(r);
	frame_free(&f);
	job_free(&job);
	return words;
}

START_TEST(test_check_stall)
{
	static const struct {
		const char *options;
		int from, to;
		bool retuned;
		const char *begin;
	} row[] = {
		{ "direct=1", 30, 31, false,
		  "note: no I/O completed for 2.0 s from 29.0 s on; in five" },
		{ "direct=1", 56, 60, false, "note: no I/O completed for 5.0" },
		{ "direct=1", 61, 61, false, "ok: in five parts" },
		/* Pauses that are asked for, and the turn of a knob. */
		{ "direct=1 thinktime=100", 30, 30, false, "ok: " },
		{ "direct=1 rate=1m", 30, 30, false, "ok: " },
		{ "direct=1", 30, 31, true, "unknown: " },
		/* A fifth of the run is far below. */
		{ "direct=1 thinktime=100", 30, 39, false, "note: in five" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		char *words = steady_of(row[i].options, row[i].from, row[i].to,
					row[i].retuned);

		ck_assert_msg(!strncmp(words, row[i].begin,
				       strlen(row[i].begin)),
			      "%zu: %s", i, words);
		free(words);
	}
}
END_TEST

/* Jobs alike share evenly or not; those that differ are not compared. */
START_TEST(test_check_shares)
{
	static const struct {
		const char *options[2], *frame, *state, *words;
	} row[] = {
		{ { "name=a direct=1", "name=b direct=1" },
		  "job.a.phase=run job.b.phase=run job.a.read_iops=100 "
		  "job.b.read_iops=300", "note",
		  "2 jobs with equal options did from 100 (a) to 300 (b) I/Os per second, "
		  "cv 71 %" },
		{ { "name=a direct=1", "name=b direct=1" },
		  "job.a.phase=run job.b.phase=run job.a.read_iops=100 "
		  "job.b.read_iops=110", "ok", "cv 7 %" },
		{ { "name=a direct=1", "name=b direct=1 bs=64k" },
		  "job.a.phase=run job.b.phase=run job.a.read_iops=100 "
		  "job.b.read_iops=300", NULL, "" },
		{ { "name=a direct=1 rate_iops=100", "name=b direct=1" },
		  "job.a.phase=run job.b.phase=run job.a.read_iops=100 "
		  "job.b.read_iops=300", NULL, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct job jobs[2];
		struct header h = { .n_jobs = 2, .job = jobs };
		struct report *r = report_new();
		struct frame f = { 0 };
		struct json *j, *check;

		for (int k = 0; k < 2; k++)
			set_options(&jobs[k], row[i].options[k]);
		for (int t = 1; t < 6; t++) {
			frame_reset(&f);
			f.t_s = t;
			f.interval_s = 1;
			set_values(&f, row[i].frame);
			report_add(r, &f);
		}
		report_header(r, &h);
		j = report_summary_json(r, true);
		check = find_check(j, "shares");
		ck_assert_int_eq(!check, !row[i].state);
		if (check) {
			ck_assert_str_eq(json_get_string(check, "state"),
					 row[i].state);
			ck_assert_msg(strstr(json_get_string(check, "sentence"),
					     row[i].words) != NULL,
				      "%s", json_get_string(check, "sentence"));
		}
		json_free(j);
		report_free(r);
		frame_free(&f);
		for (int k = 0; k < 2; k++)
			job_free(&jobs[k]);
	}
}
END_TEST

/* With * each row must have the figure that it could have. */
START_TEST(test_assertion_of_each)
{
	static const struct {
		const char *text, *result, *words;
		bool passed;
	} row[] = {
		{ "read_p99_ns<10ms",
		  "{\"job\":[{\"id\":\"a\",\"read_ios\":9,\"read_p99_ns\":5},"
		  "{\"id\":\"b\",\"errors\":0}]}",
		  "job.b.read_p99_ns was not measured", false },
		{ "read_p99_ns<10ms",
		  "{\"job\":[{\"id\":\"b\",\"errors\":0},"
		  "{\"id\":\"a\",\"read_ios\":9,\"read_p99_ns\":5}]}",
		  "job.b.read_p99_ns was not measured", false },
		{ "job.*.read_p99_ns<10ms",
		  "{\"job\":[{\"id\":\"a\",\"read_ios\":9,\"read_p99_ns\":5},"
		  "{\"id\":\"w\",\"write_ios\":4,\"depth_1_ios\":4}]}",
		  "job.a.read_p99_ns is 5ns, asserted < 10ms; w has no such",
		  true },
		{ "tps>3",
		  "{\"job\":[{\"id\":\"p\",\"command_ios\":1,\"tps\":4},"
		  "{\"id\":\"w\",\"write_ios\":4}]}",
		  "job.p.tps is 4, asserted > 3; w has no such figure", true },
		{ "cpu_pct<30%",
		  "{\"job\":[{\"id\":\"p\",\"read_ios\":1,\"cpu_pct\":4},"
		  "{\"id\":\"w\",\"write_ios\":4}]}",
		  "job.w.cpu_pct was not measured", false },
		{ "sync_p99_ns<10ms",
		  "{\"job\":[{\"id\":\"w\",\"write_ios\":4}]}",
		  "was not measured", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct json *j;
		struct assertion_outcome o;
		struct assertions all = { 0 };
		char words[512];

		ck_assert_int_eq(json_parse(row[i].result,
					    strlen(row[i].result), &j), 0);
		ck_assert_int_eq(assertions_add(&all, row[i].text, NULL), 0);
		assertion_judge(all.list, j, &o);
		assertion_words(all.list, &o, words, sizeof(words));
		assertions_free(&all);
		ck_assert_msg(o.passed == row[i].passed &&
				      strstr(words, row[i].words),
			      "%zu: %s", i, words);
		json_free(j);
	}
}
END_TEST

/* Every row of the table is found and not found by test_check; kernel-log by
 * cli/sweep-steps.sh, heat and smart by check_sweep. */
START_TEST(test_all_checks)
{
	for (size_t i = 0; i < n_checks_table; i++) {
		const char *name = checks_table[i].name;
		bool any = false;

		for (size_t k = 0; k < ARRAY_SIZE(check_rows); k++)
			any |= !strcmp(check_rows[k].check, name);
		ck_assert_msg(any || !strcmp(name, "order") ||
				      !strcmp(name, "shares") ||
				      !strcmp(name, "environment") ||
				      !strcmp(name, "memory-limit") ||
				      !strcmp(name, "io-limit") ||
				      !strcmp(name, "heat") ||
				      !strcmp(name, "smart") ||
				      !strcmp(name, "kernel-log"),
			      "%s", name);
		ck_assert(*checks_table[i].help &&
			  checks_table_find(name)->f >= 1);
	}
	ck_assert_uint_le(n_checks_table, 64);
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
		struct json *check = find_check(j, "cache-reads");

		if (cases[i].say) {
			must_say(r, cases[i].say);
			ck_assert_str_ne(json_get_string(check, "state"), "ok");
		} else if (check) {
			ck_assert_str_eq(json_get_string(check, "state"), "ok");
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
			add_turn(&f, BY_PLAN, "");
			add_turn(&f, BY_PLAN, "scheduler"); /* a side effect */
		}
		if (i == 34)
			add_turn(&f, BY_RESTORE, "");
		report_add(r, &f);
		e = report_effects(r, &n);
		ck_assert_uint_eq(n, i >= 20 ? 1 : 0);
		if (i == 20) {
			ck_assert_uint_gt(e[0].n_figures, 0);
			ck_assert_uint_eq(e[0].figure[0].v.d.n_b, 0);
			ck_assert_double_nan(e[0].figure[0].after);
			ck_assert_ptr_nonnull(e[0].figure[0].v.why);
		}
	}
	ck_assert_str_eq(e[0].figure[0].row, "j");
	/* 6 is partly ramp: 7 to 19 are before, 21 to 33 after. */
	ck_assert_uint_eq(e[0].figure[0].v.d.n_a, 13);
	ck_assert_uint_eq(e[0].figure[0].v.d.n_b, 13);
	ck_assert_int_eq(judge_sign(&e[0].figure[0].v), 1);
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
			add_turn(&f, BY_PLAN, "");
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
			    .v = { .d = { .n_a = 5, .n_b = 7 },
				   .is = DIFFERENCE_BETTER } };
	char buf[300];

	ck_assert_str_eq(report_figure_words(&f, buf, sizeof(buf)),
			 "  r/s of x 1234 -> 1500, +21.6 % (+18.1 to +25.0)");
	f.better = 1;
	f.low_pct = 0.04;
	ck_assert_str_eq(report_figure_words(&f, buf, sizeof(buf)),
			 "+ r/s of x 1234 -> 1500, +21.6 % (+0.0 to +25.0)");
	f.v.is = DIFFERENCE_UNDECIDED;
	f.low_pct = -82.5;
	ck_assert_str_eq(report_figure_words(&f, buf, sizeof(buf)),
			 "? r/s of x 1234 -> 1500, +21.6 % (-82.5 to +25.0), "
			 "undecided");
	f.v.why = "too few intervals";
	f.after = f.change_pct = f.low_pct = f.high_pct = NAN;
	f.v.d.n_b = 0;
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
	format->print(r, log_reader_header(log), format->how, out);
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
	tcase_add_test(t, test_missed);
	tcase_add_test(t, test_units_of_many);
	tcase_add_test(t, test_traced_percentiles);
	tcase_add_test(t, test_idle_devices);
	tcase_add_test(t, test_no_figures);
	tcase_add_test(t, test_percentiles);
	tcase_add_test(t, test_steady);
	tcase_add_test(t, test_totals_on_screen);
	tcase_add_test(t, test_job_set);
	tcase_add_test(t, test_assertions);
	tcase_add_test(t, test_assertion_is_clean);
	tcase_add_test(t, test_line_begins_after_ramp);
	tcase_add_test(t, test_cross_check);
	tcase_add_loop_test(t, test_check, 0, ARRAY_SIZE(check_rows));
	tcase_add_loop_test(t, test_check_look, 0, 2);
	tcase_add_test(t, test_check_many);
	tcase_add_loop_test(t, test_check_order, 0, 2);
	tcase_add_test(t, test_check_stall);
	tcase_add_test(t, test_check_shares);
	tcase_add_test(t, test_assertion_of_each);
	tcase_add_test(t, test_all_checks);
	tcase_add_test(t, test_effect);
	tcase_add_test(t, test_many_turns);
	tcase_add_test(t, test_words);
	tcase_add_test(t, test_golden);
	suite_add_tcase(suite, t);
}
