/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cross-check: bytes of jobs beside bytes of disks.
 */
#include "report/cross_check.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "report/window.h"

/* With fewer frames or bytes nothing is reported. */
#define LEAST_FRAMES 3
#define LEAST_BYTES  (1 << 20)
/* The ratio that is reported, in either direction. */
#define FAR 1.5

static const char *const op_names[CROSS_OPS] = { "read", "write" };

static double bytes_of(enum schema_id schema, const struct row *row, int op,
		       double seconds)
{
	char key[32];
	double v;

	snprintf(key, sizeof(key), "%s_bytes_per_s", op_names[op]);
	v = row_number(schema, row, key);
	return v > 0 ? v * seconds : 0;
}

/* In these phases disks do I/O that no job counts. */
static bool is_beside(const struct row *job)
{
	switch (phase_of(job)) {
	case PHASE_LAYOUT:
	case PHASE_INVALIDATE:
	case PHASE_RAMP:
	case PHASE_VERIFY:
		return true;
	default:
		return false;
	}
}

static bool listed(const char *list, const char *word, size_t n)
{
	for (const char *p = list; *p; p += strspn(p, " ")) {
		if (strcspn(p, " ") == n && !memcmp(p, word, n))
			return true;
		p += strcspn(p, " ");
	}
	return false;
}

static void add_names(struct cross_check *c, const char *names)
{
	while (*names) {
		size_t n = strcspn(names, " "), used = strlen(c->device);

		if (!listed(c->device, names, n) &&
		    used + n + 2 < sizeof(c->device))
			snprintf(c->device + used, sizeof(c->device) - used,
				 "%s%.*s", used ? " " : "", (int)n, names);
		names += n + strspn(names + n, " ");
	}
}

/* Jobs without a disk (memory, engine null) cannot be compared with one. */
static bool add_jobs(struct cross_check *c, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_JOB];
	bool any = false;

	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->row[i];
		const char *device = row_text(SCHEMA_JOB, row, "device");

		if (!device || window_job_part(row) == JOB_NOTHING)
			continue;
		add_names(c, device);
		any = true;
		for (int op = 0; op < CROSS_OPS; op++)
			c->job_bytes[op] +=
				bytes_of(SCHEMA_JOB, row, op, f->interval_s);
	}
	return any;
}

static void add_devices(struct cross_check *c, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_DEVICE];

	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->row[i];

		if (!listed(c->device, row->id, strlen(row->id)))
			continue;
		for (int op = 0; op < CROSS_OPS; op++)
			c->device_bytes[op] +=
				bytes_of(SCHEMA_DEVICE, row, op, f->interval_s);
	}
}

void cross_check_add(struct cross_check *c, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_JOB];
	bool was_mixed = c->mixed;

	c->mixed = false;
	for (size_t i = 0; i < t->n; i++)
		c->mixed |= is_beside(&t->row[i]);
	if (c->mixed || was_mixed || !(f->interval_s > 0) || !add_jobs(c, f))
		return;
	add_devices(c, f);
	c->frames++;
}

static bool far_apart(const struct cross_check *c, int op)
{
	return c->frames >= LEAST_FRAMES && c->job_bytes[op] >= LEAST_BYTES &&
	       (c->device_bytes[op] > c->job_bytes[op] * FAR ||
		c->job_bytes[op] > c->device_bytes[op] * FAR);
}

bool cross_check_words(const struct cross_check *c, int op, char *buf,
		       size_t size)
{
	static const char *const why[CROSS_OPS][2] = {
		[CROSS_READ] = { "the rest came from the page cache, or from "
				 "holes and unwritten space of files",
				 "readahead, the file system or another "
				 "program read the rest" },
		[CROSS_WRITE] = { "the rest was only in the page cache (see "
				  "end_fsync), or was not new to the file "
				  "system or disk",
				  "the file system's own writes, writeback of "
				  "older data or another program's are the "
				  "rest" },
	};
	static const char *const past[CROSS_OPS] = { "read", "wrote" };
	bool more = c->device_bytes[op] > c->job_bytes[op];
	char job[32], device[32];

	if (!far_apart(c, op))
		return false;
	units_format_bytes(job, sizeof(job), c->job_bytes[op]);
	units_format_bytes(device, sizeof(device), c->device_bytes[op]);
	snprintf(buf, size, "jobs %s %s, %s %s%s; %s", past[op], job, c->device,
		 more ? "" : "only ", device, why[op][more]);
	return true;
}

struct json *cross_check_json(const struct cross_check *c)
{
	struct json *list = NULL;
	char words[600];

	for (int op = 0; op < CROSS_OPS; op++) {
		struct json *j;

		if (!cross_check_words(c, op, words, sizeof(words)))
			continue;
		j = json_new_object();
		json_put_text(j, "op", op_names[op]);
		json_put_number(j, "job_bytes", c->job_bytes[op]);
		json_put_number(j, "device_bytes", c->device_bytes[op]);
		json_put_text(j, "device", c->device);
		json_put_text(j, "sentence", words);
		if (!list)
			list = json_new_array();
		json_push(list, j);
	}
	return list;
}
