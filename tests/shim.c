/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shim: a library for LD_PRELOAD that shows the program a machine which this
 * one is not.
 *
 *   SHIM_NO_EXT_ARG=1   io_uring of Linux 5.10: no IORING_FEAT_EXT_ARG
 *   SHIM_NO_RING=1      kernel.io_uring_disabled=2: no ring at all
 *   SHIM_CLOCK=FILE     "MONOTONIC WALL", seconds that each clock is ahead;
 * read at each look, so that a clock can be moved in the run
 *   SHIM_BAD_PROGRAM=1  each program that traces begins with a read of a register
 * that has no value, so the kernel's verifier refuses it
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#ifdef HAVE_LIBURING
#include <liburing.h>

int io_uring_queue_init_params(unsigned entries, struct io_uring *ring,
			       struct io_uring_params *p)
{
	int (*next)(unsigned, struct io_uring *, struct io_uring_params *) =
		(int (*)(unsigned, struct io_uring *, struct io_uring_params *))
			dlsym(RTLD_NEXT, "io_uring_queue_init_params");
	int rc = getenv("SHIM_NO_RING") ? -EPERM : next(entries, ring, p);

	if (rc == 0 && getenv("SHIM_NO_EXT_ARG")) {
		p->features &= ~IORING_FEAT_EXT_ARG;
		ring->features &= ~IORING_FEAT_EXT_ARG;
	}
	return rc;
}
#endif

/* Of the clock: no function that the program may have replaced is called. */
static time_t ahead(clockid_t id)
{
	const char *path = getenv("SHIM_CLOCK");
	long value[2] = { 0, 0 };
	char text[64] = "", *end = text;
	int fd;

	if (!path || (id != CLOCK_MONOTONIC && id != CLOCK_REALTIME))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 0) {
		value[0] = strtol(end, &end, 10);
		value[1] = strtol(end, &end, 10);
	}
	close(fd);
	return value[id == CLOCK_REALTIME];
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int error = errno, rc = (int)syscall(SYS_clock_gettime, id, ts);

	if (rc == 0)
		ts->tv_sec += ahead(id);
	errno = rc ? errno : error;
	return rc;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new,
		    struct itimerspec *old)
{
	struct itimerspec at = *new;

	if ((flags & TFD_TIMER_ABSTIME) && at.it_value.tv_sec)
		at.it_value.tv_sec -= ahead(CLOCK_MONOTONIC);
	return (int)syscall(SYS_timerfd_settime, fd, flags, &at, old);
}

/* libbpf makes its calls this way. */
long syscall(long number, ...)
{
	static long (*next)(long, ...);
	struct bpf_insn *bad = NULL;
	long arg[6], rc;
	va_list args;

	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	va_start(args, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf && arg[0] == BPF_PROG_LOAD &&
	    getenv("SHIM_BAD_PROGRAM")) {
		union bpf_attr *attr = (union bpf_attr *)arg[1];

		/* Not those by which libbpf tries what the kernel knows. */
		if (attr->prog_type == BPF_PROG_TYPE_TRACING &&
		    attr->insn_cnt > 2) {
			bad = calloc(attr->insn_cnt, sizeof(*bad));
			memcpy(bad, (void *)(uintptr_t)attr->insns,
			       attr->insn_cnt * sizeof(*bad));
			/* Two: the first may be the longer form. */
			for (int i = 0; i < 2; i++)
				bad[i] = (struct bpf_insn){
					.code = BPF_ALU64 | BPF_MOV | BPF_X,
					.src_reg = BPF_REG_9
				};
			attr->insns = (uintptr_t)bad;
		}
	}
	rc = next(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	free(bad);
	return rc;
}
