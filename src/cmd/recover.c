/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recover: settings that a killed run left.
 */
#include "cmd/recover.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/sweep/sweep_stage.h"
#include "knob/keeper.h"
#include "workload/kind/cluster.h"

static void print(const struct keeper_report *r, not_used void *arg)
{
	if (r->kind != KEEPER_RESTORED || r->error == ESTALE)
		return;
	if (!r->error)
		command_say("left by a killed run and put back: %s.%s: %s -> "
			    "%s",
			    r->device, r->knob, r->old_value, r->new_value);
	else if (*r->knob)
		command_say("left by a killed run: %s.%s is still %s: %s; "
			    "iodyno knob set %s.%s=%s",
			    r->device, r->knob, r->new_value,
			    strerror(r->error), r->device, r->knob, r->wanted);
}

static void tell_cluster(const char *folder)
{
	command_say("left by a killed run and removed: the PostgreSQL cluster "
		    "%s",
		    folder);
}

unsigned recover_clusters(const struct root *root)
{
	return root->live ? cluster_recover(tell_cluster) : 0;
}

void recover_settings(const struct root *root)
{
	(void)recover_clusters(root);
	(void)sweep_memory_recover();
	if (keeper_recover(root, print, NULL) < 0)
		command_say("%s", fail_sentence());
}
