/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plan: knob turns at given times.
 */
#include "cmd/plan.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "knob/knob_path.h"

static void insert(struct plan *p, const struct plan_step *step)
{
	size_t i = p->n;

	p->step = xgrow(p->step, &p->cap, p->n + 1, sizeof(*p->step));
	/* Behind its equals: steps of one time keep their order. */
	for (; i > 0 && p->step[i - 1].t_s > step->t_s; i--)
		p->step[i] = p->step[i - 1];
	p->step[i] = *step;
	p->n++;
}

bool plan_split(const char *id, struct action *out)
{
	size_t device = strcspn(id, ".");

	if (device == 0 || device >= sizeof(out->device) || !id[device] ||
	    !id[device + 1])
		return false;
	memcpy(out->device, id, device);
	out->device[device] = '\0';
	return text_copy(out->knob, sizeof(out->knob), id + device + 1);
}

int plan_add(struct plan *p, const char *text)
{
	struct plan_step step = { .action = { .kind = ACTION_KNOB_SET,
					      .by = "plan" } };
	char copy[256], *colon, *eq;
	uint64_t ns;

	if (!text_copy(copy, sizeof(copy), text))
		return fail(EINVAL, "--at=%s is too long", text);
	colon = strchr(copy, ':');
	eq = colon ? strchr(colon, '=') : NULL;
	if (!eq)
		goto bad;
	*colon = *eq = '\0';
	if (!units_parse_ns(copy, 1000000000, &ns) ||
	    !plan_split(colon + 1, &step.action) || !eq[1] ||
	    !text_copy(step.action.value, sizeof(step.action.value), eq + 1))
		goto bad;
	if (!knob_find(step.action.knob))
		return knob_unknown(step.action.knob);
	step.t_s = (double)ns / 1e9;
	insert(p, &step);
	return 0;
bad:
	return fail(EINVAL,
		    "--at=%s is not TIME:DEVICE.KNOB=VALUE, such as "
		    "20s:sda.scheduler=bfq",
		    text);
}

void plan_add_step(struct plan *p, double t_s, const char *device,
		   const char *knob, const char *value)
{
	struct plan_step step = {
		.t_s = t_s, .action = { .kind = ACTION_KNOB_SET, .by = "plan" }
	};

	text_copy(step.action.device, sizeof(step.action.device), device);
	text_copy(step.action.knob, sizeof(step.action.knob), knob);
	text_copy(step.action.value, sizeof(step.action.value), value);
	insert(p, &step);
}

void plan_free(struct plan *p)
{
	free(p->step);
	memset(p, 0, sizeof(*p));
}
