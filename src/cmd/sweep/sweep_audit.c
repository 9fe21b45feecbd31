/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep audit: kernel log, temperature, counters of disks, extents. */
#include "cmd/sweep/sweep_audit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"

#define MOST_FILES   1000
#define MOST_FOLDERS 16 /* one in the other */
#define MAPPED       256
#define FAR_C        3.0 /* runs that begin closer are alike */
#define ANSWER_S     10  /* that disks have to send their counters */

/* The last bit is of no fact. */
const struct text_word sweep_audits[] = {
	{ "extents", "number of extents of the files, and unwritten space" },
	{ "temperature",
	  "temperature of the disk before and after the jobs, and how often "
	  "heat made the processors slower" },
	{ "kernel", "failures that the kernel logged in the run" },
	{ "smart", "health counters of the disks before and after the jobs" },
	{ "none", "none of these" },
	{ NULL, NULL },
};

int sweep_audit_parse(const char *text, unsigned *what)
{
	char *copy, *rest, *word;
	int err = 0;

	*what = ~0u;
	if (!text)
		return 0;
	*what = 0;
	copy = rest = xstrdup(text);
	while (!err && (word = strsep(&rest, ","))) {
		const size_t n = ARRAY_SIZE(sweep_audits) - 1;
		const size_t i = text_find(word, sweep_audits, n, name);

		if (i == n)
			err = fail(EINVAL,
				   "--audit=%s: there are extents, temperature, "
				   "kernel, smart and none",
				   text);
		else
			*what |= 1u << i;
	}
	free(copy);
	return err;
}

static void sweep_audit_forget(struct sweep_audit *a)
{
	a->messages = a->of_device = 0;
	a->message[0] = '\0';
	a->from_c = a->to_c = NAN;
	a->throttles = a->throttled = -1;
	memset(&a->extents, 0, sizeof(a->extents));
	a->has_extents = false;
	for (size_t i = 0; i < a->smart.n; i++)
		a->smart.disk[i].has[0] = a->smart.disk[i].has[1] = false;
}

void sweep_audit_init(struct sweep_audit *a)
{
	memset(a, 0, sizeof(*a));
	a->kernel.fd = -1;
	a->first_c = NAN;
	smart_reader_init(&a->smart);
	sweep_audit_forget(a);
}

void sweep_audit_open(struct sweep_audit *a, const struct root *root)
{
	if (a->what & SWEEP_AUDIT_KERNEL && a->kernel.fd < 0)
		(void)!collect_log_open(&a->kernel, root);
}

void sweep_audit_begin(struct sweep_audit *a, const struct root *root)
{
	sweep_audit_forget(a);
	if (a->what & SWEEP_AUDIT_TEMPERATURE)
		a->throttles = collect_throttles(root);
	collect_log_skip(&a->kernel);
}

void sweep_audit_close(struct sweep_audit *a)
{
	smart_reader_stop(&a->smart);
	collect_log_close(&a->kernel);
}

/* --- temperature --- */

void sweep_audit_frame(struct sweep_audit *a, double c)
{
	if (isnan(c))
		return;
	if (isnan(a->from_c))
		a->from_c = c;
	if (isnan(a->first_c))
		a->first_c = c;
	a->to_c = c;
}

bool sweep_audit_is_hot(const struct sweep_audit *a, double c)
{
	return a->what & SWEEP_AUDIT_TEMPERATURE && c - a->first_c > FAR_C;
}

static void disk_words(const struct sweep_audit *a, char *words, size_t size)
{
	snprintf(words, size, "%.0f C, then %.0f C", a->from_c, a->to_c);
	if (fabs(a->from_c - a->first_c) > FAR_C)
		text_add(words, size, "; the first run began at %.0f C",
			 a->first_c);
}

bool sweep_audit_temperature(struct sweep_audit *a, const struct root *root,
			     char *words, size_t size)
{
	char disk[96] = "", cpu[64] = "";
	int64_t now;

	if (!(a->what & SWEEP_AUDIT_TEMPERATURE))
		return false;
	now = a->throttles >= 0 ? collect_throttles(root) : -1;
	/* The counts of a processor that went offline are missing. */
	if (now >= a->throttles)
		a->throttled = now < 0 ? -1 : now - a->throttles;
	if (!isnan(a->from_c))
		disk_words(a, disk, sizeof(disk));
	if (a->throttled > 0)
		snprintf(cpu, sizeof(cpu),
			 "heat slowed the processors %lld time%s",
			 (long long)a->throttled,
			 a->throttled == 1 ? "" : "s");
	else if (!a->throttled)
		text_copy(cpu, sizeof(cpu), "no processor was slowed by heat");
	snprintf(words, size, "%s%s%s", disk, *disk && *cpu ? "; " : "", cpu);
	return *words;
}

/* --- counters of the disks --- */

static void sweep_audit_missing_words(const struct smart_disk *d, char *words,
				      size_t size)
{
	if (d->interface == SMART_NONE)
		text_copy(words, size, "has no health counters");
	else if (d->interface == SMART_SCSI)
		text_copy(words, size,
			  "is a SCSI disk, whose health pages are not supported");
	else if (d->error == EACCES || d->error == EPERM)
		text_copy(words, size, "gives its health counters to root only");
	else if (d->error == ETIMEDOUT)
		text_copy(words, size, "does not answer");
	else if (d->error == ESRCH)
		text_copy(words, size,
			  "was not asked: the process that asks it has ended");
	else if (d->error == EBADMSG)
		text_copy(words, size, "sent a page that is not valid");
	else
		snprintf(words, size, "gave no health counters: %s",
			 strerror(d->error));
}

/* "nvme0n1 50 C; vda has no health counters". */
static bool smart_words(const struct sweep_audit *a, unsigned when, char *words,
			size_t size)
{
	bool any = false;

	for (size_t i = 0; i < a->smart.n; i++)
		any |= a->smart.disk[i].has[when];
	text_copy(words, size, any ? "" : "not read: ");
	for (size_t i = 0; i < a->smart.n; i++) {
		const struct smart_disk *d = &a->smart.disk[i];
		double c = smart_temperature(&d->reading[when]);
		char state[120] = "", rose[200] = "";

		if (!d->has[when])
			sweep_audit_missing_words(d, state, sizeof(state));
		else if (!isnan(c))
			snprintf(state, sizeof(state), "%.0f C", c);
		if (d->has[0] && d->has[1] &&
		    !smart_compare(&d->reading[0], &d->reading[1], rose,
				   sizeof(rose)))
			text_set(rose, "no count of errors or heat rose");
		text_add(words, size, "%s%s%s%s%s%s", i ? "; " : "", d->name,
			 *state ? " " : "", state, *rose ? ", " : "", rose);
	}
	return any;
}

bool sweep_audit_smart_begin(struct sweep_audit *a, unsigned when, char *words,
			     size_t size)
{
	if (!(a->what & SWEEP_AUDIT_SMART) || !a->smart.n || a->no_smart)
		return false;
	if (smart_reader_ask(&a->smart, when))
		return true;
	(void)!smart_words(a, when, words, size);
	/* A disk that owes an answer may send it later. */
	a->no_smart = a->smart.socket < 0;
	return false;
}

int sweep_audit_smart_poll(struct sweep_audit *a, uint64_t waited_ns,
			   char *words, size_t size)
{
	bool late = waited_ns > ANSWER_S * (uint64_t)NS_PER_S;

	if (smart_reader_poll(&a->smart) && !late)
		return 1;
	if (a->smart.due)
		smart_reader_give_up(&a->smart);
	/* Disks that all refuse once refuse again. */
	a->no_smart = !smart_words(a, a->smart.when, words, size) &&
		      !a->smart.due;
	return 0;
}

static void smart_facts(const struct sweep_audit *a, struct checks *facts)
{
	facts->has_smart = facts->smart_errors = false;
	*facts->smart_words = '\0';
	for (size_t i = 0; i < a->smart.n; i++) {
		const struct smart_disk *d = &a->smart.disk[i];
		char rose[200] = "";

		if (!d->has[0] || !d->has[1])
			continue;
		facts->has_smart = true;
		facts->smart_errors |= smart_compare(&d->reading[0],
						     &d->reading[1], rose,
						     sizeof(rose)) ==
				       SMART_ERROR;
		if (*rose)
			text_join(facts->smart_words,
				  sizeof(facts->smart_words), "; ", "%s: %s",
				  d->name, rose);
	}
}

static void smart_put_json(const struct sweep_audit *a, struct json *result)
{
	static const char *const interfaces[] = { [SMART_NVME] = "nvme",
						  [SMART_ATA] = "ata" };
	static const char *const keys[] = { "before", "after" };
	struct json *list = json_new_array();

	for (size_t i = 0; i < a->smart.n; i++) {
		const struct smart_disk *d = &a->smart.disk[i];
		struct json *j;

		if (!d->has[0] && !d->has[1])
			continue;
		j = json_new_object();
		json_put_text(j, "id", d->name);
		json_put_text(j, "interface", interfaces[d->interface]);
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			if (d->has[k])
				json_put(j, keys[k],
					 smart_json(&d->reading[k]));
		json_push(list, j);
	}
	json_put_list(result, "smart", list);
}

/* --- extents --- */

/* The extents of an open file; false: its file system cannot list them. */
static bool map_file(int fd, struct sweep_extents *sum)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) +
			  MAPPED * sizeof(struct fiemap_extent)];
	} u;
	struct sweep_extents here = { .files = 1 };
	uint64_t from = 0;
	bool last = false;

	while (!last) {
		memset(&u.map, 0, sizeof(u.map));
		u.map.fm_start = from;
		u.map.fm_length = FIEMAP_MAX_OFFSET - from;
		u.map.fm_extent_count = MAPPED;
		if (ioctl(fd, FS_IOC_FIEMAP, &u.map) < 0)
			return false;
		last = !u.map.fm_mapped_extents;
		for (unsigned i = 0; i < u.map.fm_mapped_extents; i++) {
			const struct fiemap_extent *e = &u.map.fm_extents[i];

			here.extents++;
			here.bytes += e->fe_length;
			if (e->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
				here.unwritten_bytes += e->fe_length;
			from = e->fe_logical + e->fe_length;
			last |= e->fe_flags & FIEMAP_EXTENT_LAST;
		}
	}
	sum->files += here.files;
	sum->extents += here.extents;
	sum->bytes += here.bytes;
	sum->unwritten_bytes += here.unwritten_bytes;
	return true;
}

/* Add a regular file; follow no link, and do not wait for a pipe. */
static void sweep_audit_add_file(struct sweep_audit *a, int folder,
				 const char *name)
{
	int fd = openat(folder, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (a->extents.files < MOST_FILES && fstat(fd, &st) == 0 &&
	    S_ISREG(st.st_mode) && st.st_size > 0)
		a->has_extents |= map_file(fd, &a->extents);
	close(fd);
}

static void add_folder(struct sweep_audit *a, int above, const char *name,
		       unsigned depth)
{
	DIR *d = descriptor_entries(
		openat(above, name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	struct dirent *e;

	while (d && (e = readdir(d)) && a->extents.files < MOST_FILES) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (e->d_type != DT_DIR)
			sweep_audit_add_file(a, dirfd(d), e->d_name);
		else if (depth < MOST_FOLDERS)
			add_folder(a, dirfd(d), e->d_name, depth + 1);
	}
	if (d)
		closedir(d);
}

/* The files that a job names, separated by colons. */
static void sweep_audit_add_job(struct sweep_audit *a, const struct job *job)
{
	char *names, *rest, *name;

	if (!job->filename)
		return;
	names = rest = xstrdup(job->filename);
	while ((name = strsep(&rest, ":"))) {
		char *path = *name != '/' && job->directory
				     ? xasprintf("%s/%s", job->directory, name)
				     : xstrdup(name);

		sweep_audit_add_file(a, AT_FDCWD, path);
		free(path);
	}
	free(names);
}

bool sweep_audit_extents(struct sweep_audit *a, const char *folder,
			 const struct job *job, size_t n_jobs, char *words,
			 size_t size)
{
	if (!(a->what & SWEEP_AUDIT_EXTENTS))
		return false;
	if (*folder)
		add_folder(a, AT_FDCWD, folder, 0);
	for (size_t i = 0; !*folder && i < n_jobs; i++)
		sweep_audit_add_job(a, &job[i]);
	if (!a->has_extents)
		return false;
	snprintf(words, size, "%u file%s, %llu extents, %s, %s unwritten",
		 a->extents.files, a->extents.files == 1 ? "" : "s",
		 (unsigned long long)a->extents.extents,
		 units_bytes((double)a->extents.bytes).text,
		 units_bytes((double)a->extents.unwritten_bytes).text);
	return true;
}

/* --- kernel log --- */

bool sweep_audit_kernel(struct sweep_audit *a, const char *device, char *words,
			size_t size)
{
	char text[sizeof(a->message)];

	if (a->kernel.fd < 0)
		return false;
	while (collect_log_next(&a->kernel, text, sizeof(text))) {
		enum kernel_log_sign sign = collect_log_judge(text, device);

		if (sign == KERNEL_LOG_NOTHING)
			continue;
		if (!a->messages ||
		    (sign == KERNEL_LOG_DEVICE && !a->of_device))
			text_copy(a->message, sizeof(a->message), text);
		a->messages++;
		a->of_device += sign == KERNEL_LOG_DEVICE;
	}
	if (a->messages)
		snprintf(words, size, "%u%s: %.100s", a->messages,
			 a->of_device ? "" : ", perhaps of another device",
			 a->message);
	else
		text_copy(words, size, "no failure");
	return true;
}

void sweep_audit_facts(const struct sweep_audit *a, struct checks *facts)
{
	facts->has_kernel_log = a->kernel.fd >= 0;
	facts->kernel_messages = a->messages;
	facts->kernel_of_device = a->of_device;
	text_copy(facts->kernel_words, sizeof(facts->kernel_words), a->message);
	facts->has_throttled = a->throttled >= 0;
	facts->throttled = a->throttled > 0 ? (double)a->throttled : 0;
	smart_facts(a, facts);
}

void sweep_audit_put_json(const struct sweep_audit *a, struct json *result)
{
	struct json *j;

	if (a->has_extents) {
		j = json_new_object();
		json_put_number(j, "files", a->extents.files);
		json_put_number(j, "extents", (double)a->extents.extents);
		json_put_number(j, "bytes", (double)a->extents.bytes);
		json_put_number(j, "unwritten_bytes",
				(double)a->extents.unwritten_bytes);
		json_put(result, "extents", j);
	}
	if (a->what & SWEEP_AUDIT_TEMPERATURE &&
	    (!isnan(a->from_c) || a->throttled >= 0)) {
		j = json_new_object();
		json_put_number(j, "from_c", a->from_c);
		json_put_number(j, "to_c", a->to_c);
		if (a->throttled >= 0)
			json_put_number(j, "cpu_throttled",
					(double)a->throttled);
		json_put(result, "temperature", j);
	}
	smart_put_json(a, result);
	if (a->kernel.fd >= 0) {
		j = json_new_object();
		json_put_number(j, "messages", a->messages);
		json_put_number(j, "of_device", a->of_device);
		if (a->messages)
			json_put_text(j, "text", a->message);
		json_put(result, "kernel_log", j);
	}
}
