/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs: read and check them; make those of a target that was given without one.
 */
#include "cmd/run/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/root.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/lists.h"
#include "cmd/privilege.h"
#include "cmd/run/fit.h"
#include "workload/engine/engine.h"
#include "workload/jobfile/jobfile.h"
#include "workload/kind/kind.h"
#include "workload/ping.h"

/* --- the job of a target --- */

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

/* The runtime of the job that tells the kind of disk. */
#define SINGLE_RUNTIME "3s"

/* A job under construction, and the words about it. */
struct making {
	const char *path;
	struct job *job;
	struct scratch *scratch; /* NULL: none */
	char words[400];
};

/*
 * Whether a word after "run" is a target: a directory, a block device, or a
 * regular file that does not look like a job file. Other words are job files.
 */
static bool jobs_is_target(const char *word)
{
	struct stat st;

	if (stat(word, &st))
		return false;
	return S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode) ||
	       (S_ISREG(st.st_mode) && !jobfile_looks_so(word));
}

/* Whether the user gave one of these options. */
static bool given_globally(const struct job *job, const char *names)
{
	char text[128], *rest = text, *name;

	text_set(text, names);
	while ((name = strsep(&rest, " ")))
		for (size_t i = 0; i < job->n_given; i++)
			if (job->given[i].global &&
			    !strcmp(job->given[i].name, name))
				return true;
	return false;
}

static int jobs_set(struct making *m, const char *name, const char *value)
{
	int err = job_set(m->job, name, value);

	if (err == 0)
		text_append(m->words, " %s=%s", name, value);
	return err;
}

/* Name the job after the last part of the path. */
static int set_name(struct making *m)
{
	char *real = realpath(m->path, NULL);
	const char *name = text_base(m->path);
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
int jobs_target_filename(struct job *job, const char *path)
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

int jobs_target_check_file(struct job *job, const char *path,
			  const struct stat *st)
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

int jobs_target_scratch(struct scratch *s, const char *dir, uint64_t first_bytes,
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
	const bool sized = given_globally(m->job, "size filesize");
	int err = jobs_target_scratch(m->scratch, m->path, job_max_block(m->job),
				     sized ? 0 : FREE_BYTES);

	if (err == 0 && !sized)
		err = jobs_set(m, "size", SCRATCH_SIZE);
	if (err < 0)
		return err;
	if (!dry)
		return jobs_target_filename(m->job, m->scratch->path);
	err = job_set(m->job, "directory", m->path);
	return err < 0 ? err : job_set(m->job, "unlink", "1");
}

static int jobs_probe(struct making *m)
{
	struct probe p = {
		.choose_engine = !given_globally(m->job, "ioengine"),
		.choose_direct = !given_globally(m->job, "direct"),
	};
	const struct job *job = m->job;
	int err;

	if (!p.choose_engine && !p.choose_direct)
		return 0;
	err = ping_probe(&p, job, m->scratch ? m->scratch->path : m->path);
	if (err < 0)
		return err;
	if (p.choose_direct)
		err = jobs_set(m, "direct", p.direct ? "1" : "0");
	if (err == 0 && p.choose_engine)
		err = jobs_set(m, "ioengine", p.engine);
	if (err == 0 && *p.words)
		job_note(m->job, "%s: %s", m->path, p.words);
	return err;
}

static int jobs_set_target(struct making *m, const struct stat *st, bool dry)
{
	int err = set_name(m);

	if (err < 0)
		return err;
	if (S_ISDIR(st->st_mode))
		return set_directory(m, dry);
	err = jobs_target_filename(m->job, m->path);
	if (err == 0 && S_ISREG(st->st_mode)) {
		/* Do not lay out even a file that iodyno made. */
		m->job->create_on_open = !job_writes(m->job);
		err = jobs_target_check_file(m->job, m->path, st);
	}
	return err;
}

/*
 * Whether to read for some seconds more, one I/O at a time, because only that
 * tells the kind of disk. A user who chose the work gets no other, and an
 * assertion about each job is about that one.
 */
static bool jobs_add_single(const struct settings *s, const struct job *job)
{
	return job->direct && !s->ab && !s->assertions.n &&
	       !given_globally(job, "rw bs bsrange bssplit iodepth numjobs "
				    "io_size number_ios loops rate rate_iops");
}

/* Note the job that the target gets. */
static void jobs_note_job(struct making *m, const struct stat *st, bool single)
{
	job_note(m->job, "no job given for %s: using%s; %s%s", m->path, m->words,
		 S_ISDIR(st->st_mode)
			 ? "on a temporary file in it that is removed at "
			   "the end"
		 : job_writes(m->job) ? "it will be written"
				      : "nothing is written to it",
		 single ? "; then " SINGLE_RUNTIME " of one read at a time, "
			  "which tell the kind of disk"
		 : job_writes(m->job) || m->job->iodepth == 1
			 ? ""
			 : "; iodyno ping says which kinds of disks are as fast");
}

int jobs_target_look(const char *path, struct stat *st)
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

/* The job that tells the kind of disk of jobs[i], behind all jobs. */
static int jobs_make_single(struct settings *s, size_t i)
{
	static const char *const option[][2] = {
		{ "iodepth", "1" },
		{ "ramp_time", "0" },
		{ "runtime", SINGLE_RUNTIME },
		{ "stonewall", "1" },
	};
	char name[300];
	struct job *job;
	int err;

	text_set(name, s->job[i].name);
	text_append(name, "-single");
	job = settings_add_job(s);
	job_free(job);
	job_copy(job, &s->job[i]);
	err = job_set(job, "name", name);
	for (size_t k = 0; k < ARRAY_SIZE(option) && err == 0; k++)
		err = job_set(job, option[k][0], option[k][1]);
	return err;
}

static int jobs_make_one(struct settings *s, const char *path,
			 struct scratch *scratch, bool dry)
{
	struct making m = { .path = path };
	struct stat st;
	int err = jobs_target_look(path, &st);

	if (err < 0)
		return err;
	m.job = settings_add_job(s);
	m.scratch = S_ISDIR(st.st_mode) ? scratch : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(defaults) && err == 0; i++)
		if (!given_globally(m.job, defaults[i].unless))
			err = jobs_set(&m, defaults[i].name, defaults[i].value);
	if (err == 0)
		err = jobs_set_target(&m, &st, dry);
	if (err == 0)
		err = jobs_probe(&m);
	if (err == 0)
		jobs_note_job(&m, &st, jobs_add_single(s, m.job));
	return err;
}

int jobs_target_make(struct target_jobs *b, struct settings *s, bool dry)
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
		err = jobs_make_one(s, s->target.word[i], &b->scratch[i], dry);
		/* Allow the file by name: not all file systems hold marks. */
		if (err == 0 && b->scratch[i].fd >= 0 && !dry)
			options_add_word(&s->overwrite, b->scratch[i].path);
	}
	for (size_t i = 0; i < s->target.n && err == 0; i++)
		if (jobs_add_single(s, &s->job[i]))
			err = jobs_make_single(s, i);
	return err;
}

void jobs_target_remove(struct target_jobs *b)
{
	for (size_t i = 0; i < b->n; i++)
		scratch_remove(&b->scratch[i]);
	free(b->scratch);
	b->scratch = NULL;
	b->n = 0;
}

/* --- reading jobs --- */

#define MAX_NODES 1024

static struct job *jobs_add_job(void *settings)
{
	return settings_add_job(settings);
}

int jobs_preset_text(const struct settings *s, const struct preset *p,
		     char **text)
{
	const char *name, *help;
	size_t i = PRESET_FULL;

	while (s->scale && (name = preset_scale_name(i, &help)) &&
	       strcmp(name, s->scale) != 0)
		i++;
	return preset_text(p, (enum preset_scale)i, text);
}

static int read_preset(struct settings *s, struct jobfile *f,
		       const struct preset *p)
{
	const size_t first = s->n_jobs;
	struct fit_given given;
	char *text;
	int err;

	if (p->plan)
		return fail(EINVAL,
			    "preset %s is a plan: give it to iodyno sweep",
			    p->name);
	err = jobs_preset_text(s, p, &text);
	if (err < 0)
		return err;
	if (p->figures && !s->warnings_fatal)
		options_add_word(&s->note, xstrdup(p->figures));
	f->trusted = true;
	fit_read(&given, &s->global);
	err = jobfile_parse(f, p->path, text);
	f->trusted = false;
	free(text);
	/* What is only shown is shown as it is. */
	for (size_t i = first; i < s->n_jobs && err == 0; i++)
		if (!s->parse_only && !s->showcmd)
			err = fit_job(&s->job[i], &given, p->name);
	return err;
}

/*
 * A preset's name is the preset; a file of that name is "./NAME". Targets wait
 * for jobs_target_make().
 */
static int read_argument(struct settings *s, struct jobfile *f, char *word)
{
	const struct preset *p = preset_find(word);

	if (!p && jobs_is_target(word)) {
		options_add_word(&s->target, word);
		return 0;
	}
	/* "-" is a job file on stdin. */
	if (!p && strcmp(word, "-") && !strchr(word, '/') &&
	    access(word, F_OK) < 0)
		return fail(
			EINVAL,
			"there is no job file and no preset %s%s; see iodyno "
			"list presets",
			word,
			lists_did_you_mean(lists_find("presets"), word).text);
	if (!p)
		return jobfile_read(f, word);
	return read_preset(s, f, p);
}

/*
 * fio takes a job's name for its file when it is that of a device or has a
 * directory in it.
 */
static int name_is_file(struct job *job)
{
	struct stat st;
	int err;

	if (job->filename || job->nrfiles != 1)
		return 0;
	if (!strchr(job->name, '/') &&
	    (stat(job->name, &st) || S_ISREG(st.st_mode) ||
	     S_ISDIR(st.st_mode)))
		return 0;
	job->foreign = job_is_foreign(job, "name");
	err = job_set(job, "filename", job->name);
	job->foreign = false;
	return err;
}

static bool in_list(const char *list, unsigned n)
{
	while (*list) {
		char *end;
		unsigned long low = strtoul(list, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (low <= n && n <= high)
			return true;
		list = end + (*end == ',');
	}
	return false;
}

/* The CPUs of a list of nodes, or NULL; the caller frees the text. */
static char *cpus_of_nodes(const struct root *root, const char *nodes)
{
	char *cpus = NULL, line[1024], path[64];

	for (unsigned n = 0; n < MAX_NODES; n++) {
		snprintf(path, sizeof(path),
			 "sys/devices/system/node/node%u/cpulist", n);
		if (!in_list(nodes, n) ||
		    root_read_line(root, path, line, sizeof(line)) <= 0)
			continue;
		xappend(&cpus, "%s%s", cpus ? "," : "", line);
	}
	return cpus;
}

/* Set the CPUs of numa_cpu_nodes, unless cpus_allowed is given. */
static int use_nodes(const struct settings *s, struct job *job)
{
	struct root root;
	int err;

	if (!job->numa_nodes || job->cpus_allowed || s->parse_only ||
	    s->showcmd)
		return 0;
	err = root_open(&root, s->root);
	if (err < 0)
		return err;
	job->cpus_allowed = cpus_of_nodes(&root, job->numa_nodes);
	root_close(&root);
	if (!job->cpus_allowed)
		return fail(EINVAL, "job %s: NUMA node %s has no CPU here",
			    job_id(job), job->numa_nodes);
	return 0;
}

static int check_job(const struct settings *s, struct job *job)
{
	const struct engine *engine;
	const struct work_kind *kind;

	if (name_is_file(job) < 0 || use_nodes(s, job) < 0 ||
	    kind_settle(job, &kind) < 0 || job_check(job) < 0)
		return -EINVAL;
	job->aux_path = s->aux_path;
	job->log_path = s->log && strcmp(s->log, "-") != 0 ? s->log : NULL;
	if (kind == &kind_io && (engine_find(job->engine, &engine) < 0 ||
				 engine_check_flags(engine, job) < 0))
		return fail(EINVAL, "job %s: %s", job_id(job), fail_sentence());
	if (s->readonly && kind->ops & 1u << JOB_WRITE && job_writes(job))
		return fail(EPERM, "job %s has rw=%s, and --readonly was given",
			    job_id(job), job_rw_name(job->rw));
	return 0;
}

/* The operation of a figure, as a bit; 0: of none, "iops". */
static unsigned jobs_figure_op(const char *key)
{
	for (unsigned op = 0; op < JOB_OPS; op++) {
		size_t n = strlen(job_ops[op].key);

		if (!strncmp(key, job_ops[op].key, n) && key[n] == '_')
			return 1u << op;
	}
	return 0;
}

/* Whether an assertion is about this job; clones are NAME.0, NAME#2, ... */
static bool jobs_asserts(const struct assertion *a, const struct job *job)
{
	const size_t n = strlen(job->name);

	return !*a->row || text_among(a->row, "*", "all") ||
	       (!strncmp(a->row, job->name, n) &&
		(!a->row[n] || strchr(".#", a->row[n])));
}

static int jobs_check_assertion(const struct assertion *a,
				const struct job *job, size_t n)
{
	const unsigned op = jobs_figure_op(a->key);
	bool any = false, can = !op;

	for (size_t i = 0; i < n; i++) {
		if (!jobs_asserts(a, &job[i]))
			continue;
		any = true;
		can |= kind_job_ops(&job[i]) & op;
	}
	if (!any)
		return fail(EINVAL, "--assert='%s': no job is called %s",
			    a->text, a->row);
	return can ? 0
		   : fail(EINVAL,
			  "--assert='%s': no job has this figure, because none "
			  "does such operations",
			  a->text);
}

int jobs_check_assertions(const struct assertions *a, const struct job *job,
			  size_t n)
{
	struct assertions all = { 0 };
	int err = 0;

	assertions_copy(&all, a);
	for (size_t i = 0; i < n; i++)
		assertions_add_job(&all, &job[i], job[i].name);
	for (size_t i = 0; i < all.n && n && !err; i++)
		if (!strcmp(all.list[i].table, "job"))
			err = jobs_check_assertion(&all.list[i], job, n);
	assertions_free(&all);
	return err;
}

int jobs_check(struct settings *s)
{
	uint64_t clones = 0;
	int err = 0;

	/* Names are shown, logged and part of file names. */
	for (size_t i = 0; i < s->n_jobs; i++) {
		text_clean(s->job[i].name);
		if (s->job[i].description)
			text_clean(s->job[i].description);
	}
	jobs_settle(s->job, s->n_jobs);
	for (size_t i = 0; i < s->n_jobs && !err; i++) {
		err = check_job(s, &s->job[i]);
		clones += s->job[i].numjobs;
	}
	if (!err && s->max_jobs && clones > s->max_jobs)
		return fail(EINVAL,
			    "there are %llu clones, and --max-jobs=%llu",
			    (unsigned long long)clones,
			    (unsigned long long)s->max_jobs);
	return err ? err
		   : jobs_check_assertions(&s->assertions, s->job, s->n_jobs);
}

int jobs_parse(struct settings *s)
{
	struct jobfile file = {
		.global = &s->global,
		.add = jobs_add_job,
		.arg = s,
		.section = s->section.word,
		.n_sections = s->section.n,
		.lenient = s->lenient,
	};
	int err = 0;

	for (size_t i = 0; i < s->arg.n && !err; i++)
		err = read_argument(s, &file, s->arg.word[i]);
	for (size_t i = 0; i < s->jobfile.n && !err; i++)
		err = jobfile_read(&file, s->jobfile.word[i]);
	return err;
}

int jobs_read(struct settings *s)
{
	const char *text;
	size_t at = 0;
	int err = jobs_parse(s);

	if (!err)
		err = jobs_check(s);
	if (!err && s->warnings_fatal && jobs_note(s, &at, &text))
		return fail(EINVAL, "%s", text);
	return err;
}

/* The k-th note: those on the command line, the defaults, then each job. */
static const char *note_at(const struct settings *s, size_t k)
{
	if (k < s->note.n)
		return s->note.word[k];
	k -= s->note.n;
	if (k < s->global.n_notes)
		return s->global.note[k];
	k -= s->global.n_notes;
	for (size_t i = 0; i < s->n_jobs; i++) {
		if (k < s->job[i].n_notes)
			return s->job[i].note[k];
		k -= s->job[i].n_notes;
	}
	return NULL;
}

bool jobs_note(const struct settings *s, size_t *i, const char **text)
{
	while ((*text = note_at(s, (*i)++))) {
		size_t k = 0;

		while (k + 1 < *i && strcmp(note_at(s, k), *text))
			k++;
		if (k + 1 == *i)
			return true;
	}
	return false;
}

char *jobs_words(const struct job *j, char *buf, size_t buf_size)
{
	const char *behind = j->stonewall ? ", after the jobs before it" : "";
	char size[32] = "of the target";

	if (strcmp(j->kind, kind_io.name) != 0) {
		snprintf(buf, buf_size, "kind %s%s%.100s, numjobs %u%s",
			 j->kind, j->program ? ", " : "",
			 j->command   ? j->command
			 : j->program ? j->program
				      : "",
			 j->numjobs, behind);
		/* The program is a text of the job file. */
		text_clean(buf);
		return buf;
	}
	if (j->size_pct)
		snprintf(size, sizeof(size), "%u%%", j->size_pct);
	else if (j->size_bytes)
		text_set(size, units_bytes((double)j->size_bytes).text);
	snprintf(buf, buf_size,
		 "%s by %s, blocks of %s%s, iodepth %u, numjobs %u, size %s%s",
		 job_rw_name(j->rw), j->engine,
		 job_min_block(j) < job_max_block(j) ? "up to " : "",
		 units_bytes((double)job_max_block(j)).text, j->iodepth,
		 j->numjobs, size, behind);
	return buf;
}

void jobs_print(const struct settings *s)
{
	char words[200];

	printf("%zu job%s\n", s->n_jobs, s->n_jobs == 1 ? "" : "s");
	for (size_t i = 0; i < s->n_jobs; i++)
		printf("%s: %s\n", job_id(&s->job[i]),
		       jobs_words(&s->job[i], words, sizeof(words)));
}
