/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and writeback: /proc/meminfo and /proc/vmstat.
 */
#ifndef MODEL_SCHEMA_MEMORY_H
#define MODEL_SCHEMA_MEMORY_H

#include "model/schema/schema.h"

/* Gauges in bytes; NaN where the kernel has none. */
enum memory_gauge {
	MEMORY_TOTAL_BYTES,
	MEMORY_AVAILABLE_BYTES,
	MEMORY_CACHED_BYTES,
	MEMORY_DIRTY_BYTES,
	MEMORY_WRITEBACK_BYTES,
	MEMORY_DIRTY_LIMIT_BYTES,
	MEMORY_DIRTY_BACKGROUND_BYTES,
	MEMORY_SWAP_USED_BYTES,
	MEMORY_GAUGES
};

/* Counters, in bytes or pages as their field says. */
enum memory_counter {
	MEMORY_PGPGIN_BYTES_PER_S,
	MEMORY_PGPGOUT_BYTES_PER_S,
	MEMORY_DIRTIED_BYTES_PER_S,
	MEMORY_WRITTEN_BYTES_PER_S,
	MEMORY_KSWAPD_SCAN_PER_S,
	MEMORY_DIRECT_SCAN_PER_S,
	MEMORY_MAJOR_FAULT_PER_S,
	MEMORY_REFAULT_PER_S,
	MEMORY_SWAP_IN_BYTES_PER_S,
	MEMORY_SWAP_OUT_BYTES_PER_S,
	MEMORY_COUNTERS
};

struct memory_raw {
	struct row_key key;
	double gauge[MEMORY_GAUGES];
	uint64_t counter[MEMORY_COUNTERS]; /* UINT64_MAX: absent */
};

extern const struct schema schema_memory;

#endif
