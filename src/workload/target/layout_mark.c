/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mark: read and write the attribute. */
#include "workload/target/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>

#include "base/clock.h"

/*
 * The greatest time between the reading of the clock and the kernel's time
 * stamp of the attribute.
 */
#define SLACK_NS (50 * 1000000ll)
#define TRIES    10

static const char running[] = "running";

static long long layout_ns_of(const struct timespec *ts)
{
	return (long long)ts->tv_sec * (long long)NS_PER_S + ts->tv_nsec;
}

static enum mark_state layout_state_of(const char *text, const struct stat *st)
{
	unsigned long long ino;
	long long size, mtime_ns, when_ns, after_ns;

	if (!strcmp(text, running))
		return MARK_RUNNING;
	if (sscanf(text, "left %llu %lld %lld %lld", &ino, &size, &mtime_ns,
		   &when_ns) != 4)
		return MARK_CHANGED;
	after_ns = layout_ns_of(&st->st_ctim) - when_ns;
	if (ino != st->st_ino || size != st->st_size ||
	    mtime_ns != layout_ns_of(&st->st_mtim) || after_ns < 0 ||
	    after_ns > SLACK_NS)
		return MARK_CHANGED;
	return MARK_EXACT;
}

/*
 * The state of a mark, whose value of n bytes the kernel returned; n below 0:
 * there is none.
 */
static enum mark_state state_of_value(char *value, ssize_t n, size_t size,
				      const struct stat *st)
{
	if (n < 0)
		return errno == ERANGE ? MARK_CHANGED : MARK_NONE;
	value[(size_t)n < size ? (size_t)n : size - 1] = '\0';
	return layout_state_of(value, st);
}

enum mark_state layout_mark_of_path(const char *path, const struct stat *st)
{
	char value[128];

	return state_of_value(
		value, getxattr(path, MARK_XATTR, value, sizeof(value) - 1),
		sizeof(value), st);
}

enum mark_state layout_mark_of_fd(int fd, const struct stat *st)
{
	char value[128];

	return state_of_value(
		value, fgetxattr(fd, MARK_XATTR, value, sizeof(value) - 1),
		sizeof(value), st);
}

int layout_mark_running(int fd)
{
	if (fsetxattr(fd, MARK_XATTR, running, strlen(running), 0))
		return -errno;
	return 0;
}

void layout_mark_left(int fd)
{
	struct timespec now;
	struct stat st;
	char value[128];

	/*
	 * Use the clock of the kernel's time stamps. Try again if the attribute
	 * was written too late after the reading.
	 */
	for (int i = 0; i < TRIES; i++) {
		if (clock_gettime(CLOCK_REALTIME_COARSE, &now) ||
		    fstat(fd, &st))
			return;
		snprintf(value, sizeof(value), "left %llu %lld %lld %lld",
			 (unsigned long long)st.st_ino, (long long)st.st_size,
			 layout_ns_of(&st.st_mtim), layout_ns_of(&now));
		if (fsetxattr(fd, MARK_XATTR, value, strlen(value), 0))
			return;
		if (!fstat(fd, &st) && layout_mark_of_fd(fd, &st) == MARK_EXACT)
			return;
	}
	if (layout_mark_running(fd))
		return;
}
