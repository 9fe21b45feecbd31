/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print: frames as texts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/json.h"
#include "doc/print_parts.h"
#include "model/frame.h"

/* Batch: frames as a stream, a table per interval, for tickets and pipes. */

enum batch_form {
	BATCH_TEXT, /* tables under a line with the time, CPU and pressure */
	BATCH_CSV,  /* a line per row of one table, with one head */
	BATCH_JSON, /* an object per frame */
	BATCH_IOSTAT, /* an entry of "statistics" of iostat -o JSON: between
			 print_iostat_begin() and _end() */
};

/* Processes printed per frame: those with the most I/O. */
#define BATCH_TASKS 10

struct print_batch;
struct device_names;

struct batch_options {
	/*
	 * "KEY[,KEY]" of fields, each with or without "TABLE." before it
	 * (without: fields of devices first), or iostat's title; NULL: the first
	 * columns of the screen that 80 cells hold, of devices and, unless CSV,
	 * of processes.
	 */
	const char *columns;
	enum batch_form form;
	bool idle; /* idle devices, too; CSV and our JSON always have them */
	bool extended; /* all columns of iostat -x */
	bool basic;    /* those of iostat -d */
	bool narrow;   /* those of iostat -s */
	bool no_tasks, no_devices;
	bool cgroups;  /* those that did something, too; not CSV */
	bool no_cpu;   /* iostat's JSON has none, as iostat -d */
	bool megabytes; /* MB in place of kB as text */
	bool epoch; /* the time as seconds since 1970 as text, as iostat -U */
	bool human;     /* units after the numbers, as iostat --human */
	bool pretty;    /* names of devices last, as iostat --pretty */
	int digits;     /* after the point, 0 to 2; -1: as the fields say */
	const char *group; /* a row with the sums of all devices; NULL: none */
	bool group_only;   /* no row but that */
	const struct device_names *names; /* borrowed; NULL: the kernel's */
};

/* 0, or -EINVAL with a sentence. */
int print_batch_new(struct print_batch **out,
		    const struct batch_options *wish) must_check;
void print_batch_free(struct print_batch *b);

/*
 * Print a frame; as text with lines for alarms and changes of settings. Tables
 * without a reading in this interval are left out.
 */
void print_batch_frame(struct print_batch *b, const struct frame *f, FILE *out);

/* iostat's JSON: the document around the entries of BATCH_IOSTAT. */
struct print_iostat_host {
	const char *name, *kernel, *machine; /* NULL: not known */
	double cpus;
	uint64_t wall_ns;
};

/* first: the first host of the document. print_iostat_end(NULL) ends a host,
 * print_iostat_close() the document. */
void print_iostat_begin(const struct print_iostat_host *h, bool first,
			FILE *out);
/* The begin of an entry of statistics: its time and, unless no_cpu, processors. */
void print_iostat_cpu(const struct frame *f, bool first, bool no_cpu,
		      FILE *out);
/* A name or text of JSON; NULL is "". */
void print_iostat_text(const char *text, FILE *out);

/* Excerpt: one interval of a log as footnotes in the form of iostat and top. */

/*
 * Print a frame as "iostat -x" of sysstat before 11.7 would have shown it:
 * processors, and each device with I/O, with sectors of 512 bytes, avgrq-sz,
 * avgqu-sz, await and svctm (%util per request, which means little if
 * requests overlap). number: of the footnote.
 */
void print_excerpt_iostat(const struct frame *f, unsigned number, FILE *out);

/*
 * Print a frame as top would have shown it: at most 20 tasks with CPU time since
 * they were read before, at since_s (NaN: one interval), including kernel threads
 * that do I/O for others.
 */
void print_excerpt_top(const struct frame *f, double since_s, unsigned number,
		       FILE *out);

/* Series: chosen fields of every frame as CSV, for plots. */

struct print_series;

/*
 * fields: TABLE.ROW.KEY, comma-separated, such as device.sda.read_iops, or
 * TABLE.KEY for a table with one row. ROW "*": all rows. Returns 0, or -EINVAL
 * with a sentence.
 */
int print_series_new(struct print_series **out, const char *fields) must_check;
void print_series_free(struct print_series *s);

/* Whether a field has the row "*": then print_series_scan() must see all frames
 * before the head is printed. */
bool print_series_scans(const struct print_series *s);
void print_series_scan(struct print_series *s, const struct frame *f);

/* Print the titles (log,t,time and the fields), then a line per frame. Unknown
 * values are empty. */
void print_series_head(const struct print_series *s, FILE *out);
void print_series_add(struct print_series *s, const char *log,
		      const struct frame *f, FILE *out);
