/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * I/O log: rings between the workers and the process that writes, and the lines
 * of its files.
 */
#include "workload/iolog/iolog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/kernel.h"
#include "base/role.h"
#include "base/side_file.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/thread/clones.h"
#include "workload/thread/process.h"

/* --- the files --- */

/*
 * A text file that one process writes, of numbers mostly. The first failure is
 * kept until the file is closed; nothing is written after it.
 */
#define IOLOG_OUT_BYTES 16384

struct iolog_out {
	char *path;
	int fd, err; /* errno of the first failure, or 0 */
	size_t n;
	char buf[IOLOG_OUT_BYTES];
};

/* Make the file (base/side_file.h): 0, or -errno with a sentence. */
static int iolog_out_open(struct iolog_out **out, const char *path)
{
	struct side_file file;
	int rc = side_file_open(&file, path, "the log", SIDE_FILE_NOW);

	*out = NULL;
	if (rc)
		return rc;
	*out = xcalloc(1, sizeof(**out));
	(*out)->path = xstrdup(path);
	(*out)->fd = file.fd;
	file.fd = -1;
	side_file_close(&file);
	return 0;
}

/* Write what is buffered. */
static void iolog_out_flush(struct iolog_out *o)
{
	if (!o->err)
		o->err = -descriptor_write(o->fd, o->buf, o->n, -1);
	o->n = 0;
}

/* Flush, close, free: 0, or -errno of the first failure. NULL is fine. */
static int iolog_out_close(struct iolog_out *o)
{
	int err;

	if (!o)
		return 0;
	iolog_out_flush(o);
	side_file_left(o->fd);
	if (close(o->fd) && !o->err)
		o->err = errno;
	err = o->err;
	free(o->path);
	free(o);
	return -err;
}

static void iolog_out_number(struct iolog_out *o, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (o->n + n > IOLOG_OUT_BYTES)
		iolog_out_flush(o);
	while (n)
		o->buf[o->n++] = digits[--n];
}

/* Write a text shorter than IOLOG_OUT_BYTES. */
static void iolog_out_text(struct iolog_out *o, const char *text)
{
	size_t n = strlen(text);

	if (o->n + n > IOLOG_OUT_BYTES)
		iolog_out_flush(o);
	memcpy(o->buf + o->n, text, n);
	o->n += n;
}

#define NS_PER_MS 1000000
/* The interval of histograms for a job that sets none. */
#define HIST_NS NS_PER_S

static const char *const suffixes[IOLOG_KINDS] = {
	[IOLOG_BW] = "bw",     [IOLOG_IOPS] = "iops",
	[IOLOG_SLAT] = "slat", [IOLOG_CLAT] = "clat",
	[IOLOG_LAT] = "lat",   [IOLOG_HIST] = "clat_hist",
};

static const char *prefix_of(const struct job *job, int kind)
{
	const char *const prefix[IOLOG_KINDS] = {
		[IOLOG_BW] = job->bw_log,    [IOLOG_IOPS] = job->iops_log,
		[IOLOG_SLAT] = job->lat_log, [IOLOG_CLAT] = job->lat_log,
		[IOLOG_LAT] = job->lat_log,  [IOLOG_HIST] = job->hist_log,
	};

	return prefix[kind];
}

/* The file of that path, made now if there is none. */
static int get_out(struct iolog_outs *outs, const struct job *job,
		   const char *path, struct iolog_out **out)
{
	int rc;

	for (size_t i = 0; i < outs->n; i++) {
		*out = outs->item[i];
		if (!strcmp((*out)->path, path))
			return 0;
	}
	rc = iolog_out_open(out, path);
	if (rc)
		return job_fail(job, -rc, "%s%s", fail_sentence(),
				rc == -EMFILE
					? "; lower numjobs, or share logs "
					  "with per_job_logs=0"
					: "");
	*xadd(outs->item, outs->n, outs->cap) = *out;
	return 0;
}

static int open_kind(struct iolog_file *f, struct iolog_outs *outs, int kind,
		     unsigned n)
{
	const char *prefix = prefix_of(f->job, kind);
	char *path;
	int rc;

	if (!prefix)
		return 0;
	path = f->job->per_job_logs
		       ? xasprintf("%s_%s.%u.log", prefix, suffixes[kind], n)
		       : xasprintf("%s_%s.log", prefix, suffixes[kind]);
	rc = get_out(outs, f->job, path, &f->out[kind]);
	free(path);
	return rc;
}

/*
 * As fio: with log_prio the kernel's number, else whether the class is real
 * time.
 */
static void prio_text(char *text, size_t size, const struct job *job,
		      unsigned prio)
{
	if (job->log_prio)
		snprintf(text, size, "0x%04x", prio);
	else
		snprintf(text, size, "%d",
			 prio >> IOPRIO_CLASS_SHIFT == IOPRIO_CLASS_RT);
}

/* The priority of I/Os that have none of their own. */
static void set_prio(struct iolog_file *f)
{
	const struct job *job = f->job;
	int class = job->ioprio_class;

	if (!class && job->ioprio)
		class = IOPRIO_CLASS_BE;
	prio_text(f->prio, sizeof(f->prio), job,
		  (unsigned)(class << IOPRIO_CLASS_SHIFT | job->ioprio));
}

static void put_prio(const struct iolog_file *f, struct iolog_out *out,
		     unsigned prio)
{
	char text[16];

	if (prio)
		prio_text(text, sizeof(text), f->job, prio);
	iolog_out_text(out, prio ? text : f->prio);
}

int iolog_file_open(struct iolog_file *f, struct iolog_outs *outs,
		    const struct job *job, unsigned n)
{
	int rc = 0;

	memset(f, 0, sizeof(*f));
	f->job = job;
	f->window_ns = job->log_avg_ns;
	f->hist_ns = job->log_hist_ns ? job->log_hist_ns : HIST_NS;
	set_prio(f);
	if (!clock_read_ns((clockid_t)job->log_epoch_clock))
		return job_fail(job, EINVAL,
				"log_alternate_epoch_clock_id=%u is not a "
				"clock of this kernel; see clock_gettime(2)",
				job->log_epoch_clock);
	for (int i = 0; i < IOLOG_KINDS && rc == 0; i++)
		rc = open_kind(f, outs, i, n);
	for (int d = 0; d < JOB_DIRS && job->hist_log; d++)
		f->hist[d] = xcalloc(FIO_BUCKETS, sizeof(*f->hist[d]));
	return rc;
}

void iolog_file_begin(struct iolog_file *f, uint64_t start_ns)
{
	f->start_ns = start_ns;
	if (f->job->log_unix_epoch)
		f->epoch_ns =
			clock_read_ns((clockid_t)f->job->log_epoch_clock) -
			(clock_mono_ns() - start_ns);
	f->window_end_ns = f->window_ns;
	f->hist_end_ns = f->hist_ns;
}

/* The columns of a line beside its value. */
struct where {
	uint64_t at_ns, issue_ns, offset;
	unsigned dir, bytes, prio;
};

static void put_next(struct iolog_out *out, uint64_t v)
{
	iolog_out_text(out, ", ");
	iolog_out_number(out, v);
}

static void iolog_put_line(const struct iolog_file *f, int kind,
			   const struct where *at, uint64_t value, uint64_t max)
{
	const struct job *job = f->job;
	struct iolog_out *out = f->out[kind];

	if (!out)
		return;
	iolog_out_number(out, (f->epoch_ns + at->at_ns) / NS_PER_MS);
	put_next(out, job->log_window == LOG_WINDOW_MAX ? max : value);
	if (job->log_window == LOG_WINDOW_BOTH)
		put_next(out, max);
	put_next(out, at->dir);
	put_next(out, at->bytes);
	if (job->log_offset)
		put_next(out, at->offset);
	iolog_out_text(out, ", ");
	put_prio(f, out, at->prio);
	/* fio has it in the logs of slat and clat only, else 0. */
	if (job->log_issue_time)
		put_next(out, at->issue_ns && (kind == IOLOG_SLAT ||
					       kind == IOLOG_CLAT)
				      ? f->epoch_ns + at->issue_ns
				      : 0);
	iolog_out_text(out, "\n");
}

static void put_io(const struct iolog_file *f, const struct iolog_row *r,
		   uint64_t at_ns)
{
	const struct where at = {
		.at_ns = at_ns,
		.issue_ns = at_ns > r->clat_ns ? at_ns - r->clat_ns : 0,
		.offset = r->offset,
		.dir = r->op,
		.bytes = r->bytes,
		.prio = r->prio,
	};
	double clat_ns = r->clat_ns ? (double)r->clat_ns : 1;
	uint64_t bw = (uint64_t)((double)r->bytes / 1024 * NS_PER_S / clat_ns);

	iolog_put_line(f, IOLOG_BW, &at, bw, bw);
	iolog_put_line(f, IOLOG_IOPS, &at, 1, 1);
	if (f->slat)
		iolog_put_line(f, IOLOG_SLAT, &at, r->slat_ns, r->slat_ns);
	iolog_put_line(f, IOLOG_CLAT, &at, r->clat_ns, r->clat_ns);
	iolog_put_line(f, IOLOG_LAT, &at, r->lat_ns, r->lat_ns);
}

static void put_rate(const struct iolog_file *f, int kind,
		     const struct where *at, double per_s)
{
	uint64_t v = (uint64_t)units_whole(per_s + 0.5, 0, INT64_MAX);

	iolog_put_line(f, kind, at, v, v);
}

static void iolog_put_window(struct iolog_file *f, uint64_t at_ns,
			     uint64_t length_ns)
{
	double seconds = (double)length_ns / NS_PER_S;
	unsigned dirs = job_dirs(f->job);

	for (unsigned d = 0; d < JOB_DIRS; d++) {
		const struct iolog_window *w = &f->window[d];
		const struct where at = { .at_ns = at_ns, .dir = d };

		if (!(dirs & 1u << d) && !w->ios)
			continue;
		put_rate(f, IOLOG_BW, &at, (double)w->bytes / 1024 / seconds);
		put_rate(f, IOLOG_IOPS, &at, (double)w->ios / seconds);
		for (int k = IOLOG_SLAT; k <= IOLOG_LAT; k++) {
			const struct iolog_value *v = &w->lat[k];

			if (v->n)
				iolog_put_line(
					f, k, &at,
					(uint64_t)(v->sum / (double)v->n + 0.5),
					v->max);
		}
	}
	memset(f->window, 0, sizeof(f->window));
}

/* Add the fine buckets up to coarse ones. */
static void put_hist(struct iolog_file *f, uint64_t at_ns)
{
	struct iolog_out *out = f->out[IOLOG_HIST];
	unsigned step = 1u << f->job->log_hist_coarseness;

	for (unsigned d = 0; d < JOB_DIRS; d++) {
		uint32_t *h = f->hist[d];
		uint64_t n = 0;

		for (unsigned i = 0; i < FIO_BUCKETS; i++)
			n += h[i];
		if (!n)
			continue;
		iolog_out_number(out, (f->epoch_ns + at_ns) / NS_PER_MS);
		put_next(out, d);
		put_next(out, f->job->bs[d].max);
		for (unsigned i = 0; i < FIO_BUCKETS; i += step) {
			uint64_t sum = 0;

			for (unsigned k = 0; k < step; k++)
				sum += h[i + k];
			put_next(out, sum);
		}
		iolog_out_text(out, "\n");
		memset(h, 0, FIO_BUCKETS * sizeof(*h));
	}
}

static void iolog_add_value(struct iolog_value *v, uint64_t ns)
{
	v->sum += (double)ns;
	v->n++;
	if (ns > v->max)
		v->max = ns;
}

/* Write the windows that ended before. */
static void advance(struct iolog_file *f, uint64_t at_ns)
{
	while (f->window_ns && at_ns >= f->window_end_ns) {
		iolog_put_window(f, f->window_end_ns, f->window_ns);
		f->window_end_ns += f->window_ns;
	}
	while (f->out[IOLOG_HIST] && at_ns >= f->hist_end_ns) {
		put_hist(f, f->hist_end_ns);
		f->hist_end_ns += f->hist_ns;
	}
}

void iolog_file_row(struct iolog_file *f, const struct iolog_row *r)
{
	uint64_t at_ns = r->end_ns > f->start_ns ? r->end_ns - f->start_ns : 0;
	struct iolog_window *w = &f->window[r->op];

	advance(f, at_ns);
	if (f->out[IOLOG_HIST])
		f->hist[r->op][histogram_fio_bucket(r->clat_ns)]++;
	if (!f->window_ns) {
		put_io(f, r, at_ns);
		return;
	}
	w->ios++;
	w->bytes += r->bytes;
	if (f->slat)
		iolog_add_value(&w->lat[IOLOG_SLAT], r->slat_ns);
	iolog_add_value(&w->lat[IOLOG_CLAT], r->clat_ns);
	iolog_add_value(&w->lat[IOLOG_LAT], r->lat_ns);
}

void iolog_file_end(struct iolog_file *f, uint64_t end_ns)
{
	uint64_t at_ns = end_ns > f->start_ns ? end_ns - f->start_ns : 0;
	uint64_t begun_ns;
	bool any = false;

	if (!f->start_ns)
		return;
	advance(f, at_ns);
	begun_ns = f->window_end_ns - f->window_ns;
	for (int d = 0; d < JOB_DIRS; d++)
		any |= f->window[d].ios > 0;
	/*
	 * The last window is shorter; a rate over a few ms would say nothing.
	 */
	if (f->window_ns && any && at_ns > begun_ns &&
	    (!begun_ns || at_ns - begun_ns >= f->window_ns / 2))
		iolog_put_window(f, at_ns, at_ns - begun_ns);
	if (f->out[IOLOG_HIST])
		put_hist(f, at_ns);
}

void iolog_file_free(struct iolog_file *f)
{
	for (int d = 0; d < JOB_DIRS; d++)
		free(f->hist[d]);
	memset(f, 0, sizeof(*f));
}

/* Close and free all, and write nothing: another process does that. */
static void iolog_outs_drop(struct iolog_outs *outs)
{
	for (size_t i = 0; i < outs->n; i++) {
		close(outs->item[i]->fd);
		free(outs->item[i]->path);
		free(outs->item[i]);
	}
	free(outs->item);
	memset(outs, 0, sizeof(*outs));
}

int iolog_outs_close(struct iolog_outs *outs)
{
	int rc = 0;

	for (size_t i = 0; i < outs->n; i++) {
		char *path = xstrdup(outs->item[i]->path);
		int err = iolog_out_close(outs->item[i]);

		if (err && rc == 0)
			rc = fail(-err,
				  "the log %s is not complete: %s; later "
				  "lines are missing",
				  path, strerror(-err));
		free(path);
	}
	free(outs->item);
	memset(outs, 0, sizeof(*outs));
	return rc;
}

/* --- the rings --- */

/*
 * Powers of two: 3 MiB for all rings together, some ten ms at a million I/Os
 * per second, but never less than what ten thousand per clone need.
 */
#define ROWS_OF_ALL 65536
#define ROWS_LEAST  1024
#define PAUSE_NS    5000000
/* How often the files are flushed, so that another program sees the rows. */
#define PAUSES_PER_FLUSH 100

/* The worker writes head, the thread tail; both only grow. */
struct ring {
	_Alignas(CACHE_LINE) _Atomic uint64_t head;
	_Alignas(CACHE_LINE) _Atomic uint64_t tail;
	struct iolog_row row[];
};

/* In memory shared with the worker, which owns all but the ring. */
struct iolog {
	uint64_t head, tail; /* the positions that the worker read last */
	uint64_t rows;       /* of the ring */
	struct ring *ring;
	size_t bytes;
	/* Rows go here, and are counted, while the disk does not answer. */
	bool full;
	uint64_t lost;
	struct iolog_row spill;
	uint32_t took_ns[]; /* of the submission, by slot */
};

struct iologs {
	struct iolog **log;
	struct worker **worker;
	struct iolog_file *file;
	struct iolog_outs outs;
	unsigned n;
	uint64_t rows;
	pid_t parent, pid; /* this process; the one that writes, 0: none */
	struct iologs_shared *shared;
};

struct iologs_shared {
	atomic_bool over;	 /* all workers have ended */
	_Atomic uint64_t passes; /* grows while the disk answers the process */
	atomic_bool done;	 /* all rows are written; the result follows */
	int rc;
	char words[400];
};

static struct iolog_row *no_room(struct iolog *log)
{
	log->full = true;
	log->lost++;
	return &log->spill;
}

/* Make room for one more row; waits for the process that writes the files. */
static struct iolog_row *iolog_room(struct worker *w)
{
	struct iolog *log = w->log;
	struct ring *r = log->ring;
	uint64_t since_ns = 0;

	while (log->head - log->tail == log->rows) {
		log->tail =
			atomic_load_explicit(&r->tail, memory_order_acquire);
		if (log->head - log->tail < log->rows)
			break;
		if (!since_ns)
			since_ns = clock_mono_ns();
		if (log->full || clock_mono_ns() - since_ns > HANG_NS)
			return no_room(log);
		worker_note(w,
			    "job %s waits until its logs are written; "
			    "log_avg_msec makes them shorter",
			    w->job->name);
		atomic_store_explicit(&r->head, log->head,
				      memory_order_release);
		clock_pause_ns(50000);
	}
	log->full = false;
	return &r->row[log->head++ & (log->rows - 1)];
}

/* Log first: the inner completion recycles the I/Os. */
static void complete_logged(struct worker *w, unsigned n)
{
	struct iolog *log = w->log;

	for (unsigned i = 0; i < n && w->count == &w->run; i++) {
		const struct io *io = w->done[i];
		uint64_t from_ns = w->rate.rated && io->due_ns ? io->due_ns
							       : io->submit_ns;

		if (io->op >= JOB_DIRS || io->result != (ssize_t)io->bytes)
			continue;
		*iolog_room(w) = (struct iolog_row){
			.end_ns = w->now_ns,
			.clat_ns = w->now_ns - io->submit_ns -
				   log->took_ns[io->slot],
			.lat_ns = w->now_ns > from_ns ? w->now_ns - from_ns : 0,
			.offset = io->offset + io->bytes - io->whole,
			.bytes = (uint32_t)io->whole,
			.slat_ns = log->took_ns[io->slot],
			.op = io->op,
			.prio = io->prio,
		};
	}
	atomic_store_explicit(&log->ring->head, log->head,
			      memory_order_release);
	filter_complete(w, FILTER_IOLOG, n);
}

void iolog_submitted(struct worker *w, uint64_t ns, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		w->log->took_ns[w->pending[i]->slot] =
			ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

static bool iolog_wanted(const struct worker *w)
{
	return w->log != NULL;
}

const struct filter iolog_filter = {
	.name = "iolog",
	.wanted = iolog_wanted,
	.complete = complete_logged,
};

static void iolog_drain(struct iologs *l, unsigned i)
{
	struct iolog_file *f = &l->file[i];
	struct ring *r = l->log[i]->ring;
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);

	if (head != tail && !f->start_ns)
		iolog_file_begin(f, counter_get(&l->worker[i]->run_start_ns));
	for (; tail != head; tail++) {
		iolog_file_row(f, &r->row[tail & (l->rows - 1)]);
		if (tail % 256 == 0)
			atomic_store_explicit(&r->tail, tail,
					      memory_order_release);
	}
	atomic_store_explicit(&r->tail, tail, memory_order_release);
	atomic_fetch_add(&l->shared->passes, 1);
}

static bool asks(const struct job *job)
{
	return job->bw_log || job->iops_log || job->lat_log || job->hist_log;
}

static size_t ring_bytes(uint64_t rows)
{
	return sizeof(struct ring) + rows * sizeof(struct iolog_row);
}

static void add_log(struct iologs *l, struct worker *k)
{
	/* Room for every depth that a running job can get. */
	size_t depth =
		k->depth > WORKER_MAX_DEPTH ? k->depth : WORKER_MAX_DEPTH;
	size_t bytes = sizeof(struct iolog) + depth * sizeof(uint32_t);
	struct iolog *log = xshared(bytes);

	log->bytes = bytes;
	log->rows = l->rows;
	log->ring = xshared(ring_bytes(l->rows));
	l->log[l->n] = k->log = log;
	l->worker[l->n++] = k;
}

static int open_clones(struct iologs *l, const struct clones *c,
		       unsigned before)
{
	int rc = 0;

	for (unsigned j = 0; j < c->n && rc == 0; j++) {
		struct iolog_file *f = &l->file[l->n];

		add_log(l, c->worker[j]);
		rc = iolog_file_open(f, &l->outs, c->job, before + j + 1);
		f->slat = c->engine->async && !c->engine->merged;
	}
	return rc;
}

int iologs_open(struct iologs **out, struct workload *w)
{
	unsigned clones = 0, before = 0;
	struct iologs *l;
	int rc = 0;

	*out = NULL;
	for (size_t i = 0; i < w->n; i++)
		clones += asks(w->clones[i].job) ? w->clones[i].n : 0;
	if (!clones)
		return 0;
	l = *out = xcalloc(1, sizeof(*l));
	l->shared = xshared(sizeof(*l->shared));
	l->log = xcalloc(clones, sizeof(struct iolog *));
	l->worker = xcalloc(clones, sizeof(struct worker *));
	l->file = xcalloc(clones, sizeof(*l->file));
	l->rows = ROWS_OF_ALL;
	while (l->rows > ROWS_LEAST && l->rows * clones > ROWS_OF_ALL)
		l->rows /= 2;
	for (size_t i = 0; i < w->n && rc == 0; i++) {
		if (asks(w->clones[i].job))
			rc = open_clones(l, &w->clones[i], before);
		before += w->clones[i].n;
	}
	return rc;
}

/* A run in which nothing completed still has windows. */
static void end_file(struct iolog_file *f, const struct worker *k)
{
	uint64_t start_ns = counter_get(&k->run_start_ns);
	uint64_t end_ns = counter_get(&k->run_end_at_ns);

	if (!f->start_ns && start_ns)
		iolog_file_begin(f, start_ns);
	if (f->start_ns)
		iolog_file_end(f, end_ns ? end_ns : clock_mono_ns());
}

/* Write the last rows and the ends of the files. */
static int end_files(struct iologs *l)
{
	for (unsigned i = 0; i < l->n; i++)
		end_file(&l->file[i], l->worker[i]);
	return iolog_outs_close(&l->outs);
}

/* If the parent was killed, write the rows that have arrived. */
static void write_logs(int socket, void *arg)
{
	struct iologs *l = arg;
	struct iologs_shared *s = l->shared;
	unsigned pauses = 0;
	bool over;

	for (;;) {
		over = atomic_load_explicit(&s->over, memory_order_acquire) ||
		       getppid() != l->parent;
		for (unsigned i = 0; i < l->n; i++)
			iolog_drain(l, i);
		if (over)
			break;
		if (++pauses % PAUSES_PER_FLUSH == 0)
			for (size_t i = 0; i < l->outs.n; i++)
				iolog_out_flush(l->outs.item[i]);
		clock_pause_ns(PAUSE_NS);
	}
	s->rc = end_files(l);
	if (s->rc)
		text_set(s->words, fail_sentence());
	atomic_store_explicit(&s->done, true, memory_order_release);
}

int iologs_start(struct iologs *l)
{
	int *keep = xcalloc(l->outs.n, sizeof(*keep));
	struct role_start start = { .role = ROLE_IO_LOGS,
				    .n = l->outs.n,
				    .serve = write_logs,
				    .arg = l };
	pid_t pid;

	for (size_t i = 0; i < l->outs.n; i++)
		keep[i] = l->outs.item[i]->fd;
	l->parent = getpid();
	/* If this process is killed, the other one writes all rows, then ends. */
	start.keep = keep;
	pid = role_start(&start, NULL);
	free(keep);
	if (pid < 0)
		return pid;
	l->pid = pid;
	return 0;
}

/* Wait for the process as long as it makes progress. */
static int iolog_join(struct iologs *l)
{
	struct iologs_shared *s = l->shared;
	uint64_t last = UINT64_MAX, since_ns = 0;

	while (waitpid(l->pid, NULL, WNOHANG) == 0) {
		uint64_t passes = atomic_load(&s->passes);

		if (passes != last) {
			last = passes;
			since_ns = clock_mono_ns();
		} else if (clock_mono_ns() - since_ns > HANG_NS) {
			return fail(ETIMEDOUT,
				    "the kernel does not answer a write to the "
				    "logs of I/Os; process %d goes on when it "
				    "does",
				    (int)l->pid);
		}
		clock_pause_ns(1000000);
	}
	if (!atomic_load_explicit(&s->done, memory_order_acquire))
		return fail(ECHILD, "the process that writes the logs of I/Os "
				    "was killed; later lines are missing");
	return s->rc ? fail(-s->rc, "%s", s->words) : 0;
}

static int count_lost(const struct iologs *l)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < l->n; i++)
		lost += l->log[i]->lost;
	if (!lost)
		return 0;
	return fail(EIO, "the logs of I/Os lack %llu I/Os: their disk did not "
			 "answer",
		    (unsigned long long)lost);
}

int iologs_end(struct iologs *l)
{
	int rc;

	if (!l)
		return 0;
	/* The run has not begun. */
	if (!l->pid)
		return end_files(l);
	atomic_store_explicit(&l->shared->over, true, memory_order_release);
	rc = iolog_join(l);
	l->pid = 0;
	iolog_outs_drop(&l->outs);
	return rc ? rc : count_lost(l);
}

void iologs_free(struct iologs *l)
{
	int rc;

	if (!l)
		return;
	/* iologs_end() has already tried to write what is left in the rings. */
	rc = iolog_outs_close(&l->outs);
	(void)rc;
	for (unsigned i = 0; i < l->n; i++) {
		struct iolog *log = l->log[i];

		l->worker[i]->log = NULL;
		iolog_file_free(&l->file[i]);
		xshared_free(log->ring, ring_bytes(l->rows));
		xshared_free(log, log->bytes);
	}
	free(l->log);
	free(l->worker);
	free(l->file);
	xshared_free(l->shared, sizeof(*l->shared));
	free(l);
}
