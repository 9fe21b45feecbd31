/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep plan: the axes of a sweep, and the number and order of its runs.
 *
 * An axis has a key and values; a variant is one value of each axis, and the
 * first values together are the baseline. Each variant is run once per block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/text.h"
#include "cmd/options.h"
#include "model/point.h"
#include "model/stats/difference.h"
#include "model/stats/power.h"
#include "trial/judge.h"
#include "trial/trial.h"

#define SWEEP_VALUES   32
#define SWEEP_VARIANTS 1024
#define SWEEP_BLOCKS   1000

/* In the order of cost: the first ones change least often in a block. */
enum sweep_axis_kind {
	SWEEP_KERNEL,
	SWEEP_FS,
	SWEEP_KNOB,
	SWEEP_JOB,    /* job files */
	SWEEP_OPTION, /* of jobs */
	SWEEP_LABEL,  /* changes nothing: A against A */
};

struct sweep_axis {
	enum sweep_axis_kind kind;
	char key[48];    /* "scheduler", "vm.dirty_ratio", "job.mix.bs" */
	char device[32]; /* of a knob whose key names one, or "" */
	char name[64];   /* the knob or the option without device or job */
	char job[64];    /* of an option of one job, or "" */
	char value[SWEEP_VALUES][48]; /* "#1", "#2", ... if a text is longer */
	char *text[SWEEP_VALUES];     /* then the whole texts; else NULL */
	size_t n;
	bool foreign;     /* a plan or log has it, not the command line */
	unsigned divisor; /* of values in sectors of 512 bytes: 2; else 1 */
};

enum sweep_cold { SWEEP_EVICT, SWEEP_DROP, SWEEP_WARM, SWEEP_REMOUNT };

/* Within a block. */
enum sweep_order { SWEEP_RANDOM, SWEEP_LISTED };

/* The preparation of the scratch device before each run, as bits. */
enum sweep_precondition { SWEEP_DISCARD = 1, SWEEP_FILL = 2 };

struct sweep_plan {
	struct sweep_axis axis[POINT_AXES];
	size_t n_axes;
	size_t n_variants;
	unsigned blocks, max_blocks, confirm;
	enum power_stop stop; /* of --until and --rule */
	double until; /* width of that rule, 0.02: 2 %; 0: none */
	enum sweep_order order;
	uint64_t seed;
	enum sweep_cold cold;
	unsigned precondition; /* bits of enum sweep_precondition */
	unsigned audit;        /* bits of sweep_audit.h */
	uint64_t dirty_bytes;  /* dirty before a run, at most; 0: any */
	bool waits_dirty;      /* also for dirty data of other programs */
	uint64_t settle_ns, max_time_ns;
	uint64_t max_writes; /* bytes; 0: any */
	uint64_t scratch_bytes;
	const char *scratch_model;   /* of a simulated disk; borrowed; NULL */
	const char *scratch_device;  /* borrowed; NULL: none */
	const struct words *remount; /* names of jobs; borrowed */
	char device[32];             /* of --device; "": find out */
	char metric_job[64];         /* "": all jobs; of a device, that of the sweep */
	char metric[64];             /* a key of the results */
	bool has_metric;             /* --metric named it */
	bool metric_device;          /* it is a figure of a device */
	bool metric_traced;          /* that the trace measures */
	int sign;                    /* 1: more is better, -1: less is */
	char note[160];              /* on names of old kernels; "": none */
	uint64_t hash;               /* of all that --resume must not change */
	double job_s; /* of a run, at least: ramp_time, runtime, startdelay */
	bool job_open; /* the jobs of one run end later than that */
};

/*
 * Read the plan of the settings, whose jobs have been read. 0, or -errno with a
 * sentence.
 */
int sweep_plan_make(struct sweep_plan *p, const struct settings *s) must_check;

/* Free what the plan owns, after an error too; a zeroed plan is empty. */
void sweep_plan_free(struct sweep_plan *p);

/* The value of --until: "ci<2%", "verdict" or "" without one. */
struct text_short sweep_plan_until(const struct sweep_plan *p);

/* Add jobs to the hash of the plan, which --resume must not change, and to job_s. */
void sweep_plan_add_jobs(struct sweep_plan *p, const struct job *job, size_t n);

/* The index of a variant's value on an axis. */
size_t sweep_plan_choice(const struct sweep_plan *p, size_t variant,
			 size_t axis);
const char *sweep_plan_value(const struct sweep_plan *p, size_t variant,
			     size_t axis);
/* The same in full, where the value is a number of a long text. */
const char *sweep_plan_text(const struct sweep_plan *p, size_t variant,
			    size_t axis);
/* A variant's value on the first axis of that kind; NULL: there is none. */
const char *sweep_plan_value_of(const struct sweep_plan *p, size_t variant,
				enum sweep_axis_kind kind);
void sweep_plan_point(const struct sweep_plan *p, size_t variant,
		      struct point *point);
/* The variant of a point, or n_variants. */
size_t sweep_plan_find(const struct sweep_plan *p, const struct point *point);
/* "bfq 4096": the values. */
struct text_line sweep_plan_words(const struct sweep_plan *p, size_t variant);

/* Of "ext4[data=journal,mkfs=-b 1024]": the part before the bracket, and the
 * i-th item in it; false: there is no such item. */
void sweep_plan_base(const char *value, char *base, size_t size);
bool sweep_plan_item(const char *value, size_t i, char *item, size_t size);

struct sweep_setting {
	char knob[80], value[64];
};

/*
 * The i-th setting of a value of a knob's axis; false: there are no more. The
 * first is the knob itself; of setra half of the value, because the knob is
 * read_ahead_kb. Those in the bracket follow, "low_latency=0": another knob of the
 * queue that has that name, or a tunable of the scheduler, "iosched.low_latency".
 */
bool sweep_plan_setting(const struct sweep_axis *a, const char *value, size_t i,
			struct sweep_setting *s);

/* Metric: the figure that a sweep compares. */

/* "KEY", "JOB:KEY", or as a report names it, "job.JOB.KEY"; NULL: iops, until
 * sweep_metric_settle() knows the jobs. */
void sweep_metric_read(struct sweep_plan *p, const char *text);
/*
 * Take the jobs of a variant: without a metric, and without I/O of their own,
 * the first figure of their program is the metric, else the time that a command
 * takes. The metric takes the direction that a job gives it. 0, or -EINVAL with
 * a sentence: no job of the variant has such a figure, or the name.
 */
int sweep_metric_settle(struct sweep_plan *p, const struct job *job,
			size_t n) must_check;
/* The metric as --metric names it: "front:read_p99_ns". */
struct text_line sweep_metric_words(const struct sweep_plan *p);
/* A value of the metric, in its unit: "12.3ms". */
struct text_short sweep_plan_figure(const struct sweep_plan *p, double x);

/* An axis of that kind, or NULL. */
const struct sweep_axis *sweep_plan_axis(const struct sweep_plan *p,
					 enum sweep_axis_kind kind);

/* The lists of option values; preconditions in the order of their bits. */
extern const struct text_word sweep_plan_colds[], sweep_plan_preconditions[],
	sweep_plan_orders[], sweep_plan_resumes[], sweep_plan_rules[];

/*
 * Sweep order: chooses the next run from the plan and the runs so far. It keeps
 * no other state, so that a killed sweep goes on in the same order.
 */

/* A run is given up after this many failed attempts. */
#define SWEEP_ATTEMPTS 2
/* A run is also given up when the program was killed in it so often: perhaps
 * the run itself kills the program. */
#define SWEEP_KILLS 25

enum sweep_run_state {
	SWEEP_OPEN, /* was begun and has no result */
	SWEEP_DONE,
	SWEEP_SKIPPED, /* by the operator */
	SWEEP_LOST,    /* given up */
};

struct sweep_run {
	unsigned block; /* from 1 */
	size_t variant;
	enum sweep_run_state state;
	unsigned attempts;
	unsigned kills;   /* attempts in which the program was killed and the
			     machine went on; attempts does not count them */
	uint64_t began_s; /* time of day of the last attempt, 0: not known */
	double value;     /* of the metric; NaN: none */
	double p99_ns;
	double user_ns, system_ns; /* of one command; NaN: none ran */
	double seconds;       /* of the whole run */
	double written_bytes; /* by its jobs */
	char kernel[64];
	char invalid[80]; /* the checks that found it invalid, or "" */
	bool unmet;      /* its result fails an assertion */
	bool unmarked;   /* the log has a result, but no "cell_done" after it */
	char boot[40];
	char done_boot[40]; /* the boot in which it ended, or "" */
};

/* Runs in the order in which they began. A zeroed struct is empty. */
struct sweep_runs {
	struct sweep_run *run;
	size_t n, cap;
	char lost_words[160];  /* why the first one was given up; "": earlier */
	char unmet_words[700]; /* of the first run with an unmet assertion */
	char (*boot)[40];      /* the boots in which the sweep ran */
	size_t n_boots, cap_boots;
	bool include_invalid;
};

void sweep_order_free(struct sweep_runs *r);
/* Note a boot in which the sweep runs. */
void sweep_order_boot(struct sweep_runs *r, const char *boot);
/* The number of boots that the plan needs: one for each change of kernel. */
size_t sweep_order_boots(const struct sweep_plan *p);
/* Open all runs of a block again. */
void sweep_order_repeat(struct sweep_runs *r, unsigned block);
/* The block that was begun and not ended; 0: none. */
unsigned sweep_order_cut(const struct sweep_plan *p,
			 const struct sweep_runs *r);

/* The run of a cell, or NULL; sweep_order_add() adds a missing run. */
struct sweep_run *sweep_order_run(const struct sweep_runs *r, unsigned block,
				  size_t variant);
struct sweep_run *sweep_order_add(struct sweep_runs *r, unsigned block,
				  size_t variant);

/* The seed of a block's offsets. */
uint64_t sweep_order_seed(const struct sweep_plan *p, unsigned block);

/* Store the order of all variants in a block in variant[n_variants]. */
void sweep_order_block(const struct sweep_plan *p, unsigned block,
		       size_t *variant);

enum sweep_part { SWEEP_MAIN, SWEEP_TOPUP, SWEEP_CONFIRM };

struct sweep_next {
	unsigned block;
	size_t variant;
	enum sweep_part part;
	size_t winner;         /* of SWEEP_CONFIRM */
	unsigned confirm_from; /* the first block of it; 0: not yet */
};

/* Find the next run; false: the sweep is complete. next->confirm_from is set if
 * there are blocks of --confirm. */
bool sweep_order_next(const struct sweep_plan *p, const struct sweep_runs *r,
		      struct sweep_next *next);

/* Whether a run is compared: it is done, and no check found it invalid. */
bool sweep_order_counts(const struct sweep_runs *r,
			const struct sweep_run *run);

/* The runs of the blocks from..to as a trial of all axes and of the metric: a
 * variant is a cell of its number. Call trial_free(). */
void sweep_order_trial(const struct sweep_plan *p, const struct sweep_runs *r,
		       unsigned from, unsigned to, struct trial *t);

/*
 * Whether a reboot or a pause of more than an hour lies within the finished
 * runs of a block. Its order was random, so it counts, but its runs differ
 * more.
 */
bool sweep_order_split(const struct sweep_runs *r, unsigned block);

/* Compare each variant with the baseline by the blocks from..to. Returns
 * n_variants verdicts, the first one empty, which the caller frees. */
struct judge_verdict *sweep_order_verdicts(const struct sweep_plan *p,
					   const struct sweep_runs *r,
					   unsigned from, unsigned to);

/* The blocks that --until=ci< needs by a paired difference of logs; more than
 * max_blocks: those do not suffice. */
unsigned sweep_order_needed(const struct sweep_plan *p,
			    const struct difference *d);

/* Whether a difference from the baseline does not satisfy --until=ci<. */
bool sweep_order_unmet(const struct sweep_plan *p, const struct difference *d,
		       unsigned blocks);

/* The number of planned runs, without those that a rule may add. */
size_t sweep_order_planned(const struct sweep_plan *p);
/* The same when a rule has added runs up to that number. */
size_t sweep_order_total(const struct sweep_plan *p, size_t run);

/*
 * --rule=pts2018: store the values of the runs that the rule asked for in x,
 * which has room for blocks values, without runs that only accompany another
 * variant. Returns their number. more: the rule asks for another run; rule: its
 * figures.
 */
size_t sweep_order_pts(const struct sweep_runs *r, size_t variant,
		       unsigned blocks, double *x, struct power_pts *rule,
		       bool *more);

/* The variant with the best geometric mean; the baseline if none is better. */
size_t sweep_order_best(const struct sweep_plan *p, const struct sweep_runs *r,
			unsigned from, unsigned to);
