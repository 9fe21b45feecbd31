/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify map: which generation each interval of a target is in, 4 bytes each.
 * Shared by all clones that use the target, threads or processes. Memory is
 * taken for what is written only. The generations may be pages of a file: then
 * they survive the program, however it ends (verify_state.h).
 *
 * An interval in flight is claimed, so that two writes of one place, or a read
 * and a write, never overlap: what is there afterwards is certain.
 */
#ifndef WORKLOAD_VERIFY_VERIFY_MAP_H
#define WORKLOAD_VERIFY_VERIFY_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

#define VERIFY_BUSY       (1u << 31)
#define VERIFY_UNSURE     (1u << 30) /* a write of it failed, or is in flight */
#define VERIFY_SEEN       (1u << 29) /* checked, or being checked, at the end */
#define VERIFY_GENERATION (VERIFY_SEEN - 1)

struct verify_map {
	uint64_t bytes; /* of an interval */
	uint64_t n;
	uint64_t run;             /* identity of this run */
	_Atomic unsigned writers; /* workers that still write */
	size_t size;              /* of this, for verify_map_free() */
	char *kept_in;            /* the file of the generations, or NULL */
	uint64_t kept_at;         /* where they begin in it, in bytes */
	_Atomic uint8_t *touched; /* of each 4096 intervals */
	_Atomic uint32_t *interval;
};

/* For a target of n intervals; never NULL. */
struct verify_map *verify_map_new(uint64_t bytes, uint64_t n, uint64_t run);
void verify_map_free(struct verify_map *map);

/* The bytes of all generations in a file, in whole pages. */
size_t verify_map_file_bytes(const struct verify_map *map);
/*
 * From now on the generations are the pages of fd (open for reading and
 * writing, the space taken) from kept_at, a multiple of a page, on; those of
 * now are copied. The name is kept in kept_in. Only before any worker starts.
 * 0 or -errno without a sentence.
 */
int verify_map_keep(struct verify_map *map, int fd,
		    const char *name) must_check;

/* Claim n intervals, all or none; false when one of them is claimed. */
bool verify_map_claim(struct verify_map *map, uint64_t first, unsigned n);
/* Release the claims without a change. */
void verify_map_release(struct verify_map *map, uint64_t first, unsigned n);

/* Mark interval i as maybe written; a claim implies it. */
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
