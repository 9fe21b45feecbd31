/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job pane: a head line with the progress and a line per operation for each
 * job; when there are too many for that, one line per job.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/text.h"
#include "base/units.h"
#include "model/schema/schema_job.h"
#include "ui/chart/chart.h"
#include "ui/key/key.h"
#include "ui/overlay.h"
#include "ui/pane.h"
#include "ui/table/table.h"

struct job_state {
	bool histogram; /* shown beside other panes */
	bool plain;     /* not shown in a zoom */
};

const struct table_spec table_job = {
	.pane = PANE_JOB,
	.schema = SCHEMA_JOB,
	.title = "job",
	.id_width = 14,
};

/* The operations in the order of their lines, and the keys of their rates. */
static const struct {
	const char *name;
	enum role role;
	const char *rate;
} ops[] = {
	{ "read", ROLE_READ, "iops" },	   { "write", ROLE_WRITE, "iops" },
	{ "trim", ROLE_STRONG, "iops" },   { "sync", ROLE_WAIT, "iops" },
	{ "verify", ROLE_READ, "per_s" },  { "create", ROLE_WRITE, "per_s" },
	{ "stat", ROLE_READ, "per_s" },	   { "unlink", ROLE_WRITE, "per_s" },
	{ "insert", ROLE_WRITE, "per_s" }, { "command", ROLE_TEXT, "per_s" },
	{ "burn", ROLE_TEXT, "per_s" },    { "rename", ROLE_WRITE, "per_s" },
	{ "setattr", ROLE_WRITE, "per_s" }, { "list", ROLE_READ, "per_s" },
	{ "lock", ROLE_TEXT, "per_s" },    { "close", ROLE_TEXT, "per_s" },
	{ "syncall", ROLE_WAIT, "per_s" },
};
_Static_assert(ARRAY_SIZE(ops) == JOB_OPS, "a line for each enum job_op");

/*
 * Column heads, and the ends of the field keys of an operation. When there is
 * little room, the columns of least weight go first.
 */
static const struct {
	const char *title, *key;
	int weight;
} figures[] = {
	{ "IOPS", "iops", 9 },  { "B/s", "bytes_per_s", 8 },
	{ "min", "min_ns", 1 }, { "mean", "mean_ns", 5 },
	{ "p50", "p50_ns", 6 }, { "p90", "p90_ns", 2 },
	{ "p99", "p99_ns", 7 }, { "p99.9", "p999_ns", 3 },
	{ "max", "max_ns", 4 },
};

#define OP_CELLS     9
#define FIGURE_CELLS 9
/* Of the histogram: its bars and the latencies below them. */
#define HIST_LINES 5

/* Cells before the figures with one line per operation: "A: randrw    read". */
#define SHORT_CELLS 20

/*
 * Whether there is room for a column after all more important ones; cells: for
 * all figures.
 */
static bool fits(size_t i, int cells)
{
	int room = cells / FIGURE_CELLS, before = 0;

	for (size_t k = 0; k < ARRAY_SIZE(figures); k++)
		before += figures[k].weight > figures[i].weight;
	return before < room;
}

static double figure(const struct row *row, const char *op, const char *key)
{
	char name[40];

	snprintf(name, sizeof(name), "%s_%s", op, key);
	return row_number(SCHEMA_JOB, row, name);
}

/* Whether the job does this operation now or has done it recently. */
static bool does(const struct ui_view *view, const struct row *row, size_t op)
{
	char name[40];
	int field;

	if (figure(row, ops[op].name, ops[op].rate) > 0)
		return true;
	snprintf(name, sizeof(name), "%s_%s", ops[op].name, ops[op].rate);
	field = schema_field(SCHEMA_JOB, name);
	if (!view->history)
		return false;
	for (size_t age = 0; age < 30; age++)
		if (history_number(view->history, age, SCHEMA_JOB, row->id,
				   field) > 0)
			return true;
	return false;
}

/* Lines of a job: its head and its operations (one of dashes at first). */
static int job_lines(const struct ui_view *view, const struct row *row)
{
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		n += does(view, row, i);
	return 1 + (n ? n : 1);
}

/*
 * The view of the other log, as if it were the only one; false: there is none.
 */
static bool beside(const struct ui_view *view, struct ui_view *other)
{
	if (!view->other || !view->other->frame)
		return false;
	*other = *view;
	other->frame = view->other->frame;
	other->history = view->other->history;
	other->letter = view->other->letter;
	return true;
}

static int want_lines(const struct ui_view *view)
{
	const struct table *t = &view->frame->table[SCHEMA_JOB];
	int n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += job_lines(view, &t->row[i]);
	return n;
}

static bool with_histogram(const struct ui *ui)
{
	const struct job_state *st = pane_state(ui, PANE_JOB);

	return ui->zoom ? !st->plain : st->histogram;
}

static int pane_job_want(struct ui *ui)
{
	const struct table *t;
	struct ui_view other;
	int n = 1;

	if (!ui->view->frame->table[SCHEMA_JOB].n)
		return 0;
	t = &ui->view->frame->table[SCHEMA_JOB];
	if (t->n > 4)
		return table_want(ui, &ui->table[PANE_JOB]);
	n += want_lines(ui->view);
	if (beside(ui->view, &other))
		n += want_lines(&other);
	return n + (with_histogram(ui) ? 3 * (HIST_LINES + 1) : 0);
}

static struct text_short pane_job_format(const char *key, double v)
{
	return !strcmp(key, "iops")          ? units_count(v)
	       : !strcmp(key, "bytes_per_s") ? units_bytes(v)
					     : units_ns(v);
}

/* Draw the figures of an operation; first: the cells before them. */
static void pane_job_draw_figures(const struct row *row, int op, int y,
				  int first, const struct area *a)
{
	int x = a->left + first;
	struct text_short text;

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		/* The first figure is the rate. */
		const char *key = i ? figures[i].key : ops[op].rate;

		if (!fits(i, a->columns - first))
			continue;
		text = pane_job_format(figures[i].key,
				       figure(row, ops[op].name, key));
		screen_right(y, x, FIGURE_CELLS,
			     strcmp(text.text, "-") != 0 ? ROLE_TEXT : ROLE_DIM,
			     text.text);
		x += FIGURE_CELLS;
	}
}

static void pane_job_draw_op(const struct row *row, int op, int y,
			     const struct area *a)
{
	screen_printf(y, a->left + 2, OP_CELLS - 2, ops[op].role, "%s",
		      ops[op].name);
	pane_job_draw_figures(row, op, y, OP_CELLS, a);
}

const char *pane_job_selected(const struct ui *ui)
{
	const struct table_state *t = &ui->table[PANE_JOB];

	if (*t->selected && t->moved &&
	    frame_find(ui->view->frame, SCHEMA_JOB, t->selected))
		return t->selected;
	return graph_series_job(ui);
}

/* Mark the job that the keys of the pane act on, if there are several. */
static enum role name_role(const struct ui *ui, const struct row *row)
{
	const char *selected = pane_job_selected(ui);

	return ui->focus == PANE_JOB && selected &&
			       ui->view->frame->table[SCHEMA_JOB].n > 1 &&
			       !strcmp(selected, row->id)
		       ? ROLE_SELECTED
		       : ROLE_STRONG;
}

/* The blocks that verify checked, and how many of them are damaged. */
static void pane_job_draw_checked(const struct row *row, int y, int x, int end)
{
	double checked = row_number(SCHEMA_JOB, row, "verify_blocks");
	double bad = row_number(SCHEMA_JOB, row, "verify_bad");

	if (!(checked > 0))
		return;
	x += screen_printf(y, x, end - x, ROLE_TEXT, "  checked %s",
			   units_count(checked).text);
	if (bad > 0)
		screen_printf(y, x, end - x, ROLE_ALERT, "  BAD %.0f", bad);
}

/* "randrw  run [######    ] 42.0%  ETA 0:35  depth 16  errors 0". */
static void draw_job_head(struct ui *ui, const struct row *row, int y,
			  const struct area *a)
{
	const char *phase = row_text(SCHEMA_JOB, row, "phase");
	double done = row_number(SCHEMA_JOB, row, "progress_pct");
	double seconds = row_number(SCHEMA_JOB, row, "eta_s");
	double errors = row_number(SCHEMA_JOB, row, "errors");
	struct bar_part part = { done, ROLE_READ, '#' };
	int x = a->left, end = a->left + a->columns;
	char depth[24], cpu[24];

	if (ui->view->letter)
		x += screen_printf(y, x, 3, ROLE_MARK,
				   "%c: ", ui->view->letter);
	x += screen_put(y, x, a->columns / 3, name_role(ui, row), row->id);
	x += screen_printf(y, x, end - x, ROLE_MARK, "  %s ",
			   !phase ? "-"
			   : event_phase_of(row) == PHASE_DONE
				   ? "done, entire run"
				   : phase);
	if (!isnan(done)) {
		int bar = a->columns >= 100 ? 32 : a->columns >= 70 ? 16 : 8;

		screen_bar(y, x, bar, &part, 1);
		x += bar;
		x += screen_printf(y, x, end - x, ROLE_TEXT, " %3.0f%%", done);
	}
	if (!isnan(seconds))
		x += screen_printf(y, x, end - x, ROLE_TEXT, "  ETA %s",
				   units_span(seconds).text);
	text_set(depth,
		 units_count(row_number(SCHEMA_JOB, row, "in_flight")).text);
	text_set(cpu, units_count(row_number(SCHEMA_JOB, row, "cpu_pct")).text);
	x += screen_printf(y, x, end - x, ROLE_TEXT, "  depth %s", depth);
	x += screen_printf(y, x, end - x, errors > 0 ? ROLE_ALERT : ROLE_TEXT,
			   errors > 0 ? "  ERRORS %.0f" : "  errors %.0f",
			   isnan(errors) ? 0 : errors);
	x += screen_printf(y, x, end - x, ROLE_TEXT, "  cpu %s%%", cpu);
	pane_job_draw_checked(row, y, x, end);
}

static int draw_one(struct ui *ui, const struct row *row, int y,
		    const struct area *a)
{
	int bottom = a->top + a->lines, drawn = 0;

	if (y < bottom)
		draw_job_head(ui, row, y++, a);
	for (int op = 0; op < (int)ARRAY_SIZE(ops) && y < bottom; op++)
		if (does(ui->view, row, (size_t)op)) {
			pane_job_draw_op(row, op, y++, a);
			drawn++;
		}
	if (!drawn && y < bottom)
		screen_put(y++, a->left + 2, a->columns, ROLE_DIM,
			   "- (no I/O has completed yet)");
	return y;
}

/* Draw an operation's shares of I/Os by latency; returns the next line. */
static int draw_histogram(const struct row *row, int op, int y,
			  const struct area *a)
{
	char key[32], text[40];
	int field, bars = a->columns - OP_CELLS - 2;
	int lines = a->top + a->lines - y < HIST_LINES ? a->top + a->lines - y
						       : HIST_LINES;
	struct histbars h;
	struct canvas c;

	snprintf(key, sizeof(key), "%s_hist", ops[op].name);
	field = schema_field(SCHEMA_JOB, key);
	if (lines < 3 || bars < 8 || field < 0 ||
	    !heatmap_bars(&h, row->value[field].histogram, bars))
		return y;
	canvas_init(&c, h.n * h.cells, lines - 1,
		    screen_look.ascii ? CANVAS_ASCII : CANVAS_BLOCK);
	for (int x = 0; x < c.columns; x++)
		canvas_bar(&c, x, h.share[x / h.cells] / h.most, 1);
	for (int line = 0; line < c.lines; line++)
		for (int x = 0; x < c.columns; x++)
			screen_char(y + line, a->left + OP_CELLS + x,
				    ops[op].role, canvas_code(&c, x, line));
	canvas_free(&c);
	screen_put(y, a->left + 2, OP_CELLS - 3, ops[op].role, ops[op].name);
	snprintf(text, sizeof(text), "%.0f%%", h.most * 100);
	screen_right(y + 1, a->left, OP_CELLS - 1, ROLE_DIM, text);
	/* Draw a latency below some of the bars, where the bar begins. */
	for (int i = 0; i < h.n; i += (10 + h.cells - 1) / h.cells) {
		screen_put(y + lines - 1, a->left + OP_CELLS + i * h.cells,
			   a->columns - OP_CELLS - i * h.cells, ROLE_DIM,
			   units_ns(h.low_ns[i]).text);
	}
	return y + lines;
}

static void draw_histograms(struct ui *ui, int y, const struct area *a)
{
	const char *job = graph_series_job(ui);
	const struct row *row =
		job ? frame_find(ui->view->frame, SCHEMA_JOB, job) : NULL;
	int below;

	if (!row || y >= a->top + a->lines)
		return;
	screen_printf(y++, a->left, a->columns, ROLE_DIM,
		      "latencies of %s in %s", job,
		      event_phase_of(row) == PHASE_DONE ? "the entire run"
							: "this interval");
	below = y;
	for (int op = 0; op < (int)ARRAY_SIZE(ops); op++)
		y = draw_histogram(row, op, y, a);
	if (y == below && y < a->top + a->lines)
		screen_put(y, a->left + 2, a->columns, ROLE_DIM,
			   "- (no I/O has completed)");
}

/*
 * Draw a line for an operation if the job of that log does it; returns the next
 * line.
 */
static int draw_short(struct ui *ui, const struct ui_view *log,
		      const struct row *row, int op, int y,
		      const struct area *a)
{
	const struct ui_view *view = ui->view;
	int x;

	if (!row || y >= a->top + a->lines || !does(log, row, (size_t)op))
		return y;
	ui->view = log;
	x = a->left +
	    screen_printf(y, a->left, 3, ROLE_MARK, "%c: ", log->letter);
	screen_put(y, x, SHORT_CELLS - 9, name_role(ui, row), row->id);
	screen_put(y, a->left + SHORT_CELLS - 5, 5, ops[op].role, ops[op].name);
	pane_job_draw_figures(row, op, y, SHORT_CELLS, a);
	ui->view = view;
	return y + 1;
}

/*
 * Two logs in little room: a line per operation, the same one of both logs
 * below each other.
 */
static void draw_all_short(struct ui *ui, const struct ui_view *other, int y,
			   const struct area *a)
{
	const struct table *t = &ui->view->frame->table[SCHEMA_JOB];
	const struct table *u = &other->frame->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n; i++)
		for (int op = 0; op < (int)ARRAY_SIZE(ops); op++) {
			y = draw_short(ui, ui->view, &t->row[i], op, y, a);
			y = draw_short(ui, other,
				       frame_find(other->frame, SCHEMA_JOB,
						  t->row[i].id),
				       op, y, a);
		}
	for (size_t i = 0; i < u->n; i++)
		for (int op = 0; op < (int)ARRAY_SIZE(ops); op++)
			if (!frame_find(ui->view->frame, SCHEMA_JOB,
					u->row[i].id))
				y = draw_short(ui, other, &u->row[i], op, y, a);
}

static int draw_jobs(struct ui *ui, int y, const struct area *a)
{
	const struct table *t = &ui->view->frame->table[SCHEMA_JOB];

	for (size_t i = 0; i < t->n; i++)
		y = draw_one(ui, &t->row[i], y, a);
	return y;
}

/* Draw the titles, after the digit of the pane and a blank. */
static void pane_job_draw_titles(struct ui *ui, int first, const struct area *a)
{
	char head[160];

	snprintf(head, sizeof(head), "%-*s", first - 2, "job");
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		if (fits(i, a->columns - first))
			text_append(head, "%*s", FIGURE_CELLS,
				    figures[i].title);
	pane_head(ui, PANE_JOB, head);
}

static void pane_job_draw(struct ui *ui, struct area a)
{
	const struct ui_view *view = ui->view;
	const struct table *t = &view->frame->table[SCHEMA_JOB];
	struct ui_view other;
	bool two = beside(view, &other);
	int y = a.top + 1;

	/* More than four jobs are a table that scrolls, of the first log. */
	if (two && t->n <= 4 &&
	    1 + want_lines(view) + want_lines(&other) > a.lines) {
		pane_job_draw_titles(ui, SHORT_CELLS, &a);
		draw_all_short(ui, &other, y, &a);
		return;
	}
	if (t->n > 4 || (t->n > 1 && 1 + want_lines(view) > a.lines)) {
		table_draw(ui, &ui->table[PANE_JOB], a);
		return;
	}
	pane_job_draw_titles(ui, OP_CELLS, &a);
	y = draw_jobs(ui, y, &a);
	if (two) {
		ui->view = &other;
		y = draw_jobs(ui, y, &a);
		ui->view = view;
	}
	if (with_histogram(ui))
		draw_histograms(ui, y, &a);
}

static void act_histogram(struct ui *ui)
{
	struct job_state *st = pane_state(ui, PANE_JOB);

	if (ui->zoom)
		st->plain = !st->plain;
	else
		st->histogram = !st->histogram;
}

static void act_edit(struct ui *ui)
{
	job_form_open(ui, ui->key == 'K'   ? JOB_ASK_STOP
			  : ui->key == 'R' ? JOB_ASK_AGAIN
					   : JOB_ASK_SET);
}

/* clang-format off */
static const struct key keys[] = {
	{ { "e", "change rate, depth or mix of the selected job" },
	  "e", "set", WHEN_LIVE, { 'e' }, .act = act_edit,
	  .in_sweep = "" },
	{ { "K", "stop the selected job" },
	  "K", "stop", WHEN_LIVE, { 'K' }, .act = act_edit,
	  .in_sweep = "skip this run" },
	{ { "R", "start the selected job again after its end" },
	  "R", "again", WHEN_LIVE, { 'R' }, .act = act_edit,
	  .in_sweep = "" },
	{ { "H", "show or hide a histogram of the interval's latencies" },
	  "H", "histogram", WHEN_ALWAYS, { 'H' }, .act = act_histogram },
};
/* clang-format on */

static const struct key_list own = { keys, ARRAY_SIZE(keys) };

/* clang-format off */
const struct pane pane_job = {
	.name = "jobs",
	.help = { "2",
		  "jobs: rates, latencies, progress and time left; histogram" },
	.least = 4, .weight = 1, .priority = 6,
	.layouts = IN_RUN | IN_COMPARE,
	.want = pane_job_want, .draw = pane_job_draw, .table = &table_job,
	.own = &own, .state_size = sizeof(struct job_state),
};
/* clang-format on */
