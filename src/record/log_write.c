/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log, writing: lines are made here and written by a process of their own
 * (record/line_writer.h), so that a log's disk that hangs stops neither the
 * sampling nor the end of the program.
 */
#include "record/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/side_file.h"
#include "record/codec.h"
#include "record/line_writer.h"

struct log_writer {
	struct line_writer *lines;
	char *path, *name; /* name: "the log PATH" */
	struct json_writer line;
	struct known_knobs knobs;
	struct known_facts facts;
	mode_t mode;	    /* of its files */
	unsigned long lost; /* frames, since the last line about them */
	/* The least log_hist_coarseness of the jobs so far. */
	unsigned coarseness;
	bool has_jobs;
};

static int writer_new(struct log_writer **out, int fd, bool regular,
		      const char *path)
{
	struct log_writer *w = xcalloc(1, sizeof(*w));
	int err;

	w->path = xstrdup(path);
	w->name = xasprintf("the log %s", path);
	err = line_writer_new(&w->lines, fd, regular, log_is_zst(path),
			      w->name);
	if (err) {
		free(w->path);
		free(w->name);
		free(w);
		return err;
	}
	*out = w;
	return 0;
}

/* A FIFO, terminal or character device may already exist. */
static int log_write_open_existing(const char *path, int *fd)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return fail(errno, "cannot create the log %s: %s", path,
			    strerror(errno));
	if (S_ISREG(st.st_mode))
		return fail(EEXIST,
			    "the log %s exists and is not overwritten; remove "
			    "it or give another name",
			    path);
	if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
		return fail(EINVAL,
			    "the log %s is neither a new file nor a pipe nor "
			    "a character device; give another name",
			    path);
	/*
	 * Open a FIFO without blocking: without a reader the open would wait
	 * for ever.
	 */
	*fd = open(path,
		   O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd < 0 && errno == ENXIO)
		return fail(ENXIO,
			    "nothing reads the pipe %s; start its reader first",
			    path);
	/* Another program may have replaced the file meanwhile. */
	if (*fd >= 0 && fstat(*fd, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		return 0;
	if (*fd >= 0) {
		close(*fd);
		errno = EEXIST;
	}
	return fail(errno, "cannot open the log %s: %s", path, strerror(errno));
}

/* The mode of a new log. */
static mode_t log_mode(bool private)
{
	return private ? 0600 : 0644;
}

int log_create(struct log_writer **out, const char *path, bool private)
{
	struct stat st;
	int fd, err;

	if (!strcmp(path, "-")) {
		if (fstat(STDOUT_FILENO, &st) < 0)
			return fail(errno, "cannot write to stdout: %s",
				    strerror(errno));
		return writer_new(out, STDOUT_FILENO, S_ISREG(st.st_mode),
				  "stdout");
	}
	fd = side_file_new(path, O_APPEND, log_mode(private));
	/* The lock keeps a resumed sweep from a log that is being written. */
	if (fd >= 0) {
		(void)flock(fd, LOCK_EX | LOCK_NB);
		err = writer_new(out, fd, true, path);
		if (!err)
			(*out)->mode = log_mode(private);
		return err;
	}
	if (fd != -EEXIST)
		return fail(-fd, "cannot create the log %s: %s", path,
			    strerror(-fd));
	err = log_write_open_existing(path, &fd);
	return err ? err : writer_new(out, fd, false, path);
}

/* Cut the file back to its last newline; 0 or -errno. */
static int cut_torn_line(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END), whole = end;
	char buf[4096];

	while (whole > 0) {
		off_t from = whole > (off_t)sizeof(buf)
				     ? whole - (off_t)sizeof(buf)
				     : 0;
		ssize_t n = pread(fd, buf, (size_t)(whole - from), from);
		char *newline;

		if (n != whole - from)
			return n < 0 ? -errno : -EIO;
		newline = memrchr(buf, '\n', (size_t)n);
		whole = newline ? from + (newline - buf) + 1 : from;
		if (newline)
			break;
	}
	return whole == end || !ftruncate(fd, whole) ? 0 : -errno;
}

int log_append(struct log_writer **out, const char *path, bool private)
{
	struct stat st;
	int fd, err;

	if (log_is_zst(path))
		return fail(ENOTSUP,
			    "the log %s is compressed and cannot be continued; "
			    "uncompress it and give that name",
			    path);
	fd = open(path, O_RDWR | O_NOFOLLOW | O_APPEND | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err = fd < 0 ? errno : EINVAL;
		if (fd >= 0)
			close(fd);
		return fail(err, "cannot continue the log %s: %s", path,
			    strerror(err));
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		close(fd);
		return fail(EBUSY, "another iodyno writes the log %s", path);
	}
	err = cut_torn_line(fd);
	if (err < 0) {
		close(fd);
		return fail(-err, "cannot cut a torn line off the log %s: %s",
			    path, strerror(-err));
	}
	/* Of a file of another user the mode stays. */
	if (private && st.st_mode & 077)
		(void)!fchmod(fd, 0600);
	err = writer_new(out, fd, true, path);
	if (!err)
		(*out)->mode = log_mode(private);
	return err;
}

/* Write the line that was made, with a newline; how: see line_writer.h. */
static int log_write_put_line(struct log_writer *w, enum line_importance how)
{
	int err;

	json_writer_raw(&w->line, "\n", 1);
	err = line_writer_put(w->lines, w->line.buf, w->line.len, how);
	json_writer_reset(&w->line);
	/* Write all again: the lost line may have held changes. */
	if (err) {
		known_knobs_free(&w->knobs);
		known_facts_forget(&w->facts);
	}
	return err;
}

/* Write how many frames were lost while the log's disk hung. */
static int put_lost(struct log_writer *w)
{
	if (!w->lost || !line_writer_has_room(w->lines))
		return 0;
	json_writer_open(&w->line, '{');
	json_writer_put_text(&w->line, "type", "lost");
	json_writer_put_number(&w->line, "frames", (double)w->lost);
	json_writer_close(&w->line, '}');
	w->lost = 0;
	return log_write_put_line(w, LINE_KEPT);
}

static void log_take_coarseness(struct log_writer *w, const struct job *job,
				size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!w->has_jobs || job[i].log_hist_coarseness < w->coarseness)
			w->coarseness = job[i].log_hist_coarseness;
		w->has_jobs = true;
	}
}

int log_header(struct log_writer *w, const struct header *h)
{
	log_take_coarseness(w, h->job, h->n_jobs);
	w->facts.on = h->interval_s >= KNOWN_FACTS_LEAST_S;
	known_facts_forget(&w->facts);
	codec_write_header(&w->line, h);
	return log_write_put_line(w, LINE_AWAITED);
}

int log_jobs(struct log_writer *w, const struct job *job, size_t n)
{
	log_take_coarseness(w, job, n);
	codec_write_jobs(&w->line, job, n);
	return log_write_put_line(w, LINE_KEPT);
}

int log_frame(struct log_writer *w, const struct frame *f)
{
	int err = put_lost(w);

	if (err)
		return err;
	codec_write_frame(&w->line, f, &w->knobs, &w->facts, w->coarseness);
	err = log_write_put_line(w, LINE_DROPPABLE);
	if (err != -ENOBUFS)
		return err;
	w->lost++;
	return 0;
}

/* The object stays open, for more members. */
static void log_write_open(struct log_writer *w, const char *type,
			   struct json *object)
{
	size_t len;
	const char *text = json_text(object, &len);

	json_writer_open(&w->line, '{');
	json_writer_put_text(&w->line, "type", type);
	if (len > 2)
		json_writer_value(&w->line, text + 1, len - 2);
}

static int log_write_close(struct log_writer *w)
{
	json_writer_close(&w->line, '}');
	return log_write_put_line(w, LINE_AWAITED);
}

int log_record_synced(struct log_writer *w, const char *type,
		      struct json *object)
{
	int err, fd;

	log_write_open(w, type, object);
	err = log_write_close(w);
	if (err)
		return err;
	/* The file, whatever descriptor the writing process has. */
	fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0; /* stdout, or a file that was moved away */
	if (fdatasync(fd) < 0 && errno != EINVAL && errno != EROFS)
		err = fail(errno, "cannot sync the log %s: %s", w->path,
			   strerror(errno));
	close(fd);
	return err;
}

int log_summary(struct log_writer *w, struct json *summary,
		const struct clock_facts *clock)
{
	log_write_open(w, "summary", summary);
	codec_write_clock(&w->line, clock);
	return log_write_close(w);
}

void log_hurry(struct log_writer *w)
{
	line_writer_hurry(w->lines);
}

int log_rotate(struct log_writer *w, const struct header *h)
{
	struct line_writer *old = w->lines;
	int fd, err;

	fd = side_file_new(w->path, O_APPEND, w->mode);
	if (fd == -EEXIST)
		return fail(EEXIST,
			    "the log %s was not moved; move it, then send the "
			    "signal",
			    w->path);
	if (fd < 0)
		return fail(-fd, "cannot create the log %s: %s", w->path,
			    strerror(-fd));
	err = line_writer_new(&w->lines, fd, true, log_is_zst(w->path),
			      w->name);
	if (err) {
		w->lines = old;
		return err;
	}
	line_writer_leave(old);
	known_knobs_free(&w->knobs);
	return log_header(w, h);
}

void log_close(struct log_writer *w)
{
	if (!w)
		return;
	line_writer_free(w->lines);
	known_knobs_free(&w->knobs);
	known_facts_free(&w->facts);
	json_writer_free(&w->line);
	free(w->path);
	free(w->name);
	free(w);
}
