/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared: memory that threads and processes have in common.
 */
#ifndef WORKLOAD_SHARED_H
#define WORKLOAD_SHARED_H

#include <stddef.h>

/*
 * Zeroed memory that stays shared after a fork(2), by whole pages; pages that
 * are not touched cost nothing. Never NULL.
 */
void *shared_alloc(size_t bytes);
void shared_free(void *p, size_t bytes);

#endif
