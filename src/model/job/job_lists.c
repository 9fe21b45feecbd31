/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job lists: options that hold a list: shares of I/Os or of a target, CPUs,
 * percentiles, errors, assertions.
 */
#include "base/text.h"
#include "model/job/job_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/units.h"
#include "model/assertion.h"

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
		return fail(EINVAL, "the per cents of %s add up to %g", text,
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

/* "10", or "" for a blank share. */
static bool job_lists_percent(const char *text, double *pct)
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

static bool block_part(char *piece, unsigned kb_base, bool absolute,
		       struct job_split *out)
{
	char *rest = piece, *size = job_piece(&rest, '/');

	return job_bytes(size, kb_base, &out->part[out->n].bytes, NULL) &&
	       out->part[out->n].bytes &&
	       job_lists_percent(rest, &out->part[out->n].pct);
}

/* "64k/25" or "64k/25/1/1"; a per cent must be there. */
static bool prio_part(char *piece, unsigned kb_base, bool absolute,
		      struct job_split *out)
{
	char *rest = piece, *size = job_piece(&rest, '/');
	char *pct = rest ? job_piece(&rest, '/') : NULL;

	if (!pct || !*pct || !job_lists_percent(pct, &out->part[out->n].pct) ||
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

	if (!job_lists_percent(access, &out->part[out->n].pct))
		return false;
	if (!absolute)
		return job_lists_percent(rest, &out->part[out->n].size_pct);
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

int job_sequence_parse(const char *text, uint64_t **list, size_t *n)
{
	char *copy = xstrdup(text), *rest = copy, *piece;
	size_t cap = 0;

	*list = NULL;
	*n = 0;
	while ((piece = strsep(&rest, ","))) {
		uint64_t block;

		if (*n == JOB_SEQUENCE_MAX ||
		    !units_parse_count(piece, 0, INT64_MAX, &block)) {
			free(copy);
			free(*list);
			*list = NULL;
			return fail(EINVAL,
				    "a sequence is 1 to %d block numbers, such "
				    "as sequence:2,0,1",
				    JOB_SEQUENCE_MAX);
		}
		*xadd(*list, *n, cap) = block;
	}
	free(copy);
	return 0;
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

bool job_cmdprio_one(const struct job *job, unsigned dir, unsigned *class,
		     unsigned *level)
{
	struct job_split split = { 0 };
	char *text;
	int err;

	*class = job->cmdprio_class[dir];
	*level = job->cmdprio[dir];
	if (!job->cmdprio_split)
		return job->cmdprio_pct[dir] > 0;
	text = job_direction_piece(job->cmdprio_split, dir);
	err = job_prios_parse(text, job->kb_base, &split);
	free(text);
	for (size_t i = 0; err == 0 && i < split.n; i++) {
		const bool own = split.part[i].has_prio;
		unsigned of_class = own ? split.part[i].class
					: job->cmdprio_class[dir];
		unsigned of_level = own ? split.part[i].level
					: job->cmdprio[dir];

		if (i && (of_class != *class || of_level != *level))
			return false;
		*class = of_class;
		*level = of_level;
	}
	return err == 0 && split.n;
}

static int parse_prios(struct job *job, const struct job_option *o,
		       const char *value, void *member)
{
	struct job_split split;

	for (unsigned dir = JOB_READ; dir <= JOB_WRITE; dir++) {
		char *piece = job_direction_piece(value, dir);
		int err = job_prios_parse(piece, job->kb_base, &split);

		free(piece);
		if (err)
			return fail(EINVAL, "%s=%s: %s", o->name, value,
				    fail_sentence());
	}
	job_own(member, value);
	return 0;
}

/* As in fio: at most 20, separated by ':' or ','. */
static int parse_percentiles(struct job *job, const struct job_option *o,
			     const char *value, void *member)
{
	char *copy = xstrdup(value), *rest = copy, *piece;
	unsigned n = 0;
	double v;

	for (char *p = copy; *p; p++)
		if (*p == ',')
			*p = ':';
	job_own(member, copy);
	while ((piece = job_piece(&rest, ':'))) {
		if (++n > 20 || !job_real(piece, &v) || v > 100) {
			free(copy);
			return fail(EINVAL,
				    "%s=%s is not a list of at most 20 per "
				    "cents such as 50:99:99.9",
				    o->name, value);
		}
	}
	free(copy);
	return 0;
}

#define MAX_CPU 4095

static bool cpu_range(char *piece)
{
	char *rest = piece, *first = job_piece(&rest, '-');
	uint64_t low, high;

	if (!units_parse_count(first, 0, MAX_CPU, &low))
		return false;
	return !rest ||
	       (units_parse_count(rest, 0, MAX_CPU, &high) && high >= low);
}

static int job_lists_parse_cpus(struct job *job, const struct job_option *o,
				const char *value, void *member)
{
	char *copy = xstrdup(value), *rest = copy, *piece;
	bool good = *value;

	while (good && (piece = job_piece(&rest, ',')))
		good = cpu_range(piece);
	free(copy);
	if (!good)
		return fail(EINVAL, "%s=%s is not a list of CPUs such as 0,2-5",
			    o->name, value);
	job_own(member, value);
	return 0;
}

static int parse_cpumask(struct job *job, const struct job_option *o,
			 const char *value, void *member)
{
	char list[256] = "";
	uint64_t mask;
	int err = job_read_bytes(job, o, value, &mask);

	if (err < 0)
		return err;
	for (unsigned cpu = 0; cpu < 64; cpu++)
		if (mask >> cpu & 1)
			text_join(list, sizeof(list), ",", "%u", cpu);
	job_own(member, list);
	return 0;
}

static const struct {
	const char *name;
	int number;
} errors[] = {
	{ "EPERM", EPERM },
	{ "ENOENT", ENOENT },
	{ "ESRCH", ESRCH },
	{ "EINTR", EINTR },
	{ "EIO", EIO },
	{ "ENXIO", ENXIO },
	{ "E2BIG", E2BIG },
	{ "ENOEXEC", ENOEXEC },
	{ "EBADF", EBADF },
	{ "ECHILD", ECHILD },
	{ "EAGAIN", EAGAIN },
	{ "ENOMEM", ENOMEM },
	{ "EACCES", EACCES },
	{ "EFAULT", EFAULT },
	{ "ENOTBLK", ENOTBLK },
	{ "EBUSY", EBUSY },
	{ "EEXIST", EEXIST },
	{ "EXDEV", EXDEV },
	{ "ENODEV", ENODEV },
	{ "ENOTDIR", ENOTDIR },
	{ "EISDIR", EISDIR },
	{ "EINVAL", EINVAL },
	{ "ENFILE", ENFILE },
	{ "EMFILE", EMFILE },
	{ "ENOTTY", ENOTTY },
	{ "ETXTBSY", ETXTBSY },
	{ "EFBIG", EFBIG },
	{ "ENOSPC", ENOSPC },
	{ "ESPIPE", ESPIPE },
	{ "EROFS", EROFS },
	{ "EMLINK", EMLINK },
	{ "EPIPE", EPIPE },
	{ "EDOM", EDOM },
	{ "ERANGE", ERANGE },
	{ "ENODATA", ENODATA },
	{ "ETIME", ETIME },
	{ "EREMOTEIO", EREMOTEIO },
	{ "EOVERFLOW", EOVERFLOW },
	{ "EILSEQ", EILSEQ },
	{ "EOPNOTSUPP", EOPNOTSUPP },
	{ "ETIMEDOUT", ETIMEDOUT },
	{ "EDQUOT", EDQUOT },
};

int job_errno(const char *name)
{
	const size_t i = text_find(name, errors, ARRAY_SIZE(errors), name);
	uint64_t n;

	if (i < ARRAY_SIZE(errors))
		return errors[i].number;
	return units_parse_count(name, 1, 4095, &n) ? (int)n : 0;
}

/* "EIO:ENOSPC,ENOSPC,EILSEQ": for reads, writes and verification. */
static int parse_errors(struct job *job, const struct job_option *o,
			const char *value, void *member)
{
	char *copy = xstrdup(value), *rest = copy, *list, *piece;
	unsigned lists = 0;
	int err = 0;

	while (!err && (list = job_piece(&rest, ','))) {
		if (++lists > 3)
			err = fail(EINVAL,
				   "%s=%s has more than three lists: for "
				   "reads, writes and verification",
				   o->name, value);
		while (!err && (piece = job_piece(&list, ':')))
			if (*piece && !job_errno(piece))
				err = fail(EINVAL,
					   "%s=%s: %s is not an error such as "
					   "EIO",
					   o->name, value, piece);
	}
	free(copy);
	if (!err)
		job_own(member, value);
	return err;
}

static int parse_assertions(struct job *job, const struct job_option *o,
			    const char *value, void *member)
{
	struct assertions read = { 0 };
	int err = assertions_add(&read, value, "*");

	assertions_free(&read);
	if (!err)
		job_own(member, value);
	return err;
}

const struct job_kind job_percentiles = { .parse = parse_percentiles,
					  .owned = job_owned_member };
const struct job_kind job_cpus = { .parse = job_lists_parse_cpus,
				   .owned = job_owned_member };
const struct job_kind job_cpumask = { .parse = parse_cpumask,
				      .owned = job_owned_member };
const struct job_kind job_prios = { .parse = parse_prios,
				    .owned = job_owned_member };
const struct job_kind job_errors = { .parse = parse_errors,
				     .owned = job_owned_member };
const struct job_kind job_assertions = { .parse = parse_assertions,
					 .owned = job_owned_member };
