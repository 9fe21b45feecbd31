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
#include "knob/knob_effect.h"
#include "knob/knob_held.h"
#include "model/schema_device.h"
#include "model/schema_knob.h"

/* Of the idle devices one, and this share of all, is read in turn. */
#define ROTATION 16
/* That turn, and the host's, come every so many samples. */
#define IDLE_EVERY  4
#define HOST_EVERY  4
#define ABOVE_EVERY 16
/* The share of the files this process may open, and a bound. */
#define FILES_SHARE 4
#define FILES_MAX   4096

struct followed {
	struct knob_held_device held;
	uint64_t generation, activity;
	bool seen, known, part;
	char above[40]; /* see struct knob_context */
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
	bool one_cpu;
	size_t linked; /* how many there were when they were linked */
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
	k->one_cpu = root_exists(root, "sys/devices/system/cpu/cpu0") &&
		     !root_exists(root, "sys/devices/system/cpu/cpu1");
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

static void set_above(struct knob_sampler *k, const char *device,
		      const char *above)
{
	struct followed *f = find(k, k->n, device);

	if (f)
		text_copy(f->above, sizeof(f->above), above);
}

/* A member that is a partition stands for its disk. */
static void set_members_above(struct knob_sampler *k, const struct sample *s,
			      const struct device_raw *r)
{
	char names[sizeof(r->members)], *rest = names, *name;

	text_copy(names, sizeof(names), r->members);
	while ((name = strsep(&rest, " "))) {
		const struct device_raw *m =
			*name ? sample_find(s, SCHEMA_DEVICE, name) : NULL;

		if (m)
			set_above(k, strcmp(m->kind, "part") ? name : m->parent,
				  r->key.id);
	}
}

/*
 * Who lies on a device and is read ahead by a readahead of its own: what is
 * built on it (a loop device reads through a file of the file system below),
 * and a btrfs, on a partition of it as well.
 */
static void link_above(struct knob_sampler *k, const struct sample *s)
{
	size_t devices = s->table[SCHEMA_DEVICE].n;

	for (size_t i = 0; i < k->n; i++)
		k->at[i].above[0] = '\0';
	for (size_t i = 0; i < devices; i++) {
		const struct device_raw *r = sample_row(s, SCHEMA_DEVICE, i);
		bool part = !strcmp(r->kind, "part");

		if (*r->member_of)
			set_above(k, part ? r->parent : r->key.id,
				  r->member_of);
		if (strcmp(r->kind, "loop"))
			set_members_above(k, s, r);
	}
	k->linked = k->n;
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

static const char *kept(struct sample *s, const char *text)
{
	return text ? arena_strdup(&s->arena, text) : NULL;
}

static void emit_one(struct sample *s, struct knob_context *c,
		     const struct knob_held *h, uint64_t generation)
{
	struct knob_raw *row;
	char why[160];

	if (!h->row || !h->value[0])
		return;
	c->knob = h;
	row = sample_add(s, SCHEMA_KNOB);
	memcpy(row->key.id, h->id, sizeof(h->id));
	row->key.generation = generation;
	row->value = arena_strdup(&s->arena, h->value);
	row->choices = kept(s, h->choices[0] ? h->choices : NULL);
	row->original =
		kept(s, strcmp(h->original, h->value) ? h->original : NULL);
	row->no_effect = kept(s, knob_no_effect(c, why, sizeof(why)));
}

static void emit(const struct knob_sampler *k, struct sample *s,
		 const struct knob_held_device *d, const char *above,
		 uint64_t generation)
{
	struct knob_context c = {
		.device = d,
		.host = &k->host,
		.above = above,
		.one_cpu = k->one_cpu,
	};

	for (size_t i = 0; i < n_knobs; i++) {
		if (knobs[i].kind != KNOB_FOUND) {
			emit_one(s, &c, &d->fixed[i], generation);
			continue;
		}
		for (size_t f = 0; f < d->n_found; f++)
			emit_one(s, &c, &d->found[f], generation);
	}
}

/* A readahead that is not the original is told with its device. */
static void fill_readahead(struct device_raw *r, const struct knob_held *h)
{
	r->read_ahead_kb = strtoll(h->value, NULL, 10);
	if (strcmp(h->original, h->value))
		r->read_ahead_was_kb = strtoll(h->original, NULL, 10);
}

static void fill_scheduler(struct device_raw *r, const struct knob_held *h)
{
	text_copy(r->scheduler, sizeof(r->scheduler), h->value);
	if (strcmp(h->original, h->value))
		text_copy(r->scheduler_was, sizeof(r->scheduler_was),
			  h->original);
}

/* The scheduler and the readahead of a device's own row. */
static void fill_row(struct device_raw *r, const struct followed *f)
{
	r->scheduler[0] = '\0';
	r->scheduler_was[0] = '\0';
	r->read_ahead_kb = r->read_ahead_was_kb = -1;
	for (size_t i = 0; i < n_knobs; i++) {
		const struct knob_held *h = &f->held.fixed[i];

		if (!h->value[0])
			continue;
		if (!strcmp(knobs[i].name, "scheduler"))
			fill_scheduler(r, h);
		if (!strcmp(knobs[i].name, "read_ahead_kb"))
			fill_readahead(r, h);
	}
}

void knob_sample(struct knob_sampler *k, struct sample *s)
{
	size_t devices = s->table[SCHEMA_DEVICE].n;

	read_devices(k, s);
	if (k->samples % HOST_EVERY == 0 || is_watched(k, KNOB_HOST))
		knob_held_read(&k->host, k->root, true, &k->budget);
	if (k->samples % ABOVE_EVERY == 0 || k->n != k->linked)
		link_above(k, s);
	k->samples++;
	emit(k, s, &k->host, "", 0);
	/* After the sweep every row's device stands at the row's own place,
	   or is found by name. */
	for (size_t i = 0; i < devices; i++) {
		struct device_raw *r = sample_row(s, SCHEMA_DEVICE, i);
		const struct followed *f = find(k, i, r->key.id);

		fill_row(r, f);
		emit(k, s, &f->held, f->above, f->generation);
	}
}
