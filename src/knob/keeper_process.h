/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper process: the process itself, and the messages over its socket. One
 * request is one struct of fixed size; replies are struct keeper_report.
 */
#ifndef KNOB_KEEPER_PROCESS_H
#define KNOB_KEEPER_PROCESS_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "knob/knob.h"

enum keeper_op {
	KEEPER_OP_SET,
	KEEPER_OP_RESTORE,
	KEEPER_OP_STOP,   /* restore, and end; the peer is alive and well */
	KEEPER_OP_FORGET, /* the values set so far stay */
};

/*
 * device is a name, not an index: devices come and go, so an index could mean
 * another one when it arrives. The keeper takes only names that it finds itself
 * in sys/block. row is an index of knobs[]; tunable is the file of a found
 * knob, which the keeper must find under that name as well. KEEPER_OP_RESTORE
 * has a device, or "" for all.
 */
struct keeper_request {
	uint32_t op;
	uint32_t row;
	char device[KNOB_DEVICE_MAX];
	char tunable[KNOB_NAME_MAX];
	char value[KNOB_VALUE_MAX];
};

/* The descriptors that the process is given. It closes all others. */
struct keeper_inheritance {
	const struct root *root;
	int socket;
	int peer_socket; /* the peer's end, which is closed first of all */
	int peer;        /* pidfd of the peer, -1 when the kernel has none */
	int tty;         /* -1: none */
	int ready;       /* closed once dead journals are dealt with */
};

/* Run the keeper in a process that was just forked. */
void never_returns keeper_process(const struct keeper_inheritance *in);

#endif
