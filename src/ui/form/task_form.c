/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task form: type an order, then confirm it.
 */
#include "ui/overlay.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/action.h"
#include "ui/form/prompt.h"
#include "ui/pane_layout.h"

static void draw(struct ui *ui, const struct ui_view *view, int lines,
		 int columns)
{
	const struct task_form *f = &ui->task_form;
	int y = pane_layout_status_line(lines);
	struct task_order order;
	char words[200];

	if (!action_order_parse(f->order, &order))
		return;
	snprintf(words, sizeof(words),
		 "%s process %s (%s)?  y: yes, any other key: no", order.words,
		 f->pid, f->name);
	screen_fill(&ui->screen, y, 0, columns, ROLE_ALERT);
	screen_put(&ui->screen, y, 0, columns, ROLE_ALERT, words);
}

static void take_key(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action)
{
	const struct task_form *f = &ui->task_form;

	ui->overlay = NULL;
	if (key != 'y') {
		text_copy(ui->note, sizeof(ui->note), "Nothing was done.");
		return;
	}
	action->kind = ACTION_TASK;
	text_copy(action->device, sizeof(action->device), f->pid);
	text_copy(action->job, sizeof(action->job), f->name);
	text_copy(action->value, sizeof(action->value), f->order);
}

static const struct overlay confirm = { .draw = draw, .key = take_key };

static void order_done(struct ui *ui, const struct ui_view *view,
		       const char *text, struct action *action)
{
	struct task_order order;

	if (!action_order_parse(text, &order)) {
		text_copy(ui->note, sizeof(ui->note),
			  "Not an order: " TASK_ORDER_FORMS);
		return;
	}
	text_copy(ui->task_form.order, sizeof(ui->task_form.order), text);
	ui->overlay = &confirm;
}

static const struct prompt_spec prompt_order = {
	.label = "Signal, nice or ionice: ",
	.hint = TASK_ORDER_FORMS,
	.done = order_done,
};

void task_form_ask(struct ui *ui, const char *pid, const char *name)
{
	text_copy(ui->task_form.pid, sizeof(ui->task_form.pid), pid);
	text_copy(ui->task_form.name, sizeof(ui->task_form.name), name);
	prompt_ask(ui, &prompt_order, "");
}
