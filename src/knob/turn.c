/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turn: write one setting, set a knob, put settings back. */
#include "knob/turn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "block/sysfs.h"

/* How long to wait for the lock of a device that another instance changes. */
#define LOCK_MS      1500
#define LOCK_STEP_MS 10
/* How often to read settings, each LOCK_STEP_MS, that cannot be read now. */
#define SCAN_TRIES 5
/* A journal may need the restore of another one first: see restore_dead(). */
#define PASSES 3
/* The name of the lock for restoring journals of dead keepers. */
#define ALL_JOURNALS "*"

void turn_init(struct turn *t, const struct root *root,
	       struct writer_pool *writers)
{
	memset(t, 0, sizeof(*t));
	t->root = root;
	t->writers = writers;
	journal_init(&t->journal);
}

void turn_free(struct turn *t)
{
	ledger_free(&t->ledger);
	ledger_free(&t->others);
	journal_close(&t->journal);
}

static void turn_report(const struct turn *t, const struct keeper_report *r)
{
	if (t->report)
		t->report(r, t->arg);
}

static void report_held(const struct turn *t, enum keeper_report_kind kind,
			const char *device, pid_t owner)
{
	struct keeper_report r = { .kind = kind, .owner = owner };

	text_set(r.device, device);
	turn_report(t, &r);
}

/* Wait, and let the keeper serve others. */
static bool wait_ms(const struct turn *t, int fd, int ms)
{
	if (t->wait && t->wait->wait)
		return t->wait->wait(fd, ms, t->wait->arg);
	if (fd < 0)
		clock_pause_ns((uint64_t)ms * 1000000);
	return fd >= 0;
}

/* Wait until a write is over. */
static void wait_for(const struct turn *t, int fd)
{
	const struct turn_wait *wait = t->wait;
	uint64_t begin = clock_mono_ns();
	bool slow = wait && wait->slow;

	for (;;) {
		uint64_t passed = clock_mono_ns() - begin;
		int ms = -1;

		if (slow && passed >= wait->slow_ns) {
			slow = !wait->slow(wait->arg);
			begin = clock_mono_ns();
			passed = 0;
		}
		if (slow)
			ms = (int)((wait->slow_ns - passed) / 1000000) + 1;
		if (wait_ms(t, fd, ms))
			return;
	}
}

/* The lock of a device, or -EBUSY and its holder, or -errno. */
static int lock_device(const struct turn *t, const char *device, pid_t *owner)
{
	int fd = journal_lock(t->root, device, owner);

	for (int ms = 0; fd == -EBUSY && ms < LOCK_MS; ms += LOCK_STEP_MS) {
		wait_ms(t, -1, LOCK_STEP_MS);
		fd = journal_lock(t->root, device, owner);
	}
	return fd;
}

static void unlock(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* One other setting that differs; "" stands for absent. */
static void report_changed(const struct turn *t, const struct keeper_report *of,
			   const char *name, const char *was, const char *now)
{
	struct keeper_report r = { .kind = KEEPER_CHANGED };

	if (!strcmp(was, now) || !strcmp(name, of->knob))
		return;
	text_set(r.device, of->device);
	text_set(r.knob, name);
	text_set(r.old_value, was);
	text_set(r.new_value, now);
	text_set(r.cause, of->knob);
	turn_report(t, &r);
}

/* Read all settings; try again for a while if a failure is temporary. */
static int turn_scan(const struct turn *t, struct knob_scan *s,
		     const char *device)
{
	int rc = knob_scan_read(s, t->root, device);

	for (int i = 1; rc && i < SCAN_TRIES; i++) {
		wait_ms(t, -1, LOCK_STEP_MS);
		rc = knob_scan_read(s, t->root, device);
	}
	return rc;
}

static const char *value_in(const struct knob_scan *s, const char *name)
{
	const struct knob_setting *k = knob_scan_find(s, name, NULL);

	return k ? k->value : "";
}

static void report_others(const struct turn *t, const struct keeper_report *r,
			  const struct knob_scan *before,
			  const struct knob_scan *after)
{
	for (size_t i = 0; i < before->n; i++)
		report_changed(t, r, before->at[i].name, before->at[i].value,
			       value_in(after, before->at[i].name));
	for (size_t i = 0; i < after->n; i++)
		if (!knob_scan_find(before, after->at[i].name, NULL))
			report_changed(t, r, after->at[i].name, "",
				       after->at[i].value);
}

/* Write to disk what must be there before the setting is written. */
static int note_before(struct turn *t, const struct knob_identity *id,
		       const struct knob_scan *before, const char *device,
		       const char *knob)
{
	int rc = journal_compact(&t->journal, t->root, &t->ledger);

	if (!rc)
		rc = journal_open(&t->journal, t->root);
	if (rc)
		return rc;
	journal_reread(&t->journal, &t->ledger);
	/* The outcome of the write before this one may not have been readable. */
	ledger_settle(&t->ledger, device, before, &t->others);
	ledger_before(&t->ledger, device, id, clock_mono_ns(), before, knob,
		      &t->others);
	journal_entries(&t->journal, &t->ledger);
	journal_turn(&t->journal, device, knob);
	return journal_sync(&t->journal);
}

static bool is_busy(const struct turn *t, const char *device)
{
	for (const struct turn_busy *b = t->busy; b; b = b->below)
		if (!strcmp(b->device, device))
			return true;
	return false;
}

/*
 * Write to the kernel's file by a writer process; without one, write it here: a
 * hang is better than no restore. The file is cut to nothing first, as the
 * shell's '>' does: sysfs ignores it, and a captured tree then holds the value
 * alone.
 */
static int turn_write_value(struct turn *t, const char *path, const char *value,
			    int lock, int64_t *took_ns)
{
	int fd = root_open_file(t->root, path, O_WRONLY | O_TRUNC), which, rc;
	uint64_t begin;

	*took_ns = 0;
	if (fd < 0)
		return fd;
	which = writer_begin(t->writers, fd, lock, value, strlen(value));
	if (which >= 0) {
		close(fd);
		wait_for(t, writer_fd(t->writers, which));
		return writer_end(t->writers, which, took_ns);
	}
	begin = clock_mono_ns();
	rc = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	*took_ns = (int64_t)(clock_mono_ns() - begin);
	close(fd);
	return rc;
}

/* Read the outcome of a write, and note it. 0, or -errno: it is not known. */
static int note_after(struct turn *t, const struct knob_identity *id,
		      const struct knob_scan *before, struct knob_scan *after,
		      const struct keeper_report *r)
{
	int rc = turn_scan(t, after, r->device);

	/* Another device may have been locked while the write lasted. */
	if (!rc)
		rc = journal_others(t->root, &t->journal, r->device, before,
				    &t->others);
	if (rc) {
		ledger_turning(&t->ledger, r->device, r->knob, true);
		return rc;
	}
	ledger_after(&t->ledger, r->device, id, before, after, &t->others);
	journal_entries(&t->journal, &t->ledger);
	journal_turned(&t->journal, r->device, r->knob);
	/*
	 * The write is done whether this can be noted or not; an open "turn"
	 * in the journal makes the next start look at the device itself.
	 */
	if (t->journal.fd < 0 || journal_sync(&t->journal))
		t->journal.n = 0;
	return 0;
}

/*
 * Write a setting and record it; the device is locked. 0 or -errno without a
 * sentence. Fills old_value, new_value and took_ns of *r, and reports other
 * settings that changed. asked: by the operator; then it is refused without a
 * journal. A restore is written in any case.
 */
static int write_knob(struct turn *t, const struct knob *row, const char *value,
		      int lock, bool asked, struct keeper_report *r)
{
	struct knob_identity id;
	struct turn_busy busy = { r->device, lock, t->busy };
	struct knob_scan before = { 0 }, after = { 0 };
	char path[KNOB_PATH_MAX];
	int rc, unknown;

	if (!knob_path(row, r->device, r->knob, path))
		return -EINVAL;
	rc = knob_identify(t->root, r->device, &id);
	if (!rc)
		rc = turn_scan(t, &before, r->device);
	if (rc)
		goto out;
	text_set(r->old_value, value_in(&before, r->knob));
	rc = note_before(t, &id, &before, r->device, r->knob);
	if (rc && asked)
		goto out;
	t->busy = &busy;
	rc = turn_write_value(t, path, value, lock, &r->took_ns);
	t->busy = busy.below;
	unknown = note_after(t, &id, &before, &after, r);
	text_set(r->new_value, value_in(&after, r->knob));
	if (!unknown)
		report_others(t, r, &before, &after);
	if (!rc)
		rc = unknown;
out:
	knob_scan_free(&before);
	knob_scan_free(&after);
	return rc;
}

/* True when the name is an entry that we ourselves find in sys/block. */
static bool is_listed(const struct root *root, const char *device)
{
	char path[KNOB_PATH_MAX];
	const char *name, *entry;
	bool found = false;
	DIR *d;

	if (knob_is_host(device))
		return true;
	if (!knob_device_path(device, "", path))
		return false;
	name = strrchr(path, '/') + 1;
	d = sysfs_disks(root);
	while (!found && (entry = descriptor_entry(&d)))
		found = !strcmp(entry, name);
	if (d)
		closedir(d);
	return found;
}

/* Forget a device that is no longer the one whose settings we kept. */
static void forget_replaced(struct turn *t, const char *device)
{
	struct knob_identity kept, now;
	uint64_t since_ns;
	int rc = knob_identify(t->root, device, &now);

	if ((!rc || rc == -ENODEV) &&
	    ledger_device(&t->ledger, device, &kept, &since_ns) &&
	    (rc || !knob_identity_same(&kept, &now)))
		ledger_forget(&t->ledger, device);
}

/* Nothing was written: show the value as it is. */
static void show_present(const struct turn *t, struct keeper_report *r)
{
	char choices[KNOB_TEXT_MAX];

	if (knob_get(t->root, r->device, r->knob, r->old_value,
		     sizeof(r->old_value), choices, sizeof(choices)) == 0)
		text_set(r->new_value, r->old_value);
}

/* Read the present settings and the others' entries. */
static int turn_scan_others(struct turn *t, const char *device,
			    struct knob_scan *present)
{
	const int rc = turn_scan(t, present, device);

	return rc ? rc
		  : journal_others(t->root, &t->journal, device, present,
				   &t->others);
}

/* Read the others' entries, and report their owner at our first change. */
static int look_at_others(struct turn *t, const char *device)
{
	struct knob_identity kept;
	uint64_t since_ns;
	pid_t owner;
	struct knob_scan present = { 0 };
	int rc = turn_scan_others(t, device, &present);

	knob_scan_free(&present);
	if (rc)
		return rc;
	owner = ledger_owner(&t->others);
	if (owner && !ledger_device(&t->ledger, device, &kept, &since_ns))
		report_held(t, KEEPER_SHARED, device, owner);
	return 0;
}

static int set_locked(struct turn *t, const struct knob *row, const char *value,
		      struct keeper_report *r)
{
	int lock = lock_device(t, r->device, &r->owner), rc;

	if (lock == -EBUSY)
		return -EBUSY;
	/*
	 * Without a directory for the lock there is no journal either: the
	 * write is refused.
	 */
	rc = look_at_others(t, r->device);
	if (!rc)
		rc = write_knob(t, row, value, lock, true, r);
	unlock(lock);
	return rc;
}

void turn_set(struct turn *t, const char *device, const char *knob,
	      const char *value)
{
	struct keeper_report r = { .kind = KEEPER_TURNED };
	const struct knob *row = knob_find(knob);
	int rc;

	text_set(r.device, device);
	text_set(r.knob, knob);
	text_set(r.wanted, value);
	if (!is_listed(t->root, device)) {
		rc = -ENODEV;
	} else {
		forget_replaced(t, device);
		rc = knob_check(t->root, device, knob, value);
	}
	if (!rc) {
		rc = set_locked(t, row, value, &r);
		if (!rc)
			ledger_mark_asked(&t->ledger, device, knob);
	}
	if (rc && !*r.old_value)
		show_present(t, &r);
	r.error = -rc;
	turn_report(t, &r);
}

void turn_forget(struct turn *t)
{
	for (size_t i = 0; i < t->ledger.n; i++) {
		const struct ledger_entry *e = &t->ledger.at[i];
		struct knob_scan now = { 0 };

		if (!e->asked)
			continue;
		if (!turn_scan(t, &now, e->device))
			journal_keep(t->root, &t->journal, e->device, e->name,
				     value_in(&now, e->name));
		knob_scan_free(&now);
	}
	ledger_free(&t->ledger);
	journal_remove(&t->journal);
}

/* One restore under way. */
struct restoring {
	struct turn *t;
	char device[KNOB_DEVICE_MAX];
	int lock;
	int error; /* the first */
	bool held; /* a device is left to another instance */
	bool left; /* a setting of this device is */
	size_t n;
	/*
	 * The entries that other instances had for the device when it was
	 * locked. Judge all settings by these: a keeper that ends meanwhile
	 * must not leave half of the settings at its values.
	 */
	struct ledger others;
};

static void report_restored(const struct restoring *c, struct keeper_report *r,
			    int error)
{
	r->error = error;
	if (!c->t->quiet || !error || error == ESTALE)
		turn_report(c->t, r);
}

/* Note a failure: the entry stays in the ledger and is tried again. */
static void note_error(struct restoring *c, struct keeper_report *r, int error)
{
	if (!c->error)
		c->error = error;
	report_restored(c, r, error);
}

/*
 * Write a value back. A negative one asks for the kernel's default, and reads
 * back as another number.
 */
static void turn_put_back(struct restoring *c, const struct knob *row,
			  struct keeper_report *r)
{
	int rc = write_knob(c->t, row, r->wanted, c->lock, false, r);

	if (!rc && r->wanted[0] != '-' && strcmp(r->new_value, r->wanted))
		rc = -EIO;
	c->n += !rc;
	if (rc)
		note_error(c, r, -rc);
	else
		report_restored(c, r, 0);
}

/* Read the device each time: every write may have changed other settings. */
static void restore_entry(struct restoring *c, size_t i)
{
	const struct ledger_entry *e = &c->t->ledger.at[i];
	struct keeper_report r = { .kind = KEEPER_RESTORED };
	const struct knob *row = e->row;
	struct knob_scan present = { 0 };
	const char *target;
	int rc;

	text_set(r.device, e->device);
	text_set(r.knob, e->name);
	rc = turn_scan(c->t, &present, e->device);
	if (rc) {
		note_error(c, &r, -rc);
		goto out;
	}
	switch (ledger_judge(e, &present, &c->others, &target)) {
	case LEDGER_NOTHING:
		break;
	case LEDGER_LEFT:
		c->left = true;
		break;
	case LEDGER_WRITE:
		/* The entry moves when the ledger grows. */
		text_set(r.wanted, target);
		turn_put_back(c, row, &r);
		break;
	case LEDGER_FOREIGN:
		text_set(r.wanted, target);
		text_set(r.old_value, value_in(&present, e->name));
		text_set(r.new_value, r.old_value);
		report_restored(c, &r, ESTALE);
		break;
	}
out:
	knob_scan_free(&present);
}

/*
 * Find the outcome of unfinished writes, of a dead keeper or our own, and read
 * the entries of the others.
 */
static int turn_settle(struct turn *t, const char *device)
{
	struct knob_scan present = { 0 };
	int rc = turn_scan_others(t, device, &present);

	if (!rc)
		ledger_settle(&t->ledger, device, &present, &t->others);
	knob_scan_free(&present);
	return rc;
}

/*
 * The living keeper to which a device is left; 0: none. Entries of a dead
 * keeper are restored when no living keeper needs them. Entries of this keeper
 * do not count then: its own restore may have failed because these settings
 * were not yet restored (nr_requests depends on the scheduler).
 */
static pid_t left_to(struct turn *t, uint64_t since_ns)
{
	if (!t->adopted)
		return ledger_later_owner(&t->others, since_ns);
	for (size_t i = 0; i < t->others.n; i++)
		if (t->others.at[i].owner == getpid())
			t->others.at[i].owner = 0;
	return ledger_owner(&t->others);
}

/*
 * Whether the ledger is done with a device. Its entries stay, up to the last
 * pass over all journals, while a setting is left to another instance, or
 * another dead instance has entries of the device: an instance that puts back a
 * setting may switch the scheduler, the switch creates tunables, and these
 * entries may hold their original values.
 */
static bool are_done(const struct restoring *c)
{
	bool dead = false;

	for (size_t i = 0; i < c->others.n; i++)
		dead = dead || !c->others.at[i].owner;
	return c->t->last_look || !(c->left || dead);
}

/* The device is locked and still the same. */
static void restore_locked(struct restoring *c, uint64_t since_ns)
{
	struct turn *t = c->t;
	struct keeper_report r = { .kind = KEEPER_RESTORED };
	pid_t owner;
	int rc;

	text_set(r.device, c->device);
	journal_reread(&t->journal, &t->ledger);
	rc = turn_settle(t, c->device);
	if (rc) {
		note_error(c, &r, -rc);
		return;
	}
	owner = left_to(t, since_ns);
	if (owner) {
		c->held = true;
		if (!t->adopted || (!t->quiet && t->tell_held))
			report_held(t, KEEPER_HELD, c->device, owner);
		return;
	}
	c->left = false;
	c->others.n = 0;
	for (size_t i = 0; i < t->others.n; i++)
		ledger_add(&c->others, &t->others.at[i]);
	for (size_t k = 0; k < n_knobs; k++)
		/* The ledger may grow on the way; new entries were not there
		   before us. */
		for (size_t i = 0; i < t->ledger.n; i++)
			if (t->ledger.at[i].row == &knobs[k] &&
			    !strcmp(t->ledger.at[i].device, c->device))
				restore_entry(c, i);
	if (!c->error && are_done(c))
		ledger_forget(&t->ledger, c->device);
}

static void restore_device(struct restoring *c)
{
	struct turn *t = c->t;
	struct keeper_report r = { .kind = KEEPER_RESTORED };
	struct knob_identity kept;
	int first = c->error;
	uint64_t since_ns;

	forget_replaced(t, c->device);
	if (!ledger_device(&t->ledger, c->device, &kept, &since_ns))
		return;
	c->error = 0;
	text_set(r.device, c->device);
	c->lock = lock_device(t, c->device, &r.owner);
	if (c->lock == -EBUSY)
		note_error(c, &r, EAGAIN);
	else
		restore_locked(c, since_ns);
	unlock(c->lock);
	if (first)
		c->error = first;
}

/* The devices in the ledger, each once, except those being written to. */
static size_t list_devices(const struct turn *t, char (**out)[KNOB_DEVICE_MAX])
{
	size_t n = 0, cap = 0;

	*out = NULL;
	for (size_t i = 0; i < t->ledger.n; i++) {
		const char *device = t->ledger.at[i].device;
		size_t k = 0;

		while (k < n && strcmp((*out)[k], device))
			k++;
		if (k < n || !device[0] || is_busy(t, device))
			continue;
		*out = xgrow(*out, &cap, n + 1, KNOB_DEVICE_MAX);
		text_copy((*out)[n++], KNOB_DEVICE_MAX, device);
	}
	return n;
}

int turn_restore(struct turn *t, const char *only, size_t *n)
{
	struct restoring c = { .t = t };
	char(*device)[KNOB_DEVICE_MAX];
	size_t devices = list_devices(t, &device);

	for (size_t i = 0; i < devices; i++) {
		if (*only && strcmp(device[i], only))
			continue;
		text_set(c.device, device[i]);
		restore_device(&c);
	}
	free(device);
	ledger_free(&c.others);
	if (!t->busy)
		ledger_compact(&t->ledger);
	if (!t->busy && !t->ledger.n)
		journal_remove(&t->journal);
	if (n)
		*n += c.n;
	if (c.error)
		return -c.error;
	return c.held ? -EBUSY : 0;
}

/* Report each device of a journal that a living process owns. */
static void report_journal(const struct turn *t, const char *name)
{
	struct journal none;
	struct ledger all = { 0 };
	const char *last = "";

	journal_init(&none);
	if (journal_others(t->root, &none, NULL, NULL, &all)) {
		/* Then not all of them are named. */
	}
	for (size_t i = 0; i < all.n; i++) {
		const struct ledger_entry *e = &all.at[i];

		if (e->owner != journal_owner(name) || !strcmp(e->device, last))
			continue;
		report_held(t, KEEPER_HELD, e->device, e->owner);
		last = e->device;
	}
	ledger_free(&all);
}

/* The findings of one pass over the journals. */
struct pass {
	size_t n; /* put back */
	int error;
	bool held, last;
	bool all_dead; /* the pass before this one met no living owner */
};

/* Restore one journal, if no living process owns it. */
static void restore_journal(const struct turn *like, const char *name,
			    bool held, struct pass *p)
{
	struct turn t = *like;
	int rc;

	if (!journal_adopt(&t.journal, t.root, name, &t.ledger)) {
		if (held && p->last && journal_is_owned(t.root, name)) {
			report_journal(&t, name);
			p->held = true;
		}
		return;
	}
	t.adopted = true;
	t.quiet = !p->last;
	t.last_look = p->last && p->all_dead;
	rc = turn_restore(&t, "", &p->n);
	if (rc == -EBUSY)
		p->held = true;
	else if (rc && !p->error)
		p->error = -rc;
	turn_free(&t);
}

/*
 * Two dead keepers may have changed one device: a value of the one may be
 * refused until the other's scheduler is back. So failures are tried again, and
 * only the last pass reports them. When an owner dies between two passes, its
 * journal and those of the other dead ones stay for the next start.
 */
static struct pass restore_dead(const struct turn *like, bool held)
{
	struct pass p = { 0 };
	char(*name)[JOURNAL_NAME_MAX];

	for (int i = 0; i < PASSES && !p.last; i++) {
		size_t n = p.n, journals = journal_list(like->root, &name);

		p = (struct pass){ .n = n,
				   .last = i == PASSES - 1,
				   .all_dead = !p.held };
		for (size_t k = 0; k < journals; k++)
			restore_journal(like, name[k], held, &p);
		free(name);
		if (!p.last && !p.error)
			i = PASSES - 2;
	}
	return p;
}

void turn_leave(struct turn *t)
{
	ledger_free(&t->ledger);
	journal_close(&t->journal);
}

static bool any_journal(const struct root *root)
{
	char(*name)[JOURNAL_NAME_MAX];
	size_t n = journal_list(root, &name);

	free(name);
	return n > 0;
}

int turn_restore_journals(const struct root *root, struct writer_pool *writers,
			  const struct turn_wait *wait, bool held,
			  void (*fn)(const struct keeper_report *r, void *arg),
			  void *arg)
{
	struct turn like;
	struct pass p;
	pid_t owner;
	int lock;

	turn_init(&like, root, writers);
	like.wait = wait;
	like.report = fn;
	like.arg = arg;
	like.tell_held = held;
	if (!any_journal(root))
		return 0;
	/*
	 * One process at a time: while one keeper reads a journal, another
	 * would take it for that of a living one. After the time limit, go on
	 * without the lock.
	 */
	lock = lock_device(&like, ALL_JOURNALS, &owner);
	p = restore_dead(&like, held);
	unlock(lock);
	turn_free(&like);
	/* That process may have passed over a journal that was still owned. */
	if (lock == -EBUSY && any_journal(root))
		return fail(EAGAIN,
			    "another process (pid %d) is restoring "
			    "settings; try again after it ends",
			    (int)owner);
	if (p.error)
		return fail(p.error,
			    "not every setting that a dead run left could be "
			    "put back: %s; its journal stays, try again",
			    strerror(p.error));
	if (p.held)
		return fail(EBUSY,
			    "running processes hold settings and put them "
			    "back when they end; end those processes, then run "
			    "iodyno knob restore again");
	return (int)p.n;
}
