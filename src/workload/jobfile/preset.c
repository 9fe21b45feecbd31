/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preset: the table. They work on files, made where --directory says or here,
 * so that none of them ever writes to a device by itself.
 */
#include "workload/jobfile/preset.h"

#include <string.h>

#include "base/attributes.h"

#define GOOGLE                                         \
	"https://cloud.google.com/compute/docs/disks/" \
	"benchmarking-pd-performance-linux"
#define GOOGLE_GLOBAL                                               \
	"[global]\nioengine=libaio\ndirect=1\nverify=0\nsize=10g\n" \
	"time_based\nruntime=5m\nramp_time=2s\ngroup_reporting\n"
#define GOOGLE_THROUGHPUT                                          \
	"bs=1m\niodepth=64\nnumjobs=16\niodepth_batch_submit=64\n" \
	"iodepth_batch_complete_max=64\n"
#define GOOGLE_IOPS                                      \
	"bs=4k\niodepth=256\niodepth_batch_submit=256\n" \
	"iodepth_batch_complete_max=256\n"
#define AZURE                                                   \
	"https://learn.microsoft.com/azure/azure-netapp-files/" \
	"azure-netapp-files-performance-metrics-volumes"
#define AZURE_GLOBAL                                                \
	"[global]\nioengine=libaio\ndirect=1\nbs=8k\niodepth=128\n" \
	"numjobs=4\nsize=4g\nruntime=600\ngroup_reporting\n"
#define YABS_JOB(bs)            "[rand_rw_" bs "]\nstonewall\nbs=" bs "\n"
#define CRYSTAL(name, rw, rest) "[" name "-" rw "]\nstonewall\nrw=" rw "\n" rest

/* clang-format off */
static const struct preset presets[] = {
	{ "etcd", "a log of etcd: small writes, each followed by fdatasync; "
	  "the 99th percentile of sync latency is to be below 10 ms",
	  "https://www.ibm.com/cloud/blog/using-fio-to-tell-whether-your-"
	  "storage-is-fast-enough-for-etcd",
	  "[etcd]\nrw=write\nioengine=sync\nfdatasync=1\nsize=22m\n"
	  "bs=2300\n" },
	{ "google-write-throughput", "Google Cloud's test of write throughput",
	  GOOGLE, GOOGLE_GLOBAL "[write_throughput]\nrw=write\n"
	  GOOGLE_THROUGHPUT },
	{ "google-write-iops", "Google Cloud's test of write IOPS", GOOGLE,
	  GOOGLE_GLOBAL "[write_iops]\nrw=randwrite\n" GOOGLE_IOPS },
	{ "google-read-throughput", "Google Cloud's test of read throughput",
	  GOOGLE, GOOGLE_GLOBAL "[read_throughput]\nrw=read\n"
	  GOOGLE_THROUGHPUT },
	{ "google-read-iops", "Google Cloud's test of read IOPS", GOOGLE,
	  GOOGLE_GLOBAL "[read_iops]\nrw=randread\n" GOOGLE_IOPS },
	{ "azure-read", "Azure NetApp Files: 8 KiB random reads", AZURE,
	  AZURE_GLOBAL "[8krandomreads]\nrw=randread\n" },
	{ "azure-write", "Azure NetApp Files: 8 KiB random writes", AZURE,
	  AZURE_GLOBAL "[8krandomwrites]\nrw=randwrite\n" },
	{ "yabs", "Yet Another Bench Script: half reads, half writes at "
	  "random, in four sizes, 30 s each",
	  "https://github.com/masonr/yet-another-bench-script",
	  "[global]\nioengine=libaio\nrw=randrw\nrwmixread=50\niodepth=64\n"
	  "numjobs=2\nsize=2g\nruntime=30\ngtod_reduce=1\ndirect=1\n"
	  "filename=yabs.test\ngroup_reporting\n"
	  YABS_JOB("4k") YABS_JOB("64k") YABS_JOB("512k") YABS_JOB("1m") },
	{ "crystaldiskmark", "the default profile of CrystalDiskMark: 1 GiB, "
	  "5 s each, reads and then writes",
	  "https://crystalmark.info/en/software/crystaldiskmark/",
	  "[global]\nioengine=libaio\ndirect=1\nsize=1g\ntime_based\n"
	  "runtime=5\nfilename=crystal.test\nrandrepeat=0\n"
	  CRYSTAL("SEQ1M-Q8T1", "read", "bs=1m\niodepth=8\n")
	  CRYSTAL("SEQ1M-Q1T1", "read", "bs=1m\n")
	  CRYSTAL("RND4K-Q32T1", "randread", "iodepth=32\n")
	  CRYSTAL("RND4K-Q1T1", "randread", "")
	  CRYSTAL("SEQ1M-Q8T1", "write", "bs=1m\niodepth=8\n")
	  CRYSTAL("SEQ1M-Q1T1", "write", "bs=1m\n")
	  CRYSTAL("RND4K-Q32T1", "randwrite", "iodepth=32\n")
	  CRYSTAL("RND4K-Q1T1", "randwrite", "") },
	{ "postgresql-wal", "a write-ahead log of PostgreSQL: 8 KiB writes, "
	  "each followed by fdatasync, over a segment of 16 MiB, as "
	  "pg_test_fsync does",
	  "https://www.postgresql.org/docs/current/pgtestfsync.html",
	  "[wal]\nrw=write\nbs=8k\nsize=16m\noverwrite=1\nfdatasync=1\n"
	  "time_based\nruntime=5\n" },
	{ "kafka", "a Kafka broker with its default settings (our own job): four "
	  "partitions appended in batches of 16 KiB to segments of 1 GiB, and "
	  "four consumers that fetch 1 MiB, through the page cache",
	  "https://kafka.apache.org/documentation/ (batch.size, "
	  "log.segment.bytes, max.partition.fetch.bytes; it gives no fio job)",
	  "[global]\nsize=1g\nnumjobs=4\ngroup_reporting\ntime_based\n"
	  "runtime=60\n"
	  "[produce]\nrw=write\nbs=16k\n"
	  "[consume]\nrw=read\nbs=1m\n" },
};
/* clang-format on */

const struct preset *preset_at(size_t i)
{
	return i < ARRAY_SIZE(presets) ? &presets[i] : NULL;
}

const struct preset *preset_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].name, name))
			return &presets[i];
	return NULL;
}
