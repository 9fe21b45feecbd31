/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job form: changes, stops or restarts a job, on the status line. */
#include "ui/overlay.h"

#include <curses.h>
#include <stdio.h>

#include "base/text.h"
#include "model/action.h"
#include "ui/pane.h"

static const struct overlay self;

static const char *job_form_setting(const struct ui *ui, size_t i,
				    const char **help, char *buf, size_t size)
{
	return ui->view->offer ? ui->view->offer->setting(ui->view->offer->arg,
							  ui->job_form.job, i,
							  help, buf, size)
			       : NULL;
}

static bool job_form_is_over(const struct ui_view *view, const char *job)
{
	return event_phase_of(frame_find(view->frame, SCHEMA_JOB, job)) ==
	       PHASE_DONE;
}

/* The reason why the question is impossible; NULL: it is possible. */
static const char *job_form_refusal(const struct ui *ui, enum job_ask ask)
{
	const char *help;
	char buf[64];

	if (!ui->view->offer)
		return "Jobs cannot be changed here.";
	if (!*ui->job_form.job)
		return "There is no job (r: start one).";
	if (ask == JOB_ASK_AGAIN)
		return job_form_is_over(ui->view, ui->job_form.job)
			       ? NULL
			       : "That job still runs (K: stop).";
	return job_form_setting(ui, 0, &help, buf, sizeof(buf))
		       ? NULL
		       : "That job is done (R: start again).";
}

void job_form_open(struct ui *ui, enum job_ask ask)
{
	struct job_form *e = &ui->job_form;
	const char *why, *job = pane_job_selected(ui);

	text_set(e->job, job ? job : "");
	why = job_form_refusal(ui, ask);
	if (why) {
		text_set(ui->note, why);
		return;
	}
	/* R after K acts on the stopped job, not on one that still runs. */
	if (ask == JOB_ASK_STOP) {
		text_set(ui->table[PANE_JOB].selected, e->job);
		ui->table[PANE_JOB].moved = true;
	}
	ui->overlay = &self;
	e->ask = ask;
	e->text[0] = '\0';
}

#define ANSWERS " y, Enter: yes   n, Esc: no"

static const struct {
	const char *text, *answers;
	enum action_kind kind;
} questions[] = {
	[JOB_ASK_STOP] = { "Stop job %s?", ANSWERS, ACTION_JOB_STOP },
	[JOB_ASK_AGAIN] = { "Start job %s again with the same options?",
			    ANSWERS, ACTION_JOB_START },
	[JOB_ASK_QUIT] = { "Stop %s and quit?", ANSWERS, ACTION_QUIT },
	[JOB_ASK_CROSSOVER] = { "End the live crossover? Whole blocks stay.%s",
				"  y, Enter: yes   any other key: no",
				ACTION_CROSSOVER_END },
};

static void job_form_draw(struct ui *ui)
{
	const struct job_form *e = &ui->job_form;
	int y = pane_layout_status_line(LINES), x = 0;
	const char *name, *help = "";
	char now[64];

	if (e->ask == JOB_ASK_CROSSOVER && !ui->view->crossover_runs) {
		ui->overlay = NULL;
		return;
	}
	screen_fill(y, 0, COLS, ROLE_TEXT);
	if (e->ask != JOB_ASK_SET) {
		x = screen_printf(y, 0, COLS, ROLE_STRONG,
				  questions[e->ask].text, e->job);
		screen_put(y, x, COLS - x, ROLE_DIM, questions[e->ask].answers);
		return;
	}
	name = job_form_setting(ui, e->setting, &help, now, sizeof(now));
	if (!name) {
		screen_put(y, 0, COLS, ROLE_STRONG, "That job is done.");
		return;
	}
	x = screen_printf(y, 0, COLS, ROLE_STRONG, "%s of %s (now %s): ", name,
			  e->job, now);
	x += screen_put(y, x, COLS - x - 1, ROLE_TEXT, e->text);
	x += screen_put(y, x, 1, ROLE_SELECTED, " ");
	x += screen_put(y, x + 2, COLS - x - 2, ROLE_DIM,
			"Up/Down: other option; ") +
	     2;
	screen_put(y, x, COLS - x, ROLE_DIM, help);
}

static void job_form_set(struct ui *ui)
{
	const struct job_form *e = &ui->job_form;
	const char *name, *help;
	char now[64];

	name = job_form_setting(ui, e->setting, &help, now, sizeof(now));
	if (!name || !*e->text)
		return;
	ui->action->kind = ACTION_JOB_SET;
	text_set(ui->action->knob, name);
	text_set(ui->action->value, e->text);
}

static void job_form_done(struct ui *ui)
{
	const struct job_form *e = &ui->job_form;

	ui->overlay = NULL;
	if (e->ask == JOB_ASK_SET)
		job_form_set(ui);
	else
		ui->action->kind = questions[e->ask].kind;
	text_set(ui->action->job, e->job);
}

/* Go to the setting after this one, or to the one before. */
static void job_form_step(struct ui *ui, int by)
{
	struct job_form *e = &ui->job_form;
	size_t n = 0;
	const char *help;
	char now[64];

	while (job_form_setting(ui, n, &help, now, sizeof(now)))
		n++;
	if (n)
		e->setting = (e->setting + n + (size_t)by) % n;
	e->text[0] = '\0';
}

static void job_form_take_key(struct ui *ui, int key)
{
	struct job_form *e = &ui->job_form;

	if (key == 27 || key == KEY_F(10))
		ui->overlay = NULL;
	else if (key == '\r')
		job_form_done(ui);
	else if (e->ask != JOB_ASK_SET && (key == 'y' || key == 'Y'))
		job_form_done(ui);
	else if (e->ask != JOB_ASK_SET)
		ui->overlay = NULL;
	else if (key == KEY_UP || key == KEY_DOWN || key == '\t')
		job_form_step(ui, key == KEY_UP ? -1 : 1);
	else
		overlay_edit(e->text, sizeof(e->text), key);
}

static const struct overlay self = { .draw = job_form_draw,
				     .key = job_form_take_key };

void job_form_quit(struct ui *ui)
{
	struct job_form *e = &ui->job_form;
	const struct table *t = &ui->view->frame->table[SCHEMA_JOB];
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; !ui->view->replay && i < t->n; i++)
		if (!job_form_is_over(ui->view, t->row[i].id)) {
			first = first ? first : t->row[i].id;
			n++;
		}
	if (!n) {
		ui->action->kind = ACTION_QUIT;
		return;
	}
	if (n == 1)
		snprintf(e->job, sizeof(e->job), "job %s", first);
	else
		snprintf(e->job, sizeof(e->job), "%zu running jobs", n);
	e->ask = JOB_ASK_QUIT;
	ui->overlay = &self;
}

void job_form_end_crossover(struct ui *ui)
{
	ui->job_form.ask = JOB_ASK_CROSSOVER;
	ui->job_form.job[0] = '\0';
	ui->overlay = &self;
}
