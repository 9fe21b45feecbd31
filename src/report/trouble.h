/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trouble: the alarms of a run, and its worst minutes with their busiest device
 * and the processes with the most I/O. Means over a night hide the minute in
 * which users complained.
 *
 * Minutes are those of the clock. A minute is worse if alarms held for longer;
 * then if tasks waited for I/O for longer (pressure "some"); then by %util of
 * the busiest device.
 */
#pragma once

#include "base/json.h"
#include "report/digest.h"

/* The limits of alarms, of minutes, and of processes in a minute. */
#define TROUBLE_ALARMS  2000
#define TROUBLE_MINUTES 5
#define TROUBLE_TASKS   3

struct trouble_alarm {
	char name[32], device[32], text[200];
	double begin_s, end_s; /* end: NaN while it holds */
	uint64_t wall_ns;      /* of the begin; 0 unknown */
};

/* A process and the bytes that it moved in the minute. */
struct trouble_task {
	char id[ROW_ID_MAX], name[24];
	double read_bytes, write_bytes;
};

/* The slowest I/Os, of a minute and of the run, that are kept. */
#define TROUBLE_IOS 3

struct trouble_ios {
	struct digest_io io[TROUBLE_IOS]; /* traced, the slowest first */
	size_t n;
};

struct trouble_minute {
	double from_s, seconds;
	uint64_t wall_ns; /* of its first frame's begin; 0 unknown */
	double alarm_s;   /* over all alarms that held */
	double pressure_pct; /* NaN: no PSI */
	char device[ROW_ID_MAX]; /* the busiest; "": none */
	double util_pct, iops, bytes_per_s, await_ns; /* its means */
	struct trouble_task task[TROUBLE_TASKS]; /* greatest first */
	struct trouble_ios slow;
};

/* Sums of the minute that is under way. */
struct trouble_device {
	char id[ROW_ID_MAX];
	double util_s, ios, bytes, await_ios, ios_timed;
};

/* A zeroed struct is valid and empty. */
struct trouble {
	struct trouble_alarm *alarm;
	size_t n_alarms, cap_alarms, alarms_left_out;
	struct trouble_minute worst[TROUBLE_MINUTES]; /* the worst first */
	size_t n_worst, minutes; /* minutes: all that ended */
	uint64_t number; /* of the minute that is under way */
	/* Until its end its pressure is a sum; of 0 seconds: none is under way. */
	struct trouble_minute now;
	struct trouble_ios slow; /* of the run */
	struct trouble_device *device;
	size_t n_devices, cap_devices;
	struct trouble_task *task;
	size_t n_tasks, cap_tasks;
};

/* Add a frame with its events. */
void trouble_add(struct trouble *t, const struct digest *d);
void trouble_free(struct trouble *t);

/* As "alarm", "slow" (if any I/O was traced) and "worst_minute" of an object;
 * minutes only without jobs and of two or more. This ends the minute under way. */
void trouble_json(struct trouble *t, bool jobs, struct json *object);
