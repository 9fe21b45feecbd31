/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workload: runs jobs and counts their I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/event.h"
#include "model/frame.h"
#include "model/job/job.h"
#include "model/request.h"
#include "workload/target/guard.h"

/* A start is late from here on: the latency of a process that is woken. */
#define START_LATE_S 0.02

struct guard_reason {
	const char *name; /* "mounted" */
	const char *help;
};

extern const struct guard_reason guard_reasons[];
extern const size_t n_guard_reasons;

struct workload;

/*
 * Check every job's target against the guard, check the free space and open the
 * targets. No data is written yet. 0, or -errno with a sentence; -EPERM is a
 * refusal by the guard (exit status 3). jobs must outlive the workload.
 */
int workload_open(struct workload **out, const struct root *root,
		  const struct job *jobs, size_t n_jobs,
		  const struct allow_list *allowed) must_check;

/*
 * Refuse what workload_open() would refuse whatever the targets hold, before
 * they are there: permissions to run programs, programs and expressions that
 * are missing or wrong, engines that do not work here. Changes nothing. 0, or
 * -errno with a sentence.
 */
int workload_check_jobs(const struct job *jobs, size_t n_jobs,
		   const struct allow_list *allowed) must_check;

/*
 * Refuse jobs whose files, as they are now, workload_open() would refuse. Only
 * reads. 0, or -errno with a sentence.
 */
int workload_check_files(const struct root *root, const struct job *jobs,
			 size_t n_jobs,
			 const struct allow_list *allowed) must_check;

/*
 * The whole disks under the targets of jobs, divided by blanks; "": none is
 * known. Only reads. 0, or -errno with a sentence.
 */
int workload_disks(const struct root *root, const struct job *jobs,
		   size_t n_jobs, char *names, size_t size) must_check;

/*
 * Find the permissions that workload_open() would need, and its effect on each
 * target. Fills target, n_targets and demand of an empty preview, and an empty
 * allow list with the permissions, which the caller frees. Only reads. It may
 * take half a second for a device that is in use; any thread may call it. 0, or
 * -errno with a sentence: the jobs cannot be run at all.
 */
int preview_jobs(struct run_preview *out, struct allow_list *need,
		 const struct root *root, const struct job *jobs,
		 size_t n_jobs) must_check;

/*
 * The identity of the files and devices of a job as one number, which changes
 * if another file or disk gets their name. preview_identity() is for the i-th
 * job of an open workload. preview_identities() examines n_jobs without opening
 * them, and sets one number for each: 0 or -errno with a sentence.
 */
uint64_t preview_identity(const struct workload *w, size_t i);
int preview_identities(uint64_t *out, const struct root *root,
		       const struct job *jobs, size_t n_jobs) must_check;

/*
 * The file systems and partition tables on a job's targets (types, labels,
 * identities) as one number; 0: none was found. Like the identities, for an
 * open workload or for jobs that are only examined.
 */
uint64_t preview_contents(const struct workload *w, size_t i);
int preview_contents_now(uint64_t *out, const struct root *root,
			 const struct job *jobs, size_t n_jobs) must_check;

/*
 * Call fn for each block device that the jobs would overwrite, with its path
 * and the words of its findings, "" for none. fn is not called if
 * workload_open() would fail. 0, or -errno with a sentence.
 */
int preview_lost_devices(const struct root *root, const struct job *jobs,
			 size_t n_jobs, const struct allow_list *allowed,
			 void (*fn)(const char *path, const char *found,
				    void *arg),
			 void *arg) must_check;

/*
 * The jobs that wait for no other begin their I/O at that time of the wall
 * clock, or fail when they are ready later than window_ns after it. Call it
 * before workload_start().
 */
void workload_start_at(struct workload *w, uint64_t wall_ns,
		       uint64_t window_ns);
/*
 * Start the workers, which do layout, ramp and run. 0 or -errno with a
 * sentence.
 */
int workload_start(struct workload *w) must_check;

/*
 * A descriptor to poll: it becomes readable when a job changes its phase or
 * fails, and when a check is due. Call workload_event() then, which makes it
 * unreadable again.
 */
int workload_fd(const struct workload *w);

/* Whether all jobs are done or have failed. */
bool workload_done(const struct workload *w);

/*
 * Take one event: a change of phase or failure (EVENT_PHASE, EVENT_JOB_FAILED,
 * EVENT_STEADY), a line of a job's own summary (EVENT_RESULT), or a note on a
 * job's settings (EVENT_NOTE). t_s is not set. false: there is none.
 */
bool workload_event(struct workload *w, struct event *e);

/* Add one row per job to the sample; never waits for a worker. */
void workload_sample(struct workload *w, struct sample *s);

/* Ask all workers to end; returns at once. */
void workload_stop(struct workload *w);

/*
 * Ask the workers of one job to end; jobs that wait for it begin. 0, or with a
 * sentence -ENOENT (there is no such job) or -EINVAL (the job is done).
 */
int workload_stop_job(struct workload *w, const char *job) must_check;

/*
 * Change a setting of a running job. The next I/Os use the new value; a new
 * depth applies once the I/Os in flight are done. Fills the event, except t_s
 * and by. 0, or -errno with a sentence: there is no such job or setting, the
 * value is out of range, or the engine does not support it.
 */
int workload_control(struct workload *w, const char *job, const char *option,
		     const char *value, struct event *e) must_check;

/* The i-th option that can change, and its help; NULL after the last. */
const char *workload_control_name(size_t i, const char **help);
/*
 * The index, for the functions around this one, of the i-th option that the
 * job's kind of work reads; -1: there is none.
 */
int workload_control_at(const struct workload *w, const char *job, size_t i);

/*
 * Write the present value of the i-th option of a running job into buf; false:
 * there is no such job.
 */
bool workload_control_value(const struct workload *w, const char *job, size_t i,
			    char *buf, size_t size);

/* 0, or -EINVAL with a sentence: there is no such setting. */
int workload_control_check(const char *option) must_check;

/* Whether the job of that id has ended; false: there is no such job. */
bool workload_job_over(const struct workload *w, const char *job);

/* The index of the job of that id, or -ENOENT with a sentence. */
int workload_has_job(const struct workload *w, const char *name) must_check;

/*
 * Call this after a change of the readahead of device (a whole disk's name): it
 * applies the change to the open buffered files of running jobs. words gets a
 * sentence if the change has no direct effect on a job ("no direct effect on job
 * x: its I/O is direct, ..."), else "". Returns the number of files changed.
 */
int workload_readahead(struct workload *w, const char *device, char *words,
		       size_t size);

/*
 * Stop the workers if they still run, wait for them (at most timeout_ns after
 * the stop), and free the workload. Files that were made stay for the next run,
 * unless the workload was never started. 0, or with a sentence -EIO (file,
 * offset, errno: a job failed or had I/O errors) or -ETIMEDOUT (a worker is
 * stuck in the kernel: its memory is not freed).
 */
int workload_close(struct workload *w, uint64_t timeout_ns) must_check;
