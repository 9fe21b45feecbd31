/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Header: what the first line of a log says about program, host, devices and
 * jobs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/frame.h"
#include "model/job/job.h"

#define LOG_SCHEMA 1

/* Characters of a label of a host, of at most 4 bytes each. */
#define HOST_LABEL_CHARS 64
#define HOST_LABEL_MAX	 (4 * HOST_LABEL_CHARS + 1)

struct device_info {
	char id[32];
	char model[64], serial[64]; /* "" when the device has none */
	uint64_t size_bytes;
	bool rotational;
	unsigned logical_block_bytes;
	char members[ROW_NAMES_MAX]; /* blank-separated */
};

/* What adjtimex(2) says about the wall clock; known false: nothing. */
struct clock_facts {
	bool known, synchronized;
	uint64_t max_error_ns, est_error_ns;
};

struct host_info {
	char name[128], kernel[128], cpu[128], boot_id[64];
	char label[HOST_LABEL_MAX]; /* of --host-label; "" in older logs */
	unsigned cpus;
	uint64_t memory_bytes;
	struct clock_facts clock;
};

/*
 * A label of the operator (--label KEY=VALUE), or a fact of the environment that may
 * change results: "governor", "sda.firmware", "sda1.mount". Keys that other code
 * looks for:
 */
struct header_fact {
	char key[80], value[600];
};
#define FACT_DEBUG        "kernel_debug" /* options, blank-separated */
#define FACT_MEMORY_LIMIT "memory_limit_bytes" /* of the control group */
#define FACT_IO_LIMIT     "io_limit" /* of a disk, by the control group */
#define FACT_REALTIME     "realtime_priority" /* of the program; not if it has none */
#define FACT_NONE         "none"

/*
 * For writing: all pointers are borrowed, knobs may be NULL. When read from a
 * log: owned, see codec_free_header(); job holds the jobs of the log.
 */
struct header {
	unsigned schema;
	char program[64]; /* "iodyno 0.1.0" */
	char **argv;
	size_t argc;
	uint64_t wall_ns;
	double interval_s;
	struct host_info host;
	struct device_info *device;
	size_t n_devices;
	struct job *job;
	size_t n_jobs;
	struct header_fact *label, *fact;
	size_t n_labels, n_facts;
	const struct frame *knobs; /* its knob table, at the start */
};

/* The value of a fact, or NULL. */
static inline const char *header_fact(const struct header *h, const char *key)
{
	for (size_t i = 0; i < h->n_facts; i++)
		if (!strcmp(h->fact[i].key, key))
			return h->fact[i].value;
	return NULL;
}
