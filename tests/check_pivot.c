/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/report/pivot: runs from lines, cells, verdicts, what is merged.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static char *printed(const struct pivot *p,
		     void (*print)(const struct pivot *p, FILE *out))
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	print(p, out);
	fclose(out);
	return text;
}

START_TEST(test_paired)
{
	struct pivot_options o = { .metric = "read_iops", .margin = 0.02 };
	const struct pivot_compare *c;
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
	c = pivot_compare_of(&p, p.table, 0, 1);
	ck_assert_int_eq(c->d.method, DIFFERENCE_PAIRED);
	close_to(exp(c->d.diff), 1.046462);
	close_to(exp(c->d.low), 1.019384);
	close_to(exp(c->d.high), 1.074260);
	close_to(c->d.p, 0.008587);
	close_to(c->p, 2 * c->d.p); /* Holm of 2 */
	ck_assert_str_eq(pivot_judge_words(p.table, c), "better");
	c = pivot_compare_of(&p, p.table, 0, 2);
	close_to(c->d.p, 0.959282);
	close_to(c->tost_p, 0.001608);
	ck_assert_str_eq(pivot_judge_words(p.table, c), "equivalent");
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
		pivot_judge_words(p.table, pivot_compare_of(&p, p.table, 0, 0)),
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
	const struct pivot_compare *c;
	struct pivot p;
	char *text;

	begin("a", "6.12");
	for (unsigned i = 0; i < 5; i++)
		result("none", 0, a[i], "");
	for (unsigned i = 0; i < 5; i++)
		result("mq-deadline", 0, b[i], "");
	make(&p, &o);
	c = pivot_compare_of(&p, p.table, 0, 1);
	ck_assert_int_eq(c->d.method, DIFFERENCE_WELCH);
	close_to(c->d.p, 0.091326);
	ck_assert_str_eq(pivot_judge_words(p.table, c), "not distinguishable");
	text = printed(&p, print_pivot_text);
	ck_assert_ptr_nonnull(strstr(text, "not interleaved"));
	ck_assert_ptr_nonnull(strstr(text, "either way is"));
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
	ck_assert_str_eq(pivot_compare_of(&p, p.table, 0, 1)->withheld,
			 "merged over host");
	ck_assert_uint_eq(p.family, 0);
	text = printed(&p, print_pivot_text);
	ck_assert_ptr_nonnull(strstr(text, "differ in host"));
	free(text);
	pivot_free(&p);
	o.filter = filter;
	o.n_filters = 1;
	make(&p, &o);
	ck_assert_ptr_null(p.merged[0]);
	ck_assert_str_eq(
		pivot_judge_words(p.table, pivot_compare_of(&p, p.table, 0, 1)),
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
	result("none", 6, 9999, ",\"invalid\":[\"F6\"]");
	result("mq-deadline", 6, 1, ",\"state\":\"timeout\",\"limit_s\":120");
	result("kyber", 6, 1, ",\"state\":\"aborted\"");
	make(&p, &o);
	c = pivot_cell(&p, p.table, 0, 0);
	ck_assert_uint_eq(c->n, 5);
	ck_assert_uint_eq(c->runs, 6);
	close_to(c->mean, 399);
	ck_assert_ptr_nonnull(strstr(p.left_out, "F6"));
	ck_assert_uint_eq(p.lost, 1);
	/* Failures are seldom random. */
	ck_assert_str_eq(pivot_compare_of(&p, p.table, 0, 1)->withheld,
			 "a run failed");
	text = printed(&p, print_pivot_text);
	ck_assert_ptr_nonnull(strstr(text, "5/6"));
	ck_assert_ptr_nonnull(strstr(text, "(F6: "));
	free(text);
	pivot_free(&p);
	o.include_invalid = true;
	make(&p, &o);
	ck_assert_uint_eq(pivot_cell(&p, p.table, 0, 0)->n, 6);
	pivot_free(&p);
	runs_free(&runs);
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
	ck_assert_str_eq(pivot_compare_of(&p, p.table, 0, 1)->withheld,
			 "fewer than 3 boots");
	pivot_free(&p);
	runs_free(&runs);
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
	text = printed(&p, print_pivot_text);
	fits(text, 80);
	free(text);
	text = printed(&p, print_pivot_mail);
	fits(text, 72);
	free(text);
	text = printed(&p, print_pivot_json);
	ck_assert_int_eq(json_parse(text, strlen(text), &j), 0);
	ck_assert_uint_eq(json_length(json_get(j, "table")), 2);
	ck_assert_uint_eq(
		json_length(json_get(json_at(json_get(j, "table"), 0), "cell")),
		25);
	json_free(j);
	free(text);
	text = printed(&p, print_pivot_csv);
	ck_assert(!strncmp(text, "metric,better,bs,scheduler,n,", 29));
	free(text);
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
	tcase_add_test(t, test_boots);
	tcase_add_test(t, test_forms);
	tcase_add_test(t, test_refused);
	suite_add_tcase(suite, t);
}
