/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job: defaults, copies and what follows from its options. */
#include "model/job/job.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/job/job_kind.h"
#include "model/job/job_rows.h"

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
		to->given[i].name = xstrdup(from->given[i].name);
		to->given[i].value = xstrdup(from->given[i].value);
		to->given[i].global = from->given[i].global;
		to->given[i].foreign = from->given[i].foreign;
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
	for (size_t i = 0; i < job->n_given; i++) {
		free(job->given[i].name);
		free(job->given[i].value);
	}
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

/* Job check: find errors of a job without its target. */

static bool has_any(const uint64_t rate[JOB_DIRS])
{
	for (int i = 0; i < JOB_DIRS; i++)
		if (rate[i])
			return true;
	return false;
}

static int check_zones(const struct job *job)
{
	uint64_t range = job->zone_range ? job->zone_range : job->zone_bytes;

	if ((job->zones == ZONES_STRIDED) != (job->zone_bytes > 0))
		return job_fail(job, EINVAL,
				"zonemode=strided and zonesize need each "
				"other; give both or none");
	if (!job->zone_bytes || range >= job_max_block(job))
		return 0;
	return job_fail(job, EINVAL,
			"a zone of %llu bytes is less than one block of %llu",
			(unsigned long long)range,
			(unsigned long long)job_max_block(job));
}

static int check_verify(const struct job *job)
{
	if (job->verify_only && job->verify == VERIFY_NONE)
		return job_fail(
			job, EINVAL,
			"verify_only needs verify, as in --verify=crc32c");
	if (job->verify_only && job->verify_policy == VERIFY_FSYNCED &&
	    !job->verify_state_load)
		return job_fail(
			job, EINVAL,
			"verify_policy=fsynced needs verify_state_load=1, "
			"which says what the syncs of the earlier run cover");
	return 0;
}

int job_check(const struct job *job)
{
	if (!*job->name)
		return fail(EINVAL, "a job needs a name; give --name=NAME");
	if (!job->filename && (strchr(job->name, '/') || job->name[0] == '.'))
		return job_fail(job, EINVAL,
				"a name must not hold '/' nor begin with '.', "
				"because it becomes a file's name");
	if (job->direct && job_min_block(job) % 512)
		return job_fail(job, EINVAL,
				"direct I/O needs a block size that is a "
				"multiple of 512, not %llu",
				(unsigned long long)job_min_block(job));
	if (job->time_based && !job->runtime_ns)
		return job_fail(
			job, EINVAL,
			"time_based needs a runtime; give --runtime=60");
	if (check_zones(job) < 0 || check_verify(job) < 0)
		return -EINVAL;
	if ((job->memory_align & (job->memory_align - 1)) ||
	    (job->huge_page_bytes & (job->huge_page_bytes - 1)))
		return job_fail(
			job, EINVAL,
			"iomem_align and hugepage-size are powers of two");
	if (job->opendir && job->filename)
		return job_fail(job, EINVAL,
				"opendir and filename exclude each other; give "
				"one of them");
	if (job->ramp_ns && job->ramp_bytes)
		return job_fail(job, EINVAL,
				"ramp_time and ramp_size exclude each other; "
				"give one of them");
	if (has_any(job->rate_bytes) && has_any(job->rate_iops))
		return job_fail(job, EINVAL,
				"rate and rate_iops exclude each other; give "
				"one of them");
	if (job->latency_target_ns && !job->latency_window_ns)
		return job_fail(
			job, EINVAL,
			"latency_target needs a latency_window, such as 5s");
	if (job->size_bytes && job->size_bytes < job_min_block(job))
		return job_fail(job, EINVAL,
				"size %llu is less than one block of %llu",
				(unsigned long long)job->size_bytes,
				(unsigned long long)job_min_block(job));
	return 0;
}

const char *job_id(const struct job *job)
{
	return *job->id ? job->id : job->name;
}

void job_set_nth(struct job *job, unsigned nth)
{
	char end[16] = "";

	job->nth = nth;
	if (nth > 1)
		snprintf(end, sizeof(end), "#%u", nth);
	snprintf(job->id, sizeof(job->id), "%.*s%s",
		 (int)(sizeof(job->id) - 1 - strlen(end)), job->name, end);
}

/*
 * fio lets jobs share a name; rows, events and assertions need distinct ones.
 */
static void set_id(struct job *job, size_t i)
{
	unsigned nth = 1;

	do
		job_set_nth(&job[i], nth++);
	while (text_row(job[i].id, job, i, id));
}

/*
 * Logs are named after the job; a name with a slash would name another folder.
 */
static void name_log(char **log, const char *name)
{
	const char *slash = strrchr(name, '/');

	if (*log && !**log)
		job_own(log, slash ? slash + 1 : name);
}

void jobs_settle(struct job *job, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		set_id(job, i);
		if (job[i].time_based && !job[i].runtime_ns) {
			job[i].time_based = false;
			job_note(&job[i],
				 "time_based is left out without a runtime, "
				 "as fio does; give --runtime=60");
		}
		name_log(&job[i].bw_log, job[i].id);
		name_log(&job[i].iops_log, job[i].id);
		name_log(&job[i].lat_log, job[i].id);
		name_log(&job[i].hist_log, job[i].id);
	}
}

/* Job options: the table of all themes; set one option. */

static const struct job_option_group *const groups[] = {
	&job_rows_files,   &job_rows_pattern, &job_rows_engine,
	&job_rows_command, &job_rows_fileio,  &job_rows_iozone,
	&job_rows_fsmark,  &job_rows_dbench,
	&job_rows_pgbench, &job_rows_startup, &job_rows_engines,
	&job_rows_flow,    &job_rows_rate,
	&job_rows_sync,    &job_rows_data,    &job_rows_results,
	&job_rows_accepted, &job_rows_refused,
};

const struct job_option_group *job_option_group_at(size_t i)
{
	return i < ARRAY_SIZE(groups) ? groups[i] : NULL;
}

const struct job_option *job_option_at(size_t i)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		if (i < groups[g]->n)
			return &groups[g]->option[i];
		i -= groups[g]->n;
	}
	return NULL;
}

const struct job_option *job_option_find(const char *name)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		for (size_t i = 0; i < groups[g]->n; i++) {
			const struct job_option *o = &groups[g]->option[i];

			if (!strcmp(o->name, name) ||
			    (o->alias && !strcmp(o->alias, name)))
				return o;
		}
	}
	return NULL;
}

bool job_option_bare(const struct job_option *o)
{
	return o->kind->bare;
}

void job_note(struct job *job, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text);
	for (size_t i = 0; i < job->n_notes; i++)
		if (!strcmp(job->note[i], text))
			return;
	if (job->n_notes >= JOB_MAX_NOTES)
		return;
	*xadd(job->note, job->n_notes, job->cap_notes) = xstrdup(text);
}

static const char *option_name_at(size_t i, const void *arg)
{
	return job_option_at(i)->name;
}

static int job_unknown(const char *name)
{
	size_t n = 0;

	while (job_option_at(n))
		n++;
	return fail(EOPNOTSUPP,
		    "job option %s is not supported%s; iodyno list options "
		    "shows the supported ones",
		    name,
		    text_did_you_mean("", text_closest(name, n, option_name_at,
						       NULL))
			    .text);
}

static int job_refused(const struct job_option *o, const char *value)
{
	if (o->words && value && !strcmp(value, o->words->word))
		return 0;
	return fail(EOPNOTSUPP, "job option %s is not supported: %s%s%s",
		    o->name, o->why, o->near ? "; the nearest is " : "",
		    o->near ? o->near : "");
}

/*
 * Record the option as given; a later one of the same name replaces it, or
 * stands beside it.
 */
static void job_remember(struct job *job, const struct job_option *o,
			 const char *value)
{
	const char *name = o->name;
	char *old;
	size_t i = 0;

	while (i < job->n_given && (job->given[i].global != job->defaults ||
				    strcmp(job->given[i].name, name)))
		i++;
	if (i == job->n_given) {
		job->given = xgrow(job->given, &job->cap_given, i + 1,
				   sizeof(*job->given));
		job->given[i].name = xstrdup(name);
		job->given[i].value = NULL;
		job->given[i].global = job->defaults;
		job->n_given++;
	}
	job->given[i].foreign = job->foreign;
	old = job->given[i].value;
	job->given[i].value = old && o->repeats
				      ? xasprintf("%s\n%s", old, value)
				      : xstrdup(value);
	free(old);
}

/* Check the value of an option without effect, and note it. */
static int accepted(struct job *job, const struct job_option *o,
		    const char *value)
{
	union {
		uint64_t number[JOB_DIRS];
		char *text;
	} scratch = { { 0 } };
	int err = o->kind->parse(job, o, value, &scratch);

	if (o->kind->owned && o->kind->owned(job, &scratch, 0) == &scratch.text)
		free(scratch.text);
	if (!err)
		job_note(job, "%s is accepted and has no effect here: %s",
			 o->name, o->why);
	return err;
}

int job_set(struct job *job, const char *name, const char *value)
{
	const struct job_option *o = job_option_find(name);
	int err;

	if (!o)
		return job_unknown(name);
	if (o->class == JOB_REFUSED)
		err = job_refused(o, value);
	else if (!value && !o->kind->bare)
		err = fail(EINVAL, "%s needs a value: %s=%s", o->name, o->name,
			   o->value);
	else if (o->class == JOB_ACCEPTED)
		err = accepted(job, o, value);
	else
		err = o->kind->parse(job, o, value, (char *)job + o->offset);
	if (!err)
		job_remember(job, o, value ? value : "1");
	return err;
}

/* Job JSON: write a job to the log's header and read it back. */

static void put_option(struct json_writer *w, const struct job *job,
		       const struct job_option *o)
{
	const void *member = (const char *)job + o->offset;
	const char *text = o->kind->text ? o->kind->text(member) : NULL;

	if (text)
		json_writer_put_text(w, o->key, text);
	else if (o->kind->number)
		json_writer_put_number(w, o->key, o->kind->number(member));
}

/* The given options, in order. */
static void job_put_given(struct json_writer *w, const struct job *job,
			  const char *key, bool global)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n_given; i++) {
		if (job->given[i].global != global)
			continue;
		if (!n++) {
			json_writer_begin(w, key, '{');
		}
		json_writer_put_text(w, job->given[i].name,
				     job->given[i].value);
	}
	if (n)
		json_writer_close(w, '}');
}

void job_json_write(struct json_writer *w, const struct job *job)
{
	const struct job_option *o;

	json_writer_open(w, '{');
	for (size_t i = 0; (o = job_option_at(i)); i++)
		if (o->key)
			put_option(w, job, o);
	job_put_given(w, job, "given", false);
	job_put_given(w, job, "given_to_all", true);
	/* The name of rows and events, where it differs from the job's name. */
	if (*job->id && strcmp(job->id, job->name) != 0)
		json_writer_put_text(w, "id", job->id);
	if (job->nth > 1)
		json_writer_put_number(w, "nth", job->nth);
	point_cell_write(w, &job->cell);
	json_writer_close(w, '}');
}

/* Set the given options again; skip those that are no longer valid. */
static void read_given(const char *name, struct json *value, void *job)
{
	char *text = xstrdup(json_string(value) ? json_string(value) : "");

	text_clean(text);
	if (job_option_find(name) && job_set(job, name, text) < 0)
		job_note(job, "%s of the log is left out", name);
	free(text);
}

/*
 * A number within the option's range, whole. A 0 below it means "not given",
 * which is the default.
 */
static bool job_whole(const struct job_option *o, double v, uint64_t *out)
{
	uint64_t most = o->max ? o->max : UINT64_MAX;

	if (!(v >= 0 && v < 0x1p63) || v != (double)(uint64_t)v)
		return false;
	*out = (uint64_t)v;
	return *out >= o->min && *out <= most;
}

void job_json_read(struct job *job, struct json *j)
{
	const struct job_option *o;
	uint64_t n;

	job_init(job);
	job->defaults = true;
	json_each(json_get(j, "given_to_all"), read_given, job);
	job->defaults = false;
	json_each(json_get(j, "given"), read_given, job);
	for (size_t i = 0; (o = job_option_at(i)); i++) {
		struct json *value = o->key ? json_get(j, o->key) : NULL;
		void *member = (char *)job + o->offset;

		if (json_string(value) && o->kind->from_text)
			o->kind->from_text(member, json_string(value));
		else if (o->kind->from_number &&
			 job_whole(o, json_number(value), &n))
			o->kind->from_number(member, n);
	}
	point_cell_read(j, &job->cell);
	job->nth = 1;
	if (json_get_number(j, "nth") > 1 && json_get_number(j, "nth") < 1e9)
		job->nth = (unsigned)json_get_number(j, "nth");
	if (json_get_string(j, "id")) {
		text_set(job->id, json_get_string(j, "id"));
		text_clean(job->id);
	}
}
