/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase: names.
 */
#include "model/phase.h"

#include <stddef.h>
#include <string.h>

#include "model/frame.h"

static const char *const names[PHASES] = {
	[PHASE_LAYOUT] = "layout", [PHASE_WAIT] = "wait",
	[PHASE_INVALIDATE] = "invalidate", [PHASE_RAMP] = "ramp",
	[PHASE_RUN] = "run",	   [PHASE_VERIFY] = "verify",
	[PHASE_DONE] = "done",
};

const char *phase_name(enum phase phase)
{
	return phase < PHASES ? names[phase] : NULL;
}

enum phase phase_by_name(const char *name)
{
	for (int i = 0; name && i < PHASES; i++)
		if (!strcmp(names[i], name))
			return (enum phase)i;
	return PHASES;
}

enum phase phase_of(const struct row *job)
{
	return phase_by_name(row_text(SCHEMA_JOB, job, "phase"));
}
