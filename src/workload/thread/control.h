/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control: what of a running job can be changed. To add a setting, add a row
 * to controls[] in control.c and let control_take() look at it.
 */
#ifndef WORKLOAD_THREAD_CONTROL_H
#define WORKLOAD_THREAD_CONTROL_H

#include "workload/thread/worker.h"

/* The greatest iodepth that a running job can be given. */
#define CONTROL_MAX_DEPTH 4096

/* Begin with what the job asks for. */
void control_init(struct control *c, const struct job *job, unsigned depth);

#endif
