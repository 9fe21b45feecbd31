/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify map: which generation each interval of a target is in, 4 bytes each.
 * Shared by all clones that use the target, threads or processes. Memory is
 * taken for what is written only.
 *
 * An interval in flight is claimed, so that two writes of one place, or a read
 * and a write, never overlap: what is there afterwards is certain.
 */
#ifndef WORKLOAD_VERIFY_MAP_H
#define WORKLOAD_VERIFY_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERIFY_BUSY       (1u << 31)
#define VERIFY_UNSURE     (1u << 30) /* a write of it failed */
#define VERIFY_SEEN       (1u << 29) /* checked, or being so, at the end */
#define VERIFY_GENERATION (VERIFY_SEEN - 1)

struct verify_map {
	uint64_t bytes; /* of an interval */
	uint64_t n;
	uint64_t run;             /* identity of this run */
	_Atomic unsigned writers; /* workers that still write */
	size_t size;              /* of this, for verify_map_free() */
	_Atomic uint8_t *touched; /* of each 4096 intervals */
	_Atomic uint32_t interval[];
};

/* For a target of n intervals; never NULL. */
struct verify_map *verify_map_new(uint64_t bytes, uint64_t n, uint64_t run);
void verify_map_free(struct verify_map *map);

/* Claim n intervals, all or none; false when one of them is claimed. */
bool verify_map_claim(struct verify_map *map, uint64_t first, unsigned n);
/* Give them back as they are. */
void verify_map_release(struct verify_map *map, uint64_t first, unsigned n);

/* Interval i may have been written; a claim says so by itself. */
void verify_map_touch(struct verify_map *map, uint64_t i);

static inline uint32_t verify_map_get(const struct verify_map *map, uint64_t i)
{
	return atomic_load_explicit(&map->interval[i], memory_order_acquire);
}

static inline void verify_map_set(struct verify_map *map, uint64_t i,
				  uint32_t state)
{
	atomic_store_explicit(&map->interval[i], state, memory_order_release);
}

/*
 * The first interval from i on that is not marked as seen and was written, or
 * with all any; marks it. map->n: there is none.
 */
uint64_t verify_map_next(struct verify_map *map, uint64_t i, uint64_t end,
			 bool all);

#endif
