/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzer of the log reader: whatever the bytes are, all frames are read,
 * written and reported without a fault, and what was written reads alike.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "record/codec.h"
#include "record/log.h"
#include "report/report.h"

#include "fuzz.h"
#include "log_memory.h"

/* A line that we wrote must be a fixed point of reading and writing. */
static void check_line(const struct frame *f)
{
	struct known_knobs none = { 0 };
	struct known_facts facts = { 0 };
	struct json_writer once = { 0 }, twice = { 0 };
	struct frame again = { 0 };
	struct json *j;

	codec_write_frame(&once, f, &none, &facts, 0);
	known_knobs_free(&none);
	if (json_parse(once.buf, once.len, &j) < 0)
		abort();
	codec_read_frame(j, &again);
	known_knobs_merge(&none, json_get(j, "knob"));
	known_knobs_copy(&none, &again);
	known_knobs_free(&none);
	json_free(j);
	codec_write_frame(&twice, &again, &none, &facts, 0);
	if (once.len != twice.len || memcmp(once.buf, twice.buf, once.len))
		abort();
	known_knobs_free(&none);
	json_writer_free(&once);
	json_writer_free(&twice);
	frame_free(&again);
}

FUZZ_TARGET(log)
{
	struct log_reader *r;
	struct report *report;
	struct frame f = { 0 };
	FILE *out;

	if (log_open_text(&r, (const char *)data, size) < 0)
		return 0;
	report = report_new();
	for (size_t i = 0; i < log_count(r); i++) {
		if (log_read(r, i, &f) < 0)
			continue;
		check_line(&f);
		report_add(report, &f);
	}
	log_seek(r, 1);
	out = fopen("/dev/null", "w");
	for (size_t i = 0; out && i < n_report_formats; i++)
		if (report_formats[i].print)
			report_formats[i].print(report, log_reader_header(r),
						report_formats[i].how, out);
	if (out)
		fclose(out);
	report_free(report);
	frame_free(&f);
	log_reader_free(r);
	return 0;
}
