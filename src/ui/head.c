/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Head: the machine in three lines, and the alarms that hold. Each line is a
 * row of segments; those that do not fit are left out from the right.
 */
#include "ui/pane.h"

#include <curses.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "model/alarms.h"
#include "ui/state.h"

static double cpu(const struct ui_view *view, const char *key)
{
	return frame_number(view->frame, SCHEMA_CPU, "all", key);
}

static double head_memory(const struct ui_view *view, const char *key)
{
	const struct table *t = &view->frame->table[SCHEMA_MEMORY];

	return t->n ? row_number(SCHEMA_MEMORY, &t->row[0], key) : NAN;
}

static double pressure(const struct ui_view *view, const char *row,
		       const char *key)
{
	return frame_number(view->frame, SCHEMA_PRESSURE, row, key);
}

/* " 12.3", or "    -". */
static const char *pct(char *buf, size_t size, double v)
{
	if (isnan(v))
		snprintf(buf, size, "    -");
	else
		snprintf(buf, size, "%5.1f", v);
	return buf;
}

/* A label and its value; returns the cells taken, 0 when it does not fit. */
static int segment(int y, int x, int columns, enum role role, const char *label,
		   const char *value)
{
	int n = screen_cells(label) + screen_cells(value);

	if (x + n > columns)
		return 0;
	x += screen_put(y, x, columns - x, ROLE_DIM, label);
	screen_put(y, x, columns - x, role, value);
	return n;
}

/*
 * A position in a replay: "1:30", or "1:30.25" where frames are shorter than a
 * second; "-0:05" before the log begins.
 */
static const char *head_position(char *buf, size_t size, double s,
				 double interval_s)
{
	double parts = interval_s > 0 && interval_s < 1 ? 100 : 1;
	double n = floor(fabs(s) * parts + 0.5);
	const struct text_short span = units_span(floor(n / parts));

	if (parts > 1 && !isnan(s))
		snprintf(buf, size, "%s%.24s.%02d", s < 0 && n > 0 ? "-" : "",
			 span.text, (int)units_whole(fmod(n, parts), 0, 99));
	else
		snprintf(buf, size, "%s%.24s", s < 0 && n > 0 ? "-" : "",
			 span.text);
	return buf;
}

/* The position in a replay, or the interval and the time of day. */
static void clock_words(const struct ui_view *view, char *buf, size_t size)
{
	const uint64_t wall_ns = view->frame->wall_ns;
	struct text_short clock = { "" };
	char at[32];

	if (view->replay) {
		bool live =
			view->following && view->position_s >= view->length_s;

		if (COLS >= 60)
			clock = clock_local(wall_ns, COLS >= 100);
		snprintf(buf, size, "%s%sreplay %s/%s x%.3g%s", clock.text,
			 *clock.text ? "  " : "",
			 head_position(at, sizeof(at), view->position_s,
				       view->interval_s),
			 units_span(view->length_s).text, view->speed,
			 view->paused ? " PAUSED"
			 : live       ? " LIVE"
				      : "");
		return;
	}
	/* No room for the time of day. */
	if (COLS >= 60)
		clock = clock_local(wall_ns, false);
	snprintf(buf, size, "%severy %.4gs  %s  %s",
		 view->paused ? "PAUSED  " : "", view->interval_s,
		 units_span(view->frame->t_s).text, clock.text);
}

void head_title(struct ui *ui, int columns)
{
	const char *title = ui->view->title ? ui->view->title : "";
	char words[128];
	int n, room;

	clock_words(ui->view, words, sizeof(words));
	n = (int)strlen(words);
	room = columns - n - 1;
	if (room > 8) {
		int x = screen_put(0, 0, room, ROLE_TITLE, "iodyno ");

		screen_put(0, x + 1, room - x - 1, ROLE_TEXT,
			   *ui->no_room && LINES < STATUS_LINES ? ui->no_room
								: title);
	}
	screen_right(0, 0, columns, ui->view->paused ? ROLE_ALERT : ROLE_DIM,
		     words);
}

/* The totals of the disks; each I/O counts once. */
static void draw_disks(struct ui *ui, int y, int x, int columns)
{
	static const struct {
		const char *label, *iops, *bytes;
	} sides[] = { { "  r ", "read_iops", "read_bytes_per_s" },
		      { "  w ", "write_iops", "write_bytes_per_s" } };

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		double iops = frame_total(ui->view->frame, sides[i].iops);
		double bytes = frame_total(ui->view->frame, sides[i].bytes);
		char words[80];

		if (columns >= 126)
			snprintf(words, sizeof(words), "%5s/s %7s/s",
				 units_count(iops).text,
				 units_bytes(bytes).text);
		else
			snprintf(words, sizeof(words), "%5s/s",
				 screen_bytes(bytes).text);
		x += segment(y, x, columns, i ? ROLE_WRITE : ROLE_READ,
			     i == 0 && columns >= 126 ? "  disks r "
						      : sides[i].label,
			     words);
	}
}

/*
 * Shares that add up to 100: on a narrow screen nice is within us, interrupts
 * are within sy; the help says so.
 */
static const struct {
	const char *label, *key, *with;
	bool wide; /* a figure of its own on a wide screen only */
} shares[] = {
	{ " us", "user_pct", "nice_pct", false },
	{ "  ni", "nice_pct", NULL, true },
	{ "  sy", "system_pct", "irq_pct", false },
	{ "  ir", "irq_pct", NULL, true },
	{ "  wa", "iowait_pct", NULL, false },
	{ "  st", "steal_pct", NULL, false },
	{ "  id", "idle_pct", NULL, false },
};

static double share_of(const struct ui_view *view, size_t i, bool wide)
{
	double v = cpu(view, shares[i].key), with;

	if (wide || !shares[i].with)
		return v;
	with = cpu(view, shares[i].with);
	return isnan(with) ? v : v + with;
}

static int draw_load(struct ui *ui, int y, int x, int columns)
{
	double load = cpu(ui->view, "load_1m");
	char words[16] = "   -";

	if (!isnan(load))
		snprintf(words, sizeof(words), "%.*f",
			 load < 9.995   ? 2
			 : load < 99.95 ? 1
					: 0,
			 load);
	return segment(y, x, columns, ROLE_TEXT, "  load ", words);
}

static void draw_cpu(struct ui *ui, int y, int columns)
{
	struct bar_part part[PANE_CPU_PARTS];
	bool wide = columns >= 126;
	int x = 3, bar = columns - (wide ? 126 : 82);
	char buf[16];

	screen_put(y, 0, columns, ROLE_STRONG, "CPU");
	if (bar >= 8 && ui->view->frame != &ui_no_frame) {
		bar = bar > 42 ? 42 : bar;
		pane_cpu_parts(frame_find(ui->view->frame, SCHEMA_CPU, "all"),
			       1, part);
		screen_bar(y, x + 1, bar, part, PANE_CPU_PARTS);
		x += bar + 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		if (wide || !shares[i].wide)
			x += segment(y, x, columns, ROLE_TEXT, shares[i].label,
				     pct(buf, sizeof(buf),
					 share_of(ui->view, i, wide)));
	x += draw_load(ui, y, x, columns);
	draw_disks(ui, y, x, columns);
}

/*
 * Tasks in state D. The kernel counts those that wait for a device, but none that
 * waits for a frozen file system or a server: of these there are rows.
 */
static double head_blocked(const struct ui_view *view)
{
	const struct table *t = &view->frame->table[SCHEMA_TASK];
	const int state = schema_field(SCHEMA_TASK, "state");
	double n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const char *text = t->row[i].value[state].text;

		/* Threads have rows below their process. */
		n += text && *text == 'D' && !strchr(t->row[i].id, '/');
	}
	return n > 0 ? fmax(cpu(view, "tasks_blocked"), n) :
		       cpu(view, "tasks_blocked");
}

/* Draw a count of tasks. */
static int draw_tasks(int y, int x, int columns, const char *label, double v,
		      enum role role)
{
	char words[16] = "-";

	if (!isnan(v))
		snprintf(words, sizeof(words), "%.0f", v);
	return segment(y, x, columns, v > 0 ? role : ROLE_TEXT, label, words);
}

/* The role of a value by its two limits. */
static enum role head_level(double v, double high, double severe)
{
	return v >= severe ? ROLE_ALERT : v >= high ? ROLE_HIGH : ROLE_TEXT;
}

/* Draw a bar of one cell over the blank there: part of what is an alarm. */
static void head_bar(int y, int x, enum role role, double part)
{
	if (part >= 0.125 && !screen_look.ascii)
		screen_step(y, x, role, part);
}

static void head_draw_pressure(struct ui *ui, int y, int *x, int columns)
{
	static const struct {
		const char *label, *row;
		bool full;
	} lines[] = { { "PSI io", "io", true },
		      { "  mem", "memory", true },
		      { "  cpu", "cpu", false } };

	if (!ui->view->frame->table[SCHEMA_PRESSURE].n) {
		*x += segment(y, *x, columns, ROLE_DIM, "PSI ",
			      ui->view->frame != &ui_no_frame
				      ? "off in this kernel"
				      : "-");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		double some = pressure(ui->view, lines[i].row, "some_pct");
		double full = pressure(ui->view, lines[i].row, "full_pct"),
		       worst;
		char a[16], b[16], words[40];
		int n;

		snprintf(a, sizeof(a), isnan(some) ? "-" : "%.1f", some);
		snprintf(b, sizeof(b), isnan(full) ? "-" : "%.1f", full);
		if (lines[i].full)
			snprintf(words, sizeof(words), "%5s/%s", a, b);
		else
			snprintf(words, sizeof(words), "%5s", a);
		worst = fmax(some / 3, frame_or_0(full));
		n = segment(y, *x, columns, head_level(worst, 10, 30),
			    lines[i].label, words);
		if (n && *words == ' ')
			head_bar(y, *x + (int)strlen(lines[i].label),
				 head_level(worst, 10, 30), worst / 30);
		*x += n;
	}
}

/* The same for bytes. */
static int head_bytes(int y, int x, int columns, enum role role,
		      const char *label, double bytes)
{
	return segment(y, x, columns, role, label,
		       text_shortly("%5s", screen_bytes(bytes).text).text);
}

/* The memory that is left; where little is, it stands further to the left. */
static int head_draw_available(struct ui *ui, int y, int x, int columns,
			       bool little)
{
	const double left = head_memory(ui->view, "available_bytes");
	const enum role role = head_level(
		1 - left / head_memory(ui->view, "total_bytes"), 0.9, 0.95);

	if (little != (role != ROLE_TEXT))
		return 0;
	return head_bytes(y, x, columns, role, "  avail ", left);
}

static void head_draw_memory(struct ui *ui, int y, int x, int columns)
{
	static const char dirty_label[] = "  dirty ";
	const double swap = head_memory(ui->view, "swap_used_bytes");
	const double dirty = head_memory(ui->view, "dirty_bytes") /
			     head_memory(ui->view, "dirty_limit_bytes");
	char words[64];
	int n;

	x += draw_tasks(y, x, columns, "  D ", head_blocked(ui->view),
			ROLE_ALERT);
	snprintf(words, sizeof(words), "%5s/%s",
		 screen_bytes(head_memory(ui->view, "dirty_bytes")).text,
		 screen_bytes(head_memory(ui->view, "dirty_limit_bytes")).text);
	n = segment(y, x, columns, head_level(dirty, 0.7, 0.95), dirty_label,
		    words);
	if (n)
		head_bar(y, x + (int)sizeof(dirty_label) - 2,
			 head_level(dirty, 0.7, 0.95), dirty);
	x += n;
	if (swap > 0)
		x += head_bytes(y, x, columns,
				head_memory(ui->view, "swap_in_bytes_per_s") > 0
					? ROLE_ALERT
					: ROLE_HIGH,
				"  swap ", swap);
	x += head_draw_available(ui, y, x, columns, true);
	x += head_bytes(y, x, columns, ROLE_TEXT, "  wb ",
			head_memory(ui->view, "writeback_bytes"));
	x += draw_tasks(y, x, columns, "  run ", cpu(ui->view, "tasks_running"),
			ROLE_TEXT);
	x += head_draw_available(ui, y, x, columns, false);
	x += head_bytes(y, x, columns, ROLE_TEXT, "  cached ",
			head_memory(ui->view, "cached_bytes"));
	segment(y, x, columns, ROLE_TEXT, "  background writeback at ",
		screen_bytes(head_memory(ui->view, "dirty_background_bytes"))
			.text);
}

/* --- alarms --- */

/* Frames that are searched for the begin of an alarm. */
#define FRAMES_MAX 3600

static bool same_alarm(const struct event *a, const struct event *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->device, b->device) &&
	       !strcmp(a->job, b->job);
}

/* Read events from the newest on: the first event of an alarm decides. */
static void head_take_event(struct alarm_state *s, const struct event *e)
{
	if (e->kind != EVENT_ALARM_BEGIN && e->kind != EVENT_ALARM_END)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (same_alarm(&s->event[i], e))
			return;
	if (s->n < ALARMS_MAX)
		s->event[s->n++] = *e;
}

static void drop_ended(struct alarm_state *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->event[i].kind == EVENT_ALARM_BEGIN)
			s->event[n++] = s->event[i];
	s->n = n;
}

/* An alarm of a log that another version wrote may be unknown here. */
static int severity(const struct event *e)
{
	const struct alarm_rule *rule = alarms_rule_by_name(e->name);

	return rule ? (int)rule->severity : ALARM_WARNING;
}

/* The most severe first, then the newest, then in the order of the frame. */
static bool comes_before(const struct event *a, const struct event *b)
{
	int x = severity(a), y = severity(b);

	return x != y ? x > y : a->t_s > b->t_s;
}

/* Sort by comes_before(). Events were read backwards, so reverse them first. */
static void sort_alarms(struct alarm_state *s)
{
	for (size_t i = 0; i < s->n / 2; i++) {
		struct event swap = s->event[i];

		s->event[i] = s->event[s->n - 1 - i];
		s->event[s->n - 1 - i] = swap;
	}
	for (size_t i = 1; i < s->n; i++)
		for (size_t k = i; k > 0; k--) {
			struct event swap = s->event[k];

			if (!comes_before(&swap, &s->event[k - 1]))
				break;
			s->event[k] = s->event[k - 1];
			s->event[k - 1] = swap;
		}
}

void head_alarms_find(struct ui *ui)
{
	struct alarm_state *s = &ui->alarm;
	size_t frames =
		ui->view->history ? history_count(ui->view->history) : 0;
	double t = frames ? history_t(ui->view->history, 0) : -1;

	if (s->history == ui->view->history && s->t_s == t &&
	    s->frames == frames)
		return;
	s->history = ui->view->history;
	s->t_s = t;
	s->frames = frames;
	s->n = 0;
	for (size_t age = 0; age < frames && age < FRAMES_MAX; age++) {
		size_t n;
		const struct event *e =
			history_events(ui->view->history, age, &n);

		while (n-- > 0)
			head_take_event(s, &e[n]);
	}
	drop_ended(s);
	sort_alarms(s);
}

bool head_alarm_holds(const struct ui *ui, enum schema_id schema,
		      const char *id)
{
	const struct alarm_state *s = &ui->alarm;

	for (size_t i = 0; i < s->n; i++)
		if (((schema == SCHEMA_DEVICE || schema == SCHEMA_MOUNT) &&
		     !strcmp(s->event[i].device, id)) ||
		    (schema == SCHEMA_JOB && !strcmp(s->event[i].job, id)))
			return true;
	return false;
}

static const char *head_alarm_words(const struct ui *ui, size_t i, bool last,
				    char *buf, size_t size)
{
	const struct alarm_state *s = &ui->alarm;
	const struct event *e = &s->event[i];
	const struct alarm_rule *rule;
	const char *of;
	char more[40] = "", held[24];
	double s_held;

	buf[0] = '\0';
	if (i >= s->n)
		return buf;
	if (last && s->n > i + 1)
		snprintf(more, sizeof(more), " (+%zu more)", s->n - i - 1);
	/*
	 * The value of an alarm in seconds is how long it held when it began.
	 */
	rule = alarms_rule_by_name(e->name);
	s_held = s->t_s - e->t_s;
	if (rule && !strcmp(rule->unit, "s"))
		s_held += e->value;
	else if (rule)
		s_held += rule->hold_s;
	snprintf(held, sizeof(held), s_held < 600 ? "%.0fs" : "%.0fm",
		 s_held < 600 ? s_held : s_held / 60);
	of = *e->device ? e->device : e->job;
	snprintf(buf, size, "ALARM%s %s %s%s%s", more, held, of,
		 *of ? ": " : "", *e->text ? e->text : e->name);
	return buf;
}

/* --- all --- */

/* Draw a line for each alarm, up to a limit; returns the line below. */
static int draw_alarms(struct ui *ui, int y, int columns, size_t most)
{
	char words[320];

	for (size_t i = 0; i < most; i++) {
		if (!*head_alarm_words(ui, i, i + 1 == most, words,
				       sizeof(words)))
			break;
		screen_put(y++, 0, columns, ROLE_ALERT, words);
	}
	return y;
}

int head_draw(struct ui *ui, int lines, int columns)
{
	int y = 0, x = 0;

	draw_cpu(ui, ++y, columns);
	if (lines < 14)
		return draw_alarms(ui, y + 1, columns, 1);
	head_draw_pressure(ui, ++y, &x, columns);
	head_draw_memory(ui, y, x, columns);
	return draw_alarms(ui, y + 1, columns, lines < 20 ? 1 : lines / 10);
}
