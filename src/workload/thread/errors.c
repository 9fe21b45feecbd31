/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors: ignore or count an error, or end the job. */
#include "workload/thread/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/job/job_kind.h"

struct tolerance {
	/* ignored errors: bits CONTINUE_READ, CONTINUE_WRITE by errno */
	uint8_t ignored[ERRNO_COUNT];
	bool told;       /* an ignored error was reported (error_dump) */
	uint64_t n;      /* errors after which the job continued */
	char first[360]; /* the first of them, as a sentence */
};

/*
 * The first two of the three lists of ignore_error; the third is for
 * verification.
 */
static void read_ignored(struct tolerance *t, const char *lists)
{
	char *copy = xstrdup(lists), *rest = copy, *list, *piece;
	unsigned bit = CONTINUE_READ;

	while ((list = strsep(&rest, ",")) && bit <= CONTINUE_WRITE) {
		while ((piece = strsep(&list, ":"))) {
			int code = *piece ? job_errno(piece) : 0;

			if (code > 0 && code < ERRNO_COUNT)
				t->ignored[code] |= (uint8_t)bit;
		}
		bit <<= 1;
	}
	free(copy);
}

struct tolerance *errors_open(const struct job *job)
{
	struct tolerance *t = xcalloc(1, sizeof(*t));

	if (job->ignore_error)
		read_ignored(t, job->ignore_error);
	return t;
}

void errors_close(struct tolerance *t)
{
	free(t);
}

static void say(const struct worker *w, const struct io *io, int code,
		char *words, size_t size)
{
	static const char *const what[JOB_OPS] = { [JOB_READ] = "read",
						   [JOB_WRITE] = "write",
						   [JOB_TRIM] = "trim",
						   [JOB_SYNC] = "sync" };

	snprintf(words, size,
		 "job %s: %s of %zu bytes at offset %llu of %s failed: %s%s",
		 w->job->name, what[io->op], io->bytes,
		 (unsigned long long)io->offset, io->owner->target->path,
		 io->result ? strerror(code) : "the file ends there",
		 code == ENOSPC ? "; free some space or reduce size"
		 : code == EINVAL && w->job->direct
			 ? "; direct I/O may need a larger block here"
			 : "");
}

void errors_io(struct worker *w, const struct io *io)
{
	struct tolerance *t = w->tolerance;
	unsigned kind = io->op == JOB_READ ? CONTINUE_READ : CONTINUE_WRITE;
	int code = io->result < 0 ? (int)-io->result : EIO;
	char words[sizeof(t->first)];

	/* With fill_device a full device ends the job without an error. */
	if (code == ENOSPC && w->job->fill_device) {
		w->left_ios = 0;
		w->exhausted = true;
		return;
	}
	if (code < ERRNO_COUNT && t->ignored[code] & kind) {
		if (w->job->error_dump && !t->told) {
			say(w, io, code, words, sizeof(words));
			worker_note(w, "%s; ignore_error ignores such errors",
				    words);
		}
		t->told = true;
		return;
	}
	counter_error(w->count, code);
	if (t->n && w->job->continue_on_error & kind) {
		t->n++;
		return;
	}
	say(w, io, code, words, sizeof(words));
	if (!(w->job->continue_on_error & kind)) {
		worker_fail(w, "%s", words);
		return;
	}
	t->n++;
	memcpy(t->first, words, sizeof(words));
}

void errors_finish(struct worker *w)
{
	const struct tolerance *t = w->tolerance;

	if (t && t->n > 1)
		worker_fail(w, "%s; %llu more I/Os failed", t->first,
			    (unsigned long long)t->n - 1);
	else if (t && t->n)
		worker_fail(w, "%s", t->first);
}
