/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target: a file or block device that jobs use. Jobs and clones that name the
 * same file or device, by any path, share one target; each clone opens its own
 * descriptor.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/random.h"
#include "base/root.h"
#include "model/job/job.h"

/* Layout: give a reader's file real data, so that its reads reach the disk. */

struct target;
struct worker;

/*
 * Write the parts without data of the file between layout_from and need_bytes,
 * and sync the file. Fails and stops through the worker; counts in its
 * layout_bytes.
 */
void layout_write(struct worker *w, const struct target *t);

/*
 * Find the part of an open file without data: set layout_from, or of a file
 * that is only read has_hole, hole_at and hole_bytes.
 */
void layout_plan(struct target *t);

/* End the worker's turn of writing, if the worker has the turn. */
void layout_leave(struct worker *w);

/*
 * Write incompressible data to a file from that offset to the end. Returns the
 * end; less: what errno says, or 0: the worker was stopped. w may be NULL, else
 * the bytes count in its layout_bytes.
 */
uint64_t layout_data(int fd, uint64_t at, uint64_t end, struct random *random,
		     struct worker *w);

/* Fill with incompressible data. */
void layout_fill(struct random *r, void *buf, size_t bytes);

/*
 * Mark: the extended attribute user.iodyno of a file that iodyno made. It
 * records the state that the last run left, so that a later run can tell
 * whether the file has changed.
 *
 * The value is one of
 *   "running"                       a run writes the file, or was killed
 *   "left INODE SIZE MTIME WHEN"    the last run ended; times in ns
 *
 * The attribute describes one inode at one moment. A copy of the file does not
 * match, as its inode number differs. A change of the contents changes MTIME. A
 * program that sets MTIME back changes the ctime; no program can set the ctime,
 * and it must be close to WHEN, the time at which the attribute was written.
 * The value has no st_dev: the numbers of btrfs, NFS and device mapper change
 * with a reboot. On a file system without such attributes each further run asks
 * for --overwrite.
 */

/* The name of the attribute (getfattr -n user.iodyno FILE). */
#define MARK_XATTR "user.iodyno"

enum mark_state {
	MARK_NONE,    /* iodyno did not make the file */
	MARK_EXACT,   /* the file is what the last run left */
	MARK_CHANGED, /* it was changed since, or the mark was copied */
	MARK_RUNNING, /* a run writes it, or was killed while it did */
};

/* The state of the file at path, or of a descriptor; st is of that file. */
enum mark_state layout_mark_of_path(const char *path, const struct stat *st);
enum mark_state layout_mark_of_fd(int fd, const struct stat *st);

/* Record that a run writes the file. 0 or -errno. */
int layout_mark_running(int fd) must_check;
/*
 * Record the present state of the file as the state that this run left; call it
 * after the last write. If that fails, the mark stays "running".
 */
void layout_mark_left(int fd);

struct target {
	char *path;            /* as the first job names it */
	const struct job *job; /* that job, for sentences */
	bool null;             /* the engine touches no data */
	bool foreign;          /* only job files, plans and logs name it */
	bool exists, is_device;
	bool made;            /* created for this run */
	enum mark_state mark; /* of a file: whether it is as iodyno left it */
	bool marked;          /* its mark says that this run writes it */
	bool may_write;       /* the guard allows it */
	bool reads, writes;   /* jobs read it, write it */
	bool unlink;          /* a job wants it removed at the end */
	bool renews;          /* unlink_each_loop: a worker makes it anew */
	bool fill;            /* written until there is no space */
	bool overwrite;       /* laid out for writers as well */
	bool bare;            /* a kind of work writes its data */
	bool is_directory; /* the job makes files in it; see directory_add() */
	char *own;            /* the path of the directory made in it, or NULL
			       */
	unsigned left_removed; /* directories of killed runs, removed beside it
			        */
	dev_t dev, rdev;      /* st_dev, and st_rdev of a device */
	ino_t ino;
	uint64_t size_bytes;    /* at present */
	uint64_t present_bytes; /* of a file: allocated */
	uint64_t need_bytes;    /* the end of the part that jobs use */
	uint64_t layout_from; /* a reader needs data up to here; else
			         need_bytes */
	bool layout_taken;    /* by a worker */
	bool has_hole;        /* the file is read and may not be filled ... */
	uint64_t hole_at;     /* ... from here on */
	const void *counted_by; /* the clones that counted the target last ...
				 */
	uint64_t counted_at;    /* ... and the start of the part */
	uint64_t hole_bytes;  /* bytes of holes in the part that jobs use */
	uint64_t verify_bytes;     /* of an interval; 0: not verified */
	bool verify_flushes;       /* its map knows the flushes */
	struct verify_map *verify; /* NULL: none; shared */
	int fd;                    /* of a file; -1 */
	int other_pid; /* of another iodyno that writes the file; 0 */
	char open_path[ROOT_FD_PATH]; /* where clones open a file without a
					 name, or "" */
	int guard_fd, lock_fd;        /* keep others off a device; -1 */
	uint64_t claim; /* of the opener on the device; 0: none */
	pid_t user;     /* the process whose open files do not count; 0: this
			 * one */
	const struct opener *opener;  /* opens it if it is a device */
};

struct targets {
	struct target **item;
	size_t n, cap;
	const struct opener *opener; /* root's, borrowed; NULL: none */
};

/*
 * open(2) of a target, through the opener if it is a device: a descriptor, or
 * -1 with errno.
 */
int target_open_as(const struct target *t, int flags);

/* Give up the claim on a device. */
void target_release(struct target *t);

/*
 * Find or add the target of that path, and examine its kind, size and mark.
 * null: nothing is opened, so the path need not exist. 0 or -errno with a
 * sentence.
 */
int targets_add(struct targets *ts, const struct job *job, const char *path,
		bool null, struct target **out) must_check;

/* 0, or -ENOSPC with a sentence: the files to be made do not fit. */
int targets_check_space(const struct targets *ts) must_check;

/*
 * Open or create the file of a target that the guard has passed, and find the
 * part that needs a layout. 0 or -errno with a sentence.
 */
int target_open(struct target *t) must_check;

/*
 * The process that holds a flock(2) lock on the file with that inode; 0:
 * unknown.
 */
int target_lock_owner(ino_t inode);

/* 0, or -EBUSY with a sentence: another run writes this file. */
int target_check_unused(struct target *t) must_check;

/* Whether a reader finds parts of the file missing. */
static inline bool target_needs_layout(const struct target *t)
{
	return t->layout_from < t->need_bytes;
}

/* Whether the file exists, is only read and is large enough as it is. */
static inline bool target_is_whole(const struct target *t)
{
	return t->exists && !t->writes && !t->unlink &&
	       t->size_bytes >= t->need_bytes;
}

/*
 * Whether the run changes the target: writes, makes, extends or removes it. A
 * file that is whole and only read stays as it is, holes and all.
 */
static inline bool target_will_change(const struct target *t)
{
	if (t->null)
		return false;
	return t->is_device ? t->writes : !target_is_whole(t);
}

/* A clone's own descriptor, or -errno with a sentence. */
int target_open_clone(const struct target *t, const struct job *job) must_check;

/* Whether its path is a symbolic link. */
bool target_is_link(const struct target *t);
/* Whether its file belongs to a user whose files this process cannot make. */
bool target_is_of_another(const struct target *t);

/*
 * Remove the file and make an empty one of the same mode and owner. The target's
 * descriptor and fd, which is target_open_clone()'s, then are of the new one. 0,
 * or -errno with a sentence.
 */
int target_renew(struct target *t, const struct job *job, int fd) must_check;

/*
 * Close and free all targets. With undo, remove the files that the run made;
 * else remove the files of jobs with unlink=1.
 */
void targets_free(struct targets *ts, bool undo);

/*
 * The whole disk that is the target or holds its file system ("sda"); buffered
 * reads use its readahead. False: there is none, as for btrfs, NFS or tmpfs.
 */
bool target_disk(const struct root *root, const struct target *t, char *name,
		 size_t size);
/*
 * The whole disks that hold the target, blank-separated: those of all members
 * of a btrfs. "" when there are none, as for NFS or tmpfs, or when they do not
 * fit. Opens the file where its file system has a number that is not a device.
 */
void target_disks(const struct root *root, const struct target *t, char *names,
		  size_t size);

/*
 * The kind of path in words: "block device, 64.0MiB" or "ext4 on /dev/sda2";
 * "file" if the kind is unknown.
 */
void target_words(const struct root *root, const char *path, char *buf,
		  size_t size);

/*
 * The logical block size, in bytes, of the device below the target; 512:
 * unknown.
 */
unsigned target_logical_block(const struct root *root, const struct target *t);

/*
 * The n paths of clone jobnum of a job: the filename list, or names by
 * filename_format. The caller frees each path and the list.
 */
char **target_paths(const struct job *job, unsigned jobnum, size_t *n);

/*
 * The files below opendir, sorted, that hold a block at least: an array and its
 * texts to be freed, NULL when there is none (found.c).
 */
char **target_found(const struct job *job, size_t *n);

/* The directory of clone jobnum from the job's list; the caller frees it. */
char *target_directory(const struct job *job, unsigned jobnum);

/*
 * Directory: the target of kinds of work that make many files. The run makes a
 * new directory with a unique name, which only its user can access, below the
 * directory that the job names, and removes it at the end. The job makes,
 * writes and removes files only inside it, so older files are safe.
 */

/*
 * In plan: find or add the directory of that job below parent; clones that name
 * the same parent share it. bytes: the greatest size of this clone's files
 * together, for the check of free space. 0 or -errno with a sentence.
 */
int directory_add(struct targets *ts, const struct job *job, const char *parent,
		  uint64_t bytes, struct target **out) must_check;

/*
 * Make the directory and set own (its path) and fd. Before that, remove the
 * directories that killed runs of this user left beside it; left_removed counts
 * them. A file in each directory identifies the directory, so that a copy does
 * not match, and names the boot and machine of the run, because locks of other
 * machines may be invisible. A run locks its directory as long as it lives. 0
 * or -errno with a sentence.
 */
int directory_make(struct target *t) must_check;

/*
 * Open the directory that mkdtemp(3) has just made at path. -1 with errno;
 * ESTALE: another directory replaced it. Only the owner of the parent directory
 * can do that, so its files are not ours.
 */
int directory_open_new(const char *path);

/*
 * Lock the open directory that this run has made, and write a file into it that
 * identifies the directory, the boot and the machine of this run. 0 or -errno.
 */
int directory_mark(int fd) must_check;

/*
 * Whether a killed run of this user left the open directory: the directory is
 * not a copy, its run belonged to this machine, in this or an earlier boot, and
 * no living run holds its lock. If true, this process holds the lock. The
 * directory of another machine is never left: only that machine knows whether
 * the run lives.
 */
bool directory_is_left(int fd);

/* A descriptor of the directory for a clone, or -errno with a sentence. */
int directory_open(const struct target *t) must_check;

/*
 * Remove the contents of the open directory fd, and then the directory if path
 * (relative to the directory parent, or AT_FDCWD) still names it. Symbolic
 * links are not followed; mounts below it, bind mounts included, are not
 * touched. true: the directory is gone.
 */
bool directory_remove_at(int parent, const char *path, int fd);

/* The same for the directory that directory_make() made. */
void directory_remove(struct target *t);

/*
 * Scratch: a temporary target for "iodyno run" without a target: a loop device
 * with direct I/O (as root) or a file. Both disappear with the process, however
 * it ends: the backing file is unlinked at once, and the kernel detaches the
 * loop device when its last user closes it.
 */

struct scratch {
	char path[256];  /* "/dev/loop3", or "/proc/self/fd/7" */
	char device[32]; /* "loop3"; "" for a file */
	bool is_device;
	int fd; /* keeps the device or file alive */
};

/*
 * Make a target of size_bytes in dir (NULL: TMPDIR or /var/tmp) and fill it
 * with real data, which takes some seconds per GiB. Without a loop device (no
 * root, no driver) the target is a file. 0, or -errno with a sentence; -ENOSPC:
 * dir has less than twice the size free.
 */
int scratch_make(struct scratch *s, const char *dir,
		 uint64_t size_bytes) must_check;
/*
 * Make a file without a name in dir, which disappears in the same way. It has
 * first_bytes of real data; the caller fills the rest. 0, or -errno with a
 * sentence; -ENOSPC: dir has less than free_bytes free.
 */
int scratch_make_file(struct scratch *s, const char *dir, uint64_t first_bytes,
		      uint64_t free_bytes) must_check;
void scratch_remove(struct scratch *s);

/*
 * Whether the file system of a file, which need not exist, refuses direct I/O.
 * Writes nothing that stays.
 */
bool scratch_refuses_direct(const char *path);
