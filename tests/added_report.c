/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Added, report: a check and a format of results, of which the program "column"
 * has one more than iodyno.
 */
#include "report/checks.h"
#include "report/results.h"

enum check_state added_judge(const struct check_case *c);
void added_print(struct report *r, const struct header *h, int how, FILE *out);

/* A check: a note on each run. */
enum check_state added_judge(const struct check_case *c)
{
	return checks_say(c, CHECK_NOTE,
			  "a check that a test adds saw %zu jobs", c->n_jobs);
}

/* A format: a line. */
void added_print(struct report *r, const struct header *h, int how, FILE *out)
{
	fprintf(out, "format %d that a test adds: %zu frames\n", how,
		r->total->frames);
}
