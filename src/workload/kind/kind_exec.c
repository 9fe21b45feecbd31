/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind exec: runs a command once, or again and again; fio's ioengine=exec.
 *
 * Each run of the command is one operation: its latency is the time from its
 * start to its end. A command that still runs when the job ends gets SIGTERM,
 * and SIGKILL after grace_time; that run is not counted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/text.h"
#include "workload/kind/kind.h"
#include "workload/kind/program.h"
#include "workload/target/guard.h"
#include "workload/thread/clones.h"
#include "workload/thread/hook.h"

/* Words of the shell, and the shells. */
static const char *const keywords[] = { "cd", "export", "exec", "!", "{", ":",
					"set", "trap", "ulimit", "umask",
					"unset", ".", "source", NULL };
static const char *const shells[] = { "sh",  "bash", "dash", "zsh",
				      "ksh", "mksh", "busybox", NULL };

static bool kind_exec_lists(const char *const *list, const char *word)
{
	for (word = text_base(word); *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

/* Whether a command has the syntax of a shell, outside of its quotes. */
static bool has_shell_syntax(const struct job *job)
{
	size_t word = strcspn(job->program, "=/");
	char quote = 0;

	if (kind_exec_lists(keywords, job->program) || job->program[word] == '=')
		return true;
	for (const char *p = job->command; *p; p++) {
		if (*p == '\\' && quote != '\'' && p[1])
			p++;
		else if (quote && *p == quote)
			quote = 0;
		else if (!quote && (*p == '\'' || *p == '"'))
			quote = *p;
		/* A shell that is named expands its own text. */
		else if (quote != '\'' && strchr("$`", *p) &&
			 (!quote || !kind_exec_lists(shells, job->program)))
			return true;
		else if (!quote && strchr("|&;<>()*?[\n", *p))
			return true;
		else if (!quote && strchr("~#", *p) &&
			 (p == job->command || strchr(" \t", p[-1])))
			return true;
	}
	return false;
}

/* The shell that runs the command; NULL: none does. */
static const char *kind_exec_shell(const struct job *job)
{
	if (!job->command || (job->shell && !strcmp(job->shell, "none")))
		return NULL;
	if (job->shell)
		return job->shell;
	return has_shell_syntax(job) ? "sh" : NULL;
}

static void kind_exec_settle(struct job *job)
{
	const char *shell = kind_exec_shell(job);

	if (shell && !job->shell)
		job_note(job,
			 "job %s: the command has the syntax of a shell, so "
			 "%s -c runs it; --shell=none runs it without one",
			 job->name, shell);
}

/* What the job runs, for messages. */
static const char *kind_exec_words(const struct job *job)
{
	return kind_exec_shell(job) ? job->command : job->program;
}

struct exec {
	struct program program;
	uint64_t failed; /* runs with another exit status than 0 */
	char first[300]; /* the first of them, as a sentence */
};

static int kind_exec_plan(struct workload *w, struct worker *k, uint64_t seed)
{
	const struct job *job = k->job;
	struct exec *e = k->work;
	const char *shell = kind_exec_shell(job);
	int rc;

	k->limit_ios = job->time_based   ? UINT64_MAX
		       : job->number_ios ? job->number_ios
					 : 1;
	if (!job->program)
		return job_fail(
			job, EINVAL,
			"kind=exec needs a program; give program=COMMAND");
	if (!(shell ? program_set(&e->program, NULL, shell, "-c", job->command)
		    : program_set(&e->program, job, job->program,
				  job->arguments ? job->arguments : "", NULL)))
		return job_fail(job, EINVAL,
				"cannot run the program %s: it is not there or "
				"not executable; give its path, or --shell=sh "
				"for a word of the shell",
				shell ? shell : job->program);
	kind_readings_open(k);
	rc = profile_open(&e->program.profile, job, job->program);
	e->program.reads = e->program.profile;
	e->program.keeps = true;
	return rc;
}

static void kind_exec_release(struct worker *k)
{
	struct exec *e = k->work;

	program_free(&e->program);
	profile_free(e->program.profile);
}

static int kind_exec_check(const struct clones *c,
			   const struct allow_list *allow)
{
	char what[300];

	snprintf(what, sizeof(what), "the command %.280s",
		 kind_exec_words(c->job));
	return kind_check_exec(c->job, allow, what);
}

static void kind_exec_preview(const struct clones *c, struct run_target *out,
			      struct allow_list *need)
{
	out->danger = RUN_DESTROY;
	snprintf(out->words, sizeof(out->words),
		 "runs the command %.100s %.100s, which may do anything",
		 kind_exec_words(c->job),
		 !kind_exec_shell(c->job) && c->job->arguments
			 ? c->job->arguments
			 : "");
	text_set(out->demand, c->job->program);
	need->exec = true;
}

static int kind_exec_prepare(struct worker *w)
{
	struct exec *e = w->work;

	return program_open(w, &e->program);
}

/* The file with the output of the command, preferably its stderr; NULL: it
 * printed nothing. */
static const char *output_of(const struct exec *e)
{
	const char *name[] = { e->program.err_name, e->program.out_name };
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(name); i++)
		if (name[i] && !stat(name[i], &st) && st.st_size > 0)
			return name[i];
	return NULL;
}

/* false: the job fails. */
static bool kind_exec_judge(struct worker *w, int status)
{
	struct exec *e = w->work;
	int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				       : WEXITSTATUS(status);
	const char *output;
	char words[300];

	atomic_store(&w->exit_status, code);
	if (!code)
		return true;
	counter_error(w->count, 0);
	output = output_of(e);
	snprintf(words, sizeof(words),
		 "job %s: the command %.80s ended with "
		 "%s %d%s%.80s",
		 w->job->name, kind_exec_words(w->job),
		 WIFSIGNALED(status) ? "signal" : "status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : code,
		 output ? "; its output is in " : "", output ? output : "");
	if (!e->failed++)
		text_set(e->first, words);
	if (w->job->continue_on_error)
		return true;
	worker_fail(w, "%s", words);
	return false;
}

/* The command ended by itself: count one operation. */
static bool count_run(struct worker *w, const struct runner_result *r)
{
	if (r->error) {
		worker_fail(w, "job %s: cannot run the program %s: %s",
			    w->job->name,
			    ((struct exec *)w->work)->program.path,
			    strerror(r->error));
		return false;
	}
	latency_add(&w->count->op[JOB_COMMAND].service, r->ns, 1);
	w->left_ios--;
	return kind_exec_judge(w, r->status);
}

/* false: the job is over. */
static bool run_once(struct worker *w)
{
	struct exec *e = w->work;
	struct runner_result r;

	return hook_run(w, w->job->prepare, "prepare", false) &&
	       program_run(w, &e->program, UINT64_MAX, &r) == PROGRAM_ENDED &&
	       count_run(w, &r) && worker_tick(w);
}

/* Run the command as often as the job asks, without counting it. */
static bool kind_exec_warm(struct worker *w)
{
	struct exec *e = w->work;
	struct runner_result r;
	bool good = true;

	for (unsigned i = 0; i < w->job->warmup && good; i++)
		good = hook_run(w, w->job->prepare, "prepare", false) &&
		       program_run(w, &e->program, UINT64_MAX, &r) ==
			       PROGRAM_ENDED &&
		       !r.error && kind_exec_judge(w, r.status);
	w->children = (struct job_usage_raw){ 0 };
	return good;
}

static void kind_exec_run(struct worker *w)
{
	struct exec *e = w->work;
	bool good = kind_exec_warm(w);

	kind_files_begin(w);
	e->program.in_run = true;
	while (good && w->left_ios && run_once(w))
		;
	(void)hook_run(w, w->job->cleanup, "cleanup", false);
	kind_files_end(w);
}

static void kind_exec_finish(struct worker *w)
{
	const struct exec *e = w->work;

	if (e->failed > 1)
		worker_fail(w, "%s; %llu more of its runs failed", e->first,
			    (unsigned long long)e->failed - 1);
	else if (e->failed)
		worker_fail(w, "%s", e->first);
}

static void kind_exec_unprepare(struct worker *w)
{
	struct exec *e = w->work;

	program_close(&e->program);
}

static void kind_exec_describe(const struct clones *c, char *buf, size_t size)
{
	snprintf(buf, size, "command %s, one at a time",
		 kind_exec_words(c->job));
}

const struct work_kind kind_exec = {
	.name = "exec",
	.help = "runs a command once or repeatedly; --allow-exec permits "
		"it",
	.fio_engine = "exec",
	.options = "program arguments exec grace_time std_redirect metric "
		   "phase-regex profile better shell prepare cleanup warmup",
	.of_io = "ioengine",
	.state = sizeof(struct exec),
	.ops = 1u << JOB_COMMAND,
	.runs_programs = true,
	.settle = kind_exec_settle,
	.plan = kind_exec_plan,
	.release = kind_exec_release,
	.check = kind_exec_check,
	.preview = kind_exec_preview,
	.prepare = kind_exec_prepare,
	.run = kind_exec_run,
	.finish = kind_exec_finish,
	.unprepare = kind_exec_unprepare,
	.describe = kind_exec_describe,
};
