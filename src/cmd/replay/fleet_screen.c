/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fleet screen: lines become rows. */
#include "cmd/replay/fleet_screen.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/log_range.h"
#include "cmd/replay/fleet_past.h"
#include "record/codec.h"
#include "record/label_stream.h"
#include "report/fleet.h"

#define ALL_ID "all hosts"
/* So many intervals without a line: the host is silent. */
#define SILENT_INTERVALS 3

/* The last line of a host, or that of the time that is shown. */
struct fleet_state {
	uint64_t line_ns; /* CLOCK_MONOTONIC; of the past: the wall clock */
	double interval_s;
	double iops, bytes_per_s, await_ns, util_pct;
	unsigned alarms;
	bool counted; /* a frame came */
	bool over;    /* its summary came */
	struct host_clock time;
	uint64_t last_ns; /* of its last frame */
	char phase[16];
	char device[64]; /* the first of its jobs; "": not known */
	char *header;	 /* the line, for the key = */
	struct histogram *hist; /* reads and writes of the interval */
	char differs[160];
};

struct fleet_screen {
	struct label_stream *stream;
	bool is_pipe; /* else a file, which may grow */
	bool ended, shows_diff, begun;
	uint64_t hidden_lines; /* that are no log, already said */
	struct fleet_state *host;
	size_t n, cap;
	struct fleet_past past;
	struct fleet_state *then; /* the hosts at past.at_ns */
	size_t n_then;
	uint64_t then_ns;
	bool follow;
	bool starts; /* at the newest lines when they are read */
	struct log_range range;
	struct frame frame;
	struct replay *replay;
	char title[128], message[256];
};

static struct fleet_state *fleet_screen_state(struct fleet_screen *s, size_t i)
{
	s->host = xgrow(s->host, &s->cap, i + 1, sizeof(*s->host));
	for (; s->n <= i; s->n++) {
		s->host[s->n] = (struct fleet_state){
			.interval_s = 1, .await_ns = NAN, .util_pct = NAN
		};
	}
	s->host[i].line_ns = clock_mono_ns();
	return &s->host[i];
}

static void fleet_screen_hist(struct fleet_state *h, const struct row *job)
{
	static const char *const keys[] = { "read_hist", "write_hist" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct histogram *from =
			job->value[schema_field(SCHEMA_JOB, keys[i])].histogram;

		if (!from)
			continue;
		if (!h->hist)
			h->hist = xcalloc(1, sizeof(*h->hist));
		histogram_add(h->hist, from);
	}
}

/* The first of the jobs' devices, else the busiest. */
static void fleet_screen_device(struct fleet_state *h, const struct frame *f,
				const char *name)
{
	const struct table *t = &f->table[SCHEMA_DEVICE];

	h->await_ns = h->util_pct = NAN;
	for (size_t i = 0; i < t->n; i++) {
		double util = row_number(SCHEMA_DEVICE, &t->row[i], "util_pct");

		if (name ? strcmp(t->row[i].id, name) != 0
			 : h->util_pct >= frame_or_0(util))
			continue;
		h->util_pct = util;
		h->await_ns = row_number(SCHEMA_DEVICE, &t->row[i],
					 "read_await_ns");
	}
}

static void fleet_screen_events(struct fleet_state *h, const struct frame *f)
{
	for (size_t i = 0; i < f->n_events; i++) {
		h->alarms += f->event[i].kind == EVENT_ALARM_BEGIN;
		h->alarms -= f->event[i].kind == EVENT_ALARM_END && h->alarms;
	}
}

static void fleet_screen_take(struct fleet_state *h, const struct frame *f)
{
	const struct table *jobs = &f->table[SCHEMA_JOB];

	h->counted = true;
	h->interval_s = f->interval_s > 0 ? f->interval_s : h->interval_s;
	h->iops = frame_jobs_iops(f);
	h->bytes_per_s = 0;
	if (h->hist)
		memset(h->hist, 0, sizeof(*h->hist));
	text_set(h->phase, "");
	for (size_t k = 0; k < jobs->n; k++) {
		const struct row *row = &jobs->row[k];
		const char *phase = row_text(SCHEMA_JOB, row, "phase");
		const char *name = row_text(SCHEMA_JOB, row, "device");

		if (!k)
			text_set(h->phase, phase ? phase : "");
		if (!*h->device && name)
			snprintf(h->device, sizeof(h->device), "%.*s",
				 (int)strcspn(name, " ,"), name);
		h->bytes_per_s +=
			frame_or_0(row_number(SCHEMA_JOB, row,
					      "read_bytes_per_s")) +
			frame_or_0(row_number(SCHEMA_JOB, row,
					      "write_bytes_per_s"));
		fleet_screen_hist(h, row);
	}
	fleet_screen_device(h, f, *h->device ? h->device : NULL);
}

static void fleet_screen_frame(size_t i, const struct frame *f,
			       uint64_t arrived_ns, void *arg)
{
	struct fleet_screen *s = arg;
	struct fleet_state *h = fleet_screen_state(s, i);
	uint64_t at_ns;

	host_clock_take(&h->time, f);
	at_ns = host_clock_ns(&h->time, f->t_s);
	fleet_screen_take(h, f);
	fleet_screen_events(h, f);
	h->last_ns = at_ns;
	fleet_past_came(&s->past, i, f, at_ns);
	if (!log_range_has(&s->range, f) || !at_ns)
		return;
	if (!s->past.from_ns || at_ns < s->past.from_ns)
		s->past.from_ns = at_ns;
	if (s->range.to.text && at_ns > s->past.stop_ns)
		s->past.stop_ns = at_ns;
}

static void fleet_screen_line(size_t i, const char *type, struct json *line,
			      uint64_t arrived_ns, void *arg)
{
	struct fleet_screen *s = arg;
	struct fleet_state *h = fleet_screen_state(s, i);
	double interval_s = json_get_number(line, "interval_s");

	if (!strcmp(type, "summary"))
		h->over = true;
	if (strcmp(type, "header") != 0)
		return;
	h->time.anew = true;
	h->interval_s = interval_s > 0 ? interval_s : 1;
	free(h->header);
	h->header = xstrdup(json_text(line, NULL));
}

int fleet_screen_open(struct fleet_screen **out, const struct replay_options *o)
{
	const char *path = o->path[0];
	struct fleet_screen *s = xcalloc(1, sizeof(*s));
	const struct label_stream_visitor visitor = {
		.frame = fleet_screen_frame,
		.line = fleet_screen_line,
		.arg = s,
	};
	int err = log_range_init(&s->range, o->from, o->to);

	s->past.speed = o->speed;
	s->past.step_s = 1;
	s->follow = o->follow;
	s->starts = o->follow && !o->from;
	if (err == 0)
		err = label_stream_open(&s->stream, path, &visitor);
	s->is_pipe = !strcmp(path, "-");
	if (err < 0)
		fleet_screen_free(s);
	else
		*out = s;
	return err;
}

static void fleet_screen_close_host(struct fleet_screen *s)
{
	if (s->replay)
		replay_close(s->replay);
	free(s->replay);
	s->replay = NULL;
}

void fleet_screen_free(struct fleet_screen *s)
{
	if (!s)
		return;
	fleet_screen_close_host(s);
	for (size_t i = 0; i < s->n; i++) {
		free(s->host[i].hist);
		free(s->host[i].header);
		host_clock_free(&s->host[i].time);
	}
	for (size_t i = 0; i < s->n_then; i++)
		free(s->then[i].hist);
	free(s->then);
	fleet_past_free(&s->past);
	free(s->host);
	frame_free(&s->frame);
	label_stream_free(s->stream);
	free(s);
}

int fleet_screen_fd(const struct fleet_screen *s)
{
	return s->ended || !s->is_pipe ? -1 : label_stream_fd(s->stream);
}

/* Say once of each label that it has lines that are no log. */
static void fleet_screen_say_refused(struct fleet_screen *s)
{
	const struct label_stream_refused *r, *last = NULL;
	uint64_t lines = 0;

	for (size_t i = 0; (r = label_stream_refused(s->stream, i)); i++) {
		lines += r->lines;
		last = r;
	}
	if (lines == s->hidden_lines || !last)
		return;
	s->hidden_lines = lines;
	snprintf(s->message, sizeof(s->message),
		 "%.64s: %llu line%s no log: %.100s",
		 *last->label ? last->label : "(no label)",
		 (unsigned long long)last->lines,
		 last->lines == 1 ? " is" : "s are", last->first);
}

/* The alarms of the hosts that went on at the time that is shown. */
static void fleet_screen_alarms(struct fleet_screen *s)
{
	for (size_t k = 0; k < s->past.n_alarms; k++) {
		const struct fleet_alarm *a = &s->past.alarm[k];
		struct fleet_state *h = &s->then[a->host];

		if (a->at_ns > fleet_past_until(&s->past))
			continue;
		h->alarms += a->begins;
		h->alarms -= !a->begins && h->alarms;
	}
}

/* The hosts at the time that is shown. */
static int fleet_screen_go_back(struct fleet_screen *s)
{
	const size_t had = s->n_then;

	if (!s->past.at_ns || (s->then_ns == s->past.at_ns && had >= s->n))
		return 0;
	s->then_ns = s->past.at_ns;
	s->then = xgrow(s->then, &s->n_then, s->n, sizeof(*s->then));
	memset(s->then + had, 0, (s->n_then - had) * sizeof(*s->then));
	for (size_t i = 0; i < s->n; i++) {
		struct fleet_state *h = &s->then[i];
		struct histogram *hist = h->hist;
		const struct frame *f;
		uint64_t end_ns;
		int err = fleet_past_read(&s->past, s->stream, i,
					  &s->host[i].time, &f);

		if (err < 0)
			return err;
		*h = (struct fleet_state){ .interval_s = s->host[i].interval_s,
					   .await_ns = NAN,
					   .util_pct = NAN,
					   .hist = hist,
					   .line_ns = s->past.at_ns };
		text_set(h->device, s->host[i].device);
		if (!f)
			continue;
		fleet_screen_take(h, f);
		end_ns = host_clock_ns(&s->host[i].time, f->t_s);
		h->line_ns = end_ns < h->line_ns ? end_ns : h->line_ns;
		h->over = s->host[i].over && end_ns >= s->host[i].last_ns;
	}
	fleet_screen_alarms(s);
	return 0;
}

/* All of a file is read for the first time: go where the replay begins. */
static int fleet_screen_begin(struct fleet_screen *s)
{
	const double first_s = (double)(s->past.from_ns - s->past.first_ns) /
			       1e9;
	int err = log_range_check(&s->range, "the fleet");

	s->begun = true;
	if (err == 0 && !s->starts)
		fleet_past_act(&s->past,
			       &(struct action){ .kind = ACTION_SEEK,
						 .number = first_s });
	return err < 0 ? err : fleet_screen_go_back(s);
}

int fleet_screen_read(struct fleet_screen *s)
{
	int err;

	do
		err = label_stream_read(s->stream);
	while (err > 0 && !s->is_pipe);
	s->ended = err == 0 && s->is_pipe;
	fleet_screen_say_refused(s);
	if (err == 0 && !s->n && !s->follow && !s->is_pipe)
		return fail(EINVAL, "the stream holds no header line of a log");
	if (err == 0 && !s->begun && s->past.first_ns)
		return fleet_screen_begin(s);
	fleet_past_move(&s->past);
	return err < 0 ? err : fleet_screen_go_back(s);
}

struct replay *fleet_screen_replay(struct fleet_screen *s)
{
	return s->replay;
}

static int fleet_screen_open_host(struct fleet_screen *s, const char *id)
{
	size_t i = 0;
	int err;

	while (i < s->n &&
	       strncmp(label_stream_host(s->stream, i)->label, id,
		       ROW_ID_MAX - 1) != 0)
		i++;
	if (i == s->n)
		return 0;
	if (!s->host[i].counted) {
		snprintf(s->message, sizeof(s->message),
			 "%.64s has no frame yet", id);
		return 0;
	}
	s->replay = xcalloc(1, sizeof(*s->replay));
	err = replay_open(s->replay,
			   &(struct replay_options){
				   .fd = label_stream_host(s->stream, i)->fd,
				   .name = label_stream_host(s->stream, i)->label,
				   .n = 1,
				   .speed = s->past.speed,
				   .follow = true });
	/* At the time of the fleet, which is paused. */
	if (err < 0 || !s->past.at_ns)
		return err;
	s->past.paused = s->replay->paused = true;
	return replay_act(s->replay,
			  &(struct action){
				  .kind = ACTION_SEEK,
				  .number = host_clock_t(&s->host[i].time,
							 s->past.at_ns) });
}

/* The facts and settings of all hosts, by their headers. */
static struct fleet *fleet_screen_facts(const struct fleet_screen *s)
{
	struct fleet *f = fleet_new(false);

	for (size_t i = 0; i < s->n; i++) {
		const char *text = s->host[i].header;
		struct frame knobs = { 0 };
		struct header header;
		struct json *j;

		fleet_add_host(f, label_stream_host(s->stream, i)->label);
		text_set(f->host[i].job_device, s->host[i].device);
		if (!text || json_parse(text, strlen(text), &j) < 0)
			continue;
		if (codec_read_header(j, &header, &knobs) == 0)
			fleet_header(f, i, &header);
		codec_free_header(&header);
		frame_free(&knobs);
		json_free(j);
	}
	return f;
}

/* Note in which facts and settings each host differs from most. */
static void fleet_screen_diff(struct fleet_screen *s)
{
	struct fleet *f = fleet_screen_facts(s);
	unsigned marked = 0;

	s->shows_diff = !s->shows_diff;
	for (size_t i = 0; i < s->n && s->shows_diff; i++) {
		const struct fleet_host *h = &f->host[i];
		char *words = s->host[i].differs;

		*words = '\0';
		for (size_t k = 0; k < h->n_facts; k++)
			if (fleet_differs(f, i, k))
				text_append(s->host[i].differs, "%s%s=%.40s",
					    *words ? " " : "", h->fact[k].key,
					    h->fact[k].value);
		marked += *words != '\0';
	}
	if (s->shows_diff)
		snprintf(s->message, sizeof(s->message),
			 marked ? "%u of %zu hosts differ in settings or facts "
				  "from most"
				: "no host differs from the others in settings "
				  "or facts",
			 marked, s->n);
	fleet_free(f);
}

int fleet_screen_act(struct fleet_screen *s, const struct action *a, bool *quit)
{
	*quit = false;
	*s->message = '\0';
	if (s->replay && a->kind == ACTION_QUIT)
		fleet_screen_close_host(s);
	else if (s->replay)
		return replay_act(s->replay, a);
	else if (a->kind == ACTION_QUIT)
		*quit = true;
	else if (a->kind == ACTION_FLEET_OPEN)
		return fleet_screen_open_host(s, a->job);
	else if (a->kind == ACTION_FLEET_DIFF)
		fleet_screen_diff(s);
	else if (!fleet_past_act(&s->past, a) && a->kind != ACTION_NONE)
		text_set(s->message,
			 "this is a fleet: Enter shows one host, q comes back");
	return fleet_screen_go_back(s);
}

/* --- rows --- */

static void fleet_screen_number(struct row *row, const char *key, double value)
{
	row->value[schema_field(SCHEMA_FLEET, key)].number = value;
}

static void fleet_screen_text(struct frame *f, struct row *row,
			      const char *key, const char *text)
{
	if (*text)
		row->value[schema_field(SCHEMA_FLEET, key)].text =
			arena_strdup(&f->arena, text);
}

static bool fleet_screen_silent(const struct fleet_state *h, uint64_t now_ns)
{
	return !h->over && (double)(now_ns - h->line_ns) / 1e9 >
				   SILENT_INTERVALS * h->interval_s;
}

static const struct fleet_state *fleet_screen_shown(const struct fleet_screen *s,
						    size_t i)
{
	return s->past.at_ns ? &s->then[i] : &s->host[i];
}

static void fleet_screen_row(struct fleet_screen *s, size_t i, uint64_t now_ns)
{
	const struct fleet_state *h = fleet_screen_shown(s, i);
	const bool silent = fleet_screen_silent(h, now_ns);
	struct row *row;
	char id[ROW_ID_MAX];

	text_set(id, label_stream_host(s->stream, i)->label);
	text_clean(id);
	row = frame_add_row(&s->frame, SCHEMA_FLEET, id);
	fleet_screen_text(&s->frame, row, "parent", ALL_ID);
	fleet_screen_text(&s->frame, row, "phase",
			  silent    ? "SILENT"
			  : h->over ? "done"
				    : h->phase);
	if (h->counted || !s->past.at_ns)
		fleet_screen_number(row, "age_s",
				    (double)(now_ns - h->line_ns) / 1e9);
	fleet_screen_number(row, "alarms", h->alarms);
	if (s->shows_diff)
		fleet_screen_text(&s->frame, row, "note", s->host[i].differs);
	if (silent || h->over || !h->counted)
		return;
	fleet_screen_number(row, "iops", h->iops);
	fleet_screen_number(row, "bytes_per_s", h->bytes_per_s);
	fleet_screen_number(row, "await_ns", h->await_ns);
	fleet_screen_number(row, "util_pct", h->util_pct);
	if (h->hist)
		fleet_screen_number(row, "p99_ns",
				    histogram_percentile(h->hist, 99));
}

/* The sums of the hosts that speak; the others are missing, not 0. */
static void fleet_screen_sums(struct fleet_screen *s, uint64_t now_ns)
{
	struct row *row = frame_add_row(&s->frame, SCHEMA_FLEET, ALL_ID);
	struct histogram *all = xcalloc(1, sizeof(*all));
	double iops = 0, bytes_per_s = 0, alarms = 0;
	size_t speak = 0, silent = 0, over = 0;
	char note[96] = "", words[32];

	for (size_t i = 0; i < s->n; i++) {
		const struct fleet_state *h = fleet_screen_shown(s, i);

		over += h->over;
		silent += fleet_screen_silent(h, now_ns);
		if (h->over || !h->counted || fleet_screen_silent(h, now_ns))
			continue;
		speak++;
		iops += h->iops;
		bytes_per_s += h->bytes_per_s;
		alarms += h->alarms;
		if (h->hist)
			histogram_add(all, h->hist);
	}
	if (silent)
		snprintf(note, sizeof(note), "%zu of %zu hosts missing", silent,
			 s->n);
	snprintf(words, sizeof(words), over == s->n ? "done" : "%zu/%zu", speak,
		 s->n);
	fleet_screen_text(&s->frame, row, "phase", words);
	fleet_screen_text(&s->frame, row, "note", note);
	if (speak) {
		fleet_screen_number(row, "iops", iops);
		fleet_screen_number(row, "bytes_per_s", bytes_per_s);
		fleet_screen_number(row, "alarms", alarms);
		fleet_screen_number(row, "p99_ns",
				    histogram_percentile(all, 99));
	}
	free(all);
}

void fleet_screen_view(struct fleet_screen *s, struct ui_view *view)
{
	const struct fleet_past *p = &s->past;
	const uint64_t now_ns = p->at_ns ? p->at_ns : clock_mono_ns();

	if (s->replay) {
		replay_view(s->replay, view);
		return;
	}
	memset(view, 0, sizeof(*view));
	frame_reset(&s->frame);
	s->frame.wall_ns = p->at_ns ? p->at_ns : clock_wall_ns();
	fleet_screen_sums(s, now_ns);
	for (size_t i = 0; i < s->n; i++)
		fleet_screen_row(s, i, now_ns);
	snprintf(s->title, sizeof(s->title), "fleet: %zu host%s%s", s->n,
		 s->n == 1 ? "" : "s", s->ended ? ", the stream has ended" : "");
	view->frame = s->n ? &s->frame : NULL;
	view->title = s->title;
	view->replay = true;
	view->fleet = true;
	view->following = !s->ended && !p->at_ns;
	view->paused = p->paused;
	view->speed = p->speed;
	view->first_ns = p->first_ns;
	view->last_ns = p->last_ns;
	view->length_s = (double)(p->last_ns - p->first_ns) / 1e9;
	view->position_s = p->at_ns ? (double)(p->at_ns - p->first_ns) / 1e9
				    : view->length_s;
	view->interval_s = 1;
	view->message = *s->message ? s->message : NULL;
	view->no_knobs = "this is a fleet: no knob can be turned";
}
