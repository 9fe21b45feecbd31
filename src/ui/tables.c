/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: what is special of each table pane. Columns stand in the order in
 * which eyes look for them; what does not fit is a key to the right.
 */
#include "ui/pane_table.h"

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
