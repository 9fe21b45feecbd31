/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guard of devices: signatures of data. libblkid finds what is whole; a damaged
 * superblock, the backups of one and a partition table that is left at the end
 * only are found here: such are the disks that people want to rescue.
 */
#include <blkid/blkid.h>
#include <endian.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/fs.h>

#include "base/attributes.h"
#include "workload/target/guard_device.h"

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
	/* One whose checksum is wrong counts, as it does for wipefs(8). */
	blkid_probe_set_superblocks_flags(
		pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID |
			    BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(pr, 1);
	return pr;
}

static const char *value_of(blkid_probe pr, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(pr, name, &value, NULL) ? NULL : value;
}

/* The end of a device or file. */
static uint64_t end_of(int fd)
{
	struct stat st;
	uint64_t bytes = 0;

	if (fstat(fd, &st))
		return 0;
	if (S_ISBLK(st.st_mode))
		return ioctl(fd, BLKGETSIZE64, &bytes) ? 0 : bytes;
	return (uint64_t)st.st_size;
}

/*
 * Copies of superblocks. at: of the superblock, from the end if negative;
 * magic: at that offset of it.
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
 * has two bytes only, so its block size and group number must fit as well.
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
 * XFS keeps a copy at the start of each allocation group. Their size stands in
 * the first superblock only; mkfs makes 4 groups, more on large or striped
 * disks, of at most 1 TiB less a block.
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
	uint64_t end = end_of(fd);
	const char *what = find_copy(fd, end);

	if (!what && has_ext_backup(fd))
		what = "a backup of an ext superblock";
	if (!what && has_xfs_backup(fd, end))
		what = "a backup of an XFS superblock";
	if (what)
		guard_device_say(f, GUARD_SIGNATURE, "%.32s carries %s", name,
				 what);
}

void guard_signature_look(const char *name, int fd, struct guard_findings *f)
{
	blkid_probe pr = new_probe(fd);
	int rc = pr ? blkid_do_safeprobe(pr) : -1;
	const char *type, *label;

	if (rc == 1) {
		look_at_copies(name, fd, f);
	} else if (rc != 0) {
		guard_device_say(f, GUARD_SIGNATURE, "%.32s %s", name,
				 rc == -2 ? "carries several signatures"
					  : "cannot be searched for "
					    "signatures");
	} else {
		type = value_of(pr, "TYPE");
		if (!type)
			type = value_of(pr, "PTTYPE");
		if (!type)
			type = "unknown";
		label = value_of(pr, "LABEL");
		guard_device_say(f, GUARD_SIGNATURE,
				 "%.32s carries a%s %.20s signature%s%.30s%s%s",
				 name, strchr("aeioux", type[0]) ? "n" : "",
				 type, label ? " labelled '" : "",
				 label ? label : "", label ? "'" : "",
				 value_of(pr, "SBBADCSUM") ? ", damaged" : "");
	}
	if (pr)
		blkid_free_probe(pr);
}

void guard_signature_of_file(const char *path, struct guard_findings *f)
{
	const char *name = strrchr(path, '/');
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	guard_signature_look(name ? name + 1 : path, fd, f);
	close(fd);
}

/* FNV-1a over the words. */
static uint64_t add_word(uint64_t hash, const char *word)
{
	for (; word && *word; word++)
		hash = (hash ^ (unsigned char)*word) * 0x100000001b3;
	return hash * 31 + 7;
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
			hash = add_word(hash, value_of(pr, names[i]));
	else if (rc != 1)
		hash = 1;
	if (pr)
		blkid_free_probe(pr);
	return hash;
}
