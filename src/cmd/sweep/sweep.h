/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep: the driver that runs one cell after the other.
 */
#ifndef CMD_SWEEP_H
#define CMD_SWEEP_H

#include "cmd/session/session.h"
#include "cmd/sweep/sweep_audit.h"
#include "cmd/sweep/sweep_hand.h"
#include "cmd/sweep/sweep_log.h"
#include "cmd/sweep/sweep_order.h"
#include "cmd/sweep/sweep_plan.h"
#include "cmd/sweep/sweep_stage.h"
#include "model/sweep_matrix.h"
#include "report/checks.h"

struct sweep {
	const struct settings *settings; /* with the jobs; borrowed */
	struct sweep_plan plan;
	struct sweep_runs runs;
	struct sweep_past past; /* of --resume */
	struct sweep_stage stage;
	struct sweep_hand hand; /* of the stage */
	struct allow_list allowed; /* words are borrowed */
	bool resumes;
	unsigned repeats; /* the block of --resume-from=block; 0: none */
	double sd;        /* of --sd-from; NaN: none */
	const char *log;

	/* The run under way. */
	struct sweep_next next;
	struct cell cell;
	unsigned done; /* runs that have ended, in the whole sweep */
	unsigned step; /* of the table of steps */
	bool in_cell;
	bool waiting; /* for the end of the step */
	bool knobs_over;
	uint64_t cell_ns, step_ns;
	double idle_s;
	struct job_set *set;
	size_t from_job, n_jobs; /* where the part under way begins; all */
	struct job *ran;         /* jobs of the run so far, for their names */
	size_t n_ran;
	struct window window;
	struct checks checks;
	struct sweep_audit audit;
	char step_words[160]; /* beside "ok" in the event of a step, or "" */
	bool measuring, measured;
	char failed[200]; /* why this run failed, or "" */

	const char *step_name; /* of the step under way */
	struct sweep_matrix matrix; /* for the screen */
	size_t matrix_runs; /* finished runs in matrix plus 1; 0: not filled */

	/* The wishes of the operator. */
	bool stop, paused, skip;
	char end_words[700]; /* why it ended early, or "" */
	const char *boot_label; /* of the kernel that is needed, or NULL */
	double written_bytes;
	char boot[64], kernel[128];
	char identity[400]; /* of the device under test, or "" */
};

extern const struct driver sweep_driver;

/* The device whose knobs an axis turns; NULL: not known. */
const char *sweep_device(const struct sweep *sw, const struct sweep_axis *a);
/* Seconds that a run takes: from finished runs, else from the jobs' options. */
double sweep_estimate_s(const struct sweep *sw);
/* Bytes that a run writes, from the same; NaN: not known yet. */
double sweep_estimate_bytes(const struct sweep *sw);
/* The number of runs that have ended, failed ones too. */
size_t sweep_finished(const struct sweep *sw);

#endif
