/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: one log, or two side by side, on one clock. The clock is that of the
 * first; the second is moved so that the moments it is aligned on are at the
 * same time.
 */
#ifndef CMD_REPLAY_REPLAY_H
#define CMD_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/replay/log_cursor.h"
#include "cmd/session/compare.h"
#include "model/action.h"
#include "ui/ui.h"

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
	char **path;
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
 * Move the second log so that it stands beside the first. name: a row, or NULL
 * for the first one. 0, or -EINVAL with a sentence.
 */
int replay_align_logs(struct replay *r, const char *name) must_check;

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

#endif
