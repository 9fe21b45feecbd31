/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks: the values of the fields that an effect may tell of.
 */
#include "report/tracks.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/effect.h"
#include "report/window.h"

#define MIB (1024.0 * 1024)

static const char *const job_keys[TRACK_FIELDS + 1] = {
	"read_iops",        "write_iops",
	"trim_iops",        "sync_iops",
	"read_bytes_per_s", "write_bytes_per_s",
	"read_mean_ns",     "write_mean_ns",
	"sync_mean_ns",     "read_p50_ns",
	"write_p50_ns",     "sync_p50_ns",
	"read_p99_ns",      "write_p99_ns",
	"trim_p99_ns",      "sync_p99_ns",
	"read_p999_ns",     "write_p999_ns",
	"sync_p999_ns",     NULL,
};

static const char *const device_keys[TRACK_FIELDS + 1] = {
	"read_iops",         "write_iops",       "read_bytes_per_s",
	"write_bytes_per_s", "read_await_ns",    "write_await_ns",
	"read_size_bytes",   "write_size_bytes", "queue_size",
	"util_pct",          "flush_await_ns",   NULL,
};

static const char *const cpu_keys[TRACK_FIELDS + 1] = { "cpu_ns_per_mib",
							NULL };

const char *const *track_keys(enum schema_id schema)
{
	return schema == SCHEMA_JOB      ? job_keys
	       : schema == SCHEMA_DEVICE ? device_keys
					 : cpu_keys;
}

int track_index(enum schema_id schema, const char *key)
{
	const char *const *keys = track_keys(schema);

	for (int i = 0; keys[i]; i++)
		if (!strcmp(keys[i], key))
			return i;
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

/* Whoever keeps what the rows of a frame tell. */
struct taker {
	void (*take)(void *to, enum schema_id schema, const char *id, bool idle,
		     const double *value);
	void *to;
};

static void give_rows(const struct frame *f, enum schema_id schema,
		      const struct taker *taker)
{
	const struct table *t = &f->table[schema];
	const char *const *keys = track_keys(schema);
	int at[TRACK_FIELDS], n = 0;

	/* Looked up once per frame, not once per row. */
	for (; keys[n]; n++)
		at[n] = schema_field(schema, keys[n]);
	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->row[i];
		double value[TRACK_FIELDS];

		if (schema == SCHEMA_JOB && window_job_part(row) != JOB_RAN)
			continue;
		for (int k = 0; k < n; k++)
			value[k] = at[k] < 0 ? NAN : row->value[at[k]].number;
		taker->take(taker->to, schema, row->id,
			    schema == SCHEMA_DEVICE && !moves(row), value);
	}
}

static void give(const struct frame *f, const struct taker *taker)
{
	double cpu = cpu_ns_per_mib(f);

	give_rows(f, SCHEMA_JOB, taker);
	taker->take(taker->to, SCHEMA_CPU, "all", isnan(cpu), &cpu);
	give_rows(f, SCHEMA_DEVICE, taker);
}

static int n_keys(enum schema_id schema)
{
	const char *const *keys = track_keys(schema);
	int n = 0;

	while (keys[n])
		n++;
	return n;
}

static struct track *find_track(const struct tracks *t, enum schema_id schema,
				const char *id)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->track[i].schema == schema && !strcmp(t->track[i].id, id))
			return &t->track[i];
	return NULL;
}

static void clear_slot(struct track *k, size_t slot)
{
	for (int f = 0; f < TRACK_FIELDS; f++)
		k->value[f][slot] = NAN;
}

/* What never moved is not kept: there may be a thousand of these. */
static void take_track(void *to, enum schema_id schema, const char *id,
		       bool idle, const double *value)
{
	struct tracks *t = to;
	struct track *k = find_track(t, schema, id);
	size_t slot = (t->frames - 1) % TRACK_FRAMES;

	if (!k && (idle || t->n >= TRACK_ROWS))
		return;
	if (!k) {
		t->track =
			xgrow(t->track, &t->cap, t->n + 1, sizeof(*t->track));
		k = &t->track[t->n++];
		k->schema = schema;
		text_copy(k->id, sizeof(k->id), id);
		for (size_t i = 0; i < TRACK_FRAMES; i++)
			clear_slot(k, i);
	}
	for (int f = 0; f < n_keys(schema); f++)
		k->value[f][slot] = value[f];
}

void tracks_add(struct tracks *t, const struct frame *f)
{
	struct taker taker = { take_track, t };
	size_t slot = t->frames++ % TRACK_FRAMES;

	for (size_t i = 0; i < t->n; i++)
		clear_slot(&t->track[i], slot);
	give(f, &taker);
}

void tracks_clear(struct tracks *t)
{
	t->n = t->frames = 0;
}

static struct track_sum *find_sum(const struct track_sums *s,
				  enum schema_id schema, const char *id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->row[i].schema == schema && !strcmp(s->row[i].id, id))
			return &s->row[i];
	return NULL;
}

static void take_sum(void *to, enum schema_id schema, const char *id, bool idle,
		     const double *value)
{
	struct track_sums *s = to;
	struct track_sum *row = find_sum(s, schema, id);

	if (!row && (idle || s->n >= TRACK_SUM_ROWS))
		return;
	if (!row) {
		s->row = xgrow(s->row, &s->cap, s->n + 1, sizeof(*s->row));
		row = &s->row[s->n++];
		memset(row, 0, sizeof(*row));
		row->schema = schema;
		text_copy(row->id, sizeof(row->id), id);
	}
	for (int f = 0; f < n_keys(schema); f++)
		series_sum_add(&row->sum[f], value[f]);
}

void track_sums_add(struct track_sums *s, const struct frame *f)
{
	struct taker taker = { take_sum, s };

	s->frames++;
	give(f, &taker);
}

const char *track_row(const struct track_side *side, size_t i,
		      enum schema_id *schema)
{
	if (side->rings) {
		if (i >= side->rings->n)
			return NULL;
		*schema = side->rings->track[i].schema;
		return side->rings->track[i].id;
	}
	if (i >= side->sums->n)
		return NULL;
	*schema = side->sums->row[i].schema;
	return side->sums->row[i].id;
}

bool track_has(const struct track_side *side, enum schema_id schema,
	       const char *id)
{
	return side->rings ? find_track(side->rings, schema, id) != NULL
			   : find_sum(side->sums, schema, id) != NULL;
}

/* The values of a ring stand oldest first. */
static struct series_stats ring_stats(const struct tracks *t,
				      const struct track *k, int field)
{
	size_t n = t->frames < TRACK_FRAMES ? t->frames : TRACK_FRAMES;
	struct series_sum sum = { 0 };

	for (size_t i = 0; i < n; i++)
		series_sum_add(
			&sum,
			k->value[field][(t->frames - n + i) % TRACK_FRAMES]);
	return series_sum_stats(&sum);
}

struct series_stats track_stats(const struct track_side *side,
				enum schema_id schema, const char *id,
				int field)
{
	const struct track *k;
	const struct track_sum *s;

	if (side->rings) {
		k = find_track(side->rings, schema, id);
		return k ? ring_stats(side->rings, k, field)
			 : series_stats(NULL, 0);
	}
	s = find_sum(side->sums, schema, id);
	return s ? series_sum_stats(&s->sum[field]) : series_stats(NULL, 0);
}
