/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device set: devices by name.
 */
#include "collect/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* FNV-1a. */
static size_t bucket_of(const char *name, size_t length)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h % DEVICE_BUCKETS;
}

struct device *device_find(const struct device_set *set, const char *name,
			   size_t length)
{
	struct device *d;

	if (length == 0 || length >= ROW_ID_MAX)
		return NULL;
	for (d = set->bucket[bucket_of(name, length)]; d; d = d->next)
		if (!memcmp(d->name, name, length) && !d->name[length])
			return d;
	return NULL;
}

struct device *device_find_number(const struct device_set *set, unsigned major,
				  unsigned minor)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->device[i]->major == major &&
		    set->device[i]->minor == minor)
			return set->device[i];
	return NULL;
}

struct device *device_new(struct device_set *set, const char *name,
			  size_t length)
{
	struct device **bucket = &set->bucket[bucket_of(name, length)];
	struct device *d = xcalloc(1, sizeof(*d));

	memcpy(d->name, name, length);
	d->inflight_file = KEPT_NONE;
	d->next = *bucket;
	*bucket = d;
	return d;
}

void device_drop(struct device_set *set, struct device *d)
{
	struct device **p = &set->bucket[bucket_of(d->name, strlen(d->name))];

	while (*p != d)
		p = &(*p)->next;
	*p = d->next;
	kept_close(set->files, &d->inflight_file);
	free(d->member);
	free(d);
}

void device_set_unmount(struct device_set *set)
{
	mounts_free(set->mounts);
	set->mounts = NULL;
}

void device_set_free(struct device_set *set)
{
	device_set_unmount(set);
	for (size_t i = 0; i < set->n; i++)
		device_drop(set, set->device[i]);
	free(set->device);
	free(set->name);
}

bool device_is(const struct device *d, const char *kind)
{
	return !strcmp(d->kind, kind);
}

void device_append(char *list, size_t size, const char *name)
{
	size_t n = strlen(list);

	if (n + strlen(name) + 2 <= size)
		snprintf(list + n, size - n, "%s%s", n ? " " : "", name);
}
