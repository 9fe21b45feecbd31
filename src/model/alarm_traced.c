/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alarms from traced times: the queue, a flush, requests that the driver puts
 * back; and the process behind them, from the slowest requests of the frame.
 */
#include "model/alarms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "model/schema/schema.h"

/* A p99 below this is no alarm, however large the share of the queue. */
#define QUEUE_LEAST_NS 20e6
/* With fewer requests in an interval a share of them says little. */
#define LEAST_REQUESTS 20
/* Rows of a device that are looked at; with --slower there can be thousands. */
#define ROWS_MAX 256

static double alarm_traced_number(const struct alarm_case *c,
				  enum alarm_device_field field)
{
	return c->row->value[c->rules->device[field]].number;
}

/* --- the process --- */

/*
 * The figure of a row that tells who it was. The time in flushes is that of a call;
 * where no call is seen, a write of no bytes waited for its flush.
 */
static double alarm_traced_figure(const struct row *row, const char *key)
{
	const char *op = row_text(SCHEMA_SLOW, row, "op");
	const bool flushes = !strcmp(key, "flush_ns") && op &&
			     !strcmp(op, "write") &&
			     row_number(SCHEMA_SLOW, row, "size_bytes") == 0;

	return row_number(SCHEMA_SLOW, row, flushes ? "total_ns" : key);
}

static bool alarm_traced_counts(const struct row *row, const char *device,
				const char *op, const char *key)
{
	const char *of = row_text(SCHEMA_SLOW, row, "device");
	const char *is = row_text(SCHEMA_SLOW, row, "op");

	return of && is && !strcmp(of, device) &&
	       (op ? !strcmp(is, op) : strncmp(is, "f", 1) != 0 ||
						!strcmp(key, "flush_ns")) &&
	       alarm_traced_figure(row, key) > 0;
}

/* By number, or by name where no number is known. */
static bool alarm_traced_same(const struct row *a, const struct row *b)
{
	const double x = row_number(SCHEMA_SLOW, a, "pid");
	const double y = row_number(SCHEMA_SLOW, b, "pid");
	const char *m = row_text(SCHEMA_SLOW, a, "comm");
	const char *n = row_text(SCHEMA_SLOW, b, "comm");

	return x == y || (isnan(x) && isnan(y) && m && n && !strcmp(m, n));
}

/* "name(pid)"; where the pid is not known, "name". */
static void alarm_traced_name(const struct row *row, char name[48])
{
	const double pid = row_number(SCHEMA_SLOW, row, "pid");
	const char *comm = row_text(SCHEMA_SLOW, row, "comm");

	if (isnan(pid))
		snprintf(name, 48, "%.15s", comm ? comm : "?");
	else
		snprintf(name, 48, "%.15s(%.0f)", comm ? comm : "?", pid);
}

/* The rows of a device that tell, at most ROWS_MAX; op NULL: of any operation. */
static size_t alarm_traced_rows(const struct frame *f, const char *device,
				const char *op, const char *key,
				const struct row *rows[ROWS_MAX])
{
	const struct table *t = &f->table[SCHEMA_SLOW];
	size_t n = 0;

	for (size_t i = 0; i < t->n && n < ROWS_MAX; i++)
		if (alarm_traced_counts(&t->row[i], device, op, key))
			rows[n++] = &t->row[i];
	return n;
}

const char *alarm_traced_who(const struct frame *f, const char *device,
			     const char *op, const char *key, const char *before,
			     char *buf, size_t size)
{
	const struct row *rows[ROWS_MAX], *most = NULL;
	size_t n = alarm_traced_rows(f, device, op, key, rows);
	double most_ns = 0;
	const char *file;
	char name[48];

	*buf = '\0';
	/* All of the slowest can be of another operation. */
	if (!n && op) {
		n = alarm_traced_rows(f, device, NULL, key, rows);
		before = "; the slowest I/Os are those of ";
	}
	for (size_t i = 0; i < n; i++) {
		double ns = 0;

		for (size_t k = 0; k < n; k++)
			if (alarm_traced_same(rows[k], rows[i]))
				ns += alarm_traced_figure(rows[k], key);
		if (ns > most_ns) {
			most_ns = ns;
			most = rows[i];
		}
	}
	if (!most)
		return buf;
	alarm_traced_name(most, name);
	file = row_text(SCHEMA_SLOW, most, "file");
	/* In place of a name. */
	if (file && *file == '[')
		file = NULL;
	/* Of a long path the end says more, from the begin of a character. */
	if (file && strlen(file) > 32)
		file += strlen(file) - 32;
	while (file && (*file & 0xc0) == 0x80)
		file++;
	snprintf(buf, size, "%s%s%s%s", before, name, file ? " for " : "",
		 file ? file : "");
	return buf;
}

/* --- the queue --- */

/* The operation whose requests wait longest in the queue; its share in %. */
static double alarm_traced_worst(const struct alarm_case *c, bool *write)
{
	double worst = NAN;

	for (int op = 0; op < 2; op++) {
		const double p99_ns = alarm_traced_number(c, op ? DEV_WRITE_P99
								: DEV_READ_P99);
		const double pct = alarm_traced_number(
			c, op ? DEV_WRITE_QUEUE_PCT : DEV_READ_QUEUE_PCT);

		if (!(p99_ns >= QUEUE_LEAST_NS) || !(pct >= 0) ||
		    (!isnan(worst) && pct <= worst))
			continue;
		worst = pct;
		*write = op;
	}
	return worst;
}

double alarm_traced_queue_pct(const struct alarm_case *c)
{
	bool write;

	return alarm_traced_worst(c, &write);
}

void alarm_traced_queue_words(const struct alarm_case *c, char *buf,
			      size_t size)
{
	char who[96];
	bool write = false;
	const double pct = alarm_traced_worst(c, &write);

	alarm_traced_who(c->frame, c->row->id, write ? "write" : "read",
			 "queue_ns", ", most of ", who, sizeof(who));
	snprintf(buf, size,
		 "%ss take %s (p99), %.0f %% of it in the queue%s; see the "
		 "scheduler, nr_requests%s",
		 write ? "write" : "read",
		 units_ns(alarm_traced_number(c, write ? DEV_WRITE_P99
						       : DEV_READ_P99))
			 .text,
		 pct, who, *who ? "" : ", iodyno slow");
}

/* --- flushes --- */

void alarm_traced_flush_words(const struct alarm_case *c, char *buf,
			      size_t size)
{
	char who[96];

	alarm_traced_who(c->frame, c->row->id, NULL, "flush_ns",
			 "; longest waited ", who, sizeof(who));
	snprintf(buf, size,
		 "a flush takes %s (p99)%s; see the write cache of the disk, "
		 "the callers of fsync",
		 units_ns(alarm_traced_number(c, DEV_FLUSH_P99)).text, who);
}

/* --- requests that the driver puts back --- */

/* A number of requests of an interval, in % of all reads and writes. */
static double alarm_traced_share(const struct alarm_case *c, double n)
{
	const double all =
		(frame_or_0(alarm_traced_number(c, DEV_READ_IOPS)) +
		 frame_or_0(alarm_traced_number(c, DEV_WRITE_IOPS))) *
		c->frame->interval_s;

	return all < LEAST_REQUESTS ? NAN : 100 * n / all;
}

double alarm_traced_requeue_pct(const struct alarm_case *c)
{
	return alarm_traced_share(c, alarm_traced_number(c, DEV_REQUEUES) *
					     c->frame->interval_s);
}

void alarm_traced_requeue_words(const struct alarm_case *c, char *buf,
				size_t size)
{
	char who[96];

	alarm_traced_who(c->frame, c->row->id, NULL, "requeues", "; most of ",
			 who, sizeof(who));
	snprintf(buf, size,
		 "the driver puts back %.1f %% of the requests%s; see "
		 "nr_requests, the queue depth of the device, the path, dmesg",
		 alarm_traced_requeue_pct(c), who);
}

/* --- completions that the trace did not see --- */

double alarm_traced_missed_pct(const struct alarm_case *c)
{
	return alarm_traced_share(c, alarm_traced_number(c, DEV_TRACE_MISSED));
}

void alarm_traced_missed_words(const struct alarm_case *c, char *buf,
			       size_t size)
{
	const double n = alarm_traced_number(c, DEV_TRACE_MISSED);

	snprintf(buf, size,
		 "tracing missed %.0f of %.0f completions: this kernel starts "
		 "no "
		 "program in them; see iodyno-slow(1), TRACE",
		 n, 100 * n / alarm_traced_missed_pct(c));
}

/* --- errors --- */

const char *alarm_traced_error(const struct frame *f, const char *device,
			       char *buf, size_t size)
{
	const struct table *t = &f->table[SCHEMA_SLOW];

	*buf = '\0';
	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->row[i];
		const char *of = row_text(SCHEMA_SLOW, row, "device");
		const char *op = row_text(SCHEMA_SLOW, row, "op");
		const char *error = row_text(SCHEMA_SLOW, row, "error");
		const double sector = row_number(SCHEMA_SLOW, row, "sector");
		char at[40] = "", name[48];

		if (!error || !of || strcmp(of, device) != 0)
			continue;
		if (!isnan(sector))
			snprintf(at, sizeof(at), " at sector %.0f", sector);
		alarm_traced_name(row, name);
		snprintf(buf, size, "; %s of %s%s: %.12s", op ? op : "I/O", name,
			 at, error);
		break;
	}
	return buf;
}
