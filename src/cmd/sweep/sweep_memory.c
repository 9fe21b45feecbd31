/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep, memory: the limit of memory of a run, by a control group. */
#include "cmd/sweep/sweep_stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/fail.h"
#include "base/units.h"

#define GROUP_PREFIX "iodyno-sweep-"

static bool sweep_memory_has(const char *path)
{
	return access(path, F_OK) == 0;
}

static int sweep_memory_put(const char *dir, const char *file, const char *text)
{
	char *path = xasprintf("%s/%s", dir, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err = -errno;
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

/* The first line of a file of a group, "" when there is none. */
static void sweep_memory_get(const char *dir, const char *file, char *line,
			     size_t size)
{
	char *path = xasprintf("%s/%s", dir, file);
	FILE *f = fopen(path, "re");

	*line = '\0';
	if (f && fgets(line, (int)size, f))
		line[strcspn(line, "\n")] = '\0';
	if (f)
		fclose(f);
	free(path);
}

/* Give the groups below folder the memory controller, if they lack it. */
static void add_controller(struct sweep_stage *st, const char *folder)
{
	char line[512];

	sweep_memory_get(folder, "cgroup.subtree_control", line, sizeof(line));
	if (!strstr(line, "memory"))
		st->adds_memory =
			sweep_memory_put(folder, "cgroup.subtree_control",
					 "+memory") == 0;
}

/* Whether the memory of this group is limited or protected. */
static bool limits_memory(const char *group)
{
	static const char *const files[][2] = { { "memory.max", "max" },
						{ "memory.high", "max" },
						{ "memory.low", "0" },
						{ "memory.min", "0" } };
	char line[64];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		sweep_memory_get(group, files[i][0], line, sizeof(line));
		if (*line && strcmp(line, files[i][1]) != 0)
			return true;
	}
	sweep_memory_get(group, "cgroup.subtree_control", line, sizeof(line));
	return strstr(line, "memory") != NULL;
}

/* Take the controller away again, unless a group uses it by now. */
static void remove_controller(struct sweep_stage *st, const char *folder)
{
	DIR *d = st->adds_memory ? opendir(folder) : NULL;
	struct dirent *e;
	bool used = false;

	while (d && !used && (e = readdir(d))) {
		char *group = xasprintf("%s/%s", folder, e->d_name);

		used = e->d_type == DT_DIR && e->d_name[0] != '.' &&
		       limits_memory(group);
		free(group);
	}
	if (d && !used)
		(void)!sweep_memory_put(folder, "cgroup.subtree_control",
					"-memory");
	if (d)
		closedir(d);
	st->adds_memory = false;
}

/* The folder that holds groups with a memory controller, or NULL. */
static const char *group_folder(bool *v1)
{
	*v1 = sweep_memory_has("/sys/fs/cgroup/memory/memory.limit_in_bytes");
	if (*v1)
		return "/sys/fs/cgroup/memory";
	return sweep_memory_has("/sys/fs/cgroup/cgroup.controllers")
		       ? "/sys/fs/cgroup"
		       : NULL;
}

/* Find the group of the owner below that folder. */
static void find_home(struct sweep_stage *st, const char *folder, bool v1)
{
	char file[40], *line = NULL;
	size_t size = 0;
	FILE *f;

	free(st->home);
	st->home = xstrdup(folder);
	snprintf(file, sizeof(file), "/proc/%d/cgroup", (int)st->owner);
	f = fopen(file, "re");
	/* hidepid= of /proc hides the owner from this process, which began in
	 * the same group. */
	if (!f) {
		snprintf(file, sizeof(file), "/proc/%d/cgroup", (int)getpid());
		f = fopen(file, "re");
	}
	while (f && getline(&line, &size, f) > 0) {
		char *path = strstr(line, v1 ? ":memory:" : "0::");

		if (!path)
			continue;
		path += v1 ? 8 : 3;
		path[strcspn(path, "\n")] = '\0';
		free(st->home);
		st->home = xasprintf("%s%s", folder,
				     strcmp(path, "/") ? path : "");
	}
	free(line);
	if (f)
		fclose(f);
}

/* Move the owner only while it lives: another process may get its pid. */
static int move_owner(const struct sweep_stage *st, const char *group)
{
	char pid[16];

	if (st->owner != getpid() && st->owner != getppid())
		return -ESRCH;
	snprintf(pid, sizeof(pid), "%d", (int)st->owner);
	return sweep_memory_put(group, "cgroup.procs", pid);
}

int sweep_memory_limit(struct sweep_stage *st, const char *value)
{
	char number[32];
	const char *folder;
	uint64_t bytes;
	bool v1;
	int err;

	if (!strcmp(value, "max"))
		return 0;
	folder = group_folder(&v1);
	if (!folder)
		return fail(ENOTSUP,
			    "memory=%s: there is no control group "
			    "with a memory controller",
			    value);
	if (!units_parse_bytes(value, &bytes) || bytes < 8u << 20)
		return fail(EINVAL,
			    "memory=%s is neither a size of at least 8m nor "
			    "max",
			    value);
	find_home(st, folder, v1);
	snprintf(st->group, sizeof(st->group), "%s/" GROUP_PREFIX "%d", folder,
		 (int)st->owner);
	if (!v1)
		add_controller(st, folder);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)bytes);
	err = mkdir(st->group, 0755) < 0 && errno != EEXIST ? -errno : 0;
	if (!err)
		err = sweep_memory_put(st->group,
				       v1 ? "memory.limit_in_bytes"
					  : "memory.max",
				       number);
	if (!err)
		err = move_owner(st, st->group);
	if (!err)
		return 0;
	sweep_memory_free(st);
	return fail(-err, "cannot limit memory by %s: %s", folder,
		    strerror(-err));
}

void sweep_memory_free(struct sweep_stage *st)
{
	char *folder;

	if (!*st->group)
		return;
	folder = strndup(st->group,
			 (size_t)(strrchr(st->group, '/') - st->group));
	(void)!move_owner(st, st->home);
	/* Move the pages that are charged to the group to its parent. */
	(void)!sweep_memory_put(st->group, "memory.force_empty", "0");
	if (rmdir(st->group) == 0 || errno == ENOENT) {
		*st->group = '\0';
		if (folder)
			remove_controller(st, folder);
	}
	free(folder);
}

unsigned sweep_memory_recover(void)
{
	static const char *const folders[] = { "/sys/fs/cgroup/memory",
					       "/sys/fs/cgroup" };
	unsigned removed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		size_t n = strlen(GROUP_PREFIX);
		struct dirent *e;
		DIR *d = opendir(folders[i]);

		while (d && (e = readdir(d))) {
			char *end;
			long pid;

			if (strncmp(e->d_name, GROUP_PREFIX, n))
				continue;
			pid = strtol(e->d_name + n, &end, 10);
			if (*end || pid <= 0 ||
			    (kill((pid_t)pid, 0) == 0 || errno != ESRCH))
				continue;
			removed += unlinkat(dirfd(d), e->d_name,
					    AT_REMOVEDIR) == 0;
		}
		if (d)
			closedir(d);
	}
	return removed;
}
