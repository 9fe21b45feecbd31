/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob control: the one place where wishes about knobs become turns, and where
 * their outcomes become events. A turn is asynchronous: the keeper writes and
 * reads back, and the answer is an EVENT_KNOB that holds what the kernel says.
 * It knows no screen: what an operator should read comes through on_message.
 */
#ifndef CMD_SESSION_KNOB_CONTROL_H
#define CMD_SESSION_KNOB_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/root.h"
#include "cmd/session/pipeline.h"
#include "knob/keeper.h"

/* A value to set, now or when its turn in the queue comes. */
struct knob_wish {
	char device[32], knob[64], value[64], by[12];
};

struct knob_wish knob_control_wish(const char *device, const char *knob,
				   const char *value, const char *by);

/* For reading only, but in knob_control.c. */
struct knob_control {
	const struct root *root;   /* borrowed */
	struct pipeline *pipeline; /* borrowed */
	struct keeper *keeper;     /* NULL: no knob is ever turned */
	char no_knobs[1000];       /* why no knob can be turned, or "" */
	uid_t keeper_uid;          /* the device whose journal it is */
	bool keeper_dead;          /* it died; its journal remains */

	struct knob_wish pending; /* the turn under way */
	bool pending_undo;        /* it is an undo itself */
	bool pending_queued;      /* it came from the queue */
	struct knob_wish *queue;
	size_t n_queue, cap_queue;
	size_t n_failed; /* of the queue, since it was empty */

	struct knob_wish undo[64]; /* the turns that undo the last ones */
	size_t n_undo;
	/* Devices that were turned; the last n_reset of them wait for a reset.
	 */
	char (*turned_device)[32];
	size_t n_turned, cap_turned, n_reset;
	bool resetting; /* the keeper puts back the settings of one */

	bool turned;     /* something was, or may have been */
	bool restored;   /* settings are put back: changes now are ours */
	bool unrestored; /* a setting could not be put back, and why: */
	char unrestored_words[512];
	/* A sentence for each setting that is not as it was, to be printed. */
	char (*left)[320];
	size_t n_left, cap_left;
	bool held; /* one of them is left to another instance */

	/* A sentence for the operator; in_log: it is an event as well. */
	void (*on_message)(void *arg, const char *sentence, bool in_log);
	/* A turn was answered: it is an event already. */
	void (*on_answer)(void *arg, const struct event *e);
	/* A wish of the queue was refused before the keeper was asked. */
	void (*on_refused)(void *arg, const char *by, const char *sentence);
	/* The queue is empty again; failed: how many of its turns failed. */
	void (*on_queue_done)(void *arg, size_t failed);
	void *arg;
};

void knob_control_init(struct knob_control *kc, const struct root *root,
		       struct pipeline *pipeline);
/* Forks the keeper: see keeper_start(). 0, or -errno with a sentence. */
int knob_control_open(struct knob_control *kc, int tty) must_check;
void knob_control_free(struct knob_control *kc);

/* To poll; -1: there is no keeper. Then knob_control_receive(). */
int knob_control_fd(const struct knob_control *kc);
void knob_control_receive(struct knob_control *kc);

/* The device with a turn or a reset under way, or NULL, and since when. */
const char *knob_control_pending(const struct knob_control *kc,
				 uint64_t *since_ns);

/*
 * Turn a knob now. 0: the keeper was asked; -EBUSY with a sentence while
 * another turn is pending, -EPERM, -EINVAL.
 */
int knob_control_set(struct knob_control *kc, const char *device,
		     const char *knob, const char *value,
		     const char *by) must_check;
/*
 * Turn several knobs one after the other, in the order in which they must be
 * set (scheduler first, readahead last), as soon as the keeper is free;
 * on_queue_done when all were answered, at once when n is 0. A wish that is
 * refused at once counts as failed.
 */
void knob_control_queue(struct knob_control *kc, const struct knob_wish *wish,
			size_t n);
/* Turns of the queue are waiting or under way. */
bool knob_control_queued(const struct knob_control *kc);

/* Take back the last turn that was not taken back. -ENOENT: there is none. */
int knob_control_undo(struct knob_control *kc) must_check;
/* Put back all that was turned of a device, or ("") of all devices. */
int knob_control_reset(struct knob_control *kc, const char *device) must_check;

/*
 * The end: put back what was turned; each setting becomes an event. Failures
 * are in unrestored_words.
 */
void knob_control_restore(struct knob_control *kc);
/* A report of the keeper at the end: a setting put back, or a late answer. */
void knob_control_restored(const struct keeper_report *r, void *kc);

#endif
