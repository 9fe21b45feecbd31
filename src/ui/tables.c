/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: what is special of each table pane. Columns stand in the order in
 * which eyes look for them; what does not fit is a key to the right.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/schema_task.h"
#include "ui/pane_table.h"

static double number_or_0(double v)
{
	return isnan(v) ? 0 : v;
}

static bool device_idle(const struct row *row)
{
	static const char *const keys[] = { "read_iops", "write_iops",
					    "discard_iops", "flush_iops",
					    "queue_depth" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (number_or_0(row_number(SCHEMA_DEVICE, row, keys[i])) > 0)
			return false;
	return true;
}

/* By the bytes that it moves; among those that move none, by CPU time. */
static double task_rank(const struct row *row)
{
	double bytes =
		number_or_0(row_number(SCHEMA_TASK, row, "read_bytes_per_s")) +
		number_or_0(row_number(SCHEMA_TASK, row, "write_bytes_per_s"));

	return bytes * 1e6 +
	       number_or_0(row_number(SCHEMA_TASK, row, "cpu_pct"));
}

static bool task_idle(const struct row *row)
{
	return task_rank(row) == 0;
}

/* Kernel threads stand in brackets. */
static const char *task_text(const struct row *row, int field, char *buf,
			     size_t size)
{
	const char *text = row->value[field].text;

	if (!text || strcmp(schema_task.fields[field].key, "comm") != 0 ||
	    row_number(SCHEMA_TASK, row, "kernel") != 1)
		return text;
	snprintf(buf, size, "[%s]", text);
	return buf;
}

static const char *const device_columns[] = { "read_iops",
					      "write_iops",
					      "read_bytes_per_s",
					      "write_bytes_per_s",
					      "read_await_ns",
					      "write_await_ns",
					      "queue_size",
					      "util_pct",
					      "scheduler",
					      "read_ahead_kb",
					      "queue_depth",
					      "in_flight_read",
					      "in_flight_write",
					      "read_size_bytes",
					      "write_size_bytes",
					      "flush_iops",
					      "flush_await_ns",
					      "stall_ns",
					      NULL };
static const char *const device_skip[] = { "parent", "counted", "stats_off",
					   NULL };

const struct table_spec table_device = {
	.pane = PANE_DEVICE,
	.schema = SCHEMA_DEVICE,
	.title = "device",
	.id_width = 12,
	.columns = device_columns,
	.skip = device_skip,
	.parent = "parent",
	.idle = device_idle,
};

static const char *const task_columns[] = { "comm",
					    "state",
					    "cpu_pct",
					    "read_bytes_per_s",
					    "write_bytes_per_s",
					    "io_delay_pct",
					    "threads",
					    "uid",
					    NULL };
static const char *const task_skip[] = { "kernel", NULL };

const struct table_spec table_task = {
	.pane = PANE_TASK,
	.schema = SCHEMA_TASK,
	.title = "process",
	.id_width = 9,
	.columns = task_columns,
	.skip = task_skip,
	.name = "comm",
	.rank = task_rank,
	.idle = task_idle,
	.text = task_text,
};

const struct table_spec table_cpu = {
	.pane = PANE_CPU,
	.schema = SCHEMA_CPU,
	.title = "cpu",
	.id_width = 8,
};

static const char *const job_columns[] = {
	"phase",        "progress_pct",     "eta_s",
	"read_iops",    "read_bytes_per_s", "read_p50_ns",
	"read_p99_ns",  "write_iops",       "write_bytes_per_s",
	"write_p50_ns", "write_p99_ns",     "sync_iops",
	"sync_p99_ns",  "errors",           NULL
};

const struct table_spec table_job = {
	.pane = PANE_JOB,
	.schema = SCHEMA_JOB,
	.title = "job",
	.id_width = 14,
	.columns = job_columns,
};
