/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job check: find errors of a job without its target. */
#include "model/job/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
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
		return job_fail(job, EINVAL,
				"zonemode=strided and zonesize need each "
				"other; give both or none");
	if (!job->zone_bytes || range >= job_max_block(job))
		return 0;
	return job_fail(job, EINVAL,
			"a zone of %llu bytes is less than one block of %llu",
			(unsigned long long)range,
			(unsigned long long)job_max_block(job));
}

static int check_verify(const struct job *job)
{
	if (job->verify_only && job->verify == VERIFY_NONE)
		return job_fail(
			job, EINVAL,
			"verify_only needs verify, as in --verify=crc32c");
	if (job->verify_only && job->verify_policy == VERIFY_FSYNCED &&
	    !job->verify_state_load)
		return job_fail(
			job, EINVAL,
			"verify_policy=fsynced needs verify_state_load=1, "
			"which says what the syncs of the earlier run cover");
	return 0;
}

int job_check(const struct job *job)
{
	if (!*job->name)
		return fail(EINVAL, "a job needs a name; give --name=NAME");
	if (!job->filename && (strchr(job->name, '/') || job->name[0] == '.'))
		return job_fail(job, EINVAL,
				"a name must not hold '/' nor begin with '.', "
				"because it becomes a file's name");
	if (job->direct && job_min_block(job) % 512)
		return job_fail(job, EINVAL,
				"direct I/O needs a block size that is a "
				"multiple of 512, not %llu",
				(unsigned long long)job_min_block(job));
	if (job->time_based && !job->runtime_ns)
		return job_fail(
			job, EINVAL,
			"time_based needs a runtime; give --runtime=60");
	if (check_zones(job) < 0 || check_verify(job) < 0)
		return -EINVAL;
	if ((job->memory_align & (job->memory_align - 1)) ||
	    (job->huge_page_bytes & (job->huge_page_bytes - 1)))
		return job_fail(
			job, EINVAL,
			"iomem_align and hugepage-size are powers of two");
	if (job->opendir && job->filename)
		return job_fail(job, EINVAL,
				"opendir and filename exclude each other; give "
				"one of them");
	if (job->ramp_ns && job->ramp_bytes)
		return job_fail(job, EINVAL,
				"ramp_time and ramp_size exclude each other; "
				"give one of them");
	if (has_any(job->rate_bytes) && has_any(job->rate_iops))
		return job_fail(job, EINVAL,
				"rate and rate_iops exclude each other; give "
				"one of them");
	if (job->latency_target_ns && !job->latency_window_ns)
		return job_fail(
			job, EINVAL,
			"latency_target needs a latency_window, such as 5s");
	if (job->size_bytes && job->size_bytes < job_min_block(job))
		return job_fail(job, EINVAL,
				"size %llu is less than one block of %llu",
				(unsigned long long)job->size_bytes,
				(unsigned long long)job_min_block(job));
	return 0;
}

const char *job_id(const struct job *job)
{
	return *job->id ? job->id : job->name;
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
	while (text_row(job[i].id, job, i, id));
}

/*
 * Logs are named after the job; a name with a slash would name another folder.
 */
static void name_log(char **log, const char *name)
{
	if (*log && !**log)
		job_own(log, text_base(name));
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
