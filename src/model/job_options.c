/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job options: the table, and how a value is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "model/job.h"

#define R (1u << JOB_READ)
#define W (1u << JOB_WRITE)
#define T (1u << JOB_TRIM)

static const struct {
	const char *name;
	unsigned dirs;
	bool random;
} rw_names[RW_COUNT] = {
	[RW_READ] = { "read", R, false },
	[RW_WRITE] = { "write", W, false },
	[RW_TRIM] = { "trim", T, false },
	[RW_RANDREAD] = { "randread", R, true },
	[RW_RANDWRITE] = { "randwrite", W, true },
	[RW_RANDTRIM] = { "randtrim", T, true },
	[RW_RW] = { "rw", R | W, false },
	[RW_RANDRW] = { "randrw", R | W, true },
	[RW_TRIMWRITE] = { "trimwrite", T | W, false },
	[RW_RANDTRIMWRITE] = { "randtrimwrite", T | W, true },
};

#define AT(member)     offsetof(struct job, member), 0
#define TEXT_AT(m)     offsetof(struct job, m), sizeof(((struct job *)0)->m)
#define MAX_BLOCK      (1ull << 30)
#define ANY	       UINT64_MAX

/* clang-format off */
const struct job_option job_options[] = {
	{ "name", NULL, "name", JOB_TEXT, TEXT_AT(name), 0, 0, "NAME",
	  "name of the job; a further --name begins a further job" },
	{ "filename", NULL, "filename", JOB_STRING, AT(filename), 0, 0,
	  "FILE[:FILE]",
	  "file or device to use; without it a file is made from the name" },
	{ "directory", NULL, "directory", JOB_STRING, AT(directory), 0, 0,
	  "DIR", "where files are" },
	{ "size", NULL, "size_bytes", JOB_SIZE, AT(size_bytes), 1, ANY,
	  "SIZE", "bytes (1g) or share (50%) of the target to use, per clone" },
	{ "io_size", "io_limit", "io_bytes", JOB_BYTES, AT(io_bytes), 1, ANY,
	  "SIZE", "bytes to move in all; default is size" },
	{ "offset", NULL, "offset_bytes", JOB_BYTES, AT(offset_bytes), 0, ANY,
	  "SIZE", "where in the target the job's part begins" },
	{ "rw", "readwrite", "rw", JOB_RW, AT(rw), 0, 0, "PATTERN",
	  "read, write, randread, randwrite, rw or randrw" },
	{ "rwmixread", NULL, "rwmixread", JOB_COUNT, AT(rwmixread), 0, 100,
	  "PCT", "share of reads in rw and randrw" },
	{ "rwmixwrite", NULL, NULL, JOB_REST, AT(rwmixread), 0, 100, "PCT",
	  "share of writes in rw and randrw" },
	{ "bs", "blocksize", "block_bytes", JOB_BS, AT(bs), 1,
	  MAX_BLOCK, "SIZE", "size of an I/O" },
	{ "ioengine", NULL, "engine", JOB_TEXT, TEXT_AT(engine), 0, 0,
	  "ENGINE", "how I/O is made, see iodyno list engines" },
	{ "iodepth", NULL, "iodepth", JOB_COUNT, AT(iodepth), 1, 65536,
	  "N", "I/Os kept in flight per clone (asynchronous engines)" },
	{ "iodepth_batch", "iodepth_batch_submit", "iodepth_batch", JOB_COUNT,
	  AT(iodepth_batch), 0, 65536, "N",
	  "I/Os submitted at once; 0 is as many as are free" },
	{ "iodepth_batch_complete", "iodepth_batch_complete_min",
	  "iodepth_batch_complete", JOB_COUNT, AT(iodepth_batch_complete), 1,
	  65536, "N", "completions to wait for at least" },
	{ "direct", NULL, "direct", JOB_FLAG, AT(direct), 0, 0, "0|1",
	  "bypass the page cache (O_DIRECT)" },
	{ "buffered", NULL, NULL, JOB_NOT_FLAG, AT(direct), 0, 0, "0|1",
	  "the opposite of direct" },
	{ "numjobs", NULL, "numjobs", JOB_COUNT, AT(numjobs), 1, 4096, "N",
	  "clones of the job, each a thread" },
	{ "runtime", "timeout", "runtime_ns", JOB_NS, AT(runtime_ns), 1, ANY,
	  "TIME", "how long at most (60, 30s, 5m)" },
	{ "time_based", NULL, "time_based", JOB_FLAG, AT(time_based), 0, 0,
	  "0|1", "run for the whole runtime, over and over the target" },
	{ "ramp_time", NULL, "ramp_ns", JOB_NS, AT(ramp_ns), 0, ANY, "TIME",
	  "warm-up before the runtime; shown, not counted in the results" },
	{ "startdelay", NULL, "startdelay_ns", JOB_NS, AT(startdelay_ns), 0,
	  ANY, "TIME", "wait before the job starts" },
	{ "fsync", NULL, "fsync_every", JOB_COUNT64, AT(fsync_every), 0, ANY,
	  "N", "fsync after every N writes" },
	{ "fdatasync", NULL, "fdatasync_every", JOB_COUNT64,
	  AT(fdatasync_every), 0, ANY, "N", "fdatasync after every N writes" },
	{ "end_fsync", NULL, "end_fsync", JOB_FLAG, AT(end_fsync), 0, 0,
	  "0|1", "fsync when the job ends" },
	{ "norandommap", NULL, "norandommap", JOB_FLAG, AT(norandommap), 0, 0,
	  "0|1", "random blocks may repeat before all were visited" },
	{ "randrepeat", NULL, "randrepeat", JOB_FLAG, AT(randrepeat), 0, 0,
	  "0|1", "the same random sequence in every run" },
	{ "randseed", NULL, "randseed", JOB_COUNT64, AT(randseed), 0, ANY,
	  "N", "seed of the random sequence" },
	{ "invalidate", NULL, "invalidate", JOB_FLAG, AT(invalidate), 0, 0,
	  "0|1", "drop the target from the page cache before the job" },
	{ "thread", NULL, NULL, JOB_FLAG, AT(thread), 0, 0, "0|1",
	  "accepted for fio's sake: clones are always threads" },
	{ "group_reporting", NULL, NULL, JOB_FLAG, AT(group_reporting), 0, 0,
	  "0|1", "accepted for fio's sake: clones are always one row" },
	{ "verify", NULL, NULL, JOB_COUNT, AT(verify), 0, 0, "0",
	  "accepted with 0 only: contents are not verified" },
};
/* clang-format on */

const size_t n_job_options = ARRAY_SIZE(job_options);

const char *job_rw_name(unsigned rw)
{
	return rw < RW_COUNT ? rw_names[rw].name : "?";
}

unsigned job_dirs(const struct job *job)
{
	return rw_names[job->rw].dirs;
}

bool job_random(const struct job *job)
{
	return rw_names[job->rw].random;
}

const struct job_option *job_option_find(const char *name)
{
	for (size_t i = 0; i < n_job_options; i++) {
		const struct job_option *o = &job_options[i];

		if (!strcmp(o->name, name) ||
		    (o->alias && !strcmp(o->alias, name)))
			return o;
	}
	return NULL;
}

static int bad_value(const struct job_option *o, const char *value)
{
	return fail(EINVAL, "%s=%s is not a valid %s; %s", o->name, value,
		    o->value, o->help);
}

static bool parse_flag(const char *value, bool *out)
{
	if (strcmp(value, "0") && strcmp(value, "1"))
		return false;
	*out = *value == '1';
	return true;
}

static bool parse_rw(const char *value, unsigned *out)
{
	if (!strcmp(value, "readwrite"))
		value = "rw";
	for (unsigned i = 0; i < RW_COUNT; i++) {
		if (!strcmp(rw_names[i].name, value)) {
			*out = i;
			return true;
		}
	}
	return false;
}

/* "1g" or "50%". */
static bool parse_size(struct job *job, const struct job_option *o,
		       const char *value)
{
	size_t n = strlen(value);
	uint64_t pct;
	char digits[8];

	if (n < 2 || n > sizeof(digits) || value[n - 1] != '%') {
		job->size_pct = 0;
		return units_parse_bytes(value, &job->size_bytes) &&
		       job->size_bytes >= o->min;
	}
	memcpy(digits, value, n - 1);
	digits[n - 1] = '\0';
	if (!units_parse_count(digits, 1, 100, &pct))
		return false;
	job->size_pct = (unsigned)pct;
	job->size_bytes = 0;
	return true;
}

static void set_string(char **member, const char *value)
{
	free(*member);
	*member = xstrdup(value);
}

/* One parser per kind of option; false is a bad value. */
static bool parse_value(struct job *job, const struct job_option *o,
			const char *value)
{
	void *member = (char *)job + o->offset;
	uint64_t n;

	switch (o->kind) {
	case JOB_TEXT:
		return *value && text_copy(member, o->size, value);
	case JOB_STRING:
		if (!*value)
			return false;
		set_string(member, value);
		return true;
	case JOB_SIZE:
		return parse_size(job, o, value);
	case JOB_BYTES:
		return units_parse_bytes(value, member) &&
		       *(uint64_t *)member >= o->min &&
		       *(uint64_t *)member <= o->max;
	case JOB_BS:
		if (!units_parse_bytes(value, &n) || n < o->min || n > o->max)
			return false;
		for (int i = 0; i < JOB_DIRS; i++)
			job->bs[i].min = job->bs[i].max = n;
		return true;
	case JOB_NS:
		return units_parse_ns(value, 1000000000, member) &&
		       *(uint64_t *)member >= o->min;
	case JOB_COUNT64:
		return units_parse_count(value, o->min, o->max, member);
	case JOB_COUNT:
	case JOB_REST:
		if (!units_parse_count(value, o->min, o->max, &n))
			return false;
		*(unsigned *)member =
			(unsigned)(o->kind == JOB_REST ? 100 - n : n);
		return true;
	case JOB_FLAG:
		return parse_flag(value, member);
	case JOB_NOT_FLAG:
		if (!parse_flag(value, member))
			return false;
		*(bool *)member = !*(bool *)member;
		return true;
	case JOB_RW:
		return parse_rw(value, member);
	}
	return false;
}

static const char *option_name_at(size_t i, const void *arg not_used)
{
	return job_options[i].name;
}

int job_set(struct job *job, const char *name, const char *value)
{
	const struct job_option *o = job_option_find(name);
	bool flag;

	if (!o) {
		const char *near = text_closest(name, n_job_options,
						option_name_at, NULL);

		return fail(EINVAL,
			    "job option %s is not supported%s%s%s; iodyno list "
			    "options shows those that are",
			    name, near ? ", did you mean " : "",
			    near ? near : "", near ? "?" : "");
	}
	flag = o->kind == JOB_FLAG || o->kind == JOB_NOT_FLAG;
	if (!value && !flag)
		return fail(EINVAL, "%s needs a value: %s=%s", o->name,
			    o->name, o->value);
	if (!value)
		value = "1";
	return parse_value(job, o, value) ? 0 : bad_value(o, value);
}
