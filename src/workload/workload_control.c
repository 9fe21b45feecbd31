/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload control: change rate, depth and mix of a running job, in the main
 * thread. worker_take_control() is the part of the workers.
 */
#include "workload/workload.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"

static void set32(_Atomic uint32_t *to, uint32_t value)
{
	atomic_store_explicit(to, value, memory_order_relaxed);
}

static uint32_t get32(const _Atomic uint32_t *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

/* Read one value, or "read,write,trim"; values left out are 0. */
static bool parse_rates(const char *text, bool bytes, uint64_t *rate)
{
	char copy[64], *rest = copy, *word;
	int i = 0;

	memset(rate, 0, JOB_DIRS * sizeof(*rate));
	if (!text_set(copy, text) || !*copy)
		return false;
	while ((word = strsep(&rest, ","))) {
		if (i == JOB_DIRS ||
		    (*word && !(bytes ? units_parse_bytes(word, &rate[i])
				      : units_parse_count(word, 0, 1000000000,
							  &rate[i]))))
			return false;
		i++;
	}
	/* As in a job, one value applies to all directions. */
	for (int k = 1; i == 1 && k < JOB_DIRS; k++)
		rate[k] = rate[0];
	return true;
}

/* Write a rate: one value if all directions have the same. */
static void workload_control_rate_words(const struct clones *c,
					const _Atomic uint64_t *rate, char *buf,
					size_t size)
{
	unsigned dirs = job_dirs(c->job);
	uint64_t value[JOB_DIRS], first = 0;
	bool same = true;

	for (int i = JOB_DIRS - 1; i >= 0; i--) {
		value[i] = dirs & 1u << i ? counter_get(&rate[i]) : 0;
		if (dirs & 1u << i)
			first = value[i];
	}
	for (int i = 0; i < JOB_DIRS; i++)
		same &= !(dirs & 1u << i) || value[i] == first;
	if (same)
		snprintf(buf, size, "%llu", (unsigned long long)first);
	else
		snprintf(buf, size, "%llu,%llu,%llu",
			 (unsigned long long)value[0],
			 (unsigned long long)value[1],
			 (unsigned long long)value[2]);
}

static int rate_set(struct clones *c, const char *text, bool bytes)
{
	struct control *k = &c->shared->control;
	uint64_t rate[JOB_DIRS];

	if (!parse_rates(text, bytes, rate))
		return -ERANGE;
	/* rate and rate_iops exclude each other: the last one set holds. */
	for (int i = 0; i < JOB_DIRS; i++) {
		counter_set(&k->rate_bytes[i], bytes ? rate[i] : 0);
		counter_set(&k->rate_iops[i], bytes ? 0 : rate[i]);
	}
	return 0;
}

static int iodepth_set(struct clones *c, const char *text, bool bytes)
{
	uint64_t depth;

	if (!units_parse_count(text, 1, WORKER_MAX_DEPTH, &depth))
		return -ERANGE;
	if (c->engine->max_depth && depth > c->engine->max_depth)
		return job_fail(c->job, ENOTSUP,
				"engine %s keeps %u I/O in flight at most; "
				"iodepth cannot be %llu",
				c->engine->name, c->engine->max_depth,
				(unsigned long long)depth);
	if (c->job->verify != VERIFY_NONE)
		return job_fail(c->job, ENOTSUP,
				"with verify its iodepth cannot be changed");
	set32(&c->shared->control.iodepth, (uint32_t)depth);
	return 0;
}

static bool has_rate(const struct clones *c, unsigned op)
{
	const struct control *k = &c->shared->control;

	return counter_get(&k->rate_iops[op]) ||
	       counter_get(&k->rate_bytes[op]);
}

static int rwmixread_set(struct clones *c, const char *text, bool bytes)
{
	uint64_t pct;

	if (!units_parse_count(text, 0, 100, &pct))
		return -ERANGE;
	if (!job_reads(c->job) || !job_writes(c->job))
		return job_fail(c->job, ENOTSUP,
				"rw=%s is not a mix of reads and writes; "
				"rwmixread has no effect",
				job_rw_name(c->job->rw));
	if (has_rate(c, JOB_READ) && has_rate(c, JOB_WRITE))
		return job_fail(c->job, ENOTSUP,
				"its reads and its writes have rates, which "
				"make the mix; change rate_iops or rate");
	set32(&c->shared->control.rwmixread, (uint32_t)pct);
	return 0;
}

static void rate_get(const struct clones *c, char *buf, size_t size, bool bytes)
{
	const struct control *k = &c->shared->control;

	workload_control_rate_words(c, bytes ? k->rate_bytes : k->rate_iops,
				    buf, size);
}

static void iodepth_get(const struct clones *c, char *buf, size_t size,
			bool bytes)
{
	snprintf(buf, size, "%u", get32(&c->shared->control.iodepth));
}

static void rwmixread_get(const struct clones *c, char *buf, size_t size,
			  bool bytes)
{
	snprintf(buf, size, "%u", get32(&c->shared->control.rwmixread));
}

void workload_loop_words(const struct clones *c, char *buf, size_t size)
{
	const struct control *k = &c->shared->control;
	const char *process =
		c->job->rate_process == RATE_POISSON ? ", poisson" : "";
	char rate[40];
	uint64_t ios = 0, bytes = 0;

	for (int i = 0; i < JOB_DIRS; i++) {
		ios |= counter_get(&k->rate_iops[i]);
		bytes |= counter_get(&k->rate_bytes[i]);
	}
	if (!ios && !bytes) {
		snprintf(buf, size, "closed loop, iodepth %u",
			 get32(&k->iodepth));
		return;
	}
	rate_get(c, rate, sizeof(rate), bytes);
	snprintf(buf, size, "open loop, %s %s%s", bytes ? "rate" : "rate_iops",
		 rate, process);
}

static const struct control_row {
	const char *name, *help, *range;
	/*
	 * 0; -ERANGE: the value is out of range; another -errno with a
	 * sentence.
	 */
	int (*set)(struct clones *c, const char *text, bool bytes);
	void (*get)(const struct clones *c, char *buf, size_t size, bool bytes);
	bool bytes; /* a rate of bytes */
} controls[] = {
	{ "rate_iops",
	  "I/Os per second of each clone: read,write,trim; 0: unlimited",
	  "a count or up to three, such as 5000 or 800,200", rate_set, rate_get,
	  false },
	{ "rate", "bytes per second of each clone: read,write,trim; 0: unlimited",
	  "a size or up to three, such as 20m or 10m,2m", rate_set, rate_get,
	  true },
	{ "iodepth", "I/Os in flight per clone", "a count from 1 to 4096",
	  iodepth_set, iodepth_get, false },
	{ "rwmixread", "per cent of a mix that are reads",
	  "a count from 0 to 100", rwmixread_set, rwmixread_get, false },
};

const char *workload_control_name(size_t i, const char **help)
{
	if (i >= ARRAY_SIZE(controls))
		return NULL;
	*help = controls[i].help;
	return controls[i].name;
}

int workload_control_at(const struct workload *w, const char *job, size_t i)
{
	int at = workload_has_job(w, job);

	if (at < 0)
		return -1;
	for (size_t k = 0; k < ARRAY_SIZE(controls); k++)
		if (kind_reads(w->clones[at].kind, controls[k].name) && !i--)
			return (int)k;
	return -1;
}

bool workload_control_value(const struct workload *w, const char *job, size_t i,
			    char *buf, size_t size)
{
	int at = workload_has_job(w, job);

	if (at < 0 || i >= ARRAY_SIZE(controls))
		return false;
	controls[i].get(&w->clones[at], buf, size, controls[i].bytes);
	return true;
}

static const struct control_row *workload_control_find(const char *name)
{
	return text_row(name, controls, ARRAY_SIZE(controls), name);
}

int workload_control_check(const char *option)
{
	if (workload_control_find(option))
		return 0;
	return fail(EINVAL,
		    "%s of a running job cannot be changed%s; rate_iops, rate, "
		    "iodepth and rwmixread can",
		    option,
		    text_did_you_mean("", text_nearest(option, controls,
						       ARRAY_SIZE(controls),
						       name))
			    .text);
}

int workload_has_job(const struct workload *w, const char *name)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(job_id(w->clones[i].job), name))
			return (int)i;
	return fail(ENOENT, "there is no job %s in this run", name);
}

static int apply(struct clones *c, const struct control_row *row,
		 const char *value)
{
	int rc;

	if (clones_phase(c) >= PHASE_VERIFY)
		return fail(EINVAL, "job %s is done; its %s cannot be changed",
			    c->job->name, row->name);
	rc = row->set(c, value, row->bytes);
	if (rc == -ERANGE)
		return job_fail(c->job, EINVAL, "%s=%s is not %s", row->name,
				value, row->range);
	return rc;
}

int workload_control(struct workload *w, const char *job, const char *option,
		     const char *value, struct event *e)
{
	int i = workload_has_job(w, job), rc;
	const struct control_row *row;
	struct clones *c;

	if (i < 0)
		return i;
	rc = workload_control_check(option);
	if (rc)
		return rc;
	c = &w->clones[i];
	row = workload_control_find(option);
	if (!kind_reads(c->kind, row->name))
		return kind_refuse(c->kind, c->job->name, row->name);
	memset(e, 0, sizeof(*e));
	e->kind = EVENT_JOB_SET;
	text_set(e->job, job_id(c->job));
	text_set(e->knob, row->name);
	row->get(c, e->old_value, sizeof(e->old_value), row->bytes);
	rc = apply(c, row, value);
	if (rc)
		return rc;
	row->get(c, e->new_value, sizeof(e->new_value), row->bytes);
	atomic_fetch_add_explicit(&c->shared->control.serial, 1,
				  memory_order_release);
	return 0;
}
