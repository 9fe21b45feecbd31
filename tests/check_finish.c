/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of cmd's way out: what the keeper reports at the end becomes events,
 * and a verdict.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/live.h"
#include "test.h"

static struct live live;

static void setup(void)
{
	memset(&live, 0, sizeof(live));
	live.root.fd = live.loads.fd = -1;
	live.watch = watch_new();
	live.announce = true;
	text_copy(live.pending_by, sizeof(live.pending_by), "plan");
	text_copy(live.pending_knob, sizeof(live.pending_knob), "scheduler");
}

static void teardown(void)
{
	watch_free(live.watch);
	free(live.event);
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

	turn_restored(&r, &live);
	ck_assert_uint_eq(live.n_events, 1);
	ck_assert_int_eq(live.event[0].kind, EVENT_KNOB);
	ck_assert_str_eq(live.event[0].by, "restore");
	ck_assert_str_eq(live.event[0].new_value, "none");
	ck_assert(!live.unrestored);
}
END_TEST

/* Not ours any more: that is no failure, and no turn. */
START_TEST(foreign_is_left)
{
	struct keeper_report r =
		report(KEEPER_RESTORED, ESTALE, "kyber", "kyber");

	turn_restored(&r, &live);
	ck_assert_uint_eq(live.n_events, 1);
	ck_assert_int_eq(live.event[0].kind, EVENT_NOTE);
	ck_assert_ptr_nonnull(strstr(live.event[0].text, "d.scheduler"));
	ck_assert(!live.unrestored);
}
END_TEST

START_TEST(failure_is_told)
{
	struct keeper_report r = report(KEEPER_RESTORED, EIO, "bfq", "bfq");

	turn_restored(&r, &live);
	ck_assert_uint_eq(live.n_events, 1);
	ck_assert_int_eq(live.event[0].error, EIO);
	ck_assert(live.unrestored);
	ck_assert_ptr_nonnull(strstr(live.unrestored_words, "d.scheduler"));
}
END_TEST

/* The turn that was under way when the end came is in the log as well. */
START_TEST(late_answer)
{
	struct keeper_report r = report(KEEPER_TURNED, 0, "none", "bfq");

	turn_restored(&r, &live);
	ck_assert_uint_eq(live.n_events, 1);
	ck_assert_int_eq(live.event[0].kind, EVENT_KNOB);
	ck_assert_str_eq(live.event[0].by, "plan");
	ck_assert_str_eq(live.event[0].old_value, "none");
	ck_assert_str_eq(live.event[0].new_value, "bfq");
	ck_assert(live.turned);
	ck_assert_uint_eq(live.n_undo, 1);
	ck_assert(!live.unrestored);
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

	live.root.fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct keeper_report r =
			report(KEEPER_TURNED, ends[i].error, "", "");

		live.n_undo = 2;
		live.pending_undo = false;
		turn_restored(&r, &live);
		ck_assert_uint_eq(live.n_undo, 2);
		live.pending_undo = true;
		turn_restored(&r, &live);
		ck_assert_uint_eq(live.n_undo, ends[i].over ? 1 : 2);
	}
	close(live.root.fd);
}
END_TEST

/* KEEPER_DONE is the keeper's verdict, no event. */
START_TEST(done_is_no_event)
{
	struct keeper_report r = report(KEEPER_DONE, 0, "", "");

	turn_restored(&r, &live);
	ck_assert_uint_eq(live.n_events, 0);
}
END_TEST

/* The first failure of the log is kept with its sentence, not the last. */
START_TEST(log_failure_is_kept)
{
	live_log_wrote(&live, 0);
	ck_assert_int_eq(live.log_error, 0);
	live_log_wrote(&live, fail(ENOSPC, "the log is full"));
	live_log_wrote(&live, fail(EIO, "something else"));
	ck_assert_int_eq(live.log_error, ENOSPC);
	ck_assert_str_eq(live.log_words, "the log is full");
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("finish");

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
