/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output: the file and the formats of a run's results.
 *
 * In fio's formats the program always prints a whole document, so a reader
 * never finds half of one; messages go only to stderr.
 */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "cmd/options.h"
#include "report/report.h"

#define OUTPUT_FORMATS 4

struct output {
	FILE *file;       /* stdout, stderr or the file of --output */
	const char *path; /* of --output; NULL: none */
	const struct report_format *format[OUTPUT_FORMATS];
	size_t n_formats;
	bool fio; /* the formats are fio's */
	bool printed;
	pid_t status; /* the process that writes the results so far; 0: none */
};

/*
 * Read the formats and open the file of --output. 0, or -errno with a sentence:
 * -EINVAL is a usage error. Call output_close() in any case.
 */
int output_open(struct output *o, const struct settings *s) must_check;
/* Print the results in all formats. 0, or -errno with a sentence. */
int output_print(struct output *o, struct report *r,
		 const struct header *h) must_check;
/*
 * Print the results so far, t_s seconds after the start, in a process of its
 * own: neither a slow reader nor the work of the formats delays the run. 0, or
 * -errno with a sentence: -EBUSY when the results before are not written yet.
 */
int output_status(struct output *o, struct report *r, const struct header *h,
		  double t_s) must_check;
/*
 * Print fio's document without jobs if the run ends with status and printed
 * nothing. Returns status, or EXIT_FAILED if printing fails.
 */
int output_finish(struct output *o, const struct settings *s, int status);
void output_close(struct output *o);

/* The i-th format of --output-format and its help; NULL: no more. */
const char *output_format_at(size_t i, const char **help);
