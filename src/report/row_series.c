/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Row series: the metrics of jobs and devices, interval by interval.
 */
#include "report/row_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/effect.h"
#include "report/window.h"

#define MIB (1024.0 * 1024)

size_t row_series_fields(enum schema_id schema, int *field)
{
	if (schema == SCHEMA_CPU) {
		field[0] = FIELD_CPU_PER_MIB;
		return 1;
	}
	return schema_fields_in(schema, FIELD_IN_COMPARE, field,
				ROW_SERIES_FIELDS);
}

int row_series_index(enum schema_id schema, const char *key)
{
	int field[ROW_SERIES_FIELDS];
	size_t n = row_series_fields(schema, field);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(effect_field(schema, field[i])->key, key))
			return (int)i;
	return -1;
}

static double or_zero(double v)
{
	return v > 0 ? v : 0;
}

/* Bytes moved per second: by the jobs, without any by the devices. */
static double bytes_per_s(const struct frame *f)
{
	const struct table *jobs = &f->table[SCHEMA_JOB];
	double sum = 0;

	if (!jobs->n)
		return or_zero(frame_total(f, "read_bytes_per_s")) +
		       or_zero(frame_total(f, "write_bytes_per_s"));
	for (size_t i = 0; i < jobs->n; i++)
		sum += or_zero(row_number(SCHEMA_JOB, &jobs->row[i],
					  "read_bytes_per_s")) +
		       or_zero(row_number(SCHEMA_JOB, &jobs->row[i],
					  "write_bytes_per_s"));
	return sum;
}

/* All CPUs, kernel threads and interrupts included; NaN when nothing moved. */
static double cpu_ns_per_mib(const struct frame *f)
{
	static const char *const busy[] = { "user_pct", "nice_pct",
					    "system_pct", "irq_pct" };
	const struct table *cpus = &f->table[SCHEMA_CPU];
	double pct = 0, bytes = bytes_per_s(f);

	if (cpus->n < 2 || !(bytes > 0))
		return NAN;
	for (size_t i = 0; i < ARRAY_SIZE(busy); i++)
		pct += frame_number(f, SCHEMA_CPU, "all", busy[i]);
	/* "all" is their mean and the first row, the others are one each. */
	return pct / 100 * (double)(cpus->n - 1) * 1e9 / (bytes / MIB);
}

static bool moves(const struct row *row)
{
	return row_number(SCHEMA_DEVICE, row, "read_iops") > 0 ||
	       row_number(SCHEMA_DEVICE, row, "write_iops") > 0 ||
	       row_number(SCHEMA_DEVICE, row, "queue_depth") > 0;
}

static bool is_row(const struct row_series *row, enum schema_id schema,
		   const char *id)
{
	return row->schema == schema && !strcmp(row->id, id);
}

/* Rows come in the same order in each frame: try the next one first. */
static struct row_series *find(struct row_series_set *s, enum schema_id schema,
			       const char *id)
{
	for (size_t k = 0; k < s->n; k++) {
		size_t i = (s->next + k) % s->n;

		if (is_row(&s->row[i], schema, id)) {
			s->next = i + 1;
			return &s->row[i];
		}
	}
	return NULL;
}

/* Do not keep a row that never had I/O: there may be a thousand of these. */
static struct row_series *row_for(struct row_series_set *s,
				  enum schema_id schema, const char *id,
				  bool idle)
{
	struct row_series *row = find(s, schema, id);

	if (row || idle)
		return row;
	s->row = xgrow(s->row, &s->cap, s->n + 1, sizeof(*s->row));
	row = &s->row[s->n++];
	memset(row, 0, sizeof(*row));
	row->schema = schema;
	text_copy(row->id, sizeof(row->id), id);
	return row;
}

static void add_value(struct row_series *row, int field, double v)
{
	if (!isfinite(v))
		return;
	if (!row->of[field] && v == 0) {
		row->zeros[field]++;
		return;
	}
	if (!row->of[field]) {
		row->of[field] = xcalloc(1, sizeof(*row->of[field]));
		if (row->zeros[field])
			series_zeros(row->of[field], row->zeros[field]);
	}
	series_add(row->of[field], v);
}

static void add_time(struct row_series *row, const struct frame *f)
{
	if (!(row->to_s > 0))
		row->from_s = f->t_s - f->interval_s;
	row->to_s = f->t_s;
}

static void add_rows(struct row_series_set *s, const struct frame *f,
		     enum schema_id schema)
{
	const struct table *t = &f->table[schema];
	int at[ROW_SERIES_FIELDS];
	/* Look up the fields once per frame, not once per row. */
	const size_t n = row_series_fields(schema, at);

	for (size_t i = 0; i < t->n; i++) {
		const struct row *from = &t->row[i];
		struct row_series *row;

		if (schema == SCHEMA_JOB && window_job_part(from) != JOB_RAN)
			continue;
		row = row_for(s, schema, from->id,
			      schema == SCHEMA_DEVICE && !moves(from));
		if (row)
			add_time(row, f);
		for (size_t k = 0; row && k < n; k++)
			add_value(row, (int)k, from->value[at[k]].number);
	}
}

void row_series_add(struct row_series_set *s, const struct frame *f)
{
	double cpu = cpu_ns_per_mib(f);
	struct row_series *row;

	s->frames++;
	add_rows(s, f, SCHEMA_JOB);
	row = row_for(s, SCHEMA_CPU, "all", isnan(cpu));
	if (row) {
		add_time(row, f);
		add_value(row, 0, cpu);
	}
	add_rows(s, f, SCHEMA_DEVICE);
}

void row_series_free(struct row_series_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < ROW_SERIES_FIELDS; k++)
			free(s->row[i].of[k]);
	free(s->row);
	memset(s, 0, sizeof(*s));
}

const struct row_series *row_series_find(const struct row_series_set *s,
					 enum schema_id schema, const char *id)
{
	for (size_t i = 0; i < s->n; i++)
		if (is_row(&s->row[i], schema, id))
			return &s->row[i];
	return NULL;
}

void row_series_get(const struct row_series_set *s, enum schema_id schema,
		    const char *id, int field, struct series *out)
{
	const struct row_series *row = row_series_find(s, schema, id);

	memset(out, 0, sizeof(*out));
	if (row && row->of[field])
		*out = *row->of[field];
	else if (row && row->zeros[field])
		series_zeros(out, row->zeros[field]);
}
