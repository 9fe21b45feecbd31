/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks of flushes: the layers that a sync of a job passes on its way to the
 * disk, each with its own count, and the layer at which the flushes end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/alloc.h"
#include "report/checks.h"

/* Fewer syncs prove nothing; of the flushes above it a layer lacks nearly all. */
#define LEAST_SYNCS 10
#define LACKS	    100

/* Where the walk down from a job's device stands. */
struct chain {
	const struct check_case *c;
	bool *seen; /* devices; the lists of a log may form circles */
	char words[300];
	/* The last layer with a count, and the first that lacks them. */
	char above[ROW_ID_MAX], at[ROW_ID_MAX];
	double asked;	/* of the last layer */
	unsigned layers, depth;
	bool above_is_loop, has_end;
};

/* A fact of the environment: "write back", "write through"; NULL: unknown. */
static const char *checks_flush_cache(const struct check_case *c,
				      const char *device)
{
	char key[80];

	snprintf(key, sizeof(key), "%.31s.write_cache", device);
	return c->header ? header_fact(c->header, key) : NULL;
}

/* Whether the kernel counts the flushes of a device; else words says why not. */
static bool checks_flush_counts(const struct chain *k,
				const struct check_device *d, const char **why)
{
	const char *cache = checks_flush_cache(k->c, d->id);

	*why = NULL;
	if (d->flushes > 0)
		return true;
	/* dm and md pass a flush on without counting it. */
	if (!d->has_flushes || d->is_stack)
		*why = "not counted";
	else if (d->is_part)
		*why = "counted by its disk";
	else if (cache && !strcmp(cache, "write through"))
		*why = "no volatile cache";
	return !*why;
}

static void checks_flush_say(struct chain *k, const struct check_device *d,
			     const char *why)
{
	if (why)
		text_append(k->words, ", %.31s %s", d->id, why);
	else
		text_append(k->words, ", %.31s %.0f", d->id, d->flushes);
	k->layers += !why;
}

/* One layer, then those below it. */
static void checks_flush_walk(struct chain *k, const struct check_device *d)
{
	const struct checks *f = k->c->facts;
	const struct chain before = *k;
	const char *why;

	if (k->seen[d - f->device])
		return;
	k->seen[d - f->device] = true;
	if (checks_flush_counts(k, d, &why)) {
		if (!k->has_end && k->asked >= LEAST_SYNCS &&
		    d->flushes < k->asked / LACKS) {
			k->has_end = true;
			text_copy(k->at, sizeof(k->at), d->id);
		}
		if (!k->has_end) {
			k->asked = d->flushes;
			k->above_is_loop = d->is_loop;
			text_copy(k->above, sizeof(k->above), d->id);
		}
	}
	checks_flush_say(k, d, why);
	for (size_t i = 0; i < f->n_devices && !k->has_end; i++)
		if (checks_listed(&d->below, f->device[i].id))
			checks_flush_walk(k, &f->device[i]);
	/* The next device of this layer is compared with the layer above. */
	if (k->has_end)
		return;
	k->asked = before.asked;
	k->above_is_loop = before.above_is_loop;
	memcpy(k->above, before.above, sizeof(k->above));
}

static enum check_state checks_flush_end(const struct chain *k, double syncs)
{
	if (!*k->above)
		return checks_say(
			k->c, CHECK_NOTE,
			"jobs asked for %.0f flushes%s: they end above %s (a "
			"file system without barriers?)",
			syncs, k->words, k->at);
	return checks_say(
		k->c, CHECK_NOTE,
		"jobs asked for %.0f flushes%s: they end at %s, and %s "
		"gets none%s",
		syncs, k->words, k->above, k->at,
		k->above_is_loop ? " (is the file of the loop device on "
				   "a file system without barriers?)"
				 : "");
}

enum check_state checks_flush_chain(const struct check_case *c)
{
	const struct checks *f = c->facts;
	struct chain k = { .c = c };
	double syncs = 0;

	for (size_t i = 0; i < f->n_jobs; i++)
		syncs += f->job[i].syncs;
	if (syncs < LEAST_SYNCS)
		return CHECK_UNKNOWN;
	k.asked = syncs;
	k.seen = xcalloc(f->n_devices + 1, sizeof(*k.seen));
	for (size_t i = 0; i < f->n_devices && !k.has_end; i++)
		if (f->device[i].under_job)
			checks_flush_walk(&k, &f->device[i]);
	free(k.seen);
	if (k.has_end)
		return checks_flush_end(&k, syncs);
	if (!k.layers)
		return CHECK_UNKNOWN;
	return checks_say(c, CHECK_OK, "jobs asked for %.0f flushes%s", syncs,
			  k.words);
}
