/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alias: draw one of n things by their shares in constant time, without a
 * division (Walker 1977; the table is built as Vose 1991 says).
 */
#ifndef WORKLOAD_ALIAS_H
#define WORKLOAD_ALIAS_H

#include <stdint.h>

struct alias {
	uint32_t n;
	struct alias_cell {
		uint64_t below; /* of the fraction: draw this one; else the
				   other */
		uint32_t other;
	} cell[];
};

/*
 * A table for n > 0 shares, each at least 0 and one above; they need not sum
 * up to anything. Never NULL; to be freed with free().
 */
struct alias *alias_new(const double *share, uint32_t n);

/*
 * The thing that 64 random bits choose; the error of a share is below n / 2^53.
 */
static inline uint32_t alias_draw(const struct alias *a, uint64_t random)
{
	unsigned __int128 m = (unsigned __int128)random * a->n;
	uint32_t i = (uint32_t)(m >> 64);

	return (uint64_t)m < a->cell[i].below ? i : a->cell[i].other;
}

#endif
