/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job: what load to run, in fio's words.
 *
 * An option is one row of job_options[]: the command line, job files, --help,
 * "list options", completion, the log's header and the manual check walk it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/fail.h"
#include "base/json.h"
#include "model/point.h"
#include "model/schema/schema_job.h"

enum job_rw {
	RW_READ,
	RW_WRITE,
	RW_TRIM,
	RW_RANDREAD,
	RW_RANDWRITE,
	RW_RANDTRIM,
	RW_RW,
	RW_RANDRW,
	RW_TRIMWRITE,
	RW_RANDTRIMWRITE,
	RW_COUNT
};

/* The effect of "rw=write:4k" on the next offset (rw_sequencer). */
enum job_sequencer { SEQUENCER_SEQUENTIAL, SEQUENCER_IDENTICAL };

/*
 * random_distribution; job->distribution has the zones of zoned and zoned_abs,
 * and the list of sequence.
 */
enum job_distribution_kind {
	DISTRIBUTION_RANDOM,
	DISTRIBUTION_ZIPF,
	DISTRIBUTION_PARETO,
	DISTRIBUTION_NORMAL,
	DISTRIBUTION_ZONED,
	DISTRIBUTION_ZONED_ABS,
	DISTRIBUTION_SEQUENCE, /* the blocks of a list, again and again */
};

/* The memory of buffers. Shared memory and huge pages cost the kernel less or
 * more per I/O. */
enum job_memory {
	MEMORY_PRIVATE,
	MEMORY_SHARED,
	MEMORY_HUGE,
	MEMORY_SHARED_HUGE
};

enum job_file_service {
	FILES_ROUNDROBIN,
	FILES_RANDOM,
	FILES_SEQUENTIAL,
	FILES_ZIPF,
	FILES_PARETO,
	FILES_NORMAL,
};

enum job_fallocate {
	FALLOCATE_NATIVE,
	FALLOCATE_NONE,
	FALLOCATE_POSIX,
	FALLOCATE_KEEP,
	FALLOCATE_TRUNCATE,
};

enum job_zones { ZONES_NONE, ZONES_STRIDED };

enum job_dedupe { DEDUPE_REPEAT, DEDUPE_WORKING_SET };

enum job_sync_open { SYNC_OPEN_NONE, SYNC_OPEN_SYNC, SYNC_OPEN_DSYNC };

enum job_rate_process { RATE_LINEAR, RATE_POISSON };

enum job_steady { STEADY_OFF, STEADY_IOPS, STEADY_BW, STEADY_LAT };

/* The advice about the pattern; BY_RW: as rw has it. */
enum job_fadvise {
	FADVISE_BY_RW,
	FADVISE_NONE,
	FADVISE_RANDOM,
	FADVISE_SEQUENTIAL,
	FADVISE_NOREUSE
};
/* The writes that verify_only checks: all, or those that a flush covers. */
enum job_verify_policy { VERIFY_ALL, VERIFY_FSYNCED };

enum job_verify {
	VERIFY_NONE,
	VERIFY_CRC32C,
	VERIFY_XXHASH,
	VERIFY_PATTERN,
	VERIFY_HEADER, /* "meta": header only */
	VERIFY_NULL,   /* verify=null: written, read, not compared */
};

/* unified_rw_reporting: the directions apart, as one, or both. */
enum job_unified { UNIFIED_NONE, UNIFIED_MIXED, UNIFIED_BOTH };

/* The figure of a window in a log. */
enum job_log_window { LOG_WINDOW_MEAN, LOG_WINDOW_MAX, LOG_WINDOW_BOTH };

/* Which errors do not end the job (continue_on_error). */
enum { CONTINUE_READ = 1, CONTINUE_WRITE = 2, CONTINUE_VERIFY = 4 };

enum job_exit_what { EXIT_WHAT_GROUP, EXIT_WHAT_STONEWALL, EXIT_WHAT_ALL };

/*
 * The block sizes of one direction: fixed when min == max, else a range; split
 * comes before both.
 */
struct job_bs {
	uint64_t min, max; /* bytes */
	char *split; /* "4k/10:64k/50:32k/40" of this direction, or NULL */
};

/* kind=fileio: the options of sysbench; see job_rows_seed.c. */
enum fileio_mode {
	FILEIO_SEQWR,
	FILEIO_SEQREWR,
	FILEIO_SEQRD,
	FILEIO_RNDRD,
	FILEIO_RNDWR,
	FILEIO_RNDRW,
	FILEIO_NO_MODE, /* none was given */
};
enum fileio_compat { FILEIO_1_0, FILEIO_0_4 };
enum fileio_io { FILEIO_SYNC, FILEIO_ASYNC, FILEIO_MMAP };
enum { FILEIO_O_SYNC = 1, FILEIO_O_DSYNC = 2, FILEIO_O_DIRECT = 4 };

struct job_fileio {
	unsigned mode;   /* enum fileio_mode */
	unsigned compat; /* enum fileio_compat */
	unsigned io;     /* enum fileio_io */
	unsigned flags;  /* FILEIO_O_* */
	unsigned num, merged, backlog;
	uint64_t total_bytes, block_bytes;
	uint64_t fsync_freq, events; /* 0: never, no limit */
	double ratio;
	bool fsync_all, fsync_end, fdatasync, validate;
	bool private_fd, random_fill;
};

/* kind=iozone: one phase of its throughput mode. */
enum iozone_phase {
	IOZONE_WRITE,
	IOZONE_REWRITE,
	IOZONE_READ,
	IOZONE_REREAD,
	IOZONE_PHASES
};

struct job_iozone {
	unsigned phase; /* enum iozone_phase */
	bool flush, close; /* within the timing */
	bool whole; /* clones go on when the first one ends */
};

/* kind=fsmark: options without a name in fio; see job_rows_seed.c. */
struct job_fsmark {
	unsigned sync;              /* the method, 0 to 6, as fs_mark -S */
	unsigned subdirs, per_subdir; /* 0: none; by time */
	bool keep;
};

/* kind=dbench. */
struct job_dbench {
	char *loadfile; /* NULL: the packaged one, or a synthetic one */
	bool sync_dir, sync_writes, plain_names;
};

/* kind=startup: see job_rows_seed.c. */
enum startup_application {
	STARTUP_GNOME_TERMINAL,
	STARTUP_XTERM,
	STARTUP_LOWRITER
};
enum startup_cold { STARTUP_DROP, STARTUP_EVICT, STARTUP_WARM };

struct job_startup {
	unsigned trace; /* enum startup_application */
	unsigned cold;	/* enum startup_cold */
	uint64_t timeout_ns, pause_ns, sync_ns; /* sync_ns 0: never */
};

/* kind=cpuio. */
enum cpuio_mode { CPUIO_NOOP, CPUIO_QSORT };

struct job_cpuio {
	unsigned load_pct, mode; /* mode: enum cpuio_mode */
	uint64_t chunk_ns;	 /* that a while of burning takes */
};

/* kind=metadata: which of stat's calls. */
enum metadata_stat { METADATA_STAT, METADATA_LSTAT, METADATA_STATX };

/* kind=pgbench: see job_rows_seed.c. */
enum pgbench_test { PGBENCH_BUFFER, PGBENCH_CACHE, PGBENCH_DISK };
enum pgbench_script { PGBENCH_TPCB, PGBENCH_UPDATE, PGBENCH_SELECT };

struct job_pgbench {
	unsigned test, script;		  /* enum pgbench_test, ..._script */
	unsigned scale, clients, threads; /* 0: from the machine */
	uint64_t run_ns;		  /* the runtime, which it keeps itself */
};

/* The given options, in order, as fio prints them in "job options". */
struct job_given {
	const char *name; /* of the row of the option */
	char *value;	  /* "1" for a bare word */
	bool global;
	bool foreign; /* it stands in a job file, plan or log */
};

/* A runtime without end: 30 days. The session ends such a job. */
#define JOB_ENDLESS_NS (30ull * 24 * 3600 * 1000000000)

/*
 * Defaults are fio's: see job_init(). 0 means "not given" for sizes, times.
 * Arrays of JOB_DIRS are per direction: read, write, trim.
 */
struct job {
	char name[64];
	/*
	 * The job's number among those of its name, from 1; 0 before
	 * jobs_settle(). id holds name and number, "seq" and "seq#2": the key
	 * of its rows and events.
	 */
	unsigned nth;
	char id[64];
	struct cell cell; /* of an experiment */
	char kind[16];   /* the name of a row of the table of kinds */
	char engine[16]; /* the name of a row of the engine table */
	char *description;

	/* files */
	char *filename;              /* ':'-separated list, or NULL */
	char *opendir;               /* all files below it, or NULL */
	char *directory;             /* ':'-separated list, or NULL */
	char *filename_format;       /* NULL: $jobname.$jobnum.$filenum */
	unsigned nrfiles, openfiles; /* openfiles 0: all */
	unsigned file_service;       /* enum job_file_service */
	unsigned file_service_n;     /* I/Os before the next file */
	double file_service_arg;     /* theta, h, deviation */
	uint64_t size_bytes; /* per clone, all files; 0: as the target has */
	unsigned size_pct;   /* of the file or device, when size was "N%" */
	uint64_t filesize_min, filesize_max; /* of each file; 0: size/nrfiles */
	uint64_t io_bytes; /* to move; 0: one pass over size */
	unsigned io_size_pct;
	uint64_t number_ios; /* to make; 0: any */
	uint64_t offset_bytes;
	unsigned offset_pct;
	uint64_t offset_increment; /* bytes per clone */
	unsigned offset_increment_pct;
	uint64_t offset_align;
	unsigned zones;                             /* enum job_zones */
	uint64_t zone_bytes, zone_range, zone_skip; /* range 0: zone_bytes */
	unsigned fallocate;                         /* enum job_fallocate */
	bool overwrite, create_on_open, create_serialize, create_only;
	bool create_fsync, file_append, unlink, unlink_each_loop, pre_read;
	bool fill_device, allow_file_create;

	/* pattern */
	unsigned rw;           /* enum job_rw */
	unsigned rw_nr;        /* randrw:8: a new random offset every 8 I/Os */
	int64_t rw_skip_bytes; /* write:4k: added after each I/O */
	unsigned sequencer;    /* enum job_sequencer */
	unsigned rwmixread;    /* per cent */
	struct job_bs bs[JOB_DIRS];
	uint64_t ba[JOB_DIRS]; /* blockalign; 0: bs min */
	bool bs_unaligned, bs_is_seq_rand;
	unsigned percentage_random[JOB_DIRS];
	unsigned distribution_kind; /* enum job_distribution_kind */
	double distribution_arg; /* theta of zipf, h of pareto, deviation_pct */
	double distribution_center; /* 0..1 of the target; < 0: not given */
	char *distribution; /* text after "zoned:", "zoned_abs:", "sequence:" */
	bool sequence_stride; /* each turn of a sequence is one list further */
	bool norandommap;           /* blocks may repeat within a pass */
	bool lfsr; /* random_generator=lfsr: they never do, as in fio */
	bool randrepeat;            /* the same sequence in every run */
	uint64_t randseed;

	/* engine */
	unsigned memory;           /* enum job_memory */
	uint64_t memory_align;     /* of the buffers; 0: a page */
	uint64_t huge_page_bytes;
	unsigned iodepth;
	unsigned iodepth_batch;              /* 0: as many as are free */
	unsigned iodepth_batch_complete;     /* least to wait for; 0: poll */
	unsigned iodepth_batch_complete_max; /* below the least: the least */
	unsigned iodepth_low;                /* refill below; 0: iodepth */
	bool direct;
	unsigned sync_open; /* enum job_sync_open */
	unsigned fadvise;    /* enum job_fadvise */
	unsigned write_hint; /* 0: none; RWH_WRITE_LIFE_*, see fcntl(2) */
	bool nowait, uncached, atomic; /* RWF_*, see preadv2(2) */
	bool hipri, fixedbufs, registerfiles, sqthread_poll;
	unsigned hipri_pct; /* the share of I/Os that poll */
	unsigned sqthread_poll_cpu; /* UINT_MAX: any */

	char *exec_prerun, *exec_postrun; /* commands, or NULL: see hook.h */

	/* kind=exec */
	char *program, *arguments;
	char *command; /* both as exec has them; NULL: it was not given */
	char *shell; /* "none", or a program; NULL: sh where a command needs it */
	char *prepare, *cleanup; /* commands for /bin/sh, or NULL */
	unsigned warmup; /* runs of the program before the run */
	/*
	 * Lines "+NAME=PATTERN"; the first character: '+' more is better, '-'
	 * less is, ' ' unknown.
	 */
	char *metrics;
	char *phase_regex;
	char *profile; /* NULL: by the program's name */
	const char *aux_path; /* borrowed: where the state of verify is kept;
				 NULL: the working directory */
	const char *log_path; /* borrowed: output is kept beside the log */
	bool by_operator; /* its command is that of the command line or a preset */
	uint64_t grace_ns; /* from SIGTERM to SIGKILL */
	bool std_redirect; /* output into files of its own */
	bool drops_output; /* only the files of a run that failed stay */

	struct job_fileio fileio;
	struct job_iozone iozone;
	struct job_fsmark fsmark;
	struct job_dbench dbench;
	struct job_cpuio cpuio;
	unsigned stat_type; /* enum metadata_stat */
	struct job_startup startup;
	char *startup_files; /* ':'-separated, or NULL */
	struct job_pgbench pgbench;
	char *pgbench_user; /* NULL: postgres, else nobody */

	/* flow */
	unsigned numjobs;
	bool thread, process, group_reporting, new_group, stonewall;
	char *wait_for; /* a job's name */
	bool time_based;
	uint64_t runtime_ns; /* 0: until io_bytes are done */
	uint64_t ramp_ns, ramp_bytes; /* one of them, or neither */
	uint64_t startdelay_ns, startdelay_max_ns; /* range; max 0: none */
	unsigned loops;
	uint64_t rate_bytes[JOB_DIRS]; /* per clone and second; 0: off */
	uint64_t rate_iops[JOB_DIRS];
	uint64_t rate_min_bytes[JOB_DIRS], rate_min_iops[JOB_DIRS];
	unsigned rate_process; /* enum job_rate_process */
	uint64_t rate_cycle_ns;
	bool rate_ignore_thinktime;
	unsigned flow, flow_id; /* weight; 0: no flow */
	uint64_t flow_sleep_ns;
	uint64_t thinktime_ns, thinktime_spin_ns, thinktime_iotime_ns;
	uint64_t think_cycles; /* of the processor, before each I/O */
	unsigned thinktime_blocks;
	bool thinktime_issue; /* thinktime_blocks_type=issue */
	unsigned steady;      /* enum job_steady */
	bool steady_slope;
	double steady_limit; /* per cent, or absolute when !steady_pct */
	bool steady_pct;
	uint64_t steady_duration_ns, steady_ramp_ns, steady_check_ns;
	uint64_t latency_target_ns, latency_window_ns; /* 0: no search */
	uint64_t latency_max_ns[JOB_DIRS]; /* a slower I/O ends the job; 0: none */
	double latency_percentile;
	bool latency_run;
	bool exitall, exitall_on_error;
	unsigned exit_what; /* enum job_exit_what */
	char *cpus_allowed; /* "0,2-5" */
	char *numa_nodes;   /* "0,2-3": cpus_allowed is made from it */
	bool cpus_split;    /* cpus_allowed_policy=split */
	int nice;           /* 0: as it is */
	int ioprio_class;   /* 0: none given */
	int ioprio;
	/* I/O priorities of some I/Os, by share or by size */
	unsigned cmdprio_pct[JOB_DIRS];
	unsigned cmdprio_class[JOB_DIRS]; /* 0: real time */
	unsigned cmdprio[JOB_DIRS];
	char *cmdprio_split;        /* "64k/25/1/1:64k/75/3/2,..." or NULL */
	unsigned continue_on_error; /* CONTINUE_* */
	char *ignore_error;         /* "EIO:ENOSPC,ENOSPC,EILSEQ" */
	bool error_dump;

	/* sync */
	bool invalidate; /* drop the target's page cache before the job */
	bool end_fsync, end_syncfs, fsync_on_close;
	uint64_t fsync_every;     /* writes; 0: never */
	uint64_t fdatasync_every; /* writes; 0: never */
	uint64_t write_barrier;   /* writes; 0: never */
	unsigned range_flags;     /* sync_file_range: SYNC_FILE_RANGE_* */
	uint64_t range_every;     /* writes; 0: never */

	/* data */
	bool refill_buffers, zero_buffers, scramble_buffers;
	char *buffer_pattern;    /* bytes in fio's notation, or NULL */
	unsigned compress_pct;   /* buffer_compress_percentage */
	unsigned compress_chunk; /* bytes */
	unsigned dedupe_pct, dedupe_set_pct; /* of the set: of all blocks */
	unsigned dedupe_mode;                /* enum job_dedupe */
	bool dedupe_global;                  /* one set for all jobs */
	unsigned verify;                     /* enum job_verify */
	char *verify_pattern;                /* in fio's notation */
	uint64_t verify_pattern_interval;    /* bytes; 0: once per interval */
	bool do_verify, verify_only, verify_fatal, verify_dump;
	unsigned verify_policy; /* enum job_verify_policy */
	uint64_t verify_interval; /* bytes; 0: the block */
	uint64_t verify_offset;
	uint64_t verify_backlog, verify_backlog_batch; /* I/Os */
	bool verify_state_save, verify_state_load;

	/* results */
	char *bw_log, *iops_log, *lat_log, *hist_log; /* prefix, or NULL */
	uint64_t log_avg_ns, log_hist_ns;
	unsigned log_hist_coarseness;
	bool disable_slat, disable_clat;
	unsigned log_window;      /* enum job_log_window */
	unsigned log_epoch_clock; /* clockid_t of log_unix_epoch */
	bool log_offset, log_unix_epoch, log_prio, log_issue_time;
	bool per_job_logs;
	char *assertion;       /* "sync_p99_ns<10ms,...", or NULL */
	char *percentile_list; /* "50:99:99.9", or NULL: fio's 17 */
	bool clat_percentiles, lat_percentiles, slat_percentiles;
	unsigned unified; /* enum job_unified */

	unsigned kb_base;  /* 1024 or 1000, for values that follow */

	bool defaults; /* for later jobs: an option that is set now is global */
	bool foreign;  /* an option that is set now was not the operator's */
	struct job_given *given;
	size_t n_given, cap_given;
	char **note; /* sentences on given options: accepted, but ... */
	size_t n_notes, cap_notes;
};

/* fio's defaults: read, 4k, psync, iodepth 1, ... Strings are NULL. */
void job_init(struct job *job);
/* A deep copy. */
void job_copy(struct job *to, const struct job *from);
/* Free what the job owns, not the job. */
void job_free(struct job *job);

/* Whether the option was given, also in a [global] section. */
bool job_was_given(const struct job *job, const char *option);
/*
 * Whether a job file, plan or log wrote the option, not the operator. A NULL
 * option means those that say which paths the job uses.
 */
bool job_is_foreign(const struct job *job, const char *option);

/* The directions of a job's I/O, as bits 1 << JOB_READ, ... */
unsigned job_dirs(const struct job *job);
/*
 * The priority that some I/Os of a direction have (cmdprio); false: none has one,
 * or there are several. class 0: real time.
 */
bool job_cmdprio_one(const struct job *job, unsigned dir, unsigned *class,
		     unsigned *level);

static inline bool job_reads(const struct job *job)
{
	return job_dirs(job) & 1u << JOB_READ;
}

static inline bool job_writes(const struct job *job)
{
	return job_dirs(job) & (1u << JOB_WRITE | 1u << JOB_TRIM);
}

/* Whether it changes its target: verify_only reads what rw= would write. */
static inline bool job_changes(const struct job *job)
{
	return job_writes(job) && !job->verify_only;
}

/* Whether offsets are chosen at random. */
bool job_random(const struct job *job);

/* Whether random blocks may repeat within a pass. */
static inline bool job_repeats(const struct job *job)
{
	return job->norandommap && !job->lfsr;
}

/*
 * The rows of bs that are used, as bits: those of its directions, or with
 * bs_is_seq_rand those of sequential and of random I/Os.
 */
unsigned job_size_dirs(const struct job *job);

/* The largest block the job makes, in bytes. */
uint64_t job_max_block(const struct job *job);
/* The least block that it makes. */
uint64_t job_min_block(const struct job *job);

/* "randrw", ... */
const char *job_rw_name(unsigned rw);
/* Its meaning; NULL: there is no such rw. */
const char *job_rw_help(unsigned rw);

/* How iodyno treats an option. */
enum job_option_class {
	JOB_ACTED,    /* it works as in fio */
	JOB_ACCEPTED, /* known, without effect here: noted once, with why */
	JOB_REFUSED,  /* known, and would change the meaning: refused */
};

struct job_kind; /* how values are read, see model/job/job_kind.h */

/* A word that a value may be. */
struct job_word {
	const char *word;
	unsigned value;
	const char *note; /* the meaning here, where it differs from the word's
			   */
};

struct job_option {
	const char *name, *alias; /* alias may be NULL */
	const struct job_kind *kind;
	size_t offset;     /* of the member */
	const char *value; /* what the value is, for --help: "SIZE" */
	const char *help;  /* one sentence without a full stop */
	/* the members below are 0 or NULL where they do not apply */
	const char *key;    /* in the log's header; NULL: among "given" */
	uint64_t min, max;  /* of counts and bytes; max 0: any */
	uint64_t unit;      /* of bare times, in ns */
	size_t pct_offset;  /* where "N%" goes; 0: no per cent */
	size_t high_offset; /* where the end of a range goes; 0: no range */
	const struct job_word *words; /* ends with a NULL word */
	unsigned class;               /* enum job_option_class */
	const char *why;              /* the reason for no effect, or for the
				       * refusal */
	const char *near; /* of a refused one: what to use instead */
	bool repeats; /* a further value does not replace those before */
};

/* Options of one theme, as in the manual. */
struct job_option_group {
	const char *title;
	const struct job_option *option;
	size_t n;
};

#define JOB_MAX_NOTES 256

/* The i-th group; NULL behind the last. */
const struct job_option_group *job_option_group_at(size_t i);

/* The i-th of all options, group by group; NULL behind the last. */
const struct job_option *job_option_at(size_t i);

/* The option of that name or alias, or NULL. */
const struct job_option *job_option_find(const char *name);

/* Whether the bare word means 1 and takes no value. */
bool job_option_bare(const struct job_option *o);

/*
 * Set one option from text; value NULL is a bare word. 0; -EINVAL with a
 * sentence for a bad value; -EOPNOTSUPP for an option that is unknown, with
 * the closest that exists, or not supported, with the nearest that is. What is
 * accepted without effect leaves a note in the job.
 */
int job_set(struct job *job, const char *name, const char *value) must_check;

/* Keep a note on the job, once. */
void job_note(struct job *job, const char *fmt, ...) printf_like(2, 3);

/*
 * Check what can be checked without the target: a missing name, direct I/O with
 * an odd block size, ... 0 or -EINVAL with a sentence.
 */
int job_check(const struct job *job) must_check;

/*
 * Complete what depends on all given options: ids that distinguish jobs of one
 * name, and names of logs that were given as bare words.
 */
void jobs_settle(struct job *job, size_t n);

/* Make the job the nth of its name, from 1, and set its id. */
void job_set_nth(struct job *job, unsigned nth);

/* The job's name in rows and events: its id once settled, else its name. */
const char *job_id(const struct job *job);

/* fail() with a sentence that begins with the name of the job. */
#define job_fail(job, code, fmt, ...) \
	fail(code, "job %s: " fmt, (job)->name, ##__VA_ARGS__)

/* Write the job of a log's header: {"name":..., "engine":..., "rw":...}. */
void job_json_write(struct json_writer *w, const struct job *job);
/*
 * Read what job_json_write() wrote: defaults first, then every key that is there and
 * holds a value within the option's range; others are left out. Texts are
 * made harmless. To be freed by job_free().
 */
void job_json_read(struct job *job, struct json *j);
