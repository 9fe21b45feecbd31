/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob sample: the knob rows of a sample, and what device rows show of them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/text.h"
#include "knob/knob.h"
#include "knob/knob_held.h"
#include "model/schema_device.h"
#include "model/schema_knob.h"

/* Of the idle devices one, and this share of all, is read in turn. */
#define ROTATION 16
/* That turn, and the host's, come every so many samples. */
#define IDLE_EVERY 4
#define HOST_EVERY 4
/* The share of the files this process may open, and a bound. */
#define FILES_SHARE 4
#define FILES_MAX   4096

struct followed {
	struct knob_held_device held;
	uint64_t generation, activity;
	bool seen, known, part;
};

struct knob_sampler {
	const struct root *root;
	struct knob_held_budget budget;
	struct knob_held_device host;
	struct followed *at;
	size_t n, cap, rotor;
	uint64_t samples;
	char (*watched)[KNOB_DEVICE_MAX];
	size_t n_watched, cap_watched;
};

struct knob_sampler *knob_sampler_new(const struct root *root)
{
	struct knob_sampler *k = xcalloc(1, sizeof(*k));
	struct rlimit limit = { 256, 256 };

	k->root = root;
	getrlimit(RLIMIT_NOFILE, &limit);
	k->budget.max = limit.rlim_cur / FILES_SHARE < FILES_MAX
				? limit.rlim_cur / FILES_SHARE
				: FILES_MAX;
	knob_held_init(&k->host, KNOB_HOST);
	return k;
}

void knob_sampler_free(struct knob_sampler *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++)
		knob_held_free(&k->at[i].held, &k->budget);
	knob_held_free(&k->host, &k->budget);
	free(k->at);
	free(k->watched);
	free(k);
}

static bool is_watched(const struct knob_sampler *k, const char *device)
{
	for (size_t i = 0; i < k->n_watched; i++)
		if (!strcmp(k->watched[i], device))
			return true;
	return false;
}

void knob_sampler_watch(struct knob_sampler *k, const char *device)
{
	if (is_watched(k, device))
		return;
	k->watched = xgrow(k->watched, &k->cap_watched, k->n_watched + 1,
			   KNOB_DEVICE_MAX);
	text_copy(k->watched[k->n_watched++], KNOB_DEVICE_MAX, device);
}

/* What moves when a device works. */
static uint64_t activity_of(const struct device_raw *r)
{
	uint64_t sum = r->flush_ios;

	for (int op = 0; op < DEVICE_OPS; op++)
		sum += r->ios[op] + r->sectors[op];
	return sum;
}

/* Find a device; the rows mostly come in the same order, so look there. */
static struct followed *find(struct knob_sampler *k, size_t hint,
			     const char *name)
{
	if (hint < k->n && !strcmp(k->at[hint].held.name, name))
		return &k->at[hint];
	for (size_t i = 0; i < k->n; i++)
		if (!strcmp(k->at[i].held.name, name))
			return &k->at[i];
	return NULL;
}

static struct followed *follow(struct knob_sampler *k, size_t hint,
			       const struct device_raw *r)
{
	struct followed *f = find(k, hint, r->key.id);

	if (f && f->generation == r->key.generation)
		return f;
	if (f) {
		/* Another device of that name. */
		knob_held_free(&f->held, &k->budget);
	} else {
		k->at = xgrow(k->at, &k->cap, k->n + 1, sizeof(*k->at));
		f = &k->at[k->n++];
	}
	memset(f, 0, sizeof(*f));
	knob_held_init(&f->held, r->key.id);
	f->generation = r->key.generation;
	/* Partitions have no queue of their own. */
	f->part = !strcmp(r->kind, "part");
	return f;
}

static void forget_vanished(struct knob_sampler *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (k->at[i].seen)
			k->at[kept++] = k->at[i];
		else
			knob_held_free(&k->at[i].held, &k->budget);
	}
	k->n = kept;
}

/* Read those that work, those watched, those new, and some of the idle. */
static void read_devices(struct knob_sampler *k, const struct sample *s)
{
	size_t devices = s->table[SCHEMA_DEVICE].n;

	for (size_t i = 0; i < k->n; i++)
		k->at[i].seen = false;
	for (size_t i = 0; i < devices; i++) {
		const struct device_raw *r = sample_row(s, SCHEMA_DEVICE, i);
		struct followed *f = follow(k, i, r);
		uint64_t activity = activity_of(r);
		bool busy = activity != f->activity || r->queue_depth > 0 ||
			    is_watched(k, r->key.id);

		f->seen = true;
		f->activity = activity;
		if (!f->part && (busy || !f->known))
			knob_held_read(&f->held, k->root, busy && f->known,
				       &k->budget);
		f->known = true;
	}
	forget_vanished(k);
	if (k->samples % IDLE_EVERY)
		return;
	for (size_t i = 0; k->n && i < 1 + k->n / ROTATION; i++) {
		struct followed *f = &k->at[k->rotor++ % k->n];
		/*
		 * Where devices are few their files stay open: opening costs
		 * several times what reading does. Among many, what idles
		 * gives its own back.
		 */
		bool keep = (k->n <= ROTATION || f->held.fixed[0].fd >= 0) &&
			    k->budget.used < k->budget.max;

		if (!f->part)
			knob_held_read(&f->held, k->root, keep, &k->budget);
	}
}

static void emit_one(struct sample *s, const struct knob_held *h,
		     uint64_t generation)
{
	struct knob_raw *row;

	if (!h->row || !h->value[0])
		return;
	row = sample_add(s, SCHEMA_KNOB);
	memcpy(row->key.id, h->id, sizeof(h->id));
	row->key.generation = generation;
	row->value = arena_strdup(&s->arena, h->value);
	row->choices =
		h->choices[0] ? arena_strdup(&s->arena, h->choices) : NULL;
}

static void emit(struct sample *s, const struct knob_held_device *d,
		 uint64_t generation)
{
	for (size_t i = 0; i < n_knobs; i++) {
		if (knobs[i].kind != KNOB_FOUND) {
			emit_one(s, &d->fixed[i], generation);
			continue;
		}
		for (size_t f = 0; f < d->n_found; f++)
			emit_one(s, &d->found[f], generation);
	}
}

/* The scheduler and the readahead of a device's own row. */
static void fill_row(struct device_raw *r, const struct followed *f)
{
	r->scheduler[0] = '\0';
	r->read_ahead_kb = -1;
	for (size_t i = 0; i < n_knobs; i++) {
		const struct knob_held *h = &f->held.fixed[i];

		if (!h->value[0])
			continue;
		if (!strcmp(knobs[i].name, "scheduler"))
			text_copy(r->scheduler, sizeof(r->scheduler), h->value);
		if (!strcmp(knobs[i].name, "read_ahead_kb"))
			r->read_ahead_kb = strtoll(h->value, NULL, 10);
	}
}

void knob_sample(struct knob_sampler *k, struct sample *s)
{
	size_t devices = s->table[SCHEMA_DEVICE].n;

	read_devices(k, s);
	if (k->samples % HOST_EVERY == 0 || is_watched(k, KNOB_HOST))
		knob_held_read(&k->host, k->root, true, &k->budget);
	k->samples++;
	emit(s, &k->host, 0);
	/* After the sweep every row's device stands at the row's own place,
	   or is found by name. */
	for (size_t i = 0; i < devices; i++) {
		struct device_raw *r = sample_row(s, SCHEMA_DEVICE, i);
		const struct followed *f = find(k, i, r->key.id);

		fill_row(r, f);
		emit(s, &f->held, f->generation);
	}
}
