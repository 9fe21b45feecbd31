/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cross-check: what the jobs moved beside what their disks did meanwhile.
 *
 * Where these are far apart something else was measured than the disk: the
 * page cache, holes of a file, another program.
 */
#ifndef REPORT_CROSS_CHECK_H
#define REPORT_CROSS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"

struct json;

enum { CROSS_READ, CROSS_WRITE, CROSS_OPS };

struct cross_check {
	double job_bytes[CROSS_OPS], device_bytes[CROSS_OPS];
	char device[256]; /* the disks under the jobs, blank-separated */
	unsigned frames;  /* that counted */
	bool mixed;       /* the last frame did not: nor does the next */
};

/*
 * Take in a frame. Only those count in which all jobs waited, ran or were done
 * from end to end: layout, ramp and verification are in no figure of a job,
 * but in those of its disk.
 */
void cross_check_add(struct cross_check *c, const struct frame *f);

/* A sentence on reads or writes that are far apart; false: they agree, or too
 * little is known. */
bool cross_check_words(const struct cross_check *c, int op, char *buf,
		       size_t size);

/* An array of those that are far apart, for the summary; NULL: none. */
struct json *cross_check_json(const struct cross_check *c);

#endif
