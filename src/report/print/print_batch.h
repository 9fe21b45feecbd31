/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print, batch: frames as a stream, a table per interval, for tickets and
 * pipes.
 */
#ifndef REPORT_PRINT_BATCH_H
#define REPORT_PRINT_BATCH_H

#include <stdbool.h>
#include <stdio.h>

#include "base/attributes.h"
#include "model/frame.h"

enum batch_form {
	BATCH_TEXT, /* tables under a line with the time, CPU and pressure */
	BATCH_CSV,  /* a line per row of one table, with one head */
	BATCH_JSON, /* an object per frame */
};

/* Processes printed per frame: those with the most I/O. */
#define BATCH_TASKS 10

struct print_batch;

/*
 * columns: "KEY[,KEY]" of fields, each with or without "TABLE." before it
 * (without: fields of devices first); NULL: the first columns of the screen
 * that 80 cells hold, of devices and, unless CSV, of processes. idle: print
 * idle devices as text, too (CSV and JSON always have them). Returns 0, or
 * -EINVAL with a sentence.
 */
int print_batch_new(struct print_batch **out, const char *columns,
		    enum batch_form form, bool idle) must_check;
void print_batch_free(struct print_batch *b);

/*
 * Print a frame; as text with lines for alarms and changes of settings. Tables
 * without a reading in this interval are left out.
 */
void print_batch_frame(struct print_batch *b, const struct frame *f, FILE *out);

#endif
