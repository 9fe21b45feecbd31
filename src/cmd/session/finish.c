/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finish: end the jobs, then the settings, then the log, then the screen.
 */
#include "cmd/session/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/session/display.h"

/* How long a worker may hang in the kernel before it is left behind. */
#define PATIENCE_NS (5 * NS_PER_S)
/* How long settings and the screen wait for such a worker. */
#define RESTORE_AFTER_NS NS_PER_S

/* Whether all sets are done, and a sample holds their last figures. */
static bool all_sampled(const struct workloads *ws)
{
	for (struct job_set *set = ws->first; set; set = set->next)
		if (set->workload && !set->sampled)
			return false;
	return true;
}

static void end_jobs(struct session *s, uint64_t patience_ns)
{
	uint64_t begin_ns = clock_mono_ns();
	struct pollfd fd = { .fd = s->workloads.fd, .events = POLLIN };

	workloads_stop(&s->workloads);
	while (!workloads_done(&s->workloads) &&
	       clock_mono_ns() - begin_ns < patience_ns) {
		poll(&fd, 1, 20);
		job_control_take_events(&s->jobs);
	}
	job_control_take_events(&s->jobs);
}

/* Report the steps of --at that the run did not reach. */
static void say_unreached(const struct session *s)
{
	char words[256];

	for (size_t i = s->plan.next; i < s->plan.n; i++)
		command_say("--at=%gs:%s was not reached", s->plan.step[i].t_s,
			    plan_words(&s->plan.step[i].action, words,
				       sizeof(words)));
}

/* The exit status of a log that failed. */
static int log_status(int error, int status)
{
	if (error == EPIPE)
		return EXIT_SIGNAL + SIGPIPE;
	return error == EINTR && status >= EXIT_SIGNAL ? status : EXIT_FAILED;
}

static void close_display(struct session *s)
{
	display_close(s->display);
	s->display = NULL;
}

/* End the jobs, restore the settings, write the last frames and summary. */
static void end_log(struct session *s, int status)
{
	if (status >= EXIT_SIGNAL)
		pipeline_hurry(&s->pipeline);
	if (workloads_any(&s->workloads)) {
		end_jobs(s, RESTORE_AFTER_NS);
		if (!all_sampled(&s->workloads))
			session_tick(s, 0);
	}
	/* A worker that hangs delays neither settings nor the terminal. */
	knob_control_restore(&s->knobs);
	if (workloads_any(&s->workloads) && !workloads_done(&s->workloads)) {
		close_display(s);
		end_jobs(s, PATIENCE_NS - RESTORE_AFTER_NS);
		session_tick(s, 0);
	}
	if (s->pipeline.n_events)
		session_tick(s, 0);
	pipeline_summary(&s->pipeline, !s->knobs.unrestored && !s->knobs.held);
}

int finish_session(struct session *s, int status)
{
	bool on_screen = s->display;
	char *sentence = NULL;

	command_progress(NULL);
	s->options.progress = false;
	if (s->driver->end)
		s->driver->end(s, s->driver_arg, status);
	end_log(s, status);
	if (s->pipeline.log_error) {
		sentence = xstrdup(s->pipeline.log_words);
		status = log_status(s->pipeline.log_error, status);
	}
	if (workloads_close(&s->workloads, PATIENCE_NS) < 0) {
		if (!sentence)
			sentence = xstrdup(fail_sentence());
		if (status == EXIT_DONE)
			status = EXIT_FAILED;
	}
	*s->workloads.failed = '\0';
	close_display(s);
	say_unreached(s);
	if (*s->plan_failed && on_screen)
		command_say("%s", s->plan_failed);
	if (*s->plan_failed && status == EXIT_DONE)
		status = EXIT_FAILED;
	if (sentence && status != EXIT_SIGNAL + SIGPIPE)
		command_say("%s", sentence);
	free(sentence);
	for (size_t i = 0; i < s->knobs.n_left; i++)
		command_say("%s", s->knobs.left[i]);
	if (s->knobs.unrestored) {
		command_say("%s", s->knobs.unrestored_words);
		status = EXIT_NOT_RESTORED;
	}
	return status;
}

void finish_close(struct session *s)
{
	close_display(s);
	if (workloads_close(&s->workloads, PATIENCE_NS) < 0)
		command_failed(EXIT_FAILED);
	if (s->knobs.keeper &&
	    keeper_stop(s->knobs.keeper, PATIENCE_NS, NULL, NULL) < 0)
		command_failed(EXIT_FAILED);
	s->knobs.keeper = NULL;
}
