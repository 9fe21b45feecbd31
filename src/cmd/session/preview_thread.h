/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preview: a request becomes jobs and a preview, in a thread.
 */
#ifndef CMD_SESSION_PREVIEW_THREAD_H
#define CMD_SESSION_PREVIEW_THREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/job/job.h"
#include "model/run.h"
#include "workload/target/allow_list.h"

struct preview_thread;

/* 0, or -errno with a sentence. */
int preview_thread_begin(struct preview_thread **out, const struct root *root,
			 bool readonly,
			 const struct run_request *request) must_check;
/* Readable once it is over. */
int preview_thread_fd(const struct preview_thread *preview);
/* Then: take the thread's work over, before anything of it is read. */
void preview_thread_end(struct preview_thread *preview);
const struct run_preview *
preview_thread_result(const struct preview_thread *preview);

/*
 * The jobs of a look that is over, once: the caller owns them. The allowed, the
 * look's, is what was found to be needed. -EINVAL with a sentence when look is
 * NULL, was of another request or found an error; -EPERM when the request does
 * not confirm what it demands; -ESTALE when that is another file or device by
 * now.
 */
int preview_thread_take(struct preview_thread *preview,
			const struct run_request *request, struct job **job,
			size_t *n,
			const struct allow_list **allowed) must_check;

/* One that is not over is waited for a moment, then left behind. */
void preview_thread_free(struct preview_thread *preview);

#endif
