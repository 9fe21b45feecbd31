/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profile: how the figures of a program are found in its output.
 *
 * A rule is an extended regular expression for each line, or a path into the
 * JSON document that the program prints. The programs that the table in
 * profile.c knows have rules of their own; metric= and phase-regex= add some.
 *
 * Of an expression the first group is the figure, and a second one its unit
 * (KiB, MB, k, us, ...), from which the base unit follows: bytes, ns, counts.
 * \d and \s mean a digit and a blank. A path is json:jobs[0].read.iops, with
 * [*] for the sum of all items, [only] for the item of an array that has no
 * other, and ["99.0"] for a key with a dot.
 */
#ifndef WORKLOAD_KIND_PROFILE_H
#define WORKLOAD_KIND_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

struct job;
struct profile;
struct worker;

/*
 * The rules for a job's program: those of job->profile (NULL: by the program's
 * name), metric and phase-regex. *out is NULL when there are none. 0, or
 * -EINVAL with a sentence: no such profile, a bad expression.
 */
int profile_open(struct profile **out, const struct job *job,
		 const char *program) must_check;
void profile_free(struct profile *p);

/* The program begins: forget the last run. */
void profile_begin(struct profile *p);
/* A line of its output, without the newline: report phases and intervals. */
void profile_line(struct profile *p, struct worker *w, const char *line);
/* The program ended by itself: report the results of the whole run. */
void profile_end(struct profile *p, struct worker *w);

struct clones;
/*
 * Main thread, once all clones are over: report the figures that the profile of
 * that name finds in a summary, which is in the form of that program, so that
 * the kind of work and the program itself have the same figures.
 */
void profile_summary(struct clones *c, const char *name, const char *summary);

/* The i-th profile's name, and what it reads, for "list profiles"; NULL behind
 * the last. */
const char *profile_name(size_t i);
const char *profile_help(size_t i);

#endif
