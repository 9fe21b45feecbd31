/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of work: the table, which options each kind reads, and what several
 * kinds have in common.
 */
#include "workload/kind/kind.h"
#include "base/descriptor.h"
#include "workload/kind/program.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/target/guard.h"
#include "workload/target/target.h"
#include "workload/thread/clones.h"
#include "workload/thread/worker.h"

#define WAIT_NS 100000000ull

const struct work_kind *const work_kinds[] = { &kind_io, &kind_exec,
					       &kind_fileio, &kind_iozone,
					       &kind_stream, &kind_fsmark,
					       &kind_dbench, &kind_sqlite,
					       &kind_pgbench, &kind_startup,
					       &kind_cpuio, &kind_metadata };

const size_t n_work_kinds = ARRAY_SIZE(work_kinds);

/* The options that every kind reads. */
static const char kind_common[] =
	"name description kind numjobs thread process group_reporting "
	"new_group stonewall wait_for runtime time_based ramp_time startdelay "
	"loops number_ios exec_prerun exec_postrun exitall exit_what "
	"exitall_on_error continue_on_error cpus_allowed cpumask "
	"cpus_allowed_policy numa_cpu_nodes nice prio prioclass steadystate "
	"steadystate_duration steadystate_ramp_time "
	"steadystate_check_interval percentile_list clat_percentiles "
	"lat_percentiles slat_percentiles disable_slat disable_clat "
	"log_hist_coarseness kb_base";

static bool kind_has(const char *list, const char *word)
{
	return list && text_lists(list, word, strlen(word));
}

bool kind_reads(const struct work_kind *kind, const char *option)
{
	const struct job_option *o = job_option_find(option);

	/* Every kind accepts options without effect. */
	if (kind_has(kind_common, option) || (o && o->class != JOB_ACTED))
		return true;
	if (kind->options)
		return kind_has(kind->options, option) ||
		       kind_has(kind->of_io, option);
	for (size_t i = 0; i < n_work_kinds; i++)
		if (kind_has(work_kinds[i]->options, option))
			return false;
	return true;
}

int kind_check_exec(const struct job *job, const struct allow_list *allow,
		    const char *what)
{
	static const char *const command[] = { "kind",	"program", "arguments",
					       "exec",	"shell",   "prepare",
					       "cleanup" };
	bool own = job->by_operator;

	for (size_t i = 0; i < ARRAY_SIZE(command); i++)
		own &= !job_is_foreign(job, command[i]);
	if ((allow && allow->exec) || own)
		return 0;
	return job_fail(job, EPERM,
			"kind=%s runs %s; give --allow-exec to permit it",
			job->kind, what);
}

bool kind_runs_program(const struct job *job)
{
	const struct work_kind *kind;

	return kind_find(job, &kind) == 0 &&
	       (kind->runs_programs || (kind == &kind_startup && job->program));
}

const char *kind_figure(const struct job *job, size_t i, char name[32],
			int *better)
{
	const struct work_kind *kind;
	const char *program, *own;
	size_t n = 0;

	if (kind_find(job, &kind) < 0)
		return NULL;
	program = kind->profile			   ? kind->profile
		  : kind == &kind_exec && job->program ? job->program
						   : kind->name;
	while (profile_figure(job, program, n, name, better))
		if (n++ == i)
			return name;
	*better = 0;
	for (own = kind->figures; own && *own; own += strspn(own, " ")) {
		size_t length = strcspn(own, " ");

		if (n++ == i) {
			snprintf(name, 32, "%.*s", (int)length, own);
			return name;
		}
		own += length;
	}
	return NULL;
}

/* The words of a list, by commas. */
static void kind_commas(const char *list, char *buf, size_t size)
{
	size_t n = 0;

	for (; list && *list && n + 3 < size; list++) {
		buf[n++] = *list == ' ' ? ',' : *list;
		if (*list == ' ')
			buf[n++] = ' ';
	}
	buf[n] = '\0';
}

int kind_refuse(const struct work_kind *kind, const char *job,
		const char *option)
{
	char own[400];

	kind_commas(kind->options, own, sizeof(own));
	return fail(EINVAL, "job %s: kind=%s does not read %s%s%s", job,
		    kind->name, option,
		    *own ? "; besides the options of all kinds, it reads "
			 : "; another kind has this option",
		    own);
}

static const char *kind_name_at(size_t i, const void *arg)
{
	return work_kinds[i]->name;
}

static const struct work_kind *find(const struct job *job)
{
	const bool by_engine = !strcmp(job->kind, kind_io.name);
	const struct work_kind *found = NULL;

	for (size_t i = 0; i < n_work_kinds; i++) {
		const struct work_kind *k = work_kinds[i];

		if (by_engine && k->fio_engine &&
		    text_lists(k->fio_engine, job->engine,
			       strlen(job->engine)))
			return k;
		if (!strcmp(k->name, job->kind))
			found = k;
	}
	return found;
}

int kind_find(const struct job *job, const struct work_kind **out)
{
	const struct work_kind *kind = find(job);

	if (!kind)
		return job_fail(job, EINVAL,
				"there is no kind of work %s%s; iodyno list "
				"kinds shows all kinds",
				job->kind,
				text_did_you_mean("", text_closest(
							      job->kind,
							      n_work_kinds,
							      kind_name_at,
							      NULL))
					.text);
	for (size_t i = 0; i < job->n_given; i++)
		if (!job->given[i].global &&
		    !kind_reads(kind, job->given[i].name))
			return kind_refuse(kind, job->name, job->given[i].name);
	*out = kind;
	return 0;
}

unsigned kind_job_ops(const struct job *job)
{
	const struct work_kind *kind;
	unsigned ops;

	if (kind_find(job, &kind) < 0)
		return 0;
	if (kind != &kind_io)
		return kind->ops;
	ops = job_dirs(job);
	if (job->verify)
		ops |= 1u << JOB_READ | 1u << JOB_VERIFY;
	if (job->fsync_every || job->fdatasync_every || job->range_flags ||
	    job->end_fsync || job->end_syncfs || job->fsync_on_close)
		ops |= 1u << JOB_SYNC;
	return ops & kind->ops;
}

int kind_give_scratch(struct job *job, const char *path)
{
	const struct work_kind *kind = find(job);

	if (kind && !kind_reads(kind, "filename"))
		return job_fail(job, EINVAL,
				"kind=%s takes no target, so it has no use for "
				"--scratch; leave --scratch out, and give %s",
				kind->name,
				kind_reads(kind, "directory")
					? "--directory=DIR instead"
					: "the device with its knob, such as "
					  "sda.scheduler");
	return job_set(job, "filename", path);
}

int kind_settle(struct job *job, const struct work_kind **out)
{
	int rc = kind_find(job, out);

	if (rc)
		return rc;
	/* The job may name its kind by fio's ioengine. */
	text_set(job->kind, (*out)->name);
	if ((*out)->settle)
		(*out)->settle(job);
	return 0;
}

int kind_plan(const struct work_kind *kind, struct workload *w,
	      struct worker *k, uint64_t seed)
{
	if (kind->state) {
		k->work = xshared(kind->state);
		k->limit_bytes = UINT64_MAX;
		random_seed(&k->random, seed);
	}
	return kind->plan(w, k, seed);
}

void kind_release(const struct work_kind *kind, struct worker *k)
{
	if (kind->release)
		kind->release(k);
	if (!kind->state)
		return;
	xshared_free(k->work, kind->state);
	k->work = NULL;
	free(k->region);
	k->region = NULL;
	k->n_regions = 0;
}

char *kind_summary(const struct clones *c)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = c->kind->summary ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	c->kind->summary(c, out);
	fclose(out);
	if (size)
		return text;
	free(text);
	return NULL;
}

const char *kind_name(size_t i, const char **help)
{
	if (i >= n_work_kinds)
		return NULL;
	*help = work_kinds[i]->help;
	return work_kinds[i]->name;
}

bool kind_poll(struct worker *w, struct pollfd *p, unsigned n,
	       uint64_t until_ns)
{
	uint64_t now_ns = clock_mono_ns(), ns = WAIT_NS;
	struct timespec ts;

	/* Of a job that was stopped it stays readable. */
	p[n] = (struct pollfd){ .fd = worker_stopped(w) ? -1 : *w->stop_fd,
				.events = POLLIN };
	if (until_ns < now_ns + ns)
		ns = until_ns > now_ns ? until_ns - now_ns : 0;
	ts = clock_timespec(ns);
	return ppoll(p, n + 1, &ts, NULL) > 0;
}

bool kind_wait(struct worker *w, int fd, uint64_t until_ns)
{
	struct pollfd p[2] = { { .fd = fd, .events = POLLIN } };

	return kind_poll(w, p, 1, until_ns) && p[0].revents;
}

/* --- readings: a ring in shared memory, with one writer and one reader --- */

#define ROOM  256u /* a power of two */
#define NAMES 64u  /* names with a count of readings of intervals */

struct slot {
	char name[32];
	double value;
	int better;
	bool final, phase;
	unsigned number; /* of a final reading: the number of readings of
			  * intervals before it */
	char text[120];
};

struct readings {
	_Atomic uint32_t written, taken;
	struct slot slot[ROOM];
	/* the worker's own */
	struct {
		char name[32];
		unsigned n;
	} count[NAMES];
};

void kind_readings_open(struct worker *w)
{
	w->readings = xshared(sizeof(struct readings));
}

void kind_readings_free(struct worker *w)
{
	xshared_free(w->readings, sizeof(struct readings));
	w->readings = NULL;
}

static bool full(struct readings *r)
{
	return atomic_load(&r->written) - atomic_load(&r->taken) >= ROOM;
}

static void kind_put(struct worker *w, const struct slot *slot, bool wait)
{
	struct readings *r = w->readings;
	uint64_t until_ns = clock_mono_ns() + NS_PER_S;

	while (full(r) && wait && clock_mono_ns() < until_ns)
		(void)kind_wait(w, -1, clock_mono_ns() + 10000000);
	if (full(r))
		return;
	r->slot[atomic_load(&r->written) % ROOM] = *slot;
	atomic_fetch_add(&r->written, 1);
	stages_notify(w->barrier);
}

/*
 * The count of the readings of intervals with that name; names beyond the last
 * entry share it.
 */
static unsigned *kind_count_of(struct readings *r, const char *name)
{
	unsigned i = 0;

	while (i < NAMES - 1 && *r->count[i].name &&
	       strcmp(r->count[i].name, name) != 0)
		i++;
	text_set(r->count[i].name, name);
	return &r->count[i].n;
}

void kind_metric(struct worker *w, const char *name, double value, int better,
		 bool final)
{
	struct slot slot = { .value = value, .better = better, .final = final };
	unsigned *n;

	if (!isfinite(value) || (!final && !kind_files_is_run(w)))
		return;
	text_set(slot.name, name);
	n = kind_count_of(w->readings, slot.name);
	if (final) {
		slot.number = *n;
		*n = 0;
	} else {
		++*n;
	}
	kind_put(w, &slot, final);
}

void kind_phase(struct worker *w, const char *text)
{
	struct slot slot = { .phase = true };

	text_set(slot.text, text);
	text_clean(slot.text);
	kind_put(w, &slot, true);
}

static bool kind_take(struct readings *r, struct slot *out)
{
	uint32_t at = atomic_load(&r->taken);

	if (atomic_load(&r->written) == at)
		return false;
	*out = r->slot[at % ROOM];
	atomic_store(&r->taken, at + 1);
	return true;
}

/*
 * Keep the newest reading of each name; a result of a whole run counts only if
 * there are no results of intervals.
 */
static void kind_remember(struct clones_told *t, const struct slot *slot)
{
	unsigned i = 0;

	if (slot->final && slot->number)
		return;
	while (i < t->n && strcmp(t->of[i].name, slot->name) != 0)
		i++;
	if (i == JOB_TOLD)
		return;
	text_set(t->of[i].name, slot->name);
	t->of[i].value = slot->value;
	t->n += i == t->n;
}

bool kind_readings_event(struct clones *c, struct event *e)
{
	struct slot slot;
	unsigned i = 0;

	while (i < c->n && !(c->worker[i]->readings &&
			     kind_take(c->worker[i]->readings, &slot)))
		i++;
	if (i == c->n)
		return false;
	memset(e, 0, sizeof(*e));
	e->kind = slot.phase ? EVENT_MARK : EVENT_METRIC;
	text_set(e->job, job_id(c->job));
	text_set(e->text, slot.text);
	e->cell = c->job->cell;
	if (slot.phase)
		return true;
	kind_remember(&c->newest, &slot);
	text_set(e->name, slot.name);
	e->value = slot.value;
	e->better = slot.better;
	e->final = slot.final;
	e->number = slot.number;
	return true;
}

/* --- kinds that use files as a whole --- */

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
		return job_fail(job, EINVAL,
				"kind=%s cannot use the device %s: %s",
				k->kind->name, path,
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
		good = !descriptor_write(t->fd, buf, block, (off_t)at);
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

bool kind_wait_ramp(struct worker *w)
{
	bool good = true;

	while (good && !kind_files_is_run(w)) {
		(void)kind_wait(w, -1, w->deadline_ns);
		good = worker_tick(w);
	}
	return good;
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

int kind_files_buffer(struct worker *w, uint64_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t whole = (bytes + page - 1) / page * page;
	void *buf = NULL;

	if (posix_memalign(&buf, page, whole))
		return job_fail(w->job, ENOMEM,
				"no memory for %zu bytes of buffers", whole);
	w->buffers = memset(buf, 0, whole);
	return 0;
}

int kind_files_prepare(struct worker *w, bool whole, const char *remedy)
{
	const struct region *r = &w->region[0];
	const uint64_t block = w->job->bs[0].max;
	const int rc = kind_files_buffer(w, block);
	struct stat st;

	if (rc)
		return rc;
	if (w->job->fileio.random_fill)
		layout_fill(&w->random, w->buffers, block);
	if (w->job->invalidate)
		kind_files_evict(r->fd);
	if (!whole || fstat(r->fd, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size >= r->bytes)
		return 0;
	return job_fail(w->job, EINVAL,
			"%s has %llu bytes and the job needs %llu; %s",
			r->target->path, (unsigned long long)st.st_size,
			(unsigned long long)r->bytes, remedy);
}

bool kind_files_failed(struct worker *w, unsigned op, ssize_t moved,
		       const char *path, uint64_t offset)
{
	int code = moved < 0 ? errno : EIO;

	counter_error(w->count, code);
	if (w->job->continue_on_error)
		return true;
	if (moved < 0)
		worker_fail(
			w, "job %s: %s at offset %llu of %.200s failed: %s%s",
			w->job->name, job_ops[op].words,
			(unsigned long long)offset,
			path, strerror(code),
			code == ENOSPC ? "; free some space or make less data"
				       : "");
	else
		worker_fail(w,
			    "job %s: %s at offset %llu of %.200s moved %zd "
			    "bytes only; is the file as long as the job needs?",
			    w->job->name, job_ops[op].words,
			(unsigned long long)offset,
			    path, moved);
	return false;
}
