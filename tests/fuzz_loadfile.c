/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: loadfiles of dbench are untrusted input. Whatever one names, no
 * path of a client leaves the directory that the job works in.
 */
#include <limits.h>

#include "base/fail.h"
#include "workload/kind/dbench_load.h"

#include "fuzz.h"

static void is_inside(const char *path)
{
	must_hold(*path != '/');
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		must_hold(strncmp(part, "..", 2) || (part[2] && part[2] != '/'));
	}
}

FUZZ_TARGET(loadfile)
{
	char *text = as_string(data, size), path[PATH_MAX];
	struct dbench_load *l = NULL;

	if (dbench_load_text(&l, "fuzz", "loadfile", text)) {
		must_hold(*fail_sentence());
		free(text);
		return 0;
	}
	for (size_t i = 0; i < l->n_ops; i++) {
		const struct dbench_op *op = &l->op[i];

		must_hold(op->type < DBENCH_TYPES);
		must_hold(op->handle <= l->handles);
		must_hold(!l->n_paths ||
			  (op->path < l->n_paths && op->to < l->n_paths));
	}
	for (uint32_t i = 0; i < l->n_paths; i++)
		is_inside(dbench_load_path(l, i, i, path, sizeof(path)));
	dbench_load_free(l);
	free(text);
	return 0;
}
