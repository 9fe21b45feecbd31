/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scene: frames made by hand and a pseudo terminal, for the tests of the
 * screen.
 */
#pragma once

#include "base/fail.h"
#include "ui/ui.h"

#include "test.h"

struct scene {
	int master, slave;
	struct ui *ui;
	struct ui_view view;
	struct frame frame;
	struct history *history;
	struct effect effect[2];
	char *seen; /* all bytes that reached the terminal, ended with NUL */
	size_t n_seen, cap_seen;
};

enum scene_kind {
	SCENE_FIRST, /* no rates yet */
	SCENE_TOP,   /* the monitor */
	SCENE_RUN,   /* two jobs, two turns of a knob */
};

/* A locale with UTF-8, UTC, a known TERM; once per program. */
void scene_environment(void);

/* Open a pseudo terminal and a screen of that size on it. */
void scene_open(struct scene *s, enum scene_kind kind, int lines, int columns);
void scene_open_with(struct scene *s, enum scene_kind kind,
		     const struct ui_options *options);
void scene_close(struct scene *s);

/* Fill the frame, the history and the effects anew. */
void scene_fill(struct scene *s, enum scene_kind kind);
/* A frame with that many devices and tasks. */
void scene_fill_many(struct scene *s, unsigned devices, unsigned tasks);
void scene_number(struct frame *f, enum schema_id id, const char *row,
		  const char *key, double v);
void scene_text(struct frame *f, enum schema_id id, const char *row,
		const char *key, const char *v);

/* Draw and take all bytes off the terminal. */
void scene_draw(struct scene *s);
/* The screen as lines of UTF-8 without blanks at their ends; the caller frees
 * the text. */
char *scene_copy(void);
/* Take the bytes that are there. */
void scene_read(struct scene *s);
/* Press keys; returns the last action that was not ACTION_NONE. */
struct action scene_keys(struct scene *s, const char *bytes);

/* What curses would have to read to give that code; returns how many bytes. */
size_t scene_key_bytes(int code, char out[8]);

/* What may be run: two presets, two engines, two settings of each job. */
extern const struct ui_offer scene_offer;
/* What an overwritten device and a file that is read come to. */
void scene_preview(struct run_preview *o);

/*
 * Compare with tests/golden/NAME.txt; with UPDATE_GOLDEN set it is written
 * anew.
 */
void scene_golden(const char *name, const char *screen);

#define KEY_UP_BYTES    "\033OA"
#define KEY_DOWN_BYTES  "\033OB"
#define KEY_LEFT_BYTES  "\033OD"
#define KEY_RIGHT_BYTES "\033OC"
