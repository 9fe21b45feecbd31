/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replay: a position in a log, and the frames around it.
 */
#ifndef CMD_REPLAY_H
#define CMD_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "model/action.h"
#include "model/history.h"
#include "record/log.h"
#include "report/report.h"
#include "ui/ui.h"

struct replay {
	struct log_reader *log;
	struct report *report; /* of the whole log */
	struct history *history;
	struct frame frame;
	size_t at; /* index of the frame shown */
	double speed;
	bool paused;
	char title[160], message[256];
};

/* Open a log and show its first frame. 0, or -errno with a sentence. */
int replay_open(struct replay *r, const char *path, double speed) must_check;
void replay_close(struct replay *r);

/* Seconds until the next frame is due, by the log's times and the speed; -1
 * when paused or at the end. */
double replay_wait_s(const struct replay *r);

/* Show the i-th frame (held within the log); history follows. */
int replay_go(struct replay *r, size_t i) must_check;

/* Step, seek, pause, speed; other actions are refused by a message. */
int replay_act(struct replay *r, const struct action *a) must_check;

void replay_view(struct replay *r, struct ui_view *view);

#endif
