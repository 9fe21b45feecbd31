/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process files: the files that a process reads and writes, by the positions
 * of its descriptors (/proc/PID/fd, /proc/PID/fdinfo; proc(5)).
 */
#ifndef COLLECT_PROCESS_FILES_H
#define COLLECT_PROCESS_FILES_H

#include <stdint.h>

#include "base/root.h"
#include "model/open_files.h"

struct process_files;

/* Of the process of that pid if its command has that name; never NULL. */
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

#endif
