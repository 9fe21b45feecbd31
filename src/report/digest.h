/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digest: a frame as the sums of a report take it. What its jobs do, and which
 * of its events cut the run, is found once and for all of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/event.h"
#include "model/frame.h"
#include "model/schema/schema_job.h"

/* The work of a job in a frame. */
enum job_part { JOB_NOTHING, JOB_ENDED, JOB_RAN };

/* Of arrays of reads and writes, by JOB_READ and JOB_WRITE. */
#define DIGEST_DIRS (JOB_WRITE + 1)

/* The resource usage of a job's workers. */
enum {
	USAGE_USER_NS,
	USAGE_SYSTEM_NS,
	USAGE_SWITCHES,
	USAGE_MAJOR_FAULTS,
	USAGE_MINOR_FAULTS,
	USAGES
};

/* The steady state that a job waited for. */
enum {
	STEADY_ATTAINED,
	STEADY_CRITERION,
	STEADY_DEVIATION,
	STEADY_SLOPE,
	STEADY_MEAN_IOPS,
	STEADY_MEAN_BYTES_PER_S,
	STEADY_MEAN_LAT_NS,
	STEADIES
};

/* I/Os submitted after their intended time, I/Os by the depth that they reached,
 * calls by the number of I/Os. */
struct digest_counts {
	double late, depth[JOB_DEPTHS];
	double submits[JOB_BATCHES], reaps[JOB_BATCHES];
};

/* Figures of a job of which a sum keeps the last ones; NaN: not known. */
struct digest_last {
	double verify_blocks, verify_bad; /* blocks checked, and damaged ones */
	double verify_s; /* of reading back after the run */
	double usage[USAGES], steady_of[STEADIES];
};

/*
 * The rows of a frame, and those of their figures that are not merely summed up
 * field by field: NaN and NULL as in the row, texts live as long as the frame.
 */
struct digest_job {
	const struct row *row;
	enum phase phase; /* PHASES: not known */
	enum job_part part;
	bool whole;   /* it ran from the begin of the interval to its end */
	unsigned group; /* that it is reported with, as fio numbers them */
	unsigned ops; /* that ended: 1u << enum job_op */
	const char *phase_name, *device, *steady, *steady_samples;
	const char *verify_found, *errors_by;
	double run_s, group_number, errors, exit_status, in_flight, cpu_pct;
	double iops[DIGEST_DIRS], bytes_per_s[DIGEST_DIRS];
	double sync_iops, sync_mean_ns, set_bytes, hole_bytes;
	struct digest_counts counts; /* late and depth: per second */
	struct digest_last last;
};

struct digest_device {
	const struct row *row;
	const char *kind, *members, *member_of;
	double iops[DIGEST_DIRS], bytes_per_s[DIGEST_DIRS];
	double merges[DIGEST_DIRS], await_ns[DIGEST_DIRS], flush_iops;
	double answers_per_s, late_answers_per_s;
	double queue_size, queue_depth, util_pct, stall_ns, trace_missed;
	double read_ahead_kb, counted;
};

struct digest_task {
	const struct row *row;
	const char *comm, *process, *group;
	double cpu_pct, run_delay_pct, threads, kernel, own;
	double bytes_per_s[DIGEST_DIRS], io_p99_ns;
};

/* A traced I/O that took long. */
struct digest_io {
	char device[32], op[12], comm[20], file[120], error[24];
	double total_ns, queue_ns, device_ns, flush_ns, pid; /* NaN: not known */
	double ago_ns, inode;
	char writer[20]; /* the kernel thread that wrote what comm had changed */
	double end_s;	  /* when it ended */
	uint64_t wall_ns; /* the same; 0 unknown */
};

/* Of all processors, and PSI. */
struct digest_host {
	double user_pct, nice_pct, system_pct, irq_pct, idle_pct, iowait_pct;
	double steal_pct, cpu_some_pct, io_some_pct;
	double memory_bytes;
	size_t cpus; /* 0: not known */
};

/* What an event is for segments: bits, 0 for most. */
enum {
	DIGEST_CHANGE = 1, /* a turn, or a change of the load: compare */
	DIGEST_CUTS = 2,   /* its interval belongs to no segment */
	DIGEST_BEGINS = 4, /* begins a segment */
	DIGEST_LOAD = 8,   /* jobs were started or stopped */
	DIGEST_OTHER = 16  /* a change by another program that does not count */
};

struct digest_event {
	const struct event *event;
	unsigned is;	  /* the bits above */
	uint64_t wall_ns; /* 0: unknown */
};

/* A zeroed struct is valid and empty. */
struct digest {
	const struct frame *frame; /* borrowed until the next digest_take() */
	/* One per row, in their order; a clone is as a job. Of a device that stands
	 * still only the row is set, unless a job works or there are events. */
	struct digest_job *job, *clone;
	struct digest_device *device;
	struct digest_task *task;
	struct digest_io *io; /* those whose time is known */
	size_t n_jobs, cap_jobs, n_clones, cap_clones, n_devices, cap_devices;
	size_t n_tasks, cap_tasks, n_ios, cap_ios;
	struct digest_host host;
	double bytes_per_s; /* by the jobs, without any by the devices */
	unsigned phases; /* 1u << enum phase of the jobs; not known is "run" */
	bool works;	 /* a job ran, or ended */
	bool runs;	 /* a job is in its run */
	struct digest_event *event; /* in their order */
	size_t n_events, cap_events;
	unsigned events; /* the bits of all of them */
	/* The begin of the interval, on the clock (0: unknown); the minute of the
	 * clock, or of the log, that has its middle. */
	double from_s;
	uint64_t from_wall_ns, minute;
};

/* Read a frame, which must stay until the last sum has taken it. */
void digest_take(struct digest *d, const struct frame *f);
void digest_free(struct digest *d);
