/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarms: conditions of a machine that need a person, found in the frames.
 *
 * A rule says when a row of a frame (a device, all tasks, memory, pressure,
 * CPU) is in trouble. A rule that holds for its hold time becomes an event
 * alarm_begin in the frame; when it has not held for its rest time, an event
 * alarm_end, whose text says how long it held. Screen, log, timeline and report
 * see the events and nothing else.
 *
 * A load that is merely high raises no alarm: see the rules, each of which says
 * how a busy device differs from one in trouble.
 */
#ifndef MODEL_ALARMS_H
#define MODEL_ALARMS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"

enum alarm_severity { ALARM_WARNING, ALARM_CRITICAL };

/* A rule as users see it; limit is in that unit. */
struct alarm_rule {
	const char *name; /* in the events */
	const char *help; /* one sentence without a full stop */
	const char *unit; /* of value and limit of its events: "s", "%" */
	double limit;
	double hold_s, rest_s;
	enum alarm_severity severity;
};

/* The rule of that name, or NULL: an alarm of another program. */
const struct alarm_rule *alarms_rule_by_name(const char *name);

struct alarms;

/* Never NULL; to be freed by alarms_free(), which takes NULL. */
struct alarms *alarms_new(void);
void alarms_free(struct alarms *a);

/*
 * Look at a frame and add to it the events of alarms that begin or end with it.
 * Frames come in the order of their times, each once.
 */
void alarms_look(struct alarms *a, struct frame *f);

#endif
