/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper wire: what goes over the socket pair. One message each way is one
 * fixed-size struct; replies are struct keeper_report.
 */
#ifndef KNOB_KEEPER_WIRE_H
#define KNOB_KEEPER_WIRE_H

#include <stdint.h>

#include "base/root.h"
#include "knob/knob.h"

enum wire_op {
	WIRE_SET,
	WIRE_RESTORE,
	WIRE_STOP, /* restore, and end; the peer is alive and well */
	WIRE_FORGET, /* what was turned so far is to stay */
};

/*
 * device is a name, not an index: devices come and go, so an index would
 * mean another one by the time it arrives. The keeper takes only what it
 * finds itself in sys/block. row is an index of knobs[]; tunable is the file
 * of a found knob, which the keeper must find under that name as well.
 * WIRE_RESTORE has a device, or "" for all.
 */
struct wire_request {
	uint32_t op;
	uint32_t row;
	char device[KNOB_DEVICE_MAX];
	char tunable[KNOB_NAME_MAX];
	char value[KNOB_VALUE_MAX];
};

/* What the keeper's process is given. It closes all other descriptors. */
struct keeper_inheritance {
	const struct root *root;
	int socket;
	int peer;  /* pidfd of the peer, -1 when the kernel has none */
	int tty;   /* -1: none */
	int ready; /* closed once dead journals are dealt with */
};

/* The keeper's life. */
void keeper_process(const struct keeper_inheritance *in)
	__attribute__((noreturn));

#endif
