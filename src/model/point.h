/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Point: which cell of an experiment a job, an event or a result belongs to.
 *
 * An experiment varies axes (bs, vda.scheduler). A point is one value of each
 * axis. A run measures one point once; runs that are compared with each other
 * stand together in a block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/json.h"

#define POINT_AXES 8

/* The value of one axis: "vda.scheduler", "bfq". */
struct point_value {
	char key[48], value[48];
};

/* Values in the order in which they were set. A zeroed struct is empty. */
struct point {
	unsigned n;
	struct point_value axis[POINT_AXES];
};

/* block and run count from 1; 0 is none. A zeroed struct is not a cell. */
struct cell {
	struct point point;
	unsigned block, run;
};

/*
 * Set the value of an axis, in place of an earlier one. False, with nothing
 * changed, when a text is too long, the key is empty or there are POINT_AXES
 * other axes.
 */
bool point_set(struct point *p, const char *key, const char *value) must_check;

/* The value of an axis, or NULL. */
const char *point_get(const struct point *p, const char *key);

/* Whether both have the same axes with the same values, in any order. */
bool point_equal(const struct point *a, const struct point *b);

/* "bs=4k vda.scheduler=bfq"; "" for an empty point. Returns buf. */
char *point_words(const struct point *p, char *buf, size_t size);

/* Whether anything of the cell is set. */
bool point_cell_any(const struct cell *c);

/*
 * The members "point", "block" and "run" of the object that is being written;
 * nothing for an empty cell.
 */
void point_cell_write(struct json_writer *w, const struct cell *c);

/*
 * Read these members of an object from an untrusted log. What does not fit is
 * left out, texts are made harmless.
 */
void point_cell_read(struct json *object, struct cell *c);
