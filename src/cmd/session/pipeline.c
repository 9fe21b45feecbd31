/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pipeline: sample, derive, log, report. */
#include "cmd/session/pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/privilege.h"
#include "cmd/session/job_control.h"

/* An hour at one frame a second, within a limit of memory. */
#define HISTORY_FRAMES 3600
#define HISTORY_BYTES  (4u << 20)

void pipeline_init(struct pipeline *p, const struct root *root,
		   struct workloads *workloads)
{
	memset(p, 0, sizeof(*p));
	p->root = root;
	p->workloads = workloads;
	p->held_frame = -1;
	p->report = report_new();
	p->history = history_new(HISTORY_FRAMES, HISTORY_BYTES);
	p->foreign = frame_foreign_new();
	p->alarms = alarms_new();
}

void pipeline_free(struct pipeline *p)
{
	log_close(p->log);
	metrics_free(p->metrics);
	if (p->collect)
		collect_close(p->collect);
	if (p->sampler)
		knob_sampler_free(p->sampler);
	if (p->report)
		report_free(p->report);
	if (p->history)
		history_free(p->history);
	if (p->foreign)
		frame_foreign_free(p->foreign);
	alarms_free(p->alarms);
	free(p->header.device);
	free(p->header.job);
	free(p->header.label);
	free(p->header.fact);
	for (int i = 0; i < 2; i++) {
		sample_free(&p->sample[i]);
		frame_free(&p->frame[i]);
	}
	free(p->event);
	memset(p, 0, sizeof(*p));
}

int pipeline_open(struct pipeline *p, const struct collect_options *options)
{
	int err = collect_open(&p->collect, p->root, options);

	if (err < 0)
		return err;
	p->sampler = knob_sampler_new(p->root);
	collect_self_limits(p->root, &p->limits);
	return 0;
}

int pipeline_begin_header(struct pipeline *p, const struct settings *s,
			  double interval_s)
{
	struct header *h = &p->header;

	h->schema = LOG_SCHEMA;
	h->argv = s->argv;
	h->argc = (size_t)s->argc;
	h->wall_ns = clock_wall_ns();
	h->interval_s = interval_s;
	h->n_jobs = s->n_jobs;
	h->job = xcalloc(h->n_jobs + 1, sizeof(*h->job));
	for (size_t i = 0; i < h->n_jobs; i++)
		h->job[i] = s->job[i];
	h->n_labels = s->label.n;
	p->host_label = s->host_label;
	text_set(h->program, PACKAGE_STRING);
	return options_labels(s, &h->label);
}

int pipeline_open_log(struct pipeline *p, const char *path, bool private)
{
	int err;

	privilege_lower();
	err = p->appends ? log_append(&p->log, path, private)
			 : log_create(&p->log, path, private);
	privilege_raise();
	return err;
}

int pipeline_open_metrics(struct pipeline *p, const struct settings *s)
{
	if (geteuid() == 0 && privilege_by_sudo())
		return fail(EPERM,
			    "--openmetrics=%s: these jobs need root's rights, "
			    "with which a user of sudo writes no other file; "
			    "leave it out, or run it as root",
			    s->openmetrics);
	if (metrics_open(&p->metrics, s->openmetrics,
			 (unsigned)s->openmetrics_tasks) < 0)
		return fail(EIO, "--openmetrics: %s", fail_sentence());
	return 0;
}

double pipeline_now_s(const struct pipeline *p)
{
	return (double)(clock_mono_ns() - p->start_ns) / 1e9;
}

void pipeline_add_event(struct pipeline *p, struct event *e)
{
	e->t_s = pipeline_now_s(p);
	frame_foreign_own(p->foreign, e);
	*xadd(p->event, p->n_events, p->cap_events) = *e;
	if (p->on_event)
		p->on_event(p->on_event_arg, e);
}

/* Fill the older of the two samples; it becomes the newest. */
static struct sample *take_sample(struct pipeline *p, unsigned late)
{
	struct sample *s = &p->sample[!p->newest_sample];

	sample_reset(s);
	if (workloads_sample_begin(p->workloads))
		collect_look(p->collect);
	p->late += late;
	s->late = late;
	/* The trace adds to this row. */
	collect_self(s, p->root, &p->limits, p->frame_ns, p->late);
	collect_sample(p->collect, s);
	knob_sampler_read(p->sampler, s);
	workloads_sample(p->workloads, s);
	collect_jobs(p->collect, s);
	p->newest_sample = !p->newest_sample;
	return s;
}

/*
 * A clock that was set or jumped is an event of the interval, and t goes on as
 * if the clock had not jumped.
 */
static void watch_clocks(struct pipeline *p, struct sample *now)
{
	struct event e = { .kind = EVENT_NOTE };
	struct clock_look prev = p->look;
	int64_t off_ns;

	clock_look(&p->look);
	if (!p->sampled)
		return;
	now->jumped =
		clock_compare(&prev, &p->look, &off_ns, e.text, sizeof(e.text));
	p->start_ns += (uint64_t)off_ns;
	if (*e.text)
		pipeline_add_event(p, &e);
}

static struct frame *derive(struct pipeline *p, unsigned late)
{
	const struct sample *prev =
		p->sampled ? &p->sample[p->newest_sample] : NULL;
	const struct frame *before = &p->frame[p->newest_frame];
	struct sample *now = take_sample(p, late);
	struct frame *f;

	watch_clocks(p, now);
	if (!p->sampled)
		p->start_ns = now->mono_ns - clock_span_ns(p->from_s);
	p->sampled = true;
	if (p->held_frame != !p->newest_frame)
		p->newest_frame = !p->newest_frame;
	f = &p->frame[p->newest_frame];
	/* While a frame is held the other one is filled again. */
	frame_derive_after(f, f != before ? before : NULL, prev, now,
			   p->start_ns);
	for (size_t i = 0; i < p->n_events; i++)
		frame_add_event(f, &p->event[i]);
	p->n_events = 0;
	alarms_look(p->alarms, f);
	return f;
}

void pipeline_log_wrote(struct pipeline *p, int err)
{
	if (err >= 0 || p->log_error)
		return;
	p->log_error = -err;
	text_set(p->log_words, fail_sentence());
}

static bool logs(const struct pipeline *p)
{
	return p->log && !p->log_error;
}

/* Add the time, the host and the devices at the first frame. */
static void complete_header(struct pipeline *p, const struct frame *first)
{
	const struct table *t = &first->table[SCHEMA_DEVICE];
	struct header *h = &p->header;

	h->wall_ns = first->wall_ns;
	collect_host(p->root, &h->host);
	text_set(h->host.label, p->host_label ? p->host_label : h->host.name);
	text_clean_cut(h->host.label, HOST_LABEL_CHARS);
	h->device = xcalloc(t->n, sizeof(*h->device));
	for (size_t i = 0; i < t->n; i++)
		if (device_header_collect(p->root, t->row[i].id,
					&h->device[h->n_devices]))
			h->n_devices++;
	collect_facts(p->root, h);
}

const struct frame *pipeline_first(struct pipeline *p)
{
	struct frame *f = derive(p, 0);

	frame_foreign_find(p->foreign, f, NULL);
	complete_header(p, f);
	if (!logs(p))
		return f;
	p->header.knobs = f;
	pipeline_log_wrote(p, log_header(p->log, &p->header));
	p->header.knobs = NULL;
	return f;
}

/* New findings of checks become events of this frame. */
static void add_checks(struct pipeline *p, struct frame *f)
{
	struct event e[16];
	size_t n = report_take_checks(p->report, &p->header, e, ARRAY_SIZE(e));

	for (size_t i = 0; i < n; i++) {
		e[i].t_s = f->t_s;
		frame_add_event(f, &e[i]);
		if (p->on_event)
			p->on_event(p->on_event_arg, &e[i]);
	}
}

const struct frame *pipeline_tick(struct pipeline *p, unsigned late,
				  bool foreign, const char *busy)
{
	struct frame *f = derive(p, late);

	if (foreign)
		frame_foreign_find(p->foreign, f, busy);
	report_add(p->report, f);
	add_checks(p, f);
	if (logs(p))
		pipeline_log_wrote(p, log_frame(p->log, f));
	if (p->metrics)
		metrics_add(p->metrics, f, &p->header);
	p->frames++;
	if (p->keep_history)
		history_push(p->history, f);
	return f;
}

void pipeline_took(struct pipeline *p, uint64_t ns)
{
	p->frame_ns = ns;
}

const struct frame *pipeline_frame(const struct pipeline *p)
{
	if (!p->sampled)
		return NULL;
	return &p->frame[p->held_frame < 0 ? p->newest_frame : p->held_frame];
}

void pipeline_hold(struct pipeline *p, bool on)
{
	p->held_frame = on ? p->newest_frame : -1;
}

void pipeline_hurry(struct pipeline *p)
{
	if (p->log)
		log_hurry(p->log);
}

void pipeline_add_jobs(struct pipeline *p, const struct job *job, size_t n)
{
	struct header *h = &p->header;

	h->job = xrealloc(h->job, (h->n_jobs + n + 1) * sizeof(*h->job));
	for (size_t i = 0; i < n; i++)
		h->job[h->n_jobs++] = job[i];
	if (logs(p))
		pipeline_log_wrote(p, log_jobs(p->log, job, n));
}

void pipeline_forget_jobs(struct pipeline *p, const struct job *job, size_t n)
{
	struct header *h = &p->header;
	size_t kept = 0;

	for (size_t i = 0; i < h->n_jobs; i++) {
		bool gone = false;

		for (size_t k = 0; k < n && !gone; k++)
			gone = !strcmp(job_id(&h->job[i]), job_id(&job[k]));
		if (!gone)
			h->job[kept++] = h->job[i];
	}
	h->n_jobs = kept;
}

void pipeline_record_synced(struct pipeline *p, const char *type,
			    struct json *object)
{
	if (logs(p))
		pipeline_log_wrote(p, log_record_synced(p->log, type, object));
	json_free(object);
}

int pipeline_rotate_log(struct pipeline *p)
{
	int err;

	if (!logs(p))
		return fail(ENOENT, "there is no log to continue");
	p->header.knobs = &p->frame[p->newest_frame];
	err = log_rotate(p->log, &p->header);
	p->header.knobs = NULL;
	return err;
}

void pipeline_summary(struct pipeline *p, bool restored)
{
	struct clock_facts clock;
	struct json *summary;

	report_header(p->report, &p->header);
	if (!logs(p))
		return;
	summary = report_summary_json(p->report, restored);
	collect_clock(&clock);
	pipeline_log_wrote(p, log_summary(p->log, summary, &clock));
	json_free(summary);
}
