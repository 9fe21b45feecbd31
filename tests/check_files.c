/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/workload: names, sizes and making of files. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "workload/target/target.h"

#include "workload_help.h"

static char *dir;

static void setup(void)
{
	dir = make_dir();
}

static void teardown(void)
{
	remove_dir(dir);
}

/* "a=1 b=2" */
static void init_job(struct job *job, const char *options)
{
	char *copy = xstrdup(options), *save = NULL;

	job_init(job);
	set_option(job, "name", "f");
	set_option(job, "directory", dir);
	for (char *p = strtok_r(copy, " ", &save); p;
	     p = strtok_r(NULL, " ", &save)) {
		char *value = strchr(p, '=');

		*value++ = '\0';
		set_option(job, p, value);
	}
	free(copy);
}

static void run(struct outcome *o, const char *options)
{
	struct job job;

	init_job(&job, options);
	run_jobs(o, &job, 1, NULL);
	ck_assert_msg(o->open_rc == 0 && o->close_rc == 0, "%s: %s", options,
		      o->sentence);
	job_free(&job);
}

/* The I/Os of a run that must work. */
static uint64_t ios(const char *options)
{
	struct outcome o;
	uint64_t n = 0;

	run(&o, options);
	for (int i = 0; i < JOB_DIRS; i++)
		n += o.row->op[i].ios;
	free_outcome(&o);
	return n;
}

static void refused(const char *options, int code, const char *words)
{
	struct outcome o;
	struct job job;

	init_job(&job, options);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == code, "%s: %d %s", options, o.open_rc,
		      o.sentence);
	ck_assert_msg(strstr(o.sentence, words) != NULL, "%s", o.sentence);
	job_free(&job);
}

/* The size of a file in dir; -1: there is none. */
static long long size_of(const char *name)
{
	char path[400];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &st) ? -1 : (long long)st.st_size;
}

/* Bytes that the file system has really written for a file. */
static uint64_t written_bytes(const char *name)
{
	char path[400];
	enum { EXTENTS = 512 };
	struct fiemap *m =
		xcalloc(1, sizeof(*m) + EXTENTS * sizeof(m->fm_extents[0]));
	uint64_t bytes = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	m->fm_length = UINT64_MAX;
	m->fm_flags = FIEMAP_FLAG_SYNC;
	m->fm_extent_count = EXTENTS;
	fd = open(path, O_RDONLY);
	if (ioctl(fd, FS_IOC_FIEMAP, m))
		bytes = UINT64_MAX; /* a file system that does not tell */
	for (unsigned i = 0; bytes != UINT64_MAX && i < m->fm_mapped_extents;
	     i++)
		if (!(m->fm_extents[i].fe_flags & FIEMAP_EXTENT_UNWRITTEN))
			bytes += m->fm_extents[i].fe_length;
	close(fd);
	free(m);
	return bytes;
}

START_TEST(names)
{
	static const struct {
		const char *options, *name[3];
	} rows[] = {
		{ "nrfiles=3", { "f.1.0", "f.1.1", "f.1.2" } },
		{ "filename_format=$jobname-$jobnum/$filenum nrfiles=1",
		  { "f-1/0" } },
		{ "filename_format=all.$filenum.$x", { "all.0.$x" } },
		{ "filename_format=$clientuid", { "localhost" } },
		{ "filename=a:b nrfiles=7", { "a", "b" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct job job;
		size_t n, k;
		char **paths;

		init_job(&job, rows[i].options);
		paths = target_paths(&job, 1, &n);
		for (k = 0; k < n; k++) {
			ck_assert_ptr_nonnull(rows[i].name[k]);
			ck_assert_str_eq(paths[k] + strlen(dir) + 1,
					 rows[i].name[k]);
			free(paths[k]);
		}
		ck_assert(k == 3 || !rows[i].name[k]);
		free(paths);
		job_free(&job);
	}
}
END_TEST

/* Clones take the directories in turns. */
START_TEST(directories)
{
	char *both = xasprintf("directory=%s/a:%s/b rw=write size=8k "
			       "numjobs=2",
			       dir, dir);

	run_command("mkdir %s/a %s/b", dir, dir);
	ck_assert_uint_eq(ios(both), 4);
	ck_assert_int_eq(size_of("a/f.0.0"), 8192);
	ck_assert_int_eq(size_of("b/f.1.0"), 8192);
	ck_assert_int_eq(size_of("a/f.1.0"), -1);
	free(both);
}
END_TEST

/* I/Os and file sizes as fio 3.33 has them. */
START_TEST(sizes)
{
	ck_assert_uint_eq(ios("rw=write size=64k offset=16k filename=a"), 16);
	ck_assert_int_eq(size_of("a"), 80 << 10);
	ck_assert_uint_eq(ios("rw=write size=64k numjobs=2 filename=b "
			      "offset_increment=16k"),
			  32);
	ck_assert_int_eq(size_of("b"), 80 << 10);
	ck_assert_uint_eq(ios("rw=write size=64k nrfiles=3"), 15);
	ck_assert_uint_eq(ios("rw=write filesize=16k size=100k nrfiles=3 "
			      "name=g"),
			  12);
	ck_assert_int_eq(size_of("g.0.2"), 16 << 10);
	ck_assert_uint_eq(ios("rw=write filesize=64k size=40k filename=c"), 10);
	ck_assert_int_eq(size_of("c"), 64 << 10);
	ck_assert_uint_eq(ios("rw=write size=64k io_size=50% filename=d"), 8);
	ck_assert_uint_eq(ios("rw=write size=64k io_size=1m filename=d"), 256);
	ck_assert_uint_eq(ios("rw=write size=64k number_ios=5 filename=d"), 5);
	ck_assert_uint_eq(ios("rw=read size=50% filename=d"), 8);
	ck_assert_uint_eq(ios("rw=read offset=30% filename=d"), 11);
	ck_assert_uint_eq(ios("rw=read offset=30% offset_align=32k "
			      "filename=d"),
			  8);
	ck_assert_uint_eq(ios("rw=read numjobs=2 offset_increment=50% "
			      "filename=d"),
			  16 + 8);
	ck_assert_uint_eq(ios("rw=trimwrite size=64k ioengine=null"), 32);
	ck_assert_uint_eq(ios("rw=write size=16k file_append=1 filename=d"), 4);
	ck_assert_int_eq(size_of("d"), 80 << 10);
	refused("rw=read size=2k filename=d", -EINVAL, "less than one block");
}
END_TEST

START_TEST(drawn_sizes)
{
	long long least = 1 << 30, most = 0;
	char name[40];

	ios("rw=write filesize=8k-80k nrfiles=40");
	for (int i = 0; i < 40; i++) {
		long long bytes;

		snprintf(name, sizeof(name), "f.0.%d", i);
		bytes = size_of(name);
		ck_assert_int_ge(bytes, 8192);
		ck_assert_int_le(bytes, 80 << 10);
		ck_assert_int_eq(bytes % 4096, 0);
		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
	}
	ck_assert_int_lt(least, 20 << 10);
	ck_assert_int_gt(most, 60 << 10);
}
END_TEST

static const char *const readers[] = {
	"rw=randread nrfiles=4 numjobs=3 create_serialize=0",
	"rw=randread nrfiles=4 numjobs=3",
	"rw=randrw filesize=100k-400k nrfiles=5",
	"rw=randwrite overwrite=1 fallocate=none",
	"rw=randread bs=5000",
};

/* No hole and no unwritten extent is left for a reader. */
START_TEST(layout_is_written)
{
	char *options = xasprintf("%s size=2m io_size=16k", readers[_i]), *line;
	size_t size = 0;
	FILE *list;

	ios(options);
	options[strlen(options)] = '\0';
	line = xasprintf("find %s -type f -printf '%%P\\n'", dir);
	list = popen(line, "r");
	free(line);
	line = NULL;
	for (int n = 0;; n++) {
		uint64_t bytes;

		if (getline(&line, &size, list) < 0) {
			ck_assert_int_ge(n, 1);
			break;
		}
		line[strcspn(line, "\n")] = '\0';
		bytes = written_bytes(line);
		if (bytes != UINT64_MAX)
			ck_assert_msg(bytes >= (uint64_t)size_of(line),
				      "%s: %s has %llu bytes written of %lld",
				      options, line, (unsigned long long)bytes,
				      size_of(line));
	}
	pclose(list);
	free(line);
	free(options);
}
END_TEST

/* A file that a writer left half unwritten is completed for a job that reads
 * and writes, but not for one that only reads. */
START_TEST(layout_fills_holes)
{
	ios("rw=randwrite size=8m io_size=64k filename=h fallocate=truncate");
	ck_assert_int_eq(size_of("h"), 8 << 20);
	ck_assert_uint_lt(written_bytes("h"), 8 << 20);
	ios("rw=randread size=8m io_size=64k filename=h");
	ck_assert_uint_lt(written_bytes("h"), 8 << 20);
	ios("rw=randrw size=8m io_size=64k filename=h");
	ck_assert_uint_ge(written_bytes("h"), 8 << 20);
}
END_TEST

static int open_file(const char *name)
{
	char path[400];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static bool block_is(const char *name, uint64_t offset, char c)
{
	char want[4096], got[4096];
	int fd = open_file(name);

	memset(want, c, sizeof(want));
	ck_assert_int_eq(pread(fd, got, sizeof(got), (off_t)offset),
			 sizeof(got));
	close(fd);
	return !memcmp(want, got, sizeof(got));
}

/*
 * What was written between the holes stays, were it for a read to verify; and
 * space that was only looked at, so that zeros of it are cached, is none.
 */
START_TEST(layout_keeps_what_is_there)
{
	char page[4096];
	int fd;

	ios("rw=randwrite size=8m number_ios=1 filename=k");
	fd = open_file("k");
	memset(page, 'x', sizeof(page));
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(posix_fallocate(fd, 0, 8 << 20), 0);
	ck_assert_int_eq(pwrite(fd, page, sizeof(page), 4 << 20), 4096);
	ck_assert_int_eq(pwrite(fd, page, sizeof(page), 0), 4096);
	ck_assert_int_eq(fsync(fd), 0);
	for (off_t at = 0; at < 8 << 20; at += 4096)
		ck_assert_int_eq(pread(fd, page, sizeof(page), at), 4096);
	/* As if a run had left it so. */
	layout_mark_left(fd);
	close(fd);
	ios("rw=rw rwmixread=100 size=8m number_ios=1 filename=k");
	ck_assert(block_is("k", 0, 'x'));
	ck_assert(block_is("k", 4 << 20, 'x'));
	ck_assert(!block_is("k", 4096, 0));
	ck_assert(!block_is("k", (8 << 20) - 4096, 0));
	ck_assert_uint_ge(written_bytes("k"), 8 << 20);
}
END_TEST

/* What is removed is what was made, not what has come to be in its place. */
START_TEST(only_own_files_are_removed)
{
	char path[400], other[400];
	struct workload *w;
	struct root root;
	struct job job;

	snprintf(path, sizeof(path), "%s/u", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	ck_assert_int_eq(root_open(&root, NULL), 0);
	for (int i = 0; i < 2; i++) {
		init_job(&job, "rw=write size=64k filename=u");
		ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
		ck_assert_int_eq(size_of("u"), 64 << 10);
		if (i) {
			make_file(other, 4096, 7);
			ck_assert_int_eq(rename(other, path), 0);
		}
		ck_assert_int_eq(workload_close(w, 0), 0);
		ck_assert_int_eq(size_of("u"), i ? 4096 : -1);
		job_free(&job);
	}
	root_close(&root);
}
END_TEST

/* Somebody else's file is not filled, but that it has holes is said. */
START_TEST(holes_of_others_are_told)
{
	char page[4096] = "x", file[300];
	struct workload *w;
	struct root root;
	struct event e;
	struct job job;
	bool told = false;
	int fd;

	snprintf(file, sizeof(file), "%s/theirs", dir);
	fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(pwrite(fd, page, sizeof(page), 0), sizeof(page));
	ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
	close(fd);
	init_job(&job, "rw=read filename=theirs");
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_msg(workload_open(&w, &root, &job, 1, NULL) == 0, "%s",
		      fail_sentence());
	ck_assert_int_eq(workload_start(w), 0);
	while (!workload_done(w))
		poll(NULL, 0, 1);
	while (workload_event(w, &e))
		told |= strstr(e.text, "theirs has a hole or unwritten space "
				       "at 4096:") != NULL;
	ck_assert(told);
	ck_assert_int_eq(workload_close(w, 60 * NS_PER_S), 0);
	ck_assert_uint_lt(written_bytes("theirs"), 1 << 20);
	root_close(&root);
	job_free(&job);
}
END_TEST

START_TEST(fallocate_kinds)
{
	struct stat st;
	char path[300];

	snprintf(path, sizeof(path), "%s/a", dir);
	ios("rw=write size=4m io_size=64k filename=a fallocate=none");
	ck_assert_int_eq(size_of("a"), 64 << 10);
	ios("rw=write size=4m io_size=64k filename=a fallocate=truncate");
	ck_assert_int_eq(size_of("a"), 4 << 20);
	stat(path, &st);
	ck_assert_int_lt(st.st_blocks, 1024);
	unlink(path);
	ios("rw=write size=4m io_size=64k filename=a fallocate=keep");
	ck_assert_int_eq(size_of("a"), 64 << 10);
	unlink(path);
	ios("rw=write size=4m io_size=64k filename=a fallocate=posix "
	    "create_fsync=1");
	ck_assert_int_eq(size_of("a"), 4 << 20);
	stat(path, &st);
	ck_assert_int_ge(st.st_blocks, 8192);
	unlink(path);
	ios("rw=write size=4m io_size=64k filename=a create_on_open=1");
	ck_assert_int_eq(size_of("a"), 64 << 10);
}
END_TEST

START_TEST(making_and_removing)
{
	char path[300];

	ck_assert_uint_eq(ios("rw=read size=1m create_only=1"), 0);
	ck_assert_int_eq(size_of("f.0.0"), 1 << 20);
	ck_assert_uint_eq(ios("rw=write size=1m unlink=1 nrfiles=2"), 256);
	ck_assert_int_eq(size_of("f.0.0"), -1);
	ck_assert_int_eq(size_of("f.0.1"), -1);
	refused("rw=write size=1m allow_file_create=0", -ENOENT,
		"allow_file_create=0");
	ck_assert_int_eq(size_of("f.0.0"), -1);
	/* What is not ours is neither removed nor read for it. */
	snprintf(path, sizeof(path), "%s/mine", dir);
	make_file(path, 8192, 'x');
	refused("rw=read unlink=1 filename=mine", -EPERM, "would remove");
	refused("rw=write size=8k filename=new:mine", -EPERM, "--overwrite=");
	ck_assert(file_is_all(path, 'x'));
	ck_assert_int_eq(size_of("new"), -1);
	/* Nor by way of a format, a link or an offset behind its end. */
	refused("rw=write size=8k filename_format=mine", -EPERM,
		"--overwrite=");
	refused("rw=write size=8k file_append=1 filename=mine", -EPERM,
		"--overwrite=");
	run_command("ln -s mine %s/link", dir);
	refused("rw=randwrite size=8k filename=link", -EPERM, "--overwrite=");
	refused("rw=randtrim size=8k filename=link", -EPERM, "--overwrite=");
	run_command("ln -s nowhere %s/dangling", dir);
	refused("rw=write size=8k filename=dangling", -EEXIST, "File exists");
	ck_assert(file_is_all(path, 'x'));
	ck_assert_int_eq(size_of("nowhere"), -1);
	refused("rw=write size=1000t nrfiles=100", -ENOSPC, "MiB are free");
}
END_TEST

/* The phases of a buffered reader, and what it finds in the cache. */
START_TEST(phases)
{
	static const struct {
		const char *options, *phases;
	} rows[] = {
		{ "rw=read size=1m", "layout wait invalidate run done " },
		{ "rw=read size=1m", "wait invalidate run done " },
		{ "rw=read size=1m pre_read=1", "wait invalidate run done " },
		{ "rw=read size=1m invalidate=0", "wait run done " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char seen[200] = "";
		struct workload *w;
		struct root root;
		struct event e;
		struct job job;

		init_job(&job, rows[i].options);
		ck_assert_int_eq(root_open(&root, NULL), 0);
		ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
		ck_assert_int_eq(workload_start(w), 0);
		while (!workload_done(w))
			while (workload_event(w, &e))
				if (e.kind == EVENT_PHASE)
					strcat(strcat(seen, event_phase_name(
								    e.phase)),
					       " ");
		while (workload_event(w, &e))
			if (e.kind == EVENT_PHASE)
				strcat(strcat(seen, event_phase_name(e.phase)),
				       " ");
		ck_assert_int_eq(workload_close(w, 60 * NS_PER_S), 0);
		/* One that is short may go by unseen, but not the order. */
		ck_assert_ptr_nonnull(strstr(seen, "done "));
		if (strstr(seen, "invalidate"))
			ck_assert_ptr_nonnull(
				strstr(rows[i].phases, "invalidate"));
		if (strstr(seen, "layout"))
			ck_assert_uint_eq(i, 0);
		root_close(&root);
		job_free(&job);
	}
}
END_TEST

/* Who only waits for news hears of it as it begins, unless it is short. */
START_TEST(layout_is_told)
{
	uint64_t begin_ns = clock_mono_ns();
	struct pollfd p = { .events = POLLIN };
	struct workload *w;
	struct root root;
	struct event e;
	struct job job;

	init_job(&job, "rw=randread size=256m io_size=64k");
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(workload_open(&w, &root, &job, 1, NULL), 0);
	ck_assert_int_eq(workload_start(w), 0);
	p.fd = workload_fd(w);
	do
		ck_assert_int_eq(poll(&p, 1, 30000), 1);
	while (!workload_event(w, &e));
	ck_assert((e.kind == EVENT_PHASE && e.phase == PHASE_LAYOUT) ||
		  clock_mono_ns() - begin_ns < NS_PER_S / 4);
	while (!workload_done(w)) {
		poll(&p, 1, 100);
		while (workload_event(w, &e))
			;
	}
	ck_assert_int_eq(workload_close(w, 60 * NS_PER_S), 0);
	root_close(&root);
	job_free(&job);
}
END_TEST

/* A small file system is filled to the last block: no error, all counted. */
START_TEST(fill_device)
{
	char image[300], point[300], device[64], *options;
	struct statvfs v;
	struct outcome o;

	snprintf(image, sizeof(image), "%s/image", dir);
	snprintf(point, sizeof(point), "%s/point", dir);
	run_command("mkdir %s", point);
	make_file(image, 16 << 20, 0);
	if (geteuid() != 0 || !loop_attach(image, false, device, 64))
		return;
	ck_assert_int_eq(run_command("mkfs.ext4 -q -m 0 %s", device), 0);
	ck_assert_int_eq(run_command("mount %s %s", device, point), 0);
	options =
		xasprintf("rw=write fill_device=1 bs=64k directory=%s", point);
	run(&o, options);
	ck_assert_int_eq(statvfs(point, &v), 0);
	ck_assert_uint_gt(o.row->op[JOB_WRITE].bytes, 8 << 20);
	ck_assert_uint_eq(o.row->errors, 0);
	ck_assert_uint_lt(v.f_bavail * v.f_frsize, 128 << 10);
	free_outcome(&o);
	free(options);
	ck_assert_int_eq(run_command("umount %s", point), 0);
	loop_detach(device);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("files");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, names);
	tcase_add_test(tc, directories);
	tcase_add_test(tc, sizes);
	tcase_add_test(tc, drawn_sizes);
	tcase_add_loop_test(tc, layout_is_written, 0, ARRAY_SIZE(readers));
	tcase_add_test(tc, layout_fills_holes);
	tcase_add_test(tc, layout_keeps_what_is_there);
	tcase_add_test(tc, only_own_files_are_removed);
	tcase_add_test(tc, holes_of_others_are_told);
	tcase_add_test(tc, layout_is_told);
	tcase_add_test(tc, fallocate_kinds);
	tcase_add_test(tc, making_and_removing);
	tcase_add_test(tc, phases);
	tcase_add_test(tc, fill_device);
	suite_add_tcase(suite, tc);
}
