/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledger: original values, our values, and the decision what to put back. */
#include "knob/journal.h"

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
	e = xadd(l->at, l->n, l->cap);
	text_set(e->device, device);
	text_set(e->name, name);
	text_set(e->scheduler, scheduler);
	e->row = knob_find(name);
	e->dirty = true;
	return e;
}

void ledger_add(struct ledger *l, const struct ledger_entry *e)
{
	*xadd(l->at, l->n, l->cap) = *e;
}

bool ledger_device(const struct ledger *l, const char *device,
		   struct knob_identity *identity, uint64_t *since_ns)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->at[i].device, device))
			continue;
		*identity = l->at[i].identity;
		*since_ns = l->at[i].since_ns;
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

static bool is_setting(const struct ledger_entry *e, const char *name,
		       const char *scheduler)
{
	return !strcmp(e->name, name) && !strcmp(e->scheduler, scheduler);
}

/*
 * The entry of another instance that made this value ("": that removed the
 * tunable by a switch of the scheduler), or NULL.
 */
static const struct ledger_entry *maker_of(const struct ledger *others,
					   const char *name,
					   const char *scheduler,
					   const char *value)
{
	for (size_t i = 0; i < others->n; i++) {
		const struct ledger_entry *e = &others->at[i];

		if (is_setting(e, name, scheduler) && !e->kept &&
		    !strcmp(e->ours, value) && strcmp(e->orig, value))
			return e;
	}
	return NULL;
}

/*
 * The value before another instance changed it to the present one; "": absent.
 */
static const char *ledger_first_value(const struct ledger *others,
				      const char *name, const char *scheduler,
				      const char *value)
{
	const struct ledger_entry *e;

	/* A damaged journal may hold a ring. */
	for (size_t i = 0; i <= others->n; i++) {
		e = maker_of(others, name, scheduler, value);
		if (!e)
			break;
		value = e->orig;
	}
	return value;
}

/*
 * The value of a tunable before any iodyno removed it by a switch of the
 * scheduler, "" when it was absent or is not known. The present values of the
 * others do not count: they may have changed it while it was back.
 */
static const char *value_before_removal(const struct ledger *others,
					const char *name, const char *scheduler)
{
	const char *value = ledger_first_value(others, name, scheduler, "");
	const struct ledger_entry *first = NULL;

	for (size_t i = 0; i < others->n && !*value; i++) {
		const struct ledger_entry *e = &others->at[i];

		if (is_setting(e, name, scheduler) && !e->kept && *e->orig &&
		    (!first || e->since_ns < first->since_ns))
			first = e;
	}
	return first ? first->orig : value;
}

/* Update an entry right before a write of this or another knob. */
static void note_present(struct ledger_entry *e, const char *value, bool this,
			 const struct ledger *others)
{
	bool changed = strcmp(e->ours, value) != 0;
	bool made = maker_of(others, e->name, e->scheduler, value) != NULL;

	/*
	 * A value that another instance made counts as ours: its own ledger may
	 * lack the value if it was killed during that write.
	 */
	if (this ? !changed && !e->kept : !changed || !made || e->kept)
		return;
	if (e->kept || !made)
		text_set(e->orig, value);
	text_set(e->ours, value);
	e->kept = false;
	e->dirty = true;
}

void ledger_before(struct ledger *l, const char *device,
		   const struct knob_identity *identity, uint64_t now_ns,
		   const struct knob_scan *before, const char *knob,
		   const struct ledger *others)
{
	struct knob_identity same;
	uint64_t since_ns;

	if (!ledger_device(l, device, &same, &since_ns))
		since_ns = now_ns;
	for (size_t i = 0; i < before->n; i++) {
		const struct knob_setting *b = &before->at[i];
		size_t n = l->n;
		struct ledger_entry *e =
			ledger_entry(l, device, b->name, b->scheduler);

		e->identity = *identity;
		e->since_ns = since_ns;
		if (l->n == n) {
			note_present(e, b->value, !strcmp(b->name, knob),
				     others);
			continue;
		}
		text_set(e->orig, ledger_first_value(others, b->name,
						     b->scheduler, b->value));
		text_set(e->ours, b->value);
	}
}

/* Our write changed a setting from was ("": absent) to value. */
static void note_change(struct ledger_entry *e, const char *was,
			const char *value, const struct ledger *others)
{
	if (!strcmp(was, value))
		return;
	/* Another program changed it in between: its value comes back. */
	if (*was && strcmp(was, e->ours) &&
	    !maker_of(others, e->name, e->scheduler, was))
		text_set(e->orig, was);
	text_set(e->ours, value);
	e->kept = false;
	e->dirty = true;
}

void ledger_after(struct ledger *l, const char *device,
		  const struct knob_identity *identity,
		  const struct knob_scan *before, const struct knob_scan *after,
		  const struct ledger *others)
{
	struct knob_identity same;
	uint64_t since_ns = 0;

	ledger_device(l, device, &same, &since_ns);
	for (size_t i = 0; i < before->n; i++) {
		const struct knob_setting *b = &before->at[i];
		const struct knob_setting *a =
			knob_scan_find(after, b->name, b->scheduler);

		note_change(ledger_entry(l, device, b->name, b->scheduler),
			    b->value, a ? a->value : "", others);
	}
	for (size_t i = 0; i < after->n; i++) {
		const struct knob_setting *a = &after->at[i];
		struct ledger_entry *e;
		size_t n;

		if (knob_scan_find(before, a->name, a->scheduler))
			continue;
		n = l->n;
		e = ledger_entry(l, device, a->name, a->scheduler);
		/*
		 * A tunable that another instance removed by a switch of the
		 * scheduler.
		 */
		if (l->n > n)
			text_set(e->orig, value_before_removal(others, a->name,
							       a->scheduler));
		e->identity = *identity;
		e->since_ns = since_ns;
		note_change(e, "", a->value, others);
	}
}

void ledger_mark_asked(struct ledger *l, const char *device, const char *knob)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].device, device) &&
		    !strcmp(l->at[i].name, knob))
			l->at[i].asked = true;
}

/* The entry of the living instance that began last before this one. */
static const struct ledger_entry *earlier(const struct ledger *others,
					  const struct ledger_entry *mine)
{
	const struct ledger_entry *found = NULL;

	for (size_t i = 0; i < others->n; i++) {
		const struct ledger_entry *e = &others->at[i];

		if (e->owner && e->since_ns < mine->since_ns &&
		    is_setting(e, mine->name, mine->scheduler) &&
		    (!found || e->since_ns > found->since_ns))
			found = e;
	}
	return found;
}

enum ledger_verdict ledger_judge(const struct ledger_entry *e,
				 const struct knob_scan *present,
				 const struct ledger *others,
				 const char **target)
{
	const struct knob_setting *now =
		knob_scan_find(present, e->name, e->scheduler);
	const struct ledger_entry *below = earlier(others, e);

	/*
	 * If the originals differ, another program set a value in between. No
	 * instance relies on the value of a tunable that came back after a
	 * switch of the scheduler.
	 */
	if (below && !below->kept && *below->ours &&
	    !strcmp(below->orig, e->orig))
		*target = below->ours;
	else
		*target = e->orig;
	if (!now || e->kept || !**target || !strcmp(*target, e->ours) ||
	    !strcmp(now->value, *target))
		return LEDGER_NOTHING;
	if (!strcmp(now->value, e->ours))
		return LEDGER_WRITE;
	/* Another iodyno changed it after us, and puts it back itself. */
	if (maker_of(others, e->name, e->scheduler, now->value))
		return LEDGER_LEFT;
	return LEDGER_FOREIGN;
}

pid_t ledger_later_owner(const struct ledger *others, uint64_t since_ns)
{
	for (size_t i = 0; i < others->n; i++)
		if (others->at[i].owner && others->at[i].since_ns > since_ns)
			return others->at[i].owner;
	return 0;
}

pid_t ledger_owner(const struct ledger *others)
{
	return ledger_later_owner(others, 0);
}

void ledger_turning(struct ledger *l, const char *device, const char *knob,
		    bool turning)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].device, device) &&
		    !strcmp(l->at[i].name, knob))
			l->at[i].turning = turning;
}

/* True when an unfinished write of this device was carried out. */
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

/*
 * Whether an unfinished write may have moved this setting: one of the value that
 * the knob had before does not show in the knob.
 */
static bool was_moved(const struct ledger *l, const struct ledger_entry *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct ledger_entry *by = &l->at[i];

		if (by->turning && !strcmp(by->device, e->device) && by->row &&
		    by->row->moves && !strcmp(by->row->moves, e->name))
			return true;
	}
	return false;
}

/* Tunables that the switch of the scheduler created. */
static void add_created(struct ledger *l, const char *device,
			const struct knob_scan *present,
			const struct ledger *others)
{
	struct knob_identity identity;
	uint64_t since_ns;

	if (!ledger_device(l, device, &identity, &since_ns))
		return;
	for (size_t i = 0; i < present->n; i++) {
		const struct knob_setting *now = &present->at[i];
		struct ledger_entry *e;

		if (!*now->scheduler ||
		    ledger_find(l, device, now->name, now->scheduler))
			continue;
		e = ledger_entry(l, device, now->name, now->scheduler);
		text_set(e->orig, value_before_removal(others, now->name,
						       now->scheduler));
		e->identity = identity;
		e->since_ns = since_ns;
	}
}

void ledger_settle(struct ledger *l, const char *device,
		   const struct knob_scan *present, const struct ledger *others)
{
	bool turned = was_turned(l, device, present);

	if (turned)
		add_created(l, device, present, others);
	for (size_t i = 0; i < l->n; i++) {
		struct ledger_entry *e = &l->at[i];
		const struct knob_setting *now;

		if (strcmp(e->device, device) || !(turned || was_moved(l, e)))
			continue;
		now = knob_scan_find(present, e->name, e->scheduler);
		text_set(e->ours, now ? now->value : "");
	}
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].device, device))
			l->at[i].turning = false;
}
