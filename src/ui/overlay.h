/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overlay: a form, list or menu above the panes. It takes keys and mouse
 * before the panes do.
 */
#ifndef UI_OVERLAY_H
#define UI_OVERLAY_H

#include "ui/state.h"

struct table_spec;

/* ui->overlay = &overlay opens an overlay; ui->overlay = NULL closes it. */
struct overlay {
	/* lines and columns are those of the whole screen. */
	void (*draw)(struct ui *ui, const struct ui_view *view, int lines,
		     int columns);
	void (*key)(struct ui *ui, const struct ui_view *view, int key,
		    struct action *action);
	/* A click or the wheel at a place of the screen. NULL: ignore the
	 * mouse. */
	void (*click)(struct ui *ui, const struct ui_view *view, int y, int x,
		      enum click click, struct action *action);
};

/* The overlays, each in its file below ui/. */

/*
 * form/run_form.c: choose a preset, a job file or the options of a job, and a
 * target; check the preview; start the job.
 */
void run_form_open(struct ui *ui, const struct ui_view *view);

/*
 * form/job_form.c: order a signal, nice value or I/O priority for that process,
 * after a question; name is the name of its command.
 */
void job_form_order(struct ui *ui, const char *pid, const char *name);

/*
 * form/file_list.c: the open files of a process. ACTION_FILES begins and ends
 * the reading of the files.
 */
void file_list_open(struct ui *ui, const char *pid, const char *name,
		    struct action *action);

/* form/knob_menu.c: choose a device, a knob and a value, and confirm. */
void knob_menu_open(struct ui *ui, const struct ui_view *view);
/* The same for a knob that is chosen already: "vda.scheduler". */
void knob_menu_open_at(struct ui *ui, const struct ui_view *view,
		       const char *id);

/*
 * form/job_form.c: change a setting of the selected job, or ask before stopping
 * the job or starting it again.
 */
void job_form_open(struct ui *ui, const struct ui_view *view, enum job_ask ask);
/*
 * Quit; ask first while jobs run. The operator may press q by mistake and lose
 * a long run.
 */
void job_form_quit(struct ui *ui, const struct ui_view *view,
		   struct action *action);

/* key/key_help.c: keys, panes and signs, from their tables. */
void key_help_open(struct ui *ui);

/*
 * table/column_list.c: show, hide and move the columns of a table, and sort by
 * one.
 */
void column_list_open(struct ui *ui, const struct table_spec *spec);

/* chart/series_list.c: choose the series of the graph. */
void series_list_open(struct ui *ui, const struct ui_view *view);

/*
 * Ab view: the live crossover on the screen: the form that begins it, and its
 * figures in the pane before/after, where the interval narrows block by block.
 */

/* Ask for variants and blocks; while a crossover runs, whether to end it. */
void ab_view_open(struct ui *ui, const struct ui_view *view);

/* The lines that its figures could use; 0: there is no crossover. */
int ab_view_want(const struct ui_view *view);
/* Draw the figures below the head of the pane; top: rows scrolled away. */
void ab_view_draw(struct ui *ui, const struct ui_view *view,
		  const struct area *a, size_t *top);

#endif
