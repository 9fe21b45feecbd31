/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job split: shares of block sizes and of a target's parts.
 */
#include "model/job/job_split.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/units.h"
#include "model/job/job_kind.h"

#define BLANK (-1.0)

/* Blank shares divide what the others leave of 100. */
static int share_rest(double *pct, size_t n, size_t stride, const char *text)
{
	double sum = 0;
	size_t blanks = 0;

	for (size_t i = 0; i < n; i++) {
		double v = *(double *)(void *)((char *)pct + i * stride);

		blanks += v == BLANK;
		sum += v == BLANK ? 0 : v;
	}
	if (sum > 100.0001)
		return fail(EINVAL, "the per cents of %s make %g in all", text,
			    sum);
	for (size_t i = 0; i < n; i++) {
		double *v = (double *)(void *)((char *)pct + i * stride);

		if (*v == BLANK)
			*v = (100 - sum) / (double)blanks;
		else if (!blanks && i == n - 1)
			*v += 100 - sum;
	}
	return 0;
}

/* "10" or "" of 100. */
static bool percent(const char *text, double *pct)
{
	if (!text || !*text) {
		*pct = BLANK;
		return true;
	}
	return job_real(text, pct) && *pct <= 100;
}

static bool small(char *text, unsigned max, unsigned *out)
{
	uint64_t n;

	if (!text || !units_parse_count(text, 0, max, &n))
		return false;
	*out = (unsigned)n;
	return true;
}

typedef bool part_fn(char *piece, unsigned kb_base, bool absolute,
		     struct job_split *out);

static bool block_part(char *piece, unsigned kb_base, bool absolute not_used,
		       struct job_split *out)
{
	char *rest = piece, *size = job_piece(&rest, '/');

	return job_bytes(size, kb_base, &out->part[out->n].bytes, NULL) &&
	       out->part[out->n].bytes && percent(rest, &out->part[out->n].pct);
}

/* "64k/25" or "64k/25/1/1"; a per cent must be there. */
static bool prio_part(char *piece, unsigned kb_base, bool absolute not_used,
		      struct job_split *out)
{
	char *rest = piece, *size = job_piece(&rest, '/');
	char *pct = rest ? job_piece(&rest, '/') : NULL;

	if (!pct || !*pct || !percent(pct, &out->part[out->n].pct) ||
	    !job_bytes(size, kb_base, &out->part[out->n].bytes, NULL))
		return false;
	out->part[out->n].has_prio = rest != NULL;
	return !rest ||
	       (small(job_piece(&rest, '/'), 3, &out->part[out->n].class) &&
		small(rest, 7, &out->part[out->n].level));
}

static bool zone_part(char *piece, unsigned kb_base, bool absolute,
		      struct job_split *out)
{
	char *rest = piece, *access = job_piece(&rest, '/');

	if (!percent(access, &out->part[out->n].pct))
		return false;
	if (!absolute)
		return percent(rest, &out->part[out->n].size_pct);
	return rest && job_bytes(rest, kb_base, &out->part[out->n].bytes, NULL);
}

static int read_parts(const char *text, unsigned kb_base, bool absolute,
		      part_fn *part, struct job_split *out)
{
	char *copy = xstrdup(text), *rest = copy, *piece;
	int err = 0;

	memset(out, 0, sizeof(*out));
	while (!err && (piece = job_piece(&rest, ':'))) {
		if (out->n == JOB_SPLIT_MAX)
			err = fail(EINVAL, "more than %d parts", JOB_SPLIT_MAX);
		else if (!part(piece, kb_base, absolute, out))
			err = fail(EINVAL, "part %zu of %s is invalid",
				   out->n + 1, text);
		else
			out->n++;
	}
	free(copy);
	return err;
}

static int parse_parts(const char *text, unsigned kb_base, bool absolute,
		       part_fn *part, struct job_split *out)
{
	int err = read_parts(text, kb_base, absolute, part, out);

	if (!err)
		err = share_rest(&out->part[0].pct, out->n,
				 sizeof(out->part[0]), text);
	return err;
}

int job_split_parse(const char *text, unsigned kb_base, struct job_split *out)
{
	return parse_parts(text, kb_base, false, block_part, out);
}

int job_zones_parse(const char *text, unsigned kb_base, bool absolute,
		    struct job_split *out)
{
	int err = parse_parts(text, kb_base, absolute, zone_part, out);

	if (err || absolute)
		return err;
	return share_rest(&out->part[0].size_pct, out->n, sizeof(out->part[0]),
			  text);
}

int job_prios_parse(const char *text, unsigned kb_base, struct job_split *out)
{
	return read_parts(text, kb_base, false, prio_part, out);
}

char *job_direction_piece(const char *text, unsigned dir)
{
	const char *end;

	while (dir && (end = strchr(text, ','))) {
		text = end + 1;
		dir--;
	}
	return xasprintf("%.*s", (int)strcspn(text, ","), text);
}
