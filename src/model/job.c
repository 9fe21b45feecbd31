/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job: defaults, checks and the way into the log.
 */
#include "model/job.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/fail.h"
#include "base/text.h"

void job_init(struct job *job)
{
	memset(job, 0, sizeof(*job));
	text_copy(job->engine, sizeof(job->engine), "psync");
	job->rw = RW_READ;
	job->rwmixread = 50;
	for (int i = 0; i < JOB_DIRS; i++) {
		job->bs[i].min = job->bs[i].max = 4096;
		job->percentage_random[i] = 100;
	}
	job->spread_center = -1;
	job->nrfiles = 1;
	job->file_service_n = 1;
	job->loops = 1;
	job->create_serialize = job->allow_file_create = true;
	job->do_verify = true;
	job->scramble_buffers = true;
	job->clat_percentiles = true;
	job->kb_base = 1024;
	job->sqthread_poll_cpu = UINT_MAX;
	job->thinktime_blocks = 1;
	job->steady_check_ns = 1000000000;
	job->rate_cycle_ns = 1000000000;
	job->per_job_logs = true;
	job->iodepth = 1;
	job->iodepth_batch = 0;
	job->iodepth_batch_complete = 1;
	job->numjobs = 1;
	job->randrepeat = true;
	job->randseed = 1;
	job->invalidate = true;
}

/* The members that are texts of their own; see job_option's JOB_STRING. */
static const size_t strings[] = {
	offsetof(struct job, description),
	offsetof(struct job, filename),
	offsetof(struct job, directory),
	offsetof(struct job, filename_format),
	offsetof(struct job, bs[JOB_READ].split),
	offsetof(struct job, bs[JOB_WRITE].split),
	offsetof(struct job, bs[JOB_TRIM].split),
	offsetof(struct job, distribution),
	offsetof(struct job, wait_for),
	offsetof(struct job, cpus_allowed),
	offsetof(struct job, ignore_error),
	offsetof(struct job, buffer_pattern),
	offsetof(struct job, verify_pattern),
	offsetof(struct job, bw_log),
	offsetof(struct job, iops_log),
	offsetof(struct job, lat_log),
	offsetof(struct job, hist_log),
	offsetof(struct job, percentile_list),
};

static char **string_at(struct job *job, size_t offset)
{
	return (char **)(void *)((char *)job + offset);
}

void job_copy(struct job *to, const struct job *from)
{
	*to = *from;
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		char **s = string_at(to, strings[i]);

		if (*s)
			*s = xstrdup(*s);
	}
	to->given = xcalloc(from->n_given, sizeof(*to->given));
	to->cap_given = from->n_given;
	for (size_t i = 0; i < from->n_given; i++) {
		to->given[i].name = xstrdup(from->given[i].name);
		to->given[i].value = xstrdup(from->given[i].value);
		to->given[i].global = from->given[i].global;
	}
}

void job_free(struct job *job)
{
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		char **s = string_at(job, strings[i]);

		free(*s);
		*s = NULL;
	}
	for (size_t i = 0; i < job->n_given; i++) {
		free(job->given[i].name);
		free(job->given[i].value);
	}
	free(job->given);
	job->given = NULL;
	job->n_given = job->cap_given = 0;
}

uint64_t job_max_block(const struct job *job)
{
	unsigned dirs = job_dirs(job);
	uint64_t most = 0;

	for (int i = 0; i < JOB_DIRS; i++)
		if (dirs & 1u << i && job->bs[i].max > most)
			most = job->bs[i].max;
	return most;
}

uint64_t job_min_block(const struct job *job)
{
	unsigned dirs = job_dirs(job);
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < JOB_DIRS; i++)
		if (dirs & 1u << i && job->bs[i].min < least)
			least = job->bs[i].min;
	return least;
}

int job_check(const struct job *job)
{
	if (!*job->name)
		return fail(EINVAL, "a job needs a name; give --name=NAME");
	if (strchr(job->name, '/') || job->name[0] == '.')
		return fail(EINVAL,
			    "job %s: a name must not hold '/' nor begin with "
			    "'.', it becomes a file's name",
			    job->name);
	if (job->direct && job_min_block(job) % 512)
		return fail(EINVAL,
			    "job %s: direct I/O needs a block size that is a "
			    "multiple of 512, not %llu",
			    job->name, (unsigned long long)job_min_block(job));
	if (job->time_based && !job->runtime_ns)
		return fail(EINVAL,
			    "job %s: time_based needs a runtime; give "
			    "--runtime=60",
			    job->name);
	if (job->size_bytes && job->size_bytes < job_min_block(job))
		return fail(EINVAL,
			    "job %s: size %llu is less than one block of %llu",
			    job->name, (unsigned long long)job->size_bytes,
			    (unsigned long long)job_min_block(job));
	return 0;
}

static double number_of(const struct job *job, const struct job_option *o)
{
	const char *p = (const char *)job + o->offset;

	switch (o->kind) {
	case JOB_BYTES:
	case JOB_SIZE:
	case JOB_NS:
	case JOB_COUNT64:
	case JOB_BS:
		return (double)*(const uint64_t *)(const void *)p;
	case JOB_FLAG:
		return *(const bool *)(const void *)p;
	default:
		return *(const unsigned *)(const void *)p;
	}
}

static void put_option(struct json *j, const struct job *job,
		       const struct job_option *o)
{
	const char *p = (const char *)job + o->offset;
	const char *text = NULL;

	if (o->kind == JOB_RW)
		text = job_rw_name(job->rw);
	else if (o->kind == JOB_TEXT)
		text = p;
	else if (o->kind == JOB_STRING)
		text = *(char *const *)(const void *)p;
	else
		json_put_number(j, o->key, number_of(job, o));
	if (text)
		json_put_text(j, o->key, text);
}

struct json *job_json(const struct job *job)
{
	struct json *j = json_new_object();

	for (size_t i = 0; i < n_job_options; i++)
		if (job_options[i].key)
			put_option(j, job, &job_options[i]);
	return j;
}

/*
 * A whole number within the option's range. A 0 below it says "not given",
 * which is what the default says, too.
 */
static bool whole(const struct job_option *o, double v, uint64_t *out)
{
	uint64_t most = o->max ? o->max : UINT64_MAX;

	if (!(v >= 0 && v < 0x1p63) || v != (double)(uint64_t)v)
		return false;
	*out = (uint64_t)v;
	return *out >= o->min && *out <= most;
}

static void number_from(struct job *job, const struct job_option *o, double v)
{
	void *member = (char *)job + o->offset;
	uint64_t n;

	if (!whole(o, v, &n))
		return;
	switch (o->kind) {
	case JOB_BYTES:
	case JOB_SIZE:
	case JOB_NS:
	case JOB_COUNT64:
		*(uint64_t *)member = n;
		break;
	case JOB_BS:
		for (int i = 0; i < JOB_DIRS; i++)
			job->bs[i].min = job->bs[i].max = n;
		break;
	case JOB_FLAG:
		*(bool *)member = n != 0;
		break;
	case JOB_COUNT:
		if (n <= UINT32_MAX)
			*(unsigned *)member = (unsigned)n;
		break;
	default:
		break;
	}
}

static void text_from(struct job *job, const struct job_option *o,
		      const char *text)
{
	char *member = (char *)job + o->offset;

	if (o->kind == JOB_TEXT) {
		text_copy(member, o->size, text);
		text_clean(member);
	} else if (o->kind == JOB_STRING) {
		char **string = (char **)(void *)member;

		free(*string);
		*string = xstrdup(text);
		text_clean(*string);
	} else if (o->kind == JOB_RW) {
		for (unsigned i = 0; i < RW_COUNT; i++)
			if (!strcmp(job_rw_name(i), text))
				job->rw = i;
	}
}

void job_from_json(struct job *job, struct json *j)
{
	job_init(job);
	for (size_t i = 0; i < n_job_options; i++) {
		const struct job_option *o = &job_options[i];
		struct json *value = o->key ? json_get(j, o->key) : NULL;

		if (json_string(value))
			text_from(job, o, json_string(value));
		else
			number_from(job, o, json_number(value));
	}
}
