/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cluster: a private PostgreSQL in a folder of its own, for one worker.
 *
 * It listens on a Unix socket only, in a folder of mode 0700, and runs as an
 * unprivileged user where iodyno is root. A runner owns the server: whatever
 * ends the worker, SIGKILL of iodyno included, the runner stops the server and
 * removes the folder. A cluster that even the runner left behind (its own
 * SIGKILL, a power cut) is removed at the next start: cluster_recover(), and
 * cluster_open() for the same directory.
 */
#pragma once

#include <stdint.h>

#include "base/attributes.h"

struct cluster;
struct worker;

/*
 * The folder of PostgreSQL's programs; to be freed. NULL: it is not installed.
 */
char *cluster_programs(void);

/*
 * In prepare: make the cluster below directory and start the server with room
 * for so many connections. user: its user where iodyno is root (NULL: postgres,
 * else nobody). Checks first that need_bytes are free. 0, or -errno with a
 * sentence; -ECANCELED when the job was stopped meanwhile. Close it in any
 * case.
 */
int cluster_open(struct cluster **out, struct worker *w, const char *programs,
		 const char *directory, const char *user, unsigned connections,
		 uint64_t need_bytes) must_check;

/*
 * Run one of its programs, such as createdb, with the options that lead to the
 * server and with more arguments, and wait. 0, or -errno with a sentence that
 * has its last line.
 */
int cluster_tool(struct cluster *c, struct worker *w, const char *name,
		 const char *arguments) must_check;

struct program;
/*
 * Set a program to one of these, with the same options, as the cluster's user
 * and with its environment. 0 or -errno with a sentence; free it in any case.
 */
int cluster_program(const struct cluster *c, const struct worker *w,
		    struct program *p, const char *name,
		    const char *arguments) must_check;

struct job_usage_raw;
/*
 * The usage of the server's processes since its start, those that ended
 * included, from /proc/PID/stat: CPU time by the kernel's tick of mostly 10 ms,
 * and page faults; no switches, which are not added up over ended processes.
 */
void cluster_usage(const struct cluster *c, struct job_usage_raw *out);

/* Stop the server, remove the folder. NULL is fine. */
void cluster_close(struct cluster *c);

/*
 * Remove clusters that killed runs left; tell is called with each folder.
 * Returns their number.
 */
unsigned cluster_recover(void (*tell)(const char *folder));
