/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job rows: fio's options that would change what the job means and are not
 * supported. They are refused by name, with the nearest that is.
 */
#include "model/job/job_rows.h"

#define NOTHING 0
#define REPLAYS "traces are not replayed"
#define ZONES   "zones of a target are not distinguished"
#define PRIO    "I/Os of a job have one priority"
#define TRIMS   "trims are not mixed into a job that verifies"
#define GROUPS  "put the whole run into a control group"
#define FDP     "data placement is not supported"
#define REFUSE(name, near, why)                                          \
	{                                                                \
		name, NULL, &job_any, NOTHING, "VALUE", "not supported", \
			REFUSED(near, why)                               \
	}
/* One that is only refused when it is not 0. */
#define UNLESS_0(name, near, why)                                          \
	{                                                                  \
		name, NULL, &job_any, NOTHING, "0", "only 0 is supported", \
			REFUSED(near, why), .words = WORDS                 \
		{                                                          \
			{ "0", 0, NULL },                                  \
			{                                                  \
				NULL, 0, NULL                              \
			}                                                  \
		}                                                          \
	}

/* clang-format off */
static const struct job_option rows[] = {
	UNLESS_0("atomic", "sync=dsync", "atomic writes are not supported"),
	UNLESS_0("read_beyond_wp", NULL, ZONES),
	UNLESS_0("unlink_each_loop", "unlink",
		 "files are removed at the end of all loops"),
	UNLESS_0("trim_percentage", "rw=randtrimwrite", TRIMS),
	UNLESS_0("trim_backlog", "rw=trimwrite", TRIMS),
	UNLESS_0("trim_backlog_batch", "rw=trimwrite", TRIMS),
	UNLESS_0("lockmem", NULL, "memory is not locked away"),
	UNLESS_0("max_latency", "steadystate",
		 "a slow I/O does not end the job"),
	UNLESS_0("uncached", "direct", "RWF_DONTCACHE is not supported"),
	UNLESS_0("nowait", "iodepth", "RWF_NOWAIT is not supported"),
	UNLESS_0("force_async", "sqthread_poll",
		 "the kernel decides what is asynchronous"),
	UNLESS_0("hipri_percentage", "hipri", "all I/Os poll, or none does"),
	UNLESS_0("cgroup_nodelete", NULL, GROUPS),
	UNLESS_0("max_open_zones", "nrfiles", ZONES),
	UNLESS_0("job_max_open_zones", "nrfiles", ZONES),
	UNLESS_0("replay_no_stall", "rate_iops", REPLAYS),
	UNLESS_0("read_iolog_chunked", "rw", REPLAYS),
	UNLESS_0("fdp", NULL, FDP),
	UNLESS_0("num_range", "bs", "a trim has one range"),
	UNLESS_0("sprandom", "random_distribution",
		 "preconditioning by this scheme is not supported"),
	REFUSE("opendir", "filename", "a directory's files are not taken up"),
	REFUSE("ioscheduler", "--at=0s:DEVICE.scheduler=NAME",
	       "the scheduler is a knob, which is put back at the end"),
	REFUSE("exec_prerun", NULL, "a job file starts no programs"),
	REFUSE("exec_postrun", NULL, "a job file starts no programs"),
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

const struct job_option_group job_rows_refused = { "Refused", rows,
						   ARRAY_SIZE(rows) };
