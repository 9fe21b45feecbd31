/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log cursor: one log of a replay, a position in it, and the frames around it.
 */
#include "cmd/replay/replay.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"

/* Two hours at one frame a second, within a limit of memory. */
#define HISTORY_FRAMES 7200
#define HISTORY_BYTES  (16u << 20)
/* Frames to read before and after a position that the history does not hold. */
#define LOOK_BACK 600
#define LOOK_ON   200

static bool is_turn(const struct event *e)
{
	if (event_changed_nothing(e))
		return false;
	return e->kind == EVENT_MARK ||
	       (e->kind == EVENT_JOB_SET && !e->error) ||
	       e->kind == EVENT_JOB_START || e->kind == EVENT_JOB_STOP ||
	       (e->kind == EVENT_KNOB && event_is_own(e) && !e->error &&
		e->by != BY_RESTORE);
}

static void log_cursor_take_events(struct log_cursor *t, const struct frame *f)
{
	struct moment m = { .frame = t->taken, .t_s = f->t_s };

	for (size_t i = 0; i < f->n_events; i++) {
		m.own |= event_is_own(&f->event[i]);
		m.turn |= is_turn(&f->event[i]);
		m.alarm |= f->event[i].kind == EVENT_ALARM_BEGIN;
	}
	if (!f->n_events)
		return;
	*xadd(t->moment, t->n_moments, t->cap_moments) = m;
}

static void take_start(struct log_cursor *t, const struct frame *f)
{
	const unsigned begun = 1u << PHASE_RUN | 1u << PHASES;

	if (isnan(t->run_s) && frame_phases(f) & begun)
		t->run_s = f->t_s - f->interval_s;
}

/* Append a frame to the history, which drops its oldest when it is full. */
static void log_cursor_keep(struct log_cursor *t, const struct frame *f,
			    size_t i)
{
	history_push(t->history, f);
	t->end = i + 1;
	t->first = t->end - history_total(t->history);
}

/*
 * Add indexed frames to report, moments and history until a time of
 * CLOCK_MONOTONIC, or, with 0, all of them.
 */
static int take_frames(struct log_cursor *t, uint64_t until_ns)
{
	struct frame f = { 0 };
	int err = 0;

	/* Keep frames near the position rather than new ones far ahead. */
	while (err == 0 && t->taken < log_count(t->log) &&
	       (!until_ns || clock_mono_ns() < until_ns)) {
		size_t shown = t->at == LOG_CURSOR_NOWHERE ? 0 : t->at;

		err = log_read(t->log, t->taken, &f);
		if (err < 0)
			break;
		report_add(t->report, &f);
		log_cursor_take_events(t, &f);
		take_start(t, &f);
		t->first_ns = t->first_ns ? t->first_ns : f.wall_ns;
		t->last_ns = f.wall_ns;
		if (t->end == t->taken && (t->taken < HISTORY_FRAMES / 2 ||
					   t->taken - shown < LOOK_ON))
			log_cursor_keep(t, &f, t->taken);
		t->taken++;
	}
	frame_free(&f);
	if (t->at != LOG_CURSOR_NOWHERE && t->at < t->end)
		history_hide(t->history, t->end - 1 - t->at);
	return err;
}

int log_cursor_more(struct log_cursor *t)
{
	size_t before = t->taken;
	int err = log_more(t->log);

	if (err == 0)
		err = take_frames(t, 0);
	return err < 0 ? err : (int)(t->taken - before);
}

int log_cursor_slice(struct log_cursor *t, uint64_t until_ns)
{
	int err = log_index_on(t->log, until_ns);

	/* Complete the index first: with it every frame can be shown. */
	if (err < 0 || log_indexed(t->log) < 1)
		return err;
	return take_frames(t, until_ns);
}

double log_cursor_share(const struct log_cursor *t)
{
	double indexed = log_indexed(t->log);
	size_t n = log_count(t->log);

	/* The index takes a small part of the time. */
	if (indexed < 1)
		return indexed / 10;
	return n && t->taken < n ? 0.1 + 0.9 * (double)t->taken / (double)n : 1;
}

static int open_log(struct log_cursor *t, const char *path,
		    enum log_cursor_how how)
{
	switch (how) {
	case LOG_CURSOR_FOLLOW:
		return log_open_follow(&t->log, path);
	case LOG_CURSOR_FIRST:
		return log_open_first(&t->log, path);
	default:
		return log_open(&t->log, path);
	}
}

int log_cursor_open(struct log_cursor *t, const char *path,
		    enum log_cursor_how how)
{
	const char *slash = strrchr(path, '/');
	int err;

	memset(t, 0, sizeof(*t));
	t->at = LOG_CURSOR_NOWHERE;
	t->run_s = NAN;
	text_set(t->name, slash ? slash + 1 : path);
	err = open_log(t, path, how);
	if (err < 0)
		return err;
	if (how != LOG_CURSOR_FOLLOW && log_count(t->log) == 0)
		return fail(EINVAL,
			    "%s holds no frame; there is nothing to replay",
			    path);
	t->report = report_new();
	t->history = history_new(HISTORY_FRAMES, HISTORY_BYTES);
	err = how == LOG_CURSOR_FIRST ? 0 : log_cursor_more(t);
	return err < 0 ? err : 0;
}

int log_cursor_follow_fd(struct log_cursor *t, int fd, const char *name)
{
	int err;

	memset(t, 0, sizeof(*t));
	t->at = LOG_CURSOR_NOWHERE;
	t->run_s = NAN;
	text_set(t->name, name);
	err = log_open_follow_fd(&t->log, fd, name);
	if (err < 0)
		return err;
	t->report = report_new();
	t->history = history_new(HISTORY_FRAMES, HISTORY_BYTES);
	err = log_cursor_more(t);
	return err < 0 ? err : 0;
}

void log_cursor_close(struct log_cursor *t)
{
	log_reader_free(t->log);
	report_free(t->report);
	history_free(t->history);
	frame_free(&t->frame);
	free(t->moment);
	memset(t, 0, sizeof(*t));
}

size_t log_cursor_count(const struct log_cursor *t)
{
	return log_count(t->log);
}

double log_cursor_t(const struct log_cursor *t, size_t i)
{
	return log_t(t->log, i);
}

/*
 * Read from a frame to the i-th into the history, and some frames beyond it
 * while they do not push out earlier ones.
 */
static int log_cursor_fill(struct log_cursor *t, size_t from, size_t i)
{
	size_t first = t->end ? t->first : from;

	for (size_t k = from; k < log_count(t->log) && k < i + LOOK_ON; k++) {
		int err;

		if (k > i && t->first > first)
			break;
		err = log_read(t->log, k, &t->frame);
		if (err < 0)
			return err;
		log_cursor_keep(t, &t->frame, k);
	}
	return 0;
}

/* Make the history reach from well before the frame to the frame itself. */
static int log_cursor_reach(struct log_cursor *t, size_t i)
{
	size_t from = i > LOOK_BACK ? i - LOOK_BACK : 0;
	/* If a little is missing, do not read everything again. */
	bool enough = t->end &&
		      (t->first <= from + LOOK_BACK / 2 || t->first == 0) &&
		      t->first <= i;

	history_hide(t->history, 0);
	if (enough && i < t->end)
		return 0;
	if (enough && i - t->end < LOOK_ON)
		return log_cursor_fill(t, t->end, i);
	history_clear(t->history);
	t->first = t->end = 0;
	return log_cursor_fill(t, from, i);
}

int log_cursor_go(struct log_cursor *t, size_t i)
{
	int err;

	if (i == LOG_CURSOR_NOWHERE || !log_count(t->log)) {
		t->at = LOG_CURSOR_NOWHERE;
		history_hide(t->history, SIZE_MAX);
		return 0;
	}
	if (i >= log_count(t->log))
		i = log_count(t->log) - 1;
	if (i == t->at)
		return 0;
	err = log_cursor_reach(t, i);
	if (err == 0)
		err = log_read(t->log, i, &t->frame);
	if (err < 0)
		return err;
	t->at = i;
	history_hide(t->history, t->end - 1 - i);
	return 0;
}

size_t log_cursor_seek(const struct log_cursor *t, double t_s)
{
	size_t i = log_seek(t->log, t_s);

	if (!log_count(t->log) || t_s < log_t(t->log, 0))
		return LOG_CURSOR_NOWHERE;
	return i;
}

int log_cursor_clock(struct log_cursor *t, size_t i, uint64_t *wall_ns)
{
	struct frame f = { 0 };
	int err = log_read(t->log, i, &f);

	*wall_ns = f.wall_ns;
	frame_free(&f);
	return err;
}

int log_cursor_seek_clock(struct log_cursor *t, uint64_t wall_ns, size_t *found)
{
	size_t low = 0, high = log_count(t->log);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t at;
		int err = log_cursor_clock(t, middle, &at);

		if (err < 0)
			return err;
		if (at && at <= wall_ns)
			low = middle + 1;
		else
			high = middle;
	}
	*found = low ? low - 1 : LOG_CURSOR_NOWHERE;
	return 0;
}

bool log_cursor_is_any(const struct moment *m)
{
	return m != NULL;
}

bool log_cursor_is_own(const struct moment *m)
{
	return m->own;
}

bool log_cursor_is_alarm(const struct moment *m)
{
	return m->alarm;
}

const struct moment *log_cursor_moment(const struct log_cursor *t, double t_s,
				       int step, log_cursor_fits *fits)
{
	const struct moment *found = NULL;

	for (size_t i = 0; i < t->n_moments; i++) {
		const struct moment *m = &t->moment[i];

		if (!fits(m))
			continue;
		if (step < 0 && m->t_s < t_s)
			found = m;
		if (step > 0 && m->t_s > t_s)
			return m;
	}
	return found;
}

const struct moment *log_cursor_first_turn(const struct log_cursor *t)
{
	for (size_t i = 0; i < t->n_moments; i++)
		if (t->moment[i].turn)
			return &t->moment[i];
	return NULL;
}
