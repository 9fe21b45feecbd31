/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Excerpt: one interval of a log as footnotes in the form of iostat and top.
 */
#ifndef REPORT_PRINT_EXCERPT_H
#define REPORT_PRINT_EXCERPT_H

#include <stdio.h>

#include "model/frame.h"

/*
 * Print a frame as "iostat -x" of sysstat before 11.7 would have shown it:
 * processors, and each device with I/O, with sectors of 512 bytes, avgrq-sz,
 * avgqu-sz, await and svctm (%util per request, which means little if
 * requests overlap). number: of the footnote.
 */
void print_excerpt_iostat(const struct frame *f, unsigned number, FILE *out);

/*
 * Print a frame as top would have shown it: at most 20 tasks with CPU time since
 * they were read before, at since_s (NaN: one interval), including kernel threads
 * that do I/O for others.
 */
void print_excerpt_top(const struct frame *f, double since_s, unsigned number,
		       FILE *out);

#endif
