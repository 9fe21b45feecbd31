/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of block: folders of devices, mounts, swap areas, members of btrfs. */
#include "collect_fixture.h"
#include "test.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "block/mounts.h"
#include "block/sysfs.h"

static struct fixture f;

/* A disk 8:0 with a partition 8:1, below a dm 253:0 over the partition. */
static void begin(void)
{
	fixture_make(&f, "sata");
	fixture_put(&f, "sys/block/sdx/dev", "8:0\n");
	fixture_put(&f, "sys/block/sdx/diskseq", "9\n");
	fixture_put(&f, "sys/block/sdx/size", "2048\n");
	fixture_put(&f, "sys/block/sdx/device/wwid", "naa.5000c500\n");
	fixture_put(&f, "sys/block/sdx/queue/logical_block_size", "4096\n");
	fixture_put(&f, "sys/block/sdx/sdx1/dev", "8:1\n");
	fixture_put(&f, "sys/block/sdx/sdx1/partition", "1\n");
	fixture_put(&f, "sys/block/sdx/sdx1/size", "1024\n");
	fixture_put(&f, "sys/block/dm-7/dev", "253:7\n");
	fixture_put(&f, "sys/block/dm-7/slaves/sdx1", "%s", "");
	fixture_put(&f, "sys/block/loop9/loop/backing_file", "/srv/x.img\n");
	fixture_put(&f, "sys/dev/block/none", "%s", "");
	ck_assert(!symlinkat("../../block/sdx", f.root.fd,
			     "sys/dev/block/8:0"));
	ck_assert(!symlinkat("../../block/sdx/sdx1", f.root.fd,
			     "sys/dev/block/8:1"));
	ck_assert(!symlinkat("../../block/dm-7", f.root.fd,
			     "sys/dev/block/253:7"));
}

static void end(void)
{
	fixture_free(&f);
}

START_TEST(paths_stay_below_their_folder)
{
	char path[SYSFS_PATH_MAX];

	ck_assert(sysfs_path_of(path, sizeof(path), "cciss/c0d0", "queue"));
	ck_assert_str_eq(path, "sys/block/cciss!c0d0/queue");
	ck_assert(sysfs_path_of_part(path, sizeof(path), "sda", "sda1"));
	ck_assert_str_eq(path, "sys/block/sda/sda1");
	sysfs_path(&f.root, path, makedev(8, 1), "");
	ck_assert_str_eq(path, "sys/dev/block/8:1");
	ck_assert(!sysfs_path_of(path, sizeof(path), "..", ""));
	ck_assert(!sysfs_path_of(path, sizeof(path), "", ""));
	ck_assert(sysfs_path_of(path, sizeof(path), "a/../../b", ""));
	ck_assert_str_eq(path, "sys/block/a!..!..!b");
	ck_assert(!sysfs_path_of(path, 12, "sda", "queue"));
}
END_TEST

START_TEST(a_partition_knows_its_disk)
{
	const dev_t disk = makedev(8, 0), part = makedev(8, 1);
	char text[SYSFS_NAME_MAX];
	uint64_t bytes;
	long long n;
	dev_t dev;

	ck_assert(sysfs_is_part(&f.root, part));
	ck_assert(!sysfs_is_part(&f.root, disk));
	ck_assert(sysfs_whole_disk(&f.root, part, &dev) && dev == disk);
	ck_assert(sysfs_whole_disk(&f.root, disk, &dev) && dev == disk);
	ck_assert(!sysfs_whole_disk(&f.root, makedev(8, 99), &dev));
	ck_assert(sysfs_device_name(&f.root, part, text, sizeof(text)));
	ck_assert_str_eq(text, "sdx1");
	ck_assert(sysfs_bytes(&f.root, part, &bytes) && bytes == 1024 * 512);
	ck_assert(sysfs_value(&f.root, part, "queue/logical_block_size", &n));
	ck_assert_int_eq(n, 4096);
	ck_assert(!sysfs_value(&f.root, part, "no_such_file", &n));
	ck_assert_uint_eq(sysfs_diskseq(&f.root, part), 9);
	ck_assert_uint_eq(sysfs_diskseq(&f.root, makedev(253, 7)), 0);
	ck_assert(sysfs_wwid(&f.root, part, text, sizeof(text)));
	ck_assert_str_eq(text, "naa.5000c500");
	ck_assert(!sysfs_wwid(&f.root, makedev(253, 7), text, sizeof(text)));
	fixture_put(&f, "sys/class/block/cciss!c0d0", "%s", "");
	ck_assert(sysfs_has(&f.root, "cciss/c0d0"));
	ck_assert(!sysfs_has(&f.root, "sdx1") && !sysfs_has(&f.root, ""));
}
END_TEST

START_TEST(a_container_hides_the_numbers)
{
	const dev_t disk = makedev(8, 0), part = makedev(8, 1);
	char text[SYSFS_PATH_MAX];
	dev_t dev = 0;

	fixture_remove(&f, "sys/dev/block");
	fixture_put(&f, "sys/class/block/of", "%s", "");
	ck_assert(!symlinkat("../../block/sdx", f.root.fd,
			     "sys/class/block/sdx"));
	ck_assert(!symlinkat("../../block/sdx/sdx1", f.root.fd,
			     "sys/class/block/sdx1"));
	sysfs_path(&f.root, text, part, "size");
	ck_assert_str_eq(text, "sys/class/block/sdx1/size");
	ck_assert(sysfs_device_name(&f.root, part, text, sizeof(text)));
	ck_assert_str_eq(text, "sdx1");
	ck_assert(sysfs_is_part(&f.root, part));
	ck_assert(sysfs_whole_disk(&f.root, part, &dev) && dev == disk);
	sysfs_path(&f.root, text, makedev(8, 99), "");
	ck_assert_str_eq(text, "sys/dev/block/8:99");
}
END_TEST

START_TEST(members_and_backing_files)
{
	struct sysfs_name *name;
	char path[64];
	size_t n;

	name = sysfs_names(&f.root, "sys/block/dm-7", "slaves", &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(name[0].text, "sdx1");
	free(name);
	ck_assert_ptr_null(
		sysfs_names(&f.root, "sys/block/dm-7", "holders", &n));
	ck_assert_uint_eq(n, 0);
	ck_assert(sysfs_backing_file(&f.root, "sys/block/loop9", path,
				     sizeof(path)));
	ck_assert_str_eq(path, "/srv/x.img");
	ck_assert(!sysfs_backing_file(&f.root, "sys/block/sdx", path,
				      sizeof(path)));
}
END_TEST

START_TEST(mounts_are_found)
{
	const struct mount *m;
	struct mounts *mounts;

	fixture_put(&f, "proc/self/mountinfo",
		    "20 1 8:1 / / rw - ext4 /dev/sdx1 rw\n"
		    "21 20 253:7 / /srv rw - xfs /dev/mapper/a rw\n"
		    "22 20 0:40 / /mnt/my\\040disk rw shared:1 - btrfs "
		    "/dev/sdx1 rw\n"
		    "23 20 0:5 / /srv rw - tmpfs none rw\n");
	mounts = mounts_read(&f.root);
	ck_assert(mounts_readable(mounts));
	ck_assert_ptr_nonnull(mounts_at(mounts, 3));
	ck_assert_ptr_null(mounts_at(mounts, 4));
	m = mounts_of_path(mounts, "/mnt/my disk/x");
	ck_assert_str_eq(m->point, "/mnt/my disk");
	ck_assert_str_eq(mounts_source_name(m), "sdx1");
	ck_assert(mounts_is_on(&f.root, m, "sdx"));
	/* The later of two on one point hides the other. */
	m = mounts_of_path(mounts, "/srv/x");
	ck_assert_str_eq(m->type, "tmpfs");
	ck_assert(!mounts_is_on(&f.root, m, "sdx"));
	ck_assert_str_eq(mounts_of_path(mounts, "/srvx")->point, "/");
	m = mounts_of_device(mounts, makedev(253, 7));
	ck_assert_str_eq(m->type, "xfs");
	ck_assert(mounts_is_on(&f.root, m, "sdx"));
	ck_assert(!mounts_is_on(&f.root, m, "sdy"));
	ck_assert_ptr_null(mounts_of_device(mounts, makedev(1, 1)));
	mounts_free(mounts);
}
END_TEST

START_TEST(what_cannot_be_read_is_empty)
{
	struct mounts *mounts;

	unlinkat(f.root.fd, "proc/self/mountinfo", 0);
	unlinkat(f.root.fd, "proc/swaps", 0);
	mounts = mounts_read(&f.root);
	ck_assert(!mounts_readable(mounts));
	ck_assert_ptr_null(mounts_at(mounts, 0));
	ck_assert_ptr_null(mounts_of_path(mounts, "/"));
	mounts_free(mounts);
	mounts = mounts_read_swaps(&f.root);
	ck_assert(!mounts_readable(mounts));
	mounts_free(mounts);
	fixture_put(&f, "proc/swaps",
		    "Filename\tType\tSize\tUsed\tPriority\n"
		    "/dev/sdx1                  partition\t1\t0\t-2\n");
	mounts = mounts_read_swaps(&f.root);
	ck_assert(mounts_readable(mounts));
	ck_assert_str_eq(mounts_source_name(mounts_at(mounts, 0)), "sdx1");
	ck_assert(mounts_is_on(&f.root, mounts_at(mounts, 0), "sdx"));
	ck_assert_ptr_null(mounts_at(mounts, 1));
	mounts_free(mounts);
}
END_TEST

static void note_member(const char *file_system, const char *device, void *arg)
{
	char *words = arg;

	snprintf(words + strlen(words), 128 - strlen(words), "%s %s;",
		 file_system, device);
}

START_TEST(members_of_btrfs)
{
	char words[128] = "";

	fixture_put(&f, "sys/fs/btrfs/features/x", "%s", "");
	fixture_put(&f, "sys/fs/btrfs/0123-4567/label", "tank\n");
	fixture_put(&f, "sys/fs/btrfs/0123-4567/devices/sdb", "%s", "");
	fixture_put(&f, "sys/fs/btrfs/0123-4567/devices/sda", "%s", "");
	mounts_btrfs_each(&f.root, note_member, words);
	ck_assert_str_eq(words, "btrfs:tank sda;btrfs:tank sdb;");
}
END_TEST

/* The disk of a member that is a partition counts once, beside a whole disk. */
START_TEST(disks_of_btrfs)
{
	char names[64];

	fixture_put(&f, "sys/fs/btrfs/0123-4567/devices/dm-7/dev", "253:7\n");
	fixture_put(&f, "sys/fs/btrfs/0123-4567/devices/sdx/dev", "8:0\n");
	fixture_put(&f, "sys/fs/btrfs/0123-4567/devices/sdx1/dev", "8:1\n");
	mounts_btrfs_disks(&f.root, "0123-4567", names, sizeof(names));
	ck_assert_str_eq(names, "dm-7 sdx");
	mounts_btrfs_disks(&f.root, "0123-4567", names, 8);
	ck_assert_str_eq(names, "...");
	mounts_btrfs_disks(&f.root, "89ab-cdef", names, sizeof(names));
	ck_assert_str_eq(names, "");
}
END_TEST

static bool is_mount(const char *folder)
{
	struct stat inside, above;
	char parent[128];

	snprintf(parent, sizeof(parent), "%s/..", folder);
	return !stat(folder, &inside) && !stat(parent, &above) &&
	       inside.st_dev != above.st_dev;
}

/* In a namespace of mounts of its own: 0 when the tests hold, 77: not root. */
static int unmount_beside(const char *folder)
{
	int ready[2], gone[2], status = 1;
	char c = 0;
	pid_t pid;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) ||
	    mount("none", folder, "tmpfs", 0, NULL))
		return 77;
	if (pipe(ready) || pipe(gone))
		return 1;
	pid = fork();
	if (pid == 0) {
		bool there = !mounts_own() && is_mount(folder);

		if (write(ready[1], &c, 1) != 1 || read(gone[0], &c, 1) != 1)
			_exit(1);
		_exit(there && !is_mount(folder) ? 0 : 1);
	}
	if (pid < 0 || read(ready[0], &c, 1) != 1 || umount(folder) ||
	    write(gone[1], &c, 1) != 1)
		return 1;
	return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : 1;
}

/* What the system unmounts is not kept busy by a namespace of ours. */
START_TEST(own_mounts_follow_the_system)
{
	char folder[sizeof(f.dir) + 8];
	int status = -1;
	pid_t pid;

	fixture_put(&f, "disk/x", "%s", "");
	snprintf(folder, sizeof(folder), "%s/disk", f.dir);
	pid = fork();
	if (pid == 0)
		_exit(unmount_beside(folder));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *c = tcase_create("block");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, paths_stay_below_their_folder);
	tcase_add_test(c, a_partition_knows_its_disk);
	tcase_add_test(c, a_container_hides_the_numbers);
	tcase_add_test(c, members_and_backing_files);
	tcase_add_test(c, mounts_are_found);
	tcase_add_test(c, what_cannot_be_read_is_empty);
	tcase_add_test(c, members_of_btrfs);
	tcase_add_test(c, disks_of_btrfs);
	tcase_add_test(c, own_mounts_follow_the_system);
	suite_add_tcase(suite, c);
}
