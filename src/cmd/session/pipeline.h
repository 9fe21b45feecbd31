/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pipeline: collectors, the knob sampler and the jobs' counters fill a sample;
 * the sample becomes a frame; the frame goes to the log, the report and the
 * history. Nothing here waits for the screen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/root.h"
#include "cmd/options.h"
#include "collect/collect.h"
#include "knob/knob.h"
#include "model/alarms.h"
#include "model/frame.h"
#include "model/header.h"
#include "model/history.h"
#include "record/log.h"
#include "record/metrics.h"
#include "report/report.h"

struct workloads;

/* Only pipeline.c changes the members. */
struct pipeline {
	const struct root *root;     /* borrowed */
	struct workloads *workloads; /* borrowed */
	struct collect *collect;
	struct knob_sampler *sampler;
	struct foreign_changes *foreign;
	struct alarms *alarms;
	struct log_writer *log; /* NULL: none */
	struct metrics *metrics; /* likewise */
	struct report *report;
	struct history *history;
	bool keep_history; /* a screen shows it */
	/* The header owns its devices, labels and array of jobs; the jobs'
	 * texts belong to their sets. */
	struct header header;
	const char *host_label; /* borrowed; NULL: the host name */

	struct sample sample[2]; /* the last and the one before, in turns */
	struct frame frame[2];   /* the last and the one before, in turns */
	int newest_sample, newest_frame;
	int held_frame; /* a frame that is not overwritten; -1: none */
	struct clock_look look; /* the clocks at the last sample */
	struct self_limits limits;
	bool sampled;
	uint64_t start_ns; /* t = 0 */
	double from_s;     /* t of the first frame; above 0: a log continues */
	bool appends;      /* to the log of an earlier session */
	uint64_t frame_ns; /* time that the last frame took */
	uint64_t late;     /* missed ticks so far */
	uint64_t frames;   /* without the first, which has no rates */

	struct event *event; /* events for the next frame */
	size_t n_events, cap_events;
	/* Called with each event that is added; may be NULL. */
	void (*on_event)(void *arg, const struct event *e);
	void *on_event_arg;

	int log_error;       /* errno of the first write that failed */
	char log_words[512]; /* its sentence */
};

void pipeline_init(struct pipeline *p, const struct root *root,
		   struct workloads *workloads);
void pipeline_free(struct pipeline *p);

/* Open the collectors and the knob sampler. 0, or -errno with a sentence. */
int pipeline_open(struct pipeline *p,
		  const struct collect_options *options) must_check;
/*
 * Fill in the part of the log's header that is known before the first frame:
 * command line, labels and jobs. 0, or -EINVAL with a sentence.
 */
int pipeline_begin_header(struct pipeline *p, const struct settings *s,
			  double interval_s) must_check;
/* Make the log, or continue it. 0, or -errno with a sentence. */
int pipeline_open_log(struct pipeline *p, const char *path,
		      bool private) must_check;

/* Begin to keep the file of --openmetrics. 0, or -errno with a sentence. */
int pipeline_open_metrics(struct pipeline *p,
			  const struct settings *s) must_check;

/* Seconds since t = 0. */
double pipeline_now_s(const struct pipeline *p);

/* Stamp an event with the present time and add it to the next frame. */
void pipeline_add_event(struct pipeline *p, struct event *e);

/* Take the first frame: t = 0, no rates. Only the log's header holds it. */
const struct frame *pipeline_first(struct pipeline *p);
/*
 * Take a sample; returns the frame since the last one, which is valid until the
 * second next call. late: ticks that were missed before this one. busy: the
 * device with a turn under way, or NULL. foreign: look for knobs that another
 * program changed.
 */
const struct frame *pipeline_tick(struct pipeline *p, unsigned late,
				  bool foreign, const char *busy);
/* Store the time that the last frame took; a column of the next shows it. */
void pipeline_took(struct pipeline *p, uint64_t ns);
/* The last frame, or the held one; NULL: there is none yet. */
const struct frame *pipeline_frame(const struct pipeline *p);
/* Hold the last frame while the screen is paused, or release it. */
void pipeline_hold(struct pipeline *p, bool on);
/* From now on, give up a reader of the log that stalls for a second. */
void pipeline_hurry(struct pipeline *p);

/* Add jobs that start now to the header, and a line about them to the log. */
void pipeline_add_jobs(struct pipeline *p, const struct job *job, size_t n);
/* Remove jobs from the header, which the results at the end use. */
void pipeline_forget_jobs(struct pipeline *p, const struct job *job, size_t n);
/*
 * Write an object to the log, as a line of that type, which is on the disk when
 * this function returns; frees the object.
 */
void pipeline_record_synced(struct pipeline *p, const char *type,
			    struct json *object);
/*
 * The log was moved away: continue in a new file of that name. 0; -EEXIST with
 * a sentence when it was not moved, -ENOENT when there is no log.
 */
int pipeline_rotate_log(struct pipeline *p) must_check;
/* Write the summary, the last line of the log. */
void pipeline_summary(struct pipeline *p, bool restored);
/* Record the result of a call of record/log.h: the first failure is kept. */
void pipeline_log_wrote(struct pipeline *p, int err);
