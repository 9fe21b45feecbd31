/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log range: the part of a log that --from and --to name, as offsets from its
 * start ("90", "2m", "+1:30") or as local time ("03:12", "2026-11-20 03:12").
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "model/frame.h"

/* One end of a range; with no text, the log's own end. */
struct log_bound {
	const char *text; /* of the option, or NULL; borrowed */
	double t_s;	  /* offset from the start of the log, or NaN */
	uint64_t wall_ns; /* else clock time, set at the first frame */
};

struct log_range {
	struct log_bound from, to;
	bool met;		/* the first frame was seen */
	uint64_t first_ns, last_ns; /* clock of the frames that were seen */
	uint64_t inside;	/* frames that lie in it */
};

/* The texts of --from and --to, or NULL. 0, or -EINVAL with a sentence. */
int log_range_init(struct log_range *r, const char *from,
		   const char *to) must_check;

/*
 * Whether the interval of a frame ended in the range. The frame of the first
 * call is the start of the log: a time without a date is the next such time
 * after it.
 */
bool log_range_has(struct log_range *r, const struct frame *f);

/* 0, or -EINVAL with a sentence when no frame of the log lay in the range. */
int log_range_check(const struct log_range *r, const char *log) must_check;
