/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iostat's words: the tables. */
#include "model/schema/iostat_words.h"

#include "base/attributes.h"

/* Shares of merges and of use are in per cent, without a sign in their names. */
const struct iostat_word iostat_words[] = {
	{ "r/s", "read_iops", 1 },
	{ "w/s", "write_iops", 1 },
	{ "d/s", "discard_iops", 1 },
	{ "f/s", "flush_iops", 1 },
	{ "rkB/s", "read_bytes_per_s", 1 / 1024.0 },
	{ "wkB/s", "write_bytes_per_s", 1 / 1024.0 },
	{ "dkB/s", "discard_bytes_per_s", 1 / 1024.0 },
	{ "rrqm/s", "read_merges_per_s", 1 },
	{ "wrqm/s", "write_merges_per_s", 1 },
	{ "drqm/s", "discard_merges_per_s", 1 },
	{ "rrqm", "read_merge_pct", 1 },
	{ "wrqm", "write_merge_pct", 1 },
	{ "drqm", "discard_merge_pct", 1 },
	{ "r_await", "read_await_ns", 1e-6 },
	{ "w_await", "write_await_ns", 1e-6 },
	{ "d_await", "discard_await_ns", 1e-6 },
	{ "f_await", "flush_await_ns", 1e-6 },
	{ "rareq-sz", "read_size_bytes", 1 / 1024.0 },
	{ "wareq-sz", "write_size_bytes", 1 / 1024.0 },
	{ "dareq-sz", "discard_size_bytes", 1 / 1024.0 },
	{ "aqu-sz", "queue_size", 1 },
	{ "util", "util_pct", 1 },
};

const size_t n_iostat_words = ARRAY_SIZE(iostat_words);

const struct iostat_cpu_word iostat_cpu_words[] = {
	{ "user", "user_pct", NULL },	{ "nice", "nice_pct", NULL },
	{ "system", "system_pct", "irq_pct" }, { "iowait", "iowait_pct", NULL },
	{ "steal", "steal_pct", NULL }, { "idle", "idle_pct", NULL },
};

const size_t n_iostat_cpu_words = ARRAY_SIZE(iostat_cpu_words);
