/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the models of disks, without FUSE and without a clock: the simulation
 * runs in time of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "disk/disk_fault.h"
#include "disk/disk_model.h"
#include "disk/disk_sim.h"

#include "test.h"

#define BYTES (2ull << 30)
#define S_NS  1000000000ull

static struct disk_model model_of(const char *text)
{
	struct disk_model m;

	ck_assert_int_eq(disk_model_parse(text, &m), 0);
	return m;
}

/* A closed loop of depth requests; offsets by next(). */
struct load {
	const char *model;
	unsigned depth;
	enum disk_op op;
	uint64_t bytes;
	bool sequential;
	uint64_t ns;	  /* how long */
	uint64_t step_ns; /* how often the caller looks; 0: when it must */
	/* Results. */
	uint64_t done, last_ns, sum_ns, checksum;
	uint64_t least_gap_ns; /* between two ends */
};

static uint64_t next_offset(struct load *l, struct random *r, uint64_t *at)
{
	uint64_t offset;

	if (!l->sequential)
		return random_below(r, BYTES / l->bytes) * l->bytes;
	offset = *at;
	*at = (*at + l->bytes) % BYTES;
	return offset;
}

static void submit(struct load *l, struct disk_sim *d, struct random *r,
		   uint64_t *at, uint64_t t)
{
	struct disk_request *q = xcalloc(1, sizeof(*q));

	q->op = l->op;
	q->offset = next_offset(l, r, at);
	q->bytes = l->bytes;
	q->arrival_ns = t;
	disk_sim_add(d, q);
}

static void run(struct load *l)
{
	struct disk_model m = model_of(l->model);
	struct disk_sim *d = disk_sim_new(&m, BYTES, 7);
	struct disk_request *q;
	struct random random;
	uint64_t t = 0, at = 0;

	random_seed(&random, 3);
	for (unsigned i = 0; i < l->depth; i++)
		submit(l, d, &random, &at, 0);
	while (t < l->ns) {
		disk_sim_advance(d, t);
		d->n_moves = 0;
		q = disk_sim_take(d, t);
		if (!q) {
			uint64_t next = disk_sim_next(d);

			ck_assert(next > t);
			ck_assert(next != UINT64_MAX);
			if (l->step_ns && next > t + l->step_ns)
				next = t + l->step_ns;
			t = next;
			continue;
		}
		ck_assert_uint_ge(q->end_ns, q->start_ns);
		ck_assert_uint_ge(q->start_ns, q->arrival_ns);
		if (!l->done++ || q->end_ns - l->last_ns < l->least_gap_ns)
			l->least_gap_ns = q->end_ns - l->last_ns;
		l->last_ns = q->end_ns;
		l->sum_ns += q->end_ns - q->arrival_ns;
		l->checksum = l->checksum * 31 + q->end_ns;
		free(q);
		submit(l, d, &random, &at, t);
	}
	/* What is left. */
	disk_sim_cut(d, t);
	while ((q = disk_sim_take(d, UINT64_MAX)))
		free(q);
	free(d);
}

static double per_s(const struct load *l)
{
	return (double)l->done * S_NS / (double)l->ns;
}

#define ASSERT_WITHIN(value, low, high)                                       \
	ck_assert_msg((value) >= (low) && (value) <= (high), "%g not in %g..%g", \
		      (double)(value), (double)(low), (double)(high))

/* The published mean seek is the mean over random pairs of places. */
START_TEST(seeks)
{
	for (size_t i = 0; i < n_disk_models; i++) {
		struct disk_model m = disk_models[i].model;
		struct disk_arm a;
		struct random r;
		double sum = 0;
		unsigned n = 20000;

		if (!disk_model_has_arm(&m))
			continue;
		m.segments = 0;
		disk_arm_init(&a, &m, BYTES);
		random_seed(&r, 1);
		for (unsigned k = 0; k < n; k++) {
			uint64_t to = random_below(&r, BYTES / 512) * 512;

			/* Half a turn on average comes to it. */
			sum += disk_arm_position_ns(&a, random_below(&r, S_NS),
						    to, 512, true);
			a.at = to;
		}
		ASSERT_WITHIN(sum / n,
			      ((double)m.seek_avg_ns + a.turn_ns / 2) * 0.98,
			      ((double)m.seek_avg_ns + a.turn_ns / 2) * 1.02);
	}
}
END_TEST

/* Figures of a real desktop disk: 75 at depth 1, about 100 at 4, 150 and more. */
START_TEST(random_reads_of_an_arm)
{
	struct load one = { "hdd-7200", 1, DISK_READ, 4096, .ns = 60 * S_NS };
	struct load four = { "hdd-7200", 4, DISK_READ, 4096, .ns = 60 * S_NS };
	struct load many = { "hdd-7200", 32, DISK_READ, 4096, .ns = 60 * S_NS };
	struct load fifo = { "hdd-7200,depth=1", 32, DISK_READ, 4096,
			     .ns = 60 * S_NS };

	run(&one);
	run(&four);
	run(&many);
	run(&fifo);
	ASSERT_WITHIN(per_s(&one), 70, 82);
	ASSERT_WITHIN(per_s(&four), 95, 115);
	ASSERT_WITHIN(per_s(&many), 150, 210);
	/* Without a queue of its own the order of arrival decides. */
	ASSERT_WITHIN(per_s(&fifo), 70, 82);
}
END_TEST

/* A stream has the media rate less a change of track per track. */
START_TEST(streams_of_an_arm)
{
	struct load deep = { "hdd-7200", 4, DISK_READ, 1 << 17, true,
			     .ns = 4 * S_NS };
	struct load one = { "hdd-7200", 1, DISK_READ, 1 << 17, true,
			     .ns = 4 * S_NS };
	struct load write = { "hdd-7200", 4, DISK_WRITE, 1 << 17, true,
			      .ns = 8 * S_NS };
	struct load through = { "hdd-7200,cache=0", 4, DISK_WRITE, 1 << 17, true,
				.ns = 4 * S_NS };
	const double rate = 200e6 / (1 << 17) * 8.333 / (8.333 + 0.8);

	run(&deep);
	run(&one);
	run(&write);
	run(&through);
	ASSERT_WITHIN(per_s(&deep), 0.80 * rate, 1.02 * rate);
	ASSERT_WITHIN(per_s(&one), 0.80 * rate, 1.02 * rate);
	ASSERT_WITHIN(per_s(&write), 0.75 * rate, 1.1 * rate);
	/* A write that comes too late waits for a turn. */
	ASSERT_WITHIN(per_s(&through), 0.3 * rate, 1.02 * rate);
}
END_TEST

START_TEST(lanes)
{
	struct load one = { "ssd-sata", 1, DISK_READ, 4096, .ns = S_NS };
	struct load full = { "ssd-sata", 32, DISK_READ, 4096, .ns = S_NS };
	struct load big = { "ssd-sata", 8, DISK_READ, 1 << 17, .ns = S_NS };
	struct load two = { "ssd-sata,lanes=2", 2, DISK_READ, 1 << 17, .ns = S_NS };

	run(&one);
	run(&full);
	run(&big);
	ASSERT_WITHIN(per_s(&one), 9000, 11000);
	ASSERT_WITHIN(per_s(&full), 90000, 110000);
	ASSERT_WITHIN(per_s(&big) * (1 << 17), 500e6, 541e6);
	/* What two lanes have ready at once goes over the bus one after another. */
	run(&two);
	ck_assert_uint_ge(two.least_gap_ns, (1 << 17) * S_NS / 540000000);
}
END_TEST

/* 3000 a second while there are credits, then exactly what is earned. */
START_TEST(bucket)
{
	struct load burst = { "cloud-burst,credits=5800", 8, DISK_READ, 4096,
			      .ns = 2 * S_NS };
	struct load after = { "cloud-burst,credits=5800", 8, DISK_READ, 4096,
			      .ns = 12 * S_NS };

	run(&burst);
	ASSERT_WITHIN(burst.done, 5950, 6001);
	run(&after);
	/* 5800 + 100 a second, but for those on the way. */
	ASSERT_WITHIN(after.done, 5800 + 1200 - 10, 5800 + 1200);
}
END_TEST

START_TEST(card)
{
	struct load seq = { "sdcard", 1, DISK_WRITE, 1 << 16, true,
			     .ns = 20 * S_NS };
	struct load rnd = { "sdcard", 1, DISK_WRITE, 4096, .ns = 20 * S_NS };

	run(&seq);
	run(&rnd);
	ASSERT_WITHIN(per_s(&rnd), 15, 40);
	ASSERT_WITHIN(per_s(&seq) * (1 << 16), 5e6, 20e6);
}
END_TEST

/* The result depends on arrivals and seed, not on how often the caller looks. */
START_TEST(looks_do_not_matter)
{
	for (size_t i = 0; i < n_disk_models; i++)
		for (int op = DISK_READ; op <= DISK_WRITE; op++) {
			const char *name = disk_models[i].model.name;
			struct load a = { name, 6, op, 8192, .ns = 3 * S_NS };
			struct load b = a, c = a;

			b.step_ns = 777777;
			c.step_ns = 10007;
			c.ns = 3 * S_NS;
			run(&a);
			run(&b);
			run(&c);
			ck_assert_uint_gt(a.done, 10);
			ck_assert_uint_eq(a.done, b.done);
			ck_assert_uint_eq(a.checksum, b.checksum);
			ck_assert_uint_eq(a.checksum, c.checksum);
		}
}
END_TEST

/* --- the cache --- */

static struct disk_request write_of(uint64_t offset, uint64_t t)
{
	return (struct disk_request){ .op = DISK_WRITE, .offset = offset,
				      .bytes = 4096, .arrival_ns = t };
}

START_TEST(flush_waits_for_the_cache)
{
	struct disk_model m = model_of("hdd-7200,linger=10s");
	struct disk_sim *d = disk_sim_new(&m, BYTES, 1);
	struct disk_request w[20], late, lie = { .op = DISK_FLUSH,
						 .arrival_ns = 50000000,
						 .ignore = true };
	struct disk_request f = { .op = DISK_FLUSH, .arrival_ns = 100000000 };

	for (unsigned i = 0; i < 20; i++) {
		w[i] = write_of((uint64_t)i * (64 << 20), i * 1000);
		disk_sim_add(d, &w[i]);
	}
	disk_sim_advance(d, 40000000);
	for (unsigned i = 0; i < 20; i++) {
		struct disk_request *r = disk_sim_take(d, 40000000);

		ck_assert_ptr_nonnull(r);
		ck_assert(r->hit);
		ck_assert_uint_lt(r->end_ns - r->arrival_ns, 1000000);
	}
	ck_assert_uint_eq(d->n_moves, 0); /* nothing left the cache */
	disk_sim_add(d, &lie);
	disk_sim_advance(d, 99999999);
	ck_assert_ptr_eq(disk_sim_take(d, 99999999), &lie);
	ck_assert_uint_eq(d->n_moves, 0);
	disk_sim_add(d, &f);
	/* A write after the flush does not delay it. */
	late = write_of(4096, 100000001);
	disk_sim_add(d, &late);
	disk_sim_advance(d, 2 * S_NS);
	ck_assert_ptr_eq(disk_sim_take(d, 2 * S_NS), &late);
	ck_assert_ptr_eq(disk_sim_take(d, 2 * S_NS), &f);
	ck_assert_uint_eq(d->n_moves, 40); /* begun and arrived */
	/* 20 accesses of several ms each. */
	ASSERT_WITHIN(f.end_ns - f.arrival_ns, 50000000, 300000000);
	ck_assert_uint_eq(d->n_dirty, 1);
	free(d);
}
END_TEST

/* Of several lanes one at a time writes a sector to the medium. */
START_TEST(one_flight_of_a_sector)
{
	struct disk_model m = model_of("ssd-sata,linger=0");
	struct disk_sim *d = disk_sim_new(&m, BYTES, 1);
	struct disk_request w[2] = { write_of(0, 0), write_of(0, 100000) };

	disk_sim_add(d, &w[0]);
	disk_sim_advance(d, 99999);
	disk_sim_add(d, &w[1]);
	disk_sim_advance(d, S_NS);
	ck_assert_uint_eq(d->n_moves, 4);
	for (unsigned i = 0; i < d->n_moves; i++)
		ck_assert_int_eq(d->move[i].arrived, i % 2);
	free(d);
}
END_TEST

/* A full cache lets a write wait; one without linger empties itself. */
START_TEST(cache_that_is_full)
{
	struct load small = { "hdd-7200,cache=64k", 1, DISK_WRITE, 4096,
			      .ns = 10 * S_NS };
	struct load none = { "hdd-7200,cache=0", 1, DISK_WRITE, 4096,
			     .ns = 10 * S_NS };
	struct load large = { "hdd-7200", 1, DISK_WRITE, 4096, .ns = S_NS / 10 };

	run(&small);
	run(&none);
	run(&large);
	ASSERT_WITHIN(per_s(&none), 65, 85);
	/* The order of the arm among 16 helps. */
	ASSERT_WITHIN(per_s(&small), 100, 250);
	ASSERT_WITHIN(per_s(&large), 5000, 10000);
}
END_TEST

START_TEST(stall_and_cut)
{
	struct disk_model m = model_of("ssd-sata");
	struct disk_sim *d = disk_sim_new(&m, BYTES, 1);
	struct disk_request a = { .op = DISK_READ, .bytes = 4096 };
	struct disk_request b = { .op = DISK_READ, .bytes = 4096,
				  .arrival_ns = 50000 };
	struct disk_request c = { .op = DISK_READ, .bytes = 4096,
				  .arrival_ns = 3 * S_NS };

	disk_sim_add(d, &a);
	disk_sim_advance(d, 20000);
	disk_sim_stall(d, S_NS);
	disk_sim_add(d, &b);
	disk_sim_advance(d, 2 * S_NS);
	ck_assert_ptr_nonnull(disk_sim_take(d, 2 * S_NS));
	ck_assert_ptr_nonnull(disk_sim_take(d, 2 * S_NS));
	ASSERT_WITHIN(a.end_ns, S_NS, S_NS + 300000);
	ASSERT_WITHIN(b.end_ns, S_NS, S_NS + 300000);
	disk_sim_add(d, &c);
	disk_sim_advance(d, 3 * S_NS + 1000);
	disk_sim_cut(d, 3 * S_NS + 1000);
	ck_assert_ptr_eq(disk_sim_take(d, 3 * S_NS + 1000), &c);
	ck_assert_int_eq(c.error, EIO);
	free(d);
}
END_TEST

/* --- words --- */

/* The figures that the source has are keys of the model. */
static void all_sourced(const struct disk_model_row *row)
{
	char *copy = xstrdup(row->sourced), *rest = copy, *word, text[32];
	size_t n = 0;

	while ((word = strsep(&rest, " "))) {
		size_t k = 0;

		while (k < n_disk_keys && strcmp(disk_keys[k].name, word) != 0)
			k++;
		ck_assert_msg(k < n_disk_keys, "%s: %s", row->model.name, word);
		ck_assert(disk_model_is_sourced(row, word));
		ck_assert_msg(*disk_model_figure(&row->model, &disk_keys[k],
						 text, sizeof(text)),
			      "%s has no %s", row->model.name, word);
		n++;
	}
	ck_assert_uint_gt(n, 0);
	ck_assert(!disk_model_is_sourced(row, "linger"));
	free(copy);
}

START_TEST(words)
{
	static const char *const bad[] = {
		"", "hdd", "hdd-7200,", "hdd-7200,depth", "hdd-7200,depth=0",
		"hdd-7200,depth=129", "hdd-7200,rpm=-1", "hdd-7200,speed=1",
		"hdd-7200,inner=300m,outer=200m", "ssd-sata,burst=100",
		"ssd-sata,rpm=7200", "cloud-burst,base=4000",
		"hdd-7200,seek=0", "ssd-sata,lanes=65",
	};
	struct disk_model m;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(disk_model_parse(bad[i], &m) == -EINVAL &&
				      *fail_sentence(),
			      "%s", bad[i]);
	m = model_of("hdd-7200,depth=1,seek=4ms,cache=8m,volatile=0,rpm=5400");
	ck_assert_uint_eq(m.depth, 1);
	ck_assert_uint_eq(m.seek_avg_ns, 4000000);
	ck_assert_uint_eq(m.cache_bytes, 8 << 20);
	ck_assert(!m.cache_volatile);
	/* Each row is a model that parses, and names its source. */
	for (size_t i = 0; i < n_disk_models; i++) {
		m = model_of(disk_models[i].model.name);
		ck_assert_uint_gt(strlen(disk_models[i].source), 30);
		all_sourced(&disk_models[i]);
	}
}
END_TEST

START_TEST(words_of_faults)
{
	static const char *const bad[] = {
		"stal", "stall", "stall,for", "stall,for=1s,every=3",
		"torn,atom=100", "eio,op=x", "lost,every=0", "slow,bytes=0",
		"cut,every=2", "lost,colour=red",
	};
	struct disk_faults *f = xcalloc(1, sizeof(*f));

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		disk_faults_init(f, 1);
		ck_assert_msg(disk_faults_parse(f, bad[i]) == -EINVAL, "%s",
			      bad[i]);
	}
	disk_faults_init(f, 1);
	ck_assert_int_eq(disk_faults_parse(f, "stall,at=5,for=2s;lost,every=10"),
			 0);
	ck_assert_uint_eq(f->n, 2);
	ck_assert_uint_eq(f->fault[0].at_ns, 5 * S_NS);
	free(f);
}
END_TEST

static unsigned struck(const char *text, enum disk_op op, unsigned n,
		       uint64_t step_ns)
{
	struct disk_faults *f = xcalloc(1, sizeof(*f));
	unsigned hits = 0;

	disk_faults_init(f, 9);
	ck_assert_int_eq(disk_faults_parse(f, text), 0);
	for (unsigned i = 0; i < n; i++) {
		uint64_t offset = (uint64_t)i << 20;
		struct disk_harm h = disk_faults_strike(
			f, i * step_ns, op, offset, 16384, BYTES);

		if (!h.kinds)
			continue;
		hits++;
		if (h.kinds & 1u << DISK_FAULT_TORN) {
			ck_assert_uint_gt(h.keep, 0);
			ck_assert_uint_lt(h.keep, 16384);
			ck_assert_uint_eq(h.keep % f->fault[0].atom, 0);
		}
		if (h.kinds & 1u << DISK_FAULT_MISPLACED) {
			ck_assert(h.place != offset);
			ck_assert_uint_le(h.place + 16384, BYTES);
		}
	}
	free(f);
	return hits;
}

START_TEST(who_is_struck)
{
	ck_assert_uint_eq(struck("lost,every=10", DISK_WRITE, 1000, 1), 100);
	ck_assert_uint_eq(struck("lost,every=10", DISK_READ, 1000, 1), 0);
	ck_assert_uint_eq(struck("torn,atom=4096", DISK_WRITE, 100, 1), 100);
	ck_assert_uint_eq(struck("misplaced", DISK_WRITE, 1000, 1), 1000);
	ck_assert_uint_eq(struck("lie,every=2", DISK_FLUSH, 100, 1), 50);
	ck_assert_uint_eq(struck("eio,offset=10m,bytes=5m", DISK_READ, 100, 1),
			  5);
	ck_assert_uint_eq(struck("eio,op=write", DISK_READ, 100, 1), 0);
	/* For a time: [2 s, 5 s). */
	ck_assert_uint_eq(struck("eio,at=2,for=3", DISK_READ, 10, S_NS), 3);
	ck_assert_uint_eq(struck("slow,factor=3", DISK_WRITE, 10, 1), 10);
}
END_TEST

START_TEST(events)
{
	struct disk_faults *f = xcalloc(1, sizeof(*f));
	uint64_t value = 0;
	unsigned bit = 0;

	disk_faults_init(f, 1);
	ck_assert_int_eq(disk_faults_parse(
				 f, "stall,at=2,for=1;cut,at=5,for=3;decay,"
				    "every=2,after=10"),
			 0);
	ck_assert_uint_eq(disk_faults_next(f), 2 * S_NS);
	ck_assert_int_eq(disk_faults_event(f, S_NS, &value, &bit), DISK_NOTHING);
	ck_assert_int_eq(disk_faults_event(f, 2 * S_NS, &value, &bit),
			 DISK_STALL);
	ck_assert_uint_eq(value, S_NS);
	ck_assert_uint_eq(disk_faults_next(f), 5 * S_NS);
	ck_assert_int_eq(disk_faults_event(f, 5 * S_NS, &value, &bit), DISK_CUT);
	ck_assert_uint_eq(disk_faults_next(f), 8 * S_NS);
	ck_assert_int_eq(disk_faults_event(f, 8 * S_NS, &value, &bit),
			 DISK_BACK);
	ck_assert_uint_eq(disk_faults_next(f), UINT64_MAX);
	(void)disk_faults_strike(f, 9 * S_NS, DISK_WRITE, 0, 4096, BYTES);
	(void)disk_faults_strike(f, 9 * S_NS, DISK_WRITE, 8192, 4096, BYTES);
	ck_assert_uint_eq(disk_faults_next(f), 19 * S_NS);
	ck_assert_int_eq(disk_faults_event(f, 19 * S_NS, &value, &bit),
			 DISK_DECAY);
	ck_assert(value >= 8192 && value < 12288);
	ck_assert_int_eq(disk_faults_event(f, 99 * S_NS, &value, &bit),
			 DISK_NOTHING);
	free(f);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *c = tcase_create("disk");

	tcase_set_timeout(c, 300);
	tcase_add_test(c, seeks);
	tcase_add_test(c, random_reads_of_an_arm);
	tcase_add_test(c, streams_of_an_arm);
	tcase_add_test(c, lanes);
	tcase_add_test(c, bucket);
	tcase_add_test(c, card);
	tcase_add_test(c, looks_do_not_matter);
	tcase_add_test(c, flush_waits_for_the_cache);
	tcase_add_test(c, one_flight_of_a_sector);
	tcase_add_test(c, cache_that_is_full);
	tcase_add_test(c, stall_and_cut);
	tcase_add_test(c, words);
	tcase_add_test(c, words_of_faults);
	tcase_add_test(c, who_is_struck);
	tcase_add_test(c, events);
	suite_add_tcase(suite, c);
}
