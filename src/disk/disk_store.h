/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk store: the data of a simulated disk, in memory that only what was written
 * occupies (and 4 to 16 MiB of free pages), and what a power cut would undo.
 *
 * A sector that was written but has not reached the medium keeps its old content
 * beside it. While it is on the way to the medium and is written again, the
 * content on the way is kept, too: once that has arrived, it is what a cut brings
 * back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

#define DISK_SECTOR 512u
#define DISK_PAGE   4096u

struct disk_store;

/* A store full of zeros. 0, or -errno with a sentence. */
int disk_store_new(struct disk_store **out, uint64_t bytes) must_check;
void disk_store_free(struct disk_store *s);

/*
 * A virtual machine may need 200 us to get a page of memory. disk_store_prepare()
 * gets one before it is needed, or gives one back; call it while
 * disk_store_lacks() and nothing is due. Only an idle disk gives back: the data of a
 * full cache are free in one moment and needed again in the next.
 */
bool disk_store_lacks(const struct disk_store *s, bool idle);
void disk_store_prepare(struct disk_store *s);

/*
 * The bytes at an offset, up to the end of their page of DISK_PAGE bytes, valid
 * until the store changes.
 */
const char *disk_store_at(const struct disk_store *s, uint64_t offset);

/*
 * Write into the cache: the data are there at once, and are lost by a cut until
 * disk_store_arrive(). Ranges are of whole sectors.
 */
void disk_store_write(struct disk_store *s, uint64_t offset, uint64_t bytes,
		      const void *data);
/* The range is on its way to the medium; it has arrived there. */
void disk_store_begin(struct disk_store *s, uint64_t offset, uint64_t bytes);
void disk_store_arrive(struct disk_store *s, uint64_t offset, uint64_t bytes);
/* The range is where no cut loses it, whatever is on its way. */
void disk_store_secure(struct disk_store *s, uint64_t offset, uint64_t bytes);
/* Make the range zeros, on the medium. */
void disk_store_discard(struct disk_store *s, uint64_t offset, uint64_t bytes);
/* Flip a bit on the medium. */
void disk_store_flip(struct disk_store *s, uint64_t offset, unsigned bit);

/*
 * Power is lost: each sector that has not arrived is kept or lost, half of them, by the
 * seed and the number of the sector; with pages, all sectors of a page of 4096
 * bytes together. Returns how many were lost.
 */
uint64_t disk_store_cut(struct disk_store *s, uint64_t seed, bool pages);
