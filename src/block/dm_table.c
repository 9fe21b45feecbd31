/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Device-mapper table: read it from the kernel, parse and resolve it. */
#include "block/tree.h"

#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "block/sysfs.h"

#define TABLE_BYTES (256u << 10)
#define MOST_LEVELS 8 /* levels of mapped devices over mapped devices */

struct parts {
	struct dm_part *item;
	size_t n, cap;
};

static void add_part(struct parts *p, struct dm_part part)
{
	p->item = xgrow(p->item, &p->cap, p->n + 1, sizeof(*p->item));
	p->item[p->n++] = part;
}

/*
 * The place of the devices in a target's arguments: after skip words come pairs
 * "MAJOR:MINOR FIRST" (Documentation/admin-guide/device-mapper). delay may have
 * a word between its two pairs, so only its first pair is read.
 */
static const struct target_kind {
	const char *name;
	unsigned skip, pairs; /* 0: all arguments that follow */
} kinds[] = {
	{ "linear", 0, 1 }, { "striped", 2, 0 }, { "crypt", 3, 1 },
	{ "delay", 0, 1 },  { "flakey", 0, 1 },
};

static const struct target_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static const char *next_word(const char *p)
{
	p += strcspn(p, " \n");
	return p + strspn(p, " ");
}

static void parse_line(struct parts *out, const char *line)
{
	unsigned long long start, length;
	const struct target_kind *kind;
	size_t first = out->n;
	char name[32];
	int at;

	if (sscanf(line, "%llu %llu %31s %n", &start, &length, name, &at) < 3)
		return;
	kind = find_kind(name);
	line += at;
	for (unsigned i = 0; kind && i < kind->skip; i++)
		line = next_word(line);
	while (kind && (!kind->pairs || out->n < first + kind->pairs)) {
		unsigned major, minor;
		unsigned long long from;

		if (sscanf(line, "%u:%u %llu", &major, &minor, &from) != 3)
			break;
		add_part(out, (struct dm_part){
				      .dev = makedev(major, minor),
				      .first = from,
				      .start = start,
				      .length = length,
			      });
		line = next_word(next_word(line));
	}
	/* Each stripe holds an equal share of the length. */
	for (size_t i = first; i < out->n; i++)
		out->item[i].n = length / (out->n - first);
}

struct dm_part *dm_table_parse(const char *text, size_t *n)
{
	struct parts out = { 0 };

	while (text && *text) {
		const char *end = strchr(text, '\n');

		parse_line(&out, text);
		text = end ? end + 1 : NULL;
	}
	*n = out.n;
	return out.item;
}

/*
 * The tables in the kernel's answer as lines of text; d is the head of the
 * answer.
 */
static char *answer_text(const struct dm_ioctl *d, size_t size)
{
	const char *begin = (const char *)d + d->data_start, *at = begin;
	const char *end = (const char *)d + size;
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);

	for (uint32_t i = 0; f && i < d->target_count; i++) {
		struct dm_target_spec spec;

		if (at < begin || end - at < (ptrdiff_t)sizeof(spec))
			break;
		memcpy(&spec, at, sizeof(spec));
		at += sizeof(spec);
		fprintf(f, "%llu %llu %.16s %.*s\n",
			(unsigned long long)spec.sector_start,
			(unsigned long long)spec.length, spec.target_type,
			(int)strnlen(at, (size_t)(end - at)), at);
		at = begin + spec.next;
	}
	if (f)
		fclose(f);
	return text;
}

static char *ask_kernel(dev_t dev)
{
	struct dm_ioctl *d = xcalloc(1, TABLE_BYTES);
	int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	char *text = NULL;

	d->version[0] = DM_VERSION_MAJOR;
	d->data_size = TABLE_BYTES;
	d->data_start = sizeof(*d);
	d->dev = dev;
	d->flags = DM_STATUS_TABLE_FLAG;
	if (fd >= 0 && !ioctl(fd, DM_TABLE_STATUS, d) &&
	    !(d->flags & DM_BUFFER_FULL_FLAG) && d->data_start < TABLE_BYTES)
		text = answer_text(d, TABLE_BYTES);
	if (fd >= 0)
		close(fd);
	free(d);
	return text;
}

/*
 * The table of a device; NULL: it is not mapped, or the table is not readable.
 */
static char *table_text(const struct root *root, dev_t dev)
{
	char path[SYSFS_PATH_MAX], *text;
	ssize_t n;

	sysfs_path(path, dev, "dm/name");
	if (!root_exists(root, path))
		return NULL;
	if (root->live)
		return ask_kernel(dev);
	sysfs_path(path, dev, "dm/table");
	text = xmalloc(TABLE_BYTES);
	n = root_read(root, path, text, TABLE_BYTES);
	if (n > 0)
		return text;
	free(text);
	return NULL;
}

/* Convert a range of a partition to one of its disk. */
static struct dm_part on_disk(const struct root *root, struct dm_part part)
{
	char path[SYSFS_PATH_MAX];
	long long start;
	dev_t disk;

	sysfs_path(path, part.dev, "start");
	if (sysfs_is_part(root, part.dev) &&
	    root_read_number(root, path, &start) && start >= 0 &&
	    sysfs_whole_disk(root, part.dev, &disk)) {
		part.dev = disk;
		part.first += (uint64_t)start;
	}
	return part;
}

/* The part of a line that lies in a range of the mapped device; n 0: none. */
static struct dm_part within(const struct dm_part *line,
			     const struct dm_part *range)
{
	uint64_t end = line->start + line->length, range_end;
	uint64_t from = line->start;
	struct dm_part part = *line;

	range_end = range->first + range->n;
	if (range->first > from)
		from = range->first;
	if (range_end < end)
		end = range_end;
	if (from >= end) {
		part.n = 0;
	} else if (line->n == line->length) {
		part.first += from - line->start;
		part.n = end - from;
	}
	/* Take the whole of a stripe: a range is spread over all stripes. */
	return part;
}

/* Add the parts of a range of a device, down to devices that are not mapped. */
static void resolve(struct parts *out, const struct root *root,
		    struct dm_part range, unsigned level)
{
	char *text = level < MOST_LEVELS ? table_text(root, range.dev) : NULL;
	struct dm_part *line;
	size_t n;

	line = dm_table_parse(text, &n);
	free(text);
	if (!n && level)
		add_part(out, on_disk(root, range));
	for (size_t i = 0; i < n; i++) {
		struct dm_part part = within(&line[i], &range);

		if (part.n)
			resolve(out, root, part, level + 1);
	}
	free(line);
}

struct dm_part *dm_table_of(const struct root *root, dev_t dev, size_t *n)
{
	struct parts out = { 0 };

	resolve(&out, root, (struct dm_part){ .dev = dev, .n = UINT64_MAX }, 0);
	*n = out.n;
	return out.item;
}

bool dm_table_overlap(const struct dm_part *a, size_t n_a,
		      const struct dm_part *b, size_t n_b)
{
	for (size_t i = 0; i < n_a; i++)
		for (size_t k = 0; k < n_b; k++)
			if (a[i].dev == b[k].dev &&
			    a[i].first < b[k].first + b[k].n &&
			    b[k].first < a[i].first + a[i].n)
				return true;
	return false;
}
