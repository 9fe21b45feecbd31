/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table state: the state of a table between two drawings. Rows are kept by
 * their ids, so that a selection follows its row.
 */
#ifndef UI_TABLE_STATE_H
#define UI_TABLE_STATE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

#define SORT_DEFAULT -1
#define URGENT_MAX   4
#define TABLE_KEYS_MAX 8
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
	size_t rows;
	int sort;
	bool reverse, busy_only, flat, follow;
	unsigned folds;
	char filter[FILTER_MAX], followed[ROW_ID_MAX], scope[ROW_ID_MAX];
};

struct table_state {
	int sort; /* field, or SORT_DEFAULT */
	bool reverse, busy_only, flat;
	bool follow; /* keep the selected row, even against the filter */
	bool lost;   /* the followed row is gone */
	bool moved;  /* the operator selected the row; else it is chosen
		        automatically */
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
	/* Columns of the spec's urgent ones that have something to show. */
	short urgent[URGENT_MAX];
	int n_urgent;
	size_t busy; /* rows that are not idle */
	int key_at[TABLE_KEYS_MAX]; /* see keys of the spec */
	/* The order and its inputs. */
	struct place *place;
	size_t n, cap;
	struct group *group;
	size_t n_groups, cap_groups;
	struct arena arena; /* values of the groups */
	struct table_wish made;
};

/* Free what the state owns, not the struct itself. */
void table_state_free(struct table_state *t);

/* Compile a text into the filter; an invalid text sets error. */
void table_filter_compile(struct table_filter *f, const char *text);
/*
 * Whether the text matches. An invalid filter matches everything. text may be
 * NULL.
 */
bool table_filter_match(const struct table_filter *f, const char *text);

#endif
