/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Journal directory: where journals lie.
 */
#ifndef KNOB_JOURNAL_DIR_H
#define KNOB_JOURNAL_DIR_H

#include <stdbool.h>

#include "base/root.h"

#define JOURNAL_SUFFIX ".journal"

/*
 * Open the directory of this user's journals; make it when create. fd or
 * -errno. One that belongs to somebody else is never used: what stands in a
 * journal is written to the kernel.
 */
int journal_dir_open(const struct root *root, bool create);

#endif
