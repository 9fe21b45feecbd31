/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Imbalance: who is out of line among the members of a stack. */
#include "check_model.h"

#include <math.h>

#include "model/alarms.h"

struct member {
	const char *id;
	double iops, await_ms, util;
	enum imbalance expected;
};

static void add(struct frame *f, const char *id, double iops, double await_ms,
		double util)
{
	struct row *row = frame_add_row(f, SCHEMA_DEVICE, id);

	row->value[schema_field(SCHEMA_DEVICE, "read_iops")].number = iops;
	row->value[schema_field(SCHEMA_DEVICE, "read_await_ns")].number =
		await_ms * 1e6;
	row->value[schema_field(SCHEMA_DEVICE, "util_pct")].number = util;
}

static void members_are(struct frame *f, const char *id, const char *members)
{
	struct row *row = frame_add_row(f, SCHEMA_DEVICE, id);

	row->value[schema_field(SCHEMA_DEVICE, "members")].text = members;
}

static void check(const struct member *m, size_t n)
{
	enum imbalance out[16];
	struct frame f = { 0 };

	members_are(&f, "md0", "a b c gone");
	for (size_t i = 0; i < n; i++)
		add(&f, m[i].id, m[i].iops, m[i].await_ms, m[i].util);
	/* Whoever is of no stack is never out of line. */
	add(&f, "alone", 10000, 900, 100);
	members_are(&f, "dm-0", "alone");
	alarms_imbalance(&f, out, f.table[SCHEMA_DEVICE].n);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(out[i + 1] == m[i].expected, "%s: %d", m[i].id,
			      out[i + 1]);
	ck_assert_int_eq(out[0], BALANCED);
	ck_assert_int_eq(out[n + 1], BALANCED);
	frame_free(&f);
}

START_TEST(even)
{
	static const struct member m[] = {
		{ "a", 100, 1, 50, BALANCED },
		{ "b", 110, 1.2, 55, BALANCED },
		{ "c", 90, 0.9, 45, BALANCED },
	};

	check(m, 3);
}
END_TEST

START_TEST(slow)
{
	static const struct member m[] = {
		{ "a", 100, 1, 50, BALANCED },
		{ "b", 100, 9, 99, MEMBER_SLOW },
		{ "c", 100, 1, 50, BALANCED },
	};

	check(m, 3);
}
END_TEST

START_TEST(hot)
{
	static const struct member m[] = {
		{ "a", 100, 1, 20, BALANCED },
		{ "b", 400, 1, 80, MEMBER_HOT },
		{ "c", 100, 1, 20, BALANCED },
	};

	check(m, 3);
}
END_TEST

/* A hot spare, a path that waits, and a handful of requests tell nothing. */
START_TEST(too_little)
{
	static const struct member m[] = {
		{ "a", 5, 80, 60, BALANCED },
		{ "b", 1, 1, 1, BALANCED },
		{ "c", NAN, NAN, NAN, BALANCED },
	};

	check(m, 3);
}
END_TEST

TCase *imbalance_case(void)
{
	TCase *t = tcase_create("imbalance");

	tcase_add_test(t, even);
	tcase_add_test(t, slow);
	tcase_add_test(t, hot);
	tcase_add_test(t, too_little);
	return t;
}
