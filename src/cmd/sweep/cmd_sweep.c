/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep: runs jobs under every combination of settings. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "block/sysfs.h"
#include "cmd/command.h"
#include "cmd/privilege.h"
#include "cmd/run/jobs.h"
#include "cmd/session/display.h"
#include "cmd/session/plan.h"
#include "cmd/sweep/sweep.h"
#include "collect/collect.h"
#include "workload/jobfile/jobfile.h"
#include "workload/workload.h"

#define PLAN_BYTES (1u << 20)
#define PLAN_WORDS 256
#define PLAN_PRESET "preset=" /* the jobs of a preset */

/* --- plan files --- */

/* The permissions that only the command line gives. */
static const char *const permits[] = { "destroy-data", "override", "overwrite",
				       "allow-exec",   "log",      "resume",
				       "yes",	       "boot",	   "allow-path",
				       "allow-knob" };

static bool is_permit(const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(permits); i++) {
		size_t n = strlen(permits[i]);

		if (!strncmp(line, permits[i], n) &&
		    (!line[n] || line[n] == '='))
			return true;
	}
	return false;
}

/* Read a file with a section [sweep]; NULL: it is none. The caller frees. */
static char *read_plan_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text;
	size_t n;

	if (!f)
		return NULL;
	text = xcalloc(PLAN_BYTES + 1, 1);
	n = fread(text, 1, PLAN_BYTES, f);
	fclose(f);
	if (memchr(text, '\0', n) ||
	    (strncmp(text, "[sweep]", 7) && !strstr(text, "\n[sweep]"))) {
		free(text);
		return NULL;
	}
	return text;
}

/*
 * Move the lines of [sweep] from the text to words, as options; the text keeps
 * its line numbers. 0, or -EINVAL with a sentence. words owns the texts.
 */
static int take_section(const char *path, char *text, struct words *words)
{
	const size_t n_preset = strlen(PLAN_PRESET);
	bool in = false;
	unsigned number = 0;

	for (char *line = text, *end; *line; line = end) {
		char copy[512], *word;

		number++;
		end = line + strcspn(line, "\n");
		snprintf(copy, sizeof(copy), "%.*s", (int)(end - line), line);
		end += *end == '\n';
		word = text_trim(copy);
		if (*word == '[')
			in = !strcmp(word, "[sweep]");
		if (!in)
			continue;
		memset(line, ' ', (size_t)(end - line - (end[-1] == '\n')));
		if (*word == '[' || *word == '#' || *word == ';' || !*word)
			continue;
		if (is_permit(word) || words->n == PLAN_WORDS)
			return fail(EINVAL,
				    "%s:%u: %s stands on the command line "
				    "only, not in a plan",
				    path, number, word);
		options_add_word(words, !strncmp(word, PLAN_PRESET, n_preset)
						? xstrdup(word + n_preset)
						: xasprintf("--%s", word));
	}
	return 0;
}

/* --- settings --- */

static int add_job_of(struct settings *s, const char *path, char *text,
		      bool trusted)
{
	struct jobfile file = {
		.trusted = trusted,
		.global = &s->global,
		.add = (struct job * (*)(void *)) settings_add_job,
		.arg = s,
		.section = s->section.word,
		.n_sections = s->section.n,
		.lenient = s->lenient,
	};

	return jobfile_parse(&file, path, text);
}

/*
 * Parse the options of a plan, of the resumed log and of this command line;
 * later ones replace earlier ones. A log permits nothing: the command line must
 * name again the data that may be destroyed, and the paths and knobs that are
 * not those of the scratch device. The text of a preset is iodyno's own
 * (trusted). 0, or -EINVAL with a sentence; free the settings in any case.
 */
static int parse_all(struct settings *all, const struct settings *s,
		     const struct sweep_past *past, const struct words *plan,
		     bool trusted)
{
	const struct command *command = command_find("sweep");
	const char *device;
	int err = 0;

	settings_init(all, s->argc, s->argv);
	all->foreign = !trusted || past->argc;
	if (plan)
		err = options_parse(all, command, (int)plan->n, plan->word);
	if (!err && past->argc > 2)
		err = options_parse(all, command, (int)past->argc - 2,
				    past->argv + 2);
	settings_take_permits(all);
	device = all->foreign ? all->sweep.device : NULL;
	all->foreign = false;
	/* The folder of the log is the log's. */
	all->folder = past->folder;
	if (!err)
		err = options_parse(all, command, s->argc - 2, s->argv + 2);
	if (all->sweep.device && all->sweep.device != device)
		options_add_word(&all->allow_knob, (char *)all->sweep.device);
	return err;
}

/* Whether a plan has jobs of its own, behind its section [sweep]. */
static bool cmd_sweep_has_jobs(const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (*line == '[')
			return true;
	}
	return false;
}

/*
 * The plan that a word names, a preset or a file; *text is NULL when it names
 * none. 0, or -errno with a sentence.
 */
static int cmd_sweep_find_plan(const struct settings *s, const char *word,
			       const char **path, char **text)
{
	const struct preset *p = preset_find(word);

	*path = word;
	*text = NULL;
	if (!p)
		*text = read_plan_file(word);
	else if (p->plan)
		*path = p->path;
	return p && p->plan ? jobs_preset_text(s, p, text) : 0;
}

/* Remove a word; words are compared by address. */
static void take_word(struct words *words, const char *word)
{
	size_t n = 0;

	for (size_t i = 0; i < words->n; i++)
		if (words->word[i] != word)
			words->word[n++] = words->word[i];
	words->n = n;
}

/* Read the first plan among the arguments; other options replace its own. */
static int read_plan(struct settings *s, const struct sweep *sw,
		     struct words *owned)
{
	char *text = NULL;
	const char *path = NULL;
	struct settings all;
	bool trusted;
	size_t at;
	int err = 0;

	for (at = 0; at < s->arg.n && !text && !err; at++)
		err = cmd_sweep_find_plan(s, s->arg.word[at], &path, &text);
	if (!text)
		return err;
	err = take_section(path, text, owned);
	if (err < 0) {
		free(text);
		return err;
	}
	trusted = preset_find(s->arg.word[at - 1]);
	err = parse_all(&all, s, &sw->past, owned, trusted);
	if (!err) {
		all.log = s->log;
		take_word(&all.arg, s->arg.word[at - 1]);
		if (cmd_sweep_has_jobs(text))
			err = add_job_of(&all, path, text, trusted);
	}
	free(text);
	if (err < 0) {
		settings_free(&all);
		return err;
	}
	settings_free(s);
	*s = all;
	return 0;
}

/* The log sets the folder of relative paths, so paths that permit a loss of
 * data must be absolute. */
static int check_whole_paths(const struct words *words, const char *option)
{
	for (size_t i = 0; i < words->n; i++)
		if (*words->word[i] != '/')
			return fail(EINVAL,
				    "with --resume, give --%s=%s as a whole "
				    "path",
				    option, words->word[i]);
	return 0;
}

/*
 * Jobs make their files where the sweep began. As root, that must be a folder
 * that the command line names, if only by the log in it.
 */
static int check_folder(const struct settings *s,
			const struct sweep_past *past)
{
	struct allow_list allowed = options_allowed(s);
	char *folder, *missing;
	struct job none;

	if (!past->directory || s->sweep.dry_run || geteuid() != 0 ||
	    privilege_by_sudo())
		return 0;
	folder = xasprintf("%s/.", past->directory);
	job_init(&none);
	allowed.folder = ".";
	missing = guard_place_missing(&allowed, &none, folder, true);
	job_free(&none);
	free(folder);
	if (missing && !strncmp(past->path, missing, strlen(missing)) &&
	    strrchr(past->path, '/') == past->path + strlen(missing)) {
		free(missing);
		missing = NULL;
	}
	if (!missing)
		return 0;
	fail(EPERM,
	     "the log says that its sweep began in %s, where its jobs would "
	     "make files as root; if that is right start there, or give "
	     "--allow-path=%s",
	     missing, missing);
	free(missing);
	return -EPERM;
}

/* --resume: the options of the log, then those of this command line. */
static int read_past(struct settings *s, struct sweep *sw)
{
	struct sweep_past *past = &sw->past;
	struct settings all;
	char *log = realpath(s->sweep.resume, NULL);
	int err;

	if (!log)
		return fail(errno, "cannot resume %s: %s", s->sweep.resume,
			    strerror(errno));
	past->path = log;
	sw->log = log;
	err = check_whole_paths(&s->overwrite, "overwrite");
	if (!err)
		err = check_whole_paths(&s->destroy, "destroy-data");
	if (err < 0)
		return err;
	err = sweep_log_open(past, log);
	if (err < 0)
		return err;
	past->folder = getcwd(NULL, 0);
	if (!past->folder)
		return fail(errno, "cannot find the working directory: %s",
			    strerror(errno));
	err = check_folder(s, past);
	if (err < 0)
		return err;
	if (past->directory && chdir(past->directory) < 0)
		return fail(errno, "cannot go to %s, where the sweep began: %s",
			    past->directory, strerror(errno));
	err = parse_all(&all, s, past, NULL, false);
	if (err < 0) {
		settings_free(&all);
		return err;
	}
	settings_free(s);
	*s = all;
	s->log = log;
	sw->resumes = true;
	if (past->has_first_c)
		sw->audit.first_c = past->first_c;
	return 0;
}

/* Check the jobs of all variants, and add them to the plan. */
static int check_jobs(struct sweep *sw)
{
	for (size_t v = 0; v < sw->plan.n_variants; v++) {
		struct job *job;
		size_t n;
		int err = sweep_jobs_make(sw, v, 1, &job, &n);

		if (err < 0)
			return err;
		err = sweep_metric_settle(&sw->plan, job, n);
		if (!err)
			err = jobs_check_assertions(&sw->settings->assertions,
						    job, n);
		sweep_plan_add_jobs(&sw->plan, job, n);
		sweep_jobs_free(job, n);
		if (err < 0)
			return err;
	}
	return 0;
}

/* The disk of all jobs, if it is one. */
static void find_disk(const struct settings *s, struct sweep_plan *p)
{
	char disks[ROW_NAMES_MAX] = "";
	struct root root;

	if (root_open(&root, NULL) < 0)
		return;
	if (workload_disks(&root, s->job, s->n_jobs, disks, sizeof(disks)) < 0 ||
	    strchr(disks, ' ') || !text_set(p->device, disks))
		*p->device = '\0';
	root_close(&root);
}

/* Find the device of the knobs, if need be below the files of the jobs. */
static int find_device(struct sweep *sw)
{
	struct sweep_plan *p = &sw->plan;
	const bool made = p->scratch_bytes || p->scratch_device;

	for (size_t i = 0; i < sw->settings->n_jobs && !*p->device && !made; i++) {
		const char *name = sw->settings->job[i].filename;

		if (name && !strncmp(name, "/dev/", 5) && !strchr(name, ':'))
			text_copy(p->device, sizeof(p->device), name + 5);
	}
	for (size_t a = 0; a < p->n_axes && !made; a++)
		if (p->axis[a].kind == SWEEP_KNOB &&
		    !sweep_device(sw, &p->axis[a]))
			find_disk(sw->settings, p);
	for (size_t a = 0; a < p->n_axes; a++)
		if (p->axis[a].kind == SWEEP_KNOB && !p->scratch_bytes &&
		    !p->scratch_device && !sweep_device(sw, &p->axis[a]))
			return fail(EINVAL,
				    "--vary=%s: name the device, as in "
				    "--vary=sda.%s or by --device=sda",
				    p->axis[a].key, p->axis[a].key);
	return 0;
}

/* Which device a metric is of, and the trace that measures it. */
static int sweep_metric_of_device(struct sweep *sw, struct settings *s)
{
	struct sweep_plan *p = &sw->plan;
	const char *device = sweep_device(sw, NULL);

	if (!p->metric_device)
		return 0;
	if (!*p->metric_job && device)
		text_set(p->metric_job, device);
	if (!*p->metric_job && !p->scratch_bytes && !p->scratch_device)
		return fail(EINVAL,
			    "--metric=device.%s: name the device, as in "
			    "--metric=device.sda.%s or by --device=sda",
			    p->metric, p->metric);
	if (p->metric_traced && !s->bpf)
		s->bpf = "on";
	if (p->metric_traced && !strcmp(s->bpf, "off"))
		return fail(EINVAL,
			    "--metric=device.%s needs the trace that --bpf=off "
			    "forbids",
			    p->metric);
	return 0;
}

/*
 * Find the identity of the device: its world-wide name, or the file behind a
 * loop device; its size and firmware. A loop device of --scratch is new each
 * time.
 */
static void find_identity(struct sweep *sw)
{
	static const char *const revision[] = { "device/firmware_rev",
						"device/rev" };
	const char *device = sweep_device(sw, NULL);
	char path[64], folder[SYSFS_PATH_MAX], what[256] = "";
	char firmware[64] = "";
	struct root root;
	struct stat st;
	uint64_t bytes = 0;

	if (!device || sw->plan.scratch_bytes || root_open(&root, NULL) < 0)
		return;
	snprintf(path, sizeof(path), "/dev/%.50s", device);
	if (stat(path, &st) == 0 && S_ISBLK(st.st_mode) &&
	    sysfs_bytes(&root, st.st_rdev, &bytes)) {
		sysfs_path(&root, folder, st.st_rdev, "");
		if (!sysfs_wwid(&root, st.st_rdev, what, sizeof(what)))
			(void)!sysfs_backing_file(&root, folder, what,
						  sizeof(what));
		for (size_t i = 0; i < ARRAY_SIZE(revision) && !*firmware; i++) {
			sysfs_path(&root, folder, st.st_rdev, revision[i]);
			(void)!root_read_line(&root, folder, firmware,
					      sizeof(firmware));
		}
		snprintf(sw->identity, sizeof(sw->identity),
			 "%s%s%llu bytes%s%s", what, *what ? ", " : "",
			 (unsigned long long)bytes,
			 *firmware ? ", firmware " : "", firmware);
	}
	root_close(&root);
}

/* Without a job, commands that are compared are those of a job of their own. */
static void add_command_job(struct settings *s, const struct sweep_plan *p)
{
	bool any = false;

	for (size_t a = 0; a < p->n_axes; a++) {
		if (p->axis[a].kind == SWEEP_JOB)
			return;
		any |= p->axis[a].kind == SWEEP_OPTION &&
			    !*p->axis[a].job &&
			    !strcmp(p->axis[a].name, "exec");
	}
	if (any && !s->n_jobs)
		text_copy(settings_add_job(s)->name,
			  sizeof(((struct job *)0)->name), "cmd");
}

static int make_plan(struct settings *s, struct sweep *sw)
{
	uint64_t seed = sw->past.seed;
	int err = jobs_parse(s);

	if (!err && s->target.n)
		err = fail(EINVAL, "%s is not a job file, a preset or a plan",
			   s->target.word[0]);
	if (!err && seed && !s->sweep.seed)
		s->sweep.seed = seed;
	if (!err)
		err = sweep_plan_make(&sw->plan, s);
	if (!err)
		add_command_job(s, &sw->plan);
	sw->audit.what = sw->plan.audit;
	sw->runs.include_invalid = s->include_invalid;
	if (!err)
		err = find_device(sw);
	if (!err)
		err = check_jobs(sw);
	if (!err)
		err = sweep_metric_of_device(sw, s);
	if (!err && sw->resumes && sw->plan.hash != sw->past.plan_hash)
		err = fail(EPERM,
			   "the plan or its jobs are not those of the log (%016"
			   "llx, not %016llx): that is another experiment; "
			   "give --resume=LOG without axes and jobs, which the "
			   "log has, or begin a new log",
			   (unsigned long long)sw->plan.hash,
			   (unsigned long long)sw->past.plan_hash);
	if (!err)
		find_identity(sw);
	if (!err && sw->resumes && *sw->past.identity &&
	    strcmp(sw->identity, sw->past.identity) != 0)
		err = fail(EPERM,
			   "%s is not the device of the log: that was %s, this "
			   "is %s; name the same device, or begin a new log",
			   sweep_device(sw, NULL), sw->past.identity,
			   *sw->identity ? sw->identity : "not there");
	if (!err && sw->resumes)
		err = sweep_log_runs(sw->log, &sw->plan, sw->boot,
				     &s->assertions, &sw->runs, &sw->results);
	if (!err)
		err = sweep_emit_check(sw);
	/* A log has what the sweep found; another device has what it has now. */
	if (!err && sw->resumes && !s->sweep.emit_for) {
		sw->found = sw->past.found;
		sw->past.found = NULL;
	} else if (!err) {
		sweep_emit_look(sw);
	}
	if (!err && s->sweep.resume_from &&
	    !strcmp(s->sweep.resume_from, "block"))
		sw->repeats = sweep_order_cut(&sw->plan, &sw->runs);
	if (!err && s->sweep.sd_from)
		err = sweep_log_spread(s->sweep.sd_from, &sw->plan, &sw->sd);
	return err;
}

/* --- running --- */

static int cmd_sweep_run(struct settings *s, struct sweep *sw, int tty)
{
	struct settings bare = *s;
	const struct session_options options = {
		.settings = &bare,
		.tty = tty,
		.occasion = UI_RUN,
		.turns_knobs = true,
		.progress = !s->quiet && isatty(STDERR_FILENO),
		.appends = sw->resumes,
		.from_s = sw->resumes ? sw->past.to_s + 1 : 0,
	};
	struct session session;
	int status, err;

	/* The jobs are the sweep's, not the session's. */
	bare.job = NULL;
	bare.n_jobs = bare.arg.n = 0;
	if (session_open(&session, &options) < 0)
		status = command_failed(EXIT_USAGE);
	else if (sweep_stage_open(&sw->stage, &sw->plan, &session.root,
				  &sw->allowed) < 0)
		status = command_failed(EXIT_REFUSED);
	else if ((err = sweep_check_values(sw, &session.root)) < 0)
		status = command_failed(err == -EINVAL || err == -ENOENT
						? EXIT_USAGE
						: EXIT_FAILED);
	else
		status = session_run(&session, &sweep_driver, sw);
	session_close(&session);
	sweep_hand_stop(&sw->hand);
	return status;
}

/* Confirm the scratch device: each run makes a file system on it. */
static int confirm_scratch(const struct settings *s, const struct sweep *sw)
{
	struct job job;
	int err;

	job_init(&job);
	err = job_set(&job, "name", "mkfs");
	if (!err)
		err = job_set(&job, "rw", "write");
	if (!err)
		err = job_set(&job, "filename", sw->plan.scratch_device);
	if (!err)
		err = command_confirm_loss(s, &job, 1, &sw->allowed);
	job_free(&job);
	return err;
}

/* Whether these jobs write the targets that the operator confirmed last. */
static bool asks_the_same(char **asked, const struct job *job, size_t n)
{
	char *key = NULL;
	size_t size;
	FILE *f = open_memstream(&key, &size);
	bool same;

	for (size_t i = 0; f && i < n; i++)
		fprintf(f, "%d %s %s\n", job_writes(&job[i]),
			job[i].filename ? job[i].filename : "",
			job[i].directory ? job[i].directory : "");
	if (!f || fclose(f) != 0)
		return false;
	same = *asked && !strcmp(*asked, key);
	free(*asked);
	*asked = key;
	return same;
}

/* Check the files of a variant, unless its runs make them or a command may. */
static int check_files(const struct sweep *sw, const struct job *job, size_t n)
{
	struct root root;
	int err;

	for (size_t i = 0; i < n; i++)
		if (job[i].exec_prerun)
			return 0;
	if (sw->plan.scratch_bytes || sw->plan.scratch_device)
		return 0;
	err = root_open(&root, NULL);
	if (err < 0)
		return err;
	err = workload_check_files(&root, job, n, &sw->allowed);
	root_close(&root);
	return err;
}

/* Check all that each run of a variant would refuse: files that the caller of
 * sudo cannot read, permissions, programs, files that must not be changed; and
 * confirm its devices. */
static int confirm_variant(const struct settings *s, struct sweep *sw,
			   size_t variant, char **asked)
{
	struct job *job;
	size_t n;
	int err;

	privilege_lower();
	err = sweep_jobs_make(sw, variant, 1, &job, &n);
	if (err < 0) {
		privilege_raise();
		return err;
	}
	err = check_files(sw, job, n);
	privilege_raise();
	if (!err && privilege_by_sudo())
		err = privilege_check_files(job, n);
	/* Under sudo these are paths of the user. */
	for (size_t i = 0; i < n && !err && !privilege_by_sudo(); i++)
		err = guard_check_paths(&job[i], &sw->allowed);
	if (!err)
		err = workload_check_jobs(job, n, &sw->allowed);
	if (!err && s->destroy.n && !sw->plan.scratch_device &&
	    !asks_the_same(asked, job, n))
		err = command_confirm_loss(s, job, n, &sw->allowed);
	sweep_jobs_free(job, n);
	return err;
}

/*
 * A plan or log turns the knobs of the scratch device, and those that the
 * command line names. 0, or -EPERM with a sentence.
 */
static int check_knobs(struct sweep *sw)
{
	const struct settings *s = sw->settings;
	const struct sweep_plan *p = &sw->plan;
	struct plan turns = { 0 };
	int err = 0;

	for (size_t a = 0; a < p->n_axes; a++) {
		const struct sweep_axis *x = &p->axis[a];
		const char *device = sweep_device(sw, x);

		if (x->kind == SWEEP_KNOB && x->foreign && device &&
		    !options_allow_knob(s, device, x->name))
			return options_refuse_knob("an axis", device, x->name);
	}
	for (size_t i = 0; i < s->foreign_at && !err; i++)
		err = plan_add(&turns, s->at.word[i]);
	for (size_t i = 0; i < turns.n && !err; i++) {
		const struct action *t = &turns.step[i].action;

		if (t->kind == ACTION_KNOB_SET &&
		    !options_allow_knob(s, t->device, t->knob))
			err = options_refuse_knob("--at", t->device, t->knob);
	}
	plan_free(&turns);
	return err;
}

/*
 * Check what plan and log may do, and ask for each device of --destroy-data,
 * before the first run.
 */
static int cmd_sweep_confirm(const struct settings *s, struct sweep *sw)
{
	struct sweep_next next;
	char *asked = NULL;
	int err = 0;

	if (!sweep_order_next(&sw->plan, &sw->runs, &next))
		return 0;
	err = check_knobs(sw);
	if (!err && s->destroy.n && sw->plan.scratch_device)
		err = confirm_scratch(s, sw);
	for (size_t v = 0; !err && v < sw->plan.n_variants; v++)
		err = confirm_variant(s, sw, v, &asked);
	free(asked);
	return err;
}

/* Print on the console, if stderr is not a terminal that an operator reads. */
static void say_on_console(const char *sentence)
{
	int fd = isatty(STDERR_FILENO)
			 ? -1
			 : open("/dev/console",
				O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "iodyno: %s\r\n", sentence);
	close(fd);
}

/* Refuse to go on after too many boots: the sweep may crash the machine. */
static int check_boots(const struct settings *s, struct sweep *sw)
{
	size_t most = s->sweep.boots ? s->sweep.boots
				     : sweep_order_boots(&sw->plan) + 2;
	struct sweep_next next;

	if (!sweep_order_next(&sw->plan, &sw->runs, &next))
		return 0;
	sweep_order_boot(&sw->runs, sw->boot);
	if (sw->runs.n_boots <= most)
		return 0;
	fail(EAGAIN,
	     "this is boot %zu of the sweep, more than %zu: perhaps the sweep "
	     "crashes the machine; --boots=%zu continues",
	     sw->runs.n_boots, most, sw->runs.n_boots);
	say_on_console(fail_sentence());
	return -EAGAIN;
}

/* Run the command of --boot for the kernel of the next run. */
static int boot_kernel(const struct settings *s, const struct sweep *sw)
{
	int status;
	pid_t pid;

	command_say("kernel %s: %s", sw->boot_label, s->sweep.boot);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		setenv("IODYNO_KERNEL", sw->boot_label, 1);
		setenv("IODYNO_LOG", sw->log, 1);
		execl("/bin/sh", "sh", "-c", s->sweep.boot, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return EXIT_DONE;
	fail(EIO, "--boot=%s failed; boot the kernel by hand", s->sweep.boot);
	return command_failed(EXIT_FAILED);
}

/*
 * --resume=LOG --emit=FORM: what the runs of the log found; nothing is run. The
 * form is all of stdout, for a file of udev, say.
 */
static int emit_of_log(const struct settings *s, struct sweep *sw)
{
	sweep_print_results(sw, stderr);
	sweep_emit_print(sw, s->sweep.emit, stdout);
	return EXIT_DONE;
}

/* The device that the program itself makes may be written to. */
static void cmd_sweep_allow(const struct settings *s, struct sweep *sw)
{
	struct allow_list *a = &sw->allowed;

	a->destroy = xcalloc(s->destroy.n + 1, sizeof(char *));
	for (size_t i = 0; i < s->destroy.n; i++)
		a->destroy[i] = s->destroy.word[i];
	a->n_destroy = s->destroy.n;
	if (sw->plan.scratch_bytes)
		a->destroy[a->n_destroy++] = sw->stage.own.scratch.path;
}

/* Print the results of the runs that were made. */
static void cmd_sweep_results(struct settings *s, struct sweep *sw)
{
	FILE *out = strcmp(s->log, "-") ? stdout : stderr;

	sweep_print_results(sw, out);
	if (s->sweep.emit)
		sweep_emit_print(sw, s->sweep.emit, out);
	if (s->reference && out == stdout)
		(void)cmd_report_reference(s, &s->log, 1, "text");
}

/* Say which runs failed or did not meet an assertion; the status with them. */
static int cmd_sweep_say(const struct sweep *sw, int status)
{
	size_t unmet = 0, lost = 0;

	for (size_t i = 0; i < sw->runs.n; i++) {
		unmet += sw->runs.run[i].unmet;
		lost += sw->runs.run[i].state == SWEEP_LOST;
	}
	if (lost)
		command_say("%zu run%s failed: %s", lost, lost == 1 ? "" : "s",
			    *sw->runs.lost_words ? sw->runs.lost_words
						 : "the log has the reason");
	if (unmet)
		command_say("%zu run%s: %s", unmet, unmet == 1 ? "" : "s",
			    sw->runs.unmet_words);
	return status != EXIT_DONE ? status
	       : lost		   ? EXIT_FAILED
	       : unmet		   ? EXIT_ASSERTION
				   : EXIT_DONE;
}

/* Confirm, run and print. */
static int cmd_sweep_do(struct settings *s, struct sweep *sw)
{
	int tty, status, err;

	if (check_boots(s, sw) < 0)
		return command_failed(EXIT_FAILED);
	tty = display_choose_tty(s);
	if (tty < -1)
		return command_failed(tty == -EINVAL ? EXIT_USAGE
						     : EXIT_FAILED);
	cmd_sweep_allow(s, sw);
	err = cmd_sweep_confirm(s, sw);
	status = err < 0 ? command_failed(err == -EPERM ? EXIT_REFUSED
					  : err == -ENOENT || err == -EINVAL
						  ? EXIT_USAGE
						  : EXIT_FAILED)
			 : cmd_sweep_run(s, sw, tty);
	if (tty >= 0)
		close(tty);
	if (*sw->end_words)
		command_say("%s", sw->end_words);
	if (sw->runs.n)
		cmd_sweep_results(s, sw);
	status = cmd_sweep_say(sw, status);
	free(sw->allowed.destroy);
	if (status == EXIT_DONE && sw->boot_label && s->sweep.boot)
		status = boot_kernel(s, sw);
	return status;
}

static int sweep(struct settings *s, struct sweep *sw)
{
	if (s->sweep.dry_run || s->parse_only)
		sweep_print_plan(sw, stdout);
	else if (s->showcmd)
		jobs_showcmd(s);
	else
		return sw->prints ? emit_of_log(s, sw) : cmd_sweep_do(s, sw);
	return EXIT_DONE;
}

/* The kernel and the boot, of the tree that --root names if there is one. */
static void cmd_sweep_find_host(struct sweep *sw, const char *tree)
{
	struct host_info host;
	struct root root;

	if (root_open(&root, tree) < 0)
		return;
	collect_host(&root, &host);
	text_copy(sw->kernel, sizeof(sw->kernel), host.kernel);
	text_copy(sw->boot, sizeof(sw->boot), host.boot_id);
	root_close(&root);
}

int cmd_sweep(struct settings *s)
{
	struct words owned = { 0 };
	struct text_short log_name;
	struct sweep sw;
	int err, status;

	memset(&sw, 0, sizeof(sw));
	sweep_stage_init(&sw.stage);
	sweep_hand_init(&sw.hand, &sw.stage, &sw.plan);
	sweep_audit_init(&sw.audit);
	sw.sd = sw.disk_c = NAN;
	privilege_lower();
	log_name = clock_form(clock_wall_ns(), "sweep-%Y%m%d-%H%M%S.jsonl");
	/* On this command line; the log may have the option, too. */
	sw.prints = s->sweep.resume && s->sweep.emit;
	err = s->sweep.resume ? read_past(s, &sw) : 0;
	if (!err)
		err = read_plan(s, &sw, &owned);
	if (!err) {
		if (!s->log && !s->sweep.dry_run)
			s->log = log_name.text;
		if (!sw.log)
			sw.log = s->log;
		sw.settings = s;
		sw.allowed = options_allowed(s);
		cmd_sweep_find_host(&sw, s->root);
		err = make_plan(s, &sw);
	}
	privilege_raise();
	status = err ? command_failed(err == -EPERM ? EXIT_REFUSED : EXIT_USAGE)
		     : sweep(s, &sw);
	sweep_screen_free(&sw);
	window_free(&sw.window);
	checks_free(&sw.checks);
	digest_free(&sw.digest);
	sweep_stage_close(&sw.stage);
	sweep_audit_close(&sw.audit);
	sweep_plan_free(&sw.plan);
	json_free(sw.found);
	sweep_log_free(&sw.past);
	sweep_order_free(&sw.runs);
	runs_free(&sw.results);
	xfree_list(owned.word, owned.n);
	if (s->log == log_name.text)
		s->log = NULL;
	return status;
}
