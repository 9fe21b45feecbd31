/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload readahead: applies a change of the readahead to open files.
 *
 * The kernel copies read_ahead_kb into a file when it is opened;
 * posix_fadvise(POSIX_FADV_NORMAL) copies it again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "workload/thread/clones.h"

/* What the change did in one region, for the sentence. */
enum advice { OTHER_DISK, TOLD, DIRECT, OWN_BDI, FAILED };

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
	return posix_fadvise(s->fd, 0, 0, POSIX_FADV_NORMAL) ? FAILED : TOLD;
}

static void say(char *words, size_t size, const struct job *job,
		enum advice advice, const struct region *s)
{
	size_t n = strlen(words);
	dev_t dev = s->target->dev;

	if (n && n + 2 < size) {
		text_copy(words + n, size - n, "; ");
		n += 2;
	}
	if (advice == DIRECT)
		snprintf(words + n, size - n,
			 "no effect on job %s: direct I/O bypasses readahead",
			 job->name);
	else if (advice == OWN_BDI)
		snprintf(words + n, size - n,
			 "no effect on job %s: its file system has a readahead "
			 "of its own, /sys/class/bdi/%u:%u/read_ahead_kb",
			 job->name, major(dev), minor(dev));
	else
		snprintf(words + n, size - n,
			 "no effect on job %s: %s took no advice", job->name,
			 s->target->path);
}

/* Apply it to all files of a job; the sentence names the first failure. */
static int advise_crew(const struct workload *w, const struct clones *c,
		       const char *device, char *words, size_t size)
{
	bool said = false;
	int told = 0;

	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned j = 0; j < c->worker[i]->n_regions; j++) {
			const struct region *s = &c->worker[i]->region[j];
			enum advice advice =
				advise_region(w, c->job, s, device);

			told += advice == TOLD;
			if (advice == OTHER_DISK || advice == TOLD || said)
				continue;
			say(words, size, c->job, advice, s);
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
