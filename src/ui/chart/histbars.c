/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histbars: a histogram of latencies as a row of bars.
 */
#include "ui/chart/chart.h"

#include <math.h>
#include <string.h>

/* The widest useful bar. */
#define CELLS_MAX 6

bool histbars_fill(struct histbars *out, const struct histogram *h, int room)
{
	unsigned first, end, per = 1;
	struct heat heat;
	double count;

	memset(out, 0, sizeof(*out));
	if (!h || room < 1)
		return false;
	histogram_heat_from(&heat, h);
	count = (double)histogram_heat_count(&heat);
	histogram_heat_range(&heat, &first, &end);
	if (!end)
		return false;
	while (first % per + end - first > per * (unsigned)room)
		per *= 2;
	first -= first % per;
	out->n = (int)((end - first + per - 1) / per);
	out->cells = room / out->n > CELLS_MAX ? CELLS_MAX : room / out->n;
	for (int i = 0; i < out->n; i++) {
		unsigned bin = first + (unsigned)i * per;

		out->low_ns[i] = (double)histogram_heat_low(bin);
		for (unsigned k = bin; k < bin + per && k < end; k++)
			out->share[i] += heat.bin[k] / count;
		out->most = fmax(out->most, out->share[i]);
	}
	return true;
}
