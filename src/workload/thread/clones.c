/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clones: open, observe and free the workers of a job, and judge whether it is
 * steady.
 */
#include "workload/thread/clones.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/text.h"
#include "workload/kind/kind.h"

/* The least number of samples to judge, that of SNIA's rounds. */
#define LEAST_SAMPLES 5
#define MOST_SAMPLES  100000

static const char *const steady_names[] = {
	[STEADY_OFF] = "off",
	[STEADY_IOPS] = "iops",
	[STEADY_BW] = "bw",
	[STEADY_LAT] = "lat",
};

/* Write the criterion in fio's form, such as "iops:2%" or "bw_slope:10". */
static void clones_steady_words(const struct clones *c, char *buf,
				unsigned size)
{
	const struct job *job = c->job;

	snprintf(buf, size, "%s%s:%g%s", steady_names[job->steady],
		 job->steady_slope ? "_slope" : "", job->steady_limit,
		 job->steady_pct ? "%" : "");
}

/* Allocate the samples if the job has a steadystate; else nothing. */
static void steady_init(struct steady *s, const struct clones *c)
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
	s->ring[STEADY_OFF] = xcalloc(3 * s->cap, sizeof(double));
	for (unsigned i = STEADY_IOPS; i <= STEADY_LAT; i++)
		s->ring[i] = s->ring[STEADY_OFF] + (i - STEADY_IOPS) * s->cap;
	clones_steady_words(c, s->name, sizeof(s->name));
	s->result.criterion_name = s->name;
}

/*
 * Compute the mean of n > 1 samples in a ring with the oldest at index `at`,
 * the greatest deviation from the mean, and the slope per sample.
 */
static void steady_fit(const double *ring, unsigned n, unsigned at,
		       double *mean, double *deviation, double *slope)
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

static double clones_middle(unsigned bucket)
{
	return ((double)histogram_low(bucket) +
		(double)histogram_high(bucket)) /
	       2;
}

/*
 * Count the I/Os and bytes of the clones in the run, and the time of the I/Os.
 */
static void clones_total(const struct clones *c, uint64_t *ios, uint64_t *bytes,
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
					*busy_ns +=
						(double)n * clones_middle(b);
			}
		}
	}
}

static void clones_begin(struct steady *s, const struct clones *c,
			 uint64_t now_ns)
{
	clones_total(c, &s->ios, &s->bytes, &s->busy_ns);
	s->from_ns = now_ns;
	s->next_ns = now_ns + c->job->steady_check_ns;
}

static void sample(struct steady *s, const struct clones *c, uint64_t now_ns)
{
	uint64_t ios = s->ios, bytes = s->bytes;
	double busy_ns = s->busy_ns, from_ns = (double)s->from_ns, n, seconds;

	clones_begin(s, c, now_ns);
	n = (double)(s->ios - ios);
	seconds = ((double)now_ns - from_ns) / 1e9;
	s->ring[STEADY_IOPS][s->at] = n / seconds;
	s->ring[STEADY_BW][s->at] = (double)(s->bytes - bytes) / seconds;
	s->ring[STEADY_LAT][s->at] = n > 0 ? (s->busy_ns - busy_ns) / n : 0;
	s->at = (s->at + 1) % s->cap;
	if (s->n < s->cap)
		s->n++;
}

/* Set the result from the samples; true when the job is steady. */
static bool clones_judge(struct steady *s, const struct job *job)
{
	unsigned at = s->n < s->cap ? 0 : s->at;
	struct job_steady_raw *r = &s->result;
	double mean[STEADY_LAT + 1], deviation, slope;

	for (unsigned i = STEADY_IOPS; i <= STEADY_LAT; i++) {
		steady_fit(s->ring[i], s->n, at, &mean[i], &deviation, &slope);
		if (i != job->steady)
			continue;
		r->deviation = deviation;
		r->slope = slope;
	}
	r->iops = mean[STEADY_IOPS];
	r->bytes_per_s = mean[STEADY_BW];
	r->lat_ns = mean[STEADY_LAT];
	r->criterion = job->steady_slope ? fabs(r->slope) : r->deviation;
	if (job->steady_pct)
		r->criterion = mean[job->steady] > 0
				       ? r->criterion / mean[job->steady] * 100
				       : INFINITY;
	/* A job that does nothing is not steady. */
	return s->n == s->cap && mean[job->steady] > 0 && r->criterion < job->steady_limit;
}

uint64_t clones_steady_check(struct clones *c, uint64_t now_ns)
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
			clones_begin(s, c, now_ns);
		return s->next_ns;
	}
	if (now_ns < s->next_ns)
		return s->next_ns;
	sample(s, c, now_ns);
	if (clones_judge(s, job)) {
		s->result.attained = true;
		stages_stop_job(c);
		return UINT64_MAX;
	}
	return s->next_ns;
}

static const double *clones_in_order(const struct steady *s, const double *ring,
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

void clones_steady_row(const struct steady *s, struct job_steady_raw *row,
		       bool over, struct arena *arena)
{
	*row = s->result;
	if (!s->cap)
		return;
	row->iops_at = clones_in_order(s, s->ring[STEADY_IOPS], arena);
	row->bytes_per_s_at = clones_in_order(s, s->ring[STEADY_BW], arena);
	row->n = s->n;
	if (s->n && (over || row->attained))
		row->samples = pairs(row, arena);
}

/* The first worker that uses a file lays it out. */
static void take_layout(struct worker *k, struct target *t)
{
	k->layout = xrealloc(k->layout,
			     (k->n_layout + 1) * sizeof(struct target *));
	t->layout_taken = true;
	k->layout[k->n_layout++] = t;
	k->layout_total_bytes += t->need_bytes - t->layout_from;
	atomic_store(&k->phase, PHASE_LAYOUT);
}

/*
 * Warn once about holes, whose reads do not reach the disk, and about another
 * run on the file.
 */
static void note_target(struct worker *k, struct target *t)
{
	if (t->other_pid)
		worker_note(k,
			    "job %s: another iodyno (pid %d) uses %.100s at "
			    "the same time",
			    k->job->name, t->other_pid, t->path);
	if (t->left_removed)
		worker_note(k,
			    "job %s: removed %u director%s that killed runs "
			    "left in %.100s",
			    k->job->name, t->left_removed,
			    t->left_removed > 1 ? "ies" : "y", t->path);
	t->left_removed = 0;
	if (t->other_pid || !t->has_hole)
		return;
	t->has_hole = false;
	worker_note(k,
		    "job %s: %.100s has a hole or unwritten space at %llu: "
		    "reads there do not reach the disk",
		    k->job->name, t->path, (unsigned long long)t->hole_at);
}

/*
 * Kinds that wait for anything except I/O need a descriptor that becomes
 * readable at a stop.
 */
static int open_stop_fd(struct clones *c)
{
	if (c->kind == &kind_io)
		return 0;
	c->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->stop_fd >= 0)
		return 0;
	return job_fail(c->job, errno, "cannot make an eventfd: %s",
			strerror(errno));
}

void clones_stop(struct clones *c)
{
	stages_set_stop(&c->shared->stop, c->stop_fd);
}

int clones_open(struct clones *c)
{
	int rc = open_stop_fd(c);

	if (rc)
		return rc;
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		for (unsigned j = 0; j < k->n_regions; j++) {
			struct region *s = &k->region[j];

			if (s->target->null)
				continue;
			s->fd = target_open_clone(s->target, c->job);
			if (s->fd < 0)
				return s->fd;
			rc = regions_check_atomic(c->job, s);
			if (rc)
				return rc;
			note_target(k, s->target);
			if (target_needs_layout(s->target) &&
			    !s->target->layout_taken)
				take_layout(k, s->target);
		}
	}
	return 0;
}

/* A part that several clones share counts once. */
static void count_set(struct clones *c, const struct region *region)
{
	struct target *t = region->target;
	bool known = t->counted_by == c;

	if (known && t->counted_at == region->base)
		return;
	t->counted_by = c;
	t->counted_at = region->base;
	c->set_bytes += region->bytes;
	if (!known)
		c->hole_bytes += t->hole_bytes;
}

void clones_find_disks(struct clones *c, const struct root *root)
{
	char names[sizeof(c->device)];
	dev_t last = 0; /* the file system of the file before */

	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned j = 0; j < c->worker[i]->n_regions; j++) {
			const struct target *t = c->worker[i]->region[j].target;

			if (t->null)
				continue;
			count_set(c, &c->worker[i]->region[j]);
			if (!t->is_device && last && t->dev == last)
				continue;
			last = t->is_device ? 0 : t->dev;
			target_disks(root, t, names, sizeof(names));
			text_add_words(c->device, sizeof(c->device), names);
		}
	}
}

void clones_free(struct clones *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct worker *k = c->worker[i];

		for (unsigned j = 0; j < k->n_regions; j++)
			descriptor_close(k->region[j].fd);
		descriptor_close(k->alive_fd);
		kind_release(c->kind, k);
		kind_readings_free(k);
		filter_flow_free(k);
		free(k->layout);
		xshared_free(k, sizeof(*k));
	}
	descriptor_close(c->stop_fd);
	free(c->summary);
	free(c->steady.ring[STEADY_OFF]);
	free(c->worker);
	xshared_free(c->shared, sizeof(*c->shared));
}

enum phase clones_phase(const struct clones *c)
{
	enum phase least = PHASE_DONE;

	for (unsigned i = 0; i < c->n; i++) {
		enum phase p = atomic_load_explicit(&c->worker[i]->phase,
						    memory_order_acquire);

		if (p < least)
			least = p;
	}
	return least;
}

const struct worker *clones_failed(const struct clones *c)
{
	const struct worker *first = NULL;

	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *k = c->worker[i];

		if (atomic_load_explicit(&k->failed, memory_order_acquire) &&
		    (!first || k->failed_ns < first->failed_ns))
			first = k;
	}
	return first;
}

static uint64_t clones_errors_of(const struct clones *c, unsigned code)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < c->n; i++)
		n += counter_get(&c->worker[i]->ramp.by_errno[code]) +
		     counter_get(&c->worker[i]->run.by_errno[code]);
	return n;
}

static unsigned first_error_of(const struct worker *k)
{
	uint64_t code = counter_get(&k->ramp.first_errno);

	return (unsigned)(code ? code : counter_get(&k->run.first_errno));
}

unsigned clones_error(const struct clones *c)
{
	const struct worker *failed = clones_failed(c);
	unsigned code = failed ? first_error_of(failed) : 0;

	for (unsigned i = 0; i < c->n && !code; i++)
		code = first_error_of(c->worker[i]);
	return code;
}

const char *clones_errors_by(const struct clones *c, struct arena *arena)
{
	unsigned first = clones_error(c);
	char text[256] = "", one[40];
	size_t len = 0;

	for (unsigned i = 0; i <= ERRNO_COUNT; i++) {
		unsigned code = i ? i - 1 : first;
		uint64_t n = clones_errors_of(c, code);

		if (!n || (i && code == first))
			continue;
		snprintf(one, sizeof(one), "%s%u:%" PRIu64, len ? " " : "",
			 code, n);
		/* Half a number would be another number. */
		if (!text_copy(text + len, sizeof(text) - len, one)) {
			text[len] = '\0';
			break;
		}
		len += strlen(one);
	}
	return arena_strdup(arena, text);
}
