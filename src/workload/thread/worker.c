/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Worker: the life of a thread or process around its loop. */
#include "workload/thread/worker.h"

#include <errno.h>
#include <linux/mman.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/kernel.h"
#include "model/job/job_kind.h"
#include "workload/kind/kind.h"
#include "workload/thread/hook.h"
#include "workload/verify/verify.h"

/* --- CPU affinity and priority --- */

bool worker_cmdprio_wanted(const struct job *job)
{
	return job->cmdprio_split || job->cmdprio_pct[JOB_READ] ||
	       job->cmdprio_pct[JOB_WRITE];
}

static void worker_add(struct cmdprio *p, unsigned dir, uint64_t bytes,
		       double pct, unsigned class, unsigned level)
{
	size_t cap = p->n[dir];
	struct prio_part *part;

	part = xadd(p->part[dir], p->n[dir], cap);
	part->bytes = bytes;
	part->below = pct >= 100 ? UINT64_MAX : (uint64_t)(pct / 100 * 0x1p64);
	part->value = (uint16_t)((class ? class : IOPRIO_CLASS_RT)
					 << IOPRIO_CLASS_SHIFT |
				 level);
}

static int add_split(struct cmdprio *p, const struct job *job, unsigned dir)
{
	char *text = job_direction_piece(job->cmdprio_split, dir);
	struct job_split split;
	int rc = job_prios_parse(text, job->kb_base, &split);

	for (size_t i = 0; rc == 0 && i < split.n; i++)
		worker_add(p, dir, split.part[i].bytes, split.part[i].pct,
			   split.part[i].has_prio ? split.part[i].class
						  : job->cmdprio_class[dir],
			   split.part[i].has_prio ? split.part[i].level
						  : job->cmdprio[dir]);
	free(text);
	return rc;
}

struct cmdprio *worker_cmdprio_new(const struct job *job, uint64_t seed)
{
	struct cmdprio *p = xcalloc(1, sizeof(*p));

	random_seed(&p->random, seed);
	for (unsigned dir = JOB_READ; dir <= JOB_WRITE; dir++) {
		if (!job->cmdprio_split) {
			worker_add(p, dir, 0, job->cmdprio_pct[dir],
				   job->cmdprio_class[dir], job->cmdprio[dir]);
		} else if (add_split(p, job, dir)) {
			worker_cmdprio_free(p);
			return NULL;
		}
	}
	return p;
}

void worker_cmdprio_free(struct cmdprio *p)
{
	for (unsigned dir = 0; p && dir < JOB_DIRS; dir++)
		free(p->part[dir]);
	free(p);
}

uint16_t worker_cmdprio_next(struct cmdprio *p, unsigned dir, uint64_t bytes)
{
	uint64_t draw = random_next(&p->random);

	for (size_t i = 0; i < p->n[dir]; i++) {
		const struct prio_part *part = &p->part[dir][i];

		if (part->bytes && part->bytes != bytes)
			continue;
		if (draw < part->below || part->below == UINT64_MAX)
			return part->value;
		draw -= part->below;
	}
	return 0;
}

/* Read a number of a list of CPUs; -1: there is none. */
static long cpu_number(const char **p)
{
	char *end;
	long n;

	if (**p < '0' || **p > '9')
		return -1;
	n = strtol(*p, &end, 10);
	*p = end;
	return n < CPU_SETSIZE ? n : -1;
}

/* "0,2-5"; fio takes ':' for a comma as well. */
static bool worker_parse_cpus(const char *p, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (;;) {
		long from = cpu_number(&p), to = from;

		if (*p == '-') {
			p++;
			to = cpu_number(&p);
		}
		if (from < 0 || to < from)
			return false;
		for (long i = from; i <= to; i++)
			CPU_SET((size_t)i, set);
		if (!*p)
			return true;
		if (*p != ',' && *p != ':')
			return false;
		p++;
	}
}

/* Policy split: the clones take the CPUs in turns, one each. */
static void keep_one(cpu_set_t *set, unsigned which)
{
	unsigned n = (unsigned)CPU_COUNT(set), seen = 0;

	for (size_t i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, set) && seen++ != which % n)
			CPU_CLR(i, set);
}

static int set_cpus(const struct worker *w)
{
	const struct job *job = w->job;
	cpu_set_t set;

	if (!worker_parse_cpus(job->cpus_allowed, &set))
		return job_fail(
			job, EINVAL,
			"cpus_allowed=%s is not a list of CPUs, such as 0,2-5",
			job->cpus_allowed);
	if (job->cpus_split)
		keep_one(&set, w->jobnum);
	if (sched_setaffinity(0, sizeof(set), &set))
		return job_fail(
			job, errno,
			"cannot run on the CPUs %s: %s; lscpu lists the CPUs",
			job->cpus_allowed, strerror(errno));
	return 0;
}

/* The sentence of a refused priority; suggest root if rights are missing. */
static int worker_refused(const struct job *job, const char *what)
{
	int error = errno;
	char rerun[FAIL_ROOT_MAX] = "";

	if (error == EPERM || error == EACCES)
		fail_as_root(rerun, sizeof(rerun));
	return job_fail(job, error, "%s was refused: %s%s", what,
			strerror(error), rerun);
}

/* ioprio_set(2): class 1 realtime, 2 best effort, 3 idle. */
static int set_ioprio(const struct job *job)
{
	int class = job->ioprio_class ? job->ioprio_class : IOPRIO_CLASS_BE;
	char what[64];

	if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
		    class << IOPRIO_CLASS_SHIFT | job->ioprio) == 0)
		return 0;
	snprintf(what, sizeof(what), "I/O priority class %d level %d", class,
		 job->ioprio);
	return worker_refused(job, what);
}

/* Set the CPUs, nice value and I/O priority of this thread. */
static int set_priority(struct worker *w)
{
	const struct job *job = w->job;
	char what[32];
	int rc = 0;

	/* Sleeps that wait for an arrival must end on time. */
	prctl(PR_SET_TIMERSLACK, 1);
	if (job->cpus_allowed)
		rc = set_cpus(w);
	/* On Linux this applies to the thread alone. */
	snprintf(what, sizeof(what), "nice=%d", job->nice);
	if (rc == 0 && job->nice && setpriority(PRIO_PROCESS, 0, job->nice))
		rc = worker_refused(job, what);
	if (rc == 0 && (job->ioprio_class || job->ioprio))
		rc = set_ioprio(job);
	return rc;
}

/* --- the thread --- */

#define STACK_BYTES (1u << 20)

void worker_set_phase(struct worker *w, enum phase phase)
{
	atomic_store_explicit(&w->phase, phase, memory_order_release);
	stages_notify(w->barrier);
}

/*
 * Set the phase first: once workload_done() is true, the event "done" can be
 * taken.
 */
void worker_set_over(struct worker *w)
{
	atomic_store_explicit(&w->phase, PHASE_DONE, memory_order_release);
	atomic_store_explicit(&w->over, true, memory_order_release);
	stages_notify(w->barrier);
}

void worker_note(struct worker *w, const char *fmt, ...)
{
	va_list ap;

	if (atomic_load_explicit(&w->noted, memory_order_relaxed))
		return;
	va_start(ap, fmt);
	vsnprintf(w->note, sizeof(w->note), fmt, ap);
	va_end(ap);
	atomic_store_explicit(&w->noted, true, memory_order_release);
	stages_notify(w->barrier);
}

void worker_fail(struct worker *w, const char *fmt, ...)
{
	va_list ap;

	/* The main thread may report an error, too. */
	if (!atomic_exchange(&w->failing, true)) {
		va_start(ap, fmt);
		vsnprintf(w->words, sizeof(w->words), fmt, ap);
		va_end(ap);
		w->failed_ns = clock_mono_ns();
		atomic_store_explicit(&w->failed, true, memory_order_release);
	}
	stages_set_stop(w->stop, w->stop_fd ? *w->stop_fd : -1);
	/* Clones may wait for startdelay. */
	stages_wake(w->barrier);
	stages_notify(w->barrier);
}

/* Do all work before the first I/O; false: the worker must end. */
static bool get_ready(struct worker *w)
{
	if (set_priority(w))
		worker_fail(w, "%s", fail_sentence());
	/* The plan set this phase without an event: report it now. */
	if (w->n_layout)
		worker_set_phase(w, PHASE_LAYOUT);
	for (unsigned i = 0; i < w->n_layout && !worker_stopped(w); i++)
		layout_write(w, w->layout[i]);
	worker_set_phase(w, PHASE_WAIT);
	if (!stages_wait_turn(w))
		return false;
	stopwatch_begin(&w->watch, w->ticks);
	if (!hook_run(w, w->job->exec_prerun, "exec_prerun", true))
		return false;
	if (w->kind->prepare && w->kind->prepare(w)) {
		worker_fail(w, "%s", fail_sentence());
		return false;
	}
	return stages_wait_start(w);
}

static void begin_thread(struct worker *w)
{
	char name[16];
	clockid_t clock;

	snprintf(name, sizeof(name), "iodyno-%.8s", w->job->name);
	pthread_setname_np(pthread_self(), name);
	atomic_store(&w->tid, (int)syscall(SYS_gettid));
	/*
	 * The main thread can read only the clock of another process as a
	 * whole; it counts for the job, see workload_sample.c.
	 */
	if (w->host == w &&
	    (w->process ? clock_getcpuclockid(getpid(), &clock)
			: pthread_getcpuclockid(pthread_self(), &clock)) == 0)
		atomic_store(&w->cpu_clock, clock);
}

/* The reading back of verify does not belong to the run. */
static void end_usage(struct worker *w)
{
	const struct job_usage_raw now = process_usage(RUSAGE_THREAD),
				   was = w->usage;

	w->usage = w->children;
	process_usage_add(&w->usage, &was, &now);
}

void *worker_main(void *arg)
{
	struct worker *w = arg;

	begin_thread(w);
	if (get_ready(w)) {
		w->usage = process_usage(RUSAGE_THREAD);
		w->kind->run(w);
		end_usage(w);
		if (w->kind->finish)
			w->kind->finish(w);
		(void)hook_run(w, w->job->exec_postrun, "exec_postrun",
			       true);
	}
	if (w->kind->unprepare)
		w->kind->unprepare(w);
	/* Those of the kind io are no memory of their own. */
	if (w->kind->state) {
		free(w->buffers);
		w->buffers = NULL;
	}
	counter_set(&w->cpu_ns, clock_read_ns(CLOCK_THREAD_CPUTIME_ID));
	stages_over(w);
	worker_set_over(w);
	return NULL;
}

int worker_start_thread(struct worker *w)
{
	pthread_attr_t attr;
	int rc;

	/* The default follows ulimit -s, which may be too small. */
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&w->thread, &attr, worker_main, w);
	pthread_attr_destroy(&attr);
	if (rc)
		return job_fail(w->job, rc, "cannot start a thread: %s",
				strerror(rc));
	return 0;
}

static size_t worker_round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Map memory of the kind that the job asks for: huge pages have their size. */
static int worker_map(struct worker *w, size_t bytes)
{
	const struct job *job = w->job;
	bool huge = job->memory >= MEMORY_HUGE;
	unsigned log = (unsigned)__builtin_ctzll(job->huge_page_bytes);
	int flags = MAP_ANONYMOUS | MAP_POPULATE;

	flags |= job->memory == MEMORY_SHARED ||
				 job->memory == MEMORY_SHARED_HUGE
			 ? MAP_SHARED
			 : MAP_PRIVATE;
	if (huge)
		flags |= MAP_HUGETLB | (int)(log << MAP_HUGE_SHIFT);
	w->memory_bytes =
		huge ? worker_round_up(bytes, job->huge_page_bytes) : bytes;
	w->memory = mmap(NULL, w->memory_bytes, PROT_READ | PROT_WRITE, flags,
			 -1, 0);
	if (w->memory != MAP_FAILED)
		return 0;
	w->memory = NULL;
	if (huge)
		return job_fail(
			job, ENOMEM,
			"no huge pages of %llu bytes for %zu bytes of buffers: "
			"%s; raise vm.nr_hugepages, or give mem=malloc",
			(unsigned long long)job->huge_page_bytes, bytes,
			strerror(errno));
	return job_fail(job, ENOMEM,
			"no memory for %u buffers of %zu bytes; lower iodepth, "
			"bs or numjobs",
			w->depth, w->stride);
}

/*
 * Make buffers that begin at pages. Buffers of writes are filled once, and all
 * pages are touched now, so that the run has no page faults.
 */
static int make_buffers(struct worker *w)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t align = w->job->memory_align > page ? w->job->memory_align : 0;
	int rc;

	w->stride = worker_round_up(job_max_block(w->job), page);
	w->buffers_bytes = w->stride * w->depth;
	if (w->mixed && w->job->verify == VERIFY_NONE)
		w->buffers_bytes *= 2;
	rc = worker_map(w, w->buffers_bytes + align);
	if (rc)
		return rc;
	w->buffers = w->memory;
	if (align)
		w->buffers += -(uintptr_t)w->memory & (align - 1);
	w->write_buffers = w->buffers + w->buffers_bytes - w->stride * w->depth;
	for (int i = 0; i < 2; i++)
		w->mix_buffers[i] = w->mix_op[i] == JOB_READ ? w->buffers
							     : w->write_buffers;
	for (unsigned i = 0; i < w->depth && job_writes(w->job); i++)
		data_fill(&w->data, w->write_buffers + i * w->stride,
			  w->stride);
	return 0;
}

void worker_make_ios(struct worker *w)
{
	w->ios = xcalloc(w->depth, sizeof(*w->ios));
	w->free = xcalloc(w->depth, sizeof(struct io *));
	w->pending = xcalloc(w->depth, sizeof(struct io *));
	w->done = xcalloc(w->depth, sizeof(struct io *));
	for (unsigned i = 0; i < w->depth; i++) {
		w->ios[i].slot = i;
		w->free[w->depth - 1 - i] = &w->ios[i];
	}
	w->n_free = w->depth;
}

/* Set the share of reads of a mix, in per cent. */
static void worker_set_mix(struct worker *w, unsigned read_pct)
{
	unsigned __int128 below = ((unsigned __int128)read_pct << 64) / 100;

	/* All but one draw in 2^64 lie below the greatest number. */
	w->read_below = below > UINT64_MAX ? UINT64_MAX : (uint64_t)below;
}

static void set_mix(struct worker *w)
{
	unsigned dirs = job_dirs(w->job);
	unsigned pct = atomic_load_explicit(&w->control->rwmixread,
					    memory_order_relaxed);

	w->only = (uint8_t)__builtin_ctz(dirs);
	w->other = (uint8_t)(31 - __builtin_clz(dirs));
	/*
	 * The mix may change while the job runs, even if it is not a mix now.
	 */
	w->mixed = w->only != w->other;
	worker_set_mix(w, pct);
	w->mix_op[0] = w->only;
	w->mix_op[1] = w->other;
	w->stamped = data_stamped(w->job);
}

void worker_free_ios(struct worker *w)
{
	free(w->ios);
	free(w->free);
	free(w->pending);
	free(w->done);
	w->ios = NULL;
	w->free = w->pending = w->done = NULL;
}

int worker_open_engine(struct worker *w, const struct engine *e,
		       const struct region *region, unsigned n)
{
	struct engine_setup setup = {
		.depth = w->depth,
		.job = w->job,
		.buffers = w->buffers,
		.stride = w->stride,
		.buffers_bytes = w->buffers_bytes,
		.n_fds = n,
		.range_flags = w->job->range_flags,
	};
	int *fd = xcalloc(n, sizeof(*fd)), rc;

	for (unsigned i = 0; i < n; i++)
		fd[i] = region[i].fd;
	setup.fd = fd;
	rc = e->open(&w->state, &setup);
	free(fd);
	return rc;
}

static int open_engine(struct worker *w)
{
	return worker_open_engine(w, w->engine, w->region, w->n_regions);
}

static void set_batches(struct worker *w)
{
	const struct job *job = w->job;

	w->batch = job->iodepth_batch && job->iodepth_batch < w->depth
			   ? job->iodepth_batch
			   : w->depth;
	w->batch_complete = job->iodepth_batch_complete < w->depth
				    ? job->iodepth_batch_complete
				    : w->depth;
	/* As fio: no less than the minimum, and one while full. */
	w->batch_complete_max =
		job->iodepth_batch_complete_max > w->batch_complete
			? job->iodepth_batch_complete_max
			: w->batch_complete;
	if (!w->batch_complete_max)
		w->batch_complete_max = 1;
	w->low = job->iodepth_low && job->iodepth_low < w->depth
			 ? job->iodepth_low
			 : w->depth;
}

static int worker_make_room(struct worker *w)
{
	int rc = make_buffers(w);

	if (rc)
		return rc;
	worker_make_ios(w);
	set_batches(w);
	source_choose(w);
	rate_take(w);
	filter_begin(w);
	filter_connect(w);
	return open_engine(w);
}

int worker_prepare(struct worker *w)
{
	int rc;

	set_mix(w);
	w->timed_submit = w->engine->async && !w->engine->merged;
	w->most_depth =
		w->engine->direct_only && !w->job->direct ? 1 : UINT32_MAX;
	/* A number that no earlier run used, so that stale data is detected. */
	w->serial = clock_wall_ns();
	w->pass_bytes = 0;
	for (unsigned i = 0; i < w->n_regions; i++)
		w->pass_bytes += w->region[i].bytes;
	w->pass_left = w->pass_bytes;
	w->tolerance = worker_errors_open(w->job);
	rc = verify_open(w);
	return rc ? rc : worker_make_room(w);
}

static void worker_free_room(struct worker *w)
{
	if (w->state)
		w->engine->close(w->state);
	w->state = NULL;
	if (w->memory)
		munmap(w->memory, w->memory_bytes);
	w->memory = w->buffers = w->write_buffers = NULL;
	worker_free_ios(w);
}

void worker_unprepare(struct worker *w)
{
	verify_close(w);
	worker_errors_close(w->tolerance);
	w->tolerance = NULL;
	worker_free_room(w);
}

/* --- rate, depth and mix of a running job --- */

/*
 * The main thread writes struct control (workload_control.c) and increments
 * its serial; each worker checks the serial once per round and reads the rest.
 */
void worker_init_control(struct worker *w)
{
	const struct job *job = w->job;
	struct control *c = w->control;

	atomic_store(&c->iodepth, w->depth);
	atomic_store(&c->rwmixread, job->rwmixread);
	rate_set_up(c, job);
}

/*
 * Make room for another depth while nothing is in flight; restore the old depth
 * when that fails.
 */
static void resize(struct worker *w, unsigned depth)
{
	unsigned old = w->depth;

	worker_free_room(w);
	w->depth = depth;
	if (worker_make_room(w) == 0)
		return;
	worker_note(w, "job %s: iodepth stays %u: %.140s", w->job->name, old,
		    fail_sentence());
	worker_free_room(w);
	w->depth = old;
	atomic_store(&w->control->iodepth, old);
	if (worker_make_room(w))
		worker_fail(w, "%s", fail_sentence());
}

void worker_reopen(struct worker *w)
{
	w->engine->close(w->state);
	w->state = NULL;
	for (unsigned i = 0; i < w->depth; i++)
		w->ios[i].kept = false;
	if (open_engine(w))
		worker_fail(w, "%s", fail_sentence());
}

static unsigned make_nothing(struct worker *w, unsigned room)
{
	return 0;
}

void worker_take_control(struct worker *w)
{
	uint32_t serial =
		atomic_load_explicit(&w->control->serial, memory_order_acquire);
	uint32_t depth = atomic_load(&w->control->iodepth);

	/* Verification must use the settings of the writes. */
	if (atomic_load_explicit(&w->phase, memory_order_relaxed) ==
	    PHASE_VERIFY) {
		w->control_seen = serial;
		return;
	}
	if (depth != w->depth) {
		if (w->in_flight || w->n_pending) {
			w->holding = true;
			w->make = make_nothing;
			w->burst = NULL;
			w->due_ns = 0;
			return;
		}
		resize(w, depth);
	} else if (w->holding) {
		/* The depth did not change: continue. */
		if (w->in_flight || w->n_pending)
			return;
		resize(w, depth);
	}
	w->holding = false;
	worker_set_mix(w, atomic_load(&w->control->rwmixread));
	rate_take(w);
	filter_connect(w);
	w->control_seen = serial;
}
