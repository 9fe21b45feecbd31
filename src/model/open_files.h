/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open files: the regular files and block devices that one process has open,
 * and how far it moved in each since the previous reading. Read on request.
 */
#ifndef MODEL_OPEN_FILES_H
#define MODEL_OPEN_FILES_H

#include <stddef.h>
#include <stdint.h>

/* Files with a line of their own. */
#define OPEN_FILES_MAX 64

struct open_file {
	int descriptor;
	char mode[16]; /* "r", "w", "rw", "rw direct" */
	char path[256]; /* made harmless; of a longer path its end, after '~' */
	int64_t position_bytes;
	/*
	 * How far reads, writes and seeks moved the position, forward or back.
	 * NaN: not known yet. 0: no call moved it; pread, pwrite, mmap, libaio
	 * and io_uring at offsets do not.
	 */
	double moved_bytes_per_s;
};

struct open_files {
	char pid[12], name[64];
	char sentence[256]; /* why there is no list; "": there is one */
	/*
	 * Bytes that its calls of read and write moved (rchar and wchar of
	 * /proc/PID/io), the page cache included, of all threads and of
	 * children that it waited for. NaN: not known.
	 */
	double read_call_bytes_per_s, write_call_bytes_per_s;
	struct open_file file[OPEN_FILES_MAX]; /* the farthest moved first */
	size_t n;
	size_t n_found;      /* files, also those without a line */
	size_t n_looked;     /* descriptors of any kind */
	size_t more_than;    /* more descriptors than this one exist and were
			      * not read; 0: all were read */
};

#endif
