/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU affinity and priority: prepare the shares of cmdprio, draw priorities,
 * and set the CPUs and priorities of a worker.
 */
#include "workload/thread/priority.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/kernel.h"
#include "model/job/job_kind.h"
#include "workload/thread/stages.h"
#include "workload/thread/worker.h"

bool priority_cmdprio_wanted(const struct job *job)
{
	return job->cmdprio_split || job->cmdprio_pct[JOB_READ] ||
	       job->cmdprio_pct[JOB_WRITE];
}

static void add(struct cmdprio *p, unsigned dir, uint64_t bytes, double pct,
		unsigned class, unsigned level)
{
	size_t cap = p->n[dir];
	struct prio_part *part;

	p->part[dir] = xgrow(p->part[dir], &cap, p->n[dir] + 1, sizeof(*part));
	part = &p->part[dir][p->n[dir]++];
	part->bytes = bytes;
	part->below = pct >= 100 ? UINT64_MAX : (uint64_t)(pct / 100 * 0x1p64);
	part->value = (uint16_t)((class ? class : IOPRIO_CLASS_RT)
					 << IOPRIO_CLASS_SHIFT |
				 level);
}

static int add_split(struct cmdprio *p, const struct job *job, unsigned dir)
{
	char *text = job_direction_piece(job->cmdprio_split, dir);
	struct job_split split;
	int rc = job_prios_parse(text, job->kb_base, &split);

	for (size_t i = 0; rc == 0 && i < split.n; i++)
		add(p, dir, split.part[i].bytes, split.part[i].pct,
		    split.part[i].has_prio ? split.part[i].class
					   : job->cmdprio_class[dir],
		    split.part[i].has_prio ? split.part[i].level
					   : job->cmdprio[dir]);
	free(text);
	return rc;
}

struct cmdprio *priority_cmdprio_new(const struct job *job, uint64_t seed)
{
	struct cmdprio *p = xcalloc(1, sizeof(*p));

	random_seed(&p->random, seed);
	for (unsigned dir = JOB_READ; dir <= JOB_WRITE; dir++) {
		if (!job->cmdprio_split) {
			add(p, dir, 0, job->cmdprio_pct[dir],
			    job->cmdprio_class[dir], job->cmdprio[dir]);
		} else if (add_split(p, job, dir)) {
			priority_cmdprio_free(p);
			return NULL;
		}
	}
	return p;
}

void priority_cmdprio_free(struct cmdprio *p)
{
	for (unsigned dir = 0; p && dir < JOB_DIRS; dir++)
		free(p->part[dir]);
	free(p);
}

uint16_t priority_cmdprio_next(struct cmdprio *p, unsigned dir, uint64_t bytes)
{
	uint64_t draw = random_next(&p->random);

	for (size_t i = 0; i < p->n[dir]; i++) {
		const struct prio_part *part = &p->part[dir][i];

		if (part->bytes && part->bytes != bytes)
			continue;
		if (draw < part->below || part->below == UINT64_MAX)
			return part->value;
		draw -= part->below;
	}
	return 0;
}

/*
 * Affinity: the CPUs, nice value and I/O priority of a worker.
 */

/* Read a number of a list of CPUs; -1: there is none. */
static long cpu_number(const char **p)
{
	char *end;
	long n;

	if (**p < '0' || **p > '9')
		return -1;
	n = strtol(*p, &end, 10);
	*p = end;
	return n < CPU_SETSIZE ? n : -1;
}

/* "0,2-5"; fio takes ':' for a comma as well. */
static bool parse_cpus(const char *p, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (;;) {
		long from = cpu_number(&p), to = from;

		if (*p == '-') {
			p++;
			to = cpu_number(&p);
		}
		if (from < 0 || to < from)
			return false;
		for (long i = from; i <= to; i++)
			CPU_SET((size_t)i, set);
		if (!*p)
			return true;
		if (*p != ',' && *p != ':')
			return false;
		p++;
	}
}

/* Policy split: the clones take the CPUs in turns, one each. */
static void keep_one(cpu_set_t *set, unsigned which)
{
	unsigned n = (unsigned)CPU_COUNT(set), seen = 0;

	for (size_t i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, set) && seen++ != which % n)
			CPU_CLR(i, set);
}

static int set_cpus(const struct worker *w)
{
	const struct job *job = w->job;
	cpu_set_t set;

	if (!parse_cpus(job->cpus_allowed, &set))
		return fail(EINVAL,
			    "job %s: cpus_allowed=%s is not a list of CPUs, "
			    "such as 0,2-5",
			    job->name, job->cpus_allowed);
	if (job->cpus_split)
		keep_one(&set, w->jobnum);
	if (sched_setaffinity(0, sizeof(set), &set))
		return fail(errno,
			    "job %s: cannot run on the CPUs %s: %s; lscpu "
			    "lists the CPUs",
			    job->name, job->cpus_allowed, strerror(errno));
	return 0;
}

/* The sentence of a refused priority; suggest root if rights are missing. */
static int refused(const struct job *job, const char *what)
{
	int error = errno;
	char rerun[FAIL_ROOT_MAX] = "";

	if (error == EPERM || error == EACCES)
		fail_as_root(rerun, sizeof(rerun));
	return fail(error, "job %s: %s was refused: %s%s", job->name, what,
		    strerror(error), rerun);
}

/* ioprio_set(2): class 1 realtime, 2 best effort, 3 idle. */
static int set_ioprio(const struct job *job)
{
	int class = job->ioprio_class ? job->ioprio_class : IOPRIO_CLASS_BE;
	char what[64];

	if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
		    class << IOPRIO_CLASS_SHIFT | job->ioprio) == 0)
		return 0;
	snprintf(what, sizeof(what), "I/O priority class %d level %d", class,
		 job->ioprio);
	return refused(job, what);
}

int priority_set(struct worker *w)
{
	const struct job *job = w->job;
	char what[32];
	int rc = 0;

	/* Sleeps that wait for an arrival must end on time. */
	prctl(PR_SET_TIMERSLACK, 1);
	if (job->cpus_allowed)
		rc = set_cpus(w);
	/* On Linux this applies to the thread alone. */
	snprintf(what, sizeof(what), "nice=%d", job->nice);
	if (rc == 0 && job->nice && setpriority(PRIO_PROCESS, 0, job->nice))
		rc = refused(job, what);
	if (rc == 0 && (job->ioprio_class || job->ioprio))
		rc = set_ioprio(job);
	return rc;
}
