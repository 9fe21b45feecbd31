/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper: the small process that alone writes kernel settings, and puts them
 * back when whoever started it is gone, for whatever reason.
 */
#ifndef KNOB_KEEPER_H
#define KNOB_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"

struct keeper;

/*
 * Fork the keeper: before any thread, before privileges are dropped, before
 * files are opened. root must be open. tty is the terminal to give back if the
 * peer dies (-1: none); the keeper remembers its settings now. Journals that
 * no living keeper owns are put back first. 0, or -errno with a sentence.
 */
int keeper_start(struct keeper **out, const struct root *root,
		 int tty) must_check;

/* Poll this for input; then call keeper_receive(). */
int keeper_fd(const struct keeper *k);

/*
 * Ask for a turn; the answer comes through keeper_receive(). 0; -EBUSY with a
 * sentence while another turn is pending; -EINVAL when the request cannot be
 * sent (no such knob); -EPIPE when the keeper is gone.
 */
int keeper_set(struct keeper *k, const char *device, const char *knob,
	       const char *value) must_check;

/*
 * Ask that everything be put back, or all of one device (NULL: of all).
 * Answered by KEEPER_RESTORED reports (one per setting put back or left) and a
 * last KEEPER_DONE; pending until then, as a turn is. 0; -EBUSY with a
 * sentence while a turn is pending; -EPIPE.
 */
int keeper_restore(struct keeper *k, const char *device) must_check;

/*
 * What was turned so far is to stay: forget it, and the journal of it (iodyno
 * knob set). Not while a turn is pending.
 */
int keeper_forget(struct keeper *k) must_check;

enum keeper_report_kind {
	KEEPER_TURNED,   /* the answer to keeper_set(): error 0 or errno */
	KEEPER_CHANGED,  /* another setting that this turn changed too; these
			    come before their KEEPER_TURNED */
	KEEPER_RESTORED, /* put back (error 0), or why not: errno; ESTALE when
			    somebody else changed it since, so it is left.
			    These also come right after keeper_start() when a
			    dead run's journal was found */
	KEEPER_DONE,     /* error 0, or errno when a setting could not be put
			    back: exit status 5 */
};

struct keeper_report {
	enum keeper_report_kind kind;
	int error;
	char device[32], knob[64];
	char old_value[64]; /* before */
	char new_value[64]; /* as the kernel says now */
	char wanted[64];
	int64_t took_ns; /* of the write itself */
};

/* Take one report; 1, 0 when there is none now, -EPIPE: the keeper is gone. */
int keeper_receive(struct keeper *k, struct keeper_report *r) must_check;

/* The device with a pending turn, or NULL, and since when (CLOCK_MONOTONIC). */
const char *keeper_pending(const struct keeper *k, uint64_t *since_ns);

/*
 * Put everything back, waiting at most timeout_ns, and end the keeper. fn is
 * called with each report (may be NULL). 0; -ETIMEDOUT when a write is stuck
 * in the kernel: the keeper stays behind and finishes it; -EIO with a sentence
 * when something could not be put back. Frees k.
 */
int keeper_stop(struct keeper *k, uint64_t timeout_ns,
		void (*fn)(const struct keeper_report *r, void *arg),
		void *arg) must_check;

/*
 * Put back what journals of dead keepers hold (iodyno knob restore, and every
 * keeper_start()). Returns the number of settings put back, or -errno with a
 * sentence when one could not be. fn as above.
 */
int keeper_restore_journals(const struct root *root,
			    void (*fn)(const struct keeper_report *r,
				       void *arg),
			    void *arg) must_check;

#endif
