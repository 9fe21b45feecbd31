/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fleet pane: the hosts of a stream with labels, below their sums. */
#include <curses.h>
#include <string.h>

#include "base/text.h"
#include "ui/table/table.h"

enum { PHASE };
static const char *const keys_read[] = { "phase", NULL };

/* A host that is silent has an alarm. */
static bool fleet_alert(const struct row *row, const int *at)
{
	const char *phase = row->value[at[PHASE]].text;

	return phase && !strcmp(phase, "SILENT");
}

/* A star for a host that differs, after the key =. */
static char fleet_mark(struct ui *ui, const struct row *row)
{
	return row_text(SCHEMA_FLEET, row, "parent") &&
			       row_text(SCHEMA_FLEET, row, "note")
		       ? '*'
		       : 0;
}

const struct table_spec table_fleet = {
	.pane = PANE_FLEET,
	.schema = SCHEMA_FLEET,
	.title = "host",
	.id_width = 20,
	.parent = "parent",
	.keys = keys_read,
	.alert = fleet_alert,
	.mark = fleet_mark,
};

static void fleet_act_open(struct ui *ui)
{
	const struct table_state *t = &ui->table[PANE_FLEET];

	if (!frame_find(ui->view->frame, SCHEMA_FLEET, t->selected))
		return;
	ui->action->kind = ACTION_FLEET_OPEN;
	text_set(ui->action->job, t->selected);
}

/* clang-format off */
static const struct key keys[] = {
	{ { "Enter", "show this host; q comes back" },
	  "Enter", "host", WHEN_REPLAY, { '\n', '\r', KEY_ENTER },
	  .act = fleet_act_open },
	{ { "=", "mark the hosts whose settings differ from most" },
	  "=", "differ", WHEN_REPLAY, { '=' }, .action = ACTION_FLEET_DIFF },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

/* clang-format off */
const struct pane pane_fleet = {
	.name = "fleet",
	.help = { "0", "the hosts of a fleet" },
	.least = 4, .weight = 4, .priority = 6,
	.table = &table_fleet, .own = &own,
};
/* clang-format on */
