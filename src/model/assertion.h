/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assertion: a figure of a result and its limit, such as
 * "job.wal.sync_p99_ns<10ms", and whether a result keeps it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/json.h"
#include "model/schema/schema.h"

struct job;

enum assertion_op {
	ASSERT_LESS,
	ASSERT_AT_MOST,
	ASSERT_MORE,
	ASSERT_AT_LEAST,
	ASSERT_EQUAL,
	ASSERT_OTHER,
	ASSERTION_OPS
};

#define ASSERTION_TEXT 256

struct assertion {
	char text[ASSERTION_TEXT]; /* for people: as it was given */
	char table[16];            /* "job", "device", "metric", ... */
	char row[ROW_ID_MAX];      /* "*": each row; "all": all jobs together;
				    * "": the table has one row */
	char key[80];
	enum assertion_op op;
	double limit; /* in the base unit of the key */
};

/* The outcome of an assertion. */
struct assertion_outcome {
	bool measured, passed;
	double value;         /* of the worst row; NaN: not measured */
	char row[ROW_ID_MAX]; /* that row */
	bool missed; /* a row that must have the figure lacks it; its name is in
		      * row */
	/* Of "*": rows that did other operations only and so cannot have the
	 * figure; they are not judged, and the first of them is named. */
	unsigned others;
	char other[ROW_ID_MAX];
};

/* A zeroed struct is valid and empty. */
struct assertions {
	struct assertion *list;
	size_t n, cap;
};

/*
 * Add comma-separated assertions, each "TABLE.ROW.KEY OP VALUE": OP is < <= > >=
 * == or !=; VALUE takes the units of the key (10ms, 500MiB, 500MiB/s, 20%,
 * 1.5k). A row may hold dots and operators. row: the job of each "KEY OP VALUE";
 * NULL: each job. 0, or -EINVAL with a sentence; nothing is added then.
 */
int assertions_add(struct assertions *to, const char *list,
		   const char *row) must_check;
/*
 * Add the assertions of a job (its option assert); the results call the job
 * row.
 */
void assertions_add_job(struct assertions *to, const struct job *job,
			const char *row);
/* Append a copy of each. */
void assertions_copy(struct assertions *to, const struct assertions *from);
void assertions_free(struct assertions *a);

/*
 * Judge by a result as report_result_json() makes it. A figure that was not
 * measured fails; with "*" each row must have it, except a row with I/O that
 * did none of the operation that the key is of.
 */
void assertion_judge(const struct assertion *a, struct json *result,
		     struct assertion_outcome *out);

/* "job.wal.sync_p99_ns is 23.4ms, asserted <10ms". Returns buf. */
char *assertion_words(const struct assertion *a,
		      const struct assertion_outcome *o, char *buf,
		      size_t size);
/* The next check after a failure: a part of a sentence. Never NULL. */
const char *assertion_advice(const struct assertion *a,
			     const struct assertion_outcome *o);
