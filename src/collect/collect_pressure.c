/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pressure: /proc/pressure/{cpu,memory,io}.
 *
 * Lines "some avg10=A avg60=B avg300=C total=US" and "full ..." of the same
 * shape; only the totals are read, they suit any interval. Without PSI the
 * files are absent, or a read gives EOPNOTSUPP (psi=0).
 */
#include "collect/collector.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/schema/schema_host.h"

static const struct {
	const char *id, *path;
} sources[] = {
	{ "cpu", "proc/pressure/cpu" },
	{ "memory", "proc/pressure/memory" },
	{ "io", "proc/pressure/io" },
};

struct pressure {
	struct collector_env *env;
	struct kept file[ARRAY_SIZE(sources)];
	bool absent[ARRAY_SIZE(sources)];
};

static int pressure_open(struct collector_env *env, void **state)
{
	struct pressure *p = xcalloc(1, sizeof(*p));

	p->env = env;
	*state = p;
	env->lacks[LACK_PSI] = true;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		char buf[512];

		p->file[i] = KEPT_NONE;
		p->absent[i] =
			kept_first(&env->files, &p->file[i], sources[i].path,
				   buf, sizeof(buf)) <= 0;
		if (!p->absent[i])
			env->lacks[LACK_PSI] = false;
	}
	return 0;
}

/* The total in the line that starts with the word; UINT64_MAX when absent. */
static uint64_t total(const char *text, const char *word)
{
	const char *line = strstr(text, word), *at;
	uint64_t value;
	char *end;

	if (!line)
		return UINT64_MAX;
	at = strstr(line, "total=");
	if (!at || memchr(line, '\n', (size_t)(at - line)))
		return UINT64_MAX;
	value = strtoull(at + 6, &end, 10);
	return end == at + 6 ? UINT64_MAX : value;
}

static void pressure_sample(void *state, struct sample *s)
{
	struct pressure *p = state;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		struct pressure_raw *raw;
		uint64_t some;
		char buf[512];

		if (p->absent[i] ||
		    kept_read(&p->env->files, &p->file[i], sources[i].path, buf,
			      sizeof(buf)) <= 0)
			continue;
		some = total(buf, "some ");
		if (some == UINT64_MAX)
			continue;
		raw = sample_add(s, SCHEMA_PRESSURE);
		text_copy(raw->key.id, sizeof(raw->key.id), sources[i].id);
		raw->some_us = some;
		raw->full_us = total(buf, "full ");
	}
}

static void pressure_close(void *state)
{
	struct pressure *p = state;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		kept_close(&p->env->files, &p->file[i]);
	free(p);
}

const struct collector collector_pressure = {
	.name = "pressure",
	.open = pressure_open,
	.sample = pressure_sample,
	.close = pressure_close,
};
