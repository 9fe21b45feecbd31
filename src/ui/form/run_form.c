/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run form: rows for a job, and the check before it starts. The parser of job
 * options judges each row.
 */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "model/job/job.h"
#include "ui/overlay.h"

static const struct overlay self;

#define LABEL_CELLS 13
#define HELP_LINES  3

/* The i-th choice of a row and its help; NULL: no more. */
typedef const char *choice_fn(const struct ui_view *view, size_t i,
			      const char **help, char *buf, size_t size);

static const char *source_choice(const struct ui_view *view, size_t i,
				 const char **help, char *buf, size_t size)
{
	return view->offer->preset(i, help);
}

static const char *engine_choice(const struct ui_view *view, size_t i,
				 const char **help, char *buf, size_t size)
{
	return view->offer->engine(i, help);
}

/* List all of them; the preview checks whether a target is possible. */
static const char *target_choice(const struct ui_view *view, size_t i,
				 const char **help, char *buf, size_t size)
{
	const struct table *t = &view->frame->table[SCHEMA_DEVICE];

	*help = NULL;
	if (i >= t->n)
		return NULL;
	snprintf(buf, size, "/dev/%s", t->row[i].id);
	return buf;
}

static const char *rw_choice(const struct ui_view *view, size_t i,
			     const char **help, char *buf, size_t size)
{
	/* Ordered from harmless to destructive. */
	static const enum job_rw order[] = {
		RW_RANDREAD,  RW_READ,          RW_RANDRW,   RW_RW,
		RW_RANDWRITE, RW_WRITE,         RW_RANDTRIM, RW_TRIM,
		RW_TRIMWRITE, RW_RANDTRIMWRITE,
	};

	*help = NULL;
	return i < ARRAY_SIZE(order) ? job_rw_name(order[i]) : NULL;
}

static const char *bool_choice(const struct ui_view *view, size_t i,
			       const char **help, char *buf, size_t size)
{
	static const char *const words[] = { "0", "1" };

	*help = NULL;
	return i < ARRAY_SIZE(words) ? words[i] : NULL;
}

enum { ROW_SOURCE, ROW_TARGET, ROW_OPTIONS };

static const struct run_row {
	const char *label;
	const char *option; /* NULL: source and target */
	const char *start;  /* the first value, for a job without a preset */
	choice_fn *choice;
	bool path;
	const char *help; /* NULL: that of the option */
} rows[RUN_ROWS] = {
	{ "run", NULL, "", source_choice, true,
	  "preset or job file; empty: use the options below" },
	{ "target", NULL, "", target_choice, true,
	  "device, file or directory; empty: the target of the preset or job "
	  "file, or a new file in this directory" },
	{ "rw", "rw", "randread", rw_choice, false, NULL },
	{ "bs", "bs", "4k", NULL, false, NULL },
	{ "iodepth", "iodepth", "16", NULL, false, NULL },
	{ "ioengine", "ioengine", "libaio", engine_choice, false, NULL },
	{ "direct", "direct", "1", bool_choice, false, NULL },
	{ "numjobs", "numjobs", "1", NULL, false, NULL },
	{ "size", "size", "", NULL, false,
	  "bytes per job, as 1g, or N%; empty: the whole target, 1g of a "
	  "new file" },
	{ "runtime", "runtime", "60s", NULL, false,
	  "how long; empty: until size is done once" },
	{ "rate_iops", "rate_iops", "", NULL, false, NULL },
	{ "rwmixread", "rwmixread", "", NULL, false, NULL },
};

/* Whether the row has a value: typed, or taken from the job. */
static bool run_form_counts(const struct run_form *d, size_t row)
{
	if (row < ROW_OPTIONS)
		return *d->text[row];
	return *d->text[row] && (d->edited[row] || !*d->text[ROW_SOURCE]);
}

/* The error in a row, in the words of the option's parser; NULL: none. */
static const char *wrong(const struct run_form *d, size_t row)
{
	struct job job;
	const char *words = NULL;

	if (!rows[row].option || !run_form_counts(d, row))
		return NULL;
	job_init(&job);
	if (job_set(&job, rows[row].option, d->text[row]) < 0)
		words = fail_sentence();
	job_free(&job);
	return words;
}

static int form_width(int columns)
{
	return columns < 96 ? columns : 90;
}

static void run_form_begin(struct ui *ui)
{
	struct run_form *d = &ui->run;
	const struct table_state *t = &ui->table[PANE_DEVICE];

	for (int i = 0; i < RUN_ROWS && !d->begun; i++)
		text_set(d->text[i], rows[i].start);
	d->begun = true;
	/* Begin with the selected device, which the operator probably means. */
	if (ui->focus == PANE_DEVICE && t->moved && *t->selected &&
	    !d->edited[ROW_TARGET])
		snprintf(d->text[ROW_TARGET], sizeof(d->text[0]), "/dev/%s",
			 t->selected);
}

static bool run_form_make_request(struct ui *ui)
{
	struct run_form *d = &ui->run;
	struct run_request *r = &d->request;

	memset(r, 0, sizeof(*r));
	text_set(r->source, d->text[ROW_SOURCE]);
	text_set(r->target, d->text[ROW_TARGET]);
	for (size_t i = ROW_OPTIONS; i < RUN_ROWS; i++) {
		struct run_option *o = &r->option[r->n_options];

		if (wrong(d, i)) {
			d->list.at = i;
			return false;
		}
		if (!run_form_counts(d, i))
			continue;
		text_set(o->name, rows[i].option);
		text_set(o->value, d->text[i]);
		r->n_options++;
	}
	return true;
}

/*
 * The choice after or before the present text; an empty text is a choice, too.
 */
static void run_form_cycle(struct run_form *d, const struct ui_view *view,
			   int step)
{
	const struct run_row *row = &rows[d->list.at];
	const char *word, *help;
	char buf[ROW_ID_MAX + 8];
	long at = -1, n = 0;

	if (!row->choice)
		return;
	for (; (word = row->choice(view, (size_t)n, &help, buf, sizeof(buf)));
	     n++)
		if (!strcmp(word, d->text[d->list.at]))
			at = n;
	at += step;
	if (at < -1)
		at = n - 1;
	word = at < 0 || at >= n
		       ? ""
		       : row->choice(view, (size_t)at, &help, buf, sizeof(buf));
	text_copy(d->text[d->list.at], sizeof(d->text[0]), word);
	d->edited[d->list.at] = true;
}

/* The help of the present choice; NULL: it has none. */
static const char *choice_help(const struct ui_view *view,
			       const struct run_row *row, const char *text)
{
	const char *help = NULL, *word;
	char buf[ROW_ID_MAX + 8];

	for (size_t i = 0;
	     row->choice &&
	     (word = row->choice(view, i, &help, buf, sizeof(buf)));
	     i++)
		if (!strcmp(word, text))
			return help;
	return NULL;
}

/*
 * Tab completes a path; with nothing to complete, and behind the whole name of a
 * preset, it goes to the next row.
 */
static void run_form_complete(struct run_form *d, const struct ui_view *view)
{
	char *text = d->text[d->list.at];
	char longer[sizeof(d->text[0])];

	if (rows[d->list.at].path && *text &&
	    !choice_help(view, &rows[d->list.at], text) &&
	    view->offer->complete(text, longer, sizeof(longer))) {
		text_copy(text, sizeof(d->text[0]), longer);
		d->edited[d->list.at] = true;
	} else {
		list_key(&d->list, RUN_ROWS, '\t', LIST_TAB);
	}
}

static void run_form_form_key(struct ui *ui, int key)
{
	struct run_form *d = &ui->run;

	if (key == KEY_LEFT || key == KEY_RIGHT)
		run_form_cycle(d, ui->view, key == KEY_LEFT ? -1 : 1);
	else if (key == '\t')
		run_form_complete(d, ui->view);
	else if (!list_key(&d->list, RUN_ROWS, key, LIST_TAB) &&
		 overlay_edit(d->text[d->list.at], sizeof(d->text[0]), key))
		d->edited[d->list.at] = true;
}

/*
 * The help of the row with the keys: an error first, then the choice, then the
 * row.
 */
static void draw_help(struct ui *ui, const struct area *a, int y)
{
	const struct run_form *d = &ui->run;
	const struct run_row *row = &rows[d->list.at];
	const char *words = wrong(d, d->list.at);
	enum role role = words ? ROLE_ALERT : ROLE_DIM;

	if (!words)
		words = choice_help(ui->view, row, d->text[d->list.at]);
	if (!words)
		words = row->help ? row->help
				  : job_option_find(row->option)->help;
	overlay_wrap(a, y, y, a->lines, role, words);
}

static void run_form_draw_row(void *arg, size_t i, const struct area *a,
			      enum role role)
{
	const struct run_form *d = arg;
	const char *label = rows[i].label;

	if (i >= ROW_OPTIONS && *d->text[ROW_SOURCE] &&
	    !run_form_counts(d, i)) {
		overlay_form_row(a, role, LABEL_CELLS, label, role, "");
		screen_printf(a->top, a->left + 2 + LABEL_CELLS,
			      a->columns - 3 - LABEL_CELLS,
			      role == ROLE_TEXT ? ROLE_DIM : role, "(from %s)",
			      d->text[ROW_SOURCE]);
		return;
	}
	overlay_form_row(a, role, LABEL_CELLS, label,
			 wrong(d, i) ? ROLE_ALERT : role, d->text[i]);
}

static void run_form_draw_form(struct ui *ui)
{
	struct run_form *d = &ui->run;
	const char *keys = COLS < 76 ? "Enter: check  Left/Right: choices  Esc"
				     : "Enter: check  Left/Right: choices  "
				       "Tab: complete, next  Esc: back";
	struct area a = overlay_box(RUN_ROWS + HELP_LINES, form_width(COLS),
				    "Start a job", keys);
	int help = a.lines > RUN_ROWS ? HELP_LINES : a.lines > 4 ? 2 : 0;
	struct area in = a;

	in.lines = a.lines - help < RUN_ROWS ? a.lines - help : RUN_ROWS;
	list_draw(&d->list, in, RUN_ROWS, run_form_draw_row, d);
	if (help)
		draw_help(ui, &a, in.lines);
}

static const char *run_form_refusal(const struct ui_view *view)
{
	if (view->replay)
		return "A replay cannot start jobs.";
	if (!view->offer || view->frame == &ui_no_frame)
		return "No job can be started here.";
	return NULL;
}

void run_form_open(struct ui *ui)
{
	ui->overlay = &self;
	ui->run.asks = false;
	if (!run_form_refusal(ui->view))
		run_form_begin(ui);
}

/* The severity as a sign, for screens without colour. */
static const struct {
	const char *sign;
	enum role role;
} dangers[] = {
	[RUN_READS] = { "-", ROLE_TEXT },
	[RUN_MAKES] = { "+", ROLE_TEXT },
	[RUN_REWRITE] = { "*", ROLE_STRONG },
	[RUN_DESTROY] = { "!!", ROLE_ALERT },
};

struct form_writer {
	const struct area *a;
	int y, bottom;
};

static void run_form_write_line(struct form_writer *w, enum role role,
				const char *text)
{
	w->y += overlay_wrap(w->a, w->y, 0, w->bottom, role, text);
}

/* Write the effects on the targets, the worst first, then the jobs. */
static void write_preview(struct form_writer *w, const struct run_preview *o)
{
	char line[400];

	if (*o->error) {
		run_form_write_line(w, ROLE_ALERT, o->error);
		return;
	}
	for (size_t i = 0; i < o->n_targets && i < RUN_LINES; i++) {
		const struct run_target *t = &o->target[i];

		snprintf(line, sizeof(line), "%s %s", dangers[t->danger].sign,
			 t->words);
		run_form_write_line(w, dangers[t->danger].role, line);
	}
	if (o->n_targets > RUN_LINES) {
		snprintf(line, sizeof(line), "and %zu more targets",
			 o->n_targets - RUN_LINES);
		run_form_write_line(w, ROLE_TEXT, line);
	}
	if (o->asks)
		run_form_write_line(w, ROLE_STRONG,
				    "The process that opens devices then asks "
				    "on this terminal for the name of each "
				    "device that is overwritten.");
	for (size_t i = 0; i < o->n_jobs && i < RUN_LINES; i++)
		run_form_write_line(w, ROLE_DIM, o->job[i]);
	if (o->n_jobs > RUN_LINES) {
		snprintf(line, sizeof(line), "and %zu more jobs",
			 o->n_jobs - RUN_LINES);
		run_form_write_line(w, ROLE_DIM, line);
	}
}

static const char *demand_of(const struct ui_view *view)
{
	const struct run_preview *o = view->preview;

	return o && !*o->error && *o->demand ? o->demand : NULL;
}

static const char *keys_of(const struct ui_view *view)
{
	if (!view->preview || *view->preview->error)
		return "Esc: back";
	return demand_of(view)
		       ? "Enter: start  Esc: back  Up/Down: scroll"
		       : "Enter, y: start  Esc, n: back  Up/Down: scroll";
}

/* The number of lines of the preview at that width. */
static int run_form_lines_of(const struct run_preview *o, int width)
{
	struct area a = { .columns = width };
	struct form_writer w = { &a, 0, 0 };

	if (o)
		write_preview(&w, o);
	return w.y;
}

/* The last lines show the text to type; they are always visible. */
static void draw_preview(struct ui *ui)
{
	struct run_form *d = &ui->run;
	const struct run_preview *o = ui->view->preview;
	const char *demand = demand_of(ui->view);
	struct area a = { .columns = form_width(COLS) };
	struct form_writer w = { &a, -d->scroll, 0 };
	char line[600];
	int asks = 0, want = run_form_lines_of(o, a.columns) + 1;

	if (demand) {
		snprintf(line, sizeof(line), "To overwrite it, type: %s",
			 demand);
		asks = overlay_lines(&a, line) + 1;
	}
	a = overlay_box(want + asks, a.columns, "Check before starting",
			keys_of(ui->view));
	if (!o) {
		overlay_put(&a, 0, ROLE_STRONG, "Checking ...");
		return;
	}
	w.bottom = a.lines - asks;
	write_preview(&w, o);
	/* Scroll to the last line and no further. */
	if (d->scroll && w.y < w.bottom)
		d->scroll -=
			w.bottom - w.y < d->scroll ? w.bottom - w.y : d->scroll;
	if (!demand)
		return;
	overlay_wrap(&a, a.lines - asks, 0, a.lines, ROLE_ALERT, line);
	snprintf(line, sizeof(line), "> %s_", d->typed);
	overlay_put(&a, a.lines - 1, ROLE_STRONG, line);
}

static void run_form_draw(struct ui *ui)
{
	const char *why = run_form_refusal(ui->view);
	struct area a;

	if (why) {
		a = overlay_box(1, form_width(COLS), "No job can be started",
				"Any key: back");
		overlay_put(&a, 0, ROLE_STRONG, why);
	} else if (ui->run.asks) {
		draw_preview(ui);
	} else {
		run_form_draw_form(ui);
	}
}

static void run_form_look(struct ui *ui)
{
	struct run_form *d = &ui->run;

	if (!run_form_make_request(ui))
		return;
	d->asks = true;
	d->scroll = 0;
	d->typed[0] = '\0';
	ui->action->kind = ACTION_RUN_LOOK;
	ui->action->run = &d->request;
}

/*
 * Start only what the preview has shown, and only with the words that it
 * demands.
 */
static void run_form_start(struct ui *ui)
{
	struct run_form *d = &ui->run;
	const char *demand = demand_of(ui->view);

	if (!ui->view->preview || *ui->view->preview->error ||
	    ui->view->looking)
		return;
	if (demand && strcmp(d->typed, demand) != 0) {
		text_set(ui->note, "Not started: type the text shown.");
		return;
	}
	text_set(d->request.confirm, d->typed);
	ui->action->kind = ACTION_RUN;
	ui->action->run = &d->request;
	ui->overlay = NULL;
	/* Give the keys to the job pane, to see, change or stop the job. */
	ui->to_jobs = true;
}

static void confirm_key(struct ui *ui, int key)
{
	struct run_form *d = &ui->run;
	bool typing = demand_of(ui->view) != NULL;

	if (key == KEY_UP || key == KEY_DOWN)
		d->scroll += key == KEY_DOWN ? 1 : d->scroll ? -1 : 0;
	else if (!typing && (key == 'n' || key == 'N'))
		d->asks = false;
	else if (key == '\r' || (!typing && (key == 'y' || key == 'Y')))
		run_form_start(ui);
	else if (typing)
		overlay_edit(d->typed, sizeof(d->typed), key);
}

static void run_form_take_key(struct ui *ui, int key)
{
	struct run_form *d = &ui->run;

	if (run_form_refusal(ui->view)) {
		ui->overlay = NULL;
	} else if (key == 27 || key == KEY_F(10)) {
		if (!d->asks)
			ui->overlay = NULL;
		d->asks = false;
	} else if (d->asks) {
		confirm_key(ui, key);
	} else if (key == '\r') {
		run_form_look(ui);
	} else {
		run_form_form_key(ui, key);
	}
}

static void run_form_click(struct ui *ui, int y, int x)
{
	if (!run_form_refusal(ui->view) && !ui->run.asks)
		list_click(&ui->run.list, RUN_ROWS, y, x);
}

static const struct overlay self = {
	.draw = run_form_draw,
	.key = run_form_take_key,
	.click = run_form_click,
};
