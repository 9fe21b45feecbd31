/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timeline pane: what happened, newest last; under each turn of a knob the
 * figures before and after it, as they fill in.
 */
#include <curses.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "ui/state.h"

#define LINE     240
#define WANT_MAX 1000

/* Something that happened; effect is NULL when it has no figures. */
struct item {
	const struct event *event;
	const struct effect *effect;
};

struct list {
	struct item *item;
	size_t n, cap;
};

static bool same_event(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->t_s == b->t_s &&
	       !strcmp(a->device, b->device) && !strcmp(a->knob, b->knob);
}

/* The index of the event's effect, or n_effects. */
static size_t effect_of(const struct ui_view *view, const struct event *e)
{
	size_t i = 0;

	while (i < view->n_effects && !same_event(&view->effect[i].event, e))
		i++;
	return i;
}

char pane_event_letter(const struct ui_view *view, const struct event *e)
{
	size_t i = effect_of(view, e);

	if (i < view->n_effects)
		return (char)('A' + i % 26);
	return e->kind == EVENT_MARK ? 'm' : 0;
}

static void add(struct list *l, const struct event *event,
		const struct effect *effect)
{
	l->item = xgrow(l->item, &l->cap, l->n + 1, sizeof(*l->item));
	l->item[l->n].event = event;
	l->item[l->n++].effect = effect;
}

static int by_time(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	if (a->event->t_s != b->event->t_s)
		return a->event->t_s < b->event->t_s ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

/* All effects, and the events of the history that have none. */
static void gather(const struct ui_view *view, struct list *l)
{
	size_t count = view->history ? history_count(view->history) : 0;

	for (size_t i = 0; i < view->n_effects; i++)
		add(l, &view->effect[i].event, &view->effect[i]);
	for (size_t age = count; age-- > 0;) {
		size_t n;
		const struct event *e = history_events(view->history, age, &n);

		for (size_t i = 0; i < n; i++)
			if (effect_of(view, &e[i]) == view->n_effects)
				add(l, &e[i], NULL);
	}
	if (l->n)
		qsort(l->item, l->n, sizeof(*l->item), by_time);
}

static void format(char *buf, size_t size, const struct figure *g, double v)
{
	const struct field *f = figure_field(g);

	if (strstr(f->key, "bytes"))
		units_format_bytes(buf, size, v);
	else if (strstr(f->key, "_ns"))
		units_format_ns(buf, size, v);
	else
		units_format_count(buf, size, v);
}

/* "seq r/s 11.2k -> 14.1k +25.9 % (24.7..27.1) higher". */
static void figure_words(const struct figure *g, char *buf, size_t size)
{
	static const char *const verdicts[] = {
		[VERDICT_UNKNOWN] = "too early to tell",
		[VERDICT_SAME] = "no difference seen",
		[VERDICT_LOWER] = "lower",
		[VERDICT_HIGHER] = "higher",
	};
	const char *title = figure_field(g)->title;
	char before[24], after[24], change[64] = "";
	bool noisy = g->verdict == VERDICT_SAME && figure_is_noisy(g);

	format(before, sizeof(before), g, g->before);
	format(after, sizeof(after), g, g->after);
	/* An interval that wide says nothing; words say that better. */
	if (!noisy && !isnan(g->low_pct) && !isnan(g->high_pct))
		snprintf(change, sizeof(change), " %+.1f%% (%.1f..%.1f)",
			 g->change_pct, g->low_pct, g->high_pct);
	else if (!noisy && !isnan(g->change_pct))
		snprintf(change, sizeof(change), " %+.1f%%", g->change_pct);
	snprintf(buf, size, "%s %s %s -> %s%s, %s", g->row, title, before,
		 after, change,
		 noisy ? "too noisy to tell" : verdicts[g->verdict]);
}

/* Lines of the screen, bottom up. */
struct writer {
	struct ui *ui;
	const struct area *area;
	size_t skip; /* lines scrolled away at the bottom */
	int y;
	bool dry; /* only to see how many lines there are */
};

/* The next line above; false when the pane is full. */
static bool write_up(struct writer *w, int indent, enum role role,
		     const char *text)
{
	if (w->skip) {
		w->skip--;
		return true;
	}
	if (w->y <= w->area->top)
		return false;
	if (!w->dry)
		screen_put(&w->ui->screen, w->y, w->area->left + indent,
			   w->area->columns - indent, role, text);
	w->y--;
	return true;
}

/* The figures of an effect, as many to a line as fit; bottom up as well. */
static bool write_figures(struct writer *w, const struct effect *effect)
{
	char line[EFFECT_FIGURES][LINE];
	size_t n = 0, room = (size_t)w->area->columns - 10;

	if (!effect->n_figures)
		return write_up(w, 10, ROLE_DIM,
				"waiting for the first figures after it");
	for (size_t i = 0; i < effect->n_figures; i++) {
		char words[LINE];
		size_t used = n ? strlen(line[n - 1]) : 0;

		figure_words(&effect->figure[i], words, sizeof(words));
		if (n && used + strlen(words) + 3 <= room)
			snprintf(line[n - 1] + used, LINE - used, " | %s",
				 words);
		else
			snprintf(line[n++], LINE, "%s", words);
	}
	/* The event itself must not be pushed out by its figures. */
	if (n > (size_t)w->area->lines - 2)
		n = w->area->lines > 2 ? (size_t)w->area->lines - 2 : 1;
	while (n-- > 0)
		if (!write_up(w, 10, ROLE_TEXT, line[n]))
			return false;
	return true;
}

static bool write_event(struct writer *w, const struct ui_view *view,
			const struct event *e)
{
	char words[LINE], line[LINE + 32], at[24];
	char letter = pane_event_letter(view, e);
	enum role role = e->error                ? ROLE_ALERT
			 : e->kind == EVENT_KNOB ? ROLE_MARK
						 : ROLE_TEXT;

	event_words(e, words, sizeof(words));
	snprintf(line, sizeof(line), "%7s %c %s",
		 units_format_span(at, sizeof(at), e->t_s),
		 letter ? letter : ' ', words);
	return write_up(w, 0, role, line);
}

static void write_all(struct writer *w, const struct ui_view *view,
		      const struct list *l)
{
	for (size_t i = l->n; i-- > 0;) {
		const struct item *item = &l->item[i];

		if (item->effect && !write_figures(w, item->effect))
			return;
		if (!write_event(w, view, item->event))
			return;
	}
}

int pane_timeline_want(struct ui *ui, const struct ui_view *view)
{
	struct area a = { 0, 0, WANT_MAX, COLS };
	struct writer w = { ui, &a, 0, WANT_MAX - 1, true };
	struct list l = { 0 };

	gather(view, &l);
	write_all(&w, view, &l);
	free(l.item);
	return l.n ? WANT_MAX - w.y : 0;
}

void pane_timeline(struct ui *ui, const struct ui_view *view, struct area a)
{
	int bottom = a.top + a.lines - 1;
	struct writer w = { ui, &a, ui->timeline_up, bottom, true };
	struct list l = { 0 };
	char head[80];

	gather(view, &l);
	if (ui->timeline_up >= l.n * 2)
		w.skip = ui->timeline_up = l.n ? l.n * 2 - 1 : 0;
	snprintf(head, sizeof(head), "timeline  %zu event%s%s", l.n,
		 l.n == 1 ? "" : "s",
		 ui->timeline_up ? "  (scrolled back; End: newest)" : "");
	pane_head(ui, PANE_TIMELINE, head);
	/* Few lines stand at the top, not at the bottom. */
	write_all(&w, view, &l);
	w.y = a.top + bottom - w.y;
	w.skip = ui->timeline_up;
	w.dry = false;
	write_all(&w, view, &l);
	free(l.item);
}
