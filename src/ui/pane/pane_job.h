/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job pane: its state, and its keys.
 */
#ifndef UI_PANE_JOB_H
#define UI_PANE_JOB_H

#include "ui/state.h"

/* The job that the keys are for: the selected one, else the one shown by the
 * graph. NULL: there is none. */
const char *pane_job_selected(const struct ui *ui, const struct ui_view *view);

#endif
