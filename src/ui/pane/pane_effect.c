/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before and after: a table of figures and one sentence; the keys that choose
 * what is compared.
 */
#include "ui/pane.h"

#include <curses.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "model/schema/schema.h"
#include "model/stats/difference.h"
#include "model/unit.h"
#include "ui/overlay.h"

#define VALUE_CELLS 11

struct effect_state {
	bool turns;      /* show turns, not the live crossover */
	bool by_hand;    /* a turn was chosen: */
	size_t turn;     /* its number */
	size_t top;      /* the first row that is shown */
	bool picking;    /* the operator is choosing two segments */
	bool has_before; /* the first one is chosen: */
	size_t before;
	struct list list; /* of segments */
};

static struct effect_state *pane_effect_state_of(const struct ui *ui)
{
	return pane_state(ui, PANE_EFFECT);
}

void pane_effect_change(const struct figure *f, char *buf, size_t size)
{
	const struct text_short change = difference_bound_words(f->change_pct),
				low = difference_bound_words(f->low_pct),
				high = difference_bound_words(f->high_pct);

	text_copy(buf, size, "");
	if (isfinite(f->change_pct))
		text_add(buf, size, "%s%s", change.text,
			 strchr("x>", *change.text) ? "" : "%");
	/* The column has no room for a sign that is plain. */
	if (isfinite(f->low_pct) && isfinite(f->high_pct))
		text_add(buf, size, " (%s..%s)", low.text + (*low.text == '+'),
			 high.text + (*high.text == '+'));
}

/*
 * The effect that the pane shows: of two segments, of a chosen
 * turn, or of the last turn; or NULL. *turn: the turn's number.
 */
static const struct effect *pane_effect_shown(const struct ui *ui, size_t *turn)
{
	const struct effect_state *st = pane_effect_state_of(ui);

	if (ui->view->chosen)
		return ui->view->chosen;
	if (!ui->view->n_effects)
		return NULL;
	*turn = ui->view->n_effects - 1;
	if (st->by_hand && st->turn < ui->view->n_effects)
		*turn = st->turn;
	return &ui->view->effect[*turn];
}

/* Whether to show the live crossover instead of its many turns. */
static bool shows_crossover(const struct ui *ui)
{
	return ui->view->crossover && !ui->view->chosen &&
	       !pane_effect_state_of(ui)->turns;
}

/* Order by jobs, then device, then CPU; within a row by field. */
static int by_field(const void *pa, const void *pb)
{
	static const int rank[SCHEMA_COUNT] = {
		[SCHEMA_CPU] = 3, [SCHEMA_DEVICE] = 2, [SCHEMA_JOB] = 1
	};
	const struct figure *a = *(const struct figure *const *)pa;
	const struct figure *b = *(const struct figure *const *)pb;
	int rows = strcmp(a->row, b->row);

	if (rank[a->schema] != rank[b->schema])
		return rank[a->schema] - rank[b->schema];
	return rows ? rows : a->field - b->field;
}

static int pane_effect_want(struct ui *ui)
{
	const struct effect *e;
	size_t turn;

	if (ui->view->frame == &ui_no_frame)
		return 0;
	if (pane_effect_state_of(ui)->picking)
		return (int)ui->view->n_segments + 2;
	if (shows_crossover(ui))
		return ab_view_want(ui);
	e = pane_effect_shown(ui, &turn);
	if (!e)
		return ui->shown[PANE_EFFECT] == SHOWN_ALWAYS || ui->zoom ? 2
									  : 0;
	return (int)e->n_figures + (ui->view->chosen ? 6 : 4) +
	       (ui->zoom ? (int)strlen(e->sentence) / 60 : 0);
}

static void segment_words(const struct ui_view *view, size_t i, char *buf,
			  size_t size)
{
	const struct segment_info *s = &view->segment[i];
	char log[4] = "";

	if (s->log)
		snprintf(log, sizeof(log), "%c ", s->log);
	snprintf(buf, size, "%s%s-%s %s (%zu interval%s)", log,
		 units_span(fmax(s->from_s, 0)).text,
		 units_span(fmax(s->to_s, 0)).text, s->words, s->intervals,
		 s->intervals == 1 ? "" : "s");
}

static void pane_effect_draw_head(struct ui *ui, const struct effect *e,
				  size_t turn)
{
	char head[400], words[300];

	if (ui->view->chosen) {
		pane_head(ui, PANE_EFFECT,
			  ui->view->other ? "compare: two segments of A and B"
					  : "compare: two segments of the run");
		return;
	}
	event_words(&e->event, words, sizeof(words));
	snprintf(head, sizeof(head), "before/after  change %c, %zu of %zu: %s",
		 (char)('A' + turn % 26), turn + 1, ui->view->n_effects, words);
	pane_head(ui, PANE_EFFECT, head);
}

/* The first cell of each column; 0: there is no room for the column. */
struct columns {
	int name, before, after, change, verdict;
};

static struct columns pane_effect_columns_of(const struct area *a)
{
	struct columns c = { .name = a->columns >= 70 ? 22 : 14 };

	c.before = c.name;
	c.after = c.before + VALUE_CELLS;
	c.change = c.after + VALUE_CELLS + 2;
	c.verdict = c.change + 24;
	if (c.verdict + 8 > a->columns)
		c.verdict = 0;
	return c;
}

static void pane_effect_draw_titles(struct ui *ui, int y, const struct area *a)
{
	struct columns c = pane_effect_columns_of(a);
	bool logs = ui->view->chosen && ui->view->segment &&
		    ui->view->segment[ui->view->chosen_before].log !=
			    ui->view->segment[ui->view->chosen_after].log;
	char before[8] = "before", after[8] = "after";

	if (logs) {
		snprintf(before, sizeof(before), "%c",
			 ui->view->segment[ui->view->chosen_before].log);
		snprintf(after, sizeof(after), "%c",
			 ui->view->segment[ui->view->chosen_after].log);
	}
	screen_right(y, a->left + c.before, VALUE_CELLS - 1, ROLE_DIM, before);
	screen_right(y, a->left + c.after, VALUE_CELLS - 1, ROLE_DIM, after);
	screen_put(y, a->left + c.change, a->columns - c.change, ROLE_DIM,
		   "change (95 % interval)");
}

static char pane_effect_sign_of(const struct figure *f, enum role *role)
{
	char sign = effect_figure_sign(f);

	*role = sign == '+' ? ROLE_GOOD : sign == '-' ? ROLE_BAD : ROLE_TEXT;
	return sign;
}

/* The verdict, shortened to the room beside a change. */
static const char *verdict_in(const struct figure *f, int cells)
{
	const char *words = effect_figure_verdict(f);

	if ((int)strlen(words) <= cells)
		return words;
	return f->v.why     ? "too few"
	       : f->ordered ? "as ordered"
			    : words;
}

static void draw_figure(const struct figure *f, int y, const struct area *a)
{
	struct columns c = pane_effect_columns_of(a);
	const struct field *field = effect_figure_field(f);
	enum unit unit = unit_of(field->key);
	enum role role;
	char change[64], sign = pane_effect_sign_of(f, &role);

	screen_printf(y, a->left, 1, role, "%c", sign);
	screen_printf(y, a->left + 2, c.name - 2, ROLE_TEXT, "%s %s",
		      field->title, f->row);
	screen_right(y, a->left + c.before, VALUE_CELLS - 1, ROLE_TEXT,
		     unit_format(unit, f->before).text);
	screen_right(y, a->left + c.after, VALUE_CELLS - 1, ROLE_TEXT,
		     unit_format(unit, f->after).text);
	pane_effect_change(f, change, sizeof(change));
	/* Without room for words, draw only the sign. */
	screen_put(y, a->left + c.change,
		   (c.verdict ? c.verdict : a->columns) - c.change, role,
		   *change ? change : effect_figure_verdict(f));
	if (c.verdict && *change)
		screen_put(y, a->left + c.verdict, a->columns - c.verdict, role,
			   verdict_in(f, a->columns - c.verdict));
}

/* Draw the sentence, on so many lines at most; returns lines. */
static int draw_sentence(const struct effect *e, int y, const struct area *a,
			 int most)
{
	enum role role = e->judgement == JUDGED_BETTER  ? ROLE_GOOD
			 : e->judgement == JUDGED_WORSE ? ROLE_BAD
							: ROLE_STRONG;
	const char *rest = e->sentence;
	int lines = 1;

	for (; lines < most && strlen(rest) > (size_t)a->columns; lines++) {
		size_t cut = (size_t)a->columns;

		while (cut && rest[cut] != ' ')
			cut--;
		cut = cut ? cut : (size_t)a->columns;
		screen_printf(y++, a->left, a->columns, role, "%.*s", (int)cut,
			      rest);
		rest += cut + (rest[cut] == ' ');
	}
	screen_put(y, a->left, a->columns, role, rest);
	return lines;
}

static int draw_sides(struct ui *ui, int y, const struct area *a)
{
	size_t side[2] = { ui->view->chosen_before, ui->view->chosen_after };
	int lines = 0;

	for (int i = 0; i < 2 && y + lines < a->top + a->lines - 3; i++) {
		char words[240];

		segment_words(ui->view, side[i], words, sizeof(words));
		screen_printf(y + lines, a->left, a->columns, ROLE_DIM, "%s %s",
			      i ? "after: " : "before:", words);
		lines++;
	}
	return lines;
}

static void pane_effect_draw_table(struct ui *ui, const struct effect *e,
				   const struct area *a)
{
	struct effect_state *st = pane_effect_state_of(ui);
	const struct figure *list[EFFECT_FIGURES];
	int y = a->top + 1, bottom = a->top + a->lines;
	char cost[256];

	if (!e->n_figures && !*e->sentence) {
		screen_put(y, a->left, a->columns, ROLE_DIM,
			   "waiting for data");
		return;
	}
	for (size_t i = 0; i < e->n_figures; i++)
		list[i] = &e->figure[i];
	/* With little room, the most important ones come first. */
	if (e->n_figures + 3 <= (size_t)a->lines || st->top)
		qsort(list, e->n_figures, sizeof(list[0]), by_field);
	if (y < bottom)
		y += draw_sentence(e, y, a,
				   ui->zoom        ? INT_MAX
				   : a->lines >= 8 ? 2
						   : 1);
	if (*effect_cost_words(&e->cost, cost, sizeof(cost)) && y < bottom - 3)
		screen_put(y++, a->left, a->columns, ROLE_DIM, cost);
	if (ui->view->chosen && y < bottom - 3)
		y += draw_sides(ui, y, a);
	if (y < bottom - 1)
		pane_effect_draw_titles(ui, y++, a);
	if (st->top >= e->n_figures)
		st->top = e->n_figures ? e->n_figures - 1 : 0;
	for (size_t i = st->top; i < e->n_figures && y < bottom; i++)
		draw_figure(list[i], y++, a);
}

static void draw_segment(void *arg, size_t i, const struct area *a,
			 enum role role)
{
	const struct ui *ui = arg;
	const struct effect_state *st = pane_effect_state_of(ui);
	char words[240];

	segment_words(ui->view, i, words, sizeof(words));
	screen_printf(a->top, a->left, a->columns, role, "%s %s",
		      st->has_before && i == st->before ? "before" : "      ",
		      words);
}

static void draw_segments(struct ui *ui, const struct area *a)
{
	struct effect_state *st = pane_effect_state_of(ui);
	struct area in = { a->top + 1, a->left, a->lines - 1, a->columns };

	pane_head(ui, PANE_EFFECT,
		  st->has_before
			  ? "choose the segment after   Enter  Esc: back"
			  : "choose the segment before  Enter  Esc: back");
	list_draw(&st->list, in, ui->view->n_segments, draw_segment, ui);
}

static void draw_crossover(struct ui *ui, const struct area *a)
{
	char head[256];

	snprintf(head, sizeof(head), "live crossover  %s%s",
		 ui->view->crossover_words,
		 ui->view->n_effects ? "   x: changes" : "");
	pane_head(ui, PANE_EFFECT, head);
	ab_view_draw(ui, a, &pane_effect_state_of(ui)->top);
}

static void pane_effect_draw(struct ui *ui, struct area a)
{
	const struct effect *e;
	size_t turn = 0;

	if (pane_effect_state_of(ui)->picking) {
		draw_segments(ui, &a);
		return;
	}
	if (shows_crossover(ui)) {
		draw_crossover(ui, &a);
		return;
	}
	e = pane_effect_shown(ui, &turn);
	if (e) {
		pane_effect_draw_head(ui, e, turn);
		pane_effect_draw_table(ui, e, &a);
		return;
	}
	pane_head(ui, PANE_EFFECT, "before/after");
	screen_put(a.top + 1, a.left, a.columns, ROLE_DIM,
		   "No setting was changed yet; c compares two segments of the "
		   "run.");
}

static void act_turn(struct ui *ui)
{
	struct effect_state *st = pane_effect_state_of(ui);
	size_t turn = 0;
	bool left = ui->key == KEY_LEFT || ui->key == 'h';

	st->turns = true;
	/* Go back from two segments to the turns. */
	if (ui->view->chosen) {
		ui->action->kind = ACTION_COMPARE;
		ui->action->number = -1;
		return;
	}
	if (!pane_effect_shown(ui, &turn))
		return;
	if (left && turn)
		turn--;
	else if (!left && turn + 1 < ui->view->n_effects)
		turn++;
	st->turn = turn;
	st->by_hand = turn + 1 < ui->view->n_effects;
	st->top = 0;
}

static void act_compare(struct ui *ui)
{
	struct effect_state *st = pane_effect_state_of(ui);

	if (ui->view->n_segments < 2) {
		text_set(ui->note, "There are no two segments to compare yet.");
		return;
	}
	st->picking = true;
	st->has_before = false;
	memset(&st->list, 0, sizeof(st->list));
}

static void act_which(struct ui *ui)
{
	struct effect_state *st = pane_effect_state_of(ui);

	if (!ui->view->crossover) {
		text_set(ui->note,
			 "There was no live crossover yet (V begins one).");
		return;
	}
	st->turns = !st->turns && !ui->view->chosen;
	st->top = 0;
	if (!ui->view->chosen)
		return;
	ui->action->kind = ACTION_COMPARE;
	ui->action->number = -1;
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
	{ { "Left Right h l", "previous, next change" },
	  "<-->", "change", WHEN_ALWAYS,
	  { KEY_LEFT, KEY_RIGHT, 'h', 'l' }, .act = act_turn },
	{ { "x", "the live crossover, or the changes" },
	  "x", "crossover", WHEN_LIVE, { 'x' }, .act = act_which },
	{ { "c Enter", "compare two segments of the run, or of two logs" },
	  "c", "compare", WHEN_ALWAYS, { 'c', '\r' }, .act = act_compare },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

static void pane_effect_pick(struct ui *ui)
{
	struct effect_state *st = pane_effect_state_of(ui);

	if (!st->has_before) {
		st->before = st->list.at;
		st->has_before = true;
		st->list.at++;
		return;
	}
	st->picking = false;
	ui->action->kind = ACTION_COMPARE;
	ui->action->number = (double)st->before;
	ui->action->second = (double)st->list.at;
}

/* Act on Up and Down, and while segments are chosen also on Enter and Esc. */
static bool pane_effect_take_key(struct ui *ui, int key)
{
	struct effect_state *st = pane_effect_state_of(ui);
	bool up = key == KEY_UP || key == 'k';
	bool down = key == KEY_DOWN || key == 'j';

	if (!st->picking) {
		if (up || down)
			scroll_figures(st, down);
		return up || down;
	}
	if (list_key(&st->list, ui->view->n_segments, key, LIST_LETTERS))
		return true;
	if (key == '\r')
		pane_effect_pick(ui);
	else if (key == 27 && st->has_before)
		st->has_before = false;
	else if (key == 27)
		st->picking = false;
	else
		return false;
	return true;
}

/* clang-format off */
const struct pane pane_effect = {
	.name = "effect",
	.help = { "9",
		  "before and after a change, or two segments: better or worse" },
	.least = 4, .weight = 2, .priority = 3, .auto_lines = 50,
	.layouts = IN_COMPARE,
	.want = pane_effect_want, .draw = pane_effect_draw,
	.own = &own, .key = pane_effect_take_key,
	.state_size = sizeof(struct effect_state),
};
/* clang-format on */
