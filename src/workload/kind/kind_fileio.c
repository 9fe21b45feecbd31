/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind fileio: sysbench's fileio test, with its options, order and counts.
 *
 * All threads pull their requests from one generator and share one descriptor
 * per file, since the kernel keeps readahead state per open file. Differences
 * from sysbench: files that are missing or too short are laid out before the
 * run instead of by a command of their own; seqwr empties files instead of
 * removing them, so that the guard's check of them stays valid; the sequence of
 * random offsets is the same in each run unless randrepeat=0 is given.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "model/job/job_kind.h"
#include "workload/kind/fileio.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"
#include "workload/thread/clones.h"

/* --- the summary in the form of sysbench, for parsers of its output --- */

#define MIB 1048576.0

/* All threads added up. */
struct sum {
	struct fileio all;
	unsigned n;
	double total_s;                /* first begin to last end */
	double events_dev, time_dev;   /* over the threads */
	double events_mean, time_mean; /* time: within events, in s */
};

static void kind_fileio_add(struct fileio *to, const struct fileio *f)
{
	to->events += f->events;
	to->sum_ns += f->sum_ns;
	to->read += f->read;
	to->written += f->written;
	to->read_bytes += f->read_bytes;
	to->written_bytes += f->written_bytes;
	to->syncs += f->syncs;
	to->end_syncs += f->end_syncs;
	histogram_add(&to->latency, &f->latency);
}

static void kind_fileio_sum_up(struct sum *s, const struct clones *c)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;

	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *k = c->worker[i];
		uint64_t from_ns = counter_get(&k->run_start_ns);
		uint64_t to_ns = counter_get(&k->run_end_at_ns);

		if (!from_ns)
			continue;
		kind_fileio_add(&s->all, k->work);
		s->n++;
		begin_ns = from_ns < begin_ns ? from_ns : begin_ns;
		end_ns = to_ns > end_ns ? to_ns : end_ns;
	}
	if (!s->n || end_ns <= begin_ns)
		return;
	s->total_s = (double)(end_ns - begin_ns) / 1e9;
	s->events_mean = (double)s->all.events / s->n;
	s->time_mean = (double)s->all.sum_ns / 1e9 / s->n;
	for (unsigned i = 0; i < c->n; i++) {
		const struct fileio *f = c->worker[i]->work;

		s->events_dev += pow((double)f->events - s->events_mean, 2);
		s->time_dev += pow((double)f->sum_ns / 1e9 - s->time_mean, 2);
	}
	s->events_dev = sqrt(s->events_dev / s->n);
	s->time_dev = sqrt(s->time_dev / s->n);
}

static double ms(double ns)
{
	return isnan(ns) ? 0 : ns / 1e6;
}

static double mean_ms(const struct sum *s)
{
	return s->all.events
		       ? (double)s->all.sum_ns / 1e6 / (double)s->all.events
		       : 0;
}

static void print_1_0(const struct sum *s, FILE *out)
{
	const struct fileio *f = &s->all;
	const struct histogram *h = &f->latency;

	fprintf(out,
		"File operations:\n"
		"    reads/s:                      %.2f\n"
		"    writes/s:                     %.2f\n"
		"    fsyncs/s:                     %.2f\n\n"
		"Throughput:\n"
		"    read, MiB/s:                  %.2f\n"
		"    written, MiB/s:               %.2f\n\n",
		(double)f->read / s->total_s, (double)f->written / s->total_s,
		(double)f->syncs / s->total_s,
		(double)f->read_bytes / MIB / s->total_s,
		(double)f->written_bytes / MIB / s->total_s);
	fprintf(out,
		"General statistics:\n"
		"    total time:                          %.4fs\n"
		"    total number of events:              %" PRIu64 "\n"
		"    fsyncs at the end:                   %" PRIu64 "\n\n"
		"Latency (ms):\n"
		"         min:                            %10.2f\n"
		"         avg:                            %10.2f\n"
		"         max:                            %10.2f\n"
		"         95th percentile:                %10.2f\n"
		"         sum:                            %10.2f\n\n"
		"Threads fairness:\n"
		"    events (avg/stddev):           %.4f/%.2f\n"
		"    execution time (avg/stddev):   %.4f/%.2f\n",
		s->total_s, f->events, f->end_syncs, ms(histogram_min(h)),
		mean_ms(s), ms(histogram_max(h)),
		ms(histogram_percentile(h, 95)), (double)f->sum_ns / 1e6,
		s->events_mean, s->events_dev, s->time_mean, s->time_dev);
}

/* "93.75Mb", as sysbench 0.4 writes sizes: in powers of 1024. */
static struct text_short size_0_4(double bytes)
{
	static const char *const unit[] = { "b", "Kb", "Mb", "Gb", "Tb" };
	unsigned i = 0;

	for (; bytes >= 1024 && i < 4; i++)
		bytes /= 1024;
	return text_shortly("%.5g%s", bytes, unit[i]);
}

static void print_0_4(const struct sum *s, FILE *out)
{
	const struct fileio *f = &s->all;
	const struct histogram *h = &f->latency;
	const double bytes = (double)f->read_bytes + (double)f->written_bytes;
	const uint64_t other = f->syncs + f->end_syncs;

	fprintf(out,
		"Operations performed:  %" PRIu64 " Read, %" PRIu64
		" Write, %" PRIu64 " Other = %" PRIu64 " Total\n"
		"Read %s  Written %s  Total transferred %s  (%s/sec)\n"
		"%9.2f Requests/sec executed\n\n",
		f->read, f->written, other, f->read + f->written + other,
		size_0_4((double)f->read_bytes).text,
		size_0_4((double)f->written_bytes).text, size_0_4(bytes).text,
		size_0_4(bytes / s->total_s).text,
		(double)(f->read + f->written) / s->total_s);
	fprintf(out,
		"Test execution summary:\n"
		"    total time:                          %.4fs\n"
		"    total number of events:              %" PRIu64 "\n"
		"    total time taken by event execution: %.4f\n"
		"    per-request statistics:\n"
		"         min:                            %10.2fms\n"
		"         avg:                            %10.2fms\n"
		"         max:                            %10.2fms\n"
		"         approx.  95 percentile:         %10.2fms\n\n"
		"Threads fairness:\n"
		"    events (avg/stddev):           %.4f/%.2f\n"
		"    execution time (avg/stddev):   %.4f/%.2f\n",
		s->total_s, f->events, (double)f->sum_ns / 1e9,
		ms(histogram_min(h)), mean_ms(s), ms(histogram_max(h)),
		ms(histogram_percentile(h, 95)), s->events_mean, s->events_dev,
		s->time_mean, s->time_dev);
}

static void kind_fileio_summary(const struct clones *c, FILE *out)
{
	struct sum *s = xcalloc(1, sizeof(*s));

	kind_fileio_sum_up(s, c);
	if (s->total_s > 0 && c->job->fileio.compat == FILEIO_0_4)
		print_0_4(s, out);
	else if (s->total_s > 0)
		print_1_0(s, out);
	free(s);
}

static void kind_fileio_settle(struct job *job)
{
	static const unsigned rw[] = {
		[FILEIO_SEQWR] = RW_WRITE,     [FILEIO_SEQREWR] = RW_WRITE,
		[FILEIO_SEQRD] = RW_READ,      [FILEIO_RNDRD] = RW_RANDREAD,
		[FILEIO_RNDWR] = RW_RANDWRITE, [FILEIO_RNDRW] = RW_RANDRW,
		[FILEIO_NO_MODE] = RW_READ,
	};
	struct job_fileio *f = &job->fileio;
	const bool old = f->compat == FILEIO_0_4;

	job->rw = rw[f->mode];
	for (int i = 0; i < JOB_DIRS; i++)
		job->bs[i].min = job->bs[i].max = f->block_bytes;
	job->size_bytes = f->total_bytes;
	job->nrfiles = f->num;
	job->iodepth = f->io == FILEIO_ASYNC ? f->backlog : 1;
	job->direct = f->flags & FILEIO_O_DIRECT;
	job->sync_open = f->flags & FILEIO_O_SYNC    ? SYNC_OPEN_SYNC
			 : f->flags & FILEIO_O_DSYNC ? SYNC_OPEN_DSYNC
						     : SYNC_OPEN_NONE;
	job->invalidate &= job_was_given(job, "invalidate");
	if (!job->filename_format)
		job_own(&job->filename_format, "test_file.$filenum");
	if (old && !job_was_given(job, "events"))
		f->events = 10000;
	if (!old && !job_was_given(job, "max-time") &&
	    !job_was_given(job, "runtime"))
		job->runtime_ns = 10 * NS_PER_S;
}

static int kind_fileio_check_options(const struct worker *k)
{
	const struct job *job = k->job;
	const struct job_fileio *f = &job->fileio;

	if (f->mode == FILEIO_NO_MODE)
		return job_fail(job, EINVAL,
				"kind=fileio needs file-test-mode=MODE: seqwr, "
				"seqrewr, seqrd, rndrd, rndwr or rndrw");
	if (k->job->process)
		return job_fail(job, EINVAL,
				"kind=fileio runs threads that share one "
				"generator; leave process=1 out");
	if (f->total_bytes / f->num < f->block_bytes)
		return job_fail(
			job, EINVAL,
			"a file of %llu bytes is less than one block of %llu; "
			"give a smaller file-num or a larger file-total-size",
			(unsigned long long)(f->total_bytes / f->num),
			(unsigned long long)f->block_bytes);
	if (f->validate && f->merged > 1)
		return job_fail(job, EINVAL,
				"validate checks single blocks; leave "
				"file-merged-requests out");
	return 0;
}

static int add_files(struct workload *w, struct worker *k)
{
	size_t n;
	char **path = target_paths(k->job, k->jobnum, &n);
	uint64_t bytes = k->job->fileio.total_bytes / k->job->fileio.num;
	int rc = n == k->job->fileio.num
			 ? 0
			 : job_fail(k->job, EINVAL,
				    "filename names %zu files and file-num is "
				    "%u; leave filename out or make them equal",
				    n, k->job->fileio.num);

	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			rc = kind_files_add(w, k, (unsigned)i, (unsigned)n,
					    path[i], bytes, false);
		free(path[i]);
	}
	free(path);
	return rc;
}

static int kind_fileio_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	const struct job *job = k->job;
	struct fileio *f = k->work;
	int rc = kind_fileio_check_options(k);

	if (rc)
		return rc;
	k->limit_ios = job->fileio.events
			       ? job->fileio.events / job->numjobs + 1
			       : UINT64_MAX;
	random_seed(&f->random, seed);
	if (k->jobnum == 0) {
		f->all = xcalloc(1, sizeof(*f->all));
		fileio_pool_init(&f->all->pool, &job->fileio, seed,
				 job->numjobs * k->depth);
	} else {
		f->all = ((struct fileio *)k->clones->worker[0]->work)->all;
	}
	if (k->jobnum && !job->fileio.private_fd)
		return 0;
	return add_files(w, k);
}

static void unmap(struct fileio_job *all, const struct worker *k)
{
	for (unsigned i = 0; all->map && i < k->n_regions; i++)
		if (all->map[i])
			munmap(all->map[i], k->region[i].bytes);
	free(all->map);
}

static void kind_fileio_release(struct worker *k)
{
	struct fileio *f = k->work;

	if (f->all && k->jobnum == 0) {
		unmap(f->all, k);
		fileio_pool_free(&f->all->pool);
		free(f->all);
	}
}

/* --- before the run --- */

static const struct region *file_of(const struct worker *w, unsigned i)
{
	return w->n_regions ? &w->region[i] : &w->clones->worker[0]->region[i];
}

static void kind_fileio_fill(void *arg, char *block, size_t bytes,
			     uint64_t offset)
{
	struct worker *w = arg;
	struct fileio *f = w->work;

	if (w->job->fileio.validate)
		fileio_check_fill(&f->random, block, bytes, offset);
	else
		layout_fill(&f->random, block, bytes);
}

/*
 * Empty files that are written anew, and those in which checksums are to be. A
 * job that only reads leaves the files as they are, and checks their content.
 */
static int kind_fileio_empty(const struct worker *w, const struct region *r)
{
	const struct job_fileio *o = &w->job->fileio;
	off_t size = o->mode == FILEIO_SEQWR && o->io == FILEIO_MMAP
			     ? (off_t)r->bytes
			     : 0;

	if (o->mode != FILEIO_SEQWR &&
	    (!o->validate || !fileio_writes(o->mode)))
		return 0;
	if (r->target->may_write && ftruncate(r->target->fd, 0) == 0 &&
	    ftruncate(r->target->fd, size) == 0)
		return 0;
	return fail(errno ? errno : EACCES, "job %s: cannot empty %s: %s",
		    w->job->name, r->target->path,
		    strerror(errno ? errno : EACCES));
}

static int kind_fileio_lay_out(struct worker *w)
{
	const struct job_fileio *o = &w->job->fileio;
	const bool data = o->validate || o->random_fill;
	int rc = 0;

	if (o->mode != FILEIO_SEQWR) {
		w->layout_total_bytes = o->total_bytes;
		worker_set_phase(w, PHASE_LAYOUT);
	}
	for (unsigned i = 0; i < o->num && rc == 0 && !worker_stopped(w); i++) {
		const struct region *r = &w->region[i];

		rc = kind_fileio_empty(w, r);
		if (rc == 0 && o->mode != FILEIO_SEQWR)
			kind_files_extend(w, r, r->bytes, o->block_bytes,
					  data ? kind_fileio_fill : NULL, w);
		if (rc == 0 && w->job->invalidate)
			kind_files_evict(r->fd);
	}
	worker_set_phase(w, PHASE_WAIT);
	return rc;
}

static int map_files(struct worker *w)
{
	const unsigned n = w->job->fileio.num;
	struct fileio_job *all = ((struct fileio *)w->work)->all;
	const int prot = PROT_READ | (job_writes(w->job) ? PROT_WRITE : 0);

	all->map = xcalloc(n, sizeof(*all->map));
	for (unsigned i = 0; i < n && !worker_stopped(w); i++) {
		const struct region *r = &w->region[i];

		all->map[i] = mmap(NULL, r->bytes, prot, MAP_SHARED, r->fd, 0);
		if (all->map[i] != MAP_FAILED)
			continue;
		all->map[i] = NULL;
		return job_fail(w->job, errno, "cannot map %s: %s",
				r->target->path, strerror(errno));
	}
	return 0;
}

static int open_async(struct worker *w)
{
	struct fileio *f = w->work;

	f->request = xcalloc(w->depth, sizeof(*f->request));
	worker_make_ios(w);
	return worker_open_engine(w, &engine_libaio, file_of(w, 0),
				  w->job->fileio.num);
}

static int kind_fileio_prepare(struct worker *w)
{
	const struct job_fileio *o = &w->job->fileio;
	const unsigned merged = o->merged ? o->merged : 1;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fileio *f = w->work;
	int rc = 0;

	w->stride = (o->block_bytes * merged + page - 1) / page * page;
	w->buffers_bytes = w->stride * w->depth;
	if (kind_files_buffer(w, w->buffers_bytes))
		return -ENOMEM;
	if (o->random_fill)
		layout_fill(&f->random, w->buffers, w->buffers_bytes);
	if (w->jobnum == 0)
		rc = kind_fileio_lay_out(w);
	if (rc == 0 && w->jobnum == 0 && o->io == FILEIO_MMAP)
		rc = map_files(w);
	if (rc == 0 && o->io == FILEIO_ASYNC)
		rc = open_async(w);
	return rc;
}

static void kind_fileio_unprepare(struct worker *w)
{
	struct fileio *f = w->work;

	if (w->state)
		engine_libaio.close(w->state);
	w->state = NULL;
	worker_free_ios(w);
	free(f->request);
	f->request = NULL;
}

/* --- the run --- */

/* Count one event of sysbench's, from before its I/O to its end. */
static void count_event(struct worker *w, const struct fileio_request *r,
			uint64_t ns)
{
	struct fileio *f = w->work;

	if (!kind_files_is_run(w))
		return;
	f->events++;
	f->sum_ns += ns;
	f->latency.bucket[histogram_index(ns)]++;
	f->read += r->op == JOB_READ;
	f->written += r->op == JOB_WRITE;
	f->syncs += r->op == JOB_SYNC;
	if (r->op == JOB_READ)
		f->read_bytes += r->bytes;
	else
		f->written_bytes += r->bytes;
}

static bool kind_fileio_sync_file(struct worker *w, unsigned file)
{
	const struct job_fileio *o = &w->job->fileio;
	const struct region *r = file_of(w, file);
	struct fileio *f = w->work;
	uint64_t begin_ns = stopwatch_ns(&w->watch);
	int rc = f->all->map    ? msync(f->all->map[file], r->bytes,
					MS_SYNC | MS_INVALIDATE)
		 : o->fdatasync ? fdatasync(r->fd)
				: fsync(r->fd);

	kind_files_done(w, JOB_SYNC, begin_ns);
	return rc == 0 ||
	       kind_files_failed(w, JOB_SYNC, -1, r->target->path, 0);
}

/* Whether what was read is what was written there. */
static bool valid(struct worker *w, const struct fileio_request *r,
		  const char *buf)
{
	if (!w->job->fileio.validate || r->op != JOB_READ ||
	    fileio_check_good(buf, r->bytes, r->offset))
		return true;
	counter_error(w->count, EILSEQ);
	worker_fail(w,
		    "job %s: the checksum of the block at offset %llu of %s is "
		    "wrong; files written without validate=on have no "
		    "checksums: remove them, or write them with validate=on",
		    w->job->name, (unsigned long long)r->offset,
		    file_of(w, r->file)->target->path);
	return false;
}

/* Count a completed request. false: the job fails. */
static bool kind_fileio_completed(struct worker *w,
				  const struct fileio_request *r, ssize_t n,
				  const char *buf, unsigned slot, uint64_t ns)
{
	struct fileio *f = w->work;

	fileio_pool_done(&f->all->pool, slot, r->op);
	if (n != (ssize_t)r->bytes)
		return kind_files_failed(w, r->op, n,
					 file_of(w, r->file)->target->path,
					 r->offset);
	latency_add(&w->count->op[r->op].service, ns, 1);
	counter_add(&w->count->op[r->op].bytes, r->bytes);
	return valid(w, r, buf);
}

static ssize_t kind_fileio_move(const struct worker *w,
				const struct fileio_request *r, char *buf)
{
	const struct fileio *f = w->work;
	int fd = file_of(w, r->file)->fd;
	char *at;

	if (f->all->map) {
		at = f->all->map[r->file] + r->offset;
		memcpy(r->op == JOB_READ ? buf : at,
		       r->op == JOB_READ ? at : buf, r->bytes);
		return (ssize_t)r->bytes;
	}
	if (r->op == JOB_READ)
		return pread(fd, buf, r->bytes, (off_t)r->offset);
	return pwrite(fd, buf, r->bytes, (off_t)r->offset);
}

/* The slot's number among those of all threads. */
static unsigned kind_fileio_slot_of(const struct worker *w, unsigned slot)
{
	return w->jobnum * w->depth + slot;
}

static bool serve_now(struct worker *w, const struct fileio_request *r,
		      uint64_t begin_ns)
{
	ssize_t n = kind_fileio_move(w, r, w->buffers);
	uint64_t ns = stopwatch_ns(&w->watch) - begin_ns;

	if (!kind_fileio_completed(w, r, n, w->buffers,
				   kind_fileio_slot_of(w, 0), ns))
		return false;
	if (w->job->fileio.fsync_all && r->op == JOB_WRITE)
		return kind_fileio_sync_file(w, r->file);
	return true;
}

/* Reap at least min of the requests in flight. */
static bool kind_fileio_reap(struct worker *w, unsigned min)
{
	struct fileio *f = w->work;
	int n = engine_libaio.reap(w->state, w->done, min, w->depth, ENGINE_WAIT);
	uint64_t now_ns = stopwatch_ns(&w->watch);
	bool good = n >= 0;

	if (!good)
		worker_fail(w, "job %s: waiting for I/O failed: %s",
			    w->job->name, strerror(-n));
	for (int i = 0; i < n; i++) {
		struct io *io = w->done[i];
		ssize_t moved = io->result < 0 ? -1 : io->result;

		errno = io->result < 0 ? (int)-io->result : 0;
		good &= kind_fileio_completed(w, &f->request[io->slot], moved,
					      io->buf,
					      kind_fileio_slot_of(w, io->slot),
					      now_ns - io->submit_ns);
		w->free[w->n_free++] = io;
	}
	atomic_store_explicit(&w->in_flight_now, w->depth - w->n_free,
			      memory_order_relaxed);
	return good;
}

/* One call submits one request, and waits only when the backlog is full. */
static bool serve_later(struct worker *w, const struct fileio_request *r,
			uint64_t begin_ns)
{
	struct fileio *f = w->work;
	struct io *io = w->free[--w->n_free];
	bool good = true;

	f->request[io->slot] = *r;
	io->offset = r->offset;
	io->bytes = r->bytes;
	io->op = (uint8_t)r->op;
	io->fd = file_of(w, r->file)->fd;
	io->submit_ns = begin_ns;
	io->kept = false;
	while (!engine_libaio.submit(w->state, &io, 1) && good)
		good = w->n_free + 1 < w->depth && kind_fileio_reap(w, 1);
	if (good && w->job->fileio.fsync_all && r->op == JOB_WRITE)
		good = kind_fileio_sync_file(w, r->file);
	return good && (w->n_free || kind_fileio_reap(w, 1));
}

static bool kind_fileio_serve(struct worker *w, const struct fileio_request *r)
{
	struct fileio *f = w->work;
	struct io *io = w->state ? w->free[w->n_free - 1] : NULL;
	char *buf = w->buffers + (io ? io->slot * w->stride : 0);
	uint64_t begin_ns;
	bool good;

	if (io)
		io->buf = buf;
	if (w->job->fileio.validate && r->op == JOB_WRITE)
		fileio_check_fill(&f->random, buf, r->bytes, r->offset);
	begin_ns = stopwatch_ns(&w->watch);
	good = r->op == JOB_SYNC ? kind_fileio_sync_file(w, r->file)
	       : io              ? serve_later(w, r, begin_ns)
				 : serve_now(w, r, begin_ns);
	if (good)
		count_event(w, r, stopwatch_ns(&w->watch) - begin_ns);
	return good;
}

/* 1.0: each thread syncs each file; 0.4: all threads together do. */
static void sync_at_end(struct worker *w)
{
	const struct job_fileio *o = &w->job->fileio;
	struct fileio *f = w->work;
	struct fileio_request r;

	if (!o->fsync_end || o->fsync_all || !fileio_writes(o->mode))
		return;
	if (o->compat == FILEIO_0_4) {
		while (!worker_stopped(w) &&
		       fileio_pool_next_end(&f->all->pool, &r) &&
		       kind_fileio_sync_file(w, r.file))
			f->end_syncs++;
		return;
	}
	for (unsigned i = 0;
	     i < o->num && !worker_stopped(w) && kind_fileio_sync_file(w, i);
	     i++)
		f->end_syncs++;
}

/* The place of the next request. */
static unsigned next_slot(const struct worker *w)
{
	return kind_fileio_slot_of(
		w, w->state ? w->free[w->n_free - 1]->slot : 0);
}

static bool is_in_flight(const struct worker *w)
{
	return w->state && w->n_free < w->depth;
}

/* Finish what is in flight here, or let another thread do so. */
static bool kind_fileio_make_place(struct worker *w)
{
	if (is_in_flight(w))
		return kind_fileio_reap(w, 1);
	sched_yield();
	return true;
}

static void kind_fileio_run(struct worker *w)
{
	struct fileio *f = w->work;
	enum fileio_next next;
	struct fileio_request r;
	bool good = true;

	kind_files_begin(w);
	while (good && (next = fileio_pool_next(
				&f->all->pool, kind_files_is_run(w),
				next_slot(w), &r)))
		good = (next == FILEIO_BUSY ? kind_fileio_make_place(w)
					    : kind_fileio_serve(w, &r)) &&
		       worker_tick(w);
	while (is_in_flight(w) && kind_fileio_reap(w, 1))
		;
	if (!worker_stopped(w))
		sync_at_end(w);
	kind_files_end(w);
}

static void kind_fileio_describe(const struct clones *c, char *buf, size_t size)
{
	static const char *const io[] = { "sync", "async", "mmap" };

	snprintf(buf, size, "fileio %s %s, one generator",
		 io[c->job->fileio.io], job_rw_name(c->job->rw));
}

const struct work_kind kind_fileio = {
	.name = "fileio",
	.help = "sysbench's fileio test: files, requests and syncs as it "
		"makes them",
	.options = "compat file-test-mode file-num file-total-size "
		   "file-block-size file-merged-requests file-io-mode "
		   "file-async-backlog file-extra-flags file-fsync-freq "
		   "file-fsync-all file-fsync-end file-fsync-mode "
		   "file-rw-ratio events max-time num-threads rand-seed "
		   "validate fd fill",
	.of_io = "directory filename filename_format randseed randrepeat "
		 "invalidate unlink",
	.state = sizeof(struct fileio),
	.ops = 1u << JOB_READ | 1u << JOB_WRITE | 1u << JOB_SYNC,
	.settle = kind_fileio_settle,
	.plan = kind_fileio_plan,
	.release = kind_fileio_release,
	.prepare = kind_fileio_prepare,
	.run = kind_fileio_run,
	.unprepare = kind_fileio_unprepare,
	.describe = kind_fileio_describe,
	.summary = kind_fileio_summary,
	.profile = "sysbench",
	.threads = true,
};
