/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help for the workload tests. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "workload/target/target.h"


#include "workload_help.h"

void set_option(struct job *job, const char *name, const char *value)
{
	ck_assert_msg(job_set(job, name, value) == 0, "%s", fail_sentence());
}

int engine_open(const struct engine *e, void **state, unsigned depth)
{
	const struct job job = { .name = "test",
				 .rw = RW_RANDRW,
				 .sqthread_poll_cpu = UINT32_MAX };
	const struct engine_setup setup = { .depth = depth, .job = &job };

	return e->open(state, &setup);
}

bool engine_usable(const struct engine *e)
{
	void *state;

	if (engine_open(e, &state, 1))
		return false;
	e->close(state);
	return true;
}

static void wait_done(struct workload *w)
{
	/* Within the time limit of a test: for a run that hangs. */
	uint64_t end_ns = clock_mono_ns() + 240 * NS_PER_S;

	while (!workload_done(w) && clock_mono_ns() < end_ns) {
		struct pollfd p = { .fd = workload_fd(w), .events = POLLIN };
		struct event e;

		poll(&p, 1, 100);
		while (workload_event(w, &e))
			;
	}
	ck_assert(workload_done(w));
}

void run_jobs(struct outcome *o, const struct job *jobs, size_t n,
	      const struct allow_list *allowed)
{
	struct workload *w;
	struct root root;

	memset(o, 0, sizeof(*o));
	ck_assert_int_eq(root_open(&root, NULL), 0);
	o->open_rc = workload_open(&w, &root, jobs, n, allowed);
	if (o->open_rc) {
		snprintf(o->sentence, sizeof(o->sentence), "%s",
			 fail_sentence());
		root_close(&root);
		return;
	}
	ck_assert_int_eq(workload_start(w), 0);
	wait_done(w);
	workload_sample(w, &o->sample);
	o->row = sample_row(&o->sample, SCHEMA_JOB, 0);
	o->close_rc = workload_close(w, 60 * NS_PER_S);
	if (o->close_rc)
		snprintf(o->sentence, sizeof(o->sentence), "%s",
			 fail_sentence());
	root_close(&root);
}

bool workload_did(struct workload *w, uint64_t ios)
{
	const struct job_raw *row;
	struct sample s = { 0 };
	uint64_t sum = 0;

	workload_sample(w, &s);
	for (size_t i = 0; i < s.table[SCHEMA_JOB].n; i++) {
		row = sample_row(&s, SCHEMA_JOB, i);
		sum += row->op[JOB_READ].ios + row->op[JOB_WRITE].ios;
	}
	sample_free(&s);
	return sum >= ios;
}

void free_outcome(struct outcome *o)
{
	sample_free(&o->sample);
}

void null_job(struct job *job, const char *name)
{
	job_init(job);
	set_option(job, "name", name);
	set_option(job, "ioengine", "null");
	set_option(job, "size", "1g");
	set_option(job, "bs", "4k");
}

void all_dirs(uint64_t *rate, uint64_t value)
{
	for (int i = 0; i < JOB_DIRS; i++)
		rate[i] = value;
}

void run_well(struct outcome *o, const struct job *jobs, size_t n)
{
	run_jobs(o, jobs, n, NULL);
	ck_assert_msg(o->open_rc == 0 && o->close_rc == 0, "%s", o->sentence);
}

static bool is_locked(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	ck_assert_int_ge(fd, 0);
	rc = flock(fd, LOCK_SH | LOCK_NB);
	close(fd);
	return rc < 0;
}

FILE *lock_by_other(const char *path)
{
	char command[400];
	FILE *f;

	/* cat ends when its input does. */
	snprintf(command, sizeof(command), "flock -x %s cat >/dev/null", path);
	f = popen(command, "we");
	ck_assert_ptr_nonnull(f);
	ck_assert(test_within(60, is_locked(path)));
	return f;
}

bool have_loop(void)
{
	struct scratch s;
	bool ok = geteuid() == 0 && scratch_make(&s, "/var/tmp", 1 << 20) == 0;

	if (!ok)
		return false;
	ok = s.is_device;
	scratch_remove(&s);
	return ok;
}
