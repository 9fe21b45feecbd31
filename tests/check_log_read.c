/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/record: reading logs, hostile ones too. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "record/codec.h"
#include "record/log.h"
#include "log_memory.h"
#include "test.h"

#define TURNS  SRCDIR "/logs/turns.jsonl"
#define HEADER "{\"type\":\"header\",\"schema\":1,\"program\":\"p\"}\n"

static struct log_reader *open_text(const char *text)
{
	struct log_reader *r = NULL;
	int err = log_open_text(&r, text, strlen(text));

	ck_assert_msg(err == 0, "%s", fail_sentence());
	return r;
}

START_TEST(test_header)
{
	struct log_reader *r;
	const struct header *h;

	ck_assert_int_eq(log_open(&r, TURNS), 0);
	h = log_reader_header(r);
	ck_assert_str_eq(h->program, "iodyno 0.1.0");
	ck_assert_uint_eq(h->argc, 4);
	ck_assert_str_eq(h->argv[2], "--at");
	ck_assert_str_eq(h->host.kernel, "6.1.0");
	ck_assert_uint_eq(h->host.memory_bytes, 4294967296);
	ck_assert_uint_eq(h->n_devices, 1);
	ck_assert_str_eq(h->device[0].id, "loop0");
	ck_assert_str_eq(
		frame_text(h->knobs, SCHEMA_KNOB, "loop0.scheduler", "value"),
		"none");
	ck_assert_uint_eq(h->n_jobs, 1);
	ck_assert_str_eq(h->job[0].name, "seq");
	ck_assert_str_eq(h->job[0].engine, "libaio");
	ck_assert_uint_eq(h->job[0].rw, RW_RANDREAD);
	ck_assert_uint_eq(h->job[0].iodepth, 16);
	ck_assert(h->job[0].direct);
	ck_assert_uint_eq(h->job[0].runtime_ns, 30000000000);
	ck_assert_str_eq(h->label[0].value, "a");
	ck_assert(json_true(json_get(log_reader_summary(r), "restored")));
	log_reader_free(r);
}
END_TEST

/* Jobs that began later are among the header's, wherever they stand. */
START_TEST(test_later_jobs)
{
	struct log_reader *r = open_text(
		HEADER "{\"type\":\"job\",\"job\":[{\"name\":\"a\"},"
		       "{\"name\":\"a\",\"id\":\"a#2\"}]}\n"
		       "{\"type\":\"frame\",\"t\":1}\n"
		       "{\"type\":\"job\"}\n{\"type\":\"job\",\"job\":7}\n"
		       "{\"type\":\"job\",\"job\":[{\"name\":\"b\","
		       "\"rw\":\"randwrite\"}]}\n");
	const struct header *h = log_reader_header(r);

	ck_assert_uint_eq(log_count(r), 1);
	ck_assert_uint_eq(h->n_jobs, 3);
	ck_assert_str_eq(job_id(&h->job[1]), "a#2");
	ck_assert_uint_eq(h->job[2].rw, RW_RANDWRITE);
	log_reader_free(r);
}
END_TEST

/*
 * A frame that repeats the processes of an earlier one has their rows, in whatever
 * order frames are read, also where another program put a blank.
 */
START_TEST(test_tasks_repeat)
{
	static const char repeat[] = "{\"type\":\"frame\",\"t\":%d,"
				     "\"time\":\"2026-11-20T18:00:00.000Z\","
				     "\"interval_s\":1,\"late\":0,"
				     "\"task_repeats\":%s1}\n";
	char text[4096];
	struct log_reader *r;
	struct frame f = { 0 };
	size_t n;

	n = (size_t)snprintf(text, sizeof(text), "%s", HEADER);
	n += (size_t)snprintf(text + n, sizeof(text) - n, repeat, 1, "");
	n += (size_t)snprintf(text + n, sizeof(text) - n,
			      "{\"type\":\"frame\",\"t\":2,\"task\":[{\"id\":"
			      "\"7\",\"comm\":\"dd\",\"cpu_pct\":3}]}\n");
	n += (size_t)snprintf(text + n, sizeof(text) - n, repeat, 3, "");
	n += (size_t)snprintf(text + n, sizeof(text) - n, repeat, 4,
			      " ");
	snprintf(text + n, sizeof(text) - n,
		 "{\"type\":\"frame\",\"t\":5,\"task\":[]}\n");
	r = open_text(text);
	for (int round = 0; round < 2; round++) {
		ck_assert_int_eq(log_read(r, 3, &f), 0);
		ck_assert_str_eq(frame_text(&f, SCHEMA_TASK, "7", "comm"),
				 "dd");
		ck_assert_double_eq(
			frame_number(&f, SCHEMA_TASK, "7", "cpu_pct"), 3);
		ck_assert_double_eq(f.t_s, 4);
		ck_assert_int_eq(log_read(r, 4, &f), 0);
		ck_assert_uint_eq(f.table[SCHEMA_TASK].n, 0);
		ck_assert_int_eq(log_read(r, 0, &f), 0);
		ck_assert_uint_eq(f.table[SCHEMA_TASK].n, 0);
		ck_assert_int_eq(log_read(r, 1, &f), 0);
		ck_assert_uint_eq(f.table[SCHEMA_TASK].n, 1);
	}
	frame_free(&f);
	log_reader_free(r);
}
END_TEST

/* Any frame knows all knobs as they were, in whatever order it is read. */
#define DAY_FRAMES 200

/* Frame i of a log of days: a process of every third frame, another one from
 * frame 100 on, a device that gets another scheduler. */
static void make_day(struct frame *f, size_t i)
{
	struct row *row;

	frame_reset(f);
	f->t_s = (double)i * 10;
	f->interval_s = 10;
	f->table[SCHEMA_TASK].repeats = i % 5 == 4;
	row = frame_add_row(f, SCHEMA_DEVICE, "vda");
	row->value[schema_field(SCHEMA_DEVICE, "util_pct")].number = (double)i;
	row->value[schema_field(SCHEMA_DEVICE, "read_ahead_kb")].number =
		i < 70 ? 128 : NAN;
	row->value[schema_field(SCHEMA_DEVICE, "scheduler")].text =
		i < 50 ? "none" : "bfq";
	for (size_t k = 0; k < 100 && i % 3 == 0; k++) {
		char id[16];

		snprintf(id, sizeof(id), "%zu", k);
		row = frame_add_row(f, SCHEMA_TASK, id);
		row->value[schema_field(SCHEMA_TASK, "cpu_pct")].number = 1;
		row->value[schema_field(SCHEMA_TASK, "command_line")].text =
			i < 100 || k ? "/bin/a b" : "/bin/c d";
	}
}

static void check_day(const struct frame *f, size_t i)
{
	const double ahead =
		frame_number(f, SCHEMA_DEVICE, "vda", "read_ahead_kb");
	size_t tasks = i % 5 == 4 ? i - 1 : i;

	ck_assert_double_eq(frame_number(f, SCHEMA_DEVICE, "vda", "util_pct"),
			    (double)i);
	ck_assert_str_eq(frame_text(f, SCHEMA_DEVICE, "vda", "scheduler"),
			 i < 50 ? "none" : "bfq");
	ck_assert_msg(i < 70 ? ahead == 128 : isnan(ahead), "%zu: %g", i, ahead);
	ck_assert_uint_eq(f->table[SCHEMA_TASK].n, tasks % 3 ? 0 : 100);
	if (tasks % 3)
		return;
	ck_assert_str_eq(frame_text(f, SCHEMA_TASK, "0", "command_line"),
			 tasks < 100 ? "/bin/a b" : "/bin/c d");
	ck_assert_str_eq(frame_text(f, SCHEMA_TASK, "99", "arguments"), "b");
}

static int visit_day(const struct frame *f, void *arg)
{
	check_day(f, (*(size_t *)arg)++);
	return 0;
}

/*
 * A log of days has facts once; any frame has them again, in whatever order frames
 * are read. A log of seconds has them in each row.
 */
START_TEST(test_facts)
{
	struct known_facts facts[2] = { { .on = true } };
	size_t bytes[2] = { 0 }, n = 0;
	struct log_reader *r;
	struct frame f = { 0 };

	for (size_t l = 0; l < 2; l++) {
		struct known_knobs knobs = { 0 };
		struct json_writer w = { 0 };
		FILE *log = fopen("facts.jsonl", "w");

		fputs(HEADER, log);
		for (size_t i = 0; i < DAY_FRAMES; i++) {
			make_day(&f, i);
			codec_write_frame(&w, &f, &knobs, &facts[l], 0);
			fprintf(log, "%.*s\n", (int)w.len, w.buf);
			bytes[l] += w.len;
			json_writer_reset(&w);
		}
		fclose(log);
		json_writer_free(&w);
		known_facts_free(&facts[l]);
		ck_assert_int_eq(log_open(&r, "facts.jsonl"), 0);
		for (size_t i = 0; i < 3 * DAY_FRAMES; i++) {
			size_t at = i < DAY_FRAMES ? i : i * 73 % DAY_FRAMES;

			ck_assert_int_eq(log_read(r, at, &f), 0);
			check_day(&f, at);
		}
		log_reader_free(r);
		n = 0;
		ck_assert_int_eq(log_each(&r, "facts.jsonl", visit_day, &n), 0);
		ck_assert_uint_eq(n, DAY_FRAMES);
		log_reader_free(r);
	}
	ck_assert_msg(bytes[0] < bytes[1] * 3 / 4, "%zu, without marks %zu", bytes[0],
		      bytes[1]);
	remove("facts.jsonl");
	frame_free(&f);
}
END_TEST

START_TEST(test_knobs_merged)
{
	struct log_reader *r;
	struct frame f = { 0 };

	ck_assert_int_eq(log_open(&r, TURNS), 0);
	for (int round = 0; round < 2; round++) {
		ck_assert_int_eq(log_read(r, 20, &f), 0);
		ck_assert_uint_eq(f.table[SCHEMA_KNOB].n, 3);
		ck_assert_double_eq(
			frame_number(&f, SCHEMA_SELF, "", "cpu_pct"), 0.25);
		ck_assert_str_eq(
			frame_text(&f, SCHEMA_KNOB, "loop0.scheduler", "value"),
			"bfq");
		ck_assert_ptr_null(
			frame_find(&f, SCHEMA_KNOB, "loop0.iosched.x"));
		ck_assert_int_eq(log_read(r, 3, &f), 0);
		ck_assert_str_eq(
			frame_text(&f, SCHEMA_KNOB, "loop0.scheduler", "value"),
			"none");
		ck_assert_str_eq(
			frame_text(&f, SCHEMA_KNOB, "loop0.iosched.x", "value"),
			"1");
		ck_assert_str_eq(frame_text(&f, SCHEMA_KNOB,
					    "loop0.nr_requests", "value"),
				 "128");
	}
	frame_free(&f);
	log_reader_free(r);
}
END_TEST

/* The frame whose processes are repeated, far back, has older settings. */
START_TEST(test_knobs_of_repeated)
{
	char text[16384];
	size_t n = (size_t)snprintf(text, sizeof(text), HEADER);
	struct log_reader *r;
	struct frame f = { 0 };

	for (int i = 0; i < 100; i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n,
			"{\"type\":\"frame\",\"t\":%d%s%s}\n", i,
			i == 0	 ? ",\"task\":[{\"id\":\"7\"}]"
			: i == 1 ? ",\"knob\":[{\"id\":\"vda.scheduler\",\"value\":"
				   "\"bfq\"}]"
				 : "",
			i ? ",\"task_repeats\":1"
			  : ",\"knob\":[{\"id\":\"vda.scheduler\",\"value\":"
			    "\"none\"}]");
	r = open_text(text);
	for (size_t i = 99; i > 14; i -= 14) {
		ck_assert_int_eq(log_read(r, i, &f), 0);
		ck_assert_uint_eq(f.table[SCHEMA_TASK].n, 1);
		ck_assert_str_eq(
			frame_text(&f, SCHEMA_KNOB, "vda.scheduler", "value"),
			"bfq");
	}
	frame_free(&f);
	log_reader_free(r);
}
END_TEST

START_TEST(test_seek)
{
	struct log_reader *r =
		open_text(HEADER "{\"type\":\"frame\",\"t\":1}\n"
				 "{\"type\":\"frame\",\"t\":2}\n"
				 "{\"type\":\"frame\",\"t\":1.5}\n"
				 "{\"type\":\"frame\"}\n"
				 "{\"type\":\"frame\",\"t\":4}\n");

	ck_assert_uint_eq(log_count(r), 5);
	ck_assert_uint_eq(log_seek(r, 0), 0);
	ck_assert_uint_eq(log_seek(r, 1), 0);
	ck_assert_uint_eq(log_seek(r, 3.9), 3);
	ck_assert_uint_eq(log_seek(r, 4), 4);
	ck_assert_uint_eq(log_seek(r, 99), 4);
	ck_assert_double_eq(log_t(r, 3), 1.5);
	log_reader_free(r);
}
END_TEST

START_TEST(test_unknown_and_missing)
{
	struct log_reader *r = open_text(
		HEADER "{\"type\":\"novelty\",\"x\":1}\n\n"
		       "{\"type\":\"frame\",\"t\":1,\"new\":{\"a\":[1]},"
		       "\"device\":[{\"id\":\"vda\",\"read_iops\":5,"
		       "\"write_iops\":null,\"util_pct\":\"no\",\"x\":1}]}\n");
	struct frame f = { 0 };

	ck_assert_uint_eq(log_count(r), 1);
	ck_assert_int_eq(log_read(r, 0, &f), 0);
	ck_assert_double_eq(frame_number(&f, SCHEMA_DEVICE, "vda", "read_iops"),
			    5);
	ck_assert_double_nan(
		frame_number(&f, SCHEMA_DEVICE, "vda", "write_iops"));
	ck_assert_double_nan(
		frame_number(&f, SCHEMA_DEVICE, "vda", "util_pct"));
	ck_assert_double_nan(
		frame_number(&f, SCHEMA_DEVICE, "vda", "queue_size"));
	ck_assert_ptr_null(frame_text(&f, SCHEMA_DEVICE, "vda", "scheduler"));
	frame_free(&f);
	log_reader_free(r);
}
END_TEST

START_TEST(test_hostile)
{
	struct log_reader *r = open_text(
		HEADER
		"{\"type\":\"frame\",\"t\":1e308,\"interval_s\":-5,"
		"\"late\":1e99,\"time\":\"9999-99-99T99:99:99Z\","
		"\"device\":[{\"id\":\"a\\u001b[31m\\u0000b\",\"read_iops\":"
		"1e999},{\"id\":7},{\"id\":\"d\"},{\"id\":\"d\"},[],null],"
		"\"self\":[1],\"memory\":{\"a\":1},\"job\":[{\"id\":\"j\","
		"\"read_hist\":[[1e300,1],[-1,2],[5],[7,3],{},[8,1e300]],"
		"\"phase\":\"\\u009b2J\"}],\"event\":[{\"kind\":\"knob\","
		"\"took_ns\":1e300,\"error\":-4,\"t\":\"x\"},{\"kind\":5}]}\n");
	struct frame f = { 0 };
	const struct row *job;

	ck_assert_int_eq(log_read(r, 0, &f), 0);
	ck_assert_double_eq(f.t_s, FRAME_TIME_MAX_S);
	ck_assert_double_eq(f.interval_s, 0);
	ck_assert_uint_eq(f.wall_ns, 0);
	ck_assert_uint_eq(f.table[SCHEMA_DEVICE].n, 3);
	ck_assert_str_eq(f.table[SCHEMA_DEVICE].row[0].id, "a?[31m");
	job = frame_find(&f, SCHEMA_JOB, "j");
	ck_assert_uint_eq(
		histogram_count(
			job->value[schema_field(SCHEMA_JOB, "read_hist")]
				.histogram),
		3);
	ck_assert_ptr_null(strchr(row_text(SCHEMA_JOB, job, "phase"), '\x9b'));
	ck_assert_uint_eq(f.n_events, 1);
	ck_assert_int_eq(f.event[0].error, 0);
	frame_free(&f);
	log_reader_free(r);
}
END_TEST

static void refused(const char *text, const char *sentence)
{
	struct log_reader *r;

	ck_assert_int_lt(log_open_text(&r, text, strlen(text)), 0);
	ck_assert_msg(strstr(fail_sentence(), sentence) != NULL, "%s",
		      fail_sentence());
}

START_TEST(test_refused)
{
	struct log_reader *r;

	refused("", "no whole header");
	refused("\n\n", "no whole header");
	refused("{\"type\":\"header\"", "no whole header");
	refused("{\"type\":\"frame\",\"t\":1}\n", "line 1 is not a header");
	refused("hello\nworld\n", "line 1");
	refused(HEADER "garbage\n" HEADER, "line 2");
	refused("{\"type\":\"header\",\"schema\":2}\n", "schema 2");
	refused(HEADER "{\"type\":\"frame\",\"a\":[[[[[[[[[[[[[[[[[[[[[[[[["
		       "]]]]]]]]]]]]]]]]]]]]]]]]]}\n",
		"line 2");
	ck_assert_int_eq(log_open(&r, "/nonexistent/log"), -ENOENT);
}
END_TEST

/* The line of a frame again; free() it. */
static char *written(const struct frame *f)
{
	struct known_knobs knobs = { 0 };
	struct known_facts facts = { 0 };
	struct json_writer w = { 0 };

	codec_write_frame(&w, f, &knobs, &facts, 0);
	json_writer_raw(&w, "", 1);
	known_knobs_free(&knobs);
	return w.buf;
}

static void by_json(const char *line, struct frame *f)
{
	struct json *j;

	ck_assert_int_eq(json_parse(line, strlen(line), &j), 0);
	codec_read_frame(j, f);
	json_free(j);
}

/* Both ways to read a line give the same frame. Returns whether the line is of
 * the plain form. */
static bool reads_alike(const char *line)
{
	struct frame plain = { 0 }, json = { 0 };
	bool is_plain = frame_line_read(line, strlen(line), &plain);

	if (is_plain) {
		char *a, *b;

		by_json(line, &json);
		a = written(&plain);
		b = written(&json);
		ck_assert_str_eq(a, b);
		free(a);
		free(b);
	}
	frame_free(&plain);
	frame_free(&json);
	return is_plain;
}

START_TEST(test_plain_lines)
{
	static const char *const logs[] = { TURNS,
					    SRCDIR "/logs/record.jsonl" };

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		FILE *in = fopen(logs[i], "r");
		size_t cap = 0, lines = 0, plain = 0;
		char *line = NULL;
		ssize_t len;

		ck_assert_ptr_nonnull(in);
		while ((len = getline(&line, &cap, in)) > 0) {
			line[len - 1] = '\0';
			if (strncmp(line, "{\"type\":\"frame\"", 15))
				continue;
			lines++;
			plain += reads_alike(line);
		}
		/* All but those with knobs or events. */
		ck_assert_uint_gt(plain * 2, lines);
		free(line);
		fclose(in);
	}
}
END_TEST

static const struct {
	const char *line;
	bool plain;
} lines[] = {
	{ "{\"type\":\"frame\"}", true },
	{ "{\"type\":\"frame\",\"t\":1e3,\"interval_s\":1.25e-3}", true },
	{ "{\"type\":\"frame\",\"t\":-0.5,\"late\":3}", true },
	{ "{\"type\":\"frame\",\"t\":0.1234567890123456789}", true },
	{ "{\"type\":\"frame\",\"t\":123456789012345678901234}", false },
	{ "{\"type\":\"frame\",\"t\":1e-300}", true },
	{ "{\"type\":\"frame\",\"device\":[{\"id\":\"a\"}]}", true },
	{ "{\"type\":\"frame\",\"device\":[{\"id\":\"a\",\"x\":1,"
	  "\"util_pct\":5,\"read_iops\":7,\"kind\":\"disk\"}]}",
	  true },
	{ "{\"type\":\"frame\",\"job\":[{\"id\":\"j\",\"read_hist\":"
	  "[[100,2],[5000,1]],\"read_iops\":3}]}",
	  true },
	/* Command lines have quotes and backslashes. */
	{ "{\"type\":\"frame\",\"task\":[{\"id\":\"1\",\"comm\":\"sh\","
	  "\"command_line\":\"sh -c \\\"a \\\\ b\\/c\\\"\"}]}",
	  true },
	{ "{\"type\":\"frame\",\"task\":[{\"id\":\"1\",\"command_line\":\"\\\"}]}",
	  false },
	{ "{\"type\":\"frame\",\"task\":[{\"id\":\"1\",\"command_line\":\"a\\nb\"}]}",
	  false },
	{ "{\"type\":\"frame\",\"t\":01}", false },
	{ "{\"type\":\"frame\",\"t\":1.}", false },
	{ "{\"type\":\"frame\",\"t\":+1}", false },
	{ "{\"type\":\"frame\",\"t\":1e999}", false },
	{ "{\"type\":\"frame\",\"t\":null}", false },
	{ "{\"type\":\"frame\",\"t\":1,\"t\":2}", false },
	{ "{\"type\":\"frame\",\"t\":1}x", false },
	{ "{\"type\":\"frame\",\"t\":1", false },
	{ "{\"type\":\"frame\",\"device\":[{\"util_pct\":5}]}", false },
	{ "{\"type\":\"frame\",\"device\":[{\"id\":\"\\u0041\"}]}", false },
	{ "{\"type\":\"frame\",\"device\":[{\"id\":\"a\",\"kind\":1}]}",
	  false },
	/* Cells of experiments, as jobs' rows have them. */
	{ "{\"type\":\"frame\",\"job\":[{\"id\":\"j\",\"point\":{\"bs\":\"4k\","
	  "\"sda.scheduler\":\"bfq\"},\"block\":2,\"run\":7},"
	  "{\"id\":\"k\",\"run\":8}]}",
	  true },
	{ "{\"type\":\"frame\",\"job\":[{\"id\":\"j\",\"point\":{\"bs\":"
	  "\"0123456789012345678901234567890123456789012345678\"}}]}",
	  true },
	{ "{\"type\":\"frame\",\"job\":[{\"id\":\"j\",\"point\":{\"bs\":4}}]}",
	  false },
	{ "{\"type\":\"frame\",\"job\":[{\"id\":\"j\",\"point\":{\"a\":\"1\"},"
	  "\"point\":{\"b\":\"2\"}}]}",
	  false },
	{ "{\"type\":\"frame\",\"job\":[{\"id\":\"j\",\"block\":0}]}", false },
	{ "{\"type\":\"frame\",\"job\":[{\"id\":\"j\",\"point\":{}}]}", false },
	{ "{\"type\":\"frame\",\"knob\":[]}", false },
	{ "{\"type\":\"frame\",\"event\":[]}", false },
	{ "{\"type\":\"summary\"}", false },
	{ "{}", false },
	{ "", false },
};

START_TEST(test_line_forms)
{
	ck_assert_msg(reads_alike(lines[_i].line) == lines[_i].plain, "%s",
		      lines[_i].line);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("record");

	tcase_add_test(t, test_header);
	tcase_add_test(t, test_plain_lines);
	tcase_add_loop_test(t, test_line_forms, 0, ARRAY_SIZE(lines));
	tcase_add_test(t, test_later_jobs);
	tcase_add_test(t, test_knobs_merged);
	tcase_add_test(t, test_knobs_of_repeated);
	tcase_add_test(t, test_tasks_repeat);
	tcase_add_test(t, test_facts);
	tcase_add_test(t, test_seek);
	tcase_add_test(t, test_unknown_and_missing);
	tcase_add_test(t, test_hostile);
	tcase_add_test(t, test_refused);
	suite_add_tcase(suite, t);
}
