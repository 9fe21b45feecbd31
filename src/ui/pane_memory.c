/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory part of the CPU pane: pressure, the page cache and its writeback,
 * reclaim. What matters most to I/O comes first, for what does not fit.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/panes.h"
#include "ui/state.h"

#define LABEL 7

static double memory(const struct ui_view *view, const char *key)
{
	const struct table *t = &view->frame->table[SCHEMA_MEMORY];

	return t->n ? row_number(SCHEMA_MEMORY, &t->row[0], key) : NAN;
}

/* "word 1.20G" for each, as many as fit. */
struct figure_word {
	const char *word, *key;
	bool bytes;
};

static void draw_words(struct ui *ui, const struct ui_view *view, int y, int x,
		       int cells, const struct figure_word *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double v = memory(view, f[i].key);
		char text[64], number[24];
		int used;

		if (f[i].bytes || isnan(v))
			cell_bytes(number, sizeof(number), v);
		else
			snprintf(number, sizeof(number), "%.0f", v);
		snprintf(text, sizeof(text), "%s %s", f[i].word, number);
		used = (int)strlen(text);
		if (used > cells)
			return;
		screen_put(&ui->screen, y, x, cells,
			   v > 0 ? ROLE_TEXT : ROLE_DIM, text);
		x += used + 2;
		cells -= used + 2;
	}
}

/* How much of the time somebody waited: f full, s only some. */
static void draw_pressure(struct ui *ui, const struct ui_view *view,
			  const char *id, int y, const struct area *a)
{
	double some =
		frame_number(view->frame, SCHEMA_PRESSURE, id, "some_pct");
	double full =
		frame_number(view->frame, SCHEMA_PRESSURE, id, "full_pct");
	double f = isnan(full) ? 0 : full;
	struct part part[] = {
		{ f, ROLE_ALERT, 'f' },
		{ isnan(some) ? NAN : fmax(0, some - f), ROLE_WAIT, 's' },
	};
	int bar = a->columns - LABEL - 26;
	char label[16], text[40];

	snprintf(label, sizeof(label), "%.6s", id);
	screen_put(&ui->screen, y, a->left, LABEL, ROLE_STRONG, label);
	if (isnan(some))
		snprintf(text, sizeof(text), "some    -");
	else if (isnan(full))
		snprintf(text, sizeof(text), "some %5.1f%%", some);
	else
		snprintf(text, sizeof(text), "some %5.1f%%  full %5.1f%%", some,
			 full);
	if (bar < 6) {
		screen_put(&ui->screen, y, a->left + LABEL, a->columns - LABEL,
			   ROLE_TEXT, text);
		return;
	}
	screen_bar(&ui->screen, y, a->left + LABEL, bar, part, 2);
	screen_put(&ui->screen, y, a->left + LABEL + bar + 1, 25, ROLE_TEXT,
		   text);
}

static void line_io(struct ui *ui, const struct ui_view *view, int y,
		    const struct area *a)
{
	draw_pressure(ui, view, "io", y, a);
}

static void line_memory_pressure(struct ui *ui, const struct ui_view *view,
				 int y, const struct area *a)
{
	draw_pressure(ui, view, "memory", y, a);
}

static void line_cpu(struct ui *ui, const struct ui_view *view, int y,
		     const struct area *a)
{
	draw_pressure(ui, view, "cpu", y, a);
}

/* Dirty and under writeback, of the limit at which writers must wait. */
static void line_dirty(struct ui *ui, const struct ui_view *view, int y,
		       const struct area *a)
{
	static const struct figure_word words[] = {
		{ "dirty", "dirty_bytes", true },
		{ "wb", "writeback_bytes", true },
		{ "bg", "dirty_background_bytes", true },
		{ "limit", "dirty_limit_bytes", true },
	};
	double limit = memory(view, "dirty_limit_bytes");
	struct part part[] = {
		{ 100 * memory(view, "dirty_bytes") / limit, ROLE_WRITE, 'd' },
		{ 100 * memory(view, "writeback_bytes") / limit, ROLE_WAIT,
		  'w' },
	};
	int bar = a->columns - LABEL - 46, x = a->left + LABEL;

	screen_put(&ui->screen, y, a->left, LABEL, ROLE_STRONG, "dirty");
	if (bar >= 8 && limit > 0) {
		screen_bar(&ui->screen, y, x, bar, part, 2);
		x += bar + 1;
	}
	draw_words(ui, view, y, x, a->left + a->columns - x, words,
		   ARRAY_SIZE(words));
}

static void draw_line(struct ui *ui, const struct ui_view *view, int y,
		      const struct area *a, const char *label,
		      const struct figure_word *words, size_t n)
{
	screen_put(&ui->screen, y, a->left, LABEL, ROLE_STRONG, label);
	draw_words(ui, view, y, a->left + LABEL, a->columns - LABEL, words, n);
}

static void line_flow(struct ui *ui, const struct ui_view *view, int y,
		      const struct area *a)
{
	static const struct figure_word words[] = {
		{ "dirtied/s", "dirtied_bytes_per_s", true },
		{ "written/s", "written_bytes_per_s", true },
		{ "in/s", "pgpgin_bytes_per_s", true },
		{ "out/s", "pgpgout_bytes_per_s", true },
	};

	draw_line(ui, view, y, a, "flow", words, ARRAY_SIZE(words));
}

static void line_memory(struct ui *ui, const struct ui_view *view, int y,
			const struct area *a)
{
	static const struct figure_word words[] = {
		{ "total", "total_bytes", true },
		{ "available", "available_bytes", true },
		{ "cached", "cached_bytes", true },
		{ "swap", "swap_used_bytes", true },
	};

	draw_line(ui, view, y, a, "mem", words, ARRAY_SIZE(words));
}

static void line_reclaim(struct ui *ui, const struct ui_view *view, int y,
			 const struct area *a)
{
	static const struct figure_word words[] = {
		{ "kswapd/s", "kswapd_scan_per_s", false },
		{ "direct/s", "direct_scan_per_s", false },
		{ "majflt/s", "major_fault_per_s", false },
		{ "refault/s", "refault_per_s", false },
	};

	draw_line(ui, view, y, a, "scan", words, ARRAY_SIZE(words));
}

static void (*const lines[])(struct ui *ui, const struct ui_view *view, int y,
			     const struct area *a) = {
	line_io,  line_dirty,           line_flow, line_memory, line_reclaim,
	line_cpu, line_memory_pressure,
};

int pane_memory_want(const struct ui_view *view)
{
	return view->frame && view->frame->table[SCHEMA_MEMORY].n
		       ? (int)ARRAY_SIZE(lines)
		       : 0;
}

void pane_memory(struct ui *ui, const struct ui_view *view, struct area a)
{
	int n = pane_memory_want(view);

	for (int i = 0; i < n && i < a.lines; i++)
		lines[i](ui, view, a.top + i, &a);
}
