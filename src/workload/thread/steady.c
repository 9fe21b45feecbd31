/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steady: take samples of a job and judge them. */
#include "workload/thread/clones.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "workload/thread/stages.h"

/* The least number of samples to judge, that of SNIA's rounds. */
#define LEAST_SAMPLES 5
#define MOST_SAMPLES  100000

static const char *const names[] = {
	[STEADY_OFF] = "off",
	[STEADY_IOPS] = "iops",
	[STEADY_BW] = "bw",
	[STEADY_LAT] = "lat",
};

char *steady_words(const struct clones *c, char *buf, unsigned size)
{
	const struct job *job = c->job;

	snprintf(buf, size, "%s%s:%g%s", names[job->steady],
		 job->steady_slope ? "_slope" : "", job->steady_limit,
		 job->steady_pct ? "%" : "");
	return buf;
}

void steady_init(struct steady *s, const struct clones *c)
{
	const struct job *job = c->job;
	uint64_t n;

	if (job->steady == STEADY_OFF || s->cap)
		return;
	n = job->steady_check_ns
		    ? job->steady_duration_ns / job->steady_check_ns
		    : 0;
	s->cap = n < LEAST_SAMPLES  ? LEAST_SAMPLES
		 : n > MOST_SAMPLES ? MOST_SAMPLES
				    : (unsigned)n;
	s->iops = xcalloc(s->cap, sizeof(double));
	s->bytes_per_s = xcalloc(s->cap, sizeof(double));
	s->lat_ns = xcalloc(s->cap, sizeof(double));
	steady_words(c, s->name, sizeof(s->name));
	s->result.criterion_name = s->name;
}

void steady_free(struct steady *s)
{
	free(s->iops);
	free(s->bytes_per_s);
	free(s->lat_ns);
}

void steady_fit(const double *ring, unsigned n, unsigned at, double *mean,
		double *deviation, double *slope)
{
	double middle = ((double)n - 1) / 2, sum = 0, xy = 0, xx = 0;

	*deviation = 0;
	for (unsigned i = 0; i < n; i++)
		sum += ring[i];
	*mean = sum / n;
	for (unsigned i = 0; i < n; i++) {
		double x = (double)i - middle;
		double y = ring[(at + i) % n] - *mean;

		*deviation = fmax(*deviation, fabs(y));
		xy += x * y;
		xx += x * x;
	}
	*slope = xx > 0 ? xy / xx : 0;
}

static double middle(unsigned bucket)
{
	return ((double)histogram_low(bucket) +
		(double)histogram_high(bucket)) /
	       2;
}

/*
 * Count the I/Os and bytes of the clones in the run, and the time of the I/Os.
 */
static void total(const struct clones *c, uint64_t *ios, uint64_t *bytes,
		  double *busy_ns)
{
	*ios = *bytes = 0;
	*busy_ns = 0;
	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned op = 0; op < JOB_DIRS; op++) {
			const struct op_counters *from =
				&c->worker[i]->run.op[op];

			*bytes += counter_get(&from->bytes);
			if (counter_get(&from->service.min_ns) == UINT64_MAX)
				continue;
			for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
				uint64_t n =
					counter_get(&from->service.bucket[b]);

				*ios += n;
				if (n)
					*busy_ns += (double)n * middle(b);
			}
		}
	}
}

static void begin(struct steady *s, const struct clones *c, uint64_t now_ns)
{
	total(c, &s->ios, &s->bytes, &s->busy_ns);
	s->from_ns = now_ns;
	s->next_ns = now_ns + c->job->steady_check_ns;
}

static void sample(struct steady *s, const struct clones *c, uint64_t now_ns)
{
	uint64_t ios = s->ios, bytes = s->bytes;
	double busy_ns = s->busy_ns, from_ns = (double)s->from_ns, n, seconds;

	begin(s, c, now_ns);
	n = (double)(s->ios - ios);
	seconds = ((double)now_ns - from_ns) / 1e9;
	s->iops[s->at] = n / seconds;
	s->bytes_per_s[s->at] = (double)(s->bytes - bytes) / seconds;
	s->lat_ns[s->at] = n > 0 ? (s->busy_ns - busy_ns) / n : 0;
	s->at = (s->at + 1) % s->cap;
	if (s->n < s->cap)
		s->n++;
}

/* Set the result from the samples; true when the job is steady. */
static bool judge(struct steady *s, const struct job *job)
{
	const double *of = job->steady == STEADY_IOPS ? s->iops
			   : job->steady == STEADY_BW ? s->bytes_per_s
						      : s->lat_ns;
	unsigned at = s->n < s->cap ? 0 : s->at;
	struct job_steady_raw *r = &s->result;
	double mean, not_used_here;

	steady_fit(s->iops, s->n, at, &r->iops, &not_used_here, &not_used_here);
	steady_fit(s->bytes_per_s, s->n, at, &r->bytes_per_s, &not_used_here,
		   &not_used_here);
	steady_fit(s->lat_ns, s->n, at, &r->lat_ns, &not_used_here,
		   &not_used_here);
	steady_fit(of, s->n, at, &mean, &r->deviation, &r->slope);
	r->criterion = job->steady_slope ? fabs(r->slope) : r->deviation;
	if (job->steady_pct)
		r->criterion = mean > 0 ? r->criterion / mean * 100 : INFINITY;
	/* A job that does nothing is not steady. */
	return s->n == s->cap && mean > 0 && r->criterion < job->steady_limit;
}

uint64_t steady_check(struct clones *c, uint64_t now_ns)
{
	const struct job *job = c->job;
	struct steady *s = &c->steady;
	enum phase phase = clones_phase(c);

	steady_init(s, c);
	if (!s->cap || s->result.attained || phase > PHASE_RUN ||
	    atomic_load(&c->shared->stop))
		return UINT64_MAX;
	if (phase < PHASE_RUN)
		return now_ns + job->steady_check_ns;
	if (!s->from_ns) {
		/* The ramp of steadystate follows the job's ramp. */
		if (!s->next_ns)
			s->next_ns = now_ns + job->steady_ramp_ns;
		if (now_ns >= s->next_ns)
			begin(s, c, now_ns);
		return s->next_ns;
	}
	if (now_ns < s->next_ns)
		return s->next_ns;
	sample(s, c, now_ns);
	if (judge(s, job)) {
		s->result.attained = true;
		stages_stop_job(c);
		return UINT64_MAX;
	}
	return s->next_ns;
}

static const double *in_order(const struct steady *s, const double *ring,
			      struct arena *arena)
{
	unsigned at = s->n < s->cap ? 0 : s->at;
	double *out = arena_alloc(arena, s->cap * sizeof(double));

	for (unsigned i = 0; i < s->n; i++)
		out[i] = ring[(at + i) % s->cap];
	return out;
}

#define PAIR 48

static const char *pairs(const struct job_steady_raw *row, struct arena *arena)
{
	char *words = arena_alloc(arena, (size_t)row->n * PAIR + 1), *p = words;

	*p = '\0';
	for (unsigned i = 0; i < row->n; i++)
		p += snprintf(p, PAIR, "%s%.0f:%.0f", i ? " " : "",
			      row->iops_at[i], row->bytes_per_s_at[i]);
	return words;
}

void steady_row(const struct steady *s, struct job_steady_raw *row, bool over,
		struct arena *arena)
{
	*row = s->result;
	if (!s->cap)
		return;
	row->iops_at = in_order(s, s->iops, arena);
	row->bytes_per_s_at = in_order(s, s->bytes_per_s, arena);
	row->lat_ns_at = in_order(s, s->lat_ns, arena);
	row->n = s->n;
	if (s->n && (over || row->attained))
		row->samples = pairs(row, arena);
}
