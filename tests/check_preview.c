/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outlook: what a run would do to its targets is told as the guard judges it,
 * and nothing is touched while it is told.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#include "workload_help.h"

static char *dir, path[300];
static struct root root;

static void setup(void)
{
	dir = make_dir();
	snprintf(path, sizeof(path), "%s/target", dir);
	ck_assert_int_eq(root_open(&root, NULL), 0);
}

static void teardown(void)
{
	root_close(&root);
	remove_dir(dir);
}

static struct run_preview look(const char *rw, const char *target, int rc)
{
	struct run_preview out = { .n_jobs = 0 };
	struct allow_list need = { .n_destroy = 0 };
	struct job job;
	int got;

	job_init(&job);
	set_option(&job, "name", "j");
	set_option(&job, "rw", rw);
	set_option(&job, "size", "1m");
	set_option(&job, "filename", target);
	got = preview_jobs(&out, &need, &root, &job, 1);
	ck_assert_msg(got == rc, "%d %s", got, got ? fail_sentence() : "");
	ck_assert_int_eq(*out.demand != '\0',
			 need.n_destroy + need.n_overwrite + need.n_override >
				 0);
	guard_allow_list_free(&need);
	job_free(&job);
	return out;
}

START_TEST(files)
{
	struct run_preview out = look("write", path, 0);

	ck_assert_uint_eq(out.n_targets, 1);
	ck_assert_int_eq(out.target[0].danger, RUN_MAKES);
	ck_assert_str_eq(out.demand, "");
	ck_assert_int_ne(access(path, F_OK), 0);

	make_file(path, 1 << 20, 7);
	out = look("read", path, 0);
	ck_assert_int_eq(out.target[0].danger, RUN_READS);
	ck_assert_ptr_nonnull(strstr(out.target[0].words, "nothing"));
	out = look("write", path, 0);
	ck_assert_int_eq(out.target[0].danger, RUN_DESTROY);
	ck_assert_str_eq(out.demand, path);
	ck_assert(file_is_all(path, 7));

	/* A file too short for its reader would be extended. */
	ck_assert_int_eq(truncate(path, 4096), 0);
	out = look("read", path, 0);
	ck_assert_int_eq(out.target[0].danger, RUN_DESTROY);
	ck_assert_ptr_nonnull(strstr(out.target[0].words, "extends"));
	look("write", "/proc/no/such/dir/file", -ENOENT);
}
END_TEST

START_TEST(own_file)
{
	struct run_preview out;
	struct outcome o;
	struct job job;

	job_init(&job);
	set_option(&job, "name", "j");
	set_option(&job, "rw", "write");
	set_option(&job, "size", "1m");
	set_option(&job, "filename", path);
	run_jobs(&o, &job, 1, NULL);
	ck_assert_msg(o.open_rc == 0 && o.close_rc == 0, "%s", o.sentence);
	out = look("write", path, 0);
	ck_assert_int_eq(out.target[0].danger, RUN_REWRITE);
	ck_assert_str_eq(out.demand, "");
	free_outcome(&o);
	job_free(&job);
}
END_TEST

/* As for a run: what a loop device holds is read, but written by name only. */
START_TEST(own_file_below_a_loop_device)
{
	char name[64], words[400];
	struct run_preview out;
	struct outcome o;
	struct job job;

	job_init(&job);
	set_option(&job, "name", "j");
	set_option(&job, "rw", "write");
	set_option(&job, "size", "1m");
	set_option(&job, "filename", path);
	run_well(&o, &job, 1);
	free_outcome(&o);
	if (geteuid() != 0 || !loop_attach(path, false, name, sizeof(name)))
		return;
	out = look("write", path, 0);
	ck_assert_int_eq(out.target[0].danger, RUN_DESTROY);
	ck_assert_str_eq(out.demand, "held");
	snprintf(words, sizeof(words), "%s is built on it", name + 5);
	ck_assert_ptr_nonnull(strstr(out.target[0].words, words));
	out = look("read", path, 0);
	ck_assert_int_eq(out.target[0].danger, RUN_READS);
	ck_assert_str_eq(out.demand, "");
	run_jobs(&o, &job, 1, NULL);
	ck_assert_int_eq(o.open_rc, -EPERM);
	set_option(&job, "rw", "read");
	run_well(&o, &job, 1);
	ck_assert_uint_eq(o.row->op[JOB_READ].bytes, 1 << 20);
	free_outcome(&o);
	loop_detach(name);
	job_free(&job);
}
END_TEST

static uint64_t identity_of(const char *target)
{
	uint64_t n = 0;
	struct job job;

	job_init(&job);
	set_option(&job, "name", "j");
	set_option(&job, "rw", "write");
	set_option(&job, "size", "1m");
	set_option(&job, "filename", target);
	ck_assert_int_eq(preview_identities(&n, &root, &job, 1), 0);
	job_free(&job);
	return n;
}

/* A name may come to stand for another file or disk. */
START_TEST(identity)
{
	char other[320], name[64], again[64];
	uint64_t before, device;

	make_file(path, 1 << 20, 1);
	before = identity_of(path);
	ck_assert_uint_eq(identity_of(path), before);
	snprintf(other, sizeof(other), "%s.other", path);
	make_file(other, 1 << 20, 1);
	ck_assert_int_eq(rename(other, path), 0);
	ck_assert_uint_ne(identity_of(path), before);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_uint_ne(identity_of(path), before);

	make_file(path, 4 << 20, 1);
	if (geteuid() != 0 || !loop_attach(path, false, name, sizeof(name)))
		return;
	device = identity_of(name);
	ck_assert_uint_eq(identity_of(name), device);
	loop_detach(name);
	ck_assert(loop_attach(path, false, again, sizeof(again)));
	ck_assert_uint_ne(identity_of(again), device);
	loop_detach(again);
}
END_TEST

static uint64_t contents_of(const char *target)
{
	struct job job;
	uint64_t n;

	job_init(&job);
	set_option(&job, "name", "x");
	set_option(&job, "rw", "randwrite");
	set_option(&job, "filename", target);
	ck_assert_int_eq(preview_contents_now(&n, &root, &job, 1), 0);
	job_free(&job);
	return n;
}

/* A file system that is made anew is another one, one that is gone is none. */
START_TEST(contents)
{
	uint64_t first;
	char name[64];

	make_file(path, 8 << 20, 0);
	if (geteuid() != 0 || !loop_attach(path, false, name, sizeof(name)))
		return;
	ck_assert_uint_eq(contents_of(name), 0);
	run_command("mkfs.ext4 -q %s", name);
	first = contents_of(name);
	ck_assert_uint_ne(first, 0);
	ck_assert_uint_eq(contents_of(name), first);
	run_command("mkfs.ext4 -qF %s", name);
	ck_assert_uint_ne(contents_of(name), first);
	run_command("wipefs -qa %s", name);
	ck_assert_uint_eq(contents_of(name), 0);
	loop_detach(name);
}
END_TEST

/* What is demanded is what the guard wants, word by word. */
START_TEST(device)
{
	char name[64], words[64];
	struct run_preview out;

	make_file(path, 8 << 20, 0);
	if (geteuid() != 0 || !loop_attach(path, false, name, sizeof(name)))
		return;
	out = look("read", name, 0);
	ck_assert_int_eq(out.target[0].danger, RUN_READS);
	out = look("randwrite", name, 0);
	ck_assert_int_eq(out.target[0].danger, RUN_DESTROY);
	ck_assert_str_eq(out.demand, name);
	ck_assert_ptr_nonnull(strstr(out.target[0].words, "first 1.00M"));
	ck_assert_ptr_nonnull(strstr(out.target[0].words, "no signature"));
	run_command("mkfs.ext4 -q %s", name);
	out = look("randwrite", name, 0);
	snprintf(words, sizeof(words), "%.40s signature", name);
	ck_assert_str_eq(out.demand, words);
	ck_assert_ptr_nonnull(strstr(out.target[0].words, "ext4"));
	loop_detach(name);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("preview");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, files);
	tcase_add_test(t, own_file);
	tcase_add_test(t, own_file_below_a_loop_device);
	tcase_add_test(t, identity);
	tcase_add_test(t, device);
	tcase_add_test(t, contents);
	suite_add_tcase(suite, t);
}
