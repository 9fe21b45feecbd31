/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs: reads the jobs of run from the command line, job files and presets.
 */
#ifndef CMD_RUN_JOBS_H
#define CMD_RUN_JOBS_H

#include <stdbool.h>

#include "base/attributes.h"
#include "cmd/options.h"

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

#endif
