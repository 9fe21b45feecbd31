/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob values: from the kernel's text to a value, and is a wanted one right.
 */
#ifndef KNOB_KNOB_VALUE_H
#define KNOB_KNOB_VALUE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "knob/knob.h"

/*
 * "none [mq-deadline] kyber" gives the value "mq-deadline" and the choices
 * "none mq-deadline kyber". Without brackets (a device that has no scheduler
 * says "none") the first word is the value and nothing is known of choices.
 * Numbers have no choices. choices may be NULL. False when the value does not
 * fit: a cut value must never be written back.
 */
bool knob_value_parse(const struct knob *row, const char *text, char *value,
		      size_t value_size, char *choices, size_t choices_size);

/*
 * May the value be written? now and choices are what the kernel says at
 * present. The kernel takes negative numbers for scheduler tunables and
 * clamps them in silence, so this must tell. 0, or -EINVAL with a sentence.
 */
int knob_value_check(const struct knob *row, const char *device,
		     const char *knob, const char *now, const char *choices,
		     const char *wanted) must_check;

#endif
