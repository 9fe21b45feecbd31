/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fileio check: blocks that differ from all others, for validate=on.
 *
 * Checksum: CRC-32 of ISO 3309, the one of zlib, bit by bit from a table of 16
 * entries; the generator's path is not meant to be fast with validation.
 */
#include "workload/kind/fileio.h"

#include <stdlib.h>
#include <string.h>

struct tail {
	uint32_t sum;
	uint64_t offset;
} __attribute__((packed));

static uint32_t fileio_check_sum(const char *p, size_t n)
{
	static const uint32_t nibble[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	uint32_t sum = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		sum ^= (unsigned char)p[i];
		sum = sum >> 4 ^ nibble[sum & 15];
		sum = sum >> 4 ^ nibble[sum & 15];
	}
	return ~sum;
}

void fileio_check_fill(struct random *r, char *block, size_t bytes,
		       uint64_t offset)
{
	struct tail tail = { .offset = offset };
	size_t n;

	if (bytes < sizeof(tail)) {
		memset(block, 0, bytes);
		return;
	}
	n = bytes - sizeof(tail);
	for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
		uint64_t word = random_next(r);

		memcpy(block + i, &word,
		       n - i < sizeof(word) ? n - i : sizeof(word));
	}
	tail.sum = fileio_check_sum(block, n);
	memcpy(block + n, &tail, sizeof(tail));
}

bool fileio_check_good(const char *block, size_t bytes, uint64_t offset)
{
	struct tail tail;
	size_t n;

	if (bytes < sizeof(tail))
		return true;
	n = bytes - sizeof(tail);
	memcpy(&tail, block + n, sizeof(tail));
	return tail.offset == offset &&
	       tail.sum == fileio_check_sum(block, n);
}
