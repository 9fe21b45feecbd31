/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pane: a part of the screen, described by one const struct pane in its own
 * file below ui/pane/. To add one, add its number and its name here, its line
 * to the table in pane.c and its file. Layout, keys, mouse, help and the
 * manual's check walk the table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ui/key/key.h"
#include "ui/terminal/screen.h"
#include "ui/ui.h"

/* In the order of the screen, from the top. */
enum pane_id {
	PANE_SWEEP,
	PANE_FLEET,
	PANE_JOB,
	PANE_DEVICE,
	PANE_MOUNT,
	PANE_GRAPH,
	PANE_HEATMAP,
	PANE_EFFECT,
	PANE_TIMELINE,
	PANE_SLOW,
	PANE_CPU,
	PANE_TASK,
	PANE_CGROUP,
	PANE_KNOB,
	PANES
};

/* Arrangements of panes; their rows are in pane.c. */
enum layout_id {
	LAYOUT_AUTO, /* all that have something to show, as far as there is
		        room */
	LAYOUT_MONITOR,
	LAYOUT_RUN,
	LAYOUT_COMPARE,
	LAYOUTS
};

#define IN_MONITOR (1u << LAYOUT_MONITOR)
#define IN_RUN     (1u << LAYOUT_RUN)
#define IN_COMPARE (1u << LAYOUT_COMPARE)

/* An event of the mouse. */
enum click { CLICK, CLICK_WHEEL_UP, CLICK_WHEEL_DOWN };

struct table_spec;
struct settings_file;

struct pane {
	const char *name;
	/* The digit that shows the pane and gives it the keys; its content. */
	struct ui_key_help help;
	int least;        /* lines that it can use, the head included */
	int weight;       /* its share of the lines that are left */
	int priority;     /* the pane with the highest priority gets its
			     lines first */
	int auto_lines;   /* shown by default only on a screen this tall */
	unsigned layouts; /* the arrangements that show it: IN_RUN, ... */
	bool right;       /* on a wide screen it is in the right column */
	bool grows;       /* it can use any number of spare lines */
	/* NULL: not a table. A table needs neither want nor draw. */
	const struct table_spec *table;

	/* All below may be NULL. */

	/* The lines that it could use now; 0: it has nothing to show. */
	int (*want)(struct ui *ui);
	void (*draw)(struct ui *ui, struct area area);
	/* Keys that work while this pane has the keys. */
	const struct key_list *own;
	/* Called before any table of keys; true: the pane took the key. */
	bool (*key)(struct ui *ui, int key);
	/*
	 * Act on the mouse; line 0 is the pane's head, column 0 its left edge.
	 * The pane has the keys already. True: the pane took the event; false:
	 * a click on a table selects a row or sorts, and the wheel works as Up
	 * and Down.
	 */
	bool (*click)(struct ui *ui, int line, int column, enum click click);
	/* Memory of its own, zeroed by ui_open(); see pane_state(). */
	size_t state_size;
	void (*state_free)(void *state); /* frees its members, not itself */
	/*
	 * Save and load the settings that the pane keeps between runs; load:
	 * false for an unknown key.
	 */
	void (*save)(const struct ui *ui, struct settings_file *out);
	bool (*load)(struct ui *ui, const char *key, const char *value);
};

/* Each pane has a file of its own, ui/pane/NAME.c. */
extern const struct pane pane_cgroup, pane_cpu, pane_device, pane_effect,
	pane_fleet, pane_graph, pane_heatmap, pane_job, pane_knob, pane_mount,
	pane_slow, pane_sweep, pane_task, pane_timeline;

/* All of them by enum pane_id. */
extern const struct pane *const panes[PANES];

/* The lines that a pane could use now; 0: it has nothing to show. */
int pane_want(struct ui *ui, int id);
/* Draw the pane into its area of ui->area. */
void pane_draw(struct ui *ui, int id);

/* The pane's own memory, state_size bytes. */
void *pane_state(const struct ui *ui, enum pane_id id);

/* Give the keys to the pane after the present one; step -1: to the one before.
 */
void pane_focus_next(struct ui *ui, int step);

/*
 * Show the pane of that digit and give it the keys. False: no pane has that
 * digit.
 */
bool pane_digit(struct ui *ui, int key);

/* Hide the pane that has the keys. */
void pane_hide(struct ui *ui);

/* Move by step rows in the table that has the keys. */
void pane_move(struct ui *ui, long step);

/*
 * Draw bytes of the last TREND_FRAMES frames, the oldest first, two per cell, as
 * shares of the largest.
 */
void pane_device_trend(struct ui *ui, const double *moved, int y, int x, int cells,
		     enum role role);

/* Draw the head of a pane that is not a table: its digit and the text. Returns
 * the cells that both take. */
int pane_head(struct ui *ui, enum pane_id id, const char *text);

/*
 * pane_cpu.c: the parts of a processor's time: user, nice, system, interrupts,
 * steal, iowait. Pane and head draw them with the same letters.
 */
#define PANE_CPU_PARTS 6

/* Fill part[] with the means of n rows; NaN: unknown; row NULL: all unknown. */
void pane_cpu_parts(const struct row *row, size_t n, struct bar_part *part);

/*
 * The change of a figure and its interval: "+25.9% (24.7..27.1)"; "" when
 * unknown.
 */
void pane_effect_change(const struct figure *f, char *buf, size_t size);

/*
 * pane_job.c: the job that keys act on: the selected one, else that of the
 * graph. NULL: there is none.
 */
const char *pane_job_selected(const struct ui *ui);

/*
 * Layout: arrangements of panes, a const table. The rows of the panes say which
 * arrangements show them.
 */

/* The name of the i-th arrangement, or NULL. */
const char *pane_layout_name(size_t i);

/* Take the next arrangement; forget the panes that digits showed or hid. */
void pane_layout_next(struct ui *ui);
/* Take the arrangement of that name; false: there is none. */
bool pane_layout_by_name(struct ui *ui, const char *name);

/* Place the panes on the lines from top to bottom - 1: fills ui->area. */
void pane_layout_panes(struct ui *ui, int top, int bottom, int columns);

/* Whether a screen of so many lines has a line for the status alone. */
#define STATUS_LINES 20

/* The line of the screen with the status. */
int pane_layout_status_line(int lines);

/* Head: the machine in the lines above the panes. */

/*
 * Draw the lines above the panes, except the first; returns the number of lines
 * with the first. head_title() draws the first line, after the panes, because
 * it may name the panes that have no room.
 */
int head_draw(struct ui *ui, int lines, int columns);
void head_title(struct ui *ui, int columns);

/* Update ui->alarm from the view; call it before drawing anything. */
void head_alarms_find(struct ui *ui);

/* Whether an alarm holds for that device or job. */
bool head_alarm_holds(const struct ui *ui, enum schema_id schema,
		      const char *id);
