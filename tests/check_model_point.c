/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of point: values of axes, the cell of a job in row, event and header.
 */
#include "check_model.h"

#include <stdio.h>
#include <string.h>

#include "model/frame.h"
#include "model/job/job.h"

static struct point at(const char *key, const char *value)
{
	struct point p = { 0 };

	ck_assert(point_set(&p, key, value));
	return p;
}

START_TEST(a_point_is_a_set_of_values)
{
	struct point a = at("bs", "4k"), b = at("vda.scheduler", "bfq");
	char buf[64];

	ck_assert(!point_equal(&a, &b));
	ck_assert(point_set(&a, "vda.scheduler", "none"));
	ck_assert(point_set(&b, "bs", "4k"));
	ck_assert(!point_equal(&a, &b));
	ck_assert(point_set(&a, "vda.scheduler", "bfq"));
	ck_assert(point_equal(&a, &b));
	ck_assert_str_eq(point_get(&a, "bs"), "4k");
	ck_assert_ptr_null(point_get(&a, "iodepth"));
	ck_assert_str_eq(point_words(&a, buf, sizeof(buf)),
			 "bs=4k vda.scheduler=bfq");
	ck_assert_str_eq(point_words(&a, buf, 8), "bs=4k v");
}
END_TEST

START_TEST(a_point_has_bounds)
{
	struct point p = { 0 };
	char key[64], text[64];

	for (unsigned i = 0; i < POINT_AXES; i++) {
		snprintf(key, sizeof(key), "axis%u", i);
		ck_assert(point_set(&p, key, "1"));
	}
	ck_assert(!point_set(&p, "one-more", "1"));
	ck_assert(point_set(&p, "axis0", "2"));
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert(!point_set(&p, "axis0", text));
	ck_assert(!point_set(&p, text, "1"));
	ck_assert(!point_set(&p, "", "1"));
	ck_assert_str_eq(point_get(&p, "axis0"), "2");
	ck_assert_uint_eq(p.n, POINT_AXES);
}
END_TEST

START_TEST(a_cell_passes_through_the_log)
{
	struct job job, read;
	struct json *j;

	job_init(&job);
	ck_assert(!job_set(&job, "name", "seq"));
	job.cell.point = at("scheduler", "bfq");
	job.cell.block = 2;
	job.cell.run = 7;
	j = job_in_log(&job);
	ck_assert_str_eq(json_get_string(json_get(j, "point"), "scheduler"),
			 "bfq");
	ck_assert_double_eq(json_get_number(j, "block"), 2);
	ck_assert_double_eq(json_get_number(j, "run"), 7);
	job_json_read(&read, j);
	json_free(j);
	ck_assert(point_equal(&read.cell.point, &job.cell.point));
	ck_assert_uint_eq(read.cell.block, 2);
	ck_assert_uint_eq(read.cell.run, 7);
	job_free(&read);
	job_free(&job);
}
END_TEST

START_TEST(a_cell_of_a_stranger_is_bounded)
{
	const char text[] = "{\"point\":{\"a\":\"\\u001b[2J\",\"b\":3,\"\":\"x\"},"
			    "\"block\":-1,\"run\":1e300}";
	struct cell c;
	struct json *j;

	ck_assert(!json_parse(text, sizeof(text) - 1, &j));
	point_cell_read(j, &c);
	json_free(j);
	ck_assert_uint_eq(c.point.n, 1);
	ck_assert_ptr_null(strchr(point_get(&c.point, "a"), 033));
	ck_assert_uint_eq(c.block, 0);
	ck_assert_uint_eq(c.run, 0);
}
END_TEST

START_TEST(rows_have_the_cell_of_their_job)
{
	struct sample s = { 0 };
	struct frame f = { 0 };
	struct cell none = { 0 }, some = { .point = at("bs", "4k"), .run = 3 };
	struct job_raw *r;

	r = sample_add(&s, SCHEMA_JOB);
	memcpy(r->key.id, "a", 2);
	r->cell = &some;
	r = sample_add(&s, SCHEMA_JOB);
	memcpy(r->key.id, "b", 2);
	r->cell = &none;
	frame_derive(&f, NULL, &s, 0);
	ck_assert_uint_eq(f.table[SCHEMA_JOB].row[0].cell->run, 3);
	ck_assert_ptr_ne(f.table[SCHEMA_JOB].row[0].cell, &some);
	ck_assert_ptr_null(f.table[SCHEMA_JOB].row[1].cell);
	frame_free(&f);
	sample_free(&s);
}
END_TEST

TCase *point_case(void)
{
	TCase *c = tcase_create("point");

	tcase_add_test(c, a_point_is_a_set_of_values);
	tcase_add_test(c, a_point_has_bounds);
	tcase_add_test(c, a_cell_passes_through_the_log);
	tcase_add_test(c, a_cell_of_a_stranger_is_bounded);
	tcase_add_test(c, rows_have_the_cell_of_their_job);
	return c;
}
