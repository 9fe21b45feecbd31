/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe: choose direct or buffered I/O and an engine. */
#include "workload/ping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "workload/engine/engine.h"

#define ALIGN       4096
#define PATIENCE_NS (30 * NS_PER_S)

static void ping_add_words(struct probe *p, const char *what, const char *why)
{
	text_join(p->words, sizeof(p->words), "; ", "%s: %s", what, why);
}

/* A read that fails because of the medium was still accepted by the engine. */
static bool taken(ssize_t result)
{
	return result >= 0 || (result != -EINVAL && result != -EOPNOTSUPP &&
			       result != -ENOSYS && result != -EPERM);
}

/* One read by an engine. 0, or -errno with a sentence. */
static int ping_read_once(const struct engine *e, const struct job *job, int fd,
			  char *buf, size_t bytes)
{
	struct engine_setup setup = {
		.depth = e->max_depth && e->max_depth < job->iodepth
				 ? e->max_depth
				 : job->iodepth,
		.job = job,
		.fd = &fd,
		.n_fds = 1,
	};
	struct io io = { .buf = buf, .bytes = bytes, .fd = fd, .op = JOB_READ };
	void *state;
	int rc = e->open(&state, &setup);

	if (rc)
		return rc;
	rc = engine_do(e, state, &io, PATIENCE_NS);
	if (rc == -EAGAIN)
		rc = fail(EAGAIN, "the kernel accepts no I/O now");
	else if (rc == -ETIMEDOUT)
		rc = fail(ETIMEDOUT, "a read did not come back");
	else if (rc)
		rc = fail(-rc, "%s", strerror(-rc));
	else if (!taken(io.result))
		rc = fail((int)-io.result, "%s", strerror((int)-io.result));
	/* A read in flight still uses this memory: keep it. */
	if (rc != -ETIMEDOUT)
		e->close(state);
	return rc;
}

/* Whether an engine reads the target; true on a timeout, too, with *rc set. */
static bool works(struct probe *p, const struct engine *e,
		  const struct job *trial, int fd, char *buf, size_t bytes,
		  int *rc)
{
	if (e->direct_only && !p->direct)
		return false;
	p->engine = e->name;
	*rc = engine_try(e);
	if (*rc == 0)
		*rc = ping_read_once(e, trial, fd, buf, bytes);
	if (*rc == 0 || *rc == -ETIMEDOUT)
		return true;
	ping_add_words(p, e->name, fail_sentence());
	return false;
}

static int choose_engine(struct probe *p, const struct job *job, int fd,
			 char *buf, size_t bytes)
{
	const struct engine *first = NULL, *e;
	struct job trial = *job;
	int rc = 0;

	trial.direct = p->direct;
	if (engine_find("io_uring", &e))
		ping_add_words(p, "io_uring", "it was not built in");
	if (p->first && engine_find(p->first, &first) == 0 &&
	    works(p, first, &trial, fd, buf, bytes, &rc))
		return rc;
	for (size_t i = 0; (e = engine_best(i)); i++)
		if (e != first && works(p, e, &trial, fd, buf, bytes, &rc))
			return rc;
	return fail(EIO, "no engine can read it: %s", p->words);
}

/*
 * A sentence for a target that cannot be read. EPERM is reserved for the guard.
 * Suggest root for a device.
 */
static int ping_unreadable(const char *path, int error, const char *how)
{
	char rerun[FAIL_ROOT_MAX] = "";
	struct stat st;

	if ((error == EPERM || error == EACCES) && !stat(path, &st) &&
	    S_ISBLK(st.st_mode))
		fail_as_root(rerun, sizeof(rerun));
	return fail(error == EPERM ? EACCES : error, "cannot read %s%s: %s%s",
		    path, how, strerror(error), rerun);
}

/*
 * Open the target for p->direct, which this function may choose. A descriptor,
 * or -errno with a sentence.
 */
static int open_target(struct probe *p, const char *path, char *buf,
		       size_t bytes)
{
	int fd, error = 0;

	if (p->direct) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
		if (fd >= 0 && taken(pread(fd, buf, bytes, 0) < 0 ? -errno : 0))
			return fd;
		error = errno;
		descriptor_close(fd);
	}
	if (p->direct && (!p->choose_direct || error != EINVAL))
		return ping_unreadable(path, error,
				       error == EINVAL ? " directly" : "");
	if (p->direct) {
		char text[100];

		snprintf(text, sizeof(text),
			 "refused for reads of %zu bytes, so the page cache "
			 "answers",
			 bytes);
		ping_add_words(p, "direct I/O", text);
	}
	p->direct = false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : ping_unreadable(path, errno, "");
}

int ping_probe(struct probe *p, const struct job *job, const char *path)
{
	size_t bytes = job_max_block(job);
	char *buf = aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN);
	int fd, rc = 0;

	if (!buf)
		return fail(ENOMEM, "no memory for a block of %zu bytes",
			    bytes);
	p->direct = p->choose_direct || job->direct;
	p->engine = job->engine;
	*p->words = '\0';
	fd = open_target(p, path, buf, bytes);
	if (fd >= 0 && p->choose_engine)
		rc = choose_engine(p, job, fd, buf, bytes);
	descriptor_close(fd);
	/* After a failure a read may still be in flight. */
	if (fd < 0 || rc == 0)
		free(buf);
	return fd < 0 ? fd : rc;
}
