/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver: decides what a session starts next, and when it is over. The live
 * commands (live.h), the live crossover and the sweep are drivers.
 *
 * Every function may be NULL; each is called from the loop, never from inside
 * a call that the driver makes itself, and must not block.
 */
#ifndef CMD_SESSION_DRIVER_H
#define CMD_SESSION_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "model/action.h"
#include "model/event.h"
#include "model/frame.h"
#include "ui/ui.h"

struct job_set;
struct session;

struct driver {
	const char *by; /* in events: "operator", "ab", "sweep" */
	bool quiet_knobs; /* do not report turns and resets that worked */

	/*
	 * Give up the rights that sudo gave; NULL: as the jobs of the settings
	 * need. Before it nothing of the session is open but the keeper. 0, or
	 * -errno with a sentence: the session does not begin.
	 */
	int (*rights)(struct session *s, void *arg);
	/*
	 * Privileges are settled; neither log nor screen exist. Open what the
	 * guard should refuse before anything is made. 0, or -errno with a
	 * sentence: the session does not begin.
	 */
	int (*prepare)(struct session *s, void *arg);
	/*
	 * The first frame was taken: start something. 0, or -errno with a
	 * sentence: the session ends with exit status 1.
	 */
	int (*begin)(struct session *s, void *arg);

	/* A frame was made, also one that the end of a set asked for. */
	void (*frame)(struct session *s, void *arg, const struct frame *f);
	/*
	 * An event: a phase of a job, the answer to a turn (new_value is what
	 * the kernel says), a mark. It comes before the frame that holds it.
	 * Changes by other programs are in the frame only.
	 */
	void (*event)(struct session *s, void *arg, const struct event *e);
	/*
	 * All jobs of a set have ended, and a frame holds their last figures.
	 * The set stays until session_forget_jobs().
	 */
	void (*jobs_over)(struct session *s, void *arg, struct job_set *set);
	/* All turns of session_set_knobs() were answered; failed of them not
	 * made. */
	void (*knobs_set)(struct session *s, void *arg, size_t failed);
	/* The time of session_wake_at() has come. */
	void (*wake)(struct session *s, void *arg);

	/* A key of the screen; true: taken, the session does nothing with it.
	 */
	bool (*action)(struct session *s, void *arg, const struct action *a);
	/* Add to what the screen shows. */
	void (*view)(struct session *s, void *arg, struct ui_view *view);

	/*
	 * The session ends, for whatever reason, with that exit status: jobs
	 * that still run are stopped next, then knobs are put back.
	 */
	void (*end)(struct session *s, void *arg, int status);
};

#endif
