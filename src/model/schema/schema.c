/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schema: the table of schemas, and arithmetic that their fields share. */
#include "model/schema/schema.h"

#include <math.h>
#include <string.h>

#include "model/schema/schema_job.h"
#include "model/schema/schema_machine.h"
#include "model/schema/schema_trace.h"

const struct schema *const schemas[SCHEMA_COUNT] = {
	[SCHEMA_CPU] = &schema_cpu,
	[SCHEMA_DEVICE] = &schema_device,
	[SCHEMA_TASK] = &schema_task,
	[SCHEMA_MEMORY] = &schema_memory,
	[SCHEMA_PRESSURE] = &schema_pressure,
	[SCHEMA_CGROUP] = &schema_cgroup,
	[SCHEMA_MOUNT] = &schema_mount,
	[SCHEMA_KNOB] = &schema_knob,
	[SCHEMA_JOB] = &schema_job,
	[SCHEMA_SLOW] = &schema_slow,
	[SCHEMA_SELF] = &schema_self,
	[SCHEMA_CLONE] = &schema_clone,
	[SCHEMA_FLEET] = &schema_fleet,
};

/*
 * Where a key was found last, by its address. The scan touches a cache line for
 * each field, and a frame has thousands of look-ups.
 */
#define FOUND 1021
static uint16_t found[FOUND];

int schema_field(enum schema_id id, const char *key)
{
	const struct schema *s = schemas[id];
	const struct field *f = s->fields, *end = f + s->n_fields;
	uint16_t two, *known = &found[((uintptr_t)key * 31 + id) % FOUND];
	const size_t at = __atomic_load_n(known, __ATOMIC_RELAXED);

	/* Equal constants mostly are one after linking. */
	if (at < s->n_fields && (f[at].key == key || !strcmp(f[at].key, key)))
		return (int)at;
	if (!key[0])
		return -1;
	/* Two letters decide most comparisons, at less cost than a call. */
	memcpy(&two, key, sizeof(two));
	for (; f < end; f++) {
		uint16_t of;

		memcpy(&of, f->key, sizeof(of));
		if (of != two || strcmp(f->key, key) != 0)
			continue;
		__atomic_store_n(known, (uint16_t)(f - s->fields),
				 __ATOMIC_RELAXED);
		return (int)(f - s->fields);
	}
	return -1;
}

size_t schema_fields_in(enum schema_id id, enum field_use use, int *field,
			size_t max)
{
	const struct schema *s = schemas[id];
	size_t n = 0;

	for (size_t i = 0; i < s->n_fields; i++) {
		unsigned place = s->fields[i].place[use];
		size_t at = n;

		if (!place || n == max)
			continue;
		for (; at > 0 && s->fields[field[at - 1]].place[use] > place;
		     at--)
			field[at] = field[at - 1];
		field[at] = (int)i;
		n++;
	}
	return n;
}

static double schema_gauge(const struct gauge *gauge, const void *row)
{
	const void *at = (const char *)row + gauge->at;

	switch (gauge->type) {
	case GAUGE_DOUBLE:
		return *(const double *)at;
	case GAUGE_UINT64:
		return (double)*(const uint64_t *)at;
	case GAUGE_INT64:
		return *(const int64_t *)at < 0 ? NAN
						: (double)*(const int64_t *)at;
	case GAUGE_UNSIGNED:
		return *(const unsigned *)at;
	case GAUGE_BOOL:
		return *(const bool *)at;
	default:
		return NAN;
	}
}

double schema_number(const struct field *field, const struct span *span)
{
	double v;

	if (field->number)
		return field->number(span);
	if (field->of)
		return field->of(span, field);
	v = schema_gauge(&field->gauge, span->now);
	return field->gauge.some && v == 0 ? NAN : v;
}

const char *schema_text(const struct field *field, const struct span *span)
{
	const char *at;

	if (field->text)
		return field->text(span);
	at = (const char *)span->now + field->gauge.at;
	if (field->gauge.type == GAUGE_TEXT)
		return *(const char *const *)(const void *)at;
	return field->gauge.type == GAUGE_CHARS && *at ? at : NULL;
}

enum schema_id schema_by_name(const char *name)
{
	for (int i = 0; i < SCHEMA_COUNT; i++)
		if (!strcmp(schemas[i]->name, name))
			return (enum schema_id)i;
	return SCHEMA_COUNT;
}

double schema_delta64(uint64_t now, uint64_t prev)
{
	return now >= prev ? (double)(now - prev) : NAN;
}

double schema_delta_at(const void *now, const void *prev, size_t at)
{
	uint64_t a, b;

	memcpy(&a, (const char *)now + at, sizeof(a));
	memcpy(&b, (const char *)prev + at, sizeof(b));
	return schema_delta64(a, b);
}

double schema_rate(const struct span *s, const struct field *f)
{
	const size_t at = f->arg.at;
	uint64_t now, prev;
	double v;

	if (!s->prev)
		return NAN;
	memcpy(&now, (const char *)s->now + at, sizeof(now));
	memcpy(&prev, (const char *)s->prev + at, sizeof(prev));
	if (now == UINT64_MAX || prev == UINT64_MAX)
		return NAN;
	v = schema_delta64(now, prev) / s->seconds;
	v = f->arg.per > 0 ? v / f->arg.per : v;
	return f->arg.most > 0 && v > f->arg.most ? f->arg.most : v;
}

double schema_delta32(uint64_t now, uint64_t prev)
{
	return (double)((now - prev) & 0xffffffffu);
}

double schema_ratio(double a, double b)
{
	return b != 0 ? a / b : NAN;
}
