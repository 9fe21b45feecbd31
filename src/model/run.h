/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run: the jobs that the operator asks for, and the preview of their targets,
 * which is shown before anything is opened for writing.
 */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include <stddef.h>

#define RUN_OPTIONS 16
#define RUN_LINES   8

struct run_option {
	char name[32], value[256];
};

/* An empty text means the source's value, or the default. */
struct run_request {
	char source[256]; /* a preset or a job file; "": one job of options */
	char target[256]; /* a file, a directory or a device */
	struct run_option option[RUN_OPTIONS];
	size_t n_options;
	char confirm[256]; /* the words typed to allow the loss of data */
};

/* The fate of the data of a target, from harmless to worst. */
enum run_danger {
	RUN_READS,   /* nothing is written */
	RUN_MAKES,   /* a new file */
	RUN_REWRITE, /* a file that iodyno made */
	RUN_DESTROY, /* data of others: the command must name the target */
};

struct run_target {
	enum run_danger danger;
	char words[256];
	/* To be typed, word by word: its path, reasons to override. */
	char demand[320];
};

/* The worst ones first; n also counts those without a line. */
struct run_preview {
	char error[512]; /* why it cannot be run; "": it can */
	char job[RUN_LINES][160];
	size_t n_jobs;
	struct run_target target[RUN_LINES];
	size_t n_targets;
	char demand[512]; /* of all of them; "": nothing has to be typed */
};

#endif
