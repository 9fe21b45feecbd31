/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Engine: the table of I/O engines, and the calls that they share. */
#include "workload/engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "model/job/job.h"
#include "model/schema/schema_job.h"

/* Of a trial: the bytes that are read, and the time that this may take. */
#define ENGINE_TRY_BYTES 512
#define ENGINE_TRY_NS    (10 * NS_PER_S)

const struct engine *const engines[] = {
	&engine_psync,    &engine_pvsync2, &engine_libaio,
#ifdef HAVE_LIBURING
	&engine_io_uring,
#endif
	&engine_mmap,     &engine_splice,  &engine_null,
};

const size_t n_engines = ARRAY_SIZE(engines);

static const char *engine_name_at(size_t i, const void *arg)
{
	return engines[i]->name;
}

int engine_find(const char *name, const struct engine **out)
{
	char list[200] = "";

	for (size_t i = 0; i < n_engines; i++) {
		if (!strcmp(engines[i]->name, name) ||
		    text_lists(engines[i]->aliases, name, strlen(name))) {
			*out = engines[i];
			return 0;
		}
		text_join(list, sizeof(list), ", ", "%s", engines[i]->name);
	}
	return fail(EINVAL, "there is no I/O engine %s%s; there are %s", name,
		    text_did_you_mean("", text_closest(name, n_engines,
						       engine_name_at, NULL))
			    .text,
		    list);
}

const char *engine_name(size_t i, const char **help)
{
	if (i >= n_engines)
		return NULL;
	*help = engines[i]->help;
	return engines[i]->name;
}

int engine_do(const struct engine *e, void *state, struct io *io,
	      uint64_t timeout_ns)
{
	struct io *list[1] = { io };
	int rc;

	if (e->submit(state, list, 1) != 1)
		return -EAGAIN;
	rc = e->reap(state, list, 1, 1, timeout_ns);
	return rc < 0 ? rc : rc ? 0 : -ETIMEDOUT;
}

/* Read one block by the engine. 0, or -errno. */
static int engine_read_once(const struct engine *e, void *state, int fd)
{
	char block[ENGINE_TRY_BYTES];
	struct io io = {
		.buf = block, .bytes = sizeof(block), .fd = fd, .op = JOB_READ
	};
	/* With a timeout, as workers wait: memory is read at once. */
	int rc = engine_do(e, state, &io, ENGINE_TRY_NS);

	return rc || io.result >= 0 ? rc : (int)io.result;
}

static int try_on(const struct engine *e, int fd)
{
	const struct job job = { .name = "trial" };
	const struct engine_setup setup = {
		.depth = 1, .job = &job, .fd = &fd, .n_fds = 1
	};
	void *state;
	int rc;

	if (fd < 0 || ftruncate(fd, ENGINE_TRY_BYTES))
		return 0;
	rc = e->open(&state, &setup);
	if (rc)
		return rc;
	rc = engine_read_once(e, state, fd);
	e->close(state);
	return rc;
}

int engine_try(const struct engine *e)
{
	int fd, rc;

	if (!e->refused_by)
		return 0;
	fd = memfd_create("iodyno-engine", MFD_CLOEXEC);
	rc = try_on(e, fd);
	descriptor_close(fd);
	if (rc == 0)
		return 0;
	/* EPERM is reserved for the guard. The kernel said EPERM, mostly. */
	return fail(rc == -EPERM ? EACCES : -rc,
		    "the system refuses the engine %s: %s; see %s", e->name,
		    strerror(rc == -EACCES ? EPERM : -rc), e->refused_by);
}

/* The options that are flags of single I/Os. */
static const struct {
	const char *option;
	unsigned flag;
	size_t offset; /* of the member of struct job, a bool */
	bool writes;   /* a flag of writes only */
} flags[] = {
	{ "nowait", RWF_NOWAIT, offsetof(struct job, nowait), false },
	{ "uncached", RWF_DONTCACHE, offsetof(struct job, uncached), false },
	{ "atomic", RWF_ATOMIC, offsetof(struct job, atomic), true },
	{ "hipri", RWF_HIPRI, offsetof(struct job, hipri), false },
};

static bool engine_asked(const struct job *job, size_t i)
{
	return *(const bool *)(const void *)((const char *)job +
					     flags[i].offset);
}

unsigned engine_flags(const struct job *job, unsigned op)
{
	unsigned all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(flags) && op <= JOB_WRITE; i++)
		if (engine_asked(job, i) &&
		    (!flags[i].writes || op == JOB_WRITE))
			all |= flags[i].flag;
	return all;
}

/* The names of the engines whose I/Os can have the flag. */
static void engine_names_with(unsigned flag, char *buf, size_t size)
{
	*buf = '\0';
	for (size_t i = 0; i < n_engines; i++)
		if (engines[i]->rwf & flag)
			text_join(buf, size, " or ", "%s", engines[i]->name);
}

int engine_check_flags(const struct engine *e, const struct job *job)
{
	char names[80];

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!engine_asked(job, i) || e->rwf & flags[i].flag)
			continue;
		engine_names_with(flags[i].flag, names, sizeof(names));
		return fail(EINVAL,
			    "the I/Os of engine %s have no %s; give "
			    "ioengine=%s",
			    e->name, flags[i].option, names);
	}
	if (job->hipri_pct == 100 || strcmp(e->name, engine_pvsync2.name) == 0)
		return 0;
	return fail(EINVAL,
		    "hipri_percentage is for ioengine=%s; engine %s polls for "
		    "all I/Os or for none",
		    engine_pvsync2.name, e->name);
}

/* libaio blocks in the submission of buffered reads. */
static const struct engine *const best[] = {
#ifdef HAVE_LIBURING
	&engine_io_uring,
#endif
	&engine_libaio,
	&engine_psync,
};

const struct engine *engine_best(size_t i)
{
	return i < ARRAY_SIZE(best) ? best[i] : NULL;
}

const struct engine *engine_instead(const struct engine *e, bool direct)
{
	for (size_t i = 0; i < ARRAY_SIZE(best); i++)
		if (best[i] != e && (direct || !best[i]->direct_only) &&
		    engine_try(best[i]) == 0)
			return best[i];
	return &engine_psync;
}

void engine_sync(struct io *io, unsigned range_flags)
{
	int rc;

	if (io->sync == SYNC_RANGE)
		rc = sync_file_range(io->fd, (off_t)io->offset,
				     (off_t)io->bytes, range_flags);
	else
		rc = io->sync == SYNC_DATA ? fdatasync(io->fd) : fsync(io->fd);
	io->result = rc ? -errno : 0;
}

/* Devices have an ioctl for it; in a file, punch a hole. */
void engine_trim(struct io *io)
{
	uint64_t range[2] = { io->offset, io->bytes };
	int rc = ioctl(io->fd, BLKDISCARD, range);

	if (rc && errno == ENOTTY)
		rc = fallocate(io->fd,
			       FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       (off_t)io->offset, (off_t)io->bytes);
	io->result = rc ? -errno : (ssize_t)io->bytes;
}

int engine_one_reap(void *state, struct io **done, unsigned min, unsigned max,
		    uint64_t timeout_ns)
{
	struct engine_one *one = state;

	if (!one->done)
		return 0;
	done[0] = one->done;
	one->done = NULL;
	return 1;
}
