/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: one log, or two side by side, on one clock. The clock is that of the
 * first; the second is moved so that the moments it is aligned on are at the
 * same time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/session/view.h"
#include "model/action.h"
#include "model/history.h"
#include "record/log.h"
#include "report/report.h"
#include "ui/ui.h"

/*
 * Log cursor: one log of a replay, a position in it, and the frames around it.
 * Another process may still write the log.
 */

/* A frame that holds an event. */
struct moment {
	size_t frame;
	double t_s;
	bool own;  /* event_is_own() of one of its events */
	bool turn; /* it holds a turn of ours, or a mark */
	bool alarm; /* an alarm begins */
};

/* No frame is shown: the position is before the start of the log. */
#define LOG_CURSOR_NOWHERE SIZE_MAX

/* Callers change only at, frame and history. A zeroed struct can be closed. */
struct log_cursor {
	struct log_reader *log;
	struct report *report;   /* of all frames that are there */
	struct history *history; /* the frames first to end - 1, those after
				    at hidden */
	size_t first, end;
	struct frame frame; /* the frame that is shown */
	size_t at;          /* index of frame, or LOG_CURSOR_NOWHERE */
	size_t taken;       /* frames that report and moments include */
	struct moment *moment;
	size_t n_moments, cap_moments;
	uint64_t first_ns, last_ns; /* clock of the first and the last frame;
				       0: unknown */
	double run_s; /* time in the log at which the first job ran, or NaN */
	char name[96];
};

/* How much of a log is read when it is opened. */
enum log_cursor_how {
	LOG_CURSOR_ALL,
	LOG_CURSOR_FIRST,  /* the begin: log_cursor_slice() reads the rest */
	LOG_CURSOR_FOLLOW, /* all of a log that may be empty and may grow */
};

/* Open a log; no frame is shown yet. 0, or -errno with a sentence. */
int log_cursor_open(struct log_cursor *t, const char *path,
		    enum log_cursor_how how) must_check;
/* Follow the log in a file that is open, under that name. */
int log_cursor_follow_fd(struct log_cursor *t, int fd,
			 const char *name) must_check;
void log_cursor_close(struct log_cursor *t);

/*
 * Read the frames that were added to the log. Returns their number, or -errno
 * with a sentence.
 */
int log_cursor_more(struct log_cursor *t) must_check;

/*
 * Read more of a log that was opened with LOG_CURSOR_FIRST, until a time of
 * CLOCK_MONOTONIC (0: to the end). 0, or -errno with a sentence.
 */
int log_cursor_slice(struct log_cursor *t, uint64_t until_ns) must_check;
/* The share of the log that is read, 0 to 1. */
double log_cursor_share(const struct log_cursor *t);

/* Frames that can be shown; report and moments may hold fewer. */
size_t log_cursor_count(const struct log_cursor *t);
/* The time of the i-th frame in seconds since the start of the log. */
double log_cursor_t(const struct log_cursor *t, size_t i);

/*
 * Show the i-th frame, at most the last one, or no frame (LOG_CURSOR_NOWHERE).
 * 0, or -errno with a sentence.
 */
int log_cursor_go(struct log_cursor *t, size_t i) must_check;
/* The frame at that time; before the first one: LOG_CURSOR_NOWHERE. */
size_t log_cursor_seek(const struct log_cursor *t, double t_s);

/*
 * Store the last frame at or before that clock time in *found, or
 * LOG_CURSOR_NOWHERE if all are later or the log has no clock. A binary search:
 * the clock of the log must not go back. Reads frames. 0, or -errno with a
 * sentence.
 */
int log_cursor_seek_clock(struct log_cursor *t, uint64_t wall_ns,
			  size_t *found) must_check;
/* The clock of the i-th frame in *wall_ns. 0, or -errno with a sentence. */
int log_cursor_clock(struct log_cursor *t, size_t i,
		     uint64_t *wall_ns) must_check;

/*
 * The next moment after a time (step 1) or the one before it (step -1) that
 * fits; NULL when there is none.
 */
typedef bool log_cursor_fits(const struct moment *m);
log_cursor_fits log_cursor_is_any, log_cursor_is_own, log_cursor_is_alarm;
const struct moment *log_cursor_moment(const struct log_cursor *t, double t_s,
				       int step, log_cursor_fits *fits);
/* The first turn of ours or mark, or NULL; two logs can be aligned on it. */
const struct moment *log_cursor_first_turn(const struct log_cursor *t);

#define REPLAY_LOGS 2

struct replay {
	struct log_cursor tape[REPLAY_LOGS];
	size_t n;
	double shift_s[REPLAY_LOGS]; /* clock = time in the log + shift_s */
	size_t front;                /* the log that the tables show */
	double now_s;                /* the clock; NaN: no frame yet */
	double wanted_s;             /* time to go to once it is read, or NaN */
	double stop_s;               /* replay stops there; INFINITY: at the
					end */
	double speed;
	bool paused, follow;
	struct compare compare;
	struct ui_other other;
	char title[224], message[256];
};

struct replay_options {
	char **path; /* NULL: follow the log in fd, which is open */
	int fd;
	const char *name; /* of that log */
	size_t n; /* 1 or 2 */
	double speed;
	bool follow;
	const char *align; /* a name of replay_aligns, or NULL: the first */
	const char *from, *to; /* of the first log, as in cmd/log_range.h */
};

/* The moments to align two logs on; ends with a NULL name. */
struct replay_align {
	const char *name, *help;
	/* The time of the moment in that log, or NaN if there is none. */
	double (*time)(const struct log_cursor *t);
	const char *missing; /* for the message when a log has none */
};
extern const struct replay_align replay_aligns[];

/*
 * Open the logs and show the first frame, or with follow the last one. 0, or
 * -errno with a sentence.
 */
int replay_open(struct replay *r, const struct replay_options *o) must_check;
void replay_close(struct replay *r);

/* Seconds until the next frame is due, by the logs' times and the speed; -1
 * when paused or at the end. */
double replay_wait_s(const struct replay *r);
/* Show the next frame. 0, or -errno with a sentence. */
int replay_next(struct replay *r) must_check;

/*
 * A long log is shown at once and read in slices. replay_reads(): whether it is
 * not read to its end yet. replay_read_on(): read more until a time of
 * CLOCK_MONOTONIC; 0, or -errno with a sentence.
 */
bool replay_reads(const struct replay *r);
int replay_read_on(struct replay *r, uint64_t until_ns) must_check;

/* Whether a log may still grow; then call replay_more() now and then. */
bool replay_grows(const struct replay *r);
/*
 * Read the frames that were added to the logs. If the last frame was shown and
 * the replay is not paused, show the new last one. Returns the number of new
 * frames, or -errno with a sentence.
 */
int replay_more(struct replay *r) must_check;

/* Step, seek, pause, speed, compare; other actions are refused by a message. */
int replay_act(struct replay *r, const struct action *a) must_check;

/* Fill in the screen's view; it borrows from r. */
void replay_view(struct replay *r, struct ui_view *view);
