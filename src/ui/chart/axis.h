/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Axis: converts values to heights, and finds round values for its labels.
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
 * Fit an axis to the values from least (above 0) to most, with round ends in
 * the unit. A linear axis begins at 0. least and most are NaN or 0 when there
 * are no values.
 */
void axis_fit(struct axis *a, enum unit unit, bool log, double least,
	      double most);

/*
 * The height of a value, 0 to 1; NaN for NaN. On a logarithmic axis, values of
 * 0 or below are at the lower end.
 */
double axis_part(const struct axis *a, double v);

/*
 * Store round values from low to high, both included, at most room of them (2
 * to AXIS_TICKS). Returns their number.
 */
size_t axis_ticks(const struct axis *a, size_t room, double *tick);

#endif
