/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks beside: what other processes did to the processors and the disks of the
 * jobs while these ran.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/units.h"
#include "report/checks.h"

/* The per cent of the processors that others must use to be named; of the time
 * that workers are runnable, what they wait; of time with tasks that wait. */
#define LEAST_SHARE_PCT 10
#define NOTE_WAIT_PCT   10
#define BAD_WAIT_PCT    25
/* From here on "12 times" reads better than "1200 %". */
#define MANY_TIMES 10
/* Of a worker of the process that waits most, and of the run's time: less cannot
 * change a result much. */
#define LEAST_COST_PCT  2
#define LEAST_SOME_PCT  20
/* With more idle time than this others did not take the processors away. */
#define MOST_IDLE_PCT   25
/* What a file system may write for one sync of a job besides its data; Btrfs
 * writes its log tree and superblock twice: 117 KiB were measured. */
#define JOURNAL_BYTES   (64 << 10)
#define BTRFS_BYTES     (128 << 10)
#define LEAST_BYTES     (1 << 20)
/* Frames without a change of phase that are needed. */
#define LEAST_CALM 2
/* udev and the like read a disk a little. */
#define LEAST_UNSEEN (16 << 20)

#define BYTES(v) units_bytes(v).text

/* --- processors --- */

/* The other process with the most CPU time, or NULL. */
static const struct check_other *busiest(const struct checks *f)
{
	const struct check_other *most = NULL;

	for (size_t i = 0; i < f->n_others; i++)
		if (f->other[i].cpu_s > 0 &&
		    (!most || f->other[i].cpu_s > most->cpu_s))
			most = &f->other[i];
	return most;
}

/* Whether it is a row of processes that ended, whose id is no pid. */
static bool checks_beside_ended(const char *id)
{
	return id && !strncmp(id, "ended-", 6);
}

enum check_state checks_beside_judge_cpu(const struct check_cpu *cpu,
					 char *words, size_t size)
{
	const bool has_wait = isfinite(cpu->wait_pct);
	const bool ended = checks_beside_ended(cpu->id);

	/* A job that waits for its own threads is not disturbed by others. */
	if (!cpu->comm || !(cpu->share_pct >= LEAST_SHARE_PCT) ||
	    (has_wait ? !(cpu->wait_pct > NOTE_WAIT_PCT)
		      : !(cpu->some_pct > LEAST_SOME_PCT)))
		return CHECK_OK;
	snprintf(words, size,
		 "other processes used %.0f %% of the processors (most: "
		 "%.30s%s%.20s)",
		 cpu->share_pct, cpu->comm, ended ? "" : ", pid ",
		 ended ? ", short-lived" : cpu->id);
	if (has_wait)
		text_add(words, size, ", and %s waited for one %.0f %% of %s",
			 cpu->waiter, cpu->wait_pct, cpu->of);
	else
		text_add(words, size,
			 "; %.0f %% of the time a process waited for one",
			 cpu->some_pct);
	/* Where processors were idle, the wait has another reason, too. */
	return has_wait && cpu->wait_pct > BAD_WAIT_PCT &&
			       !(cpu->idle_pct > MOST_IDLE_PCT) ?
		       CHECK_INVALID :
		       CHECK_NOTE;
}

enum check_state checks_beside_cpu(const struct check_case *c)
{
	const struct checks *f = c->facts;
	const struct check_other *most = busiest(f);
	double runnable = f->own_wait_s + f->own_cpu_s;
	struct check_cpu cpu = {
		.comm = most ? most->comm : NULL,
		.id = most ? most->id : NULL,
		.waiter = "the run's own threads",
		.of = "the time that they could run",
	};
	enum check_state state;

	if (checks_lack(c, CHECK_NEEDS_FRAMES | CHECK_NEEDS_TASKS))
		return CHECK_UNKNOWN;
	if (!f->cpus || !(f->task_s > 0))
		return CHECK_UNKNOWN;
	cpu.share_pct = 100 * f->other_cpu_s / (f->task_s * f->cpus);
	cpu.wait_pct = !f->has_wait ? NAN
		       : runnable > 0 ? 100 * f->own_wait_s / runnable
				      : 0;
	cpu.idle_pct = f->idle_s > 0 ? f->idle_pct_s / f->idle_s : NAN;
	cpu.some_pct = f->cpu_some_s > 0 ? f->cpu_some_pct_s / f->cpu_some_s
					 : NAN;
	state = checks_beside_judge_cpu(&cpu, c->words, CHECK_WORDS);
	/* Its threads waited for each other, the disk and the kernel. */
	if (state == CHECK_INVALID && c->header &&
	    header_fact(c->header, FACT_REALTIME)) {
		text_add(c->words, CHECK_WORDS,
			 "; the run has a real-time priority, so "
			 "ordinary processes did not make it wait");
		return CHECK_NOTE;
	}
	return state == CHECK_INVALID &&
			       f->most_wait_s < f->task_s * LEAST_COST_PCT / 100 ?
		       CHECK_NOTE :
		       state;
}

/* --- disks --- */

/* Mark all devices below a device; a log may contain a ring. */
static void checks_beside_mark_below(const struct checks *f, size_t at,
				     bool *marked)
{
	for (size_t i = 0; i < f->n_devices; i++)
		if (!marked[i] &&
		    checks_listed(&f->device[at].below, f->device[i].id)) {
			marked[i] = true;
			checks_beside_mark_below(f, i, marked);
		}
}

/*
 * The disks of the jobs, those below them, and all devices that share one of
 * these: I/O there is felt by the jobs.
 */
struct felt {
	bool *job, *below, *shared;
};

static struct felt felt_find(const struct checks *f)
{
	const size_t n = f->n_devices + 1;
	struct felt t = { xcalloc(n, sizeof(bool)), xcalloc(n, sizeof(bool)),
			  xcalloc(n, sizeof(bool)) };

	for (size_t i = 0; i < f->n_devices; i++)
		t.job[i] = f->device[i].under_job;
	for (size_t i = 0; i < f->n_devices; i++)
		if (t.job[i])
			checks_beside_mark_below(f, i, t.below);
	for (size_t i = 0; i < f->n_devices; i++) {
		bool *under = xcalloc(n, sizeof(bool));

		checks_beside_mark_below(f, i, under);
		for (size_t k = 0; k < f->n_devices; k++)
			t.shared[i] |= under[k] && (t.job[k] || t.below[k]);
		free(under);
		t.shared[i] |= t.job[i] || t.below[i];
	}
	return t;
}

static void felt_free(struct felt *t)
{
	free(t->job);
	free(t->below);
	free(t->shared);
}

/* The bytes of a device that do not come from the devices above it. */
static double own_bytes(const struct checks *f, size_t at, int op)
{
	double bytes = f->device[at].calm_bytes[op];

	for (size_t i = 0; i < f->n_devices; i++)
		if (i != at && !f->device[i].is_part &&
		    checks_listed(&f->device[i].below, f->device[at].id))
			bytes -= f->device[i].calm_bytes[op];
	return fmax(bytes, 0);
}

/*
 * What a disk below a job's did beyond what came from the job's disks. A stack
 * writes more than it is given (mirrors, parity), so only its reads count.
 */
static double below_bytes(const struct checks *f, const struct felt *t,
			  size_t at, int op)
{
	double bytes = f->device[at].calm_bytes[op];
	bool stack = false;

	for (size_t i = 0; i < f->n_devices; i++) {
		const struct check_device *d = &f->device[i];

		if ((!t->job[i] && !t->below[i]) ||
		    !checks_listed(&d->below, f->device[at].id))
			continue;
		stack |= !d->is_loop;
		bytes -= d->calm_bytes[op];
	}
	return stack && op == CHECK_WRITE ? 0 : fmax(bytes, 0);
}

/* The sums of foreign I/O: what the disks did beyond the jobs, what others may
 * have done elsewhere, and the disk with the most of the former. */
struct beyond {
	double bytes[CHECK_OPS], elsewhere[CHECK_OPS];
	double most, own; /* own: on the disks of the jobs */
	const char *disk; /* with the most; NULL: those of the jobs */
};

static void take_most(struct beyond *b, const char *disk, double read,
		      double written)
{
	b->bytes[CHECK_READ] += read;
	b->bytes[CHECK_WRITE] += written;
	if (read + written <= b->most)
		return;
	b->most = read + written;
	b->disk = disk;
}

/*
 * The bytes that the journals of file systems may have written for the syncs of
 * the jobs: not those of a job that works on a device itself.
 */
static double journal_bytes(const struct check_case *c)
{
	double syncs = 0, each = JOURNAL_BYTES;

	for (size_t i = 0; i < c->facts->n_jobs; i++) {
		const struct check_job *row = &c->facts->job[i];
		const struct job *job = checks_job(c, row);

		if (job && (!job->filename ||
			    strncmp(job->filename, "/dev/", 5) != 0))
			syncs += row->calm_syncs;
	}
	for (size_t i = 0; i < c->facts->n_devices; i++)
		if (c->facts->device[i].under_job &&
		    c->facts->device[i].is_btrfs)
			each = BTRFS_BYTES;
	return syncs * each;
}

static struct beyond find_beyond(const struct check_case *c)
{
	const struct checks *f = c->facts;
	struct felt t = felt_find(f);
	struct beyond b = { 0 };
	double beyond[CHECK_OPS];

	for (int op = 0; op < CHECK_OPS; op++) {
		double on_disks = 0, jobs = 0, unplaced = 0;

		for (size_t i = 0; i < f->n_devices; i++) {
			const struct check_device *d = &f->device[i];

			/* What is below it is not known, as in a container: the
			 * disk with its file looks like one elsewhere. */
			if ((t.job[i] || t.below[i]) && d->is_loop &&
			    !d->below.text)
				unplaced += d->calm_bytes[op];
			/* A partition's bytes are those of its disk. */
			if (t.job[i] && !t.below[i])
				on_disks += d->calm_bytes[op];
			else if (!t.shared[i] && !d->is_part)
				b.elsewhere[op] += own_bytes(f, i, op);
		}
		for (size_t i = 0; i < f->n_jobs; i++)
			jobs += f->job[i].calm_bytes[op];
		/* What is read ahead for them is theirs, too. */
		jobs = op == CHECK_READ ? fmax(jobs, f->calm_own_reads)
					: jobs + journal_bytes(c);
		b.elsewhere[op] = fmax(b.elsewhere[op] - unplaced, 0);
		beyond[op] = fmax(on_disks - jobs, 0);
	}
	for (size_t i = 0; i < f->n_devices; i++)
		if (t.below[i])
			take_most(&b, f->device[i].id,
				  below_bytes(f, &t, i, CHECK_READ),
				  below_bytes(f, &t, i, CHECK_WRITE));
	b.own = beyond[CHECK_READ] + beyond[CHECK_WRITE];
	take_most(&b, NULL, beyond[CHECK_READ], beyond[CHECK_WRITE]);
	felt_free(&t);
	return b;
}

/* What other processes did there. Readahead, journals and layout are nobody's
 * bytes but the kernel's. */
static double beside_foreign(const struct checks *f, const struct beyond *b,
			     int op)
{
	return fmax(fmin(b->bytes[op],
			 f->calm_foreign_bytes[op] - b->elsewhere[op]),
		    0);
}

/* A process is named only if it cannot have done half of its I/O elsewhere. */
static const struct check_other *culprit(const struct checks *f,
					 const struct beyond *b)
{
	const int op = beside_foreign(f, b, CHECK_WRITE) >
		       beside_foreign(f, b, CHECK_READ);
	const struct check_other *most = NULL;

	for (size_t i = 0; i < f->n_others; i++)
		if (f->other[i].bytes[op] > 2 * b->elsewhere[op] &&
		    (!most || f->other[i].bytes[op] > most->bytes[op]))
			most = &f->other[i];
	return most;
}

#define DISK(f, b)                                                            \
	((b)->disk ? (b)->disk                                                \
		   : checks_names_short(&(f)->disks, (char[CHECK_SHORT]){ 0 }))

/* Whether the facts for the check are missing; words: why, if it applies. */
static bool beside_lacks(const struct check_case *c, double jobs)
{
	const struct checks *f = c->facts;
	const bool applies = checks_do(c, CHECK_READ) ||
			     checks_do(c, CHECK_WRITE);

	if (applies && checks_lack(c, CHECK_NEEDS_DISK | CHECK_NEEDS_FRAMES |
					      CHECK_NEEDS_TASKS))
		return true;
	if (f->calm_frames >= LEAST_CALM && f->has_tasks && jobs >= LEAST_BYTES)
		return false;
	if (applies && f->calm_frames < LEAST_CALM)
		checks_say(c, CHECK_UNKNOWN,
			   "the run was too short: jobs ran in %u whole "
			   "interval%s without a change of phase, and %d are "
			   "needed",
			   f->calm_frames, f->calm_frames == 1 ? "" : "s",
			   LEAST_CALM);
	else if (applies)
		checks_say(c, CHECK_UNKNOWN,
			   "the jobs read and wrote %s, and %s is needed",
			   BYTES(jobs), BYTES(LEAST_BYTES));
	return true;
}

/* Whether all I/O of the jobs goes to devices, past caches and file systems:
 * then the disk does no I/O of the kernel's own. */
static bool is_bare(const struct check_case *c)
{
	for (size_t i = 0; i < c->n_jobs; i++) {
		const struct job *job = &c->job[i];

		if (!job->direct || !job->filename ||
		    strncmp(job->filename, "/dev/", 5) != 0)
			return false;
	}
	return c->n_jobs > 0;
}

/*
 * No process that was seen did so much: one that lived shorter than the time
 * between two readings of the processes, one of another container, or one whose
 * I/O is hidden may have done it.
 */
static enum check_state judge_unseen(const struct check_case *c,
				     const struct beyond *b, double jobs)
{
	const struct checks *f = c->facts;

	const double bytes = b->bytes[CHECK_READ] + b->bytes[CHECK_WRITE];

	if (f->foreign_hidden && bytes > 0.05 * jobs) {
		return checks_say(
			c, CHECK_UNKNOWN,
			"%s read and wrote %s more than the jobs, and the "
			"I/O of other users' processes is hidden from this "
			"user",
			DISK(f, b), BYTES(bytes));
	}
	if (b->own <= 0.2 * jobs || b->own < LEAST_UNSEEN || !is_bare(c))
		return CHECK_OK;
	return checks_say(
		c, CHECK_NOTE,
		"%s read and wrote %s more than the jobs, and no process that "
		"was seen did it: one may have lived for less than an "
		"interval or be in another container",
		checks_names_short(&f->disks, (char[CHECK_SHORT]){ 0 }),
		BYTES(b->own));
}

enum check_state checks_beside_io(const struct check_case *c)
{
	const struct checks *f = c->facts;
	const struct check_other *who;
	double jobs = 0, more;
	struct beyond b;
	bool many;

	for (size_t i = 0; i < f->n_jobs; i++)
		jobs += f->job[i].calm_bytes[CHECK_READ] +
			f->job[i].calm_bytes[CHECK_WRITE];
	if (beside_lacks(c, jobs))
		return CHECK_UNKNOWN;
	b = find_beyond(c);
	more = beside_foreign(f, &b, CHECK_READ) +
	       beside_foreign(f, &b, CHECK_WRITE);
	if (!(more > 0.05 * jobs))
		return judge_unseen(c, &b, jobs);
	who = culprit(f, &b);
	many = more >= MANY_TIMES * jobs;
	return checks_say(
		c, more > 0.2 * jobs ? CHECK_INVALID : CHECK_NOTE,
		"other processes read and wrote about %s on %.100s, %.0f%s"
		"what the jobs did%s%.30s%s%.20s%s",
		BYTES(more), DISK(f, &b),
		many ? more / jobs : 100 * more / jobs,
		many ? " times " : " % of ",
		who ? "; the busiest of them: " : "", who ? who->comm : "",
		!who                           ? ""
		: checks_beside_ended(who->id) ? " ("
					       : " (pid ",
		!who                           ? ""
		: checks_beside_ended(who->id) ? "short-lived"
					       : who->id,
		who ? ")" : "");
}
