/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tunable of a queue or of the host, and its value at an instant.
 */
#ifndef MODEL_SCHEMA_KNOB_H
#define MODEL_SCHEMA_KNOB_H

#include "model/schema/schema.h"

/*
 * id is DEVICE.KNOB ("vda.scheduler", "vda.iosched.fifo_batch") or GROUP.KNOB of
 * a group of the host's knobs ("vm.dirty_ratio", "kernel.task_delayacct"). The texts live in the sample's arena. choices is NULL
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

/*
 * The groups of the host's knobs; NULL after the last. In the header of a log
 * the knobs of the first one stand without its name.
 */
const char *schema_knob_group(size_t i);

/* "vm" or "vm.dirty_ratio": a knob of the host, not of a device. */
bool schema_knob_is_host(const char *name);

#endif
