/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout: arrangements of panes.
 */
#include "ui/layout.h"

#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "ui/pane.h"

static const struct {
	const char *name, *help;
} layouts[LAYOUTS] = {
	[LAYOUT_AUTO] = { "auto", "what there is, as far as there is room" },
	[LAYOUT_MONITOR] = { "monitor", "devices, processes and the machine" },
	[LAYOUT_RUN] = { "run", "jobs, their devices and what happens" },
	[LAYOUT_COMPARE] = { "compare", "before and after a turn" },
};

const char *layout_name(size_t i)
{
	return i < LAYOUTS ? layouts[i].name : NULL;
}

void layout_set(struct ui *ui, enum layout_id layout)
{
	ui->layout = layout;
	ui->zoom = false;
	for (int id = 0; id < PANES; id++)
		ui->shown[id] = SHOWN_AUTO;
}

void layout_next(struct ui *ui)
{
	layout_set(ui, (enum layout_id)((ui->layout + 1) % LAYOUTS));
	snprintf(ui->note, sizeof(ui->note), "Layout %s: %s",
		 layouts[ui->layout].name, layouts[ui->layout].help);
}

bool layout_by_name(struct ui *ui, const char *name)
{
	for (int i = 0; i < LAYOUTS; i++)
		if (!strcmp(layouts[i].name, name)) {
			layout_set(ui, (enum layout_id)i);
			return true;
		}
	return false;
}

bool layout_shows(const struct ui *ui, int id, int screen_lines)
{
	if (ui->zoom)
		return id == (int)ui->focus;
	if (ui->shown[id] != SHOWN_AUTO)
		return ui->shown[id] == SHOWN_ALWAYS;
	if (ui->layout == LAYOUT_AUTO)
		return screen_lines >= panes[id].auto_lines;
	return panes[id].layouts & (1u << ui->layout);
}

int layout_status_line(int lines)
{
	return lines - (lines >= STATUS_LINES ? 2 : 1);
}
