/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks table: a row for each check, and its judge. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "base/units.h"
#include "block/simulated.h"
#include "report/checks.h"

/* Checks need at least this many frames, bytes or requests. */
#define LEAST_FRAMES 3
#define LEAST_BYTES  (1 << 20)
#define LEAST_IOS    100
/* The ratio of the disk's bytes to the jobs' that is too far from 1: if the
 * bytes that should reach the disk are known, and if they are not. */
#define CLOSE 1.1
#define FAR   1.5

#define BYTES(v) units_bytes(v).text
#define COUNT(v) units_count(v).text
#define TIME(v)  units_ns(v).text

/* --- sums --- */

static bool is_enough(const struct check_case *c)
{
	return c->facts->frames >= LEAST_FRAMES;
}

bool checks_lack(const struct check_case *c, unsigned needs)
{
	const struct checks *f = c->facts;

	if (!f->n_jobs)
		return true;
	if (needs & CHECK_NEEDS_DISK && !f->disks.text)
		checks_say(c, CHECK_UNKNOWN,
			   "the disk under the jobs is not visible here");
	else if (needs & CHECK_NEEDS_DISK && f->cut)
		checks_say(
			c, CHECK_UNKNOWN,
			"the jobs have more disks than a row of the log names");
	else if (needs & CHECK_NEEDS_FRAMES && !is_enough(c))
		checks_say(c, CHECK_UNKNOWN,
			   "the run was too short: jobs ran in %u whole "
			   "interval%s, and %d are needed",
			   f->frames, f->frames == 1 ? "" : "s", LEAST_FRAMES);
	else if (needs & CHECK_NEEDS_TASKS && !f->has_tasks)
		checks_say(c, CHECK_UNKNOWN, "the log has no processes");
	else
		return false;
	return true;
}

bool checks_do(const struct check_case *c, int op)
{
	for (size_t i = 0; i < c->n_jobs; i++) {
		const struct job *job = &c->job[i];

		if (*job->kind && strcmp(job->kind, "io") != 0)
			continue;
		if (strcmp(job->engine, "null") != 0 &&
		    (op == CHECK_WRITE ? job_writes(job) : job_reads(job)))
			return true;
	}
	return false;
}

static double checks_table_device_bytes(const struct checks *c, int op)
{
	double sum = 0;

	for (size_t i = 0; i < c->n_devices; i++)
		if (c->device[i].under_job)
			sum += c->device[i].bytes[op];
	return sum;
}

static double checks_table_job_bytes(const struct checks *c, int op)
{
	double sum = 0;

	for (size_t i = 0; i < c->n_jobs; i++)
		sum += c->job[i].bytes[op];
	return sum;
}

static double all_bytes(const struct checks *c)
{
	return checks_table_job_bytes(c, CHECK_READ) +
	       checks_table_job_bytes(c, CHECK_WRITE);
}

/* seen: the devices that were looked at; the lists of a log may form circles. */
static bool is_over_jobs(const struct checks *c, const struct check_device *d,
			 bool *seen)
{
	if (d->under_job)
		return true;
	seen[d - c->device] = true;
	for (size_t i = 0; i < c->n_devices; i++) {
		const struct check_device *other = &c->device[i];

		if (d->is_group && other->under_job &&
		    checks_listed(&d->members, other->id))
			return true;
		if (!seen[i] && checks_listed(&other->members, d->id) &&
		    is_over_jobs(c, other, seen))
			return true;
	}
	return false;
}

/* Whether the command has the name of the device, or of the place where it is
 * mounted at the start of the log. */
static bool names_device(const struct check_case *c, const char *command,
			 const char *device)
{
	char key[ROW_ID_MAX + 8], place[CHECK_NAMES] = "";
	const char *mount;

	if (strstr(command, device))
		return true;
	snprintf(key, sizeof(key), "%s.mount", device);
	mount = c->header ? header_fact(c->header, key) : NULL;
	if (mount)
		text_copy(place, sizeof(place), mount);
	place[strcspn(place, " ")] = '\0';
	return strlen(place) > 1 && strstr(command, place);
}

/* Whether a job may do I/O on this device although its disk is not visible: a
 * command that says nothing of a place does none on devices of others. */
static bool may_use(const struct check_case *c, const char *device)
{
	for (size_t i = 0; i < c->n_jobs; i++) {
		const struct job *job = &c->job[i];

		if (strcmp(job->kind, "cpuio") != 0 &&
		    strcmp(job->engine, "null") != 0 &&
		    (!job->command || job->directory ||
		     names_device(c, job->command, device)))
			return true;
	}
	return !c->n_jobs;
}

/* Whether the I/O of the jobs passes this device: a disk of theirs, a part of
 * one, or a file system over one. */
static bool is_passed(const struct check_case *of, const struct check_device *d)
{
	const struct checks *c = of->facts;
	bool *seen = xcalloc(c->n_devices + 1, sizeof(*seen));
	bool over = c->disks.text ? is_over_jobs(c, d, seen)
				  : may_use(of, d->id);

	free(seen);
	return over;
}

/* Whether a job uses the page cache; false if that is not known. */
static bool is_buffered(const struct job *job)
{
	return job && !job->direct && (!*job->kind || !strcmp(job->kind, "io"));
}

static bool is_random(const struct job *job)
{
	return strstr(job_rw_name(job->rw), "rand") != NULL;
}

/*
 * Bytes that must reach the disk: all of direct I/O; through the cache each
 * block of the set once. Of b bytes drawn with repeats from a set of s these
 * are s (1 - exp(-b / s)). *sure is cleared where that is not known.
 */
static double expected_of(const struct check_case *c,
			  const struct check_job *row, int op, bool *sure)
{
	const struct job *job = checks_job(c, row);
	double b = row->bytes[op], set = row->set_bytes;

	if (!(b > 0))
		return 0;
	if (!job || (!job->direct && (!(set > 0) || job->distribution_kind))) {
		*sure = false;
		return b;
	}
	if (job->direct)
		return op == CHECK_READ && set > 0
			       ? b * (1 - fmin(row->hole_bytes / set, 1))
			       : b;
	b = is_random(job) && job_repeats(job) ? set * -expm1(-b / set)
					       : fmin(b, set);
	return op == CHECK_READ ? fmin(b, set - row->hole_bytes) : b;
}

static double checks_table_expected(const struct check_case *c, int op,
				    bool *sure)
{
	double sum = 0;

	*sure = true;
	for (size_t i = 0; i < c->facts->n_jobs; i++)
		sum += expected_of(c, &c->facts->job[i], op, sure);
	return sum;
}

/* --- F1: the cache --- */

static enum check_state far_apart(const struct check_case *c, int op,
				  const char *past, const char *const why[2])
{
	const struct checks *f = c->facts;
	bool sure, more;
	double want = checks_table_expected(c, op, &sure),
	       got = checks_table_device_bytes(f, op);
	double far = sure ? CLOSE : FAR;
	/* A block may be read or written again, with the cache or without. */
	double most = fmax(want, checks_table_job_bytes(f, op));
	char new[64] = "", disks[CHECK_SHORT];

	if (checks_do(c, op) &&
	    checks_lack(c, CHECK_NEEDS_DISK | CHECK_NEEDS_FRAMES))
		return CHECK_UNKNOWN;
	if (!is_enough(c) || checks_table_job_bytes(f, op) < LEAST_BYTES ||
	    !f->disks.text || f->cut)
		return CHECK_UNKNOWN;
	checks_names_short(&f->disks, disks);
	more = got > most;
	if (sure && want < checks_table_job_bytes(f, op) * 0.99)
		snprintf(new, sizeof(new), ", %s of it for the first time",
			 BYTES(want));
	if (got > most * far || (want > got * far && want - got >= LEAST_BYTES))
		return checks_say(
			c,
			op == CHECK_READ && got <= most * far ? CHECK_INVALID
							      : CHECK_NOTE,
			"jobs %s %s%s, %s %s%s; %s", past,
			BYTES(checks_table_job_bytes(f, op)), new, disks,
			more ? "" : "only ", BYTES(got), why[more]);
	/* One pass over the set makes no amount of repeated reads the disk's. */
	if (op == CHECK_READ && checks_table_job_bytes(f, op) > got * 2)
		return checks_say(
			c, CHECK_NOTE,
			"jobs read %s, %s %s: %.*f %% came from the page "
			"cache, most of it read again; set direct=1, or "
			"enlarge the set",
			BYTES(checks_table_job_bytes(f, op)), disks, BYTES(got),
			got < 0.01 * checks_table_job_bytes(f, op) ? 2 : 0,
			100 * (1 - got / checks_table_job_bytes(f, op)));
	return checks_say(c, CHECK_OK, "jobs %s %s, %s %s", past,
			  BYTES(checks_table_job_bytes(f, op)), disks,
			  BYTES(got));
}

static enum check_state cache_reads(const struct check_case *c)
{
	static const char *const why[] = {
		"the rest came from the page cache (set direct=1 or "
		"invalidate=1, enlarge the set, or limit the memory), or from "
		"holes and unwritten space of files",
		"readahead, the file system or another program read the rest "
		"(see foreign-io)"
	};

	return far_apart(c, CHECK_READ, "read", why);
}

static enum check_state cache_writes(const struct check_case *c)
{
	static const char *const why[] = {
		"the rest was only in the page cache (set end_fsync=1 or "
		"direct=1), or was not new to the file system or disk",
		"the file system's own writes (its journal), writeback of "
		"older data or another program's (see foreign-io) are the rest"
	};

	return far_apart(c, CHECK_WRITE, "wrote", why);
}

/* Judge reads of blocks that were never written. */
static enum check_state holes(const struct check_case *c)
{
	double hole = 0, set = 0;

	for (size_t i = 0; i < c->facts->n_jobs; i++) {
		if (!(c->facts->job[i].ios[CHECK_READ] > 0))
			continue;
		hole += c->facts->job[i].hole_bytes;
		set += c->facts->job[i].set_bytes;
	}
	if (!(set > 0))
		return CHECK_UNKNOWN;
	if (!(hole > 0))
		return CHECK_OK;
	return checks_say(
		c, hole > set / 100 ? CHECK_INVALID : CHECK_NOTE,
		"%s of %s that are read are holes or unwritten space: reads "
		"there are zeros without any I/O",
		BYTES(hole), BYTES(set));
}

/* --- F2: the physical bound --- */

/*
 * Little's law: with d I/Os in flight that take w seconds each on the disk, at
 * most d / w complete per second. w is the disk's mean in this run, of the
 * operations that the jobs do. Only direct I/O counts, because the page cache
 * has its own depth. If the disk did more than the jobs, w may come from I/O of
 * other programs and proves nothing.
 */
struct little {
	double depth, job_ios;
	double ios, all_ios, await_ns; /* of the disks; all: merged ones, too */
};

static bool add_little(const struct check_case *c, struct little *l)
{
	const struct checks *f = c->facts;
	bool does[CHECK_OPS] = { false };

	for (size_t i = 0; i < f->n_jobs; i++) {
		const struct check_job *row = &f->job[i];
		const struct job *job = checks_job(c, row);

		if (!job || !job->direct || !(row->bytes[0] + row->bytes[1] > 0))
			return false;
		l->depth += (double)job->iodepth * job->numjobs;
		for (int op = 0; op < CHECK_OPS; op++) {
			l->job_ios += row->ios[op];
			does[op] |= row->ios[op] > 0;
		}
	}
	for (size_t i = 0; i < f->n_devices; i++) {
		const struct check_device *d = &f->device[i];

		for (int op = 0; op < CHECK_OPS && d->under_job; op++) {
			if (!does[op])
				continue;
			l->ios += d->ios[op];
			l->await_ns += d->await_ns[op];
		}
		l->all_ios += d->under_job ? d->merges : 0;
	}
	l->all_ios += l->ios;
	return true;
}

static enum check_state checks_table_bound(const struct check_case *c)
{
	const struct checks *f = c->facts;
	struct little l = { 0 };
	double await_ns, most, got;

	if (!add_little(c, &l) || !is_enough(c) || l.ios < LEAST_IOS)
		return CHECK_UNKNOWN;
	await_ns = l.await_ns / l.ios;
	/* The kernel counts milliseconds: short times say nothing. */
	if (!(await_ns > 1e6))
		return CHECK_UNKNOWN;
	most = l.depth / (await_ns / 1e9);
	got = l.job_ios / f->seconds;
	if (got > most * FAR &&
	    (l.all_ios > l.job_ios || f->foreign_bytes > 0.01 * all_bytes(f)))
		return CHECK_UNKNOWN;
	return checks_say(
		c, got > most * FAR ? CHECK_INVALID : CHECK_OK,
		"%s I/Os a second; %s in flight and %s on the disk allow %s",
		COUNT(got), COUNT(l.depth), TIME(await_ns), COUNT(most));
}

/* --- F3, F19: flushes and syncs --- */

static double all_syncs(const struct checks *c, double *ns)
{
	double n = 0;

	*ns = 0;
	for (size_t i = 0; i < c->n_jobs; i++) {
		n += c->job[i].syncs;
		*ns += c->job[i].sync_ns;
	}
	return n;
}

static enum check_state flushes(const struct check_case *c)
{
	const struct checks *f = c->facts;
	double flushed = 0, ns, syncs = all_syncs(f, &ns);
	bool counted = false;

	for (size_t i = 0; i < f->n_devices; i++) {
		if (!f->device[i].under_job)
			continue;
		counted |= f->device[i].has_flushes;
		flushed += f->device[i].flushes;
	}
	if (!counted || syncs < 10)
		return CHECK_UNKNOWN;
	for (size_t i = 0; i < f->n_devices; i++)
		if (f->device[i].under_job && f->device[i].is_loop &&
		    !f->device[i].below.text && !(f->device[i].answers > 0)) {
			return checks_say(
				c, CHECK_NOTE,
				"%.0f syncs of jobs reach %s, whose file lies "
				"on no disk that is visible (tmpfs has none): "
				"they make nothing safe",
				syncs, f->device[i].id);
		}
	return checks_say(
		c, flushed < syncs / 100 ? CHECK_NOTE : CHECK_OK,
		"%.0f syncs of jobs, %.0f flushes of %s%s", syncs, flushed,
		checks_names_short(&f->disks, (char[CHECK_SHORT]){ 0 }),
		flushed < syncs / 100
			? ": barriers or the write-back cache are off"
			: "");
}

static enum check_state syncs(const struct check_case *c)
{
	double ns, n = all_syncs(c->facts, &ns), calls = 0, seconds = 0;

	for (size_t i = 0; i < c->facts->n_jobs; i++) {
		const struct check_job *row = &c->facts->job[i];
		const struct job *job = checks_job(c, row);

		calls += row->ios[CHECK_WRITE];
		/* Workers sync side by side. */
		if (row->syncs > 0)
			seconds += row->seconds *
				   (job && job->numjobs ? job->numjobs : 1);
	}
	if (!(n > 0))
		return CHECK_UNKNOWN;
	return checks_say(
		c, CHECK_OK,
		"%.0f syncs, one for %.1f writes; %.0f %% of the time of "
		"the jobs that sync",
		n, calls / n, 100 * ns / 1e9 / fmax(seconds, 1e-9));
}

/* --- F4, F5: members and layers --- */

static double ios_of(const struct check_device *d)
{
	return d->ios[CHECK_READ] + d->ios[CHECK_WRITE];
}

static double bytes_of(const struct check_device *d)
{
	return d->bytes[CHECK_READ] + d->bytes[CHECK_WRITE];
}

/* Mean and coefficient of variation over the members of a device. */
static unsigned checks_table_spread(const struct checks *c,
				    const struct check_device *top,
				    double (*of)(const struct check_device *d),
				    double *cv, double *most)
{
	double sum = 0, squares = 0;
	unsigned n = 0;

	*most = 0;
	for (size_t i = 0; i < c->n_devices; i++) {
		double v = of(&c->device[i]);

		if (!checks_listed(&top->members, c->device[i].id))
			continue;
		sum += v;
		squares += v * v;
		*most = fmax(*most, v);
		n++;
	}
	if (!n || !(sum > 0))
		return 0;
	*most /= sum / n;
	*cv = n > 1 ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) /
			      (sum / n)
		    : 0;
	return n;
}

static enum check_state members(const struct check_case *c)
{
	const struct checks *f = c->facts;
	enum check_state state = CHECK_UNKNOWN;

	for (size_t i = 0; i < f->n_devices && state != CHECK_NOTE; i++) {
		double bytes_cv, ios_cv, bytes_most, ios_most;
		unsigned n = checks_table_spread(f, &f->device[i], bytes_of,
						 &bytes_cv, &bytes_most);

		if (n < 2 || !is_enough(c) ||
		    ios_of(&f->device[i]) < LEAST_IOS ||
		    !is_passed(c, &f->device[i]) ||
		    !checks_table_spread(f, &f->device[i], ios_of, &ios_cv,
					 &ios_most))
			continue;
		state = checks_say(
			c,
			bytes_cv > 0.2 || ios_cv > 0.2 ? CHECK_NOTE : CHECK_OK,
			"%u members of %s: bytes differ by %.0f %% (cv), the "
			"busiest has %.1f times the mean; requests by %.0f "
			"%%, %.1f times",
			n, f->device[i].id, 100 * bytes_cv, bytes_most,
			100 * ios_cv, ios_most);
	}
	return state;
}

static enum check_state layers(const struct check_case *c)
{
	const struct checks *f = c->facts;

	for (size_t i = 0; i < f->n_devices; i++) {
		const struct check_device *top = &f->device[i];
		double queue = 0, ios = 0;
		unsigned n = 0;

		for (size_t k = 0; k < f->n_devices; k++) {
			if (!checks_listed(&top->members, f->device[k].id) ||
			    !(ios_of(&f->device[k]) > 0))
				continue;
			queue += f->device[k].queue_s / f->seconds;
			ios += ios_of(&f->device[k]);
			n++;
		}
		if (n < 2 || !is_enough(c) || ios_of(top) < LEAST_IOS ||
		    top->is_group || !is_passed(c, top))
			continue;
		return checks_say(
			c, queue < n ? CHECK_NOTE : CHECK_OK,
			"%s: %s requests become %s on %u members, queue %.1f "
			"in all%s",
			top->id, COUNT(ios_of(top)), COUNT(ios), n, queue,
			queue < n ? ": fewer than members, not enough in flight"
				  : "");
	}
	return CHECK_UNKNOWN;
}

/* --- F5: the depth that was reached --- */

/* Whether the options of a job keep fewer I/Os in flight: it searches for a
 * depth, pauses, or has reached its rate. */
static bool is_paced(const struct job *job, const struct check_job *row)
{
	if (job->latency_target_ns || job->thinktime_ns)
		return true;
	for (int op = 0; op < CHECK_OPS; op++) {
		double ios = (double)job->rate_iops[op] * job->numjobs;
		double bytes = (double)job->rate_bytes[op] * job->numjobs;

		if ((ios > 0 && row->ios[op] > 0.9 * ios * row->seconds) ||
		    (bytes > 0 && row->bytes[op] > 0.9 * bytes * row->seconds))
			return true;
	}
	return false;
}

static enum check_state checks_table_depth(const struct check_case *c)
{
	enum check_state state = CHECK_UNKNOWN;

	for (size_t i = 0; i < c->facts->n_jobs; i++) {
		const struct check_job *row = &c->facts->job[i];
		const struct job *job = checks_job(c, row);
		double mean = row->depth_sum / row->depth_ios;

		if (!job || job->iodepth < 2 || row->depth_ios < LEAST_IOS ||
		    is_paced(job, row) || state == CHECK_NOTE)
			continue;
		state = checks_say(
			c,
			mean < 0.75 * fmin(job->iodepth, 90) ? CHECK_NOTE
							     : CHECK_OK,
			"job %s asked for %u in flight and had %.1f", row->id,
			job->iodepth, fmin(mean, job->iodepth));
	}
	return state;
}

/* --- F6, F7: CPU --- */

static enum check_state helpers(const struct check_case *c)
{
	const struct checks *f = c->facts;

	if (checks_lack(c, CHECK_NEEDS_FRAMES | CHECK_NEEDS_TASKS) ||
	    !(f->process_cpu_s > 0))
		return CHECK_UNKNOWN;
	if (!f->has_kernel_tasks) {
		return checks_say(
			c, CHECK_UNKNOWN,
			"kernel threads are not visible here, as in a "
			"container");
	}
	return checks_say(
		c, CHECK_OK,
		"kernel threads took %.0f %% of a processor, %s most; the "
		"jobs %.0f %%",
		100 * f->helper_cpu_s / f->seconds,
		*f->helper ? f->helper : "none",
		100 * f->process_cpu_s / f->seconds);
}

static enum check_state cpu_cost(const struct check_case *c)
{
	const struct checks *f = c->facts;
	double mib = all_bytes(f) / (1 << 20);

	if (!is_enough(c) || !(mib >= 1) || !(f->process_cpu_s > 0))
		return CHECK_UNKNOWN;
	return checks_say(
		c, CHECK_OK,
		"CPU time per MiB: %s of the jobs, %s with kernel threads, "
		"%s of the machine",
		TIME(f->process_cpu_s / mib * 1e9),
		TIME((f->process_cpu_s + f->helper_cpu_s) / mib * 1e9),
		TIME(f->busy_cpu_s / mib * 1e9));
}

static enum check_state generator(const struct check_case *c)
{
	enum check_state state = CHECK_UNKNOWN;

	for (size_t i = 0; i < c->facts->n_jobs && state != CHECK_NOTE; i++) {
		const struct check_job *row = &c->facts->job[i];
		const struct job *job = checks_job(c, row);
		double share;

		if (!job || !is_enough(c) || !(row->cpu_s > 0))
			continue;
		share = row->cpu_s / row->seconds / job->numjobs;
		state = CHECK_OK;
		if (share > 0.9)
			state = checks_say(
				c, CHECK_NOTE,
				"job %s used %.0f %% of a processor for each "
				"worker: the CPU, not the disk, is the limit",
				row->id, 100 * share);
	}
	return state;
}

/* --- F8 to F11: readahead, cold start, order, offsets --- */

static enum check_state readahead(const struct check_case *c)
{
	const struct checks *f = c->facts;
	enum check_state state = CHECK_UNKNOWN;
	bool buffered = false;

	for (size_t i = 0; i < c->n_jobs; i++)
		buffered |= is_buffered(&c->job[i]);
	for (size_t i = 0; i < f->n_devices && buffered; i++)
		for (size_t k = 0; k < f->n_devices; k++) {
			const struct check_device *top = &f->device[i];
			const struct check_device *d = &f->device[k];

			/* A file system over several devices has one of its
			 * own, which no row tells. */
			if (!checks_listed(&top->members, d->id) ||
			    !(d->readahead_kb > 0) || top->is_group ||
			    !is_passed(c, top))
				continue;
			if (state != CHECK_NOTE)
				state = CHECK_OK;
			if (d->readahead_kb == top->readahead_kb)
				continue;
			state = checks_say(
				c, CHECK_NOTE,
				"readahead of %s is %.0f KiB, of its member "
				"%s %.0f KiB; that of %s counts",
				top->id, top->readahead_kb, d->id,
				d->readahead_kb, top->id);
		}
	return state;
}

static enum check_state cold(const struct check_case *c)
{
	enum check_state state = CHECK_UNKNOWN;

	for (size_t i = 0; i < c->facts->n_jobs && state != CHECK_NOTE; i++) {
		const struct check_job *row = &c->facts->job[i];
		const struct job *job = checks_job(c, row);

		if (!is_buffered(job) ||
		    !(row->ios[CHECK_READ] + row->bytes[CHECK_READ] > 0) ||
		    !strcmp(job->engine, "null"))
			continue;
		state = CHECK_OK;
		if (!job->invalidate)
			state = checks_say(
				c, CHECK_NOTE,
				"job %s reads through the page cache, which "
				"was not emptied before (invalidate=0)",
				row->id);
	}
	return state;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static enum check_state checks_table_order(const struct check_case *c)
{
	enum check_state state = CHECK_UNKNOWN;

	for (size_t r = 0; r < c->n_jobs; r++) {
		const struct job *reader = &c->job[r], *writer = NULL;

		for (size_t i = 0; i < r && !job_writes(reader); i++) {
			const struct job *job = &c->job[i];

			if (!job_writes(job) ||
			    !same_text(job->filename, reader->filename))
				continue;
			if (writer && (job->fsync_every != writer->fsync_every ||
				       job->rw != writer->rw)) {
				return checks_say(
					c, CHECK_NOTE,
					"jobs %s and %s wrote the file of job "
					"%s in different ways",
					writer->name, job->name, reader->name);
			}
			writer = job;
			state = CHECK_OK;
		}
	}
	return state;
}

static enum check_state offsets(const struct check_case *c)
{
	enum check_state state = CHECK_UNKNOWN;

	for (size_t i = 0; i < c->n_jobs && state != CHECK_NOTE; i++) {
		if (!is_random(&c->job[i]))
			continue;
		state = CHECK_OK;
		if (!c->job[i].randrepeat)
			state = checks_say(
				c, CHECK_NOTE,
				"job %s draws other offsets in each run "
				"(randrepeat=0), which adds to the spread",
				c->job[i].name);
	}
	return state;
}

/* --- F13: settings --- */

static enum check_state settings(const struct check_case *c)
{
	const struct checks *f = c->facts;
	unsigned n = f->failed_knobs + f->other_knobs;
	char words[CHECK_NAMES];

	if (!f->n_jobs)
		return CHECK_UNKNOWN;
	if (!n)
		return CHECK_OK;
	return checks_say(c, f->failed_knobs ? CHECK_INVALID : CHECK_NOTE,
			  "%u setting%s not take the value asked for: %s", n,
			  n == 1 ? " did" : "s did",
			  event_words(&f->failed, words, sizeof(words)));
}

static enum check_state foreign_knob(const struct check_case *c)
{
	const struct checks *f = c->facts;
	char words[CHECK_NAMES];

	if (!f->n_jobs)
		return CHECK_UNKNOWN;
	if (!f->foreign_knobs)
		return CHECK_OK;
	return checks_say(c, CHECK_INVALID,
			  "another program changed %u setting%s: %s",
			  f->foreign_knobs, f->foreign_knobs == 1 ? "" : "s",
			  event_words(&f->foreign, words, sizeof(words)));
}

/* --- F15: others beside --- */

static enum check_state steal(const struct check_case *c)
{
	double pct = c->facts->steal_pct_s / c->facts->seconds;

	if (checks_lack(c, CHECK_NEEDS_FRAMES))
		return CHECK_UNKNOWN;
	if (!(pct > 5))
		return CHECK_OK;
	return checks_say(
		c, pct > 20 ? CHECK_INVALID : CHECK_NOTE,
		"the hypervisor gave %.0f %% of the processors' time to "
		"others",
		pct);
}

static enum check_state simulation(const struct check_case *c)
{
	double answers = 0, late = 0;
	const char *name = "";

	for (size_t i = 0; i < c->facts->n_devices; i++) {
		const struct check_device *d = &c->facts->device[i];

		if (!(d->answers > 0) || !is_passed(c, d))
			continue;
		answers += d->answers;
		late += d->late_answers;
		name = d->id;
	}
	if (answers < LEAST_IOS)
		return CHECK_UNKNOWN;
	if (!simulated_was_late(answers, late))
		return CHECK_OK;
	return checks_say(
		c, CHECK_INVALID,
		"the machine was too busy to simulate %s: %.1f %% of its "
		"answers were late by more than 5 %%",
		name, 100 * late / answers);
}

static enum check_state ticks(const struct check_case *c)
{
	const struct checks *f = c->facts;

	if (!f->n_jobs)
		return CHECK_UNKNOWN;
	if (f->late <= f->all_frames / 20)
		return CHECK_OK;
	return checks_say(c, CHECK_NOTE,
			  "%u samples of %u came late: rates are of the real "
			  "intervals, short peaks may be missing",
			  f->late, f->all_frames);
}

/* --- F18, F20, F21: size, environment, memory --- */

static double memory_of(const struct check_case *c)
{
	const char *limit =
		c->header ? header_fact(c->header, FACT_MEMORY_LIMIT) : NULL;
	double bytes = c->facts->memory_bytes;

	if (limit && strtod(limit, NULL) > 0)
		return strtod(limit, NULL);

	if (!(bytes > 0) && c->header)
		bytes = (double)c->header->host.memory_bytes;
	return bytes;
}

static enum check_state checks_table_set_size(const struct check_case *c)
{
	double memory = memory_of(c);
	enum check_state state = CHECK_UNKNOWN;

	for (size_t i = 0; i < c->facts->n_jobs && state != CHECK_NOTE; i++) {
		const struct check_job *row = &c->facts->job[i];

		if (!is_buffered(checks_job(c, row)) || !(row->set_bytes > 0) ||
		    !(row->ios[CHECK_READ] > 0) || !(memory > 0))
			continue;
		state = CHECK_OK;
		if (row->set_bytes < 2 * memory)
			state = checks_say(
				c, CHECK_NOTE,
				"job %s works on %s through the page cache of "
				"%s "
				"memory: repeated reads come from there",
				row->id, BYTES(row->set_bytes), BYTES(memory));
	}
	return state;
}

static enum check_state environment(const struct check_case *c)
{
	const char *debug =
		c->header ? header_fact(c->header, FACT_DEBUG) : NULL;

	if (!debug || !c->facts->n_jobs)
		return CHECK_UNKNOWN;
	if (!strcmp(debug, FACT_NONE))
		return CHECK_OK;
	return checks_say(c, CHECK_NOTE,
			  "the kernel was built with debug options: %s", debug);
}

static enum check_state memory_limit(const struct check_case *c)
{
	const char *limit =
		c->header ? header_fact(c->header, FACT_MEMORY_LIMIT) : NULL;

	if (!limit || !c->facts->n_jobs)
		return CHECK_UNKNOWN;
	return checks_say(c, CHECK_OK,
			  "the control group has at most %s of memory, "
			  "page cache included",
			  BYTES(strtod(limit, NULL)));
}

static enum check_state io_limit(const struct check_case *c)
{
	const struct checks *f = c->facts;

	for (size_t i = 0; i < f->n_devices && c->header; i++) {
		const char *limit;
		char key[80];

		snprintf(key, sizeof(key), "%.31s." FACT_IO_LIMIT,
			 f->device[i].id);
		limit = header_fact(c->header, key);
		if (!limit || !is_passed(c, &f->device[i]))
			continue;
		return checks_say(c, CHECK_NOTE,
				  "the control group permits at most %s",
				  limit);
	}
	return CHECK_UNKNOWN;
}

/* --- messages of the kernel --- */

static enum check_state kernel_log(const struct check_case *c)
{
	const struct checks *f = c->facts;

	if (!f->has_kernel_log)
		return CHECK_UNKNOWN;
	if (!f->kernel_messages)
		return CHECK_OK;
	return checks_say(
		c, f->kernel_of_device ? CHECK_INVALID : CHECK_NOTE,
		"the kernel logged %u failure%s%s: %s", f->kernel_messages,
		f->kernel_messages == 1 ? "" : "s",
		f->kernel_of_device ? "" : ", perhaps of another device",
		f->kernel_words);
}

/* Krun (Barrett and others, 2017) repeats such a run; we name it. */
static enum check_state heat(const struct check_case *c)
{
	const struct checks *f = c->facts;

	if (!f->has_throttled)
		return CHECK_UNKNOWN;
	if (!(f->throttled > 0))
		return CHECK_OK;
	return checks_say(c, CHECK_NOTE,
			  "heat slowed the processors %.0f time%s",
			  f->throttled, f->throttled == 1 ? "" : "s");
}

static enum check_state smart(const struct check_case *c)
{
	const struct checks *f = c->facts;

	if (!f->has_smart)
		return CHECK_UNKNOWN;
	return checks_say(c,
			  f->smart_errors   ? CHECK_INVALID
			  : *f->smart_words ? CHECK_NOTE
					    : CHECK_OK,
			  "%s", f->smart_words);
}

/* clang-format off */
const struct check checks_table[] = {
	{ "cache-reads", 1, "reads that did not come from the disk",
	  "3 frames and 1 MiB of reads, and the disk under the file",
	  cache_reads, "", false },
	{ "cache-writes", 1, "writes that did not reach the disk, or that grew "
	  "on the way", "3 frames and 1 MiB of writes", cache_writes,
	  "", false },
	{ "bound", 2, "more I/Os than the time on the disk allows",
	  "direct I/O, 100 requests of 1 ms or more", checks_table_bound,
	  "find the cache that answered: in a file system, the host or the "
	  "controller", false },
	{ "flushes", 3, "syncs without a flush of the disk",
	  "10 syncs and a kernel that counts flushes (5.5)", flushes,
	  "see queue/write_cache and the mount options (barrier, nobarrier)",
	  false },
	{ "flush-chain", 3, "a layer below the jobs at which flushes end",
	  "10 syncs and a layer whose flushes the kernel counts",
	  checks_flush_chain,
	  "do not rely on the data of this stack after a loss of power; iodyno "
	  "powercut tries it", false },
	{ "members", 4, "members of a stack that have more load than others",
	  "two members with I/O", members,
	  "see the tree of devices for chunk size, alignment and a slow member",
	  false },
	{ "layers", 5, "requests of a stack compared with those of its members",
	  "two members with I/O", layers,
	  "raise iodepth or numjobs", false },
	{ "depth", 5, "fewer I/Os in flight than iodepth asks for",
	  "iodepth above 1, and no latency_target, thinktime or reached rate",
	  checks_table_depth,
	  "use an asynchronous engine with direct=1; see nr_requests of the queue",
	  false },
	{ "helpers", 6, "CPU time of kernel threads beside the jobs'",
	  "processes in the log (no --no-tasks)", helpers,
	  "see kswapd, jbd2 and kworker in the process table", false },
	{ "cpu-cost", 7, "CPU time per MiB, of jobs, kernel and machine",
	  "1 MiB of I/O", cpu_cost, "see the process table", false },
	{ "generator", 7, "jobs that the CPU limits", "CPU time of the jobs",
	  generator, "raise numjobs or bs, or verify less",
	  false },
	{ "readahead", 8, "a readahead that differs from that of members",
	  "a stack under buffered jobs", readahead,
	  "set read_ahead_kb of the device that holds the file system", false },
	{ "cold", 9, "buffered reads of a cache that was not emptied",
	  "a job that reads through the page cache", cold,
	  "set invalidate=1, or --cold=drop in a sweep", false },
	{ "order", 10, "reads of a file that jobs wrote in different ways",
	  "jobs that name one file", checks_table_order,
	  "give each reader a file of its own", false },
	{ "offsets", 11, "random offsets that differ in each run", "a random job",
	  offsets, "set randrepeat=1, with another randseed for each block",
	  false },
	{ "steady", 12, "a steady state that was not reached or was left, and "
	  "stalls", "11 frames of a run that turns no knob; for a stall, "
	  "frames of 1 s without an I/O", checks_work_steady,
	  "see the graph over time; set ramp_time or steadystate=iops:2%, "
	  "precondition the drive", false },
	{ "shares", 12, "jobs with equal options that got unequal shares",
	  "two jobs with equal options, 3 frames and 100 I/Os", checks_work_shares,
	  "compare the jobs' rows and the schedulers, or use one job with "
	  "numjobs", false },
	{ "settings", 13, "settings that did not take the value asked for", "", settings,
	  "see iodyno knob list for the values that the kernel offers", true },
	{ "foreign-knob", 13, "settings that another program changed", "",
	  foreign_knob, "see udev rules, TuneD and other users of the machine", true },
	{ "foreign-io", 15, "I/O of other processes on the same disks",
	  "processes in the log with their I/O, and 1 MiB of I/O",
	  checks_beside_io,
	  "stop that process, or wait until it ends", false },
	{ "cpu-busy", 15, "processors that other processes use, so that jobs wait",
	  "processes in the log, or pressure, and 3 frames", checks_beside_cpu,
	  "stop that process, or keep the jobs and it on processors of their own "
	  "(cpus_allowed, cgroups)", false },
	{ "steal", 15, "time that a hypervisor gave to others", "3 frames",
	  steal, "use a dedicated machine, or a calmer time", false },
	{ "simulation", 15, "answers of a simulated disk that came late",
	  "a job on a simulated disk, and 100 answers", simulation,
	  "use a calmer machine, or a slower model", false },
	{ "ticks", 15, "samples that came late", "", ticks,
	  "use a longer interval or a calmer machine", false },
	{ "phases", 16, "phases of the programs of jobs, and time without I/O and "
	  "CPU use", "phase-regex or a profile with phases",
	  checks_work_phases, "find out whether the program waited at a "
	  "prompt or for a lock", false },
	{ "units", 17, "figures of programs whose unit is not known",
	  "a job with metric=", checks_work_units,
	  "end the name of the metric with its unit (_ns, _bytes_per_s, "
	  "_count), and make the unit the second group of its regex", false },
	{ "set-size", 18, "a set that fits into memory",
	  "a job that reads through the page cache", checks_table_set_size,
	  "set direct=1, use a set of twice the memory, or limit the memory", false },
	{ "holes", 18, "reads of holes and unwritten space",
	  "a file that is read", holes,
	  "write the file before the run, with iodyno or dd", false },
	{ "kernel-log", 13, "failures that the kernel logged in the run",
	  "a sweep, and rights to read /dev/kmsg", kernel_log,
	  "see dmesg and smartctl -a of the disk; check the cable", false },
	{ "smart", 13, "health counters of the disk that rose in the run: errors, "
	  "heat", "a sweep, rights of root, and an NVMe or ATA disk", smart,
	  "see smartctl -a of the disk; cool a disk that became hot, replace one "
	  "with errors", false },
	{ "heat", 15, "processors that heat made slower",
	  "a sweep, and processors with counters of it", heat,
	  "cool the machine, or set a lower frequency for all runs", false },
	{ "environment", 20, "a kernel with debug options",
	  "/proc/config.gz or /boot/config-*", environment,
	  "use a kernel without debug options for figures to publish", false },
	{ "memory-limit", 21, "the memory limit of the control group",
	  "a limit", memory_limit, "see memory.max of the group", false },
	{ "io-limit", 21, "a limit that the control group puts on the disk",
	  "a limit", io_limit, "see io.max of the group, or "
	  "blkio.throttle.* of version 1", false },
	{ "syncs", 19, "how often and how long jobs sync", "a sync", syncs,
	  "see fsync, fdatasync and end_fsync of the jobs", false },
};
/* clang-format on */

const size_t n_checks_table = ARRAY_SIZE(checks_table);

const struct check *checks_table_find(const char *name)
{
	const size_t i = text_find(name, checks_table, n_checks_table, name);

	return i < n_checks_table ? &checks_table[i] : NULL;
}
