/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify map: claims and generations.
 */
#include "workload/verify/verify_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

#define CHUNK 4096 /* intervals for each byte of touched[] */

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

size_t verify_map_file_bytes(const struct verify_map *map)
{
	return whole_pages(map->n * sizeof(uint32_t));
}

/* The map itself, its generations from a page of their own on, touched[]. */
struct verify_map *verify_map_new(uint64_t bytes, uint64_t n, uint64_t run)
{
	size_t head = whole_pages(sizeof(struct verify_map));
	size_t body = whole_pages(n * sizeof(uint32_t));
	size_t size = head + body + n / CHUNK + 1;
	struct verify_map *map = xshared(size);
	char *p = (char *)map;

	map->bytes = bytes;
	map->n = n;
	map->run = run;
	map->size = size;
	map->interval = (_Atomic uint32_t *)(void *)(p + head);
	map->touched = (_Atomic uint8_t *)(p + head + body);
	return map;
}

/* Write the present generations to the file. */
static int copy_to(const struct verify_map *map, int fd)
{
	for (uint64_t i = 0; i < map->n; i += CHUNK) {
		uint64_t left = map->n - i;
		size_t bytes = sizeof(uint32_t) * (left < CHUNK ? left : CHUNK);
		off_t place = (off_t)(map->kept_at + i * sizeof(uint32_t));

		if (!atomic_load(&map->touched[i / CHUNK]))
			continue;
		if (pwrite(fd, (const void *)&map->interval[i], bytes, place) !=
		    (ssize_t)bytes)
			return -(errno ? errno : EIO);
	}
	return 0;
}

int verify_map_keep(struct verify_map *map, int fd, const char *name)
{
	int rc = copy_to(map, fd);

	if (rc == 0 && mmap((void *)map->interval, verify_map_file_bytes(map),
			    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			    (off_t)map->kept_at) == MAP_FAILED)
		rc = -errno;
	if (rc == 0)
		map->kept_in = xstrdup(name);
	return rc;
}

void verify_map_free(struct verify_map *map)
{
	if (!map)
		return;
	free(map->kept_in);
	xshared_free(map, map->size);
}

/* Set the bit; false when it was set already. */
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
