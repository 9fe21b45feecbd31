/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Program: runs the command and reads what it prints. */
#include "workload/kind/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/side_file.h"
#include "base/text.h"
#include "workload/kind/kind.h"
#include "workload/thread/worker.h"

/* --- the command line --- */

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
			text_set(value, job->name);
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
static char *program_next_word(char **at)
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

char *program_find(const char *name)
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

bool program_set(struct program *p, const struct job *job, const char *program,
		 const char *arguments, const char *last)
{
	size_t size = strlen(arguments) * 80 + 1, cap = 0, n = 0;
	char *at, *word;

	p->path = program_find(program);
	at = p->words = xmalloc(size + strlen(program) + 1);
	if (job)
		expand(job, arguments, at, size);
	else
		strcpy(at, arguments);
	*xadd(p->argv, n, cap) = strcpy(at + size, program);
	while ((word = program_next_word(&at)))
		*xadd(p->argv, n, cap) = word;
	if (last)
		*xadd(p->argv, n, cap) = (char *)last;
	*xadd(p->argv, n, cap) = NULL;
	p->command.path = p->path;
	p->command.argv = p->argv;
	p->command.out_fd = p->command.err_fd = -1;
	return p->path;
}

void program_free(struct program *p)
{
	free(p->path);
	free(p->argv);
	free(p->words);
	p->path = p->words = NULL;
	p->argv = NULL;
}

/* --- files that keep the output --- */

/*
 * Make a file for the output "stdout" or "stderr". A descriptor, or -errno with
 * a sentence.
 */
static int new_output(const struct worker *w, const char *what, char **name)
{
	const char *log = w->job->log_path;
	const char *slash = log ? strrchr(log, '/') : NULL;
	int fd = -1;

	for (unsigned i = 0; i < 1000 && fd < 0; i++) {
		char *base = xasprintf("%.*s%s.%u.%s",
				       slash ? (int)(slash - log + 1) : 0,
				       slash ? log : "", job_id(w->job),
				       w->jobnum, what);

		free(*name);
		*name = i ? xasprintf("%s.%u", base, i) : xstrdup(base);
		free(base);
		fd = side_file_new(*name, O_APPEND, 0644);
		if (fd < 0 && fd != -EEXIST)
			break;
	}
	if (fd >= 0)
		return fd;
	return job_fail(w->job, -fd,
			"cannot make the file %s for the command's output: %s; "
			"give std_redirect=0",
			*name, strerror(-fd));
}

/* Only one that new_output() has made. */
static void close_output(int *fd, char **name, bool drop)
{
	if (!*name)
		return;
	if (*fd >= 0) {
		if (drop || lseek(*fd, 0, SEEK_END) == 0)
			unlink(*name);
		close(*fd);
	}
	free(*name);
	*name = NULL;
	*fd = -1;
}

static int open_outputs(const struct worker *w, struct program *p)
{
	struct runner_command *c = &p->command;

	/* Without a log nobody expects files in the working directory. */
	if (!p->keeps || !w->job->std_redirect ||
	    (!w->job->log_path && !job_was_given(w->job, "std_redirect")))
		return 0;
	c->out_fd = new_output(w, "stdout", &p->out_name);
	if (c->out_fd < 0)
		return c->out_fd;
	c->err_fd = new_output(w, "stderr", &p->err_name);
	return c->err_fd < 0 ? c->err_fd : 0;
}

static void close_outputs(const struct worker *w, struct program *p)
{
	const bool drop = w->job->drops_output && !atomic_load(&w->failed);

	close_output(&p->command.out_fd, &p->out_name, drop);
	close_output(&p->command.err_fd, &p->err_name, drop);
}

/* --- channels --- */

/*
 * In raw mode the bytes arrive as the program wrote them. -1: the system has no
 * pseudo terminal.
 */
static int open_terminal(int *slave)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios mode;
	char name[64];

	*slave = -1;
	if (fd < 0)
		return -1;
	if (!unlockpt(fd) && !ptsname_r(fd, name, sizeof(name)))
		*slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*slave < 0 || tcgetattr(*slave, &mode)) {
		descriptor_close(*slave);
		close(fd);
		*slave = -1;
		return -1;
	}
	cfmakeraw(&mode);
	tcsetattr(*slave, TCSANOW, &mode);
	return fd;
}

/*
 * Returns the writing end, for the command; the line holds the reading end. -1
 * with errno.
 */
static int open_pipe(struct program_line *line)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return -1;
	line->fd = fd[0];
	return fd[1];
}

static int open_channels(struct program *p)
{
	p->out.keep_fd = p->command.out_fd;
	p->err.keep_fd = p->command.err_fd;
	p->out.fd = open_terminal(&p->slave);
	p->command.out_fd = p->slave;
	/*
	 * Lines then arrive late: the program writes to a pipe only once its
	 * buffer is full.
	 */
	if (p->slave < 0)
		p->command.out_fd = open_pipe(&p->out);
	p->command.err_fd = open_pipe(&p->err);
	if (p->command.out_fd < 0 || p->command.err_fd < 0)
		return fail(errno, "cannot make a pipe: %s", strerror(errno));
	fcntl(p->out.fd, F_SETFL, O_NONBLOCK);
	fcntl(p->err.fd, F_SETFL, O_NONBLOCK);
	return 0;
}

/* Restore the state before program_open(). */
static void close_channels(struct program *p)
{
	int fd[] = { p->out.fd, p->err.fd, p->command.out_fd,
		     p->command.err_fd };

	if (!p->reads || p->out.fd < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++)
		descriptor_close(fd[i]);
	p->command.out_fd = p->out.keep_fd;
	p->command.err_fd = p->err.keep_fd;
	p->out.fd = p->err.fd = p->slave = -1;
}

int program_open(struct worker *w, struct program *p)
{
	int rc;

	p->worker = w;
	p->out.fd = p->err.fd = p->slave = -1;
	p->out.n = p->err.n = 0;
	*p->last = '\0';
	rc = open_outputs(w, p);
	if (rc == 0 && p->reads)
		rc = open_channels(p);
	p->command.run_pid = w->process ? getppid() : getpid();
	return rc ? rc : runner_open(&p->runner, &p->command);
}

void program_close(struct program *p)
{
	if (!p->worker)
		return;
	runner_close(p->runner);
	p->runner = NULL;
	close_channels(p);
	close_outputs(p->worker, p);
	p->worker = NULL;
}

/* --- output --- */

static void program_keep(const struct program_line *line, const char *buf,
			 size_t n)
{
	while (line->keep_fd >= 0 && n) {
		ssize_t done = write(line->keep_fd, buf, n);

		if (done <= 0)
			return;
		buf += done;
		n -= (size_t)done;
	}
}

/*
 * Take a whole line. Programs that show progress in place end lines with a
 * carriage return.
 */
static void program_take_line(struct worker *w, struct program *p,
			      struct program_line *line)
{
	line->text[line->n] = '\0';
	if (line->n) {
		text_set(p->last, line->text);
		if (p->profile)
			profile_line(p->profile, w, line->text);
	}
	line->n = 0;
}

/* Marks the end of the output of one command; text does not hold this byte. */
#define END_MARK '\036'

/* true: the mark was among the bytes. */
static bool take_bytes(struct worker *w, struct program *p,
		       struct program_line *line, const char *buf, size_t n)
{
	const char *mark = line == &p->out ? memchr(buf, END_MARK, n) : NULL;

	if (mark)
		n = (size_t)(mark - buf);
	program_keep(line, buf, n);
	for (size_t i = 0; i < n; i++)
		if (buf[i] == '\n' || buf[i] == '\r')
			program_take_line(w, p, line);
		else if (line->n + 1 < sizeof(line->text))
			line->text[line->n++] = buf[i];
	return mark;
}

/* Read all available output; true: the mark was in it. */
static bool program_read_output(struct worker *w, struct program *p,
				struct program_line *line)
{
	char buf[8192];
	ssize_t n;
	bool mark = false;

	while (!mark && line->fd >= 0 &&
	       (n = read(line->fd, buf, sizeof(buf))) > 0)
		mark = take_bytes(w, p, line, buf, (size_t)n);
	return mark;
}

static void read_both(struct worker *w, struct program *p)
{
	if (!p->reads)
		return;
	(void)program_read_output(w, p, &p->out);
	(void)program_read_output(w, p, &p->err);
}

/*
 * The command has ended. A terminal delivers its last bytes a little later, so
 * write a mark after them and read until the mark.
 */
static void read_rest(struct worker *w, struct program *p)
{
	const char mark = END_MARK;
	uint64_t until_ns = clock_mono_ns() + NS_PER_S;

	read_both(w, p);
	if (p->slave >= 0 && write(p->slave, &mark, 1) == 1)
		while (!program_read_output(w, p, &p->out) &&
		       clock_mono_ns() < until_ns)
			poll(&(struct pollfd){ .fd = p->out.fd,
					       .events = POLLIN },
			     1, 10);
	if (!p->reads)
		return;
	program_take_line(w, p, &p->out);
	program_take_line(w, p, &p->err);
}

/* --- the run --- */

/*
 * Update the CPU time of the processes; the clock of the running command gives
 * its share.
 */
static void count_cpu(struct worker *w, struct program *p)
{
	clockid_t clock;
	uint64_t ns;

	if (p->beside_ns)
		p->children_ns += p->beside_ns(p->beside);
	ns = p->children_ns;
	if (runner_pid(p->runner) &&
	    clock_getcpuclockid(runner_pid(p->runner), &clock) == 0)
		ns += clock_read_ns(clock);
	if (ns > counter_get(&w->children_ns))
		counter_set(&w->children_ns, ns);
}

static void add_usage(struct worker *w, struct program *p,
		      const struct job_usage_raw *u)
{
	p->children_ns += u->user_ns + u->system_ns;
	count_cpu(w, p);
	process_usage_add(&w->children, NULL, u);
}

/* true: the command has ended. */
static bool program_look(struct worker *w, struct program *p, uint64_t until_ns,
			 struct runner_result *r)
{
	struct pollfd fd[] = {
		{ .fd = runner_fd(p->runner), .events = POLLIN },
		{ .fd = p->out.fd, .events = POLLIN },
		{ .fd = p->err.fd, .events = POLLIN },
		{ .fd = -1 },
	};

	(void)kind_poll(w, fd, ARRAY_SIZE(fd) - 1, until_ns);
	read_both(w, p);
	return runner_take(p->runner, r);
}

static bool wait_for_end(struct worker *w, struct program *p,
			 struct runner_result *r, uint64_t until_ns)
{
	do
		if (program_look(w, p, until_ns, r))
			return true;
	while (clock_mono_ns() < until_ns);
	return false;
}

static void stop_command(struct worker *w, struct program *p,
			 struct runner_result *r)
{
	runner_signal(p->runner, SIGTERM);
	if (!wait_for_end(w, p, r, clock_mono_ns() + w->job->grace_ns)) {
		runner_signal(p->runner, SIGKILL);
		if (!wait_for_end(w, p, r, clock_mono_ns() + 3 * NS_PER_S))
			return;
	}
	read_rest(w, p);
	if (!r->error)
		add_usage(w, p, &r->usage);
}

enum program_end program_run(struct worker *w, struct program *p,
			     uint64_t until_ns, struct runner_result *r)
{
	*r = (struct runner_result){ .error = ECHILD };
	/* Other programs of the worker ran before. */
	p->children_ns = counter_get(&w->children_ns);
	if (p->profile)
		profile_begin(p->profile);
	if (!runner_start(p->runner))
		return PROGRAM_ENDED;
	for (;;) {
		uint64_t at_ns = p->in_run && w->deadline_ns < until_ns
					 ? w->deadline_ns
					 : until_ns;
		bool go_on;

		if (program_look(w, p, at_ns, r))
			break;
		count_cpu(w, p);
		go_on = p->in_run ? worker_tick(w) : !worker_stopped(w);
		if (go_on && clock_mono_ns() < until_ns)
			continue;
		stop_command(w, p, r);
		return go_on ? PROGRAM_LATE : PROGRAM_STOPPED;
	}
	read_rest(w, p);
	if (!r->error)
		add_usage(w, p, &r->usage);
	if (p->profile && !r->error && w->count == &w->run)
		profile_end(p->profile, w);
	return PROGRAM_ENDED;
}
