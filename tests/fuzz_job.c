/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job options from lines of NAME=VALUE: whatever they say, the job can be
 * checked, copied, written to the log's header and freed.
 */
#include "fuzz.h"

#include "base/fail.h"
#include "model/job/job.h"
#include "model/job/job_kind.h"

FUZZ_TARGET(job)
{
	char *text = as_string(data, size), *save = NULL;
	struct job job, copy;
	struct json_writer w = { 0 };
	struct json *j;

	job_init(&job);
	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *value = strchr(line, '=');

		if (value)
			*value++ = '\0';
		if (job_set(&job, line, value))
			must_hold(*fail_sentence());
	}
	if (job_check(&job))
		must_hold(*fail_sentence());
	must_hold(job.rwmixread <= 100 && job.numjobs >= 1);
	for (unsigned dir = 0; dir < JOB_DIRS; dir++) {
		struct job_split split;

		must_hold(job.bs[dir].min && job.bs[dir].min <= job.bs[dir].max);
		must_hold(job.percentage_random[dir] <= 100);
		/* What was made of the shares can be read again. */
		must_hold(!job.bs[dir].split ||
			  !job_split_parse(job.bs[dir].split, 1024, &split));
	}
	jobs_settle(&job, 1);
	job_copy(&copy, &job);
	job_json_write(&w, &copy);
	must_hold(!json_parse(w.buf, w.len, &j));
	json_free(j);
	json_writer_free(&w);
	job_free(&copy);
	job_free(&job);
	free(text);
	return 0;
}
