/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A running job: its workers' counters added up. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"
#include "model/point.h"
#include "model/schema/schema.h"

enum job_op {
	JOB_READ,
	JOB_WRITE,
	JOB_TRIM,
	JOB_SYNC,
	JOB_COMMAND, /* kind=exec: one run of the command */
	JOB_CREATE,  /* a file opened or created, a directory made */
	JOB_CLOSE,
	JOB_UNLINK,  /* of a file or directory */
	JOB_SYNCALL, /* sync(2) */
	JOB_STAT,    /* stat(2) of a file, or statfs(2) */
	JOB_LIST,    /* of a directory */
	JOB_RENAME,
	JOB_SETATTR, /* of the times of a file */
	JOB_LOCK,    /* or unlock, of a range of a file */
	JOB_INSERT,  /* of a row, committed */
	JOB_VERIFY,  /* a read that only verify asks for */
	JOB_BURN,    /* kind=cpuio: a while of work for the processor */
	JOB_OPS
};
/* The operations that move or discard data, in front of the syncs. */
#define JOB_DIRS JOB_SYNC

/* What is to be said of an operation, by enum job_op. */
struct job_op_row {
	const char *key;    /* of its fields: "read" of read_iops */
	const char *device; /* the same of a device; "": it has none */
	const char *words;  /* in a sentence: "the LISTING of x failed" */
};
extern const struct job_op_row job_ops[];

/* How many I/Os were in flight as one was submitted: 1, 2-3, ... 64 and more,
 * as fio counts them. */
#define JOB_DEPTHS 7

/*
 * How many I/Os one call submitted or reaped: 0, 1-4, 5-8, ... 33-64, and more,
 * as fio counts them.
 */
#define JOB_BATCHES 7

/*
 * What verify found in a block. From DAMAGE_UNFLUSHED on it is no damage:
 * the block is not as the job wrote it, and that is no fault of the device, or
 * nobody knows.
 */
enum verify_damage {
	DAMAGE_NONE,
	DAMAGE_ZERO,      /* nothing but zeros */
	DAMAGE_STALE,     /* whole, but an older write of this interval */
	DAMAGE_LOST,      /* nothing of the write is there: it was lost, or went
			   * to another place */
	DAMAGE_MISPLACED, /* whole, but of another offset */
	DAMAGE_TORN,      /* some sectors are right, others are not */
	DAMAGE_BIT_FLIP,  /* right but for a few bits */
	DAMAGE_UNKNOWN,   /* parts of the write are there, and others */
	DAMAGE_UNFLUSHED, /* a write that no flush covers may be lost */
	DAMAGE_FOREIGN,   /* no block of this program, where perhaps none was
			   * written */
	DAMAGE_BLIND,     /* its data were not compared: verify=null, meta */
	DAMAGES
};

/* "zero", "stale", ... */
extern const char *const verify_damage_names[DAMAGES];

/*
 * Latencies of an operation, in ns; the histograms live in the sample's arena
 * and are NULL when there is none.
 */
struct job_latency_raw {
	uint64_t min_ns, max_ns; /* of all; 0 when there is none */
	const struct histogram *hist;
};

/*
 * Cumulative. During the ramp since its start; from then on (running) since
 * the start of the run, the ramp not included.
 */
struct job_op_raw {
	uint64_t ios, bytes, short_ios;
	struct job_latency_raw service;  /* submission to completion */
	struct job_latency_raw response; /* intended arrival to completion: with
					    a rate only */
	struct job_latency_raw submit; /* within the engine's submission, of
					  asynchronous engines */
	struct job_latency_raw complete; /* from there to completion */
	struct job_latency_raw prio; /* the same, of I/Os with a priority of
					their own */
};

/* Of workers that ended; cumulative since the start of the run. */
struct job_usage_raw {
	uint64_t user_ns, system_ns, switches, major_faults, minor_faults;
};

/*
 * Steady state, when the job waits for it: over the latest samples of the
 * required duration. Rates are per second; the criterion is the value that is
 * compared with the limit, in per cent of the mean or in the unit of the
 * metric.
 */
struct job_steady_raw {
	const char *criterion_name; /* "iops:2%", as fio writes it; NULL: the
				       job waits for none */
	bool attained;
	double criterion, deviation, slope;
	double iops, bytes_per_s, lat_ns; /* means */
	/* The samples, oldest first; fewer while the first have not come. */
	const double *iops_at, *bytes_per_s_at;
	unsigned n;
	const char *samples; /* "500:2048000 ...": IOPS:bytes per s; NULL until
				it is over */
};

/* Figures of a job's program that have a column while it runs. */
#define JOB_TOLD 4

/* id is the job's name. */
struct job_raw {
	struct row_key key;
	unsigned ops; /* that its kind of work counts: 1u << enum job_op; 0:
			 reads, writes, trims and syncs */
	struct job_op_raw op[JOB_OPS];
	uint64_t depth[JOB_DEPTHS]; /* I/Os, as op[] */
	uint64_t submits[JOB_BATCHES], reaps[JOB_BATCHES]; /* calls, as op[] */
	bool running;		    /* op[] is of the run, not of the ramp */
	uint64_t run_ns; /* since the run began, to its end once it is done */
	uint64_t errors;
	uint64_t verify_blocks; /* checked by verify */
	uint64_t verify_bad;    /* of these, damaged */
	uint64_t verify_ns;     /* of reading back after the run, so far */
	const char *verify_found; /* "zero:3 torn:1": class:blocks; in the
				     sample's arena, or NULL */
	const char *errors_by; /* "5:3 28:1": errno:count, the first one first;
				  in the sample's arena, or NULL */
	int exit_status; /* of the last command, 128 + signal; -1: none */
	uint64_t late;	 /* I/Os submitted after their intended time */
	uint64_t cpu_ns; /* of its workers; UINT64_MAX: unknown */
	struct job_usage_raw usage;
	struct job_steady_raw steady;
	unsigned group; /* of jobs that are reported together */
	bool group_reporting;
	unsigned n_told;          /* figures that the job's program reported so
				   * far */
	double told_value[JOB_TOLD]; /* the newest of each, in base units */
	const char *told;        /* the same with their names, "tps=12 ..."; in
				    the sample's arena, or NULL */
	const struct cell *cell; /* of an experiment, or NULL; borrowed */
	char loop[64]; /* "closed loop, iodepth 4": what drives it */
	/* The disks of its targets, separated by blanks; TEXT_CUT: more. */
	char device[ROW_NAMES_MAX];
	int64_t set_bytes;  /* of its targets, each part once; -1: unknown */
	int64_t hole_bytes; /* of these, read and without data */
	enum phase phase;
	double progress_pct; /* NaN when it has no end */
	double eta_s;	     /* NaN when unknown */
	double in_flight;    /* I/Os submitted and not reaped */
};

extern const struct schema schema_job;
/*
 * One of several clones of a job; id is "JOB/NUMBER", from 0. The results have
 * them one by one where fio does: without group_reporting.
 */
extern const struct schema schema_clone;

/* A longer name leaves no room for a number. */
#define JOB_CLONE_NAME_MAX (ROW_ID_MAX - 12)
#define JOB_CLONE_ID(buf, job, number) \
	snprintf(buf, sizeof(buf), "%.*s/%u", JOB_CLONE_NAME_MAX, job, number)
