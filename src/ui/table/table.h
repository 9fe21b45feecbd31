/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table: shows the rows of any schema; sorts, scrolls, filters, groups and
 * folds them. table.c makes the order, table_pane.c draws and acts on keys,
 * table_columns.c chooses the columns.
 */
#pragma once

#include "ui/state.h"

/* A column that is not a field: a small graph, say. */
struct table_extra {
	const char *key, *title, *help;
	int width;
	unsigned char place; /* its place among the fields on the screen */
	void (*draw)(struct ui *ui, const struct row *row, int y, int x,
		     int cells, enum role role);
};

/*
 * The properties of a table; all but the first four may be zero. The fields of
 * the schema hold the columns, their order, and which come first or are hidden
 * (FIELD_ON_SCREEN, enum field_column).
 */
struct table_spec {
	enum pane_id pane;
	enum schema_id schema;
	const char *title; /* of the column of ids */
	int id_width;
	const char *parent; /* key of the field that makes it a tree */
	/*
	 * The id of the row that a row without parent and group stems from;
	 * NULL: none. The lines of that tree stand in the column branch.
	 */
	const char *(*origin)(const struct row *row, char *buf, size_t size);
	const char *branch;
	/* Keys of texts that filter and search include. */
	const char *const *names;
	/*
	 * Keys of the fields that the next functions read in every row, at most
	 * TABLE_KEYS_MAX and NULL. The functions get at[], the indexes of these
	 * fields in a row, so that no row searches for them.
	 */
	const char *const *keys;
	/* The default order, greatest first. NULL: as the rows come. */
	double (*rank)(const struct row *row, const int *at);
	/* In a tree a parent ranks as high as its highest descendant. */
	bool rank_parents;
	/* Whether nothing happens in this row. */
	bool (*idle)(const struct row *row, const int *at);
	/*
	 * A row that was busy within so many intervals keeps the place of a busy
	 * one, so that rows do not jump; 0: it goes down at once.
	 */
	unsigned lingers;
	/* Whether the row has an alarm: it is drawn in the colour of alarms. */
	bool (*alert)(const struct row *row, const int *at);
	/* Whether the row belongs to the table's scope (state's scope). */
	bool (*within)(const struct row *row, const char *scope);
	/* A text field as shown; NULL: it has none. */
	const char *(*text)(const struct row *row, int field, char *buf,
			    size_t size);
	/* The id as shown; NULL: unchanged. */
	const char *(*id)(const struct row *row, char *buf, size_t size);
	/* A sign after the id, for attention; 0: none. */
	char (*mark)(struct ui *ui, const struct row *row);
	/* Whether the value differs from the start. */
	bool (*changed)(const struct row *row, int field);
	const struct table_extra *extra;
	int n_extras;
	/*
	 * The group of a row without a parent; NULL: none. group_least: the
	 * number of rows that a group needs; groups_shut: groups are folded at
	 * first; label() may set a text of a group. The figures of a group are
	 * the totals of the schema's fields.
	 */
	const char *(*group)(const struct row *row, const int *at);
	/* Called for each new frame; NULL: nothing is kept. */
	void (*look)(struct table_state *t, const struct frame *f);
	size_t group_least;
	/* Keys of texts by which the other rows can be summed, and NULL. */
	const char *const *sums;
	bool groups_shut;
	void (*label)(struct row *group, size_t rows);
};

extern const struct table_spec table_cgroup, table_device, table_fleet,
	table_task, table_job, table_knob, table_mount, table_slow;

/* The lines that the table could use, with its head; 0: it has no row. */
int table_want(struct ui *ui, struct table_state *t);
/* Draw the table into the area. */
void table_draw(struct ui *ui, struct table_state *t, struct area area);

/* Sort by the next or the previous column. */
void table_keys_sort(struct ui *ui, struct table_state *t, int step);

/* Move the selection by step rows. */
void table_keys_move(struct ui *ui, struct table_state *t, long step);

/*
 * The click() of a pane: a click on the sign before an id folds or unfolds the
 * row. False: another place.
 */
bool table_keys_click(struct ui *ui, int line, int column, enum click click);
/* The keys of a pane whose rows are a tree. */
extern const struct key_list table_keys_tree;
/* Actions of key rows, for the table that has the keys. */
void table_keys_act_fold(struct ui *ui);
void table_keys_act_fold_all(struct ui *ui);
void table_keys_act_tree(struct ui *ui);
void table_keys_act_follow(struct ui *ui);

/* Keep the columns, order and form of a table while a view stands in their place, or
 * put them back. */
void table_columns_hold(struct table_state *t, struct table_own *own, bool keep);

/*
 * The columns of a table and the form of its tree, as lines of the settings
 * file. Loading skips columns that no longer exist; false for an unknown key
 * or an invalid value.
 */
void table_columns_save(const struct table_state *t, struct settings_file *out);
bool table_columns_load(struct table_state *t, const char *key,
			const char *value);

/*
 * table_columns.c: a column is the index of a field, or from n_fields on of an
 * extra.
 */
/* The column of that key; -1: there is none. */
int table_columns_find(const struct table_spec *spec, const char *key);
const char *table_columns_key(const struct table_spec *spec, int column);
const char *table_columns_title(const struct table_spec *spec, int column);
const char *table_columns_help(const struct table_spec *spec, int column);
/* The extra of a column, or NULL: it is a field. */
const struct table_extra *table_columns_extra(const struct table_spec *spec,
					      int column);
/* Store the shown columns in their order; returns how many (COLUMNS_MAX). */
int table_columns(const struct table_state *t, int *column);
/* The shown columns, then the hidden ones; *shown of them are shown. */
int table_columns_all(const struct table_state *t, int *column, int *shown);
/* Show or hide a column; the last column stays. */
void table_columns_toggle(struct table_state *t, int column);
/* Move a shown column by one place; step 1: to the right. */
void table_columns_move(struct table_state *t, int one, int step);

/* table.c: bring the order up to date with the frame. */
void table_order(struct table_state *t, const struct frame *frame);
/* Find the selected row again, or the row that took its place. */
void table_reselect(struct table_state *t);
/* The number of rows that are not idle. */
size_t table_busy(struct ui *ui, struct table_state *t);
/* The row of a place, which may be a group. */
const struct row *table_row(const struct table_state *t,
			    const struct place *place);
/* The id of the i-th place. */
const char *table_id(const struct table_state *t, size_t i);

/* The most levels of a tree. */
#define TREE_LEVELS 64

/* Fold or unfold a row; or restore the default folding of all rows. */
void table_flip(struct table_state *t, const char *id);
void table_unflip_all(struct table_state *t);

/* Tag a row, or take its tag away; the same with all tags. */
void table_tag(struct table_state *t, const char *id);
bool table_is_tagged(const struct table_state *t, const char *id);
void table_untag_all(struct table_state *t);

/* Go to the next row whose name contains the searched text; step -1: to the
 * previous one. */
void table_keys_search(struct ui *ui, int step);
extern const struct prompt_spec table_keys_search_prompt;

/* Free what the state owns, not the struct itself. */
void table_state_free(struct table_state *t);

/* Compile a text into the filter; an invalid text sets error. */
void table_filter_compile(struct table_filter *f, const char *text);
/*
 * Whether the text matches. An invalid filter matches everything. text may be
 * NULL.
 */
bool table_filter_match(const struct table_filter *f, const char *text);
