/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disk store: one mapping for the data, one for what a cut would bring back. */
#include "disk/disk_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/random.h"

#define PAGE	4096u
#define SECTORS (PAGE / DISK_SECTOR)

/* Of the sectors of one page, as bits. */
struct undo {
	struct undo *next, *before; /* of all */
	uint64_t page;
	uint8_t dirty;	/* not on the medium: old[] is */
	uint8_t flying; /* on the way there */
	uint8_t again;	/* written again meanwhile: way[] is on the way */
	char old[PAGE];
	char way[PAGE];
};

struct disk_store {
	char *data;
	struct undo **undo; /* by page */
	struct undo *all;
	uint64_t bytes, pages, unsettled;
};

/* Memory of which only written pages count. */
static void *disk_store_map(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* Huge pages would fill the memory with zeros. */
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

int disk_store_new(struct disk_store **out, uint64_t bytes)
{
	struct disk_store *s = xcalloc(1, sizeof(*s));

	s->bytes = bytes;
	s->pages = (bytes + PAGE - 1) / PAGE;
	s->data = disk_store_map(s->pages * PAGE);
	s->undo = s->data ? disk_store_map(s->pages * sizeof(*s->undo)) : NULL;
	if (s->undo) {
		*out = s;
		return 0;
	}
	disk_store_free(s);
	return fail(ENOMEM,
		    "a disk of %llu MiB does not fit into the address space; "
		    "give a smaller --size",
		    (unsigned long long)(bytes >> 20));
}

void disk_store_free(struct disk_store *s)
{
	struct undo *next;

	if (!s)
		return;
	for (struct undo *u = s->all; u; u = next) {
		next = u->next;
		free(u);
	}
	if (s->undo)
		munmap(s->undo, s->pages * sizeof(*s->undo));
	if (s->data)
		munmap(s->data, s->pages * PAGE);
	free(s);
}

const char *disk_store_at(const struct disk_store *s, uint64_t offset)
{
	return s->data + offset;
}

static struct undo *undo_of(struct disk_store *s, uint64_t page)
{
	struct undo *u = s->undo[page];

	if (u)
		return u;
	u = xmalloc(sizeof(*u));
	u->page = page;
	u->dirty = u->flying = u->again = 0;
	u->before = NULL;
	u->next = s->all;
	if (u->next)
		u->next->before = u;
	s->all = s->undo[page] = u;
	return u;
}

static void disk_store_drop(struct disk_store *s, struct undo *u)
{
	if (u->before)
		u->before->next = u->next;
	else
		s->all = u->next;
	if (u->next)
		u->next->before = u->before;
	s->undo[u->page] = NULL;
	free(u);
}

/* Call fn for each sector of a range whose page has an undo, or get one. */
typedef void each_fn(struct disk_store *s, struct undo *u, unsigned sector);

static void each(struct disk_store *s, uint64_t offset, uint64_t bytes,
		 bool make, each_fn *fn)
{
	uint64_t end = (offset + bytes) / DISK_SECTOR;

	for (uint64_t at = offset / DISK_SECTOR; at < end; at++) {
		uint64_t page = at / SECTORS;
		struct undo *u = make ? undo_of(s, page) : s->undo[page];

		if (!u) {
			at = page * SECTORS + SECTORS - 1;
			continue;
		}
		fn(s, u, (unsigned)(at % SECTORS));
		if (at + 1 == end || (at + 1) % SECTORS == 0)
			if (!u->dirty)
				disk_store_drop(s, u);
	}
}

static char *sector_at(struct disk_store *s, const struct undo *u,
		       unsigned sector)
{
	return s->data + u->page * PAGE + sector * DISK_SECTOR;
}

static void keep_old(struct disk_store *s, struct undo *u, unsigned sector)
{
	size_t at = (size_t)sector * DISK_SECTOR;
	uint8_t bit = (uint8_t)(1u << sector);

	if (!(u->dirty & bit)) {
		memcpy(u->old + at, sector_at(s, u, sector), DISK_SECTOR);
		u->dirty |= bit;
		s->unsettled++;
	} else if (u->flying & bit && !(u->again & bit)) {
		memcpy(u->way + at, sector_at(s, u, sector), DISK_SECTOR);
		u->again |= bit;
	}
}

void disk_store_write(struct disk_store *s, uint64_t offset, uint64_t bytes,
		      const void *data)
{
	each(s, offset, bytes, true, keep_old);
	memcpy(s->data + offset, data, bytes);
}

static void begin(struct disk_store *s, struct undo *u, unsigned sector)
{
	u->flying |= (uint8_t)(u->dirty & 1u << sector);
}

void disk_store_begin(struct disk_store *s, uint64_t offset, uint64_t bytes)
{
	each(s, offset, bytes, false, begin);
}

static void arrive(struct disk_store *s, struct undo *u, unsigned sector)
{
	size_t at = (size_t)sector * DISK_SECTOR;
	uint8_t bit = (uint8_t)(1u << sector);

	if (!(u->flying & bit))
		return;
	u->flying &= (uint8_t)~bit;
	if (u->again & bit) {
		memcpy(u->old + at, u->way + at, DISK_SECTOR);
		u->again &= (uint8_t)~bit;
		return;
	}
	u->dirty &= (uint8_t)~bit;
	s->unsettled--;
}

void disk_store_arrive(struct disk_store *s, uint64_t offset, uint64_t bytes)
{
	each(s, offset, bytes, false, arrive);
}

static void disk_store_settle(struct disk_store *s, struct undo *u,
			      unsigned sector)
{
	uint8_t bit = (uint8_t)(1u << sector);

	if (u->dirty & bit)
		s->unsettled--;
	u->dirty &= (uint8_t)~bit;
	u->flying &= (uint8_t)~bit;
	u->again &= (uint8_t)~bit;
}

void disk_store_discard(struct disk_store *s, uint64_t offset, uint64_t bytes)
{
	uint64_t first = (offset + PAGE - 1) / PAGE * PAGE;
	uint64_t last = (offset + bytes) / PAGE * PAGE;

	each(s, offset, bytes, false, disk_store_settle);
	if (first >= last) {
		memset(s->data + offset, 0, bytes);
		return;
	}
	memset(s->data + offset, 0, first - offset);
	memset(s->data + last, 0, offset + bytes - last);
	/* Gives the memory back, and reads as zeros. */
	madvise(s->data + first, last - first, MADV_DONTNEED);
}

void disk_store_flip(struct disk_store *s, uint64_t offset, unsigned bit)
{
	s->data[offset] = (char)(s->data[offset] ^ 1 << (bit & 7));
}

uint64_t disk_store_unsettled(const struct disk_store *s)
{
	return s->unsettled;
}

/* What one sector becomes: as it is, as it was on the way, or as it was. */
static bool cut_sector(struct disk_store *s, struct undo *u, unsigned sector,
		       uint64_t seed, bool pages)
{
	uint64_t state = seed ^ (u->page * SECTORS + (pages ? 0 : sector));
	uint64_t dice = random_splitmix(&state);
	size_t at = (size_t)sector * DISK_SECTOR;

	if (dice & 1)
		return false;
	memcpy(sector_at(s, u, sector),
	       u->again >> sector & 1 && dice & 2 ? u->way + at : u->old + at,
	       DISK_SECTOR);
	return true;
}

uint64_t disk_store_cut(struct disk_store *s, uint64_t seed, bool pages)
{
	uint64_t lost = 0;

	while (s->all) {
		struct undo *u = s->all;

		for (unsigned i = 0; i < SECTORS; i++)
			if (u->dirty >> i & 1)
				lost += cut_sector(s, u, i, seed, pages);
		disk_store_drop(s, u);
	}
	s->unsettled = 0;
	return lost;
}
