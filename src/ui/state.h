/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State: the state of the screen between two drawings. Rows are kept by their
 * ids, so that a selection follows its row.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/action.h"
#include "model/frame.h"
#include "ui/list.h"
#include "ui/pane.h"
#include "ui/terminal/screen.h"
#include "ui/terminal/terminal.h"
#include "ui/ui.h"

/* --- a table --- */

#define SORT_DEFAULT -1
#define URGENT_MAX   4
#define TABLE_KEYS_MAX 9
#define COLUMNS_MAX  320 /* fields of any schema, and extra columns of a
			    table */

/* The rows below a row in the tree. */
enum fold { FOLD_NONE, FOLD_OPEN, FOLD_SHUT };

/* A row in the order of the screen. */
struct place {
	/* Index in the frame's table; from its length on: a group. */
	unsigned row;
	unsigned short depth; /* in the tree */
	unsigned short fold;  /* enum fold */
};

/* The place of a column in the last drawing, for the mouse. */
struct drawn_column {
	int field, left, width; /* left: within the pane */
};

/* A row that stands for several, with their sums and means. id is its name. */
struct group {
	char id[ROW_ID_MAX];
	struct row row;
	size_t n; /* of its rows */
};

/* Ids in the order of strcmp(). A zeroed struct is empty. */
struct id_set {
	char (*id)[ROW_ID_MAX];
	size_t n, cap;
};

#define FILTER_MAX 64

/* A POSIX extended regular expression, or the plain part of a name. */
struct table_filter {
	char text[FILTER_MAX]; /* the text that it was made from; "": none */
	char error[96];        /* why the text is invalid; "": it is valid */
	bool compiled; /* re is in use; else search for the text as it is */
	regex_t re;
};

/* The inputs that an order was made from. */
struct table_wish {
	const struct frame *frame;
	double t_s;
	uint64_t wall_ns;
	size_t rows, shown;
	int sort;
	bool reverse, busy_only, flat, family, follow;
	unsigned folds, sums;
	char filter[FILTER_MAX], followed[ROW_ID_MAX], scope[ROW_ID_MAX];
};

#define TREND_CELLS  8
#define TREND_FRAMES (2 * TREND_CELLS)

struct table_state {
	const struct table_spec *spec; /* NULL: the pane is no table */
	int sort; /* field, or SORT_DEFAULT */
	bool reverse, busy_only, flat;
	bool family; /* a tree by origin() of the spec, not by groups */
	bool follow; /* keep the selected row, even against the filter */
	bool lost;   /* the followed row is gone */
	bool moved;  /* the operator selected the row; else it is chosen
		        automatically */
	unsigned sums; /* rows are summed by key sums - 1 of the spec; 0: not */
	int first_column; /* scrolled to the right */
	char selected[ROW_ID_MAX];
	size_t at, top; /* the selected row and the first shown row */
	size_t shown;   /* rows on the screen, for paging */
	struct drawn_column drawn[COLUMNS_MAX];
	int n_drawn;
	char filter[FILTER_MAX]; /* as typed */
	struct table_filter match;
	char scope[ROW_ID_MAX]; /* see within() of the spec */
	/* Columns as the operator chose them; n_columns 0: the default. */
	short column[COLUMNS_MAX];
	int n_columns;
	unsigned char text_width[COLUMNS_MAX]; /* the widest text so far */
	struct id_set flipped; /* rows whose folding differs from the default */
	unsigned folds;        /* grows with each change of folding */
	struct id_set tagged;  /* an order is for these rows */
	bool tags_ended;       /* the last tagged row is gone */
	/* Columns of the spec's urgent ones that have something to show. */
	short urgent[URGENT_MAX];
	int n_urgent;
	size_t busy; /* rows that are not idle */
	/* By row of the frame: it is not idle, or was not a moment ago. */
	bool *awake;
	size_t cap_awake;
	/* When rows were last busy, in the order of the frame's rows. */
	struct table_busy {
		char id[ROW_ID_MAX];
		double t_s;
	} *last_busy;
	size_t n_last_busy, cap_last_busy;
	/* Bytes per second of rows that moved some of late; see look() of the
	 * spec. */
	struct table_trend {
		char id[ROW_ID_MAX];
		double moved[TREND_FRAMES]; /* the oldest first */
	} *trend;
	size_t n_trends, cap_trends;
	double trend_s; /* of the last frame in it */
	/* While a view of the pane stands in their place: what the settings keep. */
	struct table_own {
		short column[COLUMNS_MAX];
		int n_columns, sort;
		bool flat, reverse;
	} own;
	bool viewed;
	int key_at[TABLE_KEYS_MAX]; /* see keys of the spec */
	/* The order and its inputs. */
	struct place *place;
	size_t n, cap;
	struct group *group;
	size_t n_groups, cap_groups;
	struct arena arena; /* values of the groups */
	struct table_wish made;
};

/* --- panes and overlays --- */

/* A line of the graph: a field of a row. */
struct graph_series {
	enum schema_id schema;
	int field;
	char row[ROW_ID_MAX];
};

/* The state that the graph, the heat map and the timeline share. */
struct graph_state {
	char job[ROW_ID_MAX]; /* "" and on_device false: chosen automatically */
	bool on_device;
	char device[ROW_ID_MAX]; /* chosen because it is the busiest, kept until
				    it is idle */
	int field[SCHEMA_COUNT]; /* index in the pane's list, per schema */
	bool braille;
	struct graph_series series[SERIES]; /* the chosen series; none: as
					       above */
	size_t n, at;                       /* at: the one that keys act on */
	bool log;                           /* the axis is logarithmic */
	double cell_s; /* time per column; 0: one or two frames */
	bool cursor;
	double cursor_s; /* a time of the shown log */
};

/* Choosing the series of the graph. */
struct series_list {
	bool fields;             /* shows the fields of row, else the rows */
	struct graph_series row; /* the chosen row */
	size_t at_row;           /* its index among the rows */
	struct list list;
};

/*
 * The form, list or menu above the panes, which gets keys and mouse first; see
 * overlay.h.
 */
struct overlay;
struct prompt_spec;

struct prompt {
	const struct prompt_spec *spec;
	char text[64];
};

#define TASKS_MAX 32

/* An order to processes that waits for its confirmation. */
struct task_form {
	struct task_target task[TASKS_MAX];
	size_t n;
	char order[64];
	bool io_only; /* offer I/O priorities only */
	struct list list;
};

/* The open files of a process. */
struct file_list {
	char pid[12], name[64];
	struct list list;
};

enum menu_stage { MENU_DEVICE, MENU_KNOB, MENU_VALUE, MENU_CONFIRM };

struct knob_menu {
	enum menu_stage stage;
	char device[32], knob[64], value[64];
	struct list list[MENU_CONFIRM]; /* of each stage */
	bool typing;                    /* the value is typed, not chosen */
};

/* The list of a table's columns. */
struct column_list {
	const struct table_spec *spec;
	struct list list;
};

/* The rows of the run dialog; the table is in run_form.c. */
#define RUN_ROWS 12

struct run_form {
	bool begun;       /* the rows hold something */
	bool asks;        /* its preview is shown and asks for confirmation */
	struct list list; /* the rows */
	int scroll;       /* of the preview */
	char text[RUN_ROWS][256];
	bool edited[RUN_ROWS]; /* the operator typed the text */
	char typed[256];       /* to confirm */
	struct run_request request;
};

/* The rows of the form of a live crossover; the table is in ab_view.c. */
#define AB_ROWS 5

struct ab_form {
	struct crossover_request request;
	struct list list;
	size_t knob; /* the knob whose choices are in the first row */
	bool asked;  /* the session was asked to begin */
};

/* Change or stop a running job, start a finished job again, stop all jobs and
 * quit, end the crossover. */
enum job_ask {
	JOB_ASK_SET,
	JOB_ASK_STOP,
	JOB_ASK_AGAIN,
	JOB_ASK_QUIT,
	JOB_ASK_CROSSOVER
};

struct job_form {
	enum job_ask ask;
	char job[ROW_ID_MAX];
	size_t setting; /* the row of ui_offer.setting */
	char text[64];
};

enum shown { SHOWN_AUTO, SHOWN_NEVER, SHOWN_ALWAYS };

/* The place of a key in the bottom line, for the mouse. */
struct bar_key {
	int left, end, key;
};

#define KEY_BAR_MAX 32

/* Alarms that hold; see head.c. */
#define ALARMS_MAX 32

struct alarm_state {
	/* The frame at which the alarms were found. */
	const struct history *history;
	double t_s;
	size_t frames;
	struct event event[ALARMS_MAX]; /* the newest first */
	size_t n;
};

struct ui {
	/*
	 * Of this ui_draw() or ui_key(): what is shown, and what the key asks
	 * for. Before the first frame there is ui_no_frame, which has no rows.
	 */
	const struct ui_view *view;
	struct action *action;
	int key; /* that acts; for act() of its row */
	struct terminal *terminal;
	enum pane_id focus;
	enum shown shown[PANES];
	char no_room[96];        /* "hidden: graph (3), ...", or "" */
	bool zoom;               /* only the pane that has the keys is shown */
	struct area area[PANES]; /* of the last drawing; lines 0: not there */
	void *state[PANES];      /* see pane_state() */
	struct table_state table[PANES];
	struct graph_state graph;
	int heat_op; /* operation of the heat map, from 1; 0: the first */
	int heat_part; /* of a device: enum heat_part of pane_heatmap.c */
	const struct overlay *overlay; /* NULL: none */
	struct list help; /* scroll position and filter of the help */
	struct knob_menu knob_menu;
	struct series_list series_list;
	struct prompt prompt;
	struct task_form task_form;
	struct file_list file_list;
	struct bar_key bar[KEY_BAR_MAX];
	int n_bar;
	enum layout_id layout;
	int theme_wanted; /* chosen by the operator, not by an option */
	char searched[64];
	enum ui_occasion occasion;
	char *others;         /* settings of other occasions */
	char *remembered;     /* the settings at the start */
	uint64_t note_end_ns; /* 0: nothing is drawn yet */
	char note[160];       /* a sentence of the screen itself, until the
			         next key */
	struct column_list column_list;
	struct run_form run;
	bool fleet; /* the hosts of a fleet are shown, in a zoom */
	bool swept;   /* the pane sweep has been zoomed at the start */
	bool unswept; /* z ended that zoom, and no other pane was chosen */
	bool to_jobs; /* give the keys to the jobs once they are shown */
	int digit;    /* 0, or whose pane gets the keys once it has something */
	struct job_form job_form;
	struct ab_form ab;
	struct alarm_state alarm;
};

extern const struct frame ui_no_frame;

/*
 * UI settings: the choices of the operator that the next run begins with: layout,
 * panes, colours, order and columns of the tables. Lines "KEY = VALUE"; #
 * begins a comment. The keys of a pane begin with the pane's name and a dot:
 * "devices.sort". ui.h takes and gives the text; cmd/ reads and writes the
 * file.
 */

#define SETTINGS_LINES_MAX 1000
/* A longer value is cut. */
#define SETTINGS_VALUE_MAX 4096

/* A text under construction. */
struct settings_file {
	const char *prefix; /* NULL, or the name of the pane that saves */
	char *text;         /* the caller frees it */
	size_t n, cap;
};

/* Add a line; control characters in the value are replaced. */
void ui_settings_put(struct settings_file *s, const char *key,
		       const char *value);
/* All settings as a text, which the caller frees. */
char *ui_settings_text(const struct ui *ui);
/* Use the settings of a text; returns the number of invalid lines. */
size_t ui_settings_take(struct ui *ui, const char *text);
