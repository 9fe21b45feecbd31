/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Excerpt: one interval of a log as footnotes in the form of iostat and top.
 */
#ifndef REPORT_PRINT_EXCERPT_H
#define REPORT_PRINT_EXCERPT_H

#include <stdio.h>

#include "model/frame.h"

/*
 * Print what "iostat -x" of sysstat before 11.7 would have shown of the frame:
 * processors, and each device with I/O, with sectors of 512 bytes, avgrq-sz,
 * avgqu-sz, await and svctm (%util per request, which means little where
 * requests overlap). number is that of the footnote.
 */
void print_excerpt_iostat(const struct frame *f, unsigned number, FILE *out);

/*
 * Print what top would have shown: the tasks with CPU time in that interval,
 * at most 20, kernel threads that do I/O for others among them.
 */
void print_excerpt_top(const struct frame *f, unsigned number, FILE *out);

#endif
