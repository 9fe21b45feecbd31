/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs: reads the jobs of run from the command line, job files and presets. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/attributes.h"
#include "cmd/options.h"
#include "workload/target/target.h"

/*
 * Read the job files and presets that were named, check all jobs and give
 * them their ids. Arguments that are neither become the settings' targets.
 * 0, or -EINVAL with a sentence (exit status 2), -EPERM when --readonly refuses
 * a job.
 */
int jobs_read(struct settings *s) must_check;

/*
 * The two halves of jobs_read(): read only, and check all jobs, also those that
 * were added since.
 */
int jobs_parse(struct settings *s) must_check;
int jobs_check(struct settings *s) must_check;

/*
 * Refuse assertions that no run of these jobs can keep: of a job that is not
 * there, of operations that no job does. 0, or -EINVAL with a sentence.
 */
int jobs_check_assertions(const struct assertions *a, const struct job *job,
			  size_t n) must_check;

/*
 * Store the text of a preset at the scale of --scale in *text, which the caller
 * frees. 0, or -EINVAL with a sentence.
 */
struct preset;
int jobs_preset_text(const struct settings *s, const struct preset *p,
		     char **text) must_check;

/* A job in words: "randread by libaio, blocks of 4.00k, ...". Returns buf. */
char *jobs_words(const struct job *job, char *buf, size_t buf_size);

/*
 * Store the next note on the options in *text, each note once; false: no more.
 * The text lives until the settings are freed. *i is the position, 0 at first.
 */
bool jobs_note(const struct settings *s, size_t *i, const char **text);

/* Print the jobs on stdout, for people (--parse-only) or for fio. */
void jobs_print(const struct settings *s);
void jobs_showcmd(const struct settings *s);

/*
 * Target job: the job that run makes for a target (file, directory or device)
 * without a job. By default it reads the target and writes nothing to it.
 */

/* The scratch files of directories. A zeroed struct has none. */
struct target_jobs {
	struct scratch *scratch;
	size_t n;
};

/*
 * Add a job for each of the settings' targets. Options before the first --name
 * apply; the other defaults are rw=randread, bs=4k, iodepth=32, 5 s of ramp,
 * 30 s of run, and direct and the engine that a probe finds. A directory gets a
 * scratch file, unless dry (nothing is run). Behind these jobs stands one of 3 s
 * at depth 1 for each that kept the defaults. 0, or -errno with a sentence:
 * -EINVAL is a usage error.
 */
int jobs_target_make(struct target_jobs *b, struct settings *s, bool dry) must_check;
/* Remove the scratch files. */
void jobs_target_remove(struct target_jobs *b);

/* stat() a target. 0, or -errno with a sentence; -EINVAL: it can be none. */
int jobs_target_look(const char *path, struct stat *st) must_check;

/* Set the job's filename to this path. 0, or -errno with a sentence. */
int jobs_target_filename(struct job *job, const char *path) must_check;

/*
 * Check a file that a job reads: -EINVAL with a sentence when it is smaller
 * than a block; a note on the job when it has holes.
 */
int jobs_target_check_file(struct job *job, const char *path,
		    const struct stat *st) must_check;

/* scratch_make_file() as the user of sudo, if there is one. */
int jobs_target_scratch(struct scratch *s, const char *dir, uint64_t first_bytes,
		 uint64_t free_bytes) must_check;
