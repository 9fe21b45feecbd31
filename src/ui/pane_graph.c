/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graph pane: one field of one job or device over the recent frames, a frame
 * per column (two with braille), the newest at the right.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/state.h"

#define GUTTER 8

/* What the key leafs through; the first that ever moved is shown at first. */
static const char *const device_fields[] = {
	"read_iops",         "write_iops",       "read_bytes_per_s",
	"write_bytes_per_s", "read_await_ns",    "write_await_ns",
	"queue_size",        "util_pct",         "queue_depth",
	"read_size_bytes",   "write_size_bytes", NULL
};
static const char *const job_fields[] = {
	"read_iops",         "write_iops",  "sync_iops",   "read_bytes_per_s",
	"write_bytes_per_s", "read_p50_ns", "read_p99_ns", "write_p50_ns",
	"write_p99_ns",      "sync_p99_ns", NULL
};

/* What is on the graph now. */
struct subject {
	enum schema_id schema;
	const char *row;
	int field;
};

static const char *const *field_list(enum schema_id schema)
{
	return schema == SCHEMA_JOB ? job_fields : device_fields;
}

static bool moves(const struct ui_view *view, const struct subject *s)
{
	for (size_t age = 0; age < 60; age++)
		if (history_number(view->history, age, s->schema, s->row,
				   s->field) > 0)
			return true;
	return false;
}

/* The job that was chosen, else the first; NULL when there is none. */
static const char *job_row(const struct ui *ui, const struct ui_view *view)
{
	const struct table *t = &view->frame->table[SCHEMA_JOB];

	if (*ui->graph.job &&
	    frame_find(view->frame, SCHEMA_JOB, ui->graph.job))
		return ui->graph.job;
	return t->n ? t->row[0].id : NULL;
}

static double busy(const struct row *row)
{
	double v = row_number(SCHEMA_DEVICE, row, "util_pct");

	return isnan(v) ? 0 : v;
}

/* The disk of the shown job: what it is all about. */
static const char *job_device(const struct ui *ui, const struct ui_view *view)
{
	const char *job = job_row(ui, view), *device;

	if (!job)
		return NULL;
	device = row_text(SCHEMA_JOB, frame_find(view->frame, SCHEMA_JOB, job),
			  "device");
	return device && frame_find(view->frame, SCHEMA_DEVICE, device) ? device
									: NULL;
}

/*
 * Nobody has selected a device: the one that the job loads; without a job keep
 * the busiest of the moment until it comes to rest, so that the graph does not
 * jump between equals.
 */
static void pick_device(struct ui *ui, const struct ui_view *view)
{
	const struct table *t = &view->frame->table[SCHEMA_DEVICE];
	const struct row *kept = NULL, *best = NULL;
	const char *loaded = job_device(ui, view);

	if (loaded) {
		text_copy(ui->graph.device, sizeof(ui->graph.device), loaded);
		return;
	}
	for (size_t i = 0; i < t->n; i++) {
		if (!strcmp(t->row[i].id, ui->graph.device))
			kept = &t->row[i];
		if (!best || busy(&t->row[i]) > busy(best))
			best = &t->row[i];
	}
	if (best && (!kept || (busy(kept) == 0 && busy(best) > 0)))
		text_copy(ui->graph.device, sizeof(ui->graph.device), best->id);
}

/* The device that was selected, else the picked one. */
static const char *device_row(const struct ui *ui)
{
	const struct table_state *t = &ui->table[PANE_DEVICE];

	if (t->moved && *t->selected)
		return t->selected;
	return *ui->graph.device ? ui->graph.device : NULL;
}

static bool find_subject(const struct ui *ui, const struct ui_view *view,
			 struct subject *s)
{
	const char *const *list;
	int i;

	s->schema = SCHEMA_JOB;
	s->row = ui->graph.on_device ? NULL : job_row(ui, view);
	if (!s->row) {
		s->schema = SCHEMA_DEVICE;
		s->row = device_row(ui);
	}
	if (!s->row)
		return false;
	list = field_list(s->schema);
	i = ui->graph.field[s->schema];
	s->field = schema_field(s->schema, list[i > 0 ? i - 1 : 0]);
	/* Nobody has chosen: whatever moves. */
	for (int k = 0; i == 0 && k < 3; k++) {
		struct subject other = *s;

		other.field = schema_field(s->schema, list[k]);
		if (moves(view, &other)) {
			*s = other;
			break;
		}
	}
	return true;
}

int pane_graph_want(struct ui *ui, const struct ui_view *view)
{
	struct subject s;

	if (!view->frame || !view->history || !history_count(view->history))
		return 0;
	pick_device(ui, view);
	if (!find_subject(ui, view, &s))
		return 0;
	return 14;
}

void pane_graph_next_field(struct ui *ui, const struct ui_view *view)
{
	struct subject s;
	const char *const *list;
	int at = 0, n = 0;

	if (!view->frame || !view->history || !find_subject(ui, view, &s))
		return;
	list = field_list(s.schema);
	for (; list[n]; n++)
		if (schema_field(s.schema, list[n]) == s.field)
			at = n;
	ui->graph.field[s.schema] = (at + 1) % n + 1;
}

void pane_graph_next_row(struct ui *ui, const struct ui_view *view)
{
	const struct table *t;
	const char *job;

	if (!view->frame)
		return;
	t = &view->frame->table[SCHEMA_JOB];
	if (ui->graph.on_device || !t->n) {
		ui->graph.on_device = false;
		ui->graph.job[0] = '\0';
		return;
	}
	job = job_row(ui, view);
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].id, job)) {
			if (i + 1 < t->n)
				text_copy(ui->graph.job, sizeof(ui->graph.job),
					  t->row[i + 1].id);
			else
				ui->graph.on_device = true;
			return;
		}
}

/* The least round number that is not below v. */
static double round_up(double v)
{
	static const double round[] = { 1, 1.2, 1.5, 2, 3, 4, 5, 6, 8, 10 };
	double p;

	if (!(v > 0))
		return 1;
	p = pow(10, floor(log10(v)));
	for (size_t i = 0; i < ARRAY_SIZE(round); i++)
		if (v <= round[i] * p)
			return round[i] * p;
	return 10 * p;
}

static void format(char *buf, size_t size, const struct field *f, double v)
{
	if (strstr(f->key, "bytes"))
		units_format_bytes(buf, size, v);
	else if (strstr(f->key, "_ns"))
		units_format_ns(buf, size, v);
	else
		units_format_count(buf, size, v);
}

static double value_at(const struct ui_view *view, const struct subject *s,
		       size_t age)
{
	return history_number(view->history, age, s->schema, s->row, s->field);
}

/* The character of one cell; up is the row from the bottom. */
static unsigned block(bool ascii, double height, int up)
{
	double part = height - up;
	int eighths = (int)lround(part * 8);

	/* What is more than nothing shows. */
	if (up == 0 && height > 0 && eighths == 0)
		eighths = 1;
	if (eighths <= 0)
		return ' ';
	if (ascii)
		return eighths >= 6 ? '#' : eighths >= 3 ? ':' : '.';
	return eighths >= 8 ? 0x2588 : 0x2580u + (unsigned)eighths;
}

static unsigned braille(double left, double right, int up)
{
	static const unsigned bits[2][4] = { { 0x40, 0x04, 0x02, 0x01 },
					     { 0x80, 0x20, 0x10, 0x08 } };
	double height[2] = { left, right };
	unsigned code = 0;

	for (int side = 0; side < 2; side++)
		for (int dot = 0; dot < 4; dot++)
			if (height[side] - up > dot / 4.0)
				code |= bits[side][dot];
	return code ? 0x2800 + code : ' ';
}

/* One column of cells; heights in cells, right is for braille only. */
static void draw_column(struct ui *ui, const struct area *a, int x, double left,
			double right, enum role role)
{
	bool dots = ui->graph.braille && !ui->screen.ascii;

	for (int up = 0; up < a->lines - 1; up++) {
		unsigned code = dots ? braille(left, right, up)
				     : block(ui->screen.ascii, right, up);

		if (code != ' ')
			screen_char(&ui->screen, a->top + a->lines - 1 - up, x,
				    role, code);
	}
}

/* A line from top to bottom behind the bars, its letter at the top. */
static void draw_events(struct ui *ui, const struct ui_view *view,
			const struct area *a, int x, size_t age)
{
	size_t n;
	const struct event *e = history_events(view->history, age, &n);

	for (size_t i = 0; i < n; i++) {
		char letter = pane_event_letter(view, &e[i]);

		if (!letter)
			continue;
		for (int y = a->top + 1; y < a->top + a->lines; y++)
			screen_char(&ui->screen, y, x, ROLE_MARK,
				    ui->screen.ascii ? '|' : 0x2502);
		screen_char(&ui->screen, a->top + 1, x, ROLE_MARK,
			    (unsigned char)letter);
		return;
	}
}

static double height_of(double v, double max, int lines)
{
	return isnan(v) ? 0 : v / max * lines;
}

/* The topmost line is for letters, so the scale ends below it. */
static void draw_scale(struct ui *ui, const struct area *a,
		       const struct field *f, double max)
{
	char buf[24];

	format(buf, sizeof(buf), f, max);
	screen_right(&ui->screen, a->top + 2, a->left, GUTTER - 1, ROLE_DIM,
		     buf);
	if (a->lines >= 8) {
		format(buf, sizeof(buf), f, max / 2);
		screen_right(&ui->screen, a->top + 2 + (a->lines - 2) / 2,
			     a->left, GUTTER - 1, ROLE_DIM, buf);
	}
	screen_right(&ui->screen, a->top + a->lines - 1, a->left, GUTTER - 1,
		     ROLE_DIM, "0");
}

static void draw_head(struct ui *ui, const struct ui_view *view,
		      const struct subject *s, double most, size_t frames)
{
	const struct field *f = &schemas[s->schema]->fields[s->field];
	char head[256], now[24], high[24], span[24];
	double seconds = history_t(view->history, 0) -
			 history_t(view->history, frames - 1);

	format(now, sizeof(now), f, value_at(view, s, 0));
	format(high, sizeof(high), f, most);
	units_format_span(span, sizeof(span), seconds);
	snprintf(head, sizeof(head), "graph  %s %s %s  now %s  max %s  over %s",
		 schemas[s->schema]->name, s->row, f->title, now, high, span);
	pane_head(ui, PANE_GRAPH, head);
}

void pane_graph(struct ui *ui, const struct ui_view *view, struct area a)
{
	bool dots = ui->graph.braille && !ui->screen.ascii;
	int width = a.columns - GUTTER, per = dots ? 2 : 1;
	size_t frames = history_count(view->history);
	struct subject s;
	double most = 0, max;

	if (!find_subject(ui, view, &s) || width < 4)
		return;
	if (frames > (size_t)(width * per))
		frames = (size_t)(width * per);
	for (size_t age = 0; age < frames; age++) {
		double v = value_at(view, &s, age);

		most = v > most ? v : most;
	}
	max = round_up(most);
	draw_head(ui, view, &s, most, frames);
	draw_scale(ui, &a, &schemas[s.schema]->fields[s.field], max);
	for (size_t age = 0; age < frames; age += (size_t)per) {
		int x = a.left + a.columns - 1 - (int)age / per;
		double right = value_at(view, &s, age);
		double left = dots ? value_at(view, &s, age + 1) : NAN;
		const char *key = schemas[s.schema]->fields[s.field].key;

		draw_events(ui, view, &a, x, age);
		if (dots)
			draw_events(ui, view, &a, x, age + 1);
		draw_column(ui, &a, x, height_of(left, max, a.lines - 2),
			    height_of(right, max, a.lines - 2),
			    !strncmp(key, "read", 4)    ? ROLE_READ
			    : !strncmp(key, "write", 5) ? ROLE_WRITE
							: ROLE_WAIT);
	}
}
