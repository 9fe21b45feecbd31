/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task form: a signal, nice value or I/O priority for the selected process; it
 * asks before it acts.
 */
#ifndef UI_FORM_TASK_FORM_H
#define UI_FORM_TASK_FORM_H

#include "ui/overlay.h"

/* Ask for an order to that process; name is the name of its command. */
void task_form_ask(struct ui *ui, const char *pid, const char *name);

#endif
