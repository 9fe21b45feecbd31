/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs: what one log or many hold for a comparison, one entry per run.
 *
 * A run is one execution of one cell; it gives one value per metric. It comes
 * from a line "result" of a log, or is a whole log that has no such lines.
 *
 * A metric is named TABLE.ROW.KEY: "job.rand.read_p99_ns". A percentile with
 * fewer than ten I/Os beyond it is left out. A fact is a key and
 * a text that describe a run: an axis of the experiment, a label, a setting, an
 * option of a job, or what the header tells of host and devices. Facts of the
 * header hold for all runs of its log, unless the run has its own.
 */
#ifndef REPORT_PIVOT_RUNS_H
#define REPORT_PIVOT_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/json.h"
#include "report/course.h"

enum runs_state {
	RUNS_DONE,
	RUNS_FAILED,  /* it ended with an error */
	RUNS_TIMEOUT, /* it was ended at a limit: its time is censored */
	RUNS_ABORTED, /* cut off by a kill or a reboot, and repeated */
	RUNS_SKIPPED, /* by the operator, or given up */
};

struct runs_fact {
	size_t key; /* of runs.key[] */
	const char *value;
};

struct runs_facts {
	struct runs_fact *fact;
	size_t n, cap;
};

/* The finding of a check of the run: its names, "ok", "note" or "spoilt", and a
 * sentence or "". */
struct runs_check {
	const char *name, *state, *words;
};

struct runs_run {
	size_t log;      /* of runs.log[] */
	unsigned block;  /* from 1; 0: none */
	double position; /* number of the run in its log, for drift */
	enum runs_state state;
	double limit_s;      /* of a time-out; NaN: unknown */
	const char *invalid; /* names of the checks that failed, or why it was
				excluded; NULL: neither */
	bool excluded;       /* by hand: never averaged */
	const char *boot;    /* id of the boot, or NULL */
	bool split;          /* its block spans a gap or two boots */
	struct runs_facts own;
	double *value; /* by metric; NaN: not measured */
	size_t n_values;
	struct runs_check *check;
	size_t n_checks;
	struct course *course; /* how it went; NULL: not kept */
};

struct runs_log {
	const char *name;
	struct runs_facts facts;
	bool results;        /* it has lines of results */
	bool listed;         /* order of runs was not random */
	bool planned;        /* a plan stands before the runs */
	const char *primary; /* blank-separated metrics of the plan, or NULL */
	const char *metric;  /* the key that the plan compares, or NULL */
	const char *metric_job; /* of that job only, or NULL */
	char sha256[65];        /* of the file; "": unknown */
	double bytes;
	size_t lost;         /* aborted runs, which are left out */
};

struct runs_metric {
	const char *name; /* "job.rand.read_iops" */
	int better;       /* 1: more is better, -1: less, 0: unknown */
	size_t unsure;    /* runs whose percentile was left out */
};

/* A zeroed struct is valid and empty. order: values of the plans' axes, as
 * listed there. */
struct runs {
	struct arena arena; /* of all texts */
	const char **key;
	bool *axis; /* by key: an axis of an experiment */
	size_t n_keys, cap_keys, cap_axis;
	struct runs_facts order;
	struct runs_metric *metric;
	size_t n_metrics, cap_metrics, next_metric;
	struct runs_log *log;
	size_t n_logs, cap_logs;
	struct runs_run *run;
	size_t n, cap;
};

void runs_free(struct runs *r);

/* Keep how the run that was added last went, of the first block and of a few
 * runs; the struct is emptied. */
void runs_take_course(struct runs *r, struct course *c);

/* Exclude the runs of that number by hand, in all logs; false: there is none.
 */
bool runs_exclude(struct runs *r, double number, const char *why);

/* Begin a log; its lines and results are of it from then on. */
void runs_add_log(struct runs *r, const char *name);

/* A line of the log that is no frame: header, plan, result; others are
 * skipped. The line is untrusted. */
void runs_add_line(struct runs *r, const char *type, struct json *line);

/* The whole log as one run, from an object as report_summary_json() makes
 * it. */
void runs_add_whole(struct runs *r, struct json *summary);

/*
 * Text of a fact. key is a whole key, or the end of some after a dot
 * ("scheduler" of "sda.scheduler"): where a run has several of these with
 * different texts, they are joined by commas. NULL: the run has none.
 */
const char *runs_fact(struct runs *r, const struct runs_run *run,
		      const char *key);
/* By the index of a whole key. */
const char *runs_fact_at(const struct runs *r, const struct runs_run *run,
			 size_t key);
/* Whether any run has such a fact. */
bool runs_has_key(const struct runs *r, const char *key);

/* Whether key is the name, or what follows a dot of it. */
bool runs_is_named(const char *name, const char *key);

/* The place of a value in the plans' lists, or -1. */
int runs_rank(const struct runs *r, const char *key, const char *value);

/* Of keys that differ from run to run by themselves (log, time, boot): they
 * distinguish runs, not settings. */
bool runs_key_is_stamp(const char *key);

/* A setting of a device that the runs did not touch, while they name others. */
bool runs_key_is_idle(const struct runs *r, const char *key);

double runs_value(const struct runs_run *run, size_t metric);

#endif
