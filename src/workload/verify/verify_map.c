/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verify map: claims, generations and flushes of the intervals of a target. */
#include "workload/verify/verify.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/alloc.h"

#define CHUNK VERIFY_MAP_CHUNK /* intervals for each byte of touched[] */

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* One shared memory: the map, then what a file may keep, then touched[]. */
size_t verify_map_interval_at(uint64_t i)
{
	return whole_pages(sizeof(struct verify_flushes)) +
	       i * sizeof(uint32_t);
}

size_t verify_map_flushed_at(const struct verify_map *map, uint64_t i)
{
	return verify_map_interval_at(0) +
	       whole_pages(map->n * sizeof(uint32_t)) + i * sizeof(uint64_t);
}

size_t verify_map_file_bytes(const struct verify_map *map)
{
	return verify_map_flushed_at(map, 0) +
	       (map->flushed ? whole_pages(map->n * sizeof(uint64_t)) : 0);
}

struct verify_map *verify_map_new(uint64_t bytes, uint64_t n, uint64_t run,
				  bool flushes)
{
	const struct verify_map sizes = { .n = n, .flushed = NULL };
	size_t head = whole_pages(sizeof(struct verify_map));
	size_t body = verify_map_flushed_at(&sizes, 0);
	size_t more = flushes ? whole_pages(n * sizeof(uint64_t)) : 0;
	size_t size = head + body + more + n / CHUNK + 1;
	struct verify_map *map = xshared(size);
	char *p = (char *)map + head;

	map->bytes = bytes;
	map->n = n;
	map->run = run;
	map->size = size;
	map->flushes = (struct verify_flushes *)(void *)p;
	map->interval =
		(_Atomic uint32_t *)(void *)(p + verify_map_interval_at(0));
	if (flushes)
		map->flushed = (_Atomic uint64_t *)(void *)(p + body);
	map->touched = (_Atomic uint8_t *)(p + body + more);
	return map;
}

static int copy_part(int fd, const void *from, size_t bytes, uint64_t at)
{
	if (pwrite(fd, from, bytes, (off_t)at) == (ssize_t)bytes)
		return 0;
	return -(errno ? errno : EIO);
}

/* Write the present states to the file. */
static int copy_to(const struct verify_map *map, int fd)
{
	int rc = copy_part(fd, map->flushes, sizeof(*map->flushes),
			   map->kept_at);

	for (uint64_t i = 0; i < map->n && rc == 0; i += CHUNK) {
		uint64_t left = map->n - i, n = left < CHUNK ? left : CHUNK;

		if (!atomic_load(&map->touched[i / CHUNK]))
			continue;
		rc = copy_part(fd, (const void *)&map->interval[i],
			       n * sizeof(uint32_t),
			       map->kept_at + verify_map_interval_at(i));
		if (rc == 0 && map->flushed)
			rc = copy_part(fd, (const void *)&map->flushed[i],
				       n * sizeof(uint64_t),
				       map->kept_at +
					       verify_map_flushed_at(map, i));
	}
	return rc;
}

int verify_map_keep(struct verify_map *map, int fd, const char *name)
{
	int rc = copy_to(map, fd);

	if (rc == 0 &&
	    mmap(map->flushes, verify_map_file_bytes(map),
		 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		 (off_t)map->kept_at) == MAP_FAILED)
		rc = -errno;
	if (rc == 0)
		map->kept_in = xstrdup(name);
	return rc;
}

uint64_t verify_map_sum_head(const struct verify_flushes *f)
{
	return XXH3_64bits(f, offsetof(struct verify_flushes, sum));
}

uint64_t verify_map_sum_chunk(const void *chunk, size_t bytes, uint64_t i,
			      bool flushed)
{
	const char *p = chunk;

	if (!*p && !memcmp(p, p + 1, bytes - 1))
		return 0;
	return XXH3_64bits_withSeed(p, bytes, i * 2 + flushed);
}

static void verify_map_seal(struct verify_map *map)
{
	uint64_t sum;

	map->flushes->n = map->n;
	sum = verify_map_sum_head(map->flushes);
	for (uint64_t i = 0; i < map->n; i += CHUNK) {
		uint64_t left = map->n - i, n = left < CHUNK ? left : CHUNK;

		if (!atomic_load(&map->touched[i / CHUNK]))
			continue;
		sum += verify_map_sum_chunk((const void *)&map->interval[i],
					    n * sizeof(uint32_t), i / CHUNK,
					    false);
		if (map->flushed)
			sum += verify_map_sum_chunk(
				(const void *)&map->flushed[i],
				n * sizeof(uint64_t), i / CHUNK, true);
	}
	map->flushes->sum = sum;
}

void verify_map_free(struct verify_map *map)
{
	if (!map)
		return;
	if (map->kept_in)
		verify_map_seal(map);
	free(map->kept_in);
	xshared_free(map, map->size);
}

/* Set the bit; false when it was set already. */
static bool verify_map_take(_Atomic uint32_t *p, uint32_t bit)
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
		if (verify_map_take(&map->interval[first + i], VERIFY_BUSY))
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

/* Whether an interval in that state is to be checked at the end. */
static bool is_next(const struct verify_map *map, uint32_t state)
{
	if (state & VERIFY_SEEN)
		return false;
	/* A flush may cover an older write than the one that failed. */
	if (state & VERIFY_UNSURE)
		return map->flushed != NULL;
	return state & (VERIFY_GENERATION | VERIFY_DRAWN);
}

uint64_t verify_map_next(struct verify_map *map, uint64_t i, uint64_t end)
{
	while (i < end) {
		if (!atomic_load_explicit(&map->touched[i / CHUNK],
					  memory_order_relaxed)) {
			i = (i / CHUNK + 1) * CHUNK;
			continue;
		}
		if (is_next(map, verify_map_get(map, i)) &&
		    verify_map_take(&map->interval[i], VERIFY_SEEN))
			return i;
		i++;
	}
	return map->n;
}

/* reader: the key of a job, and the lowest bit once the marks are gone. */
void verify_map_begin(struct verify_map *map, uint64_t key)
{
	uint64_t now = atomic_load(&map->reader);

	while (now >> 1 != key)
		if (atomic_compare_exchange_weak(&map->reader, &now, key << 1))
			goto clear;
	while (!(atomic_load(&map->reader) & 1) &&
	       atomic_load(&map->reader) >> 1 == key)
		sched_yield();
	return;
clear:
	for (uint64_t i = 0; i < map->n; i++) {
		if (!atomic_load(&map->touched[i / CHUNK])) {
			i |= CHUNK - 1;
			continue;
		}
		atomic_fetch_and(&map->interval[i],
				 ~(VERIFY_SEEN | VERIFY_DRAWN));
	}
	atomic_store(&map->reader, key << 1 | 1);
}

/* --- flushes --- */

/*
 * flushed[i]: the number of flushes that were submitted before the last good
 * write of i completed, and the newest generation that a flush covered before
 * that write.
 */
#define NUMBER_SHIFT 28 /* of VERIFY_GENERATION */
#define NEVER        ((1ull << (64 - NUMBER_SHIFT)) - 1)

static uint64_t word_of(uint64_t number, uint32_t generation)
{
	return (number < NEVER ? number : NEVER) << NUMBER_SHIFT | generation;
}

uint64_t verify_map_uncovered(uint32_t covered)
{
	return word_of(NEVER, covered);
}

uint64_t verify_map_flush_begin(struct verify_map *map)
{
	return atomic_fetch_add(&map->flushes->submitted, 1) + 1;
}

void verify_map_flush_done(struct verify_map *map, uint64_t number, bool good)
{
	struct verify_flushes *f = map->flushes;
	uint64_t now = atomic_load(&f->covered);

	if (!good) {
		atomic_store(&f->broken, 1);
		atomic_store(&f->failed, 1);
	}
	if (atomic_load(&f->broken))
		return;
	while (now < number &&
	       !atomic_compare_exchange_weak(&f->covered, &now, number))
		;
}

uint32_t verify_map_covered(const struct verify_map *map, uint64_t i,
			    uint32_t before)
{
	uint64_t word, number;

	if (!map->flushed)
		return 0;
	word = atomic_load(&map->flushed[i]);
	number = word >> NUMBER_SHIFT;
	if (before && number != NEVER &&
	    atomic_load(&map->flushes->covered) > number)
		return before;
	return (uint32_t)word & VERIFY_GENERATION;
}

void verify_map_flush_wrote(struct verify_map *map, uint64_t i, uint32_t before,
			    bool durable)
{
	uint32_t covered;

	if (!map->flushed)
		return;
	covered = durable ? verify_map_after(before)
			  : verify_map_covered(map, i, before);
	atomic_store(&map->flushed[i],
		     word_of(atomic_load(&map->flushes->submitted), covered));
}

void verify_map_flush_lost(struct verify_map *map, uint64_t i, uint32_t before,
			   bool trimmed)
{
	if (!map->flushed)
		return;
	atomic_store(&map->flushed[i],
		     word_of(NEVER, trimmed ? 0
					    : verify_map_covered(map, i,
								 before)));
}
