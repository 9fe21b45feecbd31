/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tunable of a queue or of the host, and its value at an instant.
 */
#ifndef MODEL_SCHEMA_KNOB_H
#define MODEL_SCHEMA_KNOB_H

#include "model/schema.h"

/*
 * id is DEVICE.KNOB ("vda.scheduler", "vda.iosched.fifo_batch") or vm.KNOB
 * ("vm.dirty_ratio"). The texts live in the sample's arena. choices is NULL
 * for a number, else what the kernel offers, blank-separated.
 */
struct knob_raw {
	struct row_key key;
	const char *value;
	const char *choices;
};

extern const struct schema schema_knob;

#endif
