/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of what compares: judgements, segments of a run, two runs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"
#include "report/segment.h"
#include "test.h"

/* A run of a second per frame. */
struct run {
	struct report *report;
	struct frame frame;
	const char *job, *disk;
	double t_s;
	unsigned seed;
	double slowest_ns, stall_ns; /* of each interval; 0: unknown */
	enum event_by by;
};

static void run_open(struct run *r, const char *job, const char *disk)
{
	memset(r, 0, sizeof(*r));
	r->report = report_new();
	r->job = job;
	r->disk = disk;
	r->seed = 1;
	r->by = BY_OPERATOR;
}

static void run_close(struct run *r)
{
	report_free(r->report);
	frame_free(&r->frame);
}

static void set(struct run *r, enum schema_id id, const char *row,
		const char *key, double v)
{
	struct row *to = (struct row *)frame_find(&r->frame, id, row);

	if (!to)
		to = frame_add_row(&r->frame, id, row);
	to->value[schema_field(id, key)].number = v;
}

/* -1 to 1, the same in every run of the test. */
static double noise(struct run *r)
{
	r->seed = r->seed * 1103515245u + 12345u;
	return (double)(r->seed >> 16 & 0x7fff) / 0x4000 - 1;
}

static void add_event(struct run *r, enum event_kind kind, const char *value)
{
	struct event e = { .kind = kind, .t_s = r->t_s - 0.5 };

	text_copy(e.device, sizeof(e.device), r->disk);
	text_copy(e.knob, sizeof(e.knob), "scheduler");
	text_copy(e.old_value, sizeof(e.old_value), "none");
	text_copy(e.new_value, sizeof(e.new_value), value);
	e.by = r->by;
	text_copy(e.text, sizeof(e.text), value);
	frame_add_event(&r->frame, &e);
}

/* So many intervals at that rate and p99, with 2 % of noise. */
static void run_for(struct run *r, int frames, double iops, double p99_ns,
		    enum event_kind kind, const char *value)
{
	for (int i = 0; i < frames; i++) {
		double v = iops * (1 + 0.02 * noise(r));

		frame_reset(&r->frame);
		r->t_s += 1;
		r->frame.t_s = r->t_s;
		r->frame.interval_s = 1;
		frame_add_row(&r->frame, SCHEMA_JOB, r->job)
			->value[schema_field(SCHEMA_JOB, "phase")]
			.text = "run";
		set(r, SCHEMA_JOB, r->job, "read_iops", v);
		set(r, SCHEMA_JOB, r->job, "read_bytes_per_s", v * 4096);
		set(r, SCHEMA_JOB, r->job, "read_p99_ns",
		    p99_ns * (1 + 0.02 * noise(r)));
		set(r, SCHEMA_DEVICE, r->disk, "read_iops", v);
		set(r, SCHEMA_DEVICE, r->disk, "read_bytes_per_s", v * 4096);
		set(r, SCHEMA_DEVICE, r->disk, "read_await_ns", p99_ns / 2);
		if (r->slowest_ns > 0)
			set(r, SCHEMA_JOB, r->job, "read_max_ns",
			    r->slowest_ns);
		if (r->stall_ns > 0)
			set(r, SCHEMA_DEVICE, r->disk, "stall_ns", r->stall_ns);
		for (int cpu = 0; cpu < 3; cpu++) {
			static const char *const ids[] = { "all", "0", "1" };

			set(r, SCHEMA_CPU, ids[cpu], "user_pct", 10);
			set(r, SCHEMA_CPU, ids[cpu], "nice_pct", 0);
			set(r, SCHEMA_CPU, ids[cpu], "system_pct", 15);
			set(r, SCHEMA_CPU, ids[cpu], "irq_pct", 0);
		}
		if (i == 0 && value)
			add_event(r, kind, value);
		report_add(r->report, &r->frame);
	}
}

static const struct effect *last_effect(struct run *r)
{
	size_t n;
	const struct effect *e = report_effects(r->report, &n);

	ck_assert_uint_gt(n, 0);
	return &e[n - 1];
}

static const struct figure *find(const struct effect *e, const char *key)
{
	for (size_t i = 0; i < e->n_figures; i++)
		if (!strcmp(effect_figure_field(&e->figure[i])->key, key))
			return &e->figure[i];
	ck_abort_msg("no figure %s", key);
	return NULL;
}

/* What a turn did to rate and p99, and what is said of it. */
static const struct {
	double iops, p99_ns;
	enum judgement judgement;
	const char *words;
} judged[] = {
	{ 1500, 1e6, JUDGED_BETTER, "better: r/s +" },
	{ 1000, 0.5e6, JUDGED_BETTER, "better: r_p99 -" },
	{ 700, 1e6, JUDGED_WORSE, "worse: r/s -" },
	{ 700, 3e6, JUDGED_WORSE, "worse: r_p99 +" },
	{ 1500, 3e6, JUDGED_MIXED, "mixed result: r/s +" },
	{ 1000, 1e6, JUDGED_SAME, "undecided: " },
};

START_TEST(turns_are_judged)
{
	const struct effect *e;
	const struct figure *cpu;
	struct run r;

	run_open(&r, "j", "loop0");
	run_for(&r, 20, 1000, 1e6, EVENT_KINDS, NULL);
	run_for(&r, 2, judged[_i].iops, judged[_i].p99_ns, EVENT_KNOB, "bfq");
	e = last_effect(&r);
	ck_assert_int_eq(e->judgement, JUDGED_UNKNOWN);
	ck_assert_ptr_nonnull(strstr(e->sentence, "too few"));
	run_for(&r, 20, judged[_i].iops, judged[_i].p99_ns, EVENT_KINDS, NULL);
	e = last_effect(&r);
	ck_assert_msg(e->judgement == judged[_i].judgement, "%s", e->sentence);
	ck_assert_msg(!strncmp(e->sentence, judged[_i].words,
			       strlen(judged[_i].words)),
		      "%s", e->sentence);
	/* 25 % of two CPUs for as many 4 KiB as there were. */
	cpu = find(e, "cpu_ns_per_mib");
	ck_assert_double_eq_tol(cpu->before, 0.5e9 / (1000 / 256.0), 5e6);
	ck_assert_int_eq(cpu->better, -1);
	ck_assert(!cpu->judged);
	run_close(&r);
}
END_TEST

/* One of two jobs is changed; the other one loses 30 % by that. */
static void two_jobs(struct run *r, int frames, double a, double b,
		     const struct event *change)
{
	const double iops[] = { a, b };

	for (int i = 0; i < frames; i++) {
		frame_reset(&r->frame);
		r->frame.t_s = r->t_s += 1;
		r->frame.interval_s = 1;
		for (int k = 0; k < 2; k++) {
			const char *name = k ? "b" : "a";

			frame_add_row(&r->frame, SCHEMA_JOB, name)
				->value[schema_field(SCHEMA_JOB, "phase")]
				.text = "run";
			set(r, SCHEMA_JOB, name, "run_s", r->t_s);
			set(r, SCHEMA_JOB, name, "read_iops",
			    iops[k] * (1 + 0.02 * noise(r)));
		}
		if (i == 0 && change) {
			struct event e = *change;

			e.t_s = r->t_s - 0.5;
			frame_add_event(&r->frame, &e);
		}
		report_add(r->report, &r->frame);
	}
}

/* A change of the load, the rates of both jobs after it, and the verdict. */
static const struct {
	struct event change;
	double a, b;
	enum judgement judgement;
	const char *words; /* the start of the sentence, and a part of it */
	const char *part;
} orders[] = {
	{ { .kind = EVENT_JOB_SET, .job = "a", .knob = "rate_iops",
	    .old_value = "0", .new_value = "500", .by = BY_OPERATOR },
	  500, 700, JUDGED_WORSE, "worse: r/s of b -",
	  "; as ordered: r/s of a -" },
	{ { .kind = EVENT_JOB_SET, .job = "a", .knob = "iodepth",
	    .old_value = "1", .new_value = "8", .by = BY_PLAN },
	  2000, 1000, JUDGED_SAME, "undecided: r/s of b ",
	  "; as ordered: r/s of a +" },
	{ { .kind = EVENT_JOB_STOP, .job = "a", .by = BY_OPERATOR },
	  1, 1400, JUDGED_BETTER, "better: r/s of b +",
	  "; as ordered: r/s of a -" },
	/* A setting that could not be made orders nothing. */
	{ { .kind = EVENT_JOB_SET, .job = "a", .knob = "rate_iops",
	    .old_value = "0", .new_value = "500", .by = BY_OPERATOR,
	    .error = EINVAL },
	  500, 1000, JUDGEMENTS, NULL, NULL },
};

START_TEST(own_load_is_ordered)
{
	const struct effect *e;
	struct effect chosen;
	struct json *j, *list;
	struct run r;
	char words[512];
	size_t n;

	run_open(&r, "a", "loop0");
	two_jobs(&r, 20, 1000, 1000, NULL);
	two_jobs(&r, 20, orders[_i].a, orders[_i].b, &orders[_i].change);
	if (!orders[_i].words) {
		report_effects(r.report, &n);
		ck_assert_uint_eq(n, 0);
		run_close(&r);
		return;
	}
	e = last_effect(&r);
	ck_assert_msg(e->judgement == orders[_i].judgement, "%s", e->sentence);
	ck_assert_msg(!strncmp(e->sentence, orders[_i].words,
			       strlen(orders[_i].words)),
		      "%s", e->sentence);
	ck_assert_msg(strstr(e->sentence, orders[_i].part), "%s", e->sentence);
	/* Two segments that were chosen know the change between them. */
	ck_assert(report_compare(r.report, 1, r.report, 2, &chosen));
	ck_assert_str_eq(chosen.sentence, e->sentence);
	for (size_t i = 0; i < e->n_figures; i++) {
		const struct figure *f = &e->figure[i];
		bool a = !strcmp(f->row, "a");

		ck_assert_int_eq(f->ordered, a);
		if (!a)
			continue;
		ck_assert(!f->judged);
		ck_assert_int_eq(effect_figure_sign(f), ' ');
		ck_assert_ptr_nonnull(strstr(
			report_figure_words(f, words, sizeof(words)),
			f->after > f->before ? ", higher, as ordered"
					     : ", lower, as ordered"));
	}
	j = report_summary_json(r.report, true);
	list = json_get(json_at(json_get(j, "effect"), 0), "figure");
	for (size_t i = 0; i < json_length(list); i++)
		ck_assert_int_eq(
			json_get(json_at(list, i), "ordered") != NULL,
			!strcmp(json_get_string(json_at(list, i), "id"), "a"));
	json_free(j);
	run_close(&r);
}
END_TEST

/* half: of the interval, in per cent. */
static struct figure figure_of(double change_pct, double half, int better)
{
	return (struct figure){
		.schema = SCHEMA_JOB,
		.field = schema_field(SCHEMA_JOB, "read_iops"),
		.row = "j",
		.change_pct = change_pct,
		.low_pct = change_pct - half,
		.high_pct = change_pct + half,
		.v = { .d.p = exp(-fabs(change_pct / half)),
		       .is = fabs(change_pct) < half ? DIFFERENCE_UNDECIDED
			     : change_pct > 0        ? DIFFERENCE_BETTER
						     : DIFFERENCE_WORSE },
		.better = better,
		.more = fabs(change_pct) < half ? 20 : 0,
		.judged = true,
		.step = true,
	};
}

/* The judgement follows from the intervals; it never contradicts one. */
START_TEST(judgement_follows_the_intervals)
{
	struct effect e = { 0 };

	e.figure[0] = figure_of(5, 3, 1);
	e.n_figures = 1;
	effects_judge(&e);
	ck_assert_int_eq(e.judgement, JUDGED_BETTER);
	/* Without a step, or without a load of iodyno, nothing is a cause. */
	e.figure[0].step = false;
	e.event.by = BY_OPERATOR;
	e.jobs = true;
	effects_judge(&e);
	ck_assert_int_eq(e.judgement, JUDGED_SINCE);
	ck_assert_str_eq(e.sentence, "since then: r/s +5.0 % (+2.0 to +8.0); "
				     "the turn may not be the cause");
	e.jobs = false;
	effects_judge(&e);
	ck_assert_ptr_nonnull(strstr(e.sentence, "no job of iodyno ran"));
	for (size_t i = 0; i < 10; i++)
		e.figure[i] = figure_of(1, 4, 1);
	e.n_figures = 10;
	effects_judge(&e);
	ck_assert_int_eq(e.judgement, JUDGED_SAME);
	ck_assert_str_eq(e.sentence,
			 "undecided: r/s +1.0 % (-3.0 to +5.0); the change is "
			 "below 5.0 %; about 20 more intervals on each "
			 "side would decide");
	/* A bound without meaning is no number, and excludes nothing. */
	for (size_t i = 0; i < 10; i++)
		e.figure[i].high_pct = 7e8;
	effects_judge(&e);
	ck_assert_msg(strstr(e.sentence, "(-3.0 to >x999)") &&
			      !strstr(e.sentence, "excluded"),
		      "%s", e.sentence);
	for (size_t i = 0; i < 10; i++)
		e.figure[i] = figure_of(1, 4, 1);
	e.figure[3] = figure_of(-9, 2, 1);
	e.figure[4] = figure_of(9, 3, 1);
	effects_judge(&e);
	ck_assert_msg(e.judgement == JUDGED_MIXED, "%s", e.sentence);
	e.figure[4] = figure_of(9, 10, 1);
	effects_judge(&e);
	ck_assert_int_eq(e.judgement, JUDGED_WORSE);
	/* What has no direction, or is not judged, says nothing. */
	e.figure[3].better = 0;
	effects_judge(&e);
	ck_assert_int_eq(e.judgement, JUDGED_SAME);
	e.figure[3].better = 1;
	e.figure[3].judged = false;
	effects_judge(&e);
	ck_assert_int_eq(e.judgement, JUDGED_SAME);
	e.n_figures = 0;
	effects_judge(&e);
	ck_assert_int_eq(e.judgement, JUDGED_UNKNOWN);
	ck_assert_ptr_nonnull(strstr(e.sentence, "nothing was measured"));
}
END_TEST

/* Each figure that a change reports has its interval at one level, and its
 * sign and verdict say where that lies. */
START_TEST(one_standard)
{
	const struct effect *e;
	struct run r;

	run_open(&r, "j", "loop0");
	run_for(&r, 8, 36946, 1e6, EVENT_KINDS, NULL);
	run_for(&r, 8, 735, 1.001e6, EVENT_KNOB, "bfq");
	e = last_effect(&r);
	ck_assert_int_eq(e->judgement, JUDGED_WORSE);
	ck_assert_double_lt(find(e, "read_iops")->high_pct, -90);
	ck_assert_int_eq(effect_figure_sign(find(e, "read_iops")), '-');
	ck_assert_int_eq(effect_figure_sign(find(e, "read_p99_ns")), '?');
	for (size_t i = 0; i < e->n_figures; i++) {
		const struct figure *f = &e->figure[i];

		ck_assert(isfinite(f->low_pct) && isfinite(f->high_pct));
		ck_assert_int_eq(judge_sign(&f->v),
				 (f->low_pct > 0) - (f->high_pct < 0));
	}
	ck_assert(find(e, "read_iops")->few);
	run_close(&r);
}
END_TEST

/* What the change itself cost is not lost with its interval. */
START_TEST(cost_of_a_change)
{
	const struct effect *e;
	char words[200];
	struct run r;

	run_open(&r, "scan", "loop0");
	run_for(&r, 5, 1000, 1e6, EVENT_KINDS, NULL);
	r.slowest_ns = 226e6;
	r.stall_ns = 20e6;
	run_for(&r, 1, 1000, 1e6, EVENT_KNOB, "bfq");
	r.slowest_ns = 3e6;
	r.stall_ns = 0;
	run_for(&r, 5, 1000, 1e6, EVENT_KINDS, NULL);
	e = last_effect(&r);
	ck_assert_double_eq(e->cost.slowest_ns, 226e6);
	ck_assert_str_eq(effect_cost_words(&e->cost, words, sizeof(words)),
			 "slowest I/O meanwhile 226ms (scan), loop0 "
			 "completed nothing for 20.0ms");
	run_close(&r);
}
END_TEST

/* Neighbours of an experiment in random order are not meant to be compared. */
START_TEST(experiments_are_left_alone)
{
	struct run r;
	size_t n;

	run_open(&r, "j", "loop0");
	r.by = BY_SWEEP;
	run_for(&r, 5, 1000, 1e6, EVENT_KINDS, NULL);
	run_for(&r, 5, 2000, 1e6, EVENT_KNOB, "bfq");
	report_effects(r.report, &n);
	ck_assert_uint_eq(n, 0);
	report_segments(r.report, &n);
	ck_assert_uint_eq(n, 3);
	run_close(&r);
}
END_TEST

/* Names of any length fit, or are cut; nothing is written beyond. */
START_TEST(long_names_fit)
{
	struct effect e = { 0 };

	for (size_t i = 0; i < EFFECT_FIGURES; i++) {
		e.figure[i] = figure_of(i % 2 ? 12345678.9 : -5, 1, 1);
		memset(e.figure[i].row, 'a' + (char)i,
		       sizeof(e.figure[i].row) - 1);
	}
	e.n_figures = EFFECT_FIGURES;
	effects_judge(&e);
	ck_assert_int_eq(e.judgement, JUDGED_MIXED);
	ck_assert_uint_lt(strlen(e.sentence), sizeof(e.sentence));
}
END_TEST

START_TEST(segments_of_a_run)
{
	const struct segment_info *s;
	struct effect e;
	struct run r;
	size_t n;

	run_open(&r, "j", "loop0");
	ck_assert_ptr_null(report_segments(r.report, &n));
	ck_assert(!report_compare(r.report, 0, r.report, 0, &e));
	run_for(&r, 10, 1000, 1e6, EVENT_KINDS, NULL);
	run_for(&r, 10, 1500, 1e6, EVENT_KNOB, "bfq");
	run_for(&r, 100, 1500, 2e6, EVENT_MARK, "second pass");
	s = report_segments(r.report, &n);
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(s[0].intervals, 119);
	ck_assert_double_eq(s[0].from_s, 0);
	ck_assert_double_eq(s[0].to_s, 120);
	/* The first frame may be partly ramp: it is not counted. */
	ck_assert_uint_eq(s[1].intervals, 10);
	ck_assert_double_eq(s[1].to_s, 10.5);
	ck_assert_str_eq(s[2].words, "loop0.scheduler=bfq");
	ck_assert_uint_eq(s[2].intervals, 9);
	ck_assert_str_eq(s[3].words, "mark: second pass");
	/* No interval is lost at a mark. */
	ck_assert_uint_eq(s[3].intervals, 100);
	ck_assert(report_compare(r.report, 1, r.report, 2, &e));
	ck_assert_int_eq(e.judgement, JUDGED_BETTER);
	ck_assert_double_eq_tol(find(&e, "read_iops")->change_pct, 50, 3);
	ck_assert_uint_eq(find(&e, "read_iops")->v.d.n_b, 9);
	ck_assert(report_compare(r.report, 2, r.report, 3, &e));
	ck_assert_int_eq(e.judgement, JUDGED_WORSE);
	ck_assert_uint_eq(find(&e, "read_p99_ns")->v.d.n_b, 100);
	ck_assert_double_eq_tol(find(&e, "read_await_ns")->change_pct, 100,
				1e-6);
	ck_assert(!report_compare(r.report, 1, r.report, 4, &e));
	run_close(&r);
}
END_TEST

/* Job and disk have other names: they are still the only ones. */
START_TEST(two_runs)
{
	struct run a, b;
	struct effect e;

	run_open(&a, "seq", "vda");
	run_open(&b, "seq2", "nvme0n1");
	run_for(&a, 30, 1000, 1e6, EVENT_KINDS, NULL);
	run_for(&b, 30, 3000, 1e6, EVENT_KINDS, NULL);
	ck_assert(report_compare(a.report, 0, b.report, 0, &e));
	/* One run on a side proves nothing. */
	ck_assert_int_eq(e.judgement, JUDGED_SINCE);
	ck_assert(!strncmp(e.sentence, "differs: r/s +", 14));
	ck_assert_str_eq(find(&e, "read_iops")->row, "seq");
	ck_assert_double_eq_tol(find(&e, "read_iops")->change_pct, 200, 5);
	ck_assert_double_eq_tol(find(&e, "read_await_ns")->change_pct, 0, 1e-6);
	run_close(&a);
	run_close(&b);
}
END_TEST

/* However often somebody turns, memory stays bounded, and the summary says
 * what was left out. */
START_TEST(segments_are_bounded)
{
	struct json *j;
	struct run r;
	size_t n;

	run_open(&r, "j", "d");
	for (int i = 0; i < 1100; i++)
		run_for(&r, 2, 1000, 1e6, EVENT_MARK, "m");
	report_segments(r.report, &n);
	ck_assert_uint_eq(n, 1 + 1024);
	j = report_summary_json(r.report, true);
	ck_assert_double_eq(json_get_number(j, "segments_left_out"),
			    1100 - 1023);
	json_free(j);
	run_close(&r);
}
END_TEST

/* A row for each of many devices and jobs; none is dropped. */
START_TEST(no_row_is_dropped)
{
	struct frame f = { 0 };
	struct report *r = report_new();
	struct effect e;
	struct json *j;

	for (int t = 1; t < 8; t++) {
		frame_reset(&f);
		f.t_s = t;
		f.interval_s = 1;
		for (int i = 0; i < 400; i++) {
			char name[32];
			struct row *row;

			snprintf(name, sizeof(name), "job%d", i);
			row = frame_add_row(&f, SCHEMA_JOB, name);
			row->value[schema_field(SCHEMA_JOB, "phase")].text =
				"run";
			row->value[schema_field(SCHEMA_JOB, "read_iops")]
				.number = 5 + i + t % 2;
		}
		report_add(r, &f);
	}
	j = report_summary_json(r, true);
	ck_assert_uint_eq(json_length(json_get(j, "job")), 400);
	json_free(j);
	ck_assert(report_compare(r, 0, r, 1, &e));
	ck_assert_uint_gt(e.n_figures, 0);
	report_free(r);
	frame_free(&f);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("compare");

	tcase_add_loop_test(tc, turns_are_judged, 0, ARRAY_SIZE(judged));
	tcase_add_loop_test(tc, own_load_is_ordered, 0, ARRAY_SIZE(orders));
	tcase_add_test(tc, judgement_follows_the_intervals);
	tcase_add_test(tc, one_standard);
	tcase_add_test(tc, cost_of_a_change);
	tcase_add_test(tc, experiments_are_left_alone);
	tcase_add_test(tc, long_names_fit);
	tcase_add_test(tc, segments_of_a_run);
	tcase_add_test(tc, two_runs);
	tcase_add_test(tc, segments_are_bounded);
	tcase_add_test(tc, no_row_is_dropped);
	suite_add_tcase(suite, tc);
}
