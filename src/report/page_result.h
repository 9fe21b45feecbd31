/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page, the result of an experiment: what matters and what does not, the best
 * cell, and what the figures do not hold for.
 */
#ifndef REPORT_PAGE_RESULT_H
#define REPORT_PAGE_RESULT_H

#include "doc/doc.h"
#include "trial/judge.h"
#include "trial/trial.h"

/* Add the heading "Result", sentences and the table "effect". looks: the
 * factor of p for several looks. */
void page_result(struct doc *d, const struct trial *t, double looks);

#endif
