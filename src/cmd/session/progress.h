/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress: one line on a terminal while a run has no screen, as fio's.
 */
#ifndef CMD_SESSION_PROGRESS_H
#define CMD_SESSION_PROGRESS_H

#include <stddef.h>

#include "model/frame.h"

/*
 * "Jobs: 2 [42.9%][r=1.02GiB/s,w=3.00MiB/s][r=267k,w=800 IOPS][eta 0:04]" of a
 * frame; "" when no job runs. Returns buf.
 */
char *progress_words(const struct frame *f, char *buf, size_t size);

#endif
