/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run dialog: its two stages, and what would be lost.
 */
#include "ui/run_dialog.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/box.h"

static const char *refusal(const struct ui_view *view)
{
	if (view->replay)
		return "This is a replay: nothing can be started in it.";
	if (!view->offer || !view->frame)
		return "Nothing can be started here.";
	return NULL;
}

void run_dialog_open(struct ui *ui, const struct ui_view *view)
{
	ui->overlay = &overlay_run;
	ui->run.asks = false;
	if (!refusal(view))
		run_form_begin(ui, view);
}

/* How much is at stake, as a sign that needs no colour. */
static const struct {
	const char *sign;
	enum role role;
} dangers[] = {
	[RUN_READS] = { "-", ROLE_TEXT },
	[RUN_MAKES] = { "+", ROLE_TEXT },
	[RUN_REWRITE] = { "*", ROLE_STRONG },
	[RUN_DESTROY] = { "!!", ROLE_ALERT },
};

struct writer {
	const struct screen *s;
	const struct area *a;
	int y, bottom;
};

static void write_line(struct writer *w, enum role role, const char *text)
{
	w->y += box_wrap(w->s, w->a, w->y, 0, w->bottom, role, text);
}

/* What becomes of the targets, the worst first, then the jobs. */
static void write_outlook(struct writer *w, const struct run_outlook *o)
{
	char line[400];

	if (*o->error) {
		write_line(w, ROLE_ALERT, o->error);
		return;
	}
	for (size_t i = 0; i < o->n_targets && i < RUN_LINES; i++) {
		const struct run_target *t = &o->target[i];

		snprintf(line, sizeof(line), "%s %s", dangers[t->danger].sign,
			 t->words);
		write_line(w, dangers[t->danger].role, line);
	}
	if (o->n_targets > RUN_LINES) {
		snprintf(line, sizeof(line), "and %zu more targets",
			 o->n_targets - RUN_LINES);
		write_line(w, ROLE_TEXT, line);
	}
	for (size_t i = 0; i < o->n_jobs && i < RUN_LINES; i++)
		write_line(w, ROLE_DIM, o->job[i]);
	if (o->n_jobs > RUN_LINES) {
		snprintf(line, sizeof(line), "and %zu more jobs",
			 o->n_jobs - RUN_LINES);
		write_line(w, ROLE_DIM, line);
	}
}

static const char *demand_of(const struct ui_view *view)
{
	const struct run_outlook *o = view->outlook;

	return o && !*o->error && *o->demand ? o->demand : NULL;
}

static const char *keys_of(const struct ui_view *view)
{
	if (!view->outlook || *view->outlook->error)
		return "Esc: back";
	return demand_of(view) ? "Enter: start it   Esc: back   Up/Down"
			       : "Enter, y: start it   Esc, n: back   Up/Down";
}

/* The lines that all of it takes at that width. */
static int lines_of(const struct screen *s, const struct run_outlook *o,
		    int width)
{
	struct area a = { .columns = width };
	struct writer w = { s, &a, 0, 0 };

	if (o)
		write_outlook(&w, o);
	return w.y;
}

/* Its last lines are for what must be typed: these are always seen. */
static void draw_outlook(struct ui *ui, const struct ui_view *view, int lines,
			 int columns)
{
	struct run_dialog *d = &ui->run;
	const struct screen *s = &ui->screen;
	const struct run_outlook *o = view->outlook;
	const char *demand = demand_of(view);
	struct area a = { .columns = run_form_width(columns) };
	struct writer w = { s, &a, -d->scroll, 0 };
	char line[600];
	int asks = 0, want = lines_of(s, o, a.columns) + 1;

	if (demand) {
		snprintf(line, sizeof(line), "To destroy it type: %s", demand);
		asks = box_lines(&a, line) + 1;
	}
	a = box_empty(s, lines, columns, want + asks, a.columns,
		      "Run: what would it do?", keys_of(view));
	if (!o) {
		box_put(s, &a, 0, ROLE_STRONG, "Looking at it ...");
		return;
	}
	w.bottom = a.lines - asks;
	write_outlook(&w, o);
	/* The last line may be scrolled to, and no further. */
	if (d->scroll && w.y < w.bottom)
		d->scroll -=
			w.bottom - w.y < d->scroll ? w.bottom - w.y : d->scroll;
	if (!demand)
		return;
	box_wrap(s, &a, a.lines - asks, 0, a.lines, ROLE_ALERT, line);
	snprintf(line, sizeof(line), "> %s_", d->typed);
	box_put(s, &a, a.lines - 1, ROLE_STRONG, line);
}

static void draw(struct ui *ui, const struct ui_view *view, int lines,
		 int columns)
{
	const char *why = refusal(view);
	struct area a;

	if (why) {
		a = box_empty(&ui->screen, lines, columns, 1,
			      run_form_width(columns), "Nothing can be run",
			      "Any key: back");
		box_put(&ui->screen, &a, 0, ROLE_STRONG, why);
	} else if (ui->run.asks) {
		draw_outlook(ui, view, lines, columns);
	} else {
		run_form_draw(ui, view, lines, columns);
	}
}

static void look(struct ui *ui, struct action *action)
{
	struct run_dialog *d = &ui->run;

	if (!run_form_request(ui))
		return;
	d->asks = true;
	d->scroll = 0;
	d->typed[0] = '\0';
	action->kind = ACTION_RUN_LOOK;
	action->run = &d->request;
}

/* Nothing is started that was not looked at, nor without what it demands. */
static void start(struct ui *ui, const struct ui_view *view,
		  struct action *action)
{
	struct run_dialog *d = &ui->run;
	const char *demand = demand_of(view);

	if (!view->outlook || *view->outlook->error || view->looking)
		return;
	if (demand && strcmp(d->typed, demand) != 0) {
		text_copy(ui->note, sizeof(ui->note),
			  "It is not started: type the words that are shown.");
		return;
	}
	text_copy(d->request.confirm, sizeof(d->request.confirm), d->typed);
	action->kind = ACTION_RUN;
	action->run = &d->request;
	text_copy(action->by, sizeof(action->by), "operator");
	ui->overlay = NULL;
	/* Who starts a job wants to see, change and stop it. */
	ui->to_jobs = true;
}

static void confirm_key(struct ui *ui, const struct ui_view *view, int key,
			struct action *action)
{
	struct run_dialog *d = &ui->run;
	bool typing = demand_of(view) != NULL;

	if (key == KEY_UP || key == KEY_DOWN)
		d->scroll += key == KEY_DOWN ? 1 : d->scroll ? -1 : 0;
	else if (!typing && (key == 'n' || key == 'N'))
		d->asks = false;
	else if (key == '\r' || (!typing && (key == 'y' || key == 'Y')))
		start(ui, view, action);
	else if (typing)
		prompt_edit(d->typed, sizeof(d->typed), key);
}

static void take_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	struct run_dialog *d = &ui->run;

	if (refusal(view)) {
		ui->overlay = NULL;
	} else if (key == 27 || key == KEY_F(10)) {
		if (!d->asks)
			ui->overlay = NULL;
		d->asks = false;
	} else if (d->asks) {
		confirm_key(ui, view, key, action);
	} else if (key == '\r') {
		look(ui, action);
	} else {
		run_form_key(ui, view, key);
	}
}

static void click(struct ui *ui, const struct ui_view *view, int y,
		  int x not_used, enum click click, struct action *action)
{
	if (click != CLICK)
		take_key(ui, view, click == CLICK_WHEEL_UP ? KEY_UP : KEY_DOWN,
			 action);
	else if (!refusal(view) && !ui->run.asks)
		run_form_click(ui, view, y);
}

const struct overlay overlay_run = {
	.draw = draw,
	.key = take_key,
	.click = click,
};
