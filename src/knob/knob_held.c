/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Held knobs: read a device's settings, from files kept open or not.
 */
#include "knob/knob_held.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "knob/knob_effect.h"
#include "knob/knob_scan.h"
#include "knob/knob_value.h"

#define ORIGINS_MAX 512

static void held_name(struct knob_held *h, const struct knob *row,
		      const char *device, const char *name)
{
	memset(h, 0, sizeof(*h));
	h->row = row;
	h->fd = -1;
	h->rule = knob_effect_rule(name);
	text_copy(h->name, sizeof(h->name), name);
	if (snprintf(h->id, sizeof(h->id), "%.*s.%s", KNOB_DEVICE_MAX - 1,
		     device, name) >= (int)sizeof(h->id))
		h->row = NULL; /* no row of the sample can bear it */
}

void knob_held_init(struct knob_held_device *d, const char *name)
{
	memset(d, 0, sizeof(*d));
	text_copy(d->name, sizeof(d->name), name);
	d->fixed = xcalloc(n_knobs, sizeof(*d->fixed));
	for (size_t i = 0; i < n_knobs; i++)
		held_name(&d->fixed[i], &knobs[i], name, knobs[i].name);
}

static void let_go(struct knob_held *h, struct knob_held_budget *budget)
{
	if (h->fd < 0)
		return;
	close(h->fd);
	h->fd = -1;
	budget->used--;
}

void knob_held_free(struct knob_held_device *d, struct knob_held_budget *budget)
{
	for (size_t i = 0; d->fixed && i < n_knobs; i++)
		let_go(&d->fixed[i], budget);
	for (size_t i = 0; i < d->n_found; i++)
		let_go(&d->found[i], budget);
	free(d->fixed);
	free(d->found);
	free(d->origin);
	memset(d, 0, sizeof(*d));
}

/* Open it and read it; the file stays open when it may. */
static ssize_t open_and_read(struct knob_held *h,
			     const struct knob_held_device *d,
			     const struct root *root, bool keep,
			     struct knob_held_budget *budget, char *text)
{
	char path[KNOB_PATH_MAX];
	ssize_t n;
	int fd;

	if (!knob_path(h->row, d->name, h->name, path))
		return -1;
	fd = root_open_file(root, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return fd;
	n = root_reread(fd, text, KNOB_TEXT_MAX);
	if (n >= 0 && keep && budget->used < budget->max) {
		h->fd = fd;
		budget->used++;
	} else {
		close(fd);
	}
	return n;
}

/* False when it is absent now. */
static bool read_one(struct knob_held *h, const struct knob_held_device *d,
		     const struct root *root, bool keep,
		     struct knob_held_budget *budget)
{
	char text[KNOB_TEXT_MAX];
	ssize_t n = -1;

	if (!h->row)
		return true;
	if (h->fd >= 0) {
		n = root_reread(h->fd, text, sizeof(text));
		if (n < 0 || !keep)
			let_go(h, budget);
	}
	if (n < 0)
		n = open_and_read(h, d, root, keep, budget, text);
	if (n >= 0 && knob_value_parse(h->row, text, h->value, sizeof(h->value),
				       h->choices, sizeof(h->choices)))
		return true;
	h->value[0] = h->choices[0] = '\0';
	return false;
}

struct finding {
	struct knob_held_device *d;
	const struct knob *row;
};

static void add_found(const char *name, void *arg)
{
	struct finding *f = arg;
	struct knob_held_device *d = f->d;

	d->found = xgrow(d->found, &d->cap_found, d->n_found + 1,
			 sizeof(*d->found));
	held_name(&d->found[d->n_found++], f->row, d->name, name);
}

static void find_tunables(struct knob_held_device *d, const struct root *root,
			  struct knob_held_budget *budget)
{
	for (size_t i = 0; i < d->n_found; i++)
		let_go(&d->found[i], budget);
	d->n_found = 0;
	for (size_t i = 0; i < n_knobs; i++) {
		struct finding f = { d, &knobs[i] };

		if (knobs[i].kind == KNOB_FOUND)
			knob_scan_tunables(root, &knobs[i], d->name, add_found,
					   &f);
	}
}

static bool read_tunables(struct knob_held_device *d, const struct root *root,
			  bool keep, struct knob_held_budget *budget)
{
	bool whole = true;

	for (size_t i = 0; i < d->n_found; i++)
		whole &= read_one(&d->found[i], d, root, keep, budget);
	return whole;
}

/*
 * What a tunable was when it was first seen under this scheduler, the present
 * value if that is now.
 */
static const char *origin_of(struct knob_held_device *d,
			     const struct knob_held *h, const char *scheduler)
{
	struct knob_origin *o;

	for (size_t i = 0; i < d->n_origins; i++) {
		o = &d->origin[i];
		if (!strcmp(o->name, h->name) &&
		    !strcmp(o->scheduler, scheduler))
			return o->value;
	}
	/* More than all schedulers together have: a damaged tree. */
	if (d->n_origins >= ORIGINS_MAX)
		return h->value;
	d->origin = xgrow(d->origin, &d->cap_origins, d->n_origins + 1,
			  sizeof(*d->origin));
	o = &d->origin[d->n_origins++];
	text_copy(o->name, sizeof(o->name), h->name);
	text_copy(o->scheduler, sizeof(o->scheduler), scheduler);
	text_copy(o->value, sizeof(o->value), h->value);
	return o->value;
}

/* Remember what is seen for the first time. */
static void learn(struct knob_held_device *d)
{
	const char *scheduler = "";

	for (size_t i = 0; i < n_knobs; i++) {
		struct knob_held *h = &d->fixed[i];

		if (!h->original[0])
			text_copy(h->original, sizeof(h->original), h->value);
		if (h->row && h->row->kind == KNOB_CHOICE)
			scheduler = h->value;
	}
	for (size_t i = 0; i < d->n_found; i++) {
		struct knob_held *h = &d->found[i];

		if (!h->original[0] && h->value[0])
			text_copy(h->original, sizeof(h->original),
				  origin_of(d, h, scheduler));
	}
}

static void read_all(struct knob_held_device *d, const struct root *root,
		     bool keep, struct knob_held_budget *budget)
{
	bool host = !strcmp(d->name, KNOB_HOST), anew = !keep && !host;

	for (size_t i = 0; i < n_knobs; i++) {
		struct knob_held *h = &d->fixed[i];
		char was[KNOB_VALUE_MAX];

		if (!h->row || h->row->host != host ||
		    h->row->kind == KNOB_FOUND)
			continue;
		text_copy(was, sizeof(was), h->value);
		read_one(h, d, root, keep, budget);
		if (h->row->kind == KNOB_CHOICE && strcmp(was, h->value))
			anew = true;
	}
	/* Two switches between two samples end where they began. */
	if (!anew && read_tunables(d, root, keep, budget))
		return;
	if (host)
		return;
	find_tunables(d, root, budget);
	read_tunables(d, root, keep, budget);
}

void knob_held_read(struct knob_held_device *d, const struct root *root,
		    bool keep, struct knob_held_budget *budget)
{
	read_all(d, root, keep, budget);
	learn(d);
}
