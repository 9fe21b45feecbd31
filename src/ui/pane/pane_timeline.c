/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timeline pane: events, newest last, with the effect of each turn below it.
 * The cursor of the graph follows the selected event.
 */
#include <curses.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/units.h"
#include "model/schema/schema.h"
#include "model/unit.h"
#include "ui/chart/chart.h"
#include "ui/overlay.h"
#include "ui/pane.h"

#define LINE	 240
#define WANT_MAX 1000
/* All figures need many lines; a small pane has only the sentence. */
#define ALL_FIGURES 14
/* With fewer, and more to show, a turn and its effect share one. */
#define TIGHT 6
#define FIGURES 8

/* An event; effect is NULL when it has no figures. */
struct happening {
	const struct event *event;
	const struct effect *effect;
};

struct happenings {
	struct happening *item;
	size_t n, cap;
	size_t hidden; /* by the filter */
	size_t tight; /* the first items: see TIGHT */
};

struct timeline_state {
	bool all; /* also events of other programs */
	bool on;  /* an event is selected: */
	struct event event;
};

static struct timeline_state *pane_timeline_state_of(const struct ui *ui)
{
	return pane_state(ui, PANE_TIMELINE);
}

static void pane_timeline_add(struct happenings *l, const struct event *event,
			      const struct effect *effect)
{
	l->item = xgrow(l->item, &l->cap, l->n + 1, sizeof(*l->item));
	l->item[l->n].event = event;
	l->item[l->n++].effect = effect;
}

static int by_time(const void *pa, const void *pb)
{
	const struct happening *a = pa, *b = pb;

	if (a->event->t_s != b->event->t_s)
		return a->event->t_s < b->event->t_s ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

/* Leave out the phase of a job before the one that is added. */
static void pane_timeline_drop_phase(struct happenings *l, const struct event *e)
{
	for (size_t i = l->n; i-- > 0;) {
		const struct event *before = l->item[i].event;

		if (before->kind != EVENT_PHASE ||
		    strcmp(before->job, e->job) != 0)
			continue;
		memmove(&l->item[i], &l->item[i + 1],
			(--l->n - i) * sizeof(*l->item));
		l->hidden++;
		return;
	}
}

/*
 * All effects, and the events of the history that have none: of the phases of a
 * job the last.
 */
static void pane_timeline_gather(const struct ui *ui, struct happenings *l)
{
	size_t count = ui->view->history ? history_count(ui->view->history) : 0;
	bool all = pane_timeline_state_of(ui)->all;

	for (size_t i = 0; i < ui->view->n_effects; i++)
		pane_timeline_add(l, &ui->view->effect[i].event,
				  &ui->view->effect[i]);
	for (size_t age = count; age-- > 0;) {
		size_t n;
		const struct event *e =
			history_events(ui->view->history, age, &n);

		for (size_t i = 0; i < n; i++) {
			if (chart_event_effect(ui->view, &e[i]) <
			    ui->view->n_effects)
				continue;
			if (!all && e[i].kind == EVENT_PHASE)
				pane_timeline_drop_phase(l, &e[i]);
			if (all || event_is_own(&e[i]) ||
			    e[i].kind == EVENT_ALARM_BEGIN ||
			    e[i].kind == EVENT_ALARM_END)
				pane_timeline_add(l, &e[i], NULL);
			else
				l->hidden++;
		}
	}
	if (l->n)
		qsort(l->item, l->n, sizeof(*l->item), by_time);
}

/* The index of the selected event, or n. */
static size_t find_selected(const struct ui *ui, const struct happenings *l)
{
	const struct timeline_state *st = pane_timeline_state_of(ui);
	size_t i = 0;

	if (!st->on)
		return l->n;
	while (i < l->n && !chart_event_same(l->item[i].event, &st->event))
		i++;
	return i;
}

/* "seq r/s 11.2k -> 14.1k +25.9 % (24.7..27.1) higher". */
static void figure_words(const struct figure *g, char *buf, size_t size)
{
	const struct field *field = effect_figure_field(g);
	enum unit unit = unit_of(field->key);
	char change[64];

	pane_effect_change(g, change, sizeof(change));
	snprintf(buf, size, "%s %s %s -> %s%s%s, %s", g->row, field->title,
		 unit_format(unit, g->before).text,
		 unit_format(unit, g->after).text, *change ? " " : "", change,
		 effect_figure_verdict(g));
}

/* Writes lines from the bottom up. */
struct timeline_writer {
	struct ui *ui;
	const struct area *area;
	size_t skip; /* lines below the pane */
	int y;
	bool dry;      /* only count the lines */
	int wanted;    /* draw nothing, but find the event on that line */
	size_t *found; /* its index; may be NULL */
};

/* Whether events and effects are whole; a zoom has room for them. */
static bool pane_timeline_whole(const struct timeline_writer *w)
{
	return w->ui->zoom || w->area->lines >= ALL_FIGURES;
}

/* Write the next line above; false when the pane is full. */
static bool write_up(struct timeline_writer *w, int indent, enum role role,
		     const char *text)
{
	if (w->skip) {
		w->skip--;
		return true;
	}
	if (w->y <= w->area->top)
		return false;
	if (!w->dry)
		screen_put(w->y, w->area->left + indent,
			   w->area->columns - indent, role, text);
	w->y--;
	return true;
}

/* The same, broken at blanks into lines. */
static bool write_up_wrapped(struct timeline_writer *w, int indent,
			     enum role role, const char *text)
{
	struct area a = *w->area;
	size_t n, hidden;

	a.left += indent;
	a.columns -= indent;
	n = (size_t)overlay_lines(&a, text);
	hidden = n < w->skip ? n : w->skip;
	w->skip -= hidden;
	n -= hidden;
	if (n && w->y <= w->area->top)
		return false;
	if (n && !w->dry)
		overlay_wrap(&a, w->y - a.top - (int)n + 1, 1, w->y - a.top + 1,
			     role, text);
	w->y -= (int)n;
	return true;
}

/* Write the figures of an effect, as many to a line as fit. */
static bool write_figures(struct timeline_writer *w, const struct effect *effect)
{
	char line[FIGURES][LINE];
	size_t n = 0, room = (size_t)w->area->columns - 10;

	for (size_t i = 0; i < effect->n_figures && i < FIGURES; i++) {
		char words[LINE];
		size_t used = n ? strlen(line[n - 1]) : 0;

		figure_words(&effect->figure[i], words, sizeof(words));
		if (n && used + strlen(words) + 3 <= room)
			snprintf(line[n - 1] + used, LINE - used, " | %s",
				 words);
		else
			snprintf(line[n++], LINE, "%s", words);
	}
	/* Keep room for the event itself when it has many figures. */
	if (n > (size_t)w->area->lines - 2)
		n = w->area->lines > 2 ? (size_t)w->area->lines - 2 : 1;
	while (n-- > 0)
		if (!write_up(w, 10, ROLE_TEXT, line[n]))
			return false;
	return true;
}

static enum role pane_timeline_role(const struct effect *e)
{
	return e->judgement == JUDGED_BETTER  ? ROLE_GOOD
	       : e->judgement == JUDGED_WORSE ? ROLE_BAD
					      : ROLE_STRONG;
}

static const char no_figures[] = "waiting for data";

/* Write the judgement of a turn, and the figures if there is room. */
static bool write_effect(struct timeline_writer *w, const struct effect *e)
{
	enum role role = pane_timeline_role(e);

	if (!e->n_figures)
		return write_up(w, 10, ROLE_DIM, no_figures);
	if (pane_timeline_whole(w) || !*e->sentence)
		if (!write_figures(w, e))
			return false;
	return !*e->sentence || write_up(w, 10, role, e->sentence);
}

static bool pane_timeline_write_event(struct timeline_writer *w,
				      const struct ui_view *view,
				      const struct event *e, bool selected)
{
	char words[LINE], line[LINE + 40], start[40];
	char letter = chart_event_letter(view, e);
	enum role role = selected ? ROLE_SELECTED
			 : e->error || e->kind == EVENT_ALARM_BEGIN ||
				   (e->kind == EVENT_CHECK &&
				    !strcmp(e->new_value, "spoilt"))
				   ? ROLE_ALERT
			 : e->kind == EVENT_KNOB                    ? ROLE_MARK
								    : ROLE_TEXT;

	event_words(e, words, sizeof(words));
	snprintf(start, sizeof(start), "%7s %c ", units_span(e->t_s).text,
		 letter ? letter : ' ');
	snprintf(line, sizeof(line), "%s%s", start, words);
	/* Where there is room, and where someone reads it, it is whole. */
	if ((selected || pane_timeline_whole(w)) &&
	    strlen(line) > (size_t)w->area->columns) {
		int below = w->y;

		if (!write_up_wrapped(w, (int)strlen(start), role, words))
			return false;
		if (!w->dry && w->y < below && w->y >= w->area->top)
			screen_put(w->y + 1, w->area->left, (int)strlen(start),
				   role, start);
		return true;
	}
	return write_up(w, 0, role, line);
}

/* A turn and its judgement in one line. */
static bool write_turn(struct timeline_writer *w, const struct ui_view *view,
		       const struct event *e, const struct effect *effect)
{
	char line[3 * LINE];

	snprintf(line, sizeof(line), "%7s %c %s.%s %s -> %s: %s",
		 units_span(e->t_s).text, chart_event_letter(view, e),
		 e->device, e->knob, e->old_value, e->new_value,
		 effect->n_figures ? effect->sentence : no_figures);
	return write_up(w, 0, pane_timeline_role(effect), line);
}

/* Write from the newest to the oldest; stop after item last if last < n. */
static void pane_timeline_write_all(struct timeline_writer *w,
				    const struct ui_view *view,
				    const struct happenings *l, size_t selected,
				    size_t last)
{
	for (size_t i = l->n; i-- > 0;) {
		const struct happening *item = &l->item[i];
		const struct event *e = item->event;
		bool tight = i < l->tight && i != selected && item->effect &&
			     e->kind == EVENT_KNOB && !e->error;

		if (tight && !write_turn(w, view, e, item->effect))
			return;
		if (!tight && item->effect && !write_effect(w, item->effect))
			return;
		if (!tight && !pane_timeline_write_event(w, view, e,
							 i == selected))
			return;
		/* This draws upwards: the event is above its effect. */
		if (w->found && w->y < w->wanted && *w->found == l->n)
			*w->found = i;
		if (i == last)
			return;
	}
}

/*
 * Count the lines from the newest up to item last, or of all; the selected one
 * may have several.
 */
static int count_lines(struct ui *ui, const struct area *area,
		       const struct happenings *l, size_t selected, size_t last)
{
	struct area a = { 0, 0, area->lines, area->columns };
	struct timeline_writer w = {
		.ui = ui, .area = &a, .y = INT_MAX, .dry = true
	};

	pane_timeline_write_all(&w, ui->view, l, selected, last);
	return INT_MAX - w.y;
}

static int pane_timeline_want(struct ui *ui)
{
	struct area a = { 0, 0, ALL_FIGURES - 1, COLS };
	struct happenings l = { 0 };
	int lines;

	pane_timeline_gather(ui, &l);
	lines = count_lines(ui, &a, &l, find_selected(ui, &l), l.n);
	free(l.item);
	if (!l.n && !l.hidden)
		return 0;
	return 1 + (lines < WANT_MAX ? lines : WANT_MAX);
}

static void pane_timeline_draw_head(struct ui *ui, const struct happenings *l,
				    bool back)
{
	char head[160], hidden[64] = "";

	if (l->hidden)
		snprintf(hidden, sizeof(hidden), " (%zu hidden, a: show)",
			 l->hidden);
	snprintf(head, sizeof(head), "timeline  %zu event%s%s%s", l->n,
		 l->n == 1 ? "" : "s", hidden, back ? "  (End: newest)" : "");
	pane_head(ui, PANE_TIMELINE, head);
}

/* A writer that starts at the last line so that the selected event is in the
 * middle of the pane, or as near as can be. */
static struct timeline_writer writer_of(struct ui *ui, const struct area *a,
					struct happenings *l, size_t selected)
{
	int room = a->lines - 1, below = 0;
	int all = count_lines(ui, a, l, selected, l->n);
	struct timeline_writer w = { .ui = ui,
				 .area = a,
				 .y = a->top + a->lines - 1 };

	if (all > room && a->lines < TIGHT) {
		size_t full = (size_t)room > l->n ? (size_t)room - l->n : 0;

		l->tight = l->n - full;
		all = count_lines(ui, a, l, selected, l->n);
	}
	if (selected < l->n)
		below = count_lines(ui, a, l, selected, selected) - room / 2 -
			1;
	if (below > all - room)
		below = all - room;
	w.skip = below > 0 ? (size_t)below : 0;
	/* A few lines are drawn at the top, not at the bottom. */
	if (all < room)
		w.y = a->top + all;
	return w;
}

static void pane_timeline_draw(struct ui *ui, struct area a)
{
	struct happenings l = { 0 };
	struct timeline_writer w;
	size_t selected;

	pane_timeline_gather(ui, &l);
	selected = find_selected(ui, &l);
	pane_timeline_draw_head(ui, &l, selected < l.n);
	w = writer_of(ui, &a, &l, selected);
	pane_timeline_write_all(&w, ui->view, &l, selected, l.n);
	free(l.item);
}

/* Select that item and move the cursor of the graph to it. */
static void pane_timeline_go_to(struct ui *ui, const struct happenings *l,
				long to)
{
	struct timeline_state *st = pane_timeline_state_of(ui);

	st->on = to < (long)l->n && l->n > 0;
	if (!st->on) {
		ui->graph.cursor = false;
		return;
	}
	st->event = *l->item[to < 0 ? 0 : to].event;
	chart_cursor_at(ui, st->event.t_s);
}

static void pane_timeline_act_move(struct ui *ui)
{
	struct happenings l = { 0 };
	struct list list = { .lines = (size_t)ui->area[PANE_TIMELINE].lines };
	size_t at;

	pane_timeline_gather(ui, &l);
	/* Below the newest event no event is selected. */
	list.at = at = find_selected(ui, &l);
	list_key(&list, l.n + 1, ui->key, LIST_LETTERS);
	if (l.n && list.at != at)
		pane_timeline_go_to(ui, &l, (long)list.at);
	free(l.item);
}

/*
 * A click selects the event on that line, or the event whose effect is there.
 */
static bool pane_timeline_click(struct ui *ui, int line, int column,
				enum click click)
{
	const struct area *a = &ui->area[PANE_TIMELINE];
	struct happenings l = { 0 };
	struct timeline_writer w;
	size_t found;

	if (click != CLICK) {
		ui->key = click == CLICK_WHEEL_UP ? KEY_UP : KEY_DOWN;
		pane_timeline_act_move(ui);
		return true;
	}
	pane_timeline_gather(ui, &l);
	found = l.n;
	w = writer_of(ui, a, &l, find_selected(ui, &l));
	w.dry = true;
	w.wanted = a->top + line;
	w.found = &found;
	if (line > 0 && w.wanted <= w.y)
		pane_timeline_write_all(&w, ui->view, &l, find_selected(ui, &l),
					l.n);
	if (found < l.n)
		pane_timeline_go_to(ui, &l, (long)found);
	free(l.item);
	return true;
}

static void pane_timeline_act_filter(struct ui *ui)
{
	pane_timeline_state_of(ui)->all = !pane_timeline_state_of(ui)->all;
}

/* In a replay, go to that moment; live, the cursor is there already. */
static void act_enter(struct ui *ui)
{
	const struct timeline_state *st = pane_timeline_state_of(ui);

	if (!st->on) {
		text_set(ui->note, "Select an event first (Up, Down).");
	} else if (ui->view->replay) {
		ui->action->kind = ACTION_SEEK;
		ui->action->number = st->event.t_s;
	}
}

static void act_next(struct ui *ui)
{
	ui->action->kind = ACTION_SEEK_EVENT;
	ui->action->number = ui->key == '}' ? 1 : -1;
	ui->action->all = pane_timeline_state_of(ui)->all;
}

/* clang-format off */
static const struct key keys[] = {
	{ { "Home End PgUp PgDn", "select an event (Up, Down); the graph's cursor follows" },
	  NULL, NULL, WHEN_ALWAYS,
	  { KEY_PPAGE, KEY_NPAGE, KEY_HOME, KEY_END }, .act = pane_timeline_act_move },
	{ { "a", "also changes by others, devices that come and go, all phases" },
	  "a", "all/own", WHEN_ALWAYS, { 'a' }, .act = pane_timeline_act_filter },
	{ { "Enter", "go to the selected event" }, "Enter", "go to",
	  WHEN_REPLAY, { '\r' }, .act = act_enter },
	{ { "{ }", "previous, next event" },
	  NULL, NULL, WHEN_REPLAY, { '{', '}' }, .act = act_next },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

static bool pane_timeline_take_key(struct ui *ui, int key)
{
	struct timeline_state *st = pane_timeline_state_of(ui);

	if (key == KEY_UP || key == KEY_DOWN || key == 'k' || key == 'j') {
		pane_timeline_act_move(ui);
		return true;
	}

	if (key != 27 || !st->on || ui->zoom)
		return false;
	st->on = ui->graph.cursor = false;
	return true;
}

/* clang-format off */
const struct pane pane_timeline = {
	.name = "timeline",
	.help = { "4",
		  "timeline: events, and the effect of each change" },
	.least = 4, .weight = 3, .priority = 3,
	.layouts = IN_RUN | IN_COMPARE,
	.want = pane_timeline_want, .draw = pane_timeline_draw,
	.own = &own, .key = pane_timeline_take_key, .click = pane_timeline_click,
	.state_size = sizeof(struct timeline_state),
};
/* clang-format on */
