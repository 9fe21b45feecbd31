/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind exec: runs a command once, or again and again; fio's ioengine=exec.
 *
 * Each run of the command is one operation: its latency is the time from its
 * start to its end. A command that still runs when the job ends gets SIGTERM,
 * and SIGKILL after grace_time; that run is not counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/side_file.h"
#include "base/text.h"
#include "workload/kind/kind.h"
#include "workload/kind/runner.h"
#include "workload/target/allow_list.h"
#include "workload/thread/clones.h"

struct exec {
	char *path, **argv;
	char *words; /* that argv points into */
	char *out_name, *err_name;
	struct runner_command command;
	struct runner *runner;
	uint64_t children_ns; /* CPU time of commands that ended */
	uint64_t failed;      /* runs with another exit status than 0 */
	char first[300];      /* the first of them, as a sentence */
};

/* The value of "%r" and "%n", as in fio. */
static void expand(const struct job *job, const char *text, char *to,
		   size_t size)
{
	char value[80];
	size_t n = 0;

	for (const char *p = text; *p && n + 1 < size; p++) {
		if (*p != '%' || (p[1] != 'r' && p[1] != 'n')) {
			to[n++] = *p;
			continue;
		}
		if (*++p == 'n')
			text_copy(value, sizeof(value), job->name);
		else
			snprintf(value, sizeof(value), "%llu",
				 (unsigned long long)(job->runtime_ns /
						      NS_PER_S));
		n += (size_t)snprintf(to + n, size - n, "%s", value);
		n = n < size ? n : size - 1;
	}
	to[n] = '\0';
}

/*
 * The next word of a command line: blanks divide words, '...' and "..." hold
 * blanks, a backslash takes the next character as it is. NULL: no more.
 */
static char *next_word(char **at)
{
	char *p = *at + strspn(*at, " \t\n"), *word = p, *to = p, quote = 0;

	if (!*p)
		return NULL;
	for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
		if (*p == '\\' && quote != '\'' && p[1])
			*to++ = *++p;
		else if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
		else
			*to++ = *p;
	}
	*at = *p ? p + 1 : p;
	*to = '\0';
	return word;
}

static void make_argv(struct exec *e, const struct job *job)
{
	const char *arguments = job->arguments ? job->arguments : "";
	size_t size = strlen(arguments) * 80 + 1, cap = 0, n = 0;
	char *at, *word;

	at = e->words = xmalloc(size);
	expand(job, arguments, e->words, size);
	e->argv = xgrow(e->argv, &cap, 2, sizeof(*e->argv));
	e->argv[n++] = job->program;
	while ((word = next_word(&at))) {
		e->argv = xgrow(e->argv, &cap, n + 2, sizeof(*e->argv));
		e->argv[n++] = word;
	}
	e->argv[n] = NULL;
}

/* As execvp(3): a name without a slash is looked for in PATH. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *copy, *rest, *dir, *found = NULL;

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : xstrdup(name);
	copy = rest = xstrdup(path ? path : "/bin:/usr/bin");
	while (!found && (dir = strsep(&rest, ":"))) {
		found = xasprintf("%s/%s", *dir ? dir : ".", name);
		if (access(found, X_OK)) {
			free(found);
			found = NULL;
		}
	}
	free(copy);
	return found;
}

static int plan(struct workload *w not_used, struct worker *k,
		uint64_t seed not_used)
{
	const struct job *job = k->job;
	struct exec *e = xcalloc(1, sizeof(*e));

	k->work = e;
	e->command.out_fd = e->command.err_fd = -1;
	k->limit_bytes = UINT64_MAX;
	k->limit_ios = job->time_based   ? UINT64_MAX
		       : job->number_ios ? job->number_ios
					 : 1;
	if (!job->program)
		return fail(EINVAL,
			    "job %s: kind=exec needs a program; give "
			    "program=COMMAND",
			    job->name);
	e->path = find_program(job->program);
	if (!e->path)
		return fail(ENOENT,
			    "job %s: cannot run the program %s: it is not "
			    "there or not executable; give its path",
			    job->name, job->program);
	make_argv(e, job);
	e->command.path = e->path;
	e->command.argv = e->argv;
	return 0;
}

static void release(struct worker *k)
{
	struct exec *e = k->work;

	if (!e)
		return;
	free(e->path);
	free(e->argv);
	free(e->words);
	free(e->out_name);
	free(e->err_name);
	free(e);
	k->work = NULL;
}

static int check(const struct clones *c, const struct allow_list *allow)
{
	if (allow && allow->exec)
		return 0;
	return fail(EPERM,
		    "job %s: kind=exec runs the command %s; give --allow-exec "
		    "to permit it",
		    c->job->name, c->job->program);
}

static void preview(const struct clones *c, struct run_target *out,
		    struct allow_list *need)
{
	out->danger = RUN_DESTROY;
	snprintf(out->words, sizeof(out->words),
		 "runs the command %.100s %.100s, which may do anything",
		 c->job->program, c->job->arguments ? c->job->arguments : "");
	text_copy(out->demand, sizeof(out->demand), c->job->program);
	need->exec = true;
}

/* A file that this run makes: none that is there is written to. */
static int make_output(const struct worker *w, const char *what, char **name)
{
	int fd = -1;

	for (unsigned i = 0; i < 1000 && fd < 0; i++) {
		free(*name);
		*name = i ? xasprintf("%s.%u.%s.%u", job_id(w->job), w->jobnum,
				      what, i)
			  : xasprintf("%s.%u.%s", job_id(w->job), w->jobnum,
				      what);
		fd = side_file_new(*name, O_APPEND);
		if (fd < 0 && fd != -EEXIST)
			break;
	}
	if (fd >= 0)
		return fd;
	return fail(-fd,
		    "job %s: cannot make the file %s for the command's "
		    "output: %s; give std_redirect=0",
		    w->job->name, *name, strerror(-fd));
}

static int prepare(struct worker *w)
{
	struct exec *e = w->work;

	if (w->job->std_redirect) {
		e->command.out_fd = make_output(w, "stdout", &e->out_name);
		if (e->command.out_fd < 0)
			return e->command.out_fd;
		e->command.err_fd = make_output(w, "stderr", &e->err_name);
		if (e->command.err_fd < 0)
			return e->command.err_fd;
	}
	return runner_open(&e->runner, &e->command);
}

/* What processes have computed so far, of the running command by its clock. */
static void count_cpu(struct worker *w)
{
	struct exec *e = w->work;
	struct timespec ts = { .tv_sec = 0 };
	uint64_t ns = e->children_ns;
	clockid_t clock;

	if (runner_pid(e->runner) &&
	    clock_getcpuclockid(runner_pid(e->runner), &clock) == 0 &&
	    clock_gettime(clock, &ts) == 0)
		ns += (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	if (ns > counter_get(&w->children_ns))
		counter_set(&w->children_ns, ns);
}

static void add_usage(struct worker *w, const struct job_usage_raw *u)
{
	struct exec *e = w->work;

	e->children_ns += u->user_ns + u->system_ns;
	count_cpu(w);
	w->children.user_ns += u->user_ns;
	w->children.system_ns += u->system_ns;
	w->children.switches += u->switches;
	w->children.major_faults += u->major_faults;
	w->children.minor_faults += u->minor_faults;
}

/* false: the job fails. */
static bool judge(struct worker *w, int status)
{
	struct exec *e = w->work;
	int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				       : WEXITSTATUS(status);
	char words[300];

	atomic_store(&w->exit_status, code);
	if (!code)
		return true;
	counter_error(w->count, 0);
	snprintf(words, sizeof(words),
		 "job %s: the command %.80s ended with "
		 "%s %d%s%.80s",
		 w->job->name, w->job->program,
		 WIFSIGNALED(status) ? "signal" : "status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : code,
		 e->out_name ? "; its output is in " : "",
		 e->out_name ? e->out_name : "");
	if (!e->failed++)
		text_copy(e->first, sizeof(e->first), words);
	if (w->job->continue_on_error)
		return true;
	worker_fail(w, "%s", words);
	return false;
}

/* It ended by itself: one operation. */
static bool count_run(struct worker *w, const struct runner_result *r)
{
	if (r->error) {
		worker_fail(w, "job %s: cannot run the program %s: %s",
			    w->job->name, w->job->program, strerror(r->error));
		return false;
	}
	add_usage(w, &r->usage);
	latency_add(&w->count->op[JOB_COMMAND].service, r->ns, 1);
	w->left_ios--;
	return judge(w, r->status);
}

static bool wait_for_end(struct worker *w, struct runner_result *r,
			 uint64_t until_ns)
{
	struct exec *e = w->work;

	do {
		if (kind_wait(w, runner_fd(e->runner), until_ns) &&
		    runner_take(e->runner, r))
			return true;
	} while (clock_mono_ns() < until_ns);
	return false;
}

/* The job is over and its command is not. */
static void stop_command(struct worker *w)
{
	struct exec *e = w->work;
	struct runner_result r;

	runner_signal(e->runner, SIGTERM);
	if (!wait_for_end(w, &r, clock_mono_ns() + w->job->grace_ns)) {
		runner_signal(e->runner, SIGKILL);
		if (!wait_for_end(w, &r, clock_mono_ns() + NS_PER_S))
			return;
	}
	if (!r.error)
		add_usage(w, &r.usage);
}

/* false: the job is over. */
static bool run_once(struct worker *w)
{
	struct exec *e = w->work;
	struct runner_result r;

	if (!runner_start(e->runner))
		r = (struct runner_result){ .error = ECHILD };
	else
		while (!kind_wait(w, runner_fd(e->runner), w->deadline_ns) ||
		       !runner_take(e->runner, &r)) {
			count_cpu(w);
			if (worker_tick(w))
				continue;
			stop_command(w);
			return false;
		}
	return count_run(w, &r) && worker_tick(w);
}

static void run(struct worker *w)
{
	worker_begin(w);
	atomic_store(&w->in_flight_now, 1);
	while (w->left_ios && run_once(w))
		;
	atomic_store(&w->in_flight_now, 0);
	w->now_ns = stopwatch_ns(&w->watch);
	counter_set(&w->run_end_at_ns, w->now_ns);
}

static void finish(struct worker *w)
{
	const struct exec *e = w->work;

	if (e->failed > 1)
		worker_fail(w, "%s; %llu more of its runs failed", e->first,
			    (unsigned long long)e->failed - 1);
	else if (e->failed)
		worker_fail(w, "%s", e->first);
}

/* A file of output that stayed empty is of no use. */
static void close_output(int *fd, const char *name)
{
	if (*fd < 0)
		return;
	if (lseek(*fd, 0, SEEK_END) == 0)
		unlink(name);
	close(*fd);
	*fd = -1;
}

static void unprepare(struct worker *w)
{
	struct exec *e = w->work;

	runner_close(e->runner);
	e->runner = NULL;
	close_output(&e->command.out_fd, e->out_name);
	close_output(&e->command.err_fd, e->err_name);
}

static void describe(const struct clones *c, char *buf, size_t size)
{
	snprintf(buf, size, "command %s, one at a time", c->job->program);
}

static const char *const options[] = {
	"program", "arguments", "grace_time", "std_redirect", NULL,
};

static const char *const of_io[] = { "ioengine", NULL };

const struct work_kind kind_exec = {
	.name = "exec",
	.help = "runs a command once or again and again; --allow-exec permits "
		"it",
	.fio_engine = "exec",
	.options = options,
	.of_io = of_io,
	.ops = 1u << JOB_COMMAND,
	.plan = plan,
	.release = release,
	.check = check,
	.preview = preview,
	.prepare = prepare,
	.run = run,
	.finish = finish,
	.unprepare = unprepare,
	.describe = describe,
};
