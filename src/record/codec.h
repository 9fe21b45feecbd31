/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Codec: a frame or a header becomes one JSON line, and back, by walking the
 * schemas.
 *
 * A frame is {"type":"frame","t":SECONDS,"time":RFC 3339 in UTC,
 * "interval_s":...,"late":...} and for each schema a member of its name: an
 * array of objects, one per row, {"id":...,KEY:VALUE,...}. Schemas that always
 * have one row are that object; bare ones have no id. A value that was not
 * measured is left out, and so is a table without rows. A row in which nothing
 * happened has "idle":1 instead of the fields that its schema marks so, which
 * are 0; any other row "zero":LEVEL, where marked fields up to that level that are
 * absent are 0. They are set again when the row is read. A histogram is
 * [[least ns of a bucket, count],...] for the buckets in use.
 *
 * Tasks that used neither CPU nor I/O in the interval are left out. Knobs are
 * written in full in the first frame of a log, later only those that changed;
 * one that has an id and nothing else is gone (the tunables of the scheduler
 * that was switched away).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/json.h"
#include "model/frame.h"
#include "model/header.h"

/* At least the fields of a knob; all are texts. */
#define KNOWN_KNOB_TEXTS 8

/* The last known value of each knob in the log. A zeroed struct is empty. */
struct known_knob {
	char *id;
	char *text[KNOWN_KNOB_TEXTS]; /* one per field of the schema, or NULL */
	uint32_t hash;
	bool seen, changed;
};

struct known_knobs {
	struct known_knob *knob;
	size_t n, cap;
};

/*
 * Facts: fields of devices and processes that seldom change (field.fact). A log
 * with an interval of KNOWN_FACTS_LEAST_S or more is one of days: a row there
 * with "same":1 has the facts of the last row of that id before it that has no
 * such mark. No row of a frame with "whole":1 has it, one in KNOWN_FACTS_FRAMES,
 * so that any frame can be read with that many before it. A zeroed struct knows
 * none.
 */
#define KNOWN_FACTS_LEAST_S 5
#define KNOWN_FACTS_FRAMES  64

struct known_facts {
	struct frame rows; /* with facts alone */
	struct known_facts_place {
		enum schema_id schema;
		uint32_t row; /* its number + 1; 0: free */
	} *place;
	size_t n, cap;
	bool on;	 /* there are marks in this log */
	bool whole;	 /* of the frame that is written */
	unsigned frames; /* written since the last one */
};

void known_facts_free(struct known_facts *k);
void known_facts_reset(struct known_facts *k);
/* Writing: before the rows of a frame. */
void known_facts_begin(struct known_facts *k);
/* Writing: the next frame is whole. */
void known_facts_forget(struct known_facts *k);
/* Writing: whether the row needs no facts, which are kept else. */
bool known_facts_same(struct known_facts *k, enum schema_id id,
		      const struct row *row);
/* Reading: give the rows of the next frame that row.same marks their facts. */
void known_facts_fill(struct known_facts *k, struct frame *f);

/* The most that are read from a log. */
#define CODEC_MAX_KNOBS      16384
#define CODEC_MAX_ROWS       65536
#define CODEC_MAX_HISTOGRAMS 256 /* 35 kB each */

void known_knobs_free(struct known_knobs *k);
/*
 * Update the known knobs from a line's rows; rows that are not an array are
 * skipped.
 */
void known_knobs_merge(struct known_knobs *k, struct json *rows);
/* Make them the knob table of a frame. */
void known_knobs_copy(const struct known_knobs *k, struct frame *f);
/* Write the knobs that differ from the known values, and remember them. */
void known_knobs_write(struct known_knobs *k, const struct table *t,
		       struct json_writer *w);

/*
 * Write the line without its newline; knobs and facts hold the values of earlier
 * lines.
 * coarseness: the buckets of histograms are halved so often, 0 to 6.
 */
void codec_write_frame(struct json_writer *w, const struct frame *f,
		       struct known_knobs *knobs, struct known_facts *facts,
		       unsigned coarseness);
void codec_write_header(struct json_writer *w, const struct header *h);
/* The member "clock" of a line; none if nothing is known. */
void codec_write_clock(struct json_writer *w, const struct clock_facts *c);
/* A line of jobs that were started after the header was written. */
void codec_write_jobs(struct json_writer *w, const struct job *job, size_t n);

/*
 * Fill a frame from a parsed line, all but its knobs. Rows without an id,
 * unknown keys, values of the wrong kind and whatever exceeds a bound (65536
 * rows of a kind, 256 histograms, 4096 events) are skipped.
 */
void codec_read_frame(struct json *line, struct frame *f);

/* The highest level of field.zero; that of fields with the idle mark is 1. */
#define CODEC_ZERO_LEVELS 3
/* Set the absent fields up to that level to 0; NaN: none. */
void codec_set_zeros(const struct schema *s, struct row *row, double level);
/* The arguments of a process, which the log has in its command line only. */
void codec_set_arguments(struct row *row);

/*
 * Fill a header; knobs gets the settings of the line and must live as long as
 * the header. 0, or -EPROTONOSUPPORT with a sentence when the log is of a later
 * schema than ours. codec_free_header() in either case.
 */
int codec_read_header(struct json *line, struct header *h,
		      struct frame *knobs) must_check;

/* Free what a header that was read owns, not the struct. */
void codec_free_header(struct header *h);

/* Add the jobs of such a line to a header that was read. */
void codec_read_jobs(struct json *line, struct header *h);

/*
 * Frame line: a frame from the text of its line, without a tree of JSON.
 *
 * A tree of json-c costs ten times as much as all else that a report does. The
 * lines that this program writes are read here in one pass; any other line is
 * left to json-c, with the same result.
 */

/*
 * Fill f from a line of len bytes without its newline; line[len] is readable.
 * false: the line is not of the plain form (it holds knobs, events,
 * escapes, characters beyond ASCII, or is not valid); f is then undefined but
 * can be reset.
 */
bool frame_line_read(const char *line, size_t len, struct frame *f);
