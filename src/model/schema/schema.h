/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Schema: a kind of row (device, cpu, task, ...) and its fields (columns).
 *
 * The screen, the log, the reports, the lists and replay walk these tables. To
 * add a column, add a row to the table of its schema_*.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/histogram.h"

#define ROW_ID_MAX 64
/* Room for the names of devices in a row: for more than a hundred. */
#define ROW_NAMES_MAX 1024

/*
 * Every raw row starts with its key. id names it ("vda"); generation
 * distinguishes two rows of one name (diskseq of a device, start time of a
 * task).
 */
struct row_key {
	char id[ROW_ID_MAX];
	uint64_t generation;
};

/*
 * A raw row at two instants. prev is NULL when the row was not there (or was
 * another of that name): what needs a difference is then absent. seconds is
 * the time between the two, above 0 whenever prev is set.
 */
struct span {
	const void *prev, *now;
	double seconds;
};

enum field_kind { FIELD_NUMBER, FIELD_TEXT, FIELD_HISTOGRAM };

/*
 * A plain gauge: a member of the raw row that is shown as it is. GAUGE() finds
 * its type.
 */
enum gauge_type {
	GAUGE_NONE,
	GAUGE_DOUBLE, /* NaN: absent */
	GAUGE_UINT64,
	GAUGE_INT64, /* below 0: absent */
	GAUGE_UNSIGNED,
	GAUGE_BOOL,  /* 1 or 0 */
	GAUGE_TEXT,  /* const char *; NULL: absent */
	GAUGE_CHARS, /* char[]; "": absent */
};

struct gauge {
	enum gauge_type type;
	size_t at; /* offset in the raw row */
	bool some; /* 0 is absent, too */
};

#define GAUGE(raw, member)      { GAUGE_AT(raw, member), .some = false }
#define GAUGE_SOME(raw, member) { GAUGE_AT(raw, member), .some = true }
#define GAUGE_AT(raw, member)                       \
		_Generic(((raw *)0)->member,        \
			double: GAUGE_DOUBLE,       \
			uint64_t: GAUGE_UINT64,     \
			int64_t: GAUGE_INT64,       \
			unsigned: GAUGE_UNSIGNED,   \
			bool: GAUGE_BOOL,           \
			const char *: GAUGE_TEXT,   \
			char *: GAUGE_CHARS),       \
		offsetof(raw, member)

/* The total of such a column over a group of rows, or over all. */
enum field_total {
	TOTAL_NONE, /* nothing meaningful */
	TOTAL_SUM,
	TOTAL_MEAN,
};

/*
 * The tables and lists that show some of the columns, in an order of their own.
 */
enum field_use {
	FIELD_ON_SCREEN,  /* first columns of the table; the rest follows in
			     the order of the schema */
	FIELD_IN_GRAPH,	  /* series of the graph that one key goes through */
	FIELD_IN_REPORT,  /* columns of the report's text; of jobs, means that
			     stand in a line below the table */
	FIELD_IN_RESULTS, /* means of a job in the report's JSON and CSV, beside
			     its totals; of devices these have all numbers */
	FIELD_IN_COMPARE, /* metrics that a comparison of segments reports; one
			     order of jobs, devices and CPU together */
	FIELD_OF_READAHEAD, /* the metrics that a comparison reports first when
			       the readahead was changed */
	FIELD_USES
};

/* The treatment of a metric in a comparison of segments. */
enum field_compare {
	COMPARE_SHOW,	    /* report it */
	COMPARE_JUDGE,	    /* the judgement rests on it, too */
	COMPARE_SHOW_ALONE, /* report it where no job ran */
	COMPARE_JUDGE_ALONE, /* the judgement rests on it where no job ran */
};

/* When the table on the screen shows a column that the operator did not
 * choose. */
enum field_column {
	COLUMN_SHOWN,
	COLUMN_HIDDEN,
	COLUMN_URGENT, /* the column comes first while any row has more than
		          0 in it */
	COLUMN_URGENT_ONLY, /* the same, and it is hidden otherwise */
	COLUMN_URGENT_LAST, /* the same, behind the columns with a place */
};

/* The part of a raw row that of() and histogram() read; what they use of it is
 * theirs. */
struct field_arg {
	unsigned char op, part;
	unsigned at; /* offset of a member in the row, or in its operation */
	double pct;
	double per, most; /* of schema_rate(): units of the counter in one of the
			     figure, the greatest figure; 0: 1, none */
};

/*
 * One column. number() and of() return NaN and text() NULL for "absent".
 * histogram() fills *out (not cleared before) and returns false for absent.
 * A field has one of the four functions or a gauge.
 */
struct field {
	const char *key;   /* in the log; stable; its unit in it */
	const char *title; /* on the screen: iostat's word */
	const char *help;  /* one sentence without a full stop */
	enum field_kind kind;
	unsigned char width;  /* cells on the screen; texts: at least */
	unsigned char digits; /* after the point, on the screen */
	double scale;	      /* screen value = value * scale; 0 is 1 */
	const char *weight;   /* key of the field that weighs a mean over time
				 (await by its iops); NULL: by seconds */
	const char *weight_time; /* with a weight: a time that weighs, too (of a
				    share of the time of the requests) */
	enum field_total total; /* with a weight: the mean by that weight */
	int better; /* 1: more is better, -1: less is, 0: neither as such */
	/* From these values on the screen draws the figure as high, as an alarm;
	 * 0: never. */
	double high, severe;
	/* Place in each of these, lowest first; 0: not shown there. */
	unsigned char place[FIELD_USES];
	enum field_compare compare;
	enum field_column column;
	bool fact;    /* seldom changes: a log of days writes it once */
	bool passes;  /* a number that changes although nothing happens */
	bool rare;    /* the report shows it only where there was any */
	bool setting; /* a mean over time says nothing: reports leave it out */
	bool idle;    /* a number, 0 where nothing happens: the log leaves these
			 out of a row in which all of them are 0, with a mark.
			 No field gets this later: to readers of earlier logs
			 the mark would say that it was measured. */
	unsigned char zero; /* a number, often 0: in a row in which all such
			 fields up to this level, and those with the idle mark,
			 were measured, the log leaves a 0 out; 0: never. No
			 field gets this later. */
	struct gauge gauge;
	double (*number)(const struct span *span);
	const char *(*text)(const struct span *span);
	double (*of)(const struct span *span, const struct field *field);
	bool (*histogram)(const struct span *span, const struct field *field,
			  struct histogram *out);
	struct field_arg arg;
};

struct schema {
	const char *name; /* the key in the log: "device" */
	const char *help;
	size_t row_size;  /* of the raw struct */
	size_t still_size; /* the part of it that stays while nothing happens;
			      0: rows have no such part. All fields come from
			      it, but those that pass. */
	bool single;	  /* always one row: an object in the log, no array */
	bool born_zero;	  /* a row that appears counted from zero, so its
			     first interval has rates */
	bool bare;	  /* rows have no id in the log */
	bool moments;	  /* each row is of its own frame alone: it is compared
			     with no other, and has no history */
	bool gauges;	  /* no field is a rate: the row before is not needed */
	bool detail;	  /* rows are parts of rows of another table, with its
			     fields: for the log and the results alone */
	size_t cell_at;	  /* where the raw row has its const struct cell *;
			     0: these rows belong to no experiment */
	const struct field *fields;
	size_t n_fields;
};

enum schema_id {
	SCHEMA_CPU,
	SCHEMA_DEVICE,
	SCHEMA_TASK,
	SCHEMA_MEMORY,
	SCHEMA_PRESSURE,
	SCHEMA_CGROUP,
	SCHEMA_KNOB,
	SCHEMA_JOB,
	SCHEMA_SLOW,
	SCHEMA_SELF,
	SCHEMA_CLONE,
	SCHEMA_FLEET,
	SCHEMA_MOUNT,
	SCHEMA_COUNT
};

extern const struct schema *const schemas[SCHEMA_COUNT];

/* The index of a field by its key, or -1. */
int schema_field(enum schema_id id, const char *key);
/*
 * The fields that are shown there, as indexes, in the order of their places
 * and, of equal ones, of the schema. Fills at most max; returns how many.
 */
size_t schema_fields_in(enum schema_id id, enum field_use use, int *field,
			size_t max);
/* The value of a field of kind FIELD_NUMBER or FIELD_TEXT; NaN, NULL: absent.
 * The text lives as long as the rows of the span. */
double schema_number(const struct field *field, const struct span *span);
const char *schema_text(const struct field *field, const struct span *span);
/* The schema of that name, or SCHEMA_COUNT. */
enum schema_id schema_by_name(const char *name);

/*
 * Helpers for derive functions.
 *
 * schema_delta64: now - prev of an unsigned long counter. A counter that went
 * backwards was reset: NaN.
 * schema_delta32: the same for counters that the kernel prints modulo 2^32
 * (the millisecond fields of diskstats): a wrap is undone.
 */
double schema_delta64(uint64_t now, uint64_t prev);
double schema_delta32(uint64_t now, uint64_t prev);
/* The same of a uint64_t at an offset in both rows. */
double schema_delta_at(const void *now, const void *prev, size_t at);
/* An of(): the same at arg.at per second, by arg.per and arg.most; absent while
 * the counter is UINT64_MAX. */
double schema_rate(const struct span *s, const struct field *f);
/* a / b, NaN when b is 0 or either is NaN. */
double schema_ratio(double a, double b);
