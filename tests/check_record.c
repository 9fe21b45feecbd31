/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/record: the log, written and read back. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "record/codec.h"
#include "record/line_writer.h"
#include "record/log.h"
#include "record/metrics.h"
#include "log_memory.h"
#include "test.h"

#define TURNS SRCDIR "/logs/turns.jsonl"

/* A new directory under TMPDIR; path of a file in it. */
static void temp_path(char *path, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(path, size, "%s/check_record.XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(path));
	strncat(path, "/log", size - strlen(path) - 1);
}

static void remove_temp(char *path)
{
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

static char *slurp_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;

	ck_assert_msg(f != NULL, "%s", path);
	*len = 0;
	while (!feof(f)) {
		text = xgrow(text, &cap, *len + 4097, 1);
		*len += fread(text + *len, 1, 4096, f);
	}
	text[*len] = '\0';
	fclose(f);
	return text;
}

static const char *number(double v, char *buf)
{
	json_number_text(buf, v);
	return buf;
}

START_TEST(test_numbers)
{
	char b[JSON_NUMBER_MAX];

	ck_assert_str_eq(number(0, b), "0");
	ck_assert_str_eq(number(-0.0, b), "0");
	ck_assert_str_eq(number(-1234, b), "-1234");
	ck_assert_str_eq(number(0.5, b), "0.5");
	ck_assert_str_eq(number(1.0003, b), "1.0003");
	ck_assert_str_eq(number(-12.003, b), "-12.003");
	ck_assert_str_eq(number(1.0 / 3, b), "0.333333333");
	ck_assert_str_eq(number(0.000123456789012, b), "0.000123456789");
	ck_assert_str_eq(number(9.99999999999, b), "10");
	ck_assert_str_eq(number(99999999.99, b), "100000000");
	ck_assert_str_eq(number(1234567890.5, b), "1234567891");
	ck_assert_str_eq(number(9007199254740992.0, b), "9007199254740992");
	ck_assert_str_eq(number(1e308, b), "1e+308");
	ck_assert_str_eq(number(1.5e-7, b), "1.5e-07");
}
END_TEST

/* Whatever is printed, its value prints the same. */
START_TEST(test_numbers_fixed_point)
{
	char a[JSON_NUMBER_MAX], b[JSON_NUMBER_MAX];
	uint64_t x = 88172645463325252ull;

	for (int i = 0; i < 200000; i++) {
		double v;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (i % 2)
			memcpy(&v, &x, sizeof(v));
		else
			v = ldexp((double)(int64_t)x, -(int)(x % 90));
		if (!isfinite(v))
			continue;
		number(v, a);
		number(strtod(a, NULL), b);
		ck_assert_str_eq(a, b);
		ck_assert_double_le(fabs(strtod(a, NULL) - v),
				    fabs(v) * 5.1e-9);
	}
}
END_TEST

/* The header of a log has the knobs of all groups of the host. */
START_TEST(test_host_knobs)
{
	static const char *const knobs[][2] = {
		{ "vda.scheduler", "bfq" },
		{ "vm.dirty_ratio", "20" },
		{ "kernel.task_delayacct", "1" },
	};
	struct device_info device = { .id = "vda", .size_bytes = 4096 };
	int value = schema_field(SCHEMA_KNOB, "value");
	struct frame f = { 0 };
	struct header h = { .schema = LOG_SCHEMA,
			    .device = &device,
			    .n_devices = 1,
			    .knobs = &f };
	const struct frame *read;
	struct log_reader *r;
	struct log_writer *w;
	char path[256], line[4096];
	FILE *file;

	for (size_t i = 0; i < ARRAY_SIZE(knobs); i++)
		frame_add_row(&f, SCHEMA_KNOB, knobs[i][0])->value[value].text =
			arena_strdup(&f.arena, knobs[i][1]);
	temp_path(path, sizeof(path));
	ck_assert_int_eq(log_create(&w, path, false), 0);
	ck_assert_int_eq(log_header(w, &h), 0);
	log_close(w);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	fclose(file);
	ck_assert_msg(strstr(line, "\"knobs\":{\"dirty_ratio\":\"20\","
				   "\"kernel.task_delayacct\":\"1\"}") !=
			      NULL,
		      "%s", line);
	ck_assert_int_eq(log_open(&r, path), 0);
	read = log_reader_header(r)->knobs;
	ck_assert_uint_eq(read->table[SCHEMA_KNOB].n, ARRAY_SIZE(knobs));
	for (size_t i = 0; i < ARRAY_SIZE(knobs); i++)
		ck_assert_str_eq(frame_text(read, SCHEMA_KNOB, knobs[i][0],
					    "value"),
				 knobs[i][1]);
	log_reader_free(r);
	frame_free(&f);
	remove_temp(path);
}
END_TEST

/* Event and job row carry their point, block and run through a log. */
START_TEST(test_points)
{
	struct cell cell = { .block = 2, .run = 7 };
	struct event e = { .kind = EVENT_JOB_STOP, .by = BY_SWEEP };
	struct frame f = { 0 };
	struct header h = { .schema = LOG_SCHEMA };
	struct log_reader *r;
	struct log_writer *w;
	char path[256];

	ck_assert(point_set(&cell.point, "scheduler", "bfq"));
	temp_path(path, sizeof(path));
	ck_assert_int_eq(log_create(&w, path, false), 0);
	ck_assert_int_eq(log_header(w, &h), 0);
	frame_set_cell(&f, frame_add_row(&f, SCHEMA_JOB, "seq"), &cell);
	frame_add_row(&f, SCHEMA_JOB, "other");
	e.cell = cell;
	frame_add_event(&f, &e);
	ck_assert_int_eq(log_frame(w, &f), 0);
	log_close(w);
	frame_reset(&f);
	ck_assert_int_eq(log_open(&r, path), 0);
	ck_assert_int_eq(log_read(r, 0, &f), 0);
	ck_assert_uint_eq(f.table[SCHEMA_JOB].n, 2);
	ck_assert_ptr_nonnull(f.table[SCHEMA_JOB].row[0].cell);
	ck_assert_uint_eq(f.table[SCHEMA_JOB].row[0].cell->run, 7);
	ck_assert_ptr_null(f.table[SCHEMA_JOB].row[1].cell);
	ck_assert_uint_eq(f.event[0].cell.block, 2);
	ck_assert(point_equal(&f.event[0].cell.point, &cell.point));
	frame_free(&f);
	log_reader_free(r);
	remove_temp(path);
}
END_TEST

/* Write one frame with the events and read it back into f. */
static void through_log(const struct event *e, size_t n, struct frame *f)
{
	struct header h = { .schema = LOG_SCHEMA };
	struct log_reader *r;
	struct log_writer *w;
	char path[256];

	temp_path(path, sizeof(path));
	ck_assert_int_eq(log_create(&w, path, false), 0);
	ck_assert_int_eq(log_header(w, &h), 0);
	for (size_t i = 0; i < n; i++)
		frame_add_event(f, &e[i]);
	ck_assert_int_eq(log_frame(w, f), 0);
	log_close(w);
	frame_reset(f);
	ck_assert_int_eq(log_open(&r, path), 0);
	ck_assert_int_eq(log_read(r, 0, f), 0);
	log_reader_free(r);
	remove_temp(path);
}

/* An event says the same after the log, whatever its kind. */
START_TEST(test_typed_events)
{
	struct frame f = { 0 };
	struct event e[EVENT_KINDS];
	char want[400], got[400];

	for (int i = 0; i < EVENT_KINDS; i++) {
		e[i] = (struct event){
			.kind = (enum event_kind)i,
			.phase = PHASE_VERIFY,
			.device = "vda",
			.knob = "scheduler",
			.old_value = "none",
			.new_value = "bfq",
			.by = BY_SWEEP,
			.job = "seq",
			.text = "words",
			.wanted = "iops:2%",
		};
		e[i].cell.run = 3;
	}
	e[EVENT_JOB_FAILED].error = 5;
	e[EVENT_STEADY].steady = (struct event_steady){ .attained = true,
							.pct = true,
							.samples = 9,
							.found = 1.5,
							.iops = 3000 };
	e[EVENT_ALARM_BEGIN].value = 12.5;
	e[EVENT_ALARM_BEGIN].limit = -1;
	text_copy(e[EVENT_ALARM_BEGIN].name, sizeof(e->name), "latency");
	text_copy(e[EVENT_STEP].name, sizeof(e->name), "prepare");
	e[EVENT_ATTEMPT].number = 2;
	through_log(e, EVENT_KINDS, &f);
	ck_assert_uint_eq(f.n_events, EVENT_KINDS);
	for (int i = 0; i < EVENT_KINDS; i++) {
		ck_assert_int_eq(f.event[i].kind, i);
		event_words(&e[i], want, sizeof(want));
		event_words(&f.event[i], got, sizeof(got));
		ck_assert_str_eq(got, want);
	}
	ck_assert_int_eq(f.event[EVENT_PHASE].phase, PHASE_VERIFY);
	ck_assert_int_eq(f.event[EVENT_JOB_FAILED].error, 5);
	ck_assert_double_eq(f.event[EVENT_ALARM_BEGIN].limit, -1);
	event_words(&f.event[EVENT_STEADY], got, sizeof(got));
	ck_assert_str_eq(got, "job seq: steady state iops:2% attained: "
			      "deviation 1.5%, mean 3000 IOPS of the last 9 "
			      "samples");
	frame_free(&f);
}
END_TEST

/* Logs had phases and failures as texts of one kind. */
START_TEST(test_old_job_events)
{
	static const char line[] =
		"{\"type\":\"frame\",\"t\":1,\"event\":["
		"{\"t\":1,\"kind\":\"job\",\"job\":\"a\",\"text\":\"run\"},"
		"{\"t\":1,\"kind\":\"job\",\"job\":\"a\","
		"\"text\":\"failed: cannot open x\"},"
		"{\"t\":1,\"kind\":\"job\",\"job\":\"a\","
		"\"text\":\"steady state iops:2% attained\"}]}";
	struct frame f = { 0 };
	struct json *j;
	char words[200];

	ck_assert(!json_parse(line, sizeof(line) - 1, &j));
	codec_read_frame(j, &f);
	json_free(j);
	ck_assert_uint_eq(f.n_events, 3);
	ck_assert_int_eq(f.event[0].kind, EVENT_PHASE);
	ck_assert_int_eq(f.event[0].phase, PHASE_RUN);
	ck_assert_int_eq(f.event[1].kind, EVENT_JOB_FAILED);
	ck_assert_str_eq(f.event[1].text, "cannot open x");
	ck_assert_str_eq(event_words(&f.event[0], words, sizeof(words)),
			 "job a: run");
	ck_assert_str_eq(event_words(&f.event[1], words, sizeof(words)),
			 "job a: failed: cannot open x");
	ck_assert_str_eq(event_words(&f.event[2], words, sizeof(words)),
			 "job a: steady state iops:2% attained");
	frame_free(&f);
}
END_TEST

/* Writing what was read gives the same bytes, knob changes included. */
START_TEST(test_round_trip)
{
	struct log_reader *r;
	struct log_writer *w;
	struct frame f = { 0 };
	char path[256], *want, *got;
	size_t want_len, got_len;

	temp_path(path, sizeof(path));
	ck_assert_int_eq(log_open(&r, TURNS), 0);
	ck_assert_uint_eq(log_count(r), 31);
	ck_assert_int_eq(log_create(&w, path, false), 0);
	ck_assert_int_eq(log_header(w, log_reader_header(r)), 0);
	for (size_t i = 0; i < log_count(r); i++) {
		ck_assert_int_eq(log_read(r, i, &f), 0);
		ck_assert_int_eq(log_frame(w, &f), 0);
	}
	ck_assert_int_eq(log_summary(w, log_reader_summary(r),
				     &(struct clock_facts){ 0 }), 0);
	log_close(w);
	frame_free(&f);
	want = slurp_file(TURNS, &want_len);
	got = slurp_file(path, &got_len);
	*strstr(want, "{\"type\":\"summary\"") = '\0';
	*strstr(got, "{\"type\":\"summary\"") = '\0';
	ck_assert_str_eq(got, want);
	free(want);
	free(got);
	log_reader_free(r);
	remove_temp(path);
}
END_TEST

START_TEST(test_torn_last_line)
{
	char *text;
	size_t len;

	text = slurp_file(TURNS, &len);
	/* Cut anywhere after the header: valid up to the last whole line. */
	for (size_t cut = len; cut > 1500; cut -= 487) {
		struct log_reader *r;
		struct frame f = { 0 };
		size_t lines = 0, n;

		for (size_t i = 0; i < cut; i++)
			lines += text[i] == '\n';
		ck_assert_int_eq(log_open_text(&r, text, cut), 0);
		n = log_count(r);
		ck_assert_uint_eq(n, lines - (lines == 33) - 1);
		for (size_t i = 0; i < n; i++)
			ck_assert_int_eq(log_read(r, i, &f), 0);
		frame_free(&f);
		log_reader_free(r);
	}
	free(text);
}
END_TEST

START_TEST(test_create_refuses)
{
	struct log_writer *w;
	char path[256], link[300];
	struct stat st;

	temp_path(path, sizeof(path));
	umask(0);
	ck_assert_int_eq(log_create(&w, path, false), 0);
	log_close(w);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0644);
	ck_assert_int_eq(log_create(&w, path, false), -EEXIST);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "another name"));
	snprintf(link, sizeof(link), "%s.link", path);
	ck_assert_int_eq(symlink(path, link), 0);
	ck_assert_int_eq(log_create(&w, link, false), -EEXIST);
	unlink(link);
	ck_assert_int_eq(log_create(&w, "/dev/null", false), 0);
	log_close(w);
	remove_temp(path);
}
END_TEST

/* Write that frame again and again, for at most 5 s, until it fails. */
static int write_until_it_fails(struct log_writer *w, const struct frame *f)
{
	int err = 0;

	for (int i = 0; i < 5000 && !err; i++) {
		err = log_frame(w, f);
		poll(NULL, 0, 1);
	}
	return err;
}

/* What cannot be written whole is cut back; the log stays valid. */
START_TEST(test_full)
{
	struct log_reader *r, *back;
	struct log_writer *w;
	struct frame f = { 0 };
	struct rlimit limit = { 8000, RLIM_INFINITY };
	char path[256];

	temp_path(path, sizeof(path));
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(log_open(&r, TURNS), 0);
	ck_assert_int_eq(log_read(r, 0, &f), 0);
	/* The process that writes inherits the limit. */
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(log_create(&w, path, false), 0);
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(log_header(w, log_reader_header(r)), 0);
	ck_assert_int_eq(write_until_it_fails(w, &f), -EFBIG);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "cut back"));
	/* It stays failed: a log has no holes. */
	ck_assert_int_eq(log_frame(w, &f), -EFBIG);
	log_close(w);
	ck_assert_int_eq(log_open(&back, path), 0);
	ck_assert_uint_gt(log_count(back), 0);
	for (size_t i = 0; i < log_count(back); i++)
		ck_assert_int_eq(log_read(back, i, &f), 0);
	log_reader_free(back);
	log_reader_free(r);
	frame_free(&f);
	remove_temp(path);
}
END_TEST

START_TEST(test_pipe_closed)
{
	struct log_writer *w;
	struct frame f = { 0 };
	char path[256];
	int fd;

	signal(SIGPIPE, SIG_IGN);
	temp_path(path, sizeof(path));
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	/* Nothing reads it: an open that waits would wait for ever. */
	ck_assert_int_eq(log_create(&w, path, false), -ENXIO);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "nothing reads"));
	fd = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_eq(log_create(&w, path, false), 0);
	ck_assert_int_eq(log_frame(w, &f), 0);
	close(fd);
	ck_assert_int_eq(write_until_it_fails(w, &f), -EPIPE);
	log_close(w);
	remove_temp(path);
}
END_TEST

/* Nothing is lost at a normal end, however long the lines are. */
START_TEST(test_all_is_written)
{
	struct line_writer *w;
	struct stat st;
	char path[256], *line = malloc(3 << 20);
	size_t sum = 0;
	int fd;

	temp_path(path, sizeof(path));
	memset(line, 'x', 3 << 20);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(line_writer_new(&w, fd, true, false, path), 0);
	for (size_t len = 1; len <= 3 << 20; len *= 2) {
		line[len - 1] = '\n';
		ck_assert_int_eq(line_writer_put(w, line, len, LINE_DROPPABLE),
				 0);
		line[len - 1] = 'x';
		sum += len;
	}
	line_writer_free(w);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq((size_t)st.st_size, sum);
	free(line);
	remove_temp(path);
}
END_TEST

static int count_frame(const struct frame *f, void *arg)
{
	ck_assert_double_ge(f->t_s, 0);
	++*(size_t *)arg;
	return 0;
}

/* Append bytes of a file, of those from on, to a log that is followed. */
static void grow(struct log_reader *r, const char *from, const char *to,
		 long begin, long end)
{
	FILE *in = fopen(from, "r"), *out = fopen(to, "a");

	ck_assert_ptr_nonnull(in);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(fseek(in, begin, SEEK_SET), 0);
	for (long i = begin; i < end; i++)
		ck_assert_int_ne(fputc(fgetc(in), out), EOF);
	fclose(in);
	fclose(out);
	if (r)
		ck_assert_int_eq(log_more(r), 0);
}

/* A compressed log that grows: from no byte on, in steps of any size. */
static void follow_compressed(const char *zst, size_t n, long size)
{
	struct log_reader *r;
	struct frame f = { 0 };
	char path[310];
	size_t half;

	snprintf(path, sizeof(path), "%.290s-growing.zst", zst);
	grow(NULL, zst, path, 0, 0);
	ck_assert_int_eq(log_open_follow(&r, path), 0);
	ck_assert_uint_eq(log_count(r), 0);
	grow(r, zst, path, 0, 2);
	ck_assert_uint_eq(log_count(r), 0);
	grow(r, zst, path, 2, size - 500);
	half = log_count(r);
	ck_assert_uint_gt(half, 0);
	ck_assert_uint_lt(half, n);
	for (long at = size - 500; at < size; at += 100)
		grow(r, zst, path, at, at + 100);
	ck_assert_uint_eq(log_count(r), n);
	ck_assert_int_eq(log_read(r, n - 1, &f), 0);
	ck_assert_uint_eq(f.table[SCHEMA_KNOB].n, 3);
	log_reader_free(r);
	frame_free(&f);
	unlink(path);
}

/* A compressed log reads like another one, also one that was cut anywhere. */
START_TEST(test_compressed)
{
	struct log_reader *r, *back;
	struct log_writer *w;
	struct frame f = { 0 };
	struct stat st;
	char path[256], zst[300];
	size_t n, passed = 0;

	temp_path(path, sizeof(path));
	snprintf(zst, sizeof(zst), "%s.jsonl.zst", path);
	ck_assert_int_eq(log_open(&r, TURNS), 0);
	if (log_create(&w, zst, false) == -ENOTSUP) {
		log_reader_free(r);
		remove_temp(path);
		return;
	}
	ck_assert_int_eq(log_header(w, log_reader_header(r)), 0);
	n = log_count(r);
	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(log_read(r, i, &f), 0);
		ck_assert_int_eq(log_frame(w, &f), 0);
	}
	log_close(w);
	ck_assert_int_eq(log_open(&back, zst), 0);
	ck_assert_uint_eq(log_count(back), n);
	ck_assert_int_eq(log_read(back, n - 1, &f), 0);
	ck_assert_uint_eq(f.table[SCHEMA_KNOB].n, 3);
	log_reader_free(back);
	ck_assert_int_eq(log_each(&back, zst, count_frame, &passed), 0);
	ck_assert_uint_eq(passed, n);
	ck_assert_uint_eq(log_reader_header(back)->argc,
			  log_reader_header(r)->argc);
	log_reader_free(back);
	ck_assert_int_eq(stat(zst, &st), 0);
	follow_compressed(zst, n, (long)st.st_size);
	for (off_t size = st.st_size - 1; size > st.st_size / 2; size -= 97) {
		ck_assert_int_eq(truncate(zst, size), 0);
		ck_assert_int_eq(log_open(&back, zst), 0);
		ck_assert_uint_le(log_count(back), n);
		ck_assert_uint_gt(log_count(back), 0);
		log_reader_free(back);
	}
	unlink(zst);
	log_reader_free(r);
	frame_free(&f);
	remove_temp(path);
}
END_TEST

/* The log that was moved is whole; the new one begins with a header. */
START_TEST(test_rotation)
{
	struct log_reader *r, *back;
	struct log_writer *w;
	struct frame f = { 0 };
	char path[256], moved[300];

	temp_path(path, sizeof(path));
	snprintf(moved, sizeof(moved), "%s.1", path);
	ck_assert_int_eq(log_open(&r, TURNS), 0);
	ck_assert_int_eq(log_read(r, 3, &f), 0);
	ck_assert_int_eq(log_create(&w, path, false), 0);
	ck_assert_int_eq(log_header(w, log_reader_header(r)), 0);
	ck_assert_int_eq(log_frame(w, &f), 0);
	ck_assert_int_eq(log_rotate(w, log_reader_header(r)), -EEXIST);
	ck_assert_int_eq(log_frame(w, &f), 0);
	ck_assert_int_eq(rename(path, moved), 0);
	ck_assert_int_eq(log_rotate(w, log_reader_header(r)), 0);
	ck_assert_int_eq(log_frame(w, &f), 0);
	log_close(w);
	ck_assert_int_eq(log_open(&back, path), 0);
	ck_assert_uint_eq(log_count(back), 1);
	/* It has all knobs again. */
	ck_assert_int_eq(log_read(back, 0, &f), 0);
	ck_assert_uint_eq(f.table[SCHEMA_KNOB].n, 3);
	log_reader_free(back);
	for (int i = 0; i < 2000; i++) {
		ck_assert_int_eq(log_open(&back, moved), 0);
		if (log_count(back) == 2)
			break;
		log_reader_free(back);
		poll(NULL, 0, 1);
	}
	ck_assert_uint_eq(log_count(back), 2);
	log_reader_free(back);
	log_reader_free(r);
	frame_free(&f);
	unlink(moved);
	remove_temp(path);
}
END_TEST

static double value_of(const struct frame *f, enum schema_id id, size_t row,
		       const char *key)
{
	return f->table[id].row[row].value[schema_field(id, key)].number;
}

/* All fields that the schema marks, and one of another kind. */
static void add_idle(struct frame *f, enum schema_id id, const char *name)
{
	struct row *row = frame_add_row(f, id, name);

	for (size_t i = 0; i < schemas[id]->n_fields; i++)
		if (schemas[id]->fields[i].idle)
			row->value[i].number = 0;
}

/*
 * Rows in which nothing happens are short, others leave out what is 0, and both
 * readers read them back the same: 0 is not "not measured".
 */
START_TEST(test_idle_rows)
{
	static const enum schema_id ids[] = { SCHEMA_CPU, SCHEMA_DEVICE,
					      SCHEMA_MEMORY, SCHEMA_PRESSURE,
					      SCHEMA_CGROUP, SCHEMA_TASK };
	struct known_knobs knobs = { 0 };
	struct known_facts facts = { 0 };
	struct json_writer w = { 0 };
	static struct frame f, back[2];
	struct json *j;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		add_idle(&f, ids[i], "x");
	f.table[SCHEMA_DEVICE].row[0].value[schema_field(
		SCHEMA_DEVICE, "read_ahead_kb")].number = 128;
	/* Something happens; and a field is not measured. */
	add_idle(&f, SCHEMA_DEVICE, "busy");
	f.table[SCHEMA_DEVICE].row[1].value[schema_field(
		SCHEMA_DEVICE, "util_pct")].number = 5;
	add_idle(&f, SCHEMA_DEVICE, "old");
	f.table[SCHEMA_DEVICE].row[2].value[schema_field(
		SCHEMA_DEVICE, "discard_iops")].number = NAN;
	/* No field above the first level is measured; all of two levels are. */
	add_idle(&f, SCHEMA_DEVICE, "flushed");
	f.table[SCHEMA_DEVICE].row[3].value[schema_field(
		SCHEMA_DEVICE, "flush_iops")].number = 0;
	for (size_t i = 0; i < schemas[SCHEMA_TASK]->n_fields; i++)
		if (schemas[SCHEMA_TASK]->fields[i].zero == 1)
			f.table[SCHEMA_TASK].row[0].value[i].number = 0;
	f.table[SCHEMA_TASK].row[0].value[schema_field(
		SCHEMA_TASK, "cpu_pct")].number = 3;
	codec_write_frame(&w, &f, &knobs, &facts, 0);
	json_writer_raw(&w, "", 1);
	ck_assert_ptr_nonnull(strstr(
		w.buf, "{\"id\":\"x\",\"idle\":1,\"read_ahead_kb\":128}"));
	ck_assert_ptr_nonnull(strstr(w.buf, "\"pressure\":[{\"id\":\"x\","
					    "\"idle\":1}]"));
	ck_assert_ptr_nonnull(
		strstr(w.buf, "{\"id\":\"busy\",\"zero\":1,\"util_pct\":5}"));
	ck_assert_ptr_nonnull(
		strstr(w.buf, "{\"id\":\"flushed\",\"idle\":1,\"zero\":2}"));
	ck_assert_ptr_nonnull(
		strstr(w.buf, "\"task\":[{\"id\":\"x\",\"zero\":1,\"cpu_pct\":3}]"));
	ck_assert_ptr_nonnull(
		strstr(w.buf, "{\"id\":\"old\",\"read_iops\":0,"));
	ck_assert(frame_line_read(w.buf, strlen(w.buf), &back[0]));
	ck_assert_int_eq(json_parse(w.buf, strlen(w.buf), &j), 0);
	codec_read_frame(j, &back[1]);
	json_free(j);
	for (size_t b = 0; b < 2; b++)
		for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
			const struct table *t = &f.table[ids[i]];

			ck_assert_uint_eq(back[b].table[ids[i]].n, t->n);
			for (size_t k = 0; k < schemas[ids[i]]->n_fields; k++) {
				const struct field *field =
					&schemas[ids[i]]->fields[k];

				for (size_t r = 0; r < t->n; r++) {
					double v = value_of(&f, ids[i], r,
							    field->key);
					double got = value_of(&back[b], ids[i],
							      r, field->key);

					if (field->kind == FIELD_NUMBER)
						ck_assert_msg(
							isnan(v) ? isnan(got)
								 : got == v,
							"%s: %g, not %g",
							field->key, got, v);
				}
			}
		}
	json_writer_free(&w);
	frame_free(&f);
	frame_free(&back[0]);
	frame_free(&back[1]);
}
END_TEST

START_TEST(test_idle_tasks_left_out)
{
	struct known_knobs knobs = { 0 };
	struct known_facts facts = { 0 };
	struct json_writer w = { 0 };
	struct frame f = { 0 };
	struct row *row;

	row = frame_add_row(&f, SCHEMA_TASK, "1");
	row->value[schema_field(SCHEMA_TASK, "cpu_pct")].number = 0;
	codec_write_frame(&w, &f, &knobs, &facts, 0);
	json_writer_raw(&w, "", 1);
	ck_assert_ptr_null(strstr(w.buf, "task"));
	json_writer_reset(&w);
	row = frame_add_row(&f, SCHEMA_TASK, "2");
	row->value[schema_field(SCHEMA_TASK, "cpu_pct")].number = 1.5;
	row->value[schema_field(SCHEMA_TASK, "comm")].text =
		"a\"\x1b\xff\xc3\xa9";
	codec_write_frame(&w, &f, &knobs, &facts, 0);
	json_writer_raw(&w, "", 1);
	ck_assert_ptr_nonnull(
		strstr(w.buf, "\"task\":[{\"id\":\"2\",\"comm\":"
			      "\"a\\\"\\u001b?\xc3\xa9\",\"cpu_pct\":1.5}]"));
	/* The line of a command has its arguments. */
	json_writer_reset(&w);
	row->value[schema_field(SCHEMA_TASK, "arguments")].text = "-c x";
	row->value[schema_field(SCHEMA_TASK, "command_line")].text = "sh -c x";
	codec_write_frame(&w, &f, &knobs, &facts, 0);
	json_writer_raw(&w, "", 1);
	ck_assert_ptr_nonnull(strstr(w.buf, "\"command_line\":\"sh -c x\""));
	ck_assert_ptr_null(strstr(w.buf, "arguments"));
	/* A process of the run that waited for a processor is judged by it. */
	json_writer_reset(&w);
	row = frame_add_row(&f, SCHEMA_TASK, "3");
	row->value[schema_field(SCHEMA_TASK, "cpu_pct")].number = 0.01;
	row->value[schema_field(SCHEMA_TASK, "run_delay_pct")].number = 40;
	row->value[schema_field(SCHEMA_TASK, "own")].number = 1;
	codec_write_frame(&w, &f, &knobs, &facts, 0);
	json_writer_raw(&w, "", 1);
	ck_assert_ptr_nonnull(strstr(w.buf, "\"id\":\"3\""));
	json_writer_free(&w);
	frame_free(&f);
}
END_TEST

/* Processes that did the same in an interval are all among the busiest. */
START_TEST(test_metrics_of_equals)
{
	static const char *const pids[] = { "7", "8", "9" };
	const int cpu = schema_field(SCHEMA_TASK, "cpu_pct");
	static struct header h;
	struct frame f = { .interval_s = 1 };
	struct metrics *m;
	char path[PATH_MAX], *text;
	size_t len;

	temp_path(path, sizeof(path));
	for (size_t i = 0; i < 3; i++)
		frame_add_row(&f, SCHEMA_TASK, pids[i])->value[cpu].number = 1;
	ck_assert_int_eq(metrics_open(&m, path, 2), 0);
	metrics_add(m, &f, &h);
	ck_assert_ptr_null(metrics_complaint(m, true));
	metrics_free(m);
	text = slurp_file(path, &len);
	ck_assert_ptr_nonnull(strstr(text, "task_cpu_ratio{pid=\"7\""));
	ck_assert_ptr_nonnull(strstr(text, "task_cpu_ratio{pid=\"8\""));
	ck_assert_ptr_null(strstr(text, "pid=\"9\""));
	free(text);
	remove_temp(path);
	frame_free(&f);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("record");

	tcase_add_test(t, test_numbers);
	tcase_add_test(t, test_numbers_fixed_point);
	tcase_add_test(t, test_points);
	tcase_add_test(t, test_typed_events);
	tcase_add_test(t, test_old_job_events);
	tcase_add_test(t, test_round_trip);
	tcase_add_test(t, test_torn_last_line);
	tcase_add_test(t, test_create_refuses);
	tcase_add_test(t, test_full);
	tcase_add_test(t, test_pipe_closed);
	tcase_add_test(t, test_all_is_written);
	tcase_add_test(t, test_rotation);
	tcase_add_test(t, test_compressed);
	tcase_add_test(t, test_host_knobs);
	tcase_add_test(t, test_idle_tasks_left_out);
	tcase_add_test(t, test_idle_rows);
	tcase_add_test(t, test_metrics_of_equals);
	suite_add_tcase(suite, t);
}
