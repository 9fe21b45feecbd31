/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload readahead: applies a change of the readahead to open files.
 *
 * The kernel copies read_ahead_kb into a file when it is opened;
 * posix_fadvise(POSIX_FADV_NORMAL) copies it again.
 */
#include "workload/workload.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"

/* The effect of the change in one region, for the sentence. */
enum advice { OTHER_DISK, TOLD, DIRECT, OWN_BDI, RANDOM, OPEN, FAILED };

static enum advice advise_region(const struct workload *w,
				 const struct job *job, const struct region *s,
				 const char *device)
{
	char name[64];

	if (s->fd < 0 || s->target->is_directory)
		return OTHER_DISK;
	if (!target_disk(w->root, s->target, name, sizeof(name)))
		return job->direct ? OTHER_DISK : OWN_BDI;
	if (strcmp(name, device))
		return OTHER_DISK;
	if (job->direct)
		return DIRECT;
	if (worker_advice(job) == POSIX_FADV_RANDOM)
		return RANDOM;
	/* The advice of the job would be lost. */
	return posix_fadvise(s->fd, 0, 0, POSIX_FADV_NORMAL) ||
			       posix_fadvise(s->fd, 0, 0, worker_advice(job))
		       ? FAILED
		       : TOLD;
}

static void workload_readahead_say(char *words, size_t size,
				   const struct job *job, enum advice advice,
				   const struct region *s)
{
	dev_t dev;

	if (advice == OPEN) {
		text_join(words, size, "; ",
			  "job %s: a file that it has open keeps the readahead "
			  "that it was opened with",
			  job->name);
		return;
	}
	dev = s->target->dev;
	text_join(words, size, "; ", "no direct effect on job %s: ", job->name);
	if (advice == DIRECT)
		text_add(words, size, "its I/O is direct, without readahead");
	else if (advice == OWN_BDI)
		text_add(words, size,
			 "its file system has a readahead of its own, "
			 "/sys/class/bdi/%u:%u/read_ahead_kb",
			 major(dev), minor(dev));
	else if (advice == RANDOM)
		text_add(words, size,
			 "the kernel reads nothing ahead for a random job "
			 "(fadvise_hint)");
	else
		text_add(words, size, "%s did not accept the change",
			 s->target->path);
}

/* Files that a program or a kind of work opens by itself are not at hand. */
static bool opens_files(const struct clones *c)
{
	return kind_runs_program(c->job) ||
	       (c->kind != &kind_io && c->kind->ops & 1u << JOB_READ);
}

/* Apply it to all files of a job; the sentence names the first failure. */
static int advise_crew(const struct workload *w, const struct clones *c,
		       const char *device, char *words, size_t size)
{
	bool said = opens_files(c);
	int told = 0;

	if (said)
		workload_readahead_say(words, size, c->job, OPEN, NULL);
	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned j = 0; j < c->worker[i]->n_regions; j++) {
			const struct region *s = &c->worker[i]->region[j];
			enum advice advice =
				advise_region(w, c->job, s, device);

			told += advice == TOLD;
			if (advice == OTHER_DISK || advice == TOLD || said)
				continue;
			workload_readahead_say(words, size, c->job, advice, s);
			said = true;
		}
	}
	return told;
}

int workload_readahead(struct workload *w, const char *device, char *words,
		       size_t size)
{
	int told = 0;

	words[0] = '\0';
	for (size_t i = 0; i < w->n; i++)
		if (clones_phase(&w->clones[i]) != PHASE_DONE)
			told += advise_crew(w, &w->clones[i], device, words,
					    size);
	return told;
}
