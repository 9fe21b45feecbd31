/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * I/O priorities of ioprio_set(2). The kernel's own header is there for
 * programs since Linux 5.15 only; the values are part of its interface.
 */
#ifndef BASE_IOPRIO_H
#define BASE_IOPRIO_H

#if __has_include(<linux/ioprio.h>)
#include <linux/ioprio.h>
#else
#define IOPRIO_CLASS_SHIFT 13
enum { IOPRIO_CLASS_NONE, IOPRIO_CLASS_RT, IOPRIO_CLASS_BE, IOPRIO_CLASS_IDLE };
enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_WHO_PGRP, IOPRIO_WHO_USER };
#endif

#endif
