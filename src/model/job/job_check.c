/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job check: errors in a job that show without its target.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/job/job.h"
#include "model/job/job_kind.h"

static bool has_any(const uint64_t rate[JOB_DIRS])
{
	for (int i = 0; i < JOB_DIRS; i++)
		if (rate[i])
			return true;
	return false;
}

static int check_zones(const struct job *job)
{
	uint64_t range = job->zone_range ? job->zone_range : job->zone_bytes;

	if ((job->zones == ZONES_STRIDED) != (job->zone_bytes > 0))
		return fail(EINVAL,
			    "job %s: zonemode=strided and zonesize need each "
			    "other; give both or none",
			    job->name);
	if (!job->zone_bytes || range >= job_max_block(job))
		return 0;
	return fail(EINVAL,
		    "job %s: a zone of %llu bytes is less than one block of "
		    "%llu",
		    job->name, (unsigned long long)range,
		    (unsigned long long)job_max_block(job));
}

int job_check(const struct job *job)
{
	if (!*job->name)
		return fail(EINVAL, "a job needs a name; give --name=NAME");
	if (!job->filename && (strchr(job->name, '/') || job->name[0] == '.'))
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
	if (check_zones(job) < 0)
		return -EINVAL;
	if (has_any(job->rate_bytes) && has_any(job->rate_iops))
		return fail(EINVAL,
			    "job %s: rate and rate_iops exclude each other; "
			    "give one of them",
			    job->name);
	if (job->latency_target_ns && !job->latency_window_ns)
		return fail(EINVAL,
			    "job %s: latency_target needs a latency_window, "
			    "such as 5s",
			    job->name);
	if (job->size_bytes && job->size_bytes < job_min_block(job))
		return fail(EINVAL,
			    "job %s: size %llu is less than one block of %llu",
			    job->name, (unsigned long long)job->size_bytes,
			    (unsigned long long)job_min_block(job));
	return 0;
}

const char *job_id(const struct job *job)
{
	return *job->id ? job->id : job->name;
}

static bool id_taken(const struct job *job, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(job[i].id, id))
			return true;
	return false;
}

void job_set_nth(struct job *job, unsigned nth)
{
	char end[16] = "";

	job->nth = nth;
	if (nth > 1)
		snprintf(end, sizeof(end), "#%u", nth);
	snprintf(job->id, sizeof(job->id), "%.*s%s",
		 (int)(sizeof(job->id) - 1 - strlen(end)), job->name, end);
}

/*
 * fio lets jobs share a name; rows, events and assertions need distinct ones.
 */
static void set_id(struct job *job, size_t i)
{
	unsigned nth = 1;

	do
		job_set_nth(&job[i], nth++);
	while (id_taken(job, i, job[i].id));
}

/*
 * Logs are named after the job; a name with a slash would name another folder.
 */
static void name_log(char **log, const char *name)
{
	const char *slash = strrchr(name, '/');

	if (*log && !**log)
		job_own(log, slash ? slash + 1 : name);
}

void jobs_settle(struct job *job, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		set_id(job, i);
		if (job[i].time_based && !job[i].runtime_ns) {
			job[i].time_based = false;
			job_note(&job[i],
				 "time_based is left out without a runtime, "
				 "as fio does; give --runtime=60");
		}
		name_log(&job[i].bw_log, job[i].id);
		name_log(&job[i].iops_log, job[i].id);
		name_log(&job[i].lat_log, job[i].id);
		name_log(&job[i].hist_log, job[i].id);
	}
}
