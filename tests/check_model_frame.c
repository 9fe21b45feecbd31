/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of sample and frame: rows that come and go, intervals, events, jobs. */
#include "check_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/frame.h"
#include "model/host_clock.h"
#include "model/schema/schema_job.h"
#include "model/schema/schema_machine.h"

static struct sample one, two;
static struct frame frame;

static void begin(void)
{
	memset(&one, 0, sizeof(one));
	memset(&two, 0, sizeof(two));
	memset(&frame, 0, sizeof(frame));
	one.mono_ns = 5000000000;
	two.mono_ns = 7000000000;
	two.wall_ns = 42;
	two.late = 3;
}

static void end(void)
{
	sample_free(&one);
	sample_free(&two);
	frame_free(&frame);
}

static struct device_raw *add_device(struct sample *s, const char *id,
				     uint64_t generation, uint64_t reads)
{
	struct device_raw *d = sample_add(s, SCHEMA_DEVICE);

	text_copy(d->key.id, sizeof(d->key.id), id);
	d->key.generation = generation;
	d->ios[DEVICE_READ] = reads;
	d->columns = 17;
	d->counted = true;
	return d;
}

static double reads(const char *id)
{
	return frame_number(&frame, SCHEMA_DEVICE, id, "read_iops");
}

START_TEST(rates_come_from_the_measured_interval)
{
	add_device(&one, "sda", 1, 100);
	add_device(&two, "sda", 1, 300);
	frame_derive(&frame, &one, &two, 1000000000);
	ck_assert_double_eq(frame.t_s, 6);
	ck_assert_double_eq(frame.interval_s, 2);
	ck_assert_uint_eq(frame.wall_ns, 42);
	ck_assert_uint_eq(frame.late, 3);
	ck_assert_double_eq(reads("sda"), 100);
	ck_assert_uint_eq(frame.n_events, 0);
	ck_assert(isnan(reads("sdb")));
	ck_assert(isnan(frame_number(&frame, SCHEMA_DEVICE, "sda", "no")));
	ck_assert_ptr_null(
		frame_text(&frame, SCHEMA_DEVICE, "sda", "read_iops"));
}
END_TEST

START_TEST(a_first_look_has_gauges_only)
{
	add_device(&two, "sda", 1, 300)->queue_depth = 4;
	frame_derive(&frame, NULL, &two, 7000000000);
	ck_assert_double_eq(frame.interval_s, 0);
	ck_assert_double_eq(frame.t_s, 0);
	ck_assert(isnan(reads("sda")));
	ck_assert_double_eq(
		frame_number(&frame, SCHEMA_DEVICE, "sda", "queue_depth"), 4);
	ck_assert_uint_eq(frame.n_events, 0);
}
END_TEST

START_TEST(no_time_between_gives_no_rate)
{
	add_device(&one, "sda", 1, 100);
	add_device(&two, "sda", 1, 300);
	two.mono_ns = one.mono_ns;
	frame_derive(&frame, &one, &two, 0);
	ck_assert_double_eq(frame.interval_s, 0);
	ck_assert(isnan(reads("sda")));
	two.mono_ns = one.mono_ns - 1;
	frame_derive(&frame, &one, &two, 0);
	ck_assert(isnan(reads("sda")));
}
END_TEST

START_TEST(devices_come_and_go)
{
	add_device(&one, "sda", 1, 100);
	add_device(&one, "sdb", 2, 50);
	add_device(&two, "sdc", 3, 1000);
	add_device(&two, "sda", 1, 140);
	frame_derive(&frame, &one, &two, 0);
	ck_assert_double_eq(reads("sda"), 20);
	ck_assert(isnan(reads("sdc")));
	ck_assert_ptr_null(frame_find(&frame, SCHEMA_DEVICE, "sdb"));
	ck_assert_uint_eq(frame.n_events, 2);
	ck_assert_int_eq(frame.event[0].kind, EVENT_DEVICE_REMOVED);
	ck_assert_str_eq(frame.event[0].device, "sdb");
	ck_assert_int_eq(frame.event[1].kind, EVENT_DEVICE_ADDED);
	ck_assert_str_eq(frame.event[1].device, "sdc");
	ck_assert_double_eq(frame.event[1].t_s, frame.t_s);
}
END_TEST

START_TEST(another_bearer_of_a_name_starts_anew)
{
	add_device(&one, "loop0", 7, 100);
	add_device(&two, "loop0", 8, 900);
	frame_derive(&frame, &one, &two, 0);
	ck_assert(isnan(reads("loop0")));
	ck_assert_uint_eq(frame.n_events, 2);
}
END_TEST

START_TEST(a_newborn_job_counted_from_zero)
{
	static struct histogram h;
	struct job_raw *j = sample_add(&two, SCHEMA_JOB);
	struct task_raw *t = sample_add(&two, SCHEMA_TASK);

	text_copy(j->key.id, sizeof(j->key.id), "x");
	j->op[JOB_READ] = (struct job_op_raw){ .ios = 10,
					       .bytes = 40960,
					       .service = { 1000, 2000, &h } };
	memset(&h, 0, sizeof(h));
	h.bucket[histogram_index(1000)] = 5;
	h.bucket[histogram_index(2000)] = 5;
	j->phase = PHASE_RUN;
	j->eta_s = NAN;
	text_copy(t->key.id, sizeof(t->key.id), "77");
	t->cpu_ns = 1000000000;
	frame_derive(&frame, &one, &two, 0);
	ck_assert_double_eq(frame_number(&frame, SCHEMA_JOB, "x", "read_iops"),
			    5);
	ck_assert_double_eq(
		frame_number(&frame, SCHEMA_JOB, "x", "read_bytes_per_s"),
		20480);
	/* Held within what the worker saw. */
	ck_assert_double_ge(
		frame_number(&frame, SCHEMA_JOB, "x", "read_p50_ns"), 1000);
	ck_assert_double_le(
		frame_number(&frame, SCHEMA_JOB, "x", "read_max_ns"), 2000);
	ck_assert(isnan(frame_number(&frame, SCHEMA_JOB, "x", "write_p50_ns")));
	ck_assert(isnan(frame_number(&frame, SCHEMA_JOB, "x", "eta_s")));
	ck_assert_str_eq(frame_text(&frame, SCHEMA_JOB, "x", "phase"), "run");
	ck_assert_double_eq(frame_number(&frame, SCHEMA_TASK, "77", "cpu_pct"),
			    50);
}
END_TEST

START_TEST(a_jobs_interval_is_its_own)
{
	static struct histogram early, late;
	struct job_raw *j;
	const struct histogram *got;

	memset(&early, 0, sizeof(early));
	early.bucket[histogram_index(1000)] = 100;
	late = early;
	late.bucket[histogram_index(1000000)] = 4;
	j = sample_add(&one, SCHEMA_JOB);
	j->op[JOB_WRITE] = (struct job_op_raw){
		.ios = 100, .service = { 1000, 1000, &early }
	};
	j = sample_add(&two, SCHEMA_JOB);
	j->op[JOB_WRITE] = (struct job_op_raw){
		.ios = 104, .service = { 1000, 1000000, &late }
	};
	frame_derive(&frame, &one, &two, 0);
	got = frame.table[SCHEMA_JOB]
		      .row[0]
		      .value[schema_field(SCHEMA_JOB, "write_hist")]
		      .histogram;
	ck_assert_ptr_nonnull(got);
	ck_assert_uint_eq(histogram_count(got), 4);
	ck_assert_double_gt(
		frame_number(&frame, SCHEMA_JOB, "", "write_p50_ns"), 990000);
	/* Nothing in the interval: no percentiles, zero rates. */
	frame_derive(&frame, &two, &two, 0);
	ck_assert(isnan(frame_number(&frame, SCHEMA_JOB, "", "write_p50_ns")));
}
END_TEST

/* A value that cannot be told from another: absent ones are equal, too. */
static bool same_value(const struct field *field, union value a, union value b)
{
	if (field->kind == FIELD_NUMBER)
		return (isnan(a.number) && isnan(b.number)) ||
		       !memcmp(&a.number, &b.number, sizeof(a.number));
	if (field->kind == FIELD_TEXT)
		return a.text == b.text ||
		       (a.text && b.text && !strcmp(a.text, b.text));
	return !a.histogram == !b.histogram &&
	       (!a.histogram ||
		!memcmp(a.histogram, b.histogram, sizeof(*a.histogram)));
}

/* The past of a new row is a row of zeroes, as large as its schema says. */
START_TEST(a_newborn_row_of_each_schema_counted_from_zero)
{
	struct frame newborn = { 0 };

	for (int i = 0; i < SCHEMA_COUNT; i++) {
		const struct schema *s = schemas[i];
		char *now;

		if (!s->born_zero)
			continue;
		sample_reset(&one);
		sample_reset(&two);
		now = sample_add(&two, (enum schema_id)i);
		now[0] = 'x';
		/* What the frame held before must not show. */
		memset(arena_alloc(&newborn.arena, s->row_size * 4), 0xa5,
		       s->row_size * 4);
		frame_derive(&newborn, &one, &two, 0);
		now = sample_add(&one, (enum schema_id)i);
		now[0] = 'x';
		frame_derive(&frame, &one, &two, 0);
		ck_assert_uint_eq(newborn.table[i].n, 1);
		for (size_t k = 0; k < s->n_fields; k++)
			ck_assert_msg(
				same_value(&s->fields[k],
					   newborn.table[i].row[0].value[k],
					   frame.table[i].row[0].value[k]),
				"%s.%s of a new row", s->name,
				s->fields[k].key);
	}
	frame_free(&newborn);
}
END_TEST

START_TEST(totals_count_each_io_once)
{
	add_device(&one, "dm-0", 1, 0)->counted = false;
	add_device(&one, "sda", 1, 0);
	add_device(&one, "sdb", 1, 0);
	add_device(&two, "dm-0", 1, 600)->counted = false;
	add_device(&two, "sda", 1, 400);
	add_device(&two, "sdb", 1, 200);
	add_device(&two, "sdc", 1, 999);
	frame_derive(&frame, &one, &two, 0);
	ck_assert_double_eq(frame_total(&frame, "read_iops"), 300);
	ck_assert(isnan(frame_total(&frame, "no_such_field")));
	ck_assert(isnan(frame_total(&frame, "scheduler")));
	frame_reset(&frame);
	ck_assert(isnan(frame_total(&frame, "read_iops")));
}
END_TEST

START_TEST(many_rows_in_another_order)
{
	char id[16];

	for (int i = 0; i < 3000; i++) {
		snprintf(id, sizeof(id), "d%d", i);
		add_device(&one, id, 1, (uint64_t)i);
	}
	for (int i = 2999; i >= 0; i -= 7) {
		snprintf(id, sizeof(id), "d%d", i);
		add_device(&two, id, 1, (uint64_t)i * 3);
	}
	frame_derive(&frame, &one, &two, 0);
	ck_assert_double_eq(reads("d2999"), 2999);
	ck_assert_double_eq(reads("d3"), 3);
	ck_assert_uint_eq(frame.n_events, 3000 - 429);
	ck_assert_ptr_eq(sample_find(&two, SCHEMA_DEVICE, "d2999"),
			 sample_row(&two, SCHEMA_DEVICE, 0));
	ck_assert_ptr_null(sample_find(&two, SCHEMA_DEVICE, "d0"));
	sample_reset(&two);
	ck_assert_uint_eq(two.table[SCHEMA_DEVICE].n, 0);
}
END_TEST

START_TEST(rows_by_hand_are_absent)
{
	struct row *row = frame_add_row(&frame, SCHEMA_JOB, "x");

	for (size_t i = 0; i < schemas[SCHEMA_JOB]->n_fields; i++) {
		if (schemas[SCHEMA_JOB]->fields[i].kind == FIELD_NUMBER)
			ck_assert(isnan(row->value[i].number));
		else
			ck_assert_ptr_null(row->value[i].text);
	}
	ck_assert(isnan(row_number(SCHEMA_JOB, NULL, "errors")));
	ck_assert_ptr_null(row_text(SCHEMA_JOB, row, "errors"));
}
END_TEST

START_TEST(events_have_names_and_words)
{
	struct event e = { .kind = EVENT_KNOB,
			   .device = "loop0",
			   .knob = "scheduler",
			   .old_value = "none",
			   .new_value = "bfq",
			   .by = BY_OPERATOR,
			   .took_ns = 24000000 };
	char b[400];

	for (int k = 0; k < EVENT_KINDS; k++)
		ck_assert_int_eq(event_kind_by_name(event_kind_name(k)), k);
	ck_assert_int_eq(event_kind_by_name("x"), EVENT_KINDS);
	ck_assert_str_eq(event_words(&e, b, sizeof(b)),
			 "loop0.scheduler none -> bfq by operator, took "
			 "24.0ms");
	ck_assert(!event_changed_nothing(&e));
	text_copy(e.old_value, sizeof(e.old_value), "bfq");
	ck_assert(event_changed_nothing(&e));
	ck_assert_str_eq(event_words(&e, b, sizeof(b)),
			 "loop0.scheduler stays bfq, no change, by operator, "
			 "took 24.0ms");
	text_copy(e.old_value, sizeof(e.old_value), "none");
	e.error = 22;
	text_copy(e.wanted, sizeof(e.wanted), "cfq");
	ck_assert_ptr_nonnull(
		strstr(event_words(&e, b, sizeof(b)), "stays none"));
	e = (struct event){ .kind = EVENT_JOB_START,
			    .job = "seq",
			    .by = BY_OPERATOR,
			    .text = "read 64k" };
	ck_assert(event_is_own(&e));
	ck_assert_str_eq(event_words(&e, b, sizeof(b)),
			 "job seq started by operator: read 64k");
	/* A log may have a word that is not known, or none. */
	for (int by = 0; by < BY_WORDS; by++)
		ck_assert_int_eq(event_by_of(event_by_word(by)), by);
	e.by = event_by_of("nobody");
	ck_assert_int_eq(e.by, event_by_of(NULL));
	ck_assert_str_eq(event_words(&e, b, sizeof(b)),
			 "job seq started by unknown: read 64k");
	for (int k = 0; k < EVENT_KINDS; k++) {
		e.kind = (enum event_kind)k;
		event_words(&e, b, 8);
		ck_assert_uint_lt(strlen(b), 8);
	}
}
END_TEST

/*
 * Frames each second: the machine sleeps for 8 s before 3, somebody sets the clock by
 * an hour before 5, and a second header comes before 7, an hour and 20 s later.
 */
START_TEST(a_host_keeps_its_time)
{
	static const struct {
		double t_s, wall_s, is_s;
		const char *note;
		bool header;
	} c[] = {
		{ 1, 1001, 1001, "", true },
		{ 2, 1002, 1002, "", false },
		{ 3, 1011, 1011, "the machine was suspended for 8.000 s", false },
		{ 4, 1012, 1012, "", false },
		{ 5, 4613, 1013, "the wall clock was set by +3600.000 s", false },
		{ 6, 4614, 1014, "", false },
		{ 7, 4635, 4635, "", true },
	};
	struct host_clock clock = { 0 };
	struct frame f = { 0 };

	ck_assert_uint_eq(host_clock_ns(&clock, 1), 0);
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		struct event e = { .kind = EVENT_NOTE };

		frame_reset(&f);
		f.t_s = c[i].t_s;
		f.wall_ns = (uint64_t)(c[i].wall_s * 1e9);
		text_set(e.text, c[i].note);
		if (*e.text)
			frame_add_event(&f, &e);
		clock.anew |= c[i].header;
		host_clock_take(&clock, &f);
	}
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		const uint64_t at_ns = host_clock_ns(&clock, c[i].t_s);

		ck_assert_uint_eq(at_ns, (uint64_t)(c[i].is_s * 1e9));
		ck_assert_double_eq_tol(host_clock_t(&clock, at_ns), c[i].t_s,
					1e-6);
	}
	ck_assert_double_eq_tol(clock.set_s, 3600, 1e-6);
	host_clock_free(&clock);
	frame_free(&f);
}
END_TEST

static bool same_values(enum schema_id id, const struct row *a,
			const struct row *b)
{
	const struct schema *s = schemas[id];
	bool same = !strcmp(a->id, b->id);

	for (size_t i = 0; i < s->n_fields; i++) {
		const char *x = a->value[i].text, *y = b->value[i].text;

		if (s->fields[i].kind == FIELD_TEXT)
			same &= x && y ? !strcmp(x, y) : x == y;
		else
			same &= !memcmp(&a->value[i], &b->value[i],
					sizeof(a->value[i]));
	}
	return same;
}

/* A row that is taken from the frame before is what would be derived. */
START_TEST(a_still_row_says_the_same)
{
	/* By sample: reads of each device in turn; 0: it is not there. */
	static const uint64_t counts[][3] = {
		{ 5, 7, 9 }, { 5, 7, 9 }, { 5, 7, 9 }, { 5, 8, 9 }, { 5, 8, 9 },
		{ 0, 8, 9 }, { 5, 8, 9 }, { 5, 8, 9 }, { 5, 8, 9 }, { 6, 8, 9 },
	};
	struct sample *samples[] = { &one, &two };
	struct frame after[2] = { 0 };
	char members[] = "x y";
	unsigned still = 0;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct sample *now = samples[i % 2];
		struct frame *f = &after[i % 2];

		sample_reset(now);
		now->mono_ns = (i + 1) * 1000000000 + i * i * 1000;
		/* The last time no device counts: a member gets another name. */
		*members = i < 8 ? 'x' : 'z';
		for (size_t k = 0; k < 3; k++) {
			char id[] = { 's', 'd', (char)('a' + k), '\0' };
			struct device_raw *raw;

			if (!counts[i][k])
				continue;
			raw = add_device(now, id, k, counts[i][k]);
			raw->members = members;
			raw->tree = i >= 8;
			text_copy(((struct device_raw *)sample_find(
					   now, SCHEMA_DEVICE, id))->kind,
				  5, "disk");
		}
		frame_derive_after(f, i ? &after[!(i % 2)] : NULL,
				   i ? samples[!(i % 2)] : NULL, now, 0);
		frame_derive(&frame, i ? samples[!(i % 2)] : NULL, now, 0);
		ck_assert_uint_eq(f->table[SCHEMA_DEVICE].n,
				  frame.table[SCHEMA_DEVICE].n);
		for (size_t k = 0; k < f->table[SCHEMA_DEVICE].n; k++) {
			const struct row *row = &f->table[SCHEMA_DEVICE].row[k];

			ck_assert(same_values(
				SCHEMA_DEVICE, row,
				&frame.table[SCHEMA_DEVICE].row[k]));
			still += row->still;
		}
	}
	/* sda 3, sdb 1 + 3, sdc 6. */
	ck_assert_uint_eq(still, 13);
	frame_free(&after[0]);
	frame_free(&after[1]);
}
END_TEST

/* The same of a process, whose age and interval pass although it rests. */
START_TEST(a_resting_process_says_the_same)
{
	/* By sample: bytes written by each process in turn; 0: it is not there. */
	static const uint64_t counts[][2] = {
		{ 5, 7 }, { 5, 7 }, { 5, 7 }, { 5, 9 }, { 5, 9 },
		{ 0, 9 }, { 5, 9 }, { 5, 9 }, { 5, 9 }, { 8, 9 },
	};
	static const char *const lines[] = { "db -w 1", "db -w 2" };
	struct sample *samples[] = { &one, &two };
	struct frame after[2] = { 0 };
	unsigned repeated = 0;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct sample *now = samples[i % 2];
		struct frame *f = &after[i % 2];

		sample_reset(now);
		now->mono_ns = (i + 1) * 1000000000 + i * i * 1000;
		for (size_t k = 0; k < 2; k++) {
			uint64_t was = i ? counts[i - 1][k] : 0;
			struct task_raw *raw;

			if (!counts[i][k])
				continue;
			raw = sample_add(now, SCHEMA_TASK);
			snprintf(raw->key.id, sizeof(raw->key.id), "%zu", k + 7);
			raw->has_io = true;
			raw->state = 'S';
			raw->write_bytes = counts[i][k];
			raw->command_line = lines[k && i >= 8];
			raw->age_s = (double)i + (double)k / 3;
			raw->step_ns = 1000000000 + i * i * 1000;
			raw->step.write_bytes = was ? counts[i][k] - was : 0;
			text_set(raw->comm, "db");
		}
		frame_derive_after(f, i ? &after[!(i % 2)] : NULL,
				   i ? samples[!(i % 2)] : NULL, now, 0);
		frame_derive(&frame, i ? samples[!(i % 2)] : NULL, now, 0);
		ck_assert_uint_eq(f->table[SCHEMA_TASK].n,
				  frame.table[SCHEMA_TASK].n);
		for (size_t k = 0; k < f->table[SCHEMA_TASK].n; k++) {
			const struct row *row = &f->table[SCHEMA_TASK].row[k];

			ck_assert(same_values(SCHEMA_TASK, row,
					      &frame.table[SCHEMA_TASK].row[k]));
			ck_assert(!row->still);
			repeated += row->same;
		}
	}
	/* The first, at samples 1 to 4, 7 and 8; the other at 1, 2, 5 to 7 and 9. */
	ck_assert_uint_eq(repeated, 12);
	frame_free(&after[0]);
	frame_free(&after[1]);
}
END_TEST

TCase *frame_case(void)
{
	TCase *c = tcase_create("frame");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, rates_come_from_the_measured_interval);
	tcase_add_test(c, a_resting_process_says_the_same);
	tcase_add_test(c, a_first_look_has_gauges_only);
	tcase_add_test(c, no_time_between_gives_no_rate);
	tcase_add_test(c, devices_come_and_go);
	tcase_add_test(c, another_bearer_of_a_name_starts_anew);
	tcase_add_test(c, a_newborn_job_counted_from_zero);
	tcase_add_test(c, a_newborn_row_of_each_schema_counted_from_zero);
	tcase_add_test(c, a_jobs_interval_is_its_own);
	tcase_add_test(c, totals_count_each_io_once);
	tcase_add_test(c, many_rows_in_another_order);
	tcase_add_test(c, rows_by_hand_are_absent);
	tcase_add_test(c, a_still_row_says_the_same);
	tcase_add_test(c, events_have_names_and_words);
	tcase_add_test(c, a_host_keeps_its_time);
	return c;
}
