/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turn event: what the keeper reports, as an event.
 */
#include "base/text.h"
#include "cmd/live.h"

struct event turn_event(const struct keeper_report *r, const char *by)
{
	struct event e = { .kind = EVENT_KNOB,
			   .took_ns = r->took_ns,
			   .error = r->error };

	text_copy(e.device, sizeof(e.device), r->device);
	text_copy(e.knob, sizeof(e.knob), r->knob);
	text_copy(e.old_value, sizeof(e.old_value), r->old_value);
	text_copy(e.new_value, sizeof(e.new_value), r->new_value);
	text_copy(e.wanted, sizeof(e.wanted), r->wanted);
	text_copy(e.by, sizeof(e.by), by);
	return e;
}
