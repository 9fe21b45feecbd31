/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify map: claims and generations.
 */
#include "workload/verify/verify_map.h"

#include "base/alloc.h"

#define CHUNK 4096 /* intervals for each byte of touched[] */

struct verify_map *verify_map_new(uint64_t bytes, uint64_t n, uint64_t run)
{
	uint64_t chunks = n / CHUNK + 1;
	size_t size = sizeof(struct verify_map) + n * sizeof(uint32_t) + chunks;
	struct verify_map *map = xshared(size);

	map->bytes = bytes;
	map->n = n;
	map->run = run;
	map->size = size;
	map->touched = (_Atomic uint8_t *)(map->interval + n);
	return map;
}

void verify_map_free(struct verify_map *map)
{
	if (map)
		xshared_free(map, map->size);
}

/* Set the bit; false when it was set. */
static bool take(_Atomic uint32_t *p, uint32_t bit)
{
	return !(atomic_fetch_or_explicit(p, bit, memory_order_acq_rel) & bit);
}

void verify_map_touch(struct verify_map *map, uint64_t i)
{
	atomic_store_explicit(&map->touched[i / CHUNK], 1,
			      memory_order_relaxed);
}

bool verify_map_claim(struct verify_map *map, uint64_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (take(&map->interval[first + i], VERIFY_BUSY))
			continue;
		verify_map_release(map, first, i);
		return false;
	}
	verify_map_touch(map, first);
	verify_map_touch(map, first + n - 1);
	return true;
}

void verify_map_release(struct verify_map *map, uint64_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		atomic_fetch_and_explicit(&map->interval[first + i],
					  ~VERIFY_BUSY, memory_order_release);
}

uint64_t verify_map_next(struct verify_map *map, uint64_t i, uint64_t end,
			 bool all)
{
	while (i < end) {
		uint32_t state;

		if (!all && !atomic_load_explicit(&map->touched[i / CHUNK],
						  memory_order_relaxed)) {
			i = (i / CHUNK + 1) * CHUNK;
			continue;
		}
		state = verify_map_get(map, i);
		if (!(state & (VERIFY_UNSURE | VERIFY_SEEN)) &&
		    (all || state & VERIFY_GENERATION) &&
		    take(&map->interval[i], VERIFY_SEEN))
			return i;
		i++;
	}
	return map->n;
}
