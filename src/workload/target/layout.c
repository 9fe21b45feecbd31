/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layout: write files before they are read. */
#include "workload/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "workload/thread/worker.h"

#define CHUNK_BYTES (1u << 20)

/* The search ends after this many holes. */
#define MOST_HOLES 4096

/*
 * The bytes of holes and unwritten space from the first hole to the end of the
 * part.
 */
static uint64_t count_holes(const struct target *t, off_t hole)
{
	uint64_t bytes = 0;

	for (int i = 0; i < MOST_HOLES; i++) {
		off_t data = lseek(t->fd, hole, SEEK_DATA);

		if (data < 0 || (uint64_t)data >= t->need_bytes)
			return bytes + t->need_bytes - (uint64_t)hole;
		bytes += (uint64_t)(data - hole);
		hole = lseek(t->fd, data, SEEK_HOLE);
		if (hole < 0 || (uint64_t)hole >= t->need_bytes)
			return bytes;
	}
	return bytes;
}

void layout_plan(struct target *t)
{
	off_t hole;

	if (t->bare)
		return;
	/*
	 * Drop cached pages: SEEK_HOLE reports unwritten space with a cached
	 * page as data.
	 */
	if (t->job->invalidate)
		(void)posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
	hole = lseek(t->fd, 0, SEEK_HOLE);
	t->layout_from = t->need_bytes;
	if (hole < 0)
		hole = (off_t)t->size_bytes;
	if ((uint64_t)hole >= t->need_bytes || t->fill ||
	    t->job->create_on_open)
		return;
	if (!t->may_write) {
		t->has_hole = t->reads;
		t->hole_at = (uint64_t)hole;
		t->hole_bytes = count_holes(t, hole);
	} else if (t->reads || t->overwrite) {
		t->layout_from = (uint64_t)hole;
	}
}

void layout_fill(struct random *r, void *buf, size_t bytes)
{
	char *p = buf;

	while (bytes) {
		uint64_t word = random_next(r);
		size_t n = bytes < sizeof(word) ? bytes : sizeof(word);

		memcpy(p, &word, n);
		p += n;
		bytes -= n;
	}
}

static void layout_failed(struct worker *w, const struct target *t,
			  const char *what, uint64_t offset)
{
	int code = errno;

	counter_error(w->count, code);
	worker_fail(w, "job %s: layout: %s at offset %llu of %s failed: %s%s",
		    w->job->name, what, (unsigned long long)offset, t->path,
		    strerror(code),
		    code == ENOSPC ? "; free some space or reduce size" : "");
}

/*
 * With create_serialize one worker at a time writes files, so that they do not
 * interleave on the medium. An atomic serves as the lock, because workers may
 * be processes that are killed.
 */
static void take_turn(struct worker *w)
{
	uintptr_t nobody = 0;

	while (w->job->create_serialize && !worker_stopped(w) &&
	       !atomic_compare_exchange_strong(&w->barrier->writing, &nobody,
					       (uintptr_t)w)) {
		nobody = 0;
		clock_pause_ns(1000000);
	}
}

void layout_leave(struct worker *w)
{
	uintptr_t me = (uintptr_t)w;

	atomic_compare_exchange_strong(&w->barrier->writing, &me, 0);
}

/*
 * Find the next part without data: returns its start, sets its end. Data of an
 * earlier run stays, so that it can still be verified.
 */
static uint64_t next_gap(const struct target *t, uint64_t at, uint64_t *end)
{
	off_t hole = lseek(t->fd, (off_t)at, SEEK_HOLE), data;

	*end = t->need_bytes;
	/*
	 * If `at` is beyond the end of the file, lseek() fails and the part
	 * begins there.
	 */
	if (hole >= 0)
		at = (uint64_t)hole;
	if (at >= t->need_bytes)
		return t->need_bytes;
	data = lseek(t->fd, (off_t)at, SEEK_DATA);
	if (data >= 0 && (uint64_t)data < t->need_bytes)
		*end = (uint64_t)data;
	return at;
}

uint64_t layout_data(int fd, uint64_t at, uint64_t end, struct random *random,
		     struct worker *w)
{
	char *buf = xmalloc(CHUNK_BYTES);
	int error = 0;

	while (at < end && !error && !(w && worker_stopped(w))) {
		uint64_t rest = end - at;
		size_t want = rest < CHUNK_BYTES ? (size_t)rest : CHUNK_BYTES;
		ssize_t n;

		layout_fill(random, buf, want);
		n = pwrite(fd, buf, want, (off_t)at);
		if (n < 0 && errno != EINTR)
			error = errno;
		at += n > 0 ? (uint64_t)n : 0;
		if (w && n > 0)
			counter_add(&w->layout_bytes, (uint64_t)n);
	}
	free(buf);
	errno = error;
	return at;
}

static void layout_write_out(struct worker *w, const struct target *t)
{
	uint64_t at = t->layout_from, end;
	/*
	 * A copy: the numbers that the job draws later must not depend on
	 * whether its files were there, or verify_only would look elsewhere.
	 */
	struct random random = w->random;

	while (at < t->need_bytes) {
		uint64_t gap = next_gap(t, at, &end);

		counter_add(&w->layout_bytes, gap - at);
		at = layout_data(t->fd, gap, end, &random, w);
		if (at == end)
			continue;
		/* The next run continues a layout that was stopped. */
		if (errno)
			layout_failed(w, t, "write", at);
		return;
	}
	if (fsync(t->fd))
		layout_failed(w, t, "fsync", at);
}

void layout_write(struct worker *w, const struct target *t)
{
	take_turn(w);
	if (!worker_stopped(w))
		layout_write_out(w, t);
	layout_leave(w);
}
