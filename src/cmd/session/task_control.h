/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task control: signals, nice values and I/O priorities that the operator gives
 * to processes.
 */
#ifndef CMD_SESSION_TASK_CONTROL_H
#define CMD_SESSION_TASK_CONTROL_H

#include <stddef.h>

#include "base/attributes.h"
#include "base/root.h"

/*
 * Do an order (struct task_order) to the process of that pid, all its
 * threads, if it still has the name. words becomes the sentence of what was
 * done. 0, or -errno with a sentence: -ENOENT it is gone or another has its
 * pid, -EPERM not allowed, -EINVAL no such order or not the live machine.
 */
int task_control_act(const struct root *root, const char *pid, const char *name,
		     const char *order, char *words, size_t size) must_check;

#endif
