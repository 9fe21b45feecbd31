/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the session: drivers without a screen start sets of jobs, wait for
 * them, turn knobs, wait until these took effect, and go on.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/session/loop.h"
#include "cmd/session/session.h"
#include "knob/knob.h"
#include "record/log.h"

#include "workload_help.h"

#define SIZE (4u << 20)

static char *dir, path[300], log_path[300];
static struct settings settings;
static struct session session;
static char program[] = "iodyno";
static char *arguments[] = { program, NULL };

static void setup(void)
{
	dir = make_dir();
	snprintf(path, sizeof(path), "%s/target", dir);
	snprintf(log_path, sizeof(log_path), "%s/log", dir);
	make_file(path, SIZE, 7);
	settings_init(&settings, 1, arguments);
	settings.interval_s = 0.05;
	settings.no_tasks = true;
	settings.log = log_path;
}

static void teardown(void)
{
	session_close(&session);
	settings_free(&settings);
	remove_dir(dir);
}

static int run(const struct driver *driver, void *arg, bool turns_knobs)
{
	const struct session_options options = {
		.settings = &settings,
		.tty = -1,
		.turns_knobs = turns_knobs,
	};

	ck_assert_int_eq(session_open(&session, &options), 0);
	return session_run(&session, driver, arg);
}

/* A set of one job that reads a target. */
static struct job_set *start_reading(struct session *s, const char *target,
				     uint64_t ios, const struct cell *cell)
{
	struct job_request request = { .n_jobs = 1, .owned = true };
	struct job_set *set;
	char number[24];

	request.job = xcalloc(1, sizeof(*request.job));
	job_init(request.job);
	set_option(request.job, "name", "cell");
	set_option(request.job, "filename", target);
	set_option(request.job, "rw", "randread");
	set_option(request.job, "ioengine", "psync");
	snprintf(number, sizeof(number), "%llu", (unsigned long long)ios);
	set_option(request.job, "number_ios", number);
	if (!ios) {
		set_option(request.job, "time_based", "1");
		set_option(request.job, "runtime", "60");
	}
	request.job->cell = *cell;
	ck_assert_msg(session_start_jobs(s, &request, &set) == 0, "%s",
		      fail_sentence());
	return set;
}

/* --- many sets, one after the other --- */

#define SETS 60

struct many {
	unsigned started, over;
	size_t most_jobs; /* in the header */
	unsigned frames, done_events;
	bool ended;
};

static void next_set(struct session *s, struct many *m)
{
	struct cell cell = { .block = 1 + m->started / 10,
			     .run = m->started + 1 };

	ck_assert(point_set(&cell.point, "rw", "randread"));
	start_reading(s, path, 8, &cell);
	m->started++;
}

static int many_begin(struct session *s, void *arg)
{
	next_set(s, arg);
	return 0;
}

static void many_frame(struct session *s, void *arg, const struct frame *f)
{
	struct many *m = arg;

	ck_assert_ptr_nonnull(f);
	m->frames++;
}

static void many_event(struct session *s, void *arg, const struct event *e)
{
	struct many *m = arg;

	if (e->kind == EVENT_JOB_START) {
		ck_assert_int_eq(e->by, BY_SWEEP);
		ck_assert_uint_eq(e->cell.run, m->started);
	}
	if (e->kind == EVENT_PHASE)
		m->done_events++;
}

static void many_over(struct session *s, void *arg, struct job_set *set)
{
	struct many *m = arg;

	ck_assert_uint_eq(set->job[0].cell.run, ++m->over);
	ck_assert_uint_eq(set->job[0].nth, m->over);
	if (m->most_jobs < s->pipeline.header.n_jobs)
		m->most_jobs = s->pipeline.header.n_jobs;
	ck_assert_int_eq(session_forget_jobs(s, set), 0);
	if (m->started < SETS)
		next_set(s, m);
	else
		session_end(s, EXIT_DONE);
}

static void many_end(struct session *s, void *arg, int status)
{
	((struct many *)arg)->ended = true;
}

static const struct driver many_driver = {
	.by = BY_SWEEP,
	.begin = many_begin,
	.frame = many_frame,
	.event = many_event,
	.jobs_over = many_over,
	.end = many_end,
};

/* The log knows all jobs, the session only the one that runs. */
START_TEST(many_sets)
{
	struct log_reader *log;
	const struct header *h;
	struct many m = { 0 };

	ck_assert_int_eq(run(&many_driver, &m, false), EXIT_DONE);
	ck_assert_uint_eq(m.over, SETS);
	ck_assert_uint_ge(m.frames, SETS);
	ck_assert_uint_ge(m.done_events, SETS);
	ck_assert(m.ended);
	ck_assert_uint_eq(m.most_jobs, 1);
	ck_assert_ptr_null(session.workloads.first);
	ck_assert_uint_eq(session.pipeline.header.n_jobs, 0);
	ck_assert_uint_eq(session.jobs.names.n, 1);

	ck_assert_int_eq(log_open(&log, log_path), 0);
	h = log_reader_header(log);
	ck_assert_uint_eq(h->n_jobs, SETS);
	ck_assert_str_eq(job_id(&h->job[0]), "cell");
	ck_assert_str_eq(job_id(&h->job[SETS - 1]), "cell#60");
	ck_assert_uint_eq(h->job[SETS - 1].cell.run, SETS);
	ck_assert_uint_eq(h->job[SETS - 1].cell.block, 6);
	ck_assert_str_eq(point_get(&h->job[SETS - 1].cell.point, "rw"),
			 "randread");
	log_reader_free(log);
}
END_TEST

/* --- knobs, live options, stop --- */

struct turning {
	const char *target; /* "/dev/loop3" */
	const char *device; /* "loop3" */
	struct job_set *set;
	char turned[4][64]; /* knobs, as they were answered */
	size_t n_turned;
	unsigned rounds, over, job_sets;
	size_t failed;
	char scheduler[64], readahead[64]; /* read back */
};

static void read_back(const struct turning *t, const char *knob, char *value)
{
	char choices[256];

	ck_assert_int_eq(knob_get(&session.root, t->device, knob, value, 64,
				  choices, sizeof(choices)),
			 0);
}

static void wish(struct knob_wish *w, const struct turning *t, const char *knob,
		 const char *value)
{
	memset(w, 0, sizeof(*w));
	text_copy(w->device, sizeof(w->device), t->device);
	text_copy(w->knob, sizeof(w->knob), knob);
	text_copy(w->value, sizeof(w->value), value);
}

/* Readahead stands first here, but must be set last. */
static int turning_begin(struct session *s, void *arg)
{
	struct turning *t = arg;
	struct knob_wish w[2];

	wish(&w[0], t, "read_ahead_kb", "64");
	wish(&w[1], t, "scheduler", "none");
	session_set_knobs(s, w, 2);
	return 0;
}

static void turning_event(struct session *s, void *arg, const struct event *e)
{
	struct turning *t = arg;

	if (e->kind == EVENT_JOB_SET && !e->error)
		t->job_sets++;
	if (e->kind != EVENT_KNOB || *e->cause || t->n_turned == 4 ||
	    e->by == BY_RESTORE)
		return;
	ck_assert_int_eq(e->by, BY_SWEEP);
	text_copy(t->turned[t->n_turned++], 64, e->knob);
}

static void turning_knobs_set(struct session *s, void *arg, size_t failed)
{
	const struct cell cell = { .run = 1 };
	struct turning *t = arg;
	struct knob_wish w;

	t->failed += failed;
	if (!t->rounds++) {
		read_back(t, "scheduler", t->scheduler);
		read_back(t, "read_ahead_kb", t->readahead);
		wish(&w, t, "scheduler", "nonsense");
		session_set_knobs(s, &w, 1);
	} else if (t->rounds == 2) {
		t->set = start_reading(s, t->target, 0, &cell);
		session_wake_at(s, clock_mono_ns() + NS_PER_S / 5);
	}
}

static void turning_wake(struct session *s, void *arg)
{
	struct turning *t = arg;

	ck_assert_msg(job_control_set(&s->jobs, "cell", "rate_iops", "500",
				      BY_PLAN, NULL) == 0, "%s",
		      fail_sentence());
	ck_assert_int_lt(job_control_set(&s->jobs, "cell", "rw", "write",
					 BY_PLAN, NULL), 0);
	session_mark(s, "stopping");
	session_stop_jobs(s, t->set);
}

static void turning_over(struct session *s, void *arg, struct job_set *set)
{
	struct turning *t = arg;

	ck_assert_ptr_eq(set, t->set);
	t->over++;
	session_end(s, EXIT_DONE);
}

static const struct driver turning_driver = {
	.by = BY_SWEEP,
	.begin = turning_begin,
	.event = turning_event,
	.knobs_set = turning_knobs_set,
	.wake = turning_wake,
	.jobs_over = turning_over,
};

START_TEST(turns_and_jobs)
{
	char name[64], before[64], after[64];
	struct turning t = { .target = name };

	if (geteuid() != 0 || !loop_attach(path, false, name, sizeof(name)))
		return;
	t.device = name + strlen("/dev/");
	ck_assert_int_eq(root_open(&session.root, NULL), 0);
	read_back(&t, "read_ahead_kb", before);
	root_close(&session.root);
	ck_assert_int_eq(run(&turning_driver, &t, true), EXIT_DONE);
	ck_assert_str_eq(t.scheduler, "none");
	ck_assert_str_eq(t.readahead, "64");
	ck_assert_uint_ge(t.n_turned, 2);
	ck_assert_str_eq(t.turned[0], "scheduler");
	ck_assert_str_eq(t.turned[1], "read_ahead_kb");
	ck_assert_uint_eq(t.failed, 1);
	ck_assert_uint_eq(t.rounds, 2);
	ck_assert_uint_eq(t.job_sets, 1);
	ck_assert_uint_eq(t.over, 1);
	/* The end puts back what was turned. */
	read_back(&t, "read_ahead_kb", after);
	ck_assert_str_eq(before, after);
	loop_detach(name);
}
END_TEST

/* --- what cannot be done --- */

static int refuse(struct session *s, void *arg)
{
	return fail(EPERM, "refused by the test");
}

/* Before there is a log. */
START_TEST(prepare_refuses)
{
	const struct driver driver = { .by = BY_AB, .prepare = refuse };

	ck_assert_int_eq(run(&driver, NULL, false), EXIT_REFUSED);
	ck_assert_int_eq(session.stage, SESSION_NOT_PREPARED);
	ck_assert_int_ne(access(log_path, F_OK), 0);
}
END_TEST

/* After that the log has its summary all the same. */
START_TEST(begin_fails)
{
	const struct driver driver = { .by = BY_AB, .begin = refuse };
	struct log_reader *log;

	ck_assert_int_eq(run(&driver, NULL, false), EXIT_FAILED);
	ck_assert_int_eq(session.stage, SESSION_NOT_BEGUN);
	ck_assert_int_eq(log_open(&log, log_path), 0);
	ck_assert_ptr_nonnull(log_reader_summary(log));
	log_reader_free(log);
}
END_TEST

/* A job that ends after the devices were read: their last bytes are missing. */
static int end_within_a_sample(struct session *s, void *arg)
{
	struct workloads *ws = &s->workloads;
	const struct cell cell = { 0 };
	struct job_set *set = start_reading(s, path, 0, &cell);
	struct sample sample = { 0 };

	workloads_sample_begin(ws);
	workloads_stop(ws);
	ck_assert(test_within(60, workloads_set_done(set)));
	workloads_sample(ws, &sample);
	ck_assert(!set->sampled);
	sample_reset(&sample);
	workloads_sample_begin(ws);
	workloads_sample(ws, &sample);
	ck_assert(set->sampled);
	sample_free(&sample);
	session_end(s, EXIT_DONE);
	return 0;
}

START_TEST(ends_within_a_sample)
{
	const struct driver driver = { .by = BY_AB,
				       .begin = end_within_a_sample };

	ck_assert_int_eq(run(&driver, NULL, false), EXIT_DONE);
}
END_TEST

/* Without a keeper each wish fails, and the driver is called. */
static int wish_in_vain(struct session *s, void *arg)
{
	struct turning t = { .device = "vda" };
	struct knob_wish w;

	wish(&w, &t, "scheduler", "none");
	session_set_knobs(s, &w, 1);
	return 0;
}

static void end_with_failed(struct session *s, void *arg, size_t failed)
{
	*(size_t *)arg = failed;
	session_end(s, EXIT_DONE);
}

START_TEST(no_keeper)
{
	const struct driver driver = { .by = BY_AB,
				       .begin = wish_in_vain,
				       .knobs_set = end_with_failed };
	size_t failed = 0;

	ck_assert_int_eq(run(&driver, &failed, false), EXIT_DONE);
	ck_assert_uint_eq(failed, 1);
}
END_TEST

static int record_some(struct session *s, void *arg)
{
	struct json *object = json_new_object();

	json_put_text(object, "state", "claimed");
	session_record_synced(s, "attempt", object);
	session_end(s, EXIT_DONE);
	return 0;
}

/* A line of a type of its own, which readers skip. */
START_TEST(records)
{
	const struct driver driver = { .by = BY_SWEEP, .begin = record_some };
	struct log_reader *log;
	char line[4096] = "";
	FILE *f;
	bool found = false;

	ck_assert_int_eq(run(&driver, NULL, false), EXIT_DONE);
	f = fopen(log_path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		found |= !strcmp(line, "{\"type\":\"attempt\","
				       "\"state\":\"claimed\"}\n");
	fclose(f);
	ck_assert(found);
	ck_assert_int_eq(log_open(&log, log_path), 0);
	log_reader_free(log);
}
END_TEST

/* A descriptor that ends the loop, and how often the loop waited. */
struct waits {
	struct loop *loop;
	int n, fd;
};

static void count_wait(void *arg)
{
	((struct waits *)arg)->n++;
}

static void end_waits(void *arg, short events)
{
	struct waits *w = arg;

	if (events & POLLIN)
		loop_end(w->loop, 0);
}

/* Behind the last deadline the loop waits for descriptors, and uses no CPU. */
START_TEST(waits_without_a_deadline)
{
	const struct itimerspec later = { .it_value = {
						  .tv_nsec = 50000000,
					  } };
	struct waits w = { .fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC) };
	struct loop_source *source;

	ck_assert_int_ge(w.fd, 0);
	ck_assert_int_eq(loop_new(&w.loop), 0);
	loop_before_wait(w.loop, count_wait, &w);
	source = loop_add(w.loop, end_waits, &w);
	loop_source_fd(source, w.fd, POLLIN);
	loop_source_deadline(source, clock_mono_ns() + 1000000);
	ck_assert_int_eq(timerfd_settime(w.fd, 0, &later, NULL), 0);
	ck_assert_int_eq(loop_run(w.loop), 0);
	/* Once for the deadline, once for the descriptor. */
	ck_assert_int_le(w.n, 3);
	loop_free(w.loop);
	close(w.fd);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("session"), *loop = tcase_create("loop");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 300);
	tcase_add_test(t, many_sets);
	tcase_add_test(t, turns_and_jobs);
	tcase_add_test(t, prepare_refuses);
	tcase_add_test(t, begin_fails);
	tcase_add_test(t, ends_within_a_sample);
	tcase_add_test(t, no_keeper);
	tcase_add_test(t, records);
	suite_add_tcase(suite, t);
	/* Without the fixture, which closes a session. */
	tcase_set_timeout(loop, 300);
	tcase_add_test(loop, waits_without_a_deadline);
	suite_add_tcase(suite, loop);
}
