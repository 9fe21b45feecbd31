/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fleet past: the time that is shown, and the frames of the hosts at it. */
#include "cmd/replay/fleet_past.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

#define SPEED_MIN 0.01
#define SPEED_MAX 1000

void fleet_past_free(struct fleet_past *p)
{
	for (size_t i = 0; i < p->n_logs; i++)
		log_reader_free(p->log[i]);
	free(p->log);
	free(p->alarm);
	frame_free(&p->frame);
}

void fleet_past_came(struct fleet_past *p, size_t i, const struct frame *f,
		     uint64_t at_ns)
{
	if (!at_ns)
		return;
	if (!p->first_ns || at_ns < p->first_ns)
		p->first_ns = at_ns;
	p->last_ns = p->last_ns > at_ns ? p->last_ns : at_ns;
	p->step_s = f->interval_s > 0 ? f->interval_s : 1;
	for (size_t k = 0; k < f->n_events; k++) {
		const enum event_kind kind = f->event[k].kind;

		if (kind == EVENT_ALARM_BEGIN || kind == EVENT_ALARM_END)
			*xadd(p->alarm, p->n_alarms, p->cap_alarms) =
				(struct fleet_alarm){ at_ns, i,
						      kind == EVENT_ALARM_BEGIN };
	}
}

uint64_t fleet_past_until(const struct fleet_past *p)
{
	return p->at_ns + clock_span_ns(p->step_s / 2);
}

static void fleet_past_go(struct fleet_past *p, double to_ns)
{
	const double first = (double)p->first_ns, last = (double)p->last_ns;

	p->moved_ns = clock_mono_ns();
	/* The end is the newest line, whatever comes. */
	p->at_ns = to_ns >= last && !p->paused
			   ? 0
			   : (uint64_t)fmax(first, fmin(to_ns, last));
}

/* To the next or the previous begin of an alarm of any host. */
static void fleet_past_alarm(struct fleet_past *p, int direction)
{
	const uint64_t now = p->at_ns ? p->at_ns : p->last_ns;
	uint64_t best = 0;

	for (size_t i = 0; i < p->n_alarms; i++) {
		uint64_t t = p->alarm[i].at_ns;

		if (!p->alarm[i].begins)
			continue;
		if (direction > 0 ? t > now && (!best || t < best)
				  : t < now && t > best)
			best = t;
	}
	if (best)
		fleet_past_go(p, (double)best);
}

bool fleet_past_act(struct fleet_past *p, const struct action *a)
{
	const double now = (double)(p->at_ns ? p->at_ns : p->last_ns);

	switch (a->kind) {
	case ACTION_PAUSE:
		p->paused = !p->paused;
		fleet_past_go(p, now);
		return true;
	case ACTION_STEP:
		p->paused = true;
		fleet_past_go(p, now + a->number * p->step_s * NS_PER_S);
		return true;
	case ACTION_SEEK:
		fleet_past_go(p, (double)p->first_ns + a->number * NS_PER_S);
		return true;
	case ACTION_SEEK_CLOCK:
		fleet_past_go(p, a->number);
		return true;
	case ACTION_SEEK_ALARM:
		fleet_past_alarm(p, a->number < 0 ? -1 : 1);
		return true;
	case ACTION_SPEED:
		p->speed = fmin(fmax(p->speed * a->number, SPEED_MIN),
				SPEED_MAX);
		return true;
	default:
		return false;
	}
}

void fleet_past_move(struct fleet_past *p)
{
	const uint64_t now_ns = clock_mono_ns();

	if (!p->at_ns || p->paused)
		return;
	if (p->stop_ns && p->at_ns >= p->stop_ns)
		p->paused = true;
	else
		fleet_past_go(p, (double)p->at_ns +
					 p->speed * (double)(now_ns -
							     p->moved_ns));
}

int fleet_past_read(struct fleet_past *p, const struct label_stream *s,
		    size_t i, const struct host_clock *time,
		    const struct frame **out)
{
	const struct label_stream_host *h = label_stream_host(s, i);
	size_t last;
	int err = 0;

	*out = NULL;
	if (i >= p->n_logs) {
		p->log = xrealloc(p->log, (i + 1) * sizeof(*p->log));
		while (p->n_logs <= i)
			p->log[p->n_logs++] = NULL;
	}
	err = p->log[i] ? log_more(p->log[i])
			: log_open_follow_fd(&p->log[i], h->fd, h->label);
	if (err < 0 || !log_count(p->log[i]))
		return err;
	last = log_seek(p->log[i], host_clock_t(time, fleet_past_until(p)));
	err = log_read(p->log[i], last, &p->frame);
	if (err == 0 &&
	    host_clock_ns(time, p->frame.t_s) <= fleet_past_until(p))
		*out = &p->frame;
	return err;
}
