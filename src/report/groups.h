/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups: devices while the jobs of a group ran, without layout and ramp. A
 * group is fio's: it begins at a stonewall or new_group, and its jobs are
 * reported together.
 */
#ifndef REPORT_GROUPS_H
#define REPORT_GROUPS_H

#include "report/window.h"

/* Devices of further groups are not kept. */
#define GROUPS_MAX 64

struct group_devices {
	unsigned id;
	struct window devices;
};

/* A zeroed struct is valid and empty. */
struct groups {
	struct group_devices *list; /* in the order in which they ran */
	size_t n, cap;
};

/* Add the devices of a frame to each group that ran in it. */
void groups_add(struct groups *g, const struct frame *f);
/* The devices of a group; NULL when no whole interval was its own. */
const struct window *groups_devices(const struct groups *g, unsigned id);
void groups_free(struct groups *g);

#endif
