/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups: the tree of cgroup v2, walked at each sample while a
 * screen or an option asks for it.
 *
 * A group's files include the groups below it. io.stat lists I/O through a
 * stacked device (dm, md, loop) for that device and for those below it; only
 * the lowest ones count here.
 */
#include "collect/collector.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/text.h"
#include "block/sysfs.h"
#include "model/schema/schema_machine.h"

#define PATH_SIZE  1024
#define DEPTH_MOST 16
/* A machine with more is shown in part. */
#define GROUPS_MOST 1000
#define LOOP_MAJOR  7
/* io.stat has a line of about 100 bytes for each device. */
#define TEXT_BYTES (64 << 10)

/* Whether a device is built on others; asked once. */
struct stacked_device {
	dev_t dev;
	bool stacked;
};

struct cgroups {
	struct collector_env *env;
	char base[64]; /* of the tree; "": there is none */
	struct stacked_device *device;
	size_t n_devices, cap_devices;
	size_t n_groups; /* of this sample */
	char text[TEXT_BYTES]; /* of the file that is read */
};

static bool is_stacked(struct cgroups *c, unsigned major, unsigned minor)
{
	const dev_t dev = makedev(major, minor);
	struct stacked_device *d;
	char folder[SYSFS_PATH_MAX];
	size_t n;

	for (size_t i = 0; i < c->n_devices; i++)
		if (c->device[i].dev == dev)
			return c->device[i].stacked;
	sysfs_path(c->env->files.root, folder, dev, "");
	free(sysfs_names(c->env->files.root, folder, "slaves", &n));
	d = xadd(c->device, c->n_devices, c->cap_devices);
	d->dev = dev;
	d->stacked = n > 0 || major == LOOP_MAJOR;
	return d->stacked;
}

/* The number behind "key=" in a line, 0 when it is not there. */
static uint64_t collect_cgroup_value_of(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* "253:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6", a line per device. */
static void collect_cgroup_read_io(struct cgroups *c, char *text,
				   struct cgroup_raw *raw)
{
	char *rest = text, *line;

	raw->read_bytes = raw->write_bytes = raw->reads = raw->writes = 0;
	while ((line = strsep(&rest, "\n"))) {
		unsigned major, minor;

		if (sscanf(line, "%u:%u", &major, &minor) != 2 ||
		    is_stacked(c, major, minor))
			continue;
		raw->read_bytes += collect_cgroup_value_of(line, " rbytes=");
		raw->write_bytes += collect_cgroup_value_of(line, " wbytes=");
		raw->reads += collect_cgroup_value_of(line, " rios=");
		raw->writes += collect_cgroup_value_of(line, " wios=");
	}
}

static ssize_t collect_cgroup_read_file(const struct cgroups *c,
					const char *folder, const char *file,
					char *buf, size_t size)
{
	char path[PATH_SIZE + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return root_read(c->env->files.root, path, buf, size);
}

static int cgroups_open(struct collector_env *env, void *state)
{
	struct cgroups *c = state;

	c->env = env;
	if (!root_cgroup2(env->files.root, c->base, sizeof(c->base)))
		c->base[0] = '\0';
	env->lacks[LACK_CGROUP] = !c->base[0];
	env->lacks[LACK_CGROUP_IO] =
		c->base[0] &&
		collect_cgroup_read_file(c, c->base, "cgroup.controllers",
					 c->text, sizeof(c->text)) >= 0 &&
		!text_lists(text_trim(c->text), "io", 2);
	return 0;
}

static int64_t collect_cgroup_read_number(const struct cgroups *c,
					  const char *folder, const char *file)
{
	char buf[32];

	return collect_cgroup_read_file(c, folder, file, buf, sizeof(buf)) > 0
		       ? strtoll(buf, NULL, 10)
		       : -1;
}

static void make_id(char id[ROW_ID_MAX], const char *path)
{
	text_copy_end(id, ROW_ID_MAX, path);
	text_clean(id);
}

static void collect_cgroup_add_group(struct cgroups *c, const char *folder,
				     const char *path, uint64_t inode,
				     const char *parent, struct sample *s)
{
	struct cgroup_raw *raw = sample_add(s, SCHEMA_CGROUP);
	char *buf = c->text;
	const size_t size = sizeof(c->text);

	make_id(raw->key.id, path);
	raw->key.generation = inode;
	text_set(raw->parent, parent);
	raw->read_bytes = raw->write_bytes = UINT64_MAX;
	raw->reads = raw->writes = UINT64_MAX;
	raw->some_us = raw->full_us = raw->cpu_us = UINT64_MAX;
	if (collect_cgroup_read_file(c, folder, "io.stat", buf, size) >= 0)
		collect_cgroup_read_io(c, buf, raw);
	if (collect_cgroup_read_file(c, folder, "io.pressure", buf, size) > 0) {
		raw->some_us = collect_pressure_total(buf, "some ");
		raw->full_us = collect_pressure_total(buf, "full ");
	}
	if (collect_cgroup_read_file(c, folder, "cpu.stat", buf, size) > 0 &&
	    strstr(buf, "usage_usec "))
		raw->cpu_us = collect_cgroup_value_of(buf, "usage_usec ");
	raw->memory_bytes =
		collect_cgroup_read_number(c, folder, "memory.current");
	raw->tasks = collect_cgroup_read_number(c, folder, "pids.current");
}

/* All groups below a folder, each before those below it. */
static void collect_cgroup_walk(struct cgroups *c, const char *path,
				const char *parent, int depth, struct sample *s)
{
	char folder[PATH_SIZE], below[PATH_SIZE], id[ROW_ID_MAX];
	struct dirent *e;
	struct stat st;
	DIR *dir;

	if ((size_t)snprintf(folder, sizeof(folder), "%s%s%s", c->base,
			     *path ? "/" : "", path) >= sizeof(folder))
		return;
	dir = root_open_dir(c->env->files.root, folder);
	if (!dir)
		return;
	make_id(id, path);
	if (*path && fstat(dirfd(dir), &st) == 0) {
		c->n_groups++;
		collect_cgroup_add_group(c, folder, path, st.st_ino, parent, s);
	}
	while (depth < DEPTH_MOST && c->n_groups < GROUPS_MOST &&
	       (e = readdir(dir))) {
		if (e->d_name[0] == '.' ||
		    (e->d_type != DT_DIR && e->d_type != DT_UNKNOWN))
			continue;
		if ((size_t)snprintf(below, sizeof(below), "%s%s%s", path,
				     *path ? "/" : "",
				     e->d_name) < sizeof(below))
			collect_cgroup_walk(c, below, id, depth + 1, s);
	}
	closedir(dir);
}

static void cgroups_sample(void *state, struct sample *s)
{
	struct cgroups *c = state;

	c->n_groups = 0;
	if (c->env->cgroups && c->base[0])
		collect_cgroup_walk(c, "", "", 0, s);
}

static void cgroups_close(void *state)
{
	struct cgroups *c = state;

	free(c->device);
}

const struct collector collector_cgroups = {
	.size = sizeof(struct cgroups),
	.open = cgroups_open,
	.sample = cgroups_sample,
	.close = cgroups_close,
};
