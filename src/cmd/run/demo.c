/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo: the embedded default of "iodyno run".
 */
#include "cmd/run/cmd_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/session/ab.h"
#include "cmd/session/session.h"
#include "knob/knob.h"

/* Large enough that a scan does not end within a second on a fast disk. */
#define SCRATCH_BYTES (512ull << 20)
/* Seconds without a crossover; the limit with one, which ends it earlier. */
#define ALONE_S       24
#define RUNTIME_MOST  "52s"
/* Time to allocate the scratch file and to fill the page cache of the scan. */
#define RAMP          "6s"
#define RAMP_S        6
/* 5 blocks of 3 variants: about 42 s. */
#define PERIOD_S      2
#define WASHOUT_S     0.4
#define BLOCKS        5

struct demo_job {
	const char *name;
	const char *option[10][2];
};

/* The mix bypasses the page cache, the scan depends on readahead. */
static const struct demo_job demo_jobs[] = {
	{ "mix",
	  { { "rw", "randrw" },
	    { "rwmixread", "60" },
	    { "bs", "16k" },
	    { "ioengine", "libaio" },
	    { "iodepth", "16" },
	    { "direct", "1" },
	    { "ramp_time", RAMP },
	    { "time_based", "1" } } },
	{ "scan",
	  { { "rw", "read" },
	    { "bs", "16k" },
	    { "ioengine", "psync" },
	    { "ramp_time", RAMP },
	    { "time_based", "1" } } },
};

static int add_job(struct settings *s, const struct demo_job *d,
		   const char *path, const char *runtime)
{
	struct job *job = settings_add_job(s);
	int err = job_set(job, "name", d->name);

	if (err == 0)
		err = job_set(job, "filename", path);
	if (err == 0)
		err = job_set(job, "runtime", runtime);
	for (int i = 0; err == 0 && d->option[i][0]; i++)
		err = job_set(job, d->option[i][0], d->option[i][1]);
	return err;
}

/* The first scheduler on offer that is not the active one. */
static bool other_choice(const char *active, char *choices, char *out,
			 size_t size)
{
	char *rest = choices, *word;

	while ((word = strsep(&rest, " ")))
		if (*word && strcmp(word, active))
			return text_copy(out, size, word);
	return false;
}

/* A setting with its present value, and with another; other "": none. */
struct demo_knob {
	char now[160], other[160]; /* "loop0.scheduler=none" */
};

static void set_words(struct demo_knob *k, const char *device, const char *knob,
		      const char *now, const char *other)
{
	snprintf(k->now, sizeof(k->now), "%s.%s=%s", device, knob, now);
	snprintf(k->other, sizeof(k->other), "%s.%s=%s", device, knob, other);
}

static void find_scheduler(struct demo_knob *k, const struct root *root,
			   const char *device)
{
	char value[64], choices[256], other[64];

	if (knob_get(root, device, "scheduler", value, sizeof(value), choices,
		     sizeof(choices)) < 0 ||
	    !other_choice(value, choices, other, sizeof(other)))
		command_say("%s offers no other scheduler; that variant is "
			    "left out",
			    device);
	else
		set_words(k, device, "scheduler", value, other);
}

static void find_readahead(struct demo_knob *k, const struct root *root,
			   const char *device)
{
	char value[64], choices[256];

	if (knob_get(root, device, "read_ahead_kb", value, sizeof(value),
		     choices, sizeof(choices)) < 0)
		command_say("%s has no readahead; that variant is left out",
			    device);
	else
		set_words(k, device, "read_ahead_kb", value,
			  strcmp(value, "16") ? "16" : "128");
}

/*
 * Plan a live crossover: the settings as they are, another scheduler, another
 * readahead. A single switch would give no result on a machine with other load.
 */
static int plan_crossover(struct demo *d, struct settings *s,
			  struct session *session)
{
	const struct root *root = &session->root;
	struct demo_knob scheduler = { 0 }, readahead = { 0 };
	char text[1024];

	find_scheduler(&scheduler, root, d->scratch.device);
	find_readahead(&readahead, root, d->scratch.device);
	if (!*scheduler.other && !*readahead.other)
		return 0;
	if (!*readahead.other)
		snprintf(text, sizeof(text), "%s,%s", scheduler.now,
			 scheduler.other);
	else if (!*scheduler.other)
		snprintf(text, sizeof(text), "%s,%s", readahead.now,
			 readahead.other);
	else
		snprintf(text, sizeof(text), "%s+%s,%s+%s,%s+%s", scheduler.now,
			 readahead.now, scheduler.other, readahead.now,
			 scheduler.now, readahead.other);
	d->ab.period_s = PERIOD_S;
	d->ab.washout_s = WASHOUT_S;
	d->ab.blocks = BLOCKS;
	/* The session is open: change its interval, too. */
	session->interval_s = s->interval_s =
		fmin(s->interval_s, PERIOD_S / (double)AB_LEAST_FRAMES);
	return ab_plan_parse(&d->ab, "--ab", text);
}

int demo_make(struct demo *d, struct settings *s, struct session *session)
{
	int err = scratch_make(&d->scratch, NULL, SCRATCH_BYTES);
	char rerun[FAIL_ROOT_MAX], alone[16];
	bool turns;

	if (err < 0)
		return err;
	turns = d->scratch.is_device && geteuid() == 0;
	if (turns) {
		d->destroy = xstrdup(d->scratch.path);
		options_add_word(&s->destroy, d->destroy);
		err = plan_crossover(d, s, session);
	}
	snprintf(alone, sizeof(alone), "%ds", ALONE_S);
	/* The file has no name: its path is that of a descriptor. */
	for (size_t i = 0; err == 0 && i < ARRAY_SIZE(demo_jobs); i++)
		err = add_job(s, &demo_jobs[i], d->scratch.path,
			      d->ab.n ? RUNTIME_MOST : alone);
	if (err < 0)
		return err;
	command_say("no job given: loading a scratch %s%s%s for %s%.0f s",
		    d->scratch.is_device ? "loop device, " : "file",
		    d->scratch.is_device ? d->scratch.path : "",
		    d->scratch.is_device ? "," : "", d->ab.n ? "about " : "",
		    RAMP_S + (d->ab.n ? ab_seconds(&d->ab, s->interval_s)
				      : ALONE_S));
	if (!turns)
		command_say("no knob is turned: that needs root and a loop "
			    "device%s",
			    fail_as_root(rerun, sizeof(rerun)));
	return 0;
}

void demo_remove(struct demo *d)
{
	if (d->scratch.fd >= 0)
		scratch_remove(&d->scratch);
	free(d->destroy);
	d->destroy = NULL;
}
