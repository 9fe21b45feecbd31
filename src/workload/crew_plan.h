/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Crew plan: the making and the end of a job's clones.
 */
#ifndef WORKLOAD_CREW_PLAN_H
#define WORKLOAD_CREW_PLAN_H

#include "base/attributes.h"

struct crew;
struct root;
struct workload;

/* Fill in a crew's workers: their targets, regions and limits. */
int crew_plan(struct workload *w, struct crew *c) must_check;

/* Give every worker descriptors of its own, and the files to lay out. */
int crew_open(struct crew *c) must_check;

/* Find out the disks under its targets, once they are open. */
void crew_find_disks(struct crew *c, const struct root *root);

void crew_free(struct crew *c);

#endif
