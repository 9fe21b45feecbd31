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
#pragma once

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

/* The name of the i-th rule and its help; NULL: no more. */
const char *alarms_name(size_t i, const char **help);
/* The rule of that name, or NULL: an alarm of another program. */
const struct alarm_rule *alarms_rule_by_name(const char *name);

struct alarms;

/* Never NULL; to be freed by alarms_free(), which takes NULL. */
struct alarms *alarms_new(void);
void alarms_free(struct alarms *a);

/*
 * Take limits from a text of lines "NAME LIMIT", where # begins a comment. LIMIT
 * is in the unit of that rule; "off": it never begins. 0, or -EINVAL with a
 * sentence that names file and line; the limits before it hold.
 */
int alarms_set_limits(struct alarms *a, const char *text, const char *file);

/*
 * Look at a frame and add to it the events of alarms that begin or end with it.
 * Frames come in the order of their times, each once.
 */
void alarms_look(struct alarms *a, struct frame *f);

/* Alarm rules: the table that alarms.c walks. To add an alarm, add a row. */

/*
 * A tick may come a little early: with frames of 1 s, the second one still
 * finds what has lasted for 2 s. For rules without a hold time.
 */
#define ALARM_EARLY 0.95

/* The fields that the rules read, in the order of their keys in the .c file. */
enum alarm_device_field {
	DEV_STALL,
	DEV_QUEUE_DEPTH,
	DEV_FLIGHT_READ,
	DEV_FLIGHT_WRITE,
	DEV_READ_IOPS,
	DEV_WRITE_IOPS,
	DEV_READ_AWAIT,
	DEV_WRITE_AWAIT,
	DEV_READ_SIZE,
	DEV_WRITE_SIZE,
	DEV_QUEUE_SIZE,
	DEV_ERRORS,
	DEV_MISSING,
	DEV_TEMPERATURE,
	DEV_TEMPERATURE_MAX,
	DEV_TEMPERATURE_CRIT,
	DEV_FS_USED,
	DEV_FS_INODES,
	DEV_FS_FREE,
	DEV_FS_FULL_IN,
	DEV_READ_P99, /* this and what follows: traced */
	DEV_WRITE_P99,
	DEV_READ_QUEUE_PCT,
	DEV_WRITE_QUEUE_PCT,
	DEV_READ_DEVICE_P99,
	DEV_WRITE_DEVICE_P99,
	DEV_FLUSH_P99,
	DEV_REQUEUES,
	DEV_IO_ERRORS,
	DEV_TRACE_MISSED,
	DEV_FIELDS
};

/* How much slower than usual a device is in this frame. */
struct alarm_slow {
	char id[ROW_ID_MAX];
	int op;
	bool traced; /* the times are the p99 in the device */
	double await_ns, usual_ns;
};

struct alarm_rules {
	int device[DEV_FIELDS]; /* indices of the fields */
	int task_wait, task_process, task_wchan;
	struct alarms_baseline *baseline;
	/* Of the present frame. */
	struct alarm_slow *slow;
	size_t n_slow, cap_slow;
	double worst_await_ns; /* of all devices; 0: nothing completed */
};

/* A row of a frame that a rule looks at. */
struct alarm_case {
	const struct alarm_rules *rules;
	const struct frame *frame;
	const struct row *row; /* of all: the first */
};

/*
 * A rule and how to find it. The rule holds when value(), or the row's figure of
 * that key, exceeds seen.limit; NaN never does. words() describes the trouble and
 * the next check.
 */
struct alarm_check {
	struct alarm_rule seen;
	enum schema_id schema;
	const char *id;   /* only this row; NULL: each row by itself */
	bool whole_table; /* all rows are one matter: called once */
	double (*value)(const struct alarm_case *c);
	const char *key;
	double scale; /* of the figure; 0 is 1 */
	void (*words)(const struct alarm_case *c, char *buf, size_t size);
};

extern const struct alarm_check alarm_rules[];
extern const size_t n_alarm_rules;

void alarm_rules_init(struct alarm_rules *s);
void alarm_rules_free(struct alarm_rules *s);
/* Prepare what several rules need of a frame; call it before the rules. */
void alarm_rules_learn(struct alarm_rules *s, const struct frame *f);

/*
 * Alarms from traced times: values and words of their rules. A value is NaN
 * where nothing is traced.
 */
double alarm_traced_queue_pct(const struct alarm_case *c);
void alarm_traced_queue_words(const struct alarm_case *c, char *buf,
			      size_t size);
void alarm_traced_flush_words(const struct alarm_case *c, char *buf,
			      size_t size);
double alarm_traced_requeue_pct(const struct alarm_case *c);
void alarm_traced_requeue_words(const struct alarm_case *c, char *buf,
				size_t size);

double alarm_traced_missed_pct(const struct alarm_case *c);
void alarm_traced_missed_words(const struct alarm_case *c, char *buf,
			       size_t size);

/*
 * The process with the largest sum of that field among the slowest requests of a
 * device and operation (NULL: all but calls and flushes), behind a word: ", most
 * of dd(77) for /file". Where none is of that operation, of any other; "" where no
 * process is known. Returns buf.
 */
const char *alarm_traced_who(const struct frame *f, const char *device,
			     const char *op, const char *key, const char *before,
			     char *buf, size_t size);
/* "; write of dd(77) at sector 8: medium", or "". Returns buf. */
const char *alarm_traced_error(const struct frame *f, const char *device,
			       char *buf, size_t size);

/*
 * Alarm baseline: what is usual for a device, learnt while it works.
 *
 * The mean time of a request is compared only with intervals of a like load:
 * requests of like size (a factor of 4) and a queue of like length (a factor of
 * 4). A load of a new kind is compared with nothing until enough of its
 * intervals are known.
 */

struct alarms_baseline;

/* Never NULL; to be freed by alarms_baseline_free(), which takes NULL. */
struct alarms_baseline *alarms_baseline_new(void);
void alarms_baseline_free(struct alarms_baseline *b);

/*
 * The median of the last intervals (up to 63) in which the device had a like
 * load, in ns; NaN while there were fewer than 15. Then adds await_ns to them.
 * op is 0 for reads and 1 for writes, 2 and 3 for their times in the device; bytes is the mean size of a request,
 * queue the mean number of them. Which intervals count is the caller's choice.
 */
double alarms_baseline_add(struct alarms_baseline *b, const char *device,
			   int op, double bytes, double queue, double await_ns);

/*
 * Imbalance: members of a stack (RAID, striped or multipath volume, btrfs)
 * that bear more than their share, or answer more slowly than the others.
 *
 * A stack is a device with two members or more, or a btrfs of two devices or
 * more. In an interval a member is
 *  - hot when it did at least 10 requests/s, and its busy time (util_pct) is
 *    at least 1.5 times the mean of the other members' and at least 10
 *    points above it;
 *  - slow when it did at least 10 requests/s, so did another, and its mean
 *    time of a read or write is at least twice that of the others together
 *    (each weighted by its requests) and at least 1 ms above it.
 * Fewer requests say nothing: the kernel counts time in whole milliseconds. No
 * alarm comes from it: the screen marks the member.
 */

enum imbalance { BALANCED, MEMBER_HOT, MEMBER_SLOW };

/*
 * Judge each device row of the frame; out is in the order of the rows, n is at
 * least the number of rows. O(n log n).
 */
void alarms_imbalance(const struct frame *f, enum imbalance *out, size_t n);
