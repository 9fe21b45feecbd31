/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crew errors: which errors the clones of a job saw, and how often.
 */
#include <inttypes.h>
#include <stdio.h>

#include "workload/crew.h"

static uint64_t errors_of(const struct crew *c, unsigned code)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < c->n; i++)
		n += counter_get(&c->worker[i]->ramp.by_errno[code]) +
		     counter_get(&c->worker[i]->run.by_errno[code]);
	return n;
}

static unsigned first_error_of(const struct worker *k)
{
	uint64_t code = counter_get(&k->ramp.first_errno);

	return (unsigned)(code ? code : counter_get(&k->run.first_errno));
}

/* That of the clone that failed first, or of any that saw one. */
static unsigned first_error(const struct crew *c)
{
	const struct worker *failed = crew_failed(c);
	unsigned code = failed ? first_error_of(failed) : 0;

	for (unsigned i = 0; i < c->n && !code; i++)
		code = first_error_of(c->worker[i]);
	return code;
}

const char *crew_errors_by(const struct crew *c, struct arena *arena)
{
	unsigned first = first_error(c);
	char text[256] = "";
	size_t len = 0;

	for (unsigned i = 0; i <= ERRNO_COUNT && len < sizeof(text); i++) {
		unsigned code = i ? i - 1 : first;
		uint64_t n = errors_of(c, code);

		if (n && (!i || code != first))
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s%u:%" PRIu64, len ? " " : "",
						code, n);
	}
	return arena_strdup(arena, text);
}
