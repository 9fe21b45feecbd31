/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Schema: a kind of row (device, cpu, task, ...) and its fields (columns).
 *
 * Whoever shows, logs, sums, lists or replays rows walks these tables; no code
 * names a column but the column itself. To add a column, add a row to the
 * table of its schema_*.c.
 */
#ifndef MODEL_SCHEMA_H
#define MODEL_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/histogram.h"

#define ROW_ID_MAX 64

/*
 * Every raw row starts with its key. id names it ("vda"); generation tells two
 * bearers of one name apart (diskseq of a device, start time of a task).
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

/* What several rows have together in such a column, as a group or in all. */
enum field_total {
	TOTAL_NONE, /* nothing that means anything */
	TOTAL_SUM,
	TOTAL_MEAN,
};

/* The tables and lists that show some of the columns, in an order. */
enum field_use {
	FIELD_IN_GRAPH,	  /* series of the graph that one key goes through */
	FIELD_IN_REPORT,  /* columns of the report's text */
	FIELD_IN_COMPARE, /* metrics that a comparison of segments reports */
	FIELD_USES
};

/*
 * One column. number() returns NaN and text() NULL for "absent".
 * histogram() fills *out (not cleared before) and returns false for absent.
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
	enum field_total total; /* with a weight: the mean by that weight */
	int better; /* 1: more is better, -1: less is, 0: neither as such */
	/* Place in each of these, lowest first; 0: not shown there. */
	unsigned char place[FIELD_USES];
	bool rare; /* the report shows it only where there was any */
	double (*number)(const struct span *span);
	const char *(*text)(const struct span *span);
	bool (*histogram)(const struct span *span, struct histogram *out);
};

struct schema {
	const char *name; /* the key in the log: "device" */
	const char *help;
	size_t row_size;  /* of the raw struct */
	bool single;	  /* always one row: an object in the log, no array */
	bool born_zero;	  /* a row that appears counted from zero, so its
			     first interval has rates */
	bool bare;	  /* rows have no id in the log */
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
	SCHEMA_KNOB,
	SCHEMA_JOB,
	SCHEMA_SELF,
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
/* a / b, NaN when b is 0 or either is NaN. */
double schema_ratio(double a, double b);

#endif
