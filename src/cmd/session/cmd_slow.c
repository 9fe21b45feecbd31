/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slow: the slowest requests of every program, one line each. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/session/cmd_top.h"
#include "cmd/session/session.h"
#include "collect/collect.h"
#include "record/line_out.h"

struct slow_lines {
	struct line_out *out;
	bool json;
	unsigned long lines;
	const char *lack[16]; /* what was said to be missing */
};

/* The end of the request. */
static uint64_t cmd_slow_wall_ns(const struct frame *f, const struct row *row)
{
	const double ago_ns = frame_or_0(row_number(SCHEMA_SLOW, row, "ago_ns"));

	return f->wall_ns - (uint64_t)units_whole(ago_ns, 0, 1e15);
}

static const char *cmd_slow_text(const struct row *row, const char *key)
{
	const char *text = row_text(SCHEMA_SLOW, row, key);

	return text ? text : "";
}

/* "12.34", or "-" for absent, in units of so much. */
static const char *cmd_slow_number(const struct row *row, const char *key,
				   double unit, int digits, char buf[24])
{
	const double v = row_number(SCHEMA_SLOW, row, key);

	if (isnan(v))
		return "-";
	snprintf(buf, 24, "%.*f", digits, v / unit);
	return buf;
}

static const char *cmd_slow_ms(const struct row *row, const char *key,
			       char buf[24])
{
	return cmd_slow_number(row, key, 1e6, 2, buf);
}

/* The file, else the inode, else the sector. */
static void cmd_slow_place(const struct row *row, char *buf, size_t size)
{
	const char *file = cmd_slow_text(row, "file");
	const double inode = row_number(SCHEMA_SLOW, row, "inode");
	const double sector = row_number(SCHEMA_SLOW, row, "sector");

	if (*file)
		snprintf(buf, size, "%s", file);
	else if (!isnan(inode))
		snprintf(buf, size, "inode %.0f", inode);
	else if (!isnan(sector))
		snprintf(buf, size, "+%.0f", sector);
	else
		*buf = '\0';
}

static void cmd_slow_print(const struct frame *f, const struct row *row,
			   FILE *out)
{
	const double lost = row_number(SCHEMA_SLOW, row, "lost");
	const char *error = cmd_slow_text(row, "error");
	const uint64_t wall_ns = cmd_slow_wall_ns(f, row);
	char total[24], queue[24], device[24], flush[24], KiB[24], pid[24];
	char place[400];
	const char *flushed = cmd_slow_ms(row, "flush_ns", flush);

	if (lost > 0)
		fprintf(out, "(%.0f requests were too many to keep)\n", lost);
	cmd_slow_place(row, place, sizeof(place));
	fprintf(out,
		"%s.%03u  %-8s %-9s %8s %9s %9s %8s %7s %s%-15s "
		"%s%s%s%s%s%s\n",
		clock_local(wall_ns, false).text,
		(unsigned)(wall_ns / 1000000 % 1000),
		cmd_slow_text(row, "device"), cmd_slow_text(row, "op"),
		cmd_slow_ms(row, "total_ns", total),
		cmd_slow_ms(row, "queue_ns", queue),
		cmd_slow_ms(row, "device_ns", device),
		cmd_slow_number(row, "size_bytes", 1024, 1, KiB),
		cmd_slow_number(row, "pid", 1, 0, pid),
		*cmd_slow_text(row, "writer") ? "~" : " ",
		cmd_slow_text(row, "comm"), place, *error ? "  failed: " : "",
		error, *flushed == '-' ? "" : "  (",
		*flushed == '-' ? "" : flushed,
		*flushed == '-' ? "" : " ms in flushes)");
}

/* A row as an object of one line, with the time of its end. */
static void cmd_slow_json(const struct frame *f, const struct row *row,
			  FILE *out)
{
	const struct schema *s = schemas[SCHEMA_SLOW];
	struct json *j = json_new_object();
	char time[40];

	text_set(time, clock_utc(cmd_slow_wall_ns(f, row)).text);
	json_put_text(j, "time", time);
	for (size_t i = 0; i < s->n_fields; i++)
		if (s->fields[i].kind == FIELD_NUMBER &&
		    !isnan(row->value[i].number))
			json_put_number(j, s->fields[i].key,
					row->value[i].number);
		else if (s->fields[i].kind == FIELD_TEXT && row->value[i].text)
			json_put_text(j, s->fields[i].key, row->value[i].text);
	fprintf(out, "%s\n", json_text(j, NULL));
	json_free(j);
}

static void cmd_slow_head(FILE *out)
{
	fputs("time          device   op        total_ms     queue    device "
	      " size_KiB     pid  process         file\n",
	      out);
}

/* What the trace does not see, once: other commands say so on their screen. */
static void cmd_slow_lacks(struct slow_lines *l, const struct collect *c)
{
	const char *sentence;
	enum schema_id about;

	for (size_t i = 0; (sentence = collect_missing(c, i, &about)); i++) {
		size_t n = 0;

		while (n < ARRAY_SIZE(l->lack) && l->lack[n] &&
		       l->lack[n] != sentence)
			n++;
		if (about != SCHEMA_DEVICE || n == ARRAY_SIZE(l->lack) ||
		    l->lack[n])
			continue;
		l->lack[n] = sentence;
		command_say("%s", sentence);
	}
}

static void cmd_slow_frame(struct session *s, void *arg, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_SLOW];
	struct slow_lines *l = arg;
	FILE *out = line_out_file(l->out);

	cmd_slow_lacks(l, s->pipeline.collect);
	for (size_t i = 0; i < t->n; i++) {
		if (!l->json && l->lines++ == 0)
			cmd_slow_head(out);
		if (l->json)
			cmd_slow_json(f, &t->row[i], out);
		else
			cmd_slow_print(f, &t->row[i], out);
	}
	cmd_top_printed(s, l->out);
}

static const struct driver slow_driver = {
	.by = BY_OPERATOR,
	.begin = cmd_top_begin,
	.frame = cmd_slow_frame,
	.wake = cmd_top_wake,
};

int cmd_slow(struct settings *s)
{
	const struct session_options options = { .settings = s,
						 .tty = -1,
						 .traces = true };
	struct slow_lines lines = { .json = s->json };

	if (s->log && !strcmp(s->log, "-")) {
		fail(EINVAL, "the lines need stdout; give --log=FILE, or use "
			     "iodyno record --slower=TIME");
		return command_failed(EXIT_USAGE);
	}
	/* Without the trace there is nothing to print. */
	if (!s->bpf)
		s->bpf = "on";
	if (!strcmp(s->bpf, "off")) {
		fail(EINVAL, "iodyno slow prints what the trace sees, which "
			     "--bpf=off forbids");
		return command_failed(EXIT_USAGE);
	}
	if (s->root && strcmp(s->root, "/") != 0) {
		fail(EINVAL,
		     "iodyno slow traces the live machine; --root=%.200s has "
		     "no trace",
		     s->root);
		return command_failed(EXIT_USAGE);
	}
	s->no_tasks |= !s->log;
	s->batch = true; /* as a screen: all that a frame can have */
	if (line_out_open(&lines.out) < 0)
		return command_failed(EXIT_FAILED);
	return cmd_top_run(lines.out, &options, &slow_driver, &lines);
}
