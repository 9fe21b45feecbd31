/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job lists: options that hold a list: percentiles, CPUs, priorities, errors,
 * assertions.
 */
#include "model/assertion.h"
#include "model/job/job_kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "model/job/job_split.h"

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

/* fio takes 20 at most, between ':' or ','. */
static int parse_percentiles(struct job *job not_used,
			     const struct job_option *o, const char *value,
			     void *member)
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

static int parse_cpus(struct job *job not_used, const struct job_option *o,
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
	for (unsigned cpu = 0; cpu < 64; cpu++) {
		size_t n = strlen(list);

		if (mask >> cpu & 1)
			snprintf(list + n, sizeof(list) - n, "%s%u",
				 n ? "," : "", cpu);
	}
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
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (!strcmp(errors[i].name, name))
			return errors[i].number;
	return units_parse_count(name, 1, 4095, &n) ? (int)n : 0;
}

/* "EIO:ENOSPC,ENOSPC,EILSEQ": for reads, writes and verification. */
static int parse_errors(struct job *job not_used, const struct job_option *o,
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
					   "%s=%s: %s is no error such as EIO",
					   o->name, value, piece);
	}
	free(copy);
	if (!err)
		job_own(member, value);
	return err;
}

static int parse_assertions(struct job *job not_used,
			    const struct job_option *o not_used,
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
const struct job_kind job_cpus = { .parse = parse_cpus,
				   .owned = job_owned_member };
const struct job_kind job_cpumask = { .parse = parse_cpumask,
				      .owned = job_owned_member };
const struct job_kind job_prios = { .parse = parse_prios,
				    .owned = job_owned_member };
const struct job_kind job_errors = { .parse = parse_errors,
				     .owned = job_owned_member };
const struct job_kind job_assertions = { .parse = parse_assertions,
					 .owned = job_owned_member };
