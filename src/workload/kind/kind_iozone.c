/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind iozone: one phase of iozone's throughput mode, as iozone 3 measures it.
 *
 * Each clone has a file of its own, begins with all others, and counts what it
 * did until the first of them is through (the stonewall). From then on readers
 * end, and writers go on to the end of their file without being counted, since
 * the phases to come need whole files. The result is the sum of the clones'
 * rates, in KiB/s. CPU is that of the clones over the longest of their times,
 * with the uncounted tail, without the sync after the timed part.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "model/job/job_kind.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"
#include "workload/thread/clones.h"

/* Of one clone; shared with the main thread. */
struct iozone {
	atomic_bool *wall; /* of all clones: the first is through */
	bool run;                   /* the ramp is over */
	uint64_t begin_ns, stop_ns; /* of what is counted */
	uint64_t begin_cpu_ns;
	uint64_t end_ns;            /* of the timed part */
	uint64_t bytes, cpu_ns;     /* counted; user and system */
};

static const char *const phase_name_of[IOZONE_PHASES][2] = {
	[IOZONE_WRITE] = { "initial writers", "Initial write" },
	[IOZONE_REWRITE] = { "rewriters", "Rewrite" },
	[IOZONE_READ] = { "readers", "Read" },
	[IOZONE_REREAD] = { "re-readers", "Re-read" },
};

static bool writes(const struct job *job)
{
	return job->iozone.phase <= IOZONE_REWRITE;
}

static void kind_iozone_settle(struct job *job)
{
	job->rw = writes(job) ? RW_WRITE : RW_READ;
	kind_files_block(job, 4096);
	if (!job->size_bytes)
		job->size_bytes = 512 << 10;
	job->invalidate &= job_was_given(job, "invalidate");
	if (!job->filename_format)
		job_own(&job->filename_format, "iozone.DUMMY.$jobnum");
}

static int kind_iozone_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	const struct job *job = k->job;
	struct iozone *z = k->work;
	struct iozone *first = k->jobnum ? k->clones->worker[0]->work : z;
	size_t n;
	char **path = target_paths(job, k->jobnum, &n);
	int rc;

	z->wall = k->jobnum ? first->wall : xshared(sizeof(*z->wall));
	k->limit_ios = job->size_bytes / job->bs[0].max;
	rc = k->limit_ios ? kind_files_add(w, k, 0, 1, path[k->jobnum % n],
					   k->limit_ios * job->bs[0].max, false)
			  : job_fail(job, EINVAL,
				     "size is less than one record of bs");
	xfree_list(path, n);
	return rc;
}

static void kind_iozone_release(struct worker *k)
{
	struct iozone *z = k->work;

	if (k->jobnum == 0)
		xshared_free(z->wall, sizeof(*z->wall));
}

/* --- before the run --- */

static int kind_iozone_prepare(struct worker *w)
{
	const struct region *r = &w->region[0];
	const bool first = w->job->iozone.phase == IOZONE_WRITE;

	if (first && ftruncate(r->fd, 0))
		return job_fail(w->job, errno, "cannot empty %s: %s",
				r->target->path, strerror(errno));
	return kind_files_prepare(
		w, !first, "let a job with phase=write make it before");
}

/* --- the run --- */

static uint64_t cpu_now(void)
{
	const struct job_usage_raw u = process_usage(RUSAGE_THREAD);

	return u.user_ns + u.system_ns;
}

static bool is_counted(const struct iozone *z)
{
	return !z->stop_ns;
}

/* Freeze the count of this clone. */
static void stop_counting(struct worker *w)
{
	struct iozone *z = w->work;

	if (!is_counted(z))
		return;
	z->stop_ns = stopwatch_ns(&w->watch);
	counter_set(&w->run_end_at_ns, z->stop_ns);
}

static bool kind_iozone_move(struct worker *w, unsigned op, uint64_t at)
{
	const size_t block = w->job->bs[0].max;
	const struct region *r = &w->region[0];
	struct iozone *z = w->work;
	uint64_t begin_ns = stopwatch_ns(&w->watch);
	ssize_t n = op == JOB_READ ? read(r->fd, w->buffers, block)
				   : write(r->fd, w->buffers, block);

	if (n != (ssize_t)block)
		return kind_files_failed(w, op, n, r->target->path, at);
	if (!is_counted(z))
		return true;
	kind_files_done(w, op, begin_ns);
	counter_add(&w->count->op[op].bytes, block);
	z->bytes += block;
	return true;
}

/* The ramp is over: what was done before does not count. */
static void begin_counting(struct worker *w)
{
	struct iozone *z = w->work;

	z->run = true;
	z->begin_ns = w->now_ns;
	z->begin_cpu_ns = cpu_now();
	z->bytes = 0;
}

static bool kind_iozone_tick(struct worker *w)
{
	const struct iozone *z = w->work;
	const bool good = worker_tick(w);

	if (!z->run && kind_files_is_run(w))
		begin_counting(w);
	return good;
}

/*
 * All records, loops times; a writer goes on behind the stonewall, a reader
 * does not.
 */
static bool move_all(struct worker *w)
{
	const unsigned op = writes(w->job) ? JOB_WRITE : JOB_READ;
	const uint64_t block = w->job->bs[0].max;
	struct iozone *z = w->work;
	uint64_t at = 0;
	bool good = true;

	for (uint64_t i = 0; (i < w->limit_ios || w->job->time_based) && good;
	     i++, at += block) {
		if (at == w->region[0].bytes) {
			at = 0;
			good = lseek(w->region[0].fd, 0, SEEK_SET) == 0;
		}
		if (!w->job->iozone.whole && atomic_load(z->wall)) {
			stop_counting(w);
			if (op == JOB_READ)
				break;
		}
		good = good && kind_iozone_move(w, op, at) &&
		       kind_iozone_tick(w);
	}
	return good;
}

/* The calls that -e and -c add to the timing; false: one failed. */
static bool end_timed_part(struct worker *w)
{
	struct region *r = &w->region[0];

	if (w->job->iozone.flush && writes(w->job) && !kind_files_sync(w, 0))
		return false;
	if (w->job->iozone.close) {
		close(r->fd);
		r->fd = -1;
	}
	return true;
}

static void kind_iozone_run(struct worker *w)
{
	struct iozone *z = w->work;
	bool good;

	kind_files_begin(w);
	begin_counting(w);
	z->run = kind_files_is_run(w);
	good = move_all(w) && end_timed_part(w);
	atomic_store(z->wall, true);
	stop_counting(w);
	z->end_ns = stopwatch_ns(&w->watch);
	z->cpu_ns = cpu_now() - z->begin_cpu_ns;
	if (good && writes(w->job) && w->region[0].fd >= 0 &&
	    !worker_stopped(w))
		(void)kind_files_sync(w, 0);
	kind_files_end(w);
}

/* --- the result --- */

struct iozone_result {
	double sum, parent, least, most; /* KiB/s */
	double least_kib;
	double wall_s, cpu_s, cpu_pct;
	unsigned n;
};

static void result_of(const struct clones *c, struct iozone_result *r)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0, bytes = 0;

	*r = (struct iozone_result){ .n = c->n };
	for (unsigned i = 0; i < c->n; i++) {
		const struct iozone *z = c->worker[i]->work;
		double rate;

		if (!z->stop_ns || z->stop_ns <= z->begin_ns)
			continue;
		rate = (double)z->bytes / 1024 /
		       ((double)(z->stop_ns - z->begin_ns) / 1e9);
		r->sum += rate;
		if (bytes == 0 || rate < r->least)
			r->least = rate;
		if (bytes == 0 || (double)z->bytes / 1024 < r->least_kib)
			r->least_kib = (double)z->bytes / 1024;
		r->most = rate > r->most ? rate : r->most;
		bytes += z->bytes;
		if (z->begin_ns < begin_ns)
			begin_ns = z->begin_ns;
		end_ns = z->end_ns > end_ns ? z->end_ns : end_ns;
		r->cpu_s += (double)z->cpu_ns / 1e9;
		if ((double)(z->end_ns - z->begin_ns) / 1e9 > r->wall_s)
			r->wall_s = (double)(z->end_ns - z->begin_ns) / 1e9;
	}
	if (bytes)
		r->parent = (double)bytes / 1024 /
			    ((double)(end_ns - begin_ns) / 1e9);
	if (r->wall_s > 0)
		r->cpu_pct = 100 * r->cpu_s / r->wall_s;
}

static void print_phase(const struct clones *c, FILE *out)
{
	const char *who = phase_name_of[c->job->iozone.phase][0];
	struct iozone_result r;

	result_of(c, &r);
	fprintf(out,
		"Children see throughput for %2u %-15s = %11.2f kB/sec\n"
		"Parent sees throughput for %2u %-15s  = %11.2f kB/sec\n"
		"Min throughput per process                   = %11.2f kB/sec\n"
		"Max throughput per process                   = %11.2f kB/sec\n"
		"Avg throughput per process                   = %11.2f kB/sec\n"
		"Min xfer                                     = %11.2f kB\n"
		"CPU Utilization: Wall time %8.3f    CPU time %8.3f    "
		"CPU utilization %6.2f %%\n",
		r.n, who, r.sum, r.n, who, r.parent, r.least, r.most,
		r.n ? r.sum / r.n : 0, r.least_kib, r.wall_s, r.cpu_s,
		r.cpu_pct);
}

/* Whether no job of the kind comes after it. */
static bool is_last(const struct clones *c)
{
	for (const struct clones *k = c + 1; k < c->all->clones + c->all->n;
	     k++)
		if (k->kind == c->kind)
			return false;
	return true;
}

/* The tables of -R: throughput, and CPU in the same form. */
static void print_tables(const struct clones *c, FILE *out)
{
	struct iozone_result r;

	for (int cpu = 0; cpu < 2; cpu++) {
		fprintf(out, "\"%s\"\n\"Record size = %llu kBytes \"\n",
			cpu ? "CPU utilization report Y-axis is type of test "
			      "X-axis is number of processes; output is in CPU%"
			    : "Throughput report Y-axis is type of test X-axis "
			      "is number of processes; output is in kBytes/sec",
			(unsigned long long)c->job->bs[0].max / 1024);
		for (const struct clones *k = c->all->clones; k <= c; k++) {
			if (k->kind != c->kind)
				continue;
			result_of(k, &r);
			fprintf(out, "\"%15s \" %2u %12.2f\n",
				phase_name_of[k->job->iozone.phase][1], k->n,
				cpu ? r.cpu_pct : r.sum);
		}
	}
}

static void kind_iozone_summary(const struct clones *c, FILE *out)
{
	print_phase(c, out);
	if (is_last(c))
		print_tables(c, out);
}

static void kind_iozone_describe(const struct clones *c, char *buf, size_t size)
{
	snprintf(buf, size, "iozone %s, %s",
		 phase_name_of[c->job->iozone.phase][1],
		 c->job->iozone.whole ? "no stonewall" : "stonewall");
}

const struct work_kind kind_iozone = {
	.name = "iozone",
	.help = "a phase of iozone's throughput mode: a file per clone, "
		"stonewall, sum of the clones' rates",
	.options = "phase include_flush include_close no_stonewall",
	.of_io = "bs size directory filename direct sync invalidate unlink "
		 "filename_format fill",
	.state = sizeof(struct iozone),
	.ops = 1u << JOB_READ | 1u << JOB_WRITE | 1u << JOB_SYNC,
	.settle = kind_iozone_settle,
	.plan = kind_iozone_plan,
	.release = kind_iozone_release,
	.prepare = kind_iozone_prepare,
	.run = kind_iozone_run,
	.describe = kind_iozone_describe,
	.summary = kind_iozone_summary,
	.profile = "iozone",
};
