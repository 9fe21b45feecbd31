/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table pane: draws the rows of any schema; sorts, scrolls and filters them.
 */
#ifndef UI_PANE_TABLE_H
#define UI_PANE_TABLE_H

#include "ui/state.h"

/*
 * What is special of a table; all but the first four may be zero. Columns are
 * the keys of fields in their order; the fields that are not named follow in
 * the order of the schema, but those in skip. Both lists end with NULL.
 */
struct table_spec {
	enum pane_id pane;
	enum schema_id schema;
	const char *title; /* of the column of ids */
	int id_width;
	const char *const *columns;
	const char *const *skip;
	const char *parent; /* key of the field that makes it a tree */
	const char *name;   /* key of a text that the filter looks at too */
	/* The default order, greatest first. NULL: as the rows come. */
	double (*rank)(const struct row *row);
	/* Nothing moves in this row. */
	bool (*idle)(const struct row *row);
	/* A text field as it is shown; NULL: as it is. */
	const char *(*text)(const struct row *row, int field, char *buf,
			    size_t size);
};

extern const struct table_spec table_device, table_task, table_cpu, table_job;

int pane_table_want(struct ui *ui, const struct ui_view *view,
		    const struct table_spec *spec);
void pane_table_draw(struct ui *ui, const struct ui_view *view,
		     const struct table_spec *spec, struct area area);

/* Sort by the next or the previous column. */
void pane_table_sort(struct ui *ui, const struct table_spec *spec, int step);

/* Move the selection by so many rows. */
void pane_table_move(struct ui *ui, const struct ui_view *view,
		     const struct table_spec *spec, long step);

/* table_order.c: bring the order up to date with the frame. */
void table_order(struct table_state *t, const struct table_spec *spec,
		 const struct frame *frame);
/* Find the selected row again, or the one that took its place. */
void table_reselect(struct table_state *t, const struct table_spec *spec,
		    const struct frame *frame);

#endif
