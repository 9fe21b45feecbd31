/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before and after: the keys of its pane.
 */
#include <curses.h>

#include "base/text.h"
#include "ui/pane_effect.h"

static struct effect_state *state_of(const struct ui *ui)
{
	return pane_state(ui, PANE_EFFECT);
}

static void act_turn(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	struct effect_state *st = state_of(ui);
	size_t turn = 0;
	bool left = key == KEY_LEFT || key == 'h';

	/* Of two stretches back to the turns. */
	if (view->chosen) {
		action->kind = ACTION_COMPARE;
		action->number = -1;
		return;
	}
	if (!effect_shown(ui, view, &turn))
		return;
	if (left && turn)
		turn--;
	else if (!left && turn + 1 < view->n_effects)
		turn++;
	st->turn = turn;
	st->by_hand = turn + 1 < view->n_effects;
	st->top = 0;
}

static void act_compare(struct ui *ui, const struct ui_view *view,
			int key not_used, struct action *action not_used)
{
	struct effect_state *st = state_of(ui);

	if (view->n_stretches < 2) {
		text_copy(ui->note, sizeof(ui->note),
			  "There is nothing to compare yet.");
		return;
	}
	st->picking = true;
	st->has_before = false;
	st->at = st->list_top = 0;
}

static void scroll_figures(struct effect_state *st, bool down)
{
	if (down)
		st->top++;
	else if (st->top)
		st->top--;
}

/* clang-format off */
static const struct key keys[] = {
	{ { "Left Right h l", "the turn before, the next one" },
	  "<-->", "turn", WHEN_ALWAYS,
	  { KEY_LEFT, KEY_RIGHT, 'h', 'l' }, act_turn, ACTION_NONE, 0 },
	{ { "c Enter", "compare two stretches of the run, or of two logs" },
	  "c", "compare", WHEN_ALWAYS, { 'c', '\r' }, act_compare,
	  ACTION_NONE, 0 },
};
/* clang-format on */

const struct key_list pane_effect_keys = { keys, ARRAY_SIZE(keys) };

static void pick(struct effect_state *st, struct action *action)
{
	if (!st->has_before) {
		st->before = st->at;
		st->has_before = true;
		st->at++;
		return;
	}
	st->picking = false;
	action->kind = ACTION_COMPARE;
	action->number = (double)st->before;
	action->second = (double)st->at;
}

static void move_choice(struct effect_state *st, size_t n, bool down)
{
	if (!down && st->at)
		st->at--;
	else if (down && st->at + 1 < n)
		st->at++;
}

/* Up and Down; and while stretches are picked, Enter and Esc, too. */
bool pane_effect_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	struct effect_state *st = state_of(ui);
	bool up = key == KEY_UP || key == 'k';
	bool down = key == KEY_DOWN || key == 'j';

	if (!st->picking) {
		if (up || down)
			scroll_figures(st, down);
		return up || down;
	}
	if (up || down)
		move_choice(st, view->n_stretches, down);
	else if (key == '\r')
		pick(st, action);
	else if (key == 27 && st->has_before)
		st->has_before = false;
	else if (key == 27)
		st->picking = false;
	else
		return false;
	return true;
}
