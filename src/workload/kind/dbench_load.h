/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dbench load: the requests of a client of kind=dbench, read from a loadfile of
 * dbench, or generated with the mix of the one that comes with dbench.
 *
 * A line is "[TIME] OPERATION "PATH"... NUMBER... STATUS". Paths have
 * backslashes or slashes; "client1" in a path stands for the client's own
 * directory. The file is not trusted: lines, numbers and paths are bounded, no
 * path leaves the directory that the job works in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* In the order of dbench's table of results. */
enum dbench_type {
	DBENCH_NTCREATEX,
	DBENCH_CLOSE,
	DBENCH_RENAME,
	DBENCH_UNLINK,
	DBENCH_DELTREE,
	DBENCH_RMDIR,
	DBENCH_MKDIR,
	DBENCH_QPATHINFO,
	DBENCH_QFILEINFO,
	DBENCH_QFSINFO,
	DBENCH_SFILEINFO,
	DBENCH_FIND,
	DBENCH_WRITEX,
	DBENCH_READX,
	DBENCH_LOCKX,
	DBENCH_UNLOCKX,
	DBENCH_FLUSH,
	DBENCH_TYPES
};

/* Of NTCreateX. */
enum { DBENCH_DIRECTORY = 1, DBENCH_CREATE = 2, DBENCH_TRUNCATE = 4 };

struct dbench_op {
	uint8_t type;    /* enum dbench_type */
	uint8_t flags;   /* DBENCH_*, of NTCreateX */
	bool succeeds;   /* the status is NT_STATUS_OK */
	uint16_t handle;
	uint32_t path, to; /* indices of paths; to: of Rename */
	uint32_t bytes;  /* of ReadX, WriteX, LockX; of FIND_FIRST names */
	uint64_t offset;
	uint32_t line;   /* of the loadfile, from 1 */
};

struct dbench_path {
	char *name;      /* relative */
	int client_at;   /* where "client1" is in it; -1: it is not there */
	uint32_t index;
	uint64_t bytes;  /* the end of the furthest write */
};

struct dbench_load {
	char *source; /* the file's path, or "synthetic" */
	struct dbench_op *op;
	size_t n_ops, cap_ops;
	struct dbench_path **path;
	size_t n_paths, cap_paths;
	void *by_name; /* the same, of tsearch(3) */
	unsigned handles; /* the greatest, and one */
	uint32_t most_bytes; /* of a read or write */
	uint64_t count[DBENCH_TYPES], read_bytes, written_bytes;
	uint64_t footprint_bytes; /* at most, of one client */
};

/*
 * As dbench prints an operation ("Qpathinfo"), and as a loadfile has it, with so
 * many paths and these numbers: h, o, b of struct dbench_op; c, d are the options
 * and the disposition of NTCreateX; - is ignored.
 */
extern const struct dbench_syntax {
	const char *name, *word;
	unsigned paths;
	const char *numbers;
} dbench_syntax[DBENCH_TYPES];

/*
 * Read a loadfile. NULL: the one of the package dbench, where it is installed,
 * else a synthetic one; "synthetic" makes that in any case. 0, or -errno with a
 * sentence that begins with the job.
 */
int dbench_load(struct dbench_load **out, const char *job,
		const char *file) must_check;

/* The same from text in memory, which is changed. */
int dbench_load_text(struct dbench_load **out, const char *job,
		     const char *source, char *text) must_check;

void dbench_load_free(struct dbench_load *l);

/* The path of a client, in buf; "" when it does not fit. */
const char *dbench_load_path(const struct dbench_load *l, uint32_t path,
			     unsigned client, char *buf, size_t size);
