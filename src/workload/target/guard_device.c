/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guard of devices: mounts, swaps, holders, signatures, exclusive opening.
 *
 * libblkid finds intact signatures. This code also finds damaged superblocks,
 * their backups, and a partition table of which only the copy at the end is
 * left, because such a disk may still be rescued.
 */
#include "base/clock.h"
#include "workload/target/guard.h"

#include <blkid/blkid.h>
#include <dirent.h>
#include <endian.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "block/mounts.h"
#include "block/tree.h"

/*
 * Add a finding to the words of a reason; "..." stands for findings that do not
 * fit.
 */
static void printf_like(3, 4)
	guard_device_say(struct guard_findings *f, enum guard_reason_id id,
			 const char *fmt, ...)
{
	char *words = f->words[id], text[160];
	size_t n = strlen(words), size = sizeof(f->words[id]);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (strstr(words, text))
		return;
	if (n + strlen(text) + sizeof(", ...") < size)
		text_join(words, size, ", ", "%s", text);
	else if (!text_ends(words, ", ..."))
		text_add(words, size, ", ...");
}

/* The subsystems of the NVMe target in configfs. */
#define NVMET "sys/kernel/config/nvmet/subsystems"

/* The device number of a node, 0 when it is none. */
static dev_t node_dev(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	return st.st_rdev;
}

/* Set up a probe for superblocks and partition tables; NULL when it cannot. */
static blkid_probe new_probe(int fd)
{
	blkid_probe pr = blkid_new_probe();

	if (!pr)
		return NULL;
	if (blkid_probe_set_device(pr, fd, 0, 0)) {
		blkid_free_probe(pr);
		return NULL;
	}
	blkid_probe_enable_superblocks(pr, 1);
	/* A superblock with a wrong checksum counts, as in wipefs(8). */
	blkid_probe_set_superblocks_flags(
		pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID |
			    BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(pr, 1);
	return pr;
}

static const char *guard_device_value_of(blkid_probe pr, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(pr, name, &value, NULL) ? NULL : value;
}

/*
 * Copies of superblocks. at: the offset of the superblock, from the end if
 * negative; magic_at: the offset of the magic in the superblock.
 */
/* clang-format off */
static const struct copy {
	const char *what;
	int64_t at;
	unsigned magic_at;
	const char *magic;
} copies[] = {
	/* fs/btrfs/disk-io.h: 64 KiB, 64 MiB, 256 GiB */
	{ "the btrfs superblock", 64ll << 10, 64, "_BHRfS_M" },
	{ "a btrfs superblock copy", 64ll << 20, 64, "_BHRfS_M" },
	{ "a btrfs superblock copy", 256ll << 30, 64, "_BHRfS_M" },
	/* UEFI: the header in the last block of 512 or 4096 bytes */
	{ "a backup of a GPT", -512, 0, "EFI PART" },
	{ "a backup of a GPT", -4096, 0, "EFI PART" },
	/* the copy of the boot sector: last, 6th and 12th sector */
	{ "a backup of an NTFS boot sector", -512, 3, "NTFS    " },
	{ "a backup of a FAT boot sector", 6 * 512, 82, "FAT32   " },
	{ "a backup of an exFAT boot sector", 12 * 512, 3, "EXFAT   " },
	/* the second of F2FS's superblocks, at block 1 */
	{ "an F2FS superblock copy", 4096, 1024, "\x10\x20\xf5\xf2" },
};
/* clang-format on */

static bool has_at(int fd, uint64_t at, const char *magic)
{
	char got[16];
	size_t n = strlen(magic);

	return pread(fd, got, n, (off_t)at) == (ssize_t)n &&
	       !memcmp(got, magic, n);
}

static const char *find_copy(int fd, uint64_t end)
{
	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		const struct copy *c = &copies[i];
		uint64_t at =
			c->at < 0 ? end - (uint64_t)-c->at : (uint64_t)c->at;

		if (at < end && has_at(fd, at + c->magic_at, c->magic))
			return c->what;
	}
	return NULL;
}

/*
 * The backup of ext2, ext3 and ext4 in block group 1, which begins after eight
 * blocks' worth of bits (fs/ext4/ext4.h, struct ext4_super_block). The magic
 * has only two bytes, so the block size and the group number must match as
 * well.
 */
static bool has_ext_backup(int fd)
{
	for (unsigned log = 0; log < 7; log++) {
		uint64_t block = 1024ull << log;
		uint64_t at = (8 * block + (log == 0)) * block;
		unsigned char sb[96];
		uint32_t size;
		uint16_t group;

		if (pread(fd, sb, sizeof(sb), (off_t)at) != sizeof(sb))
			return false;
		memcpy(&size, sb + 24, sizeof(size));
		memcpy(&group, sb + 90, sizeof(group));
		if (sb[56] == 0x53 && sb[57] == 0xef && le32toh(size) == log &&
		    le16toh(group) == 1)
			return true;
	}
	return false;
}

/*
 * XFS keeps a copy at the start of each allocation group. Only the first
 * superblock holds their size. mkfs makes 4 groups, or more on large or striped
 * disks; a group has at most 1 TiB less one block.
 */
static bool has_xfs_backup(int fd, uint64_t end)
{
	const uint64_t block = 4096, most = (1ull << 40) - block;
	uint64_t blocks = end / block;

	if (has_at(fd, most, "XFSB"))
		return true;
	for (uint64_t groups = 2; groups <= 64; groups++)
		for (uint64_t up = 0; up < 2; up++)
			if (has_at(fd, (blocks / groups + up) * block, "XFSB"))
				return true;
	return false;
}

static void look_at_copies(const char *name, int fd, struct guard_findings *f)
{
	uint64_t end = descriptor_bytes(fd);
	const char *what = find_copy(fd, end);

	if (!what && has_ext_backup(fd))
		what = "a backup of an ext superblock";
	if (!what && has_xfs_backup(fd, end))
		what = "a backup of an XFS superblock";
	if (what)
		guard_device_say(f, GUARD_SIGNATURE, "%.32s carries %s", name,
				 what);
}

/*
 * Look for file systems, partition tables and the like on an open device or
 * file of that name, damaged ones and their copies included. Only reads.
 */
static void guard_signature_look(const char *name, int fd,
				 struct guard_findings *f)
{
	blkid_probe pr = new_probe(fd);
	int rc = pr ? blkid_do_safeprobe(pr) : -1;
	const char *type, *label;

	if (rc == 1) {
		look_at_copies(name, fd, f);
	} else if (rc != 0) {
		/* libblkid 2.41 says -1 of both, that of 2.38 -2 of several. */
		guard_device_say(f, GUARD_SIGNATURE,
				 "%.32s carries several signatures, or cannot "
				 "be searched for them",
				 name);
	} else {
		type = guard_device_value_of(pr, "TYPE");
		if (!type)
			type = guard_device_value_of(pr, "PTTYPE");
		if (!type)
			type = "unknown";
		label = guard_device_value_of(pr, "LABEL");
		guard_device_say(f, GUARD_SIGNATURE,
				 "%.32s carries a%s %.20s signature%s%.30s%s%s",
				 name, strchr("aeioux", type[0]) ? "n" : "",
				 type, label ? " labelled '" : "",
				 label ? label : "", label ? "'" : "",
				 guard_device_value_of(pr, "SBBADCSUM")
					 ? ", damaged"
					 : "");
	}
	if (pr)
		blkid_free_probe(pr);
}

void guard_signature_of_file(const char *path, struct guard_findings *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	guard_signature_look(text_base(path), fd, f);
	close(fd);
}

static uint64_t guard_device_add_word(uint64_t hash, const char *word)
{
	return text_hash(hash, word, word ? strlen(word) : 0) * 31 + 7;
}

uint64_t guard_signature_identity(int fd)
{
	static const char *const names[] = { "TYPE", "LABEL", "UUID", "PTTYPE",
					     "PTUUID" };
	blkid_probe pr = new_probe(fd);
	int rc = pr ? blkid_do_safeprobe(pr) : -1;
	uint64_t hash = 0;

	if (rc == 0)
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			hash = guard_device_add_word(
				hash, guard_device_value_of(pr, names[i]));
	else if (rc != 1)
		hash = 1;
	if (pr)
		blkid_free_probe(pr);
	return hash;
}

/* --- mounts --- */

/* The mounts of one mount namespace and the tree to search in them. */
struct mount_look {
	const struct tree *tree;
	struct guard_findings *f;
};

/*
 * Find mounts by device number; find file systems with other numbers (btrfs) by
 * their source. pid is of a process in another mount namespace, or 0.
 */
static void look_at_mounts(const struct mounts *mounts, int pid, void *arg)
{
	const struct mount_look *l = arg;
	const struct mount *m;
	char where[64] = "";

	if (pid)
		snprintf(where, sizeof(where),
			 " in the mount namespace of process %d", pid);
	for (size_t i = 0; (m = mounts_at(mounts, i)); i++) {
		const struct tree_device *d = tree_find(l->tree, m->dev);

		if (!d)
			d = tree_find(l->tree, node_dev(m->source));
		if (d)
			guard_device_say(l->f, GUARD_MOUNTED,
					 "%.32s is mounted on %.60s%s", d->name,
					 m->point, where);
	}
	if (!pid && !mounts_readable(mounts))
		guard_device_say(l->f, GUARD_MOUNTED,
				 "the list of mounts cannot be read");
}

/* mountinfo names only one device of a btrfs with several. */
static void look_at_btrfs(const char *file_system, const char *device,
			  void *arg)
{
	const struct mount_look *l = arg;

	for (size_t i = 0; i < l->tree->n; i++)
		if (!strcmp(l->tree->item[i].name, device))
			guard_device_say(l->f, GUARD_MOUNTED,
					 "%.32s is part of the mounted %.60s",
					 device, file_system);
}

static void look_at_swaps(const struct tree *tree, const struct root *root,
			  struct guard_findings *f)
{
	/* A kernel without swap has no list of swaps. */
	struct mounts *swaps = mounts_read_swaps(root);
	const struct mount *m;

	for (size_t i = 0; (m = mounts_at(swaps, i)); i++) {
		const struct tree_device *d =
			tree_find(tree, node_dev(m->source));

		if (d)
			guard_device_say(f, GUARD_SWAP, "%.32s is swap in use",
					 d->name);
	}
	mounts_free(swaps);
}

static void look_at_tree(const struct tree *tree, struct guard_findings *f)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_device *d = &tree->item[i];

		if (d->role == TREE_HOLDER)
			guard_device_say(f, GUARD_HELD, "%.32s is built on it",
					 d->name);
		else if (d->role == TREE_TWIN)
			guard_device_say(f, GUARD_HELD,
					 "%.32s is over the same file",
					 d->name);
		else if (d->read_only)
			guard_device_say(f, GUARD_READ_ONLY,
					 "%.32s is read-only", d->name);
	}
}

/* The node of a device by the kernel's name ('!' stands for '/'). */
static int open_node(const char *name, int flags)
{
	char path[96];

	snprintf(path, sizeof(path), "/dev/%.64s", name);
	for (char *p = path; *p; p++)
		if (*p == '!')
			*p = '/';
	return open(path, flags | O_CLOEXEC);
}

static void look_at_signatures(const struct target *t, const struct tree *tree,
			       struct guard_findings *f)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_device *d = &tree->item[i];
		struct stat st;
		int fd;

		if (d->role != TREE_SELF && d->role != TREE_PARTITION)
			continue;
		fd = d->role == TREE_SELF ? open(t->path, O_RDONLY | O_CLOEXEC)
					  : open_node(d->name, O_RDONLY);
		if (fd < 0 || fstat(fd, &st) || st.st_rdev != d->dev)
			guard_device_say(
				f, GUARD_SIGNATURE,
				"%.32s cannot be searched for signatures",
				d->name);
		else
			guard_signature_look(d->name, fd, f);
		descriptor_close(fd);
	}
}

/*
 * Whether an iodyno process has locked the disk: this run for another
 * partition, or another run. Each run opens its own partition exclusively, so
 * both may continue; udev keeps off the disk as long as the lock lasts.
 */
static bool locked_by_iodyno(int fd)
{
	struct stat disk, ours, theirs;
	char path[40];
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)getpid());
	if (fstat(fd, &disk) || stat(path, &ours))
		return false;
	pid = target_lock_owner(disk.st_ino);
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return pid && !stat(path, &theirs) && theirs.st_dev == ours.st_dev &&
	       theirs.st_ino == ours.st_ino;
}

/* Lock a device, unless this run has: a sweep locks its scratch device to its
 * end. */
static bool guard_device_lock(int fd)
{
	struct stat st;
	int pid;

	if (!flock(fd, LOCK_EX | LOCK_NB))
		return true;
	pid = fstat(fd, &st) ? 0 : target_lock_owner(st.st_ino);
	return pid && (pid == getpid() || pid == getppid());
}

/*
 * Open the device exclusively, and lock the whole disk by udev's convention. A
 * lock on the device itself is of a sweep between two of its runs.
 */
static bool guard_device_claim(struct target *t, const struct tree *tree)
{
	const struct tree_device *disk = NULL;
	struct stat st;
	bool unlocked;
	int probe;

	for (size_t i = 0; i < tree->n; i++)
		if (tree->item[i].role == TREE_DISK)
			disk = &tree->item[i];
	/* One that is locked is not opened exclusively for a moment, which would
	 * make mkfs and mount of its owner fail. */
	probe = open(t->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (probe < 0)
		return false;
	unlocked = guard_device_lock(probe);
	close(probe);
	t->guard_fd = unlocked ? open(t->path, O_RDONLY | O_EXCL | O_CLOEXEC)
			       : -1;
	if (t->guard_fd < 0)
		return false;
	if (fstat(t->guard_fd, &st) || st.st_rdev != t->rdev)
		return false;
	t->lock_fd = disk ? open_node(disk->name, O_RDONLY)
			  : fcntl(t->guard_fd, F_DUPFD_CLOEXEC, 0);
	if (t->lock_fd < 0)
		return false;
	if (!disk)
		return guard_device_lock(t->lock_fd);
	return guard_device_lock(t->guard_fd) &&
	       (flock(t->lock_fd, LOCK_EX | LOCK_NB) == 0 ||
		locked_by_iodyno(t->lock_fd));
}

/* Whether writes to the target appear in the data of this device. */
static bool shares_data(const struct tree_device *d)
{
	return d && d->role != TREE_MEMBER;
}

/*
 * The device of the tree that a descriptor of a process has open for writing,
 * or NULL.
 */
static const struct tree_device *guard_device_written(const struct tree *tree,
						      const struct root *root,
						      int pid, int dir_fd,
						      const char *fd)
{
	const struct tree_device *d;
	char path[64], text[256], *flags;
	unsigned mode;
	struct stat st;

	if (fstatat(dir_fd, fd, &st, 0) || !S_ISBLK(st.st_mode))
		return NULL;
	d = tree_find(tree, st.st_rdev);
	if (!shares_data(d))
		return NULL;
	snprintf(path, sizeof(path), "proc/%d/fdinfo/%.20s", pid, fd);
	if (root_read(root, path, text, sizeof(text)) <= 0)
		return NULL;
	flags = strstr(text, "flags:");
	if (!flags || sscanf(flags, "flags: %o", &mode) != 1)
		return NULL;
	return (mode & O_ACCMODE) == O_RDONLY ? NULL : d;
}

static void look_at_process(const struct tree *tree, const struct root *root,
			    int pid, struct guard_findings *f)
{
	char path[64], name[32];
	const char *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "proc/%d/fd", pid);
	dir = root_open_dir(root, path);
	while ((entry = descriptor_entry(&dir))) {
		const struct tree_device *d = guard_device_written(
			tree, root, pid, dirfd(dir), entry);

		if (!d)
			continue;
		snprintf(path, sizeof(path), "proc/%d/comm", pid);
		if (root_read_line(root, path, name, sizeof(name)) <= 0)
			text_set(name, "?");
		text_clean(name);
		guard_device_say(f, GUARD_OPEN,
				 "process %d (%.16s) has %.32s open for "
				 "writing",
				 pid, name, d->name);
	}
}

/*
 * A virtual machine or a database opens a raw device without O_EXCL, so search
 * the descriptors of all processes. Processes that this user may not examine
 * are skipped.
 */
static void look_at_open_files(const struct tree *tree, const struct root *root,
			       pid_t user, struct guard_findings *f)
{
	DIR *dir = root_open_dir(root, "proc");
	const char *entry;

	while ((entry = descriptor_entry(&dir))) {
		int pid = atoi(entry);

		if (pid > 0 && pid != getpid() && pid != user)
			look_at_process(tree, root, pid, f);
	}
}

/* Find the device that an enabled namespace of an NVMe target exports. */
static void look_at_namespace(const struct tree *tree, const struct root *root,
			      const char *subsystem, const char *id,
			      struct guard_findings *f)
{
	char path[700], device[300];
	const struct tree_device *d;
	long long enabled;
	struct stat st;

	snprintf(path, sizeof(path), NVMET "/%.255s/namespaces/%.32s/enable",
		 subsystem, id);
	if (!root_read_number(root, path, &enabled) || !enabled)
		return;
	snprintf(path, sizeof(path),
		 NVMET "/%.255s/namespaces/%.32s/device_path", subsystem, id);
	if (root_read_line(root, path, device, sizeof(device)) <= 0 ||
	    stat(device, &st) || !S_ISBLK(st.st_mode))
		return;
	d = tree_find(tree, st.st_rdev);
	if (shares_data(d))
		guard_device_say(f, GUARD_OPEN,
				 "the NVMe target %.100s exports %.32s to "
				 "other machines",
				 subsystem, d->name);
}

/*
 * The NVMe target of the kernel opens devices itself, so no process shows that.
 */
static void look_at_nvme_targets(const struct tree *tree,
				 const struct root *root,
				 struct guard_findings *f)
{
	DIR *subsystems = root_open_dir(root, NVMET), *namespaces;
	const char *subsystem, *name;
	char path[400];

	while ((subsystem = descriptor_entry(&subsystems))) {
		snprintf(path, sizeof(path), NVMET "/%.255s/namespaces",
			 subsystem);
		namespaces = root_open_dir(root, path);
		while ((name = descriptor_entry(&namespaces)))
			look_at_namespace(tree, root, subsystem, name, f);
	}
}

/* udev holds a new device for a moment, so try for half a second. */
static void look_at_users(struct target *t, const struct tree *tree,
			  struct guard_findings *f)
{
	bool in_use = *f->words[GUARD_MOUNTED] || *f->words[GUARD_SWAP] ||
		      *f->words[GUARD_HELD];

	for (int tries = in_use ? 1 : 10; tries > 0; tries--) {
		if (guard_device_claim(t, tree))
			return;
		target_release(t);
		if (tries > 1)
			clock_pause_ns(50000000);
	}
	guard_device_say(f, GUARD_BUSY,
			 "another program or the kernel uses the device");
}

void guard_device_look(struct target *t, const struct root *root,
		       struct guard_findings *f)
{
	struct tree tree;
	struct mount_look look = { &tree, f };

	tree_build(&tree, root, t->rdev);
	mounts_each_namespace(root, look_at_mounts, &look);
	mounts_btrfs_each(root, look_at_btrfs, &look);
	look_at_swaps(&tree, root, f);
	look_at_tree(&tree, f);
	look_at_open_files(&tree, root, t->user, f);
	look_at_nvme_targets(&tree, root, f);
	look_at_users(t, &tree, f);
	look_at_signatures(t, &tree, f);
	tree_free(&tree);
}
