/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced requests of processes and control groups. */
#pragma once

#include <stdint.h>

#include "collect/trace.h"
#include "model/frame.h"

/* By the place in the programs' table. A zeroed struct is ready. */
struct trace_owner_state {
	struct trace_owned {
		uint64_t key; /* 0: nobody's */
		struct trace_owner *copy[2];
		unsigned newest, idle;
		bool changed; /* between the last two looks */
	} owned[TRACE_OWNERS];
};

/*
 * Give the processes and control groups of a sample their requests. What the sample
 * did not read anew keeps those of the last look.
 */
void trace_owner_rows(struct trace_owner_state *state, const struct trace *t,
		      struct sample *s);

void trace_owner_free(struct trace_owner_state *state);
