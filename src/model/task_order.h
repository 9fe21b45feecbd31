/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task order: what an operator wants done to a process, as typed: "TERM",
 * "nice 10", "ionice idle", "ionice be 7".
 */
#ifndef MODEL_TASK_ORDER_H
#define MODEL_TASK_ORDER_H

#include <stdbool.h>
#include <stddef.h>

enum task_order_kind {
	TASK_ORDER_SIGNAL, /* number: the signal */
	TASK_ORDER_NICE,   /* number: -20 to 19 */
	TASK_ORDER_IONICE, /* number: as ioprio_set(2) takes it */
};

struct task_order {
	enum task_order_kind kind;
	int number;
	char words[64]; /* "send TERM to", "set nice 10 of" */
};

/* How an order is written, for a prompt. */
#define TASK_ORDER_FORMS                                                  \
	"TERM, KILL, STOP, CONT, HUP, INT; nice -20..19; ionice idle|be " \
	"0..7|rt 0..7"

/* False for anything that is no order. */
bool task_order_parse(const char *text, struct task_order *out);

#endif
