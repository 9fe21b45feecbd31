/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job rows: when data reaches the medium, and what results contain.
 */
#include "model/job/job_rows.h"

/* clang-format off */
static const struct job_option sync_rows[] = {
	{ "fsync", NULL, &job_count64, AT(fsync_every), "N",
	  "fsync after every N writes", .key = "fsync_every" },
	{ "fdatasync", NULL, &job_count64, AT(fdatasync_every), "N",
	  "fdatasync after every N writes", .key = "fdatasync_every" },
	{ "write_barrier", NULL, &job_count64, AT(write_barrier), "N",
	  "every N-th write waits for those before and is synced" },
	{ "sync_file_range", NULL, &job_range_sync, AT(range_flags),
	  "WHAT[,WHAT]:N",
	  "sync_file_range after every N writes; WHAT is wait_before, write "
	  "or wait_after",
	  .words = WORDS{ { "wait_before", 1, NULL }, { "write", 2, NULL },
			  { "wait_after", 4, NULL }, { NULL, 0, NULL } } },
	{ "end_fsync", NULL, &job_bool, AT(end_fsync), "0|1",
	  "fsync when the job ends", .key = "end_fsync" },
	{ "fsync_on_close", NULL, &job_bool, AT(fsync_on_close), "0|1",
	  "fsync a file when closing it" },
	{ "sync", NULL, &job_words, AT(sync_open), "HOW",
	  "open for synchronous writes: none, sync (O_SYNC) or dsync (O_DSYNC)",
	  .words = WORDS{ { "none", SYNC_OPEN_NONE, NULL },
			  { "0", SYNC_OPEN_NONE, NULL },
			  { "sync", SYNC_OPEN_SYNC, NULL },
			  { "1", SYNC_OPEN_SYNC, NULL },
			  { "dsync", SYNC_OPEN_DSYNC, NULL },
			  { NULL, 0, NULL } } },
	{ "invalidate", NULL, &job_bool, AT(invalidate), "0|1",
	  "drop the target from the page cache before the job",
	  .key = "invalidate" },
};

static const struct job_option result_rows[] = {
	{ "assert", NULL, &job_assertions, AT(assertion), "KEY<VALUE[,...]",
	  "a condition for the results, such as sync_p99_ns<10ms; exit status "
	  "4 if they do not meet it" },
	{ "write_bw_log", NULL, &job_log, AT(bw_log), "PREFIX",
	  "write PREFIX_bw.N.log, bandwidth in fio's format; the bare word "
	  "takes the job's name" },
	{ "write_iops_log", NULL, &job_log, AT(iops_log), "PREFIX",
	  "write PREFIX_iops.N.log" },
	{ "write_lat_log", NULL, &job_log, AT(lat_log), "PREFIX",
	  "write PREFIX_lat.N.log, PREFIX_slat.N.log and PREFIX_clat.N.log" },
	{ "write_hist_log", NULL, &job_log, AT(hist_log), "PREFIX",
	  "write PREFIX_clat_hist.N.log, a histogram each log_hist_msec" },
	{ "log_avg_msec", NULL, &job_ms, AT(log_avg_ns), "MS",
	  "one line of these logs sums up so many ms; 0 is a line for each "
	  "I/O" },
	{ "log_hist_msec", NULL, &job_ms, AT(log_hist_ns), "MS",
	  "the same for histograms; 0 is 1000" },
	{ "log_hist_coarseness", NULL, &job_count, AT(log_hist_coarseness),
	  "N", "halve the number of buckets so often, 0 to 6", .max = 6 },
	{ "log_max_value", "log_window_value", &job_words, AT(log_window),
	  "WHAT",
	  "lines that sum up latency show the mean (0, avg), the largest value "
	  "(1, max), or both, in this order",
	  .words = WORDS{ { "0", LOG_WINDOW_MEAN, NULL },
			  { "avg", LOG_WINDOW_MEAN, NULL },
			  { "1", LOG_WINDOW_MAX, NULL },
			  { "max", LOG_WINDOW_MAX, NULL },
			  { "both", LOG_WINDOW_BOTH, NULL },
			  { NULL, 0, NULL } } },
	{ "log_offset", NULL, &job_bool, AT(log_offset), "0|1",
	  "lines contain the offset; 0 in lines that sum up" },
	{ "log_prio", NULL, &job_bool, AT(log_prio), "0|1",
	  "lines contain the I/O priority in hexadecimal, not only whether it is "
	  "real time" },
	{ "log_issue_time", NULL, &job_bool, AT(log_issue_time), "0|1",
	  "lines end with the time of submission, in ns" },
	{ "log_unix_epoch", "log_alternate_epoch", &job_bool,
	  AT(log_unix_epoch), "0|1",
	  "times in these logs count from 1970, not from the start" },
	{ "log_alternate_epoch_clock_id", NULL, &job_count,
	  AT(log_epoch_clock), "N",
	  "take these times from this clock of clock_gettime(2); 0 counts "
	  "from 1970",
	  .max = 63 },
	{ "per_job_logs", NULL, &job_bool, AT(per_job_logs), "0|1",
	  "a log for each clone, instead of one for all" },
	{ "percentile_list", NULL, &job_percentiles, AT(percentile_list),
	  "PCT:PCT...", "percentiles of latency to report, at most 20" },
	{ "clat_percentiles", NULL, &job_bool, AT(clat_percentiles), "0|1",
	  "percentiles of completion latency in fio's formats" },
	{ "lat_percentiles", NULL, &job_bool, AT(lat_percentiles), "0|1",
	  "percentiles of total latency in fio's formats" },
	{ "slat_percentiles", NULL, &job_bool, AT(slat_percentiles), "0|1",
	  "percentiles of submission latency in fio's formats" },
	{ "unified_rw_reporting", NULL, &job_words, AT(unified), "HOW",
	  "reads, writes and trims as one result: none, mixed, or both that "
	  "and each",
	  .words = WORDS{ { "none", UNIFIED_NONE, NULL },
			  { "0", UNIFIED_NONE, NULL },
			  { "mixed", UNIFIED_MIXED, NULL },
			  { "1", UNIFIED_MIXED, NULL },
			  { "both", UNIFIED_BOTH, NULL },
			  { "2", UNIFIED_BOTH, NULL },
			  { NULL, 0, NULL } } },
	{ "kb_base", NULL, &job_words, AT(kb_base), "BASE",
	  "1024: k is 1024 and KiB is 1000, as ever in fio; 1000: k is 1000 "
	  "and KiB is 1024; holds for its whole section",
	  .words = WORDS{ { "1024", 1024, NULL }, { "1000", 1000, NULL },
			  { NULL, 0, NULL } } },
};
/* clang-format on */

const struct job_option_group job_rows_sync = { "Syncing and caching",
						sync_rows,
						ARRAY_SIZE(sync_rows) };
const struct job_option_group job_rows_results = { "Results", result_rows,
						   ARRAY_SIZE(result_rows) };
