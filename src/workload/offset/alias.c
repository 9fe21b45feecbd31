/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alias: build the table.
 */
#include "workload/offset/alias.h"

#include <stdlib.h>

#include "base/alloc.h"

/* A probability as the bound of a 64-bit fraction. */
static uint64_t bound(double p)
{
	if (p >= 1)
		return UINT64_MAX;
	return p > 0 ? (uint64_t)(p * 0x1p64) : 0;
}

struct alias *alias_new(const double *share, uint32_t n)
{
	struct alias *a = xmalloc(sizeof(*a) + n * sizeof(a->cell[0]));
	double *p = xcalloc(n, sizeof(*p)), sum = 0;
	uint32_t *list = xcalloc(n, sizeof(*list)), small = 0, large = n;

	for (uint32_t i = 0; i < n; i++)
		sum += share[i];
	/*
	 * Pair the small shares from the left with the large ones from the
	 * right.
	 */
	for (uint32_t i = 0; i < n; i++) {
		p[i] = share[i] / sum * n;
		list[p[i] < 1 ? small++ : --large] = i;
	}
	a->n = n;
	while (small && large < n) {
		uint32_t poor = list[--small], rich = list[large];

		a->cell[poor].below = bound(p[poor]);
		a->cell[poor].other = rich;
		p[rich] -= 1 - p[poor];
		if (p[rich] < 1) {
			large++;
			list[small++] = rich;
		}
	}
	/* The shares that are left are 1 except for rounding. */
	while (large < n)
		list[small++] = list[large++];
	while (small) {
		uint32_t i = list[--small];

		a->cell[i].below = UINT64_MAX;
		a->cell[i].other = i;
	}
	free(p);
	free(list);
	return a;
}
