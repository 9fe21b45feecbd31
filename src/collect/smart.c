/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Smart: the counters in a page, the changes between two pages, and the process
 * that reads pages.
 *
 * NVMe: NVM Express Base Specification 2.0, figure "SMART / Health Information
 * Log Page"; little-endian. ATA: ACS-2, SMART READ DATA, and the attributes
 * that makers share; 30 entries of 12 bytes from byte 2: id, flags (2), value,
 * worst value, raw (6), reserved; the sum of all 512 bytes is 0.
 */
#include "collect/smart.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/nvme_ioctl.h>
#include <math.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/role.h"
#include "base/text.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "collect/collect.h"

#define KELVIN	    273.15
#define LIKELY_C    50 /* of a disk, -+ FAR_C */
#define FAR_C	    150
#define ATA_FIRST   2
#define ATA_BYTES   12
#define WARNING	    0 /* rows of the table that have a meaning of their own */
#define TEMPERATURE 1

/*
 * NVMe: where the number is, and its bytes; 0: it has none. ATA: id, and how
 * many low bits of raw count; makers put other facts into the upper ones.
 */
static const struct {
	const char *key;
	enum smart_change rise; /* what it means that the number rises */
	unsigned at, bytes;
	double scale;
	unsigned id, bits;
} counters[SMART_COUNTERS] = {
	[WARNING] = { "critical_warning", SMART_CALM, 0, 1, 1, 0, 0 },
	[TEMPERATURE] = { "temperature_c", SMART_CALM, 1, 2, 1, 194, 8 },
	{ "spare_pct", SMART_CALM, 3, 1, 1, 0, 0 },
	{ "used_pct", SMART_CALM, 5, 1, 1, 0, 0 },
	/* In thousands of 512 bytes. */
	{ "read_bytes", SMART_CALM, 32, 16, 512000, 0, 0 },
	{ "written_bytes", SMART_CALM, 48, 16, 512000, 0, 0 },
	{ "power_cycles", SMART_CALM, 112, 16, 1, 12, 32 },
	{ "power_on_hours", SMART_CALM, 128, 16, 1, 9, 32 },
	{ "unsafe_shutdowns", SMART_CALM, 144, 16, 1, 0, 0 },
	{ "error_log_entries", SMART_CALM, 176, 16, 1, 0, 0 },
	{ "media_errors", SMART_ERROR, 160, 16, 1, 0, 0 },
	{ "warning_temp_minutes", SMART_NOTED, 192, 4, 1, 0, 0 },
	{ "critical_temp_minutes", SMART_NOTED, 196, 4, 1, 0, 0 },
	{ "thm_temp1_trans_count", SMART_NOTED, 216, 4, 1, 0, 0 },
	{ "thm_temp2_trans_count", SMART_NOTED, 220, 4, 1, 0, 0 },
	{ "thm_temp1_total_s", SMART_NOTED, 224, 4, 1, 0, 0 },
	{ "thm_temp2_total_s", SMART_NOTED, 228, 4, 1, 0, 0 },
	{ "reallocated_sectors", SMART_ERROR, 0, 0, 1, 5, 16 },
	{ "reported_uncorrectable", SMART_ERROR, 0, 0, 1, 187, 32 },
	{ "pending_sectors", SMART_ERROR, 0, 0, 1, 197, 32 },
	{ "offline_uncorrectable", SMART_ERROR, 0, 0, 1, 198, 32 },
	{ "crc_errors", SMART_ERROR, 0, 0, 1, 199, 32 },
};

/* Bits of critical_warning. */
static const struct {
	const char *words;
	enum smart_change new;
} warnings[] = {
	{ "little spare capacity", SMART_NOTED },
	{ "its temperature", SMART_NOTED },
	{ "degraded reliability", SMART_ERROR },
	{ "read-only media", SMART_ERROR },
	{ "a failed backup of volatile memory", SMART_NOTED },
	{ "unreliable persistent memory", SMART_NOTED },
};

/* 16 bytes lose digits behind the 53rd bit. */
static double smart_number_at(const uint8_t *p, unsigned bytes)
{
	double n = 0;

	for (unsigned i = bytes; i-- > 0;)
		n = n * 256 + p[i];
	return n;
}

/* A controller that gives no page may leave all bytes 0 or 0xff. */
static bool smart_is_empty(const uint8_t *page)
{
	for (size_t i = 1; i < SMART_PAGE; i++)
		if (page[i] != page[0])
			return false;
	return true;
}

static void parse_nvme(struct smart *s, const uint8_t *page)
{
	for (size_t i = 0; i < SMART_COUNTERS; i++)
		if (counters[i].bytes)
			s->value[i] = counters[i].scale *
				      smart_number_at(page + counters[i].at,
						      counters[i].bytes);
	/* 0 K and what no disk has: the controller does not know it. */
	s->value[TEMPERATURE] -= KELVIN;
	if (!(fabs(s->value[TEMPERATURE] - LIKELY_C) < FAR_C))
		s->value[TEMPERATURE] = NAN;
}

static const struct smart_attribute *attribute(const struct smart *s,
					       unsigned id)
{
	for (size_t i = 0; i < s->n_attributes; i++)
		if (s->attribute[i].id == id)
			return &s->attribute[i];
	return NULL;
}

static bool parse_ata(struct smart *s, const uint8_t *page)
{
	const struct smart_attribute *a;
	uint8_t sum = 0;

	for (size_t i = 0; i < SMART_PAGE; i++)
		sum = (uint8_t)(sum + page[i]);
	if (sum)
		return false;
	for (size_t i = 0; i < SMART_ATTRIBUTES; i++) {
		const uint8_t *p = page + ATA_FIRST + i * ATA_BYTES;

		if (!*p)
			continue;
		s->attribute[s->n_attributes++] = (struct smart_attribute){
			*p, (uint64_t)smart_number_at(p + 5, 6)
		};
	}
	for (size_t i = 0; i < SMART_COUNTERS; i++) {
		a = counters[i].id ? attribute(s, counters[i].id) : NULL;
		if (a)
			s->value[i] = (double)(a->raw &
					       ((UINT64_C(1) << counters[i].bits) -
						1));
	}
	/* Some disks have the temperature of the air flow only. */
	a = attribute(s, 194) ? attribute(s, 194) : attribute(s, 190);
	if (a)
		s->value[TEMPERATURE] = (int8_t)(a->raw & 0xff);
	return true;
}

bool smart_parse(struct smart *s, enum smart_interface interface,
		 const uint8_t page[SMART_PAGE])
{
	s->n_attributes = 0;
	for (size_t i = 0; i < SMART_COUNTERS; i++)
		s->value[i] = NAN;
	if (interface == SMART_ATA)
		return !smart_is_empty(page) && parse_ata(s, page);
	if (interface != SMART_NVME || smart_is_empty(page))
		return false;
	parse_nvme(s, page);
	return true;
}

double smart_temperature(const struct smart *s)
{
	return s->value[TEMPERATURE];
}

static enum smart_change compare_warning(double before, double after,
					 char *words, size_t size)
{
	const unsigned is = after > 0 ? (unsigned)after : 0;
	const unsigned was = before > 0 ? (unsigned)before : 0;
	enum smart_change worst = SMART_CALM;

	for (unsigned i = 0; i < ARRAY_SIZE(warnings); i++) {
		const bool old = was & 1u << i;
		const enum smart_change here = old ? SMART_NOTED
						   : warnings[i].new;

		if (!(is & 1u << i))
			continue;
		text_join(words, size, ", ", "it warns of %s%s",
			  warnings[i].words, old ? ", as before the run" : "");
		worst = here > worst ? here : worst;
	}
	return worst;
}

enum smart_change smart_compare(const struct smart *before,
				const struct smart *after, char *words,
				size_t size)
{
	enum smart_change worst = compare_warning(before->value[WARNING],
						  after->value[WARNING], words,
						  size);

	for (size_t i = 0; i < SMART_COUNTERS; i++) {
		const double rose = after->value[i] - before->value[i];

		if (counters[i].rise == SMART_CALM || !(rose > 0))
			continue;
		text_join(words, size, ", ", "%s rose by %.0f to %.0f",
			  counters[i].key, rose, after->value[i]);
		worst = counters[i].rise > worst ? counters[i].rise : worst;
	}
	return worst;
}

struct json *smart_json(const struct smart *s)
{
	struct json *j = json_new_object(), *list;

	for (size_t i = 0; i < SMART_COUNTERS; i++)
		json_put_number(j, counters[i].key, s->value[i]);
	if (!s->n_attributes)
		return j;
	list = json_new_array();
	for (size_t i = 0; i < s->n_attributes; i++) {
		struct json *one = json_new_object();

		json_put_number(one, "id", s->attribute[i].id);
		json_put_number(one, "raw", (double)s->attribute[i].raw);
		json_push(list, one);
	}
	json_put(j, "attribute", list);
	return j;
}

/* --- the disks that have pages --- */

#define DEPTH_MAX 8   /* stacks of devices */
#define END_MS    100 /* that the end waits for the process */

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

static void smart_add_disk(struct smart_reader *r, const struct root *root,
			   const char *name, dev_t dev)
{
	struct smart_disk *d = &r->disk[r->n];

	for (size_t i = 0; i < r->n; i++)
		if (r->disk[i].dev == dev)
			return;
	if (r->n == SMART_DISKS)
		return;
	memset(d, 0, sizeof(*d));
	text_set(d->name, name);
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
		smart_add_disk(r, root, name, disk);
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
		text_set(b->name, file_system);
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

	if (!text_set(place, path))
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
	uint8_t cdb[16] = { 0x85, 4 << 1, 0x0e, 0, 0xd0, 0, 1,    0,
			    0,    0,      0x4f, 0, 0xc2, 0, 0xb0, 0 };
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
	return io.status || io.host_status || io.driver_status || io.resid ? EIO
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
	if (fd >= 0 &&
	    (fstat(fd, &st) || !S_ISBLK(st.st_mode) || st.st_rdev != d->dev)) {
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

/* The state of the process: a descriptor of each disk, or why there is none. */
struct asking {
	const struct smart_reader *r;
	int fd[SMART_DISKS], error[SMART_DISKS];
};

static void smart_set_up(void *arg)
{
	struct asking *a = arg;

	for (size_t i = 0; i < a->r->n; i++) {
		a->fd[i] = -1;
		if (is_asked(&a->r->disk[i]))
			a->fd[i] = open_disk(&a->r->disk[i], &a->error[i]);
	}
}

static int read_page(int fd, enum smart_interface interface,
		     unsigned char *page)
{
	return interface == SMART_NVME ? read_nvme(fd, page)
				       : read_ata(fd, page);
}

/* Answer each byte with a page of each disk, until no peer is left. */
static void smart_serve(int socket, void *arg)
{
	const struct asking *p = arg;
	char order;

	while (role_hear(socket, &order, sizeof(order), NULL, 0) ==
	       sizeof(order))
		for (size_t i = 0; i < p->r->n; i++) {
			struct smart_answer a = { .disk = (unsigned)i };

			if (!is_asked(&p->r->disk[i]))
				continue;
			a.error = p->fd[i] < 0
					  ? p->error[i]
					  : read_page(p->fd[i],
						      p->r->disk[i].interface,
						      a.page);
			if (descriptor_send(socket, &a, sizeof(a), NULL, 0) < 0)
				return;
		}
}

/* --- the side that asks --- */

void smart_reader_init(struct smart_reader *r)
{
	memset(r, 0, sizeof(*r));
	r->socket = -1;
}

int smart_reader_start(struct smart_reader *r)
{
	struct asking a = { .r = r };
	const struct role_start start = { .role = ROLE_HEALTH,
					  .prepare = smart_set_up,
					  .serve = smart_serve,
					  .arg = &a };
	bool any = false;
	int socket;

	for (size_t i = 0; i < r->n; i++)
		any |= is_asked(&r->disk[i]);
	if (!any)
		return 0;
	r->pid = role_start(&start, &socket);
	if (r->pid < 0)
		return r->pid;
	r->socket = socket;
	return 0;
}

void smart_reader_stop(struct smart_reader *r)
{
	if (r->socket >= 0)
		role_end(r->socket, r->pid, END_MS);
	r->socket = -1;
}

/* The process has ended, though a disk is still to be asked. */
static void smart_end_early(struct smart_reader *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->disk[i].error || r->disk[i].error == EINPROGRESS)
			r->disk[i].error = ESRCH;
	r->due = 0;
	smart_reader_stop(r);
}

bool smart_reader_ask(struct smart_reader *r, unsigned when)
{
	const char order = 0;

	(void)smart_reader_poll(r);
	for (size_t i = 0; i < r->n; i++) {
		r->disk[i].has[when] = r->disk[i].has[1] = false;
		if (!r->due)
			r->disk[i].error = r->socket < 0 ? ESRCH : 0;
	}
	if (r->socket < 0 || r->due)
		return false;
	r->when = when;
	r->late = false;
	if (descriptor_send(r->socket, &order, sizeof(order), NULL, 0) < 0) {
		smart_end_early(r);
		return false;
	}
	for (size_t i = 0; i < r->n; i++)
		if (is_asked(&r->disk[i])) {
			r->disk[i].error = EINPROGRESS;
			r->due++;
		}
	return true;
}

static void smart_take(struct smart_reader *r, const struct smart_answer *a)
{
	struct smart_disk *d = &r->disk[a->disk];

	d->error = a->error;
	if (!d->error &&
	    !smart_parse(&d->reading[r->when], d->interface, a->page))
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
			smart_take(r, &a);
	}
	if (r->due && (n >= 0 || (errno != EAGAIN && errno != EINTR)))
		smart_end_early(r);
	return r->due;
}

void smart_reader_give_up(struct smart_reader *r)
{
	r->late = true;
	for (size_t i = 0; i < r->n; i++)
		if (r->disk[i].error == EINPROGRESS)
			r->disk[i].error = ETIMEDOUT;
}
