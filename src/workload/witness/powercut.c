/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Powercut: reads a ledger, and finds the writes that it guarantees. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/verify/verify.h"
#include "workload/witness/witness.h"

/* The times of the newest flushes are kept; a power of two. */
#define FLUSHES_KEPT (1u << 20)
/* Intervals of all targets: their map is then 20 GiB of untouched pages. */
#define INTERVALS_MOST (1ull << 30)
#define TARGETS_MOST   UINT16_MAX

static const struct {
	const char *name, *help;
	bool bad;
} classes[POWERCUT_CLASSES] = {
	[POWERCUT_KEPT] = { "kept", "the guaranteed write is there", false },
	[POWERCUT_NEWER] = { "newer", "a write is there that began and is not "
				      "guaranteed", false },
	[POWERCUT_PARTLY] = { "partly", "sectors of writes are there that began "
					"and are not guaranteed", false },
	[POWERCUT_LOST] = { "lost", "the guaranteed write is not there: zeros, "
				    "or an older one", true },
	[POWERCUT_TORN] = { "torn", "a part of the guaranteed write is there",
			    true },
	[POWERCUT_MISPLACED] = { "misplaced", "a write of another place is there",
				 true },
	[POWERCUT_CORRUPT] = { "corrupt", "the write is there, and its data are "
					  "wrong", true },
	[POWERCUT_BIT_FLIP] = { "bit-flip", "a few bits are wrong", true },
	[POWERCUT_UNREADABLE] = { "unreadable", "reading fails", true },
	[POWERCUT_FOREIGN] = { "foreign", "a later run or another program has "
					  "written there, or the write is lost",
			       true },
	[POWERCUT_SHORT] = { "short", "the file ends before the guaranteed "
				      "write", true },
	[POWERCUT_MISSING] = { "missing", "the file is gone", true },
};

const char *powercut_class_name(size_t i, const char **help)
{
	if (i >= POWERCUT_CLASSES)
		return NULL;
	*help = classes[i].help;
	return classes[i].name;
}

bool powercut_is_bad(enum powercut_class class)
{
	return classes[class].bad;
}

/* --- what is guaranteed --- */

static void powercut_note_flush(struct powercut *p, uint64_t number,
				unsigned target, uint64_t ms)
{
	size_t at = number & (FLUSHES_KEPT - 1);

	if (number > p->newest_flush) {
		/* Numbers between that did not come cover nothing. */
		for (uint64_t i = number - p->newest_flush < FLUSHES_KEPT
					  ? p->newest_flush + 1
					  : number - FLUSHES_KEPT + 1;
		     i < number; i++)
			p->flush_ms[i & (FLUSHES_KEPT - 1)] = 0;
		p->newest_flush = number;
	} else if (p->newest_flush - number >= FLUSHES_KEPT) {
		return;
	}
	p->flush_ms[at] = (uint32_t)ms + 1;
	p->flush_target[at] = (uint16_t)target;
}

double powercut_flush_ms(const struct powercut *p, uint32_t number)
{
	uint32_t ms = p->flush_ms[number & (FLUSHES_KEPT - 1)];

	if (!number || !ms || p->newest_flush - number >= FLUSHES_KEPT)
		return NAN;
	return ms - 1.0;
}

/* The first flush after that number that covers the target, as far as known. */
static uint64_t powercut_covering(const struct powercut *p, unsigned target,
				  uint64_t after)
{
	uint64_t from = after + 1, oldest = 1;

	if (p->newest_flush >= FLUSHES_KEPT)
		oldest = p->newest_flush - FLUSHES_KEPT + 1;
	for (uint64_t i = from > oldest ? from : oldest; i <= p->newest_flush;
	     i++) {
		size_t at = i & (FLUSHES_KEPT - 1);

		if (p->flush_ms[at] && p->flush_target[at] == target)
			return i;
	}
	return p->target[target].covered;
}

/* If a flush covers the last write that is done, it is guaranteed now. */
static void powercut_fold(const struct powercut *p, unsigned target,
			  struct powercut_interval *one)
{
	if (!one->done || p->target[target].covered <= one->after)
		return;
	if (one->done != one->kept || !one->flush)
		one->flush =
			(uint32_t)powercut_covering(p, target, one->after);
	one->kept = one->done;
}

/* The target of an interval; -1: none has it. */
static int powercut_target_of(const struct powercut *p, uint64_t interval)
{
	size_t low = 0, high = p->n_targets;

	while (low + 1 < high) {
		size_t middle = (low + high) / 2;

		if (p->target[middle].first <= interval)
			low = middle;
		else
			high = middle;
	}
	if (!p->n_targets || interval < p->target[low].first ||
	    interval - p->target[low].first >= p->target[low].n)
		return -1;
	return (int)low;
}

/* --- records --- */

struct record {
	struct json *json;
	uint64_t ms, after;
	bool done, durable, failed, trim;
};

static void powercut_begin(struct powercut_interval *one, uint32_t generation,
			   bool trim)
{
	if (generation > one->begun)
		one->begun = generation;
	if (!trim || generation < one->done)
		return;
	/* Nothing is guaranteed from here on, whatever was written before. */
	one->kept = one->flush = 0;
	one->done = generation;
	one->after = UINT32_MAX;
}

static void powercut_done(const struct powercut *p, unsigned target,
			  struct powercut_interval *one, uint32_t generation,
			  const struct record *r)
{
	powercut_fold(p, target, one);
	if (generation > one->begun)
		one->begun = generation;
	/* The rows of two workers may come in another order. */
	if (generation < one->done)
		return;
	one->done = generation;
	one->after = r->failed ? UINT32_MAX : (uint32_t)r->after;
	if (r->durable && !r->failed) {
		one->kept = generation;
		one->flush = 0;
	}
}

static bool powercut_words(struct powercut *p, const struct record *r)
{
	const char *text = json_get_string(r->json, "w");
	struct witness_word word;

	if (!text)
		return false;
	while (witness_word_next(&text, &word)) {
		int target = powercut_target_of(p, word.first);

		if (target < 0 || word.n > WITNESS_SPAN_MOST ||
		    word.first + word.n >
			    p->target[target].first + p->target[target].n)
			return false;
		p->writes += r->done;
		for (uint64_t i = word.first / POWERCUT_CHUNK;
		     i <= (word.first + word.n - 1) / POWERCUT_CHUNK; i++)
			p->touched[i] = 1;
		for (uint64_t i = word.first; i < word.first + word.n; i++)
			if (r->done)
				powercut_done(p, (unsigned)target,
					      &p->interval[i], word.generation,
					      r);
			else
				powercut_begin(&p->interval[i],
					       word.generation, r->trim);
	}
	return !*text;
}

/* A whole number of a record within [0, most]; false: it has none. */
static bool powercut_number(struct json *j, const char *key, double most,
			    uint64_t *v)
{
	double d = json_get_number(j, key);

	if (!(d >= 0 && d <= most) || d != floor(d))
		return false;
	*v = (uint64_t)d;
	return true;
}

static bool powercut_flushed(struct powercut *p, const struct record *r)
{
	uint64_t target, number, error;
	struct powercut_target *t;

	if (!p->n_targets ||
	    !powercut_number(r->json, "target", (double)p->n_targets - 1,
			     &target) ||
	    !powercut_number(r->json, "id", UINT32_MAX - 1.0, &number) ||
	    !powercut_number(r->json, "error", 4096, &error))
		return false;
	t = &p->target[target];
	p->flushes++;
	if (error) {
		p->failed_flushes++;
		t->broken = true;
	} else if (t->broken) {
		/* The kernel may have dropped the pages of the failed one. */
		p->after_failed++;
	} else {
		powercut_note_flush(p, number, (unsigned)target, r->ms);
		t->covered = number > t->covered ? number : t->covered;
	}
	return true;
}

static char *powercut_text(struct json *j, const char *key)
{
	const char *text = json_get_string(j, key);
	char *copy = xstrdup(text ? text : "");

	text_clean(copy);
	return copy;
}

static bool powercut_plan_target(struct powercut *p, struct json *j,
				 struct json *job)
{
	struct powercut_target *t = &p->target[p->n_targets];
	const char *run = json_get_string(j, "run");
	uint64_t interval, header, atom;

	t->path = powercut_text(j, "path");
	t->identity = powercut_text(j, "identity");
	t->file_system = powercut_text(j, "file_system");
	t->chain = powercut_text(j, "chain");
	t->device = json_true(json_get(j, "device"));
	p->n_targets++;
	if (!powercut_number(j, "interval_bytes", 1 << 26, &interval) ||
	    !powercut_number(j, "first", (double)INTERVALS_MOST, &t->first) ||
	    !powercut_number(j, "intervals", (double)INTERVALS_MOST, &t->n) ||
	    !powercut_number(j, "atom", 1 << 20, &atom) ||
	    !powercut_number(job, "verify_offset", 1 << 26, &header) || !run ||
	    interval < VERIFY_LEAST_BYTES ||
	    header + VERIFY_HEADER_BYTES > interval || t->first != p->n ||
	    p->n + t->n > INTERVALS_MOST)
		return false;
	if (t->device && !powercut_number(j, "bytes", 0x1p62, &t->bytes))
		return false;
	t->interval_bytes = interval;
	t->header_at = header;
	t->header_only = json_true(json_get(job, "header_only"));
	t->atom = atom ? atom : 512;
	t->run = strtoull(run, NULL, 16);
	text_set(p->run, run);
	text_clean(p->run);
	p->n += t->n;
	return true;
}

static bool powercut_plan(struct powercut *p, struct json *j)
{
	struct json *list = json_get(j, "target");
	struct json *job = json_at(json_get(j, "job"), 0);
	size_t n = json_length(list);
	char *text;

	if (!n || n > TARGETS_MOST || !job || json_get_number(j, "schema") != 1)
		return false;
	p->target = xcalloc(n, sizeof(*p->target));
	for (size_t i = 0; i < n; i++)
		if (!powercut_plan_target(p, json_at(list, i), job))
			return false;
	text = powercut_text(j, "host");
	text_set(p->host, text);
	free(text);
	text = powercut_text(j, "time");
	text_set(p->time, text);
	free(text);
	/* Pages that no record touches cost nothing. */
	p->interval = calloc(p->n + 1, sizeof(*p->interval));
	if (!p->interval)
		return false;
	p->touched = xcalloc(p->n / POWERCUT_CHUNK + 1, 1);
	p->flush_ms = xcalloc(FLUSHES_KEPT, sizeof(*p->flush_ms));
	p->flush_target = xcalloc(FLUSHES_KEPT, sizeof(*p->flush_target));
	return true;
}

static bool powercut_record(struct powercut *p, struct json *j, const char *type)
{
	struct record r = { .json = j };

	if (!powercut_number(j, "t", UINT32_MAX - 2.0, &r.ms))
		return false;
	p->last_ms = r.ms > p->last_ms ? r.ms : p->last_ms;
	if (!strcmp(type, "intent")) {
		r.trim = json_true(json_get(j, "trim"));
		return powercut_words(p, &r);
	}
	if (!strcmp(type, "done")) {
		r.done = true;
		r.durable = json_true(json_get(j, "durable"));
		r.failed = json_true(json_get(j, "failed"));
		return powercut_number(j, "after", UINT32_MAX - 1.0,
				       &r.after) &&
		       powercut_words(p, &r);
	}
	if (!strcmp(type, "flushed"))
		return powercut_flushed(p, &r);
	if (!strcmp(type, "end")) {
		p->ended = true;
		p->failed = json_true(json_get(j, "failed"));
	}
	/* Others are of a later version. */
	return true;
}

static int powercut_line(struct powercut *p, const char *path,
			 const char *line, size_t n)
{
	struct json *j;
	const char *type;
	uint64_t seq;
	bool good = witness_line_read(line, n, &j);
	unsigned long long at = (unsigned long long)p->lines + 1;
	int rc = 0;

	if (!good)
		return fail(EPROTO, p->lines ? "%s is damaged at line %llu"
					     : "%s is no ledger of iodyno "
					       "witness (line %llu)",
			    path, at);
	type = json_get_string(j, "type");
	if (!type || !powercut_number(j, "seq", 0x1p52, &seq))
		rc = fail(EPROTO, "line %llu of %s is no record", at, path);
	else if (p->lines && !strcmp(type, "plan"))
		rc = fail(EPROTO,
			  "%s holds two runs; a second one begins at line %llu",
			  path, at);
	else if (!p->lines && strcmp(type, "plan") != 0)
		rc = fail(EPROTO, "%s lacks its begin: line %llu is no plan",
			  path, at);
	else if (seq != p->lines + 1)
		rc = fail(EPROTO,
			  "%s has a gap: line %llu is record %llu; what is "
			  "guaranteed is not known",
			  path, at, (unsigned long long)seq);
	else if (!(p->lines ? powercut_record(p, j, type)
			    : powercut_plan(p, j)))
		rc = fail(EPROTO, "line %llu of %s makes no sense", at, path);
	p->lines++;
	json_free(j);
	return rc;
}

/* A line with its newline, at most WITNESS_LINE_MAX; its length, 0 at the end. */
static size_t powercut_read_line(FILE *f, char *line)
{
	size_t n = 0;
	int c = 0;

	while (n < WITNESS_LINE_MAX && c != '\n' && (c = getc_unlocked(f)) != EOF)
		line[n++] = (char)c;
	return n;
}

static int powercut_read(struct powercut *p, const char *path, FILE *f)
{
	char *line = xmalloc(WITNESS_LINE_MAX + 1);
	int rc = 0;
	size_t n;

	while (rc == 0 && (n = powercut_read_line(f, line))) {
		if (line[n - 1] == '\n')
			rc = powercut_line(p, path, line, n - 1);
		else if (n == WITNESS_LINE_MAX)
			rc = fail(EPROTO, "line %llu of %s is too long",
				  (unsigned long long)p->lines + 1, path);
		else
			p->torn = true; /* the witness lost its power, too */
	}
	if (rc == 0 && ferror(f))
		rc = fail(EIO, "cannot read %s", path);
	if (rc == 0 && !p->lines)
		rc = fail(EPROTO, "%s is empty: the witness got no record",
			  path);
	free(line);
	return rc;
}

uint64_t powercut_next(const struct powercut *p, uint64_t i)
{
	while (i < p->n && !p->touched[i / POWERCUT_CHUNK])
		i = (i / POWERCUT_CHUNK + 1) * POWERCUT_CHUNK;
	return i < p->n ? i : p->n;
}

int powercut_load_from(struct powercut *p, FILE *f, const char *path)
{
	int rc;

	memset(p, 0, sizeof(*p));
	rc = powercut_read(p, path, f);
	for (uint64_t i = 0; rc == 0 && (i = powercut_next(p, i)) < p->n; i++)
		powercut_fold(p, (unsigned)powercut_target_of(p, i),
			      &p->interval[i]);
	return rc;
}

int powercut_load(struct powercut *p, const char *path)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	int rc;

	memset(p, 0, sizeof(*p));
	if (!f)
		return fail(errno, "cannot read %s: %s", path, strerror(errno));
	if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode))
		rc = fail(EISDIR, "%s is a directory; name its ledger", path);
	else
		rc = powercut_load_from(p, f, path);
	fclose(f);
	return rc;
}

void powercut_free(struct powercut *p)
{
	for (size_t i = 0; i < p->n_targets; i++) {
		free(p->target[i].path);
		free(p->target[i].identity);
		free(p->target[i].file_system);
		free(p->target[i].chain);
	}
	free(p->target);
	free(p->interval);
	free(p->touched);
	free(p->flush_ms);
	free(p->flush_target);
	memset(p, 0, sizeof(*p));
}
