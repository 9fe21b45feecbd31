/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device temperature: the reading of a disk's hwmon device
 * (Documentation/hwmon/drivetemp.rst, drivers/nvme/host/hwmon.c).
 *
 * The kernel sends a command to the disk for each reading. A disk that does not
 * answer holds the reader for as long as it takes, so on the live machine a
 * thread reads, and a sample takes the readings that have arrived. Some drives
 * put off their standby when they are asked: a disk is asked only after it did
 * I/O by itself, and some minutes behind that.
 *
 * Device health: errors that the kernel counted, members that are gone, a
 * device that became read-only. Only files that the kernel answers from memory
 * are read: one that asks the disk could hang with it.
 */
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "collect/device.h"

#define PATH_SIZE 512

/* A number in a file, also a hexadecimal one; -1: there is none. */
static long long number_in(const char *text, ssize_t length)
{
	char *end;
	long long n;

	if (length <= 0)
		return -1;
	n = strtoll(text, &end, 0);
	return end == text ? -1 : n;
}

static long long device_health_number(const struct device_set *set,
				      struct device *d, enum device_file which)
{
	char buf[32];

	return number_in(buf, device_read(set, d, which, buf, sizeof(buf)));
}

static int device_health_by_name(const void *a, const void *b)
{
	return strcmp(((const struct sysfs_name *)a)->text,
		      ((const struct sysfs_name *)b)->text);
}

/*
 * Opening an absent file costs several times as much as reading one, and most
 * devices have no ext4: list those that have one.
 */
void device_health_begin(struct device_set *set)
{
	free(set->ext4);
	set->ext4 = sysfs_names(set->files->root, DEVICE_EXT4_FOLDER, ".",
				&set->n_ext4);
}

static bool has_ext4(const struct device_set *set, const struct device *d)
{
	struct sysfs_name name;

	return set->n_ext4 && text_set(name.text, d->name) &&
	       bsearch(&name, set->ext4, set->n_ext4, sizeof(name),
		       device_health_by_name);
}

/* Requests that the SCSI layer saw fail (sysfs-block-device; of disks only). */
static long long count_requests(const struct device_set *set, struct device *d)
{
	struct device_health *h = &d->health;
	long long n;

	if (!device_is(d, "disk") || h->no_requests)
		return -1;
	n = device_health_number(set, d, DEVICE_REQUESTS);
	h->no_requests = n < 0 && set->files->live_sys;
	return n;
}

/* Errors that ext4 found on the file system of the device (sysfs-fs-ext4). */
static long long count_ext4(const struct device_set *set, struct device *d)
{
	if (has_ext4(set, d))
		return device_health_number(set, d, DEVICE_EXT4);
	root_kept_close(set->files, &d->file[DEVICE_EXT4]);
	return -1;
}

/* Count what is new since the last look, if that found a number, too. */
static void device_health_compare(struct device_health *h, long long *kept,
				  long long now, uint64_t now_ns)
{
	if (h->met && *kept >= 0 && now > *kept) {
		h->new_errors += (uint64_t)(now - *kept);
		h->error_ns = now_ns;
	}
	*kept = now;
}

static long long missing_of_md(const struct device_set *set,
			       const struct device *d)
{
	char path[PATH_SIZE], buf[32];

	snprintf(path, sizeof(path), "%s/md/degraded", d->dir);
	return number_in(buf, root_read(set->files->root, path, buf,
					sizeof(buf)));
}

/*
 * Whether it is a multipath device: other devices may lose members on purpose.
 */
static bool has_paths(const struct device_set *set, const struct device *d)
{
	char path[PATH_SIZE], uuid[160];

	if (!device_is(d, "dm"))
		return false;
	snprintf(path, sizeof(path), "%s/dm/uuid", d->dir);
	return root_read_line(set->files->root, path, uuid, sizeof(uuid)) > 0 &&
	       !strncmp(uuid, "mpath-", 6);
}

void device_health(const struct device_set *set, struct device *d,
		   uint64_t now_ns)
{
	struct device_health *h = &d->health;
	long long missing, read_only;

	h->looked_ns = now_ns;
	if (!d->dir[0])
		return;
	device_health_compare(h, &h->request_errors, count_requests(set, d),
			      now_ns);
	device_health_compare(h, &h->ext4_errors, count_ext4(set, d), now_ns);
	/* Forget errors that did not grow for a minute. */
	if (h->new_errors && now_ns - h->error_ns > DEVICE_ERRORS_NS)
		h->new_errors = 0;
	if (d->n_members > h->most_members)
		h->most_members = d->n_members;
	missing = device_is(d, "md") ? missing_of_md(set, d) : -1;
	if (missing < 0 && has_paths(set, d))
		missing = (long long)(h->most_members - d->n_members);
	h->missing = missing > 0 ? (unsigned)missing : 0;
	read_only = device_health_number(set, d, DEVICE_RO);
	if (!h->met)
		h->was_writable = read_only == 0;
	h->turned_read_only = h->was_writable && read_only == 1;
	h->met = true;
}

/* Time between two readings of a disk. */
#define READ_NS (10 * NS_PER_S)
/* Older readings are not shown: the disk was idle or did not answer since. */
#define FORGET_NS (300 * NS_PER_S)
/* A disk is asked for so long after its last I/O; a sweep waits until it is
 * cool. */
#define COOLING_NS (300 * NS_PER_S)
/* Search again for the hwmon of a disk: its driver may be loaded late. */
#define SEARCH_NS (60 * NS_PER_S)
/* Drivers give numbers out of this range where they know none. */
#define LEAST_C	     (-60.0)
#define MOST_C	     200.0
#define MOST_LIMIT_C 150.0

/* One disk that the thread asks. */
struct heat_question {
	char name[ROW_ID_MAX];
	uint64_t generation;
	char folder[PATH_SIZE];
	struct device_heat heat; /* the answer */
};

enum stage { FREE, ASKED, ANSWERED };

struct device_thermometer {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	struct root root; /* its own: the thread may be left behind */
	struct heat_question question;
	enum stage stage;
	bool reading; /* the thread waits for the disk */
	bool closed;
	pthread_t thread;
};

/* Millidegrees in a file of the folder; NaN where it has no sensible number. */
static double read_c(const struct root *root, const char *folder,
		     const char *file, double least_c, double most_c)
{
	char path[PATH_SIZE + 32];
	long long n;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	if (!root_read_number(root, path, &n))
		return NAN;
	return n >= least_c * 1000 && n <= most_c * 1000 ? n / 1000.0 : NAN;
}

static struct device_heat read_heat(const struct root *root, const char *folder)
{
	return (struct device_heat){
		.now_c = read_c(root, folder, "temp1_input", LEAST_C, MOST_C),
		.max_c = read_c(root, folder, "temp1_max", 1, MOST_LIMIT_C),
		.crit_c = read_c(root, folder, "temp1_crit", 1, MOST_LIMIT_C),
	};
}

/* "hwmon3" in a folder; false: there is none. */
static bool find_in(const struct root *root, const char *folder, char *out)
{
	DIR *dir = root_open_dir(root, folder);
	const char *entry;
	bool found = false;

	while (!found && (entry = descriptor_entry(&dir)))
		found = !strncmp(entry, "hwmon", 5) &&
			isdigit((unsigned char)entry[5]) &&
			snprintf(out, PATH_SIZE, "%.400s/%.100s", folder, entry) > 0;
	if (dir)
		closedir(dir);
	return found;
}

/* The folder of a controller in that of an NVMe subsystem. */
static bool find_controller(const struct root *root, const char *folder,
			    char *out)
{
	DIR *dir = root_open_dir(root, folder);
	const char *entry;
	bool found = false;

	while (!found && (entry = descriptor_entry(&dir))) {
		char below[PATH_SIZE], end;
		unsigned controller;

		if (sscanf(entry, "nvme%u%c", &controller, &end) != 1)
			continue;
		snprintf(below, sizeof(below), "%.400s/%.100s", folder, entry);
		found = find_in(root, below, out);
	}
	if (dir)
		closedir(dir);
	return found;
}

/*
 * An NVMe controller has its hwmon device beside its block devices, one of
 * kernels before 5.12 below its PCI device; a SCSI disk below its SCSI device.
 * The head of NVMe paths belongs to a subsystem of controllers.
 */
static bool device_health_find_folder(const struct root *root,
				      const struct device *d, char *out)
{
	static const char *const places[] = { "device", "device/hwmon",
					      "device/device/hwmon" };
	char folder[PATH_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(folder, sizeof(folder), "%s/%s", d->dir, places[i]);
		if (find_in(root, folder, out))
			return true;
	}
	snprintf(folder, sizeof(folder), "%s/device", d->dir);
	return !strncmp(d->name, "nvme", 4) &&
	       find_controller(root, folder, out);
}

static void destroy(struct device_thermometer *t)
{
	root_close(&t->root);
	pthread_cond_destroy(&t->turn);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static void *device_health_answer(void *arg)
{
	struct device_thermometer *t = arg;
	bool left;

	pthread_mutex_lock(&t->lock);
	while (!t->closed) {
		struct heat_question q = t->question;

		if (t->stage != ASKED) {
			pthread_cond_wait(&t->turn, &t->lock);
			continue;
		}
		t->reading = true;
		pthread_mutex_unlock(&t->lock);
		q.heat = read_heat(&t->root, q.folder);
		pthread_mutex_lock(&t->lock);
		left = t->closed;
		t->reading = false;
		t->question = q;
		t->stage = ANSWERED;
		if (left) {
			pthread_mutex_unlock(&t->lock);
			destroy(t);
			return NULL;
		}
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static struct device_thermometer *device_health_start(const struct root *root)
{
	struct device_thermometer *t = xcalloc(1, sizeof(*t));
	sigset_t all, before;
	int rc = root_open(&t->root, root->path);

	if (rc < 0) {
		free(t);
		return NULL;
	}
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->turn, NULL);
	/* Signals are for the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&t->thread, NULL, device_health_answer, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc) {
		destroy(t);
		return NULL;
	}
	return t;
}

void device_temperature_close(struct device_set *set)
{
	struct device_thermometer *t = set->thermometer;
	bool reading;

	if (!t)
		return;
	set->thermometer = NULL;
	pthread_mutex_lock(&t->lock);
	t->closed = true;
	reading = t->reading;
	pthread_cond_signal(&t->turn);
	if (reading)
		pthread_detach(t->thread); /* it frees its state by itself */
	pthread_mutex_unlock(&t->lock);
	if (reading)
		return;
	pthread_join(t->thread, NULL);
	destroy(t);
}

static void device_health_take(struct device_set *set,
			       const struct heat_question *q, uint64_t now_ns)
{
	struct device *d = device_find(set, q->name, strlen(q->name));

	if (!d || d->generation != q->generation)
		return;
	d->heat = q->heat;
	d->heat.read_ns = now_ns;
}

/* Hand the question over; false while another one waits for its answer. */
static bool device_health_ask(struct device_set *set,
			      const struct heat_question *q, uint64_t now_ns)
{
	struct device_thermometer *t;
	bool done = false;

	if (!set->files->root->live) {
		struct heat_question read = *q;

		read.heat = read_heat(set->files->root, q->folder);
		device_health_take(set, &read, now_ns);
		return true;
	}
	if (!set->thermometer)
		set->thermometer = device_health_start(set->files->root);
	t = set->thermometer;
	if (!t)
		return true;
	pthread_mutex_lock(&t->lock);
	if (t->stage == FREE) {
		t->question = *q;
		t->stage = ASKED;
		pthread_cond_signal(&t->turn);
		done = true;
	}
	pthread_mutex_unlock(&t->lock);
	return done;
}

static void fetch(struct device_set *set, uint64_t now_ns)
{
	struct device_thermometer *t = set->thermometer;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	if (t->stage == ANSWERED) {
		device_health_take(set, &t->question, now_ns);
		t->stage = FREE;
	}
	pthread_mutex_unlock(&t->lock);
}

/*
 * Whether it is time to ask this disk, which did I/O since the last time or
 * cools after it. The files of a captured tree cost no disk anything.
 */
static bool device_health_is_due(const struct device_set *set,
				 const struct device *d, uint64_t now_ns)
{
	uint64_t since = now_ns - d->asked_ns;

	if (!d->dir[0] || (!device_is(d, "disk") && !device_is(d, "nvme-path")))
		return false;
	if (!d->asked_ns || !set->files->root->live)
		return true;
	if (!d->has_hwmon)
		return since >= SEARCH_NS;
	return since >= READ_NS &&
	       (d->completed != d->asked_at ||
		(d->busy_ns && now_ns - d->busy_ns < COOLING_NS));
}

void device_temperature(struct device_set *set, struct device *d,
			uint64_t now_ns)
{
	struct heat_question q = { .generation = d->generation };

	fetch(set, now_ns);
	if (d->heat.read_ns && now_ns - d->heat.read_ns > FORGET_NS)
		d->heat = DEVICE_HEAT_NONE;
	if (d->stall_ns || !device_health_is_due(set, d, now_ns))
		return;
	d->has_hwmon = device_health_find_folder(set->files->root, d, q.folder);
	text_set(q.name, d->name);
	if (d->has_hwmon && !device_health_ask(set, &q, now_ns))
		return;
	if (d->asked_ns && d->completed != d->asked_at)
		d->busy_ns = now_ns;
	d->asked_ns = now_ns;
	d->asked_at = d->completed;
}
