/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/workload on real loop devices: the guard, readahead, I/O
 * errors. Needs root and loop devices, but for what the guard says of a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "workload_help.h"

#define SIZE (64u << 20)

static char *dir;
static char image[300], point[300], loop[64];
static bool attached;
static const char *content; /* what a job must not write */
static char signature[] = "signature", mounted[] = "mounted", busy[] = "busy";
static char held[] = "held";
static char dev_null[] = "/dev/null", nope[] = "nope";

static void setup_file(void)
{
	dir = make_dir();
	snprintf(image, sizeof(image), "%s/image", dir);
	make_file(image, SIZE, 0);
	content = image;
}

static void teardown_file(void)
{
	remove_dir(dir);
}

static void setup(void)
{
	setup_file();
	snprintf(point, sizeof(point), "%s/point", dir);
	ck_assert_int_eq(mkdir(point, 0700), 0);
	content = loop;
	attached = loop_attach(image, true, loop, sizeof(loop));
	ck_assert(attached);
}

static void teardown(void)
{
	run_command("umount %s", point);
	if (attached)
		loop_detach(loop);
	remove_dir(dir);
}

/* A digest of all that is read from it, what is cached for a device included. */
static uint64_t digest(void)
{
	static unsigned char buf[1 << 20];
	uint64_t sum = 1469598103934665603ull;
	int fd = open(content, O_RDONLY);
	ssize_t n;

	/* Of what is there, not of what was before a twin wrote. */
	ck_assert_int_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			sum = (sum ^ buf[i]) * 1099511628211ull;
	close(fd);
	return sum;
}

static void init_job(struct job *job, const char *target)
{
	job_init(job);
	set_option(job, "name", "dev");
	set_option(job, "filename", target);
	set_option(job, "rw", "randwrite");
	set_option(job, "bs", "64k");
	set_option(job, "io_size", "1m");
}

/* Refused, with all words in the sentence. */
static void expect_sentence(const char *target,
			    const struct allow_list *allowed,
			    const char *const *words)
{
	struct outcome o;
	struct job job;

	init_job(&job, target);
	run_jobs(&o, &job, 1, allowed);
	ck_assert_msg(o.open_rc == -EPERM, "%d %s", o.open_rc, o.sentence);
	for (; *words; words++)
		ck_assert_msg(strstr(o.sentence, *words) != NULL,
			      "no '%s' in: %s", *words, o.sentence);
	job_free(&job);
}

/* Refused, all words in the sentence, and not a byte written. */
static void expect_refused(const char *target, const struct allow_list *allowed,
			   const char *const *words)
{
	uint64_t before = digest();

	expect_sentence(target, allowed, words);
	ck_assert_uint_eq(digest(), before);
}

/* Bytes that this process has had written to disks. */
static uint64_t written_by_us(void)
{
	unsigned long long bytes = 0;
	FILE *f = fopen("/proc/self/io", "r");
	char line[100];

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "write_bytes: %llu", &bytes);
	fclose(f);
	return bytes;
}

static void expect_written(const char *target, const struct allow_list *allowed)
{
	uint64_t before = digest();
	struct outcome o;
	struct job job;

	init_job(&job, target);
	run_jobs(&o, &job, 1, allowed);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_ne(digest(), before);
	free_outcome(&o);
	job_free(&job);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

START_TEST(guard_named)
{
	char link[300], *names[] = { link }, *bare[] = { loop + 5 };
	struct allow_list by_link = { .destroy = names, .n_destroy = 1 };
	struct allow_list by_name = { .destroy = bare, .n_destroy = 1 };
	struct allow_list other = { .destroy = (char *[]){ dev_null, nope },
				    .n_destroy = 2 };

	snprintf(link, sizeof(link), "%s/link", dir);
	ck_assert_int_eq(symlink(loop, link), 0);
	expect_refused(loop, NULL, WORDS("--destroy-data=/dev/loop"));
	expect_refused(link, &other, WORDS("--destroy-data="));
	expect_written(loop, &by_link);
	expect_written(link, &by_name);
}
END_TEST

START_TEST(guard_signature_and_mount)
{
	char *names[] = { loop };
	struct allow_list p = { .destroy = names, .n_destroy = 1 };

	ck_assert_int_eq(run_command("mkfs.ext4 -q -L precious %s", loop), 0);
	expect_refused(
		loop, &p,
		WORDS("ext4 signature", "'precious'", "--override=signature"));
	ck_assert_int_eq(run_command("mount -o ro %s %s", loop, point), 0);
	p.override = (char *[]){ signature };
	p.n_override = 1;
	expect_refused(loop, &p,
		       WORDS("is mounted on", "--override=mounted",
			     "--override=busy"));
	p.override = (char *[]){ mounted, busy };
	p.n_override = 2;
	expect_refused(loop, &p, WORDS("--override=signature"));
	ck_assert_int_eq(run_command("umount %s", point), 0);
	p.override = (char *[]){ signature };
	p.n_override = 1;
	expect_written(loop, &p);
}
END_TEST

START_TEST(guard_swap)
{
	char *names[] = { loop };
	struct allow_list p = { .destroy = names, .n_destroy = 1 };
	uint64_t before;

	ck_assert_int_eq(run_command("mkswap %s", loop), 0);
	expect_refused(loop, &p, WORDS("swap signature"));
	if (run_command("swapon %s", loop))
		return; /* a kernel without swap */
	/* The kernel may write there meanwhile; we must not. libcheck's own
	 * notes about the test are a page of a file now and then. */
	before = written_by_us();
	expect_sentence(loop, &p, WORDS("is swap in use", "--override=swap"));
	before = written_by_us() - before;
	ck_assert_int_eq(run_command("swapoff %s", loop), 0);
	ck_assert_uint_lt(before, 65536);
}
END_TEST

/* A DOS partition table with 20 MiB from 1 MiB on, and 20 MiB after it. */
static void write_partitions(void)
{
	unsigned char sector[512] = { [510] = 0x55, [511] = 0xaa };
	int fd = open(loop, O_RDWR);

	for (int i = 0; i < 2; i++) {
		const uint32_t range[2] = { 2048 + 40960 * (uint32_t)i, 40960 };

		sector[446 + 16 * i + 4] = 0x83;
		memcpy(sector + 446 + 16 * i + 8, range, sizeof(range));
	}
	ck_assert_int_eq(pwrite(fd, sector, 512, 0), 512);
	ck_assert_int_eq(fsync(fd), 0);
	ck_assert_int_eq(ioctl(fd, BLKRRPART), 0);
	close(fd);
}

START_TEST(guard_partition)
{
	char part[80], *names[] = { loop, part };
	struct allow_list p = { .destroy = names, .n_destroy = 2 };

	snprintf(part, sizeof(part), "%sp1", loop);
	write_partitions();
	run_command("udevadm settle");
	if (access(part, F_OK))
		return; /* nobody makes nodes here */
	ck_assert_int_eq(run_command("mkfs.ext4 -q %s", part), 0);
	ck_assert_int_eq(run_command("mount -o ro %s %s", part, point), 0);
	expect_refused(
		loop, &p,
		WORDS("is mounted on", "dos signature", "--override=mounted"));
	expect_refused(part, &p, WORDS("is mounted on", "ext4 signature"));
	/* Its neighbour is free. */
	part[strlen(part) - 1] = '2';
	expect_written(part, &p);
	ck_assert_int_eq(run_command("umount %s", point), 0);
}
END_TEST

START_TEST(guarded_disk_held)
{
	char *names[] = { loop }, upper[64];
	struct allow_list p = { .destroy = names, .n_destroy = 1 };

	/* A loop device over the device is in nobody's holders. */
	ck_assert(loop_attach(loop, false, upper, sizeof(upper)));
	expect_refused(loop, &p, WORDS("is built on it", "--override=held"));
	loop_detach(upper);
	if (run_command("echo '0 2048 linear %s 0' | dmsetup create "
			"iodyno-check-%d",
			loop, getpid()))
		return;
	expect_refused(loop, &p, WORDS("is built on it", "--override=held"));
	ck_assert_int_eq(
		run_command("dmsetup remove iodyno-check-%d", getpid()), 0);
}
END_TEST

/* Two loop devices over one file: what one holds, the other destroys. */
START_TEST(guard_twin)
{
	char *names[] = { loop }, twin[64];
	struct allow_list p = { .destroy = names, .n_destroy = 1 };

	ck_assert(loop_attach(image, false, twin, sizeof(twin)));
	expect_refused(loop, &p,
		       WORDS("is over the same file", "--override=held"));
	ck_assert_int_eq(run_command("mkfs.ext4 -q %s", twin), 0);
	ck_assert_int_eq(run_command("mount -o ro %s %s", twin, point), 0);
	p.override = (char *[]){ signature, held };
	p.n_override = 2;
	expect_refused(loop, &p, WORDS("is mounted on", "--override=mounted"));
	ck_assert_int_eq(run_command("umount %s", point), 0);
	loop_detach(twin);
	p.n_override = 1;
	expect_written(loop, &p);
}
END_TEST

START_TEST(guard_busy)
{
	char *names[] = { loop };
	struct allow_list p = { .destroy = names, .n_destroy = 1 };
	int fd = open(loop, O_RDONLY | O_EXCL);
	FILE *other;

	ck_assert_int_ge(fd, 0);
	expect_refused(loop, &p, WORDS("uses the device", "--override=busy"));
	close(fd);
	other = lock_by_other(loop);
	expect_refused(loop, &p, WORDS("uses the device", "--override=busy"));
	p.override = (char *[]){ busy };
	p.n_override = 1;
	expect_written(loop, &p);
	pclose(other);
}
END_TEST

START_TEST(guard_read_only)
{
	char *names[] = { loop };
	struct allow_list p = { .destroy = names, .n_destroy = 1 };

	ck_assert_int_eq(run_command("blockdev --setro %s", loop), 0);
	expect_refused(loop, &p, WORDS("is read-only", "--override=read-only"));
	ck_assert_int_eq(run_command("blockdev --setrw %s", loop), 0);
}
END_TEST

/* Two jobs, the second refused: the first has written nothing either. */
START_TEST(guard_all_before_any)
{
	char *names[] = { loop }, file[300];
	struct allow_list p = { .destroy = names, .n_destroy = 1 };
	uint64_t before = digest();
	struct job job[2];
	struct outcome o;

	snprintf(file, sizeof(file), "%s/other", dir);
	make_file(file, 65536, 'x');
	init_job(&job[0], loop);
	init_job(&job[1], file);
	run_jobs(&o, job, 2, &p);
	ck_assert_int_eq(o.open_rc, -EPERM);
	ck_assert_uint_eq(digest(), before);
	ck_assert(file_is_all(file, 'x'));
	job_free(&job[0]);
	job_free(&job[1]);
}
END_TEST

static char zram[32];

static void zram_end(void)
{
	if (*zram)
		zram_remove(zram);
}

/* A device that completes each I/O within its submission: written, verified. */
START_TEST(zram_is_verified)
{
	char *names[] = { zram };
	const struct allow_list allowed = { .destroy = names, .n_destroy = 1 };
	struct outcome o;
	struct job job;

	if (!zram_add(16 << 20, zram, sizeof(zram)))
		return;
	init_job(&job, zram);
	set_option(&job, "verify", "crc32c");
	set_option(&job, "do_verify", "1");
	run_jobs(&o, &job, 1, &allowed);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_WRITE].ios, 16);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* A file that is not of iodyno's making, by its path or a link to it. */
START_TEST(file_named)
{
	char link[300], *names[] = { link };
	struct allow_list by_link = { .overwrite = names, .n_overwrite = 1 };
	struct allow_list as_device = { .destroy = names, .n_destroy = 1 };
	struct allow_list other = { .overwrite = (char *[]){ dev_null, nope },
				    .n_overwrite = 2 };
	struct outcome o;
	struct job job;

	snprintf(link, sizeof(link), "%s/link", dir);
	ck_assert_int_eq(symlink(image, link), 0);
	expect_refused(image, NULL, WORDS("--overwrite=", "image"));
	expect_refused(link, &other, WORDS("--overwrite="));
	expect_refused(image, &as_device, WORDS("--overwrite="));
	init_job(&job, link);
	set_option(&job, "rw", "randread");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 16);
	free_outcome(&o);
	job_free(&job);
	expect_written(image, &by_link);
}
END_TEST

START_TEST(read_needs_no_permit)
{
	struct outcome o;
	struct job job;

	ck_assert_int_eq(run_command("mkfs.ext4 -q %s", loop), 0);
	ck_assert_int_eq(run_command("mount -o ro %s %s", loop, point), 0);
	init_job(&job, loop);
	set_option(&job, "rw", "randread");
	set_option(&job, "direct", "1");
	set_option(&job, "ioengine", "libaio");
	set_option(&job, "iodepth", "8");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	ck_assert_uint_eq(o.row->op[JOB_READ].ios, 16);
	free_outcome(&o);
	set_option(&job, "bs", "4608");
	job.bs[0].min = job.bs[0].max = 256 * 17;
	job.direct = true;
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, -EINVAL);
	ck_assert_int_eq(run_command("umount %s", point), 0);
	job_free(&job);
}
END_TEST

/* The backing file is cut short: the device answers EIO. */
START_TEST(io_error)
{
	struct outcome o;
	struct job job;

	init_job(&job, loop);
	set_option(&job, "rw", "read");
	set_option(&job, "io_size", "64m");
	set_option(&job, "direct", "1");
	set_option(&job, "ioengine", "libaio");
	set_option(&job, "iodepth", "4");
	ck_assert_int_eq(truncate(image, 1 << 20), 0);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, 0);
	ck_assert_int_eq(o.close_rc, -EIO);
	ck_assert_msg(strstr(o.sentence, "read of 65536 bytes at offset") &&
			      strstr(o.sentence, strerror(EIO)),
		      "%s", o.sentence);
	ck_assert_uint_ge(o.row->errors, 1);
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* The file system fills up under the job. */
START_TEST(no_space)
{
	struct job job;
	struct workload *w;
	struct root root;

	ck_assert_int_eq(run_command("mkfs.ext4 -q -m 0 %s", loop), 0);
	ck_assert_int_eq(run_command("mount %s %s", loop, point), 0);
	job_init(&job);
	set_option(&job, "name", "full");
	set_option(&job, "directory", point);
	set_option(&job, "size", "40m");
	/* Advice would double the readahead. */
	set_option(&job, "fadvise_hint", "0");
	set_option(&job, "bs", "64k");
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
	run_command("fallocate -l 30m %s/fat", point);
	ck_assert_int_eq(workload_start(w), 0);
	ck_assert(test_within(60, workload_done(w)));
	ck_assert_int_eq(workload_close(w, NS_PER_S), -EIO);
	ck_assert_msg(strstr(fail_sentence(), "No space left") != NULL, "%s",
		      fail_sentence());
	ck_assert_int_eq(run_command("umount %s", point), 0);
	root_close(&root);
	job_free(&job);
}
END_TEST

/* Reads and sectors of the device so far. */
static void read_stat(double *ios, double *sectors)
{
	unsigned long long a, b, c;
	char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/block/%s/stat", loop + 5);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%llu %llu %llu", &a, &b, &c), 3);
	fclose(f);
	*ios = (double)a;
	*sectors = (double)c;
}

/* Until the device has served that many more reads. */
static void wait_reads(double more)
{
	double first, now, sectors;

	read_stat(&first, &sectors);
	ck_assert(test_within(
		30, (read_stat(&now, &sectors), now >= first + more)));
}

/* Mean request size in KiB of the next reads of a running job. */
static double request_kib(void)
{
	double ios[2], sectors[2];

	read_stat(&ios[0], &sectors[0]);
	wait_reads(100);
	read_stat(&ios[1], &sectors[1]);
	return (sectors[1] - sectors[0]) / (ios[1] - ios[0]) / 2;
}

static void set_readahead(int kib)
{
	ck_assert_int_eq(
		run_command("echo %d > /sys/block/%s/queue/read_ahead_kb", kib,
			    loop + 5),
		0);
}

/* The next user of a loop device inherits the limit of the last. */
static void no_limit_of_requests(void)
{
	ck_assert_int_eq(
		run_command("cd /sys/block/%s/queue && "
			    "cat max_hw_sectors_kb > max_sectors_kb",
			    loop + 5),
		0);
}

/* A file larger than the cache may hold is kept cold by dropping its pages. */
static void keep_cold(const char *path, const int *stop_fd)
{
	while (fcntl(*stop_fd, F_GETFD) >= 0) {
		int fd = open(path, O_RDONLY);

		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
		usleep(2000);
		if (getppid() == 1)
			_exit(0);
	}
}

START_TEST(readahead_takes_effect)
{
	char words[300], path[400];
	double before, stale, after;
	struct workload *w;
	struct root root;
	struct job job;
	const int zero = 0;
	pid_t cold;

	ck_assert_int_eq(run_command("mkfs.ext4 -q %s", loop), 0);
	ck_assert_int_eq(run_command("mount %s %s", loop, point), 0);
	no_limit_of_requests();
	set_readahead(128);
	job_init(&job);
	set_option(&job, "name", "seq");
	set_option(&job, "directory", point);
	set_option(&job, "size", "40m");
	/* Advice would double the readahead. */
	set_option(&job, "fadvise_hint", "0");
	set_option(&job, "bs", "4k");
	set_option(&job, "time_based", NULL);
	set_option(&job, "runtime", "1m");
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
	ck_assert_int_eq(workload_start(w), 0);
	ck_assert(test_within(60, workload_did(w, 100)));
	snprintf(path, sizeof(path), "%s/seq.0.0", point);
	cold = fork();
	if (cold == 0)
		keep_cold(path, &zero);
	wait_reads(50);
	before = request_kib();
	set_readahead(1024);
	wait_reads(50);
	stale = request_kib();
	ck_assert_int_eq(workload_readahead(w, "vda-not", words, sizeof(words)),
			 0);
	ck_assert_str_eq(words, "");
	ck_assert_int_eq(workload_readahead(w, loop + 5, words, sizeof(words)),
			 1);
	ck_assert_str_eq(words, "");
	wait_reads(50);
	after = request_kib();
	kill(cold, SIGKILL);
	waitpid(cold, NULL, 0);
	workload_stop(w);
	ck_assert_int_eq(workload_close(w, 60 * NS_PER_S), 0);
	ck_assert_int_eq(run_command("umount %s", point), 0);
	ck_assert_msg(before < 140 && stale < 140 && after > 1.5 * before,
		      "KiB per request: %.0f, %.0f, %.0f", before, stale,
		      after);
	root_close(&root);
	job_free(&job);
}
END_TEST

START_TEST(readahead_says_why_not)
{
	struct workload *w;
	struct root root;
	char words[300];
	struct job job;

	init_job(&job, loop);
	set_option(&job, "rw", "read");
	set_option(&job, "direct", "1");
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
	ck_assert_int_eq(workload_readahead(w, loop + 5, words, sizeof(words)),
			 0);
	ck_assert_str_eq(words, "no direct effect on job dev: its I/O is "
				"direct, without readahead");
	ck_assert_int_eq(workload_close(w, 60 * NS_PER_S), 0);
	root_close(&root);
	job_free(&job);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("devices"), *zrams, *files;

	files = tcase_create("files");
	tcase_add_checked_fixture(files, setup_file, teardown_file);
	tcase_add_test(files, file_named);
	suite_add_tcase(suite, files);
	if (!can_loop()) {
		test_in_part(NEEDS_LOOP);
		return;
	}
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, guard_named);
	tcase_add_test(tc, guard_signature_and_mount);
	tcase_add_test(tc, guard_swap);
	tcase_add_test(tc, guard_partition);
	tcase_add_test(tc, guarded_disk_held);
	tcase_add_test(tc, guard_twin);
	tcase_add_test(tc, guard_busy);
	tcase_add_test(tc, guard_read_only);
	tcase_add_test(tc, guard_all_before_any);
	tcase_add_test(tc, read_needs_no_permit);
	zrams = tcase_create("zram");
	tcase_add_checked_fixture(zrams, NULL, zram_end);
	tcase_add_test(zrams, zram_is_verified);
	suite_add_tcase(suite, zrams);
	tcase_add_test(tc, io_error);
	tcase_add_test(tc, no_space);
	tcase_add_test(tc, readahead_takes_effect);
	tcase_add_test(tc, readahead_says_why_not);
	suite_add_tcase(suite, tc);
}
