/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ab view: the form and the figures of a live crossover. */
#include "ui/overlay.h"

#include <curses.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "model/schema/schema.h"
#include "model/unit.h"
#include "ui/pane.h"

static const struct overlay form;

/* --- the form --- */

#define LABEL_CELLS 11
#define HELP_LINES  3

static const struct ab_row {
	const char *label, *help;
	size_t offset, size; /* of the text in the request */
} rows[AB_ROWS] = {
#define ROW(member)                                     \
	offsetof(struct crossover_request, member),     \
		sizeof(((struct crossover_request *)0)->member)
	{ "variants",
	  "DEVICE.KNOB=VALUE or job.NAME.OPTION=VALUE; commas between "
	  "variants, + between settings of one; the first is the baseline",
	  ROW(variants) },
	{ "blocks", "each block measures every variant once; empty: 5",
	  ROW(blocks) },
	{ "period", "measured time of each variant in a block; empty: 5s",
	  ROW(period) },
	{ "washout",
	  "time left out after each turn; empty: a first block measures it",
	  ROW(washout) },
	{ "until",
	  "ci<2%: end when the interval of each rate is narrower than that, "
	  "after 5 blocks or more; empty: all blocks",
	  ROW(until) },
#undef ROW
};

static char *ab_view_text_of(struct ui *ui, size_t row)
{
	return (char *)&ui->ab.request + rows[row].offset;
}

/* "sda.scheduler=none,bfq": the present value, then the other choices. */
static void choices_words(const struct row *row, char *buf, size_t size)
{
	const char *now = row_text(SCHEMA_KNOB, row, "value");
	const char *p = row_text(SCHEMA_KNOB, row, "choices");
	char word[64];

	snprintf(buf, size, "%s=%s", row->id, now ? now : "");
	while (text_next_word(&p, word, sizeof(word)))
		if (!now || strcmp(word, now) != 0)
			text_add(buf, size, ",%s", word);
}

/* The i-th knob with choices, such as a scheduler; NULL: no more. */
static const struct row *choice_knob(const struct ui_view *view, size_t i)
{
	const struct table *t = &view->frame->table[SCHEMA_KNOB];

	for (size_t k = 0; k < t->n; k++) {
		const char *choices =
			row_text(SCHEMA_KNOB, &t->row[k], "choices");

		if (choices && strchr(choices, ' ') && !i--)
			return &t->row[k];
	}
	return NULL;
}

/* The scheduler of a device, if it has a choice; NULL. */
static const struct row *scheduler_of(const struct ui_view *view,
				      const char *device)
{
	char id[ROW_ID_MAX + 16];

	snprintf(id, sizeof(id), "%s.scheduler", device);
	return *device ? frame_find(view->frame, SCHEMA_KNOB, id) : NULL;
}

/* The scheduler of a disk under a job: the selected one first. */
static const struct row *scheduler_of_jobs(const struct ui_view *view,
					   const char *selected)
{
	const struct table *jobs = &view->frame->table[SCHEMA_JOB];
	const struct row *found = NULL;

	for (size_t i = 0; i < jobs->n; i++) {
		const char *p = row_text(SCHEMA_JOB, &jobs->row[i], "device");
		char device[ROW_ID_MAX];

		while (text_next_word(&p, device, sizeof(device))) {
			const struct row *row = scheduler_of(view, device);

			if (row && (!found || !strcmp(device, selected)))
				found = row;
		}
	}
	return found;
}

/*
 * Suggest the scheduler of a disk under the jobs; without jobs that of the
 * selected device, or the first knob. Another disk has no effect on a job.
 */
static void suggest(struct ui *ui)
{
	const char *selected = ui->table[PANE_DEVICE].selected;
	const struct row *row;

	if (ui->view->frame->table[SCHEMA_JOB].n) {
		row = scheduler_of_jobs(ui->view, selected);
	} else {
		row = scheduler_of(ui->view, selected);
		if (!row)
			row = choice_knob(ui->view, 0);
	}
	if (row)
		choices_words(row, ui->ab.request.variants,
			      sizeof(ui->ab.request.variants));
}

static const char *ab_view_refusal(const struct ui_view *view)
{
	if (view->replay)
		return "A replay cannot compare variants live.";
	if (!view->can_cross || view->frame == &ui_no_frame)
		return "No live crossover can be begun here.";
	return NULL;
}

void ab_view_open(struct ui *ui)
{
	const char *why = ab_view_refusal(ui->view);

	if (why) {
		text_set(ui->note, why);
		return;
	}
	if (ui->view->crossover_runs) {
		job_form_end_crossover(ui);
		return;
	}
	ui->overlay = &form;
	ui->ab.asked = false;
	ui->ab.list.at = 0;
	if (!*ui->ab.request.variants)
		suggest(ui);
}

static void ab_view_draw_row(void *arg, size_t i, const struct area *a,
			     enum role role)
{
	overlay_form_row(a, role, LABEL_CELLS, rows[i].label, role,
			 ab_view_text_of(arg, i));
}

/* The form shows a refusal, and closes once the crossover runs. */
static void ab_view_draw_form(struct ui *ui)
{
	bool refused = ui->ab.asked && ui->view->message;
	struct area a, in;

	if (ui->view->crossover_runs) {
		ui->overlay = NULL;
		return;
	}
	a = overlay_box(AB_ROWS + HELP_LINES, COLS < 96 ? COLS : 90,
			"Compare variants in this run (live crossover)",
			COLS < 76 ? "Enter: begin  Left/Right: knobs  Esc"
				  : "Enter: begin  Left/Right: other knobs  "
				    "Tab, Up, Down: rows  Esc: back");
	in = a;
	in.lines = a.lines < AB_ROWS ? a.lines : AB_ROWS;
	list_draw(&ui->ab.list, in, AB_ROWS, ab_view_draw_row, ui);
	if (a.lines > in.lines)
		overlay_wrap(&a, in.lines, in.lines, a.lines,
			     refused ? ROLE_ALERT : ROLE_DIM,
			     refused ? ui->view->message
				     : rows[ui->ab.list.at].help);
}

static void ab_view_begin(struct ui *ui)
{
	ui->ab.asked = true;
	ui->action->kind = ACTION_CROSSOVER;
	ui->action->crossover = &ui->ab.request;
	/* Show the pane with the figures. */
	ui->shown[PANE_EFFECT] = SHOWN_ALWAYS;
}

/* Fill in the choices of the next knob, or of the one before. */
static void ab_view_cycle(struct ui *ui, int step)
{
	struct ab_form *f = &ui->ab;
	size_t n = 0;

	if (f->list.at)
		return;
	while (choice_knob(ui->view, n))
		n++;
	if (!n)
		return;
	f->knob = (f->knob + n + (size_t)step) % n;
	choices_words(choice_knob(ui->view, f->knob), f->request.variants,
		      sizeof(f->request.variants));
}

static void ab_view_form_key(struct ui *ui, int key)
{
	struct ab_form *f = &ui->ab;

	if (key == 27 || key == KEY_F(10))
		ui->overlay = NULL;
	else if (key == '\r')
		ab_view_begin(ui);
	else if (key == KEY_LEFT || key == KEY_RIGHT)
		ab_view_cycle(ui, key == KEY_LEFT ? -1 : 1);
	else if (!list_key(&f->list, AB_ROWS, key, LIST_TAB))
		overlay_edit(ab_view_text_of(ui, f->list.at),
			     rows[f->list.at].size, key);
}

static void ab_view_click_form(struct ui *ui, int y, int x)
{
	list_click(&ui->ab.list, AB_ROWS, y, x);
}

static const struct overlay form = {
	.draw = ab_view_draw_form,
	.key = ab_view_form_key,
	.click = ab_view_click_form,
};

/* --- the figures --- */

/* The first cell of each column; 0: there is no room for the column. */
struct ab_columns {
	int base, value, change, verdict;
};

#define VALUE_CELLS 10

static struct ab_columns ab_view_columns_of(const struct area *a)
{
	struct ab_columns c = { .base = a->columns >= 76 ? 24 : 18 };

	c.value = c.base + VALUE_CELLS;
	c.change = c.value + VALUE_CELLS + 1;
	c.verdict = c.change + 25;
	if (c.verdict + 9 > a->columns)
		c.verdict = 0;
	return c;
}

/* "-98.0 % (-98.3 to -97.6)"; in the metric's unit where it is not of logs. */
static void ab_view_change_words(const struct difference *d, char *buf,
				 size_t size)
{
	if (d->method == DIFFERENCE_NONE)
		snprintf(buf, size, "needs 2 blocks");
	else if (!d->logs)
		snprintf(buf, size, "%+.3g (%s)", d->diff,
			 difference_interval_words(d).text);
	else
		snprintf(buf, size, "%s (%s)",
			 difference_percent_words(d->diff).text,
			 difference_interval_words(d).text);
}

static enum role ab_view_role_of(const struct crossover_result *r)
{
	const int sign = r->better == JUDGE_ORDERED ? 0 : judge_sign(&r->v);

	return sign > 0 ? ROLE_GOOD : sign < 0 ? ROLE_BAD : ROLE_TEXT;
}

static const char *short_verdict(const struct crossover_result *r)
{
	if (r->v.why)
		return r->v.d.method == DIFFERENCE_NONE ? "" : "too few";
	if (!judge_sign(&r->v))
		return "undecided";
	return r->better == JUDGE_ORDERED ? "as ordered"
					  : judge_words(&r->v, r->better);
}

struct figures {
	struct ui *ui;
	const struct crossover *x;
	const struct crossover_result *r;
	size_t n;
	const struct area *a;
};

static void ab_view_draw_titles(const struct figures *f, int y)
{
	struct ab_columns c = ab_view_columns_of(f->a);

	screen_right(y, f->a->left + c.base, VALUE_CELLS - 1, ROLE_DIM,
		     "baseline");
	screen_right(y, f->a->left + c.value, VALUE_CELLS - 1, ROLE_DIM,
		     "variant");
	screen_put(y, f->a->left + c.change, f->a->columns - c.change, ROLE_DIM,
		   "change, its interval   ");
}

static void draw_result(const struct figures *f,
			const struct crossover_result *r, int y)
{
	struct ab_columns c = ab_view_columns_of(f->a);
	enum unit unit = unit_of(r->metric->key);
	enum role role = ab_view_role_of(r);
	char change[80];

	screen_printf(y, f->a->left, c.base - 1, ROLE_TEXT, "%c %s %s",
		      (char)('A' + (int)r->variant), r->metric->key,
		      r->metric->job);
	screen_right(y, f->a->left + c.base, VALUE_CELLS - 1, ROLE_TEXT,
		     unit_format(unit, r->v.d.mean_a).text);
	screen_right(y, f->a->left + c.value, VALUE_CELLS - 1, ROLE_TEXT,
		     unit_format(unit, r->v.d.mean_b).text);
	ab_view_change_words(&r->v.d, change, sizeof(change));
	screen_put(y, f->a->left + c.change,
		   (c.verdict ? c.verdict - 1 : f->a->columns) - c.change, role,
		   change);
	if (c.verdict)
		screen_put(y, f->a->left + c.verdict, f->a->columns - c.verdict,
			   role, short_verdict(r));
}

/* "A none = baseline, B bfq" */
static void variant_words(const struct crossover *x, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t v = 0; v < x->n_variants; v++)
		text_add(buf, size, "%s%c %s%s", v ? ", " : "",
			 (char)('A' + (int)v), crossover_name(x, v).text,
			 v ? "" : " (baseline)");
}

/*
 * "B iops front interval: +-31 % after 2 blocks, 8.4 %, 3.1 %": half the
 * interval after each block, or after the latest ones that fit.
 */
static void narrowing_words(const struct figures *f,
			    const struct crossover_result *r, char *buf,
			    size_t size)
{
	size_t blocks = r->blocks, room = 0;
	size_t first = 2;

	room = f->a->columns > 45 ? (size_t)(f->a->columns - 45) / 8 : 1;
	if (blocks > first + room)
		first = blocks - room;
	snprintf(buf, size, "%c %s %s interval:", (char)('A' + (int)r->variant),
		 r->metric->key, r->metric->job);
	for (size_t b = first; b <= blocks; b++) {
		struct difference d = crossover_after(r, b);

		text_add(buf, size, b == first ? " +-%s" : ", %s",
			 difference_size_words(difference_half_pct(&d)).text);
		if (b == first)
			text_add(buf, size, " after %zu blocks", b);
	}
	if (blocks < 2)
		text_add(buf, size, " needs 2 whole blocks, has %zu", blocks);
}

/* The widest interval of all blocks sets the scale, up to a factor of 4. */
static double ab_view_scale_of(const struct crossover_result *r)
{
	double most = 0.01;

	for (size_t b = 2; b <= r->blocks; b++) {
		struct difference d = crossover_after(r, b);

		most = fmax(most, fmax(fabs(d.low), fabs(d.high)));
	}
	return fmin(most, log(4));
}

/* The interval as a line about 0: "   |---o---|  ". */
static void ab_view_draw_bar(const struct difference *d, double scale, int y,
			     int x, int cells)
{
	int zero = cells / 2, at[3];
	const double value[3] = { d->low, d->diff, d->high };

	for (int i = 0; i < 3; i++) {
		at[i] = (int)units_whole(
			zero + round(value[i] / scale * (zero - 1)), 0,
			cells - 1);
	}
	screen_char(y, x + zero, ROLE_DIM, ':');
	for (int i = at[0]; i <= at[2]; i++)
		screen_char(y, x + i, ROLE_TEXT, '-');
	screen_char(y, x + at[0], ROLE_TEXT, '|');
	screen_char(y, x + at[2], ROLE_TEXT, '|');
	screen_char(y, x + at[1], ROLE_STRONG, 'o');
}

/* Draw the interval after each block, one per line. Returns the lines. */
static int draw_narrowing(const struct figures *f,
			  const struct crossover_result *r, int y, int bottom)
{
	size_t blocks = r->blocks, first = 2;
	int from = y, left = f->a->left + 34, cells = f->a->columns - 36;
	double scale = ab_view_scale_of(r);
	char change[80];

	if (bottom - y < 3 || blocks < 2 || !r->v.d.logs)
		return 0;
	screen_printf(y++, f->a->left, f->a->columns, ROLE_DIM,
		      "%c %s %s, interval after so many blocks:",
		      (char)('A' + (int)r->variant), r->metric->key,
		      r->metric->job);
	if (blocks - first + 1 > (size_t)(bottom - y))
		first = blocks + 1 - (size_t)(bottom - y);
	for (size_t b = first; b <= blocks; b++, y++) {
		struct difference d = crossover_after(r, b);

		ab_view_change_words(&d, change, sizeof(change));
		screen_printf(y, f->a->left, 33, ROLE_TEXT, "%5zu  %s", b,
			      change);
		if (cells >= 16)
			ab_view_draw_bar(&d, scale, y, left, cells);
	}
	return y - from;
}

/* The i-th result of a rate. Rates stand first: they decide the crossover. */
static const struct crossover_result *ab_view_rate(const struct figures *f,
						   size_t i)
{
	for (size_t k = 0; k < f->n; k++)
		if (!strcmp(f->r[k].metric->key, "iops") && !i--)
			return &f->r[k];
	return NULL;
}

static const struct crossover_result *ab_view_in_order(const struct figures *f,
						       size_t i)
{
	const struct crossover_result *r = ab_view_rate(f, i);
	size_t rates = 0;

	if (r)
		return r;
	while (ab_view_rate(f, rates))
		rates++;
	i -= rates;
	for (size_t k = 0; k < f->n; k++)
		if (strcmp(f->r[k].metric->key, "iops") != 0 && !i--)
			return &f->r[k];
	return NULL;
}

int ab_view_want(const struct ui *ui)
{
	const struct crossover *x = ui->view->crossover;

	if (!x)
		return 0;
	return 5 + (int)((x->trial.n_metrics + crossover_blocks(x)) *
			 (x->n_variants > 1 ? x->n_variants - 1 : 0));
}

static int ab_view_draw_table(const struct figures *f, int y, int bottom,
			      size_t *top)
{
	/* Scroll no further than to the last row. */
	if (*top >= f->n)
		*top = f->n ? f->n - 1 : 0;
	if (f->n && y < bottom)
		ab_view_draw_titles(f, y++);
	for (size_t i = *top; i < f->n && y < bottom; i++)
		draw_result(f, ab_view_in_order(f, i), y++);
	return y;
}

void ab_view_draw(struct ui *ui, const struct area *a, size_t *top)
{
	struct figures f = { ui, ui->view->crossover, NULL, 0, a };
	struct crossover_result *r = crossover_results(f.x, &f.n);
	int y = a->top + 1, bottom = a->top + a->lines;
	const struct crossover_result *of;
	char words[400];

	f.r = r;
	variant_words(f.x, words, sizeof(words));
	if (y < bottom && *words)
		screen_put(y++, a->left, a->columns, ROLE_TEXT, words);
	for (size_t i = 0; (of = ab_view_rate(&f, i)) && y < bottom; i++) {
		narrowing_words(&f, of, words, sizeof(words));
		screen_put(y++, a->left, a->columns, i ? ROLE_DIM : ROLE_STRONG,
			   words);
	}
	if (!f.n && y < bottom)
		screen_put(y++, a->left, a->columns, ROLE_DIM,
			   "No block is whole yet.");
	y = ab_view_draw_table(&f, y, bottom, top);
	for (size_t i = 0; (of = ab_view_rate(&f, i)) && y < bottom; i++)
		y += draw_narrowing(&f, of, y, bottom);
	free(r);
}
