/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report of a fleet: reads the logs of its hosts, files or one stream with
 * labels, twice.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "record/label_stream.h"
#include "record/log.h"
#include "report/fleet.h"
#include "report/report.h"

/* The log of a host: a path, or the file of a stream. */
struct fleet_member {
	const char *path; /* NULL: of the stream */
	int fd;
};

struct fleet_reading {
	struct fleet *fleet;
	struct fleet_member *member; /* one per host of the fleet */
	size_t n, cap;
	struct label_stream **stream;
	size_t n_streams;
	double *lag_s; /* by host of the stream that is read */
	size_t cap_lag, n_lag;
	size_t host; /* that is read */
};

static void report_fleet_lag(size_t host, uint64_t then_ns,
			     uint64_t arrived_ns, struct fleet_reading *r)
{
	double lag_s = (double)(int64_t)(arrived_ns - then_ns) / 1e9;

	r->lag_s = xgrow(r->lag_s, &r->cap_lag, host + 1, sizeof(*r->lag_s));
	while (r->n_lag <= host)
		r->lag_s[r->n_lag++] = NAN;
	r->lag_s[host] = fmin(r->lag_s[host], lag_s);
}

static void report_fleet_arrived(size_t host, const struct frame *f,
				 uint64_t arrived_ns, void *arg)
{
	if (f->wall_ns)
		report_fleet_lag(host, f->wall_ns, arrived_ns, arg);
}

static void report_fleet_member(struct fleet_reading *r, const char *path,
				int fd, const char *label)
{
	r->member = xgrow(r->member, &r->cap, r->n + 1, sizeof(*r->member));
	r->member[r->n++] = (struct fleet_member){ .path = path, .fd = fd };
	fleet_add_host(r->fleet, label);
}

/* The label that the host of a stream would have as the only one with it. */
static const char *report_fleet_label(const struct label_stream *s, size_t i)
{
	const char *prefix = label_stream_host(s, i)->prefix;
	size_t first = 0;

	while (strcmp(label_stream_host(s, first)->prefix, prefix) != 0)
		first++;
	return label_stream_host(s, first)->label;
}

/* Take a stream to its end; each of its hosts becomes a member. */
static int report_fleet_stream(struct fleet_reading *r, const char *path)
{
	const struct label_stream_visitor visitor = {
		.frame = report_fleet_arrived, .arg = r
	};
	const struct label_stream_refused *lines;
	struct label_stream *s;
	int err = label_stream_open(&s, path, &visitor);

	if (err < 0)
		return err;
	r->stream = xrealloc(r->stream, (r->n_streams + 1) * sizeof(void *));
	r->stream[r->n_streams++] = s;
	r->n_lag = 0;
	do
		err = label_stream_read(s);
	while (err > 0);
	for (size_t i = 0; (lines = label_stream_refused(s, i)); i++)
		command_say("%s: %llu line%s no log, the first: %s",
			    *lines->label ? lines->label : "(no label)",
			    (unsigned long long)lines->lines,
			    lines->lines == 1 ? " is" : "s are", lines->first);
	for (size_t i = 0; i < label_stream_hosts(s); i++) {
		const struct label_stream_host *h = label_stream_host(s, i);

		report_fleet_member(r, NULL, h->fd,
				    report_fleet_label(s, i));
		/* Of a file, arrival says nothing. */
		if (i < r->n_lag && !strcmp(path, "-"))
			r->fleet->host[r->fleet->n - 1].lag_s = r->lag_s[i];
	}
	return err;
}

static int report_fleet_visit(struct fleet_reading *r, size_t i,
			      struct log_visitor visitor,
			      struct log_reader **log)
{
	const struct fleet_member *m = &r->member[i];

	r->host = i;
	visitor.arg = r;
	return m->path ? log_visit(log, m->path, &visitor)
		       : log_visit_fd(log, m->fd, r->fleet->host[i].label,
				      &visitor);
}

static int report_fleet_look(const struct frame *f, void *arg)
{
	struct fleet_reading *r = arg;

	fleet_look(r->fleet, r->host, f);
	return 0;
}

static int report_fleet_line(const char *type, struct json *line, void *arg)
{
	struct fleet_reading *r = arg;
	struct json *host = json_get(line, "host");
	const char *label = json_get_string(host, "label");

	if (!label)
		label = json_get_string(host, "name");
	if (!strcmp(type, "header") && label && r->member[r->host].path)
		fleet_relabel(r->fleet, r->host, label);
	fleet_line(r->fleet, r->host, type, line);
	return 0;
}

static int report_fleet_add(const struct frame *f, void *arg)
{
	struct fleet_reading *r = arg;

	fleet_add(r->fleet, r->host, f);
	return 0;
}

/* The first pass over a host; what is damaged counts up to there. */
static void report_fleet_first(struct fleet_reading *r, size_t i)
{
	struct log_reader *log = NULL;

	if (report_fleet_visit(r, i,
			       (struct log_visitor){ .frame = report_fleet_look,
						     .line = report_fleet_line },
			       &log) < 0)
		fleet_failed(r->fleet, i, fail_sentence());
	else
		fleet_header(r->fleet, i, log_reader_header(log));
	log_reader_free(log);
}

static void report_fleet_second(struct fleet_reading *r, size_t i)
{
	struct log_reader *log = NULL;

	/* The first pass has kept the reason of a failure. */
	(void)!report_fleet_visit(
		r, i, (struct log_visitor){ .frame = report_fleet_add }, &log);
	log_reader_free(log);
}

static int report_fleet_read(struct fleet_reading *r, const struct settings *s)
{
	for (size_t i = 0; i < s->arg.n; i++) {
		const char *path = s->arg.word[i];
		int err = 0;

		if (label_stream_is(path) || !strcmp(path, "-"))
			err = report_fleet_stream(r, path);
		else
			report_fleet_member(r, path, -1, path);
		if (err < 0)
			return err;
	}
	if (!r->n)
		return fail(EINVAL, "the stream holds no header line of a log");
	for (size_t i = 0; i < r->n; i++)
		report_fleet_first(r, i);
	return 0;
}

bool report_fleet_is(const struct settings *s)
{
	bool is = s->fleet;

	for (size_t i = 0; i < s->arg.n && !is; i++)
		is = label_stream_is(s->arg.word[i]);
	return is;
}

int report_fleet_print(const struct settings *s,
		     const struct report_format *format)
{
	struct fleet_reading r = {
		.fleet = fleet_new(s->window && !strcmp(s->window, "all")),
	};
	int status = EXIT_DONE, err = report_fleet_read(&r, s);

	if (err < 0) {
		status = command_failed(EXIT_FAILED);
	} else {
		err = fleet_window(r.fleet);
		if (err < 0)
			status = command_failed(err == -EINVAL ? EXIT_USAGE
							       : EXIT_FAILED);
	}
	for (size_t i = 0; err == 0 && i < r.n; i++)
		report_fleet_second(&r, i);
	if (err == 0) {
		fleet_fold(r.fleet);
		format->fleet(r.fleet, format->how, stdout);
	}
	for (size_t i = 0; i < r.n_streams; i++)
		label_stream_free(r.stream[i]);
	free(r.stream);
	free(r.member);
	free(r.lag_s);
	fleet_free(r.fleet);
	return status;
}
