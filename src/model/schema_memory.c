/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and writeback: gauges in bytes, and rates.
 */
#include "model/schema_memory.h"

#include <math.h>

#include "base/attributes.h"

static double gauge(const struct span *s, enum memory_gauge g)
{
	return ((const struct memory_raw *)s->now)->gauge[g];
}

static double rate(const struct span *s, enum memory_counter c)
{
	const struct memory_raw *now = s->now, *prev = s->prev;

	if (!prev || now->counter[c] == UINT64_MAX ||
	    prev->counter[c] == UINT64_MAX)
		return NAN;
	return schema_delta64(now->counter[c], prev->counter[c]) / s->seconds;
}

#define GAUGE(name, which)                         \
	static double name(const struct span *s)   \
	{                                          \
		return gauge(s, which);            \
	}

#define RATE(name, which)                          \
	static double name(const struct span *s)   \
	{                                          \
		return rate(s, which);             \
	}

GAUGE(total_bytes, MEMORY_TOTAL_BYTES)
GAUGE(available_bytes, MEMORY_AVAILABLE_BYTES)
GAUGE(cached_bytes, MEMORY_CACHED_BYTES)
GAUGE(dirty_bytes, MEMORY_DIRTY_BYTES)
GAUGE(writeback_bytes, MEMORY_WRITEBACK_BYTES)
GAUGE(dirty_limit_bytes, MEMORY_DIRTY_LIMIT_BYTES)
GAUGE(dirty_background_bytes, MEMORY_DIRTY_BACKGROUND_BYTES)
GAUGE(swap_used_bytes, MEMORY_SWAP_USED_BYTES)
RATE(pgpgin_bytes_per_s, MEMORY_PGPGIN_BYTES_PER_S)
RATE(pgpgout_bytes_per_s, MEMORY_PGPGOUT_BYTES_PER_S)
RATE(dirtied_bytes_per_s, MEMORY_DIRTIED_BYTES_PER_S)
RATE(written_bytes_per_s, MEMORY_WRITTEN_BYTES_PER_S)
RATE(kswapd_scan_per_s, MEMORY_KSWAPD_SCAN_PER_S)
RATE(direct_scan_per_s, MEMORY_DIRECT_SCAN_PER_S)
RATE(major_fault_per_s, MEMORY_MAJOR_FAULT_PER_S)
RATE(refault_per_s, MEMORY_REFAULT_PER_S)

#define MIB (1.0 / 1048576)
#define KIB (1.0 / 1024)

/* clang-format off */
static const struct field fields[] = {
	{ "total_bytes", "total",
	  "memory in all (on the screen in MiB)",
	  FIELD_NUMBER, 9, 0, MIB, NULL, total_bytes, NULL, NULL },
	{ "available_bytes", "avail",
	  "memory that programs can still have (on the screen in MiB)",
	  FIELD_NUMBER, 9, 0, MIB, NULL, available_bytes, NULL, NULL },
	{ "cached_bytes", "cached",
	  "page cache (on the screen in MiB)",
	  FIELD_NUMBER, 9, 0, MIB, NULL, cached_bytes, NULL, NULL },
	{ "dirty_bytes", "dirty",
	  "page cache that waits to be written (on the screen in MiB)",
	  FIELD_NUMBER, 9, 0, MIB, NULL, dirty_bytes, NULL, NULL },
	{ "writeback_bytes", "writeback",
	  "page cache on its way to a device (on the screen in MiB)",
	  FIELD_NUMBER, 9, 0, MIB, NULL, writeback_bytes, NULL, NULL },
	{ "dirty_limit_bytes", "dirty-lim",
	  "dirty bytes at which writers are made to wait (on the screen in MiB)",
	  FIELD_NUMBER, 9, 0, MIB, NULL, dirty_limit_bytes, NULL, NULL },
	{ "dirty_background_bytes", "dirty-bg",
	  "dirty bytes at which writing back starts (on the screen in MiB)",
	  FIELD_NUMBER, 9, 0, MIB, NULL, dirty_background_bytes, NULL, NULL },
	{ "swap_used_bytes", "swap",
	  "swap in use (on the screen in MiB)",
	  FIELD_NUMBER, 9, 0, MIB, NULL, swap_used_bytes, NULL, NULL },
	{ "pgpgin_bytes_per_s", "pgpgin/s",
	  "bytes read from block devices per second (on the screen in KiB)",
	  FIELD_NUMBER, 10, 0, KIB, NULL, pgpgin_bytes_per_s, NULL, NULL },
	{ "pgpgout_bytes_per_s", "pgpgout/s",
	  "bytes written to block devices per second (on the screen in KiB)",
	  FIELD_NUMBER, 10, 0, KIB, NULL, pgpgout_bytes_per_s, NULL, NULL },
	{ "dirtied_bytes_per_s", "dirtied/s",
	  "bytes of page cache made dirty per second (on the screen in KiB)",
	  FIELD_NUMBER, 10, 0, KIB, NULL, dirtied_bytes_per_s, NULL, NULL },
	{ "written_bytes_per_s", "written/s",
	  "bytes of page cache written back per second (on the screen in KiB)",
	  FIELD_NUMBER, 10, 0, KIB, NULL, written_bytes_per_s, NULL, NULL },
	{ "kswapd_scan_per_s", "kswapd/s",
	  "pages that kswapd looked at to free some per second",
	  FIELD_NUMBER, 10, 0, 0, NULL, kswapd_scan_per_s, NULL, NULL },
	{ "direct_scan_per_s", "direct/s",
	  "pages that programs themselves had to look at to get one per second",
	  FIELD_NUMBER, 10, 0, 0, NULL, direct_scan_per_s, NULL, NULL },
	{ "major_fault_per_s", "majflt/s",
	  "page faults that needed I/O per second",
	  FIELD_NUMBER, 10, 0, 0, NULL, major_fault_per_s, NULL, NULL },
	{ "refault_per_s", "refault/s",
	  "file pages that were needed again soon after they were dropped per second",
	  FIELD_NUMBER, 10, 0, 0, NULL, refault_per_s, NULL, NULL },
};
/* clang-format on */

const struct schema schema_memory = {
	.name = "memory",
	.help = "memory, the page cache and writeback",
	.row_size = sizeof(struct memory_raw),
	.bare = true,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
