/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/report/pivot: runs from lines, cells, verdicts, what is merged.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/stats/probability.h"
#include "report/page.h"
#include "report/pivot/pivot.h"
#include "test.h"

static struct runs runs;

static void add_line(const char *type, const char *text)
{
	struct json *j;

	ck_assert_int_eq(json_parse(text, strlen(text), &j), 0);
	runs_add_line(&runs, type, j);
	json_free(j);
}

static void begin(const char *name, const char *kernel)
{
	char text[512];

	runs_add_log(&runs, name);
	snprintf(text, sizeof(text),
		 "{\"type\":\"header\",\"boot_id\":\"%s\",\"host\":{\"name\":"
		 "\"m\",\"kernel\":\"%s\"},\"device\":[{\"id\":\"d\","
		 "\"size_bytes\":4096,\"knobs\":{\"nr_requests\":\"128\"}}]}",
		 name, kernel);
	add_line("header", text);
}

/* extra: more members, each with a comma before it. */
static void result(const char *scheduler, unsigned block, double iops,
		   const char *extra)
{
	static unsigned run;
	char text[512];

	snprintf(text, sizeof(text),
		 "{\"point\":{\"scheduler\":\"%s\"},\"block\":%u,\"run\":%u,"
		 "\"job\":[{\"id\":\"j\",\"read_ios\":%g,\"read_iops\":%.17g,"
		 "\"read_p99_ns\":%.17g}]%s}",
		 scheduler, block, ++run, iops * 10, iops, 1e9 / iops, extra);
	add_line("result", text);
}

/* The published vectors V1 and V5 of three schedulers in five blocks. */
static void five_blocks(void)
{
	static const double a[] = { 412, 398, 405, 371, 409 };
	static const double b[] = { 431, 420, 411, 399, 426 };
	static const double c[] = { 410, 401, 403, 374, 407 };

	add_line("plan", "{\"axis\":[{\"key\":\"scheduler\",\"values\":["
			 "\"none\",\"mq-deadline\",\"kyber\"]}]}");
	for (unsigned i = 0; i < 5; i++) {
		result("kyber", i + 1, c[i], "");
		result("none", i + 1, a[i], "");
		result("mq-deadline", i + 1, b[i],
		       ",\"knobs\":{\"d.nr_requests\":\"256\"}");
	}
}

static void close_to(double got, double want)
{
	ck_assert_msg(fabs(got - want) < 1e-5 * fmax(1, fabs(want)),
		      "%.9g, not %.9g", got, want);
}

static void make(struct pivot *p, struct pivot_options *o)
{
	ck_assert_msg(pivot_make(p, &runs, o) == 0, "%s", fail_sentence());
}

static char *printed(const struct pivot *p, const char *name)
{
	const struct report_format *format = report_format_find(name);
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	format->pivot(p, format->how, out);
	fclose(out);
	return text;
}

START_TEST(test_paired)
{
	struct pivot_options o = { .metric = "read_iops", .margin = 0.02 };
	const struct pivot_cell *c;
	struct pivot p;

	begin("a", "6.12");
	five_blocks();
	make(&p, &o);
	/* In the plan's order, not in that of the runs. */
	ck_assert_str_eq(p.cols.head[0].name, "none");
	ck_assert_str_eq(p.cols.head[2].name, "kyber");
	ck_assert(p.list);
	ck_assert_uint_eq(p.n_tables, 1);
	ck_assert_uint_eq(p.n_blocks, 5);
	ck_assert_uint_eq(p.family, 2);
	c = pivot_cell(&p, p.table, 0, 1);
	ck_assert_int_eq(c->v.d.method, DIFFERENCE_PAIRED);
	close_to(exp(c->v.d.diff), 1.046462);
	/* The interval has the level of Holm's step, 1 - .05 / 2. */
	close_to(c->v.d.low, c->v.d.diff - 3.495406 * c->v.d.se);
	close_to(c->v.level, 0.975);
	close_to(c->v.d.p, 0.008587);
	close_to(c->v.p, 2 * c->v.d.p); /* Holm of 2 */
	ck_assert_str_eq(judge_words(&c->v, p.table->better), "better");
	c = pivot_cell(&p, p.table, 0, 2);
	close_to(c->v.d.p, 0.959282);
	close_to(c->v.tost_p, 0.001608);
	ck_assert_str_eq(judge_words(&c->v, p.table->better), "equivalent");
	/* A setting that changed with the scheduler is named. */
	ck_assert_uint_eq(p.n_differ, 1);
	ck_assert_str_eq(p.differ[0].key, "d.nr_requests");
	ck_assert_str_eq(p.differ[0].words, "128 (none, kyber); 256 "
					    "(mq-deadline)");
	pivot_free(&p);
	/* Less is better: the same change is worse. */
	o = (struct pivot_options){ .metric = "job.j.read_p99_ns",
				    .base = "mq-deadline" };
	make(&p, &o);
	ck_assert_str_eq(
		judge_words(&pivot_cell(&p, p.table, 0, 0)->v,
			    p.table->better),
		"worse");
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* Without blocks the same values are not told apart: V2. */
START_TEST(test_welch)
{
	static const double a[] = { 412, 398, 405, 371, 409 };
	static const double b[] = { 431, 420, 411, 399, 426 };
	struct pivot_options o = { .metric = "read_iops", .cols = "scheduler" };
	const struct pivot_cell *c;
	struct pivot p;
	char *text;

	begin("a", "6.12");
	for (unsigned i = 0; i < 5; i++)
		result("none", 0, a[i], "");
	for (unsigned i = 0; i < 5; i++)
		result("mq-deadline", 0, b[i], "");
	make(&p, &o);
	c = pivot_cell(&p, p.table, 0, 1);
	ck_assert_int_eq(c->v.d.method, DIFFERENCE_WELCH);
	close_to(c->v.d.p, 0.091326);
	ck_assert_str_eq(judge_words(&c->v, p.table->better), "undecided");
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "not interleaved"));
	ck_assert_ptr_nonnull(strstr(text, "is below"));
	free(text);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* What a cell merges is named, and it gets no verdict; a filter cures it. */
START_TEST(test_merged)
{
	const char *filter[] = { "host=m" };
	struct pivot_options o = { .metric = "read_iops", .cols = "scheduler" };
	struct pivot p;
	char *text;

	begin("a", "6.12");
	five_blocks();
	begin("b", "6.12");
	add_line("header", "{\"host\":{\"name\":\"other\"}}");
	five_blocks();
	make(&p, &o);
	ck_assert_str_eq(p.merged[0], "host");
	ck_assert_str_eq(pivot_cell(&p, p.table, 0, 1)->v.why,
			 "merged over host");
	ck_assert_uint_eq(p.family, 0);
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "differ in host"));
	free(text);
	pivot_free(&p);
	o.filter = filter;
	o.n_filters = 1;
	make(&p, &o);
	ck_assert_ptr_null(p.merged[0]);
	ck_assert_str_eq(
		judge_words(&pivot_cell(&p, p.table, 0, 1)->v, p.table->better),
		"better");
	pivot_free(&p);
	/* As rows, both have their comparison, and a geometric mean. */
	o = (struct pivot_options){ .metric = "read_iops",
				    .rows = "host",
				    .cols = "scheduler" };
	make(&p, &o);
	ck_assert_uint_eq(p.rows.n, 2);
	ck_assert_uint_eq(p.family, 4);
	close_to(p.table->geomean[1].ratio, 1.046462);
	ck_assert_uint_eq(p.table->geomean[1].better, 2);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* Spoilt, failed and censored runs. */
START_TEST(test_left_out)
{
	struct pivot_options o = { .metric = "read_iops" };
	const struct pivot_cell *c;
	struct pivot p;
	char *text;

	begin("a", "6.12");
	five_blocks();
	result("none", 6, 9999,
	       ",\"invalid\":[\"F6\"],\"check\":[{\"id\":\"steal\","
	       "\"state\":\"spoilt\",\"sentence\":\"too much\"}]");
	result("none", 7, 399,
	       ",\"check\":[{\"id\":\"steal\",\"state\":\"note\","
	       "\"sentence\":\"a little\"}]");
	result("mq-deadline", 6, 1, ",\"state\":\"timeout\",\"limit_s\":120");
	result("kyber", 6, 1, ",\"state\":\"aborted\"");
	make(&p, &o);
	ck_assert_uint_eq(pivot_cell(&p, p.table, 0, 1)->skipped, 0);
	c = pivot_cell(&p, p.table, 0, 0);
	ck_assert_uint_eq(c->n, 6);
	ck_assert_uint_eq(c->runs, 7);
	/* Geometric, as the differences are. */
	close_to(c->m.mean, exp((log(412) + log(398) + log(405) + log(371) +
				 log(409) + log(399)) /
				6));
	ck_assert_ptr_nonnull(strstr(p.left_out, "F6"));
	ck_assert_uint_eq(p.lost, 1);
	/* Failures are seldom random. */
	ck_assert_str_eq(pivot_cell(&p, p.table, 0, 1)->v.why,
			 "a run failed");
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "6/7"));
	ck_assert_ptr_nonnull(strstr(text, "note steal in 1 of 2 runs: run "));
	ck_assert_ptr_nonnull(strstr(text, ": a little"));
	free(text);
	text = printed(&p, "mail");
	ck_assert_ptr_nonnull(strstr(text, "Notes of checks: steal in 1 of 2 "
					   "runs."));
	free(text);
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "(F6: "));
	free(text);
	pivot_free(&p);
	o.include_invalid = true;
	make(&p, &o);
	ck_assert_uint_eq(pivot_cell(&p, p.table, 0, 0)->n, 7);
	pivot_free(&p);
	runs_free(&runs);
	o.include_invalid = false;
	begin("a", "6.12");
	result("none", 0, 400, "");
	result("bfq", 0, 1, ",\"state\":\"failed\"");
	make(&p, &o);
	ck_assert_str_eq(pivot_cell(&p, p.table, 0, 1)->v.why,
			 "no run succeeded");
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* The result says that a log was cut short and that a run fails an assertion; a
 * sweep that went on was not cut short. */
START_TEST(test_ends)
{
	struct pivot_options o = { .metric = "read_iops" };
	struct pivot p;
	char *text;

	begin("a", "6.12");
	five_blocks();
	result("none", 6, 399,
	       ",\"assertion\":[{\"passed\":true,\"sentence\":\"good\"},"
	       "{\"passed\":false,\"sentence\":\"x is 5, asserted < 1\"}]");
	add_line("summary", "{\"ended_by\":\"SIGINT\"}");
	make(&p, &o);
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "\n  Interrupted: a was ended by "
					   "SIGINT; iodyno sweep "));
	ck_assert_ptr_nonnull(strstr(text, "\n  FAILED in 1 run: run "));
	ck_assert_ptr_nonnull(strstr(text, ": x is 5, asserted < 1.\n"));
	free(text);
	pivot_free(&p);
	add_line("attempt", "{}");
	make(&p, &o);
	text = printed(&p, "mail");
	ck_assert_ptr_null(strstr(text, "Interrupted"));
	free(text);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* Without a value of the base the other one has no verdict, and its runs are valid. */
START_TEST(test_base_left_out)
{
	struct pivot_options o = { .metric = "read_iops" };
	struct pivot p;

	begin("a", "6.12");
	for (unsigned block = 1; block <= 3; block++) {
		result("none", block, 400, ",\"invalid\":[\"F6\"]");
		result("mq-deadline", block, 500, "");
	}
	make(&p, &o);
	ck_assert_str_eq(pivot_cell(&p, p.table, 0, 1)->v.why,
			 "the base has no value (all runs are invalid)");
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* A run that the operator skipped has not failed; half of an interval of
 * thousands is in thousands. */
START_TEST(test_skipped)
{
	struct judge_mean m = { 0 };
	struct pivot_options o = { .metric = "read_iops" };
	const struct pivot_figure k = { 1e-3, "k" }, ms = { 1e-6, "ms" };
	struct pivot p;
	char *text;

	begin("a", "6.12");
	five_blocks();
	result("mq-deadline", 6, 1, ",\"state\":\"skipped\"");
	make(&p, &o);
	ck_assert_str_eq(pivot_cell(&p, p.table, 0, 1)->v.why,
			 "a run was skipped");
	text = printed(&p, "json");
	ck_assert_ptr_nonnull(strstr(text, "\"state\":\"skipped\""));
	free(text);
	pivot_free(&p);
	runs_free(&runs);
	m.high = 17866;
	m.low = -m.high;
	ck_assert_str_eq(pivot_figure_half(&k, &m).text, "18k");
	m.low = NAN;
	ck_assert_str_eq(pivot_figure_half(&k, &m).text, "-");
	m.low = 0;
	m.high = 9.2e6;
	ck_assert_str_eq(pivot_figure_half(&ms, &m).text, "4.6");
	/* On logs as a ratio, since its ends are not at the same distance. */
	m = (struct judge_mean){ .logs = true, .mean = 10, .low = 8,
				 .high = 12.5 };
	ck_assert_str_eq(pivot_figure_half(&ms, &m).text, "25 %");
	m.high = 30;
	ck_assert_str_eq(pivot_figure_half(&ms, &m).text, "x3");
}
END_TEST

/* Of kernels the boot is the observation: many runs of one boot are one. */
START_TEST(test_boots)
{
	struct pivot_options o = { .metric = "read_iops", .cols = "kernel" };
	struct pivot p;

	begin("boot1", "6.12");
	five_blocks();
	begin("boot2", "6.13");
	five_blocks();
	o.filter = (const char *const[]){ "scheduler=none" };
	o.n_filters = 1;
	make(&p, &o);
	ck_assert(p.boots);
	ck_assert_uint_eq(pivot_cell(&p, p.table, 0, 0)->n, 1);
	ck_assert_str_eq(pivot_cell(&p, p.table, 0, 1)->v.why,
			 "fewer than 3 boots");
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* A log of one run of a job. */
static void likely_log(const char *job, const char *knobs, const char *stranger)
{
	struct json *summary;
	char text[600];

	runs_add_log(&runs, "log");
	snprintf(text, sizeof(text),
		 "{\"host\":{\"name\":\"m\"},\"device\":[{\"id\":\"d\","
		 "\"size_bytes\":4096,\"knobs\":{%s}}%s],\"job\":[{\"name\":\"%s\","
		 "\"rw\":\"read\"}]}",
		 knobs, stranger, job);
	add_line("header", text);
	snprintf(text, sizeof(text),
		 "{\"job\":[{\"id\":\"%s\",\"read_ios\":9,\"read_iops\":9}],"
		 "\"device\":[{\"id\":\"d\",\"read_iops\":9}%s]}",
		 job, *stranger ? ",{\"id\":\"s\",\"read_iops\":1}" : "");
	ck_assert_int_eq(json_parse(text, strlen(text), &summary), 0);
	runs_add_whole(&runs, summary);
	json_free(summary);
}

/* Without axes the column is what was varied, not what another device has. */
START_TEST(test_likely)
{
	static const char stranger[] =
		",{\"id\":\"s\",\"size_bytes\":9,\"knobs\":{\"read_ahead_kb\":\"4\"}}";
	static const struct {
		const char *job[2], *knobs[2], *stranger, *cols;
	} form[] = {
		{ { "x", "x" }, { "\"nr\":\"1\"", "\"nr\":\"2\"" }, "", "d.nr" },
		{ { "x", "x" }, { "\"nr\":\"1\"", "\"nr\":\"1\"" }, stranger, "log" },
		{ { "x", "y" }, { "\"nr\":\"1\"", "\"nr\":\"1\"" }, stranger, "log" },
		{ { "x", "y" }, { "\"nr\":\"1\"", "\"nr\":\"2\"" }, "", "log" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(form); i++) {
		struct pivot_options o = { 0 };
		struct pivot p;

		likely_log(form[i].job[0], form[i].knobs[0], "");
		likely_log(form[i].job[1], form[i].knobs[1], form[i].stranger);
		make(&p, &o);
		ck_assert_str_eq(p.cols.title, form[i].cols);
		pivot_free(&p);
		runs_free(&runs);
	}
}
END_TEST

static void fits(const char *text, size_t columns)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), n = 0;

		for (size_t i = 0; i < len; i++)
			n += ((unsigned char)text[i] & 0xc0) != 0x80;
		ck_assert_msg(n <= columns, "%zu columns: %.*s", n, (int)len,
			      text);
		text += len + (text[len] == '\n');
	}
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* All forms, of a table with rows: the width, and JSON that is JSON. */
START_TEST(test_forms)
{
	struct pivot_options o = { .rows = "bs", .cols = "scheduler" };
	char point[256];
	struct pivot p;
	struct json *j;
	char *text;

	begin("a", "6.12");
	for (unsigned i = 0; i < 75; i++) {
		snprintf(point, sizeof(point),
			 "{\"point\":{\"scheduler\":\"s%u\",\"bs\":\"%uk\"},"
			 "\"block\":%u,\"run\":%u,\"job\":[{\"id\":\"j\","
			 "\"read_ios\":1000,\"read_iops\":%u,\"read_p99_ns\":"
			 "%u}]}",
			 i % 5, 4 << i / 5 % 5, i / 25 + 1, i,
			 50000 + 1000 * (i % 5) + i * 37 % 101,
			 2000000 + i * 41 % 997);
		add_line("result", point);
	}
	make(&p, &o);
	ck_assert_uint_eq(p.rows.n, 5);
	ck_assert_str_eq(p.rows.head[4].name, "64k");
	ck_assert_uint_eq(p.n_tables, 2);
	ck_assert_uint_eq(p.family, 40);
	text = printed(&p, "text");
	fits(text, 80);
	free(text);
	text = printed(&p, "mail");
	fits(text, 72);
	free(text);
	text = printed(&p, "json");
	ck_assert_int_eq(json_parse(text, strlen(text), &j), 0);
	ck_assert_uint_eq(json_length(json_get(j, "table")), 2);
	ck_assert_uint_eq(
		json_length(json_get(json_at(json_get(j, "table"), 0), "cell")),
		25);
	json_free(j);
	free(text);
	text = printed(&p, "csv-cells");
	ck_assert(!strncmp(text, "metric,better,bs,scheduler,n,", 29));
	free(text);
	/* A line per run and metric. */
	text = printed(&p, "csv");
	ck_assert_uint_eq(count_of(text, "\n"), 1 + 75 * 2);
	ck_assert_ptr_nonnull(
		strstr(text, "log,host,kernel,boot_id,bs,scheduler,block,run,"
			     "metric,unit,better,value,state,invalid\n"
			     "a,m,6.12,a,4k,s0,1,0,job.j.read_iops,1/s,1,"
			     "50000,done,\n"
			     "a,m,6.12,a,4k,s0,1,0,job.j.read_p99_ns,ns,-1,"
			     "2000000,done,\n"));
	free(text);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* What the plan does not name is no find. */
START_TEST(test_exploratory)
{
	struct pivot_options o = { .metric = NULL };
	const struct pivot_cell *c;
	struct pivot p;
	char *text;

	begin("a", "6.12");
	add_line("plan", "{\"metric\":\"iops\",\"axis\":[{\"key\":"
			 "\"scheduler\",\"values\":[\"none\",\"bfq\"]}]}");
	for (unsigned i = 0; i < 4; i++) {
		char extra[64];

		snprintf(extra, sizeof(extra), ",\"cpu\":[{\"id\":\"all\","
					       "\"user_pct\":%u}]", 10 + i);
		result("none", i + 1, 400 + i, extra);
		snprintf(extra, sizeof(extra), ",\"cpu\":[{\"id\":\"all\","
					       "\"user_pct\":%u}]", 30 + i);
		result("bfq", i + 1, 500 + 2 * i, extra);
	}
	o.metric = "cpu.all.user_pct,read_iops";
	make(&p, &o);
	ck_assert(p.planned);
	ck_assert_uint_eq(p.n_tables, 2);
	ck_assert_uint_eq(p.family, 1);
	c = pivot_cell(&p, &p.table[0], 0, 1);
	ck_assert_ptr_nonnull(strstr(c->v.why, "exploratory"));
	ck_assert(c->v.d.low > 0);
	c = pivot_cell(&p, &p.table[1], 0, 1);
	ck_assert_str_eq(judge_words(&c->v, p.table[1].better), "better");
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "no verdict: exploratory"));
	fits(text, 80);
	free(text);
	pivot_free(&p);
	/* By default: a rate and the p99 of each job, both judged. */
	o.metric = NULL;
	make(&p, &o);
	ck_assert_uint_eq(p.n_tables, 2);
	ck_assert_uint_eq(p.family, 2);
	pivot_free(&p);
	runs_free(&runs);
	/* Without a plan, verdicts say so. */
	begin("a", "6.12");
	for (unsigned i = 0; i < 3; i++) {
		result("none", i + 1, 400 + i, "");
		result("bfq", i + 1, 500 + 2 * i, "");
	}
	make(&p, &o);
	ck_assert(!p.planned);
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "exploratory: no plan"));
	free(text);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* Where a sync follows each write the syncs lead, else they are the latency. */
START_TEST(test_syncs_lead)
{
	static const char *const first[] = { "job.j.sync_iops",
					     "job.j.write_iops" };
	struct pivot_options o = { 0 };
	struct pivot p;
	char text[400];

	begin("a", "6.12");
	add_line("plan", "{\"metric\":\"iops\",\"axis\":[{\"key\":\"bs\","
			 "\"values\":[\"2k\",\"4k\"]}]}");
	for (int i = 0; i < 6; i++) {
		snprintf(text, sizeof(text),
			 "{\"point\":{\"bs\":\"%s\"},\"block\":%d,\"run\":%d,"
			 "\"job\":[{\"id\":\"j\",\"write_ios\":4000,"
			 "\"write_iops\":400,\"write_p99_ns\":1e4,"
			 "\"sync_ios\":%d,\"sync_iops\":%d,"
			 "\"sync_p99_ns\":1e6}]}",
			 i % 2 ? "2k" : "4k", i / 2 + 1, i + 1,
			 _i ? 2000 : 3999, _i ? 200 : 400);
		add_line("result", text);
	}
	make(&p, &o);
	ck_assert_str_eq(runs.metric[p.table[0].metric].name, first[_i]);
	ck_assert_str_eq(runs.metric[p.table[1].metric].name,
			 "job.j.sync_p99_ns");
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* Ten I/Os beyond a percentile, or it is none. */
START_TEST(test_sure_percentiles)
{
	struct pivot_options o = { .metric = "read_p99_ns" };
	struct pivot p;
	char *text;

	begin("a", "6.12");
	for (unsigned i = 0; i < 3; i++) {
		result("none", i + 1, 100, ""); /* 1000 I/Os: 10 beyond p99 */
		result("bfq", i + 1, 99, "");
	}
	make(&p, &o);
	ck_assert_uint_eq(pivot_cell(&p, p.table, 0, 0)->n, 3);
	ck_assert_uint_eq(pivot_cell(&p, p.table, 0, 1)->n, 0);
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "3 runs have no value"));
	ck_assert_ptr_nonnull(strstr(text, "no verdict: too few I/Os for this percentile"));
	free(text);
	/* An X would be of runs that failed. */
	text = printed(&p, "mail");
	ck_assert_ptr_null(strstr(text, " X |"));
	free(text);
	text = printed(&p, "html");
	ck_assert_ptr_null(strstr(text, ">X<"));
	free(text);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* Times that a limit ended: a lower bound, and no verdict "better". */
START_TEST(test_censored)
{
	static const double seconds[] = { 10, 11, 12, 10.5 };
	struct pivot_options o = { .metric = "run_s" };
	const struct pivot_cell *c;
	struct pivot p;
	char *text, line[300];

	begin("a", "6.12");
	for (unsigned i = 0; i < 10; i++) {
		bool ended = i % 5 < 4;

		snprintf(line, sizeof(line),
			 "{\"point\":{\"s\":\"%s\"},\"block\":%u,\"run\":%u,"
			 "\"state\":\"%s\",\"limit_s\":60,"
			 "\"job\":[{\"id\":\"j\",\"better\":{\"run_s\":-1},"
			 "\"read_iops\":7,\"run_s\":%g}]}",
			 i < 5 ? "none" : "bfq", i % 5 + 1, i,
			 ended || i < 5 ? "done" : "timeout",
			 (ended ? seconds[i % 5] : 13) * (i < 5 ? 1 : .5));
		add_line("result", line);
	}
	make(&p, &o);
	close_to(pivot_cell(&p, p.table, 0, 1)->median, 5.5);
	c = pivot_cell(&p, p.table, 0, 1);
	ck_assert(c->v.p < 0.05);
	ck_assert_str_eq(c->v.why, "a run failed");
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "1 of 5 runs reached the limit of "
					   "60 s"));
	ck_assert_ptr_nonnull(strstr(text, "4/5"));
	ck_assert(strstr(text, ">=5.4") || strstr(text, "≥5.4"));
	free(text);
	text = printed(&p, "mail");
	ck_assert_ptr_nonnull(strstr(text, ">=5.4"));
	ck_assert_ptr_nonnull(strstr(text, "covers the 4 runs"));
	fits(text, 72);
	free(text);
	text = printed(&p, "json");
	ck_assert_ptr_nonnull(strstr(text, "\"median\":5.5"));
	free(text);
	pivot_free(&p);
	/* Of a rate, those runs have less, not more. */
	o.metric = "read_iops";
	make(&p, &o);
	text = printed(&p, "json");
	ck_assert_ptr_null(strstr(text, "median"));
	free(text);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* V7's error: SS .00101114 on 8 df. */
/* Join the lines of each sentence. */
static char *unfold(char *text)
{
	char *to = text;

	for (const char *at = text; *at;) {
		const size_t blanks = *at == '\n' ? strspn(at + 1, " ") : 0;

		*to++ = blanks > 2 ? ' ' : *at;
		at += blanks > 2 ? 1 + blanks : 1;
	}
	*to = '\0';
	return text;
}

START_TEST(test_pooled)
{
	struct pivot_options o = { .metric = "read_iops",
				   .error = "pooled" };
	const struct pivot_cell *c;
	struct pivot p;
	char *text;

	begin("a", "6.12");
	five_blocks();
	make(&p, &o);
	c = pivot_cell(&p, p.table, 0, 1);
	ck_assert_double_eq(c->v.d.df, 8);
	close_to(c->v.d.se, sqrt(.00101114 / 8 * 2 / 5));
	close_to(c->v.d.diff, 0.045415);
	ck_assert(c->v.p < 0.05 && c->v.p > c->v.d.p);
	text = printed(&p, "text");
	fits(text, 80);
	unfold(text);
	ck_assert_ptr_nonnull(strstr(text, "after Holm"));
	ck_assert_ptr_nonnull(strstr(text, "error pooled"));
	ck_assert_ptr_nonnull(strstr(text, "By block: +4.6 % +5.5 % +1.5 % "
					   "+7.5 % +4.2 %"));
	free(text);
	pivot_free(&p);
	/* With Holm: intervals that hold at once are of 1 - .05 / 2. */
	o = (struct pivot_options){ .metric = "read_iops",
				    .simultaneous = true };
	make(&p, &o);
	c = pivot_cell(&p, p.table, 0, 1);
	close_to(c->v.d.high, c->v.d.diff + 3.495406 * c->v.d.se);
	text = printed(&p, "text");
	fits(text, 80);
	unfold(text);
	ck_assert_ptr_nonnull(strstr(text, "all intervals hold at once"));
	free(text);
	pivot_free(&p);
	/* Looks make intervals wider as they make p greater. */
	runs.log[0].stop = POWER_STOP_LOOKS;
	make(&p, &o);
	c = pivot_cell(&p, p.table, 0, 1);
	close_to(c->v.d.high,
		 c->v.d.diff + probability_t_quantile(1 - 0.0125 / 2.2624, 4) *
				     c->v.d.se);
	ck_assert_int_eq(c->v.p < 0.05, c->v.d.low > 0);
	runs.log[0].stop = POWER_STOP_FIXED;
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/*
 * A column with zeros is compared in its unit, the others on logs: they do not
 * share an error. No plan names the metric.
 */
START_TEST(test_scales)
{
	static const double of[][3] = { { 412, 0, 410 },
					{ 398, 3, 401 },
					{ 405, 1, 403 },
					{ 371, 0, 374 },
					{ 409, 2, 407 } };
	struct pivot_options o = { .metric = "x_count",
				   .error = "pooled",
				   .simultaneous = true };
	const struct pivot_cell *c;
	char *text, line[256];
	struct pivot p;

	begin("a", "6.12");
	add_line("plan", "{\"axis\":[{\"key\":\"s\",\"values\":[\"a\","
			 "\"b\",\"c\"]}]}");
	for (unsigned i = 0; i < 15; i++) {
		snprintf(line, sizeof(line),
			 "{\"point\":{\"s\":\"%c\"},\"block\":%u,"
			 "\"run\":%u,\"job\":[{\"id\":\"j\",\"read_iops\":1,"
			 "\"x_count\":%g}]}",
			 "abc"[i % 3], i / 3 + 1, i + 1, of[i / 3][i % 3]);
		add_line("result", line);
	}
	make(&p, &o);
	c = pivot_cell(&p, p.table, 0, 2);
	ck_assert(c->v.d.logs);
	ck_assert_double_eq(c->v.d.df, 4);
	close_to(c->v.d.se, 0.003109);
	c = pivot_cell(&p, p.table, 0, 1);
	ck_assert(!c->v.d.logs);
	ck_assert_double_eq(c->v.d.df, 8);
	text = printed(&p, "text");
	ck_assert_ptr_null(strstr(text, "- %"));
	ck_assert_ptr_nonnull(strstr(text, "no verdict: exploratory"));
	/* There is no family that it would hold in. */
	ck_assert_ptr_null(strstr(text, "simultaneous"));
	fits(text, 80);
	free(text);
	text = printed(&p, "html");
	ck_assert_ptr_null(strstr(text, "x999"));
	ck_assert_ptr_null(strstr(text, "-100.0 %"));
	free(text);
	ck_assert_str_eq(pivot_figure_of("job.j.bytes_per_s", 2.5e6).unit,
			 "MiB/s");
	ck_assert_str_eq(pivot_figure_of("job.j.cpu_ns_per_mib", 2.1e6).unit,
			 "ms/MiB");
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* With many columns a cell has the size that its change is below. */
START_TEST(test_many_columns)
{
	struct pivot_options o = { .metric = "read_iops" };
	struct pivot p;
	char *text;

	begin("a", "6.12");
	add_line("plan", "{\"axis\":[{\"key\":\"r\",\"values\":[\"x\",\"y\"]},"
			 "{\"key\":\"s\",\"values\":[\"a\",\"b\",\"c\",\"d\"]}]}");
	for (unsigned i = 0; i < 32; i++) {
		char line[256];

		snprintf(line, sizeof(line),
			 "{\"point\":{\"r\":\"%c\",\"s\":\"%c\"},\"block\":%u,"
			 "\"run\":%u,\"job\":[{\"id\":\"j\",\"read_ios\":9000,"
			 "\"read_iops\":%u}]}",
			 "xy"[i / 4 % 2], "abcd"[i % 4], i / 8 + 1, i + 1,
			 1000 + i * 37 % 100);
		add_line("result", line);
	}
	make(&p, &o);
	text = printed(&p, "text");
	ck_assert_msg(strstr(text, "~ -3.5 (<15)") != NULL, "%s", text);
	free(text);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* Eight blocks of three equal columns: runs after b are faster by the part gain,
 * and each run by the part drift than the one before. */
static void eight_blocks(double gain, double drift)
{
	static const char order[][4] = { "abc", "bca", "cab", "acb", "bac",
					 "cba", "abc", "bac" };
	char last = ' ', name[2] = "";
	unsigned noise = 0;

	begin("a", "6.12");
	for (unsigned b = 0; b < ARRAY_SIZE(order); b++)
		for (unsigned i = 0; i < 3; i++) {
			char line[256];

			*name = order[b][i];
			noise = (noise * 7 + 3) % 11;
			snprintf(line, sizeof(line),
				 "{\"point\":{\"s\":\"%s\"},\"block\":%u,"
				 "\"run\":%u,\"job\":[{\"id\":\"j\","
				 "\"read_ios\":9000,\"read_iops\":%g}]}",
				 name, b + 1, b * 3 + i + 1,
				 (last == 'b' ? 1000 * (1 + gain) : 1000) *
					 (1 + noise * .001) *
					 pow(1 + drift, b * 3 + i));
			add_line("result", line);
			last = *name;
		}
}

/* What the text page of the runs says of their order. */
static char *order_words(double gain, double drift)
{
	struct pivot_options o = { .metric = "read_iops" };
	struct pivot p;
	char *text;

	eight_blocks(gain, drift);
	make(&p, &o);
	text = unfold(printed(&p, "text"));
	pivot_free(&p);
	runs_free(&runs);
	return text;
}

START_TEST(test_order_words)
{
	char *text = order_words(0, 0);

	ck_assert_msg(strstr(text, "(p ") != NULL && strstr(text, "), undecided") &&
			      strstr(text, "no effect of order or of the "
					   "previous variant\n") != NULL,
		      "%s", text);
	free(text);
	/* A drift is an effect of the order. */
	text = order_words(0, 0.002);
	ck_assert_msg(strstr(text, "; pairing removes it") != NULL &&
			      strstr(text, "no other effect of order or of the "
					   "previous variant\n") != NULL,
		      "%s", text);
	free(text);
}
END_TEST

START_TEST(test_carry_over)
{
	struct pivot_options o = { .metric = "read_iops" };
	bool named = false;
	struct pivot p;
	char *text;

	eight_blocks(0.2, 0);
	make(&p, &o);
	for (size_t i = 0; i < p.table->n_groups; i++)
		if (!strcmp(p.table->group[i].name, "runs after b")) {
			named = true;
			ck_assert_double_lt(p.table->group[i].p, 0.01);
			ck_assert_double_gt(p.table->group[i].d.diff, 0.1);
		}
	ck_assert(named);
	text = printed(&p, "text");
	ck_assert_ptr_nonnull(strstr(text, "runs after b: +"));
	free(text);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

/* Figures without spread, rounded to whole numbers, prove nothing. */
START_TEST(test_rounded)
{
	struct pivot_options o = { .metric = "read_iops" };
	const struct pivot_cell *c;
	struct pivot p;

	begin("a", "6.12");
	for (unsigned i = 0; i < 3; i++) {
		result("none", i + 1, 10, "");
		result("bfq", i + 1, 11, "");
	}
	make(&p, &o);
	c = pivot_cell(&p, p.table, 0, 1);
	ck_assert(c->v.d.resolution);
	ck_assert_double_gt(c->v.p, 0.05);
	pivot_free(&p);
	runs_free(&runs);
}
END_TEST

START_TEST(test_refused)
{
	const struct pivot_options o[] = {
		{ .rows = "schedule" },
		{ .metric = "read_iop" },
		{ .base = "deadline" },
		{ .filter = (const char *const[]){ "scheduler" },
		  .n_filters = 1 },
		{ .filter = (const char *const[]){ "scheduler=xyz" },
		  .n_filters = 1 },
	};
	struct pivot p;

	begin("a", "6.12");
	five_blocks();
	for (size_t i = 0; i < ARRAY_SIZE(o); i++) {
		ck_assert_int_lt(pivot_make(&p, &runs, &o[i]), 0);
		ck_assert(*fail_sentence());
		pivot_free(&p);
	}
	runs_free(&runs);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("pivot");

	tcase_add_test(t, test_paired);
	tcase_add_test(t, test_welch);
	tcase_add_test(t, test_merged);
	tcase_add_test(t, test_left_out);
	tcase_add_test(t, test_ends);
	tcase_add_test(t, test_base_left_out);
	tcase_add_test(t, test_skipped);
	tcase_add_test(t, test_boots);
	tcase_add_test(t, test_likely);
	tcase_add_test(t, test_forms);
	tcase_add_test(t, test_exploratory);
	tcase_add_loop_test(t, test_syncs_lead, 0, 2);
	tcase_add_test(t, test_sure_percentiles);
	tcase_add_test(t, test_censored);
	tcase_add_test(t, test_pooled);
	tcase_add_test(t, test_scales);
	tcase_add_test(t, test_many_columns);
	tcase_add_test(t, test_carry_over);
	tcase_add_test(t, test_order_words);
	tcase_add_test(t, test_rounded);
	tcase_add_test(t, test_refused);
	suite_add_tcase(suite, t);
}
