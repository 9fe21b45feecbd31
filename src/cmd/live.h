/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live: a session on the live machine. It owns what samples, derives, logs,
 * turns and loads; the loop tells it when.
 */
#ifndef CMD_LIVE_H
#define CMD_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/root.h"
#include "cmd/compare.h"
#include "cmd/loads.h"
#include "cmd/options.h"
#include "cmd/plan.h"
#include "collect/collect.h"
#include "knob/keeper.h"
#include "knob/knob.h"
#include "knob/knob_sampler.h"
#include "model/history.h"
#include "model/run.h"
#include "model/watch.h"
#include "record/log.h"
#include "report/report.h"
#include "ui/ui.h"
#include "workload/workload.h"

struct look;

/* A turn that can be undone. */
struct undo {
	char device[32], knob[64], value[64];
};

/* launch.c: what is looked at, to be started from the screen. */
struct launch {
	struct look *look;       /* under way; NULL: none */
	struct run_request next; /* waits for that one to end */
	bool has_next;
	struct look *ready; /* the last that came to its end; NULL: none */
	bool by_hand;       /* something was started or stopped on the screen */
	bool said_done;     /* and it was said that all of it is over */
};

struct live {
	const struct settings *settings;
	struct root root;
	struct collect *collect;
	struct knob_sampler *sampler;
	struct keeper *keeper; /* NULL: no knob is ever turned */
	struct loads loads;
	struct launch launch;
	struct ui_offer offer;
	struct log_writer *log; /* NULL: none */
	struct report *report;
	/* From live_prepare() on; it owns its devices, labels and the array of
	 * jobs, whose texts are the loads'. */
	struct header header;
	struct history *history;
	struct watch *watch;
	struct compare compare; /* what the operator compares */
	struct ui *ui;          /* NULL: headless */
	int tty;
	struct plan plan;
	char plan_words[512]; /* of the first step that failed, or "" */

	struct sample sample[2]; /* the last and the one before, in turns */
	struct frame frame[2];   /* shown, and in the making */
	int newest_sample, shown;
	bool sampled;

	struct event *event; /* wait for the next frame */
	size_t n_events, cap_events;
	size_t n_said; /* of them, the first ones: the operator knows */
	struct ui_lack lack[16]; /* as of the last view */
	struct undo undo[64];
	size_t n_undo;
	char pending_by[12], pending_knob[64]; /* of the turn under way */
	bool pending_undo;                     /* it is an undo itself */
	/* Devices that were turned, and how many of them wait for a reset. */
	char (*turned_device)[32];
	size_t n_turned, cap_turned, n_reset;
	bool resetting; /* the keeper puts the settings of one back */
	bool threads;   /* threads have rows */

	double interval_s;
	uint64_t start_ns, tick_ns, frame_ns, late, frames;
	bool paused, announce; /* announce: events as lines on stderr */
	bool restored; /* settings were put back: changes now are ours */
	char title[160], message[256], no_knobs[128];
	uint64_t message_ns;
	int log_error;       /* errno of a write that failed */
	char log_words[512]; /* its sentence; others may follow it */
	uid_t keeper_uid;    /* whose its journal is */
	bool turned;         /* something was, or may have been */
	bool keeper_dead;    /* it died; its journal remains */
	bool unrestored;     /* a setting could not be put back, and why: */
	char unrestored_words[512];
};

/*
 * Open what every live command needs: root, keeper (when with_keeper), signals
 * apart. jobs say whether privileges can be dropped. 0, or -errno with a
 * sentence.
 */
int live_open(struct live *l, const struct settings *s, bool with_keeper,
	      int tty) must_check;

/* Open the rest once jobs are known: collectors, workload, log and header. */
int live_prepare(struct live *l, struct job *jobs, size_t n_jobs,
		 const struct allow_list *allowed) must_check;

/* The first look, without rates: drawn, not logged; t = 0 is now. */
void live_first_look(struct live *l);

/* Sample, derive, log, report, draw. late: ticks missed before this one. */
void live_tick(struct live *l, unsigned late);

/* A log that cannot be written ends the run; err and its sentence are kept. */
void live_log_wrote(struct live *l, int err);

/* Seconds since t = 0. */
double live_now_s(const struct live *l);

void live_add_event(struct live *l, struct event *e);
void live_say(struct live *l, const char *fmt, ...) printf_like(2, 3);
/* A plan that was not carried out is a failed run (exit status 1). */
void live_plan_failed(struct live *l, const char *by, const char *words);
void live_draw(struct live *l);
void live_view(struct live *l, struct ui_view *view, char *pending,
	       size_t size);

/*
 * End: stop the load, put settings back, log the last frames and the summary.
 * Returns an exit status; status is what the loop ended with.
 */
int live_finish(struct live *l, int status) must_check;
void live_close(struct live *l);

/* reset.c: put back what was turned of a device, or of all (device ""). */
void reset_begin(struct live *l, const char *device);
/* A turn of this device was made. */
void reset_note_turn(struct live *l, const char *device);
/* The keeper's answer to a reset: one setting, or that it is done. */
void reset_report(struct live *l, const struct keeper_report *r);
/* The keeper is free: go on with the next device. */
void reset_next(struct live *l);

/* steer.c: change and stop running jobs. */
void steer_act(struct live *l, const struct action *a);
/* A plan's steps of jobs that are not there, before the run. */
int steer_check_plan(const struct live *l) must_check;

/* turn_event.c: the event that a report of the keeper becomes. */
struct event turn_event(const struct keeper_report *r, const char *by);

/* turn.c: the one place where actions on knobs are done. */
void turn_act(struct live *l, const struct action *a);
/* Do the steps of the plan that are due; returns ns until the next, or -1. */
int64_t turn_plan(struct live *l);
/* Take what the keeper has to say. */
void turn_receive(struct live *l);
/* Reports of the keeper's end as events: settings put back, a late answer. */
void turn_restored(const struct keeper_report *r, void *live);
/* The turns by hand as --at options, to repeat them. */
void turn_print_plan(struct live *l, FILE *out);

#endif
