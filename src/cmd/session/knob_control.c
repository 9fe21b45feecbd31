/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knob control: turns, their undo, the reset of devices, and the queue. */
#include "cmd/session/knob_control.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/session/job_control.h"

/* How long the end waits for a knob write that hangs in the kernel. */
#define RESTORE_NS (10 * NS_PER_S)

void knob_control_init(struct knob_control *kc, const struct root *root,
		       struct pipeline *pipeline)
{
	memset(kc, 0, sizeof(*kc));
	kc->root = root;
	kc->pipeline = pipeline;
	text_set(kc->no_knobs, "this command turns no knobs");
}

int knob_control_open(struct knob_control *kc, int tty)
{
	char rerun[FAIL_ROOT_MAX];

	*kc->no_knobs = '\0';
	if (kc->root->live && geteuid() != 0)
		snprintf(kc->no_knobs, sizeof(kc->no_knobs),
			 "only root can turn knobs%s",
			 fail_as_root(rerun, sizeof(rerun)));
	kc->keeper_uid = geteuid();
	return keeper_start(&kc->keeper, kc->root, tty);
}

void knob_control_free(struct knob_control *kc)
{
	free(kc->turned_device);
	free(kc->queue);
	free(kc->left);
	kc->left = NULL;
	kc->turned_device = NULL;
	kc->queue = NULL;
}

static void message(const struct knob_control *kc, const char *fmt, ...)
	printf_like(2, 3);

/* Report a sentence that is not an event. */
static void message(const struct knob_control *kc, const char *fmt, ...)
{
	char sentence[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	if (kc->on_message)
		kc->on_message(kc->arg, sentence, false);
}

int knob_control_fd(const struct knob_control *kc)
{
	return kc->keeper ? keeper_fd(kc->keeper) : -1;
}

const char *knob_control_pending(const struct knob_control *kc,
				 uint64_t *since_ns)
{
	return kc->keeper ? keeper_pending(kc->keeper, since_ns) : NULL;
}

/* Convert a report of the keeper into an event. */
static struct event event_of(const struct keeper_report *r, enum event_by by)
{
	struct event e = { .kind = EVENT_KNOB,
			   .took_ns = r->took_ns,
			   .error = r->error };

	text_set(e.device, r->device);
	text_set(e.knob, r->knob);
	text_set(e.old_value, r->old_value);
	text_set(e.new_value, r->new_value);
	text_set(e.wanted, r->wanted);
	e.by = by;
	return e;
}

/* --- turns --- */

static int knob_control_ask(struct knob_control *kc,
			    const struct knob_wish *wish, bool is_undo)
{
	int err;

	if (!kc->keeper)
		return fail(EPERM, "%s", kc->no_knobs);
	err = keeper_set(kc->keeper, wish->device, wish->knob, wish->value);
	if (err < 0)
		return err;
	knob_sampler_watch(kc->pipeline->sampler, wish->device);
	kc->pending = *wish;
	kc->pending_undo = is_undo;
	kc->pending_queued = false;
	return 0;
}

int knob_control_set(struct knob_control *kc, const char *device,
		     const char *knob, const char *value, enum event_by by)
{
	const struct knob_wish wish =
		knob_control_wish(device, knob, value, by);

	return knob_control_ask(kc, &wish, false);
}

int knob_control_undo(struct knob_control *kc)
{
	struct knob_wish wish;

	if (!kc->n_undo)
		return fail(ENOENT, "there is no change to undo");
	wish = kc->undo[kc->n_undo - 1];
	wish.by = BY_OPERATOR;
	return knob_control_ask(kc, &wish, true);
}

/* Remember how to undo a turn that worked; an undo removes its own entry. */
static void note_undo(struct knob_control *kc, const struct keeper_report *r)
{
	struct knob_wish *u;

	if (kc->pending_undo) {
		if (kc->n_undo)
			kc->n_undo--;
		return;
	}
	if (kc->n_undo == ARRAY_SIZE(kc->undo)) {
		memmove(&kc->undo[0], &kc->undo[1],
			sizeof(kc->undo) - sizeof(kc->undo[0]));
		kc->n_undo--;
	}
	u = &kc->undo[kc->n_undo++];
	text_set(u->device, r->device);
	text_set(u->knob, r->knob);
	text_set(u->value, r->old_value);
}

/*
 * The kernel copies readahead into a file when the file is opened, so it must
 * be applied to the open files of running jobs.
 */
static void apply_readahead(struct knob_control *kc, struct event *e)
{
	struct workloads *ws = kc->pipeline->workloads;
	char words[160];
	int files;

	if (!workloads_any(ws)) {
		text_set(e->text,
			 "applies to files that are opened from now on");
		return;
	}
	files = workloads_readahead(ws, e->device, words, sizeof(words));
	if (files > 0)
		snprintf(e->text, sizeof(e->text),
			 "applied to %d open file%s%s%s", files,
			 files == 1 ? "" : "s", *words ? "; " : "", words);
	else
		text_set(e->text, words);
}

/*
 * Whether to drop an undo: it worked, or its device, value or setting (of a
 * scheduler that another program changed) no longer exists. Older undos stay.
 */
static bool undo_is_over(int error)
{
	return !error || error == ENODEV || error == ENOENT || error == EINVAL;
}

static size_t turned_index(const struct knob_control *kc, const char *device)
{
	size_t i = 0;

	while (i < kc->n_turned && strcmp(kc->turned_device[i], device))
		i++;
	return i;
}

static void note_turned(struct knob_control *kc, const char *device)
{
	if (turned_index(kc, device) < kc->n_turned)
		return;
	kc->turned_device = xgrow(kc->turned_device, &kc->cap_turned,
				  kc->n_turned + 1, sizeof(*kc->turned_device));
	text_copy(kc->turned_device[kc->n_turned++], sizeof(*kc->turned_device),
		  device);
}

static void turned(struct knob_control *kc, const struct keeper_report *r)
{
	struct event e = event_of(r, kc->pending.by);

	if (r->error)
		keeper_explain(kc->root, r, e.text, sizeof(e.text));
	else if (!strcmp(r->knob, "read_ahead_kb"))
		apply_readahead(kc, &e);
	pipeline_add_event(kc->pipeline, &e);
	kc->turned |= !r->error;
	if (!r->error)
		note_turned(kc, r->device);
	if (kc->pending_undo ? undo_is_over(r->error)
			     : !r->error && !event_changed_nothing(&e))
		note_undo(kc, r);
	if (r->error && kc->pending_queued)
		kc->n_failed++;
	if (kc->on_answer)
		kc->on_answer(kc->arg, &e);
}

/*
 * Report a side effect; the keeper sends the turn or the reset that caused it
 * next.
 */
static void changed(struct knob_control *kc, const struct keeper_report *r,
		    enum event_by by)
{
	struct event e = event_of(r, by);

	text_set(e.cause, r->cause);
	/* Do not report tunables that come and go with their scheduler. */
	if (!*r->old_value || !*r->new_value) {
		frame_foreign_own(kc->pipeline->foreign, &e);
		return;
	}
	if (!strcmp(r->knob, "read_ahead_kb"))
		apply_readahead(kc, &e);
	pipeline_add_event(kc->pipeline, &e);
}

/* Report a sentence to the log and to the operator. */
static void knob_control_note(struct knob_control *kc, const char *text)
{
	struct event e = { .kind = EVENT_NOTE };

	text_set(e.text, text);
	pipeline_add_event(kc->pipeline, &e);
	if (kc->on_message)
		kc->on_message(kc->arg, text, true);
}

/* Another instance has changed the device that this one now changes. */
static void shared(struct knob_control *kc, const struct keeper_report *r)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "another iodyno (process %d) has changed settings of %s, too",
		 (int)r->owner, r->device);
	knob_control_note(kc, text);
}

static void knob_control_take(struct knob_control *kc,
			      const struct keeper_report *r)
{
	if (r->kind == KEEPER_CHANGED)
		changed(kc, r, kc->pending.by);
	else if (r->kind == KEEPER_SHARED)
		shared(kc, r);
	else if (r->kind == KEEPER_TURNED)
		turned(kc, r);
}

/* --- reset --- */

/* Move a device to the end of the list: the devices there wait for a reset. */
static void put_last(struct knob_control *kc, size_t i)
{
	char device[sizeof(*kc->turned_device)];

	memcpy(device, kc->turned_device[i], sizeof(device));
	memmove(kc->turned_device[i], kc->turned_device[i + 1],
		(kc->n_turned - i - 1) * sizeof(device));
	memcpy(kc->turned_device[kc->n_turned - 1], device, sizeof(device));
}

/* Reset the next device that waits, if the keeper is free. */
static void reset_next(struct knob_control *kc)
{
	const char *device;

	if (!kc->n_reset || kc->resetting || !kc->keeper ||
	    keeper_pending(kc->keeper, NULL))
		return;
	kc->n_reset--;
	device = kc->turned_device[kc->n_turned - 1];
	if (keeper_restore(kc->keeper, device) < 0) {
		kc->n_reset = 0;
		message(kc, "%s", fail_sentence());
		return;
	}
	kc->resetting = true;
}

int knob_control_reset(struct knob_control *kc, const char *device,
		       enum event_by by)
{
	size_t i = turned_index(kc, device);

	if (!kc->keeper)
		return fail(EPERM, "%s", kc->no_knobs);
	if (kc->resetting || keeper_pending(kc->keeper, NULL))
		return fail(EBUSY, "a change is under way; wait until it is "
				   "done");
	if (*device && i == kc->n_turned)
		return fail(ENOENT, "no setting of %s was changed", device);
	if (!kc->n_turned)
		return fail(ENOENT, "no setting was changed");
	kc->reset_by = by;
	if (*device)
		put_last(kc, i);
	kc->n_reset = *device ? 1 : kc->n_turned;
	reset_next(kc);
	return 0;
}

/*
 * Forget the turns of a device that was restored: they cannot be undone any
 * more.
 */
static void forget_undo(struct knob_control *kc, const char *device)
{
	size_t kept = 0;

	for (size_t i = 0; i < kc->n_undo; i++)
		if (strcmp(kc->undo[i].device, device))
			kc->undo[kept++] = kc->undo[i];
	kc->n_undo = kept;
}

static void reset_done(struct knob_control *kc, const struct keeper_report *r)
{
	const char *device = kc->turned_device[kc->n_turned - 1];

	kc->resetting = false;
	if (r->error) {
		kc->n_reset = 0;
		message(kc, "not all settings of %s could be put back: %s",
			device, strerror(r->error));
		return;
	}
	forget_undo(kc, device);
	message(kc, "the settings of %s are as they were", device);
	kc->n_turned--;
}

/* A setting that was restored, or left because another program set it since. */
static struct event restore_event(const struct keeper_report *r,
				  enum event_by by)
{
	struct event e = event_of(r, by);

	if (r->error == ESTALE) {
		e.error = 0;
		e.kind = EVENT_NOTE;
		snprintf(e.text, sizeof(e.text),
			 "%s.%s stays at %s: another program set it", e.device,
			 e.knob, e.new_value);
	}
	return e;
}

static void reset_report(struct knob_control *kc, const struct keeper_report *r)
{
	struct event e;

	if (r->kind == KEEPER_DONE) {
		reset_done(kc, r);
		return;
	}
	if (r->kind == KEEPER_CHANGED) {
		changed(kc, r, kc->reset_by);
		return;
	}
	e = restore_event(r, kc->reset_by);
	pipeline_add_event(kc->pipeline, &e);
}

/* --- queue --- */

struct knob_wish knob_control_wish(const char *device, const char *knob,
				   const char *value, enum event_by by)
{
	struct knob_wish w;

	memset(&w, 0, sizeof(w));
	text_set(w.device, device);
	text_set(w.knob, knob);
	text_set(w.value, value);
	w.by = by;
	return w;
}

bool knob_control_queued(const struct knob_control *kc)
{
	return kc->n_queue || kc->pending_queued;
}

static void queue_finished(struct knob_control *kc)
{
	size_t n = kc->n_failed;

	kc->n_failed = 0;
	if (kc->on_queue_done)
		kc->on_queue_done(kc->arg, n);
}

/* Ask for the next turn when the keeper is free. */
static void queue_next(struct knob_control *kc)
{
	bool any = kc->n_queue || kc->pending_queued;

	if (!any || kc->n_reset || kc->resetting)
		return;
	if (knob_control_pending(kc, NULL))
		return;
	kc->pending_queued = false;
	while (kc->n_queue) {
		struct knob_wish wish = kc->queue[0];

		kc->n_queue--;
		memmove(&kc->queue[0], &kc->queue[1],
			kc->n_queue * sizeof(kc->queue[0]));
		if (knob_control_ask(kc, &wish, false) == 0) {
			kc->pending_queued = true;
			return;
		}
		kc->n_failed++;
		if (kc->on_refused)
			kc->on_refused(kc->arg, wish.by, fail_sentence());
	}
	queue_finished(kc);
}

static int order_of(const struct knob_wish *wish)
{
	const struct knob *knob = knob_find(wish->knob);

	return knob ? knob->order : 0;
}

void knob_control_queue(struct knob_control *kc, const struct knob_wish *wish,
			size_t n)
{
	size_t first = kc->n_queue;

	kc->queue = xgrow(kc->queue, &kc->cap_queue, first + n + 1,
			  sizeof(*kc->queue));
	for (size_t i = 0; i < n; i++) {
		size_t at = kc->n_queue++;

		/* Insert behind equal ones: this keeps the caller's order. */
		for (; at > first &&
		       order_of(&kc->queue[at - 1]) > order_of(&wish[i]);
		     at--)
			kc->queue[at] = kc->queue[at - 1];
		kc->queue[at] = wish[i];
	}
	if (!n && !knob_control_queued(kc))
		queue_finished(kc);
	queue_next(kc);
}

/* --- the keeper --- */

/*
 * The keeper died. Its journal remains; the end of the session restores the
 * settings in it.
 */
static void keeper_died(struct knob_control *kc)
{
	/* A turn in progress may have been made. */
	if (keeper_pending(kc->keeper, NULL))
		kc->turned = true;
	if (keeper_stop(kc->keeper, 0, NULL, NULL) < 0)
		message(kc, "the keeper of the settings died; no knob can be "
			    "turned any more");
	kc->keeper = NULL;
	kc->resetting = false;
	kc->keeper_dead = true;
	text_set(kc->no_knobs, "the keeper of the settings died");
	if (kc->pending_queued)
		kc->n_failed++;
}

/* Note a setting of an interrupted run that the keeper put back. */
static void left_over(struct knob_control *kc, const struct keeper_report *r)
{
	struct event e = event_of(r, BY_RESTORE), note = { .kind = EVENT_NOTE };
	char words[512];

	frame_foreign_own(kc->pipeline->foreign, &e);
	knob_sampler_watch(kc->pipeline->sampler, r->device);
	snprintf(note.text, sizeof(note.text),
		 "left by an interrupted run: %.150s",
		 event_words(&e, words, sizeof(words)));
	pipeline_add_event(kc->pipeline, &note);
	if (kc->on_message)
		kc->on_message(kc->arg, note.text, true);
}

void knob_control_receive(struct knob_control *kc)
{
	struct keeper_report r;
	int got;

	if (!kc->keeper)
		return;
	while ((got = keeper_receive(kc->keeper, &r)) > 0) {
		if (kc->resetting &&
		    (r.kind == KEEPER_RESTORED || r.kind == KEEPER_CHANGED ||
		     r.kind == KEEPER_DONE))
			reset_report(kc, &r);
		else if (r.kind == KEEPER_RESTORED)
			left_over(kc, &r);
		else if (r.kind != KEEPER_CHANGED ||
			 knob_control_pending(kc, NULL))
			knob_control_take(kc, &r);
		reset_next(kc);
	}
	if (got < 0)
		keeper_died(kc);
	queue_next(kc);
}

/* --- the end --- */

static void add_left(struct knob_control *kc, const char *fmt, ...)
	printf_like(2, 3);

static void add_left(struct knob_control *kc, const char *fmt, ...)
{
	va_list ap;

	kc->left = xgrow(kc->left, &kc->cap_left, kc->n_left + 1,
			 sizeof(*kc->left));
	va_start(ap, fmt);
	vsnprintf(kc->left[kc->n_left++], sizeof(*kc->left), fmt, ap);
	va_end(ap);
}

/* A device whose settings another instance puts back when it ends. */
static void held(struct knob_control *kc, const struct keeper_report *r)
{
	kc->held = true;
	add_left(kc,
		 "the settings of %s stay until another iodyno (process %d) "
		 "ends, which puts them back",
		 r->device, (int)r->owner);
	knob_control_note(kc, kc->left[kc->n_left - 1]);
}

/* A setting that could not be put back, and the command that does it. */
static void knob_control_failed(struct knob_control *kc,
				const struct keeper_report *r)
{
	kc->unrestored = true;
	if (!*r->knob)
		add_left(kc,
			 "%s: not put back, because process %d is changing it; "
			 "later: iodyno knob restore",
			 r->device, (int)r->owner);
	else
		add_left(kc, "%s.%s is still %s: %s; iodyno knob set %s.%s=%s",
			 r->device, r->knob, r->new_value, strerror(r->error),
			 r->device, r->knob, r->wanted);
}

void knob_control_restored(const struct keeper_report *r, void *arg)
{
	struct knob_control *kc = arg;
	struct event e = restore_event(r, BY_RESTORE);

	if (r->kind == KEEPER_HELD) {
		held(kc, r);
		return;
	}
	/* A setting that a restored scheduler changes has no event of its own. */
	if (r->kind == KEEPER_CHANGED && !knob_control_pending(kc, NULL))
		return;
	/* The answer to a turn that was in progress at the end. */
	if (r->kind != KEEPER_RESTORED) {
		knob_control_take(kc, r);
		return;
	}
	if (r->error && r->error != ESTALE)
		knob_control_failed(kc, r);
	pipeline_add_event(kc->pipeline, &e);
}

/*
 * Restore from the journal of a dead keeper. Only root can read the journal;
 * under sudo this process runs as the calling user by now.
 */
static int restore_for_dead(struct knob_control *kc)
{
	if (kc->turned && geteuid() != kc->keeper_uid)
		return fail(EACCES,
			    "the keeper of the settings died, and only root "
			    "can put them back: sudo iodyno knob restore");
	return keeper_restore_journals(kc->root, knob_control_restored, kc);
}

void knob_control_restore(struct knob_control *kc)
{
	int err;

	kc->n_queue = kc->n_reset = 0;
	knob_control_receive(kc);
	kc->restored = true;
	if (kc->keeper)
		err = keeper_stop(kc->keeper, RESTORE_NS, knob_control_restored,
				  kc);
	else if (kc->keeper_dead)
		err = restore_for_dead(kc);
	else
		return;
	kc->keeper = NULL;
	if (err < 0) {
		kc->unrestored = true;
		text_set(kc->unrestored_words, fail_sentence());
	}
}
