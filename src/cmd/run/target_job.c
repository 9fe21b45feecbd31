/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target job: the job of a target that was given without one.
 */
#include "cmd/run/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/privilege.h"
#include "workload/jobfile/jobfile.h"
#include "workload/ping.h"

/* Large enough for a disk's cache to be missed, laid out within seconds. */
#define SCRATCH_SIZE "512m"
/* The free space that must exist: twice SCRATCH_SIZE. */
#define FREE_BYTES (1ull << 30)

/* Defaults of options that are not given, unless one of the alternatives is. */
static const struct bare_default {
	const char *name, *value;
	const char *unless;
} defaults[] = {
	{ "rw", "randread", "rw" },
	{ "bs", "4k", "bs bsrange bssplit" },
	{ "iodepth", "32", "iodepth" },
	{ "ramp_time", "5s", "ramp_time io_size number_ios loops" },
	{ "runtime", "30s", "runtime io_size number_ios loops" },
	{ "time_based", "1", "time_based io_size number_ios loops" },
};

/* A job under construction, and the words about it. */
struct making {
	const char *path;
	struct job *job;
	struct scratch *scratch; /* NULL: none */
	char words[400];
};

bool target_job_is_target(const char *word)
{
	struct stat st;

	if (stat(word, &st))
		return false;
	return S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode) ||
	       (S_ISREG(st.st_mode) && !jobfile_looks_so(word));
}

/* Whether the user gave one of these options. */
static bool given(const struct job *job, const char *names)
{
	char text[128], *rest = text, *name;

	text_copy(text, sizeof(text), names);
	while ((name = strsep(&rest, " ")))
		for (size_t i = 0; i < job->n_given; i++)
			if (job->given[i].global &&
			    !strcmp(job->given[i].name, name))
				return true;
	return false;
}

static int set(struct making *m, const char *name, const char *value)
{
	size_t n = strlen(m->words);
	int err = job_set(m->job, name, value);

	if (err == 0)
		snprintf(m->words + n, sizeof(m->words) - n, " %s=%s", name,
			 value);
	return err;
}

/* Name the job after the last part of the path. */
static int set_name(struct making *m)
{
	char *real = realpath(m->path, NULL);
	const char *slash = strrchr(m->path, '/'),
		   *name = slash ? slash + 1 : m->path;
	int err;

	if (real && (!*name || *name == '.'))
		name = strrchr(real, '/') + 1;
	if (!*name || *name == '.')
		name = "target";
	err = job_set(m->job, "name", name);
	free(real);
	return err;
}

/* ':' separates the files of a list, so quote it. */
int target_job_filename(struct job *job, const char *path)
{
	char *text = xmalloc(2 * strlen(path) + 1), *to = text;
	int err;

	for (const char *p = path; *p; p++) {
		if (*p == ':')
			*to++ = '\\';
		*to++ = *p;
	}
	*to = '\0';
	err = job_set(job, "filename", text);
	free(text);
	return err;
}

int target_job_check_file(struct job *job, const char *path, const struct stat *st)
{
	unsigned long long size = (unsigned long long)st->st_size;

	if (job_writes(job) || job->size_bytes)
		return 0;
	if (!size)
		return fail(EINVAL,
			    "%s is empty, so there is nothing to read; name "
			    "another file, a directory or a device",
			    path);
	if (size < job_max_block(job))
		return fail(EINVAL,
			    "%s has %llu bytes, less than one block of %llu; "
			    "give a smaller block or name another file",
			    path, size, (unsigned long long)job_max_block(job));
	if ((uint64_t)st->st_blocks * 512 + 4096 < size)
		job_note(job,
			 "%s has %llu KiB, but only %llu KiB of them are "
			 "allocated: reads of the holes reach no device",
			 path, size >> 10,
			 (unsigned long long)st->st_blocks >> 1);
	return 0;
}

int target_job_scratch(struct scratch *s, const char *dir, uint64_t first_bytes,
		 uint64_t free_bytes)
{
	int err;

	privilege_lower();
	err = scratch_make_file(s, dir, first_bytes, free_bytes);
	privilege_raise();
	if (err == -EACCES && privilege_by_sudo())
		err = scratch_make_file(s, dir, first_bytes, free_bytes);
	return err;
}

/*
 * Make a temporary file in a directory; the job lays it out, and the file
 * disappears with the process. In a dry run make nothing: the commands that
 * --showcmd prints make a file with a name and remove it.
 */
static int set_directory(struct making *m, bool dry)
{
	const bool sized = given(m->job, "size filesize");
	int err = target_job_scratch(m->scratch, m->path, job_max_block(m->job),
			       sized ? 0 : FREE_BYTES);

	if (err == 0 && !sized)
		err = set(m, "size", SCRATCH_SIZE);
	if (err < 0)
		return err;
	if (!dry)
		return target_job_filename(m->job, m->scratch->path);
	err = job_set(m->job, "directory", m->path);
	return err < 0 ? err : job_set(m->job, "unlink", "1");
}

static int probe(struct making *m)
{
	struct probe p = {
		.choose_engine = !given(m->job, "ioengine"),
		.choose_direct = !given(m->job, "direct"),
	};
	const struct job *job = m->job;
	int err;

	if (!p.choose_engine && !p.choose_direct)
		return 0;
	err = ping_probe(&p, job, m->scratch ? m->scratch->path : m->path);
	if (err < 0)
		return err;
	if (p.choose_direct)
		err = set(m, "direct", p.direct ? "1" : "0");
	if (err == 0 && p.choose_engine)
		err = set(m, "ioengine", p.engine);
	if (err == 0 && *p.words)
		job_note(m->job, "%s: %s", m->path, p.words);
	return err;
}

static int set_target(struct making *m, const struct stat *st, bool dry)
{
	int err = set_name(m);

	if (err < 0)
		return err;
	if (S_ISDIR(st->st_mode))
		return set_directory(m, dry);
	err = target_job_filename(m->job, m->path);
	if (err == 0 && S_ISREG(st->st_mode)) {
		/* Do not lay out even a file that iodyno made. */
		m->job->create_on_open = !job_writes(m->job);
		err = target_job_check_file(m->job, m->path, st);
	}
	return err;
}

/* Note the job that the target gets. */
static void note_job(struct making *m, const struct stat *st)
{
	job_note(m->job, "no job given for %s: using%s; %s", m->path, m->words,
		 S_ISDIR(st->st_mode)
			 ? "on a temporary file in it that is removed at "
			   "the end"
		 : job_writes(m->job) ? "it will be written"
				      : "nothing is written to it");
}

int target_job_look(const char *path, struct stat *st)
{
	if (stat(path, st))
		return fail(errno, "cannot examine the target %s: %s", path,
			    strerror(errno));
	if (S_ISDIR(st->st_mode) || S_ISBLK(st->st_mode) ||
	    S_ISREG(st->st_mode))
		return 0;
	return fail(EINVAL,
		    "%s is not a target: a target is a file, a directory or a "
		    "device",
		    path);
}

static int make_one(struct settings *s, const char *path,
		    struct scratch *scratch, bool dry)
{
	struct making m = { .path = path };
	struct stat st;
	int err = target_job_look(path, &st);

	if (err < 0)
		return err;
	m.job = settings_add_job(s);
	m.scratch = S_ISDIR(st.st_mode) ? scratch : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(defaults) && err == 0; i++)
		if (!given(m.job, defaults[i].unless))
			err = set(&m, defaults[i].name, defaults[i].value);
	if (err == 0)
		err = set_target(&m, &st, dry);
	if (err == 0)
		err = probe(&m);
	if (err == 0)
		note_job(&m, &st);
	return err;
}

int target_job_make(struct target_jobs *b, struct settings *s, bool dry)
{
	int err = 0;

	if (s->n_jobs)
		return fail(EINVAL,
			    "%s is a target and gets a job of its own, but "
			    "there are other jobs as well; give those jobs "
			    "--filename=%s, or leave out the target or the "
			    "jobs",
			    s->target.word[0], s->target.word[0]);
	if (s->global.filename || s->global.directory)
		return fail(EINVAL,
			    "the target %s and --filename or --directory "
			    "exclude each other",
			    s->target.word[0]);
	b->scratch = xcalloc(s->target.n, sizeof(*b->scratch));
	for (size_t i = 0; i < s->target.n; i++)
		b->scratch[b->n++].fd = -1;
	for (size_t i = 0; i < s->target.n && err == 0; i++) {
		err = make_one(s, s->target.word[i], &b->scratch[i], dry);
		/* Allow the file by name: not all file systems hold marks. */
		if (err == 0 && b->scratch[i].fd >= 0 && !dry)
			options_add_word(&s->overwrite, b->scratch[i].path);
	}
	return err;
}

void target_job_remove(struct target_jobs *b)
{
	for (size_t i = 0; i < b->n; i++)
		scratch_remove(&b->scratch[i]);
	free(b->scratch);
	b->scratch = NULL;
	b->n = 0;
}
