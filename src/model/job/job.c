/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job: defaults, copies and what follows from its options. */
#include "model/job/job.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/job/job_kind.h"

void job_init(struct job *job)
{
	memset(job, 0, sizeof(*job));
	text_set(job->kind, "io");
	text_set(job->engine, "psync");
	job->rw = RW_READ;
	job->rwmixread = 50;
	for (int i = 0; i < JOB_DIRS; i++) {
		job->bs[i].min = job->bs[i].max = 4096;
		job->percentage_random[i] = 100;
	}
	job->distribution_center = -1;
	job->nrfiles = 1;
	job->file_service_n = 1;
	job->loops = 1;
	job->latency_percentile = 100;
	job->create_serialize = job->allow_file_create = true;
	job->do_verify = true;
	job->scramble_buffers = true;
	job->compress_chunk = 512;
	job->dedupe_set_pct = 5;
	job->clat_percentiles = true;
	job->kb_base = 1024;
	job->sqthread_poll_cpu = UINT_MAX;
	job->thinktime_blocks = 1;
	job->steady_check_ns = 1000000000;
	job->rate_cycle_ns = 1000000000;
	job->per_job_logs = true;
	job->iodepth = 1;
	job->hipri_pct = 100;
	job->huge_page_bytes = 2 << 20;
	job->iodepth_batch = 1;
	job->iodepth_batch_complete = 1;
	job->numjobs = 1;
	job->grace_ns = 1000000000;
	job->std_redirect = true;
	job->startup = (struct job_startup){
		.timeout_ns = 120ull * 1000000000,
		.pause_ns = 3ull * 1000000000,
		.sync_ns = 2ull * 1000000000,
	};
	job->randrepeat = true;
	job->randseed = 1;
	job->invalidate = true;
	job->fileio = (struct job_fileio){
		.mode = FILEIO_NO_MODE,
		.num = 128,
		.merged = 1,
		.backlog = 128,
		.total_bytes = 2ull << 30,
		.block_bytes = 16384,
		.fsync_freq = 100,
		.ratio = 1.5,
		.fsync_end = true,
	};
	job->fsmark.sync = 1;
	job->cpuio.chunk_ns = 50000000;
}

bool job_was_given(const struct job *job, const char *option)
{
	return text_row(option, job->given, job->n_given, name) != NULL;
}

/* Whether the job itself was given the option, and not the defaults only. */
static bool has_own(const struct job *job, const char *option)
{
	for (size_t i = 0; i < job->n_given; i++)
		if (!job->given[i].global &&
		    !strcmp(job->given[i].name, option))
			return true;
	return false;
}

bool job_is_foreign(const struct job *job, const char *option)
{
	static const char *const paths[] = { "filename", "directory",
					     "filename_format",
					     "startup-files", "opendir" };
	bool foreign = false;

	for (size_t i = 0; i < job->n_given; i++) {
		const struct job_given *g = &job->given[i];
		bool is = option && !strcmp(g->name, option);

		for (size_t k = 0; !option && k < ARRAY_SIZE(paths); k++)
			is |= !strcmp(g->name, paths[k]);
		/* A job's own value replaces that of the defaults. */
		if (is && (!g->global || !has_own(job, g->name)))
			foreign |= g->foreign;
	}
	return foreign;
}

/* The i-th text that an option owns; NULL behind the last. */
static char **owned_text(struct job *job, const struct job_option *o,
			 unsigned i)
{
	if (o->class != JOB_ACTED || !o->kind->owned)
		return NULL;
	return o->kind->owned(job, (char *)job + o->offset, i);
}

void job_copy(struct job *to, const struct job *from)
{
	struct job shared = *from;
	const struct job_option *o;
	char **text;

	*to = *from;
	/* Two options may own one text (bs and bssplit): it is copied once. */
	for (size_t i = 0; (o = job_option_at(i)); i++)
		for (unsigned k = 0; (text = owned_text(to, o, k)); k++)
			if (*text && *text == *owned_text(&shared, o, k))
				*text = xstrdup(*text);
	to->given = xcalloc(from->n_given, sizeof(*to->given));
	to->cap_given = from->n_given;
	for (size_t i = 0; i < from->n_given; i++) {
		to->given[i] = from->given[i];
		to->given[i].value = xstrdup(from->given[i].value);
	}
	to->note = xcalloc(from->n_notes, sizeof(*to->note));
	to->cap_notes = from->n_notes;
	for (size_t i = 0; i < from->n_notes; i++)
		to->note[i] = xstrdup(from->note[i]);
}

void job_free(struct job *job)
{
	const struct job_option *o;
	char **text;

	for (size_t i = 0; (o = job_option_at(i)); i++) {
		for (unsigned k = 0; (text = owned_text(job, o, k)); k++) {
			free(*text);
			*text = NULL;
		}
	}
	for (size_t i = 0; i < job->n_given; i++)
		free(job->given[i].value);
	free(job->given);
	job->given = NULL;
	job->n_given = job->cap_given = 0;
	xfree_list(job->note, job->n_notes);
	job->note = NULL;
	job->n_notes = job->cap_notes = 0;
}

#define R (1u << JOB_READ)
#define W (1u << JOB_WRITE)
#define T (1u << JOB_TRIM)

static const struct {
	const char *name;
	unsigned dirs;
	bool random;
	const char *help;
} rw_names[RW_COUNT] = {
	[RW_READ] = { "read", R, false, "sequential reads" },
	[RW_WRITE] = { "write", W, false, "sequential writes" },
	[RW_TRIM] = { "trim", T, false, "sequential trims" },
	[RW_RANDREAD] = { "randread", R, true, "random reads" },
	[RW_RANDWRITE] = { "randwrite", W, true, "random writes" },
	[RW_RANDTRIM] = { "randtrim", T, true, "random trims" },
	[RW_RW] = { "rw", R | W, false, "sequential reads and writes, mixed" },
	[RW_RANDRW] = { "randrw", R | W, true,
			"random reads and writes, mixed" },
	[RW_TRIMWRITE] = { "trimwrite", T | W, false,
			   "sequential: each block is trimmed, then written" },
	[RW_RANDTRIMWRITE] = { "randtrimwrite", T | W, true,
			       "random: each block is trimmed, then written" },
};

const char *job_rw_help(unsigned rw)
{
	return rw < RW_COUNT ? rw_names[rw].help : NULL;
}

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

unsigned job_size_dirs(const struct job *job)
{
	return job->bs_is_seq_rand ? R | W : job_dirs(job);
}

uint64_t job_max_block(const struct job *job)
{
	unsigned dirs = job_size_dirs(job);
	uint64_t most = 0;

	for (int i = 0; i < JOB_DIRS; i++)
		if (dirs & 1u << i && job->bs[i].max > most)
			most = job->bs[i].max;
	return most;
}

uint64_t job_min_block(const struct job *job)
{
	unsigned dirs = job_size_dirs(job);
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < JOB_DIRS; i++)
		if (dirs & 1u << i && job->bs[i].min < least)
			least = job->bs[i].min;
	return least;
}
