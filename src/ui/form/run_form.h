/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run form: choose a preset, a job file or the options of a job, and a target;
 * see what the job would do; start it.
 */
#ifndef UI_FORM_RUN_FORM_H
#define UI_FORM_RUN_FORM_H

#include "ui/overlay.h"

void run_form_open(struct ui *ui, const struct ui_view *view);

#endif
