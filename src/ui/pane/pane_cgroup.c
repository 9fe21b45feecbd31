/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups pane: the I/O and the waiting of services and containers, as a
 * tree.
 */
#include <curses.h>
#include <string.h>

#include "ui/table/table.h"

/* The fields that decide the order of the rows. */
enum { READ, WRITTEN, SOME, CPU };
static const char *const keys[] = { "read_bytes_per_s", "write_bytes_per_s",
				    "io_some_pct", "cpu_pct", NULL };

/* Rank by bytes, then by the time spent waiting, then by CPU time. */
static double cgroup_rank(const struct row *row, const int *at)
{
	const union value *v = row->value;

	return (frame_or_0(v[at[READ]].number) +
		frame_or_0(v[at[WRITTEN]].number)) *
		       1e6 +
	       frame_or_0(v[at[SOME]].number) * 1e3 +
	       frame_or_0(v[at[CPU]].number);
}

static bool cgroup_idle(const struct row *row, const int *at)
{
	return cgroup_rank(row, at) == 0;
}

/* The name in the tree is the last part of the path. */
static const char *cgroup_id(const struct row *row, char *buf, size_t size)
{
	return text_base(row->id);
}

const struct table_spec table_cgroup = {
	.pane = PANE_CGROUP,
	.schema = SCHEMA_CGROUP,
	.title = "control group",
	.id_width = 28,
	.parent = "parent",
	.keys = keys,
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
