/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replay: one log, or two side by side, on one clock. */
#include "cmd/replay/replay.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/lists.h"
#include "cmd/log_range.h"

#define SPEED_MIN 0.01
#define SPEED_MAX 1000
/*
 * The limits are not powers of 2, so the speed passes through 1 again on the
 * way back.
 */
#define NEAR_1 1.42
/* A log may be cut or joined: do not wait for ever in a gap. */
#define GAP_MAX_S 3600
/* A short log is read as a whole before it is shown. */
#define OPEN_NS (NS_PER_S / 20)

static void set_title(struct replay *r)
{
	if (r->n > 1)
		snprintf(r->title, sizeof(r->title), "replay: A %s, B %s",
			 r->tape[0].name, r->tape[1].name);
	else if (replay_reads(r))
		snprintf(r->title, sizeof(r->title),
			 "replay: %s, reading: %.0f %%", r->tape[0].name,
			 100 * log_cursor_share(&r->tape[0]));
	else
		snprintf(r->title, sizeof(r->title), "%s: %s",
			 r->follow ? "follow" : "replay", r->tape[0].name);
}

/* Choose the segments of two logs that are compared at first. */
static void first_pair(struct replay *r, const char *name)
{
	size_t a, b;
	bool on_event = name && !strcmp(name, "event");

	if (r->n < 2)
		return;
	report_segments(r->tape[0].report, &a);
	report_segments(r->tape[1].report, &b);
	/* 0 is the whole run, 1 the time before the first turn. */
	on_event = on_event && a > 2 && b > 2;
	view_compare_choose(&r->compare, on_event ? 2 : 0, on_event ? 2 : 0);
}

static double clock_of(const struct replay *r, size_t tape, size_t i)
{
	return log_cursor_t(&r->tape[tape], i) + r->shift_s[tape];
}

/* The clock at the first and at the last frame of all. */
static double clock_start(const struct replay *r)
{
	double t = NAN;

	for (size_t k = 0; k < r->n; k++)
		if (log_cursor_count(&r->tape[k]))
			t = fmin(t, clock_of(r, k, 0));
	return t;
}

static double clock_end(const struct replay *r)
{
	double t = NAN;

	for (size_t k = 0; k < r->n; k++)
		if (log_cursor_count(&r->tape[k]))
			t = fmax(t,
				 clock_of(r, k,
					  log_cursor_count(&r->tape[k]) - 1));
	return t;
}

/* Times of two logs that differ by less are the same. */
static double hair(const struct replay *r)
{
	return fmax(fabs(r->now_s), 1) * 1e-9;
}

/* Set the clock; each log shows its frame of that time. */
static int replay_go_to(struct replay *r, double now_s)
{
	double start = clock_start(r), end = clock_end(r);

	if (isnan(start))
		return 0;
	r->now_s = fmin(fmax(now_s, start), end);
	for (size_t k = 0; k < r->n; k++) {
		struct log_cursor *t = &r->tape[k];
		int err = log_cursor_go(
			t,
			log_cursor_seek(t, r->now_s - r->shift_s[k] + hair(r)));

		if (err < 0)
			return err;
	}
	return 0;
}

/* The time in a log of its last frame at or before a bound. */
static int find_bound(struct log_cursor *t, const struct log_bound *b,
		      double *t_s)
{
	size_t i;
	int err;

	*t_s = b->t_s;
	if (!isnan(b->t_s) || !b->text)
		return 0;
	err = log_cursor_seek_clock(t, b->wall_ns, &i);
	if (!err && i != LOG_CURSOR_NOWHERE)
		*t_s = log_cursor_t(t, i);
	return err;
}

/* Begin at --from, stop at --to: times of the first log. */
static int set_range(struct replay *r, const struct replay_options *o)
{
	struct log_cursor *t = &r->tape[0];
	struct frame first = { 0 };
	struct log_range range;
	double from = NAN, to = NAN;
	uint64_t last_ns = 0;
	int err = log_range_init(&range, o->from, o->to);

	if (err < 0 || (!o->from && !o->to) || !log_cursor_count(t))
		return err;
	err = log_read(t->log, 0, &first);
	if (err == 0) {
		(void)log_range_has(&range, &first);
		err = find_bound(t, &range.from, &from);
	}
	if (err == 0)
		err = log_cursor_clock(t, log_cursor_count(t) - 1, &last_ns);
	/* A time of the clock before the log is its start. */
	if (range.from.wall_ns && range.from.wall_ns < first.wall_ns)
		from = clock_start(r);
	else if (range.from.wall_ns && range.from.wall_ns >= last_ns)
		from = NAN;
	if (err == 0)
		err = find_bound(t, &range.to, &to);
	frame_free(&first);
	if (err < 0)
		return err;
	if ((o->from && !(from <= clock_end(r))) ||
	    (o->to && !(to >= fmax(from, clock_start(r)))))
		return fail(EINVAL,
			    "%.255s has no frame between --from and --to",
			    t->name);
	if (o->to)
		r->stop_s = to;
	return o->from ? replay_go_to(r, from) : 0;
}

/* --- the moments that two logs can be aligned on --- */

static double start_of(const struct log_cursor *t)
{
	return log_cursor_t(t, 0);
}

static double run_of(const struct log_cursor *t)
{
	return t->run_s;
}

static double turn_of(const struct log_cursor *t)
{
	const struct moment *m = log_cursor_first_turn(t);

	return m ? m->t_s : NAN;
}

const struct replay_align replay_aligns[] = {
	{ "start", "the first frame of each log", start_of, "a frame" },
	{ "run", "the moment at which the first job ran", run_of,
	  "a job that ran" },
	{ "event", "the first turn of a knob or mark", turn_of,
	  "a turn or a mark" },
	{ NULL, NULL, NULL, NULL },
};

/*
 * Move the second log so that it stands beside the first. name: a row, or NULL
 * for the first one. 0, or -EINVAL with a sentence.
 */
static int replay_align_logs(struct replay *r, const char *name)
{
	const struct replay_align *a = replay_aligns;
	double t[REPLAY_LOGS];
	char words[80];

	while (name && a->name && strcmp(a->name, name) != 0)
		a++;
	if (!a->name)
		return fail(EINVAL,
			    "logs cannot be aligned on \"%s\"; there are %s",
			    name,
			    lists_words(lists_find("aligns"), "and", words,
					sizeof(words)));
	for (size_t i = 0; i < r->n; i++) {
		t[i] = a->time(&r->tape[i]);
		if (isnan(t[i]) && r->n > 1)
			return fail(EINVAL,
				    "%s holds no %s that the logs could be "
				    "aligned on",
				    r->tape[i].name,
				    a->missing + strcspn(a->missing, " ") + 1);
	}
	r->shift_s[0] = 0;
	r->shift_s[1] = r->n > 1 ? t[0] - t[1] : 0;
	return 0;
}

int replay_open(struct replay *r, const struct replay_options *o)
{
	int err;

	memset(r, 0, sizeof(*r));
	r->speed = o->speed;
	r->follow = o->follow;
	r->now_s = r->wanted_s = NAN;
	r->stop_s = INFINITY;
	for (; r->n < o->n; r->n++) {
		err = !o->path ? log_cursor_follow_fd(&r->tape[r->n], o->fd,
						      o->name)
			       : log_cursor_open(&r->tape[r->n], o->path[r->n],
						 o->follow  ? LOG_CURSOR_FOLLOW
						 : o->n > 1 ? LOG_CURSOR_ALL
							    : LOG_CURSOR_FIRST);
		if (err < 0) {
			r->n++;
			return err;
		}
	}
	if (replay_reads(r)) {
		err = log_cursor_slice(&r->tape[0], clock_mono_ns() + OPEN_NS);
		if (err < 0)
			return err;
	}
	err = replay_align_logs(r, o->align);
	/* A time may lie anywhere in the log. */
	if (err == 0 && (o->from || o->to) && replay_reads(r))
		err = log_index_on(r->tape[0].log, 0);
	if (err < 0)
		return err;
	set_title(r);
	for (size_t k = 0; k < r->n; k++)
		view_compare_add(&r->compare, r->tape[k].report);
	first_pair(r, o->align);
	err = replay_go_to(r, o->follow ? INFINITY : -INFINITY);
	return err < 0 ? err : set_range(r, o);
}

void replay_close(struct replay *r)
{
	for (size_t k = 0; k < r->n; k++)
		log_cursor_close(&r->tape[k]);
	view_compare_free(&r->compare);
}

/* The clock at the frame after (step 1) or before (-1) the present ones. */
static double neighbour(const struct replay *r, int step)
{
	double best = NAN;

	for (size_t k = 0; k < r->n; k++) {
		const struct log_cursor *t = &r->tape[k];
		size_t i = log_cursor_seek(t, r->now_s - r->shift_s[k] +
						      step * hair(r));

		if (step > 0)
			i = i == LOG_CURSOR_NOWHERE ? 0 : i + 1;
		if (i == LOG_CURSOR_NOWHERE || i >= log_cursor_count(t))
			continue;
		best = step > 0 ? fmin(best, clock_of(r, k, i))
				: fmax(best, clock_of(r, k, i));
	}
	return best;
}

double replay_wait_s(const struct replay *r)
{
	double gap = neighbour(r, 1) - r->now_s;

	if (r->paused || isnan(gap) || r->now_s + gap > r->stop_s + hair(r))
		return -1;
	if (!(gap > 0))
		gap = 0;
	return fmin(gap, GAP_MAX_S) / r->speed;
}

int replay_next(struct replay *r)
{
	double next = neighbour(r, 1);

	return isnan(next) ? 0 : replay_go_to(r, next);
}

bool replay_reads(const struct replay *r)
{
	return r->n == 1 && log_cursor_share(&r->tape[0]) < 1;
}

int replay_read_on(struct replay *r, uint64_t until_ns)
{
	struct log_cursor *t = &r->tape[0];
	double wanted_s = r->wanted_s;
	int err = log_cursor_slice(t, until_ns);

	set_title(r);
	if (err < 0 || isnan(wanted_s) ||
	    (log_indexed(t->log) < 1 && wanted_s > clock_end(r)))
		return err;
	r->wanted_s = NAN;
	*r->message = '\0';
	return replay_go_to(r, wanted_s);
}

bool replay_grows(const struct replay *r)
{
	for (size_t k = 0; k < r->n; k++)
		if (log_grows(r->tape[k].log))
			return true;
	return false;
}

int replay_more(struct replay *r)
{
	bool at_end = isnan(neighbour(r, 1)) && !r->paused;
	int came = 0;

	for (size_t k = 0; k < r->n; k++) {
		int n = log_cursor_more(&r->tape[k]);

		if (n < 0)
			return n;
		came += n;
	}
	if (came && (at_end || isnan(r->now_s))) {
		int err = replay_go_to(r, INFINITY);

		if (err < 0)
			return err;
	}
	if (came && !replay_grows(r))
		text_set(r->message, "the run has ended: the log is complete");
	return came;
}

static int replay_step(struct replay *r, double frames)
{
	int err = 0;

	r->paused = true;
	for (double i = 0; i < fabs(frames) && err == 0; i++) {
		double to = neighbour(r, frames < 0 ? -1 : 1);

		if (isnan(to))
			break;
		err = replay_go_to(r, to);
	}
	return err;
}

/* Go to the next or the previous event of any log that fits. */
static int seek_event(struct replay *r, int direction, log_cursor_fits *fits)
{
	double best = NAN;

	for (size_t k = 0; k < r->n; k++) {
		const struct moment *m = log_cursor_moment(
			&r->tape[k],
			r->now_s - r->shift_s[k] + direction * hair(r),
			direction, fits);
		double t = m ? m->t_s + r->shift_s[k] : NAN;

		best = direction > 0 ? fmin(best, t) : fmax(best, t);
	}
	if (isnan(best)) {
		snprintf(r->message, sizeof(r->message), "there is no %s %s%s",
			 direction > 0 ? "later" : "earlier",
			 fits == log_cursor_is_alarm ? "alarm" : "event",
			 replay_reads(r) ? " in what is read so far" : "");
		return 0;
	}
	return replay_go_to(r, best);
}

static double speed_by(double speed, double factor)
{
	speed = fmin(fmax(speed * factor, SPEED_MIN), SPEED_MAX);
	return speed < NEAR_1 && speed > 1 / NEAR_1 ? 1 : speed;
}

/*
 * Go to a time of the log that the tables show: to the frame that ends then or
 * next, which holds the events of that time.
 */
static int seek(struct replay *r, double t_s)
{
	const struct log_cursor *t = &r->tape[r->front];
	double interval_s = log_reader_header(t->log)->interval_s;
	size_t i = log_cursor_seek(t, t_s + hair(r));

	if (i == LOG_CURSOR_NOWHERE && log_cursor_count(t) &&
	    t_s > log_cursor_t(t, 0) - interval_s)
		i = 0;
	else if (i != LOG_CURSOR_NOWHERE && log_cursor_t(t, i) < t_s - hair(r))
		i++;
	if (i < log_cursor_count(t))
		t_s = log_cursor_t(t, i);
	t_s += r->shift_s[r->front];
	if (log_indexed(t->log) < 1 && t_s >= clock_end(r)) {
		r->wanted_s = t_s;
		text_set(r->message,
			 "the log is not read up to that time yet; it is "
			 "shown as soon as it is");
		return 0;
	}
	/* Follow a growing log when its end is shown. */
	if (t_s >= clock_end(r) && replay_grows(r))
		r->paused = false;
	return replay_go_to(r, t_s);
}

/* Go to the frame of the front log that ends at that clock time, or next. */
static int seek_clock(struct replay *r, uint64_t wall_ns)
{
	struct log_cursor *t = &r->tape[r->front];
	uint64_t at = wall_ns;
	size_t i = LOG_CURSOR_NOWHERE;
	/* The search needs the index of all frames. */
	int err = log_index_on(t->log, 0);

	if (err == 0)
		err = log_cursor_seek_clock(t, wall_ns, &i);
	if (err == 0 && i != LOG_CURSOR_NOWHERE)
		err = log_cursor_clock(t, i, &at);
	if (err < 0 || i == LOG_CURSOR_NOWHERE)
		return err;
	if (at < wall_ns && i + 1 < log_cursor_count(t))
		i++;
	return replay_go_to(r, log_cursor_t(t, i) + r->shift_s[r->front]);
}

int replay_act(struct replay *r, const struct action *a)
{
	*r->message = '\0';
	r->wanted_s = NAN;
	switch (a->kind) {
	case ACTION_PAUSE:
		r->paused = !r->paused;
		return 0;
	case ACTION_STEP:
		return replay_step(r, a->number);
	case ACTION_SEEK:
		return seek(r, a->number);
	case ACTION_SEEK_EVENT:
		return seek_event(r, a->number < 0 ? -1 : 1,
				  a->all ? log_cursor_is_any
					 : log_cursor_is_own);
	case ACTION_SEEK_ALARM:
		return seek_event(r, a->number < 0 ? -1 : 1,
				  log_cursor_is_alarm);
	case ACTION_SEEK_CLOCK:
		return seek_clock(r, (uint64_t)units_whole(a->number, 0,
							     INT64_MAX));
	case ACTION_SPEED:
		r->speed = speed_by(r->speed, a->number);
		return 0;
	case ACTION_COMPARE:
		view_compare_act(&r->compare, a);
		return 0;
	case ACTION_SWAP:
		if (r->n > 1)
			r->front = !r->front;
		return 0;
	case ACTION_NONE:
	case ACTION_QUIT:
		return 0;
	default:
		text_set(r->message,
			 "this is a replay: nothing can be turned or marked");
		return 0;
	}
}

/* The effects of the turns up to a frame. */
static const struct effect *effects_until(const struct log_cursor *t, size_t *n)
{
	const struct effect *e = report_effects(t->report, n);

	while (*n && (t->at == LOG_CURSOR_NOWHERE ||
		      e[*n - 1].event.t_s > t->frame.t_s))
		--*n;
	return e;
}

/* NULL: there is none at that time. */
static const struct frame *shown_frame(const struct log_cursor *t)
{
	return t->at == LOG_CURSOR_NOWHERE
		       ? NULL
		       : report_with_totals(t->report, &t->frame);
}

/* Fill in the log that is shown beside the front one. */
static void view_other(struct replay *r, struct ui_view *view)
{
	const struct log_cursor *t = &r->tape[!r->front];
	struct ui_other *o = &r->other;

	if (r->n < 2)
		return;
	o->frame = shown_frame(t);
	o->history = t->history;
	o->effect = effects_until(t, &o->n_effects);
	o->shift_s = r->shift_s[!r->front] - r->shift_s[r->front];
	o->name = t->name;
	o->letter = r->front ? 'A' : 'B';
	view->other = o;
	view->letter = r->front ? 'B' : 'A';
}

void replay_view(struct replay *r, struct ui_view *view)
{
	const struct log_cursor *t = &r->tape[r->front];
	double shift = r->shift_s[r->front];

	memset(view, 0, sizeof(*view));
	view->frame = shown_frame(t);
	view->history = t->history;
	view->effect = effects_until(t, &view->n_effects);
	view->title = r->title;
	view->replay = true;
	view->following = replay_grows(r);
	view->knob_word = lists_knob_word;
	view->paused = r->paused;
	view->speed = r->speed;
	view->position_s = r->now_s - shift;
	view->length_s = clock_end(r) - shift;
	view->first_ns = t->first_ns;
	view->last_ns = t->last_ns;
	view->interval_s = log_reader_header(t->log)->interval_s;
	view->message = *r->message ? r->message : NULL;
	view->no_knobs = "this is a replay: no knob can be turned";
	view_other(r, view);
	view_compare_fill(&r->compare, view);
}
