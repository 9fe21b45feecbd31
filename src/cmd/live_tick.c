/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live tick: sample, derive, log, report, draw.
 */
#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/command.h"
#include "cmd/live.h"

/* Fill the older of the two samples; it becomes the newest. */
static struct sample *take_sample(struct live *l, unsigned late)
{
	struct sample *s = &l->sample[!l->newest_sample];

	sample_reset(s);
	collect_sample(l->collect, s);
	knob_sampler_read(l->sampler, s);
	loads_sample(&l->loads, s);
	l->late += late;
	s->late = late;
	collect_self(s, l->frame_ns, l->late);
	l->newest_sample = !l->newest_sample;
	return s;
}

static struct frame *derive(struct live *l, unsigned late)
{
	struct frame *f = &l->frame[!l->shown];
	const struct sample *prev =
		l->sampled ? &l->sample[l->newest_sample] : NULL;
	const struct sample *now = take_sample(l, late);
	uint64_t since;

	if (!l->sampled)
		l->start_ns = now->mono_ns;
	l->sampled = true;
	frame_derive(f, prev, now, l->start_ns);
	for (size_t i = 0; i < l->n_events; i++)
		frame_add_event(f, &l->event[i]);
	l->n_events = 0;
	if (!l->restored)
		watch_look(l->watch, f,
			   l->keeper ? keeper_pending(l->keeper, &since)
				     : NULL);
	return f;
}

/* What only the first look tells: the time, host and devices. */
static void complete_header(struct live *l, const struct frame *first)
{
	const struct table *t = &first->table[SCHEMA_DEVICE];
	struct header *h = &l->header;

	h->wall_ns = first->wall_ns;
	collect_host(&l->root, &h->host);
	h->device = xcalloc(t->n, sizeof(*h->device));
	for (size_t i = 0; i < t->n; i++)
		if (collect_device_info(&l->root, t->row[i].id,
					&h->device[h->n_devices]))
			h->n_devices++;
}

static void write_header(struct live *l, const struct frame *first)
{
	l->header.knobs = first;
	live_log_wrote(l, log_header(l->log, &l->header));
	l->header.knobs = NULL;
}

void live_first_look(struct live *l)
{
	struct frame *f;

	/* Ten thousand processes take a while. */
	live_draw(l);
	f = derive(l, 0);
	l->shown = !l->shown;
	live_draw(l);
	complete_header(l, f);
	if (l->log)
		write_header(l, f);
}

/* Events as lines, for those who have no screen; not what they know. */
static void announce(struct live *l, const struct frame *f)
{
	size_t i = l->n_said;

	for (l->n_said = 0; i < f->n_events; i++) {
		char words[512];

		command_say("%8.3f s  %s", f->event[i].t_s,
			    event_words(&f->event[i], words, sizeof(words)));
	}
}

void live_tick(struct live *l, unsigned late)
{
	uint64_t begin = clock_mono_ns();
	struct frame *f = derive(l, late);

	l->tick_ns = begin;
	report_add(l->report, f);
	if (l->log && !l->log_error)
		live_log_wrote(l, log_frame(l->log, f));
	l->frames++;
	if (l->announce)
		announce(l, f);
	if (l->ui) {
		history_push(l->history, f);
		if (!l->paused) {
			l->shown = !l->shown;
			live_draw(l);
		}
	}
	l->frame_ns = clock_mono_ns() - begin;
}
