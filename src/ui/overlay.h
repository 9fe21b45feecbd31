/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overlay: a form, list or menu above the panes. It takes keys and mouse
 * before the panes do.
 */
#pragma once

#include "ui/state.h"
#include "ui/terminal/screen.h"

struct table_spec;

/* ui->overlay = &overlay opens an overlay; ui->overlay = NULL closes it. */
struct overlay {
	void (*draw)(struct ui *ui);
	void (*key)(struct ui *ui, int key);
	/* A click at a place of the screen. NULL: ignore the mouse. */
	void (*click)(struct ui *ui, int y, int x);
	/* How often a step of the wheel repeats the arrow key; 0: once. */
	unsigned wheel_keys;
};

/* The overlays, each in its file below ui/. */

/*
 * form/run_form.c: choose a preset, a job file or the options of a job, and a
 * target; check the preview; start the job.
 */
void run_form_open(struct ui *ui);

/*
 * form/task_form.c: choose a signal, nice value or I/O priority for these n
 * processes (1 to TASKS_MAX, copied), or with io_only an I/O priority; it asks
 * before it acts.
 */
void task_form_open(struct ui *ui, const struct task_target *task, size_t n,
		    bool io_only);

/*
 * form/file_list.c: the open files of a process. ACTION_FILES begins and ends
 * the reading of the files.
 */
void file_list_open(struct ui *ui, const char *pid, const char *name);

/* form/knob_menu.c: choose a device, a knob and a value, and confirm. */
void knob_menu_open(struct ui *ui);
/* The same for a knob that is chosen already: "vda.scheduler". */
void knob_menu_open_at(struct ui *ui, const char *id);

/*
 * form/job_form.c: change a setting of the selected job, or ask before stopping
 * the job or starting it again.
 */
void job_form_open(struct ui *ui, enum job_ask ask);
/*
 * Quit; ask first while jobs run. The operator may press q by mistake and lose
 * a long run.
 */
void job_form_quit(struct ui *ui);
/* Ask whether to end the live crossover. */
void job_form_end_crossover(struct ui *ui);

/* key/key_help.c: keys, panes and signs, from their tables. */
void key_help_open(struct ui *ui);

/*
 * table/table_column_list.c: show, hide and move the columns of a table, and sort
 * by one.
 */
void table_columns_choose(struct ui *ui, const struct table_spec *spec);

/* chart/graph_list.c: choose the series of the graph. */
void graph_list_open(struct ui *ui);

/*
 * Ab view: the live crossover on the screen: the form that begins it, and its
 * figures in the pane before/after, where the interval narrows block by block.
 */

/* Ask for variants and blocks; while a crossover runs, whether to end it. */
void ab_view_open(struct ui *ui);

/* The lines that its figures could use; 0: there is no crossover. */
int ab_view_want(const struct ui *ui);
/* Draw the figures below the head of the pane; top: rows scrolled away. */
void ab_view_draw(struct ui *ui, const struct area *a, size_t *top);

/*
 * Box: a frame above the panes with a title and its keys, for forms and lists.
 */

/*
 * Draw an empty box of at most want lines (without the frame) and width columns
 * (with it). The title is in its upper line, the keys are in its lower line.
 * Returns the area within the frame.
 */
struct area overlay_box(int want, int width, const char *title,
			const char *keys);

/* Put text on line y of the area; text that does not fit is cut. */
void overlay_put(const struct area *a, int y, enum role role, const char *text);

/* The number of lines of a text that is broken at blanks. */
int overlay_lines(const struct area *a, const char *text);
/*
 * Draw a text, broken at blanks, from line y on, but only on the lines top to
 * bottom - 1 of the area. Returns the number of its lines.
 */
int overlay_wrap(const struct area *a, int y, int top, int bottom,
		 enum role role, const char *text);

/*
 * Draw a row of a form: its label in so many cells, then the end of its text,
 * where the operator types if the row has the cursor (ROLE_SELECTED).
 */
void overlay_form_row(const struct area *a, enum role role, int cells,
		      const char *label, enum role text_role, const char *text);

/* Prompt: asks for a line of text in the status line. */

struct prompt_spec {
	const char *label, *hint;
	/* Called after every change of the text. NULL: only Enter counts. */
	void (*typed)(struct ui *ui, const char *text);
	/* Called on Enter. NULL: typed() has taken the text already. */
	void (*done)(struct ui *ui, const char *text);
};

extern const struct prompt_spec prompt_filter, prompt_mark, prompt_note, prompt_jump;

/* Ask, starting with that text; Esc types an empty one and ends. */
void overlay_prompt(struct ui *ui, const struct prompt_spec *spec,
		    const char *text);

/* Edit a text of that many bytes by a key; false when the key does not edit. */
bool overlay_edit(char *text, size_t size, int key);
