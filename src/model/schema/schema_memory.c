/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and writeback: gauges in bytes, and rates.
 */
#include "model/schema/schema_memory.h"

#include <math.h>

#include "base/attributes.h"

static double rate(const struct span *s, enum memory_counter c)
{
	const struct memory_raw *now = s->now, *prev = s->prev;

	if (!prev || now->counter[c] == UINT64_MAX ||
	    prev->counter[c] == UINT64_MAX)
		return NAN;
	return schema_delta64(now->counter[c], prev->counter[c]) / s->seconds;
}

#define RATE(name, which)                          \
	static double name(const struct span *s)   \
	{                                          \
		return rate(s, which);             \
	}

RATE(pgpgin_bytes_per_s, MEMORY_PGPGIN_BYTES_PER_S)
RATE(pgpgout_bytes_per_s, MEMORY_PGPGOUT_BYTES_PER_S)
RATE(dirtied_bytes_per_s, MEMORY_DIRTIED_BYTES_PER_S)
RATE(written_bytes_per_s, MEMORY_WRITTEN_BYTES_PER_S)
RATE(kswapd_scan_per_s, MEMORY_KSWAPD_SCAN_PER_S)
RATE(direct_scan_per_s, MEMORY_DIRECT_SCAN_PER_S)
RATE(major_fault_per_s, MEMORY_MAJOR_FAULT_PER_S)
RATE(refault_per_s, MEMORY_REFAULT_PER_S)
RATE(swap_in_bytes_per_s, MEMORY_SWAP_IN_BYTES_PER_S)
RATE(swap_out_bytes_per_s, MEMORY_SWAP_OUT_BYTES_PER_S)

#define MIB (1.0 / 1048576)
#define KIB (1.0 / 1024)

/* clang-format off */
static const struct field fields[] = {
	{ .key = "total_bytes", .title = "total",
	  .help = "memory in all (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_TOTAL_BYTES]) },
	{ .key = "available_bytes", .title = "avail",
	  .help = "memory available to programs (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_AVAILABLE_BYTES]) },
	{ .key = "cached_bytes", .title = "cached",
	  .help = "page cache (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .place = { [FIELD_IN_GRAPH] = 3 },
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_CACHED_BYTES]) },
	{ .key = "dirty_bytes", .title = "dirty",
	  .help = "page cache that waits to be written (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .place = { [FIELD_IN_GRAPH] = 1 },
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_DIRTY_BYTES]) },
	{ .key = "writeback_bytes", .title = "writeback",
	  .help = "page cache on its way to a device (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .place = { [FIELD_IN_GRAPH] = 2 },
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_WRITEBACK_BYTES]) },
	{ .key = "dirty_limit_bytes", .title = "dirty-lim",
	  .help = "dirty limit: from here on writers must wait (on the screen "
		  "in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_DIRTY_LIMIT_BYTES]) },
	{ .key = "dirty_background_bytes", .title = "dirty-bg",
	  .help = "dirty bytes at which writing back starts (on the screen "
		  "in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_DIRTY_BACKGROUND_BYTES]) },
	{ .key = "swap_used_bytes", .title = "swap",
	  .help = "swap in use (on the screen in MiB)",
	  .width = 9, .scale = MIB,
	  .gauge = GAUGE(struct memory_raw, gauge[MEMORY_SWAP_USED_BYTES]) },
	{ .key = "pgpgin_bytes_per_s", .title = "pgpgin/s",
	  .help = "bytes read from block devices per second (on the screen "
		  "in KiB)",
	  .width = 10, .scale = KIB,
	  .number = pgpgin_bytes_per_s },
	{ .key = "pgpgout_bytes_per_s", .title = "pgpgout/s",
	  .help = "bytes written to block devices per second (on the screen "
		  "in KiB)",
	  .width = 10, .scale = KIB,
	  .number = pgpgout_bytes_per_s },
	{ .key = "dirtied_bytes_per_s", .title = "dirtied/s",
	  .help = "bytes of page cache made dirty per second (on the screen "
		  "in KiB)",
	  .width = 10, .scale = KIB,
	  .number = dirtied_bytes_per_s },
	{ .key = "written_bytes_per_s", .title = "written/s",
	  .help = "bytes of page cache written back per second (on the "
		  "screen in KiB)",
	  .width = 10, .scale = KIB,
	  .number = written_bytes_per_s },
	{ .key = "kswapd_scan_per_s", .title = "kswapd/s",
	  .help = "pages that kswapd scanned per second, to free some",
	  .width = 10,
	  .number = kswapd_scan_per_s },
	{ .key = "direct_scan_per_s", .title = "direct/s",
	  .help = "pages that programs themselves scanned per second, to get "
		  "free ones",
	  .width = 10,
	  .number = direct_scan_per_s },
	{ .key = "major_fault_per_s", .title = "majflt/s",
	  .help = "page faults that needed I/O per second",
	  .width = 10,
	  .number = major_fault_per_s },
	{ .key = "refault_per_s", .title = "refault/s",
	  .help = "file pages that were needed again soon after they were "
		  "dropped per second",
	  .width = 10,
	  .number = refault_per_s },
	{ .key = "swap_in_bytes_per_s", .title = "swap-in/s",
	  .help = "bytes that came back from swap per second (on the screen "
		  "in KiB)",
	  .width = 10, .scale = KIB,
	  .number = swap_in_bytes_per_s },
	{ .key = "swap_out_bytes_per_s", .title = "swap-out/s",
	  .help = "bytes that went to swap per second (on the screen in KiB)",
	  .width = 10, .scale = KIB,
	  .number = swap_out_bytes_per_s },
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
