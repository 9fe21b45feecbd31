/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ab view: the live crossover on the screen: the form that begins it, and its
 * figures in the pane before/after, where the interval narrows block by block.
 */
#ifndef UI_AB_VIEW_H
#define UI_AB_VIEW_H

#include "ui/overlay.h"

/* Ask for variants and blocks; while a crossover runs, whether to end it. */
void ab_view_open(struct ui *ui, const struct ui_view *view);

/* The lines that its figures could use; 0: there is no crossover. */
int ab_view_want(const struct ui_view *view);
/* Draw the figures below the head of the pane; top: rows scrolled away. */
void ab_view_draw(struct ui *ui, const struct ui_view *view,
		  const struct area *a, size_t *top);

#endif
