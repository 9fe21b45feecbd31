/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob restore: put back what was turned.
 */
#include "knob/knob_restore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"

struct restoring {
	struct turn *t;
	char device[KNOB_DEVICE_MAX];
	int error; /* the first */
	size_t n;
};

static void say(const struct restoring *c, struct keeper_report *r, int error)
{
	r->error = error;
	if (c->t->report)
		c->t->report(r, c->t->arg);
}

/*
 * Write the original back. A negative one asks for the kernel's default, and
 * reads back as another number.
 */
static void put_back(struct restoring *c, const struct ledger_entry *e,
		     struct keeper_report *r)
{
	const struct knob *row = e->row;
	int rc;

	/* The entry moves when the books grow. */
	text_copy(r->wanted, sizeof(r->wanted), e->orig);
	rc = turn_write(c->t, row, r->wanted, false, r);
	if (!rc && r->wanted[0] != '-' && strcmp(r->new_value, r->wanted))
		rc = -EIO;
	if (rc && !c->error)
		c->error = -rc;
	c->n += !rc;
	say(c, r, -rc);
}

/* Look at the device anew each time: every write may have changed others. */
static void restore_entry(struct restoring *c, size_t i)
{
	const struct ledger_entry *e = &c->t->ledger.at[i];
	struct keeper_report r = { .kind = KEEPER_RESTORED };
	struct knob_scan present = { 0 };
	const struct knob_setting *now;

	text_copy(r.device, sizeof(r.device), e->device);
	text_copy(r.knob, sizeof(r.knob), e->name);
	knob_scan_read(&present, c->t->root, e->device);
	switch (ledger_judge(e, &present)) {
	case LEDGER_NOTHING:
		break;
	case LEDGER_WRITE:
		put_back(c, e, &r);
		break;
	case LEDGER_FOREIGN:
		now = knob_scan_find(&present, e->name, e->scheduler);
		text_copy(r.wanted, sizeof(r.wanted), e->orig);
		text_copy(r.old_value, sizeof(r.old_value), now->value);
		text_copy(r.new_value, sizeof(r.new_value), now->value);
		say(c, &r, ESTALE);
		break;
	}
	knob_scan_free(&present);
}

static void restore_device(struct restoring *c)
{
	struct turn *t = c->t;
	struct knob_identity kept, now = knob_identify(t->root, c->device);
	int first = c->error;

	c->error = 0;
	if (ledger_identity(&t->ledger, c->device, &kept) &&
	    knob_identity_same(&kept, &now) &&
	    knob_device_exists(t->root, c->device))
		for (size_t k = 0; k < n_knobs; k++)
			/* The ledger may grow on the way; what is new in it
			   was not there before us. */
			for (size_t i = 0; i < t->ledger.n; i++)
				if (t->ledger.at[i].row == &knobs[k] &&
				    !strcmp(t->ledger.at[i].device, c->device))
					restore_entry(c, i);
	if (!c->error)
		ledger_forget(&t->ledger, c->device);
	if (first)
		c->error = first;
}

/* The devices in the books, each once, but the one being written to. */
static size_t list_devices(const struct turn *t, char (**out)[KNOB_DEVICE_MAX])
{
	size_t n = 0, cap = 0;

	*out = NULL;
	for (size_t i = 0; i < t->ledger.n; i++) {
		const char *device = t->ledger.at[i].device;
		size_t k = 0;

		while (k < n && strcmp((*out)[k], device))
			k++;
		if (k < n || !device[0] || turn_is_busy(t, device))
			continue;
		*out = xgrow(*out, &cap, n + 1, KNOB_DEVICE_MAX);
		text_copy((*out)[n++], KNOB_DEVICE_MAX, device);
	}
	return n;
}

int knob_restore(struct turn *t, const char *only, size_t *n)
{
	struct restoring c = { .t = t };
	char(*device)[KNOB_DEVICE_MAX];
	size_t devices = list_devices(t, &device);

	for (size_t i = 0; i < devices; i++) {
		if (*only && strcmp(device[i], only))
			continue;
		text_copy(c.device, sizeof(c.device), device[i]);
		restore_device(&c);
	}
	free(device);
	if (!t->busy)
		ledger_compact(&t->ledger);
	if (!t->busy && !t->ledger.n)
		journal_remove(&t->journal);
	if (n)
		*n += c.n;
	return -c.error;
}

/* An unfinished write of the dead one: see what became of it. */
static void settle(struct turn *t)
{
	struct knob_scan present = { 0 };
	char(*device)[KNOB_DEVICE_MAX];
	size_t n = list_devices(t, &device);

	for (size_t i = 0; i < n; i++) {
		knob_scan_read(&present, t->root, device[i]);
		ledger_settle(&t->ledger, device[i], &present);
	}
	knob_scan_free(&present);
	free(device);
}

int knob_restore_journals(const struct root *root, struct turn_wait *wait,
			  void (*report)(const struct keeper_report *r,
					 void *arg),
			  void *arg)
{
	char(*name)[JOURNAL_NAME_MAX];
	size_t journals = journal_list(root, &name), n = 0;
	int error = 0;

	for (size_t i = 0; i < journals; i++) {
		struct turn t;
		int rc;

		turn_init(&t, root);
		t.wait = wait;
		t.report = report;
		t.arg = arg;
		if (journal_adopt(&t.journal, root, name[i], &t.ledger)) {
			settle(&t);
			rc = knob_restore(&t, "", &n);
			if (rc && !error)
				error = -rc;
		}
		turn_free(&t);
	}
	free(name);
	if (error)
		return fail(error,
			    "not every setting that a dead run left could be "
			    "put back: %s; its journal stays, try again",
			    strerror(error));
	return (int)n;
}
