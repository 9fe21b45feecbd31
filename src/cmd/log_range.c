/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Log range: the part of a log that --from and --to name. */
#include "cmd/log_range.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/units.h"

/* Times that differ by less are the same. */
#define HAIR_S 1e-6

static int parse_bound(struct log_bound *b, const char *option,
		       const char *text)
{
	uint64_t ns;

	*b = (struct log_bound){ .text = text, .t_s = NAN };
	if (!text)
		return 0;
	/* The sign distinguishes an offset from a time of day. */
	if (*text == '+' && units_parse_span(text + 1, &b->t_s))
		return 0;
	if (units_parse_ns(text, NS_PER_S, &ns)) {
		b->t_s = (double)ns / 1e9;
		return 0;
	}
	/* Check the form only: the first frame gives the day. */
	if (clock_parse_local(text, NS_PER_S))
		return 0;
	return fail(EINVAL,
		    "%s=%.64s is not a time; write 90, 2m or +1:30 for a time "
		    "since the start of the log, or 03:12 or \"2026-11-20 "
		    "03:12\" for local time",
		    option, text);
}

int log_range_init(struct log_range *r, const char *from, const char *to)
{
	int err;

	memset(r, 0, sizeof(*r));
	err = parse_bound(&r->from, "--from", from);
	return err < 0 ? err : parse_bound(&r->to, "--to", to);
}

static void log_range_meet(struct log_range *r, const struct frame *f)
{
	uint64_t begin = f->wall_ns;

	r->met = true;
	r->first_ns = f->wall_ns;
	if (begin > clock_span_ns(f->interval_s))
		begin -= clock_span_ns(f->interval_s);
	if (r->from.text && isnan(r->from.t_s))
		r->from.wall_ns = clock_parse_local(r->from.text, begin);
	if (r->to.text && isnan(r->to.t_s))
		r->to.wall_ns = clock_parse_local(
			r->to.text, r->from.wall_ns ? r->from.wall_ns : begin);
}

/* Whether the frame ended at or before a bound. */
static bool is_until(const struct log_bound *b, const struct frame *f)
{
	if (!isnan(b->t_s))
		return f->t_s <= b->t_s + HAIR_S;
	return f->wall_ns <= b->wall_ns;
}

bool log_range_has(struct log_range *r, const struct frame *f)
{
	bool has;

	if (!r->met)
		log_range_meet(r, f);
	r->last_ns = f->wall_ns;
	has = !(r->from.text && is_until(&r->from, f)) &&
	      !(r->to.text && !is_until(&r->to, f));
	r->inside += has;
	return has;
}

int log_range_check(const struct log_range *r, const char *log)
{
	if (r->inside || (!r->from.text && !r->to.text) || !r->met)
		return 0;
	return fail(EINVAL,
		    "%.255s has no frame between --from and --to; it goes from "
		    "%s to %s",
		    log, clock_local(r->first_ns, true).text,
		    clock_local(r->last_ns, true).text);
}
