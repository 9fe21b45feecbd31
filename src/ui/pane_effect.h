/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before and after: the figures of a turn, or of two stretches that were
 * chosen.
 */
#ifndef UI_PANE_EFFECT_H
#define UI_PANE_EFFECT_H

#include "ui/state.h"

struct effect_state {
	bool by_hand;    /* a turn was chosen: */
	size_t turn;     /* its number */
	size_t top;      /* scrolled down */
	bool picking;    /* two stretches are being picked */
	bool has_before; /* the first one is: */
	size_t before, at, list_top;
};

extern const struct key_list pane_effect_keys;
int pane_effect_want(struct ui *ui, const struct ui_view *view);
void pane_effect(struct ui *ui, const struct ui_view *view, struct area a);
bool pane_effect_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action);

/* What is shown: two stretches, a turn of choice, or the last one; or NULL. */
const struct effect *effect_shown(const struct ui *ui,
				  const struct ui_view *view, size_t *turn);

/* The verdict on a figure: "higher", "no difference seen", ... */
const char *effect_verdict(const struct figure *f);
/* Its change and the interval: "+25.9 % (+24.7 to +27.1)"; "" when unknown. */
void effect_change(const struct figure *f, char *buf, size_t size);

#endif
