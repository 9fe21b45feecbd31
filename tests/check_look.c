/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Look and loads: what was looked at is what is run, on the very device that
 * was looked at, and only when what it demands was typed.
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
#include "cmd/loads.h"
#include "cmd/look.h"

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

static struct look *look_at(const struct run_request *r)
{
	struct look *look;
	struct pollfd p = { .events = POLLIN };

	ck_assert_int_eq(look_begin(&look, &root, false, r), 0);
	p.fd = look_fd(look);
	ck_assert_int_eq(poll(&p, 1, 20000), 1);
	look_end(look);
	ck_assert_str_eq(look_preview(look)->error, "");
	return look;
}

/* Open what was looked at; what loads_open() says. */
static int open_it(struct loads *ls, struct look *look, struct run_request *r)
{
	const struct allow_list *allowed;
	struct job *job;
	size_t n;

	text_copy(r->confirm, sizeof(r->confirm), look_preview(look)->demand);
	ck_assert_int_eq(look_take(look, r, &job, &n, &allowed), 0);
	return loads_open(ls, &root, job, n, true, allowed);
}

static void end(struct loads *ls)
{
	ck_assert_int_eq(loads_close(ls, 0), 0);
	loads_free(ls);
}

/* A ':' parts files in a job, but not in what is typed as one target. */
START_TEST(colon)
{
	struct run_request r;
	struct look *look;

	snprintf(path, sizeof(path), "%s/pci-0:1f.2", dir);
	make_file(path, SIZE, 3);
	r = request("read", path);
	look = look_at(&r);
	ck_assert_uint_eq(look_preview(look)->n_targets, 1);
	ck_assert_int_eq(look_preview(look)->target[0].danger, RUN_READS);
	look_free(look);
}
END_TEST

/* Blanks in a name, and one that is also the name of a reason. */
START_TEST(confirmed)
{
	static const char *const names[] = { "my file", "busy", "a b held" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct loads ls = { .fd = -1 };
		const struct allow_list *allowed;
		struct run_request r;
		struct look *look;
		struct job *job;
		size_t n;

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		make_file(path, SIZE, 3);
		r = request("write", path);
		look = look_at(&r);
		ck_assert_str_eq(look_preview(look)->demand, path);
		ck_assert_int_eq(look_take(look, &r, &job, &n, &allowed),
				 -EPERM);
		ck_assert_int_eq(open_it(&ls, look, &r), 0);
		ck_assert_uint_eq(ls.load[0].allowed.n_override, 0);
		/* Once. */
		ck_assert_int_eq(look_take(look, &r, &job, &n, &allowed),
				 -EINVAL);
		end(&ls);
		look_free(look);
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

/* Between the look and the start. */
START_TEST(another_device)
{
	struct loads ls = { .fd = -1 };
	const struct allow_list *allowed;
	char name[64], other[300];
	struct run_request r;
	struct look *look;
	struct job *job;
	size_t n;
	int rc;

	snprintf(other, sizeof(other), "%s/other", dir);
	make_file(path, SIZE, 0);
	make_file(other, SIZE, 0);
	if (geteuid() != 0 || !loop_attach(path, false, name, sizeof(name)))
		return;
	r = request("write", name);
	look = look_at(&r);
	text_copy(r.confirm, sizeof(r.confirm), look_preview(look)->demand);
	ck_assert(replace(name, other));
	rc = look_take(look, &r, &job, &n, &allowed);
	ck_assert_msg(rc == -ESTALE, "%d %s", rc, fail_sentence());
	look_free(look);

	look = look_at(&r);
	ck_assert_int_eq(open_it(&ls, look, &r), 0);
	look_free(look);
	end(&ls);
	close(held);
	ck_assert(file_is_all(path, 0) && file_is_all(other, 0));
}
END_TEST

START_TEST(another_file)
{
	const struct allow_list *allowed;
	struct run_request r;
	struct look *look;
	struct job *job;
	size_t n;

	make_file(path, SIZE, 1);
	r = request("write", path);
	look = look_at(&r);
	text_copy(r.confirm, sizeof(r.confirm), look_preview(look)->demand);
	make_file(other_path(), SIZE, 2);
	ck_assert_int_eq(rename(other_path(), path), 0);
	ck_assert_int_eq(look_take(look, &r, &job, &n, &allowed), -ESTALE);
	look_free(look);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("look");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, colon);
	tcase_add_test(t, confirmed);
	tcase_add_test(t, another_device);
	tcase_add_test(t, another_file);
	suite_add_tcase(suite, t);
}
