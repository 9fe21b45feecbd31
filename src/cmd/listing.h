/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listing: columns on stdout, for people or as JSON.
 */
#ifndef CMD_LISTING_H
#define CMD_LISTING_H

#include <stdbool.h>
#include <stddef.h>

struct listing;

/* name is the array's name in JSON; columns are n titles. */
struct listing *listing_new(const char *name, const char *const *columns,
			    size_t n, bool json);
/* One text per column; NULL is an empty cell. */
void listing_add(struct listing *t, const char *const *cells);
/* Print it on stdout and free it. */
void listing_print(struct listing *t);

#endif
