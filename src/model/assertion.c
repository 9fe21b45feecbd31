/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assertion: its grammar, and its judgement by a result. */
#include "model/assertion.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/job/job.h"
#include "model/unit.h"

static const char *const op_words[ASSERTION_OPS] = {
	[ASSERT_LESS] = "<",   [ASSERT_AT_MOST] = "<=",
	[ASSERT_MORE] = ">",   [ASSERT_AT_LEAST] = ">=",
	[ASSERT_EQUAL] = "==", [ASSERT_OTHER] = "!=",
};

/* --- grammar --- */

static int no_assertion(const char *text)
{
	return fail(EINVAL,
		    "assertion %s: write TABLE.ROW.KEY, one of < <= > >= == "
		    "!=, and a value, such as job.wal.sync_p99_ns<10ms",
		    text);
}

/* The operator is the last one: names may hold such characters, values not. */
static bool find_op(const char *text, const char **at, enum assertion_op *op,
		    size_t *len)
{
	const char *p = text + strlen(text);

	while (p > text && !strchr("<>=!", p[-1]))
		p--;
	if (p == text)
		return false;
	*at = p - 1;
	if (p[-1] == '=' && p - 1 > text && strchr("<>=!", p[-2]))
		*at = p - 2;
	*len = (size_t)(p - *at);
	for (int i = 0; i < ASSERTION_OPS; i++)
		if (strlen(op_words[i]) == *len &&
		    !memcmp(op_words[i], *at, *len)) {
			*op = (enum assertion_op)i;
			return true;
		}
	return false;
}

static bool is_table(const char *name)
{
	enum schema_id id = schema_by_name(name);

	return !strcmp(name, "metric") ||
	       (id != SCHEMA_COUNT && id != SCHEMA_TASK && id != SCHEMA_KNOB &&
		!schemas[id]->detail && !schemas[id]->moments);
}

static int no_table(const char *text)
{
	char words[200] = "";

	for (int id = 0; id < SCHEMA_COUNT; id++)
		if (is_table(schemas[id]->name))
			text_append(words, "%s, ", schemas[id]->name);
	return fail(EINVAL, "assertion %s: there are the tables %smetric", text,
		    words);
}

/* "job.wal.sync_p99_ns", which is cut up. */
static int read_name(struct assertion *a, char *name, const char *row)
{
	char *dot = strchr(name, '.'), *last = strrchr(name, '.');

	if (!*name || strpbrk(last ? last : name, "<>=! "))
		return no_assertion(a->text);
	text_set(a->row, row ? row : "*");
	if (!dot) {
		text_set(a->table, "job");
		text_set(a->key, name);
		return 0;
	}
	*dot = *last = '\0';
	text_set(a->table, name);
	text_set(a->key, last + 1);
	text_set(a->row, last > dot ? dot + 1 : "");
	if (!*a->key)
		return no_assertion(a->text);
	return is_table(a->table) ? 0 : no_table(a->text);
}

/* The value has another form; perhaps the key lacks its unit. */
static int no_value(const struct assertion *a, const struct unit_row *unit)
{
	enum schema_id id = schema_by_name(a->table);
	const char *near = NULL;

	if (id != SCHEMA_COUNT && schema_field(id, a->key) < 0)
		near = text_nearest(a->key, schemas[id]->fields,
				    schemas[id]->n_fields, key);
	if (near)
		return fail(EINVAL, "assertion %s: there is no figure %s%s",
			    a->text, a->key,
			    text_did_you_mean("", near).text);
	return fail(EINVAL, "assertion %s: the value of %s is written as %s",
		    a->text, a->key, unit->example);
}

static int parse(struct assertion *a, const char *text, const char *row)
{
	char buf[ASSERTION_TEXT];
	const struct unit_row *unit;
	const char *at;
	size_t len;

	memset(a, 0, sizeof(*a));
	if (strlen(text) >= sizeof(a->text))
		return fail(EINVAL, "an assertion has at most %zu bytes",
			    sizeof(a->text) - 1);
	text_set(buf, text);
	text_clean(buf);
	text_set(a->text, text_trim(buf));
	text_set(buf, a->text);
	if (!find_op(buf, &at, &a->op, &len))
		return no_assertion(a->text);
	buf[at - buf] = '\0';
	if (read_name(a, text_trim(buf), row) < 0)
		return -EINVAL;
	unit = unit_row(a->key);
	if (!unit->read(text_trim(buf + (at - buf) + len), &a->limit))
		return no_value(a, unit);
	/* Name the job: a key alone is ambiguous. */
	if (row && !strchr(a->text, '.')) {
		text_set(buf, a->text);
		snprintf(a->text, sizeof(a->text), "job.%.*s.%.*s",
			 (int)sizeof(a->row) - 1, a->row, 160, buf);
	}
	return 0;
}

int assertions_add(struct assertions *to, const char *list, const char *row)
{
	size_t before = to->n;

	do {
		char text[ASSERTION_TEXT + 1];
		size_t n = strcspn(list, ",");

		snprintf(text, sizeof(text), "%.*s", (int)n, list);
		to->list =
			xgrow(to->list, &to->cap, to->n + 1, sizeof(*to->list));
		if (parse(&to->list[to->n], text, row) < 0) {
			to->n = before;
			return -EINVAL;
		}
		to->n++;
		list += n + (list[n] == ',');
	} while (*list);
	return 0;
}

void assertions_add_job(struct assertions *to, const struct job *job,
			const char *row)
{
	/* job_set() has checked the text: this does not fail. */
	if (job->assertion && assertions_add(to, job->assertion, row) < 0)
		return;
}

void assertions_copy(struct assertions *to, const struct assertions *from)
{
	if (!from->n)
		return;
	to->list =
		xgrow(to->list, &to->cap, to->n + from->n, sizeof(*to->list));
	memcpy(to->list + to->n, from->list, from->n * sizeof(*from->list));
	to->n += from->n;
}

void assertions_free(struct assertions *a)
{
	free(a->list);
	memset(a, 0, sizeof(*a));
}

/* --- judgement --- */

static bool assertion_holds(const struct assertion *a, double v)
{
	switch (a->op) {
	case ASSERT_LESS:
		return v < a->limit;
	case ASSERT_AT_MOST:
		return v <= a->limit;
	case ASSERT_MORE:
		return v > a->limit;
	case ASSERT_AT_LEAST:
		return v >= a->limit;
	case ASSERT_EQUAL:
		return v == a->limit;
	default:
		return v != a->limit;
	}
}

/* Whether v is further off than the value found before. */
static bool assertion_is_worse(const struct assertion *a,
			       const struct assertion_outcome *o, double v)
{
	if (!o->measured)
		return true;
	if (o->passed != assertion_holds(a, v))
		return o->passed;
	return a->op == ASSERT_MORE || a->op == ASSERT_AT_LEAST ? v < o->value
								: v > o->value;
}

static void assertion_take_row(const struct assertion *a, struct json *row,
			       const char *id, struct assertion_outcome *out)
{
	double v = json_get_number(row, a->key);

	if (!isfinite(v) || out->missed || !assertion_is_worse(a, out, v))
		return;
	out->measured = true;
	out->value = v;
	out->passed = assertion_holds(a, v);
	text_set(out->row, id ? id : "");
}

/* Operations that a row counts: "read_ios". */
struct operations {
	const char *of; /* key of the assertion */
	bool any, that;
};

static void see_operation(const char *key, struct json *value, void *arg)
{
	struct operations *o = arg;

	if (!text_ends(key, "_ios") || !(json_number(value) > 0))
		return;
	o->any = true;
	o->that |= !strncmp(key, o->of, strlen(key) - strlen("ios"));
}

/* Whether the key begins with an operation of that table. */
static bool is_of_operation(enum schema_id table, const char *key)
{
	char name[96];
	int n = (int)strcspn(key, "_");

	snprintf(name, sizeof(name), "%.*s_max_ns", n, key);
	if (schema_field(table, name) >= 0)
		return true;
	snprintf(name, sizeof(name), "%.*s_await_ns", n, key);
	return schema_field(table, name) >= 0;
}

/*
 * Whether a row with I/O cannot have the figure: the row did none of the
 * operation that the figure is of, or the program of another job reports the
 * figure.
 */
static bool is_other(const struct assertion *a, struct json *row)
{
	struct operations o = { .of = a->key };
	enum schema_id table = schema_by_name(a->table);

	json_each(row, see_operation, &o);
	if (table == SCHEMA_COUNT || !o.any)
		return false;
	if (is_of_operation(table, a->key))
		return !o.that;
	return schema_field(table, a->key) < 0;
}

/* A row of "*" without the figure. */
static void miss_row(const struct assertion *a, struct json *row,
		     const char *id, struct assertion_outcome *out)
{
	if (out->missed || isfinite(json_get_number(row, a->key)))
		return;
	if (is_other(a, row)) {
		if (!out->others++)
			text_set(out->other, id ? id : "");
		return;
	}
	out->missed = true;
	out->measured = out->passed = false;
	out->value = NAN;
	text_set(out->row, id ? id : "");
}

void assertion_judge(const struct assertion *a, struct json *result,
		     struct assertion_outcome *out)
{
	struct json *table = json_get(result, a->table);
	size_t n = json_length(table);
	bool each = !strcmp(a->row, "*");

	memset(out, 0, sizeof(*out));
	out->value = NAN;
	for (size_t i = 0; i < n; i++) {
		struct json *row = json_at(table, i);
		const char *id = json_get_string(row, "id");

		if (each)
			miss_row(a, row, id, out);
		if (!*a->row || each || (id && !strcmp(id, a->row)))
			assertion_take_row(a, row, id, out);
	}
	if (!n)
		assertion_take_row(a, table, NULL, out);
	if (!out->measured && !strcmp(a->table, "job") &&
	    !strcmp(a->row, "all"))
		assertion_take_row(a, json_get(result, "all_jobs"), "all", out);
}

char *assertion_words(const struct assertion *a,
		      const struct assertion_outcome *o, char *buf, size_t size)
{
	const char *row = o->measured || o->missed ? o->row : a->row;
	const struct unit_row *unit = unit_row(a->key);
	/* The limit as it was given: with its digits. */
	const char *given = strstr(a->text, op_words[a->op]);

	snprintf(buf, size, "%s%s%s.%s ", a->table, *row ? "." : "", row,
		 a->key);
	if (o->measured)
		text_add(buf, size, "is %s", unit->words(o->value).text);
	else
		text_add(buf, size, "was not measured");
	if (given)
		given += strlen(op_words[a->op]);
	text_add(buf, size, ", asserted %s %s", op_words[a->op],
		 given ? given + strspn(given, " ")
		       : unit->words(a->limit).text);
	if (!o->others)
		return buf;
	text_add(buf, size, "; %.60s", o->other);
	if (o->others > 1)
		text_add(buf, size, " and %u more have", o->others - 1);
	else
		text_add(buf, size, " has");
	text_add(buf, size, " no such figure");
	return buf;
}

const char *assertion_advice(const struct assertion *a,
			     const struct assertion_outcome *o)
{
	static const struct {
		const char *table, *begin, *end, *words;
	} rows[] = {
		{ "job", "sync", "_ns",
		  "see f_await and the write cache of the device, the journal "
		  "of the file system, and other programs that write" },
		{ "job", "", "errors",
		  "see the errors of the job and dmesg" },
		{ "job", "", "_ns",
		  "see aqu-sz and await of the device, I/O of other programs, "
		  "and the CPU" },
		{ "job", "", "_iops",
		  "see %util and await of the device, the queue depth that the "
		  "job reached, and the CPU" },
		{ "job", "", "_s",
		  "see %util and await of the device, the queue depth that the "
		  "job reached, and the CPU" },
		{ "device", "", "",
		  "see the queue settings of the device and I/O of other "
		  "programs" },
		{ "cpu", "", "", "see the processes that use the CPU" },
		{ "", "", "", "see the tables of the report" },
	};
	size_t i = 0;

	if (!o->measured)
		return "report --format=json has the names of all figures";
	while ((*rows[i].table && strcmp(rows[i].table, a->table) != 0) ||
	       strncmp(rows[i].begin, a->key, strlen(rows[i].begin)) != 0 ||
	       !text_ends(a->key, rows[i].end))
		i++;
	return rows[i].words;
}
