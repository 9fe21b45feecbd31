/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readings: named figures and phases that a worker finds in the output of a
 * program or computes itself. They wait in shared memory until the main thread
 * makes events of them (EVENT_METRIC, EVENT_MARK), so that they stand on the
 * clock of all other samples.
 */
#ifndef WORKLOAD_KIND_READINGS_H
#define WORKLOAD_KIND_READINGS_H

#include <stdbool.h>

#include "model/event.h"

struct clones;
struct readings;
struct worker;

/* One figure, in base units: bytes, ns, counts, per second. */
struct reading {
	char name[32]; /* a key of the log: [a-z0-9_] */
	double value;
	int better; /* 1: more is, -1: less is, 0: unknown */
	/*
	 * true: the result of a whole run of the program. false: the result of
	 * an interval; such readings are dropped during the ramp.
	 */
	bool final;
};

/* In plan: make room for the worker's readings; freed by readings_free(). */
void readings_open(struct worker *w);
void readings_free(struct worker *w);

/*
 * In the worker: report a figure, or the phase that begins now. If there is no
 * room, a final figure waits for up to a second, and any other figure is
 * dropped.
 */
void readings_metric(struct worker *w, const struct reading *r);
void readings_phase(struct worker *w, const char *text);

/* Main thread: the next of any of the job's workers as an event; false: none. */
bool readings_event(struct clones *c, struct event *e);

#endif
