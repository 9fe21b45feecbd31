/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ledger: the accounts of what was, what we made of it, and what goes back.
 */
#include "knob/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

void ledger_free(struct ledger *l)
{
	free(l->at);
	memset(l, 0, sizeof(*l));
}

struct ledger_entry *ledger_find(const struct ledger *l, const char *device,
				 const char *name, const char *scheduler)
{
	for (size_t i = 0; i < l->n; i++) {
		struct ledger_entry *e = &l->at[i];

		if (!strcmp(e->device, device) && !strcmp(e->name, name) &&
		    (!scheduler || !strcmp(e->scheduler, scheduler)))
			return e;
	}
	return NULL;
}

struct ledger_entry *ledger_entry(struct ledger *l, const char *device,
				  const char *name, const char *scheduler)
{
	struct ledger_entry *e = ledger_find(l, device, name, scheduler);

	if (e)
		return e;
	l->at = xgrow(l->at, &l->cap, l->n + 1, sizeof(*l->at));
	e = &l->at[l->n++];
	memset(e, 0, sizeof(*e));
	text_copy(e->device, sizeof(e->device), device);
	text_copy(e->name, sizeof(e->name), name);
	text_copy(e->scheduler, sizeof(e->scheduler), scheduler);
	e->row = knob_find(name);
	e->dirty = true;
	return e;
}

bool ledger_identity(const struct ledger *l, const char *device,
		     struct knob_identity *out)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->at[i].device, device))
			continue;
		*out = l->at[i].identity;
		return true;
	}
	return false;
}

void ledger_forget(struct ledger *l, const char *device)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->at[i].device, device))
			continue;
		l->at[i].device[0] = '\0';
		l->at[i].dirty = false;
	}
}

void ledger_compact(struct ledger *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].device[0])
			l->at[kept++] = l->at[i];
	l->n = kept;
}

void ledger_before(struct ledger *l, const char *device,
		   const struct knob_identity *identity,
		   const struct knob_scan *before, const char *knob)
{
	for (size_t i = 0; i < before->n; i++) {
		const struct knob_setting *b = &before->at[i];
		size_t n = l->n;
		struct ledger_entry *e =
			ledger_entry(l, device, b->name, b->scheduler);
		bool new = l->n > n;

		if (!new &&
		    (strcmp(b->name, knob) || !strcmp(b->value, e->ours)))
			continue;
		e->identity = *identity;
		text_copy(e->orig, sizeof(e->orig), b->value);
		text_copy(e->ours, sizeof(e->ours), b->value);
		e->dirty = true;
	}
}

/* Our write made value of a setting that was was ("" for not there). */
static void account(struct ledger_entry *e, const char *was, const char *value)
{
	if (!strcmp(was, value))
		return;
	/* A foreign change in between: his value has to come back. */
	if (*was && strcmp(was, e->ours))
		text_copy(e->orig, sizeof(e->orig), was);
	text_copy(e->ours, sizeof(e->ours), value);
	e->dirty = true;
}

void ledger_after(struct ledger *l, const char *device,
		  const struct knob_identity *identity,
		  const struct knob_scan *before, const struct knob_scan *after)
{
	for (size_t i = 0; i < before->n; i++) {
		const struct knob_setting *b = &before->at[i];
		const struct knob_setting *a =
			knob_scan_find(after, b->name, b->scheduler);

		account(ledger_entry(l, device, b->name, b->scheduler),
			b->value, a ? a->value : "");
	}
	for (size_t i = 0; i < after->n; i++) {
		const struct knob_setting *a = &after->at[i];
		struct ledger_entry *e;

		if (knob_scan_find(before, a->name, a->scheduler))
			continue;
		e = ledger_entry(l, device, a->name, a->scheduler);
		e->identity = *identity;
		account(e, "", a->value);
	}
}

enum ledger_verdict ledger_judge(const struct ledger_entry *e,
				 const struct knob_scan *present)
{
	const struct knob_setting *now =
		knob_scan_find(present, e->name, e->scheduler);

	if (!now || !e->orig[0] || !strcmp(e->orig, e->ours) ||
	    !strcmp(now->value, e->orig))
		return LEDGER_NOTHING;
	return strcmp(now->value, e->ours) ? LEDGER_FOREIGN : LEDGER_WRITE;
}

/* Was an unfinished write of this device carried out? */
static bool was_turned(const struct ledger *l, const char *device,
		       const struct knob_scan *present)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct ledger_entry *e = &l->at[i];
		const struct knob_setting *now;

		if (!e->turning || strcmp(e->device, device))
			continue;
		now = knob_scan_find(present, e->name, e->scheduler);
		if (!now || strcmp(now->value, e->ours))
			return true;
	}
	return false;
}

void ledger_settle(struct ledger *l, const char *device,
		   const struct knob_scan *present)
{
	bool turned = was_turned(l, device, present);

	for (size_t i = 0; i < l->n; i++) {
		struct ledger_entry *e = &l->at[i];
		const struct knob_setting *now;

		if (strcmp(e->device, device))
			continue;
		e->turning = false;
		if (!turned)
			continue;
		now = knob_scan_find(present, e->name, e->scheduler);
		text_copy(e->ours, sizeof(e->ours), now ? now->value : "");
	}
}
