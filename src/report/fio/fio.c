/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio: the results as fio reports them, for its output formats: entries of
 * jobs, percentiles and ranges of latency, disks under the jobs.
 */
#include "report/fio/fio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"

/*
 * The fio version of this format, and the program that wrote it: builds of fio
 * have such suffixes, too, so readers accept them.
 */
#define FIO_VERSION "fio-3.33-"

static struct fio_latency latency_of(const struct latency_sum *l)
{
	struct fio_latency out = { 0 };

	if (!l->hist)
		return out;
	out.sum = l;
	out.n = latency_count(l);
	out.min = fio_or_0(isfinite(l->min_ns) ? l->min_ns
					       : histogram_min(l->hist));
	out.max = fio_or_0(isfinite(l->max_ns) ? l->max_ns
					       : histogram_max(l->hist));
	out.mean =
		fmin(fmax(fio_or_0(histogram_mean(l->hist)), out.min), out.max);
	out.stddev = fio_or_0(latency_stddev(l));
	return out;
}

/* Put the mean into a series, which has only whole intervals. */
static struct rate_series around(const struct rate_series *s, double mean)
{
	struct rate_series out = *s;
	double dev = rate_series_stddev(s);

	out.min = s->n > 0 ? fmin(s->min, mean) : mean;
	out.max = s->n > 0 ? fmax(s->max, mean) : mean;
	out.mean = mean;
	out.squares = isfinite(dev) ? s->squares : 0;
	return out;
}

/* Part the I/Os by their priority. */
static void set_prios(struct fio_dir *d, const struct op_sum *op,
		      const struct job *job, unsigned dir)
{
	const struct latency_sum *all = d->clat.sum;
	struct fio_prio *without = &d->prio[0], *with = &d->prio[1];

	if (!all || !op->prio.hist ||
	    !job_cmdprio_one(job, dir, &with->class, &with->level))
		return;
	d->without = op->prio;
	d->without.packed = NULL;
	d->without.hist = xcalloc(1, sizeof(*d->without.hist));
	/* Of a log that was cut short the two may be of different instants. */
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t n = all->hist->bucket[i], m = op->prio.hist->bucket[i];

		d->without.hist->bucket[i] = n > m ? n - m : 0;
	}
	with->class += !with->class; /* 0 means real time */
	with->clat = latency_of(&op->prio);
	without->class = job->ioprio_class;
	without->level = job->ioprio;
	without->clat = latency_of(&d->without);
}

static void set_dir(struct fio_dir *d, const struct op_sum *op,
		    const char *name, double seconds, double iops,
		    double bytes_per_s)
{
	d->name = name;
	d->slat = latency_of(&op->submit);
	/* Without a time of submission, slat is 0. */
	d->clat = latency_of(op->complete.hist ? &op->complete : &op->service);
	d->lat = latency_of(op->response.hist ? &op->response : &op->service);
	if (!(op->ios > 0))
		return;
	d->ios = op->ios;
	d->bytes = op->bytes;
	d->short_ios = op->short_ios;
	d->iops = fio_or_0(iops);
	/*
	 * Older logs lack the duration of a job. Readers divide by it, so it is
	 * never 0.
	 */
	d->runtime_ms =
		fmax(1, round(1000 * (seconds > 0
					      ? seconds
					      : fio_or_0(op->ios / iops))));
	d->bytes_per_s = fio_or_0(bytes_per_s);
	d->iops_series = around(&op->iops, d->iops);
	d->bytes_series = around(&op->bytes_per_s, d->bytes_per_s);
}

/* unified_rw_reporting: one direction for all. */
static void set_mixed(struct fio_entry *e, struct fio_dir *d)
{
	double seconds = e->row.job.seconds;

	for (int o = 0; o < JOB_DIRS; o++) {
		op_sum_merge(&e->mixed, &e->row.op[o]);
		rate_series_add(&e->mixed.iops, &e->row.op[o].iops);
		rate_series_add(&e->mixed.bytes_per_s,
				&e->row.op[o].bytes_per_s);
	}
	set_dir(d, &e->mixed, "mixed", seconds, e->mixed.ios / seconds,
		e->mixed.bytes / seconds);
}

/*
 * Reads of verify are reads for fio, and the time of reading back is time of
 * reads; the time of the run is if it had reads. Returns that time.
 */
static double fio_take_verify(struct fio_entry *e)
{
	const struct op_sum *verify = &e->row.op[WINDOW_VERIFY];
	struct op_sum *read = &e->row.op[WINDOW_READ];
	const struct job_sum *job = &e->row.job;
	double seconds = job->last.verify_s;

	if (!(verify->ios > 0))
		return job->seconds;
	if (read->ios > 0 || job->verify_in_run || !(seconds > 0))
		seconds += job->seconds;
	op_sum_merge(read, verify);
	return seconds;
}

/*
 * The operation that fio reports as this direction: the calls of its engines of
 * files (filecreate, ...) are reads. Here these move no data.
 */
static int fio_op_of(const struct fio_entry *e, int dir)
{
	const char *engine = e->job->engine;

	if (dir != JOB_READ ||
	    (strncmp(engine, "file", 4) != 0 && strncmp(engine, "dir", 3) != 0))
		return dir;
	for (int o = JOB_CREATE; o < JOB_OPS; o++)
		if (e->row.op[o].ios > 0)
			return o;
	return dir;
}

static void set_dirs(struct fio_entry *e)
{
	const bool verified = e->row.op[WINDOW_VERIFY].ios > 0;
	double read_s = fio_take_verify(e);

	if (e->job->unified != UNIFIED_MIXED) {
		e->n_dirs = JOB_DIRS;
		for (int o = 0; o < JOB_DIRS; o++) {
			const int of = fio_op_of(e, o);
			const struct op_sum *op = &e->row.op[of];
			const bool by_time = verified && o == WINDOW_READ &&
					     read_s > 0;

			set_dir(&e->dir[o], op, window_op_name(SCHEMA_JOB, o),
				by_time ? read_s : e->row.job.seconds,
				by_time ? op->ios / read_s
					: window_iops(&e->row, of),
				by_time ? op->bytes / read_s
					: window_bytes_per_s(&e->row, of));
			set_prios(&e->dir[o], op, e->job, (unsigned)o);
		}
	}
	if (e->job->unified != UNIFIED_NONE)
		set_mixed(e, &e->dir[e->n_dirs++]);
}

unsigned fio_percentile_list(const struct job *job,
			     double pct[FIO_PERCENTILES])
{
	static const double usual[] = { 1,  5,    10,   20,    30,   40,
					50, 60,   70,   80,    90,   95,
					99, 99.5, 99.9, 99.95, 99.99 };
	const char *p = job->percentile_list;
	unsigned n = 0;

	for (size_t i = 0; !p && i < ARRAY_SIZE(usual); i++)
		pct[n++] = usual[i];
	while (p && *p && n < FIO_PERCENTILES) {
		char *end;
		double v = strtod(p, &end);

		if (end == p)
			break;
		if (v >= 0 && v <= 100)
			pct[n++] = v;
		p = end + (*end == ':' || *end == ',');
	}
	return n;
}

static struct fio_entry *new_entry(struct fio *f, const struct job *job,
				   const char *name, unsigned group)
{
	struct fio_entry *e = &f->entry[f->n++];

	e->job = job;
	e->name = name;
	e->group = group;
	window_row_init(&e->row, SCHEMA_JOB, name);
	op_sum_init(&e->mixed);
	return e;
}

static void fio_add_row(struct fio_entry *e, const struct window_row *row,
			unsigned clones)
{
	bool first = e->clones == 0;

	e->clones += clones;
	if (!row)
		return;
	window_row_merge(&e->row, row);
	/* In a group, take that of the first job that waits for one. */
	if (!*e->row.job.steady)
		window_job_steady(&e->row.job, &row->job);
	for (int o = 0; o < WINDOW_OPS; o++) {
		struct op_sum *to = &e->row.op[o];
		const struct op_sum *from = &row->op[o];

		if (first) {
			to->iops = from->iops;
			to->bytes_per_s = from->bytes_per_s;
		} else {
			rate_series_add(&to->iops, &from->iops);
			rate_series_add(&to->bytes_per_s, &from->bytes_per_s);
		}
	}
}

/* A clone did not fail because another one did. */
static void take_from_job(struct fio_entry *e, const struct window_row *job)
{
	if (!job)
		return;
	window_job_steady(&e->row.job, &job->job);
	e->row.job.failed = job->job.failed &&
			    (e->row.errors > 0 || !(job->errors > 0));
}

/* Whether no job before it in the header has its id; a log is untrusted. */
static bool is_first(const struct header *h, const struct job *job)
{
	for (const struct job *k = h->job; k < job; k++)
		if (!strcmp(job_id(k), job_id(job)))
			return false;
	return true;
}

/*
 * Add an entry for each clone; false: the log has no clones. A clone's row
 * belongs to one job, so there are at most as many entries as rows.
 */
static bool fio_add_clones(struct fio *f, const struct job *job, unsigned group)
{
	bool any = false;

	if (job->group_reporting || !f->report->clones.n ||
	    strlen(job_id(job)) > JOB_CLONE_NAME_MAX ||
	    !is_first(f->header, job))
		return false;
	for (unsigned i = 0; i < job->numjobs; i++) {
		const struct window_row *row;
		struct fio_entry *e;
		char id[ROW_ID_MAX];

		JOB_CLONE_ID(id, job_id(job), i);
		row = window_find(&f->report->clones, SCHEMA_JOB, id);
		if (!row)
			continue;
		e = new_entry(f, job, job->name, group);
		fio_add_row(e, row, 1);
		take_from_job(e, window_find(f->report->total, SCHEMA_JOB,
					     job_id(job)));
		any = true;
	}
	return any;
}

/* Add the jobs of the header, in its order. */
static void fio_add_known(struct fio *f)
{
	const struct header *h = f->header;
	unsigned group = 0;

	for (size_t i = 0; h && i < h->n_jobs; i++) {
		const struct job *job = &h->job[i];
		struct fio_entry *e = f->n ? &f->entry[f->n - 1] : NULL;

		if (i && (job->stonewall || job->new_group))
			group++;
		if (fio_add_clones(f, job, group))
			continue;
		if (!e || !job->group_reporting || e->group != group)
			e = new_entry(f, job, job->name, group);
		fio_add_row(
			e,
			window_find(f->report->total, SCHEMA_JOB, job_id(job)),
			job->numjobs ? job->numjobs : 1);
	}
	f->n_groups = f->n ? group + 1 : 0;
}

static bool is_known(const struct fio *f, const char *name)
{
	for (size_t i = 0; f->header && i < f->header->n_jobs; i++)
		if (!strcmp(job_id(&f->header->job[i]), name))
			return true;
	return false;
}

/* Add the rows of jobs that the header of the log lacks. */
static void add_unknown(struct fio *f)
{
	const struct window *w = f->report->total;

	for (size_t i = 0; i < w->n; i++) {
		const struct window_row *row = &w->row[i];

		if (row->schema != SCHEMA_JOB || is_known(f, row->id))
			continue;
		fio_add_row(new_entry(f, &f->defaults, row->id, 0), row, 1);
		if (!f->n_groups)
			f->n_groups = 1;
	}
}

/* Set each entry's share of the bytes of its group. */
static void set_shares(struct fio *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct fio_entry *e = &f->entry[i];

		for (unsigned d = 0; d < e->n_dirs; d++) {
			double sum = 0;

			for (size_t k = 0; k < f->n; k++)
				if (f->entry[k].group == e->group)
					sum += f->entry[k].dir[d].bytes_per_s;
			if (sum > 0)
				e->dir[d].agg_pct =
					100 * e->dir[d].bytes_per_s / sum;
		}
	}
}

static void set_version(struct fio *f)
{
	const char *program = f->header && *f->header->program
				      ? f->header->program
				      : "iodyno";
	size_t n;

	text_copy(f->version, sizeof(f->version), FIO_VERSION);
	n = strlen(f->version);
	text_copy(f->version + n, sizeof(f->version) - n, program);
	for (char *p = f->version; *p; p++)
		if (*p == ' ' || *p == ';')
			*p = '-';
}

void fio_init(struct fio *f, struct report *r, const struct header *h)
{
	memset(f, 0, sizeof(*f));
	f->report = r;
	f->header = h;
	job_init(&f->defaults);
	window_unpack(r->total);
	window_unpack(&r->clones);
	f->entry = xcalloc((h ? h->n_jobs : 0) + r->total->n + r->clones.n + 1,
			   sizeof(*f->entry));
	set_version(f);
	if (h && h->wall_ns)
		f->end_wall_ns = h->wall_ns + clock_span_ns(r->total->to_s);
	fio_add_known(f);
	add_unknown(f);
	for (size_t i = 0; i < f->n; i++) {
		struct fio_entry *e = &f->entry[i];
		int code = window_job_errno(&e->row.job);

		/* Leave out calls that end when the next I/O arrives: fio
		 * sleeps instead. */
		e->row.job.counts.reaps[0] = 0;
		set_dirs(e);
		e->n_pct = fio_percentile_list(e->job, e->pct);
		e->sync = latency_of(&e->row.op[WINDOW_SYNC].service);
		if (e->row.job.failed)
			e->error = code ? code : EIO;
		else if (!e->row.frames && r->error)
			e->error = r->error;
	}
	set_shares(f);
}

void fio_free(struct fio *f)
{
	for (size_t i = 0; i < f->n; i++) {
		window_row_free(&f->entry[i].row);
		op_sum_free(&f->entry[i].mixed);
		for (unsigned d = 0; d < f->entry[i].n_dirs; d++)
			free(f->entry[i].dir[d].without.hist);
	}
	free(f->entry);
	job_free(&f->defaults);
}

/* A field's sum over time: for a rate a count, for a share per cent times s. */
static double over_time(const struct window_row *row, const char *key)
{
	int i = schema_field(SCHEMA_DEVICE, key);

	return i < 0 || !(row->mean[i].weight > 0) ? 0 : row->mean[i].sum;
}

static void fio_fill(struct fio_disk *d, const struct window_row *row)
{
	const struct op_sum *op = row->op;

	*d = (struct fio_disk){
		.read_ios = op[WINDOW_READ].ios,
		.write_ios = op[WINDOW_WRITE].ios,
		.read_sectors = op[WINDOW_READ].bytes / 512,
		.write_sectors = op[WINDOW_WRITE].bytes / 512,
		.read_merges = over_time(row, "read_merges_per_s"),
		.write_merges = over_time(row, "write_merges_per_s"),
		/* Weighted by I/Os, so that the sum is the time of all. */
		.read_ticks = over_time(row, "read_await_ns") / 1e6,
		.write_ticks = over_time(row, "write_await_ns") / 1e6,
		.in_queue = over_time(row, "queue_size") * 1000,
		.util = fmin(fio_or_0(window_mean(row, "util_pct")), 100),
	};
}

/* The i-th different disk of all entries. */
bool fio_disk_at(const struct fio *f, size_t i, char *name, size_t size,
		 struct fio_disk *out)
{
	struct job_sum all;
	const struct window_row *row;
	const char *p;

	window_job_init(&all);
	for (size_t k = 0; k < f->n; k++)
		window_job_merge(&all, &f->entry[k].row.job);
	for (p = all.device; *p && i; i--) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	snprintf(name, size, "%.*s", (int)strcspn(p, " "), p);
	window_job_free(&all);
	if (!*name)
		return false;
	row = window_find(&f->report->load, SCHEMA_DEVICE, name);
	memset(out, 0, sizeof(*out));
	if (row)
		fio_fill(out, row);
	return true;
}

static const struct device_info *info_of(const struct fio *f, const char *name)
{
	for (size_t i = 0; f->header && i < f->header->n_devices; i++)
		if (!strcmp(f->header->device[i].id, name))
			return &f->header->device[i];
	return NULL;
}

static void fio_add_disk(struct fio_disk *to, const struct fio_disk *d)
{
	to->read_ios += d->read_ios;
	to->write_ios += d->write_ios;
	to->read_sectors += d->read_sectors;
	to->write_sectors += d->write_sectors;
	to->read_merges += d->read_merges;
	to->write_merges += d->write_merges;
	to->read_ticks += d->read_ticks;
	to->write_ticks += d->write_ticks;
	to->in_queue += d->in_queue;
	to->util = fmax(to->util, d->util);
}

bool fio_disk_below(const struct fio *f, const char *name, unsigned *n,
		    struct fio_disk *out)
{
	const struct device_info *info = info_of(f, name);
	const char *members;
	char member[32];

	*n = 0;
	memset(out, 0, sizeof(*out));
	members = info ? info->members : NULL;
	while (text_next_word(&members, member, sizeof(member))) {
		const struct window_row *row = window_find(
			&f->report->load, SCHEMA_DEVICE, member);
		struct fio_disk d;

		if (!row)
			continue;
		fio_fill(&d, row);
		fio_add_disk(out, &d);
		++*n;
	}
	return *n > 0;
}

double fio_percentile(const struct fio_latency *l, double pct)
{
	return l->sum ? fmin(fmax(latency_percentile(l->sum, pct), l->min),
			     l->max)
		      : 0;
}

bool fio_percentile_sure(const struct fio_latency *l, double pct)
{
	return latency_sure(l->n, pct);
}

const char *const fio_range_names[FIO_MS_RANGES] = { "2",    "4",    "10",
						     "20",   "50",   "100",
						     "250",  "500",  "750",
						     "1000", "2000", ">=2000" };

/* The range of a value in its unit; n of them. */
static unsigned range_of(double v, unsigned n)
{
	static const double below[] = { 2,   4,   10,  20,   50,  100,
					250, 500, 750, 1000, 2000 };
	unsigned i = 0;

	while (i + 1 < n && v >= below[i])
		i++;
	return i;
}

static void count_ns(struct fio_ranges *r, double ns, double n)
{
	if (ns < 1e3)
		r->ns[range_of(ns, FIO_NS_RANGES)] += n;
	else if (ns < 1e6)
		r->us[range_of(ns / 1e3, FIO_NS_RANGES)] += n;
	else
		r->ms[range_of(ns / 1e6, FIO_MS_RANGES)] += n;
}

void fio_ranges(const struct fio_entry *e, struct fio_ranges *out)
{
	double total = 0;

	memset(out, 0, sizeof(*out));
	for (unsigned d = 0; d < e->n_dirs; d++) {
		const struct latency_sum *l = e->dir[d].lat.sum;

		for (unsigned i = 0; l && i < HISTOGRAM_BUCKETS; i++)
			if (l->hist->bucket[i])
				count_ns(out, (double)histogram_low(i),
					 (double)l->hist->bucket[i]);
		total += e->dir[d].lat.n;
	}
	fio_shares(out->ns, FIO_NS_RANGES, total, out->ns);
	fio_shares(out->us, FIO_NS_RANGES, total, out->us);
	fio_shares(out->ms, FIO_MS_RANGES, total, out->ms);
}

void fio_shares(const double *count, unsigned n, double total, double *pct)
{
	double sum = total;

	for (unsigned i = 0; i < n && !(total > 0); i++)
		sum += count[i];
	for (unsigned i = 0; i < n; i++)
		pct[i] = sum > 0 ? 100 * count[i] / sum : 0;
}
