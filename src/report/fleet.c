/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fleet: windows and sums of hosts. */
#include "report/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/sha256.h"
#include "base/text.h"
#include "model/schema/schema_job.h"

/* Less of the longest window in common: no merged figure. */
#define LEAST_SHARE 0.5
/* A host that failed counts with so much of the longest window. */
#define FAILED_SHARE 0.8
#define MOST_FACTS   4096
/* The parts of the only run of each host, which stand for repeats. */
#define HALVES 2

static const enum job_op fleet_job_op[FLEET_OPS] = {
	[FLEET_READ] = JOB_READ,
	[FLEET_WRITE] = JOB_WRITE,
	[FLEET_TRIM] = JOB_TRIM,
	[FLEET_SYNC] = JOB_SYNC,
};

/* --- metrics --- */

static double fleet_iops(const struct fleet_part *h, enum fleet_op op)
{
	return h->seconds > 0 && h->op[op].ios > 0 ? h->op[op].ios / h->seconds
						   : NAN;
}

static double fleet_p99(const struct fleet_part *h, enum fleet_op op)
{
	return h->op[op].hist ? histogram_percentile(h->op[op].hist, 99) : NAN;
}

static double fleet_await(const struct fleet_part *h, enum fleet_op op)
{
	return h->op[op].device_ios > 0
		       ? h->op[op].device_ns / h->op[op].device_ios
		       : NAN;
}

const struct fleet_metric fleet_metrics[] = {
	{ "read_iops", "r/s", 1, fleet_iops, FLEET_READ },
	{ "write_iops", "w/s", 1, fleet_iops, FLEET_WRITE },
	{ "read_p99_ns", "r_p99", -1, fleet_p99, FLEET_READ },
	{ "write_p99_ns", "w_p99", -1, fleet_p99, FLEET_WRITE },
	{ "sync_p99_ns", "f_p99", -1, fleet_p99, FLEET_SYNC },
	{ "read_await_ns", "r_await", -1, fleet_await, FLEET_READ },
	{ "write_await_ns", "w_await", -1, fleet_await, FLEET_WRITE },
};

const size_t n_fleet_metrics = ARRAY_SIZE(fleet_metrics);

/* --- hosts --- */

const struct text_word fleet_windows[] = {
	{ "common", "the time in which every host measured" },
	{ "all", "from the first host's start to the last one's end" },
	{ NULL, NULL },
};

struct fleet *fleet_new(bool all)
{
	struct fleet *f = xcalloc(1, sizeof(*f));

	f->all = all;
	return f;
}

void fleet_part_free(struct fleet_part *h)
{
	for (int op = 0; op < FLEET_OPS; op++)
		free(h->op[op].hist);
	memset(h, 0, sizeof(*h));
}

static void fleet_host_free(struct fleet *f, struct fleet_host *h)
{
	for (size_t k = 0; h->part && k < f->n_parts; k++)
		fleet_part_free(&h->part[k]);
	free(h->part);
	free(h->fact);
	host_clock_free(&h->time);
}

void fleet_free(struct fleet *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		fleet_host_free(f, &f->host[i]);
	free(f->host);
	free(f->run);
	arena_free(&f->arena);
	free(f);
}

static bool fleet_has(const struct fleet *f, size_t but, const char *label)
{
	for (size_t i = 0; i < f->n; i++)
		if (i != but && !strcmp(f->host[i].label, label))
			return true;
	return false;
}

void fleet_relabel(struct fleet *f, size_t i, const char *label)
{
	char *to = f->host[i].label, plain[HOST_LABEL_MAX];
	unsigned number = 1;

	text_copy(plain, sizeof(plain), *label ? label : "(no label)");
	text_clean_cut(plain, HOST_LABEL_CHARS);
	text_copy(to, HOST_LABEL_MAX, plain);
	text_copy(f->host[i].plain, HOST_LABEL_MAX, plain);
	text_clean_cut(plain, HOST_LABEL_CHARS - 6);
	while (fleet_has(f, i, to))
		snprintf(to, HOST_LABEL_MAX, "%.240s#%u", plain, ++number);
}

size_t fleet_add_host(struct fleet *f, const char *label)
{
	f->host = xgrow(f->host, &f->cap, f->n + 1, sizeof(*f->host));
	f->host[f->n] = (struct fleet_host){
		.from_s = NAN, .to_s = NAN, .lag_s = NAN, .of = f->n
	};
	fleet_relabel(f, f->n, label);
	return f->n++;
}

/* --- first pass --- */

/* The end of a frame, in seconds since the fleet's first; the first one sets that. */
static double fleet_time(struct fleet *f, const struct fleet_host *h,
			 const struct frame *frame)
{
	const uint64_t end_ns = host_clock_ns(&h->time, frame->t_s);

	if (!f->first_ns)
		f->first_ns = end_ns;
	return (double)(int64_t)(end_ns - f->first_ns) / 1e9;
}

static void fleet_until(struct fleet_host *h, double t)
{
	if (!(h->to_s >= t))
		h->to_s = t;
}

static void fleet_event(struct fleet_host *h, const struct event *e, double t)
{
	if (e->kind != EVENT_CHECK && e->kind != EVENT_RESULT &&
	    e->kind != EVENT_METRIC)
		event_words(e, h->last, sizeof(h->last));
	if (e->kind == EVENT_JOB_FAILED)
		event_words(e, h->failed, sizeof(h->failed));
	if (e->kind != EVENT_PHASE)
		return;
	if (e->phase == PHASE_RUN && (!h->begins || t < h->from_s)) {
		h->from_s = t;
		h->begins = true;
	}
	if ((e->phase == PHASE_VERIFY || e->phase == PHASE_DONE) && h->begins)
		fleet_until(h, t);
}

/* Whether the row of a job counts what it did while it ran. */
static bool fleet_runs(const struct row *job)
{
	enum phase phase = event_phase_of(job);

	return phase == PHASE_RUN || phase == PHASES;
}

void fleet_look(struct fleet *f, size_t i, const struct frame *frame)
{
	const struct table *jobs = &frame->table[SCHEMA_JOB];
	struct fleet_host *h = &f->host[i];
	double end_s, begin_s;
	bool runs = !jobs->n;

	if (!frame->wall_ns || !(frame->interval_s > 0))
		return;
	host_clock_take(&h->time, frame);
	end_s = fleet_time(f, h, frame);
	begin_s = end_s - frame->interval_s;
	for (size_t k = 0; k < frame->n_events; k++)
		fleet_event(h, &frame->event[k],
			    end_s - (frame->t_s - frame->event[k].t_s));
	for (size_t k = 0; k < jobs->n; k++) {
		const char *device = row_text(SCHEMA_JOB, &jobs->row[k],
					      "device");

		runs |= fleet_runs(&jobs->row[k]);
		if (device && !*h->job_device) {
			text_copy(h->job_device, sizeof(h->job_device), device);
			h->job_device[strcspn(h->job_device, " ,")] = '\0';
		}
	}
	if (!runs)
		return;
	if (!h->begins && !(h->from_s <= begin_s))
		h->from_s = begin_s;
	fleet_until(h, end_s);
}

/* Keys of a job that name its place, which differs from host to host. */
static bool fleet_is_place(const char *key)
{
	return text_among(key, "filename", "directory", "id", "nth", "opendir",
			  "read_iolog");
}

static void fleet_job_member(const char *key, struct json *value, void *arg)
{
	struct json_writer *w = arg;
	const char *text;
	size_t n;

	if (fleet_is_place(key))
		return;
	/* The options as they were given name the place, too. */
	if (!strcmp(key, "given")) {
		json_each(value, fleet_job_member, arg);
		return;
	}
	text = json_text(value, &n);
	json_writer_raw(w, key, strlen(key) + 1);
	json_writer_raw(w, text, n);
}

static void fleet_hash_jobs(struct fleet_host *h, struct json *jobs)
{
	struct json_writer w = { 0 };
	struct sha256 sha;

	for (size_t i = 0; i < json_length(jobs); i++)
		json_each(json_at(jobs, i), fleet_job_member, &w);
	sha256_begin(&sha);
	if (w.len)
		sha256_add(&sha, w.buf, w.len);
	sha256_end(&sha, h->jobs);
	json_writer_free(&w);
}

void fleet_line(struct fleet *f, size_t i, const char *type, struct json *line)
{
	struct fleet_host *h = &f->host[i];
	const char *ended = json_get_string(line, "ended_by");

	if (!strcmp(type, "header")) {
		h->time.anew = true;
		fleet_hash_jobs(h, json_get(line, "job"));
	}
	if (strcmp(type, "summary") != 0)
		return;
	h->whole = true;
	if (ended && !*h->failed) {
		snprintf(h->failed, sizeof(h->failed), "ended by %s", ended);
		text_clean(h->failed);
	}
}

static void fleet_add_fact(struct fleet *f, struct fleet_host *h,
			   const char *key, const char *value)
{
	size_t n = strlen(h->job_device);
	const char *dot = strchr(key, '.');
	struct fleet_fact fact;

	/* A path, such as the file of a loop device, is a place as well. */
	if (h->n_facts >= MOST_FACTS || !value || *value == '/' ||
	    strstr(key, "serial") || strstr(key, "wwid"))
		return;
	/* The disk of the jobs has another name on each host. */
	if (n && dot && (size_t)(dot - key) == n &&
	    !strncmp(key, h->job_device, n))
		fact.key = arena_printf(&f->arena, "disk%s", dot);
	else
		fact.key = arena_strdup(&f->arena, key);
	fact.value = arena_strdup(&f->arena, value);
	*xadd(h->fact, h->n_facts, h->cap_facts) = fact;
}

void fleet_header(struct fleet *f, size_t i, const struct header *header)
{
	struct fleet_host *h = &f->host[i];
	char key[96], number[32];

	h->clock = header->host.clock;
	text_copy(h->program, sizeof(h->program), header->program);
	fleet_add_fact(f, h, "kernel", header->host.kernel);
	fleet_add_fact(f, h, "cpu", header->host.cpu);
	snprintf(number, sizeof(number), "%u", header->host.cpus);
	fleet_add_fact(f, h, "cpus", number);
	snprintf(number, sizeof(number), "%llu",
		 (unsigned long long)header->host.memory_bytes);
	fleet_add_fact(f, h, "memory_bytes", number);
	fleet_add_fact(f, h, "program", header->program);
	for (size_t k = 0; k < header->n_devices; k++) {
		snprintf(key, sizeof(key), "%s.model", header->device[k].id);
		fleet_add_fact(f, h, key, header->device[k].model);
	}
	for (size_t k = 0; k < header->n_facts; k++)
		fleet_add_fact(f, h, header->fact[k].key,
			       header->fact[k].value);
	if (!header->knobs)
		return;
	for (size_t k = 0; k < header->knobs->table[SCHEMA_KNOB].n; k++) {
		const struct row *row =
			&header->knobs->table[SCHEMA_KNOB].row[k];

		fleet_add_fact(f, h, row->id,
			       row_text(SCHEMA_KNOB, row, "value"));
	}
}

void fleet_failed(struct fleet *f, size_t i, const char *words)
{
	text_copy(f->host[i].failed, sizeof(f->host[i].failed), words);
}

/* --- the window --- */

static double fleet_length(const struct fleet_host *h)
{
	double s = h->to_s - h->from_s;

	return s > 0 ? s : 0;
}

static int fleet_check_jobs(const struct fleet *f)
{
	const struct fleet_host *first = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_host *h = &f->host[i];

		if (!*h->jobs || !(fleet_length(h) > 0))
			continue;
		if (first && strcmp(first->jobs, h->jobs) != 0)
			return fail(EINVAL,
				    "%.100s and %.100s ran different jobs, "
				    "whose figures do not add up; compare "
				    "their logs without --fleet",
				    first->label, h->label);
		first = first ? first : h;
	}
	return 0;
}

/* Whether a log that counts is a run of the same host at another time. */
static bool fleet_is_run(const struct fleet_host *a, const struct fleet_host *b)
{
	return a->counts && b->counts && !strcmp(a->plain, b->plain) &&
	       (a->to_s <= b->from_s || b->to_s <= a->from_s);
}

/* Two logs of one label at one time are two hosts. */
static bool fleet_has_twins(const struct fleet *f, const struct fleet_host *h)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!f->host[i].counts || strcmp(f->host[i].plain, h->plain))
			continue;
		for (size_t k = 0; k < i; k++)
			if (f->host[k].counts &&
			    !strcmp(f->host[k].plain, h->plain) &&
			    !fleet_is_run(&f->host[i], &f->host[k]))
				return true;
	}
	return false;
}

/* Which run of which host each log is, in the order of time. */
static void fleet_find_runs(struct fleet *f)
{
	f->n_runs = 1;
	for (size_t i = 0; i < f->n; i++) {
		struct fleet_host *h = &f->host[i];

		if (!h->counts || fleet_has_twins(f, h))
			continue;
		for (size_t k = 0; k < f->n; k++) {
			if (k == i || !fleet_is_run(h, &f->host[k]))
				continue;
			h->of = k < h->of ? k : h->of;
			h->run += f->host[k].from_s < h->from_s;
		}
		f->n_runs = h->run >= f->n_runs ? h->run + 1 : f->n_runs;
	}
}

/* A host counts with all runs. */
static void fleet_count_hosts(struct fleet *f)
{
	size_t *runs = xcalloc(f->n, sizeof(*runs));

	for (size_t i = 0; i < f->n; i++)
		runs[f->host[i].of] += f->host[i].counts;
	for (size_t i = 0; i < f->n; i++) {
		struct fleet_host *h = &f->host[i];

		if (h->counts && runs[h->of] < f->n_runs) {
			h->counts = false;
			snprintf(h->failed, sizeof(h->failed),
				 "it has %zu of %zu runs", runs[h->of],
				 f->n_runs);
		}
		f->counted += h->counts && h->of == i;
	}
	free(runs);
}

static void fleet_find_windows(struct fleet *f)
{
	f->run = xcalloc(f->n_runs, sizeof(*f->run));
	for (size_t k = 0; k < f->n_runs; k++) {
		f->run[k].from_s = f->all ? INFINITY : -INFINITY;
		f->run[k].to_s = -f->run[k].from_s;
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_host *h = &f->host[i];
		struct fleet_window *w = &f->run[h->run];

		if (!h->counts)
			continue;
		w->from_s = f->all ? fmin(w->from_s, h->from_s)
				   : fmax(w->from_s, h->from_s);
		w->to_s = f->all ? fmax(w->to_s, h->to_s)
				 : fmin(w->to_s, h->to_s);
		w->longest_s = fmax(w->longest_s, fleet_length(h));
	}
}

static void fleet_say_failed(struct fleet *f)
{
	double longest_s = 0;

	for (size_t i = 0; i < f->n; i++)
		longest_s = fmax(longest_s, fleet_length(&f->host[i]));
	for (size_t i = 0; i < f->n; i++) {
		struct fleet_host *h = &f->host[i];

		if (!h->whole && !*h->failed)
			text_set(h->failed, "the log ends without a summary");
		h->counts = fleet_length(h) > 0 &&
			    (!*h->failed ||
			     fleet_length(h) >= FAILED_SHARE * longest_s);
	}
}

/* A log that cannot be read says more than one that holds nothing. */
static const char *fleet_why_nothing(const struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (*f->host[i].failed && !f->host[i].time.n)
			return f->host[i].failed;
	return "there is no phase run in the logs";
}

int fleet_window(struct fleet *f)
{
	int err = fleet_check_jobs(f);

	if (err < 0)
		return err;
	fleet_say_failed(f);
	fleet_find_runs(f);
	fleet_count_hosts(f);
	if (!f->counted)
		return fail(ERANGE, "no host has measured anything: %s",
			    fleet_why_nothing(f));
	fleet_find_windows(f);
	f->n_parts = f->n_runs > 1 ? f->n_runs : HALVES;
	for (size_t i = 0; i < f->n; i++)
		f->host[i].part = xcalloc(f->n_parts, sizeof(struct fleet_part));
	for (size_t k = 0; k < f->n_runs; k++) {
		const struct fleet_window *w = &f->run[k];

		if (w->to_s - w->from_s < LEAST_SHARE * w->longest_s)
			return fail(ERANGE,
				    "the hosts measured together for %.3g s of "
				    "%.3g s: too little for merged figures; "
				    "give each --start-at=TIME, or use "
				    "--window=all",
				    fmax(0, w->to_s - w->from_s), w->longest_s);
	}
	return 0;
}

/* --- second pass --- */

static double fleet_overlap(double a, double b, double from, double to)
{
	double s = fmin(b, to) - fmax(a, from);

	return s > 0 ? s : 0;
}

/* Add a share of the counts; the total is exact to one I/O. */
static void fleet_add_hist(struct histogram **to, const struct histogram *from,
			   double share)
{
	double rest = 0.5;

	if (!*to)
		*to = xcalloc(1, sizeof(**to));
	if (share >= 1) {
		histogram_add(*to, from);
		return;
	}
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t whole;

		if (!from->bucket[i])
			continue;
		rest += (double)from->bucket[i] * share;
		whole = (uint64_t)rest;
		rest -= (double)whole;
		(*to)->bucket[i] += whole;
	}
}

static double fleet_field(const struct row *row, enum schema_id id,
			  const char *op, const char *key)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", op, key);
	return frame_or_0(row_number(id, row, name));
}

static void fleet_add_job(struct fleet_part *h, const struct row *row,
			  double interval_s, double share)
{
	for (int o = 0; o < FLEET_OPS; o++) {
		const char *op = job_ops[fleet_job_op[o]].key;
		struct fleet_count *c = &h->op[o];
		char name[64];
		int field;

		snprintf(name, sizeof(name), "%s_hist", op);
		field = schema_field(SCHEMA_JOB, name);
		c->ios += share * interval_s *
			  fleet_field(row, SCHEMA_JOB, op, "_iops");
		if (o != FLEET_SYNC)
			c->bytes += share * interval_s *
				    fleet_field(row, SCHEMA_JOB, op,
						"_bytes_per_s");
		if (field >= 0 && row->value[field].histogram)
			fleet_add_hist(&c->hist, row->value[field].histogram,
				       share);
	}
}

static void fleet_add_device(struct fleet_part *h, const struct row *row,
			     double interval_s, double share, bool alone)
{
	static const char *const names[] = { "read", "write" };

	for (int o = FLEET_READ; o <= FLEET_WRITE; o++) {
		double ios = share * interval_s *
			     fleet_field(row, SCHEMA_DEVICE, names[o], "_iops");

		h->op[o].device_ios += ios;
		h->op[o].device_ns += ios * fleet_field(row, SCHEMA_DEVICE,
							names[o], "_await_ns");
		/* Without jobs the I/Os are those of the devices. */
		if (!alone)
			continue;
		h->op[o].ios += ios;
		h->op[o].bytes += share * interval_s *
				  fleet_field(row, SCHEMA_DEVICE, names[o],
					      "_bytes_per_s");
	}
}

/* Add a frame of which in_s lie in the part, with this share of its counts. */
static void fleet_add_share(struct fleet_part *part,
			    const struct fleet_host *h, const struct frame *f,
			    double in_s, double share)
{
	const struct table *jobs = &f->table[SCHEMA_JOB];
	const struct table *devices = &f->table[SCHEMA_DEVICE];

	for (size_t i = 0; i < jobs->n; i++)
		fleet_add_job(part, &jobs->row[i], f->interval_s, share);
	for (size_t i = 0; i < devices->n; i++) {
		const struct row *row = &devices->row[i];
		const char *members = row_text(SCHEMA_DEVICE, row, "members");

		if (*h->job_device ? strcmp(row->id, h->job_device) != 0
				   : members && *members)
			continue;
		fleet_add_device(part, row, f->interval_s, share, !jobs->n);
		part->util_s += in_s * frame_or_0(row_number(SCHEMA_DEVICE, row,
							     "util_pct")) /
				100;
	}
}

void fleet_add(struct fleet *f, size_t i, const struct frame *frame)
{
	const struct fleet_host *h = &f->host[i];
	const struct fleet_window *w = &f->run[h->run];
	double from = f->all ? h->from_s : w->from_s;
	double to = f->all ? h->to_s : w->to_s;
	size_t pieces = f->n_parts / f->n_runs;
	double begin_s, end_s, own, step = (to - from) / (double)pieces;

	if (!h->counts || !frame->wall_ns || !(frame->interval_s > 0))
		return;
	end_s = fleet_time(f, h, frame);
	begin_s = end_s - frame->interval_s;
	/* Only its part within the host's own time has I/Os of the run. */
	own = fleet_overlap(begin_s, end_s, h->from_s, h->to_s);
	for (size_t k = 0; k < pieces && own > 0; k++) {
		struct fleet_part *part = &f->host[h->of].part[h->run + k];
		double in = fleet_overlap(begin_s, end_s,
					  from + (double)k * step,
					  from + (double)(k + 1) * step);

		if (!(in > 0))
			continue;
		part->seconds += in;
		fleet_add_share(part, h, frame, in, fmin(1, in / own));
	}
}

/* What a further run of a host says of it. */
static void fleet_take_run(struct fleet_host *to, const struct fleet_host *h)
{
	if (!*to->failed)
		text_copy(to->failed, sizeof(to->failed), h->failed);
	to->lag_s = fmin(to->lag_s, h->lag_s);
	to->clock.synchronized &= h->clock.synchronized;
	if (h->clock.max_error_ns > to->clock.max_error_ns)
		to->clock.max_error_ns = h->clock.max_error_ns;
}

void fleet_fold(struct fleet *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->host[i].of != i)
			fleet_take_run(&f->host[f->host[i].of], &f->host[i]);
	for (size_t i = 0; i < f->n; i++)
		if (f->host[i].of == i)
			f->host[n++] = f->host[i];
		else
			fleet_host_free(f, &f->host[i]);
	f->n = n;
}

/* --- results --- */

static void fleet_part_add(struct fleet_part *to, const struct fleet_part *h)
{
	to->seconds += h->seconds;
	to->util_s += h->util_s;
	for (int o = 0; o < FLEET_OPS; o++) {
		const struct fleet_count *c = &h->op[o];

		to->op[o].ios += c->ios;
		to->op[o].bytes += c->bytes;
		to->op[o].device_ios += c->device_ios;
		to->op[o].device_ns += c->device_ns;
		if (c->hist)
			fleet_add_hist(&to->op[o].hist, c->hist, 1);
	}
}

struct fleet_part fleet_sum(const struct fleet *f, const struct fleet_host *h)
{
	struct fleet_part sum = { 0 };

	for (size_t k = 0; k < f->n_parts; k++)
		fleet_part_add(&sum, &h->part[k]);
	return sum;
}

double fleet_seconds(const struct fleet *f)
{
	double s = 0;

	for (size_t k = 0; k < f->n_runs; k++)
		s += f->run[k].to_s - f->run[k].from_s;
	return s;
}

struct fleet_part fleet_merge(const struct fleet *f)
{
	struct fleet_part sum = { 0 };

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->n_parts && f->host[i].counts; k++)
			fleet_part_add(&sum, &f->host[i].part[k]);
	sum.seconds = fleet_seconds(f);
	return sum;
}

void fleet_values(const struct fleet *f, const struct fleet_metric *m,
		  size_t part, double *out)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_host *h = &f->host[i];
		struct fleet_part sum;

		out[i] = NAN;
		if (!h->counts)
			continue;
		if (part < f->n_parts) {
			out[i] = m->of(&h->part[part], m->op);
			continue;
		}
		sum = fleet_sum(f, h);
		out[i] = m->of(&sum, m->op);
		fleet_part_free(&sum);
	}
}

/* hint: its index in another host, which is often the same. */
static const char *fleet_fact_of(const struct fleet_host *h, const char *key,
				 size_t hint)
{
	const struct fleet_fact *fact = hint < h->n_facts ? &h->fact[hint] : NULL;

	if (!fact || strcmp(fact->key, key) != 0)
		fact = text_row(key, h->fact, h->n_facts, key);
	return fact ? fact->value : NULL;
}

bool fleet_is_odd(const struct fleet *f, size_t host, size_t fact,
		  const char **others)
{
	const struct fleet_fact *own = &f->host[host].fact[fact];

	*others = NULL;
	for (size_t i = 0; i < f->n; i++) {
		const char *value;

		if (i == host || !f->host[i].counts)
			continue;
		value = fleet_fact_of(&f->host[i], own->key, fact);
		if (!value || !strcmp(value, own->value) ||
		    (*others && strcmp(value, *others) != 0))
			return false;
		*others = value;
	}
	return *others;
}

/* How many hosts have that value, of those that have the fact. */
static size_t fleet_alike(const struct fleet *f, const char *key, size_t fact,
			  const char *value, size_t *have)
{
	size_t same = 0;

	*have = 0;
	for (size_t i = 0; i < f->n; i++) {
		const char *other = fleet_fact_of(&f->host[i], key, fact);

		*have += other != NULL;
		same += other && !strcmp(other, value);
	}
	return same;
}

bool fleet_differs(const struct fleet *f, size_t host, size_t fact)
{
	const struct fleet_fact *own = &f->host[host].fact[fact];
	size_t have;

	return 2 * fleet_alike(f, own->key, fact, own->value, &have) < have;
}
