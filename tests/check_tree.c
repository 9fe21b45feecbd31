/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the storage tree on trees of files: what shares data with a device
 * by another path or another table, and what the NVMe target exports.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "block/tree.h"
#include "workload/target/guard.h"

#include "workload_help.h"

static char *dir;
static struct root root;

static void setup(void)
{
	dir = make_tree(NULL);
	ck_assert_int_eq(root_open(&root, dir), 0);
}

static void teardown(void)
{
	root_close(&root);
	remove_dir(dir);
}

/* A file of the tree, with its folders. */
static void put(const char *path, const char *text)
{
	char full[600];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	for (char *p = full + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	f = fopen(full, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* A disk as sysfs has it: sys/block, sys/class/block, sys/dev/block. */
static void disk(const char *name, unsigned major, unsigned minor)
{
	char path[300], to[400], number[32];

	snprintf(number, sizeof(number), "%u:%u\n", major, minor);
	snprintf(path, sizeof(path), "sys/block/%s/dev", name);
	put(path, number);
	put("sys/dev/block/.keep", "");
	put("sys/class/block/.keep", "");
	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", dir, major,
		 minor);
	snprintf(to, sizeof(to), "../../block/%s", name);
	ck_assert_int_eq(symlink(to, path), 0);
	snprintf(path, sizeof(path), "%s/sys/class/block/%s", dir, name);
	ck_assert_int_eq(symlink(to, path), 0);
}

static void mapped(const char *name, unsigned minor, const char *table)
{
	char path[300];

	disk(name, 253, minor);
	snprintf(path, sizeof(path), "sys/block/%s/dm/name", name);
	put(path, name);
	snprintf(path, sizeof(path), "sys/block/%s/dm/table", name);
	put(path, table);
}

static void put_bytes(const char *path, const char *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
	ck_assert_int_eq(fclose(file), 0);
}

static enum tree_role role_of(dev_t dev, dev_t other)
{
	const struct tree_device *d;
	enum tree_role role;
	struct tree t;

	tree_build(&t, &root, dev);
	d = tree_find(&t, other);
	/* Not in the tree at all. */
	role = d ? d->role : (enum tree_role) - 1;
	tree_free(&t);
	return role;
}

#define ABSENT ((enum tree_role) - 1)

START_TEST(two_paths_to_one_disk)
{
	disk("sda", 8, 0);
	disk("sdb", 8, 16);
	disk("sdc", 8, 32);
	put("sys/block/sda/device/wwid", "naa.5000c500a1b2c3d4\n");
	put("sys/block/sdb/device/wwid", "naa.5000c500a1b2c3d4\n");
	put("sys/block/sdc/device/wwid", "naa.5000c500a1b2c3d5\n");
	ck_assert_int_eq(role_of(makedev(8, 0), makedev(8, 16)), TREE_PATH);
	ck_assert_int_eq(role_of(makedev(8, 16), makedev(8, 0)), TREE_PATH);
	ck_assert_int_eq(role_of(makedev(8, 0), makedev(8, 32)), ABSENT);
}
END_TEST

/* Disks of SCSI and virtio without a world-wide name. */
START_TEST(two_paths_without_a_wwid)
{
	static const char *const disks[] = { "sda", "sdb", "sdc", "sdd" };
	char path[300], page[16] = { 0, '\x80', 1, 8 };

	for (unsigned i = 0; i < ARRAY_SIZE(disks); i++) {
		disk(disks[i], 8, i * 16);
		snprintf(path, sizeof(path), "sys/block/%s/device/model",
			 disks[i]);
		put(path, "VIRTUAL-DISK    \n");
		/* The fourth has the serial number of the first two. */
		snprintf(path, sizeof(path), "sys/block/%s/size", disks[i]);
		put(path, i == 3 ? "4096\n" : "2048\n");
		snprintf(path, sizeof(path), "%s/sys/block/%s/device/vpd_pg80",
			 dir, disks[i]);
		memcpy(page + 4, i == 2 ? "    S8  " : "    S7  ", 8);
		put_bytes(path, page, 12);
	}
	ck_assert_int_eq(role_of(makedev(8, 0), makedev(8, 16)), TREE_PATH);
	ck_assert_int_eq(role_of(makedev(8, 0), makedev(8, 32)), ABSENT);
	ck_assert_int_eq(role_of(makedev(8, 0), makedev(8, 48)), ABSENT);
	disk("vda", 254, 0);
	disk("vdb", 254, 16);
	disk("vdc", 254, 32);
	put("sys/block/vda/serial", "disk-1\n");
	put("sys/block/vdb/serial", "disk-1\n");
	/* No number is no identity. */
	put("sys/block/vdc/serial", "\n");
	ck_assert_int_eq(role_of(makedev(254, 16), makedev(254, 0)), TREE_PATH);
	ck_assert_int_eq(role_of(makedev(254, 32), makedev(254, 0)), ABSENT);
}
END_TEST

/* A partition with its place on the disk. */
static void partition(const char *of, const char *name, unsigned minor,
		      const char *start)
{
	char path[300], to[400], number[32];

	snprintf(number, sizeof(number), "8:%u\n", minor);
	snprintf(path, sizeof(path), "sys/block/%s/%s/dev", of, name);
	put(path, number);
	snprintf(path, sizeof(path), "sys/block/%s/%s/start", of, name);
	put(path, start);
	snprintf(path, sizeof(path), "sys/block/%s/%s/partition", of, name);
	put(path, "1\n");
	snprintf(path, sizeof(path), "%s/sys/dev/block/8:%u", dir, minor);
	snprintf(to, sizeof(to), "../../block/%s/%s", of, name);
	ck_assert_int_eq(symlink(to, path), 0);
	snprintf(path, sizeof(path), "%s/sys/class/block/%s", dir, name);
	ck_assert_int_eq(symlink(to, path), 0);
}

START_TEST(tables_over_the_same_sectors)
{
	disk("sda", 8, 0);
	partition("sda", "sda1", 1, "2048\n");
	mapped("dm-0", 0, "0 1000 linear 8:0 5000\n1000 500 linear 8:0 0\n");
	/* The same disk, other sectors: two volumes of LVM. */
	mapped("dm-1", 1, "0 1000 linear 8:0 6000\n");
	/* The last sector of the first line. */
	mapped("dm-2", 2, "0 10 crypt aes-xts-plain64 0 0 8:0 5999\n");
	/* Sectors of the partition: 2048 + 3000 of the disk. */
	mapped("dm-3", 3, "0 8 striped 1 8 8:1 3000\n");
	ck_assert_int_eq(role_of(makedev(253, 0), makedev(253, 1)), ABSENT);
	ck_assert_int_eq(role_of(makedev(253, 0), makedev(253, 2)), TREE_TWIN);
	ck_assert_int_eq(role_of(makedev(253, 2), makedev(253, 0)), TREE_TWIN);
	ck_assert_int_eq(role_of(makedev(253, 0), makedev(253, 3)), TREE_TWIN);
	ck_assert_int_eq(role_of(makedev(253, 1), makedev(253, 3)), ABSENT);
}
END_TEST

/* Volumes on one encrypted disk have it in common, and no sector. */
START_TEST(volumes_over_a_mapped_device)
{
	disk("sda", 8, 0);
	mapped("dm-0", 0, "0 100000 crypt aes-xts-plain64 0 0 8:0 4096\n");
	mapped("dm-1", 1, "0 1000 linear 253:0 2048\n");
	mapped("dm-2", 2, "0 1000 linear 253:0 3048\n");
	mapped("dm-3", 3, "0 10 linear 8:0 7150\n");
	put("sys/block/dm-1/slaves/dm-0/dev", "253:0\n");
	put("sys/block/dm-2/slaves/dm-0/dev", "253:0\n");
	ck_assert_int_eq(role_of(makedev(253, 1), makedev(253, 2)), ABSENT);
	/* 4096 + 3048 is 7144. */
	ck_assert_int_eq(role_of(makedev(253, 2), makedev(253, 3)), TREE_TWIN);
	ck_assert_int_eq(role_of(makedev(253, 1), makedev(253, 3)), ABSENT);
	/* What is below is a member. */
	ck_assert_int_eq(role_of(makedev(253, 1), makedev(253, 0)),
			 TREE_MEMBER);
}
END_TEST

START_TEST(tables_are_read)
{
	size_t n;
	struct dm_part *p = tree_dm_parse(
		"0 4096 striped 2 128 8:0 100 8:16 200\n"
		"4096 8 zero\n4104 10 delay 8:32 7 50 8:48 9 100\nnonsense\n",
		&n);

	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(p[0].dev, makedev(8, 0));
	ck_assert_uint_eq(p[0].first, 100);
	ck_assert_uint_eq(p[0].n, 2048);
	ck_assert_uint_eq(p[1].dev, makedev(8, 16));
	ck_assert_uint_eq(p[1].first, 200);
	ck_assert_uint_eq(p[2].dev, makedev(8, 32));
	ck_assert_uint_eq(p[2].n, 10);
	free(p);
	p = tree_dm_parse(NULL, &n);
	ck_assert(!p && n == 0);
}
END_TEST

/* Any block device will do: it is named in the tree and only looked at. */
START_TEST(what_an_nvme_target_exports_is_open)
{
	static const char *const nodes[] = { "/dev/loop0", "/dev/vda",
					     "/dev/sda", "/dev/nvme0n1" };
	struct target t = {
		.fd = -1, .guard_fd = -1, .lock_fd = -1, .is_device = true
	};
	struct guard_findings found = { 0 };
	struct stat st = { 0 };
	const char *space = "sys/kernel/config/nvmet/subsystems/nqn.a/"
			    "namespaces/1";
	char path[300], *enable;

	for (size_t i = 0; i < ARRAY_SIZE(nodes) && !t.path; i++)
		if (!stat(nodes[i], &st) && S_ISBLK(st.st_mode))
			t.path = xstrdup(nodes[i]);
	if (!t.path)
		return; /* a machine without block devices */
	t.rdev = st.st_rdev;
	disk(strrchr(t.path, '/') + 1, major(t.rdev), minor(t.rdev));
	snprintf(path, sizeof(path), "%s/device_path", space);
	put(path, t.path);
	enable = xasprintf("%s/enable", space);
	put(enable, "0\n");
	guard_device_look(&t, &root, &found);
	ck_assert_str_eq(found.words[GUARD_OPEN], "");
	put(enable, "1\n");
	guard_device_look(&t, &root, &found);
	ck_assert_msg(strstr(found.words[GUARD_OPEN],
			     "the NVMe target nqn.a exports") != NULL,
		      "%s", found.words[GUARD_OPEN]);
	for (int i = 0; i < 2; i++)
		if ((i ? t.guard_fd : t.lock_fd) >= 0)
			close(i ? t.guard_fd : t.lock_fd);
	free(enable);
	free(t.path);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("tree");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, two_paths_to_one_disk);
	tcase_add_test(t, two_paths_without_a_wwid);
	tcase_add_test(t, tables_over_the_same_sectors);
	tcase_add_test(t, volumes_over_a_mapped_device);
	tcase_add_test(t, tables_are_read);
	tcase_add_test(t, what_an_nvme_target_exports_is_open);
	suite_add_tcase(suite, t);
}
