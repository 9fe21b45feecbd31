/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live view: what the screen shows of a session.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/knob_word.h"
#include "cmd/launch.h"
#include "cmd/live.h"

/* A message is shown for so long. */
#define MESSAGE_NS (10 * NS_PER_S)

/* "loop0.scheduler -> bfq, 1.3 s"; false when no turn is pending. */
static bool pending_words(struct live *l, char *buf, size_t size)
{
	const char *device;
	uint64_t since = 0;

	device = l->keeper ? keeper_pending(l->keeper, &since) : NULL;
	if (!device)
		return false;
	snprintf(buf, size, "%s of %s ... %.1f s",
		 l->resetting ? "putting back the settings" : "turning a knob",
		 device, (double)(clock_mono_ns() - since) / 1e9);
	return true;
}

/* Why what would be there is not, as far as it is known by now. */
static void view_lacks(struct live *l, struct ui_view *view)
{
	struct ui_lack *lack = l->lack;

	view->lack = lack;
	while (view->n_lacks < ARRAY_SIZE(l->lack) &&
	       (lack->sentence = collect_missing(l->collect, view->n_lacks,
						 &lack->about))) {
		view->n_lacks++;
		lack++;
	}
}

void live_view(struct live *l, struct ui_view *view, char *pending, size_t size)
{
	memset(view, 0, sizeof(*view));
	view->frame = l->sampled ? &l->frame[l->shown] : NULL;
	view->history = l->history;
	view->effect = report_effects(l->report, &view->n_effects);
	view->title = l->title;
	view->paused = l->paused;
	view_lacks(l, view);
	view->knob_word = knob_word;
	view->device_words = knob_device_words;
	view->device_words_of = &l->root;
	view->speed = 1;
	view->interval_s = l->interval_s;
	if (*l->message && clock_mono_ns() - l->message_ns < MESSAGE_NS)
		view->message = l->message;
	if (pending_words(l, pending, size))
		view->pending = pending;
	if (*l->no_knobs)
		view->no_knobs = l->no_knobs;
	view->preview = launch_preview(&l->launch);
	view->looking = launch_fd(&l->launch) >= 0;
	view->offer = &l->offer;
	compare_view(&l->compare, view);
}

void live_draw(struct live *l)
{
	struct ui_view view;
	char pending[128];

	if (!l->ui)
		return;
	live_view(l, &view, pending, sizeof(pending));
	ui_draw(l->ui, &view);
}
