/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print iostat: the JSON of sysstat's iostat -x -t -o JSON; print_batch.c prints
 * the devices of an entry of "statistics".
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "model/schema/iostat_words.h"
#include "report/print/print.h"
#include "report/results.h"

void print_iostat_text(const char *text, FILE *out)
{
	struct json_writer w = { 0 };

	json_writer_text(&w, text ? text : "");
	fwrite(w.buf, 1, w.len, out);
	json_writer_free(&w);
}

void print_iostat_begin(const struct print_iostat_host *h, bool first,
			FILE *out)
{
	/* As sysstat's array of hosts has several machines. */
	fputs(first ? "{\"sysstat\": {\n\t\"hosts\": [\n" : ",\n", out);
	fputs("\t\t{\n\t\t\t\"nodename\": ", out);
	print_iostat_text(h->name, out);
	fputs(",\n\t\t\t\"sysname\": \"Linux\",\n\t\t\t\"release\": ", out);
	print_iostat_text(h->kernel, out);
	fputs(",\n\t\t\t\"machine\": ", out);
	print_iostat_text(h->machine, out);
	fprintf(out,
		",\n\t\t\t\"number-of-cpus\": %.0f,\n\t\t\t\"date\": \"%s\","
		"\n\t\t\t\"statistics\": [",
		frame_or_0(h->cpus), clock_form(h->wall_ns, "%m/%d/%y").text);
}

void print_iostat_cpu(const struct frame *f, bool first, bool no_cpu, FILE *out)
{
	fprintf(out, "%s\n\t\t\t\t{\n\t\t\t\t\t\"timestamp\": \"%s\"",
		first ? "" : ",",
		clock_form(f->wall_ns, "%m/%d/%y %H:%M:%S").text);
	if (no_cpu)
		return;
	fputs(",\n\t\t\t\t\t\"avg-cpu\":  {", out);
	for (size_t i = 0; i < n_iostat_cpu_words; i++) {
		const struct iostat_cpu_word *w = &iostat_cpu_words[i];
		double v = frame_or_0(
			frame_number(f, SCHEMA_CPU, "all", w->key));

		if (w->more)
			v += frame_or_0(
				frame_number(f, SCHEMA_CPU, "all", w->more));
		fprintf(out, "%s\"%s\": %.2f", i ? ", " : "", w->word, v);
	}
	fputc('}', out);
}

void *print_iostat_report(struct json *header, bool first, bool all, FILE *out)
{
	struct json *host = json_get(header, "host");
	const char *time = json_get_string(header, "time");
	const struct batch_options wish = { .form = BATCH_IOSTAT,
					    .extended = true,
					    .idle = true };
	struct print_batch *batch;

	print_iostat_begin(
		&(struct print_iostat_host){
			.name = json_get_string(host, "name"),
			.kernel = json_get_string(host, "kernel"),
			.machine = json_get_string(
				json_get(header, "environment"), "machine"),
			.cpus = json_get_number(host, "cpus"),
			.wall_ns = time ? clock_parse_utc(time) : 0,
		},
		first, out);
	return print_batch_new(&batch, &wish) < 0 ? NULL : batch;
}

void print_iostat_frame(void *state, const struct frame *f, bool first,
			FILE *out)
{
	if (f->interval_s > 0)
		print_batch_frame(state, f, out);
}

void print_iostat_end(void *state, FILE *out)
{
	print_batch_free(state);
	fputs("\n\t\t\t]\n\t\t}", out);
}

void print_iostat_close(FILE *out)
{
	fputs("\n\t]\n}}\n", out);
}
