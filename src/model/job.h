/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job: what load to run, in fio's words.
 *
 * An option is one row of job_options[]: the command line, job files, --help,
 * "list options", completion, the log's header and the manual check walk it.
 */
#ifndef MODEL_JOB_H
#define MODEL_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/json.h"

enum job_rw {
	RW_READ,
	RW_WRITE,
	RW_RANDREAD,
	RW_RANDWRITE,
	RW_RW,
	RW_RANDRW,
	RW_COUNT
};

/* Defaults are fio's: see job_init(). 0 means "not given" for sizes, times. */
struct job {
	char name[64];
	char engine[16]; /* the name of a row of the engine table */
	char *filename;	 /* ':'-separated list, or NULL */
	char *directory; /* or NULL: the working directory */
	unsigned rw;	 /* enum job_rw */
	unsigned rwmixread; /* per cent */
	uint64_t block_bytes;
	uint64_t size_bytes; /* per clone; 0: the file's or device's size */
	unsigned size_pct;   /* of the file or device, when size was "N%" */
	uint64_t io_bytes;   /* to move in all; 0: one pass over size */
	uint64_t offset_bytes;
	unsigned iodepth;
	unsigned iodepth_batch;		 /* 0: as many as are free */
	unsigned iodepth_batch_complete; /* least to wait for */
	unsigned numjobs;
	bool direct;
	bool time_based;
	bool norandommap; /* blocks may repeat within a pass */
	bool randrepeat;  /* the same sequence in every run */
	bool invalidate;  /* drop the target's page cache before the job */
	bool end_fsync;
	bool thread, group_reporting; /* accepted: we always do so */
	uint64_t randseed;
	uint64_t runtime_ns; /* 0: until io_bytes are done */
	uint64_t ramp_ns;
	uint64_t startdelay_ns;
	uint64_t fsync_every;	  /* writes; 0: never */
	uint64_t fdatasync_every; /* writes; 0: never */
	unsigned verify; /* accepted with 0 only: verify=0 */
};

/* fio's defaults: read, 4k, psync, iodepth 1, ... Strings are NULL. */
void job_init(struct job *job);
/* A deep copy. */
void job_copy(struct job *to, const struct job *from);
/* Free what the job owns, not the job. */
void job_free(struct job *job);

static inline bool job_reads(const struct job *job)
{
	return job->rw != RW_WRITE && job->rw != RW_RANDWRITE;
}

static inline bool job_writes(const struct job *job)
{
	return job->rw != RW_READ && job->rw != RW_RANDREAD;
}

static inline bool job_random(const struct job *job)
{
	return job->rw == RW_RANDREAD || job->rw == RW_RANDWRITE ||
	       job->rw == RW_RANDRW;
}

/* "randrw", ... */
const char *job_rw_name(unsigned rw);

enum job_option_kind {
	JOB_TEXT,     /* char[] of size */
	JOB_STRING,   /* char *, owned */
	JOB_BYTES,    /* uint64_t */
	JOB_SIZE,     /* uint64_t bytes, or per cent into size_pct */
	JOB_NS,	      /* uint64_t ns; bare numbers are seconds */
	JOB_COUNT64,  /* uint64_t */
	JOB_COUNT,    /* unsigned */
	JOB_FLAG,     /* bool; the bare word means 1 */
	JOB_NOT_FLAG, /* bool, inverted (buffered is direct the other way) */
	JOB_REST,     /* unsigned per cent, 100 - value (rwmixwrite) */
	JOB_RW,	      /* enum job_rw */
};

struct job_option {
	const char *name, *alias; /* alias may be NULL */
	const char *key;	  /* in the log's header; NULL: not there */
	enum job_option_kind kind;
	size_t offset, size; /* of the member; size for JOB_TEXT */
	uint64_t min, max;   /* of counts and bytes */
	const char *value;   /* what the value is, for --help: "SIZE" */
	const char *help;    /* one sentence without a full stop */
};

extern const struct job_option job_options[];
extern const size_t n_job_options;

/* The option of that name or alias, or NULL. */
const struct job_option *job_option_find(const char *name);

/*
 * Set one option from text; value NULL is a bare word (flags only). 0, or
 * -EINVAL with a sentence that names the option, and for an unknown one the
 * closest that exists.
 */
int job_set(struct job *job, const char *name, const char *value) must_check;

/*
 * What can be said against the job without looking at its target: no name,
 * direct I/O with an odd block size, ... 0 or -EINVAL with a sentence.
 */
int job_check(const struct job *job) must_check;

/* The job for the log's header: {"name":..., "engine":..., "rw":...}. */
struct json *job_json(const struct job *job);
/*
 * Read what job_json() wrote: defaults first, then every key that is there and
 * holds a value within the option's range; others are left out. Texts are
 * made harmless. To be freed by job_free().
 */
void job_from_json(struct job *job, struct json *j);

#endif
