/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk store: pages of memory by the page of the disk, and what a cut would bring
 * back. All pages come from one mapping and have a number in it; page 0 is never
 * written and has zeros. Freed pages lie on a stack: those on top were used last
 * and are in memory, those below the first n_cold were given back.
 */
#include "disk/disk_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/random.h"

#define PAGE	DISK_PAGE
#define SECTORS (PAGE / DISK_SECTOR)
#define ALL	0xffu /* sectors of a page */
/* Free pages in memory: at least, and at most; and undos. */
#define STOCK	    1024u
#define STOCK_MOST  4096u
#define STOCK_UNDOS 256u

/* A page of the disk: its data, and its undo. 0: zeros; none. */
struct disk_slot {
	uint32_t page, undo;
};

#define ROW (PAGE / sizeof(struct disk_slot)) /* slots of a page */

/* Of the sectors of one page, as bits. None is dirty: the undo is free. */
struct undo {
	uint64_t page;	   /* of the disk */
	uint32_t old, way; /* pages with the content of sectors; 0: zeros */
	uint32_t next;	   /* free undo */
	uint8_t dirty;	   /* not on the medium: old has what is there */
	uint8_t flying;	   /* on the way there */
	uint8_t again;	   /* written again meanwhile: way is on the way */
};

struct disk_store {
	char *pages;
	uint32_t *row;	/* pages of slots, by page of the disk / ROW; 0: none */
	uint32_t *free; /* n_free pages */
	struct undo *undo; /* from 1 on */
	uint64_t n_rows, n_undo, n_pages; /* sizes of the mappings */
	uint32_t n_free, n_cold;
	uint32_t used;	   /* pages that were ever taken */
	uint32_t undone;   /* undos that were ever taken */
	uint32_t touched;  /* undos in memory */
	uint32_t free_undo;
};

/* Memory of which only written pages count. */
static void *disk_store_map(uint64_t n, size_t size)
{
	void *p = mmap(NULL, n * size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* Huge pages would fill the memory with zeros. */
	madvise(p, n * size, MADV_NOHUGEPAGE);
	return p;
}

int disk_store_new(struct disk_store **out, uint64_t bytes)
{
	struct disk_store *s = xcalloc(1, sizeof(*s));
	uint64_t pages = (bytes + PAGE - 1) / PAGE;

	s->used = 1;
	s->n_rows = pages / ROW + 1;
	s->n_undo = pages + 2 * STOCK_UNDOS;
	/* Each has data, old and on the way. */
	s->n_pages = 3 * pages + s->n_rows + STOCK + 1;
	if (s->n_pages <= UINT32_MAX) {
		s->pages = disk_store_map(s->n_pages, PAGE);
		s->row = disk_store_map(s->n_rows, sizeof(*s->row));
		s->free = disk_store_map(s->n_pages, sizeof(*s->free));
		s->undo = disk_store_map(s->n_undo, sizeof(*s->undo));
	}
	if (s->pages && s->row && s->free && s->undo) {
		while (disk_store_lacks(s, true))
			disk_store_prepare(s);
		*out = s;
		return 0;
	}
	disk_store_free(s);
	return fail(ENOMEM,
		    "a disk of %llu MiB does not fit into the address space; "
		    "give a smaller --size",
		    (unsigned long long)(bytes >> 20));
}

static void unmap(void *p, uint64_t bytes)
{
	if (p)
		munmap(p, bytes);
}

void disk_store_free(struct disk_store *s)
{
	if (!s)
		return;
	unmap(s->pages, s->n_pages * PAGE);
	unmap(s->row, s->n_rows * sizeof(*s->row));
	unmap(s->free, s->n_pages * sizeof(*s->free));
	unmap(s->undo, s->n_undo * sizeof(*s->undo));
	free(s);
}

/* --- pages --- */

static char *page_at(const struct disk_store *s, uint32_t page)
{
	return s->pages + (uint64_t)page * PAGE;
}

static uint32_t take_page(struct disk_store *s, bool zeros)
{
	uint32_t page;

	if (!s->n_free)
		return s->used++;
	page = s->free[--s->n_free];
	if (s->n_cold > s->n_free)
		s->n_cold = s->n_free;
	if (zeros)
		memset(page_at(s, page), 0, PAGE);
	return page;
}

static void put_page(struct disk_store *s, uint32_t page)
{
	if (page)
		s->free[s->n_free++] = page;
}

static void touch(void *p)
{
	volatile char *byte = p;

	*byte = *byte;
}

static bool lacks_undos(const struct disk_store *s)
{
	return s->touched < s->undone + STOCK_UNDOS;
}

bool disk_store_lacks(const struct disk_store *s, bool idle)
{
	uint32_t stock = s->n_free - s->n_cold;

	return stock < STOCK || (idle && stock > STOCK_MOST) || lacks_undos(s);
}

void disk_store_prepare(struct disk_store *s)
{
	uint32_t stock = s->n_free - s->n_cold;

	if (lacks_undos(s)) {
		touch(&s->undo[s->touched]);
		s->touched += PAGE / sizeof(*s->undo);
	} else if (stock > STOCK_MOST) {
		madvise(page_at(s, s->free[s->n_cold++]), PAGE, MADV_DONTNEED);
	} else if (stock < STOCK && s->n_cold) {
		touch(page_at(s, s->free[--s->n_cold]));
	} else if (stock < STOCK) {
		touch(page_at(s, s->used));
		put_page(s, s->used++);
	}
}

/* Copy these sectors of a page to another, which may have to be taken. */
static void copy_sectors(struct disk_store *s, uint32_t *to, uint32_t from,
			 unsigned sectors)
{
	if (!sectors || *to == from)
		return;
	if (!*to)
		*to = take_page(s, true);
	for (size_t i = 0; i < SECTORS; i++)
		if (sectors >> i & 1)
			memcpy(page_at(s, *to) + i * DISK_SECTOR,
			       page_at(s, from) + i * DISK_SECTOR, DISK_SECTOR);
}

/* --- slots --- */

/* NULL: there is none, and the page has zeros. */
static struct disk_slot *slot_of(struct disk_store *s, uint64_t page, bool make)
{
	uint32_t *row = &s->row[page / ROW];

	if (!*row && !make)
		return NULL;
	if (!*row)
		*row = take_page(s, true);
	return (struct disk_slot *)(void *)page_at(s, *row) + page % ROW;
}

const char *disk_store_at(const struct disk_store *s, uint64_t offset)
{
	const struct disk_slot *at = slot_of((struct disk_store *)s, offset / PAGE,
					false);

	return page_at(s, at ? at->page : 0) + offset % PAGE;
}

static struct undo *undo_of(struct disk_store *s, struct disk_slot *at, uint64_t page)
{
	struct undo *u;

	if (!at->undo) {
		at->undo = s->free_undo ? s->free_undo : ++s->undone;
		u = &s->undo[at->undo];
		s->free_undo = u->next;
		u->next = 0;
		u->page = page;
	}
	return &s->undo[at->undo];
}

/* Not dirty any more: forget the undo when no sector is. */
static void disk_store_settle(struct disk_store *s, struct disk_slot *at,
			      unsigned sectors)
{
	struct undo *u = &s->undo[at->undo];

	u->dirty &= (uint8_t)~sectors;
	u->flying &= (uint8_t)~sectors;
	u->again &= (uint8_t)~sectors;
	if (u->dirty)
		return;
	put_page(s, u->old);
	put_page(s, u->way);
	*u = (struct undo){ .next = s->free_undo };
	s->free_undo = at->undo;
	at->undo = 0;
}

/* Call fn for the sectors that a range has of each page; make: of all pages. */
typedef void each_fn(struct disk_store *s, struct disk_slot *at, uint64_t page,
		     unsigned sectors, const char *data);

static void each(struct disk_store *s, uint64_t offset, uint64_t bytes, bool make,
		 const char *data, each_fn *fn)
{
	uint64_t end = offset + bytes, next;

	for (uint64_t from = offset; from < end; from = next) {
		uint64_t page = from / PAGE;
		struct disk_slot *at = slot_of(s, page, make);
		unsigned first = from % PAGE / DISK_SECTOR, last;

		next = (at ? page + 1 : (page / ROW + 1) * ROW) * PAGE;
		if (next > end)
			next = end;
		last = (next - 1) % PAGE / DISK_SECTOR;
		if (at)
			fn(s, at, page,
			   (ALL << first) & (ALL >> (SECTORS - 1 - last)),
			   data + (from - offset));
	}
}

/* --- writes --- */

/* Keep sectors before they are written: without a copy if they are all. */
static void keep(struct disk_store *s, struct disk_slot *at, uint32_t *to,
		 unsigned sectors)
{
	if (sectors != ALL) {
		copy_sectors(s, to, at->page, sectors);
		return;
	}
	put_page(s, *to);
	*to = at->page;
	at->page = 0;
}

static void write_page(struct disk_store *s, struct disk_slot *at, uint64_t page,
		       unsigned sectors, const char *data)
{
	struct undo *u = undo_of(s, at, page);
	unsigned old = sectors & ~u->dirty;
	unsigned way = sectors & u->flying & ~u->again;
	char *to;

	keep(s, at, &u->old, old);
	keep(s, at, &u->way, way);
	u->dirty |= (uint8_t)old;
	u->again |= (uint8_t)way;
	if (!at->page)
		at->page = take_page(s, sectors != ALL);
	/* Sectors of a range are neighbours. */
	to = page_at(s, at->page) +
	     (size_t)__builtin_ctz(sectors) * DISK_SECTOR;
	memcpy(to, data, (size_t)__builtin_popcount(sectors) * DISK_SECTOR);
}

void disk_store_write(struct disk_store *s, uint64_t offset, uint64_t bytes,
		      const void *data)
{
	each(s, offset, bytes, true, data, write_page);
}

static void begin(struct disk_store *s, struct disk_slot *at, uint64_t page,
		  unsigned sectors, const char *data)
{
	struct undo *u = &s->undo[at->undo];

	u->flying |= (uint8_t)(u->dirty & sectors);
}

void disk_store_begin(struct disk_store *s, uint64_t offset, uint64_t bytes)
{
	each(s, offset, bytes, false, "", begin);
}

static void arrive(struct disk_store *s, struct disk_slot *at, uint64_t page,
		   unsigned sectors, const char *data)
{
	struct undo *u = &s->undo[at->undo];
	unsigned arrived = sectors & u->flying, again = arrived & u->again;

	if (!arrived)
		return;
	u->flying &= (uint8_t)~arrived;
	u->again &= (uint8_t)~again;
	if (again == ALL) {
		put_page(s, u->old);
		u->old = u->way;
		u->way = 0;
	} else {
		copy_sectors(s, &u->old, u->way, again);
	}
	disk_store_settle(s, at, arrived & ~again);
}

void disk_store_arrive(struct disk_store *s, uint64_t offset, uint64_t bytes)
{
	each(s, offset, bytes, false, "", arrive);
}

static void secure(struct disk_store *s, struct disk_slot *at, uint64_t page,
		   unsigned sectors, const char *data)
{
	if (at->undo)
		disk_store_settle(s, at, sectors);
}

void disk_store_secure(struct disk_store *s, uint64_t offset, uint64_t bytes)
{
	each(s, offset, bytes, false, "", secure);
}

static void discard(struct disk_store *s, struct disk_slot *at, uint64_t page,
		    unsigned sectors, const char *data)
{
	secure(s, at, page, sectors, data);
	if (sectors != ALL) {
		copy_sectors(s, &at->page, 0, sectors);
		return;
	}
	put_page(s, at->page);
	at->page = 0;
}

void disk_store_discard(struct disk_store *s, uint64_t offset, uint64_t bytes)
{
	each(s, offset, bytes, false, "", discard);
}

void disk_store_flip(struct disk_store *s, uint64_t offset, unsigned bit)
{
	struct disk_slot *at = slot_of(s, offset / PAGE, true);
	char *byte;

	if (!at->page)
		at->page = take_page(s, true);
	byte = page_at(s, at->page) + offset % PAGE;
	*byte = (char)(*byte ^ 1 << (bit & 7));
}

/* --- cuts --- */

/* What one sector becomes: as it is, as it was on the way, or as it was. */
static bool cut_sector(struct disk_store *s, const struct undo *u,
		       struct disk_slot *at, unsigned sector, uint64_t seed, bool pages)
{
	uint64_t state = seed ^ (u->page * SECTORS + (pages ? 0 : sector));
	uint64_t dice = random_splitmix(&state);

	if (dice & 1)
		return false;
	copy_sectors(s, &at->page,
		     u->again >> sector & 1 && dice & 2 ? u->way : u->old,
		     1u << sector);
	return true;
}

uint64_t disk_store_cut(struct disk_store *s, uint64_t seed, bool pages)
{
	uint64_t lost = 0;

	for (uint32_t i = 1; i <= s->undone; i++) {
		struct undo *u = &s->undo[i];
		struct disk_slot *at;

		if (!u->dirty)
			continue;
		at = slot_of(s, u->page, false);
		for (unsigned k = 0; k < SECTORS; k++)
			if (u->dirty >> k & 1)
				lost += cut_sector(s, u, at, k, seed, pages);
		disk_store_settle(s, at, ALL);
	}
	return lost;
}
