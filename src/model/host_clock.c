/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/host_clock.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

void host_clock_free(struct host_clock *c)
{
	free(c->piece);
}

/* Whether t and the wall clock parted in the interval of a frame, and nobody
 * set it. */
static bool host_clock_parts(const struct frame *f)
{
	for (size_t i = 0; i < f->n_events; i++)
		if (f->event[i].kind == EVENT_NOTE &&
		    clock_stood(f->event[i].text))
			return true;
	return false;
}

void host_clock_take(struct host_clock *c, const struct frame *f)
{
	uint64_t base_ns = f->wall_ns - clock_span_ns(f->t_s);

	if (!f->wall_ns)
		return;
	if (!c->n || c->anew)
		c->off_ns = 0;
	if (!c->n || c->anew || host_clock_parts(f))
		*xadd(c->piece, c->n, c->cap) = (struct host_clock_piece){
			f->t_s, base_ns - (uint64_t)c->off_ns
		};
	c->anew = false;
	c->off_ns = (int64_t)(base_ns - c->piece[c->n - 1].base_ns);
	if (fabs((double)c->off_ns) > fabs(c->set_s * 1e9))
		c->set_s = (double)c->off_ns / 1e9;
}

uint64_t host_clock_ns(const struct host_clock *c, double t_s)
{
	size_t i = c->n;

	if (!i)
		return 0;
	for (i--; i > 0 && t_s < c->piece[i].t_s;)
		i--;
	return c->piece[i].base_ns + clock_span_ns(t_s);
}

double host_clock_t(const struct host_clock *c, uint64_t at_ns)
{
	size_t i = c->n;

	if (!i)
		return 0;
	for (i--; i > 0 &&
		  at_ns < c->piece[i].base_ns + clock_span_ns(c->piece[i].t_s);)
		i--;
	return (double)(int64_t)(at_ns - c->piece[i].base_ns) / 1e9;
}
