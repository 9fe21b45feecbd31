/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recover: a start without a keeper restores the settings that a killed run
 * left, or says how to do it.
 */
#ifndef CMD_RECOVER_H
#define CMD_RECOVER_H

#include "base/root.h"

/*
 * Put settings back and print a line for each on stderr. What cannot be put
 * back is printed with the command that does it. Nothing happens on a captured
 * tree.
 */
void recover_settings(const struct root *root);

/*
 * Remove only the PostgreSQL clusters that killed runs of kind=pgbench left.
 * Returns their number.
 */
unsigned recover_clusters(const struct root *root);

#endif
