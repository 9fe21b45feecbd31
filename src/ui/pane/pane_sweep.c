/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep pane: the matrix of runs, the figures so far, and the run under way.
 * Few variants are columns, with a line for each block; many are lines, with a
 * column for each of the latest blocks.
 */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/overlay.h"
#include "ui/state.h"

#define LABEL_CELLS  24
#define COLUMN_CELLS 14
/* More variants have no room for their places in the order. */
#define PLACES 6

struct sweep_state {
	long top; /* lines scrolled; 0: the block under way is visible */
};

static struct sweep_state *pane_sweep_state_of(const struct ui *ui)
{
	return pane_state(ui, PANE_SWEEP);
}

/* Head, 3 lines, titles, blocks, 4 figures, 4 lines of the run, 3 rules. */
static int pane_sweep_want(struct ui *ui)
{
	const struct sweep_matrix *m = ui->view->sweep;

	if (!m)
		return 0;
	return 15 + (int)(m->n_blocks > m->n_variants ? m->n_blocks
						      : m->n_variants);
}

struct drawing {
	struct ui *ui;
	const struct sweep_matrix *m;
	struct area a;
	int y, bottom;
};

static void pane_sweep_line(struct drawing *d, enum role role, const char *text)
{
	if (d->y < d->bottom)
		screen_put(d->y++, d->a.left, d->a.columns, role, text);
}

static void rule(struct drawing *d)
{
	if (d->y >= d->bottom)
		return;
	for (int x = 0; x < d->a.columns; x++)
		screen_char(d->y, d->a.left + x, ROLE_FRAME,
			    screen_look.ascii ? '-' : 0x2500);
	d->y++;
}

static enum role box_role(const struct sweep_box *box)
{
	static const enum role roles[] = {
		[SWEEP_BOX_NONE] = ROLE_DIM,
		[SWEEP_BOX_RUNS] = ROLE_STRONG,
		[SWEEP_BOX_DONE] = ROLE_TEXT,
		[SWEEP_BOX_SPOILT] = ROLE_BAD,
		[SWEEP_BOX_SKIPPED] = ROLE_DIM,
		[SWEEP_BOX_LOST] = ROLE_BAD,
	};

	return roles[box->state];
}

static void put_box(const struct drawing *d, const struct sweep_box *box, int x,
		    int cells)
{
	char text[24];

	snprintf(text, sizeof(text), "%s%s",
		 box->state == SWEEP_BOX_RUNS && cells > 11 ? "RUN " : "",
		 *box->text ? box->text : "...");
	screen_put(d->y, d->a.left + x, cells - 1, box_role(box), text);
}

/* " block 1  (3 1 4 2)" */
static void put_block_label(const struct drawing *d, size_t b)
{
	const struct sweep_matrix *m = d->m;
	char text[64];

	snprintf(text, sizeof(text), " block %-3zu", b + 1);
	for (size_t v = 0; m->n_variants <= PLACES && v < m->n_variants; v++)
		text_append(text, "%s%u", v ? " " : "(",
			    m->place[b * m->n_variants + v]);
	if (m->n_variants <= PLACES)
		text_append(text, ")");
	screen_put(d->y, d->a.left, LABEL_CELLS - 1, ROLE_TEXT, text);
}

/* The first of n lines to show: line at is visible unless scrolled away. */
static size_t first_line(struct sweep_state *st, size_t n, size_t at, int room)
{
	long first = at >= (size_t)room ? (long)at - room + 1 : 0, most;

	most = (long)n - room > 0 ? (long)n - room : 0;
	if (first + st->top < 0)
		st->top = -first;
	if (first + st->top > most)
		st->top = most - first;
	return (size_t)(first + st->top);
}

enum sweep_line { MEAN, CHANGE, WIDTH };

static void pane_sweep_put_figures(struct drawing *d, const char *label,
				   enum sweep_line which)
{
	const struct sweep_matrix *m = d->m;

	if (d->y >= d->bottom)
		return;
	screen_printf(d->y, d->a.left, LABEL_CELLS - 1, ROLE_TEXT, " %s",
		      label);
	for (size_t v = 0; v < m->n_variants; v++) {
		const struct sweep_column *c = &m->column[v];
		const char *text = which == MEAN     ? c->mean
				   : which == CHANGE ? c->change
						     : c->width;
		enum role role = which != CHANGE || !c->verdict ? ROLE_TEXT
				 : c->verdict > 0               ? ROLE_GOOD
								: ROLE_BAD;

		screen_put(d->y,
			   d->a.left + LABEL_CELLS + (int)v * COLUMN_CELLS,
			   COLUMN_CELLS - 1, role, *text ? text : "-");
	}
	d->y++;
}

/* Lines for the matrix above tail other lines, at least two if possible. */
static int room_for(const struct drawing *d, int tail)
{
	int all = d->bottom - d->y - 1, room = all - tail;

	return room >= 2 ? room : all < 2 ? all : 2;
}

/* Draw the name of a variant above its column. A long name loses its middle:
 * names of several axes often differ only at their end. */
static void put_variant(struct drawing *d, size_t v)
{
	const char *name = d->m->column[v].name, *mark = v ? "" : "=";
	const size_t room = COLUMN_CELLS - 1 - strlen(mark), n = strlen(name);
	const size_t head = (room - 1) / 2, tail = room - 1 - head;
	bool ascii = true;

	for (size_t i = 0; i < n; i++)
		ascii &= name[i] > 0;
	screen_printf(d->y, d->a.left + LABEL_CELLS + (int)v * COLUMN_CELLS,
		      COLUMN_CELLS - 1, ROLE_STRONG,
		      ascii && n > room ? "%.*s~%s%s" : "%.*s%s%s",
		      ascii && n > room ? (int)head : (int)n, name,
		      ascii && n > room ? name + n - tail : "", mark);
}

/* Draw a line for each block. tail: the lines that must stay free below. */
static void pane_sweep_draw_blocks(struct drawing *d, int tail)
{
	const struct sweep_matrix *m = d->m;
	int room = room_for(d, tail);
	size_t first;

	screen_printf(d->y, d->a.left, LABEL_CELLS - 1, ROLE_STRONG, " %s",
		      m->metric);
	for (size_t v = 0; v < m->n_variants; v++)
		put_variant(d, v);
	d->y++;
	if (room < 1)
		return;
	first = first_line(pane_sweep_state_of(d->ui), m->n_blocks, m->at,
			   room);
	for (size_t b = first; b < m->n_blocks && room--; b++, d->y++) {
		put_block_label(d, b);
		for (size_t v = 0; v < m->n_variants; v++)
			put_box(d, &m->box[b * m->n_variants + v],
				LABEL_CELLS + (int)v * COLUMN_CELLS,
				COLUMN_CELLS);
	}
}

#define NARROW_CELLS 9
#define NAME_CELLS   26
#define CHANGE_CELLS 18

/* Draw a line for each variant, with the latest blocks. */
static void draw_variants(struct drawing *d, int tail)
{
	const struct sweep_matrix *m = d->m;
	int fit = (d->a.columns - NAME_CELLS - NARROW_CELLS - CHANGE_CELLS) /
		  NARROW_CELLS;
	int room = room_for(d, tail);
	size_t blocks = fit < 1			  ? 0
			: (size_t)fit < m->n_blocks ? (size_t)fit
						    : m->n_blocks;
	size_t from = m->at + 1 > blocks ? m->at + 1 - blocks : 0, at = 0, first;
	int mean = NAME_CELLS + (int)blocks * NARROW_CELLS;

	screen_printf(d->y, d->a.left, NAME_CELLS - 1, ROLE_STRONG, " %s",
		      m->metric);
	for (size_t b = 0; b < blocks; b++)
		screen_printf(
			d->y, d->a.left + NAME_CELLS + (int)b * NARROW_CELLS,
			NARROW_CELLS - 1, ROLE_STRONG, "b%zu", from + b + 1);
	screen_put(d->y, d->a.left + mean, NARROW_CELLS - 1, ROLE_STRONG,
		   "mean");
	screen_put(d->y++, d->a.left + mean + NARROW_CELLS,
		   d->a.columns - mean - NARROW_CELLS, ROLE_STRONG,
		   "change, Holm");
	for (size_t v = 0; v < m->n_variants; v++)
		if (m->at < m->n_blocks &&
		    m->box[m->at * m->n_variants + v].state == SWEEP_BOX_RUNS)
			at = v;
	if (room < 1)
		return;
	first = first_line(pane_sweep_state_of(d->ui), m->n_variants, at, room);
	for (size_t v = first; v < m->n_variants && room--; v++, d->y++) {
		const struct sweep_column *c = &m->column[v];

		screen_printf(d->y, d->a.left, NAME_CELLS - 1, ROLE_TEXT,
			      " %s%s", c->name, v ? "" : "=");
		for (size_t b = 0; b < blocks; b++)
			put_box(d, &m->box[(from + b) * m->n_variants + v],
				NAME_CELLS + (int)b * NARROW_CELLS,
				NARROW_CELLS);
		screen_put(d->y, d->a.left + mean, NARROW_CELLS - 1, ROLE_TEXT,
			   *c->mean ? c->mean : "-");
		screen_put(d->y, d->a.left + mean + NARROW_CELLS,
			   d->a.columns - mean - NARROW_CELLS,
			   c->verdict > 0   ? ROLE_GOOD
			   : c->verdict < 0 ? ROLE_BAD
					    : ROLE_TEXT,
			   c->change);
	}
}

/* "60.7k/s  p99 2.31ms |.:::|", and the steps of the run so far. */
static void draw_now(struct drawing *d)
{
	const struct sweep_matrix *m = d->m;
	double most = 0;
	int x;

	if (d->y >= d->bottom || !*m->now)
		return;
	x = screen_printf(d->y, d->a.left, d->a.columns, ROLE_STRONG,
			  " now  %s", m->now);
	for (size_t i = 0; i < m->n_rates; i++)
		most = m->rate[i] > most ? m->rate[i] : most;
	if (m->n_rates) {
		x += screen_printf(d->y, d->a.left + x, d->a.columns - x,
				   ROLE_TEXT, "  %s/s ",
				   units_count(m->rate[m->n_rates - 1]).text);
		if (m->p99_ns > 0)
			x += screen_printf(d->y, d->a.left + x,
					   d->a.columns - x, ROLE_TEXT,
					   " p99 %s ",
					   units_ns(m->p99_ns).text);
	}
	for (size_t i = 0; i < m->n_rates && x < d->a.columns; i++, x++)
		screen_step(d->y, d->a.left + x, ROLE_READ, m->rate[i] / most);
	d->y++;
	if (d->y < d->bottom && *m->steps)
		screen_printf(d->y++, d->a.left, d->a.columns, ROLE_DIM,
			      "      %s", m->steps);
	if (d->y < d->bottom && *m->trouble)
		screen_printf(d->y++, d->a.left, d->a.columns, ROLE_BAD,
			      " ! %s", m->trouble);
}

static void pane_sweep_draw(struct ui *ui, struct area a)
{
	struct drawing d = { ui, ui->view->sweep, a, a.top + 1,
			     a.top + a.lines };
	const struct sweep_matrix *m = ui->view->sweep;
	bool roomy = a.lines >= 20;
	bool columns = LABEL_CELLS + (int)m->n_variants * COLUMN_CELLS <=
		       a.columns + 1;
	char head[300];
	/* Figures, drift, rules and the run under way. */
	int tail = (roomy ? 2 : 0) + (columns ? 4 : 1) + 2 + !!*m->trouble;

	snprintf(head, sizeof(head), "sweep  %s", m->plan);
	pane_head(ui, PANE_SWEEP, head);
	pane_sweep_line(&d, ROLE_STRONG, m->progress);
	pane_sweep_line(&d, ROLE_TEXT, m->limits);
	if (roomy)
		rule(&d);
	if (d.y >= d.bottom)
		return;
	if (columns)
		pane_sweep_draw_blocks(&d, tail);
	else
		draw_variants(&d, tail);
	if (roomy)
		rule(&d);
	if (columns) {
		pane_sweep_put_figures(&d, "mean", MEAN);
		pane_sweep_put_figures(&d, "change, by Holm", CHANGE);
		pane_sweep_put_figures(&d, m->until, WIDTH);
	}
	if (d.y < d.bottom)
		screen_printf(d.y++, a.left, a.columns, ROLE_TEXT,
			      " drift over the sweep  %s", m->drift);
	if (roomy)
		rule(&d);
	draw_now(&d);
	d.y = d.bottom - 1 > d.y ? d.bottom - 1 : d.y;
	if (ui->zoom)
		pane_sweep_line(
			&d, ROLE_DIM,
			" q stop after this run  Q now  p pause  n note  "
			"S skip  z panes  --resume later");
}

/* clang-format off */
static const struct key keys[] = {
	{ { "Q", "stop now; --resume repeats this run" },
	  "Q", "now", WHEN_LIVE, { 'Q' }, .action = ACTION_SWEEP_NOW },
	{ { "p", "pause after this run, or continue" },
	  "p", "pause", WHEN_LIVE, { 'p' }, .action = ACTION_PAUSE },
	{ { "n", "add a note to the log" },
	  "n", "note", WHEN_LIVE, { 'n' }, .prompt = &prompt_note },
	{ { "S", "skip this run" },
	  "S", "skip", WHEN_LIVE, { 'S' }, .action = ACTION_SWEEP_SKIP },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

static bool pane_sweep_take_key(struct ui *ui, int key)
{
	(void)ui->view, (void)ui->action;
	if (key == KEY_UP || key == 'k')
		pane_sweep_state_of(ui)->top--;
	else if (key == KEY_DOWN || key == 'j')
		pane_sweep_state_of(ui)->top++;
	else
		return false;
	return true;
}

/* clang-format off */
const struct pane pane_sweep = {
	.name = "sweep",
	.help = { "0", "the runs of a sweep, its figures, the run under way" },
	.least = 8, .weight = 2, .priority = 5, .auto_lines = 30,
	.layouts = IN_RUN,
	.want = pane_sweep_want, .draw = pane_sweep_draw,
	.own = &own, .key = pane_sweep_take_key,
	.state_size = sizeof(struct sweep_state),
};
/* clang-format on */
