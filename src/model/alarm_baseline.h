/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarm baseline: what is usual for a device, learnt while it works.
 *
 * The mean time of a request is compared only with intervals of a like load:
 * requests of like size (a factor of 4) and a queue of like length (a factor
 * of 4). So a load that becomes higher, or other, is compared with nothing
 * until it has a past of its own.
 */
#ifndef MODEL_ALARM_BASELINE_H
#define MODEL_ALARM_BASELINE_H

#include <stddef.h>

struct alarm_baseline;

/* Never NULL; to be freed by alarm_baseline_free(), which takes NULL. */
struct alarm_baseline *alarm_baseline_new(void);
void alarm_baseline_free(struct alarm_baseline *b);

/*
 * The median of the last intervals (up to 63) in which the device had a like
 * load, in ns; NaN while there were fewer than 15. Then the value is learnt.
 * op is 0 for reads and 1 for writes; bytes is the mean size of a request,
 * queue the mean number of them. Which intervals count is the caller's choice.
 */
double alarm_baseline_add(struct alarm_baseline *b, const char *device, int op,
			  double bytes, double queue, double await_ns);

#endif
