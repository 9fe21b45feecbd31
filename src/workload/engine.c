/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engine: the table, and finding a row of it.
 */
#include "workload/engine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"

const struct engine *const engines[] = {
	&engine_psync,    &engine_libaio,
#ifdef HAVE_LIBURING
	&engine_io_uring,
#endif
	&engine_mmap,     &engine_null,
};

const size_t n_engines = ARRAY_SIZE(engines);

/* Whether a blank-separated list holds the word. */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; n && (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

static const char *name_at(size_t i, const void *arg not_used)
{
	return engines[i]->name;
}

int engine_find(const char *name, const struct engine **out)
{
	char list[200] = "";
	const char *near;

	for (size_t i = 0; i < n_engines; i++) {
		size_t n = strlen(list);

		if (!strcmp(engines[i]->name, name) ||
		    has_word(engines[i]->aliases, name)) {
			*out = engines[i];
			return 0;
		}
		snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
			 engines[i]->name);
	}
	near = text_closest(name, n_engines, name_at, NULL);
	return fail(EINVAL, "there is no I/O engine %s%s%s%s; there are %s",
		    name, near ? " (did you mean " : "", near ? near : "",
		    near ? "?)" : "", list);
}

const char *engine_name(size_t i)
{
	return i < n_engines ? engines[i]->name : NULL;
}

const char *engine_help(size_t i)
{
	return i < n_engines ? engines[i]->help : NULL;
}
