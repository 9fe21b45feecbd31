/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * I/O log: fio's write_*_log. A worker puts a row for each I/O of its run into
 * a ring; a process empties the rings into the files, because a thread that waits
 * for a disk would keep the program from ending. The worker takes no lock and
 * allocates nothing; when its ring is full it waits, so that no row is lost
 * unless the disk does not answer for HANG_NS.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "model/job/job.h"

struct iologs;
struct worker;
struct workload;

/*
 * Create the logs that the jobs ask for; *out is NULL when there are none. 0,
 * or -errno with a sentence.
 */
int iologs_open(struct iologs **out, struct workload *w) must_check;
/* Start the process. */
int iologs_start(struct iologs *logs) must_check;
/*
 * After the workers' end, or when a stuck one is left behind: write what came,
 * close the files. 0, or -errno with a sentence when a log could not be
 * written, -ETIMEDOUT when it is still being written: the process is left behind
 * and goes on. NULL is fine.
 */
int iologs_end(struct iologs *logs) must_check;
/* Free the logs, once no worker uses them. NULL is fine. */
void iologs_free(struct iologs *logs);

/* Record that the submission of the first n pending I/Os took ns. */
void iolog_submitted(struct worker *w, uint64_t ns, unsigned n);

/*
 * I/O log files: fio's write_bw_log, write_iops_log, write_lat_log and
 * write_hist_log of one clone, from its I/Os in the order of their completion.
 *
 * Lines are fio's (fio(1), "LOG FILE FORMATS"): ms since the run began, value
 * (two with log_max_value=both), direction, block size, offset with log_offset,
 * priority, time of submission in ns with log_issue_time. Bandwidth is in
 * KiB/s, latency in ns. A line that sums up a window stands at its end; a
 * window without I/O has lines of bandwidth and I/Os that say 0.
 */

struct iolog_out;

/* One I/O; slat_ns is 0 where the engine's submission is not timed. */
struct iolog_row {
	uint64_t end_ns, clat_ns, lat_ns, offset;
	uint32_t bytes, slat_ns;
	uint16_t op, prio; /* 0: as the thread */
};

enum iolog_kind {
	IOLOG_BW,
	IOLOG_IOPS,
	IOLOG_SLAT,
	IOLOG_CLAT,
	IOLOG_LAT,
	IOLOG_HIST,
	IOLOG_KINDS
};

struct iolog_value {
	double sum;
	uint64_t n, max;
};

/* The I/Os of a window, of one direction. */
struct iolog_window {
	uint64_t ios, bytes;
	struct iolog_value lat[IOLOG_LAT + 1]; /* SLAT, CLAT, LAT */
};

/* All that is written, each path once: files may be shared. */
struct iolog_outs {
	struct iolog_out **item;
	size_t n, cap;
};

struct iolog_file {
	const struct job *job;
	struct iolog_out *out[IOLOG_KINDS]; /* NULL: not asked for */
	bool slat;                          /* there are submission times */
	char prio[16];                      /* column of the priority */
	uint64_t start_ns;                  /* of the run; 0: not begun */
	uint64_t epoch_ns;           /* added to times of log_unix_epoch */
	uint64_t window_ns, hist_ns; /* length; 0: a line for each I/O */
	uint64_t window_end_ns, hist_end_ns; /* since start_ns */
	struct iolog_window window[JOB_DIRS];
	uint32_t *hist[JOB_DIRS]; /* FIO_BUCKETS of the window; or NULL */
};

/*
 * Create the files of the n-th clone of all. Without per_job_logs clones and
 * jobs of one prefix share a file. 0, or -errno with a sentence; an existing
 * file is replaced only if iodyno wrote it or it is empty (base/side_file.h).
 */
int iolog_file_open(struct iolog_file *f, struct iolog_outs *outs,
		    const struct job *job, unsigned n) must_check;

/* Record when the run began, by the monotonic clock. */
void iolog_file_begin(struct iolog_file *f, uint64_t start_ns);
void iolog_file_row(struct iolog_file *f, const struct iolog_row *r);
/* Record when the run ended, and write the rest of the last windows. */
void iolog_file_end(struct iolog_file *f, uint64_t end_ns);

void iolog_file_free(struct iolog_file *f);

/* 0, or -errno with a sentence when something could not be written. */
int iolog_outs_close(struct iolog_outs *outs) must_check;
