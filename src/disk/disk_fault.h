/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk fault: what goes wrong with a simulated disk, and when.
 *
 * "KIND[,KEY=VALUE]...[;KIND...]", such as "stall,at=5s,for=2s;lost,every=100".
 * A fault is due from the time at= on for the time for= (default: always), or
 * with every=N at each N-th request that it could strike.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/random.h"
#include "disk/disk_sim.h"

enum disk_fault_kind {
	DISK_FAULT_STALL,
	DISK_FAULT_SLOW,
	DISK_FAULT_EIO,
	DISK_FAULT_LIE,
	DISK_FAULT_LOST,
	DISK_FAULT_TORN,
	DISK_FAULT_MISPLACED,
	DISK_FAULT_DECAY,
	DISK_FAULT_CUT,
	DISK_FAULTS
};

struct disk_fault {
	enum disk_fault_kind kind;
	uint64_t at_ns, for_ns;	  /* for 0: until the end */
	uint64_t every;		  /* 0: each */
	uint64_t offset, bytes;	  /* bytes 0: the whole disk */
	double factor;		  /* of a slow region */
	uint64_t atom;		  /* of a torn write */
	uint64_t after_ns;	  /* until data decay */
	bool reads, writes;	  /* that EIO strikes */
	/* The state: requests seen, and whether a stall or cut has begun. */
	uint64_t seen;
	bool begun, ended;
};

#define DISK_FAULTS_MAX 32
#define DISK_DECAYS_MAX 256

/* Data that will decay. */
struct disk_decay {
	uint64_t at_ns, offset;
	unsigned bit;
};

struct disk_faults {
	struct disk_fault fault[DISK_FAULTS_MAX];
	unsigned n;
	struct random random;
	struct disk_decay decay[DISK_DECAYS_MAX];
	unsigned n_decays;
};

/* What a request suffers. */
struct disk_harm {
	unsigned kinds; /* bits: 1 << enum disk_fault_kind */
	int error;	/* 0 or EIO */
	double factor;
	uint64_t keep;	/* of a torn write: the first bytes are stored */
	uint64_t place; /* of a misplaced write */
};

/* The i-th kind and its help; NULL: no more. */
const char *disk_fault_name(size_t i, const char **help);

/* Begin without faults; the seed decides what is torn and where. */
void disk_faults_init(struct disk_faults *f, uint64_t seed);
/* Add the faults of a text. 0, or -EINVAL with a sentence. */
int disk_faults_parse(struct disk_faults *f, const char *text) must_check;

/* The harm to a request that arrives at t (ns since the start of the disk). */
struct disk_harm disk_faults_strike(struct disk_faults *f, uint64_t t,
				    enum disk_op op, uint64_t offset,
				    uint64_t bytes, uint64_t disk_bytes);

/* What happens to the disk as a whole. */
enum disk_event { DISK_NOTHING, DISK_STALL, DISK_CUT, DISK_BACK, DISK_DECAY };

/*
 * The next event that is due at t: of a stall *value is its length, of a decay
 * *value is the offset and *bit the bit.
 */
enum disk_event disk_faults_event(struct disk_faults *f, uint64_t t,
				  uint64_t *value, unsigned *bit);
/* When the next of them is due; UINT64_MAX: never. */
uint64_t disk_faults_next(const struct disk_faults *f);
