/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job rows: the options of kinds of work that repeat other programs' loads,
 * under the names that those programs give them.
 */
#include "model/job/job_rows.h"

#define FILEIO(member) AT(fileio.member)

/* clang-format off */
static const struct job_option fileio_rows[] = {
	{ "compat", NULL, &job_words, FILEIO(compat), "VERSION",
	  "kind=fileio: count, wrap and sync as sysbench 0.4 or 1.0 does "
	  "(default 1.0)",
	  .words = WORDS({ "1.0", FILEIO_1_0, NULL },
			 { "0.4", FILEIO_0_4, NULL }) },
	{ "file-test-mode", NULL, &job_words, FILEIO(mode), "MODE",
	  "kind=fileio: seqwr, seqrewr, seqrd, rndrd, rndwr or rndrw",
	  .words = WORDS({ "seqwr", FILEIO_SEQWR, NULL },
			 { "seqrewr", FILEIO_SEQREWR, NULL },
			 { "seqrd", FILEIO_SEQRD, NULL },
			 { "rndrd", FILEIO_RNDRD, NULL },
			 { "rndwr", FILEIO_RNDWR, NULL },
			 { "rndrw", FILEIO_RNDRW, NULL }) },
	{ "file-num", NULL, &job_count, FILEIO(num), "N",
	  "kind=fileio: files that the set is divided into (default 128)",
	  .min = 1, .max = 65536 },
	{ "file-total-size", NULL, &job_size, FILEIO(total_bytes), "SIZE",
	  "kind=fileio: bytes of all files together (default 2g)",
	  .min = 1 },
	{ "file-block-size", NULL, &job_size, FILEIO(block_bytes), "SIZE",
	  "kind=fileio: bytes of a request (default 16k)", .min = 1,
	  .max = BLOCK_MAX },
	{ "file-merged-requests", NULL, &job_count, FILEIO(merged), "N",
	  "kind=fileio: blocks of a sequential request (default 1)",
	  .max = 65536 },
	{ "file-io-mode", NULL, &job_words, FILEIO(io), "MODE",
	  "kind=fileio: sync (pread and pwrite), async (libaio) or mmap",
	  .words = WORDS({ "sync", FILEIO_SYNC, NULL },
			 { "async", FILEIO_ASYNC, NULL },
			 { "mmap", FILEIO_MMAP, NULL }) },
	{ "file-async-backlog", NULL, &job_count, FILEIO(backlog), "N",
	  "kind=fileio: requests in flight per thread with "
	  "file-io-mode=async (default 128)", .min = 1, .max = 65536 },
	{ "file-extra-flags", NULL, &job_flagwords, FILEIO(flags), "FLAGS",
	  "kind=fileio: sync, dsync or direct, or several of them with commas",
	  .words = WORDS({ "none", 0, NULL }, { "sync", FILEIO_O_SYNC, NULL },
			 { "dsync", FILEIO_O_DSYNC, NULL },
			 { "direct", FILEIO_O_DIRECT, NULL }) },
	{ "file-fsync-freq", NULL, &job_count64, FILEIO(fsync_freq), "N",
	  "kind=fileio: sync all files, one by one, after so many requests "
	  "(default 100; 0 is never)" },
	{ "file-fsync-all", NULL, &job_choice, FILEIO(fsync_all), "on|off",
	  "kind=fileio: sync the file after each write, and at no other time",
	  .words = WORDS({ "on", 1, NULL }, { "off", 0, NULL },
			 { "1", 1, NULL }, { "0", 0, NULL }) },
	{ "file-fsync-end", NULL, &job_choice, FILEIO(fsync_end), "on|off",
	  "kind=fileio: sync all files at the end (default on)",
	  .words = WORDS({ "on", 1, NULL }, { "off", 0, NULL },
			 { "1", 1, NULL }, { "0", 0, NULL }) },
	{ "file-fsync-mode", NULL, &job_choice, FILEIO(fdatasync), "CALL",
	  "kind=fileio: sync by fsync or fdatasync",
	  .words = WORDS({ "fsync", 0, NULL }, { "fdatasync", 1, NULL }) },
	{ "file-rw-ratio", NULL, &job_percent, FILEIO(ratio), "N",
	  "kind=fileio: reads per write of rndrw (default 1.5)" },
	{ "events", "max-requests", &job_count64, FILEIO(events), "N",
	  "kind=fileio: end after so many events; compat=1.0 counts syncs, too "
	  "(default 0, with compat=0.4 10000; 0: no limit)" },
	{ "max-time", NULL, &job_ns, AT(runtime_ns), "TIME",
	  "kind=fileio: the runtime under sysbench's name (default 10s, with "
	  "compat=0.4 none; 0: no limit)", .unit = NS_PER_S },
	{ "num-threads", "threads", &job_count, AT(numjobs), "N",
	  "kind=fileio: numjobs under sysbench's names", .min = 1,
	  .max = 4096 },
	{ "rand-seed", NULL, &job_count64, AT(randseed), "N",
	  "kind=fileio: randseed under sysbench's name" },
	{ "validate", NULL, &job_choice, FILEIO(validate), "on|off",
	  "kind=fileio: write blocks with a checksum and check what is read",
	  .words = WORDS({ "on", 1, NULL }, { "off", 0, NULL },
			 { "1", 1, NULL }, { "0", 0, NULL }) },
	{ "fd", NULL, &job_choice, FILEIO(private_fd), "WHOSE",
	  "kind=fileio: all threads use one descriptor per file (shared, the "
	  "default), or each thread has its own (private)",
	  .words = WORDS({ "shared", 0, NULL }, { "private", 1, NULL }) },
	{ "fill", NULL, &job_choice, FILEIO(random_fill), "DATA",
	  "kind=fileio, stream, iozone: write zeros (zero, the default) or "
	  "random data",
	  .words = WORDS({ "zero", 0, NULL }, { "random", 1, NULL }) },
};

static const struct job_option iozone_rows[] = {
	{ "phase", NULL, &job_words, AT(iozone.phase), "PHASE",
	  "kind=iozone: write, rewrite, read or reread (default write)",
	  .words = WORDS({ "write", IOZONE_WRITE, NULL },
			 { "rewrite", IOZONE_REWRITE, NULL },
			 { "read", IOZONE_READ, NULL },
			 { "reread", IOZONE_REREAD, NULL }) },
	{ "include_flush", NULL, &job_flag, AT(iozone.flush), "0|1",
	  "kind=iozone: fsync within the timing, as -e does" },
	{ "include_close", NULL, &job_flag, AT(iozone.close), "0|1",
	  "kind=iozone: close within the timing, as -c does" },
	{ "no_stonewall", NULL, &job_flag, AT(iozone.whole), "0|1",
	  "kind=iozone: measure until the last clone ends, as -x does" },
};

static const struct job_option fsmark_rows[] = {
	{ "sync_method", NULL, &job_count, AT(fsmark.sync), "0-6",
	  "kind=fsmark: 0 no sync, 1 fsync before close (default), 2 sync and "
	  "one fsync, 3 fsync of all in reverse order at the end, 4 sync and "
	  "3, 5 fsync of all in order, 6 sync and 5", .max = 6 },
	{ "subdirs", NULL, &job_count, AT(fsmark.subdirs), "N",
	  "kind=fsmark: subdirectories to spread the files over, by default "
	  "the next one after 180 s", .max = 65536 },
	{ "files_per_subdir", NULL, &job_count, AT(fsmark.per_subdir), "N",
	  "kind=fsmark: use the next subdirectory after so many files" },
	{ "keep_files", NULL, &job_flag, AT(fsmark.keep), "0|1",
	  "kind=fsmark: leave all files; 0 removes them after each loop "
	  "(default: after the last one)" },
};

static const struct job_option dbench_rows[] = {
	{ "loadfile", NULL, &job_string, AT(dbench.loadfile), "FILE",
	  "kind=dbench: the requests to replay (default: client.txt of the "
	  "package dbench, else synthetic); synthetic is one of iodyno's own "
	  "with the same mix" },
	{ "sync_dir", NULL, &job_flag, AT(dbench.sync_dir), "0|1",
	  "kind=dbench: fsync the directory after each change of a name, as -S "
	  "does" },
	{ "sync_writes", NULL, &job_flag, AT(dbench.sync_writes), "0|1",
	  "kind=dbench: fsync after each write, as -F does" },
	{ "plain_names", NULL, &job_flag, AT(dbench.plain_names), "0|1",
	  "kind=dbench: search no directory for another spelling of a name, as "
	  "dbench's no-resolve does" },
};

static const struct job_option startup_rows[] = {
	{ "startup-trace", NULL, &job_words, AT(startup.trace), "NAME",
	  "kind=startup: without a program, the reads of gnome-terminal "
	  "(default), xterm or lowriter",
	  .words = WORDS({ "gnome-terminal", STARTUP_GNOME_TERMINAL, NULL },
			 { "xterm", STARTUP_XTERM, NULL },
			 { "lowriter", STARTUP_LOWRITER, NULL }) },
	{ "startup-timeout", NULL, &job_ns, AT(startup.timeout_ns), "TIME",
	  "kind=startup: a start that takes longer ends the job without a mean "
	  "(default 120s)", .unit = NS_PER_S },
	{ "startup-pause", NULL, &job_ns, AT(startup.pause_ns), "TIME",
	  "kind=startup: pause before a start; a third of it follows the start, "
	  "two thirds follow a start below 2 s (default 3s)", .unit = NS_PER_S },
	{ "startup-sync", NULL, &job_ns, AT(startup.sync_ns), "TIME",
	  "kind=startup: time between syncs of the file system where other "
	  "jobs write (default 2s; 0 is never)", .unit = NS_PER_S },
	{ "startup-cold", NULL, &job_words, AT(startup.cold), "HOW",
	  "kind=startup: before a start drop all caches (drop, the default, "
	  "which needs root, else as evict), evict the program and "
	  "startup-files (evict), or neither (warm)",
	  .words = WORDS({ "drop", STARTUP_DROP, NULL },
			 { "evict", STARTUP_EVICT, NULL },
			 { "warm", STARTUP_WARM, NULL }) },
	{ "startup-files", NULL, &job_string, AT(startup_files), "PATH:PATH...",
	  "kind=startup: files and folders to evict beside the program" },
};

static const struct job_option pgbench_rows[] = {
	{ "pgbench-test", NULL, &job_words, AT(pgbench.test), "SIZE",
	  "kind=pgbench: scale from the memory in MiB: buffer x 0.003 (the "
	  "default), cache x 0.2, disk x 0.6",
	  .words = WORDS({ "buffer", PGBENCH_BUFFER, NULL },
			 { "cache", PGBENCH_CACHE, NULL },
			 { "disk", PGBENCH_DISK, NULL }) },
	{ "pgbench-scale", NULL, &job_count, AT(pgbench.scale), "N",
	  "kind=pgbench: the scale itself, about 16 MiB each", .min = 1,
	  .max = 100000 },
	{ "pgbench-clients", NULL, &job_count, AT(pgbench.clients), "N",
	  "kind=pgbench: connections that make transactions (default 4 per "
	  "processor)", .min = 1, .max = 10000 },
	{ "pgbench-threads", NULL, &job_count, AT(pgbench.threads), "N",
	  "kind=pgbench: threads that drive them (default 1 per processor)",
	  .min = 1, .max = 4096 },
	{ "pgbench-script", NULL, &job_words, AT(pgbench.script), "NAME",
	  "kind=pgbench: tpcb-like (default), simple-update or select-only",
	  .words = WORDS({ "tpcb-like", PGBENCH_TPCB, NULL },
			 { "simple-update", PGBENCH_UPDATE, NULL },
			 { "select-only", PGBENCH_SELECT, NULL }) },
	{ "pgbench-user", NULL, &job_string, AT(pgbench_user), "USER",
	  "kind=pgbench: the server's user where iodyno is root (default "
	  "postgres, else nobody)" },
};
/* clang-format on */

const struct job_option_group job_rows_startup = { "Startup", startup_rows,
						   ARRAY_SIZE(startup_rows) };
const struct job_option_group job_rows_pgbench = { "Pgbench", pgbench_rows,
						   ARRAY_SIZE(pgbench_rows) };
const struct job_option_group job_rows_fileio = { "Sysbench fileio",
						  fileio_rows,
						  ARRAY_SIZE(fileio_rows) };
const struct job_option_group job_rows_iozone = { "Iozone", iozone_rows,
						  ARRAY_SIZE(iozone_rows) };
const struct job_option_group job_rows_fsmark = { "Fs-mark", fsmark_rows,
						  ARRAY_SIZE(fsmark_rows) };
const struct job_option_group job_rows_dbench = { "Dbench", dbench_rows,
						  ARRAY_SIZE(dbench_rows) };

/* --- options of fio's engines that are kinds of work here --- */

/* clang-format off */
static const struct job_option kind_engine_rows[] = {
	{ "cpuload", NULL, &job_count, AT(cpuio.load_pct), "PCT",
	  "kind=cpuio: the share of a CPU that each clone burns", .min = 1,
	  .max = 100 },
	{ "cpuchunks", NULL, &job_ns, AT(cpuio.chunk_ns), "TIME",
	  "kind=cpuio: time of burning between two pauses, in us without a "
	  "unit (default 50ms)", .min = 1000, .unit = NS_PER_US },
	{ "cpumode", NULL, &job_words, AT(cpuio.mode), "HOW",
	  "kind=cpuio: noop is an empty loop, qsort sorts numbers",
	  .words = WORDS({ "noop", CPUIO_NOOP, NULL },
			 { "qsort", CPUIO_QSORT, NULL }) },
	{ "exit_on_io_done", NULL, &job_bool, 0, "0|1",
	  "kind=cpuio: end when the jobs beside it are done",
	  ACCEPTED("it always ends with them") },
	{ "stat_type", NULL, &job_words, AT(stat_type), "CALL",
	  "kind=metadata, ioengine=filestat or dirstat: stat, lstat or statx",
	  .words = WORDS({ "stat", METADATA_STAT, NULL },
			 { "lstat", METADATA_LSTAT, NULL },
			 { "statx", METADATA_STATX, NULL }) },
};
/* clang-format on */

const struct job_option_group job_rows_engines = {
	"Engines without I/O", kind_engine_rows, ARRAY_SIZE(kind_engine_rows)
};
