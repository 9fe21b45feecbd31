/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fileio words: the summary in the form of sysbench, so that parsers of
 * sysbench's output can read it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "workload/kind/fileio.h"
#include "workload/thread/clones.h"

#define MIB 1048576.0

/* All threads added up. */
struct sum {
	struct fileio all;
	unsigned n;
	double total_s;                /* first begin to last end */
	double events_dev, time_dev;   /* over the threads */
	double events_mean, time_mean; /* time: within events, in s */
};

static void add(struct fileio *to, const struct fileio *f)
{
	to->events += f->events;
	to->sum_ns += f->sum_ns;
	to->read += f->read;
	to->written += f->written;
	to->read_bytes += f->read_bytes;
	to->written_bytes += f->written_bytes;
	to->syncs += f->syncs;
	to->end_syncs += f->end_syncs;
	histogram_add(&to->latency, &f->latency);
}

static void sum_up(struct sum *s, const struct clones *c)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;

	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *k = c->worker[i];
		uint64_t from_ns = counter_get(&k->run_start_ns);
		uint64_t to_ns = counter_get(&k->run_end_at_ns);

		if (!from_ns)
			continue;
		add(&s->all, k->work);
		s->n++;
		begin_ns = from_ns < begin_ns ? from_ns : begin_ns;
		end_ns = to_ns > end_ns ? to_ns : end_ns;
	}
	if (!s->n || end_ns <= begin_ns)
		return;
	s->total_s = (double)(end_ns - begin_ns) / 1e9;
	s->events_mean = (double)s->all.events / s->n;
	s->time_mean = (double)s->all.sum_ns / 1e9 / s->n;
	for (unsigned i = 0; i < c->n; i++) {
		const struct fileio *f = c->worker[i]->work;

		s->events_dev += pow((double)f->events - s->events_mean, 2);
		s->time_dev += pow((double)f->sum_ns / 1e9 - s->time_mean, 2);
	}
	s->events_dev = sqrt(s->events_dev / s->n);
	s->time_dev = sqrt(s->time_dev / s->n);
}

static double ms(double ns)
{
	return isnan(ns) ? 0 : ns / 1e6;
}

static double mean_ms(const struct sum *s)
{
	return s->all.events
		       ? (double)s->all.sum_ns / 1e6 / (double)s->all.events
		       : 0;
}

static void print_1_0(const struct sum *s, FILE *out)
{
	const struct fileio *f = &s->all;
	const struct histogram *h = &f->latency;

	fprintf(out,
		"File operations:\n"
		"    reads/s:                      %.2f\n"
		"    writes/s:                     %.2f\n"
		"    fsyncs/s:                     %.2f\n\n"
		"Throughput:\n"
		"    read, MiB/s:                  %.2f\n"
		"    written, MiB/s:               %.2f\n\n",
		(double)f->read / s->total_s, (double)f->written / s->total_s,
		(double)f->syncs / s->total_s,
		(double)f->read_bytes / MIB / s->total_s,
		(double)f->written_bytes / MIB / s->total_s);
	fprintf(out,
		"General statistics:\n"
		"    total time:                          %.4fs\n"
		"    total number of events:              %" PRIu64 "\n"
		"    fsyncs at the end:                   %" PRIu64 "\n\n"
		"Latency (ms):\n"
		"         min:                            %10.2f\n"
		"         avg:                            %10.2f\n"
		"         max:                            %10.2f\n"
		"         95th percentile:                %10.2f\n"
		"         sum:                            %10.2f\n\n"
		"Threads fairness:\n"
		"    events (avg/stddev):           %.4f/%.2f\n"
		"    execution time (avg/stddev):   %.4f/%.2f\n",
		s->total_s, f->events, f->end_syncs, ms(histogram_min(h)),
		mean_ms(s), ms(histogram_max(h)),
		ms(histogram_percentile(h, 95)), (double)f->sum_ns / 1e6,
		s->events_mean, s->events_dev, s->time_mean, s->time_dev);
}

/* "93.75Mb", as sysbench 0.4 writes sizes: in powers of 1024. */
static const char *size_0_4(double bytes, char *buf, size_t size)
{
	static const char *const unit[] = { "b", "Kb", "Mb", "Gb", "Tb" };
	unsigned i = 0;

	for (; bytes >= 1024 && i < 4; i++)
		bytes /= 1024;
	snprintf(buf, size, "%.5g%s", bytes, unit[i]);
	return buf;
}

static void print_0_4(const struct sum *s, FILE *out)
{
	const struct fileio *f = &s->all;
	const struct histogram *h = &f->latency;
	const double bytes = (double)f->read_bytes + (double)f->written_bytes;
	const uint64_t other = f->syncs + f->end_syncs;
	char r[24], w[24], t[24], rate[24];

	fprintf(out,
		"Operations performed:  %" PRIu64 " Read, %" PRIu64
		" Write, %" PRIu64 " Other = %" PRIu64 " Total\n"
		"Read %s  Written %s  Total transferred %s  (%s/sec)\n"
		"%9.2f Requests/sec executed\n\n",
		f->read, f->written, other, f->read + f->written + other,
		size_0_4((double)f->read_bytes, r, sizeof(r)),
		size_0_4((double)f->written_bytes, w, sizeof(w)),
		size_0_4(bytes, t, sizeof(t)),
		size_0_4(bytes / s->total_s, rate, sizeof(rate)),
		(double)(f->read + f->written) / s->total_s);
	fprintf(out,
		"Test execution summary:\n"
		"    total time:                          %.4fs\n"
		"    total number of events:              %" PRIu64 "\n"
		"    total time taken by event execution: %.4f\n"
		"    per-request statistics:\n"
		"         min:                            %10.2fms\n"
		"         avg:                            %10.2fms\n"
		"         max:                            %10.2fms\n"
		"         approx.  95 percentile:         %10.2fms\n\n"
		"Threads fairness:\n"
		"    events (avg/stddev):           %.4f/%.2f\n"
		"    execution time (avg/stddev):   %.4f/%.2f\n",
		s->total_s, f->events, (double)f->sum_ns / 1e9,
		ms(histogram_min(h)), mean_ms(s), ms(histogram_max(h)),
		ms(histogram_percentile(h, 95)), s->events_mean, s->events_dev,
		s->time_mean, s->time_dev);
}

char *fileio_words(const struct clones *c)
{
	struct sum *s = xcalloc(1, sizeof(*s));
	char *text = NULL;
	size_t size;
	FILE *out;

	sum_up(s, c);
	out = s->total_s > 0 ? open_memstream(&text, &size) : NULL;
	if (out && c->job->fileio.compat == FILEIO_0_4)
		print_0_4(s, out);
	else if (out)
		print_1_0(s, out);
	if (out)
		fclose(out);
	free(s);
	return text;
}
