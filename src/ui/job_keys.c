/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of the job pane.
 */
#include "base/attributes.h"
#include "ui/job_edit.h"
#include "ui/key.h"
#include "ui/pane_job.h"

static void act_histogram(struct ui *ui, const struct ui_view *view not_used,
			  int key not_used, struct action *action not_used)
{
	struct job_state *st = pane_state(ui, PANE_JOB);

	if (ui->zoom)
		st->plain = !st->plain;
	else
		st->histogram = !st->histogram;
}

static void act_edit(struct ui *ui, const struct ui_view *view, int key,
		     struct action *action not_used)
{
	job_edit_open(ui, view,
		      key == 'K'   ? JOB_ASK_STOP
		      : key == 'R' ? JOB_ASK_AGAIN
				   : JOB_ASK_SET);
}

/* clang-format off */
static const struct key keys[] = {
	{ { "e", "change rate, depth or mix of the selected job while it runs" },
	  "e", "set", WHEN_LIVE, { 'e' }, act_edit, ACTION_NONE, 0 },
	{ { "K", "stop the selected job" },
	  "K", "stop", WHEN_LIVE, { 'K' }, act_edit, ACTION_NONE, 0 },
	{ { "R", "start the selected job again, as it was, once it is over" },
	  "R", "again", WHEN_LIVE, { 'R' }, act_edit, ACTION_NONE, 0 },
	{ { "H", "the latencies of the interval as a histogram, or not" },
	  "H", "histogram", WHEN_ALWAYS, { 'H' }, act_histogram,
	  ACTION_NONE, 0 },
};
/* clang-format on */

const struct key_list pane_job_keys = { keys, ARRAY_SIZE(keys) };
