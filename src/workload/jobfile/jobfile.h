/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job file: jobs from a fio job file.
 *
 * Sections in brackets are jobs; those whose name begins with "global" change
 * the defaults of the jobs below them. A line is "option=value" or a bare word;
 * ';' and '#' begin a comment anywhere in a line, as in fio; "include FILE"
 * includes the lines of another file, which has no sections; ${NAME} is taken
 * from the environment, and $ncpus, $pagesize and $mb_memory from the machine.
 * The reader refuses an option that it does not support and names its line;
 * with "lenient" it prints a note and goes on. Files are untrusted input: at
 * most 1 MiB, 1024 jobs, 8 nested includes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "model/job/job.h"

struct jobfile {
	struct job *global; /* changed by [global] */
	/* Hands out a new job with the defaults of global. */
	struct job *(*add)(void *arg);
	void *arg;
	char **section; /* of --section: read these only; none: all */
	size_t n_sections;
	bool lenient;   /* what is not supported becomes a note */
	bool trusted;   /* the text is iodyno's own; see job_is_foreign() */
	bool stonewall; /* another file was read before: the first job waits for
			 * the jobs before */
};

/*
 * Read a job file ("-" is stdin). 0, or -errno with a sentence that names file
 * and line.
 */
int jobfile_read(struct jobfile *f, const char *path) must_check;

/*
 * Whether a regular file is a job file, and not a file to load: its name ends
 * with .fio or .job, or it is a text of at most 1 MiB that begins (comments and
 * blank lines apart) with a [section] or an option of jobs.
 */
bool jobfile_looks_so(const char *path);

/*
 * A line with ${NAME} and the machine's words put in. 0 and *out to be freed,
 * or -EINVAL with a sentence. missing is set when a NAME was not there.
 */
int jobfile_expand(const char *line, char **out, bool *missing) must_check;

/* jobfile_read() of text in memory, which is changed; path is for sentences. */
int jobfile_parse(struct jobfile *f, const char *path, char *text) must_check;

/*
 * Preset: published recipes as job files and plans, which the package installs.
 *
 * A preset is a text file NAME.fio (jobs, for "iodyno run") or NAME.plan (for
 * "iodyno sweep") in PKGDATADIR/presets. The program of a build tree reads
 * contrib/presets of the source, and that of an installation which was moved
 * reads the presets installed with it. The comments of a preset say what it is:
 *
 *     # Models: one sentence without a full stop
 *     # Source: where the recipe was published
 *     # Headline: the figure that the source reports
 *     # Look: the figures to check when that one is bad
 *     # Figures: what the source measured, on other hardware
 *     #   a line with more blanks goes on with the text before
 *
 * A line "#small OPTION=VALUE" counts at the scale small only, and replaces an
 * earlier line of the same option; "#model OPTION=VALUE" does so at the scale
 * model, which is full on a simulated disk like that of the publication; a line
 * that ends in " #full" counts at the scale full only. So fio(1) reads the file
 * as it is.
 */

enum preset_scale { PRESET_FULL, PRESET_SMALL, PRESET_MODEL, PRESET_SCALES };
/* "full", "small", "model", and what it is; NULL: no more. */
const char *preset_scale_name(size_t i, const char **help);

/* All texts are owned by the table; NULL where the file says nothing. */
struct preset {
	const char *name;
	const char *path;
	const char *help; /* what it models; "" if the file does not say */
	const char *source;
	const char *headline, *look, *figures;
	bool plan; /* for sweep */
	bool has_small, has_model;
};

/* The preset of that name, or NULL. The files are read once, on first use. */
const struct preset *preset_find(const char *name);

/* The i-th by name, or NULL behind the last. */
const struct preset *preset_at(size_t i);

/*
 * The text of a preset at that scale; *out is to be freed. 0, or -errno with a
 * sentence, such as -EINVAL for a preset without the scale small, or a plan
 * without the scale model. At the scale model, jobs that say nothing of it are
 * those of the scale full.
 */
int preset_text(const struct preset *p, enum preset_scale scale,
		char **out) must_check;

/*
 * The figures of the publication of a plan: the file NAME.reference beside it.
 * 0 with *out to be freed, or -errno with a sentence: -ENOENT, there is none.
 */
int preset_reference(const struct preset *p, char **out) must_check;
