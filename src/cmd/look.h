/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Look: a request becomes jobs and a preview, in a thread.
 */
#ifndef CMD_LOOK_H
#define CMD_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/job.h"
#include "model/run.h"
#include "workload/target/allow_list.h"

struct look;

/* 0, or -errno with a sentence. */
int look_begin(struct look **out, const struct root *root, bool readonly,
	       const struct run_request *request) must_check;
/* Readable once it is over. */
int look_fd(const struct look *look);
/* Then: take the thread's work over, before anything of it is read. */
void look_end(struct look *look);
const struct run_preview *look_preview(const struct look *look);

/*
 * The jobs of a look that is over, once: the caller owns them. The allow list,
 * the look's, is what was found to be needed. -EINVAL with a sentence when look
 * is NULL, was of another request or found an error; -EPERM when the request
 * does not confirm what it demands; -ESTALE when that is another file or device
 * by now.
 */
int look_take(struct look *look, const struct run_request *request,
	      struct job **job, size_t *n,
	      const struct allow_list **allowed) must_check;

/* One that is not over is waited for a moment, then left behind. */
void look_free(struct look *look);

#endif
