/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job rows: options of fio's that have no effect here, and those that are
 * refused.
 */
#include "model/job/job_rows.h"

/* --- options that need no action here --- */

/* Their values are checked, and a note gives the reason once. */
#define NOTHING 0
#define FIGURES "all figures are always taken, their cost is small"
#define CLOCK   "a clock read serves a whole batch of I/Os"
#define PLAIN   "these logs are plain text, written as they come"
#define SORTED "what was written is always read back in this order"
#define HEADERS "headers always name the block, its run and generation"

/* clang-format off */
static const struct job_option accepted_rows[] = {
	{ "gtod_reduce", NULL, &job_bool, NOTHING, "0|1",
	  "fewer figures for less cost", ACCEPTED(FIGURES) },
	{ "disable_lat", NULL, &job_bool, NOTHING, "0|1",
	  "no total latency", ACCEPTED(FIGURES) },
	{ "disable_bw_measurement", "disable_bw", &job_bool, NOTHING, "0|1",
	  "no bandwidth samples", ACCEPTED(FIGURES) },
	{ "gtod_cpu", NULL, &job_count, NOTHING, "CPU",
	  "a CPU that reads the clock for all", ACCEPTED(CLOCK) },
	{ "clocksource", NULL, &job_words, NOTHING, "CLOCK",
	  "the clock to read", ACCEPTED(CLOCK),
	  .words = WORDS({ "clock_gettime", 0, NULL },
			 { "gettimeofday", 0, NULL }, { "cpu", 0, NULL }) },
	{ "softrandommap", NULL, &job_bool, NOTHING, "0|1",
	  "go on without a random map when memory is short",
	  ACCEPTED("no random map is needed") },
	{ "serialize_overlap", NULL, &job_bool, NOTHING, "0|1",
	  "I/Os in flight never overlap",
	  ACCEPTED("within a pass no two overlap; with norandommap or a "
		   "random_distribution they may") },
	{ "rwmixcycle", NULL, &job_count64, NOTHING, "N",
	  "I/Os between two draws of a mix; fio itself ignores it",
	  ACCEPTED("each I/O is drawn, as in fio") },
	{ "thp", NULL, &job_bool, NOTHING, "0|1",
	  "advise huge pages for maps", ACCEPTED("the kernel decides") },
	{ "userspace_reap", NULL, &job_flag, NOTHING, "0|1",
	  "libaio: reap without a system call",
	  ACCEPTED("completions are reaped in batches") },
	{ "nonvectored", NULL, &job_bool, NOTHING, "0|1",
	  "io_uring: no vectors", ACCEPTED("there are none") },
	{ "allow_mounted_write", NULL, &job_bool, NOTHING, "0|1",
	  "write to a device that is mounted",
	  ACCEPTED("the write guard asks for --destroy-data and --override") },
	{ "experimental_verify", NULL, &job_bool, NOTHING, "0|1",
	  "an older way to verify", ACCEPTED(HEADERS) },
	{ "verifysort", NULL, &job_bool, NOTHING, "0|1",
	  "read back in the order of the offsets", ACCEPTED(SORTED) },
	{ "verifysort_nr", NULL, &job_count, NOTHING, "N",
	  "blocks that are sorted at once", ACCEPTED(SORTED) },
	{ "verify_async", NULL, &job_count, NOTHING, "N",
	  "threads that verify", ACCEPTED("the clone verifies what it reads") },
	{ "verify_async_cpus", NULL, &job_cpus, NOTHING, "CPUS",
	  "the CPUs of threads that "
	  "verify", ACCEPTED("the clone verifies what it reads") },
	{ "verify_header_seed", NULL, &job_bool, NOTHING, "0|1",
	  "check the seed in headers", ACCEPTED(HEADERS) },
	{ "verify_write_sequence", NULL, &job_bool, NOTHING, "0|1",
	  "check the number of the write in headers", ACCEPTED(HEADERS) },
	{ "bwavgtime", NULL, &job_count, NOTHING, "MS",
	  "time that a bandwidth sample covers",
	  ACCEPTED("samples are those of --interval") },
	{ "iopsavgtime", NULL, &job_count, NOTHING, "MS",
	  "time that a sample of IOPS covers",
	  ACCEPTED("samples are those of --interval") },
	{ "block_error_percentiles", NULL, &job_bool, NOTHING, "0|1",
	  "percentiles of blocks that failed",
	  ACCEPTED("errors are reported one by one, with their offset") },
	{ "disk_util", NULL, &job_bool, NOTHING, "0|1",
	  "show the disk's figures", ACCEPTED("they are always shown") },
	{ "stats", NULL, &job_bool, NOTHING, "0|1",
	  "report on this job", ACCEPTED("every job is reported") },
	{ "significant_figures", NULL, &job_count, NOTHING, "N",
	  "digits in the results", ACCEPTED("JSON has them all"), .min = 1,
	  .max = 10 },
	{ "unit_base", NULL, &job_words, NOTHING, "0|1|8",
	  "bits or bytes in the results", ACCEPTED("results are in bytes"),
	  .words = WORDS({ "0", 0, NULL }, { "1", 0, NULL },
			 { "8", 0, NULL }) },
	{ "log_entries", NULL, &job_count64, NOTHING, "N",
	  "room for lines of a log", ACCEPTED(PLAIN) },
	{ "log_compression", NULL, &job_count64, NOTHING, "SIZE",
	  "compress logs in memory", ACCEPTED(PLAIN) },
	{ "log_compression_cpus", NULL, &job_cpus, NOTHING, "CPUS",
	  "the CPUs that compress", ACCEPTED(PLAIN) },
	{ "log_store_compressed", NULL, &job_bool, NOTHING, "0|1",
	  "keep logs compressed", ACCEPTED(PLAIN) },
	{ "unique_filename", NULL, &job_bool, NOTHING, "0|1",
	  "names differ between network clients",
	  ACCEPTED("there are no network clients") },
	{ "ignore_zone_limits", NULL, &job_bool, NOTHING, "0|1",
	  "ignore the limit of open zones",
	  ACCEPTED("zones are not distinguished") },
	{ "lockfile", NULL, &job_words, NOTHING, "HOW",
	  "lock files during I/O: only none", ACCEPTED("no file is locked"),
	  .words = WORDS({ "none", 0, NULL }) },
	{ "io_submit_mode", NULL, &job_words, NOTHING, "HOW",
	  "submission: inline or offload",
	  ACCEPTED("arrivals at a rate wait for no completion, and latency "
		   "counts from the intended arrival"),
	  .words = WORDS({ "inline", 0, NULL }, { "offload", 0, NULL }) },
	{ "flow_watermark", NULL, &job_count, NOTHING, "N",
	  "how far jobs of a flow may be apart",
	  ACCEPTED("a job that is ahead waits at once") },
	{ "numa_mem_policy", NULL, &job_any, NOTHING, "POLICY[:NODES]",
	  "where memory is taken",
	  ACCEPTED("it is taken on the node where the clone runs") },
	{ "trim_verify_zero", NULL, &job_bool, NOTHING, "0|1",
	  "trimmed blocks read as zeros",
	  ACCEPTED("trimmed blocks are not read") },
};
/* clang-format on */

const struct job_option_group job_rows_accepted = { "Accepted without effect",
						    accepted_rows,
						    ARRAY_SIZE(accepted_rows) };

/* --- options that are refused --- */

/*
 * They would change what the job means. The message names the nearest
 * supported option.
 */
#define REPLAYS "traces are not replayed"
#define ZONES   "zones of a target are not distinguished"
#define PRIO    "I/Os of a job have one priority"
#define TRIMS   "trims are not mixed into a job that verifies"
#define GROUPS  "put the whole run into a control group"
#define FDP     "data placement is not supported"
#define SPRANDOM     "preconditioning by this scheme is not supported"
#define OTHER_ENGINE "it belongs to an engine that is not supported"
#define REFUSE(name, near, why) \
	{ name,                 \
	  NULL,                 \
	  &job_any,             \
	  NOTHING,              \
	  "VALUE",              \
	  "not supported",      \
	  REFUSED(near, why) }
#define ENGINE(name) REFUSE(name, "ioengine", OTHER_ENGINE)
/* An option that is refused unless it is 0. */
#define UNLESS_0(name, near, why)                                           \
	{                                                                   \
		name, NULL, &job_any, NOTHING, "0", "only 0 is supported",  \
			REFUSED(near, why), .words = WORDS({ "0", 0, NULL }) \
	}

/* clang-format off */
static const struct job_option refused_rows[] = {
	UNLESS_0("read_beyond_wp", NULL, ZONES),
	UNLESS_0("trim_percentage", "rw=randtrimwrite", TRIMS),
	UNLESS_0("trim_backlog", "rw=trimwrite", TRIMS),
	UNLESS_0("trim_backlog_batch", "rw=trimwrite", TRIMS),
	UNLESS_0("lockmem", NULL, "memory is not locked"),
	UNLESS_0("force_async", "sqthread_poll",
		 "the kernel decides what is asynchronous"),
	UNLESS_0("cgroup_nodelete", NULL, GROUPS),
	UNLESS_0("max_open_zones", "nrfiles", ZONES),
	UNLESS_0("job_max_open_zones", "nrfiles", ZONES),
	UNLESS_0("replay_no_stall", "rate_iops", REPLAYS),
	UNLESS_0("read_iolog_chunked", "rw", REPLAYS),
	UNLESS_0("fdp", NULL, FDP),
	UNLESS_0("num_range", "bs", "a trim has one range"),
	UNLESS_0("sprandom", "random_distribution",
		 SPRANDOM),
	REFUSE("percentage_sequential", "percentage_random",
	       "fio refuses it as well, as deprecated"),
	REFUSE("filetype", "filename", "a file has the type that it has"),
	REFUSE("job_start_clock_id", "log_alternate_epoch_clock_id",
	       "the start has one clock"),
	REFUSE("comm", "name", "threads are named after their job"),
	REFUSE("write_zone_remainder", NULL, ZONES),
	REFUSE("spr_num_regions", "random_distribution", SPRANDOM),
	REFUSE("spr_op", "random_distribution", SPRANDOM),
	REFUSE("spr_cs", "random_distribution", SPRANDOM),
	REFUSE("gpu_dev_id", NULL, OTHER_ENGINE),
	ENGINE("hostname"),
	ENGINE("port"),
	ENGINE("interface"),
	ENGINE("listen"),
	ENGINE("protocol"),
	ENGINE("nodelay"),
	ENGINE("pingpong"),
	ENGINE("window_size"),
	ENGINE("mss"),
	ENGINE("ttl"),
	ENGINE("bindname"),
	ENGINE("rdma_verb"),
	ENGINE("donorname"),
	ENGINE("inplace"),
	ENGINE("rbdname"),
	ENGINE("pool"),
	ENGINE("clustername"),
	ENGINE("clientname"),
	ENGINE("busy_poll"),
	ENGINE("touch_objects"),
	ENGINE("volume"),
	ENGINE("brick"),
	ENGINE("namenode"),
	ENGINE("chunk_size"),
	ENGINE("hdfsdirectory"),
	ENGINE("single_instance"),
	ENGINE("http_host"),
	ENGINE("http_user"),
	ENGINE("http_pass"),
	ENGINE("http_mode"),
	ENGINE("http_verbose"),
	ENGINE("http_s3_key"),
	ENGINE("http_s3_keyid"),
	ENGINE("http_s3_region"),
	ENGINE("http_s3_sse_customer_key"),
	ENGINE("http_s3_sse_customer_algorithm"),
	ENGINE("http_s3_storage_class"),
	ENGINE("http_swift_auth_token"),
	ENGINE("https"),
	ENGINE("http_object_mode"),
	ENGINE("nfs_url"),
	ENGINE("uri"),
	ENGINE("readfua"),
	ENGINE("writefua"),
	ENGINE("sg_write_mode"),
	ENGINE("stream_id"),
	ENGINE("skip_bad"),
	ENGINE("cont"),
	ENGINE("object_class"),
	ENGINE("svcl"),
	ENGINE("gpu_dev_ids"),
	ENGINE("cuda_io"),
	ENGINE("xnvme_async"),
	ENGINE("xnvme_sync"),
	ENGINE("xnvme_admin"),
	ENGINE("xnvme_dev_nsid"),
	ENGINE("xnvme_dev_subnqn"),
	ENGINE("xnvme_mem"),
	ENGINE("xnvme_iovec"),
	ENGINE("libblkio_driver"),
	ENGINE("libblkio_path"),
	ENGINE("libblkio_pre_connect_props"),
	ENGINE("libblkio_num_entries"),
	ENGINE("libblkio_queue_size"),
	ENGINE("libblkio_pre_start_props"),
	ENGINE("libblkio_vectored"),
	ENGINE("libblkio_write_zeroes_on_trim"),
	ENGINE("libblkio_wait_mode"),
	ENGINE("libblkio_force_enable_completion_eventfd"),
	REFUSE("ioscheduler", "--at=0s:DEVICE.scheduler=NAME",
	       "the scheduler is a knob, which is put back at the end"),
	REFUSE("uid", NULL, "start the run as that user instead"),
	REFUSE("gid", NULL, "start the run with that group instead"),
	REFUSE("cgroup", NULL, GROUPS),
	REFUSE("cgroup_weight", "prio", GROUPS),
	REFUSE("cmdprio_hint", "prio", PRIO),
	REFUSE("priohint", "prio", "hints are not given"),
	REFUSE("zonecapacity", "size", ZONES),
	REFUSE("zone_reset_threshold", NULL, ZONES),
	REFUSE("zone_reset_frequency", NULL, ZONES),
	REFUSE("recover_zbd_write_error", NULL, ZONES),
	REFUSE("read_iolog", "rw", REPLAYS),
	REFUSE("replay_redirect", "filename", REPLAYS),
	REFUSE("replay_align", "ba", REPLAYS),
	REFUSE("replay_scale", "offset", REPLAYS),
	REFUSE("replay_skip", "rw", REPLAYS),
	REFUSE("replay_time_scale", "rate_iops", REPLAYS),
	REFUSE("merge_blktrace_file", "write_lat_log", REPLAYS),
	REFUSE("merge_blktrace_scalars", "write_lat_log", REPLAYS),
	REFUSE("merge_blktrace_iters", "write_lat_log", REPLAYS),
	REFUSE("write_iolog", "write_lat_log",
	       "traces for a replay are not written"),
	REFUSE("write_mode", "rw", "only plain writes are made"),
	REFUSE("verify_mode", "verify", "only contents are verified"),
	REFUSE("cmd_type", "ioengine=io_uring", "only plain I/O is made"),
	REFUSE("md_per_io_size", "bs", "metadata is not written"),
	REFUSE("pi_act", "verify", "protection information is not made"),
	REFUSE("pi_chk", "verify", "protection information is not made"),
	REFUSE("apptag", "verify", "protection information is not made"),
	REFUSE("apptag_mask", "verify", "protection information is not made"),
	REFUSE("dataplacement", NULL, FDP),
	REFUSE("plids", NULL, FDP),
	REFUSE("plid_select", NULL, FDP),
	REFUSE("fdp_pli", NULL, FDP),
	REFUSE("fdp_pli_select", NULL, FDP),
	REFUSE("dp_scheme", NULL, FDP),
};
/* clang-format on */

const struct job_option_group job_rows_refused = { "Refused", refused_rows,
						   ARRAY_SIZE(refused_rows) };
