/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify report: what was found bad, in words and in files.
 */
#include "workload/verify_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workload/verify_state.h"

/* More bad blocks than these leave no files. */
#define MAX_DUMPS 8

static void dump(const char *file, uint64_t offset, const char *what,
		 const char *p, size_t bytes)
{
	const char *base = strrchr(file, '/');
	char name[300];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%.200s.%llu.%s", base ? base + 1 : file,
		 (unsigned long long)offset, what);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	n = write(fd, p, bytes);
	(void)n;
	close(fd);
}

/* What should be there and what is, in the working directory. */
static void dump_both(struct worker *w, const struct verify_bad *bad,
		      uint64_t offset)
{
	struct verify *v = w->verify;
	const char *path = bad->io->owner->target->path;
	const struct verify_map *map = bad->io->owner->target->verify;
	const struct verify_id id = {
		.run = map->run,
		.generation = verify_map_get(map, offset / map->bytes) &
			      VERIFY_GENERATION,
		.offset = offset,
	};

	if (v->dumps++ >= MAX_DUMPS)
		return;
	dump(path, offset, "received", bad->got, v->rule.bytes);
	if (!id.generation && !v->rule.pattern.bytes)
		return;
	verify_fill(&v->rule, &id, v->scratch);
	dump(path, offset, "expected", v->scratch, v->rule.bytes);
}

void verify_found_bad(struct worker *w, const struct verify_bad *bad)
{
	struct verify *v = w->verify;
	const struct io *io = bad->io;
	uint64_t offset = io->offset + io->bytes - io->whole + bad->at;

	counter_error(&w->run, EILSEQ);
	if (w->job->verify_dump)
		dump_both(w, bad, offset);
	if (v->bad++)
		return;
	snprintf(v->first, sizeof(v->first),
		 "job %s: verify: the %zu bytes at offset %llu of %s are bad "
		 "(%s): %s",
		 w->job->name, v->rule.bytes, (unsigned long long)offset,
		 io->owner->target->path, verify_damage_name(bad->damage),
		 bad->words);
	if (w->job->verify_fatal)
		worker_fail(w, "%s", v->first);
}
