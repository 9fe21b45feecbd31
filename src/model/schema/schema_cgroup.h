/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A control group of cgroup v2: its I/O, pressure, memory and CPU, those of the
 * groups below included.
 */
#ifndef MODEL_SCHEMA_CGROUP_H
#define MODEL_SCHEMA_CGROUP_H

#include "model/schema/schema.h"

/*
 * id is the path below the root of control groups without the first "/", cut in
 * front where it is too long; the generation is the inode. Counters and gauges
 * are UINT64_MAX and -1 where the group has no such file (its controller is
 * off). Files and units: Documentation/admin-guide/cgroup-v2.rst.
 */
struct cgroup_raw {
	struct row_key key;
	char parent[ROW_ID_MAX]; /* id; "" at the top */
	uint64_t read_bytes, write_bytes, reads, writes; /* io.stat */
	uint64_t some_us, full_us; /* io.pressure */
	uint64_t cpu_us;	   /* cpu.stat */
	int64_t memory_bytes;	   /* memory.current */
	int64_t tasks;		   /* pids.current */
};

extern const struct schema schema_cgroup;

#endif
