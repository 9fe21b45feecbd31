/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob effect: one row for each setting that others can make idle. Sources:
 * block/elevator.c, block/blk-mq-sched.c, block/blk-mq.c (blk_mq_complete),
 * mm/readahead.c, mm/page-writeback.c (domain_dirty_limits),
 * fs/fs-writeback.c (wb_check_old_data_flush) of Linux 6.
 */
#include "knob/knob_effect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"

/* The value of a setting beside it; "" when there is none. */
static const char *value_of(const struct knob_held_device *d, const char *name)
{
	for (size_t i = 0; i < n_knobs; i++)
		if (d->fixed[i].row && !strcmp(d->fixed[i].name, name))
			return d->fixed[i].value;
	return "";
}

static const char *only_choice(const struct knob_context *c, char *buf,
			       size_t size)
{
	if (!c->knob->choices[0] || strchr(c->knob->choices, ' '))
		return NULL;
	return "the kernel offers nothing else";
}

static const char *one_cpu(const struct knob_context *c, char *buf, size_t size)
{
	return c->one_cpu ? "there is only one CPU" : NULL;
}

static const char *merges_off(const struct knob_context *c, char *buf,
			      size_t size)
{
	if (strcmp(value_of(c->device, "nomerges"), "2"))
		return NULL;
	return "nomerges is 2: nothing is merged";
}

/* The reader's own device says how far it is read ahead. */
static const char *readahead_above(const struct knob_context *c, char *buf,
				   size_t size)
{
	if (!*c->above)
		return NULL;
	snprintf(buf, size,
		 "not for what lies on %s: it has a readahead of "
		 "its own",
		 c->above);
	return buf;
}

static const char *nobody_looks(const struct knob_context *c, char *buf,
				size_t size)
{
	if (strcmp(value_of(c->host, "dirty_writeback_centisecs"), "0"))
		return NULL;
	return "dirty_writeback_centisecs is 0: nobody looks for old data";
}

/* Only where both limits are told in the same way; "0" is not in force. */
static const char *above_limit(const struct knob_context *c, const char *name,
			       char *buf, size_t size)
{
	long long limit = atoll(value_of(c->host, name));
	long long background = atoll(c->knob->value);

	if (limit <= 0 || background < limit)
		return NULL;
	snprintf(buf, size,
		 "not below %s (%lld): the kernel takes half of that", name,
		 limit);
	return buf;
}

static const char *above_ratio(const struct knob_context *c, char *buf,
			       size_t size)
{
	return above_limit(c, "dirty_ratio", buf, size);
}

static const char *above_bytes(const struct knob_context *c, char *buf,
			       size_t size)
{
	return above_limit(c, "dirty_bytes", buf, size);
}

static const struct rule {
	const char *knob;
	const char *(*why)(const struct knob_context *c, char *buf,
			   size_t size);
} rules[] = {
	{ "scheduler", only_choice },
	{ "rq_affinity", one_cpu },
	{ "iosched.front_merges", merges_off },
	{ "read_ahead_kb", readahead_above },
	{ "dirty_expire_centisecs", nobody_looks },
	{ "dirty_background_ratio", above_ratio },
	{ "dirty_background_bytes", above_bytes },
};

int knob_effect_rule(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].knob, name))
			return (int)i;
	return -1;
}

const char *knob_no_effect(const struct knob_context *c, char *buf, size_t size)
{
	return c->knob->rule < 0 ? NULL
				 : rules[c->knob->rule].why(c, buf, size);
}
