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

#define S0(size, rest)                                                     \
	"[s0-rndrw]\nkind=fileio\ncompat=0.4\ninvalidate=1\n"              \
	"file-test-mode=rndrw\nnum-threads=16\nfile-total-size=" size "\n" \
	rest
#define S1(calls)                                                        \
	"[global]\nkind=stream\nfilename=s1.stream\nnumber_ios=" calls    \
	"\n[write]\nrw=write\n[read]\nstonewall\nrw=read\ninvalidate=1\n"
#define S2_PHASES(t)                                                         \
	"[write-" t "]\nstonewall\nnumjobs=" t "\nphase=write\n"             \
	"[rewrite-" t "]\nstonewall\nnumjobs=" t "\nphase=rewrite\n"         \
	"[read-" t "]\nstonewall\nnumjobs=" t "\nphase=read\ninvalidate=1\n" \
	"[reread-" t "]\nstonewall\nnumjobs=" t "\nphase=reread\n"
#define S2(size, t)                                                  \
	"[global]\nkind=iozone\nbs=512k\nsize=" size "\n" S2_PHASES("1") \
	S2_PHASES(t)
#define S3_JOB(name, mode, rest) \
	"[" name "]\nstonewall\nfile-test-mode=" mode "\n" rest
#define S3(rest)                                             \
	"[global]\nkind=fileio\ncompat=0.4\n" rest            \
	S3_JOB("seqwr-100", "seqwr", "")                     \
	S3_JOB("seqrd-100", "seqrd", "")                     \
	S3_JOB("rndwr-100", "rndwr", "")                     \
	S3_JOB("rndrd-100", "rndrd", "")                     \
	S3_JOB("seqwr-each", "seqwr", "file-fsync-all=on\n") \
	S3_JOB("seqrd-each", "seqrd", "")                    \
	S3_JOB("rndwr-each", "rndwr", "file-fsync-all=on\n") \
	S3_JOB("rndrd-each", "rndrd", "")

/* clang-format off */
/* A row says what it has to say; the rest of it is NULL. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
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
	{ .name = "s0-rndrw", .help = "sysbench 0.4 rndrw: 16 threads, 10000 "
	  "requests on 3 GiB in 128 files, a round of fsync every 100; the "
	  "headline is the total time",
	  .source = "regressions from Linux 2.4 to 2.6 under sysbench, 2004",
	  .text = S0("3g", ""), .small = S0("384m", "events=2000\n"),
	  .figures = "source, other hardware, total seconds: 77.5 with Linux "
	  "2.4.25; 2.6.6-rc3: noop 164.9, anticipatory 125.2, deadline 131.9, "
	  "CFQ 152.9" },
	{ .name = "s1-stream", .help = "aiod -S -B -b4M: one file written and "
	  "read by calls of 4 MiB through the page cache; the headline is "
	  "MiB/s",
	  .source = "aiod on ext4 and ext3, 14 TB, 2008",
	  .text = S1("3500000"), .small = S1("256"),
	  .figures = "source, other hardware, MiB/s of ext4 2.6.26-rc5: read "
	  "117, 509, 570 with readahead of 256, 4096, 65536 sectors; write "
	  "295 and 281 with mount options" },
	{ .name = "s2-iozone", .help = "iozone's throughput mode, records of "
	  "512 KiB, 1 and then more processes: write, rewrite, read, re-read; "
	  "the headline is kB/s and CPU %",
	  .source = "iozone with four schedulers, -s24g -r512 -i 0 -i 1 -t 1 "
	  "and 10",
	  .text = S2("24g", "10"), .small = S2("256m", "4"),
	  .figures = "source, other hardware, write of 1 and 10 processes, "
	  "kB/s: CFQ 462901 and 171273, deadline 466868 and 203954, "
	  "anticipatory 460229 and 189632, noop 464676 and 72295" },
	{ .name = "s3-fsync", .help = "sysbench 0.4: sequential and random "
	  "writes and reads with a round of fsync every 100 requests, then "
	  "with an fsync after each write; the headline is MiB/s",
	  .source = "sysbench on ext3, ext4, XFS and Btrfs, 2010",
	  .text = S3(""), .small = S3("file-total-size=128m\nfile-num=16\n"
				      "events=1000\n"),
	  .figures = "source, other hardware: random read 23 MB/s where 100 "
	  "seeks a second allow 1.6, so caching is suspected; with an fsync "
	  "per write ext3 almost twice XFS, its barriers off" },
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
