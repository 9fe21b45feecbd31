/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Axis: values to heights, and the round values that stand beside it.
 */
#ifndef UI_AXIS_H
#define UI_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/schema/schema.h"

#define AXIS_TICKS 24

/* low is 0 on a linear axis, above 0 on a logarithmic one. */
struct axis {
	enum unit unit;
	bool log;
	double low, high;
};

/*
 * Fit an axis to the values from least (above 0) to most: its ends are round
 * in its unit. A linear one begins at 0. NaN or 0 when there is none.
 */
void axis_fit(struct axis *a, enum unit unit, bool log, double least,
	      double most);

/*
 * The height of a value, 0 to 1; NaN for NaN. A logarithmic axis has no place
 * for values of 0 or below: they stand at its lower end.
 */
double axis_part(const struct axis *a, double v);

/*
 * Round values from low to high, both included, at most room of them (2 to
 * AXIS_TICKS). Returns how many.
 */
size_t axis_ticks(const struct axis *a, size_t room, double *tick);

#endif
