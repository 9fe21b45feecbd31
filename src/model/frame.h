/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sample and frame: the raw rows of an instant, and the derived values of the
 * interval between two of them.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "model/event.h"
#include "model/point.h"
#include "model/schema/schema.h"

/*
 * Sample: raw rows of one instant. collect, knob and workload fill it; it
 * carries its own time, so nothing downstream asks a clock.
 */

struct sample_table {
	size_t n, cap;
	char *rows; /* n raw structs of schemas[id]->row_size bytes */
	bool repeats; /* nothing was read: the rows are those of the sample
		       * before */
	/*
	 * Another one for other rows: these stay until then, with their texts in
	 * the arena kept. 0: rows of one sample. Knobs only.
	 */
	uint64_t version;
};

/* A zeroed struct is a valid, empty sample. */
struct sample {
	uint64_t mono_ns, wall_ns;
	unsigned late; /* ticks missed before this one */
	bool jumped;   /* the clock jumped before this sample: no interval */
	struct sample_table table[SCHEMA_COUNT];
	struct arena arena; /* texts and histograms of the rows */
	struct arena kept;  /* texts of rows with a version */
};

/* Empty the sample for the next instant and keep its memory. */
void sample_reset(struct sample *s);
void sample_free(struct sample *s);

/*
 * Add a zeroed raw row and return it. The row moves when the next one of that
 * schema is added.
 */
void *sample_add(struct sample *s, enum schema_id id);

/*
 * Begin other rows of a table that keeps them; false: it has those of this version.
 */
bool sample_keep(struct sample *s, enum schema_id id, uint64_t version);

/* The i-th raw row. */
void *sample_row(const struct sample *s, enum schema_id id, size_t i);

/* The raw row of that id, or NULL. */
void *sample_find(const struct sample *s, enum schema_id id, const char *row);

/*
 * Frame: the derived values of one interval and the events in it. Screen, log
 * and report see only frames; a replayed one equals a live one.
 */

/* A value, by the kind of its field. Absent: NaN or NULL. */
union value {
	double number;
	const char *text;
	const struct histogram *histogram;
};

/* value has one entry per field of the schema. */
struct row {
	const char *id;
	union value *value;
	const struct cell *cell; /* of an experiment, or NULL */
	/* Of frame_derive_after(): nothing was counted; all values are those of
	 * the frame before. */
	bool still, same; /* in a frame of a log same: its facts are not here */
};

struct table {
	size_t n, cap;
	struct row *row;
	bool repeats; /* the rows are those of an earlier frame, not read anew */
	uint64_t version; /* as that of the sample */
};

/*
 * A zeroed struct is a valid, empty frame. Texts, values and histograms are in
 * the arena.
 */
struct frame {
	double t_s;	   /* seconds since the start */
	uint64_t wall_ns;  /* since 1970 */
	double interval_s; /* measured; 0 in a first look without rates */
	unsigned late;
	bool whole; /* of a log: no row leaves out its facts */
	struct table table[SCHEMA_COUNT];
	struct event *event;
	size_t n_events, cap_events;
	struct arena arena, kept;
	struct histogram **histogram; /* of frame_derive() */
	size_t n_histograms, made_histograms, cap_histograms;
};

/* The largest distance of a time in a log from the start: 31 years. */
#define FRAME_TIME_MAX_S 1e9

/* Clamp the time of a log to that range; NaN stays. */
static inline double frame_time_s(double t_s)
{
	if (t_s < -FRAME_TIME_MAX_S)
		return -FRAME_TIME_MAX_S;
	return t_s > FRAME_TIME_MAX_S ? FRAME_TIME_MAX_S : t_s;
}

/* 0 for an absent value. */
static inline double frame_or_0(double v)
{
	return isnan(v) ? 0 : v;
}

void frame_reset(struct frame *f);
void frame_free(struct frame *f);

/*
 * Fill a frame from two samples. prev NULL: gauges only, all that needs a
 * difference is absent. Rows are matched by id and generation; a device that
 * came or went becomes an event. start_ns is the monotonic time of t = 0.
 */
void frame_derive(struct frame *f, const struct sample *prev,
		  const struct sample *now, uint64_t start_ns);
/*
 * The same; before is the frame of prev, or NULL. Devices without news take their
 * values from there.
 */
void frame_derive_after(struct frame *f, const struct frame *before,
			const struct sample *prev, const struct sample *now,
			uint64_t start_ns);

/* Copy an event into the frame; they stand in the order of their times. */
void frame_add_event(struct frame *f, const struct event *e);

/*
 * Add a row with all values absent; id is copied. For code that fills frames by
 * other means (replay). The row moves when the next one is added.
 */
struct row *frame_add_row(struct frame *f, enum schema_id id, const char *row);

/*
 * Replace the rows of a table by copies of those of another frame, without cells
 * and histograms.
 */
void frame_copy_rows(struct frame *f, enum schema_id id,
		     const struct frame *from);

/* Keep a copy of the cell with the row; nothing for an empty cell. */
void frame_set_cell(struct frame *f, struct row *row, const struct cell *cell);

/* The row of that id, or NULL. */
const struct row *frame_find(const struct frame *f, enum schema_id id,
			     const char *row);

/* A value by the keys of row and field: NaN or NULL when absent. */
double frame_number(const struct frame *f, enum schema_id id, const char *row,
		    const char *key);
const char *frame_text(const struct frame *f, enum schema_id id,
		       const char *row, const char *key);
/* Reads, writes, trims and syncs a second of all jobs; 0 where there is none. */
double frame_jobs_iops(const struct frame *f);
/* The phases of all jobs: 1u << enum phase. */
unsigned frame_phases(const struct frame *f);

/* The same of a given row; NULL has no value. */
double row_number(enum schema_id id, const struct row *row, const char *key);
const char *row_text(enum schema_id id, const struct row *row, const char *key);
/* What the row's value of a field weighs in a mean; an absent weight, such as the
 * iops of a device without statistics, is 1. */
double row_weight(enum schema_id id, const struct row *row,
		  const struct field *f);

/* The totals over the devices that count (each I/O once): NaN when none. */
double frame_total(const struct frame *f, const char *device_key);

/*
 * Foreign changes: finds knobs that another program has changed.
 *
 * The known value of each knob is kept. A sampled value that differs becomes
 * an event by "foreign", unless a turn of ours is pending on that device: then
 * our own event brings the new value.
 */

struct foreign_changes;

struct foreign_changes *frame_foreign_new(void);
void frame_foreign_free(struct foreign_changes *w);

/* Record the new value of an event that this program caused. */
void frame_foreign_own(struct foreign_changes *w, const struct event *e);

/*
 * Compare the knob rows of a frame with the known values and add an event by
 * "foreign" for each that differs. busy names the device with a pending turn,
 * or is NULL; its knobs are left out this time. The knobs of a device that
 * came or went, by the frame's events, are learnt anew.
 */
void frame_foreign_find(struct foreign_changes *w, struct frame *f,
			const char *busy);
