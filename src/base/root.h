/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Root: every file under /proc, /sys and /run is read and written through a
 * root, so that a captured tree serves as well as the live machine.
 *
 * A captured tree is untrusted: a path below it never leads out of it. Its
 * symbolic links are resolved as if the tree were "/", links of the kind of
 * /proc/PID/cwd are refused. On kernels without openat2(2) (before 5.6) a path
 * through any link of a captured tree is refused.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

/* A directory that a narrowed root can still open. */
struct root_part {
	const char *path; /* relative to the root */
	int fd;
};

#define ROOT_PARTS_MAX 4

struct opener;

/*
 * fd: the directory, -1 once narrowed; live: it is the machine's own "/".
 * user_run: the user's own runtime directory ($XDG_RUNTIME_DIR), -1: none.
 * opener: opens block devices for a process that lacks the rights
 * (workload/target/guard.h), borrowed; NULL: the process opens them itself.
 */
struct root {
	int fd, user_run;
	bool live;
	char *path;
	const struct opener *opener;
	struct root_part part[ROOT_PARTS_MAX];
	size_t n_parts;
};

/* Open a root; dir NULL means "/". 0, or -errno with a sentence. */
int root_open(struct root *r, const char *dir) must_check;
void root_close(struct root *r);

/*
 * Give up the directory itself: from now on only paths below the n (at most
 * ROOT_PARTS_MAX) given ones can be opened, and they lead nowhere else. A
 * directory that is absent is left out. path must outlive the root.
 */
void root_narrow(struct root *r, const char *const *path, size_t n);

/*
 * Read a whole small file into buf, ended with NUL. path is relative:
 * "proc/...". Returns its length (cut at size - 1), or -errno without a
 * sentence: absent kernel data is not an error.
 */
ssize_t root_read(const struct root *r, const char *path, char *buf,
		  size_t size);

/* The same for a file of one line: blanks at both ends are cut off. */
ssize_t root_read_line(const struct root *r, const char *path, char *buf,
		       size_t size);

/* Read one number; false when the file or the number is absent. */
bool root_read_number(const struct root *r, const char *path, long long *out);

/* Open one file (flags as in open(2), O_CLOEXEC added); fd or -errno. */
int root_open_file(const struct root *r, const char *path, int flags);

/* Open a directory to list; NULL with errno. The caller closes it. */
DIR *root_open_dir(const struct root *r, const char *path);

/*
 * The last part of a symbolic link's target ("sda"); false if there is no link.
 */
bool root_link_name(const struct root *r, const char *path, char *buf,
		    size_t size);

bool root_exists(const struct root *r, const char *path);

/*
 * The folder ("sys/fs/cgroup/...") of the control group of a process (0: of
 * this one) that has a controller ("memory", "cpu"), or of the group so many levels above it,
 * of version 2 or 1. It may not exist in a container. false: there is none.
 */
bool root_control_group(const struct root *r, pid_t pid, const char *controller,
			unsigned up, char *path, size_t size);

/*
 * The least memory limit of the control group of this process and of those
 * above it, in bytes; 0: none.
 */
long long root_memory_limit(const struct root *r);

/* The folder at which cgroup v2 is mounted; false: it is not. */
bool root_cgroup2(const struct root *r, char *path, size_t size) must_check;

/* The random id of this boot of the machine; "" where it is absent. */
void root_boot_id(const struct root *r, char *buf, size_t size);
/*
 * The identity of the machine, which stays from boot to boot: etc/machine-id
 * and, because copies of a virtual machine may share that, the name of this
 * host, as "ID.NAME". "" without a machine-id.
 */
void root_host_id(const struct root *r, char *buf, size_t size);

#define ROOT_FD_PATH 32

/*
 * The path through which this process opens the file of a descriptor again,
 * with other flags. Returns buf.
 */
char *root_fd_path(char buf[ROOT_FD_PATH], int fd);

/* Where root drops the page cache: 3 is pages, dentries and inodes. */
#define ROOT_DROP_CACHES "proc/sys/vm/drop_caches"

/* Check that the effective user can write a file: 0 or -errno. */
int root_can_write(const struct root *r, const char *path);

/* Make a directory whose parent exists: 0 or -errno (-EEXIST too). */
int root_make_dir(const struct root *r, const char *path, mode_t mode);

/*
 * True for an error of opening or reading that says nothing about the file: no
 * descriptor left, no memory, a call that was interrupted.
 */
bool root_error_passes(int error);

/*
 * Re-read from its start a file that is kept open, ended with NUL. Returns its
 * length or -errno.
 */
ssize_t root_reread(int fd, char *buf, size_t size);

/*
 * Kept: kernel files that are opened once and read again at every tick, as far
 * as the limit on descriptors allows.
 *
 * Only files of a real procfs or sysfs are kept open: each read gives their
 * present state, or an error once their object is gone. Files of a captured
 * tree may be replaced by others, so they are opened each time.
 */

/* The state that all kept files share. */
struct kept_files {
	const struct root *root;
	bool live_proc, live_sys;
	unsigned open, limit; /* descriptors */
};

/*
 * Raise the soft limit on descriptors to the hard one, and plan to keep at
 * most half of those above 64, and no more than 1024: each costs the kernel
 * some KiB. The others are for jobs, logs, timers and the screen.
 */
void root_kept_init(struct kept_files *f, const struct root *root);

/* One file; start with KEPT_NONE. */
struct kept {
	int fd; /* -1: not open */
};

#define KEPT_NONE ((struct kept){ -1 })

/* Read a file that is open, as root_reread() does; -EBADF when it is not. */
ssize_t root_kept_again(const struct kept *k, char *buf, size_t size);

/* Open a file, read it, and keep it open if there is room. */
ssize_t root_kept_first(struct kept_files *f, struct kept *k, const char *path,
			char *buf, size_t size);

/* root_kept_again(), and where that fails, root_kept_first(). */
ssize_t root_kept_read(struct kept_files *f, struct kept *k, const char *path,
		       char *buf, size_t size);

void root_kept_close(struct kept_files *f, struct kept *k);

/* A file of any length with its buffer. Zeroed but for path and file. */
struct kept_text {
	const char *path;
	struct kept file;
	char *buf;
	size_t size;
};

/* GCC 10 misreads KEPT_NONE within another initializer. */
#define KEPT_TEXT(name) \
	((struct kept_text){ .path = (name), .file = { .fd = -1 } })

/* Read all of it (64 MiB at most), ended with NUL. Its length or -errno. */
ssize_t root_kept_text_read(struct kept_files *f, struct kept_text *t);
void root_kept_text_close(struct kept_files *f, struct kept_text *t);
