/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fleet past: where in the time of a fleet its screen is, at the newest lines or
 * before them, and the frames of all hosts at that time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/replay/replay.h"
#include "model/action.h"
#include "model/frame.h"
#include "model/host_clock.h"
#include "record/label_stream.h"

/* An alarm of a host begins or ends. */
struct fleet_alarm {
	uint64_t at_ns;
	size_t host;
	bool begins;
};

/* Times are of host_clock_ns(); zeroed: at the newest lines, nothing came. */
struct fleet_past {
	uint64_t at_ns;		    /* 0: at the newest lines */
	uint64_t first_ns, last_ns; /* of the frames that came */
	uint64_t from_ns, stop_ns;  /* of --from and --to; 0: none */
	uint64_t moved_ns;	    /* CLOCK_MONOTONIC of the last move */
	double speed, step_s;
	bool paused;
	struct fleet_alarm *alarm; /* in the order of the lines */
	size_t n_alarms, cap_alarms;
	struct log_reader **log; /* by host; NULL: not opened yet */
	size_t n_logs;
	struct frame frame;
};

void fleet_past_free(struct fleet_past *p);
/* A frame of the i-th host came, of that time; 0: of none. */
void fleet_past_came(struct fleet_past *p, size_t i, const struct frame *f,
		     uint64_t at_ns);
/* The hosts do not look at one instant: what is shown ends here, behind at_ns. */
uint64_t fleet_past_until(const struct fleet_past *p);
/* Pause, step, seek, speed. Returns false for other actions. */
bool fleet_past_act(struct fleet_past *p, const struct action *a);
/* Go on with the clock, unless paused. */
void fleet_past_move(struct fleet_past *p);
/*
 * The frame of the i-th host, of that clock, that is nearest to at_ns, or the last one before it,
 * in *out; NULL: it has none yet. 0, or -errno with a sentence.
 */
int fleet_past_read(struct fleet_past *p, const struct label_stream *s,
		    size_t i, const struct host_clock *time,
		    const struct frame **out) must_check;
