/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device use: what a disk is mounted on, in words.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "collect/collect.h"

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

static void add_all(const struct root *root, const struct mounts *m,
		    const char *disk, const char *head, char *buf, size_t size)
{
	const struct mount *mount;
	char point[256];

	for (size_t i = 0; (mount = mounts_at(m, i)); i++) {
		if (!mounts_is_on(root, mount, disk))
			continue;
		text_copy(point, sizeof(point),
			  *mount->point ? mount->point : "swap");
		text_clean(point);
		add_word(buf, size, head, point);
	}
}

bool device_use_collect(const struct root *root, const char *device, char *buf,
			size_t size)
{
	struct mounts *mounts = mounts_read(root);
	struct mounts *swaps = mounts_read_swaps(root);
	char name[SYSFS_NAME_MAX];

	buf[0] = '\0';
	text_copy(name, sizeof(name), device);
	sysfs_name_swap(name, false);
	add_all(root, mounts, name, "mounted on ", buf, size);
	add_all(root, swaps, name, "used for ", buf, size);
	mounts_free(mounts);
	mounts_free(swaps);
	return buf[0];
}
