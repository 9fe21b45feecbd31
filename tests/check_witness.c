/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload/witness: words and lines, and what a ledger guarantees.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/json.h"
#include "model/stats/probability.h"
#include "test.h"
#include "workload/verify/verify.h"
#include "workload/witness/witness.h"

START_TEST(test_words)
{
	static const struct witness_word words[] = {
		{ 0, 1, 1 },	      { 0xabcdef, 1, 1 }, { 7, 32, 1 },
		{ 1, 1, 0xfffffff }, { (1ull << 30) - 1, 65536, 12 },
	};
	char buf[sizeof(words) / sizeof(*words) * WITNESS_WORD_MAX];
	struct witness_word word;
	const char *p = buf;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		n = witness_word_put(buf, n, &words[i]);
	buf[n] = '\0';
	ck_assert_str_eq(buf, "0 abcdef 7+20 1.fffffff 3fffffff+10000.c");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		ck_assert(witness_word_next(&p, &word));
		ck_assert_uint_eq(word.first, words[i].first);
		ck_assert_uint_eq(word.n, words[i].n);
		ck_assert_uint_eq(word.generation, words[i].generation);
	}
	ck_assert(!witness_word_next(&p, &word));
	ck_assert_int_eq(*p, '\0');
}
END_TEST

START_TEST(test_bad_words)
{
	static const char *const bad[] = { "x", "1+", "1.", "1+0", "1 +2 z",
					   "12345678901234567", "1+123456789",
					   "1.12345678", "1,2", "-1" };
	struct witness_word word;
	const char *p = bad[_i];

	while (witness_word_next(&p, &word))
		;
	ck_assert_msg(*p, "%s", bad[_i]);
}
END_TEST

START_TEST(test_line)
{
	char line[100] = "{\"a\":1";
	size_t n = witness_line_end(line, strlen(line));
	struct json *j;

	ck_assert_int_eq(line[n - 1], '\n');
	ck_assert(witness_line_read(line, n - 1, &j));
	ck_assert(json_get_number(j, "a") == 1);
	json_free(j);
	line[5] ^= 1;
	ck_assert(!witness_line_read(line, n - 1, &j));
	ck_assert(!witness_line_read(line, 3, &j));
	/* The check value of CRC-32C. */
	strcpy(line, "123456789");
	n = witness_line_end(line, 9);
	ck_assert_str_eq(line, "123456789,\"crc\":\"e3069283\"}\n");
}
END_TEST

/* Records without their checksums after a plan with one target of 100 blocks
 * and one of 10; what block 5, or 100 of the second, is guaranteed then. */
static const struct rule {
	const char *name, *record[8];
	unsigned block, kept, begun;
} rules[] = {
	{ "covered",
	  { "intent\",\"w\":\"5", "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"" },
	  5, 1, 1 },
	{ "the flush began before the write was done",
	  { "intent\",\"w\":\"5", "done\",\"after\":1,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"" },
	  5, 0, 1 },
	{ "never flushed",
	  { "intent\",\"w\":\"5", "done\",\"after\":0,\"w\":\"5" }, 5, 0, 1 },
	{ "the flush failed",
	  { "intent\",\"w\":\"5", "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":5,\"x\":\"" },
	  5, 0, 1 },
	{ "a flush after one that failed",
	  { "intent\",\"w\":\"5", "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":5,\"x\":\"",
	    "flushed\",\"target\":0,\"id\":2,\"error\":0,\"x\":\"" },
	  5, 0, 1 },
	{ "a flush that failed takes nothing back",
	  { "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"",
	    "flushed\",\"target\":0,\"id\":2,\"error\":5,\"x\":\"" },
	  5, 1, 1 },
	{ "a flush of another file",
	  { "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":1,\"id\":1,\"error\":0,\"x\":\"" },
	  5, 0, 1 },
	{ "the second file",
	  { "done\",\"after\":0,\"w\":\"64",
	    "flushed\",\"target\":1,\"id\":1,\"error\":0,\"x\":\"" },
	  100, 1, 1 },
	{ "a newer write that is not covered",
	  { "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"",
	    "intent\",\"w\":\"5.2", "done\",\"after\":1,\"w\":\"5.2" },
	  5, 1, 2 },
	{ "two workers, the older write comes last",
	  { "intent\",\"w\":\"5", "intent\",\"w\":\"5.2",
	    "done\",\"after\":0,\"w\":\"5.2", "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"" },
	  5, 2, 2 },
	{ "durable by itself",
	  { "intent\",\"w\":\"5+2",
	    "done\",\"after\":0,\"durable\":true,\"w\":\"5+2" },
	  6, 1, 1 },
	{ "a write that failed",
	  { "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"",
	    "intent\",\"w\":\"5.2",
	    "done\",\"after\":1,\"failed\":true,\"w\":\"5.2",
	    "flushed\",\"target\":0,\"id\":2,\"error\":0,\"x\":\"" },
	  5, 1, 2 },
	{ "a trim",
	  { "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"",
	    "intent\",\"trim\":true,\"w\":\"5.2" },
	  5, 0, 2 },
	{ "a write before a trim, of another worker",
	  { "intent\",\"trim\":true,\"w\":\"5.2",
	    "done\",\"after\":0,\"w\":\"5",
	    "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"" },
	  5, 0, 2 },
	{ "a write after a trim",
	  { "intent\",\"trim\":true,\"w\":\"5.2", "intent\",\"w\":\"5.3",
	    "done\",\"after\":0,\"w\":\"5.3",
	    "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"" },
	  5, 3, 3 },
};

static void put_record(FILE *f, unsigned seq, const char *record)
{
	char line[1000];
	int n = snprintf(line, sizeof(line),
			 "{\"seq\":%u,\"t\":%u,\"type\":\"%s\"", seq, seq * 10,
			 record);

	fwrite(line, 1, witness_line_end(line, (size_t)n), f);
}

static const char plan[] =
	"plan\",\"schema\":1,\"job\":[{\"verify_offset\":0}],\"target\":["
	"{\"path\":\"/a\",\"run\":\"1\",\"interval_bytes\":4096,\"first\":0,"
	"\"intervals\":100,\"atom\":512},"
	"{\"path\":\"/b\",\"run\":\"1\",\"interval_bytes\":4096,\"first\":100,"
	"\"intervals\":10,\"atom\":512}],\"x\":\"";

START_TEST(test_rule)
{
	const struct rule *r = &rules[_i];
	char text[8000];
	struct powercut p;
	FILE *f = fmemopen(text, sizeof(text), "w");
	long n;
	unsigned seq = 1;

	put_record(f, seq++, plan);
	for (size_t i = 0; i < 8 && r->record[i]; i++)
		put_record(f, seq++, r->record[i]);
	fflush(f);
	n = ftell(f);
	fclose(f);
	f = fmemopen(text, (size_t)n, "r");
	ck_assert_msg(powercut_load_from(&p, f, "ledger") == 0, "%s: %s",
		      r->name, fail_sentence());
	ck_assert_msg(p.interval[r->block].kept == r->kept, "%s: kept %u",
		      r->name, p.interval[r->block].kept);
	ck_assert_msg(p.interval[r->block].begun == r->begun, "%s: begun %u",
		      r->name, p.interval[r->block].begun);
	powercut_free(&p);
	fclose(f);
}
END_TEST

/*
 * Loss of power tore a write whose intent had not arrived: that is legal. A mix
 * with a write before the guaranteed one is not.
 */
START_TEST(test_torn_not_reported)
{
	const unsigned generations[2][2] = { { 2, 3 }, { 2, 1 } };
	const struct verify_rule rule = { .bytes = 4096, .payload = true };
	struct verify_id id = { .run = 1, .offset = 5 * 4096 };
	char path[] = "/tmp/iodyno-witness.XXXXXX", block[2][4096], text[8000];
	struct powercut_result r = { 0 };
	struct powercut p;
	int fd = mkstemp(path);
	FILE *f = fmemopen(text, sizeof(text), "w");
	long n;

	put_record(f, 1, plan);
	put_record(f, 2, "intent\",\"w\":\"5.2");
	put_record(f, 3, "done\",\"after\":0,\"w\":\"5.2");
	put_record(f, 4, "flushed\",\"target\":0,\"id\":1,\"error\":0,\"x\":\"");
	fflush(f);
	n = ftell(f);
	fclose(f);
	f = fmemopen(text, (size_t)n, "r");
	ck_assert(powercut_load_from(&p, f, "ledger") == 0);
	fclose(f);
	for (int i = 0; i < 2; i++) {
		id.generation = generations[_i][i];
		verify_fill(&rule, &id, block[i]);
	}
	memcpy(block[0] + 1024, block[1] + 1024, 3072);
	ck_assert(pwrite(fd, block[0], 4096, 5 * 4096) == 4096);
	ck_assert(powercut_check(&p, 0, path, &r) == 0);
	ck_assert_uint_eq(r.count[_i ? POWERCUT_TORN : POWERCUT_PARTLY], 1);
	powercut_free(&p);
	unlink(path);
	close(fd);
}
END_TEST

/* Figures of issue and literature: k cuts without a loss, and one of 20. */
START_TEST(test_bounds)
{
	static const struct {
		unsigned k;
		double pct;
	} none[] = { { 1, 95 }, { 10, 25.887 }, { 30, 9.503 }, { 59, 4.951 },
		     { 299, 0.997 } };

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		ck_assert(fabs(100 * probability_share_most(0, none[i].k, 0.05) -
			       none[i].pct) < 0.001);
	/* scipy: beta.ppf(.025, 1, 20), beta.ppf(.975, 2, 19) */
	ck_assert(fabs(probability_share_least(1, 20, 0.025) - 0.00126509) <
		  1e-7);
	ck_assert(fabs(probability_share_most(1, 20, 0.025) - 0.2487329) <
		  1e-6);
	ck_assert(probability_share_most(3, 3, 0.025) == 1);
	ck_assert(probability_share_least(0, 3, 0.025) == 0);
	ck_assert(isnan(probability_share_most(4, 3, 0.025)));
	ck_assert(isnan(probability_share_least(0, 0, 0.025)));
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("witness");

	tcase_add_test(tc, test_words);
	tcase_add_loop_test(tc, test_bad_words, 0, 10);
	tcase_add_test(tc, test_line);
	tcase_add_loop_test(tc, test_rule, 0, sizeof(rules) / sizeof(*rules));
	tcase_add_loop_test(tc, test_torn_not_reported, 0, 2);
	tcase_add_test(tc, test_bounds);
	suite_add_tcase(suite, tc);
}
