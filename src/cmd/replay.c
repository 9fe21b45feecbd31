/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: a position in a log, and the frames around it.
 */
#include "cmd/replay.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"

#define HISTORY_FRAMES 3600
#define HISTORY_BYTES  (4u << 20)
/* How far back the graph reaches after a jump. */
#define LOOK_BACK 300

/*
 * The whole log is read once, so that what a turn did can be shown with all
 * its figures, at any position.
 */
static int read_effects(struct replay *r)
{
	for (size_t i = 0; i < log_count(r->log); i++) {
		int err = log_read(r->log, i, &r->frame);

		if (err < 0)
			return err;
		report_add(r->report, &r->frame);
	}
	return 0;
}

int replay_open(struct replay *r, const char *path, double speed)
{
	const char *slash = strrchr(path, '/');
	int err;

	memset(r, 0, sizeof(*r));
	r->speed = speed;
	err = log_open(&r->log, path);
	if (err < 0)
		return err;
	if (log_count(r->log) == 0)
		return fail(EINVAL,
			    "%s holds no frame; there is nothing to "
			    "replay",
			    path);
	snprintf(r->title, sizeof(r->title), "replay: %s",
		 slash ? slash + 1 : path);
	r->report = report_new();
	r->history = history_new(HISTORY_FRAMES, HISTORY_BYTES);
	err = read_effects(r);
	r->at = SIZE_MAX;
	return err < 0 ? err : replay_go(r, 0);
}

void replay_close(struct replay *r)
{
	log_reader_free(r->log);
	report_free(r->report);
	history_free(r->history);
	frame_free(&r->frame);
}

double replay_wait_s(const struct replay *r)
{
	double gap;

	if (r->paused || r->at + 1 >= log_count(r->log))
		return -1;
	gap = log_t(r->log, r->at + 1) - log_t(r->log, r->at);
	/* A log may be cut or joined: no gap is waited out for ever. */
	if (!(gap > 0))
		gap = 0;
	return (gap > 3600 ? 3600 : gap) / r->speed;
}

/* After a jump the graph is filled anew with the frames before. */
static int refill(struct replay *r, size_t i)
{
	size_t k = i > LOOK_BACK ? i - LOOK_BACK : 0;

	history_clear(r->history);
	for (; k < i; k++) {
		int err = log_read(r->log, k, &r->frame);

		if (err < 0)
			return err;
		history_push(r->history, &r->frame);
	}
	return 0;
}

int replay_go(struct replay *r, size_t i)
{
	int err = 0;

	if (i >= log_count(r->log))
		i = log_count(r->log) - 1;
	if (i == r->at)
		return 0;
	if (i != r->at + 1)
		err = refill(r, i);
	if (err == 0)
		err = log_read(r->log, i, &r->frame);
	if (err < 0)
		return err;
	history_push(r->history, &r->frame);
	r->at = i;
	return 0;
}

static int step(struct replay *r, double frames)
{
	double to = (double)r->at + frames;

	r->paused = true;
	return replay_go(r, to > 0 ? (size_t)to : 0);
}

int replay_act(struct replay *r, const struct action *a)
{
	*r->message = '\0';
	switch (a->kind) {
	case ACTION_PAUSE:
		r->paused = !r->paused;
		return 0;
	case ACTION_STEP:
		return step(r, a->number);
	case ACTION_SEEK:
		return replay_go(r, log_seek(r->log, a->number));
	case ACTION_SPEED:
		r->speed *= a->number;
		if (r->speed < 0.01)
			r->speed = 0.01;
		if (r->speed > 1000)
			r->speed = 1000;
		return 0;
	case ACTION_NONE:
	case ACTION_QUIT:
		return 0;
	default:
		text_copy(r->message, sizeof(r->message),
			  "this is a replay: nothing can be turned or marked");
		return 0;
	}
}

void replay_view(struct replay *r, struct ui_view *view)
{
	memset(view, 0, sizeof(*view));
	view->frame = &r->frame;
	view->history = r->history;
	view->effect = report_effects(r->report, &view->n_effects);
	while (view->n_effects &&
	       view->effect[view->n_effects - 1].event.t_s > r->frame.t_s)
		view->n_effects--;
	view->title = r->title;
	view->replay = true;
	view->paused = r->paused;
	view->speed = r->speed;
	view->position_s = r->frame.t_s;
	view->length_s = log_t(r->log, log_count(r->log) - 1);
	view->interval_s = log_reader_header(r->log)->interval_s;
	view->message = *r->message ? r->message : NULL;
	view->no_knobs = "this is a replay: no knob can be turned";
}
