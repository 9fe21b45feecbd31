/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists: the names that tables hold, for "iodyno list", help, completion,
 * checks and messages.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "ui/ui.h"

/* A list of names, each with its meaning. */
struct name_list {
	const char *name;   /* "engines", as "iodyno list" takes it */
	const char *column; /* its title: "ENGINE" */
	const char *help;   /* what the list is for, without a full stop */
	/* The i-th name, and its help; NULL: no more. Or NULL: the words. */
	const char *(*at)(size_t i, const char **help);
	const struct text_word *word;
};

/* The list of that name, or NULL. */
const struct name_list *lists_find(const char *name);
/* The i-th list, or NULL. */
const struct name_list *lists_at(size_t i);

/* The i-th name of a list, and its help; NULL: no more. */
const char *lists_name(const struct name_list *list, size_t i,
		       const char **help);

/* Whether the list has the name. */
bool lists_has(const struct name_list *list, const char *name);
/* "read, write and trim"; last is put before the last name. Returns buf. */
char *lists_words(const struct name_list *list, const char *last, char *buf,
		  size_t size);
/* " (did you mean run?)", or "" when no name is near. Returns buf. */
struct text_near lists_did_you_mean(const struct name_list *list,
				    const char *name);

/* Listing: columns on stdout, for people or as JSON. */

struct listing;

/* name is the array's name in JSON; columns are n titles. */
struct listing *lists_listing_new(const char *name, const char *const *columns,
				  size_t n, bool json);
/* One text per column; NULL is an empty cell. */
void lists_listing_add(struct listing *t, const char *const *cells);
/* Print the listing on stdout and free it. */
void lists_listing_print(struct listing *t);

/*
 * Knob words: texts about knobs and devices for the screen, which knows no
 * knob.
 */

/* See struct ui_view. */
const char *lists_knob_word(const char *knob, enum ui_knob_word word, char *buf,
			    size_t size);

/*
 * Describe a device as "disk.img, 256 MiB, mounted on /mnt". root is a struct
 * root. Returns buf, or NULL when there is no such device.
 */
const char *lists_device_words(const void *root, const char *device, char *buf,
				size_t size);
