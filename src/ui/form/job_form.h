/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job editor: one line that changes a setting of a running job, or asks before
 * a job is stopped or started again.
 */
#ifndef UI_JOB_EDIT_H
#define UI_JOB_EDIT_H

#include "ui/overlay.h"

/* What to ask for the job that is selected. */
void job_form_open(struct ui *ui, const struct ui_view *view, enum job_ask ask);

/*
 * Quit; when jobs run, ask first. The operator may press q by mistake, and a
 * long run would be lost.
 */
void job_form_quit(struct ui *ui, const struct ui_view *view,
		   struct action *action);

#endif
