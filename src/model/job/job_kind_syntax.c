/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of options: values with a syntax of their own. */
#include "model/job/job_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/units.h"

/*
 * Cut "word:rest" in two; the value of the word, and the rest or NULL. 0, or
 * -EINVAL with a sentence.
 */
static int word_and_rest(struct job *job, const struct job_option *o,
			 const char *value, unsigned *word, char **rest)
{
	char *copy = xstrdup(value);
	char *colon = strchr(copy, ':');
	int err;

	*rest = NULL;
	if (colon) {
		*rest = xstrdup(colon + 1);
		*colon = '\0';
	}
	err = job_words.parse(job, o, copy, word);
	free(copy);
	if (err) {
		free(*rest);
		*rest = NULL;
	}
	return err;
}

/* "randrw:8", "write:4k", "read:-8k". */
static int rw_suffix(struct job *job, const struct job_option *o, char *rest)
{
	bool minus = *rest == '-';
	uint64_t n;
	int err;

	job->rw_nr = 0;
	job->rw_skip_bytes = 0;
	if (job_random(job)) {
		if (!units_parse_count(rest, 1, UINT32_MAX, &n))
			return fail(EINVAL,
				    "%s=%s:%s: give a count of I/Os after the "
				    "colon",
				    o->name, job_rw_name(job->rw), rest);
		job->rw_nr = (unsigned)n;
		return 0;
	}
	err = job_read_bytes(job, o, rest + minus, &n);
	if (!err)
		job->rw_skip_bytes = minus ? -(int64_t)n : (int64_t)n;
	return err;
}

static int parse_rw(struct job *job, const struct job_option *o,
		    const char *value, void *member)
{
	char *rest;
	int err = word_and_rest(job, o, value, member, &rest);

	if (err)
		return err;
	job->rw_nr = 0;
	job->rw_skip_bytes = 0;
	if (rest)
		err = rw_suffix(job, o, rest);
	free(rest);
	return err;
}

static const char *text_rw(const void *member)
{
	return job_rw_name(*(const unsigned *)member);
}

static void from_rw(void *member, const char *text)
{
	for (unsigned i = 0; i < RW_COUNT; i++)
		if (!strcmp(job_rw_name(i), text))
			*(unsigned *)member = i;
}

/* fio's default and bounds for the argument of each skewed distribution. */
static const struct {
	unsigned kind;
	double standard, min, max;
	const char *what;
} skews[] = {
	{ DISTRIBUTION_ZIPF, 1.1, 0, 1e6, "a theta other than 1" },
	{ DISTRIBUTION_PARETO, 0.2, 1e-9, 1 - 1e-9, "between 0 and 1" },
	{ DISTRIBUTION_NORMAL, 0, 0, 100 - 1e-9, "a per cent below 100" },
};

static int skew(struct job *job, const struct job_option *o, char *rest,
		size_t i)
{
	char *argument = rest ? job_piece(&rest, ':') : NULL;
	double v = skews[i].standard, center = -1;

	if (argument && *argument &&
	    (!job_real(argument, &v) || v < skews[i].min || v > skews[i].max))
		return fail(EINVAL, "%s: the argument %s is not %s", o->name,
			    argument, skews[i].what);
	if (skews[i].kind == DISTRIBUTION_ZIPF && v >= 1 && v <= 1)
		return fail(EINVAL, "%s: the argument %s is not %s", o->name,
			    argument, skews[i].what);
	if (rest && (!job_real(rest, &center) || center > 1))
		return fail(EINVAL, "%s: the center %s is not within 0 and 1",
			    o->name, rest);
	job->distribution_arg = v;
	job->distribution_center = center;
	return 0;
}

static int zones(struct job *job, const struct job_option *o, const char *text)
{
	struct job_split split;
	int err = 0;

	if (!text || !*text)
		return fail(EINVAL,
			    "%s: zones are missing, such as zoned:60/10:40/90",
			    o->name);
	for (unsigned dir = 0; dir < JOB_DIRS && !err; dir++) {
		char *piece = job_direction_piece(text, dir);

		err = job_zones_parse(piece, job->kb_base,
				      job->distribution_kind ==
					      DISTRIBUTION_ZONED_ABS,
				      &split);
		free(piece);
	}
	if (err)
		return fail(EINVAL, "%s: %s", o->name, fail_sentence());
	job_own(&job->distribution, text);
	return 0;
}

/* "2,0,1": whole numbers, for sequence. */
static int job_kind_sequence(struct job *job, const struct job_option *o,
			     const char *text)
{
	uint64_t *list;
	size_t n;

	if (job_sequence_parse(text ? text : "", &list, &n) < 0)
		return fail(EINVAL, "%s: %s", o->name, fail_sentence());
	free(list);
	job_own(&job->distribution, text);
	return 0;
}

static int parse_distribution(struct job *job, const struct job_option *o,
			      const char *value, void *member)
{
	char *rest;
	int err = word_and_rest(job, o, value, member, &rest);

	if (err)
		return err;
	free(job->distribution);
	job->distribution = NULL;
	if (job->distribution_kind == DISTRIBUTION_ZONED ||
	    job->distribution_kind == DISTRIBUTION_ZONED_ABS)
		err = zones(job, o, rest);
	if (job->distribution_kind == DISTRIBUTION_SEQUENCE)
		err = job_kind_sequence(job, o, rest);
	for (size_t i = 0; i < ARRAY_SIZE(skews); i++)
		if (skews[i].kind == job->distribution_kind)
			err = skew(job, o, rest, i);
	free(rest);
	return err;
}

/* "roundrobin:8", "zipf:1.2". */
static int parse_file_order(struct job *job, const struct job_option *o,
			    const char *value, void *member)
{
	double arg = 0;
	uint64_t n = 1;
	char *rest;
	bool good = true;
	int err = word_and_rest(job, o, value, member, &rest);

	if (err)
		return err;
	switch (job->file_service) {
	case FILES_ZIPF:
	case FILES_PARETO:
	case FILES_NORMAL:
		arg = job->file_service == FILES_ZIPF     ? 1.1
		      : job->file_service == FILES_PARETO ? 0.2
							  : 0;
		good = !rest || job_real(rest, &arg);
		break;
	default:
		good = !rest || units_parse_count(rest, 1, UINT32_MAX, &n);
	}
	free(rest);
	if (!good)
		return job_bad_value(o, value);
	job->file_service_n = (unsigned)n;
	job->file_service_arg = arg;
	return 0;
}

#define STEADY_SLOPE 16

/* "iops:2%", "bw_slope:10m", "lat:200us". */
static int steady_limit(struct job *job, const struct job_option *o,
			char *limit)
{
	size_t n = strlen(limit);
	uint64_t whole;

	job->steady_pct = n && limit[n - 1] == '%';
	if (job->steady_pct) {
		limit[n - 1] = '\0';
		if (!job_real(limit, &job->steady_limit))
			return job_bad_value(o, limit);
		return 0;
	}
	if (job->steady == STEADY_IOPS)
		return job_real(limit, &job->steady_limit)
			       ? 0
			       : job_bad_value(o, limit);
	if (job->steady == STEADY_LAT)
		return job_time(limit, 1000, &whole, NULL)
			       ? (job->steady_limit = (double)whole, 0)
			       : job_bad_value(o, limit);
	if (job_read_bytes(job, o, limit, &whole) < 0)
		return -EINVAL;
	job->steady_limit = (double)whole;
	return 0;
}

static int parse_steady(struct job *job, const struct job_option *o,
			const char *value, void *member)
{
	unsigned word;
	char *rest;
	int err = word_and_rest(job, o, value, &word, &rest);

	if (err)
		return err;
	job->steady = word & ~STEADY_SLOPE;
	job->steady_slope = word & STEADY_SLOPE;
	err = rest ? steady_limit(job, o, rest)
		   : fail(EINVAL, "%s=%s has no limit, such as %s:2%%", o->name,
			  value, value);
	free(rest);
	return err;
}

/* Words or'ed, as in "read,write". */
static int parse_flagwords(struct job *job, const struct job_option *o,
			   const char *value, void *member)
{
	char *copy = xstrdup(value), *rest = copy, *piece;
	unsigned all = 0, one;
	int err = 0;

	while (!err && (piece = job_piece(&rest, ','))) {
		err = job_words.parse(job, o, piece, &one);
		if (!err)
			all |= one;
	}
	free(copy);
	if (!err)
		*(unsigned *)member = all;
	return err;
}

/* "write:8", "wait_before,write:1". */
static int parse_range_sync(struct job *job, const struct job_option *o,
			    const char *value, void *member)
{
	char *copy = xstrdup(value), *colon = strchr(copy, ':');
	uint64_t every = 1;
	int err = 0;

	if (colon) {
		*colon = '\0';
		err = job_read_bytes(job, o, colon + 1, &every);
	}
	if (!err)
		err = parse_flagwords(job, o, copy, member);
	free(copy);
	if (!err)
		job->range_every = every;
	return err;
}

const struct job_kind job_rw_kind = { .parse = parse_rw,
				      .text = text_rw,
				      .from_text = from_rw };
static char **owned_zones(struct job *job, void *member, unsigned i)
{
	return i ? NULL : &job->distribution;
}

const struct job_kind job_distribution = { .parse = parse_distribution,
					   .owned = owned_zones };
const struct job_kind job_file_order = { .parse = parse_file_order };
const struct job_kind job_steady_kind = { .parse = parse_steady };
const struct job_kind job_range_sync = { .parse = parse_range_sync };
const struct job_kind job_flagwords = { .parse = parse_flagwords };
