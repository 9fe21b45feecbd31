/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collect: kernel statistics -> sample.
 */
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/header.h"
#include "model/sample.h"

struct collect;

struct collect_options {
	bool no_tasks; /* leave processes out */
	char **device; /* only these devices (and what hangs on them) */
	size_t n_devices; /* 0: all that were ever used */
	bool all_devices; /* also those that never did an I/O */
};

/*
 * Open the collectors on a root, which must outlive them. 0, or -errno with a
 * sentence; a named device that does not exist is -ENODEV. Sources that the
 * kernel lacks (PSI, /proc/PID/io, inflight, ...) are no error: their rows or
 * values are absent.
 */
int collect_open(struct collect **out, const struct root *root,
		 const struct collect_options *options) must_check;
void collect_close(struct collect *c);

/*
 * Add the rows of this instant to a sample (after sample_reset()) and stamp
 * its times: mono_ns is taken next to the read of /proc/diskstats. Never
 * blocks on a device, never fails: what cannot be read is absent.
 */
void collect_sample(struct collect *c, struct sample *s);

/* CPU time of this thread and of the process's exited helpers, frame_ns and
 * late become the one row of SCHEMA_SELF. */
void collect_self(struct sample *s, uint64_t frame_ns, uint64_t late);

/* What the log's header says of the host. Never fails. */
void collect_host(const struct root *root, struct host_info *out);

/* What the log's header says of one device; false when there is none. */
bool collect_device_info(const struct root *root, const char *device,
			 struct device_info *out);

/* Why a source is absent, as a sentence ("no PSI: boot with psi=1"), one per
 * call with i from 0; NULL at the end. For the screen's help and messages. */
const char *collect_missing(const struct collect *c, size_t i);

#endif
