/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Smart reader: which disks have counters, the commands, and the process.
 */
#include "collect/smart.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "collect/collect.h"

#define DEPTH_MAX 8   /* stacks of devices */
#define END_MS	  100 /* that the end waits for the process */

/* --- disks --- */

/* The kernel calls each disk behind libata's translation of SCSI "ATA". */
static enum smart_interface interface_of(const struct root *root,
					 const char *name)
{
	char path[SYSFS_PATH_MAX], vendor[64];

	if (!strncmp(name, "nvme", 4))
		return SMART_NVME;
	if (!sysfs_path_of(path, sizeof(path), name, "device/vendor") ||
	    strncmp(name, "sd", 2) != 0 ||
	    root_read_line(root, path, vendor, sizeof(vendor)) <= 0)
		return SMART_NONE;
	return strcmp(vendor, "ATA") ? SMART_SCSI : SMART_ATA;
}

static void add_disk(struct smart_reader *r, const struct root *root,
		     const char *name, dev_t dev)
{
	struct smart_disk *d = &r->disk[r->n];

	for (size_t i = 0; i < r->n; i++)
		if (r->disk[i].dev == dev)
			return;
	if (r->n == SMART_DISKS)
		return;
	memset(d, 0, sizeof(*d));
	text_copy(d->name, sizeof(d->name), name);
	d->dev = dev;
	d->interface = interface_of(root, name);
	r->n++;
}

/* Add the disks below a device. */
static void trace(struct smart_reader *r, const struct root *root, dev_t dev,
		  unsigned depth)
{
	char name[SYSFS_NAME_MAX], *rest, *word;
	struct device_info info;
	dev_t disk, below;

	if (depth == DEPTH_MAX || !sysfs_whole_disk(root, dev, &disk) ||
	    !sysfs_device_name(root, disk, name, sizeof(name)))
		return;
	sysfs_name_swap(name, false);
	/* The members of an NVMe disk are its paths. */
	if (!strncmp(name, "nvme", 4) ||
	    !device_header_collect(root, name, &info) || !*info.members) {
		add_disk(r, root, name, disk);
		return;
	}
	rest = info.members;
	while ((word = strsep(&rest, " ")))
		if (sysfs_number_of(root, word, &below))
			trace(r, root, below, depth + 1);
}

/* A btrfs, by the name of one of its devices. */
struct btrfs {
	struct smart_reader *r;
	const struct root *root;
	const char *device;
	char name[128]; /* "" until it is found */
};

static void find_btrfs(const char *file_system, const char *device, void *arg)
{
	struct btrfs *b = arg;

	if (!strcmp(device, b->device))
		text_copy(b->name, sizeof(b->name), file_system);
}

static void add_member(const char *file_system, const char *device, void *arg)
{
	const struct btrfs *b = arg;
	dev_t dev;

	if (!strcmp(file_system, b->name) &&
	    sysfs_number_of(b->root, device, &dev))
		trace(b->r, b->root, dev, 0);
}

/*
 * The file system of a path has a number of its own, as each subvolume of a
 * btrfs: the source of the mount names a device.
 */
static void add_source(struct smart_reader *r, const struct root *root,
		       const char *path)
{
	struct mounts *mounts = mounts_read(root);
	const struct mount *m = mounts_of_path(mounts, path);
	struct btrfs b = { .r = r, .root = root };
	dev_t below;

	if (m && *mounts_source_name(m)) {
		b.device = mounts_source_name(m);
		mounts_btrfs_each(root, find_btrfs, &b);
		if (*b.name)
			mounts_btrfs_each(root, add_member, &b);
		else if (sysfs_number_of(root, b.device, &below))
			trace(r, root, below, 0);
	}
	mounts_free(mounts);
}

void smart_reader_add(struct smart_reader *r, const struct root *root,
		      dev_t dev)
{
	trace(r, root, dev, 0);
}

/* Stat the path, or the folder in which it will be; real is its full path. */
static bool find_place(const char *path, struct stat *st, char real[PATH_MAX])
{
	char place[PATH_MAX], *slash;

	if (!text_copy(place, sizeof(place), path))
		return false;
	while (stat(place, st) < 0) {
		slash = strrchr(place, '/');
		if (!strcmp(place, "/") || !strcmp(place, "."))
			return false;
		if (!slash)
			strcpy(place, ".");
		else
			slash[slash == place] = '\0';
	}
	return realpath(place, real) != NULL;
}

void smart_reader_add_path(struct smart_reader *r, const struct root *root,
			   const char *path)
{
	char real[PATH_MAX];
	struct stat st;
	dev_t disk;

	if (root->live) {
		if (!find_place(path, &st, real))
			return;
		st.st_dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
		path = real;
	}
	if (root->live && sysfs_whole_disk(root, st.st_dev, &disk))
		trace(r, root, st.st_dev, 0);
	else
		add_source(r, root, path);
}

/* --- commands --- */

/*
 * As long as the kernel's own limit for NVMe: after it the kernel resets the
 * link or the controller, which must not happen because a disk is only slow.
 */
#define ANSWER_MS 60000

/* Get Log Page (02h) of page 02h, of the controller; dwords are from 0. */
static int read_nvme(int fd, uint8_t page[SMART_PAGE])
{
	struct nvme_admin_cmd cmd = {
		.opcode = 0x02,
		.nsid = 0xffffffff,
		.addr = (uint64_t)(uintptr_t)page,
		.data_len = SMART_PAGE,
		.cdw10 = 0x02 | (SMART_PAGE / 4 - 1) << 16,
	};
	int rc = ioctl(fd, NVME_IOCTL_ADMIN_CMD, &cmd);

	/* Above 0: the status of the controller. */
	return rc < 0 ? errno : rc ? EIO : 0;
}

/*
 * ATA PASS-THROUGH (16) of SAT-3: SMART (B0h) with READ DATA (D0h), one block
 * by PIO from the device.
 */
static int read_ata(int fd, uint8_t page[SMART_PAGE])
{
	uint8_t cdb[16] = { 0x85, 4 << 1, 0x0e, 0, 0xd0, 0, 1, 0,
			    0,	  0,	  0x4f, 0, 0xc2, 0, 0xb0, 0 };
	uint8_t sense[32] = { 0 };
	struct sg_io_hdr io = {
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_FROM_DEV,
		.cmd_len = sizeof(cdb),
		.cmdp = cdb,
		.mx_sb_len = sizeof(sense),
		.sbp = sense,
		.dxfer_len = SMART_PAGE,
		.dxferp = page,
		.timeout = ANSWER_MS,
	};

	if (ioctl(fd, SG_IO, &io) < 0)
		return errno;
	return io.status || io.host_status || io.driver_status || io.resid
		       ? EIO
		       : 0;
}

/* --- the process --- */

/* The device itself, whatever its name leads to now. */
static int open_disk(const struct smart_disk *d, int *error)
{
	char path[80] = "/dev/";
	struct stat st;
	int fd;

	text_copy(path + 5, sizeof(path) - 5, d->name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	*error = fd < 0 ? errno : 0;
	if (fd >= 0 && (fstat(fd, &st) || !S_ISBLK(st.st_mode) ||
			st.st_rdev != d->dev)) {
		close(fd);
		*error = ENODEV;
		return -1;
	}
	return fd;
}

static bool is_asked(const struct smart_disk *d)
{
	return d->interface == SMART_NVME || d->interface == SMART_ATA;
}

/* Answer each byte with a page of each disk, until no peer is left. */
static void never_returns serve(const struct smart_reader *r, int socket)
{
	int fd[SMART_DISKS], error[SMART_DISKS];
	char order;

	for (size_t i = 0; i < r->n; i++) {
		fd[i] = -1;
		if (is_asked(&r->disk[i]))
			fd[i] = open_disk(&r->disk[i], &error[i]);
	}
	sandbox_smart_reader();
	while (descriptor_receive(socket, &order, sizeof(order), NULL, 0) ==
	       sizeof(order))
		for (size_t i = 0; i < r->n; i++) {
			struct smart_answer a = { .disk = (unsigned)i };

			if (!is_asked(&r->disk[i]))
				continue;
			a.error = fd[i] < 0 ? error[i]
				  : r->disk[i].interface == SMART_NVME
					  ? read_nvme(fd[i], a.page)
					  : read_ata(fd[i], a.page);
			if (descriptor_send(socket, &a, sizeof(a), NULL, 0) < 0)
				_exit(0);
		}
	_exit(0);
}

/* Signals of the terminal are for the program. */
static void never_returns process(const struct smart_reader *r, int socket)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "iodyno-smart");
	descriptor_close_others(&socket, 1);
	serve(r, socket);
}

/* --- the side that asks --- */

void smart_reader_init(struct smart_reader *r)
{
	memset(r, 0, sizeof(*r));
	r->socket = -1;
}

int smart_reader_start(struct smart_reader *r)
{
	bool any = false;
	int socket;

	for (size_t i = 0; i < r->n; i++)
		any |= is_asked(&r->disk[i]);
	if (!any)
		return 0;
	r->pid = descriptor_fork(&socket, "reads the health counters of disks");
	if (r->pid == 0)
		process(r, socket);
	if (r->pid < 0)
		return r->pid;
	r->socket = socket;
	return 0;
}

void smart_reader_stop(struct smart_reader *r)
{
	if (r->socket >= 0)
		descriptor_end(r->socket, r->pid, END_MS);
	r->socket = -1;
}

bool smart_reader_ask(struct smart_reader *r, unsigned when)
{
	const char order = 0;

	(void)smart_reader_poll(r);
	for (size_t i = 0; i < r->n; i++) {
		r->disk[i].has[when] = r->disk[i].has[1] = false;
		if (!r->due)
			r->disk[i].error = 0;
	}
	if (r->socket < 0 || r->due)
		return false;
	r->when = when;
	r->late = false;
	if (descriptor_send(r->socket, &order, sizeof(order), NULL, 0) < 0)
		return false;
	for (size_t i = 0; i < r->n; i++)
		if (is_asked(&r->disk[i])) {
			r->disk[i].error = EINPROGRESS;
			r->due++;
		}
	return true;
}

static void take(struct smart_reader *r, const struct smart_answer *a)
{
	struct smart_disk *d = &r->disk[a->disk];

	d->error = a->error;
	if (!d->error && !smart_parse(&d->reading[r->when], d->interface,
				      a->page))
		d->error = EBADMSG;
	d->has[r->when] = !d->error;
}

bool smart_reader_poll(struct smart_reader *r)
{
	struct smart_answer a;
	ssize_t n = 0;

	while (r->due) {
		n = recv(r->socket, &a, sizeof(a), MSG_DONTWAIT);
		if (n != sizeof(a))
			break;
		r->due--;
		/* The reading of a late answer is over. */
		if (!r->late && a.disk < r->n)
			take(r, &a);
	}
	if (r->due && (n >= 0 || (errno != EAGAIN && errno != EINTR))) {
		/* The process has ended. */
		smart_reader_give_up(r);
		r->due = 0;
		smart_reader_stop(r);
	}
	return r->due;
}

void smart_reader_give_up(struct smart_reader *r)
{
	r->late = true;
	for (size_t i = 0; i < r->n; i++)
		if (r->disk[i].error == EINPROGRESS)
			r->disk[i].error = ETIMEDOUT;
}
