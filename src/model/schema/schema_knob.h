/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tunable of a queue or of the host, and its value at an instant.
 */
#ifndef MODEL_SCHEMA_KNOB_H
#define MODEL_SCHEMA_KNOB_H

#include "model/schema/schema.h"

/*
 * id is DEVICE.KNOB ("vda.scheduler", "vda.iosched.fifo_batch") or vm.KNOB
 * ("vm.dirty_ratio"). The texts live in the sample's arena. choices is NULL
 * for a number, else what the kernel offers, blank-separated. original is NULL
 * while the value is what it was at the start; no_effect while a turn has one.
 */
struct knob_raw {
	struct row_key key;
	const char *value;
	const char *choices;
	const char *original;
	const char *no_effect;
};

extern const struct schema schema_knob;

#endif
