/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File list: the open files of a process above the panes. They are read only
 * while it is open.
 */
#ifndef UI_FORM_FILE_LIST_H
#define UI_FORM_FILE_LIST_H

#include "ui/overlay.h"

/* Open it; the action asks the session to read the files (ACTION_FILES). */
void file_list_open(struct ui *ui, const char *pid, const char *name,
		    struct action *action);

#endif
