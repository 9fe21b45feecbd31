/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reset: the keeper puts back, device by device, what was turned. What
 * somebody else has set since is left, as at the end of a run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/live.h"

static size_t place_of(const struct live *l, const char *device)
{
	size_t i = 0;

	while (i < l->n_turned && strcmp(l->turned_device[i], device))
		i++;
	return i;
}

void reset_note_turn(struct live *l, const char *device)
{
	if (place_of(l, device) < l->n_turned)
		return;
	l->turned_device = xgrow(l->turned_device, &l->cap_turned,
				 l->n_turned + 1, sizeof(*l->turned_device));
	text_copy(l->turned_device[l->n_turned++], sizeof(*l->turned_device),
		  device);
}

/* Those that wait stand at the end of the list. */
static void put_last(struct live *l, size_t i)
{
	char device[sizeof(*l->turned_device)];

	memcpy(device, l->turned_device[i], sizeof(device));
	memmove(l->turned_device[i], l->turned_device[i + 1],
		(l->n_turned - i - 1) * sizeof(device));
	memcpy(l->turned_device[l->n_turned - 1], device, sizeof(device));
}

void reset_begin(struct live *l, const char *device)
{
	size_t i = place_of(l, device);

	if (!l->keeper) {
		live_say(l, "%s", l->no_knobs);
	} else if (l->resetting || keeper_pending(l->keeper, NULL)) {
		live_say(l, "a change is still on; wait until it is done");
	} else if (*device && i == l->n_turned) {
		live_say(l, "nothing of %s was turned", device);
	} else if (!l->n_turned) {
		live_say(l, "nothing was turned");
	} else {
		if (*device)
			put_last(l, i);
		l->n_reset = *device ? 1 : l->n_turned;
		reset_next(l);
	}
}

void reset_next(struct live *l)
{
	const char *device;

	if (!l->n_reset || l->resetting || !l->keeper ||
	    keeper_pending(l->keeper, NULL))
		return;
	l->n_reset--;
	device = l->turned_device[l->n_turned - 1];
	if (keeper_restore(l->keeper, device) < 0) {
		l->n_reset = 0;
		live_say(l, "%s", fail_sentence());
		return;
	}
	l->resetting = true;
}

/* The turns of a device that is as it was cannot be undone any more. */
static void forget_undo(struct live *l, const char *device)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n_undo; i++)
		if (strcmp(l->undo[i].device, device))
			l->undo[kept++] = l->undo[i];
	l->n_undo = kept;
}

static void done(struct live *l, const struct keeper_report *r)
{
	const char *device = l->turned_device[l->n_turned - 1];

	l->resetting = false;
	if (r->error) {
		l->n_reset = 0;
		live_say(l, "not everything of %s could be put back: %s",
			 device, strerror(r->error));
		return;
	}
	forget_undo(l, device);
	live_say(l, "%s is as it was before it was turned", device);
	l->n_turned--;
}

void reset_report(struct live *l, const struct keeper_report *r)
{
	struct event e;

	if (r->kind == KEEPER_DONE) {
		done(l, r);
		return;
	}
	e = turn_event(r, "operator");
	if (r->error == ESTALE) {
		e.error = 0;
		e.kind = EVENT_NOTE;
		snprintf(e.text, sizeof(e.text),
			 "%s.%s is left at %s: somebody else set it", e.device,
			 e.knob, e.new_value);
	}
	live_add_event(l, &e);
}
