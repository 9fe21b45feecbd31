/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the guard where loop devices hide what is written: several over one
 * file, one over another, a file below one. Needs root and loop devices, but
 * for the signatures, which are searched in files.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "workload/target/guard.h"
#include "workload/target/target.h"

#include "workload_help.h"

#define SIZE (16u << 20)

static char *dir;
static char image[300], point[300], loop[64];
static char signature[] = "signature", mounted[] = "mounted", busy[] = "busy";
static char held[] = "held";

static void setup_file(void)
{
	dir = make_dir();
	snprintf(image, sizeof(image), "%s/image", dir);
}

static void teardown_file(void)
{
	remove_dir(dir);
}

static void setup(void)
{
	setup_file();
	make_file(image, SIZE, 0);
	snprintf(point, sizeof(point), "%s/point", dir);
	ck_assert_int_eq(mkdir(point, 0700), 0);
	ck_assert(loop_attach(image, false, loop, sizeof(loop)));
}

static void teardown(void)
{
	run_command("umount %s", point);
	loop_detach(loop);
	remove_dir(dir);
}

/* Bytes of a file that holds nothing else. */
struct bytes {
	uint64_t at;
	const char *bytes;
	size_t n;
};

#define BYTES(at, text)                    \
	{                                  \
		at, text, sizeof(text) - 1 \
	}

/* What is found in a file of that size. */
static const char *signature_of(uint64_t size, const struct bytes b[3])
{
	static struct guard_findings found;
	int fd = open(image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	/* Not every file system has files so large. */
	if (ftruncate(fd, (off_t)size)) {
		close(fd);
		return NULL;
	}
	for (int i = 0; i < 3 && b[i].n; i++)
		ck_assert_int_eq(pwrite(fd, b[i].bytes, b[i].n, (off_t)b[i].at),
				 (ssize_t)b[i].n);
	close(fd);
	memset(&found, 0, sizeof(found));
	guard_signature_of_file(image, &found);
	return found.words[GUARD_SIGNATURE];
}

/* Intact ones, several, and copies of which the first one is gone. */
START_TEST(signatures_are_found)
{
	static const struct {
		uint64_t size;
		const char *words; /* "": none */
		struct bytes bytes[3];
	} cases[] = {
		{ SIZE, "", { { 0 } } },
		{ SIZE,
		  "image carries a dos signature",
		  { BYTES(446, "\0\0\2\0\x83\0\3\0\1\0\0\0\0\x10\0\0"),
		    BYTES(510, "\x55\xaa") } },
		{ SIZE,
		  "image carries a swap signature",
		  { BYTES(1024, "\1\0\0\0\xff\0\0\0"),
		    BYTES(4086, "SWAPSPACE2") } },
		{ SIZE,
		  "image carries several signatures, or cannot be searched for "
		  "them",
		  { BYTES(0, "hsqs\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			     "\0\0\0\0\4\0"),
		    BYTES(1024, "\1\0\0\0\xff\0\0\0"),
		    BYTES(4086, "SWAPSPACE2") } },
		{ SIZE,
		  "image carries a backup of a GPT",
		  { BYTES(SIZE - 512, "EFI PART") } },
		{ SIZE,
		  "image carries a backup of an XFS superblock",
		  { BYTES(SIZE / 4, "XFSB") } },
		/* Larger than a group of each file system. */
		{ 2ull << 40, "", { { 0 } } },
		{ 2ull << 40,
		  "image carries a backup of an XFS superblock",
		  { BYTES((1ull << 40) - 4096, "XFSB") } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *found = signature_of(cases[i].size, cases[i].bytes);

		if (found || cases[i].size == SIZE)
			ck_assert_pstr_eq(found, cases[i].words);
	}
}
END_TEST

/* A digest of all that is read from there. */
static uint64_t digest(const char *path)
{
	static unsigned char buf[1 << 20];
	uint64_t sum = 1469598103934665603ull;
	int fd = open(path, O_RDONLY);
	ssize_t n;

	ck_assert_int_ge(fd, 0);
	/* Of what is there, not of what was before a twin wrote. */
	ck_assert_int_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			sum = (sum ^ buf[i]) * 1099511628211ull;
	close(fd);
	return sum;
}

static void try_to_write(struct outcome *o, const char *target,
			 const struct allow_list *allowed)
{
	struct job job;

	job_init(&job);
	set_option(&job, "name", "dev");
	set_option(&job, "filename", target);
	set_option(&job, "rw", "randwrite");
	set_option(&job, "bs", "64k");
	set_option(&job, "io_size", "1m");
	set_option(&job, "end_fsync", "1");
	run_jobs(o, &job, 1, allowed);
	job_free(&job);
}

static void expect_refused(const char *target, const struct allow_list *allowed,
			   const char *words)
{
	uint64_t before = digest(target);
	struct outcome o;

	try_to_write(&o, target, allowed);
	ck_assert_msg(o.open_rc == -EPERM, "%d %s", o.open_rc, o.sentence);
	ck_assert_msg(strstr(o.sentence, words) != NULL, "no '%s' in: %s",
		      words, o.sentence);
	ck_assert_uint_eq(digest(target), before);
}

static void expect_written(const char *target, const struct allow_list *allowed)
{
	uint64_t before = digest(target);
	struct outcome o;

	try_to_write(&o, target, allowed);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_ne(digest(target), before);
	free_outcome(&o);
}

/*
 * One file, two names, both gone: sysfs shows two paths that are no more, and
 * the file system on the one device is lost by writing to the other.
 */
START_TEST(twin_without_a_path)
{
	char *names[] = { loop }, twin[64], link_path[300];
	struct allow_list p = { .destroy = names, .n_destroy = 1 };

	snprintf(link_path, sizeof(link_path), "%s/link", dir);
	ck_assert_int_eq(link(image, link_path), 0);
	ck_assert(loop_attach(link_path, false, twin, sizeof(twin)));
	ck_assert_int_eq(unlink(image), 0);
	ck_assert_int_eq(unlink(link_path), 0);
	expect_refused(loop, &p, "is over the same file");
	ck_assert_int_eq(run_command("mkfs.ext4 -q %s", twin), 0);
	ck_assert_int_eq(run_command("mount -o ro %s %s", twin, point), 0);
	p.override = (char *[]){ signature, held };
	p.n_override = 2;
	expect_refused(loop, &p, "is mounted on");
	ck_assert_int_eq(run_command("umount %s", point), 0);
	loop_detach(twin);
	p.n_override = 1;
	expect_written(loop, &p);
}
END_TEST

/* Another file that came to have the path of a removed one is no twin. */
START_TEST(same_path_other_file)
{
	char *names[] = { loop }, other[64];
	struct allow_list p = { .destroy = names, .n_destroy = 1 };

	ck_assert_int_eq(unlink(image), 0);
	make_file(image, SIZE, 0);
	ck_assert(loop_attach(image, false, other, sizeof(other)));
	expect_written(loop, &p);
	loop_detach(other);
}
END_TEST

/* upper is over loop, which is over the file that twin is over, too. */
START_TEST(twin_of_a_member)
{
	char upper[64], twin[64], *names[] = { upper };
	struct allow_list p = { .destroy = names, .n_destroy = 1 };

	ck_assert(loop_attach(loop, false, upper, sizeof(upper)));
	ck_assert(loop_attach(image, false, twin, sizeof(twin)));
	expect_refused(upper, &p, "is over the same file");
	ck_assert_int_eq(run_command("mkfs.ext4 -q %s", twin), 0);
	ck_assert_int_eq(run_command("mount -o ro %s %s", twin, point), 0);
	p.override = (char *[]){ signature, held, busy };
	p.n_override = 3;
	expect_refused(upper, &p, "is mounted on");
	ck_assert_int_eq(run_command("umount %s", point), 0);
	loop_detach(twin);
	loop_detach(upper);
}
END_TEST

/* The device that a loop device is over is itself in use. */
START_TEST(member_in_use)
{
	char upper[64], *names[] = { upper };
	struct allow_list p = { .destroy = names, .n_destroy = 1 };

	ck_assert_int_eq(run_command("mkfs.ext4 -q %s", loop), 0);
	ck_assert_int_eq(run_command("mount -o ro %s %s", loop, point), 0);
	ck_assert(loop_attach(loop, false, upper, sizeof(upper)));
	p.override = (char *[]){ signature, busy };
	p.n_override = 2;
	expect_refused(upper, &p, "is mounted on");
	ck_assert_int_eq(run_command("umount %s", point), 0);
	p.n_override = 1;
	expect_written(upper, &p);
	loop_detach(upper);
}
END_TEST

/* Another process that has the device open for writing. */
static pid_t open_by_other(const char *path)
{
	int ready[2];
	char c;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		/* The devices that the test holds are not for this one. */
		dup2(ready[1], STDOUT_FILENO);
		for (int fd = 3; fd < 256; fd++)
			close(fd);
		if (open(path, O_RDWR) < 0 || write(STDOUT_FILENO, "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void end_other(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* A look at the device that the path names now. */
static void look_at(const char *path, dev_t rdev, struct guard_findings *found)
{
	struct target t = { .path = (char *)path, .guard_fd = -1,
			    .lock_fd = -1, .rdev = rdev };
	struct root root;

	memset(found, 0, sizeof(*found));
	ck_assert_int_eq(root_open(&root, NULL), 0);
	guard_device_look(&t, &root, found);
	target_release(&t);
	root_close(&root);
}

/*
 * A program that has a member open for writing does not write to the target:
 * with the target itself open it does.
 */
START_TEST(open_member_is_no_reason)
{
	char upper[64];
	struct guard_findings found;
	struct stat st;
	pid_t other, many[12];

	ck_assert(loop_attach(loop, false, upper, sizeof(upper)));
	ck_assert_int_eq(stat(upper, &st), 0);
	other = open_by_other(loop);
	look_at(upper, st.st_rdev, &found);
	end_other(other);
	ck_assert_str_eq(found.words[GUARD_OPEN], "");
	ck_assert_str_eq(found.words[GUARD_BUSY], "");
	other = open_by_other(upper);
	look_at(upper, st.st_rdev, &found);
	end_other(other);
	ck_assert(strstr(found.words[GUARD_OPEN], "open for writing"));
	loop_detach(upper);
	/* More than the sentence has room for. */
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = open_by_other(loop);
	ck_assert_int_eq(stat(loop, &st), 0);
	look_at(loop, st.st_rdev, &found);
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		end_other(many[i]);
	ck_assert(text_ends(found.words[GUARD_OPEN], "for writing, ..."));
}
END_TEST

/* The path leads to another device than the one that was judged. */
START_TEST(path_that_changed_is_not_claimed)
{
	char other[64], copy[300];
	struct guard_findings found;
	struct stat st;

	snprintf(copy, sizeof(copy), "%s/copy", dir);
	make_file(copy, SIZE, 0);
	ck_assert(loop_attach(copy, false, other, sizeof(other)));
	ck_assert_int_eq(stat(loop, &st), 0);
	look_at(other, st.st_rdev, &found);
	ck_assert_str_ne(found.words[GUARD_BUSY], "");
	look_at(loop, st.st_rdev, &found);
	ck_assert_str_eq(found.words[GUARD_BUSY], "");
	loop_detach(other);
}
END_TEST

/* What a loop device holds is not written behind its back. */
START_TEST(file_below_a_loop_device)
{
	char *names[] = { image };
	struct allow_list p = { .overwrite = names, .n_overwrite = 1 };

	expect_refused(image, &p, "is built on it");
	expect_refused(image, &p, "--override=held");
	p.override = (char *[]){ mounted };
	p.n_override = 1;
	expect_refused(image, &p, "is built on it");
	p.override = (char *[]){ held };
	expect_written(image, &p);
	loop_detach(loop);
	p.n_override = 0;
	expect_written(image, &p);
}
END_TEST

/* A namespace of an NVMe target, as the kernel's configuration shows it. */
static void make_namespace(int id, int enabled, const char *path)
{
	ck_assert_int_eq(
		run_command("cd /sys/kernel && d=config/nvmet/subsystems/"
			    "nqn.test/namespaces/%d && mkdir -p $d && "
			    "echo %d >$d/enable && "
			    "echo %s >$d/device_path",
			    id, enabled, path),
		0);
}

/* The kernel itself writes for another machine: no process has it open. */
START_TEST(exported_to_other_machines)
{
	struct guard_findings found;
	struct stat st;

	ck_assert_int_eq(stat(loop, &st), 0);
	/* Seen by this process and its children only. */
	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	/* In a chroot "/" is no mount. */
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		ck_assert_int_eq(mount("none", "/sys", NULL,
				       MS_REC | MS_PRIVATE, NULL),
				 0);
	ck_assert_int_eq(mount("none", "/sys/kernel", "tmpfs", 0, NULL), 0);
	make_namespace(1, 0, loop);
	make_namespace(2, 1, image);
	make_namespace(3, 1, "/dev/null");
	look_at(loop, st.st_rdev, &found);
	ck_assert_str_eq(found.words[GUARD_OPEN], "");
	make_namespace(1, 1, loop);
	look_at(loop, st.st_rdev, &found);
	ck_assert_ptr_nonnull(strstr(found.words[GUARD_OPEN], "nqn.test"));
	ck_assert_ptr_nonnull(strstr(found.words[GUARD_OPEN], loop + 5));
	expect_refused(loop,
		       &(struct allow_list){ .destroy = (char *[]){ loop },
					     .n_destroy = 1 },
		       "to other machines");
	ck_assert_int_eq(umount("/sys/kernel"), 0);
}
END_TEST

/*
 * A loop device over a whole disk, of which a partition is mounted: that the
 * disk itself is not mounted says nothing.
 */
START_TEST(partition_of_a_member)
{
	struct blkpg_partition part = { .start = 1 << 20,
					.length = 8 << 20,
					.pno = 1 };
	struct blkpg_ioctl_arg arg = { .op = BLKPG_ADD_PARTITION,
				       .datalen = sizeof(part),
				       .data = &part };
	char over[64], *names[] = { over }, node[80];
	struct allow_list p = { .destroy = names, .n_destroy = 1 };
	int fd, rc;

	/* One that is scanned loses its partitions as it is detached, also
	 * when we fail: the next to get this device shall not find them. */
	loop_detach(loop);
	ck_assert(loop_attach(image, true, loop, sizeof(loop)));
	fd = open(loop, O_RDWR | O_CLOEXEC);
	rc = ioctl(fd, BLKPG, &arg);
	close(fd);
	snprintf(node, sizeof(node), "%sp1", loop);
	run_command("udevadm settle");
	if (rc || access(node, F_OK))
		return; /* no partitions of loop devices, or nobody's nodes */
	ck_assert_int_eq(run_command("mkfs.ext4 -q %s", node), 0);
	ck_assert_int_eq(run_command("mount -o ro %s %s", node, point), 0);
	ck_assert(loop_attach(loop, false, over, sizeof(over)));
	expect_refused(over, &p, "is mounted on");
	ck_assert_int_eq(run_command("umount %s", point), 0);
	expect_refused(over, &p, "carries an ext4 signature");
	p.override = (char *[]){ signature };
	p.n_override = 1;
	expect_written(over, &p);
	loop_detach(over);
}
END_TEST

/* Two partitions of a loop device; false where there can be none. */
static bool make_partitions(char node[2][80])
{
	int fd, rc = 0;

	loop_detach(loop);
	ck_assert(loop_attach(image, true, loop, sizeof(loop)));
	fd = open(loop, O_RDWR | O_CLOEXEC);
	for (int i = 0; i < 2; i++) {
		struct blkpg_partition part = { .start = (1 + 8LL * i) << 20,
						.length = 4 << 20,
						.pno = i + 1 };
		struct blkpg_ioctl_arg arg = { .op = BLKPG_ADD_PARTITION,
					       .datalen = sizeof(part),
					       .data = &part };

		rc |= ioctl(fd, BLKPG, &arg);
		snprintf(node[i], 80, "%sp%d", loop, i + 1);
	}
	close(fd);
	run_command("udevadm settle");
	return !rc && !access(node[0], F_OK) && !access(node[1], F_OK);
}

/*
 * Two runs, or two jobs of one, write to two partitions of a disk: the lock of
 * the whole disk is theirs. That of another program keeps them off.
 */
START_TEST(partitions_of_one_disk)
{
	char node[2][80], *names[] = { node[0], node[1] };
	const struct allow_list p = { .destroy = names, .n_destroy = 2 };
	struct guard_findings found = { 0 };
	struct target t = { .path = node[0], .guard_fd = -1, .lock_fd = -1 };
	struct root root;
	struct stat st;
	FILE *other;

	if (!make_partitions(node))
		return;
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(stat(node[0], &st), 0);
	t.rdev = st.st_rdev;
	guard_device_look(&t, &root, &found);
	ck_assert_str_eq(found.words[GUARD_BUSY], "");
	ck_assert_int_ge(t.lock_fd, 0);
	expect_written(node[1], &p);
	/* The same partition twice is another matter. */
	expect_refused(node[0], &p, "the kernel uses");
	target_release(&t);
	other = lock_by_other(loop);
	expect_refused(node[1], &p, "the kernel uses");
	pclose(other);
	expect_written(node[1], &p);
	root_close(&root);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("loop devices"),
	      *files = tcase_create("files");

	tcase_add_checked_fixture(files, setup_file, teardown_file);
	tcase_add_test(files, signatures_are_found);
	suite_add_tcase(suite, files);
	if (!have_loop()) {
		test_in_part(NEEDS_LOOP);
		return;
	}
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, twin_without_a_path);
	tcase_add_test(tc, same_path_other_file);
	tcase_add_test(tc, twin_of_a_member);
	tcase_add_test(tc, member_in_use);
	tcase_add_test(tc, partition_of_a_member);
	tcase_add_test(tc, open_member_is_no_reason);
	tcase_add_test(tc, path_that_changed_is_not_claimed);
	tcase_add_test(tc, file_below_a_loop_device);
	tcase_add_test(tc, exported_to_other_machines);
	tcase_add_test(tc, partitions_of_one_disk);
	suite_add_tcase(suite, tc);
}
