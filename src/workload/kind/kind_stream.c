/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind stream: one file from its beginning to its end by read(2) or write(2),
 * one call after the other into one buffer, as the program aiod does with
 * -S -B -b4M -w N.
 *
 * The summary gives the rate of the calls alone and that with the sync at the
 * end, since a small file's writes end in the page cache.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"
#include "workload/thread/clones.h"

#define BLOCK (4u << 20)

/* Shared with the main thread. */
struct stream {
	uint64_t begin_ns, moved_ns, end_ns; /* moved: the last call's end */
	uint64_t bytes, calls;
};

static void kind_stream_settle(struct job *job)
{
	kind_files_block(job, BLOCK);
	if (!job->size_bytes && job->number_ios)
		job->size_bytes = job->number_ios * job->bs[0].max;
	if (!job_was_given(job, "end_fsync"))
		job->end_fsync = job_writes(job);
	job->invalidate &= job_was_given(job, "invalidate");
}

static int kind_stream_check_options(const struct job *job)
{
	if (job->rw != RW_READ && job->rw != RW_WRITE)
		return job_fail(job, EINVAL,
				"kind=stream needs rw=read or rw=write");
	if (!job->size_bytes)
		return job_fail(job, EINVAL,
				"kind=stream needs to know how much it moves; "
				"give number_ios=N or size=SIZE");
	if (job->number_ios &&
	    job->size_bytes / job->bs[0].max < job->number_ios)
		return job_fail(job, EINVAL,
				"number_ios=%llu calls of %llu bytes are more "
				"than size=%llu; leave one of them out",
				(unsigned long long)job->number_ios,
				(unsigned long long)job->bs[0].max,
				(unsigned long long)job->size_bytes);
	return 0;
}

static int kind_stream_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	const struct job *job = k->job;
	int rc = kind_stream_check_options(job);
	size_t n;
	char **path;

	if (rc)
		return rc;
	k->limit_ios = job->number_ios ? job->number_ios
				       : job->size_bytes / job->bs[0].max;
	path = target_paths(job, k->jobnum, &n);
	if (n != 1)
		rc = job_fail(job, EINVAL,
			      "kind=stream uses one file per clone, not %zu",
			      n);
	if (rc == 0)
		rc = kind_files_add(w, k, 0, 1, path[0],
				    k->limit_ios * job->bs[0].max, true);
	xfree_list(path, n);
	return rc;
}

static int kind_stream_prepare(struct worker *w)
{
	return kind_files_prepare(w, !job_writes(w->job),
				  "write it before with rw=write");
}

/* One call; false: the job fails. */
static bool kind_stream_move(struct worker *w, unsigned op, uint64_t at)
{
	const size_t block = w->job->bs[0].max;
	int fd = w->region[0].fd;
	uint64_t begin_ns = w->now_ns;
	ssize_t n = op == JOB_READ ? read(fd, w->buffers, block)
				   : write(fd, w->buffers, block);

	if (n != (ssize_t)block)
		return kind_files_failed(w, op, n, w->region[0].target->path,
					 at);
	kind_files_done(w, op, begin_ns);
	counter_add(&w->count->op[op].bytes, block);
	return true;
}

static void kind_stream_run(struct worker *w)
{
	const unsigned op = job_writes(w->job) ? JOB_WRITE : JOB_READ;
	const uint64_t block = w->job->bs[0].max;
	struct stream *s = w->work;
	uint64_t at = 0, left = w->limit_ios, pass = w->region[0].bytes;
	bool good = true;

	kind_files_begin(w);
	s->begin_ns = w->now_ns;
	while (good && (left || w->job->time_based)) {
		/*
		 * The calls of the ramp come before those that the job asks
		 * for.
		 */
		if (at == pass || (w->count == &w->run && !s->calls && at)) {
			at = 0;
			if (lseek(w->region[0].fd, 0, SEEK_SET))
				break;
			s->begin_ns = w->now_ns;
		}
		good = kind_stream_move(w, op, at);
		at += block;
		if (w->count == &w->run) {
			s->calls++;
			left -= left > 0;
		}
		good = worker_tick(w) && good;
	}
	s->moved_ns = stopwatch_ns(&w->watch);
	s->bytes = s->calls * block;
	if (w->job->end_fsync && !worker_stopped(w))
		(void)kind_files_sync(w, 0);
	kind_files_end(w);
	s->end_ns = w->now_ns;
}

static void kind_stream_describe(const struct clones *c, char *buf, size_t size)
{
	snprintf(buf, size, "stream of %s, one call at a time",
		 job_rw_name(c->job->rw));
}

static double kind_stream_rate(const struct stream *s, uint64_t end_ns)
{
	return (double)s->bytes / 0x1p20 /
	       ((double)(end_ns - s->begin_ns) / 1e9);
}

static void kind_stream_summary(const struct clones *c, FILE *out)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct stream *s = c->worker[i]->work;
		const char *name = c->worker[i]->region[0].target->path;

		if (!s->calls || s->moved_ns <= s->begin_ns)
			continue;
		fprintf(out, "%s %s: %llu calls of %llu bytes, %.2f MiB/s",
			job_rw_name(c->job->rw), name,
			(unsigned long long)s->calls,
			(unsigned long long)c->job->bs[0].max,
			kind_stream_rate(s, s->moved_ns));
		if (c->job->end_fsync)
			fprintf(out, "; with the fsync at the end %.2f MiB/s",
				kind_stream_rate(s, s->end_ns));
		fputc('\n', out);
	}
}

const struct work_kind kind_stream = {
	.name = "stream",
	.help = "one file from beginning to end, large calls one by one, as "
		"aiod",
	.options = "",
	.of_io = "rw bs size directory filename direct end_fsync buffered "
		 "invalidate unlink filename_format fill",
	.state = sizeof(struct stream),
	.ops = 1u << JOB_READ | 1u << JOB_WRITE | 1u << JOB_SYNC,
	.settle = kind_stream_settle,
	.plan = kind_stream_plan,
	.prepare = kind_stream_prepare,
	.run = kind_stream_run,
	.describe = kind_stream_describe,
	.summary = kind_stream_summary,
};
