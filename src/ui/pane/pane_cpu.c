/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU pane: a bar for each processor, with a letter for each use of its time;
 * memory, writeback and pressure below or beside the bars.
 *
 * Many processors are shown in columns; if there is still no room, neighbours
 * share a bar, which shows their mean.
 */
#include "ui/pane.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/state.h"

#define LABEL 7

static double pane_cpu_memory(const struct ui_view *view, const char *key)
{
	const struct table *t = &view->frame->table[SCHEMA_MEMORY];

	return t->n ? row_number(SCHEMA_MEMORY, &t->row[0], key) : NAN;
}

/* A word and the key of its value: "dirty 1.20G". */
struct figure_word {
	const char *word, *key;
	bool bytes;
};

static void pane_cpu_draw_words(struct ui *ui, int y, int x, int cells,
				const struct figure_word *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double v = pane_cpu_memory(ui->view, f[i].key);
		char text[64], number[24];
		int used;

		if (f[i].bytes || isnan(v))
			text_set(number, screen_bytes(v).text);
		else
			snprintf(number, sizeof(number), "%.0f", v);
		snprintf(text, sizeof(text), "%s %s", f[i].word, number);
		used = (int)strlen(text);
		if (used > cells)
			return;
		screen_put(y, x, cells, v > 0 ? ROLE_TEXT : ROLE_DIM, text);
		x += used + 2;
		cells -= used + 2;
	}
}

/* Draw the share of time in which tasks waited: f all, s some. */
static void pane_cpu_draw_pressure(struct ui *ui, const char *id, int y,
				   const struct area *a)
{
	double some =
		frame_number(ui->view->frame, SCHEMA_PRESSURE, id, "some_pct");
	double full =
		frame_number(ui->view->frame, SCHEMA_PRESSURE, id, "full_pct");
	double f = isnan(full) ? 0 : full;
	struct bar_part part[] = {
		{ f, ROLE_ALERT, 'f' },
		{ isnan(some) ? NAN : fmax(0, some - f), ROLE_WAIT, 's' },
	};
	int bar = a->columns - LABEL - 26;
	char label[16], text[40];

	snprintf(label, sizeof(label), "%.6s", id);
	screen_put(y, a->left, LABEL, ROLE_STRONG, label);
	if (isnan(some))
		snprintf(text, sizeof(text), "some    -");
	else if (isnan(full))
		snprintf(text, sizeof(text), "some %5.1f%%", some);
	else
		snprintf(text, sizeof(text), "some %5.1f%%  full %5.1f%%", some,
			 full);
	if (bar < 6) {
		screen_put(y, a->left + LABEL, a->columns - LABEL, ROLE_TEXT,
			   text);
		return;
	}
	screen_bar(y, a->left + LABEL, bar, part, 2);
	screen_put(y, a->left + LABEL + bar + 1, 25, ROLE_TEXT, text);
}

/* Draw dirty and writeback bytes as shares of the limit for writers. */
static void line_dirty(struct ui *ui, int y, const struct area *a)
{
	static const struct figure_word words[] = {
		{ "dirty", "dirty_bytes", true },
		{ "wb", "writeback_bytes", true },
		{ "bg", "dirty_background_bytes", true },
		{ "limit", "dirty_limit_bytes", true },
	};
	double limit = pane_cpu_memory(ui->view, "dirty_limit_bytes");
	struct bar_part part[] = {
		{ 100 * pane_cpu_memory(ui->view, "dirty_bytes") / limit,
		  ROLE_WRITE, 'd' },
		{ 100 * pane_cpu_memory(ui->view, "writeback_bytes") / limit,
		  ROLE_WAIT, 'w' },
	};
	int bar = a->columns - LABEL - 46, x = a->left + LABEL;

	screen_put(y, a->left, LABEL, ROLE_STRONG, "dirty");
	if (bar >= 8 && limit > 0) {
		screen_bar(y, x, bar, part, 2);
		x += bar + 1;
	}
	pane_cpu_draw_words(ui, y, x, a->left + a->columns - x, words,
			    ARRAY_SIZE(words));
}

/* The lines of the memory: .draw, figures, or without either a pressure. */
static const struct memory_line {
	const char *label;
	void (*draw)(struct ui *ui, int y, const struct area *a);
	struct figure_word words[4];
} memory_lines[] = {
	{ .label = "io" },
	{ .label = "dirty", .draw = line_dirty },
	{ .label = "flow",
	  .words = { { "dirtied/s", "dirtied_bytes_per_s", true },
		     { "written/s", "written_bytes_per_s", true },
		     { "in/s", "pgpgin_bytes_per_s", true },
		     { "out/s", "pgpgout_bytes_per_s", true } } },
	{ .label = "mem",
	  .words = { { "total", "total_bytes", true },
		     { "available", "available_bytes", true },
		     { "cached", "cached_bytes", true },
		     { "swap", "swap_used_bytes", true } } },
	{ .label = "scan",
	  .words = { { "kswapd/s", "kswapd_scan_per_s", false },
		     { "direct/s", "direct_scan_per_s", false },
		     { "majflt/s", "major_fault_per_s", false },
		     { "refault/s", "refault_per_s", false } } },
	{ .label = "cpu" },
	{ .label = "memory" },
};

static void pane_cpu_draw_line(struct ui *ui, int y, const struct area *a,
			       const struct memory_line *line)
{
	if (line->draw) {
		line->draw(ui, y, a);
	} else if (line->words[0].key) {
		screen_put(y, a->left, LABEL, ROLE_STRONG, line->label);
		pane_cpu_draw_words(ui, y, a->left + LABEL, a->columns - LABEL,
				    line->words, ARRAY_SIZE(line->words));
	} else {
		pane_cpu_draw_pressure(ui, line->label, y, a);
	}
}

static int memory_want(const struct ui_view *view)
{
	return view->frame->table[SCHEMA_MEMORY].n
		       ? (int)ARRAY_SIZE(memory_lines)
		       : 0;
}

static void pane_cpu_draw_memory(struct ui *ui, struct area a)
{
	int n = memory_want(ui->view);

	for (int i = 0; i < n && i < a.lines; i++)
		pane_cpu_draw_line(ui, a.top + i, &a, &memory_lines[i]);
}

/* From this width on, memory is beside the processors. */
#define WIDE_COLUMNS 100
#define BAR_LEAST    22 /* cells of the narrowest bar with its label */

/* The parts of a processor's time, in the order of the bar. */
static const struct {
	const char *key, *word;
	char letter;
	enum role role;
} parts[] = {
	{ "user_pct", "us", 'u', ROLE_READ },
	{ "nice_pct", "ni", 'n', ROLE_READ },
	{ "system_pct", "sy", 's', ROLE_WRITE },
	{ "irq_pct", "ir", 'i', ROLE_MARK },
	{ "steal_pct", "st", 't', ROLE_ALERT },
	{ "iowait_pct", "wa", 'w', ROLE_WAIT },
};

_Static_assert(ARRAY_SIZE(parts) == PANE_CPU_PARTS, "a part without a row");

/* The mean of some rows, NaN where none has a value. */
static double mean(const struct row *row, size_t n, const char *key)
{
	double sum = 0;
	size_t told = 0;

	for (size_t i = 0; i < n; i++) {
		double v = row_number(SCHEMA_CPU, &row[i], key);

		sum += isnan(v) ? 0 : v;
		told += !isnan(v);
	}
	return told ? sum / (double)told : NAN;
}

static void pane_cpu_draw_figures(const struct bar_part *part, int y, int x,
				  int cells)
{
	for (size_t i = 0; i < PANE_CPU_PARTS && cells >= 8; i++) {
		char text[24];

		if (isnan(part[i].pct))
			snprintf(text, sizeof(text), "%s    -", parts[i].word);
		else
			snprintf(text, sizeof(text), "%s%5.1f", parts[i].word,
				 part[i].pct);
		screen_put(y, x, 7, part[i].pct > 0 ? ROLE_TEXT : ROLE_DIM,
			   text);
		x += 8;
		cells -= 8;
	}
}

void pane_cpu_parts(const struct row *row, size_t n, struct bar_part *part)
{
	for (size_t i = 0; i < PANE_CPU_PARTS; i++)
		part[i] = (struct bar_part){ row ? mean(row, n, parts[i].key)
						 : NAN,
					     parts[i].role, parts[i].letter };
}

/* Draw one bar for n processors, with its figures if there is room. */
static void pane_cpu_draw_bar(const struct row *row, size_t n, int y, int x,
			      int cells)
{
	int figures = cells >= 80 ? 48 : 0, label = 4;
	struct bar_part part[PANE_CPU_PARTS];
	char text[ROW_ID_MAX * 2 + 2], busy[16];
	double idle = mean(row, n, "idle_pct"), wait;

	pane_cpu_parts(row, n, part);
	snprintf(text, sizeof(text), n > 1 ? "%s-%s" : "%s", row[0].id,
		 row[n - 1].id);
	if (n > 1)
		label = 8;
	screen_put(y, x, label - 1, ROLE_STRONG, text);
	screen_bar(y, x + label, cells - label - 5 - figures, part,
		   PANE_CPU_PARTS);
	/* Waiting for I/O is a form of idle. */
	wait = part[PANE_CPU_PARTS - 1].pct;
	if (isnan(idle))
		snprintf(busy, sizeof(busy), "-");
	else
		snprintf(busy, sizeof(busy), "%.0f%%",
			 fmax(0, 100 - idle - (isnan(wait) ? 0 : wait)));
	screen_right(y, x + cells - figures - 5, 4, ROLE_TEXT, busy);
	if (figures)
		pane_cpu_draw_figures(part, y, x + cells - figures, figures);
}

/* The rows of single processors, without the row "all". */
static const struct row *pane_cpu_processors(const struct ui_view *view,
					     size_t *n)
{
	const struct table *t = &view->frame->table[SCHEMA_CPU];
	bool all = t->n && !strcmp(t->row[0].id, "all");

	*n = t->n - all;
	return t->row + all;
}

/* The number of bars side by side, and of processors that share a bar. */
struct grid {
	size_t columns, share;
};

static struct grid grid_of(size_t n, int lines, int cells)
{
	size_t most = cells >= BAR_LEAST ? (size_t)(cells / BAR_LEAST) : 1;
	size_t room = lines > 0 ? (size_t)lines : 1;
	struct grid g = { 1, 1 };

	while (g.columns < most && g.columns * room < n)
		g.columns++;
	while (g.columns * room * g.share < n)
		g.share++;
	return g;
}

static void draw_processors(struct ui *ui, struct area a)
{
	const struct table *t = &ui->view->frame->table[SCHEMA_CPU];
	size_t n, bars, lines;
	const struct row *row = pane_cpu_processors(ui->view, &n);
	struct grid g = grid_of(n, a.lines - 1, a.columns);
	int cells = a.columns / (int)g.columns;

	if (!t->n || a.lines < 1)
		return;
	pane_cpu_draw_bar(t->row, 1, a.top, a.left, a.columns - 1);
	bars = (n + g.share - 1) / g.share;
	lines = (bars + g.columns - 1) / g.columns;
	for (size_t i = 0; i < bars; i++) {
		size_t first = i * g.share;
		size_t share = n - first < g.share ? n - first : g.share;

		if ((int)(i % lines) + 1 >= a.lines)
			continue;
		pane_cpu_draw_bar(&row[first], share,
				  a.top + 1 + (int)(i % lines),
				  a.left + cells * (int)(i / lines), cells - 1);
	}
}

static int pane_cpu_want(struct ui *ui)
{
	size_t n;
	int cpus, memory;

	if (!ui->view->frame->table[SCHEMA_CPU].n)
		return 0;
	pane_cpu_processors(ui->view, &n);
	cpus = n < 1000 ? (int)n + 1 : 1000;
	memory = memory_want(ui->view);
	/* The width of the last drawing; the first time it is unknown. */
	if (ui->area[PANE_CPU].columns >= WIDE_COLUMNS)
		return 1 + (cpus > memory ? cpus : memory);
	return 1 + cpus + memory;
}

/* Draw the letters with their meanings, in the head. */
static void pane_cpu_draw_legend(struct ui *ui, const struct area *a, int used)
{
	char text[96];

	snprintf(text, sizeof(text),
		 "u user n nice s system i irq t steal w iowait");
	if (used + (int)strlen(text) + 2 <= a->columns)
		screen_right(a->top, a->left + used, a->columns - used - 1,
			     ui->focus == PANE_CPU ? ROLE_FOCUS : ROLE_HEADER,
			     text);
}

static void pane_cpu_draw(struct ui *ui, struct area a)
{
	int used = pane_head(ui, PANE_CPU, "cpu, memory, pressure");
	int memory = memory_want(ui->view);
	struct area cpu = { a.top + 1, a.left, a.lines - 1, a.columns };
	struct area rest = cpu;
	size_t n;

	pane_cpu_draw_legend(ui, &a, used);
	pane_cpu_processors(ui->view, &n);
	if (a.columns >= WIDE_COLUMNS) {
		cpu.columns = a.columns / 2;
		rest.left += cpu.columns + 1;
		rest.columns -= cpu.columns + 1;
	} else {
		/* All processors first, then memory, then one by one. */
		if (memory > cpu.lines - 2)
			memory = cpu.lines > 2 ? cpu.lines - 2 : 0;
		rest.lines = memory;
		cpu.lines -= memory;
		if (cpu.lines > (int)n + 1)
			cpu.lines = (int)n + 1;
		rest.top = cpu.top + cpu.lines;
	}
	draw_processors(ui, cpu);
	pane_cpu_draw_memory(ui, rest);
}

/* clang-format off */
const struct pane pane_cpu = {
	.name = "cpus",
	.help = { "6",
		  "cpus: bars of each; memory, writeback and pressure" },
	.least = 3, .weight = 1, .priority = 1, .auto_lines = 40,
	.layouts = IN_MONITOR, .right = true,
	.want = pane_cpu_want, .draw = pane_cpu_draw,
};
/* clang-format on */
