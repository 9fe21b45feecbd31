/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loop device: attach a file to a free loop device. */
#include "block/loop_device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/root.h"
#include "base/text.h"

#define CONTROL "/dev/loop-control"
#define TRIES	32

bool loop_device_may(void)
{
	return access(CONTROL, R_OK | W_OK) == 0;
}

static int configure(int loop_fd, int file_fd, const char *label)
{
	struct loop_config config = {
		.fd = (uint32_t)file_fd,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO,
	};

	text_copy((char *)config.info.lo_file_name,
		  sizeof(config.info.lo_file_name), label);
	if (ioctl(loop_fd, LOOP_CONFIGURE, &config) == 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	/* The file system of the backing file may lack direct I/O. */
	config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
	return ioctl(loop_fd, LOOP_CONFIGURE, &config) ? -errno : 0;
}

/*
 * Keep the device open by a read-only descriptor: the guard refuses a device
 * that another process has open for writing.
 */
static int hold_to_read(struct loop_device *l)
{
	char again[ROOT_FD_PATH];
	int fd = open(root_fd_path(again, l->fd), O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(l->fd);
	l->fd = fd;
	return 0;
}

/*
 * Try to attach the loop device that is free now; -EBUSY: another process took
 * it.
 */
static int attach_once(struct loop_device *l, int control_fd, int file_fd,
		       const char *label)
{
	int number = ioctl(control_fd, LOOP_CTL_GET_FREE), rc;

	if (number < 0)
		return -errno;
	snprintf(l->device, sizeof(l->device), "loop%d", number);
	snprintf(l->path, sizeof(l->path), "/dev/%s", l->device);
	l->fd = open(l->path, O_RDWR | O_CLOEXEC);
	if (l->fd < 0)
		return -errno;
	rc = configure(l->fd, file_fd, label);
	if (!rc)
		rc = hold_to_read(l);
	if (rc) {
		close(l->fd);
		l->fd = -1;
	}
	return rc;
}

int loop_device_attach(struct loop_device *l, int file_fd, const char *label)
{
	int control_fd = open(CONTROL, O_RDWR | O_CLOEXEC);
	int rc = -EBUSY;

	l->fd = -1;
	if (control_fd < 0)
		return -errno;
	for (int i = 0; i < TRIES && (rc == -EBUSY || rc == -ENOENT); i++) {
		if (i)
			clock_pause_ns(20000000);
		rc = attach_once(l, control_fd, file_fd, label);
	}
	close(control_fd);
	return rc;
}

bool loop_device_label(const char *path, char *buf, size_t size)
{
	struct loop_info64 info;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool ok = fd >= 0 && !ioctl(fd, LOOP_GET_STATUS64, &info);

	if (fd >= 0)
		close(fd);
	if (ok) {
		info.lo_file_name[LO_NAME_SIZE - 1] = '\0';
		text_copy(buf, size, (const char *)info.lo_file_name);
	}
	return ok;
}
