/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep jobs: the jobs of a run, with the values of its variant.
 */
#include "cmd/sweep/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/run/jobs.h"
#include "workload/jobfile/jobfile.h"
#include "workload/kind/kind.h"

void sweep_jobs_free(struct job *job, size_t n)
{
	for (size_t i = 0; i < n; i++)
		job_free(&job[i]);
	free(job);
}

/* Take the jobs of the command line or of the axis job, before options vary. */
static int base_jobs(const struct sweep *sw, size_t variant,
		     struct settings *to)
{
	const struct settings *from = sw->settings;

	for (size_t i = 0; i < from->n_jobs; i++) {
		struct job *job = settings_add_job(to);

		job_free(job);
		job_copy(job, &from->job[i]);
	}
	for (size_t a = 0; a < sw->plan.n_axes; a++)
		if (sw->plan.axis[a].kind == SWEEP_JOB) {
			char *name =
				(char *)sweep_plan_value(&sw->plan, variant, a);

			options_add_word(preset_find(name) ? &to->arg
							   : &to->jobfile,
					 name);
			return jobs_parse(to);
		}
	return 0;
}

static int set_options(const struct sweep *sw, size_t variant, struct job *job)
{
	const struct sweep_plan *p = &sw->plan;
	int err = 0;

	for (size_t a = 0; a < p->n_axes && !err; a++) {
		const struct sweep_axis *axis = &p->axis[a];

		if (axis->kind == SWEEP_OPTION &&
		    (!*axis->job || !strcmp(axis->job, job->name)))
			err = job_set(job, axis->name,
				      sweep_plan_value(p, variant, a));
	}
	return err;
}

static int set_target(const struct sweep *sw, struct job *job)
{
	bool scratch = sw->plan.scratch_bytes || sw->plan.scratch_device;

	if (!scratch || job->directory)
		return 0;
	if (sweep_plan_axis(&sw->plan, SWEEP_FS))
		return job_set(job, "directory", SWEEP_STAGE_PLACE);
	if (job->filename)
		return 0;
	return job_set(job, "filename",
		       *sw->stage.device ? sw->stage.device : "scratch");
}

/* Seed the offsets: the same in each run of a block, others in the next. A
 * number of the log holds only 52 bits exactly. */
static int set_seed(const struct sweep *sw, size_t variant, unsigned block,
		    struct job *job)
{
	uint64_t seed = sweep_order_seed(&sw->plan, block);
	const struct work_kind *kind;
	char number[24];
	int err = kind_find(job, &kind);

	if (err < 0 || !kind_reads(kind, "randseed"))
		return err;

	if (sw->plan.cold == SWEEP_WARM) {
		seed += variant * 0x9e3779b97f4a7c15u;
		job->invalidate = false;
	}
	snprintf(number, sizeof(number), "%llu",
		 (unsigned long long)(seed >> 12));
	return job_set(job, "randseed", number);
}

static int check_end(const struct job *job)
{
	if (job->time_based && !job->runtime_ns)
		return fail(EINVAL, "job %s never ends: give --runtime=TIME",
			    job->name);
	return 0;
}

int sweep_jobs_make(const struct sweep *sw, size_t variant, unsigned block,
		    struct job **job, size_t *n)
{
	struct settings to;
	int err;

	settings_init(&to, 1, sw->settings->argv);
	to.readonly = sw->settings->readonly;
	to.lenient = sw->settings->lenient;
	to.scale = sw->settings->scale;
	to.log = sw->settings->log;
	err = base_jobs(sw, variant, &to);
	if (!err && !to.n_jobs)
		err = fail(EINVAL, "there is no job to run; name a job file, a "
				   "preset or --name=NAME");
	for (size_t i = 0; i < to.n_jobs && !err; i++) {
		err = set_options(sw, variant, &to.job[i]);
		if (!err)
			err = set_target(sw, &to.job[i]);
		if (!err)
			err = set_seed(sw, variant, block, &to.job[i]);
		if (!err)
			err = check_end(&to.job[i]);
		to.job[i].cell = sw->cell;
	}
	if (!err)
		err = jobs_check(&to);
	*job = NULL;
	*n = 0;
	if (!err) {
		*job = to.job;
		*n = to.n_jobs;
		to.job = NULL;
		to.n_jobs = 0;
	}
	settings_free(&to);
	return err;
}
