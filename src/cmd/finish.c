/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finish: the way out of a live session, always the same one.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/launch.h"
#include "cmd/live.h"
#include "cmd/screen.h"

/* How long a worker or a knob write may hang in the kernel before we go. */
#define PATIENCE_NS (5 * NS_PER_S)

static void take_job_events(struct live *l)
{
	struct event e;

	while (loads_event(&l->loads, &e))
		live_add_event(l, &e);
}

static void end_load(struct live *l)
{
	uint64_t begin = clock_mono_ns();
	struct pollfd fd = { .fd = l->loads.fd, .events = POLLIN };

	loads_stop(&l->loads);
	while (!loads_done(&l->loads) &&
	       clock_mono_ns() - begin < PATIENCE_NS) {
		poll(&fd, 1, 20);
		take_job_events(l);
	}
	take_job_events(l);
}

/*
 * A keeper that died left its journal, which only its own user can read: not
 * we, when we have become the one who called sudo.
 */
static int put_back_for_dead(struct live *l)
{
	if (l->turned && geteuid() != l->keeper_uid)
		return fail(EACCES,
			    "the keeper of the settings died, and only root "
			    "can put them back: sudo iodyno knob restore");
	return keeper_restore_journals(&l->root, turn_restored, l);
}

/* Put back what was turned; each setting becomes an event. */
static void put_back(struct live *l)
{
	int err;

	turn_receive(l);
	l->restored = true;
	if (l->keeper)
		err = keeper_stop(l->keeper, 2 * PATIENCE_NS, turn_restored, l);
	else if (l->keeper_dead)
		err = put_back_for_dead(l);
	else
		return;
	l->keeper = NULL;
	if (err < 0) {
		l->unrestored = true;
		text_copy(l->unrestored_words, sizeof(l->unrestored_words),
			  fail_sentence());
	}
}

static void write_summary(struct live *l)
{
	struct json *summary = report_summary_json(l->report, !l->unrestored);

	if (!l->log_error)
		live_log_wrote(l, log_summary(l->log, summary));
	json_free(summary);
}

/* Steps of the plan whose time did not come. */
static void unreached(const struct live *l)
{
	char words[256];

	for (size_t i = l->plan.next; i < l->plan.n; i++)
		command_say("--at=%gs:%s was not reached",
			    l->plan.step[i].t_s,
			    plan_words(&l->plan.step[i].action, words,
				       sizeof(words)));
}

/* What a log that failed makes of the status. */
static int log_status(int error, int status)
{
	if (error == EPIPE)
		return EXIT_SIGNAL + SIGPIPE;
	return error == EINTR && status >= EXIT_SIGNAL ? status : EXIT_FAILED;
}

int live_finish(struct live *l, int status)
{
	bool on_screen = l->ui;
	char *sentence = NULL;

	if (l->log && status >= EXIT_SIGNAL)
		log_hurry(l->log);
	if (loads_any(&l->loads)) {
		end_load(l);
		live_tick(l, 0);
	}
	put_back(l);
	if (l->n_events)
		live_tick(l, 0);
	if (l->log)
		write_summary(l);
	if (l->log_error) {
		sentence = xstrdup(l->log_words);
		status = log_status(l->log_error, status);
	}
	if (loads_close(&l->loads, PATIENCE_NS) < 0) {
		if (!sentence)
			sentence = xstrdup(fail_sentence());
		if (status == EXIT_DONE)
			status = EXIT_FAILED;
	}
	*l->loads.failed = '\0';
	screen_close(l->ui);
	l->ui = NULL;
	unreached(l);
	if (*l->plan_words && on_screen)
		command_say("%s", l->plan_words);
	if (*l->plan_words && status == EXIT_DONE)
		status = EXIT_FAILED;
	if (sentence && status != EXIT_SIGNAL + SIGPIPE)
		command_say("%s", sentence);
	free(sentence);
	if (l->unrestored) {
		command_say("%s", l->unrestored_words);
		status = EXIT_NOT_RESTORED;
	}
	return status;
}

void live_close(struct live *l)
{
	screen_close(l->ui);
	if (loads_close(&l->loads, PATIENCE_NS) < 0)
		command_failed(EXIT_FAILED);
	loads_free(&l->loads);
	launch_close(&l->launch);
	if (l->keeper && keeper_stop(l->keeper, PATIENCE_NS, NULL, NULL) < 0)
		command_failed(EXIT_FAILED);
	if (l->log)
		log_close(l->log);
	if (l->collect)
		collect_close(l->collect);
	if (l->sampler)
		knob_sampler_free(l->sampler);
	compare_free(&l->compare);
	report_free(l->report);
	free(l->header.device);
	free(l->header.job);
	free(l->header.label);
	history_free(l->history);
	watch_free(l->watch);
	plan_free(&l->plan);
	for (int i = 0; i < 2; i++) {
		sample_free(&l->sample[i]);
		frame_free(&l->frame[i]);
	}
	free(l->event);
	free(l->turned_device);
	if (l->root.fd >= 0)
		root_close(&l->root);
}
