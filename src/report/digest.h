/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digest: a frame as the sums of a report take it. What its jobs do, and which
 * of its events cut the run, is found once and for all of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/event.h"
#include "model/frame.h"

/* The work of a job in a frame. */
enum job_part { JOB_NOTHING, JOB_ENDED, JOB_RAN };

struct digest_job {
	const struct row *row;
	enum phase phase; /* PHASES: not known */
	enum job_part part;
	double run_s; /* NaN: not known */
	bool whole;   /* it ran from the begin of the interval to its end */
	unsigned group; /* that it is reported with, as fio numbers them */
};

/* What an event is for segments: bits, 0 for most. */
enum {
	DIGEST_CHANGE = 1, /* a turn, or a change of the load: compare */
	DIGEST_CUTS = 2,   /* its interval belongs to no segment */
	DIGEST_BEGINS = 4, /* begins a segment */
	DIGEST_LOAD = 8,   /* jobs were started or stopped */
	DIGEST_OTHER = 16  /* a change by another program that does not count */
};

/* A zeroed struct is valid and empty. */
struct digest {
	const struct frame *frame; /* borrowed until the next digest_take() */
	struct digest_job *job;	   /* one per row of jobs, in their order */
	size_t n_jobs, cap;
	unsigned phases; /* 1u << enum phase of the jobs; not known is "run" */
	bool works;	 /* a job ran, or ended */
	unsigned *event; /* of the frame, in their order: the bits above */
	size_t cap_event;
	unsigned events; /* the bits of all of them */
};

/* A field that a struct keeps: a number as double, a text of this size. */
struct digest_field {
	const char *key;
	size_t at, size;
};
#define DIGEST_FIELD(type, key, member)                                     \
	{                                                                   \
		key, offsetof(type, member), sizeof(((type *)NULL)->member) \
	}
/* Set those of n members that the row has a value of. */
void digest_copy(enum schema_id schema, const struct row *row,
		 const struct digest_field *of, size_t n, void *to);

/* The number that such a struct keeps. */
double digest_number(const struct digest_field *of, const void *from);

/* Read a frame, which must stay until the last sum has taken it. */
void digest_take(struct digest *d, const struct frame *f);
void digest_free(struct digest *d);

/* Whether a job is in the phase. */
bool digest_in(const struct digest *d, enum phase phase);

/* The same for a row that is not in the table of jobs, such as a clone. */
struct digest_job digest_job(const struct frame *f, const struct row *row);
