/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress: the sums over the jobs that run, on one line.
 */
#include "cmd/session/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "model/schema/schema_job.h"

struct progress {
	unsigned jobs;
	double bytes[JOB_DIRS], iops[JOB_DIRS];
	double least_pct, eta_s; /* of the job that takes longest; NaN */
};

static const char letters[JOB_DIRS] = { 'r', 'w', 't' };

static double or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

static void add_row(struct progress *s, const struct row *row)
{
	static const char *const bytes[JOB_DIRS] = { "read_bytes_per_s",
						     "write_bytes_per_s",
						     "trim_bytes_per_s" };
	static const char *const iops[JOB_DIRS] = { "read_iops", "write_iops",
						    "trim_iops" };
	double pct = row_number(SCHEMA_JOB, row, "progress_pct");

	s->jobs++;
	for (int d = 0; d < JOB_DIRS; d++) {
		s->bytes[d] += or_zero(row_number(SCHEMA_JOB, row, bytes[d]));
		s->iops[d] += or_zero(row_number(SCHEMA_JOB, row, iops[d]));
	}
	s->least_pct = fmin(s->least_pct, pct);
	s->eta_s = fmax(s->eta_s, row_number(SCHEMA_JOB, row, "eta_s"));
}

/* "r=120MiB/s,w=30MiB/s" without the zeros; unit follows each, or all. */
static size_t add_values(char *buf, size_t size, const double *value,
			 char *(*format)(char *, size_t, double),
			 const char *each, const char *all)
{
	size_t used = 0;
	char words[32];

	for (int d = 0; d < JOB_DIRS && used < size; d++)
		if (value[d] > 0)
			used += (size_t)snprintf(
				buf + used, size - used, "%s%c=%s%s",
				used ? "," : "[", letters[d],
				format(words, sizeof(words), value[d]), each);
	if (used && used < size)
		used += (size_t)snprintf(buf + used, size - used, "%s]", all);
	return used < size ? used : size - 1;
}

char *progress_words(const struct frame *f, char *buf, size_t size)
{
	const struct table *t = &f->table[SCHEMA_JOB];
	struct progress s = { .least_pct = NAN, .eta_s = NAN };
	size_t used;
	char eta[32];

	*buf = '\0';
	for (size_t i = 0; i < t->n; i++) {
		const char *phase = row_text(SCHEMA_JOB, &t->row[i], "phase");

		if (phase && strcmp(phase, "done") != 0)
			add_row(&s, &t->row[i]);
	}
	if (!s.jobs)
		return buf;
	used = (size_t)snprintf(buf, size, "Jobs: %u ", s.jobs);
	if (!isnan(s.least_pct))
		used += (size_t)snprintf(buf + used, size - used, "[%.1f%%]",
					 s.least_pct);
	used += add_values(buf + used, size - used, s.bytes, units_format_bytes,
			   "/s", "");
	used += add_values(buf + used, size - used, s.iops, units_format_count,
			   "", " IOPS");
	if (!isnan(s.eta_s))
		snprintf(buf + used, size - used, "[eta %s]",
			 units_format_span(eta, sizeof(eta), s.eta_s));
	return buf;
}
