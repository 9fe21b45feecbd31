/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Added, report: a check, a format of results and an alarm, of which the program
 * "column" has one more than iodyno.
 */
#include "model/alarms.h"
#include "report/checks.h"
#include "report/results.h"

enum check_state added_judge(const struct check_case *c);
void added_print(struct report *r, const struct header *h, int how, FILE *out);
void added_words(const struct alarm_case *c, char *buf, size_t size);

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

/* An alarm: on each job that reads. */
void added_words(const struct alarm_case *c, char *buf, size_t size)
{
	snprintf(buf, size, "an alarm that a test adds sees %s", c->row->id);
}
