/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared: memory for the main thread and its workers.
 */
#include "workload/shared.h"

#include <sys/mman.h>

#include "base/alloc.h"

void *shared_alloc(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("out of memory (%zu bytes wanted)", bytes);
	return p;
}

void shared_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}
