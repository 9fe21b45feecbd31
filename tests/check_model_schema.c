/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the schemas: every table is well-formed, shared arithmetic. */
#include "check_model.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/schema/schema.h"
#include "model/schema/schema_job.h"
#include "model/schema/schema_machine.h"

/* A sentence without a full stop, on one line. */
static void check_help(const char *help, const char *where)
{
	size_t n = help ? strlen(help) : 0;

	ck_assert_msg(n > 3, "%s has no help", where);
	ck_assert_msg(help[n - 1] != '.', "%s: help ends in a full stop",
		      where);
	ck_assert_msg(!strchr(help, '\n'), "%s: help has two lines", where);
}

static void check_field(const struct schema *s, const struct field *f)
{
	const bool text = f->gauge.type >= GAUGE_TEXT;
	int functions = (f->number != NULL) + (f->of != NULL) + (f->text != NULL) +
			(f->histogram != NULL) + (f->gauge.type != GAUGE_NONE);

	check_help(f->help, f->key);
	ck_assert_msg(functions == 1, "%s.%s has %d functions or gauges",
		      s->name, f->key, functions);
	if (f->gauge.type != GAUGE_NONE)
		ck_assert_msg(f->kind == (text ? FIELD_TEXT : FIELD_NUMBER) &&
				      f->gauge.at < s->row_size,
			      "%s.%s: its gauge is of another kind", s->name,
			      f->key);
	else
		ck_assert_msg(f->kind == FIELD_NUMBER ? f->number || f->of
			      : f->kind == FIELD_TEXT ? f->text != NULL
						      : f->histogram != NULL,
			      "%s.%s: its kind is not its function", s->name,
			      f->key);
	for (const char *p = f->key; *p; p++)
		ck_assert_msg(islower(*p) || isdigit(*p) || *p == '_',
			      "%s.%s: a key is lower case", s->name, f->key);
	ck_assert(*f->title);
	ck_assert_msg(f->kind == FIELD_HISTOGRAM || f->width > 0,
		      "%s.%s has no width", s->name, f->key);
	ck_assert_msg(f->kind == FIELD_HISTOGRAM ||
			      f->width >= strlen(f->title) || f->width >= 5 ||
			      f->kind == FIELD_TEXT,
		      "%s.%s: its title does not fit", s->name, f->key);
	ck_assert_msg(f->scale >= 0 && isfinite(f->scale), "%s.%s", s->name,
		      f->key);
}

START_TEST(fields_are_well_formed)
{
	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct schema *s = schemas[id];

		ck_assert_ptr_nonnull(s);
		check_help(s->help, s->name);
		ck_assert_uint_gt(s->n_fields, 0);
		ck_assert_uint_ge(s->row_size, sizeof(struct row_key));
		for (size_t i = 0; i < s->n_fields; i++) {
			const struct field *f = &s->fields[i];

			check_field(s, f);
			ck_assert_int_eq(
				schema_field((enum schema_id)id, f->key),
				(int)i);
			if (f->weight)
				ck_assert_int_ge(
					schema_field((enum schema_id)id,
						     f->weight),
					0);
			ck_assert_str_ne(f->key, "id");
		}
		ck_assert_int_eq(schema_by_name(s->name), id);
	}
	ck_assert_int_eq(schema_by_name("nonsense"), SCHEMA_COUNT);
	ck_assert_int_eq(schema_field(SCHEMA_CPU, "nonsense"), -1);
}
END_TEST

/* The recipe of an operation: its names, its rate and its latencies. */
START_TEST(operations_have_their_columns)
{
	for (int op = 0; op < JOB_OPS; op++) {
		static const char *const ends[] = { "_hist", "_p99_ns" };
		char key[64];

		ck_assert_msg(job_ops[op].key && job_ops[op].device &&
				      job_ops[op].words,
			      "operation %d has no row in job_ops[]", op);
		snprintf(key, sizeof(key), "%s%s", job_ops[op].key,
			 op < JOB_COMMAND ? "_iops" : "_per_s");
		ck_assert_msg(schema_field(SCHEMA_JOB, key) >= 0,
			      "jobs have no column %s", key);
		for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
			snprintf(key, sizeof(key), "%s%s", job_ops[op].key,
				 ends[i]);
			ck_assert_msg(schema_field(SCHEMA_JOB, key) >= 0,
				      "jobs have no column %s", key);
		}
	}
}
END_TEST

START_TEST(titles_are_unique)
{
	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct schema *s = schemas[id];

		for (size_t i = 0; i < s->n_fields; i++)
			for (size_t j = 0; j < i; j++)
				ck_assert_str_ne(s->fields[i].title,
						 s->fields[j].title);
	}
}
END_TEST

START_TEST(counters_wrap_and_reset)
{
	ck_assert_double_eq(schema_delta64(10, 3), 7);
	ck_assert_double_eq(schema_delta64(3, 3), 0);
	ck_assert(isnan(schema_delta64(3, 10)));
	ck_assert_double_eq(schema_delta32(10, 3), 7);
	ck_assert_double_eq(schema_delta32(5, 0xfffffffb), 10);
	ck_assert_double_eq(schema_ratio(6, 3), 2);
	ck_assert(isnan(schema_ratio(6, 0)));
	ck_assert(isnan(schema_ratio(NAN, 2)));
	ck_assert(isnan(schema_ratio(2, NAN)));
}
END_TEST

static double number(enum schema_id id, const char *key,
		     const struct span *span)
{
	int i = schema_field(id, key);

	ck_assert_int_ge(i, 0);
	return schema_number(&schemas[id]->fields[i], span);
}

START_TEST(cpu_shares_add_up)
{
	struct cpu_raw prev = { .time = { 100, 10, 50, 800, 40, 1, 2, 3 } };
	struct cpu_raw now = { .time = { 130, 15, 70, 840, 35, 2, 5, 4 } };
	struct span s = { &prev, &now, 1 };

	/* iowait went back by 5: it counts as 0, so the sum is 100. */
	ck_assert_double_eq(number(SCHEMA_CPU, "user_pct", &s), 30);
	ck_assert_double_eq(number(SCHEMA_CPU, "nice_pct", &s), 5);
	ck_assert_double_eq(number(SCHEMA_CPU, "system_pct", &s), 20);
	ck_assert_double_eq(number(SCHEMA_CPU, "iowait_pct", &s), 0);
	ck_assert_double_eq(number(SCHEMA_CPU, "irq_pct", &s), 4);
	ck_assert_double_eq(number(SCHEMA_CPU, "steal_pct", &s), 1);
	ck_assert_double_eq(number(SCHEMA_CPU, "idle_pct", &s), 40);
	s.now = &prev;
	ck_assert(isnan(number(SCHEMA_CPU, "user_pct", &s)));
	s.prev = NULL;
	ck_assert(isnan(number(SCHEMA_CPU, "user_pct", &s)));
}
END_TEST

START_TEST(memory_and_pressure)
{
	struct memory_raw m[2] = { 0 };
	struct pressure_raw p[2] = {
		{ .some_us = 1000, .full_us = UINT64_MAX },
		{ .some_us = 501000, .full_us = UINT64_MAX },
	};
	struct span s = { &m[0], &m[1], 2 };

	m[1].gauge[MEMORY_DIRTY_BYTES] = 4096;
	m[1].gauge[MEMORY_CACHED_BYTES] = NAN;
	m[0].counter[MEMORY_PGPGIN_BYTES_PER_S] = 1000;
	m[1].counter[MEMORY_PGPGIN_BYTES_PER_S] = 5000;
	m[1].counter[MEMORY_REFAULT_PER_S] = UINT64_MAX;
	ck_assert_double_eq(number(SCHEMA_MEMORY, "dirty_bytes", &s), 4096);
	ck_assert(isnan(number(SCHEMA_MEMORY, "cached_bytes", &s)));
	ck_assert_double_eq(number(SCHEMA_MEMORY, "pgpgin_bytes_per_s", &s),
			    2000);
	ck_assert(isnan(number(SCHEMA_MEMORY, "refault_per_s", &s)));
	s = (struct span){ &p[0], &p[1], 2 };
	ck_assert_double_eq(number(SCHEMA_PRESSURE, "some_pct", &s), 25);
	ck_assert(isnan(number(SCHEMA_PRESSURE, "full_pct", &s)));
}
END_TEST

START_TEST(columns_stand_in_their_places)
{
	int field[512], few[2];

	for (int id = 0; id < SCHEMA_COUNT; id++)
		for (int use = 0; use < FIELD_USES; use++) {
			const struct field *all = schemas[id]->fields;
			size_t n = schema_fields_in((enum schema_id)id,
						    (enum field_use)use, field,
						    512);

			ck_assert_uint_lt(n, 512);
			for (size_t i = 0; i < n; i++) {
				const struct field *f = &all[field[i]];

				ck_assert_msg(f->kind == FIELD_NUMBER ||
						      use == FIELD_ON_SCREEN,
					      "%s is no number", f->key);
				ck_assert_uint_gt(f->place[use], 0);
				ck_assert(!i || all[field[i - 1]].place[use] <=
							f->place[use]);
			}
		}
	ck_assert_uint_eq(schema_fields_in(SCHEMA_DEVICE, FIELD_IN_REPORT, few,
					   2),
			  2);
	ck_assert_str_eq(schemas[SCHEMA_DEVICE]->fields[few[0]].key,
			 "read_iops");
	ck_assert_str_eq(schemas[SCHEMA_DEVICE]->fields[few[1]].key,
			 "read_bytes_per_s");
	/* A job's throughput is its own, that of a device its users'. */
	ck_assert_int_eq(schemas[SCHEMA_JOB]
				 ->fields[schema_field(SCHEMA_JOB, "read_iops")]
				 .better,
			 1);
	ck_assert_int_eq(
		schemas[SCHEMA_DEVICE]
			->fields[schema_field(SCHEMA_DEVICE, "read_iops")]
			.better,
		0);
}
END_TEST

TCase *schema_case(void)
{
	TCase *c = tcase_create("schema");

	tcase_add_test(c, fields_are_well_formed);
	tcase_add_test(c, columns_stand_in_their_places);
	tcase_add_test(c, operations_have_their_columns);
	tcase_add_test(c, titles_are_unique);
	tcase_add_test(c, counters_wrap_and_reset);
	tcase_add_test(c, cpu_shares_add_up);
	tcase_add_test(c, memory_and_pressure);
	return c;
}
