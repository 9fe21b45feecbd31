/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Demo: the embedded default of "iodyno run".
 */
#include "cmd/run/demo.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/rerun.h"
#include "base/text.h"
#include "cmd/command.h"
#include "knob/knob.h"

/* Large enough that a scan does not end within a second on a fast disk. */
#define SCRATCH_BYTES (512ull << 20)
#define PHASE_S       8
#define RUNTIME       "24s"

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
	    { "runtime", RUNTIME },
	    { "time_based", "1" } } },
	{ "scan",
	  { { "rw", "read" },
	    { "bs", "16k" },
	    { "ioengine", "psync" },
	    { "runtime", RUNTIME },
	    { "time_based", "1" } } },
};

static int add_job(struct settings *s, const struct demo_job *d,
		   const char *path)
{
	struct job *job = settings_add_job(s);
	int err = job_set(job, "name", d->name);

	if (err == 0)
		err = job_set(job, "filename", path);
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

static void plan_scheduler(struct plan *plan, const struct root *root,
			   const char *device)
{
	char value[64], choices[256], other[64];

	if (knob_get(root, device, "scheduler", value, sizeof(value), choices,
		     sizeof(choices)) < 0 ||
	    !other_choice(value, choices, other, sizeof(other)))
		command_say("%s offers no other scheduler; that step is left "
			    "out",
			    device);
	else
		plan_add_step(plan, PHASE_S, device, "scheduler", other);
}

static void plan_readahead(struct plan *plan, const struct root *root,
			   const char *device)
{
	char value[64], choices[256];

	if (knob_get(root, device, "read_ahead_kb", value, sizeof(value),
		     choices, sizeof(choices)) < 0)
		command_say("%s has no readahead; that step is left out",
			    device);
	else
		plan_add_step(plan, 2 * PHASE_S, device, "read_ahead_kb",
			      strcmp(value, "16") ? "16" : "128");
}

int demo_make(struct demo *d, struct settings *s, struct plan *plan,
	      const struct root *root)
{
	int err = scratch_make(&d->scratch, NULL, SCRATCH_BYTES);
	char rerun[RERUN_MAX];

	if (err < 0)
		return err;
	/* The file has no name: its path is that of a descriptor. */
	command_say("no job given: loading a scratch %s%s%s for %s",
		    d->scratch.is_device ? "loop device, " : "file",
		    d->scratch.is_device ? d->scratch.path : "",
		    d->scratch.is_device ? "," : "", RUNTIME);
	for (size_t i = 0; err == 0 && i < ARRAY_SIZE(demo_jobs); i++)
		err = add_job(s, &demo_jobs[i], d->scratch.path);
	if (err < 0)
		return err;
	if (!d->scratch.is_device || geteuid() != 0) {
		command_say("no knob is turned: that needs root and a loop "
			    "device%s",
			    rerun_as_root(rerun, sizeof(rerun)));
		return 0;
	}
	d->destroy = xstrdup(d->scratch.path);
	options_add_word(&s->destroy, d->destroy);
	plan_scheduler(plan, root, d->scratch.device);
	plan_readahead(plan, root, d->scratch.device);
	return 0;
}

void demo_remove(struct demo *d)
{
	if (d->scratch.fd >= 0)
		scratch_remove(&d->scratch);
	free(d->destroy);
	d->destroy = NULL;
}
