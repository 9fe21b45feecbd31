/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verify state: a file per clone.
 *
 * A line "iodyno-verify 1 RUN FILES", then for each file a line "BYTES FIRST
 * N" and N generations of 4 bytes each, in the byte order of the machine.
 */
#include "workload/verify/verify_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/side_file.h"

static void state_name(const struct worker *w, char *path, size_t size)
{
	const char *name = strrchr(w->job->name, '/');

	/* In the working directory, whatever the job's name is. */
	snprintf(path, size, "%.80s-%u-verify.state",
		 name ? name + 1 : w->job->name, w->jobnum);
}

static uint64_t first_of(const struct region *s)
{
	return s->base / s->target->verify->bytes;
}

static uint64_t count_of(const struct region *s)
{
	return s->bytes / s->target->verify->bytes;
}

static bool save_region(FILE *f, const struct region *s)
{
	const struct verify_map *map = s->target->verify;
	uint64_t first = first_of(s), n = count_of(s);

	fprintf(f, "%llu %llu %llu\n", (unsigned long long)map->bytes,
		(unsigned long long)first, (unsigned long long)n);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t state = verify_map_get(map, first + i) &
				 (VERIFY_GENERATION | VERIFY_UNSURE);

		if (fwrite(&state, sizeof(state), 1, f) != 1)
			return false;
	}
	return true;
}

static bool will_save(const struct job *job)
{
	return job->verify_state_save && !job->verify_only && job_writes(job);
}

void verify_state_begin(const struct worker *w)
{
	char path[128];

	if (!will_save(w->job))
		return;
	state_name(w, path, sizeof(path));
	side_file_remove(path);
}

void verify_state_save(struct worker *w)
{
	struct side_file file;
	char path[128];
	bool good = true;
	FILE *f = NULL;
	int rc;

	if (!will_save(w->job))
		return;
	state_name(w, path, sizeof(path));
	rc = side_file_open(&file, path, "the state of verify",
			    SIDE_FILE_COMPLETE);
	if (rc) {
		worker_fail(w, "job %s: %s; or give verify_state_save=0",
			    w->job->name, fail_sentence());
		return;
	}
	f = fdopen(dup(file.fd), "w");
	if (f) {
		fprintf(f, "iodyno-verify 1 %llu %u\n",
			(unsigned long long)w->region[0].target->verify->run,
			w->n_regions);
		for (unsigned i = 0; i < w->n_regions && good; i++)
			good = save_region(f, &w->region[i]);
		good &= fclose(f) == 0;
	}
	rc = errno;
	if (f && good)
		rc = -side_file_commit(&file);
	else
		side_file_close(&file);
	if (!f || !good || rc)
		worker_fail(w,
			    "job %s: the state of verify cannot be kept in "
			    "%s: %s; write elsewhere or give "
			    "verify_state_save=0",
			    w->job->name, path, strerror(rc));
}

static bool load_region(FILE *f, struct region *s, uint64_t run)
{
	struct verify_map *map = s->target->verify;
	unsigned long long bytes, first, n;

	if (fscanf(f, "%llu %llu %llu", &bytes, &first, &n) != 3 ||
	    fgetc(f) != '\n' || bytes != map->bytes || first != first_of(s) ||
	    n != count_of(s))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t state;

		if (fread(&state, sizeof(state), 1, f) != 1)
			return false;
		verify_map_touch(map, first + i);
		verify_map_set(map, first + i,
			       state & (VERIFY_GENERATION | VERIFY_UNSURE));
	}
	/* Writes go on from where that run was. */
	map->run = run;
	return true;
}

int verify_state_load(struct worker *w)
{
	char path[128];
	unsigned long long run;
	unsigned files;
	bool good;
	FILE *f;
	int fd;

	if (!w->job->verify_state_load)
		return 0;
	state_name(w, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f)
		return fail(errno,
			    "job %s: the state of verify cannot be read from "
			    "%s: %s",
			    w->job->name, path, strerror(errno));
	good = fscanf(f, "iodyno-verify 1 %llu %u", &run, &files) == 2 &&
	       fgetc(f) == '\n' && run && files == w->n_regions;
	for (unsigned i = 0; i < w->n_regions && good; i++)
		good = load_region(f, &w->region[i], run);
	fclose(f);
	if (!good)
		return fail(EINVAL,
			    "job %s: %s is not the state of this job: other "
			    "files, size or block size",
			    w->job->name, path);
	/* What that run did not write is nobody's. */
	w->verify->self = false;
	return 0;
}
