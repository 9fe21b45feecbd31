/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before and after: the figures of a turn, or of two segments that were chosen.
 */
#ifndef UI_PANE_EFFECT_H
#define UI_PANE_EFFECT_H

#include "ui/state.h"

/*
 * The effect that is shown: two segments, a chosen turn, or the last one; or
 * NULL.
 */
const struct effect *pane_effect_shown(const struct ui *ui,
				       const struct ui_view *view,
				       size_t *turn);

/* The change of a figure and its interval: "+25.9 % (+24.7 to +27.1)"; "" when unknown. */
void pane_effect_change(const struct figure *f, char *buf, size_t size);

#endif
