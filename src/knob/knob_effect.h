/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob effect: which turns would have none at present, and why.
 */
#ifndef KNOB_KNOB_EFFECT_H
#define KNOB_KNOB_EFFECT_H

#include <stddef.h>

#include "knob/knob.h"
#include "knob/knob_held.h"

/* What a rule may look at. */
struct knob_context {
	const struct knob_held_device *device, *host;
	const struct knob_held *knob;
	/* Who lies above the device with a readahead of its own; "" nobody. */
	const char *above;
	bool one_cpu;
};

/* The rule for a setting of that name, or -1; for knob_no_effect(). */
int knob_effect_rule(const char *name);
/* Words as an arena or the caller keeps them, or NULL: it has an effect. */
const char *knob_no_effect(const struct knob_context *c, char *buf,
			   size_t size);

#endif
