/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of heat (bins, counts, packing) and of what history keeps of it; of
 * finding a frame by its time and of hiding the latest.
 */
#include "check_model.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/histogram.h"
#include "model/history.h"

START_TEST(bins_are_quarters_of_octaves)
{
	static const struct {
		uint64_t ns;
		unsigned bin;
	} cases[] = {
		{ 0, 0 },
		{ 127, 0 },
		{ 128, 0 },
		{ 159, 0 },
		{ 160, 1 },
		{ 255, 3 },
		{ 256, 4 },
		{ 1024, 12 },
		{ 1279, 12 },
		{ 1280, 13 },
		{ 1ull << 36, HEAT_BINS - 4 },
		{ (1ull << 37) - 1, HEAT_BINS - 1 },
		{ 1ull << 50, HEAT_BINS - 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_uint_eq(histogram_heat_bin(cases[i].ns),
				  cases[i].bin);
	for (unsigned bin = 0; bin < HEAT_BINS; bin++) {
		ck_assert_uint_eq(histogram_heat_bin(histogram_heat_low(bin)),
				  bin);
		ck_assert_uint_eq(
			histogram_heat_bin(histogram_heat_low(bin + 1) - 1),
			bin);
	}
	ck_assert_uint_eq(histogram_heat_low(HEAT_BINS), 1ull << 37);
}
END_TEST

/* Every sample is in one bin, and in the right one. */
START_TEST(no_count_is_lost)
{
	static struct histogram h;
	static struct heat heat, twice, again;
	uint32_t packed[HEAT_BINS + 1];
	unsigned first, end;
	size_t words;

	memset(&h, 0, sizeof(h));
	for (uint64_t ns = 1000; ns < 3000; ns++)
		h.bucket[histogram_index(ns)]++;
	h.bucket[histogram_index(5)] += 7;
	histogram_heat_from(&heat, &h);
	ck_assert_uint_eq(histogram_heat_count(&heat), 2007);
	ck_assert_uint_eq(heat.bin[0], 7);
	ck_assert_uint_eq(heat.bin[histogram_heat_bin(1024)], 256);
	ck_assert_uint_eq(heat.bin[histogram_heat_bin(2048)], 512);
	histogram_heat_range(&heat, &first, &end);
	ck_assert_uint_eq(first, 0);
	ck_assert_uint_eq(end, histogram_heat_bin(2999) + 1);
	words = histogram_heat_pack(&heat, packed);
	ck_assert_uint_eq(words, end + 1);
	ck_assert_uint_eq(histogram_heat_unpack(&again, packed), words);
	ck_assert_mem_eq(&again, &heat, sizeof(heat));
	twice = heat;
	histogram_heat_add(&twice, &heat);
	ck_assert_uint_eq(histogram_heat_count(&twice), 4014);
	memset(&heat, 0, sizeof(heat));
	ck_assert_uint_eq(histogram_heat_pack(&heat, packed), 1);
	histogram_heat_range(&heat, &first, &end);
	ck_assert_uint_eq(end, 0);
}
END_TEST

/* Counts stop at the most that a bin holds; they do not start again. */
START_TEST(counts_saturate)
{
	static struct histogram h;
	static struct heat a, b;

	memset(&h, 0, sizeof(h));
	h.bucket[histogram_index(1024)] = UINT64_MAX;
	h.bucket[histogram_index(1032)] = 5;
	histogram_heat_from(&a, &h);
	ck_assert_uint_eq(a.bin[histogram_heat_bin(1024)], UINT32_MAX);
	b = a;
	histogram_heat_add(&b, &a);
	ck_assert_uint_eq(b.bin[histogram_heat_bin(1024)], UINT32_MAX);
}
END_TEST

static struct frame frame;

static void push(struct history *h, double t_s, double interval_s, uint64_t ns)
{
	static const char *const jobs[] = { "a", "b" };

	frame_reset(&frame);
	frame.t_s = t_s;
	frame.interval_s = interval_s;
	for (int i = 0; i < 2; i++) {
		struct histogram *g = arena_zalloc(&frame.arena, sizeof(*g));
		struct row *row = frame_add_row(&frame, SCHEMA_JOB, jobs[i]);

		g->bucket[histogram_index(ns << i)] = 10;
		row->value[schema_field(SCHEMA_JOB, "write_hist")].histogram =
			g;
		row->value[schema_field(SCHEMA_JOB, "write_iops")].number =
			10 / interval_s;
	}
	history_push(h, &frame);
}

START_TEST(history_keeps_heat)
{
	struct history *h = history_new(10, 1 << 20);
	int field = schema_field(SCHEMA_JOB, "write_hist");
	struct heat heat;

	for (int i = 1; i <= 12; i++)
		push(h, i, 1, 1000u << i);
	for (int i = 1; i <= 10; i++) {
		size_t age = (size_t)(10 - i);

		ck_assert(history_heat(h, age, SCHEMA_JOB, "b", field, &heat));
		ck_assert_uint_eq(histogram_heat_count(&heat), 10);
		ck_assert_uint_eq(
			heat.bin[histogram_heat_bin(2000u << (i + 2))], 10);
		ck_assert(history_heat(h, age, SCHEMA_JOB, "a", field, &heat));
		ck_assert_uint_eq(
			heat.bin[histogram_heat_bin(1000u << (i + 2))], 10);
	}
	ck_assert(!history_heat(h, 0, SCHEMA_JOB, "a",
				schema_field(SCHEMA_JOB, "read_hist"), &heat));
	ck_assert(!history_heat(h, 0, SCHEMA_JOB, "a",
				schema_field(SCHEMA_JOB, "write_iops"), &heat));
	ck_assert(!history_heat(h, 0, SCHEMA_JOB, "c", field, &heat));
	ck_assert(!history_heat(h, 10, SCHEMA_JOB, "a", field, &heat));
	history_free(h);
	frame_free(&frame);
}
END_TEST

START_TEST(frames_are_found_by_time)
{
	struct history *h = history_new(100, 1 << 20);

	ck_assert_uint_eq(history_find(h, 1), SIZE_MAX);
	push(h, 1, 1, 1000);
	push(h, 2, 1, 1000);
	push(h, 2.5, 0.5, 1000);
	push(h, 10, 2, 1000);
	ck_assert_uint_eq(history_find(h, 0), SIZE_MAX);
	ck_assert_uint_eq(history_find(h, 0.1), 3);
	ck_assert_uint_eq(history_find(h, 1), 3);
	ck_assert_uint_eq(history_find(h, 1.01), 2);
	ck_assert_uint_eq(history_find(h, 2.2), 1);
	ck_assert_uint_eq(history_find(h, 5), SIZE_MAX);
	ck_assert_uint_eq(history_find(h, 8.5), 0);
	ck_assert_uint_eq(history_find(h, 10), 0);
	ck_assert_uint_eq(history_find(h, 10.1), SIZE_MAX);
	history_free(h);
	frame_free(&frame);
}
END_TEST

START_TEST(history_hides)
{
	struct history *h = history_new(5, 1 << 20);

	for (int i = 1; i <= 7; i++)
		push(h, i, 1, 1000);
	history_hide(h, 2);
	ck_assert_uint_eq(history_count(h), 3);
	ck_assert_uint_eq(history_total(h), 5);
	ck_assert_double_eq(history_t(h, 0), 5);
	ck_assert_double_eq(history_t(h, 2), 3);
	ck_assert(isnan(history_t(h, 3)));
	ck_assert_uint_eq(history_find(h, 4), 1);
	ck_assert_uint_eq(history_find(h, 6), SIZE_MAX);
	push(h, 8, 1, 1000);
	ck_assert_uint_eq(history_count(h), 3);
	ck_assert_double_eq(history_t(h, 0), 6);
	history_hide(h, 99);
	ck_assert_uint_eq(history_count(h), 0);
	ck_assert(isnan(history_t(h, 0)));
	history_hide(h, 0);
	ck_assert_double_eq(history_t(h, 0), 8);
	ck_assert_double_eq(history_t(h, 4), 4);
	history_clear(h);
	push(h, 1, 1, 1000);
	ck_assert_double_eq(history_t(h, 0), 1);
	history_free(h);
	frame_free(&frame);
}
END_TEST

TCase *heat_case(void)
{
	TCase *c = tcase_create("heat");

	tcase_add_test(c, bins_are_quarters_of_octaves);
	tcase_add_test(c, no_count_is_lost);
	tcase_add_test(c, counts_saturate);
	tcase_add_test(c, history_keeps_heat);
	tcase_add_test(c, frames_are_found_by_time);
	tcase_add_test(c, history_hides);
	return c;
}
