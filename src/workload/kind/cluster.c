/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cluster: a private PostgreSQL. */
#include "workload/kind/cluster.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/kind/kind.h"
#include "workload/kind/program.h"
#include "workload/target/target.h"
#include "workload/thread/worker.h"

#define FOLDER	  "iodyno-pgbench."
#define REGISTRY  "cluster."
#define READY_NS  (120 * NS_PER_S)
#define STOP_NS	  (10 * NS_PER_S)
#define TOOL_NS	  (3600 * NS_PER_S) /* pgbench -i of hundreds of GB */
/* sun_path has 108 bytes, and "/.s.PGSQL.5432" is behind the folder. */
#define SOCKET_MAX 90

struct cluster {
	char *programs; /* the folder of postgres, initdb, ... */
	char *folder;	/* of our own; it holds data and socket */
	char *data, *socket, *address;
	char *link;	     /* in the registry; NULL: there is none */
	char *short_socket;  /* a folder in /tmp, if the path is too long */
	int lock_fd;	     /* of the folder; the runner has it, too */
	int log_fd;	     /* of the server's messages */
	bool as_user;
	uid_t uid;
	gid_t gid;
	char **environment;
	struct program server;
	bool open;
};

/* --- programs --- */

char *cluster_programs(void)
{
	char *found = NULL, *initdb;
	glob_t g;

	/* The newest of Debian's: paths sort by version up to two digits. */
	if (!glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &g))
		found = xstrdup(g.gl_pathv[g.gl_pathc - 1]);
	globfree(&g);
	initdb = found ? found : program_find("initdb");
	if (!initdb)
		return NULL;
	found = realpath(initdb, NULL);
	free(initdb);
	if (found)
		*strrchr(found, '/') = '\0';
	return found;
}

/* --- what killed runs left --- */

/* The folder for runtime files of this user; false: there is none. */
static bool registry(char *buf, size_t size)
{
	const char *run = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		snprintf(buf, size, "/run/iodyno");
	else if (run && *run == '/')
		snprintf(buf, size, "%s/iodyno", run);
	else
		return false;
	return true;
}

/* The text of the server's file of its process; "": there is none. */
static const char *read_pid_file(int dir_fd, char *text, size_t size)
{
	int fd = openat(dir_fd, "data/postmaster.pid",
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	descriptor_close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* The process in the folder's postmaster.pid, if it works there; else 0. */
static pid_t postmaster_of(int dir_fd, const char *folder)
{
	char text[32], proc[48], cwd[4096], *data;
	long pid = strtol(read_pid_file(dir_fd, text, sizeof(text)), NULL, 10);
	ssize_t n;
	bool same;

	if (pid <= 1)
		return 0;
	snprintf(proc, sizeof(proc), "/proc/%ld/cwd", pid);
	n = readlink(proc, cwd, sizeof(cwd) - 1);
	if (n <= 0)
		return 0;
	cwd[n] = '\0';
	data = xasprintf("%s/data", folder);
	same = !strcmp(cwd, data);
	free(data);
	return same ? (pid_t)pid : 0;
}

static void end_postmaster(int dir_fd, const char *folder)
{
	pid_t pid = postmaster_of(dir_fd, folder);

	for (unsigned i = 0; pid && i < 300; i++) {
		/* After SIGQUIT the server removes its shared memory itself. */
		if (i == 0 || i == 250)
			kill(pid, i ? SIGKILL : SIGQUIT);
		clock_pause_ns(20000000);
		pid = postmaster_of(dir_fd, folder);
	}
}

/*
 * Remove a folder of a cluster whose owner is gone. false: it is in use, a copy,
 * or nothing of ours.
 */
static bool cluster_remove_left(const char *path)
{
	const char *name = strrchr(path, '/');
	bool gone;
	int fd;

	if (!name || strncmp(name + 1, FOLDER, sizeof(FOLDER) - 1) != 0)
		return false;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	gone = directory_is_left(fd);
	if (gone) {
		end_postmaster(fd, path);
		gone = directory_remove_at(AT_FDCWD, path, fd);
	}
	close(fd);
	return gone;
}

unsigned cluster_recover(void (*tell)(const char *folder))
{
	char dir[200], path[4096];
	unsigned removed = 0;
	struct dirent *d;
	DIR *list;

	if (!registry(dir, sizeof(dir)) || !(list = opendir(dir)))
		return 0;
	while ((d = readdir(list))) {
		ssize_t n;

		if (strncmp(d->d_name, REGISTRY, sizeof(REGISTRY) - 1) != 0)
			continue;
		n = readlinkat(dirfd(list), d->d_name, path, sizeof(path) - 1);
		if (n <= 0)
			continue;
		path[n] = '\0';
		if (cluster_remove_left(path)) {
			removed++;
			tell(path);
		}
		if (access(path, F_OK))
			unlinkat(dirfd(list), d->d_name, 0);
	}
	closedir(list);
	return removed;
}

/* Remove clusters of an earlier boot, which no registry lists. */
static void recover_in(const char *directory)
{
	DIR *list = opendir(directory);
	struct dirent *d;

	while (list && (d = readdir(list))) {
		char *path;

		if (strncmp(d->d_name, FOLDER, sizeof(FOLDER) - 1) != 0)
			continue;
		path = xasprintf("%s/%s", directory, d->d_name);
		(void)cluster_remove_left(path);
		free(path);
	}
	if (list)
		closedir(list);
}

/* --- making --- */

static int find_user(struct cluster *c, const struct worker *w,
		     const char *user)
{
	char buf[4096];
	struct passwd room, *pw = NULL;

	if (geteuid() != 0)
		return 0;
	/* Other workers are threads, and may look for one, too. */
	(void)getpwnam_r(user ? user : "postgres", &room, buf, sizeof(buf), &pw);
	if (!pw && !user)
		(void)getpwnam_r("nobody", &room, buf, sizeof(buf), &pw);
	if (!pw || pw->pw_uid == 0)
		return job_fail(w->job, EINVAL,
				"PostgreSQL does not run as root, and %s; give "
				"pgbench-user=NAME",
				pw ? "that user is root, too"
				   : "there is no such user");
	c->as_user = true;
	c->uid = pw->pw_uid;
	c->gid = pw->pw_gid;
	return 0;
}

static int cluster_check_space(const struct worker *w, const char *directory,
			       uint64_t need_bytes)
{
	struct statvfs st;
	uint64_t bytes;

	if (statvfs(directory, &st))
		return job_fail(w->job, errno, "cannot examine %s: %s",
				directory, strerror(errno));
	bytes = (uint64_t)st.f_bavail * st.f_frsize;
	if (bytes >= need_bytes)
		return 0;
	return job_fail(
		w->job, ENOSPC,
		"the cluster needs %s in %s, where %s are free; give a smaller "
		"pgbench-scale",
		units_bytes((double)need_bytes).text, directory,
		units_bytes((double)bytes).text);
}

/*
 * A folder below the cluster's own, for its user only. The user whose directory
 * this is can put a symbolic link in its place: only the folder changes owner.
 */
static int make_folder(const struct cluster *c, const char *name)
{
	int fd = mkdirat(c->lock_fd, name, 0700)
			 ? -1
			 : openat(c->lock_fd, name,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					  O_CLOEXEC);
	int error = fd < 0 || (c->as_user && fchown(fd, c->uid, c->gid))
			    ? errno
			    : 0;

	descriptor_close(fd);
	if (!error)
		return 0;
	return fail(error, "cannot make the folder %s/%s: %s", c->folder, name,
		    strerror(error));
}

/* Make the folder, its lock, and the file that marks its owner. */
static int cluster_make_place(struct cluster *c, const char *directory)
{
	int err;

	c->folder = xasprintf("%s/%sXXXXXX", directory, FOLDER);
	if (!mkdtemp(c->folder)) {
		int code = errno;

		free(c->folder);
		c->folder = NULL;
		return fail(code, "cannot make a folder in %s: %s", directory,
			    strerror(code));
	}
	c->lock_fd = directory_open_new(c->folder);
	err = c->lock_fd < 0 ? -errno : directory_mark(c->lock_fd);
	if (err)
		return fail(-err, "cannot lock the folder %s: %s", c->folder,
			    strerror(-err));
	c->log_fd = openat(c->lock_fd, "log",
			   O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
			   0600);
	/* Other users must pass through the folder to their own files. */
	if (c->log_fd < 0 || fchmod(c->lock_fd, 0711))
		return fail(errno, "cannot make files in %s: %s", c->folder,
			    strerror(errno));
	return 0;
}

/* A run that is killed together with its runner leaves this trace. */
static void make_link(struct cluster *c)
{
	char dir[200];

	if (!registry(dir, sizeof(dir)))
		return;
	(void)mkdir(dir, 0755);
	c->link = xasprintf("%s/%s%s", dir, REGISTRY,
			    strrchr(c->folder, '.') + 1);
	if (symlink(c->folder, c->link)) {
		free(c->link);
		c->link = NULL;
	}
}

static int make_socket(struct cluster *c)
{
	c->socket = xasprintf("%s/socket", c->folder);
	if (strlen(c->socket) <= SOCKET_MAX)
		return make_folder(c, "socket");
	free(c->socket);
	c->short_socket = xstrdup("/tmp/" FOLDER "XXXXXX");
	c->socket = xstrdup(mkdtemp(c->short_socket) ? c->short_socket : "");
	if (*c->socket && (!c->as_user || !lchown(c->socket, c->uid, c->gid)))
		return 0;
	return fail(errno, "cannot make a folder for the socket in /tmp: %s",
		    strerror(errno));
}

static int cluster_make_folders(struct cluster *c, const char *directory)
{
	int rc = cluster_make_place(c, directory);

	if (rc == 0)
		rc = make_socket(c);
	if (rc)
		return rc;
	make_link(c);
	c->data = xasprintf("%s/data", c->folder);
	c->address = xasprintf("-h '%s' -p 5432 -U postgres", c->socket);
	return make_folder(c, "data");
}

/*
 * The environment of PostgreSQL's programs: no PGHOSTADDR, PGSERVICE or
 * PGOPTIONS, which would lead them to another server, and none of the caller's
 * secrets, which its user could read in /proc.
 */
static char **make_environment(void)
{
	static const char *const kept[] = { "PATH=", "TZ=", "LANG=", "LANGUAGE=",
					    "LC_", "LD_LIBRARY_PATH=" };
	char **list = NULL;
	size_t n = 0, cap = 0;

	for (char **e = environ; *e; e++)
		for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
			if (!strncmp(*e, kept[i], strlen(kept[i])))
				*xadd(list, n, cap) = *e;
	*xadd(list, n, cap) = NULL;
	return list;
}

/* Remove all that was made; the lock is the descriptor of the folder. */
static void remove_place(const void *arg)
{
	const struct cluster *c = arg;
	int fd = c->short_socket
			 ? open(c->short_socket, O_RDONLY | O_DIRECTORY |
							 O_NOFOLLOW | O_CLOEXEC)
			 : -1;

	if (fd >= 0) {
		(void)directory_remove_at(AT_FDCWD, c->short_socket, fd);
		close(fd);
	}
	if (c->folder && c->lock_fd >= 0)
		(void)directory_remove_at(AT_FDCWD, c->folder, c->lock_fd);
	if (c->link)
		(void)unlink(c->link);
}

/* One of PostgreSQL's programs, as the cluster's user. */
static int set_program(const struct cluster *c, const struct worker *w,
		       struct program *p, const char *name,
		       const char *arguments)
{
	struct runner_command *to = &p->command;
	char *path = xasprintf("%s/%s", c->programs, name);
	bool found = program_set(p, NULL, path, arguments, NULL);
	int error = errno;

	free(path);
	to->as_user = c->as_user;
	to->uid = c->uid;
	to->gid = c->gid;
	to->environment = c->environment;
	/* The caller's own folder may be closed to that user. */
	to->cwd = "/";
	return found ? 0
		     : job_fail(w->job, error, "cannot run %s: %s", name,
				strerror(error));
}

/* From here on the server's runner exists and cleans up. */
static int open_server(struct cluster *c, struct worker *w,
		       unsigned connections)
{
	struct runner_command *to = &c->server.command;
	char *arguments = xasprintf(
		"-D '%s' -k '%s' -p 5432 -c listen_addresses= "
		"-c unix_socket_permissions=0700 -c autovacuum=off "
		"-c max_connections=%u -c dynamic_shared_memory_type=mmap",
		c->data, c->socket, connections);
	int rc = set_program(c, w, &c->server, "postgres", arguments);

	free(arguments);
	if (rc)
		return rc;
	to->out_fd = to->err_fd = c->log_fd;
	to->keep_fd = c->lock_fd;
	to->end_signal = SIGQUIT;
	to->end_ns = STOP_NS;
	to->after = remove_place;
	to->after_arg = c;
	c->open = program_open(w, &c->server) == 0;
	return c->open ? 0 : -EAGAIN;
}

/* --- its programs --- */

static int run_tool(struct cluster *c, struct worker *w, const char *name,
		    const char *arguments)
{
	struct program tool = { .reads = true };
	struct runner_result r = { .error = 0 };
	enum program_end end = PROGRAM_STOPPED;
	int rc = set_program(c, w, &tool, name, arguments);

	if (rc == 0)
		rc = program_open(w, &tool);
	if (rc == 0)
		end = program_run(w, &tool, clock_mono_ns() + TOOL_NS, &r);
	program_close(&tool);
	program_free(&tool);
	if (rc || (end == PROGRAM_ENDED && !r.error && !r.status))
		return rc;
	if (end != PROGRAM_ENDED)
		return job_fail(w->job, ECANCELED, "%s was stopped", name);
	return job_fail(w->job, EIO, "%s failed: %s", name,
			r.error      ? strerror(r.error)
			: *tool.last ? tool.last
				     : "it printed no message");
}

int cluster_tool(struct cluster *c, struct worker *w, const char *name,
		 const char *arguments)
{
	char *all = xasprintf("%s %s", c->address, arguments);
	int rc = run_tool(c, w, name, all);

	free(all);
	return rc;
}

int cluster_program(const struct cluster *c, const struct worker *w,
		    struct program *p, const char *name, const char *arguments)
{
	char *all = xasprintf("%s %s", c->address, arguments);
	int rc = set_program(c, w, p, name, all);

	free(all);
	return rc;
}

/* Whether the server has written that it is ready. */
static bool is_ready(const struct cluster *c)
{
	char text[1024];

	return strstr(read_pid_file(c->lock_fd, text, sizeof(text)), "\nready");
}

/* The last message of the server, for a sentence. */
static const char *last_message(const struct cluster *c, char *buf, size_t size)
{
	off_t end = lseek(c->log_fd, 0, SEEK_END);
	ssize_t n = pread(c->log_fd, buf, size - 1,
			  end > (off_t)size ? end - (off_t)size + 1 : 0);
	char *line;

	if (n <= 0)
		return "it printed no message";
	buf[n] = '\0';
	while (n && buf[n - 1] == '\n')
		buf[--n] = '\0';
	line = strrchr(buf, '\n');
	text_clean(buf);
	return line ? line + 1 : buf;
}

static int start_server(struct cluster *c, struct worker *w)
{
	uint64_t until_ns = clock_mono_ns() + READY_NS;
	struct runner_result r;
	char words[300];

	if (!runner_start(c->server.runner))
		return job_fail(w->job, EIO, "the server's runner died");
	while (!is_ready(c)) {
		(void)kind_wait(w, -1, clock_mono_ns() + 50000000);
		if (worker_stopped(w))
			return fail(ECANCELED, "job %s was stopped",
				    w->job->name);
		if (!runner_take(c->server.runner, &r) &&
		    clock_mono_ns() < until_ns)
			continue;
		return job_fail(w->job, EIO,
				"the PostgreSQL server does not start: %s",
				last_message(c, words, sizeof(words)));
	}
	return 0;
}

static int make_data(struct cluster *c, struct worker *w)
{
	char *arguments = xasprintf("-D '%s' -A trust -U postgres -E UTF8 "
				    "--locale=C",
				    c->data);
	int rc = run_tool(c, w, "initdb", arguments);

	free(arguments);
	return rc;
}

int cluster_open(struct cluster **out, struct worker *w, const char *programs,
		 const char *directory, const char *user, unsigned connections,
		 uint64_t need_bytes)
{
	struct cluster *c = xcalloc(1, sizeof(*c));
	char *real = realpath(directory, NULL);
	int rc;

	*out = c;
	c->lock_fd = c->log_fd = -1;
	c->programs = xstrdup(programs);
	c->environment = make_environment();
	/* A quote would end the name in a command line. */
	if (!real || strchr(real, '\''))
		rc = fail(real ? EINVAL : errno,
			  "job %s: cannot use the directory %s: %s",
			  w->job->name, directory,
			  real ? "its name has a quote in it"
			       : strerror(errno));
	else
		rc = find_user(c, w, user);
	if (rc == 0)
		rc = cluster_check_space(w, real, need_bytes);
	if (rc == 0) {
		recover_in(real);
		rc = cluster_make_folders(c, real);
	}
	free(real);
	if (rc == 0)
		rc = open_server(c, w, connections);
	if (rc == 0)
		rc = make_data(c, w);
	return rc ? rc : start_server(c, w);
}

/* --- usage --- */

static ssize_t read_proc(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	descriptor_close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

/*
 * Add the usage of a process and, with_ended, of its children that ended and
 * were waited for. Numbers of the fields: proc_pid_stat(5).
 */
static void add_stat(pid_t pid, bool with_ended, struct job_usage_raw *to)
{
	enum { STATE = 3, MINFLT = 10, CMINFLT, MAJFLT, CMAJFLT, UTIME, STIME,
	       CUTIME, CSTIME, FIELDS };
	const uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t field[FIELDS] = { 0 };
	char text[1024], *rest, *word;

	(void)read_proc(pid, "stat", text, sizeof(text));
	/* The name in parentheses may hold anything. */
	rest = strrchr(text, ')');
	for (int i = STATE - 1;
	     rest && i < FIELDS && (word = strsep(&rest, " ")); i++)
		field[i] = strtoull(word, NULL, 10);
	to->user_ns += (field[UTIME] + with_ended * field[CUTIME]) * tick_ns;
	to->system_ns += (field[STIME] + with_ended * field[CSTIME]) * tick_ns;
	to->minor_faults += field[MINFLT] + with_ended * field[CMINFLT];
	to->major_faults += field[MAJFLT] + with_ended * field[CMAJFLT];
}

void cluster_usage(const struct cluster *c, struct job_usage_raw *out)
{
	const pid_t pid = runner_pid(c->server.runner);
	char name[48], text[8192], *rest = text, *word;

	*out = (struct job_usage_raw){ 0 };
	if (!pid)
		return;
	/* All of its processes are children of the first one. */
	snprintf(name, sizeof(name), "task/%d/children", (int)pid);
	(void)read_proc(pid, name, text, sizeof(text));
	add_stat(pid, true, out);
	while ((word = strsep(&rest, " ")))
		if (*word)
			add_stat((pid_t)strtol(word, NULL, 10), false, out);
}

void cluster_close(struct cluster *c)
{
	if (!c)
		return;
	if (c->open)
		program_close(&c->server);
	else
		/* The runner's work, where there is no runner yet. */
		remove_place(c);
	descriptor_close(c->lock_fd);
	descriptor_close(c->log_fd);
	free(c->programs);
	free(c->folder);
	free(c->data);
	free(c->socket);
	free(c->address);
	free(c->link);
	free(c->short_socket);
	free(c->environment);
	program_free(&c->server);
	free(c);
}
