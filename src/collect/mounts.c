/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts, and which of them lie on a device.
 *
 * proc_pid_mountinfo(5): "id parent major:minor root mount-point options ... -
 * type source options".
 */
#include "collect/mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "collect/collect.h"

#define MOUNTINFO_SIZE (1 << 18)
#define SWAPS_SIZE     8192
/* How deep devices are stacked, at most; a captured tree may hold a ring. */
#define MAX_DEPTH 8

/* mountinfo writes blanks and backslashes as \ooo; undo it in place. */
static void undo_octal(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
		    s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				       (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

bool mount_parse(char *line, struct mount *out)
{
	char *tail = strstr(line, " - "), *source, *point, *save = NULL;

	if (!tail)
		return false;
	*tail = '\0';
	source = strchr(tail + 3, ' ');
	if (sscanf(line, "%*u %*u %u:%u", &out->major, &out->minor) != 2 ||
	    !source)
		return false;
	point = strtok_r(line, " ", &save);
	for (int i = 0; point && i < 4; i++)
		point = strtok_r(NULL, " ", &save);
	if (!point)
		return false;
	undo_octal(point);
	out->point = point;
	source = strtok_r(source, " ", &save);
	out->source = source && !strncmp(source, "/dev/", 5) ? source + 5 : "";
	return true;
}

char *mounts_read(const struct root *root)
{
	char *text = xmalloc(MOUNTINFO_SIZE);

	if (root_read(root, "proc/self/mountinfo", text, MOUNTINFO_SIZE) < 0)
		text[0] = '\0';
	return text;
}

/* The device itself, a partition of it, or one that is built on such. */
static bool lies_on(const struct root *root, const char *name,
		    const char *device, int depth)
{
	char path[512];
	struct dirent *entry;
	bool found = false;
	DIR *slaves;

	if (!*name || depth > MAX_DEPTH)
		return false;
	if (!strcmp(name, device))
		return true;
	snprintf(path, sizeof(path), "sys/block/%s/%s", device, name);
	if (root_exists(root, path))
		return true;
	snprintf(path, sizeof(path), "sys/block/%s/slaves", name);
	slaves = root_open_dir(root, path);
	while (slaves && !found && (entry = readdir(slaves)))
		found = entry->d_name[0] != '.' &&
			lies_on(root, entry->d_name, device, depth + 1);
	if (slaves)
		closedir(slaves);
	return found;
}

static bool is_on(const struct root *root, const struct mount *m,
		  const char *device)
{
	char path[64], name[64];

	snprintf(path, sizeof(path), "sys/dev/block/%u:%u", m->major, m->minor);
	/* btrfs has a number of its own; its source names the device. */
	if (!root_link_name(root, path, name, sizeof(name)))
		text_copy(name, sizeof(name), m->source);
	return lies_on(root, name, device, 0);
}

/* Append a word to a list, once; what does not fit is "...". */
static void add_word(char *buf, size_t size, const char *head, const char *word)
{
	size_t n = strlen(buf), k = strlen(word);
	const char *at = n ? strstr(buf, word) : NULL;

	if (at && (at[k] == ',' || !at[k]) && at > buf && at[-1] == ' ')
		return;
	if (n >= 3 && !strcmp(buf + n - 3, "..."))
		return;
	if (n + strlen(head) + k + 8 > size)
		word = "...";
	snprintf(buf + n, size - n, "%s%s", n ? ", " : head, word);
}

static void add_swaps(const struct root *root, const char *device, char *buf,
		      size_t size)
{
	char text[SWAPS_SIZE], *line, *save = NULL;

	if (root_read(root, "proc/swaps", text, sizeof(text)) <= 0)
		return;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, " \t")] = '\0';
		if (!strncmp(line, "/dev/", 5) &&
		    lies_on(root, line + 5, device, 0))
			add_word(buf, size, "used for ", "swap");
	}
}

bool collect_device_use(const struct root *root, const char *device, char *buf,
			size_t size)
{
	char *mounts = mounts_read(root), *line, *save = NULL;
	char name[64];

	buf[0] = '\0';
	text_copy(name, sizeof(name), device);
	/* sysfs has no slash in a name. */
	for (char *c = name; *c; c++)
		*c = *c == '/' ? '!' : *c;
	for (line = strtok_r(mounts, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct mount m;

		if (!mount_parse(line, &m) || !is_on(root, &m, name))
			continue;
		text_clean(m.point);
		add_word(buf, size, "mounted on ", m.point);
	}
	free(mounts);
	add_swaps(root, name, buf, size);
	return buf[0];
}
