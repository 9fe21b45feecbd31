/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Line out: stdout for lines that come with samples or answers. A process of its
 * own writes them (record/line_writer.h), so that a reader that stalls, or a
 * terminal that is stopped, stops neither the sampling nor the end of the
 * program: signals are blocked while the program works, and a write that waits
 * could not be ended.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/attributes.h"

struct line_out;

/* 0, or -errno with a sentence; *out is NULL then. */
int line_out_open(struct line_out **out) must_check;

/* Where to print whole lines; owned by out. */
FILE *line_out_file(const struct line_out *out);

/*
 * Send what was printed, without waiting. 0, or -errno with a sentence: of these
 * lines or earlier ones; -EPIPE: the reader is gone.
 */
int line_out_send(struct line_out *out) must_check;

/*
 * Wait until all is written, and free out (NULL is fine). hurry: give up a
 * reader that takes nothing for a second; else a pending signal does that. 0, or
 * -errno with a sentence, as above, -EINTR for a reader that was given up.
 * *lost: lines that were left out, as the reader was too slow.
 */
int line_out_close(struct line_out *out, bool hurry,
		   unsigned long *lost) must_check;
