/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network mounts pane: each mount of NFS with its rates and times. */
#include <curses.h>
#include <string.h>

#include "ui/table/table.h"

/* The fields that decide the order of the rows. */
enum { READ, WRITTEN, OTHER, STALL };
static const char *const keys[] = { "read_iops", "write_iops", "other_iops",
				    "stall_ns", NULL };

/* A server that does not answer first, then by operations. */
static double mount_rank(const struct row *row, const int *at)
{
	const union value *v = row->value;

	return frame_or_0(v[at[STALL]].number) * 1e6 +
	       frame_or_0(v[at[READ]].number) +
	       frame_or_0(v[at[WRITTEN]].number) +
	       frame_or_0(v[at[OTHER]].number);
}

static bool mount_idle(const struct row *row, const int *at)
{
	return mount_rank(row, at) == 0;
}

const struct table_spec table_mount = {
	.pane = PANE_MOUNT,
	.schema = SCHEMA_MOUNT,
	.title = "mount",
	.id_width = 16,
	.keys = keys,
	.rank = mount_rank,
	.idle = mount_idle,
	.lingers = 8,
};

/* clang-format off */
const struct pane pane_mount = {
	.name = "mounts",
	.help = { "0", "mounts of NFS: rates, times, retransmissions" },
	.least = 2, .weight = 1, .priority = 4,
	.layouts = IN_MONITOR,
	.table = &table_mount, .own = &table_keys_tree, .click = table_keys_click,
};
/* clang-format on */
