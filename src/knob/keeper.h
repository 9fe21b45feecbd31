/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeper: the small process that alone changes kernel settings, and puts them
 * back when the process that started it (its peer) ends, for whatever reason.
 *
 * After its setup it holds descriptors only: of the directories of the settings
 * and of the journals, of the socket, of the peer's state. It takes no path
 * from its peer, and a seccomp filter refuses every system call that it does
 * not need (sandbox.h). It makes at most some 30 changes a second.
 *
 * It does not lock the disk with flock(2) while a setting of it is changed. The
 * lock is for programs that write partition tables and superblocks; held for
 * longer it does harm: udev puts off the disk's events, new partitions among
 * them, until it is released (systemd.io/BLOCK_DEVICE_LOCKING), programs that
 * wait for it (mkfs, sfdisk) wait as long, and the open device cannot be
 * detached or deactivated; to open one can also wait for a disk that does not
 * answer. A value that a rule of udev sets meanwhile is another program's: it
 * becomes an event, and stays. While a run writes to a device, the guard has
 * that lock.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/root.h"
#include "knob/knob.h"

struct keeper;

/*
 * Fork the keeper: before any thread, before privileges are dropped, before
 * files are opened. root must be open. tty is the terminal to give back if the
 * peer dies (-1: none); the keeper remembers its settings now. On a live root
 * it first puts back what journals of dead keepers hold; a captured tree is
 * left as it is until a knob is turned there. 0, or -errno with a sentence.
 */
int keeper_start(struct keeper **out, const struct root *root,
		 int tty) must_check;

/* Poll this for input; then call keeper_receive(). */
int keeper_fd(const struct keeper *k);

/*
 * Ask for a turn; the answer comes through keeper_receive(). 0; -EBUSY with a
 * sentence while another turn is pending; -EINVAL when the request cannot be
 * sent (no such knob); -EPIPE when the keeper has died.
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
 * The values set so far stay (iodyno knob set): the keeper forgets them, and
 * other instances do not put them back. Not while a turn is pending.
 */
int keeper_forget(struct keeper *k) must_check;

enum keeper_report_kind {
	KEEPER_TURNED,   /* the answer to keeper_set(): error 0 or errno; EBUSY:
			    another instance is changing the device, EAGAIN: too
			    many changes in a short time */
	KEEPER_CHANGED,  /* another setting that changed with the setting
			    "cause"; these come before the KEEPER_TURNED or
			    KEEPER_RESTORED of that setting */
	KEEPER_SHARED,   /* another instance (owner) has changed this device;
			    before the KEEPER_TURNED of our first change */
	KEEPER_RESTORED, /* put back (error 0), or why not: errno; ESTALE when
			    another program changed it since, so it is left.
			    These also come right after keeper_start() when a
			    journal of a dead keeper was found */
	KEEPER_HELD,     /* left to a living instance (owner), which puts the
			    device back when it ends */
	KEEPER_DONE,     /* error 0, or errno when a setting could not be put
			    back: exit status 5 */
};

struct keeper_report {
	enum keeper_report_kind kind;
	int error;
	pid_t owner; /* of another instance's keeper, 0: not known */
	char device[KNOB_DEVICE_MAX], knob[KNOB_NAME_MAX];
	char old_value[KNOB_VALUE_MAX]; /* before */
	char new_value[KNOB_VALUE_MAX]; /* as the kernel says now */
	char wanted[KNOB_VALUE_MAX];
	char cause[KNOB_NAME_MAX];
	int64_t took_ns; /* of the write itself */
};

/* Take one report: 1; 0 when there is none now; -EPIPE: the keeper has died. */
int keeper_receive(struct keeper *k, struct keeper_report *r) must_check;

/*
 * The keeper reports an errno only; the same checks here have a sentence. Write
 * it to buf, or nothing where they hold.
 */
void keeper_explain(const struct root *root, const struct keeper_report *r,
		    char *buf, size_t size);

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
 * Put back what journals of dead keepers hold (iodyno knob restore). Journals
 * of living ones are reported, as KEEPER_HELD. Returns the number of settings
 * put back, or -errno with a sentence: -EBUSY when all that is left is held by
 * living processes.
 */
int keeper_restore_journals(const struct root *root,
			    void (*fn)(const struct keeper_report *r,
				       void *arg),
			    void *arg) must_check;

/*
 * For a start without a keeper: put back what dead keepers left, if there is
 * anything and this user may. It waits a few seconds at most. Nothing happens
 * on a captured tree. 0; -EACCES with a sentence when another user (root) must
 * do it; -ETIMEDOUT, -EIO as keeper_stop().
 */
int keeper_recover(const struct root *root,
		   void (*fn)(const struct keeper_report *r, void *arg),
		   void *arg) must_check;
