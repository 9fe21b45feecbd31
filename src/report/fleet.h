/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fleet: the logs of several hosts in one experiment, merged over the common
 * window, the time in which every host measured.
 *
 * Each log is read twice: fleet_look() finds when its host measured, fleet_add()
 * adds up the frames within the window. A rate is a sum of counts over the
 * length of the window, a percentile is one of the summed histograms. A frame
 * that straddles an edge counts by its share.
 *
 * Several logs of one label, one after the other, are runs of one host. The k-th
 * runs of all hosts have a window of their own, and are added up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "base/json.h"
#include "model/frame.h"
#include "model/header.h"
#include "model/host_clock.h"
#include "model/stats/members.h"

/* The operations that are merged; their device figures where it has them. */
enum fleet_op { FLEET_READ, FLEET_WRITE, FLEET_TRIM, FLEET_SYNC, FLEET_OPS };
struct fleet_count {
	double ios, bytes;
	struct histogram *hist;	 /* NULL: none */
	double device_ios, device_ns; /* of the jobs' devices: I/Os, and the sum of
					 their latencies */
};

/* The sums of a run of a host, or of half of its only run. */
struct fleet_part {
	double seconds;
	struct fleet_count op[FLEET_OPS];
	double util_s; /* seconds that the devices were busy, by seconds */
};

/* A fact or setting of a host that may explain a difference. */
struct fleet_fact {
	const char *key, *value; /* "disk.firmware" */
};

struct fleet_host {
	char label[HOST_LABEL_MAX];
	char plain[HOST_LABEL_MAX]; /* the label without "#2" */
	char jobs[65]; /* hash of its jobs without their targets */
	char job_device[64]; /* the first device of its jobs; "": none */
	char program[64];
	struct fleet_fact *fact;
	size_t n_facts, cap_facts;
	struct clock_facts clock;
	struct host_clock time;
	double from_s, to_s;   /* since the fleet's first_ns; NaN: nothing */
	bool begins;	       /* from_s is that of a phase */
	double lag_s; /* the least time from a sample to its arrival; NaN */
	bool whole;   /* it has a summary */
	char failed[256]; /* why it failed, or "" */
	char last[256];	  /* words of its last event */
	bool counts;	  /* in the merged figures */
	size_t of;	  /* the host whose run this log is; often itself */
	size_t run;	  /* which of its runs */
	struct fleet_part *part; /* fleet.n_parts */
};

/* The window of a run: seconds since the fleet's first_ns. */
struct fleet_window {
	double from_s, to_s;
	double longest_s; /* the longest time of a host */
};

/* Figures of a host that are compared. */
struct fleet_metric {
	const char *key, *title;
	int better; /* 1: more is better, -1: less */
	double (*of)(const struct fleet_part *h, enum fleet_op op);
	enum fleet_op op;
};
extern const struct fleet_metric fleet_metrics[];
extern const size_t n_fleet_metrics;

struct fleet {
	struct arena arena;
	struct fleet_host *host;
	size_t n, cap;
	bool all; /* the windows of all hosts, not the common one */
	uint64_t first_ns; /* the earliest wall clock */
	struct fleet_window *run; /* of n_runs */
	size_t n_runs;
	size_t n_parts; /* n_runs, or 2: the halves of the only run */
	size_t counted; /* hosts in the windows */
};

extern const struct text_word fleet_windows[];

struct fleet *fleet_new(bool all);
void fleet_free(struct fleet *f);

/* Begin a host; a label that is taken gets "#2". Returns its index. */
size_t fleet_add_host(struct fleet *f, const char *label);
/* The label of the host in its header, where the caller knows none. */
void fleet_relabel(struct fleet *f, size_t i, const char *label);

/* First pass. */
void fleet_look(struct fleet *f, size_t i, const struct frame *frame);
void fleet_line(struct fleet *f, size_t i, const char *type, struct json *line);
void fleet_header(struct fleet *f, size_t i, const struct header *h);
/* The log could not be read to its end. */
void fleet_failed(struct fleet *f, size_t i, const char *words);

/*
 * Between the passes: find the runs and their windows. 0; -EINVAL with a sentence when hosts ran
 * different jobs; -ERANGE with a sentence when their times overlap too little
 * for a merged figure.
 */
int fleet_window(struct fleet *f) must_check;

/* Second pass. */
void fleet_add(struct fleet *f, size_t i, const struct frame *frame);
/* Behind the second pass: from here on a host is there once. */
void fleet_fold(struct fleet *f);

/* The seconds of all windows. */
double fleet_seconds(const struct fleet *f);
/* The seconds and sums of a host, all parts; free by fleet_part_free(). */
struct fleet_part fleet_sum(const struct fleet *f, const struct fleet_host *h);
/* The sums of all hosts that count; seconds are those of the windows. */
struct fleet_part fleet_merge(const struct fleet *f);
void fleet_part_free(struct fleet_part *h);

/* The values of a metric, one per host, NaN for those that do not count. part:
 * n_parts: of all of them. */
void fleet_values(const struct fleet *f, const struct fleet_metric *m,
		  size_t part, double *out);

/* Whether that host's value of a fact is unlike that of all others, which
 * agree; then theirs in *others. */
bool fleet_is_odd(const struct fleet *f, size_t host, size_t fact,
		  const char **others);

/* Whether most of the hosts that have the fact have another value. */
bool fleet_differs(const struct fleet *f, size_t host, size_t fact);

/* page_fleet.c: the page, and its formats. */
void page_fleet_print(const struct fleet *f, int extent, FILE *out);
void page_fleet_json(const struct fleet *f, int how, FILE *out);
