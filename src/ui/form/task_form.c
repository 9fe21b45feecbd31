/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task form: choose a signal, a nice value or an I/O priority for a process, or
 * type another one; then confirm it.
 */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/overlay.h"
#include "ui/pane.h"

#define WIDTH  64
#define WORD   12 /* cells of an order */
#define SHOWN  32 /* more orders than there are */

#define ANSWERS "?  y: yes, any other key: no"

static const struct overlay confirm, menu;

/* "process 12 (dd)", or "3 processes: 12 (dd), ..." */
static const char *task_form_whom(const struct task_form *f, char *buf,
				  size_t size)
{
	*buf = '\0';
	if (f->n > 1)
		snprintf(buf, size, "%zu processes: ", f->n);
	for (size_t i = 0; i < f->n; i++)
		text_add(buf, size, "%s%s (%s)",
			 f->n == 1 ? "process " : i ? ", " : "",
			 f->task[i].pid, f->task[i].name);
	return buf;
}

static void draw_order(struct ui *ui)
{
	const struct task_form *f = &ui->task_form;
	int y = pane_layout_status_line(LINES);
	struct task_order order;
	char words[400], whom[256];
	int room;

	if (!action_order_parse(f->order, &order))
		return;
	task_form_whom(f, whom, sizeof(whom));
	/* The answers stay on the line. */
	room = COLS - (int)strlen(order.words) - (int)strlen(ANSWERS) - 1;
	text_clean_cut(whom, room > 0 ? (size_t)room : 0);
	snprintf(words, sizeof(words), "%s %s" ANSWERS, order.words, whom);
	screen_fill(y, 0, COLS, ROLE_ALERT);
	screen_put(y, 0, COLS, ROLE_ALERT, words);
}

static void take_order_key(struct ui *ui, int key)
{
	const struct task_form *f = &ui->task_form;

	ui->overlay = NULL;
	if (key != 'y') {
		text_set(ui->note, "Nothing was done.");
		return;
	}
	ui->action->kind = ACTION_TASK;
	ui->action->task = f->task;
	ui->action->n_tasks = f->n;
	text_set(ui->action->value, f->order);
}

static const struct overlay confirm = { .draw = draw_order,
					.key = take_order_key };

/* The orders that match what is typed, in the order of the table. */
static size_t task_form_gather(const struct task_form *f,
			       const char *order[SHOWN],
			       const char *help[SHOWN])
{
	const char *text, *words;
	size_t n = 0;

	for (size_t i = 0; (text = action_order_at(i, &words)); i++) {
		if (n == SHOWN ||
		    (f->io_only && strncmp(text, "ionice ", 7) != 0) ||
		    !list_matches(&f->list, text))
			continue;
		order[n] = text;
		help[n++] = words;
	}
	return n;
}

struct task_drawing {
	const char *order[SHOWN], *help[SHOWN];
};

static void task_form_draw_row(void *arg, size_t i, const struct area *a,
			       enum role role)
{
	const struct task_drawing *d = arg;

	screen_put(a->top, a->left + 1, WORD, role, d->order[i]);
	screen_put(a->top, a->left + 2 + WORD, a->columns - WORD - 3, role,
		   d->help[i]);
}

static void task_form_draw(struct ui *ui)
{
	struct task_form *f = &ui->task_form;
	struct task_drawing d;
	size_t n = task_form_gather(f, d.order, d.help);
	char title[120], typed[64], whom[80];
	struct area a;

	snprintf(title, sizeof(title), "%s for %s",
		 f->io_only ? "I/O priority" : "signal, nice, I/O priority",
		 task_form_whom(f, whom, sizeof(whom)));
	a = overlay_box((int)n + 1, WIDTH, title,
			"Up Down, or type one  Enter: choose  Esc: back");
	if (*f->list.filter)
		snprintf(typed, sizeof(typed), "typed: %s%s", f->list.filter,
			 n ? "" : "   (Enter: this order)");
	overlay_put(&a, 0, ROLE_DIM,
		    *f->list.filter ? typed
				    : "nice -20..19, ionice idle|be 0..7|rt "
				      "0..7 can be typed, too");
	a.top++;
	a.lines--;
	list_draw(&f->list, a, n, task_form_draw_row, &d);
}

/* The chosen order, or what was typed where it is one itself. */
static void task_form_choose(struct ui *ui)
{
	struct task_form *f = &ui->task_form;
	const char *order[SHOWN], *help[SHOWN], *text = f->list.filter;
	size_t n = task_form_gather(f, order, help);
	struct task_order parsed;

	if (!action_order_parse(text, &parsed))
		text = f->list.at < n ? order[f->list.at] : text;
	if (!action_order_parse(text, &parsed)) {
		text_set(ui->note, "Not an order: " TASK_ORDER_FORMS);
		ui->overlay = NULL;
		return;
	}
	text_set(f->order, text);
	ui->overlay = &confirm;
}

static void task_form_take_key(struct ui *ui, int key)
{
	struct task_form *f = &ui->task_form;
	const char *order[SHOWN], *help[SHOWN];

	if (key == '\r' || key == KEY_ENTER)
		task_form_choose(ui);
	else if (!list_key(&f->list, task_form_gather(f, order, help), key,
			   LIST_FILTER) &&
		 (key == 27 || key == KEY_F(10)))
		ui->overlay = NULL;
}

/* A click selects an order; a click on the selected one chooses it. */
static void task_form_click(struct ui *ui, int y, int x)
{
	struct task_form *f = &ui->task_form;
	const char *order[SHOWN], *help[SHOWN];
	size_t n = task_form_gather(f, order, help);
	size_t at = list_row_at(&f->list, n, y, x);

	if (at == LIST_NONE)
		return;
	if (at == f->list.at)
		task_form_choose(ui);
	f->list.at = at;
}

static const struct overlay menu = {
	.draw = task_form_draw,
	.key = task_form_take_key,
	.click = task_form_click,
};

void task_form_open(struct ui *ui, const struct task_target *task, size_t n,
		    bool io_only)
{
	struct task_form *f = &ui->task_form;

	memset(f, 0, sizeof(*f));
	f->n = n < TASKS_MAX ? n : TASKS_MAX;
	memcpy(f->task, task, f->n * sizeof(*task));
	f->io_only = io_only;
	ui->overlay = &menu;
}
