/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarms: the alarms that hold at the shown frame, from the events of the
 * history: each that began and has not ended. The head lists them, and their
 * rows have the colour of alarms.
 */
#ifndef UI_ALARM_H
#define UI_ALARM_H

#include "ui/state.h"

/* Update ui->alarm from the view; call it before drawing anything. */
void alarm_update(struct ui *ui, const struct ui_view *view);

/* Whether an alarm holds for that device or job. */
bool alarm_holds(const struct ui *ui, enum schema_id schema, const char *id);

/*
 * The i-th alarm that holds, the gravest and newest first: "ALARM 24s loop4: no
 * I/O completes", with "(+2 more)" in the last line that is shown; "" behind
 * the last.
 */
const char *alarm_words(const struct ui *ui, size_t i, bool last, char *buf,
			size_t size);

#endif
