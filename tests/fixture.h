/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixtures: what tests make of their own, so that they can run side by side:
 * directories, files, trees of /proc and /sys, loop devices, zram devices.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* A fresh directory on a disk, and its removal with all in it. */
char *make_dir(void);
void remove_dir(char *dir);

/* A file of the given size, holding byte value fill throughout. */
void make_file(const char *path, uint64_t size_bytes, int fill);
bool file_is_all(const char *path, int fill);

/*
 * A loop device over path; false where none can be had. name gets
 * "/dev/loop3".
 */
bool loop_attach(const char *path, bool partitions, char *name, size_t size);
void loop_detach(const char *name);

/* Whether this machine lets us attach a loop device at all. */
bool can_loop(void);

/* Run a command, quietly; its exit status. */
int run_command(const char *fmt, ...) printf_like(1, 2);

/*
 * A fresh directory in memory with a copy of tests/roots/NAME, all of it
 * writable; an empty one when name is NULL. remove_dir() removes it.
 */
char *make_tree(const char *name);

/*
 * A zram device of that size; false where the kernel has none to add or this is
 * not root. name gets "/dev/zram3". Removed by zram_remove(), which must run
 * however the test ends.
 */
bool zram_add(uint64_t size_bytes, char *name, size_t size);
void zram_remove(const char *name);
