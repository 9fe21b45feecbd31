/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Panes: what the table of panes needs of single ones.
 */
#ifndef UI_PANES_H
#define UI_PANES_H

#include "model/imbalance.h"
#include "ui/pane.h"

extern const struct key_list pane_device_keys, pane_task_keys, pane_cpu_keys,
	pane_knob_keys;

/* What was found out of line in a frame. */
struct device_state {
	const struct frame *frame;
	double t_s;
	enum imbalance *imbalance;
	size_t n, cap;
};
void pane_device_state_free(void *state);

int pane_cpu_want(struct ui *ui, const struct ui_view *view);
void pane_cpu(struct ui *ui, const struct ui_view *view, struct area area);
/* Its second part: memory, writeback and pressure; lines that it needs. */
int pane_memory_want(const struct ui_view *view);
void pane_memory(struct ui *ui, const struct ui_view *view, struct area area);

int pane_knob_want(struct ui *ui, const struct ui_view *view);
void pane_knob(struct ui *ui, const struct ui_view *view, struct area area);

#endif
