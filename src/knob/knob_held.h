/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Held knobs: the settings of one device, their files kept open for cheap
 * reading again.
 */
#ifndef KNOB_KNOB_HELD_H
#define KNOB_KNOB_HELD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/root.h"
#include "knob/knob_path.h"
#include "model/schema.h"

/* How many files may be open at once, and are, over all devices. */
struct knob_held_budget {
	size_t used, max;
};

/* One setting. value "" is absent; choices "" is none. */
struct knob_held {
	const struct knob *row;
	int fd;              /* -1: not open */
	int rule;            /* see knob_effect.h */
	char id[ROW_ID_MAX]; /* "vda.scheduler" */
	char name[KNOB_NAME_MAX];
	char value[KNOB_VALUE_MAX];
	char choices[2 * KNOB_VALUE_MAX];
	char original[KNOB_VALUE_MAX]; /* when it was first seen; "" never */
};

/* What a tunable was when it was first seen: they come and go. */
struct knob_origin {
	char name[KNOB_NAME_MAX], scheduler[KNOB_VALUE_MAX];
	char value[KNOB_VALUE_MAX];
};

/* fixed has one for each row of knobs[], found has the tunables. */
struct knob_held_device {
	char name[ROW_ID_MAX];
	struct knob_held *fixed;
	struct knob_held *found;
	size_t n_found, cap_found;
	struct knob_origin *origin;
	size_t n_origins, cap_origins;
};

void knob_held_init(struct knob_held_device *d, const char *name);
void knob_held_free(struct knob_held_device *d,
		    struct knob_held_budget *budget);

/*
 * Read all anew. keep: hold the files open as far as the budget goes, else
 * close them. The iosched directory goes away and comes back at a switch of
 * the scheduler: its files are then found and opened anew.
 */
void knob_held_read(struct knob_held_device *d, const struct root *root,
		    bool keep, struct knob_held_budget *budget);

#endif
