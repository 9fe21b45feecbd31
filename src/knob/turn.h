/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turn: changes one setting; records its value before, the other settings that
 * changed with it, and what must be put back; puts it back.
 *
 * One device can be changed by several instances of iodyno at once. Each change
 * and restore holds the device's lock (journal_lock()) and reads the journals
 * of the others. The instance that began last puts back the values that the
 * earlier ones rely on; one that began earlier and ends first leaves its
 * journal to the others; the last one to end puts back the originals.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/root.h"
#include "knob/journal.h"
#include "knob/keeper.h"

/*
 * Writer: processes that make one write each to a kernel file, because a queue
 * that cannot be frozen holds the process that writes for ever, beyond any
 * signal. They are forked ahead of time, so that a setting can be put back when
 * fork() fails. A writer gets an open descriptor and bytes, and no path.
 */

/* As many writes can be stuck at once, each to another device. */
#define WRITERS_MAX 8
/* The bytes of one write. */
#define WRITER_BYTES_MAX 256

struct writer {
	pid_t pid; /* 0: none */
	int fd;    /* the socket to it */
	bool busy;
};

struct writer_pool {
	struct writer at[WRITERS_MAX];
};

void writer_pool_init(struct writer_pool *p);
/* Fork until n writers are idle, as far as fork() works. */
void writer_pool_fill(struct writer_pool *p, size_t n);
/* Let all writers end; one that is stuck ends after its write. */
void writer_pool_close(struct writer_pool *p);

/*
 * Begin to write bytes to file. lock (-1: none) stays open as long as the write
 * lasts. Returns the index of the writer, or -EAGAIN when there is none and
 * none can be forked, -EINVAL when there are too many bytes.
 */
int writer_begin(struct writer_pool *p, int file, int lock, const char *bytes,
		 size_t n) must_check;
/* Readable when the write is over. */
int writer_fd(const struct writer_pool *p, int which);
/*
 * The outcome of a write that is over: 0 or -errno of write(2), -EIO when the
 * writer was killed. *took_ns is the time of write(2) alone.
 */
int writer_end(struct writer_pool *p, int which, int64_t *took_ns) must_check;
/* Give up a write: the writer is killed, and ends when the kernel lets it. */
void writer_abandon(struct writer_pool *p, int which);

/* The actions of the keeper while a write lasts. NULL members: nothing. */
struct turn_wait {
	/*
	 * Wait at most ms (-1: for ever) until fd (-1: none) is readable, and
	 * serve others meanwhile. True when it is readable.
	 */
	bool (*wait)(int fd, int ms, void *arg);
	/* Called every slow_ns while a write lasts, until it returns true. */
	bool (*slow)(void *arg);
	uint64_t slow_ns;
	void *arg;
};

/*
 * A device with a write under way, and its lock. While one is stuck, other
 * devices can be restored, so there may be several.
 */
struct turn_busy {
	const char *device;
	int lock;
	struct turn_busy *below;
};

/* The ledger and journal of one keeper. wait and report may be NULL. */
struct turn {
	const struct root *root;
	struct ledger ledger;
	struct ledger others; /* entries of the device that is locked */
	struct journal journal;
	struct writer_pool *writers;
	const struct turn_wait *wait;
	void (*report)(const struct keeper_report *r, void *arg);
	void *arg;
	struct turn_busy *busy; /* innermost first */
	bool quiet;             /* report no failure: it is tried again */
	bool adopted;           /* the journal of a dead keeper */
	bool last_look;         /* of such a journal: no later pass reads it */
	bool tell_held;         /* of such a journal: report devices left alone
				 */
};

void turn_init(struct turn *t, const struct root *root,
	       struct writer_pool *writers);
/* Close the journal but leave it. */
void turn_free(struct turn *t);

/*
 * Set a knob of a device as the operator wants it: check, journal, write, read
 * back, report (KEEPER_SHARED when another instance has changed the device,
 * KEEPER_CHANGED for each other setting that changed, then KEEPER_TURNED).
 * device and knob come from outside.
 */
void turn_set(struct turn *t, const char *device, const char *knob,
	      const char *value);

/*
 * The values set so far are to stay: forget them, remove the journal, and note
 * in the journals of others that these values were set on purpose.
 */
void turn_forget(struct turn *t);

/*
 * Put back what still holds our value, device by device and in the order of the
 * table, each with a KEEPER_RESTORED report. only: one device, or "" for all. A
 * device whose write is under way is left out. A device that a living instance
 * changed after us is left to it (KEEPER_HELD). Settings that could not be put
 * back stay in the ledger; the journal is removed when the ledger is empty.
 * Returns 0, -EBUSY when only devices of living instances are left, -EAGAIN
 * when another instance holds a device's lock, or -errno of the first failure.
 * *n (may be NULL) grows by the number put back.
 */
int turn_restore(struct turn *t, const char *only, size_t *n) must_check;

/*
 * At the end, after turn_restore(): the entries that are left belong to the
 * last instance to end. The journal stays and counts as that of a dead keeper
 * from now on, also for turn_restore_journals(), which must be called next: of
 * two instances that end at the same time, the later one to call sees both.
 */
void turn_leave(struct turn *t);

/*
 * Put back what journals of dead keepers hold; one process at a time does so.
 * held: report the settings that living processes hold, too, as KEEPER_HELD.
 * Returns the number put back, or -errno with a sentence: -EBUSY when all that
 * is left is held; -EAGAIN when another process is still restoring, so that a
 * journal may have been passed over.
 */
int turn_restore_journals(const struct root *root, struct writer_pool *writers,
			  const struct turn_wait *wait, bool held,
			  void (*report)(const struct keeper_report *r,
					 void *arg),
			  void *arg) must_check;
