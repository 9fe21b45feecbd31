/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print, the difference of two logs: what their headers do not have alike.
 */
#include <string.h>

#include "report/pivot/pivot.h"

void print_pivot_diff(struct runs *r, size_t a, size_t b, FILE *out)
{
	struct runs_run of_a = { .log = a }, of_b = { .log = b };
	size_t same = 0, differ = 0;

	for (size_t i = 0; i < r->n_keys; i++) {
		const char *x = runs_fact_at(r, &of_a, i);
		const char *y = runs_fact_at(r, &of_b, i);

		if (!strcmp(r->key[i], "log") || (!x && !y))
			continue;
		if (x && y && !strcmp(x, y)) {
			same++;
			continue;
		}
		if (!differ++)
			fprintf(out, "A %s\nB %s\n\n", r->log[a].name,
				r->log[b].name);
		fprintf(out, "%s\n  A %s\n  B %s\n", r->key[i], x ? x : "-",
			y ? y : "-");
	}
	fprintf(out, "%s%zu keys differ, %zu are equal\n", differ ? "\n" : "",
		differ, same);
}
