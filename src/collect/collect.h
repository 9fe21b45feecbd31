/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collect: kernel statistics -> sample. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/frame.h"
#include "model/header.h"
#include "model/request.h"

struct collect;
struct trace;

/*
 * Devices. By default a device has a row once it did any I/O, as iostat does
 * it, and keeps it as long as it exists. Where devices are named, only those,
 * what is built on them (partitions, holders, paths of an NVMe head) and what
 * they are built on (members) have rows; the named ones even when unused. A
 * name is the kernel's ("vda", "cciss/c0d0"), with or without "/dev/", or on
 * the live machine any path of a block device node.
 *
 * Each device is shown once, under one parent:
 *  - a partition under its disk, an NVMe path under its head;
 *  - a stacked device (dm, md, ...) with one member under that member; of a
 *    loop device this is the device that holds the file behind it, as far as
 *    mountinfo shows;
 *  - a device whose single holder has several members (RAID, multipath) under
 *    that holder;
 *  - any other at the top.
 * A parent without a row is passed over in favour of its own parent. member_of
 * of a device names the mounted btrfs that holds it.
 *
 * Each I/O counts once in totals: counted are whole devices without members
 * that are not loop, zram, ram or rom. Of an NVMe head with paths the head
 * counts if it does statistics, else its paths. Where nothing with a row
 * would count (a container that sees only a dm), those with no row below them
 * do.
 *
 * The counters of a row are what the kernel prints; wraps and resets are for
 * the model to undo. stall_ns grows by the time between two samples while
 * something is queued and nothing has completed between them.
 *
 * Processes. The unit is the thread (see task.h); a process row is the sum
 * over its threads. What a thread did between the last sample and its end is
 * lost.
 */
struct collect_options {
	bool no_tasks;    /* leave processes out */
	char **device;    /* only these devices (and related ones) */
	size_t n_devices; /* 0: all that were ever used */
	bool cgroups;     /* control groups get rows */
	bool all_devices; /* also those that never did an I/O */
	/*
	 * A screen is open or text is printed: read the processes every
	 * second, not every three, as far as samples come so often.
	 */
	bool watched;
	uint64_t look_ns; /* read the processes so often; 0: as watched says */
	struct trace *trace; /* borrowed; NULL: none */
};

/*
 * Open the collectors on a root, which must outlive them. 0, or -errno with a
 * sentence; a named device that does not exist is -ENODEV. options may be NULL
 * and need not live on. The soft limit on descriptors is raised to the hard
 * one, and at most half of that many files are kept open. Sources that the
 * kernel lacks (PSI, /proc/PID/io, inflight, ...) are not an error: their rows
 * or values are absent.
 */
int collect_open(struct collect **out, const struct root *root,
		 const struct collect_options *options) must_check;
void collect_close(struct collect *c);

/*
 * Add the rows of this instant to a sample (after sample_reset()) and stamp
 * its times: mono_ns is taken next to the read of /proc/diskstats. Never
 * blocks on a device, never fails: what cannot be read is absent.
 */
void collect_sample(struct collect *c, struct sample *s);

/*
 * From the next sample on, add rows for the threads of processes that have
 * several, or stop adding them.
 */
void collect_threads(struct collect *c, bool on);
/* The same of control groups. */
void collect_cgroups(struct collect *c, bool on);
/*
 * Read the processes in the next sample, however short ago they were read: so
 * the figures of a job's end include all that they did until then.
 */
void collect_look(struct collect *c);

/* The devices of the jobs in a sample: the trace has always room for them. */
void collect_jobs(struct collect *c, const struct sample *s);

#define SELF_LIMITS 4

/* The control groups of this process that limit its CPU time. */
struct self_limits {
	size_t n;
	char path[SELF_LIMITS][600]; /* of cpu.stat */
};

/* Find them once, at the start; a captured tree has none. */
void collect_self_limits(const struct root *root, struct self_limits *limits);

/*
 * CPU time of the calling thread, the time for which a limit held the program
 * back, frame_ns and late become the one row of SCHEMA_SELF.
 */
void collect_self(struct sample *s, const struct root *root,
		  const struct self_limits *limits, uint64_t frame_ns,
		  uint64_t late);

/* Bytes that are dirty or in writeback now, of all disks; NaN: not known. */
double collect_dirty_bytes(const struct root *root);

/*
 * How often heat made the processors slower since the boot: the sum of
 * thermal_throttle/{core,package}_throttle_count of all
 * (Documentation/admin-guide/thermal/intel_thermal_throttle.rst). -1: not
 * known, as on other processors than Intel's and in most virtual machines.
 */
int64_t collect_throttles(const struct root *root);

/* The wall clock as adjtimex(2) describes it; no right is needed. */
void collect_clock(struct clock_facts *out);
/* The host in the log's header, without its label. Never fails. */
void collect_host(const struct root *root, struct host_info *out);
/* Add the facts to a header that has its host and devices. */
void collect_facts(const struct root *root, struct header *h);

/*
 * One device in the log's header; false when there is none. model of
 * a dm device is its name, of an md device its level, of a loop device its
 * file; serial of a dm device is its UUID.
 */
bool device_header_collect(const struct root *root, const char *device,
			 struct device_info *out);

/*
 * The use of a device, of its partitions or of what is built on them: "mounted
 * on /, /boot, swap"; false and "" when no use is known. Reads the root at each
 * call, for a question to the operator.
 */
bool device_use_collect(const struct root *root, const char *device, char *buf,
			size_t size);

/*
 * Why a source is absent, as a sentence ("no PSI: boot with psi=1 ..."), one
 * per call with i from 0, and the schema that misses it; NULL at the end.
 */
const char *collect_missing(const struct collect *c, size_t i,
			    enum schema_id *about);

/*
 * Process files: the files that a process reads and writes, by the positions
 * of its descriptors (/proc/PID/fd, /proc/PID/fdinfo; proc(5)).
 */

struct process_files;

/*
 * Start to follow the process of that pid, if its command has that name; never
 * NULL.
 */
struct process_files *process_files_new(const char *pid, const char *name);

/*
 * Look at its descriptors, at most PROCESS_FILES_MAX of them, and fill all of
 * out. Rates are those since the look before. now_ns is the monotonic time. A
 * process that is gone, or a missing right, is a sentence in out. Waits for no
 * file system: no file is opened, and no attribute asked of a server.
 */
void process_files_look(struct process_files *p, const struct root *root,
			uint64_t now_ns, struct open_files *out);

/* NULL is fine. */
void process_files_free(struct process_files *p);

#define PROCESS_FILES_MAX 4096

/*
 * Kernel log: the messages of the kernel since a moment, and which of them say
 * that storage failed (Documentation/ABI/testing/dev-kmsg).
 */

/* fd -1: closed. */
struct kernel_log {
	int fd;
};

/*
 * Open the log behind its present end. False: the kernel or the rights of the
 * caller refuse it.
 */
bool collect_log_open(struct kernel_log *k, const struct root *root) must_check;
/* Skip the messages up to now. */
void collect_log_skip(struct kernel_log *k);
void collect_log_close(struct kernel_log *k);

/*
 * The text of the next message, without control characters; false: there is
 * none yet. It never waits.
 */
bool collect_log_next(struct kernel_log *k, char *text, size_t size);

enum kernel_log_sign {
	KERNEL_LOG_NOTHING,
	KERNEL_LOG_OTHER,  /* a failure, perhaps of another device */
	KERNEL_LOG_DEVICE, /* of that device, or of the whole machine */
};

/* How far a message affects the I/O of a device ("sda", "nvme0n1"); device may
 * be NULL. */
enum kernel_log_sign collect_log_judge(const char *text, const char *device);
