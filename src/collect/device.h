/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Device: the facts kept of a block device between two ticks. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/root.h"
#include "block/mounts.h"
#include "block/simulated.h"
#include "block/sysfs.h"
#include "collect/collector.h"
#include "collect/file_space.h"
#include "model/schema/schema_machine.h"

#define DEVICE_BUCKETS 1024
#define DEVICE_EXT4_FOLDER "sys/fs/ext4"

/* The file system that holds the file behind a loop device. */
struct device_backing {
	unsigned major, minor; /* 0:0 unknown */
	char name[ROW_ID_MAX]; /* of its device as mounted; "" unknown */
};

/* Files of a device that are read again and again, and stay open. */
enum device_file {
	DEVICE_INFLIGHT, /* at each tick while it is busy */
	DEVICE_DISKSEQ,
	DEVICE_RO,
	DEVICE_IOSTATS,	 /* whether it counts at all */
	DEVICE_REQUESTS, /* errors of the SCSI layer */
	DEVICE_EXT4,	 /* errors of the file system on it */
	DEVICE_FILES
};

/* Errors that the kernel counts; see device_health(). */
struct device_health {
	bool met;		/* it was looked at */
	uint64_t looked_ns;	/* the last time */
	bool no_requests;	/* the kernel does not count failed ones */
	bool was_writable;	/* at the first look */
	bool turned_read_only;	/* and no longer is */
	/* As the kernel counts; -1 unknown. A file system that was mounted
	 * later brings the errors of its earlier mounts. */
	long long request_errors, ext4_errors;
	uint64_t new_errors;	/* since the first look, forgotten after
				   DEVICE_ERRORS_NS without another */
	uint64_t error_ns;	/* the last one */
	size_t most_members;
	unsigned missing; /* members or paths that are gone */
};

#define DEVICE_ERRORS_NS 60000000000ull

/* Temperatures of a disk in degrees Celsius; NaN: not known. */
struct device_heat {
	double now_c, max_c, crit_c;
	uint64_t read_ns; /* monotonic; 0: never */
};

#define DEVICE_HEAT_NONE \
	((struct device_heat){ .now_c = NAN, .max_c = NAN, .crit_c = NAN })

struct device_thermometer;

struct device {
	char name[ROW_ID_MAX]; /* the kernel's: "cciss/c0d0" */
	unsigned major, minor;
	/* diskseq; where there is none, the device number. A partition has
	 * that of its disk. */
	uint64_t generation;

	/* Facts of sysfs: read when it is first seen or was replaced. */
	char dir[2 * ROW_ID_MAX + 16]; /* of sysfs, below the root; "" if none */
	char kind[12];
	char disk[ROW_ID_MAX]; /* of a partition; the head of an nvme-path */
	struct sysfs_name *member; /* from slaves/, sorted */
	size_t n_members;
	struct device_backing backing;
	const struct simulated *simulated; /* owned; NULL: a real one */
	bool has_diskseq, has_inflight;
	bool stats_off;
	struct device_health health;
	struct device_heat heat;
	bool has_hwmon;
	uint64_t asked_ns; /* when its temperature was asked for; 0: never */
	uint64_t asked_at; /* completed at that time */
	uint64_t busy_ns; /* when it was last asked after I/O; 0: never */
	struct kept file[DEVICE_FILES]; /* see device_read() */

	/* The last tick. */
	uint64_t seen; /* its number */
	uint64_t completed, sampled_ns, stall_ns;
	bool active; /* something completed in the last interval */

	/* Selection and place. */
	bool used;         /* ever did anything */
	bool shown;        /* has a row, and keeps it */
	bool named;        /* the operator named it */
	bool above, below; /* it is built on a named device; a named device
			      is built on it */
	bool counted;
	struct device *owner;  /* of disk above */
	struct device *holder; /* a device that is built on this one */
	unsigned n_holders;
	unsigned n_paths; /* of an NVMe head */
	struct device *tree_parent;
	char parent[32];
	char members[ROW_NAMES_MAX];
	char member_of[40]; /* "btrfs:LABEL" or "", see block/mounts.h */

	/* Its mount, see device_mounts(). */
	char mount_point[128], file_system[24];
	bool fs_was_writable; /* since it was mounted */
	bool fs_read_only;
	char fs_point[128]; /* the same as the kernel has it; "": a swap area, or
			     * none */

	struct device *next; /* of the same hash */
};

/* All devices, in the order of /proc/diskstats. */
struct device_set {
	struct kept_files *files;
	struct device **device;
	size_t n, cap;
	unsigned trees; /* device_tree_build() so far */
	struct device *bucket[DEVICE_BUCKETS];
	struct mounts *mounts; /* read when a loop device is met; NULL then */
	struct mounts_watch watch;
	struct file_space *space; /* NULL: a captured tree */
	/* The operator's choice: none means all. */
	struct sysfs_name *name;
	size_t n_names;
	bool all; /* unused ones too */
	struct device_thermometer *thermometer; /* NULL until a disk has one */
	struct sysfs_name *ext4; /* devices with a mounted ext4, sorted */
	size_t n_ext4;
};

/* device_set.c */
struct device *device_find(const struct device_set *set, const char *name,
			   size_t length);
struct device *device_find_number(const struct device_set *set, unsigned major,
				  unsigned minor);
/* Add a new device to the table of names; it has no place in order yet. */
struct device *device_new(struct device_set *set, const char *name,
			  size_t length);
/* Take a device out of the table of names and free it. */
void device_drop(struct device_set *set, struct device *d);
/* Forget the mounts, which the next loop device reads anew. */
void device_set_unmount(struct device_set *set);
void device_set_free(struct device_set *set);
bool device_is(const struct device *d, const char *kind);
/* Read a file of the device, as root_kept_read() does. */
ssize_t device_read(const struct device_set *set, struct device *d,
		    enum device_file which, char *buf, size_t size);
/* Mark the files as not open; close those that are open. */
void device_files_init(struct device *d);
void device_files_close(const struct device_set *set, struct device *d);

/* Read all facts anew; the generation too. */
void device_facts(struct device_set *set, struct device *d);
/* Read members and stats_off again; true when a member came or went. */
bool device_refresh(const struct device_set *set, struct device *d);
/* Read queue/iostats anew. */
void device_read_stats_off(const struct device_set *set, struct device *d);
/* Read the generation; the same as before where there is none. */
uint64_t device_generation(const struct device_set *set, struct device *d);

/*
 * device_health.c: see which devices have an ext4; look for errors and missing
 * members of one.
 */
void device_health_begin(struct device_set *set);
void device_health(const struct device_set *set, struct device *d,
		   uint64_t now_ns);

/*
 * device_health.c: take a reading that has come, and ask for another one
 * when it is time to. Does not wait for the disk.
 */
void device_temperature(struct device_set *set, struct device *d,
			uint64_t now_ns);
/* Never waits: a thread that a disk holds is left behind. */
void device_temperature_close(struct device_set *set);

/*
 * Bring mount points and types of file systems up to date, where the lists of
 * mounts and of swap areas changed. The kernel reports a mount and an unmount,
 * but not a file system that turns read-only by itself: look reads the lists in
 * any case. renew: the devices changed, so all are assigned anew. Whether they
 * were.
 */
bool device_mounts(struct device_set *set, bool look, bool renew);

/* Set member_of of all devices anew, from mounted btrfs. */
void device_btrfs(struct device_set *set);
/* Find the stack of each device again, after devices or members changed. */
void device_tree_build(struct device_set *set);
/* Parent and counted among the devices that are shown. */
void device_tree_show(struct device_set *set);

/* The names of the options become kernel names. 0, or -errno with a sentence. */
int device_select(struct device_set *set, char **names, size_t n) must_check;
/*
 * Mark the named devices, those built on them, and those that they are built
 * on.
 */
void device_mark(struct device_set *set);

/*
 * Diskstats: the parser of /proc/diskstats.
 *
 * A line is "major minor name" and then 11 values (before Linux 4.18), 15
 * (with discards), 17 (5.5, with flushes) or more that a later kernel may add
 * and that are counted but not read (Documentation/admin-guide/iostats.rst).
 */

#define DISKSTATS_VALUES 17

/* name is not ended with NUL and lives in the text that was parsed. */
struct diskstats_line {
	unsigned major, minor;
	const char *text; /* the whole line, as the name in the caller's buffer */
	size_t length;	  /* its end included */
	const char *name;
	size_t name_length; /* 1 to ROW_ID_MAX - 1; longer ones are cut */
	unsigned columns;   /* values after the name */
	uint64_t value[DISKSTATS_VALUES];
};

/*
 * Parse the line at *p, or the first good one after it, before end. Returns
 * false when there is none left. Lines that are no statistics (junk, fewer
 * than 11 values, a last one that was cut) are passed over.
 */
bool diskstats_next(const char **p, const char *end,
		    struct diskstats_line *line);

/* Put the values of a line into a raw row. */
void diskstats_fill(const struct diskstats_line *line, struct device_raw *raw);
