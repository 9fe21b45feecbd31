/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ping: the latency of one I/O at a time, as ioping has it. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/privilege.h"
#include "cmd/run/jobs.h"
#include "cmd/session/loop.h"
#include "cmd/start_time.h"
#include "collect/collect.h"
#include "doc/print_parts.h"
#include "model/disk_class.h"
#include "model/header.h"
#include "model/histogram.h"
#include "record/line_out.h"
#include "report/checks.h"
#include "workload/ping.h"
#include "workload/target/guard.h"
#include "workload/target/target.h"

#define SCRATCH_BYTES (64ull << 20)
#define RATE_NS       (3 * NS_PER_S) /* of --rate */
#define LONG_NS       (5 * NS_PER_S) /* without an answer: reported */
#define GRACE_NS      NS_PER_S       /* for the last answer */

/* --- the results: counted, and printed as text or as JSON --- */

/* Set name, to, words, warmup, classed and class; all else begins as zero. */
struct ping_tally {
	const char *name;  /* the target as it was given */
	const char *host;  /* of --host-label, or NULL */
	FILE *to;
	const char *words; /* about the target: "ext4 on /dev/sda2" */
	bool json, quiet;
	bool stamps; /* each line begins with the time of day */
	bool raw;    /* the summary is ioping's line of numbers */
	uint64_t warmup; /* requests that are not counted */
	bool classed;    /* these requests can be compared with disk classes */
	enum disk_class_io class;
	uint64_t start_ns;
	/* so far */
	uint64_t requests, warmed, counted, failed, bytes;
	uint64_t min_ns, max_ns;
	double sum_ns, sum_squares; /* of ns */
	double wait_ns;             /* of sum_ns, for a processor */
	const char *busy;           /* words of cpu-busy, at the end; NULL: ok */
	int first_error;
	uint64_t first_error_at;
	struct histogram histogram; /* of those counted */
};

#define TEXT 32
#define BAR  40

static const struct {
	double pct;
	const char *name, *key;
} percentiles[] = {
	{ 50, "p50", "p50_ns" },
	{ 90, "p90", "p90_ns" },
	{ 99, "p99", "p99_ns" },
	{ 99.9, "p99.9", "p999_ns" },
};

static void cmd_ping_print_json(const struct ping_tally *t,
				struct json_writer *w)
{
	json_writer_close(w, '}');
	json_writer_raw(w, "\n", 1);
	fwrite(w->buf, 1, w->len, t->to);
	json_writer_free(w);
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

	json_writer_put_count(&w, "request", t->requests);
	json_writer_put_number(&w, "t",
			       (double)(a->begin_ns - t->start_ns) / 1e9);
	json_writer_put_text(&w, "op", op_of(a));
	json_writer_put_count(&w, "offset", a->offset);
	json_writer_put_count(&w, "bytes", a->bytes);
	json_writer_put_count(&w, "latency_ns", a->latency_ns);
	json_writer_put_count(&w, "cpu_wait_ns", a->wait_ns);
	if (warmup)
		json_writer_put_bool(&w, "warmup", true);
	if (a->error) {
		json_writer_put_text(&w, "error", strerror(a->error));
		json_writer_put_count(&w, "errno", (uint64_t)a->error);
	}
	cmd_ping_print_json(t, &w);
}

static void request_line(const struct ping_tally *t,
			 const struct ping_answer *a, bool warmup)
{
	char time[TEXT];

	if (t->stamps)
		fprintf(t->to, "%s ", clock_local(clock_wall_ns(), true).text);
	fprintf(t->to, "%s%s %s %s (%s): request=%llu ",
		a->sync ? "sync of " : "", units_bytes((double)a->bytes).text,
		a->write ? "to" : "from", t->name, t->words,
		(unsigned long long)t->requests);
	text_set(time, units_ns((double)a->latency_ns).text);
	if (a->error)
		fprintf(t->to, "failed after %s at offset %llu: %s\n", time,
		       (unsigned long long)a->offset, strerror(a->error));
	else
		fprintf(t->to, "time=%s%s\n", time, warmup ? " (warm-up)" : "");
}

static void cmd_ping_count(struct ping_tally *t, const struct ping_answer *a)
{
	double ns = (double)a->latency_ns;

	if (!t->counted || a->latency_ns < t->min_ns)
		t->min_ns = a->latency_ns;
	if (a->latency_ns > t->max_ns)
		t->max_ns = a->latency_ns;
	t->counted++;
	t->bytes += a->bytes;
	t->sum_ns += ns;
	t->wait_ns += (double)a->wait_ns;
	t->sum_squares += ns * ns;
	t->histogram.bucket[histogram_index(a->latency_ns)]++;
}

static void ping_tally_add(struct ping_tally *t, const struct ping_answer *a)
{
	bool warmup = t->requests++ < t->warmup;

	if (a->error && !t->failed++) {
		t->first_error = a->error;
		t->first_error_at = a->offset;
	}
	if (warmup && !a->error)
		t->warmed++;
	else if (!a->error)
		cmd_ping_count(t, a);
	if (t->quiet)
		return;
	if (t->json)
		request_json(t, a, warmup);
	else
		request_line(t, a, warmup);
}

static void ping_tally_waiting(const struct ping_tally *t, uint64_t waited_ns)
{
	if (!t->quiet && !t->json)
		fprintf(t->to,
			"%s (%s): request=%llu has had no answer for %s\n",
			t->name, t->words, (unsigned long long)t->requests + 1,
			units_ns((double)waited_ns).text);
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

	return ns < (double)t->min_ns   ? (double)t->min_ns
	       : ns > (double)t->max_ns ? (double)t->max_ns
					: ns;
}

static bool unreliable(const struct ping_tally *t, double pct)
{
	return !histogram_sure((double)t->counted, pct / 100);
}

/* 1, 2, 5, 10, 20, ... ns */
static double cmd_ping_bound(unsigned i)
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

		while (at + 2 < BOUNDS && ns >= cmd_ping_bound(at + 1))
			at++;
		bar[at] += t->histogram.bucket[i];
	}
}

static void print_histogram(const struct ping_tally *t)
{
	static const char full[] = "########################################";
	uint64_t bar[BOUNDS] = { 0 }, most = 1;
	unsigned first = 0, last = BOUNDS - 1;

	collect_bars(t, bar);
	while (first < last && !bar[first])
		first++;
	while (last > first && !bar[last])
		last--;
	for (unsigned i = first; i <= last; i++)
		if (bar[i] > most)
			most = bar[i];
	for (unsigned i = first; i <= last; i++)
		fprintf(t->to, "%8s .. %-8s %8llu %5.1f%% %.*s\n",
			units_ns(cmd_ping_bound(i)).text,
			units_ns(cmd_ping_bound(i + 1)).text,
			(unsigned long long)bar[i],
			100 * (double)bar[i] / (double)t->counted,
			(int)((bar[i] * BAR + most - 1) / most), full);
}

static void cmd_ping_print_percentiles(const struct ping_tally *t)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
		fprintf(t->to, "%s%s", i ? "/" : "", percentiles[i].name);
	fprintf(t->to, " = ");
	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++) {
		bool few = unreliable(t, percentiles[i].pct);

		fprintf(t->to, "%s%s%s", i ? "/" : "",
			units_ns(percentile(t, percentiles[i].pct)).text,
			few ? "~" : "");
		any |= few;
	}
	fprintf(t->to, "\n%s",
		any ? "  ~ fewer than 10 samples above this percentile\n" : "");
}

static void print_latencies(const struct ping_tally *t)
{
	double mean = t->sum_ns / (double)t->counted;

	fprintf(t->to, "min/avg/max/mdev = %s/%s/%s/%s\n",
		units_ns((double)t->min_ns).text, units_ns(mean).text,
		units_ns((double)t->max_ns).text, units_ns(deviation(t)).text);
	cmd_ping_print_percentiles(t);
	print_histogram(t);
}

/* With fewer requests a median says little; -c 5 counts so many. */
#define LEAST_OF_CLASS 4

/* "A read of 4 KiB takes ...", or NULL. */
static const char *cmd_ping_class(const struct ping_tally *t, char *buf,
				  size_t size)
{
	if (!t->classed || t->counted < LEAST_OF_CLASS)
		return NULL;
	return disk_class_sentence(buf, size, t->class, percentile(t, 50),
				   unreliable(t, 99) ? NAN
						     : percentile(t, 99));
}

static void summary_text(const struct ping_tally *t, double elapsed_ns,
			 bool unanswered)
{
	double busy_s = t->sum_ns / 1e9;
	char words[400];

	fprintf(t->to, "\n--- %s (%s%s%s)\n", t->name, t->words,
		t->host ? ", host " : "", t->host ? t->host : "");
	fprintf(t->to,
		"%llu requests in %s: %llu counted, %llu warm-up, %llu "
		"failed%s\n",
		(unsigned long long)t->requests + unanswered,
		units_ns(elapsed_ns).text, (unsigned long long)t->counted,
		(unsigned long long)t->warmed, (unsigned long long)t->failed,
		unanswered ? ", 1 without an answer" : "");
	if (!t->counted)
		return;
	fprintf(t->to, "%s, %s busy: %s IOPS, %s/s\n",
		units_bytes((double)t->bytes).text, units_ns(t->sum_ns).text,
		units_count((double)t->counted / busy_s).text,
		units_bytes((double)t->bytes / busy_s).text);
	print_latencies(t);
	if (cmd_ping_class(t, words, sizeof(words)))
		print_paragraph(t->to, 80, 2, "%s", words);
	if (t->busy)
		print_paragraph(t->to, 80, 2, "cpu-busy: %s", t->busy);
}

/*
 * The numbers of ioping -B, in its order: requests counted, their time, IOPS,
 * bytes/s, shortest, mean and longest time, deviation, all requests, time since
 * the begin; times in ns.
 */
static void summary_raw(const struct ping_tally *t, double elapsed_ns)
{
	double n = (double)t->counted, mean = n > 0 ? t->sum_ns / n : 0;
	double per_s = t->sum_ns > 0 ? 1e9 / t->sum_ns : 0;

	fprintf(t->to, "%.0f %.0f %.0f %.0f %llu %.0f %llu %.0f %llu %.0f\n",
		n, t->sum_ns, n * per_s, (double)t->bytes * per_s,
		(unsigned long long)t->min_ns, mean,
		(unsigned long long)t->max_ns, n > 0 ? deviation(t) : 0,
		(unsigned long long)t->requests, elapsed_ns);
}

static void histogram_json(const struct ping_tally *t, struct json_writer *w)
{
	json_writer_begin(w, "hist", '[');
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
	char words[400];

	json_writer_put_text(&w, "host", t->host);
	json_writer_put_text(&w, "target", t->name);
	json_writer_put_text(&w, "what", t->words);
	json_writer_put_count(&w, "requests", t->requests + unanswered);
	json_writer_put_count(&w, "counted", t->counted);
	json_writer_put_count(&w, "warmup", t->warmed);
	json_writer_put_count(&w, "failed", t->failed);
	json_writer_put_count(&w, "unanswered", unanswered);
	json_writer_put_count(&w, "bytes", t->bytes);
	json_writer_put_number(&w, "elapsed_ns", elapsed_ns);
	if (t->counted) {
		json_writer_put_count(&w, "min_ns", t->min_ns);
		json_writer_put_number(&w, "mean_ns",
				       t->sum_ns / (double)t->counted);
		json_writer_put_count(&w, "max_ns", t->max_ns);
		json_writer_put_number(&w, "mdev_ns", deviation(t));
		json_writer_put_number(&w, "cpu_wait_ns",
				       t->wait_ns / (double)t->counted);
		if (cmd_ping_class(t, words, sizeof(words)))
			json_writer_put_text(&w, "class", words);
		if (t->busy)
			json_writer_put_text(&w, "cpu_busy", t->busy);
	}
	for (size_t i = 0; i < ARRAY_SIZE(percentiles) && t->counted; i++)
		json_writer_put_number(&w, percentiles[i].key,
				       percentile(t, percentiles[i].pct));
	if (t->counted)
		histogram_json(t, &w);
	cmd_ping_print_json(t, &w);
}

static void ping_tally_print(const struct ping_tally *t, uint64_t end_ns,
			     bool unanswered)
{
	double elapsed_ns = (double)(end_ns - t->start_ns);

	if (t->raw)
		summary_raw(t, elapsed_ns);
	else if (t->json)
		summary_json(t, elapsed_ns, unanswered);
	else
		summary_text(t, elapsed_ns, unanswered);
}

/* --- the processors meanwhile --- */

/* The processes and processors at the begin and at the end. */
struct ping_beside {
	struct collect *collect;
	struct sample begin, end;
	struct frame frame;
	char words[300];
};

/* Without it the summary just says nothing of other processes. */
static void ping_beside_begin(struct ping_beside *b, const struct root *root)
{
	const struct collect_options options = { .look_ns = 1 };

	if (collect_open(&b->collect, root, &options) == 0)
		collect_sample(b->collect, &b->begin);
}

/* Add up the processes of others; keep the busiest in cpu. */
static void ping_beside_add(const struct table *tasks, struct check_cpu *cpu)
{
	const int pct = schema_field(SCHEMA_TASK, "cpu_pct");
	const int own = schema_field(SCHEMA_TASK, "own");
	const int kernel = schema_field(SCHEMA_TASK, "kernel");
	double most = 0;

	for (size_t i = 0; i < tasks->n; i++) {
		const struct row *row = &tasks->row[i];
		double used = row->value[pct].number;

		/* A thread's figures are in the row of its process, too. */
		if (!(used > 0) || row->value[own].number > 0 ||
		    row->value[kernel].number > 0 ||
		    row_text(SCHEMA_TASK, row, "process"))
			continue;
		cpu->share_pct += used;
		if (used > most) {
			most = used;
			cpu->comm = row_text(SCHEMA_TASK, row, "comm");
			cpu->id = row->id;
		}
	}
}

/* The words of cpu-busy, or NULL. */
static const char *ping_beside_end(struct ping_beside *b,
				   const struct ping_tally *t)
{
	const struct table *cpus = &b->frame.table[SCHEMA_CPU];
	struct check_cpu cpu = { .waiter = "the requests",
				 .of = "their latency",
				 .wait_pct = t->sum_ns > 0
						     ? 100 * t->wait_ns / t->sum_ns
						     : 0 };

	if (!b->collect)
		return NULL;
	collect_sample(b->collect, &b->end);
	frame_derive(&b->frame, &b->begin, &b->end, b->begin.mono_ns);
	ping_beside_add(&b->frame.table[SCHEMA_TASK], &cpu);
	cpu.share_pct /= cpus->n > 1 ? (double)cpus->n - 1 : 1;
	cpu.idle_pct = frame_number(&b->frame, SCHEMA_CPU, "all", "idle_pct");
	return checks_beside_judge_cpu(&cpu, b->words, sizeof(b->words)) ==
			       CHECK_OK
		       ? NULL
		       : b->words;
}

static void ping_beside_free(struct ping_beside *b)
{
	if (b->collect)
		collect_close(b->collect);
	sample_free(&b->begin);
	sample_free(&b->end);
	frame_free(&b->frame);
}

/* --- the run --- */

/* A ping under way. */
struct pinging {
	const struct settings *settings;
	struct ping *ping;
	struct opener *opener; /* after sudo; NULL: none */
	struct ping_tally tally;
	struct ping_tally part; /* of the present period of --period */
	uint64_t period_ns;     /* 0: none */
	struct line_out *lines;
	struct ping_beside beside;
	struct loop *loop;
	struct loop_source *timer;
	int signals;
	uint64_t interval_ns, count, end_ns; /* 0: no end */
	uint64_t asked, next_ns, sent_ns;
	uint64_t told_ns; /* a missing answer is reported then */
	bool out;         /* a request has no answer yet */
	bool broken;      /* stdout cannot be written */
	int signal;	  /* that ends the ping; 0: none yet */
	int status;       /* errno of stdout when writing failed */
};

static int cmd_ping_check(const struct settings *s)
{
	if (s->arg.n != 1)
		return fail(EINVAL,
			    "no target to ping: name one file, directory or "
			    "device");
	if (s->ping.direct && s->ping.cached)
		return fail(EINVAL, "--direct and --cached exclude each other");
	if (s->ping.fsync && s->ping.fdatasync)
		return fail(EINVAL,
			    "--fsync and --fdatasync exclude each other");
	if (s->ping.sync && !s->ping.write)
		return fail(EINVAL, "--sync is about writes; give --write");
	return 0;
}

/* The job that the options describe; its target is set later. */
static int cmd_ping_describe(const struct settings *s, struct job *job)
{
	const struct ping_settings *p = &s->ping;
	static const char *const rw[2][2] = { { "randread", "read" },
					      { "randwrite", "write" } };
	const struct {
		const char *name, *value; /* NULL: not given */
	} options[] = {
		{ "name", "ping" },
		{ "rw", rw[p->write][p->linear] },
		{ "bs", p->bs ? p->bs : p->linear ? "256k" : "4k" },
		{ "size", p->size },
		{ "offset", p->offset },
		{ "ioengine", p->engine },
		{ "sync", p->sync ? "sync" : NULL },
		{ "fsync", p->fsync ? "1" : NULL },
		{ "fdatasync", p->fdatasync ? "1" : NULL },
		/* With equal offsets, a ping would read from caches of the
		 * last one. */
		{ "randrepeat", "0" },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(options) && !err; i++)
		if (options[i].value)
			err = job_set(job, options[i].name, options[i].value);
	return err;
}

/* The file in a directory is as large as the part that is used. */
static int cmd_ping_make_scratch(struct job *job, struct settings *s,
				 struct scratch *scratch)
{
	uint64_t bytes = job->size_bytes ? job->size_bytes : SCRATCH_BYTES;
	int err = jobs_target_scratch(scratch, s->arg.word[0],
				     job->offset_bytes + bytes,
				     job->offset_bytes + 2 * bytes);

	if (err < 0)
		return err;
	options_add_word(&s->overwrite, scratch->path);
	return jobs_target_filename(job, scratch->path);
}

static int find_target(struct job *job, struct settings *s,
		       struct scratch *scratch)
{
	const char *path = s->arg.word[0];
	struct probe p = { .choose_direct = !s->ping.direct };
	struct stat st;
	int err = jobs_target_look(path, &st);

	if (err == 0 && S_ISDIR(st.st_mode))
		err = cmd_ping_make_scratch(job, s, scratch);
	else if (err == 0)
		err = jobs_target_filename(job, path);
	if (err == 0 && S_ISREG(st.st_mode)) {
		job->create_on_open = !job_writes(job);
		err = jobs_target_check_file(job, path, &st);
	}
	if (err < 0 || s->ping.cached)
		return err;
	job->direct = s->ping.direct;
	err = ping_probe(&p, job, scratch->fd >= 0 ? scratch->path : path);
	if (err < 0)
		return err;
	if (*p.words)
		job_note(job, "%s: %s", path, p.words);
	return job_set(job, "direct", p.direct ? "1" : "0");
}

static int open_ping(struct pinging *g, struct settings *s, struct root *root)
{
	const struct allow_list allowed = options_allowed(s);
	int err = command_confirm_loss(s, s->job, 1, &allowed);

	if (err == 0 && !privilege_needed(s->job, 1, &allowed))
		err = privilege_drop_for(&g->opener, s->job, 1, &allowed,
					 false);
	root->opener = g->opener;
	if (err == 0)
		err = ping_open(&g->ping, root, s->job, s->ping.cached,
				&allowed);
	return err;
}

static void cmd_ping_on_signal(void *arg, short events)
{
	struct pinging *g = arg;
	int sig;

	while ((sig = loop_take_signal(g->signals))) {
		g->signal = sig;
		/* Ctrl-C is the usual way to end a ping. */
		loop_end(g->loop,
			 sig == SIGINT ? EXIT_DONE : EXIT_SIGNAL + sig);
	}
}

/* The reader of stdout is gone, or the disk is full: end. */
static void cmd_ping_note_out(struct pinging *g, int err)
{
	if (!err || g->broken)
		return;
	g->broken = true;
	if (err == -EPIPE)
		g->status = EXIT_SIGNAL + SIGPIPE;
	else if (err == -EINTR && g->signal)
		/* stderr may be the same terminal, which is stopped. */
		g->status = EXIT_SIGNAL + g->signal;
	else
		g->status = command_failed(EXIT_FAILED);
	loop_end(g->loop, g->status);
}

static void cmd_ping_write_out(struct pinging *g)
{
	cmd_ping_note_out(g, line_out_send(g->lines));
}

static void take_answer(struct pinging *g)
{
	struct ping_answer a;

	if (!g->out || !ping_take(g->ping, &a))
		return;
	g->out = false;
	ping_tally_add(&g->tally, &a);
	if (g->period_ns)
		ping_tally_add(&g->part, &a);
	cmd_ping_write_out(g);
}

/* The time at which the ping ends; 0: it has no end. */
static uint64_t last_ns(const struct pinging *g)
{
	return g->end_ns ? g->end_ns + (g->out ? GRACE_NS : 0) : 0;
}

static bool cmd_ping_is_over(const struct pinging *g, uint64_t now_ns)
{
	return (!g->out && g->count && g->asked == g->count) ||
	       (g->end_ns && now_ns >= last_ns(g));
}

static void cmd_ping_ask(struct pinging *g, uint64_t now_ns)
{
	g->sent_ns = now_ns;
	g->told_ns = now_ns + LONG_NS;
	/* A late answer delays only the next ping. */
	g->next_ns = now_ns + g->interval_ns;
	g->asked++;
	g->out = true;
	ping_ask(g->ping);
}

/* --start-at has not come: the ping begins later. */
static void cmd_ping_wait(struct pinging *g, uint64_t now_ns)
{
	uint64_t wait_ns = start_time_wait_ns(g->settings), next_ns;

	if (wait_ns > START_TIME_LOOK_NS)
		wait_ns = START_TIME_LOOK_NS;
	next_ns = now_ns + wait_ns;
	if (g->end_ns)
		g->end_ns += next_ns - g->next_ns;
	g->next_ns = g->tally.start_ns = next_ns;
	loop_source_deadline(g->timer, next_ns);
}

/* Begin a period of --period. */
static void cmd_ping_begin_part(struct pinging *g, uint64_t start_ns,
				uint64_t warmup)
{
	g->part = (struct ping_tally){ .name = g->tally.name,
				       .host = g->tally.host,
				       .to = g->tally.to,
				       .words = g->tally.words,
				       .json = g->tally.json,
				       .quiet = true,
				       .raw = !g->tally.json,
				       .warmup = warmup,
				       .start_ns = start_ns };
}

/* --period: print the numbers of a period that is over, and begin the next. */
static void cmd_ping_part(struct pinging *g, uint64_t now_ns)
{
	const struct ping_tally *t = &g->part;

	if (!g->period_ns || now_ns < t->start_ns + g->period_ns)
		return;
	if (g->tally.stamps && t->raw)
		fprintf(t->to, "%s ", clock_local(clock_wall_ns(), true).text);
	ping_tally_print(t, now_ns, false);
	cmd_ping_write_out(g);
	cmd_ping_begin_part(g, now_ns, 0);
}

/* Ask, report that an answer is late, or end, depending on the time. */
static void cmd_ping_step(void *arg)
{
	struct pinging *g = arg;
	uint64_t now_ns = clock_mono_ns(), wake_ns;

	cmd_ping_part(g, now_ns);
	if (cmd_ping_is_over(g, now_ns)) {
		loop_end(g->loop, EXIT_DONE);
		return;
	}
	if (!g->asked && start_time_wait_ns(g->settings)) {
		cmd_ping_wait(g, now_ns);
		return;
	}
	if (!g->out && now_ns >= g->next_ns)
		cmd_ping_ask(g, now_ns);
	if (g->out && now_ns >= g->told_ns && ping_is_dead(g->ping)) {
		loop_end(g->loop, EXIT_FAILED);
		return;
	}
	if (g->out && now_ns >= g->told_ns) {
		ping_tally_waiting(&g->tally, now_ns - g->sent_ns);
		cmd_ping_write_out(g);
		g->told_ns += now_ns - g->sent_ns;
	}
	wake_ns = g->out ? g->told_ns : g->next_ns;
	if (g->period_ns && wake_ns > g->part.start_ns + g->period_ns)
		wake_ns = g->part.start_ns + g->period_ns;
	if (last_ns(g) && wake_ns > last_ns(g))
		wake_ns = last_ns(g);
	loop_source_deadline(g->timer, wake_ns);
}

/* The loop calls cmd_ping_step() before each wait: this only ends the wait. */
static void on_timer(void *arg, short events)
{
}

static void on_answer(void *arg, short events)
{
	take_answer(arg);
}

static int cmd_ping_run(struct pinging *g)
{
	loop_source_fd(loop_add(g->loop, cmd_ping_on_signal, g), g->signals,
		       POLLIN);
	loop_source_fd(loop_add(g->loop, on_answer, g), ping_fd(g->ping),
		       POLLIN);
	g->timer = loop_add(g->loop, on_timer, g);
	loop_before_wait(g->loop, cmd_ping_step, g);
	return loop_run(g->loop);
}

/* Print the summary and the errors; returns the exit status. */
static int cmd_ping_end(struct pinging *g, int status)
{
	const struct ping_tally *t = &g->tally;
	unsigned long lost;

	take_answer(g);
	g->tally.busy = ping_beside_end(&g->beside, t);
	ping_tally_print(t, clock_mono_ns(), g->out);
	cmd_ping_note_out(g, line_out_close(g->lines, g->signal, &lost));
	if (lost)
		command_say("%lu lines were left out, as the reader of stdout "
			    "was too slow", lost);
	if (g->broken)
		status = g->status;
	if (ping_close(g->ping, GRACE_NS))
		return command_failed(status == EXIT_DONE ? EXIT_FAILED
							  : status);
	if (!t->failed)
		return status;
	fail(t->first_error,
	     "%llu of %llu requests to %s failed, the first one at offset "
	     "%llu: %s",
	     (unsigned long long)t->failed, (unsigned long long)t->requests,
	     t->name, (unsigned long long)t->first_error_at,
	     strerror(t->first_error));
	return command_failed(status == EXIT_DONE ? EXIT_FAILED : status);
}

static void cmd_ping_set_up(struct pinging *g, const struct settings *s,
			    const char *words)
{
	const struct ping_settings *p = &s->ping;
	double interval_s = p->interval_s >= 0 ? p->interval_s : !p->rate;
	uint64_t duration_ns = s->duration_ns ? s->duration_ns
			       : p->rate      ? RATE_NS
					      : 0;

	g->settings = s;
	g->interval_ns = clock_span_ns(interval_s);
	g->count = s->count;
	g->tally.words = words;
	g->tally.to = line_out_file(g->lines);
	g->tally.json = s->json;
	g->tally.quiet = p->quiet || p->rate || p->raw;
	g->tally.raw = p->raw;
	g->tally.stamps = p->stamps;
	g->tally.warmup = p->warmup;
	/* Larger blocks, streams and the page cache are no disk's latency. */
	g->tally.class = p->fsync || p->fdatasync || p->sync ? DISK_CLASS_SYNC
							     : DISK_CLASS_READ;
	g->tally.classed = !p->bs && !p->linear && !p->cached &&
			   (!p->write || g->tally.class == DISK_CLASS_SYNC);
	g->next_ns = g->tally.start_ns = clock_mono_ns();
	if (duration_ns)
		g->end_ns = g->next_ns + duration_ns;
	g->period_ns = p->period_ns;
	cmd_ping_begin_part(g, g->next_ns, p->warmup);
}

/* An error in the options is an error of usage. */
static int cmd_ping_prepare(struct settings *s, struct scratch *scratch)
{
	struct job *job = settings_add_job(s);
	const char *note;
	size_t at = 0;
	int err;

	s->ping.write |= s->ping.fsync || s->ping.fdatasync;
	err = cmd_ping_check(s);
	if (err == 0)
		err = cmd_ping_describe(s, job);
	if (err == 0)
		err = find_target(job, s, scratch);
	if (err == 0)
		err = jobs_check(s);
	while (err == 0 && jobs_note(s, &at, &note))
		command_say("%s", note);
	if (err == 0)
		return EXIT_DONE;
	return command_failed(err == -EINVAL ? EXIT_USAGE : EXIT_FAILED);
}

static int ping(struct settings *s, struct root *root)
{
	struct pinging g = { .signals = loop_signals(false, false) };
	char words[256], name[4096], host[HOST_LABEL_MAX];
	unsigned long lost;
	int err, status;

	if (g.signals < 0 || loop_new(&g.loop) < 0)
		return command_failed(EXIT_FAILED);
	target_words(root, s->arg.word[0], words, sizeof(words));
	text_set(name, s->arg.word[0]);
	text_clean(name);
	g.tally.name = name;
	if (s->host_label) {
		text_set(host, s->host_label);
		text_clean_cut(host, HOST_LABEL_CHARS);
		g.tally.host = host;
	}
	err = start_time_check(s);
	if (err == 0)
		err = line_out_open(&g.lines);
	if (err == 0)
		err = open_ping(&g, s, root);
	if (err == 0 && start_time_late_s(s) > 0)
		command_say("the start is %.3g s late", start_time_late_s(s));
	if (err < 0) {
		status = command_failed(command_status(err));
		/* Nothing was printed. */
		(void)!line_out_close(g.lines, true, &lost);
	} else {
		ping_beside_begin(&g.beside, root);
		cmd_ping_set_up(&g, s, words);
		status = cmd_ping_end(&g, cmd_ping_run(&g));
	}
	ping_beside_free(&g.beside);
	root->opener = NULL;
	opener_stop(g.opener);
	loop_free(g.loop);
	return status;
}

int cmd_ping(struct settings *s)
{
	struct scratch scratch = { .fd = -1 };
	struct root root;
	int status = cmd_ping_prepare(s, &scratch);

	if (status == EXIT_DONE && root_open(&root, s->root) < 0)
		status = command_failed(EXIT_FAILED);
	else if (status == EXIT_DONE) {
		status = ping(s, &root);
		root_close(&root);
	}
	scratch_remove(&scratch);
	return status;
}
