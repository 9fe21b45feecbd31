/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control: the settings of a running job that can change. To add a setting, add
 * a row to controls[] in control.c and let control_take() use it.
 */
#ifndef WORKLOAD_THREAD_CONTROL_H
#define WORKLOAD_THREAD_CONTROL_H

#include "workload/thread/worker.h"

/* The greatest iodepth that a running job can be given. */
#define CONTROL_MAX_DEPTH 4096

/* Begin with what the job asks for. */
void control_init(struct control *c, const struct job *job, unsigned depth);

#endif
