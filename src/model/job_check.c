/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job check: what can be said against a job before its target is seen.
 */
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "model/job.h"

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
