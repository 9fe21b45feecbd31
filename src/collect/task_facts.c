/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task facts: the identity of a process: command line, cgroup, unit, container,
 * I/O priority; of a kernel thread, the device that it works for.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/kernel.h"
#include "base/text.h"
#include "block/sysfs.h"
#include "collect/task.h"

#define PATH_SIZE 64
/* Bytes of a command line to keep: more than a wide screen shows. */
#define COMMAND_LINE_BYTES 512
#define CGROUP_BYTES       4096
#define ID_LETTERS         12 /* of a container, as its own tools show it */

static char *kept_text(const char *text)
{
	return text && *text ? xstrdup(text) : NULL;
}

void task_facts_free(struct task_facts *f)
{
	free(f->command_line);
	free(f->cgroup);
	free(f->unit);
	free(f->container);
	free(f->serves);
	free(f->io_limit);
	memset(f, 0, sizeof(*f));
}

/* The limit stays: it is read where a thread waits, not with the other facts. */
static void task_facts_clear(struct task_facts *f)
{
	char *limit = f->io_limit;
	const uint64_t limit_ns = f->io_limit_ns;

	f->io_limit = NULL;
	task_facts_free(f);
	f->io_limit = limit;
	f->io_limit_ns = limit_ns;
}

/* The arguments end with NUL each; a blank stands between two of them. */
static char *command_line(const struct task_env *e, const struct process *p)
{
	char path[PATH_SIZE], buf[COMMAND_LINE_BYTES];
	ssize_t n;

	snprintf(path, sizeof(path), "proc/%d/cmdline", p->pid);
	n = root_read(e->env->files.root, path, buf, sizeof(buf));
	while (n > 0 && !buf[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';
	if (n <= 0)
		return NULL;
	text_clean(buf);
	return kept_text(buf);
}

static bool ends_with(const char *text, size_t n, const char *end)
{
	size_t length = strlen(end);

	return n >= length && !memcmp(text + n - length, end, length);
}

static size_t hex_digits(const char *text)
{
	size_t n = 0;

	while (isxdigit((unsigned char)text[n]))
		n++;
	return n;
}

/* The names that engines give the cgroup of a container; the id follows. */
static const struct {
	const char *start, *name;
	bool named; /* the id is a name, not a long number */
} engines[] = {
	{ "docker-", "docker", false },
	{ "libpod-", "podman", false },
	{ "crio-", "crio", false },
	{ "cri-containerd-", "containerd", false },
	{ "lxc.payload.", "lxc", true },
	{ "machine-", "nspawn", true },
};

/* A part of the path that names a container: "docker-0123....scope". */
static char *container_of_part(const char *part, size_t n, const char *above)
{
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
		size_t length = strlen(engines[i].start);
		const char *id = part + length;
		size_t most;

		if (n <= length || strncmp(part, engines[i].start, length) != 0)
			continue;
		most = n - length;
		if (ends_with(part, n, ".scope"))
			most -= strlen(".scope");
		if (!engines[i].named && hex_digits(id) < ID_LETTERS)
			continue;
		if (!engines[i].named && most > ID_LETTERS)
			most = ID_LETTERS;
		snprintf(text, sizeof(text), "%s:%.*s", engines[i].name,
			 (int)most, id);
		return xstrdup(text);
	}
	/* "/docker/ID", "/kubepods/besteffort/podUID/ID" of version 1. */
	if (n != 64 || hex_digits(part) != 64 || !above)
		return NULL;
	snprintf(text, sizeof(text), "%s:%.*s", above, ID_LETTERS, part);
	return xstrdup(text);
}

static bool is_unit(const char *part, size_t n)
{
	return ends_with(part, n, ".service") || ends_with(part, n, ".scope") ||
	       ends_with(part, n, ".mount") || ends_with(part, n, ".swap") ||
	       ends_with(part, n, ".socket");
}

/* The last unit and the last container on the way down. */
static void name_parts(struct task_facts *f, const char *path)
{
	const char *above = strstr(path, "kubepods")   ? "kubernetes"
			    : strstr(path, "/docker/") ? "docker"
			    : strstr(path, "/lxc/")    ? "lxc"
						       : NULL;

	for (const char *part = path; *part;) {
		size_t n = strcspn(part, "/");
		char *container = container_of_part(part, n, above);

		if (container) {
			free(f->container);
			f->container = container;
		}
		if (is_unit(part, n)) {
			free(f->unit);
			f->unit = xasprintf("%.*s", (int)n, part);
		}
		part += n + (part[n] == '/');
	}
}

void task_facts_cgroup(struct task_facts *f, char *text)
{
	char *line, *rest = text, *best = NULL;

	/* "ID:CONTROLLERS:PATH"; version 2 has the id 0 and no controllers. */
	while ((line = strsep(&rest, "\n"))) {
		char *names = strchr(line, ':');
		char *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		if (!strcmp(names, ":name=systemd") || !strcmp(line, "0:"))
			if (!best || strlen(path) > strlen(best))
				best = path;
	}
	if (!best)
		return;
	text_clean(best);
	f->cgroup = kept_text(best);
	name_parts(f, best);
}

static void read_cgroup(const struct task_env *e, const struct process *p,
			struct task_facts *f)
{
	char path[PATH_SIZE], text[CGROUP_BYTES];

	snprintf(path, sizeof(path), "proc/%d/cgroup", p->pid);
	if (root_read(e->env->files.root, path, text, sizeof(text)) > 0)
		task_facts_cgroup(f, text);
}

/*
 * Ask the running kernel only: the pids of a captured tree are of another one.
 */
static void read_priority(const struct task_env *e, const struct process *p,
			  struct task_facts *f)
{
	long value = -1;
	int level;

	if (e->env->files.live_proc)
		value = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, p->pid);
	f->io_priority[0] = '\0';
	if (value < 0)
		return;
	level = (int)(value & 7);
	switch (value >> IOPRIO_CLASS_SHIFT) {
	case IOPRIO_CLASS_RT:
		snprintf(f->io_priority, sizeof(f->io_priority), "rt/%d",
			 level);
		break;
	case IOPRIO_CLASS_IDLE:
		text_set(f->io_priority, "idle");
		break;
	case IOPRIO_CLASS_BE:
		snprintf(f->io_priority, sizeof(f->io_priority), "be/%d",
			 level);
		break;
	default: /* none was set: the kernel derives one from the nice value */
		text_set(f->io_priority, "-");
	}
}

/* A device of that name, of n bytes, if there is one. */
static bool is_device(const struct task_env *e, const char *text, size_t n,
		      char *name, size_t size)
{
	if (!n || n >= size)
		return false;
	memcpy(name, text, n);
	name[n] = '\0';
	return sysfs_has(e->env->files.root, name);
}

/*
 * The device in the name of a kernel thread: "loop4" of "kworker/u8:1-loop4",
 * the one after the slash of "jbd2/dm-0-8", "xfsaild/vda1", "dio/sdb" and
 * "xfs-conv/vda1", the one before the other sign of "md0_raid1" and
 * "nbd0-recv", the number of "flush-254:0" and "kcryptd/253:1". Only a name that
 * a device has counts.
 */
static bool task_facts_device_of(const struct task_env *e, const char *comm,
				 char *name, size_t size)
{
	unsigned major, minor;
	const char *slash;
	size_t n;

	if (!strncmp(comm, "kworker/", 8)) {
		comm += strcspn(comm, "-+");
		comm += *comm != '\0';
	}
	slash = strchr(comm, '/');
	if (slash)
		comm = slash + 1;
	else if (!strncmp(comm, "flush-", 6))
		comm += 6;
	if (sscanf(comm, "%u:%u", &major, &minor) == 2)
		return sysfs_device_name(e->env->files.root,
					 makedev(major, minor), name, size);
	if (slash && is_device(e, comm, strlen(comm), name, size))
		return true;
	/* jbd2 adds the inode of the journal, which may be cut off. */
	if (slash) {
		n = strlen(comm);
		while (n && isdigit((unsigned char)comm[n - 1]))
			n--;
		return n && comm[n - 1] == '-' &&
		       is_device(e, comm, n - 1, name, size);
	}
	n = strcspn(comm, "-_");
	return n && isdigit((unsigned char)comm[n - 1]) &&
	       is_device(e, comm, n, name, size);
}

static char *serves(const struct task_env *e, const struct process *p)
{
	char name[SYSFS_NAME_MAX], folder[SYSFS_PATH_MAX], file[256];
	char *text;

	if (!task_facts_device_of(e, p->comm, name, sizeof(name)))
		return NULL;
	if (!sysfs_path_of(folder, sizeof(folder), name, "") ||
	    !sysfs_backing_file(e->env->files.root, folder, file, sizeof(file)))
		return xstrdup(name);
	text = xasprintf("%s %s", name, file);
	text_clean(text);
	return text;
}

/* A limit is set by a person or a manager of containers: seldom. */
#define LIMIT_AGAIN_NS (5 * NS_PER_S)

static void read_io_limit(const struct task_env *e, struct process *p)
{
	struct task_facts *f = &p->facts;

	if (p->kernel ||
	    (f->io_limit_ns && e->now_ns - f->io_limit_ns < LIMIT_AGAIN_NS))
		return;
	f->io_limit_ns = e->now_ns;
	free(f->io_limit);
	f->io_limit = io_limit_of_task(e->env->files.root, p->pid,
				       NULL);
}

void task_facts_wait(struct task_env *e, struct process *p, struct thread *t)
{
	char path[PATH_SIZE];

	if (p->flat)
		snprintf(path, sizeof(path), "proc/%d/wchan", p->pid);
	else
		snprintf(path, sizeof(path), "proc/%d/task/%d/wchan", p->pid,
			 t->tid);
	if (root_read_line(e->env->files.root, path, t->wchan,
			   sizeof(t->wchan)) <= 0 ||
	    !strcmp(t->wchan, "0"))
		t->wchan[0] = '\0';
	text_clean(t->wchan);
	read_io_limit(e, p);
}

/*
 * Reading a command line takes the lock of the process's memory. Where a thread
 * waits for a lock of that kind, the read could wait as long.
 */
static bool may_lock(struct task_env *e, struct process *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		struct thread *t = &p->thread[i];

		if (!t->blocked_ns)
			continue;
		if (!t->wchan[0])
			task_facts_wait(e, p, t);
		if (!strncmp(t->wchan, "rwsem_", 6))
			return false;
	}
	return true;
}

void task_facts_update(struct task_env *e, struct process *p, bool busy)
{
	struct task_facts *f = &p->facts;

	if (f->asked) {
		if (busy)
			read_priority(e, p, f);
		return;
	}
	/*
	 * A kernel worker is renamed at each change of its work, and reading
	 * its facts is cheap: do it at once, so that no former device is shown.
	 */
	if (!p->kernel) {
		if ((!busy && !e->facts_left) || !may_lock(e, p))
			return;
		if (!busy)
			e->facts_left--;
	}
	task_facts_clear(f);
	f->asked = true;
	read_priority(e, p, f);
	if (p->kernel) {
		f->serves = serves(e, p);
		return;
	}
	f->command_line = command_line(e, p);
	f->arguments = schema_task_arguments(f->command_line);
	read_cgroup(e, p, f);
}

/* --- names of users, from etc/passwd (passwd(5)) --- */

/* More than the file of a server with local users has. */
#define PASSWD_BYTES (1 << 20)
#define AGAIN_NS     (60 * NS_PER_S)

static int by_uid(const void *pa, const void *pb)
{
	const struct task_user *a = pa, *b = pb;

	return a->uid < b->uid ? -1 : a->uid > b->uid;
}

/* "name:password:uid:...". */
static void task_facts_add_line(struct task_users *u, char *line)
{
	char *password = strchr(line, ':'), *uid, *end;
	struct task_user *user;
	unsigned long number;

	uid = password ? strchr(password + 1, ':') : NULL;
	if (!uid || password == line)
		return;
	number = strtoul(uid + 1, &end, 10);
	if (end == uid + 1 || *end != ':')
		return;
	*password = '\0';
	user = xadd(u->user, u->n, u->cap);
	user->uid = (unsigned)number;
	text_set(user->name, line);
	text_clean(user->name);
}

static void task_facts_read_all(struct task_users *u, const struct root *root)
{
	char *text = xmalloc(PASSWD_BYTES), *line, *save = NULL;

	u->n = 0;
	if (root_read(root, "etc/passwd", text, PASSWD_BYTES) > 0)
		for (line = strtok_r(text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			task_facts_add_line(u, line);
	free(text);
	if (u->n > 1)
		qsort(u->user, u->n, sizeof(*u->user), by_uid);
}

const char *task_user_name(struct task_users *u, const struct root *root,
			   unsigned uid, uint64_t now_ns)
{
	struct task_user key = { .uid = uid }, *hit = NULL;

	if (u->n)
		hit = bsearch(&key, u->user, u->n, sizeof(key), by_uid);
	if (hit)
		return hit->name;
	if (u->read_ns && now_ns - u->read_ns < AGAIN_NS)
		return "";
	u->read_ns = now_ns;
	task_facts_read_all(u, root);
	if (u->n)
		hit = bsearch(&key, u->user, u->n, sizeof(key), by_uid);
	return hit ? hit->name : "";
}

void task_users_free(struct task_users *u)
{
	free(u->user);
	memset(u, 0, sizeof(*u));
}
