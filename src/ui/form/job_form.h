/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job editor: one line that changes a setting of a running job, or asks before
 * a job is stopped or started again.
 */
#ifndef UI_JOB_EDIT_H
#define UI_JOB_EDIT_H

#include "ui/overlay.h"

/* The setting or action to ask for, for the selected job. */
void job_form_open(struct ui *ui, const struct ui_view *view, enum job_ask ask);

/*
 * Quit; ask first while jobs run. The operator may press q by mistake and lose
 * a long run.
 */
void job_form_quit(struct ui *ui, const struct ui_view *view,
		   struct action *action);

#endif
