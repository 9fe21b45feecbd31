/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Column list: show, hide and move the columns of a table, and sort by one.
 */
#ifndef UI_CHOOSER_H
#define UI_CHOOSER_H

#include "ui/table/table.h"

void column_list_open(struct ui *ui, const struct table_spec *spec);

#endif
