/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob control: turns knobs and makes an event of each result. A turn is
 * asynchronous: the keeper writes and reads back, and the answer is an
 * EVENT_KNOB with the value that the kernel shows. Knob control knows no
 * screen: sentences for the operator go through on_message.
 */
#pragma once

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
	char device[32], knob[64], value[64];
	enum event_by by;
};

/* Make a wish; the texts are copied. */
struct knob_wish knob_control_wish(const char *device, const char *knob,
				   const char *value, enum event_by by);

/* Only knob_control.c changes the members. */
struct knob_control {
	const struct root *root;   /* borrowed */
	struct pipeline *pipeline; /* borrowed */
	struct keeper *keeper;     /* NULL: no knob is ever turned */
	char no_knobs[1000];       /* why no knob can be turned, or "" */
	uid_t keeper_uid;          /* effective user at the keeper's start */
	bool keeper_dead;          /* the keeper died; its journal remains */

	struct knob_wish pending; /* the turn under way */
	bool pending_undo;        /* that turn is an undo */
	bool pending_queued;      /* that turn came from the queue */
	struct knob_wish *queue;
	size_t n_queue, cap_queue;
	size_t n_failed; /* failed turns since the queue was empty */

	struct knob_wish undo[64]; /* the turns that undo the last ones */
	size_t n_undo;
	/* Devices that were turned; the last n_reset of them wait for a reset.
	 */
	char (*turned_device)[32];
	size_t n_turned, cap_turned, n_reset;
	bool resetting;    /* the keeper is resetting a device */
	enum event_by reset_by; /* on whose behalf */

	bool turned;     /* a knob was turned, or may have been */
	bool restored;   /* the end puts settings back: changes are ours */
	bool unrestored; /* a setting could not be put back; the reason: */
	char unrestored_words[512];
	/* A sentence for each setting that is not as it was, to be printed. */
	char (*left)[320];
	size_t n_left, cap_left;
	bool held; /* another instance puts one of them back later */

	/* A sentence for the operator; in_log: it is an event as well. */
	void (*on_message)(void *arg, const char *sentence, bool in_log);
	/* The keeper answered a turn; the event is in the pipeline already. */
	void (*on_answer)(void *arg, const struct event *e);
	/* A wish of the queue was refused before the keeper was asked. */
	void (*on_refused)(void *arg, enum event_by by, const char *sentence);
	/* The queue is empty again; failed: the number of failed turns. */
	void (*on_queue_done)(void *arg, size_t failed);
	void *arg;
};

/* root and pipeline are borrowed. */
void knob_control_init(struct knob_control *kc, const struct root *root,
		       struct pipeline *pipeline);
/* Fork the keeper: see keeper_start(). 0, or -errno with a sentence. */
int knob_control_open(struct knob_control *kc, int tty) must_check;
void knob_control_free(struct knob_control *kc);

/*
 * The descriptor to poll, or -1 without a keeper. When it is readable, call
 * knob_control_receive().
 */
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
		     enum event_by by) must_check;
/*
 * Turn several knobs one after the other, in the order in which they must be
 * set (scheduler first, readahead last), as soon as the keeper is free;
 * on_queue_done when all were answered, at once when n is 0. A wish that is
 * refused at once counts as failed.
 */
void knob_control_queue(struct knob_control *kc, const struct knob_wish *wish,
			size_t n);
/* Whether turns of the queue are waiting or under way. */
bool knob_control_queued(const struct knob_control *kc);

/*
 * Undo the last turn that was not undone. 0: the keeper was asked; -ENOENT:
 * there is none; else as knob_control_set().
 */
int knob_control_undo(struct knob_control *kc) must_check;
/*
 * Put back every changed setting of a device, or, with "", of all devices; the
 * events are by "by". 0, or -errno with a sentence.
 */
int knob_control_reset(struct knob_control *kc, const char *device,
		       enum event_by by) must_check;

/*
 * At the end, put back every changed setting; each becomes an event. Failures
 * are in left and unrestored_words.
 */
void knob_control_restore(struct knob_control *kc);
/* A report of the keeper at the end: a setting put back, or a late answer. */
void knob_control_restored(const struct keeper_report *r, void *kc);
