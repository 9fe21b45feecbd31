/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * View: the data that the screen shows of a session. It only reads the other
 * parts.
 */
#ifndef CMD_SESSION_VIEW_H
#define CMD_SESSION_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/session/compare.h"
#include "model/frame.h"
#include "ui/ui.h"

struct session;

struct session_view {
	struct compare compare; /* the comparison that the operator chose */
	struct ui_offer offer;
	struct ui_lack lack[16]; /* as of the last view */
	char pending[128];       /* the same */
	char title[160], message[256];
	uint64_t message_ns; /* time of the message */
};

void view_init(struct session *s);
void view_free(struct session_view *v);

/* Fill in the present data; valid until the next call. */
void view_fill(struct session *s, struct ui_view *view);
/* Set the title to the jobs that run. */
void view_title_of_jobs(struct session *s);

/*
 * Progress: one line on a terminal while a run has no screen, as fio's.
 */

/*
 * "Jobs: 2 [42.9%][r=1.02GiB/s,w=3.00MiB/s][r=267k,w=800 IOPS][eta 0:04]" of a
 * frame; "" when no job runs. Returns buf.
 */
char *view_progress(const struct frame *f, char *buf, size_t size);

#endif
