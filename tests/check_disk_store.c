/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the data of a simulated disk: whatever is written, begun, arrives and
 * is cut, each sector holds what reached the medium last or something newer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/random.h"
#include "disk/disk_store.h"

#include "test.h"

#define BYTES	(4ull << 20)
#define SECTORS 64u /* that the random test uses */

static struct disk_store *make(void)
{
	struct disk_store *s;

	ck_assert_int_eq(disk_store_new(&s, BYTES), 0);
	return s;
}

/* Sectors filled with a generation. */
static void put_all(struct disk_store *s, uint64_t sector, uint64_t n,
		    uint32_t generation)
{
	uint32_t data[SECTORS * DISK_SECTOR / 4];

	for (size_t i = 0; i < ARRAY_SIZE(data); i++)
		data[i] = generation;
	disk_store_write(s, sector * DISK_SECTOR, n * DISK_SECTOR, data);
}

static void put(struct disk_store *s, uint64_t sector, uint32_t generation)
{
	put_all(s, sector, 1, generation);
}

static uint32_t get(const struct disk_store *s, uint64_t sector)
{
	uint32_t value;
	const char *at = disk_store_at(s, sector * DISK_SECTOR);

	memcpy(&value, at, sizeof(value));
	for (unsigned i = 4; i < DISK_SECTOR; i += 4)
		ck_assert(!memcmp(at, at + i, 4));
	return value;
}

START_TEST(what_arrived_stays)
{
	struct disk_store *s = make();

	for (uint64_t i = 0; i < 100; i++)
		put(s, i, 1);
	disk_store_begin(s, 0, 100 * DISK_SECTOR);
	disk_store_arrive(s, 0, 100 * DISK_SECTOR);
	ck_assert_uint_eq(disk_store_cut(s, 1, false), 0);
	for (uint64_t i = 0; i < 100; i++)
		ck_assert_uint_eq(get(s, i), 1);
	disk_store_free(s);
}
END_TEST

/* Sectors of a page share their lot where the disk writes pages at once. */
START_TEST(a_cut_keeps_pages_whole)
{
	struct disk_store *s = make();
	unsigned lost = 0;

	for (uint64_t i = 0; i < 800; i++)
		put(s, i, 9);
	disk_store_cut(s, 1, true);
	for (uint64_t i = 0; i < 800; i++) {
		ck_assert_uint_eq(get(s, i), get(s, i / 8 * 8));
		lost += get(s, i) == 0;
	}
	ck_assert(lost > 200 && lost < 600);
	disk_store_free(s);
}
END_TEST

/* About half is lost, other sectors with another seed, the same with the same. */
START_TEST(a_cut_draws_lots)
{
	uint32_t lost[3][1000];
	const uint64_t seed[] = { 1, 1, 2 };

	for (unsigned k = 0; k < 3; k++) {
		struct disk_store *s = make();
		uint64_t n;

		for (uint64_t i = 0; i < 1000; i++)
			put(s, i, 9);
		n = disk_store_cut(s, seed[k], false);
		ck_assert(n > 400 && n < 600);
		for (uint64_t i = 0; i < 1000; i++) {
			lost[k][i] = get(s, i) == 0;
			n -= lost[k][i];
		}
		ck_assert_uint_eq(n, 0);
		disk_store_free(s);
	}
	ck_assert(!memcmp(lost[0], lost[1], sizeof(lost[0])));
	ck_assert(memcmp(lost[0], lost[2], sizeof(lost[0])) != 0);
}
END_TEST

/*
 * Random steps beside a simple account: the generation that is on the medium, the
 * one on its way, the newest.
 */
START_TEST(random_steps)
{
	struct account {
		uint32_t medium, way, newest;
		bool flying;
	} a[SECTORS];
	struct random r;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct disk_store *s = make();
		uint32_t generation = 0;

		memset(a, 0, sizeof(a));
		random_seed(&r, seed);
		for (unsigned step = 0; step < 400; step++) {
			uint64_t at = random_below(&r, SECTORS);
			uint64_t n = 1 + random_below(&r, SECTORS - at);

			switch (random_below(&r, 6)) {
			case 0:
				n = 1;
				/* fall through */
			case 1:
			case 2:
				put_all(s, at, n, ++generation);
				for (uint64_t i = at; i < at + n; i++)
					a[i].newest = generation;
				break;
			case 3:
				if (random_below(&r, 4))
					break;
				disk_store_discard(s, at * DISK_SECTOR,
						   n * DISK_SECTOR);
				memset(a + at, 0, n * sizeof(*a));
				break;
			case 4:
				disk_store_begin(s, at * DISK_SECTOR,
						 n * DISK_SECTOR);
				for (uint64_t i = at; i < at + n; i++)
					if (!a[i].flying &&
					    a[i].newest != a[i].medium) {
						a[i].flying = true;
						a[i].way = a[i].newest;
					}
				break;
			default:
				disk_store_arrive(s, at * DISK_SECTOR,
						  n * DISK_SECTOR);
				for (uint64_t i = at; i < at + n; i++) {
					if (a[i].flying)
						a[i].medium = a[i].way;
					a[i].flying = false;
				}
			}
			for (uint64_t i = 0; i < SECTORS; i++)
				ck_assert_uint_eq(get(s, i), a[i].newest);
			if (disk_store_lacks(s, true))
				disk_store_prepare(s);
		}
		disk_store_cut(s, seed, false);
		for (uint64_t i = 0; i < SECTORS; i++) {
			uint32_t is = get(s, i);

			ck_assert(is == a[i].medium || is == a[i].newest ||
				  (a[i].flying && is == a[i].way));
		}
		ck_assert_uint_eq(disk_store_cut(s, ~seed, false), 0);
		disk_store_free(s);
	}
}
END_TEST

START_TEST(discards)
{
	struct disk_store *s = make();
	uint64_t lost = 0;

	for (uint64_t i = 0; i < 64; i++)
		put(s, i, 5);
	disk_store_discard(s, 3 * DISK_SECTOR, 40 * DISK_SECTOR);
	for (uint64_t i = 0; i < 64; i++)
		ck_assert_uint_eq(get(s, i), i < 3 || i >= 43 ? 5 : 0);
	/* Zeros are on the medium; the rest may go. */
	for (uint64_t seed = 1; seed < 64; seed++)
		lost += disk_store_cut(s, seed, false);
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_le(lost, 24);
	disk_store_free(s);
}
END_TEST

/* A page that was freed and is taken again has none of its old content. */
START_TEST(pages_begin_as_zeros)
{
	struct disk_store *s = make();

	for (unsigned round = 0; round < 3; round++) {
		put_all(s, 0, SECTORS, 7);
		disk_store_discard(s, 0, SECTORS * DISK_SECTOR);
		for (uint64_t i = 0; i < SECTORS; i += 8)
			put(s, 1000 + i, 8);
		for (uint64_t i = 0; i < SECTORS; i++)
			ck_assert_uint_eq(get(s, 1000 + i), i % 8 ? 0 : 8);
		disk_store_discard(s, 1000 * DISK_SECTOR, SECTORS * DISK_SECTOR);
	}
	disk_store_free(s);
}
END_TEST

/* A bit flips where nothing was written, too. */
START_TEST(bits_flip)
{
	struct disk_store *s = make();

	disk_store_flip(s, 4096 * 5 + 7, 3);
	ck_assert_int_eq(*disk_store_at(s, 4096 * 5 + 7), 8);
	disk_store_flip(s, 4096 * 5 + 7, 3);
	ck_assert_uint_eq(get(s, 40), 0);
	ck_assert_uint_eq(disk_store_cut(s, 1, false), 0);
	disk_store_free(s);
}
END_TEST

/* MiB of this process in memory. */
static unsigned long resident(void)
{
	unsigned long size, pages;
	FILE *f = fopen("/proc/self/statm", "r");

	ck_assert(f && fscanf(f, "%lu %lu", &size, &pages) == 2);
	fclose(f);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE) >> 20;
}

static void prepare_all(struct disk_store *s)
{
	while (disk_store_lacks(s, true))
		disk_store_prepare(s);
}

/* Pages that were not written take no memory, and discarded ones give it back. */
START_TEST(memory_is_sparse)
{
	unsigned long before = resident();
	struct disk_store *s;

	ck_assert_int_eq(disk_store_new(&s, 1ull << 40), 0);
	ck_assert_uint_le(resident(), before + 20);
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_int_eq(*disk_store_at(s, i << 30), 0);
	ck_assert_uint_le(resident(), before + 20);
	for (uint64_t i = 0; i < 64u << 20; i += SECTORS * DISK_SECTOR)
		put_all(s, i / DISK_SECTOR, SECTORS, 1);
	disk_store_begin(s, 0, 64 << 20);
	disk_store_arrive(s, 0, 64 << 20);
	ck_assert_uint_ge(resident(), before + 60);
	prepare_all(s);
	ck_assert_uint_le(resident(), before + 90);
	disk_store_discard(s, 0, 1ull << 40);
	/* What the next writes may need is kept until the disk is idle. */
	while (disk_store_lacks(s, false))
		disk_store_prepare(s);
	ck_assert_uint_ge(resident(), before + 60);
	prepare_all(s);
	ck_assert_uint_le(resident(), before + 30);
	ck_assert_uint_eq(get(s, 0), 0);
	disk_store_free(s);
}
END_TEST

/* Whole pages that are written over and over need no more of them. */
START_TEST(overwrites_use_pages_again)
{
	struct disk_store *s = make();
	unsigned long before = resident();

	for (uint32_t k = 1; k < 3000; k++) {
		put_all(s, 0, SECTORS, k);
		disk_store_begin(s, 0, SECTORS * DISK_SECTOR);
		put_all(s, 0, SECTORS, k + 10000);
		disk_store_arrive(s, 0, SECTORS * DISK_SECTOR);
		disk_store_begin(s, 0, SECTORS * DISK_SECTOR);
		disk_store_arrive(s, 0, SECTORS * DISK_SECTOR);
		ck_assert_uint_eq(get(s, 63), k + 10000);
	}
	ck_assert_uint_le(resident(), before + 10);
	disk_store_free(s);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *c = tcase_create("store");

	tcase_set_timeout(c, 300);
	tcase_add_test(c, what_arrived_stays);
	tcase_add_test(c, a_cut_draws_lots);
	tcase_add_test(c, a_cut_keeps_pages_whole);
	tcase_add_test(c, random_steps);
	tcase_add_test(c, discards);
	tcase_add_test(c, pages_begin_as_zeros);
	tcase_add_test(c, bits_flip);
	tcase_add_test(c, memory_is_sparse);
	tcase_add_test(c, overwrites_use_pages_again);
	suite_add_tcase(suite, c);
}
