/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion: answers for the run dialog of the screen: presets, engines, names
 * of files, the options of running jobs that can change.
 */
#ifndef CMD_SESSION_COMPLETION_H
#define CMD_SESSION_COMPLETION_H

#include "cmd/session/workloads.h"
#include "ui/ui.h"

/* The workloads are borrowed. */
void completion_fill(struct ui_offer *offer, struct workloads *workloads);

/* ui_offer.complete */
bool completion_file(const char *typed, char *out, size_t size);

#endif
