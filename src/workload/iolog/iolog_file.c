/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * I/O log files: lines of fio's logs.
 */
#include "workload/iolog/iolog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/kernel.h"
#include "base/side_file.h"
#include "base/units.h"

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
		return fail(-rc, "job %s: %s%s", job->name, fail_sentence(),
			    rc == -EMFILE ? "; lower numjobs, or share logs "
					    "with per_job_logs=0"
					  : "");
	outs->item =
		xgrow(outs->item, &outs->cap, outs->n + 1, sizeof(*outs->item));
	outs->item[outs->n++] = *out;
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
	struct timespec ts;
	int rc = 0;

	memset(f, 0, sizeof(*f));
	f->job = job;
	f->window_ns = job->log_avg_ns;
	f->hist_ns = job->log_hist_ns ? job->log_hist_ns : HIST_NS;
	set_prio(f);
	if (clock_gettime((clockid_t)job->log_epoch_clock, &ts))
		return fail(EINVAL,
			    "job %s: log_alternate_epoch_clock_id=%u is not a "
			    "clock of this kernel; see clock_gettime(2)",
			    job->name, job->log_epoch_clock);
	for (int i = 0; i < IOLOG_KINDS && rc == 0; i++)
		rc = open_kind(f, outs, i, n);
	for (int d = 0; d < JOB_DIRS && job->hist_log; d++)
		f->hist[d] = xcalloc(FIO_BUCKETS, sizeof(*f->hist[d]));
	return rc;
}

void iolog_file_begin(struct iolog_file *f, uint64_t start_ns)
{
	struct timespec ts = { 0 };

	f->start_ns = start_ns;
	if (f->job->log_unix_epoch) {
		clock_gettime((clockid_t)f->job->log_epoch_clock, &ts);
		f->epoch_ns = (uint64_t)ts.tv_sec * NS_PER_S +
			      (uint64_t)ts.tv_nsec -
			      (clock_mono_ns() - start_ns);
	}
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

static void put_line(const struct iolog_file *f, int kind,
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
	if (job->log_issue_time)
		put_next(out, f->epoch_ns + at->issue_ns);
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

	put_line(f, IOLOG_BW, &at, bw, bw);
	put_line(f, IOLOG_IOPS, &at, 1, 1);
	if (f->slat)
		put_line(f, IOLOG_SLAT, &at, r->slat_ns, r->slat_ns);
	put_line(f, IOLOG_CLAT, &at, r->clat_ns, r->clat_ns);
	put_line(f, IOLOG_LAT, &at, r->lat_ns, r->lat_ns);
}

static void put_rate(const struct iolog_file *f, int kind,
		     const struct where *at, double per_s)
{
	uint64_t v = (uint64_t)units_whole(per_s + 0.5, 0, INT64_MAX);

	put_line(f, kind, at, v, v);
}

static void put_window(struct iolog_file *f, uint64_t at_ns, uint64_t length_ns)
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
				put_line(
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

static void add_value(struct iolog_value *v, uint64_t ns)
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
		put_window(f, f->window_end_ns, f->window_ns);
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
		add_value(&w->lat[IOLOG_SLAT], r->slat_ns);
	add_value(&w->lat[IOLOG_CLAT], r->clat_ns);
	add_value(&w->lat[IOLOG_LAT], r->lat_ns);
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
		put_window(f, at_ns, at_ns - begun_ns);
	if (f->out[IOLOG_HIST])
		put_hist(f, at_ns);
}

void iolog_file_free(struct iolog_file *f)
{
	for (int d = 0; d < JOB_DIRS; d++)
		free(f->hist[d]);
	memset(f, 0, sizeof(*f));
}

void iolog_outs_flush(struct iolog_outs *outs)
{
	for (size_t i = 0; i < outs->n; i++)
		iolog_out_flush(outs->item[i]);
}

void iolog_outs_drop(struct iolog_outs *outs)
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

int iolog_out_open(struct iolog_out **out, const char *path)
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

void iolog_out_flush(struct iolog_out *o)
{
	size_t done = 0;

	while (done < o->n && !o->err) {
		ssize_t n = write(o->fd, o->buf + done, o->n - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			o->err = errno;
	}
	o->n = 0;
}

int iolog_out_close(struct iolog_out *o)
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

void iolog_out_number(struct iolog_out *o, uint64_t v)
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
