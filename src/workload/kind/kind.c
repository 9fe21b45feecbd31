/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of work: the table, and which options each kind reads.
 */
#include "workload/kind/kind.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/target/guard.h"
#include "workload/thread/worker.h"

#define WAIT_NS 100000000ull

const struct work_kind *const work_kinds[] = { &kind_io, &kind_exec,
					       &kind_fileio, &kind_iozone,
					       &kind_stream, &kind_fsmark,
					       &kind_dbench, &kind_sqlite,
					       &kind_pgbench, &kind_startup };

const size_t n_work_kinds = ARRAY_SIZE(work_kinds);

/* The options that every kind reads. */
static const char *const kind_common[] = {
	"name",
	"description",
	"kind",
	"numjobs",
	"thread",
	"process",
	"group_reporting",
	"new_group",
	"stonewall",
	"wait_for",
	"runtime",
	"time_based",
	"ramp_time",
	"startdelay",
	"loops",
	"number_ios",
	"exitall",
	"exit_what",
	"exitall_on_error",
	"continue_on_error",
	"cpus_allowed",
	"cpumask",
	"cpus_allowed_policy",
	"numa_cpu_nodes",
	"nice",
	"prio",
	"prioclass",
	"steadystate",
	"steadystate_duration",
	"steadystate_ramp_time",
	"steadystate_check_interval",
	"percentile_list",
	"clat_percentiles",
	"lat_percentiles",
	"slat_percentiles",
	"kb_base",
	NULL,
};

static bool has(const char *const *list, const char *word)
{
	for (; list && *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

bool kind_reads(const struct work_kind *kind, const char *option)
{
	const struct job_option *o = job_option_find(option);

	/* Every kind accepts options without effect. */
	if (has(kind_common, option) || (o && o->class != JOB_ACTED))
		return true;
	if (kind->options)
		return has(kind->options, option) || has(kind->of_io, option);
	for (size_t i = 0; i < n_work_kinds; i++)
		if (has(work_kinds[i]->options, option))
			return false;
	return true;
}

int kind_check_exec(const struct job *job, const struct allow_list *allow,
		    const char *what)
{
	if ((allow && allow->exec) || job->by_operator)
		return 0;
	return fail(EPERM,
		    "job %s: kind=%s runs %s; give --allow-exec to permit it",
		    job->name, job->kind, what);
}

static void list_options(const struct work_kind *kind, char *buf, size_t size)
{
	*buf = '\0';
	for (size_t i = 0; kind->options && kind->options[i]; i++) {
		size_t n = strlen(buf);

		snprintf(buf + n, size - n, "%s%s", i ? ", " : "",
			 kind->options[i]);
	}
}

int kind_refuse(const struct work_kind *kind, const char *job,
		const char *option)
{
	char own[300];

	list_options(kind, own, sizeof(own));
	return fail(EINVAL, "job %s: kind=%s does not read %s%s%s", job,
		    kind->name, option,
		    *own ? "; besides the options of all kinds, it reads "
			 : "; another kind has this option",
		    own);
}

static const char *name_at(size_t i, const void *arg not_used)
{
	return work_kinds[i]->name;
}

static const struct work_kind *find(const struct job *job)
{
	const bool by_engine = !strcmp(job->kind, kind_io.name);
	const struct work_kind *found = NULL;

	for (size_t i = 0; i < n_work_kinds; i++) {
		const struct work_kind *k = work_kinds[i];

		if (by_engine && k->fio_engine &&
		    !strcmp(k->fio_engine, job->engine))
			return k;
		if (!strcmp(k->name, job->kind))
			found = k;
	}
	return found;
}

int kind_find(const struct job *job, const struct work_kind **out)
{
	const struct work_kind *kind = find(job);
	char near[TEXT_NEAR_MAX];

	if (!kind) {
		text_did_you_mean(near, "",
				  text_closest(job->kind, n_work_kinds, name_at,
					       NULL));
		return fail(EINVAL,
			    "job %s: there is no kind of work %s%s; iodyno "
			    "list kinds shows all kinds",
			    job->name, job->kind, near);
	}
	for (size_t i = 0; i < job->n_given; i++)
		if (!job->given[i].global &&
		    !kind_reads(kind, job->given[i].name))
			return kind_refuse(kind, job->name, job->given[i].name);
	*out = kind;
	return 0;
}

int kind_settle(struct job *job, const struct work_kind **out)
{
	int rc = kind_find(job, out);

	if (rc)
		return rc;
	/* The job may name its kind by fio's ioengine. */
	text_copy(job->kind, sizeof(job->kind), (*out)->name);
	if ((*out)->settle)
		(*out)->settle(job);
	return 0;
}

const char *kind_name(size_t i)
{
	return i < n_work_kinds ? work_kinds[i]->name : NULL;
}

const char *kind_help(size_t i)
{
	return i < n_work_kinds ? work_kinds[i]->help : NULL;
}

bool kind_wait(struct worker *w, int fd, uint64_t until_ns)
{
	struct pollfd p[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = *w->stop_fd, .events = POLLIN },
	};
	uint64_t now_ns = clock_mono_ns(), ns = WAIT_NS;
	struct timespec ts;

	if (worker_stopped(w))
		p[1].fd = -1;
	if (until_ns < now_ns + ns)
		ns = until_ns > now_ns ? until_ns - now_ns : 0;
	ts.tv_sec = 0;
	ts.tv_nsec = (long)ns;
	return ppoll(p, 2, &ts, NULL) > 0 && p[0].revents;
}
