/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ui: frames become cells, keys become actions.
 *
 * ncurses draws into memory, and the bytes go to the terminal when it accepts
 * them, so nothing here waits for the terminal. While the terminal is slow or
 * stopped, frames are skipped; the next one is drawn when it accepts output.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "model/action.h"
#include "trial/crossover.h"
#include "trial/effect.h"
#include "model/frame.h"
#include "model/history.h"
#include "model/request.h"

struct ui;

/* The occasion of the screen: each keeps a layout of its own. */
enum ui_occasion { UI_MONITOR, UI_RUN, UI_REPLAY, UI_OCCASIONS };

struct ui_options {
	enum ui_occasion occasion;
	int tty;           /* the terminal, for input and output; borrowed */
	const char *term;  /* NULL: $TERM */
	bool no_color;     /* also when NO_COLOR is set */
	bool no_mouse;     /* leave the mouse to the terminal */
	bool ascii;        /* also when the locale is not UTF-8 */
	const char *theme; /* colours; NULL: those of the settings */
	/* The text of ui_settings() in an earlier run; NULL: none. */
	const char *settings;
	int lines, columns; /* 0: ask the terminal; else fixed (tests) */
};

/* Another log beside the one that is replayed. */
struct ui_other {
	const struct frame *frame; /* NULL: the log has none at that time */
	const struct history *history;
	const struct effect *effect;
	size_t n_effects;
	double shift_s;   /* time in the shown log = time in this + shift_s */
	const char *name; /* of its file */
	char letter;      /* 'A' or 'B' */
};

/* Constant facts about a knob. */
enum ui_knob_word {
	UI_KNOB_HELP,   /* a sentence without a full stop */
	UI_KNOB_OFFERS, /* "0 to 2", "4 or more KiB" */
};

/* The questions that the run dialog asks. Texts are borrowed. */
struct ui_offer {
	void *arg;
	/* The i-th name and its help; NULL: there are no more. */
	const char *(*preset)(size_t i, const char **help);
	const char *(*engine)(size_t i, const char **help);
	/*
	 * Complete the name of a file as far as it is unique; false: nothing to
	 * add.
	 */
	bool (*complete)(const char *typed, char *out, size_t size);
	/*
	 * The i-th setting of a running job that can be changed, with its
	 * present value in buf; NULL: no more, or no such job runs.
	 */
	const char *(*setting)(void *arg, const char *job, size_t i,
			       const char **help, char *buf, size_t size);
};

/* Data that this machine lacks, and the remedy. */
struct ui_lack {
	enum schema_id about;
	const char *sentence; /* without a full stop */
};

/*
 * Sweep matrix: the screen of a sweep, as words: each block's runs by variant,
 * the figures below them, and the run under way. The sweep fills it, the
 * screen draws it.
 */

enum sweep_box_state {
	SWEEP_BOX_NONE, /* not planned, or not begun */
	SWEEP_BOX_RUNS,
	SWEEP_BOX_DONE,
	SWEEP_BOX_SPOILT, /* done, and not compared */
	SWEEP_BOX_SKIPPED,
	SWEEP_BOX_LOST, /* given up */
};

struct sweep_box {
	enum sweep_box_state state;
	char text[16]; /* "61.2k", invalid "61.2k !", "42/60 s", "X" */
};

/* The figures of a variant; the first one is the baseline. */
struct sweep_column {
	char name[64];
	char mean[16];
	char change[64]; /* "-0.6 +-1.5 %"; "base" */
	char width[32];	 /* "+-1.5 %", with the limit "yes" or "no" */
	int verdict;	 /* 1: better, -1: worse, 0: neither */
};

/* The number of rates of the run under way that are kept. */
#define SWEEP_MATRIX_RATES 40

/* Texts have no newline. */
struct sweep_matrix {
	char plan[240];	  /* plan, device and model, kernel, base */
	char progress[160]; /* block, run, time elapsed and left */
	char limits[200]; /* paused, bytes written, until, temperature, I/O of
			     others */
	char metric[160]; /* "iops, more is better" */
	char until[24];	  /* "width < 2 %", or "width" */
	char drift[160]; /* and whether block 1 is like the rest */
	char now[160], steps[240]; /* of the run under way; steps done */
	char trouble[240];	   /* why the last failed run failed, or "" */
	size_t n_variants, n_blocks;
	struct sweep_column *column; /* n_variants */
	struct sweep_box *box;	     /* [block * n_variants + variant] */
	/* The place of each variant in the block's order, from 1. */
	unsigned *place;
	size_t at; /* the block under way */
	double rate[SWEEP_MATRIX_RATES]; /* of the frames, the latest last */
	size_t n_rates;
	double p99_ns; /* of the latest frame; 0 or NaN: not known */
};

/* The data to show; all of it is borrowed for the call. */
struct ui_view {
	/* NULL: nothing yet. Jobs that are over have the figures of their
	 * entire run. */
	const struct frame *frame;
	const struct history *history;
	const struct effect *effect; /* oldest first */
	size_t n_effects;
	const struct segment_info *segment; /* segments that can be compared */
	size_t n_segments;
	const struct effect *chosen; /* of two segments; NULL: none chosen */
	size_t chosen_before, chosen_after; /* their indexes */
	const struct ui_other *other;       /* NULL: one log, or live */
	char letter;       /* of this log beside the other; 0: no other */
	const char *title; /* "run: randrw 16k on /dev/loop0" */
	bool fleet;	   /* the frame has the hosts of a fleet */
	bool replay;       /* from a log: seek, step and speed work */
	bool following;    /* a log that is still being written */
	bool paused;
	double speed;                /* of a replay */
	double position_s, length_s; /* of a replay */
	uint64_t first_ns, last_ns;  /* of a replay: the clock of the first and
					the last frame; 0 unknown */
	double interval_s;           /* nominal */
	const char *message; /* a sentence for the status line, or NULL */
	const char *pending; /* "loop0.scheduler -> bfq ... 1.3 s", or NULL */
	const struct ui_lack *lack;
	size_t n_lacks;
	const char *no_knobs;         /* why no knob can be turned, or NULL */
	const struct ui_offer *offer; /* NULL: nothing can be started here */
	const struct run_preview *preview; /* of the last ACTION_RUN_LOOK;
					      NULL: there is none */
	bool looking;                      /* a preview is under way */
	const struct open_files *files;    /* of the last ACTION_FILES; NULL:
					      no process was chosen */
	const struct sweep_matrix *sweep;  /* NULL: no sweep runs */
	const struct crossover *crossover; /* its periods so far, or NULL */
	const char *crossover_words;       /* its progress, or why it ended */
	bool crossover_runs;
	bool can_cross; /* a live crossover may be begun */
	/* A text about a knob ("iosched.fifo_batch"); NULL: none. */
	const char *(*knob_word)(const char *knob, enum ui_knob_word word,
				 char *buf, size_t size);
	/* A text about the kind and the use of a device; may be NULL. */
	const char *(*device_words)(const void *of, const char *device,
				    char *buf, size_t size);
	const void *device_words_of;
};

/* Open the screen. 0, or -errno with a sentence (unknown TERM, no terminal). */
int ui_open(struct ui **out, const struct ui_options *options) must_check;

/* Fold what is built on a device, until the operator unfolds it. */
void ui_fold(struct ui *ui, const char *device);

/* Restore the terminal; waits at most half a second for it. NULL is fine. */
void ui_close(struct ui *ui);

/*
 * For SIGTSTP: ui_suspend() restores the terminal as ui_close() does;
 * ui_resume() takes it again, and the next ui_draw() paints everything.
 */
void ui_suspend(struct ui *ui);
void ui_resume(struct ui *ui);

/*
 * Restore the terminal at once, from die() or a handler of a fatal signal: uses
 * only poll(2), write(2), tcsetattr(3) and sigprocmask(2), and never waits.
 * Does nothing when no screen is open. ui_open() makes it the hook of die().
 */
void ui_crash(void);

/* Draw, unless the terminal has not accepted the last screen yet. */
void ui_draw(struct ui *ui, const struct ui_view *view);

/*
 * Whether the terminal has not accepted all bytes yet: then poll it for output
 * and call ui_flush().
 */
bool ui_backlog(const struct ui *ui);
void ui_flush(struct ui *ui);

/*
 * The operator's settings as text for the next run, which the caller frees.
 * NULL when nothing has changed since ui_open().
 */
char *ui_settings(const struct ui *ui);

/* Show a sentence until the next key. */
void ui_say(struct ui *ui, const char *sentence);

/* The terminal changed its size (SIGWINCH). */
void ui_resize(struct ui *ui);

/*
 * Take one key, if there is one. Returns true when there was; *action is
 * ACTION_NONE when it only changed what is shown. Redraw after it.
 */
bool ui_key(struct ui *ui, const struct ui_view *view, struct action *action);

/* Keys: one table that dispatch, help and "list keys" read. */
struct ui_key_help {
	const char *keys; /* "q F10" */
	const char *help;
};

/* The i-th key, or NULL. */
const struct ui_key_help *ui_key_help(size_t i);
/* The section of the i-th key in the help, or the name of its pane. */
const char *ui_key_where(size_t i);

/* The i-th set of colours and its help, or NULL. */
const char *ui_theme(size_t i, const char **help);
