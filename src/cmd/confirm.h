/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confirm: on a terminal the operator types the name of each device whose data
 * will be lost.
 */
#ifndef CMD_CONFIRM_H
#define CMD_CONFIRM_H

#include <stddef.h>

#include "base/attributes.h"
#include "model/job/job.h"

struct allow_list;
struct settings;

/*
 * Show model, serial number, size and content of each block device that the
 * jobs overwrite, and read its name from the terminal. Nothing is asked when
 * stdin is not a terminal, with --yes, without --destroy-data, or when the
 * guard refuses the jobs. 0; -EPERM with a sentence when another word or none
 * was typed; other errors as -errno with a sentence.
 */
int confirm_loss(const struct settings *s, const struct job *jobs,
		 size_t n_jobs, const struct allow_list *allowed) must_check;

#endif
