/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload: runs jobs and counts what they do.
 */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/event.h"
#include "model/job/job.h"
#include "model/run.h"
#include "model/sample.h"
#include "workload/target/guard.h"

struct guard_reason {
	const char *name; /* "mounted" */
	const char *help;
};

extern const struct guard_reason guard_reasons[];
extern const size_t n_guard_reasons;

struct workload;

/*
 * Check every job's target against the guard, open it, check free space. No
 * data is written yet. 0, or -errno with a sentence; -EPERM is a refusal by
 * the guard (exit status 3). jobs must outlive the workload.
 */
int workload_open(struct workload **out, const struct root *root,
		  const struct job *jobs, size_t n_jobs,
		  const struct allow_list *allowed) must_check;

/*
 * What workload_open() would have to be allowed, and what would become of each
 * target: fills target, n_targets and demand of an empty preview, and an empty
 * allow list with what is demanded, which the caller then frees. Only reads;
 * may take half a second for a device that is in use, so it may be called in a
 * thread. 0, or -errno with a sentence: why the jobs cannot be run at all.
 */
int preview_jobs(struct run_preview *out, struct allow_list *need,
		 const struct root *root, const struct job *jobs,
		 size_t n_jobs) must_check;

/*
 * Which files and devices a job uses, as one number: another file that came to
 * have the name, or another disk, makes another number. Of the i-th job of a
 * workload that is open; or of n_jobs that are not and are only looked at, a
 * number each: 0 or -errno with a sentence.
 */
uint64_t preview_identity(const struct workload *w, size_t i);
int preview_identities(uint64_t *out, const struct root *root,
		       const struct job *jobs, size_t n_jobs) must_check;

/*
 * The file systems and partition tables on a job's targets (types, labels,
 * identities), as one number; 0: none was found. As above of a workload that is
 * open, or of jobs that are only looked at.
 */
uint64_t preview_contents(const struct workload *w, size_t i);
int preview_contents_now(uint64_t *out, const struct root *root,
			 const struct job *jobs, size_t n_jobs) must_check;

/*
 * The block devices that the jobs would overwrite, if the guard lets them:
 * calls fn with the path of each and what was found on it, "" for nothing. It
 * is called for none when workload_open() would fail. 0, or -errno with a
 * sentence.
 */
int preview_lost_devices(const struct root *root, const struct job *jobs,
			 size_t n_jobs, const struct allow_list *allowed,
			 void (*fn)(const char *path, const char *found,
				    void *arg),
			 void *arg) must_check;

/* Start the workers: layout, ramp and run happen in their threads. */
int workload_start(struct workload *w) must_check;

/*
 * A descriptor to poll: it becomes readable when a job changes phase or fails,
 * and when a job must be looked at. workload_event() makes it unreadable.
 */
int workload_fd(const struct workload *w);

/* All jobs are done (or failed). */
bool workload_done(const struct workload *w);

/*
 * Take one phase change or failure (EVENT_PHASE, EVENT_JOB_FAILED,
 * EVENT_STEADY), a line of a job's own summary (EVENT_RESULT), or a remark on a
 * job's settings (EVENT_NOTE), as an event; t_s is not set. false: there is
 * none.
 */
bool workload_event(struct workload *w, struct event *e);

/* Add one row per job to the sample; never waits for a worker. */
void workload_sample(struct workload *w, struct sample *s);

/* Ask all workers to end; returns at once. */
void workload_stop(struct workload *w);

/*
 * The same for one job; those that wait for it begin. 0, or -ENOENT or -EINVAL
 * with a sentence: there is none of that name, or it is done.
 */
int workload_stop_job(struct workload *w, const char *job) must_check;

/*
 * Change a setting of a running job, from the next I/Os on; a new depth from
 * when those in flight are done. The event is what happened, but for t_s and
 * by. 0, or -errno with a sentence: no such job or setting, a value out of
 * range, an engine that cannot.
 */
int workload_control(struct workload *w, const char *job, const char *option,
		     const char *value, struct event *e) must_check;

/* The options that can change, in order; NULL after the last. */
const char *workload_control_name(size_t i);
/* The row of the i-th that the job's kind of work reads; -1: no more. */
int workload_control_at(const struct workload *w, const char *job, size_t i);
const char *workload_control_help(size_t i);

/* The i-th of a running job, as it is now, in buf; false: no such job. */
bool workload_control_value(const struct workload *w, const char *job, size_t i,
			    char *buf, size_t size);

/* 0, or -EINVAL with a sentence: there is no such setting. */
int workload_control_check(const char *option) must_check;

/* That job has ended; false when there is none of that id. */
bool workload_job_over(const struct workload *w, const char *job);

/* The index of the job of that id, or -ENOENT with a sentence. */
int workload_has_job(const struct workload *w, const char *name) must_check;

/*
 * After a readahead turn of device (a whole disk's name): tell the open
 * buffered files of running jobs, so that it takes effect. words gets a
 * sentence when it has none and why ("no effect on job x: direct I/O bypasses
 * readahead"), else "". Returns the number of these files.
 */
int workload_readahead(struct workload *w, const char *device, char *words,
		       size_t size);

/*
 * Stop the workers if they still run, wait for them (at most timeout_ns after
 * the stop), free. Files that were made stay for the next run, unless the
 * workload was never started. 0, or -EIO with a sentence (file, offset, errno)
 * when a job failed or had I/O errors, -ETIMEDOUT when a worker is stuck in the
 * kernel: what it uses is left behind then.
 */
int workload_close(struct workload *w, uint64_t timeout_ns) must_check;

#endif
