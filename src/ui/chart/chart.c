/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chart: maps time to columns of the screen. */
#include "ui/chart/chart.h"

#include <curses.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "base/units.h"
#include "model/unit.h"

/* --- axis --- */

static bool in_bytes(enum unit unit)
{
	return unit == UNIT_BYTES || unit == UNIT_BYTES_PER_S;
}

/* The power of 1024 that is the unit for a number of bytes. */
static double chart_byte_unit(double v)
{
	double unit = 1;

	while (v >= 1024 * unit && unit < 1e18)
		unit *= 1024;
	return unit;
}

/* The least round number that is not below v; half of it is round, too. */
static double round_up(double v)
{
	static const double round[] = { 1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10 };
	double p = pow(10, floor(log10(v)));

	for (size_t i = 0; i < ARRAY_SIZE(round); i++)
		if (v <= round[i] * p * (1 + 1e-12))
			return round[i] * p;
	return 10 * p;
}

/* 1000 KiB are not a round number of MiB. */
static double round_up_bytes(double v)
{
	double unit = chart_byte_unit(v), up = round_up(v / unit);

	return (up >= 1000 ? 1024 : up) * unit;
}

/* The steps of a logarithmic axis: powers of 2 of bytes, of 10 of others. */
static double chart_base_of(const struct axis *a)
{
	return in_bytes(a->unit) ? 2 : 10;
}

static void fit_log(struct axis *a, double least, double most)
{
	double base = log(chart_base_of(a));
	double first, last;

	if (!(least > 0))
		least = most > 0 ? most : 1;
	if (!(most >= least))
		most = least;
	/* A small margin, so that a power is its own end. */
	first = floor(log(least) / base + 1e-9);
	last = ceil(log(most) / base - 1e-9);
	if (last <= first)
		last = first + 1;
	a->low = exp(first * base);
	a->high = exp(last * base);
}

void chart_axis_fit(struct axis *a, enum unit unit, bool log, double least,
		    double most)
{
	a->unit = unit;
	a->log = log;
	if (log) {
		fit_log(a, least, most);
		return;
	}
	a->low = 0;
	if (!(most > 0) || !isfinite(most))
		a->high = 1;
	else if (unit == UNIT_PCT && most > 50 && most <= 100)
		a->high = 100;
	else
		a->high =
			in_bytes(unit) ? round_up_bytes(most) : round_up(most);
}

double chart_axis_part(const struct axis *a, double v)
{
	double part;

	if (isnan(v))
		return NAN;
	if (!a->log)
		part = v / a->high;
	else if (v <= a->low)
		part = 0;
	else
		part = log(v / a->low) / log(a->high / a->low);
	return fmin(fmax(part, 0), 1);
}

/* Make equal steps of by powers; the last step may be shorter. */
static size_t log_ticks(const struct axis *a, size_t room, double *tick)
{
	double base = log(chart_base_of(a));
	long steps = lround(log(a->high / a->low) / base);
	long by = (steps + (long)room - 2) / ((long)room - 1);
	size_t n = 0;

	if (by < 1)
		by = 1;
	/* 1, 2, 5, 10: a power of ten or 1024 stays one. */
	if (by > 2 && by < 5)
		by = 5;
	if (by > 5)
		by = (by + 9) / 10 * 10;
	for (long i = 0; i < steps && n + 1 < room; i += by)
		tick[n++] = a->low * exp((double)i * base);
	/* Labels that are too close to each other would look equal. */
	if (n > 1 && steps % by && steps % by < (by + 1) / 2)
		n--;
	tick[n++] = a->high;
	return n;
}

size_t chart_axis_ticks(const struct axis *a, size_t room, double *tick)
{
	size_t n = 2;

	if (room > AXIS_TICKS)
		room = AXIS_TICKS;
	if (room < 2)
		room = 2;
	if (a->log)
		return log_ticks(a, room, tick);
	/* Halve the steps again while there is room. */
	while (2 * n - 1 <= room && n < 9)
		n = 2 * n - 1;
	for (size_t i = 0; i < n; i++)
		tick[i] = a->high * (double)i / (double)(n - 1);
	return n;
}

/* --- time --- */

/*
 * The usual length of an interval: the median of the last few, because the last
 * one of a run is cut short.
 */
static double frame_length_s(const struct history *h)
{
	double s[5], v;
	size_t n = 0;

	for (size_t age = 0; age < history_count(h) && n < 5; age++) {
		size_t at = n;

		v = history_interval(h, age);
		if (!(v > 0))
			continue;
		for (; at && s[at - 1] > v; at--)
			s[at] = s[at - 1];
		s[at] = v;
		n++;
	}
	return n ? s[n / 2] : NAN;
}

/*
 * Draw the frames of a short history as wide as the chart has room for all of
 * them. 0 cells: one cell each. Returns the seconds of a cell.
 */
static double widened_s(const struct ui_view *view, double frame_s, int cells)
{
	const struct history *h = view->history;
	size_t n = history_count(h);
	double span_s =
		n ? history_t(h, 0) - history_t(h, n - 1) + frame_s : frame_s;

	/* With another log, both charts have the same columns of time. */
	if (view->other)
		return frame_s;
	/* A late frame takes no cell from the others. */
	return frame_s / fmax(1, floor(frame_s * cells / span_s + 0.01));
}

/* The seconds of a column on a chart of that many cells. */
static double cell_s(const struct ui *ui, int cells)
{
	double frame_s = frame_length_s(ui->view->history);
	bool dots = ui->graph.braille && !screen_look.ascii;

	if (ui->graph.cell_s > 0)
		return ui->graph.cell_s;
	if (!(frame_s > 0))
		frame_s = ui->view->interval_s > 0 ? ui->view->interval_s : 1;
	return dots ? frame_s * 2 : widened_s(ui->view, frame_s, cells);
}

struct chart chart_of(const struct ui *ui, int cells, int per)
{
	double step = cell_s(ui, cells), end = history_t(ui->view->history, 0);
	struct chart c = { .columns = cells > 0 ? cells * per : 0 };

	if (ui->view->other && history_count(ui->view->other->history))
		end = fmax(end, history_t(ui->view->other->history, 0) +
					ui->view->other->shift_s);
	if (isnan(end))
		end = 0;
	/* Move the chart back so that the cursor is at its left edge. */
	if (ui->graph.cursor && ui->graph.cursor_s < end - step * (cells - 0.5))
		end = ui->graph.cursor_s + step * (cells - 0.5);
	c.step_s = step / per;
	c.start_s = end - step * cells;
	return c;
}

int chart_column(const struct chart *c, double t_s)
{
	double column = floor((t_s - c->start_s) / c->step_s);

	/* The end of a frame belongs to the column before it. */
	if (fabs(t_s - c->start_s - column * c->step_s) < c->step_s * 1e-6)
		column--;
	return (int)units_whole(column, -1, c->columns);
}

int chart_first_column(const struct chart *c, double begin_s)
{
	return chart_column(c, begin_s + c->step_s * 1e-3);
}

double chart_end_s(const struct chart *c)
{
	return c->start_s + c->step_s * c->columns;
}

bool chart_ages(const struct chart *c, const struct history *h, double shift_s,
		size_t *oldest, size_t *newest)
{
	size_t n = history_count(h), low = 0, high = n;

	/*
	 * Times fall with the age: find the newest frame that begins before the
	 * end of the chart.
	 */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (history_t(h, middle) - history_interval(h, middle) +
			    shift_s >=
		    chart_end_s(c))
			low = middle + 1;
		else
			high = middle;
	}
	*newest = low;
	high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (history_t(h, middle) + shift_s > c->start_s)
			low = middle + 1;
		else
			high = middle;
	}
	*oldest = low ? low - 1 : 0;
	return low > *newest;
}

double chart_value(const struct history *h, double t_s,
		   const struct graph_series *s)
{
	size_t age = isnan(t_s) ? 0 : history_find(h, t_s);

	return age == SIZE_MAX
		       ? NAN
		       : history_number(h, age, s->schema, s->row, s->field);
}

void chart_fill(const struct chart *c, const struct history *h, double shift_s,
		const struct graph_series *s, double *out)
{
	int *count = xcalloc((size_t)c->columns + 1, sizeof(*count));
	size_t oldest, newest;

	for (int x = 0; x < c->columns; x++)
		out[x] = NAN;
	if (!chart_ages(c, h, shift_s, &oldest, &newest)) {
		free(count);
		return;
	}
	for (size_t age = oldest + 1; age-- > newest;) {
		double v = history_number(h, age, s->schema, s->row, s->field);
		double end = history_t(h, age) + shift_s;
		double begin = end - history_interval(h, age);
		int middle = chart_column(c, (begin + end) / 2);
		int last = chart_column(c, end);

		if (isnan(v))
			continue;
		/* Fill columns that hold the middle of no frame. */
		for (int x = chart_first_column(c, begin); x <= last; x++)
			if (x >= 0 && x < c->columns && !count[x])
				out[x] = v;
		if (middle < 0 || middle >= c->columns)
			continue;
		out[middle] = count[middle] ? (out[middle] * count[middle] +
					       v) / (count[middle] + 1)
					    : v;
		count[middle]++;
	}
	free(count);
}

static void chart_line(const struct area *a, int x, unsigned code,
		       enum role role)
{
	if (x < a->left || x >= a->left + a->columns)
		return;
	for (int y = a->top; y < a->top + a->lines; y++)
		screen_char(y, x, role, code);
}

/* Whether b is a or one of its parents in the tree of devices. */
static bool chart_lies_on(const struct frame *f, const char *a, const char *b)
{
	/* A log may have a circle. */
	for (int depth = 0; a && depth < 16; depth++) {
		const struct row *row;

		if (!strcmp(a, b))
			return true;
		row = frame_find(f, SCHEMA_DEVICE, a);
		a = row ? row_text(SCHEMA_DEVICE, row, "parent") : NULL;
	}
	return false;
}

static bool of_one_stack(const struct frame *f, const char *a, const char *b)
{
	return chart_lies_on(f, a, b) || chart_lies_on(f, b, a);
}

/* Whether one of the disks of a job is of the device's stack. */
static bool job_is_on(const struct frame *f, const char *job,
		      const char *device)
{
	const struct row *row = frame_find(f, SCHEMA_JOB, job);
	const char *text = row ? row_text(SCHEMA_JOB, row, "device") : NULL;
	char disks[256], *save = NULL;

	/* The disks are unknown, or the job has ended. */
	if (!text || !*text)
		return true;
	text_set(disks, text);
	for (char *d = strtok_r(disks, " ", &save); d;
	     d = strtok_r(NULL, " ", &save))
		if (of_one_stack(f, d, device))
			return true;
	return false;
}

/* Whether an event concerns the series; events of "vm" concern all. */
static bool chart_concerns(const struct ui_view *view,
			   const struct graph_series *series, size_t n,
			   const struct event *e)
{
	const struct frame *f = view->frame;

	if (!*e->device || !f || !strcmp(e->device, "vm"))
		return true;
	for (size_t i = 0; i < n; i++)
		if (series[i].schema == SCHEMA_DEVICE
			    ? of_one_stack(f, series[i].row, e->device)
			    : series[i].schema != SCHEMA_JOB ||
				      job_is_on(f, series[i].row, e->device))
			return true;
	return n == 0;
}

/* The series and the cells of a chart. */
struct marked {
	const struct graph_series *series;
	size_t n;
	const struct chart *chart;
	const struct area *area;
	int per;
};

/* Draw the events of one log. */
static void events_of(struct ui *ui, const struct history *h, double shift_s,
		      bool other, const struct marked *m)
{
	const struct chart *c = m->chart;
	const struct area *a = m->area;
	unsigned code = screen_look.ascii ? (other ? ':' : '|')
			: other           ? 0x250a
					  : 0x2502;
	size_t oldest, newest, n;

	if (!chart_ages(c, h, shift_s, &oldest, &newest))
		return;
	for (size_t age = oldest + 1; age-- > newest;) {
		const struct event *e = history_events(h, age, &n);

		for (size_t i = 0; i < n; i++) {
			char letter = chart_event_letter(ui->view, &e[i]);
			int column = chart_column(c, e[i].t_s + shift_s);
			int x = a->left + column / m->per;

			if (!letter || column < 0 || column >= c->columns ||
			    !chart_concerns(ui->view, m->series, m->n, &e[i]))
				continue;
			chart_line(a, x, code, ROLE_MARK);
			screen_char(a->top, x, ROLE_MARK,
				    (unsigned char)letter);
		}
	}
}

void chart_events(struct ui *ui, const struct graph_series *series, size_t n,
		  const struct chart *c, const struct area *a, int per)
{
	const struct marked m = { series, n, c, a, per };
	const struct ui_view *view = ui->view;
	const struct ui_other *o = view->other;

	if (o) {
		struct ui_view there = *view;

		there.effect = o->effect;
		there.n_effects = o->n_effects;
		there.frame = o->frame;
		ui->view = &there;
		events_of(ui, o->history, o->shift_s, true, &m);
		ui->view = view;
	}
	events_of(ui, view->history, 0, false, &m);
}

void chart_cursor(struct ui *ui, const struct chart *c, const struct area *a,
		  int per)
{
	int column;

	if (!ui->graph.cursor)
		return;
	column = chart_column(c, ui->graph.cursor_s);
	if (column >= 0 && column < c->columns)
		chart_line(a, a->left + column / per,
			   screen_look.ascii ? '!' : 0x2503, ROLE_STRONG);
}

void chart_ruler(const struct chart *c, int y, int left, int cells)
{
	double end = chart_end_s(c), start = fmin(fmax(c->start_s, 0), end);
	double middle = (start + end) / 2;
	double cell_s = (end - c->start_s) / cells;
	int at = (int)units_whole((start - c->start_s) / cell_s, 0, cells);

	if (cells < 16)
		return;
	screen_right(y, left, cells, ROLE_DIM, units_span(end).text);
	if (at < cells - 12)
		screen_put(y, left + at, 10, ROLE_DIM, units_span(start).text);
	if (cells - at >= 40)
		screen_put(
			y,
			left + (int)units_whole((middle - c->start_s) / cell_s,
						0, cells),
			10, ROLE_DIM, units_span(middle).text);
}

void chart_cursor_at(struct ui *ui, double t_s)
{
	size_t n = ui->view->history ? history_count(ui->view->history) : 0;
	size_t age = n ? history_find(ui->view->history, t_s) : SIZE_MAX;

	if (!n)
		return;
	/* In a gap: take the first frame after it. */
	if (age == SIZE_MAX)
		for (age = n - 1;
		     age && history_t(ui->view->history, age) < t_s;)
			age--;
	ui->graph.cursor = true;
	ui->graph.cursor_s = history_t(ui->view->history, age);
}

/* Move the cursor by step frames; past the newest frame, switch it off. */
static void chart_move_cursor(struct ui *ui, long step)
{
	size_t n = history_count(ui->view->history), age = 0;
	long to;

	if (!n)
		return;
	if (ui->graph.cursor) {
		age = history_find(ui->view->history, ui->graph.cursor_s);
		if (age == SIZE_MAX)
			age = 0;
	}
	to = (long)age - step;
	if (to < 0) {
		ui->graph.cursor = false;
		return;
	}
	if (to >= (long)n)
		to = (long)n - 1;
	ui->graph.cursor = true;
	ui->graph.cursor_s = history_t(ui->view->history, (size_t)to);
}

/* Double or halve the time of a column, from one frame to an hour. */
static void zoom(struct ui *ui, double factor)
{
	double s = cell_s(ui, 0) * factor;

	ui->graph.cell_s = fmin(fmax(s, 0.005), 3600);
}

/* False: another key than those of the charts, or no history. */
static bool chart_key(struct ui *ui, int key)
{
	static const struct {
		int key[2];
		long step;
	} moves[] = {
		{ { KEY_LEFT, 'h' }, -1 },
		{ { KEY_RIGHT, 'l' }, 1 },
		{ { KEY_HOME, 0 }, -100000000 },
		{ { KEY_END, 0 }, 100000000 },
	};

	if (!ui->view->history)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(moves); i++)
		if (key == moves[i].key[0] || key == moves[i].key[1]) {
			chart_move_cursor(ui, moves[i].step);
			return true;
		}
	if (key == 27 && ui->graph.cursor && !ui->zoom) {
		ui->graph.cursor = false;
		return true;
	}
	if (key == '(' || key == ')')
		zoom(ui, key == '(' ? 2 : 0.5);
	return key == '(' || key == ')';
}

void chart_act_key(struct ui *ui)
{
	chart_key(ui, ui->key);
}

bool chart_event_same(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->t_s == b->t_s &&
	       !strcmp(a->device, b->device) && !strcmp(a->knob, b->knob) &&
	       !strcmp(a->job, b->job);
}

size_t chart_event_effect(const struct ui_view *view, const struct event *e)
{
	size_t i = 0;

	while (i < view->n_effects &&
	       !chart_event_same(&view->effect[i].event, e))
		i++;
	return i;
}

char chart_event_letter(const struct ui_view *view, const struct event *e)
{
	size_t i = chart_event_effect(view, e);

	if (i < view->n_effects)
		return (char)('A' + i % 26);
	return e->kind == EVENT_MARK          ? 'm'
	       : e->kind == EVENT_ALARM_BEGIN ? '!'
	       : e->kind == EVENT_JOB_START   ? '+'
	       : e->kind == EVENT_JOB_STOP    ? '-'
					      : 0;
}

bool chart_escape(struct ui *ui, int key)
{
	return key == 27 && chart_key(ui, key);
}

/* A click moves the cursor; the wheel works as Left and Right. */
bool chart_click(struct ui *ui, int line, int column, enum click click)
{
	const struct area *a = &ui->area[ui->focus];
	struct chart c = chart_of(ui, a->columns - CHART_GUTTER, 1);

	if (click != CLICK)
		return chart_key(ui, click == CLICK_WHEEL_UP ? KEY_LEFT
							     : KEY_RIGHT);
	if (!ui->view->history || line < 1 || column < CHART_GUTTER)
		return false;
	chart_cursor_at(ui,
			c.start_s + (column - CHART_GUTTER + 0.5) * c.step_s);
	return true;
}
