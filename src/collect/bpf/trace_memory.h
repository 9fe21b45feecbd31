/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that the programs in the kernel and their reader share. Plain C of
 * fixed widths: trace.bpf.c is compiled for the kernel.
 */
#pragma once

#include "model/trace_counts.h"

/* Changes with any struct below: the object may be older than the reader. */
#define TRACE_LAYOUT 13u

#define TRACE_COMM 16u
#define TRACE_NAME 64u

/* Devices that can be traced at a time, and places of their table: a power of two,
 * with room for the devices below others and file systems. */
#define TRACE_DEVICES 64u
#define TRACE_PLACES  128u
#define TRACE_PROBES  8u

enum trace_device_flags {
	TRACE_USED = 1,
	TRACE_BIOS = 2, /* it has no requests: count its bios */
	/* A disk or partition below a traced device: its requests are charged
	 * to nobody. The row means nothing. */
	TRACE_HELD = 4,
	/* The number of a file system, which is no device, such as a Btrfs;
	 * the row is the place of the traced device that it is on. */
	TRACE_MOUNTED = 8,
};

/* A device, at a place near trace_device_place(dev); dev 0: free. */
struct trace_device {
	uint32_t dev; /* major << 20 | minor, as the kernel has it */
	uint16_t flags;
	uint16_t row; /* of its counters */
};

/* Where to begin to look for a device; the next TRACE_PROBES places follow. */
static inline uint32_t trace_device_place(uint32_t dev)
{
	return (dev * 2654435769u) >> 25;
}

/*
 * Processes and control groups whose requests are counted apart. The place of a
 * key is one of the TRACE_OWNER_WAYS from trace_owner_set(key) on. The programs
 * take a free place, and the reader frees it.
 */
#define TRACE_OWNERS     128u
#define TRACE_OWNER_WAYS 8u
/* In a key: it is the id of a control group, not of a process. */
#define TRACE_OWNER_CGROUP (1ull << 63)

static inline uint32_t trace_owner_set(uint64_t key)
{
	return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 60) *
	       TRACE_OWNER_WAYS;
}

/* The programs that run for each request, and the share of their runs in which they
 * measure their own time: one in so many, a power of two. */
enum trace_program { TRACE_START, TRACE_ISSUE, TRACE_COMPLETE, TRACE_PROGRAMS };
#define TRACE_MEASURED 256u
/* ns; a longer run was interrupted. */
#define TRACE_MEASURED_MOST 50000u

/* How much the programs do. */
enum trace_level {
	TRACE_LEVEL_OFF, /* they return at once */
	TRACE_LEVEL_TIMES, /* no names, and nothing for processes and control groups */
	TRACE_LEVEL_NAMES,
};

/*
 * What the reader tells the programs, and what they measure of themselves.
 */
struct trace_control {
	uint32_t level; /* enum trace_level */
	/* Which half of struct trace_slowest they fill: its lowest bit. */
	uint32_t epoch;
	uint64_t slower_ns; /* requests so slow go to the ring; 0: none */
	struct trace_device device[TRACE_PLACES];
	uint64_t owner[TRACE_OWNERS]; /* keys; 0: free */
	uint32_t held;                /* devices of TRACE_HELD */
	uint32_t cgroups;             /* whether control groups are wanted */
	uint32_t bios, unused;        /* devices of TRACE_BIOS */
	/* Runs that were measured, and their time. */
	uint64_t runs[TRACE_PROGRAMS], run_ns[TRACE_PROGRAMS];
};

/*
 * What the loader knows of the kernel, constant in the programs: the verifier
 * drops what does not apply.
 */
struct trace_constants {
	uint32_t layout;     /* TRACE_LAYOUT */
	uint32_t n_cpus;     /* that may come up */
	uint32_t flush_part; /* bit of rq_flags: a part of a flush sequence */
	uint32_t dirty_pages; /* flag of an inode: its pages changed; 0: not
				 known */
	uint8_t has_io_start; /* the kernel has the event of a new request */
	uint8_t has_ring;
	uint8_t has_task_btf; /* bpf_get_current_task_btf() */
	uint16_t devices; /* rows of counters */
};

/* A request in flight, or the last one at that address. */
struct trace_place {
	uint64_t request;
	uint64_t start_ns, issue_ns;
	uint64_t sector;   /* of a bio */
	uint32_t pid, tid; /* of the process and the thread that made it */
	uint32_t bytes;	   /* of a bio; of a request, of its parts so far */
	uint8_t requeues; /* 255: so many or more */
	uint8_t device;	  /* its place in the table, less 1; 0: not known */
	uint8_t busy, flags;
	char comm[TRACE_COMM];
};
_Static_assert(sizeof(struct trace_place) == 64, "one line of the cache");

enum trace_place_flags {
	TRACE_KERNEL = 1,     /* a kernel thread made it */
	TRACE_SEQUENTIAL = 2, /* it begins where an earlier one ended */
	TRACE_FILE = 4, /* inode and file_dev are known */
	TRACE_BLAMED = 8, /* pid and comm are those of the last process that
			   * changed the file, not of the writer */
};

#define TRACE_WAYS 4u
#define TRACE_SETS 4096u

/* The places of one remainder of addresses. */
struct trace_set {
	struct trace_place way[TRACE_WAYS];
};

/* The ends of the last requests of a device and operation. */
#define TRACE_STREAMS 8u
struct trace_streams {
	uint64_t end[TRACE_STREAMS];
	uint32_t next, unused;
};

/* In opf: no request but a call that waited for a file to be on the disk. */
#define TRACE_OPF_FSYNC	    0xfeu
#define TRACE_OPF_FDATASYNC 0xffu

/* A slow request or such a call. Times are those of CLOCK_MONOTONIC. */
struct trace_slow {
	uint64_t end_ns, whole_ns, queue_ns, device_ns;
	uint64_t sector, cgroup, inode;
	uint32_t bytes, dev, file_dev, opf;
	uint32_t pid, flush_us; /* of a call, with queue_ns and device_ns */
	uint32_t flags;		/* enum trace_place_flags */
	uint16_t requeues, issued; /* issued: queue_ns and device_ns are known */
	int32_t error;		/* as block_status of the kernel */
	/* Of a whole row trace_slow_sequence(); else even: a program writes it. */
	uint32_t sequence;
	char comm[TRACE_COMM];
	char writer[TRACE_COMM]; /* of a blamed one: who made the request */
	char name[TRACE_NAME];	 /* of the file, without its directory */
};
_Static_assert(sizeof(struct trace_slow) == 192, "as the programs have it");

/*
 * number: the epoch of the row, or how many the ring had before it. A reader takes
 * the row if it has this before and after the copy.
 */
static inline uint32_t trace_slow_sequence(uint64_t number)
{
	return (uint32_t)number * 2 + 1;
}

/*
 * The slowest requests of a device on one processor since the epoch began; behind
 * those of all devices the slowest calls.
 */
#define TRACE_SLOWEST 16u
struct trace_slowest {
	struct trace_slowest_half {
		uint32_t epoch, n, least_at, unused;
		uint64_t least_ns, unused_8[5]; /* a line of the cache */
		struct trace_slow slow[TRACE_SLOWEST];
	} half[2];
};

/* Flags of a thread, include/linux/sched.h. */
#define PF_WQ_WORKER 0x00000020u
#define PF_KTHREAD   0x00200000u

/*
 * A thread as the kernel lists it: what /proc/PID/task/TID/schedstat and io say,
 * and of stat what changes.
 */
struct trace_task {
	uint32_t tid, has_io; /* whether the kernel counts bytes */
	uint64_t start_ns;    /* CLOCK_BOOTTIME: another one has another time */
	uint64_t cpu_ns, run_delay_ns, runs;
	uint64_t read_bytes, write_bytes;
	uint64_t minor_faults, major_faults;
	uint32_t pid, parent; /* the process, and the one that made it */
	uint32_t flags;	      /* PF_ of include/linux/sched.h */
	uint32_t threads;     /* of the process */
	uint32_t state;	      /* TASK_ and EXIT_ of the same; 0: it runs */
	uint32_t has_state;   /* whether what stat has is known */
	char comm[16];	      /* of a worker without what it works at */
};

/* All that were slower than asked for, on one processor. */
#define TRACE_RING 2048u
struct trace_ring {
	uint64_t head; /* places that were taken so far; the last may be empty yet */
	struct trace_slow slow[TRACE_RING];
};
