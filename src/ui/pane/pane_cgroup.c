/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups pane: which service or container does the I/O and waits for
 * it, as a tree.
 */
#include <curses.h>
#include <math.h>
#include <string.h>

#include "ui/table/table.h"

static double or_0(const struct row *row, const char *key)
{
	double v = row_number(SCHEMA_CGROUP, row, key);

	return isnan(v) ? 0 : v;
}

/* By bytes, then by the time spent waiting, then by CPU time. */
static double cgroup_rank(const struct row *row)
{
	return (or_0(row, "read_bytes_per_s") +
		or_0(row, "write_bytes_per_s")) *
		       1e6 +
	       or_0(row, "io_some_pct") * 1e3 + or_0(row, "cpu_pct");
}

static bool cgroup_idle(const struct row *row)
{
	return cgroup_rank(row) == 0;
}

/* In the tree the last part of the path is its name. */
static const char *cgroup_id(const struct row *row, char *buf not_used,
			     size_t size not_used)
{
	const char *slash = strrchr(row->id, '/');

	return slash ? slash + 1 : row->id;
}

const struct table_spec table_cgroup = {
	.pane = PANE_CGROUP,
	.schema = SCHEMA_CGROUP,
	.title = "control group",
	.id_width = 28,
	.parent = "parent",
	.rank = cgroup_rank,
	.rank_parents = true,
	.idle = cgroup_idle,
	.id = cgroup_id,
};

/* clang-format off */
const struct pane pane_cgroup = {
	.name = "cgroups",
	.help = { "0",
		  "control groups by I/O; O in the process pane turns "
		  "them on" },
	.least = 4, .weight = 3, .priority = 2,
	.auto_lines = 70,
	.table = &table_cgroup, .own = &table_keys_tree, .click = table_keys_click,
};
/* clang-format on */
