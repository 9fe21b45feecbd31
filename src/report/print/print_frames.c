/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print frames: chosen fields of every frame as CSV, a line per frame. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "report/print/print.h"

/* The limit of columns, because a log is untrusted. */
#define SERIES_COLUMNS 4096

struct series_column {
	enum schema_id schema;
	int field;
	char id[ROW_ID_MAX]; /* "*": all */
	size_t row;          /* its index in the last frame */
};

struct print_series {
	struct series_column *asked, *column;
	size_t n_asked, n, cap_asked, cap;
	bool scans;
};

static void print_frames_add_series(struct print_series *s,
				    const struct series_column *c)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->column[i].schema == c->schema &&
		    s->column[i].field == c->field &&
		    !strcmp(s->column[i].id, c->id))
			return;
	if (s->n == SERIES_COLUMNS)
		return;
	*xadd(s->column, s->n, s->cap) = *c;
}

/* Parse a word such as "device.sda.read_iops". */
static int parse_series(struct print_series *s, const char *word)
{
	const char *dot = strchr(word, '.'), *last = strrchr(word, '.');
	struct series_column c = { .schema = SCHEMA_COUNT, .field = -1 };
	char table[64];

	if (dot) {
		snprintf(table, sizeof(table), "%.*s", (int)(dot - word), word);
		c.schema = schema_by_name(table);
	}
	if (c.schema != SCHEMA_COUNT)
		c.field = schema_field(c.schema, last + 1);
	if (c.field < 0)
		return fail(EINVAL,
			    "--series: %s is not TABLE.ROW.KEY, such as "
			    "device.sda.read_iops; iodyno list fields has "
			    "them",
			    word);
	if (last > dot)
		snprintf(c.id, sizeof(c.id), "%.*s", (int)(last - dot - 1),
			 dot + 1);
	else if (!schemas[c.schema]->bare)
		snprintf(c.id, sizeof(c.id), "*");
	*xadd(s->asked, s->n_asked, s->cap_asked) = c;
	s->scans |= !strcmp(c.id, "*");
	return 0;
}

int print_series_new(struct print_series **out, const char *fields)
{
	struct print_series *s = xcalloc(1, sizeof(*s));
	char *copy = xstrdup(fields), *save = NULL;
	int err = 0;

	for (char *word = strtok_r(copy, ",", &save); word && !err;
	     word = strtok_r(NULL, ",", &save))
		err = parse_series(s, word);
	free(copy);
	if (!err && !s->n_asked)
		err = fail(EINVAL, "--series names no field");
	for (size_t i = 0; !err && !s->scans && i < s->n_asked; i++)
		print_frames_add_series(s, &s->asked[i]);
	if (err)
		print_series_free(s);
	else
		*out = s;
	return err;
}

void print_series_free(struct print_series *s)
{
	if (!s)
		return;
	free(s->asked);
	free(s->column);
	free(s);
}

bool print_series_scans(const struct print_series *s)
{
	return s->scans;
}

void print_series_scan(struct print_series *s, const struct frame *f)
{
	for (size_t i = 0; i < s->n_asked; i++) {
		struct series_column c = s->asked[i];
		const struct table *t = &f->table[c.schema];

		if (strcmp(c.id, "*") != 0) {
			print_frames_add_series(s, &c);
			continue;
		}
		for (size_t k = 0; k < t->n; k++) {
			text_copy(c.id, sizeof(c.id), t->row[k].id);
			print_frames_add_series(s, &c);
		}
	}
}

void print_series_head(const struct print_series *s, FILE *out)
{
	fputs("log,t,time", out);
	for (size_t i = 0; i < s->n; i++) {
		const struct series_column *c = &s->column[i];
		const struct schema *of = schemas[c->schema];
		char name[256];

		snprintf(name, sizeof(name), "%s%s%s.%s", of->name,
			 *c->id ? "." : "", c->id, of->fields[c->field].key);
		fputc(',', out);
		print_csv_text(out, name);
	}
	fputc('\n', out);
}

/* Search from the last index: most rows keep it from frame to frame. */
static const struct row *print_frames_find_row(struct series_column *c,
					       const struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t at = (c->row + i) % t->n;

		if (*c->id && strcmp(t->row[at].id, c->id) != 0)
			continue;
		c->row = at;
		return &t->row[at];
	}
	return NULL;
}

void print_series_add(struct print_series *s, const char *log,
		      const struct frame *f, FILE *out)
{
	print_csv_text(out, log);
	fputc(',', out);
	print_csv_number(out, f->t_s);
	fprintf(out, ",%s", clock_utc(f->wall_ns).text);
	for (size_t i = 0; i < s->n; i++) {
		struct series_column *c = &s->column[i];
		const struct row *row =
			print_frames_find_row(c, &f->table[c->schema]);
		const struct field *field =
			&schemas[c->schema]->fields[c->field];

		fputc(',', out);
		if (row && field->kind == FIELD_NUMBER)
			print_csv_number(out, row->value[c->field].number);
		else if (row && field->kind == FIELD_TEXT &&
			 row->value[c->field].text)
			print_csv_text(out, row->value[c->field].text);
	}
	fputc('\n', out);
}
