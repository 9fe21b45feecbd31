/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preview thread: makes jobs and a preview of a request, in a thread. */
#pragma once

#include <stddef.h>

#include "base/attributes.h"
#include "base/root.h"
#include "model/job/job.h"
#include "model/request.h"
#include "workload/target/guard.h"

struct preview_thread;

/*
 * Begin a preview of a request, which is copied. given: of the command line,
 * for the places where files may be made. 0, or -errno with a sentence.
 */
int preview_thread_begin(struct preview_thread **out, const struct root *root,
			 const struct allow_list *given,
			 const struct run_request *request) must_check;
/* A descriptor that is readable when the preview is over. */
int preview_thread_fd(const struct preview_thread *preview);
/* Join the thread of a preview that is over, before reading its results. */
void preview_thread_end(struct preview_thread *preview);
const struct run_preview *
preview_thread_result(const struct preview_thread *preview);

/*
 * Take the jobs of a finished preview, once; the caller owns them. *allowed,
 * which the preview owns, holds the permissions that the jobs need. -EINVAL
 * with a sentence when there is no preview, it belongs to another request, or
 * it found an error; -EPERM when the request lacks the confirmation that the
 * preview demands; -ESTALE when the path is another file or device by now.
 */
int preview_thread_take(struct preview_thread *preview,
			const struct run_request *request, struct job **job,
			size_t *n,
			const struct allow_list **allowed) must_check;

/*
 * The devices of a finished preview for which the opener has to ask before
 * preview_thread_take(); NULL with *n 0: none.
 */
char *const *preview_thread_devices(const struct preview_thread *preview,
				    size_t *n);

/*
 * Free a preview; wait a moment for one that is not over, then leave it behind.
 */
void preview_thread_free(struct preview_thread *preview);
