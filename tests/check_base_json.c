/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of base/json: there and back, numbers, mistakes. */
#include "check_base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/fail.h"
#include "base/json.h"

static struct json *parsed(const char *text)
{
	struct json *j = NULL;

	ck_assert_msg(!json_parse(text, strlen(text), &j), "%s", text);
	return j;
}

START_TEST(what_parses_prints_the_same)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		"{\"a\":1,\"b\":[1,2.5,\"x\"],\"c\":{\"d\":true,\"e\":false}}",
		"{\"path\":\"/dev/sda\",\"u\":\"gr\u00fcn\"}",
		"[9007199254740991,-5,0]",
		"\"text\"",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct json *j = parsed(texts[i]);
		size_t len;

		ck_assert_str_eq(json_text(j, &len), texts[i]);
		ck_assert_uint_eq(len, strlen(texts[i]));
		json_free(j);
	}
}
END_TEST

START_TEST(numbers_are_short_and_finite)
{
	struct json *j = json_new_object(), *a = json_new_array();

	json_put_number(j, "whole", 3);
	json_put_number(j, "half", 0.5);
	json_put_number(j, "third", 1.0 / 3);
	json_put_number(j, "large", 123456789012.0);
	json_put_number(j, "most", 9007199254740991.0);
	json_put_number(j, "nan", NAN);
	json_put_number(j, "inf", -INFINITY);
	ck_assert_str_eq(json_text(j, NULL),
			 "{\"whole\":3,\"half\":0.5,\"third\":0.333333333,"
			 "\"large\":123456789012,\"most\":9007199254740991}");
	json_push_number(a, 1);
	json_push_text(a, "x");
	json_put(j, "array", a);
	ck_assert_uint_eq(json_length(json_get(j, "array")), 2);
	json_free(j);
}
END_TEST

/* The text that the writer makes of a member, read by json-c. */
static void check_member(const char *text)
{
	struct json_writer w = { 0 };
	struct json *j;

	json_writer_open(&w, '{');
	json_writer_put_text(&w, text, text);
	json_writer_put_field(&w, "read_iops", 1.5);
	json_writer_close(&w, '}');
	json_writer_raw(&w, "", 1);
	j = parsed(w.buf);
	ck_assert_str_eq(json_get_string(j, text), text);
	ck_assert_double_eq(json_get_number(j, "read_iops"), 1.5);
	json_free(j);
	json_writer_free(&w);
}

/* Eight bytes are looked at in one go: each byte at each place of a text. */
START_TEST(each_byte_is_written_at_each_place)
{
	for (size_t n = 1; n < 26; n++) {
		char text[32];

		memset(text, 'k', n);
		text[n] = '\0';
		for (size_t i = 0; i < n; i++) {
			for (int c = 1; c < 0x80; c++) {
				text[i] = (char)c;
				check_member(text);
			}
			text[i] = 'k';
		}
		for (size_t i = 0; i + 1 < n; i++) {
			memcpy(text + i, "\xc3\xa9", 2);
			check_member(text);
			memcpy(text + i, "kk", 2);
		}
	}
}
END_TEST

START_TEST(numbers_have_nine_digits)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ -0.0, "0" },
		{ 9, "9" },
		{ 10, "10" },
		{ 99.5, "99.5" },
		{ 100, "100" },
		{ 12345, "12345" },
		{ -1234567.875, "-1234567.88" },
		{ 12345678.25, "12345678.3" },
		{ 99999999.96, "100000000" },
		{ 123456789.5, "123456790" },
		{ 9007199254740991.0, "9007199254740991" },
		{ 0.000123456789, "0.000123456789" },
		{ 0.05, "0.05" },
		{ 0.0999999999999, "0.1" },
		{ 1e-5, "1e-05" },
	};
	char buf[JSON_NUMBER_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t n = json_number_text(buf, cases[i].value);

		ck_assert_str_eq(buf, cases[i].text);
		ck_assert_uint_eq(n, strlen(buf));
	}
}
END_TEST

START_TEST(members_are_found)
{
	struct json *j = parsed("{\"n\":1.5,\"s\":\"x\",\"b\":true,\"z\":null,"
				"\"a\":[7]}");

	ck_assert_double_eq(json_get_number(j, "n"), 1.5);
	ck_assert_str_eq(json_get_string(j, "s"), "x");
	ck_assert(json_true(json_get(j, "b")));
	ck_assert(!json_true(json_get(j, "n")));
	ck_assert(isnan(json_get_number(j, "s")));
	ck_assert(isnan(json_get_number(j, "z")));
	ck_assert(isnan(json_get_number(j, "missing")));
	ck_assert_ptr_null(json_get_string(j, "n"));
	ck_assert_ptr_null(json_get(json_get(j, "n"), "x"));
	ck_assert_double_eq(json_number(json_at(json_get(j, "a"), 0)), 7);
	ck_assert_ptr_null(json_at(json_get(j, "a"), 1));
	ck_assert_ptr_null(json_at(j, 0));
	ck_assert_uint_eq(json_length(j), 0);
	ck_assert_ptr_null(json_get(NULL, "x"));
	json_free(j);
	json_free(NULL);
}
END_TEST

START_TEST(mistakes_are_refused)
{
	static const char *const texts[] = {
		"",
		"{",
		"{\"a\":}",
		"[1,2",
		"{} {}",
		"{}x",
		"\"open",
		"{\"a\" 1}",
		"\"\xff\"",
		"nonsense",
		"[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct json *j = NULL;

		ck_assert_msg(json_parse(texts[i], strlen(texts[i]), &j) ==
				      -EINVAL,
			      "%s", texts[i]);
		ck_assert(*fail_sentence());
		ck_assert_ptr_null(j);
	}
}
END_TEST

START_TEST(a_zero_byte_is_no_blank)
{
	struct json *j = NULL;

	ck_assert_int_eq(json_parse("{}\0", 3, &j), -EINVAL);
	ck_assert_int_eq(json_parse("{} \n", 4, &j), 0);
	json_free(j);
}
END_TEST

static void count(const char *key, struct json *value, void *arg)
{
	*(double *)arg += json_number(value) + (double)strlen(key);
}

START_TEST(members_are_walked)
{
	struct json *j = parsed("{\"a\":1,\"bb\":2}"), *a = parsed("[1]");
	double sum = 0;

	json_each(j, count, &sum);
	json_each(a, count, &sum);
	json_each(NULL, count, &sum);
	ck_assert_double_eq(sum, 6);
	json_free(j);
	json_free(a);
}
END_TEST

START_TEST(escapes_stay_escaped)
{
	struct json *j = json_new_object(), *back;

	json_put_text(j, "t", "quote \" backslash \\ tab \t newline \n");
	json_put_bool(j, "b", true);
	ck_assert_ptr_null(strchr(json_text(j, NULL), '\n'));
	back = parsed(json_text(j, NULL));
	ck_assert_str_eq(json_get_string(back, "t"),
			 "quote \" backslash \\ tab \t newline \n");
	ck_assert_ptr_nonnull(strchr(json_pretty(back), '\n'));
	json_free(back);
	json_free(j);
}
END_TEST

TCase *json_case(void)
{
	TCase *c = tcase_create("json");

	tcase_add_test(c, what_parses_prints_the_same);
	tcase_add_test(c, numbers_are_short_and_finite);
	tcase_add_test(c, each_byte_is_written_at_each_place);
	tcase_add_test(c, numbers_have_nine_digits);
	tcase_add_test(c, members_are_found);
	tcase_add_test(c, mistakes_are_refused);
	tcase_add_test(c, a_zero_byte_is_no_blank);
	tcase_add_test(c, members_are_walked);
	tcase_add_test(c, escapes_stay_escaped);
	return c;
}
