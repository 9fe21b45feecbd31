/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Foreign changes: finds knobs that another program has changed.
 */
#include "model/foreign_changes.h"

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
};

struct foreign_changes *foreign_changes_new(void)
{
	return xcalloc(1, sizeof(struct foreign_changes));
}

void foreign_changes_free(struct foreign_changes *w)
{
	if (w)
		free(w->known);
	free(w);
}

/* Rows keep their order, so the search starts at *hint. */
static struct known *find(struct foreign_changes *w, const char *id,
			  size_t *hint)
{
	for (size_t step = 0, i = *hint; step < w->n; step++, i++) {
		if (i >= w->n)
			i = 0;
		if (!strcmp(w->known[i].id, id)) {
			*hint = i + 1;
			return &w->known[i];
		}
	}
	return NULL;
}

/* k: as find() returned it. */
static void learn(struct foreign_changes *w, struct known *k, const char *id,
		  const char *value)
{
	if (!k) {
		w->known =
			xgrow(w->known, &w->cap, w->n + 1, sizeof(*w->known));
		k = &w->known[w->n++];
		text_copy(k->id, sizeof(k->id), id);
	}
	text_copy(k->value, sizeof(k->value), value);
}

void foreign_changes_own(struct foreign_changes *w, const struct event *e)
{
	char id[ROW_ID_MAX + 32];
	size_t hint = 0;

	if (e->kind != EVENT_KNOB || !*e->new_value)
		return;
	snprintf(id, sizeof(id), "%s.%s", e->device, e->knob);
	learn(w, find(w, id, &hint), id, e->new_value);
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
	text_copy(e.knob, sizeof(e.knob), id + device + 1);
	text_copy(e.old_value, sizeof(e.old_value), old_value);
	text_copy(e.new_value, sizeof(e.new_value), new_value);
	text_copy(e.by, sizeof(e.by), "foreign");
	frame_add_event(f, &e);
}

/* Forget the knobs of a device that came or went: its successor has others. */
static void forget(struct foreign_changes *w, const char *device)
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
			forget(w, f->event[i].device);
}

void foreign_changes_find(struct foreign_changes *w, struct frame *f,
			  const char *busy)
{
	const struct table *t = &f->table[SCHEMA_KNOB];
	int field = schema_field(SCHEMA_KNOB, "value");
	size_t hint = 0;
	bool first = w->n == 0;

	forget_strangers(w, f);
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
		learn(w, k, id, now);
	}
}
