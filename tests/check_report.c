/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/report: statistics, windows, effects and the printed reports.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Our own word for it is in base/fail.h. */
#undef fail

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "record/log.h"
#include "report/report.h"
#include "report/stats.h"

/* The macros of libcheck use the attribute's name. */
#undef unused

/* Uniform in [0, 1), the same in every run. */
static double uniform(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 0x1p53;
}

static double normal(uint64_t *state)
{
	double u = 1 - uniform(state), v = uniform(state);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Expected values worked out by hand from the formulas in stats.h. */
START_TEST(test_series)
{
	const double x[] = { 10, 12, NAN, 9, 11, 13, 10 };
	const double rise[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	struct series_stats s = series_stats(x, ARRAY_SIZE(x));

	/* r1 < 0 is held at 0, so neff = n and v = s^2 / n. */
	ck_assert_uint_eq(s.n, 6);
	ck_assert_double_eq_tol(s.mean, 65.0 / 6, 1e-12);
	ck_assert_double_eq_tol(s.n_eff, 6, 1e-12);
	ck_assert_double_eq_tol(s.mean_var, 2.166666666666667 / 6, 1e-12);
	/* r1 = 0.7, r = 0.7 + 3.8 / 10 held at 0.99; neff held at 2. */
	s = series_stats(rise, ARRAY_SIZE(rise));
	ck_assert_double_eq_tol(s.n_eff, 2, 1e-12);
	ck_assert_double_eq_tol(s.mean_var, 8.25, 1e-12);
	s = series_stats(rise, 2);
	ck_assert_double_nan(s.n_eff);
	s = series_stats(NULL, 0);
	ck_assert_double_nan(s.mean);
}
END_TEST

/* The quantile comes from integrating Student's density numerically. */
START_TEST(test_welch)
{
	const struct series_stats a = { 10, 20.0, 10, 0.4 },
				  b = { 20, 24.0, 20, 0.1 };
	struct figure f = { 0 };

	/* df = 0.25 / (0.16/9 + 0.01/19) = 13.6581; t = 2.14983 */
	stats_compare(&a, &b, &f);
	ck_assert_double_eq_tol(f.change_pct, 20, 1e-9);
	ck_assert_double_eq_tol(f.high_pct - f.low_pct, 15.2016, 1e-3);
	ck_assert_int_eq(f.verdict, VERDICT_HIGHER);
	stats_compare(&b, &a, &f);
	ck_assert_int_eq(f.verdict, VERDICT_LOWER);
	stats_compare(&a, &a, &f);
	ck_assert_int_eq(f.verdict, VERDICT_SAME);
}
END_TEST

START_TEST(test_degenerate)
{
	const double same[] = { 4096, 4096, 4096 },
		     big[] = { 8192, 8192, 8192 };
	const double zero[] = { 0, 0, 0 };
	struct series_stats s = series_stats(same, 3), b = series_stats(big, 3);
	struct series_stats z = series_stats(zero, 3), two;
	struct figure f = { 0 };

	stats_compare(&s, &b, &f);
	ck_assert_int_eq(f.verdict, VERDICT_HIGHER);
	ck_assert_double_eq(f.change_pct, 100);
	stats_compare(&s, &s, &f);
	ck_assert_int_eq(f.verdict, VERDICT_SAME);
	stats_compare(&z, &b, &f);
	ck_assert_int_eq(f.verdict, VERDICT_HIGHER);
	ck_assert_double_nan(f.change_pct);
	two = series_stats(same, 2);
	stats_compare(&two, &b, &f);
	ck_assert_int_eq(f.verdict, VERDICT_UNKNOWN);
	ck_assert_double_nan(f.low_pct);
}
END_TEST

/* How often series of one process (AR(1)) are told apart, in 1000 pairs. */
static unsigned false_positives(double phi, size_t n, double shift)
{
	uint64_t state = 88172645463325252ull;
	unsigned found = 0;

	for (int trial = 0; trial < 1000; trial++) {
		double x[120], v = normal(&state) / sqrt(1 - phi * phi);
		struct series_stats a, b;
		struct figure f = { 0 };

		for (size_t i = 0; i < 2 * n; i++) {
			x[i] = 100 + v + (i < n ? 0 : shift);
			v = phi * v + normal(&state);
		}
		a = series_stats(x, n);
		b = series_stats(x + n, n);
		stats_compare(&a, &b, &f);
		found += f.verdict != VERDICT_SAME;
	}
	return found;
}

START_TEST(test_false_positives)
{
	static const double phis[] = { 0, 0.3, 0.6, 0.8 };
	static const size_t sizes[] = { 5, 12, 20, 30, 60 };

	for (size_t p = 0; p < ARRAY_SIZE(phis); p++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
			unsigned n = false_positives(phis[p], sizes[s], 0);

			ck_assert_msg(n < 100,
				      "%u of 1000 at phi %g with %zu values", n,
				      phis[p], sizes[s]);
		}
	/* And a real difference is seen. */
	ck_assert_uint_gt(false_positives(0, 12, 3), 950);
	ck_assert_uint_gt(false_positives(0.3, 60, 3), 990);
}
END_TEST

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
	report_free(r);
	frame_free(&f);
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
	ck_assert_uint_eq(n, 1024);
	j = report_summary_json(r, true);
	ck_assert_double_eq(json_get_number(j, "turns_left_out"), 2500 - 1024);
	ck_assert_uint_eq(json_length(json_get(j, "segment")), 256);
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
			 "r/s of x 1234 -> 1500, +21.6 % (95 % CI +18.1 to "
			 "+25.0)");
	f.verdict = VERDICT_SAME;
	f.low_pct = -0.01;
	ck_assert_str_eq(report_figure_words(&f, buf, sizeof(buf)),
			 "r/s of x 1234 -> 1500, no difference that 12 "
			 "intervals could show (95 % CI +0.0 to +25.0)");
	f.verdict = VERDICT_UNKNOWN;
	f.after = f.low_pct = f.high_pct = NAN;
	f.n_after = 0;
	ck_assert_str_eq(report_figure_words(&f, buf, sizeof(buf)),
			 "r/s of x 1234 -> -, too few intervals to tell "
			 "(5 before, 0 after)");
}
END_TEST

/*
 * A log printed in every format is what logs/NAME.FORMAT holds; with UPDATE=1
 * in the environment that file is written anew.
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
	if (getenv("UPDATE")) {
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
	ck_assert_str_eq(got, want);
	free(got);
	frame_free(&f);
	report_free(r);
	log_reader_free(log);
}

START_TEST(test_golden)
{
	static const char *const names[] = { "turns", "record" };

	ck_assert_ptr_null(report_format_find("no"));
	for (size_t n = 0; n < ARRAY_SIZE(names); n++)
		for (size_t i = 0; i < n_report_formats; i++)
			check_golden(names[n], &report_formats[i]);
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("report");
	Suite *s = suite_create("report");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_series);
	tcase_add_test(t, test_welch);
	tcase_add_test(t, test_degenerate);
	tcase_add_test(t, test_false_positives);
	tcase_add_test(t, test_totals);
	tcase_add_test(t, test_percentiles);
	tcase_add_test(t, test_effect);
	tcase_add_test(t, test_many_turns);
	tcase_add_test(t, test_words);
	tcase_add_test(t, test_golden);
	suite_add_tcase(s, t);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
