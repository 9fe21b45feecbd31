/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ping tally: answers are counted and printed, as text or as JSON.
 */
#include "cmd/ping/ping_tally.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/json.h"
#include "base/units.h"
#include "model/stats/stats.h"

#define TEXT       32
#define BAR        40

static const struct {
	double pct;
	const char *name, *key;
} percentiles[] = {
	{ 50, "p50", "p50_ns" },
	{ 90, "p90", "p90_ns" },
	{ 99, "p99", "p99_ns" },
	{ 99.9, "p99.9", "p999_ns" },
};

static void print_json(struct json_writer *w)
{
	json_writer_close(w, '}');
	json_writer_raw(w, "\n", 1);
	fwrite(w->buf, 1, w->len, stdout);
	json_writer_free(w);
}

static void put_count(struct json_writer *w, const char *key, uint64_t n)
{
	json_writer_key(w, key);
	json_writer_count(w, n);
}

static struct json_writer begin_json(const char *type)
{
	struct json_writer w = { 0 };

	json_writer_open(&w, '{');
	json_writer_put_text(&w, "type", type);
	return w;
}

static const char *op_of(const struct ping_answer *a)
{
	return a->sync ? "sync" : a->write ? "write" : "read";
}

static void request_json(const struct ping_tally *t,
			 const struct ping_answer *a, bool warmup)
{
	struct json_writer w = begin_json("request");

	put_count(&w, "request", t->requests);
	json_writer_put_number(&w, "t",
			       (double)(a->begin_ns - t->start_ns) / 1e9);
	json_writer_put_text(&w, "op", op_of(a));
	put_count(&w, "offset", a->offset);
	put_count(&w, "bytes", a->bytes);
	put_count(&w, "latency_ns", a->latency_ns);
	if (warmup) {
		json_writer_key(&w, "warmup");
		json_writer_bool(&w, true);
	}
	if (a->error) {
		json_writer_put_text(&w, "error", strerror(a->error));
		put_count(&w, "errno", (uint64_t)a->error);
	}
	print_json(&w);
}

static void request_line(const struct ping_tally *t,
			 const struct ping_answer *a, bool warmup)
{
	char bytes[TEXT], time[TEXT];

	printf("%s%s %s %s (%s): request=%llu ", a->sync ? "sync of " : "",
	       units_format_bytes(bytes, sizeof(bytes), (double)a->bytes),
	       a->write ? "to" : "from", t->name, t->words,
	       (unsigned long long)t->requests);
	units_format_ns(time, sizeof(time), (double)a->latency_ns);
	if (a->error)
		printf("failed after %s at offset %llu: %s\n", time,
		       (unsigned long long)a->offset, strerror(a->error));
	else
		printf("time=%s%s\n", time, warmup ? " (warm-up)" : "");
}

static void count(struct ping_tally *t, const struct ping_answer *a)
{
	double ns = (double)a->latency_ns;

	if (!t->counted || a->latency_ns < t->min_ns)
		t->min_ns = a->latency_ns;
	if (a->latency_ns > t->max_ns)
		t->max_ns = a->latency_ns;
	t->counted++;
	t->bytes += a->bytes;
	t->sum_ns += ns;
	t->sum_squares += ns * ns;
	t->histogram.bucket[histogram_index(a->latency_ns)]++;
}

void ping_tally_add(struct ping_tally *t, const struct ping_answer *a)
{
	bool warmup = t->requests++ < t->warmup;

	if (a->error && !t->failed++) {
		t->first_error = a->error;
		t->first_error_at = a->offset;
	}
	if (warmup && !a->error)
		t->warmed++;
	else if (!a->error)
		count(t, a);
	if (t->quiet)
		return;
	if (t->json)
		request_json(t, a, warmup);
	else
		request_line(t, a, warmup);
}

void ping_tally_waiting(const struct ping_tally *t, uint64_t waited_ns)
{
	char time[TEXT];

	if (!t->quiet && !t->json)
		printf("%s (%s): request=%llu has had no answer for %s\n",
		       t->name, t->words, (unsigned long long)t->requests + 1,
		       units_format_ns(time, sizeof(time), (double)waited_ns));
}

/* sqrt(mean of squares - square of mean), as ping(8) has it. */
static double deviation(const struct ping_tally *t)
{
	double n = (double)t->counted, mean = t->sum_ns / n;
	double square = t->sum_squares / n - mean * mean;

	return square > 0 ? sqrt(square) : 0;
}

static double percentile(const struct ping_tally *t, double pct)
{
	double ns = histogram_percentile(&t->histogram, pct);

	return ns<(double)t->min_ns ? (double)t->min_ns : ns>(double) t->max_ns
		       ? (double)t->max_ns
		       : ns;
}

static bool unreliable(const struct ping_tally *t, double pct)
{
	return !rank_sure((double)t->counted, pct / 100);
}

/* 1, 2, 5, 10, 20, ... ns */
static double bound(unsigned i)
{
	static const double step[] = { 1, 2, 5 };

	return step[i % 3] * pow(10, i / 3);
}

enum { BOUNDS = 36 };

static void collect_bars(const struct ping_tally *t, uint64_t *bar)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		double ns =
			((double)histogram_low(i) + (double)histogram_high(i)) /
			2;
		unsigned at = 0;

		while (at + 2 < BOUNDS && ns >= bound(at + 1))
			at++;
		bar[at] += t->histogram.bucket[i];
	}
}

static void print_histogram(const struct ping_tally *t)
{
	static const char full[] = "########################################";
	uint64_t bar[BOUNDS] = { 0 }, most = 1;
	unsigned first = 0, last = BOUNDS - 1;
	char from[TEXT], to[TEXT];

	collect_bars(t, bar);
	while (first < last && !bar[first])
		first++;
	while (last > first && !bar[last])
		last--;
	for (unsigned i = first; i <= last; i++)
		if (bar[i] > most)
			most = bar[i];
	for (unsigned i = first; i <= last; i++)
		printf("%8s .. %-8s %8llu %5.1f%% %.*s\n",
		       units_format_ns(from, sizeof(from), bound(i)),
		       units_format_ns(to, sizeof(to), bound(i + 1)),
		       (unsigned long long)bar[i],
		       100 * (double)bar[i] / (double)t->counted,
		       (int)((bar[i] * BAR + most - 1) / most), full);
}

static void print_percentiles(const struct ping_tally *t)
{
	bool any = false;
	char time[TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
		printf("%s%s", i ? "/" : "", percentiles[i].name);
	printf(" = ");
	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++) {
		bool few = unreliable(t, percentiles[i].pct);

		printf("%s%s%s", i ? "/" : "",
		       units_format_ns(time, sizeof(time),
				       percentile(t, percentiles[i].pct)),
		       few ? "~" : "");
		any |= few;
	}
	printf("%s\n",
	       any ? "  (~ fewer than 10 samples above this percentile)" : "");
}

static void print_latencies(const struct ping_tally *t)
{
	double mean = t->sum_ns / (double)t->counted;
	char text[4][TEXT];

	printf("min/avg/max/mdev = %s/%s/%s/%s\n",
	       units_format_ns(text[0], TEXT, (double)t->min_ns),
	       units_format_ns(text[1], TEXT, mean),
	       units_format_ns(text[2], TEXT, (double)t->max_ns),
	       units_format_ns(text[3], TEXT, deviation(t)));
	print_percentiles(t);
	print_histogram(t);
}

static void summary_text(const struct ping_tally *t, double elapsed_ns,
			 bool unanswered)
{
	double busy_s = t->sum_ns / 1e9;
	char time[TEXT], bytes[TEXT], iops[TEXT], rate[TEXT], busy[TEXT];

	printf("\n--- %s (%s)\n", t->name, t->words);
	printf("%llu requests in %s: %llu counted, %llu warm-up, %llu "
	       "failed%s\n",
	       (unsigned long long)t->requests + unanswered,
	       units_format_ns(time, sizeof(time), elapsed_ns),
	       (unsigned long long)t->counted, (unsigned long long)t->warmed,
	       (unsigned long long)t->failed,
	       unanswered ? ", 1 without an answer" : "");
	if (!t->counted)
		return;
	printf("%s, %s busy: %s IOPS, %s/s\n",
	       units_format_bytes(bytes, sizeof(bytes), (double)t->bytes),
	       units_format_ns(busy, sizeof(busy), t->sum_ns),
	       units_format_count(iops, sizeof(iops),
				  (double)t->counted / busy_s),
	       units_format_bytes(rate, sizeof(rate),
				  (double)t->bytes / busy_s));
	print_latencies(t);
}

static void histogram_json(const struct ping_tally *t, struct json_writer *w)
{
	json_writer_key(w, "hist");
	json_writer_open(w, '[');
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!t->histogram.bucket[i])
			continue;
		json_writer_open(w, '[');
		json_writer_count(w, histogram_low(i));
		json_writer_count(w, t->histogram.bucket[i]);
		json_writer_close(w, ']');
	}
	json_writer_close(w, ']');
}

static void summary_json(const struct ping_tally *t, double elapsed_ns,
			 bool unanswered)
{
	struct json_writer w = begin_json("summary");

	json_writer_put_text(&w, "target", t->name);
	json_writer_put_text(&w, "what", t->words);
	put_count(&w, "requests", t->requests + unanswered);
	put_count(&w, "counted", t->counted);
	put_count(&w, "warmup", t->warmed);
	put_count(&w, "failed", t->failed);
	put_count(&w, "unanswered", unanswered);
	put_count(&w, "bytes", t->bytes);
	json_writer_put_number(&w, "elapsed_ns", elapsed_ns);
	if (t->counted) {
		put_count(&w, "min_ns", t->min_ns);
		json_writer_put_number(&w, "mean_ns",
				       t->sum_ns / (double)t->counted);
		put_count(&w, "max_ns", t->max_ns);
		json_writer_put_number(&w, "mdev_ns", deviation(t));
	}
	for (size_t i = 0; i < ARRAY_SIZE(percentiles) && t->counted; i++)
		json_writer_put_number(&w, percentiles[i].key,
				       percentile(t, percentiles[i].pct));
	if (t->counted)
		histogram_json(t, &w);
	print_json(&w);
}

void ping_tally_print(const struct ping_tally *t, uint64_t end_ns,
		      bool unanswered)
{
	double elapsed_ns = (double)(end_ns - t->start_ns);

	if (t->json)
		summary_json(t, elapsed_ns, unanswered);
	else
		summary_text(t, elapsed_ns, unanswered);
}
