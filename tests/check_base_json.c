/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of base/json: there and back, numbers, mistakes.
 */
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
	tcase_add_test(c, members_are_found);
	tcase_add_test(c, mistakes_are_refused);
	tcase_add_test(c, a_zero_byte_is_no_blank);
	tcase_add_test(c, members_are_walked);
	tcase_add_test(c, escapes_stay_escaped);
	return c;
}
