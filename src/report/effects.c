/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Effects: what each knob turn did, from the intervals before and after it.
 */
#include "report/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "report/stats.h"
#include "report/turns.h"
#include "report/window.h"

static const char *const job_keys[EFFECTS_FIELDS] = {
	"read_iops",    "write_iops",  "sync_iops",        "read_p99_ns",
	"write_p99_ns", "sync_p99_ns", "read_bytes_per_s", "write_bytes_per_s",
};

static const char *const device_keys[EFFECTS_FIELDS] = {
	"read_iops",         "write_iops",       "read_bytes_per_s",
	"write_bytes_per_s", "read_await_ns",    "write_await_ns",
	"read_size_bytes",   "write_size_bytes", "queue_size",
	"util_pct",
};

/* What is told of a turn, most telling first; what was not in use is not. */
struct telling {
	enum schema_id schema;
	const char *key;
	bool without_jobs; /* only when there are none */
};

static const struct telling usual[] = {
	{ SCHEMA_JOB, "read_iops", false },
	{ SCHEMA_JOB, "write_iops", false },
	{ SCHEMA_JOB, "read_p99_ns", false },
	{ SCHEMA_JOB, "write_p99_ns", false },
	{ SCHEMA_JOB, "sync_p99_ns", false },
	{ SCHEMA_DEVICE, "read_iops", true },
	{ SCHEMA_DEVICE, "write_iops", true },
	{ SCHEMA_DEVICE, "read_await_ns", false },
	{ SCHEMA_DEVICE, "write_await_ns", false },
	{ SCHEMA_DEVICE, "queue_size", false },
	{ SCHEMA_DEVICE, "util_pct", false },
	{ SCHEMA_DEVICE, "read_bytes_per_s", false },
	{ SCHEMA_DEVICE, "write_bytes_per_s", false },
	{ SCHEMA_JOB, "read_bytes_per_s", false },
	{ SCHEMA_JOB, "write_bytes_per_s", false },
	{ SCHEMA_DEVICE, "read_size_bytes", false },
	{ SCHEMA_DEVICE, "write_size_bytes", false },
	{ SCHEMA_COUNT, NULL, false },
};

static const struct telling readahead[] = {
	{ SCHEMA_DEVICE, "read_size_bytes", false },
	{ SCHEMA_JOB, "read_iops", false },
	{ SCHEMA_JOB, "read_p99_ns", false },
	{ SCHEMA_DEVICE, "read_bytes_per_s", false },
	{ SCHEMA_DEVICE, "read_iops", false },
	{ SCHEMA_DEVICE, "read_await_ns", false },
	{ SCHEMA_DEVICE, "queue_size", false },
	{ SCHEMA_DEVICE, "util_pct", false },
	{ SCHEMA_JOB, "write_iops", false },
	{ SCHEMA_COUNT, NULL, false },
};

/* So that many jobs leave room for what the device says. */
#define MOST_OF_JOBS 6

static const char *const *keys_of(enum schema_id schema)
{
	return schema == SCHEMA_JOB ? job_keys : device_keys;
}

static int key_index(enum schema_id schema, const char *key)
{
	for (int i = 0; i < EFFECTS_FIELDS; i++)
		if (keys_of(schema)[i] && !strcmp(keys_of(schema)[i], key))
			return i;
	return -1;
}

static struct track *find_track(const struct tracks *t, enum schema_id schema,
				const char *id)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->track[i].schema == schema && !strcmp(t->track[i].id, id))
			return &t->track[i];
	return NULL;
}

static struct track *get_track(struct tracks *t, enum schema_id schema,
			       const char *id)
{
	struct track *k = find_track(t, schema, id);

	if (k || t->n >= EFFECTS_ROWS)
		return k;
	t->track = xgrow(t->track, &t->cap, t->n + 1, sizeof(*t->track));
	k = &t->track[t->n++];
	k->schema = schema;
	text_copy(k->id, sizeof(k->id), id);
	for (int f = 0; f < EFFECTS_FIELDS; f++)
		for (int i = 0; i < EFFECTS_FRAMES; i++)
			k->value[f][i] = NAN;
	return k;
}

static void track_row(struct tracks *t, enum schema_id schema,
		      const struct row *row, size_t slot)
{
	struct track *k = get_track(t, schema, row->id);

	for (int f = 0; k && f < EFFECTS_FIELDS; f++)
		if (keys_of(schema)[f])
			k->value[f][slot] =
				row_number(schema, row, keys_of(schema)[f]);
}

static void track_frame(struct tracks *t, const struct frame *f)
{
	const struct table *jobs = &f->table[SCHEMA_JOB];
	const struct table *devices = &f->table[SCHEMA_DEVICE];
	size_t slot = t->frames++ % EFFECTS_FRAMES;

	for (size_t i = 0; i < t->n; i++)
		for (int k = 0; k < EFFECTS_FIELDS; k++)
			t->track[i].value[k][slot] = NAN;
	for (size_t i = 0; i < jobs->n; i++)
		if (window_job_part(&jobs->row[i]) == JOB_RAN)
			track_row(t, SCHEMA_JOB, &jobs->row[i], slot);
	for (size_t i = 0; i < devices->n; i++)
		track_row(t, SCHEMA_DEVICE, &devices->row[i], slot);
}

/* The values of a field, oldest first. */
static struct series_stats field_stats(const struct tracks *t,
				       enum schema_id schema, const char *id,
				       int field)
{
	const struct track *k = find_track(t, schema, id);
	size_t n = t->frames < EFFECTS_FRAMES ? t->frames : EFFECTS_FRAMES;
	double x[EFFECTS_FRAMES];

	if (!k)
		return series_stats(NULL, 0);
	for (size_t i = 0; i < n; i++)
		x[i] = k->value[field][(t->frames - n + i) % EFFECTS_FRAMES];
	return series_stats(x, n);
}

static void add_figure(struct effects *e, struct effect *to,
		       enum schema_id schema, const char *id, const char *key)
{
	struct figure *figure = &to->figure[to->n_figures];
	int k = key_index(schema, key), field = schema_field(schema, key);
	struct series_stats before, after;

	if (to->n_figures >= EFFECT_FIGURES || k < 0 || field < 0)
		return;
	before = field_stats(&e->before, schema, id, k);
	after = field_stats(&e->recent, schema, id, k);
	/* Absent or always 0: not in use. */
	if (!(before.mean > 0) && !(after.mean > 0))
		return;
	memset(figure, 0, sizeof(*figure));
	figure->schema = schema;
	figure->field = field;
	text_copy(figure->row, sizeof(figure->row), id);
	stats_compare(&before, &after, figure);
	to->n_figures++;
}

static double moved(const struct tracks *t, const char *id)
{
	double sum = 0;

	for (int op = 0; op < 2; op++) {
		int k = key_index(SCHEMA_DEVICE, op ? "write_bytes_per_s"
						    : "read_bytes_per_s");
		double v = field_stats(t, SCHEMA_DEVICE, id, k).mean;

		sum += v > 0 ? v : 0;
	}
	return sum;
}

/* The turned device; for a host knob the one that moves most. */
static const char *device_of(const struct effects *e, const struct event *turn)
{
	const char *busiest = turn->device;
	double most = 0;

	if (strcmp(turn->device, "vm"))
		return turn->device;
	for (size_t i = 0; i < e->before.n; i++) {
		const struct track *k = &e->before.track[i];
		double bytes;

		if (k->schema != SCHEMA_DEVICE)
			continue;
		bytes = moved(&e->before, k->id);
		if (bytes > most) {
			most = bytes;
			busiest = k->id;
		}
	}
	return busiest;
}

static void add_job_figures(struct effects *e, struct effect *to,
			    const char *key)
{
	/* Jobs of either side; those of both are in recent. */
	for (size_t i = 0; i < e->recent.n; i++)
		if (e->recent.track[i].schema == SCHEMA_JOB &&
		    to->n_figures < MOST_OF_JOBS)
			add_figure(e, to, SCHEMA_JOB, e->recent.track[i].id,
				   key);
	for (size_t i = 0; i < e->before.n; i++)
		if (e->before.track[i].schema == SCHEMA_JOB &&
		    to->n_figures < MOST_OF_JOBS &&
		    !find_track(&e->recent, SCHEMA_JOB, e->before.track[i].id))
			add_figure(e, to, SCHEMA_JOB, e->before.track[i].id,
				   key);
}

static void compute(struct effects *e, struct effect *to)
{
	const struct telling *t =
		strcmp(to->event.knob, "read_ahead_kb") ? usual : readahead;
	const char *device = device_of(e, &to->event);

	to->n_figures = 0;
	for (; t->key; t++) {
		if (t->without_jobs && e->jobs)
			continue;
		if (t->schema == SCHEMA_JOB)
			add_job_figures(e, to, t->key);
		else
			add_figure(e, to, SCHEMA_DEVICE, device, t->key);
	}
}

void effects_update(struct effects *e)
{
	if (e->fresh)
		return;
	for (size_t i = e->open; i < e->n; i++)
		compute(e, &e->effect[i]);
	e->fresh = true;
}

static void clear(struct tracks *t)
{
	t->n = t->frames = 0;
}

/* No more is added to what was after the turns so far. */
static void close_open(struct effects *e)
{
	effects_update(e);
	e->open = e->n;
}

/* What is after the last turn is before the next one. */
static void take_turns(struct effects *e, const struct frame *f)
{
	bool cut = false;

	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *event = &f->event[i];
		struct effect *to;

		if (!turns_is_turn(f, event) && !turns_is_restore(event))
			continue;
		if (!cut) {
			struct tracks t = e->before;

			close_open(e);
			e->before = e->recent;
			e->recent = t;
			clear(&e->recent);
			cut = true;
		}
		if (!turns_is_turn(f, event))
			continue;
		if (e->n >= EFFECTS_MAX) {
			e->left_out++;
			continue;
		}
		e->effect =
			xgrow(e->effect, &e->cap, e->n + 1, sizeof(*e->effect));
		to = &e->effect[e->n++];
		memset(to, 0, sizeof(*to));
		to->event = *event;
	}
	e->fresh = !cut && e->fresh;
}

static bool in_phase(const struct frame *f, const char *phase)
{
	const struct table *t = &f->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n; i++) {
		const char *p = row_text(SCHEMA_JOB, &t->row[i], "phase");

		if (!strcmp(p ? p : "run", phase))
			return true;
	}
	return false;
}

/*
 * Whether a frame tells of the load: without jobs any does; with jobs those in
 * which one runs, and ran the whole interval, and none lays out its file.
 */
static bool telling_frame(struct effects *e, const struct frame *f)
{
	bool running = in_phase(f, "run"), ran = e->running;

	if (!(f->interval_s > 0))
		return false;
	if (f->table[SCHEMA_JOB].n && !e->jobs) {
		/* What was before the jobs is no yardstick for them. */
		e->jobs = true;
		ran = running;
		clear(&e->recent);
	}
	if (!e->jobs)
		return true;
	e->running = running;
	return running && ran && !in_phase(f, "layout");
}

void effects_add(struct effects *e, const struct frame *f)
{
	bool tells = telling_frame(e, f);

	if (turns_cut(f)) {
		take_turns(e, f);
		return;
	}
	if (!tells)
		return;
	if (e->recent.frames == EFFECTS_FRAMES)
		close_open(e);
	track_frame(&e->recent, f);
	if (e->open < e->n)
		e->fresh = false;
}

void effects_free(struct effects *e)
{
	free(e->effect);
	free(e->before.track);
	free(e->recent.track);
	memset(e, 0, sizeof(*e));
}
