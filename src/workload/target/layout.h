/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout: give a reader's file real data, so that its reads reach the disk.
 */
#ifndef WORKLOAD_LAYOUT_H
#define WORKLOAD_LAYOUT_H

#include <stddef.h>

#include "base/random.h"

struct target;
struct worker;

/*
 * Write what holds no data of the file from layout_from to need_bytes, and
 * sync it; fails or stops through the worker, whose layout_bytes it counts.
 */
void layout_write(struct worker *w, const struct target *t);

/* End the worker's turn of writing, if it has it. */
void layout_leave(struct worker *w);

/* Fill with incompressible data. */
void layout_fill(struct random *r, void *buf, size_t bytes);

#endif
