/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Foreign changes: finds knobs that another program has changed. */
#include "model/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct known {
	char id[ROW_ID_MAX];
	char value[64];
};

struct foreign_changes {
	struct known *known;
	size_t n, cap;
	uint64_t version; /* of the rows that known has all of; 0: none */
};

struct foreign_changes *frame_foreign_new(void)
{
	return xcalloc(1, sizeof(struct foreign_changes));
}

void frame_foreign_free(struct foreign_changes *w)
{
	if (w)
		free(w->known);
	free(w);
}

/* Rows keep their order, so the search starts at *hint. */
static struct known *find(struct foreign_changes *w, const char *id,
			  size_t *hint)
{
	const size_t at =
		xfind(*hint, w->n, i, !strcmp(w->known[i].id, id));

	return at < w->n ? &w->known[at] : NULL;
}

/* k: as find() returned it. */
static void frame_learn(struct foreign_changes *w, struct known *k,
			const char *id, const char *value)
{
	if (!k) {
		k = xadd(w->known, w->n, w->cap);
		text_set(k->id, id);
	}
	text_set(k->value, value);
}

void frame_foreign_own(struct foreign_changes *w, const struct event *e)
{
	char id[ROW_ID_MAX + 32];
	size_t hint = 0;

	if (e->kind != EVENT_KNOB || !*e->new_value)
		return;
	snprintf(id, sizeof(id), "%s.%s", e->device, e->knob);
	w->version = 0;
	frame_learn(w, find(w, id, &hint), id, e->new_value);
}

static bool belongs(const char *id, const char *device)
{
	size_t n = strlen(device);

	return !strncmp(id, device, n) && id[n] == '.';
}

static void add_foreign(struct frame *f, const char *id, const char *old_value,
			const char *new_value)
{
	struct event e = { .kind = EVENT_KNOB, .t_s = f->t_s };
	size_t device = strcspn(id, ".");

	if (!id[device])
		return;
	snprintf(e.device, sizeof(e.device), "%.*s", (int)device, id);
	text_set(e.knob, id + device + 1);
	text_set(e.old_value, old_value);
	text_set(e.new_value, new_value);
	e.by = BY_FOREIGN;
	frame_add_event(f, &e);
}

/* Forget the knobs of a device that came or went: its successor has others. */
static void frame_forget(struct foreign_changes *w, const char *device)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->n; i++)
		if (!belongs(w->known[i].id, device))
			w->known[kept++] = w->known[i];
	w->n = kept;
}

static void forget_strangers(struct foreign_changes *w, const struct frame *f)
{
	for (size_t i = 0; i < f->n_events; i++)
		if (f->event[i].kind == EVENT_DEVICE_ADDED ||
		    f->event[i].kind == EVENT_DEVICE_REMOVED)
			frame_forget(w, f->event[i].device);
}

void frame_foreign_find(struct foreign_changes *w, struct frame *f,
			const char *busy)
{
	const struct table *t = &f->table[SCHEMA_KNOB];
	int field = schema_field(SCHEMA_KNOB, "value");
	size_t hint = 0;
	bool first = w->n == 0;

	forget_strangers(w, f);
	if (t->version && t->version == w->version)
		return;
	w->version = busy ? 0 : t->version;
	for (size_t i = 0; i < t->n; i++) {
		const char *id = t->row[i].id,
			   *now = t->row[i].value[field].text;
		struct known *k;
		bool same;

		if (!now || (busy && belongs(id, busy)))
			continue;
		/* Do not search in the first frame: that is quadratic. */
		k = first ? NULL : find(w, id, &hint);
		same = k && !strncmp(k->value, now, sizeof(k->value) - 1);
		if (same)
			continue;
		if (k)
			add_foreign(f, id, k->value, now);
		frame_learn(w, k, id, now);
	}
}
