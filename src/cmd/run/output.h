/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output: where the results of a run go, and in which formats.
 *
 * In fio's formats the program always prints a whole document, so a reader
 * never finds half of one; messages go to stderr alone.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdio.h>

#include "base/attributes.h"
#include "cmd/options.h"
#include "report/report.h"

#define OUTPUT_FORMATS 4

struct output {
	FILE *file;       /* stdout, stderr or its own */
	const char *path; /* of its own; NULL: none */
	const struct report_format *format[OUTPUT_FORMATS];
	size_t n_formats;
	bool fio; /* the formats are fio's */
	bool printed;
};

/* 0, or -errno with a sentence: -EINVAL is a usage error. */
int output_open(struct output *o, const struct settings *s) must_check;
/* Print once; 0, or -errno with a sentence. */
int output_print(struct output *o, struct report *r,
		 const struct header *h) must_check;
/*
 * The run ends with that exit status and may have printed nothing: then print
 * fio's document for no job. Returns the status, or another if printing fails.
 */
int output_finish(struct output *o, const struct settings *s, int status);
void output_close(struct output *o);

/* The i-th format of --output-format and its help; NULL: no more. */
const char *output_format_at(size_t i, const char **help);

#endif
