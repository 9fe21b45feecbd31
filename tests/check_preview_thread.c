/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the preview of a run: the jobs that were previewed are the ones that
 * run, on the very device that was previewed, and only when the text that the
 * preview demands was typed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/session/job_control.h"
#include "cmd/session/preview_thread.h"

#include "workload_help.h"

#define SIZE (8u << 20)

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

static struct run_request request(const char *rw, const char *target)
{
	struct run_request r = {
		.option = { { "rw", "" },
			    { "size", "1m" },
			    { "ioengine", "psync" } },
		.n_options = 3,
	};

	text_copy(r.option[0].value, sizeof(r.option[0].value), rw);
	text_copy(r.target, sizeof(r.target), target);
	return r;
}

static struct preview_thread *preview_of(const struct run_request *r)
{
	const struct allow_list none = { 0 };
	struct preview_thread *preview;
	struct pollfd p = { .events = POLLIN };

	ck_assert_int_eq(preview_thread_begin(&preview, &root, &none, r), 0);
	p.fd = preview_thread_fd(preview);
	ck_assert_int_eq(poll(&p, 1, 20000), 1);
	preview_thread_end(preview);
	ck_assert_str_eq(preview_thread_result(preview)->error, "");
	return preview;
}

/* Open what was previewed; returns what workloads_open() does. */
static int open_it(struct workloads *ws, struct preview_thread *preview,
		   struct run_request *r)
{
	const struct allow_list *allowed;
	struct job_set *set;
	struct job *job;
	size_t n;

	text_copy(r->confirm, sizeof(r->confirm),
		  preview_thread_result(preview)->demand);
	ck_assert_int_eq(preview_thread_take(preview, r, &job, &n, &allowed),
			 0);
	workloads_init(ws);
	return workloads_open(ws, &set, &root, job, n, true, allowed);
}

static void end(struct workloads *ws)
{
	ck_assert_int_eq(workloads_close(ws, 0), 0);
	workloads_free(ws);
}

/* A ':' parts files in a job, but not in what is typed as one target. */
START_TEST(colon)
{
	struct run_request r;
	struct preview_thread *preview;

	snprintf(path, sizeof(path), "%s/pci-0:1f.2", dir);
	make_file(path, SIZE, 3);
	r = request("read", path);
	preview = preview_of(&r);
	ck_assert_uint_eq(preview_thread_result(preview)->n_targets, 1);
	ck_assert_int_eq(preview_thread_result(preview)->target[0].danger,
			 RUN_READS);
	preview_thread_free(preview);
}
END_TEST

/* Blanks in a name, and one that is also the name of a reason. */
START_TEST(confirmed)
{
	static const char *const names[] = { "my file", "busy", "a b held" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct workloads ws;
		const struct allow_list *allowed;
		struct run_request r;
		struct preview_thread *preview;
		struct job *job;
		size_t n;

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		make_file(path, SIZE, 3);
		r = request("write", path);
		preview = preview_of(&r);
		ck_assert_str_eq(preview_thread_result(preview)->demand, path);
		ck_assert_int_eq(
			preview_thread_take(preview, &r, &job, &n, &allowed),
			-EPERM);
		ck_assert_int_eq(open_it(&ws, preview, &r), 0);
		ck_assert_uint_eq(ws.first->allowed.n_override, 0);
		/* Once. */
		ck_assert_int_eq(
			preview_thread_take(preview, &r, &job, &n, &allowed),
			-EINVAL);
		end(&ws);
		preview_thread_free(preview);
		ck_assert(file_is_all(path, 3));
	}
}
END_TEST

static const char *other_path(void)
{
	static char other[310];

	snprintf(other, sizeof(other), "%s.other", path);
	return other;
}

static int held = -1;

/*
 * Another file under the same loop device, which is gone with this process.
 * The one before goes with its last user, and udev may still look at it.
 */
static bool replace(const char *name, const char *file)
{
	struct loop_config config = { .info.lo_flags = LO_FLAGS_AUTOCLEAR };
	int fd = open(file, O_RDWR | O_CLOEXEC), rc = -1;

	ck_assert_int_ge(fd, 0);
	config.fd = (unsigned)fd;
	loop_detach(name);
	if (held >= 0)
		close(held);
	for (int tries = 0; tries < 100 && rc; tries++) {
		held = open(name, O_RDWR | O_CLOEXEC);
		ck_assert_int_ge(held, 0);
		rc = ioctl(held, LOOP_CONFIGURE, &config);
		if (rc) {
			close(held);
			usleep(50000);
		}
	}
	close(fd);
	return rc == 0;
}

/* Between the preview and the start. */
START_TEST(another_device)
{
	struct workloads ws;
	const struct allow_list *allowed;
	char name[64], other[300];
	struct run_request r;
	struct preview_thread *preview;
	struct job *job;
	size_t n;
	int rc;

	snprintf(other, sizeof(other), "%s/other", dir);
	make_file(path, SIZE, 0);
	make_file(other, SIZE, 0);
	if (geteuid() != 0 || !loop_attach(path, false, name, sizeof(name)))
		return;
	r = request("write", name);
	preview = preview_of(&r);
	text_copy(r.confirm, sizeof(r.confirm),
		  preview_thread_result(preview)->demand);
	ck_assert(replace(name, other));
	rc = preview_thread_take(preview, &r, &job, &n, &allowed);
	ck_assert_msg(rc == -ESTALE, "%d %s", rc, fail_sentence());
	preview_thread_free(preview);

	preview = preview_of(&r);
	ck_assert_int_eq(open_it(&ws, preview, &r), 0);
	preview_thread_free(preview);
	end(&ws);
	close(held);
	ck_assert(file_is_all(path, 0) && file_is_all(other, 0));
}
END_TEST

START_TEST(another_file)
{
	const struct allow_list *allowed;
	struct run_request r;
	struct preview_thread *preview;
	struct job *job;
	size_t n;

	make_file(path, SIZE, 1);
	r = request("write", path);
	preview = preview_of(&r);
	text_copy(r.confirm, sizeof(r.confirm),
		  preview_thread_result(preview)->demand);
	make_file(other_path(), SIZE, 2);
	ck_assert_int_eq(rename(other_path(), path), 0);
	ck_assert_int_eq(preview_thread_take(preview, &r, &job, &n, &allowed),
			 -ESTALE);
	preview_thread_free(preview);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("preview");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, colon);
	tcase_add_test(t, confirmed);
	tcase_add_test(t, another_device);
	tcase_add_test(t, another_file);
	suite_add_tcase(suite, t);
}
