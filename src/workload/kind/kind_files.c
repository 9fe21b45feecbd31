/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind files: whole files of kinds of work.
 */
#include "workload/kind/kind_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"
#include "workload/thread/clones.h"

int kind_files_add(struct workload *w, struct worker *k, unsigned i, unsigned n,
		   const char *path, uint64_t bytes, bool device)
{
	const struct job *job = k->job;
	struct region *s;
	struct target *t;
	int rc = targets_add(&w->targets, job, path, false, &t);

	if (rc)
		return rc;
	if (t->is_device && (!device || bytes > t->size_bytes))
		return fail(EINVAL,
			    "job %s: kind=%s cannot use the device %s: %s",
			    job->name, k->kind->name, path,
			    device ? "it is smaller than what the job moves"
				   : "it works on files; give directory=");
	if (!k->region) {
		k->region = xcalloc(n, sizeof(*k->region));
		for (unsigned j = 0; j < n; j++)
			k->region[j].fd = -1;
	}
	s = &k->region[i];
	k->n_regions = i + 1;
	s->target = t;
	s->bytes = s->quota = bytes;
	if (bytes > t->need_bytes)
		t->need_bytes = bytes;
	t->reads |= job_reads(job);
	t->writes |= job_changes(job);
	t->unlink |= job->unlink && !t->is_device;
	t->bare = true;
	return 0;
}

int kind_files_add_directory(struct workload *w, struct worker *k,
			     uint64_t bytes, bool keep)
{
	char *parent = target_directory(k->job, k->jobnum);
	struct target *t;
	int rc = directory_add(&w->targets, k->job, parent, bytes, &t);

	free(parent);
	if (rc)
		return rc;
	t->unlink = !keep;
	kind_readings_open(k);
	k->region = xcalloc(1, sizeof(*k->region));
	k->region->fd = -1;
	k->region->target = t;
	k->region->bytes = k->region->quota = bytes;
	k->n_regions = 1;
	return 0;
}

void kind_files_tell(struct worker *w, const char *name, double value,
		     int better)
{
	struct reading r = { .value = value, .better = better, .final = true };

	text_copy(r.name, sizeof(r.name), name);
	kind_metric(w, &r);
}

void kind_files_free(struct worker *k)
{
	free(k->region);
	k->region = NULL;
	k->n_regions = 0;
}

/* Write a whole block; false: it failed, errno says why. */
static bool write_block(int fd, const char *block, size_t bytes, uint64_t at)
{
	while (bytes) {
		ssize_t n = pwrite(fd, block, bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		block += n;
		bytes -= (size_t)n;
		at += (uint64_t)n;
	}
	return true;
}

void kind_files_extend(struct worker *w, const struct region *r, uint64_t bytes,
		       size_t block, kind_fill_fn fill, void *arg)
{
	const struct target *t = r->target;
	struct stat st;
	uint64_t at;
	char *buf;
	bool good = true;

	if (fstat(t->fd, &st) || (uint64_t)st.st_size >= bytes)
		return;
	at = (uint64_t)st.st_size / block * block;
	buf = xcalloc(1, block);
	for (; good && at < bytes && !worker_stopped(w); at += block) {
		if (fill)
			fill(arg, buf, block, at);
		good = write_block(t->fd, buf, block, at);
		counter_add(&w->layout_bytes, block);
	}
	good = good && fsync(t->fd) == 0;
	if (!good)
		worker_fail(w, "job %s: layout of %s at offset %llu failed: %s",
			    w->job->name, t->path, (unsigned long long)at,
			    strerror(errno));
	free(buf);
}

void kind_files_evict(int fd)
{
	(void)fdatasync(fd);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

void kind_files_block(struct job *job, uint64_t bytes)
{
	if (job_was_given(job, "bs"))
		return;
	for (int i = 0; i < JOB_DIRS; i++)
		job->bs[i].min = job->bs[i].max = bytes;
}

void kind_files_begin(struct worker *w)
{
	worker_begin(w);
	atomic_store(&w->in_flight_now, 1);
}

void kind_files_end(struct worker *w)
{
	atomic_store(&w->in_flight_now, 0);
	w->now_ns = stopwatch_ns(&w->watch);
	if (!counter_get(&w->run_end_at_ns))
		counter_set(&w->run_end_at_ns, w->now_ns);
}

uint64_t kind_files_done(struct worker *w, unsigned op, uint64_t begin_ns)
{
	uint64_t ns = stopwatch_ns(&w->watch) - begin_ns;

	latency_add(&w->count->op[op].service, ns, 1);
	return ns;
}

void kind_times_add(struct kind_times *t, uint64_t ns)
{
	if (!t->n++ || ns < t->min_ns)
		t->min_ns = ns;
	if (ns > t->max_ns)
		t->max_ns = ns;
	t->sum_ns += ns;
}

void kind_times_merge(struct kind_times *to, const struct kind_times *from)
{
	if (!from->n)
		return;
	if (!to->n || from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->n += from->n;
	to->sum_ns += from->sum_ns;
}

double kind_times_mean_ns(const struct kind_times *t)
{
	return t->n ? (double)t->sum_ns / (double)t->n : 0;
}

bool kind_files_is_run(const struct worker *w)
{
	return w->count == &w->run;
}

bool kind_files_sync(struct worker *w, unsigned i)
{
	uint64_t begin_ns = stopwatch_ns(&w->watch);

	if (fsync(w->region[i].fd))
		return kind_files_failed(w, JOB_SYNC, -1,
					 w->region[i].target->path, 0);
	kind_files_done(w, JOB_SYNC, begin_ns);
	return true;
}

char *kind_files_buffer(const struct job *job, uint64_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t whole = (bytes + page - 1) / page * page;
	void *buf = NULL;

	if (posix_memalign(&buf, page, whole)) {
		(void)fail(ENOMEM, "job %s: no memory for %zu bytes of buffers",
			   job->name, whole);
		return NULL;
	}
	memset(buf, 0, whole);
	return buf;
}

bool kind_files_failed(struct worker *w, unsigned op, ssize_t moved,
		       const char *path, uint64_t offset)
{
	static const char *const name[JOB_OPS] = {
		[JOB_READ] = "read",       [JOB_WRITE] = "write",
		[JOB_TRIM] = "trim",       [JOB_SYNC] = "sync",
		[JOB_CREATE] = "open",     [JOB_CLOSE] = "close",
		[JOB_UNLINK] = "unlink",   [JOB_SYNCALL] = "sync",
		[JOB_STAT] = "stat",       [JOB_LIST] = "listing",
		[JOB_RENAME] = "rename",   [JOB_SETATTR] = "change of times",
		[JOB_LOCK] = "lock",       [JOB_INSERT] = "insertion",
		[JOB_COMMAND] = "command",
	};
	int code = moved < 0 ? errno : EIO;

	counter_error(w->count, code);
	if (w->job->continue_on_error)
		return true;
	if (moved < 0)
		worker_fail(
			w, "job %s: %s at offset %llu of %.200s failed: %s%s",
			w->job->name, name[op], (unsigned long long)offset,
			path, strerror(code),
			code == ENOSPC ? "; free some space or make less data"
				       : "");
	else
		worker_fail(w,
			    "job %s: %s at offset %llu of %.200s moved %zd "
			    "bytes only; is the file as long as the job needs?",
			    w->job->name, name[op], (unsigned long long)offset,
			    path, moved);
	return false;
}
