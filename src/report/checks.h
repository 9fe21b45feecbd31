/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks: whether a result is valid. One table (checks_table.c) has each check
 * with its name, its needs, its judge and its advice; checks.c adds up the
 * facts that they judge, frame by frame.
 *
 * Facts of I/O are taken only from frames in which all jobs waited, ran or were
 * done from end to end: layout, ramp and verification are in no figure of a
 * job, but in those of its disk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"
#include "model/header.h"
#include "report/digest.h"

struct json;
struct window;

enum check_state {
	CHECK_UNKNOWN, /* its facts are missing */
	CHECK_OK,      /* words may have the figure */
	CHECK_NOTE,    /* valid, but the reader should know the fact */
	CHECK_INVALID,  /* the run is not valid */
	CHECK_STATES
};
/* "unknown", "ok", "note", "spoilt": the word of the log for invalid. */
const char *checks_state_name(enum check_state state);

enum { CHECK_READ, CHECK_WRITE, CHECK_OPS };

#define CHECK_NAMES   256
#define CHECK_WINDOWS 40
#define CHECK_PHASES  16
#define CHECK_OTHERS  64

/* Names of devices, blank-separated. A zeroed struct has none. */
struct check_names {
	char *text; /* NULL: none */
};
/* The names as text, "" for none. */
const char *checks_names_text(const struct check_names *names);
/* For a sentence: as many as fit, "and 12 more". Returns buf. */
#define CHECK_SHORT 100
char *checks_names_short(const struct check_names *names,
			 char buf[CHECK_SHORT]);

/* A job; sums are over the frames that count. */
struct check_job {
	char id[ROW_ID_MAX];
	double bytes[CHECK_OPS], ios[CHECK_OPS], syncs, sync_ns;
	double set_bytes, hole_bytes; /* 0: unknown, none */
	double depth_sum, depth_ios;  /* by the depth that each I/O reached */
	double cpu_s, seconds;        /* CPU time; time that it ran */
	double calm_bytes[CHECK_OPS], calm_syncs; /* see struct checks */
};

/* A device with I/O: sums over the same frames. */
struct check_device {
	char id[ROW_ID_MAX];
	struct check_names members; /* of a stack */
	struct check_names below; /* members, or the disks of a loop's file */
	double calm_bytes[CHECK_OPS];
	double bytes[CHECK_OPS], ios[CHECK_OPS], merges, flushes;
	double await_ns[CHECK_OPS]; /* sum over its I/Os */
	double queue_s;             /* queue size times seconds */
	double readahead_kb;
	double answers, late_answers; /* of a simulated disk */
	bool has_flushes, under_job, is_loop, is_part, is_stack; /* dm, md */
	bool is_group; /* no device, but a file system over several */
	bool is_btrfs; /* a mounted one is on it */
};

/* The work of a job's program between two of its marks. idle_s: neither a
 * disk had I/O nor a job CPU time. */
struct check_phase {
	char name[40];
	double seconds, idle_s;
};

/* Another program's process: its CPU time, and its bytes in calm frames. */
struct check_other {
	char id[ROW_ID_MAX], comm[32];
	double cpu_s, bytes[CHECK_OPS];
};

/* A zeroed struct is valid and empty; checks_free() ends it. */
struct checks {
	struct check_job *job;
	size_t n_jobs, cap_jobs, next_job; /* next: where to look first */
	struct check_device *device;
	size_t n_devices, cap_devices, next_device;
	struct check_names disks; /* under the jobs */
	bool cut; /* a list of names in a frame says that it has more */
	unsigned frames, all_frames, late;
	double seconds;
	bool mixed; /* the last frame did not count: nor does the next */
	double process_cpu_s, helper_cpu_s, busy_cpu_s, steal_pct_s;
	bool has_tasks, has_kernel_tasks;
	/* Counted since the processes were read last: all, and calm. Not each
	 * frame reads them; a reading is of all the time since the last one. */
	double look_s, look_calm_s, look_wait_s;
	char helper[ROW_ID_MAX]; /* the kernel thread with most CPU time */
	double helper_most_pct;
	double foreign_bytes; /* read and written by other processes */
	/* Others with the most CPU time and bytes; what does not fit is only in
	 * the sums. */
	struct check_other other[CHECK_OTHERS];
	size_t n_others;
	double other_cpu_s, task_s; /* of others, in task_s of frames */
	double own_wait_s, own_cpu_s; /* runnable but waiting, and running */
	double most_wait_s; /* a worker's, of the process that waited most */
	bool has_wait;
	/* PSI; processors */
	double cpu_some_pct_s, cpu_some_s, idle_pct_s, idle_s;
	unsigned cpus;
	/* A calm frame has no layout, no change of phase, and no job whose I/Os are
	 * not counted, so that all I/O of its disks is the jobs' or that of others. */
	bool calm;
	unsigned calm_frames;
	double calm_foreign_bytes[CHECK_OPS];
	double calm_own_reads; /* bytes of the run's processes, read ahead or not */
	bool foreign_hidden; /* one of them has I/O that was not readable */
	unsigned foreign_knobs; /* turned by other programs */
	unsigned failed_knobs, other_knobs; /* not set; set to another value */
	struct event foreign, failed; /* the first of them */
	bool asked_steady, not_steady;
	bool retuned; /* by the run itself, so its work may change */
	/* Failures in the kernel's log; words: the first of the worst kind. */
	bool has_kernel_log;
	unsigned kernel_messages, kernel_of_device;
	char kernel_words[CHECK_NAMES];
	/* How often heat slowed the processors in the run. */
	bool has_throttled;
	double throttled;
	/* The disks' own counters of heat and errors that rose; errors: some
	 * are of errors. */
	bool has_smart, smart_errors;
	char smart_words[CHECK_NAMES];
	double memory_bytes;
	/* Bytes of all jobs, or I/Os if they move none, in windows of equal
	 * length, which doubles when all windows are full. */
	double window[CHECK_WINDOWS];
	unsigned per_window, in_window;
	size_t n_windows;
	/* The longest time of whole frames in which jobs ran and no operation
	 * ended; its begin; the time under way. */
	double stall_s, stall_t, stalled_s;
	struct check_phase phase[CHECK_PHASES];
	size_t n_phases;
	bool jobs_over;
};

#define CHECK_WORDS 600

/* The facts to judge; header may be NULL, and so may its jobs. */
struct check_case {
	const struct checks *facts;
	const struct window *sums; /* of the run, or NULL */
	const struct header *header;
	const struct job *job;
	size_t n_jobs;
	char *words; /* of the check that is judged: CHECK_WORDS bytes */
};

/* A row of the table. */
struct check {
	const char *name;  /* in logs and reports: "cache-reads" */
	unsigned f;        /* number of the requirement F1 to F21 */
	const char *help;  /* what it finds, without a full stop */
	const char *needs; /* without these facts the state is unknown */
	/* With CHECK_UNKNOWN words is why a check that applies to these jobs
	 * was not made; "": it does not apply. */
	enum check_state (*judge)(const struct check_case *c);
	/* What to do when it is not ok, without a stop; "": words says it. */
	const char *look;
	bool live;        /* an event as soon as it is found */
};

/* checks_work.c: the judges of rows of the table. */
enum check_state checks_work_steady(const struct check_case *c);
enum check_state checks_work_shares(const struct check_case *c);
enum check_state checks_work_phases(const struct check_case *c);
enum check_state checks_work_units(const struct check_case *c);

/* checks_beside.c: the judges of what others do beside the jobs. */
/* What others did to the processors; figures in per cent, NaN: not known. */
struct check_cpu {
	const char *comm, *id; /* of the busiest other process */
	double share_pct;      /* of all processors, used by others */
	double idle_pct;
	/* What waited for a processor, how much, and of what. */
	const char *waiter, *of;
	double wait_pct;
	double some_pct; /* of the time a process waited, without wait_pct */
};

/* The state and words of cpu-busy. */
enum check_state checks_beside_judge_cpu(const struct check_cpu *cpu,
					 char *words, size_t size);
enum check_state checks_beside_cpu(const struct check_case *c);
enum check_state checks_beside_io(const struct check_case *c);

/* checks_flush.c: the judge of the layers that flushes pass. */
enum check_state checks_flush_chain(const struct check_case *c);

/* Set the words of the check that is judged; returns its state, as given. */
enum check_state checks_say(const struct check_case *c, enum check_state state,
			    const char *fmt, ...) printf_like(3, 4);

/* What a check needs of the run. */
enum { CHECK_NEEDS_FRAMES = 1, CHECK_NEEDS_DISK = 2, CHECK_NEEDS_TASKS = 4 };
/* Whether one of them is missing; the words get the reason. */
bool checks_lack(const struct check_case *c, unsigned needs);
/* Whether a job does I/O of that kind on a file or device. */
bool checks_do(const struct check_case *c, int op);

/* checks_table.c */
extern const struct check checks_table[];
extern const size_t n_checks_table; /* at most 64 */
/* The check of that name, or NULL. */
const struct check *checks_table_find(const char *name);

/* The job of the header that a row belongs to, or NULL. */
const struct job *checks_job(const struct check_case *c,
			     const struct check_job *row);

bool checks_listed(const struct check_names *names, const char *word);

/* Free what the facts own, and forget them. */
void checks_free(struct checks *c);

/* Add the facts of a frame. */
void checks_add(struct checks *c, const struct digest *d);

/*
 * Call fn for each check that is not unknown; words is the sentence, "" for
 * some that are ok.
 */
void checks_judge(const struct check_case *c,
		  void (*fn)(const struct check *check, enum check_state state,
			     const char *words, void *arg),
		  void *arg);

/*
 * The names of the checks that apply and could not be made, with the reasons:
 * "cache-reads, foreign-io (the run was too short ...)". "" if there are none.
 */
void checks_not_made(const struct check_case *c, char *buf, size_t size);

/*
 * Add to the result: "check", a list of {"id","state","sentence","look"} of all
 * checks that are not unknown; "not_checked", a list of {"id","sentence"} of
 * those that apply and could not be made; "invalid", the names of those that
 * make the run invalid. A list without items is left out.
 */
void checks_put_json(const struct check_case *c, struct json *result);
/* The names of the checks that make the run invalid: "cache-reads foreign-knob". */
void checks_invalid(const struct check_case *c, char *names, size_t size);
