/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs: the runs of one or more logs, for a comparison.
 *
 * A run is one execution of one cell; it gives one value per metric. It comes
 * from a line "result" of a log, or is a whole log that has no such lines.
 *
 * A metric is named TABLE.ROW.KEY: "job.rand.read_p99_ns". A percentile with
 * fewer than ten I/Os above it is left out. A fact is a key and
 * a text that describe a run: an axis of the experiment, a label, a setting, an
 * option of a job, or a property of host or devices in the header. Facts of the
 * header hold for all runs of its log, unless the run has its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/json.h"
#include "model/stats/power.h"
#include "report/course.h"

enum runs_state {
	RUNS_DONE,
	RUNS_FAILED,  /* ended with an error */
	RUNS_TIMEOUT, /* ended at a limit: the time is censored */
	RUNS_ABORTED, /* ended by a kill or a reboot, and repeated */
	RUNS_SKIPPED, /* skipped by the operator, or given up */
	RUNS_STATES
};
/* "done", "failed", ...: the words of logs. */
extern const char *const runs_states[RUNS_STATES];

struct runs_fact {
	size_t key; /* of runs.key[] */
	const char *value;
};

struct runs_key {
	const char *name;
	bool axis; /* of an experiment */
};

struct runs_facts {
	struct runs_fact *fact;
	size_t n, cap;
};

/* The result of a check of the run: name of the check, "ok", "note" or
 * "spoilt", and a sentence or "". */
struct runs_check {
	const char *name, *state, *words;
};

struct runs_run {
	size_t log;      /* of runs.log[] */
	unsigned block;  /* from 1; 0: none */
	double position; /* number of the run in its log, for drift */
	enum runs_state state;
	double limit_s;      /* of a time-out; NaN: unknown */
	const char *invalid; /* names of the failed checks, or the reason of
				the exclusion; NULL: neither */
	bool excluded;       /* by hand: never averaged */
	const char *unmet;   /* the first assertion that failed, or NULL */
	bool confirms;       /* it is of --confirm */
	const char *boot;    /* id of the boot, or NULL */
	bool split;          /* its block spans a gap or two boots */
	struct runs_facts own;
	double *value; /* by metric; NaN: not measured */
	size_t n_values;
	struct runs_check *check;
	size_t n_checks;
	struct course *course; /* rates over the time of the run; NULL: not kept */
};

struct runs_log {
	const char *name;
	struct runs_facts facts;
	bool results;        /* the log has lines of results */
	bool foreign;        /* of another program: no sweep goes on with it */
	bool listed;         /* order of runs was not random */
	bool planned;        /* a plan stands before the runs */
	bool confirmed;      /* there are runs of --confirm */
	enum power_stop stop; /* the rule that ended it */
	const char *primary; /* blank-separated metrics of the plan, or NULL */
	const char *metric;  /* the key that the plan compares, or NULL */
	int better;          /* 1: more of it is, -1: less, 0: no plan */
	const char *metric_job; /* of that job only, or NULL */
	const char *metric_device; /* of that device; "": of that of each run */
	char sha256[65];        /* of the file; "": unknown */
	double bytes;
	size_t lost;         /* aborted runs, which are left out */
	const char *ended;   /* the signal that ended it, or NULL */
};

struct runs_metric {
	const char *name; /* "job.rand.read_iops" */
	int better;       /* 1: more is better, -1: less, 0: unknown */
	size_t unsure;    /* runs whose percentile was left out */
};

/* The text of a value that is too long for a table: "#1" is "dd if=...". */
struct runs_legend {
	const char *value, *text;
};

/* A zeroed struct is valid and empty. order: values of the plans' axes, as
 * listed there. */
struct runs {
	struct arena arena; /* of all texts */
	struct runs_key *key;
	size_t n_keys, cap_keys;
	struct runs_facts order;
	struct runs_metric *metric;
	size_t n_metrics, cap_metrics, next_metric;
	struct runs_legend *legend;
	size_t n_legends, cap_legends;
	struct runs_log *log;
	size_t n_logs, cap_logs;
	struct runs_run *run;
	size_t n, cap;
};

void runs_free(struct runs *r);

/* Keep the course of the last run that was added, for a few runs of the first
 * block; empties *c. */
void runs_take_course(struct runs *r, struct course *c);
/* Whether the next run's may be kept. */
bool runs_wants_course(const struct runs *r);

/* Exclude the runs with that number in all logs; false: there is none. */
bool runs_exclude(struct runs *r, double number, const char *why);

/* Begin a log, to which all later lines and runs belong. */
void runs_add_log(struct runs *r, const char *name);

/* Add a line of the log: header, plan, result or repeat; others are skipped.
 * The line is untrusted. */
void runs_add_line(struct runs *r, const char *type, struct json *line);

/* Add the log as one run, from an object of report_summary_json(). */
void runs_add_whole(struct runs *r, struct json *summary);

/*
 * The text of a fact. key is a full key, or the part of keys after a dot
 * ("scheduler" of "sda.scheduler"): several different texts are joined by
 * commas. NULL: the run has none.
 */
const char *runs_fact(struct runs *r, const struct runs_run *run,
		      const char *key);
/* The text of the fact with the index of a full key, or NULL. */
const char *runs_fact_at(const struct runs *r, const struct runs_run *run,
			 size_t key);
/* Whether any run has such a fact. */
bool runs_has_key(const struct runs *r, const char *key);

/* Whether key is the name, or the part of the name after a dot. */
bool runs_is_named(const char *name, const char *key);

/* The place of a value in the plans' lists, or -1. */
int runs_rank(const struct runs *r, const char *key, const char *value);

/* Whether a key (log, time, boot) always differs from run to run, and so is no
 * setting. */
bool runs_key_is_stamp(const char *key);

/* Whether a key is a setting of a device without figures in the runs. */
bool runs_key_is_idle(const struct runs *r, const char *key);

double runs_value(const struct runs_run *run, size_t metric);
