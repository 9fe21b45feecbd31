/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob: the tunables of block queues and of the host's writeback.
 *
 * A knob is one row of knobs[]: sampled, listed, shown, set, journalled and
 * restored from that row. The tunables of the active scheduler are found under
 * queue/iosched/, not listed: they belong to the row "iosched".
 */
#ifndef KNOB_KNOB_H
#define KNOB_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/sample.h"

enum knob_kind {
	KNOB_CHOICE, /* "none [mq-deadline] kyber": one of what is offered */
	KNOB_NUMBER, /* an integer within [min, max] */
	KNOB_FOUND,  /* a directory of tunables; each is a knob name.FILE */
};

struct knob {
	const char *name; /* "read_ahead_kb"; found: "iosched" */
	const char *path; /* below the device's directory, or below proc/ for a
			     host knob */
	enum knob_kind kind;
	bool host;    /* "vm.NAME" instead of "DEVICE.NAME" */
	bool freezes; /* a write stops the queue for a moment */
	int order;    /* of setting and restoring: lower first, readahead
			 last because other writes raise it */
	long long min, max;
	const char *unit; /* "KiB", "us", "" */
	const char *help; /* one sentence without a full stop */
};

extern const struct knob knobs[];
extern const size_t n_knobs;

/* The row of a knob ("iosched.fifo_batch" finds "iosched"), or NULL. */
const struct knob *knob_find(const char *name);

/* Fills the knob rows of a sample, and scheduler and readahead of its device
 * rows. */
struct knob_sampler;

struct knob_sampler *knob_sampler_new(const struct root *root);
void knob_sampler_free(struct knob_sampler *k);

/*
 * The sample's device rows tell which devices there are. Devices that did I/O
 * since the last call, and the watched ones, are read anew; of the idle ones,
 * and of the host's, some now and then. The last known values of the rest are
 * repeated, so that the table is always whole. The first call reads all.
 */
void knob_sample(struct knob_sampler *k, struct sample *s);
/* Read this device's knobs at every sample from now on. */
void knob_sampler_watch(struct knob_sampler *k, const char *device);

/*
 * Read one knob now. 0 with the value ("mq-deadline") and, where it has any,
 * the choices ("none mq-deadline kyber"; else ""), or -errno with a sentence.
 */
int knob_get(const struct root *root, const char *device, const char *knob,
	     char *value, size_t value_size, char *choices,
	     size_t choices_size) must_check;

/*
 * Could this value be set now? The keeper checks again; this one has the
 * sentence. 0; -EINVAL when the kernel does not offer it or it is out of
 * range; -EACCES, -EROFS, -ENODEV, -ENOENT.
 */
int knob_check(const struct root *root, const char *device, const char *knob,
	       const char *value) must_check;

#endif
