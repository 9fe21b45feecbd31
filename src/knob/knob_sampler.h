/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob sampler: fills the knob rows of a sample, and scheduler and readahead of
 * its device rows.
 */
#ifndef KNOB_KNOB_SAMPLER_H
#define KNOB_KNOB_SAMPLER_H

#include "base/root.h"
#include "model/sample.h"

struct knob_sampler;

/* root must outlive the sampler. */
struct knob_sampler *knob_sampler_new(const struct root *root);
/* k may be NULL. */
void knob_sampler_free(struct knob_sampler *k);

/*
 * Fill the knob rows of s; its device rows say which devices there are. Devices
 * that did I/O since the last call and watched devices are read; of idle ones
 * and of the host some are read now and then. The last known values of the
 * others are repeated, so the table is always complete. The first call reads
 * all.
 */
void knob_sampler_read(struct knob_sampler *k, struct sample *s);
/* Read this device's knobs at every sample from now on. */
void knob_sampler_watch(struct knob_sampler *k, const char *device);

#endif
