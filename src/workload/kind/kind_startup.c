/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind startup: how long an application takes to start, cold, again and again,
 * beside the load that other jobs make. The application is a command, or the
 * reads of a start that startup_trace.c makes with the counts of a real one.
 *
 * The protocol is that of comm_startup_lat of the S suite: a transient of 13 s
 * (the ramp), a sync every 2 s where other jobs write, and per start 3 s and 1 s
 * of rest, dropped caches, the start on the clock, 2 s more where it was
 * short. A start that takes too long ends the job: there is no mean then.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/root.h"
#include "base/text.h"
#include "model/stats/probability.h"
#include "workload/kind/kind.h"
#include "workload/kind/program.h"
#include "workload/kind/startup_trace.h"
#include "workload/thread/clones.h"

#define STARTS	   1000
#define TRANSIENT  (13 * NS_PER_S)
#define SHORT_NS   (2 * NS_PER_S)  /* a start below it is followed by a rest */
#define GIVE_UP_NS (40 * NS_PER_S) /* for a rest of a few seconds */

/* Shared with the main thread. */
struct startup {
	struct program program;
	struct startup_trace *trace; /* NULL: a command */
	pthread_t syncer;
	bool syncs;	       /* syncer runs */
	atomic_bool sync_over;
	bool evicts; /* caches cannot be dropped as a whole */
	uint64_t ns[STARTS];
	unsigned n;
	uint64_t late_ns; /* of the start that took too long; 0: none did */
};

static void kind_startup_settle(struct job *job)
{
	if (!job_was_given(job, "ramp_time"))
		job->ramp_ns = TRANSIENT;
	if (!job->program)
		job->rw = RW_RW;
}

static int plan_command(struct startup *s, const struct job *job)
{
	s->program.keeps = true;
	if (program_set(&s->program, job, job->program,
			job->arguments ? job->arguments : "", NULL))
		return 0;
	return job_fail(job, EINVAL,
			"cannot run the program %s: it is not there or not "
			"executable; give its path",
			job->program);
}

static int kind_startup_plan(struct workload *w, struct worker *k,
			     uint64_t seed)
{
	const struct job *job = k->job;
	struct startup *s = k->work;

	k->limit_ios = job->number_ios ? job->number_ios : 3;
	if (k->limit_ios > STARTS)
		return job_fail(job, EINVAL, "number_ios=%llu is more than %d",
				(unsigned long long)k->limit_ios, STARTS);
	kind_readings_open(k);
	if (job->program)
		return plan_command(s, job);
	s->trace = startup_trace_new(job->startup.trace);
	return kind_files_add_directory(w, k, startup_trace_bytes(s->trace),
					false);
}

static void kind_startup_release(struct worker *k)
{
	struct startup *s = k->work;

	startup_trace_free(s->trace);
	program_free(&s->program);
}

static int kind_startup_check(const struct clones *c,
			      const struct allow_list *allow)
{
	char what[300];

	if (!c->job->program)
		return 0;
	snprintf(what, sizeof(what), "the command %.280s", c->job->program);
	return kind_check_exec(c->job, allow, what);
}

static int kind_startup_prepare(struct worker *w)
{
	struct startup *s = w->work;

	return s->trace ? startup_trace_open(s->trace, w)
			: program_open(w, &s->program);
}

static void kind_startup_unprepare(struct worker *w)
{
	struct startup *s = w->work;

	if (s->trace)
		startup_trace_close(s->trace, w);
	program_close(&s->program);
}

/* --- syncs of the file system --- */

static bool others_write(const struct clones *c)
{
	for (size_t i = 0; i < c->all->n; i++)
		if (&c->all->clones[i] != c && job_writes(c->all->clones[i].job))
			return true;
	return false;
}

/* Sync the file system under test in the interval that the job sets. */
static void *sync_now_and_then(void *arg)
{
	struct worker *w = arg;
	struct startup *s = w->work;
	char *dir = target_directory(w->job, w->jobnum);
	int fd = w->n_regions ? dup(w->region[0].fd)
			      : open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t next_ns = 0;

	while (fd >= 0 && !atomic_load(&s->sync_over)) {
		if (clock_mono_ns() >= next_ns) {
			(void)syncfs(fd);
			next_ns = clock_mono_ns() + w->job->startup.sync_ns;
		}
		clock_pause_ns(100000000);
	}
	descriptor_close(fd);
	free(dir);
	return NULL;
}

static void begin_syncs(struct worker *w)
{
	struct startup *s = w->work;

	if (!w->job->startup.sync_ns || !others_write(w->clones))
		return;
	s->syncs = !pthread_create(&s->syncer, NULL, sync_now_and_then, w);
}

static void end_syncs(struct startup *s)
{
	atomic_store(&s->sync_over, true);
	if (s->syncs)
		pthread_join(s->syncer, NULL);
	s->syncs = false;
}

/* --- cold --- */

static int evict_file(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	int fd = type == FTW_F && S_ISREG(st->st_mode)
			 ? open(path, O_RDONLY | O_CLOEXEC |
					      O_NONBLOCK | O_NOCTTY)
			 : -1;

	if (fd >= 0) {
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
	}
	return 0;
}

/*
 * Files and whole folders of startup-files, without what is mounted below them
 * (/proc and /sys below /), and the program itself.
 */
static void evict_files(const struct worker *w)
{
	const struct startup *s = w->work;
	char *copy = xstrdup(w->job->startup_files ? w->job->startup_files
						   : "");
	char *rest = copy, *path;

	if (s->program.path)
		(void)nftw(s->program.path, evict_file, 16, 0);
	while ((path = strsep(&rest, ":")))
		if (*path)
			(void)nftw(path, evict_file, 16, FTW_PHYS | FTW_MOUNT);
	free(copy);
}

static void make_cold(struct worker *w)
{
	const struct root *root = w->clones->all->root;
	struct startup *s = w->work;
	struct root live;
	int fd = -EPERM;

	if (w->job->startup.cold == STARTUP_WARM)
		return;
	/* A worker process has no descriptor of the main process's root. */
	if (w->job->startup.cold != STARTUP_EVICT && root && root->live &&
	    !root_open(&live, NULL)) {
		fd = root_open_file(&live, ROOT_DROP_CACHES, O_WRONLY);
		root_close(&live);
	}
	if (fd < 0 || write(fd, "3", 1) != 1) {
		s->evicts = true;
		evict_files(w);
	}
	descriptor_close(fd);
}

/* --- the run --- */

/* false: the job is over, or the machine does not answer. */
static bool rest(struct worker *w, uint64_t ns)
{
	uint64_t begin_ns = clock_mono_ns();

	do
		(void)kind_wait(w, -1, begin_ns + ns);
	while (worker_tick(w) && clock_mono_ns() < begin_ns + ns);
	if (worker_stopped(w))
		return false;
	if (clock_mono_ns() - begin_ns < ns + GIVE_UP_NS)
		return true;
	worker_fail(w, "job %s: a pause of %.1f s took %.1f s; the machine is "
		       "overloaded",
		    w->job->name, (double)ns / 1e9,
		    (double)(clock_mono_ns() - begin_ns) / 1e9);
	return false;
}

enum outcome { STARTED, TOOK_TOO_LONG, GIVEN_UP };

static enum outcome start_command(struct worker *w, uint64_t until_ns,
				  uint64_t *ns)
{
	struct startup *s = w->work;
	struct runner_result r;

	s->program.in_run = true;
	switch (program_run(w, &s->program, until_ns, &r)) {
	case PROGRAM_LATE:
		return TOOK_TOO_LONG;
	case PROGRAM_STOPPED:
		return GIVEN_UP;
	default:
		break;
	}
	*ns = r.ns;
	atomic_store(&w->exit_status,
		     r.error ? 127 : WIFEXITED(r.status) ? WEXITSTATUS(r.status)
							 : 128);
	if (!r.error && !r.status)
		return STARTED;
	counter_error(w->count, 0);
	worker_fail(w, "job %s: the command %.80s failed: %s", w->job->name,
		    w->job->program,
		    r.error ? strerror(r.error) : "its status is not 0");
	return GIVEN_UP;
}

static enum outcome kind_startup_replay(struct worker *w, uint64_t until_ns,
					uint64_t *ns)
{
	struct startup *s = w->work;
	uint64_t begin_ns = clock_mono_ns();
	int rc = startup_trace_replay(s->trace, w, until_ns);

	*ns = clock_mono_ns() - begin_ns;
	return rc == 0		 ? STARTED
	       : rc == -ETIMEDOUT ? TOOK_TOO_LONG
				  : GIVEN_UP;
}

static void count_start(struct worker *w, uint64_t ns)
{
	struct startup *s = w->work;

	s->ns[s->n++] = ns;
	latency_add(&w->count->op[JOB_COMMAND].service, ns, 1);
	kind_metric(w, "start_ns", (double)ns, -1, false);
}

static bool one_start(struct worker *w)
{
	const struct job *job = w->job;
	struct startup *s = w->work;
	uint64_t ns = 0;
	enum outcome outcome;

	if (!rest(w, job->startup.pause_ns) ||
	    !rest(w, job->startup.pause_ns / 3))
		return false;
	make_cold(w);
	outcome = (s->trace ? kind_startup_replay : start_command)(
		w, clock_mono_ns() + job->startup.timeout_ns, &ns);
	if (outcome == TOOK_TOO_LONG)
		s->late_ns = job->startup.timeout_ns;
	if (outcome != STARTED)
		return false;
	count_start(w, ns);
	return s->n >= w->limit_ios || ns >= SHORT_NS ||
	       rest(w, job->startup.pause_ns * 2 / 3);
}

static int by_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sort the times of the starts; returns their mean in ns. */
static double sort_times(struct startup *s)
{
	double sum = 0;

	qsort(s->ns, s->n, sizeof(*s->ns), by_ns);
	for (unsigned i = 0; i < s->n; i++)
		sum += (double)s->ns[i];
	return sum / s->n;
}

/* A start that took too long leaves no mean: how long it takes is not known. */
static void tell_results(struct worker *w)
{
	struct startup *s = w->work;

	kind_metric(w, "starts", s->n, 1, true);
	kind_metric(w, "timeouts", s->late_ns > 0, -1, true);
	if (s->late_ns)
		kind_metric(w, "start_longer_than_ns", (double)s->late_ns, -1,
			    true);
	if (s->late_ns || !s->n)
		return;
	kind_metric(w, "start_mean_ns", sort_times(s), -1, true);
	kind_metric(w, "start_min_ns", (double)s->ns[0], -1, true);
	kind_metric(w, "start_median_ns",
		    ((double)s->ns[(s->n - 1) / 2] + (double)s->ns[s->n / 2]) /
			    2,
		    -1, true);
	kind_metric(w, "start_max_ns", (double)s->ns[s->n - 1], -1, true);
}

/* The S suite refuses such a command: the load is not where it reads. */
static bool is_elsewhere(const struct worker *w)
{
	const struct startup *s = w->work;
	char *dir = target_directory(w->job, w->jobnum);
	struct stat program, files;
	bool differs = s->program.path && !stat(s->program.path, &program) &&
		       !stat(dir, &files) && program.st_dev != files.st_dev;

	free(dir);
	return differs;
}

/* In one sentence: a worker has one. */
static void note_limits(struct worker *w)
{
	const struct startup *s = w->work;
	const bool elsewhere = is_elsewhere(w);

	if (s->evicts || elsewhere)
		worker_note(w, "job %s: %s%s%s", w->job->name,
			    s->evicts ? "caches are not dropped as a whole, "
					"which needs root; files were evicted "
					"one by one"
				      : "",
			    s->evicts && elsewhere ? "; " : "",
			    elsewhere ? "the program is not on the device of "
					"the job's directory, so its start "
					"reads from another device"
				      : "");
}

static void kind_startup_run(struct worker *w)
{
	struct startup *s = w->work;

	kind_files_begin(w);
	begin_syncs(w);
	/* The load becomes steady in the ramp. */
	if (kind_wait_ramp(w))
		while (s->n < w->limit_ios && one_start(w))
			;
	end_syncs(s);
	kind_files_end(w);
	if (kind_files_is_run(w))
		tell_results(w);
	note_limits(w);
}

static void kind_startup_describe(const struct clones *c, char *buf,
				  size_t size)
{
	const struct startup *s = c->worker[0]->work;

	snprintf(buf, size, "%s starts of %.40s, one at a time",
		 c->job->startup.cold == STARTUP_WARM ? "warm" : "cold",
		 s->trace ? startup_trace_name(s->trace) : c->job->program);
}

/*
 * min max avg std_dev conf99%, as the S suite prints them, in seconds. conf99 is
 * half of the interval that holds the mean at 99 %; one start has none.
 */
static void kind_startup_summary(const struct clones *c, FILE *out)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct startup *s = c->worker[i]->work;
		const unsigned n = s->n;
		double squares = 0, sd = 0, conf99 = 0, mean;

		if (s->late_ns)
			fprintf(out,
				"start %u took more than %.0f s: no mean\n",
				n + 1, (double)s->late_ns / 1e9);
		if (s->late_ns || !n)
			continue;
		mean = sort_times(s);
		for (unsigned k = 0; k < n; k++)
			squares += pow((double)s->ns[k] - mean, 2);
		if (n > 1) {
			sd = sqrt(squares / (n - 1));
			conf99 = probability_t_quantile(0.995, n - 1) * sd /
				 sqrt(n);
		}
		fprintf(out,
			"Start-up time: min %.2f max %.2f avg %.2f std_dev "
			"%.2f conf99%% %.2f s, %u starts\n",
			(double)s->ns[0] / 1e9, (double)s->ns[n - 1] / 1e9,
			mean / 1e9, sd / 1e9, conf99 / 1e9, n);
	}
}

const struct work_kind kind_startup = {
	.name = "startup",
	.help = "cold starts of a command, or of the reads of one, beside "
		"other "
		"jobs",
	.options = "startup-trace startup-timeout startup-pause startup-sync "
		   "startup-cold startup-files program arguments exec "
		   "grace_time std_redirect",
	.of_io = "directory",
	.state = sizeof(struct startup),
	.ops = 1u << JOB_COMMAND | 1u << JOB_READ,
	.settle = kind_startup_settle,
	.plan = kind_startup_plan,
	.release = kind_startup_release,
	.check = kind_startup_check,
	.prepare = kind_startup_prepare,
	.run = kind_startup_run,
	.unprepare = kind_startup_unprepare,
	.describe = kind_startup_describe,
	.summary = kind_startup_summary,
	.figures = "start_ns starts timeouts start_longer_than_ns "
		   "start_mean_ns start_min_ns start_median_ns start_max_ns",
};
