/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics: sums of frames, and their text in the format of Prometheus. */
#include "record/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "record/text_file.h"

/* Bounds of the histograms: powers of two from 4 us to 34 s, in ns. */
#define FIRST_BIT 12
#define LAST_BIT  35

/* How a value of a frame becomes one of a series. */
enum how {
	RATE,	/* per second: added up over the interval */
	SHARE,	/* per cent of the time: seconds are added up */
	AWAIT,	/* ns of an I/O: times the I/Os, seconds are added up */
	TOTAL,	/* a sum already */
	GAUGE_, /* as it is */
};

struct family {
	enum schema_id schema;
	const char *key;  /* of the field */
	const char *name; /* of the metric */
	const char *help;
	enum how how;
	double factor;	    /* 0: 1 */
	const char *weight; /* AWAIT: the field of the I/Os */
	bool always;	    /* also where it is 0 */
};

#define DEVICE(key_, name_, how_, factor_, weight_, always_, help_)         \
	{ .schema = SCHEMA_DEVICE, .key = key_,                             \
	  .name = "iodyno_device_" name_, .how = how_, .factor = factor_,   \
	  .weight = weight_, .always = always_, .help = help_ }
#define OTHER(schema_, key_, name_, how_, factor_, help_)                  \
	{ .schema = SCHEMA_##schema_, .key = key_, .name = "iodyno_" name_, \
	  .how = how_, .factor = factor_, .always = true, .help = help_ }

static const struct family families[] = {
	DEVICE("read_iops", "reads_completed_total", RATE, 0, NULL, true,
	       "Reads that the device completed."),
	DEVICE("read_bytes_per_s", "read_bytes_total", RATE, 0, NULL, true,
	       "Bytes that were read."),
	DEVICE("read_await_ns", "read_time_seconds_total", AWAIT, 1e-9,
	       "read_iops", true, "Time of all reads, waiting included."),
	DEVICE("write_iops", "writes_completed_total", RATE, 0, NULL, true,
	       "Writes that the device completed."),
	DEVICE("write_bytes_per_s", "written_bytes_total", RATE, 0, NULL, true,
	       "Bytes that were written."),
	DEVICE("write_await_ns", "write_time_seconds_total", AWAIT, 1e-9,
	       "write_iops", true, "Time of all writes, waiting included."),
	DEVICE("discard_iops", "discards_completed_total", RATE, 0, NULL,
	       false, "Discards that the device completed."),
	DEVICE("flush_iops", "flushes_completed_total", RATE, 0, NULL, false,
	       "Flushes that the device completed."),
	DEVICE("flush_await_ns", "flush_time_seconds_total", AWAIT, 1e-9,
	       "flush_iops", false, "Time of all flushes."),
	DEVICE("util_pct", "io_time_seconds_total", SHARE, 0.01, NULL, true,
	       "Time in which the device had I/O in flight."),
	DEVICE("queue_size", "io_time_weighted_seconds_total", RATE, 0, NULL,
	       true, "Time of all I/Os in the queue or in flight."),
	DEVICE("queue_depth", "queue_depth", GAUGE_, 0, NULL, false,
	       "I/Os that are queued or in flight."),
	DEVICE("temperature_c", "temperature_celsius", GAUGE_, 0, NULL, false,
	       "Temperature of the disk."),
	DEVICE("errors", "errors_total", TOTAL, 0, NULL, false,
	       "I/O errors that the device counted."),
	OTHER(MEMORY, "dirty_bytes", "memory_dirty_bytes", GAUGE_, 0,
	      "Pages that wait to be written."),
	OTHER(MEMORY, "writeback_bytes", "memory_writeback_bytes", GAUGE_, 0,
	      "Pages that are being written."),
	OTHER(PRESSURE, "some_pct", "pressure_some_seconds_total", SHARE, 0.01,
	      "Time in which some task waited for the resource."),
	OTHER(PRESSURE, "full_pct", "pressure_full_seconds_total", SHARE, 0.01,
	      "Time in which all tasks waited for the resource."),
	OTHER(JOB, "read_iops", "job_reads_completed_total", RATE, 0,
	      "Reads that the job completed."),
	OTHER(JOB, "read_bytes_per_s", "job_read_bytes_total", RATE, 0,
	      "Bytes that the job read."),
	OTHER(JOB, "write_iops", "job_writes_completed_total", RATE, 0,
	      "Writes that the job completed."),
	OTHER(JOB, "write_bytes_per_s", "job_written_bytes_total", RATE, 0,
	      "Bytes that the job wrote."),
	OTHER(JOB, "errors", "job_errors_total", TOTAL, 0,
	      "Errors of the job."),
	OTHER(JOB, "progress_pct", "job_progress_ratio", GAUGE_, 0.01,
	      "Part of the job that is done."),
	OTHER(TASK, "cpu_pct", "task_cpu_ratio", GAUGE_, 0.01,
	      "Processors that the process used in the last interval."),
	OTHER(TASK, "read_bytes_per_s", "task_read_bytes_per_second", GAUGE_,
	      0, "Bytes that the process read from disks."),
	OTHER(TASK, "write_bytes_per_s", "task_written_bytes_per_second",
	      GAUGE_, 0, "Bytes that the process wrote to disks."),
};

/* What a row has so far. */
struct metric_row {
	enum schema_id schema;
	char id[ROW_ID_MAX];
	char comm[32]; /* of tasks */
	double value[ARRAY_SIZE(families)];
	bool known[ARRAY_SIZE(families)];
	bool here; /* in the last frame */
	struct histogram **latency; /* of jobs: per field, or NULL */
};

struct alarm {
	char rule[32], row[ROW_ID_MAX];
};

struct metrics {
	struct text_file *file;
	unsigned tasks;
	struct metric_row *sum;
	size_t n, cap, next;
	struct alarm *alarm;
	size_t n_alarms, cap_alarms;
	struct frame knobs; /* the settings of the last frame */
	double frames, late, start_s;
	char program[64];
};

int metrics_open(struct metrics **out, const char *path, unsigned tasks)
{
	struct text_file *file = NULL;
	int err = text_file_open(&file, path, "# HELP iodyno_");

	*out = NULL;
	if (err)
		return err;
	*out = xcalloc(1, sizeof(**out));
	(*out)->tasks = tasks;
	(*out)->file = file;
	return 0;
}

/* Rows mostly come in the order of the last frame. */
static struct metric_row *metrics_find(struct metrics *m, enum schema_id schema,
				const char *id)
{
	const size_t at = xfind(m->next, m->n, i,
				m->sum[i].schema == schema &&
					!strcmp(m->sum[i].id, id));
	struct metric_row *s;

	if (at < m->n)
		return &m->sum[at];
	s = xadd(m->sum, m->n, m->cap);
	s->schema = schema;
	text_set(s->id, id);
	if (schema == SCHEMA_JOB)
		s->latency = xcalloc(schemas[schema]->n_fields,
				     sizeof(struct histogram *));
	return s;
}

static void add_value(struct metric_row *s, size_t i, const struct row *row,
		      double interval_s)
{
	const struct family *f = &families[i];
	double v = row_number(f->schema, row, f->key), ios = 1;

	if (isnan(v))
		return;
	if (f->how == AWAIT)
		ios = frame_or_0(row_number(f->schema, row, f->weight));
	v *= f->factor != 0 ? f->factor : 1;
	s->known[i] = true;
	if (f->how == TOTAL || f->how == GAUGE_)
		s->value[i] = v;
	else
		s->value[i] += v * ios * interval_s;
}

static void add_latencies(struct metric_row *s, const struct row *row)
{
	const struct schema *schema = schemas[SCHEMA_JOB];

	for (size_t i = 0; i < schema->n_fields; i++) {
		if (schema->fields[i].kind != FIELD_HISTOGRAM ||
		    !row->value[i].histogram)
			continue;
		if (!s->latency[i])
			s->latency[i] = xcalloc(1, sizeof(*s->latency[i]));
		histogram_add(s->latency[i], row->value[i].histogram);
	}
}

static void add_row(struct metrics *m, enum schema_id schema,
		    const struct row *row, double interval_s)
{
	const char *id = row->id ? row->id : "";
	struct metric_row *s = metrics_find(m, schema, id);

	s->here = true;
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (families[i].schema == schema)
			add_value(s, i, row, interval_s);
	if (s->latency)
		add_latencies(s, row);
	if (schema == SCHEMA_TASK)
		text_set(s->comm, row_text(schema, row, "comm") ?: "");
}

static double busyness(const struct row *row)
{
	return frame_or_0(row_number(SCHEMA_TASK, row, "read_bytes_per_s")) +
	       frame_or_0(row_number(SCHEMA_TASK, row, "write_bytes_per_s")) +
	       frame_or_0(row_number(SCHEMA_TASK, row, "cpu_pct")) / 100;
}

/* The busiest processes: by I/O, then CPU. Those of earlier frames are forgotten. */
static void add_tasks(struct metrics *m, const struct frame *f)
{
	const struct table *t = &f->table[SCHEMA_TASK];
	size_t kept = 0, last = 0; /* last: index of the one before */
	double limit = INFINITY;

	for (size_t i = 0; i < m->n; i++)
		if (m->sum[i].schema != SCHEMA_TASK)
			m->sum[kept++] = m->sum[i];
	m->n = kept;
	m->next = 0;
	for (unsigned k = 0; k < m->tasks; k++) {
		size_t best = t->n;

		for (size_t i = 0; i < t->n; i++) {
			const double busy = busyness(&t->row[i]);

			/* Equals come in their order. */
			if (busy > limit || (busy == limit && i <= last))
				continue;
			if (best == t->n || busy > busyness(&t->row[best]))
				best = i;
		}
		if (best == t->n || busyness(&t->row[best]) <= 0)
			return;
		limit = busyness(&t->row[best]);
		last = best;
		add_row(m, SCHEMA_TASK, &t->row[best], f->interval_s);
	}
}

static void add_event(struct metrics *m, const struct event *e)
{
	const char *row = *e->device ? e->device : e->job;
	size_t i = 0;

	if (e->kind != EVENT_ALARM_BEGIN && e->kind != EVENT_ALARM_END)
		return;
	while (i < m->n_alarms && (strcmp(m->alarm[i].rule, e->name) != 0 ||
				   strcmp(m->alarm[i].row, row) != 0))
		i++;
	if (e->kind == EVENT_ALARM_END) {
		if (i < m->n_alarms)
			m->alarm[i] = m->alarm[--m->n_alarms];
		return;
	}
	if (i < m->n_alarms)
		return;
	m->alarm = xgrow(m->alarm, &m->cap_alarms, m->n_alarms + 1,
			 sizeof(*m->alarm));
	text_set(m->alarm[i].rule, e->name);
	text_set(m->alarm[i].row, row);
	m->n_alarms++;
}

static void put_value(FILE *out, double value)
{
	char number[JSON_NUMBER_MAX];

	json_number_text(number, value);
	fprintf(out, " %s\n", number);
}

static void put_head(FILE *out, const char *name, const char *type,
		     const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* {device="sda"}, {resource="io"}, {pid="12",comm="x"}; nothing for memory. */
static void put_labels(FILE *out, const struct metric_row *s)
{
	static const char *const names[SCHEMA_COUNT] = {
		[SCHEMA_DEVICE] = "device", [SCHEMA_PRESSURE] = "resource",
		[SCHEMA_JOB] = "job",	    [SCHEMA_TASK] = "pid",
	};

	if (!names[s->schema])
		return;
	fputc('{', out);
	text_put_label(out, names[s->schema], s->id);
	if (s->schema == SCHEMA_TASK) {
		fputc(',', out);
		text_put_label(out, "comm", s->comm);
	}
	fputc('}', out);
}

static void metrics_put_family(FILE *out, const struct metrics *m, size_t i)
{
	const struct family *f = &families[i];
	bool any = false;

	for (size_t k = 0; k < m->n; k++) {
		const struct metric_row *s = &m->sum[k];

		if (s->schema != f->schema || !s->here || !s->known[i] ||
		    (!f->always && s->value[i] == 0))
			continue;
		if (!any)
			put_head(out, f->name,
				 f->how == GAUGE_ ? "gauge" : "counter",
				 f->help);
		any = true;
		fputs(f->name, out);
		put_labels(out, s);
		put_value(out, s->value[i]);
	}
}

static void put_bucket(FILE *out, const char *labels, const char *le,
		       uint64_t count)
{
	fprintf(out, "iodyno_job_latency_seconds_bucket{%s,le=\"%s\"} %llu\n",
		labels, le, (unsigned long long)count);
}

/* Two bounds for each power of two, each a bound of our buckets. */
static void metrics_put_histogram(FILE *out, const char *labels,
				  const struct histogram *h)
{
	uint64_t count = 0;
	unsigned i = 0;

	for (unsigned half = 2 * FIRST_BIT; half <= 2 * LAST_BIT; half++) {
		uint64_t bound = half % 2 ? 3ull << (half / 2 - 1)
					  : 1ull << (half / 2);
		char le[32];

		for (; histogram_low(i) < bound; i++)
			count += h->bucket[i];
		snprintf(le, sizeof(le), "%.9g", (double)bound / 1e9);
		put_bucket(out, labels, le, count);
	}
	for (; i < HISTOGRAM_BUCKETS; i++)
		count += h->bucket[i];
	put_bucket(out, labels, "+Inf", count);
	fprintf(out, "iodyno_job_latency_seconds_sum{%s}", labels);
	put_value(out, count ? histogram_mean(h) * (double)count / 1e9 : 0);
	fprintf(out, "iodyno_job_latency_seconds_count{%s} %llu\n", labels,
		(unsigned long long)count);
}

static void put_latencies(FILE *out, const struct metrics *m)
{
	bool any = false;

	for (size_t k = 0; k < m->n; k++) {
		const struct metric_row *s = &m->sum[k];

		for (size_t i = 0; s->latency && i < schemas[s->schema]->n_fields;
		     i++) {
			const char *key = schemas[s->schema]->fields[i].key;
			char *labels, op[32];
			size_t size;
			FILE *to;

			if (!s->latency[i] || !histogram_count(s->latency[i]))
				continue;
			if (!any)
				put_head(out, "iodyno_job_latency_seconds",
					 "histogram",
					 "Time from submission to completion.");
			any = true;
			text_set(op, key);
			op[strcspn(op, "_")] = '\0';
			to = open_memstream(&labels, &size);
			text_put_label(to, "job", s->id);
			fputc(',', to);
			text_put_label(to, "op", op);
			fclose(to);
			metrics_put_histogram(out, labels, s->latency[i]);
			free(labels);
		}
	}
}

/* The settings that most people turn; all of them would be too many series. */
static void metrics_put_knobs(FILE *out, const struct metrics *m)
{
	static const char *const shown[] = { "scheduler", "nr_requests",
					     "read_ahead_kb" };
	const struct table *t = &m->knobs.table[SCHEMA_KNOB];
	bool any = false;

	for (size_t i = 0; i < t->n; i++) {
		const char *dot = strrchr(t->row[i].id, '.');
		const char *value = row_text(SCHEMA_KNOB, &t->row[i], "value");
		char device[ROW_ID_MAX];

		if (!dot || !value)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(shown); k++) {
			if (strcmp(dot + 1, shown[k]) != 0)
				continue;
			if (!any)
				put_head(out, "iodyno_knob", "gauge",
					 "A setting; the value is a label.");
			any = true;
			snprintf(device, sizeof(device), "%.*s",
				 (int)(dot - t->row[i].id), t->row[i].id);
			fputs("iodyno_knob{", out);
			text_put_label(out, "device", device);
			fputc(',', out);
			text_put_label(out, "knob", shown[k]);
			fputc(',', out);
			text_put_label(out, "value", value);
			fputs("} 1\n", out);
		}
	}
}

static void put_alarms(FILE *out, const struct metrics *m)
{
	if (!m->n_alarms)
		return;
	put_head(out, "iodyno_alarm", "gauge", "An alarm that goes on.");
	for (size_t i = 0; i < m->n_alarms; i++) {
		fputs("iodyno_alarm{", out);
		text_put_label(out, "rule", m->alarm[i].rule);
		fputc(',', out);
		text_put_label(out, "device", m->alarm[i].row);
		fputs("} 1\n", out);
	}
}

static char *metrics_text(const struct metrics *m)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *version = strchr(m->program, ' ');

	put_head(out, "iodyno_build_info", "gauge", "The version.");
	fputs("iodyno_build_info{", out);
	text_put_label(out, "version", version ? version + 1 : "");
	fputs("} 1\n", out);
	put_head(out, "iodyno_start_time_seconds", "gauge",
		 "Start of the record, since 1970.");
	fputs("iodyno_start_time_seconds", out);
	put_value(out, m->start_s);
	put_head(out, "iodyno_frames_total", "counter", "Samples taken.");
	fputs("iodyno_frames_total", out);
	put_value(out, m->frames);
	put_head(out, "iodyno_missed_samples_total", "counter",
		 "Samples that came too late to be taken.");
	fputs("iodyno_missed_samples_total", out);
	put_value(out, m->late);
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		metrics_put_family(out, m, i);
	put_latencies(out, m);
	metrics_put_knobs(out, m);
	put_alarms(out, m);
	fclose(out);
	return text;
}

void metrics_add(struct metrics *m, const struct frame *f,
		 const struct header *h)
{
	static const enum schema_id plain[] = { SCHEMA_DEVICE, SCHEMA_MEMORY,
						SCHEMA_PRESSURE, SCHEMA_JOB };

	for (size_t i = 0; i < m->n; i++)
		m->sum[i].here = false;
	for (size_t k = 0; k < ARRAY_SIZE(plain); k++)
		for (size_t i = 0; i < f->table[plain[k]].n; i++)
			add_row(m, plain[k], &f->table[plain[k]].row[i],
				f->interval_s);
	if (m->tasks)
		add_tasks(m, f);
	for (size_t i = 0; i < f->n_events; i++)
		add_event(m, &f->event[i]);
	frame_reset(&m->knobs);
	frame_copy_rows(&m->knobs, SCHEMA_KNOB, f);
	m->frames++;
	m->late += f->late;
	m->start_s = (double)h->wall_ns / 1e9;
	text_set(m->program, h->program);
	text_file_put(m->file, metrics_text(m));
}

const char *metrics_complaint(struct metrics *m, bool last)
{
	if (last)
		text_file_wait(m->file);
	return text_file_complaint(m->file);
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	text_file_free(m->file);
	for (size_t i = 0; i < m->n; i++) {
		for (size_t k = 0; m->sum[i].latency &&
				   k < schemas[m->sum[i].schema]->n_fields;
		     k++)
			free(m->sum[i].latency[k]);
		free(m->sum[i].latency);
	}
	frame_free(&m->knobs);
	free(m->sum);
	free(m->alarm);
	free(m);
}
