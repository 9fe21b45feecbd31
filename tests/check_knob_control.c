/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the end of a session: the reports of the keeper become events, and
 * a verdict.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/session/job_control.h"
#include "cmd/session/knob_control.h"
#include "test.h"

static struct root root;
static struct workloads workloads;
static struct pipeline pipeline;
static struct knob_control control;

static void setup(void)
{
	root.fd = -1;
	workloads_init(&workloads);
	pipeline_init(&pipeline, &root, &workloads);
	knob_control_init(&control, &root, &pipeline);
	control.pending.by = BY_PLAN;
	text_copy(control.pending.knob, sizeof(control.pending.knob),
		  "scheduler");
}

static void teardown(void)
{
	knob_control_free(&control);
	pipeline_free(&pipeline);
	workloads_free(&workloads);
}

static struct keeper_report report(enum keeper_report_kind kind, int error,
				   const char *old_value, const char *new_value)
{
	struct keeper_report r = { .kind = kind, .error = error };

	text_copy(r.device, sizeof(r.device), "d");
	text_copy(r.knob, sizeof(r.knob), "scheduler");
	text_copy(r.old_value, sizeof(r.old_value), old_value);
	text_copy(r.new_value, sizeof(r.new_value), new_value);
	return r;
}

START_TEST(put_back_is_an_event)
{
	struct keeper_report r = report(KEEPER_RESTORED, 0, "bfq", "none");

	knob_control_restored(&r, &control);
	ck_assert_uint_eq(pipeline.n_events, 1);
	ck_assert_int_eq(pipeline.event[0].kind, EVENT_KNOB);
	ck_assert_int_eq(pipeline.event[0].by, BY_RESTORE);
	ck_assert_str_eq(pipeline.event[0].new_value, "none");
	ck_assert(!control.unrestored);
}
END_TEST

/* Not ours any more: that is no failure, and no turn. */
START_TEST(foreign_is_left)
{
	struct keeper_report r =
		report(KEEPER_RESTORED, ESTALE, "kyber", "kyber");

	knob_control_restored(&r, &control);
	ck_assert_uint_eq(pipeline.n_events, 1);
	ck_assert_int_eq(pipeline.event[0].kind, EVENT_NOTE);
	ck_assert_ptr_nonnull(strstr(pipeline.event[0].text, "d.scheduler"));
	ck_assert(!control.unrestored);
}
END_TEST

START_TEST(failure_is_told)
{
	struct keeper_report r = report(KEEPER_RESTORED, EIO, "bfq", "bfq");

	knob_control_restored(&r, &control);
	ck_assert_uint_eq(pipeline.n_events, 1);
	ck_assert_int_eq(pipeline.event[0].error, EIO);
	ck_assert(control.unrestored);
	ck_assert_uint_eq(control.n_left, 1);
	ck_assert_ptr_nonnull(strstr(control.left[0], "d.scheduler"));
}
END_TEST

/* The turn that was under way when the end came is in the log as well. */
START_TEST(late_answer)
{
	struct keeper_report r = report(KEEPER_TURNED, 0, "none", "bfq");

	knob_control_restored(&r, &control);
	ck_assert_uint_eq(pipeline.n_events, 1);
	ck_assert_int_eq(pipeline.event[0].kind, EVENT_KNOB);
	ck_assert_int_eq(pipeline.event[0].by, BY_PLAN);
	ck_assert_str_eq(pipeline.event[0].old_value, "none");
	ck_assert_str_eq(pipeline.event[0].new_value, "bfq");
	ck_assert(control.turned);
	ck_assert_uint_eq(control.n_undo, 1);
	ck_assert(!control.unrestored);
}
END_TEST

/*
 * An undo of what is gone (device, setting, value) does not stand before all
 * others; one that may still work does.
 */
START_TEST(undo_of_the_gone)
{
	static const struct {
		int error;
		bool over;
	} ends[] = { { ENODEV, true },
		     { ENOENT, true },
		     { EINVAL, true },
		     { EIO, false } };

	root.fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct keeper_report r =
			report(KEEPER_TURNED, ends[i].error, "", "");

		control.n_undo = 2;
		control.pending_undo = false;
		knob_control_restored(&r, &control);
		ck_assert_uint_eq(control.n_undo, 2);
		control.pending_undo = true;
		knob_control_restored(&r, &control);
		ck_assert_uint_eq(control.n_undo, ends[i].over ? 1 : 2);
	}
	close(root.fd);
}
END_TEST

/* KEEPER_DONE is the keeper's verdict, no event. */
START_TEST(done_is_no_event)
{
	struct keeper_report r = report(KEEPER_DONE, 0, "", "");

	knob_control_restored(&r, &control);
	ck_assert_uint_eq(pipeline.n_events, 0);
}
END_TEST

/* The first failure of the log is kept with its sentence, not the last. */
START_TEST(log_failure_is_kept)
{
	pipeline_log_wrote(&pipeline, 0);
	ck_assert_int_eq(pipeline.log_error, 0);
	pipeline_log_wrote(&pipeline, fail(ENOSPC, "the log is full"));
	pipeline_log_wrote(&pipeline, fail(EIO, "something else"));
	ck_assert_int_eq(pipeline.log_error, ENOSPC);
	ck_assert_str_eq(pipeline.log_words, "the log is full");
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("knob_control");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, put_back_is_an_event);
	tcase_add_test(tc, foreign_is_left);
	tcase_add_test(tc, failure_is_told);
	tcase_add_test(tc, late_answer);
	tcase_add_test(tc, undo_of_the_gone);
	tcase_add_test(tc, done_is_no_event);
	tcase_add_test(tc, log_failure_is_kept);
	suite_add_tcase(suite, tc);
}
