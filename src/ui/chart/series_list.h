/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series list: choose what the graph draws.
 */
#ifndef UI_CHART_SERIES_LIST_H
#define UI_CHART_SERIES_LIST_H

#include "ui/overlay.h"

void series_list_open(struct ui *ui, const struct ui_view *view);

#endif
