/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request: what the operator asks of another room, and the answer that the
 * screen shows: the preview of a run, the open files of a process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Run: the jobs that the operator asks for, and the preview of their targets,
 * which is shown before anything is opened for writing.
 */

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
	bool asks; /* the opener asks on the terminal before the start */
};

/*
 * Open files: the regular files and block devices that one process has open,
 * and how far it moved in each since the previous reading. Read on request.
 */

/* Files with a line of their own. */
#define OPEN_FILES_MAX 64

struct open_file {
	int descriptor;
	char mode[16]; /* "r", "w", "rw", "rw direct" */
	char path[256]; /* made harmless; of a longer path its end, after '~' */
	int64_t position_bytes;
	/*
	 * How far reads, writes and seeks moved the position, forward or back.
	 * NaN: not known yet. 0: no call moved it; pread, pwrite, mmap, libaio
	 * and io_uring at offsets do not.
	 */
	double moved_bytes_per_s;
};

struct open_files {
	char pid[12], name[64];
	char sentence[256]; /* why there is no list; "": there is one */
	/*
	 * Bytes that its calls of read and write moved (rchar and wchar of
	 * /proc/PID/io), the page cache included, of all threads and of
	 * children that it waited for. NaN: not known.
	 */
	double read_call_bytes_per_s, write_call_bytes_per_s;
	struct open_file file[OPEN_FILES_MAX]; /* the farthest moved first */
	size_t n;
	size_t n_found;      /* files, also those without a line */
	size_t n_looked;     /* descriptors of any kind */
	size_t more_than;    /* more descriptors than this one exist and were
			      * not read; 0: all were read */
};
