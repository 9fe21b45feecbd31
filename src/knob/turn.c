/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turn: validate, journal, write, read back, account.
 */
#include "knob/turn.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "block/sysfs.h"

void turn_init(struct turn *t, const struct root *root)
{
	memset(t, 0, sizeof(*t));
	t->root = root;
	journal_init(&t->journal);
}

void turn_free(struct turn *t)
{
	ledger_free(&t->ledger);
	journal_close(&t->journal);
}

static void report(const struct turn *t, const struct keeper_report *r)
{
	if (t->report)
		t->report(r, t->arg);
}

/* One other setting that differs; "" stands for not there. */
static void report_changed(const struct turn *t, const struct keeper_report *of,
			   const char *name, const char *was, const char *now)
{
	struct keeper_report r = { .kind = KEEPER_CHANGED };

	if (!strcmp(was, now) || !strcmp(name, of->knob))
		return;
	text_copy(r.device, sizeof(r.device), of->device);
	text_copy(r.knob, sizeof(r.knob), name);
	text_copy(r.old_value, sizeof(r.old_value), was);
	text_copy(r.new_value, sizeof(r.new_value), now);
	report(t, &r);
}

static const char *value_of(const struct knob_scan *s, const char *name)
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
			       value_of(after, before->at[i].name));
	for (size_t i = 0; i < after->n; i++)
		if (!knob_scan_find(before, after->at[i].name, NULL))
			report_changed(t, r, after->at[i].name, "",
				       after->at[i].value);
}

/* Everything that must be on disk before the write may be. */
static int note_before(struct turn *t, const struct knob_identity *id,
		       const struct knob_scan *before, const char *device,
		       const char *knob)
{
	int rc = journal_compact(&t->journal, t->root, &t->ledger);

	if (!rc)
		rc = journal_open(&t->journal, t->root);
	if (rc)
		return rc;
	ledger_before(&t->ledger, device, id, before, knob);
	journal_entries(&t->journal, &t->ledger);
	journal_turn(&t->journal, device, knob);
	return journal_sync(&t->journal);
}

bool turn_is_busy(const struct turn *t, const char *device)
{
	for (const struct turn_busy *b = t->busy; b; b = b->below)
		if (!strcmp(b->device, device))
			return true;
	return false;
}

int turn_write(struct turn *t, const struct knob *row, const char *value,
	       bool asked, struct keeper_report *r)
{
	struct knob_identity id = knob_identify(t->root, r->device);
	struct turn_busy busy = { r->device, t->busy };
	struct knob_scan before = { 0 }, after = { 0 };
	char path[KNOB_PATH_MAX];
	int rc;

	if (!knob_path(row, r->device, r->knob, path))
		return -EINVAL;
	knob_scan_read(&before, t->root, r->device);
	text_copy(r->old_value, sizeof(r->old_value),
		  value_of(&before, r->knob));
	rc = note_before(t, &id, &before, r->device, r->knob);
	if (rc && asked) {
		knob_scan_free(&before);
		return rc;
	}
	t->busy = &busy;
	rc = turn_child_write(t->root, path, value, t->wait, &r->took_ns);
	t->busy = busy.below;
	knob_scan_read(&after, t->root, r->device);
	text_copy(r->new_value, sizeof(r->new_value),
		  value_of(&after, r->knob));
	ledger_after(&t->ledger, r->device, &id, &before, &after);
	journal_entries(&t->journal, &t->ledger);
	journal_turned(&t->journal, r->device, r->knob);
	/*
	 * The write is done whether this can be noted or not; an open "turn"
	 * in the journal makes the next start look at the device itself.
	 */
	if (t->journal.fd < 0 || journal_sync(&t->journal))
		t->journal.n = 0;
	if (asked)
		report_others(t, r, &before, &after);
	knob_scan_free(&before);
	knob_scan_free(&after);
	return rc;
}

/* Is the name an entry that we ourselves find in sys/block? */
static bool is_listed(const struct root *root, const char *device)
{
	char path[KNOB_PATH_MAX];
	const char *name;
	struct dirent *e;
	bool found = false;
	DIR *d;

	if (knob_is_host(device))
		return true;
	if (!knob_device_path(device, "", path))
		return false;
	name = strrchr(path, '/') + 1;
	d = sysfs_disks(root);
	if (!d)
		return false;
	while (!found && (e = readdir(d)))
		found = !strcmp(e->d_name, name);
	closedir(d);
	return found;
}

/* A device that is no longer the one whose settings we kept. */
static void forget_replaced(struct turn *t, const char *device)
{
	struct knob_identity kept, now = knob_identify(t->root, device);

	if (ledger_identity(&t->ledger, device, &kept) &&
	    !knob_identity_same(&kept, &now))
		ledger_forget(&t->ledger, device);
}

/* Nothing was written: it stays as it is, if it is. */
static void refused(const struct turn *t, struct keeper_report *r)
{
	char choices[KNOB_TEXT_MAX];

	if (knob_get(t->root, r->device, r->knob, r->old_value,
		     sizeof(r->old_value), choices, sizeof(choices)) == 0)
		text_copy(r->new_value, sizeof(r->new_value), r->old_value);
}

void turn_set(struct turn *t, const char *device, const char *knob,
	      const char *value)
{
	struct keeper_report r = { .kind = KEEPER_TURNED };
	const struct knob *row = knob_find(knob);
	int rc;

	text_copy(r.device, sizeof(r.device), device);
	text_copy(r.knob, sizeof(r.knob), knob);
	text_copy(r.wanted, sizeof(r.wanted), value);
	if (!is_listed(t->root, device)) {
		rc = -ENODEV;
	} else {
		forget_replaced(t, device);
		rc = knob_check(t->root, device, knob, value);
	}
	if (!rc)
		rc = turn_write(t, row, value, true, &r);
	else
		refused(t, &r);
	r.error = -rc;
	report(t, &r);
}
