/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plan: turns of knobs and of jobs' settings at given times. */
#include "cmd/session/plan.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "knob/knob.h"
#include "workload/workload.h"

static void plan_insert(struct plan *p, const struct plan_step *step)
{
	size_t i = p->n;

	p->step = xgrow(p->step, &p->cap, p->n + 1, sizeof(*p->step));
	/*
	 * Insert behind steps of the same time, so that steps keep their order.
	 */
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
	return text_set(out->knob, id + device + 1);
}

/*
 * Split "job.NAME.OPTION", a setting of a running job; false when id is none. A
 * name may contain points, an option has none.
 */
static bool split_job(const char *id, struct action *out)
{
	const char *name = id + 4, *dot = strrchr(id, '.');
	size_t n;

	if (strncmp(id, "job.", 4) || dot < name || !dot[1])
		return false;
	n = (size_t)(dot - name);
	if (!n || n >= sizeof(out->job))
		return false;
	memcpy(out->job, name, n);
	out->job[n] = '\0';
	out->kind = ACTION_JOB_SET;
	return text_set(out->knob, dot + 1);
}

static int plan_check_name(const struct action *a)
{
	if (a->kind == ACTION_JOB_SET)
		return workload_control_check(a->knob);
	return knob_find(a->knob) ? 0 : knob_unknown(a->knob);
}

int plan_key(const char *id, struct action *out)
{
	memset(out, 0, sizeof(*out));
	if (!split_job(id, out)) {
		if (!plan_split(id, out))
			return fail(EINVAL,
				    "%s is neither DEVICE.KNOB nor "
				    "job.NAME.OPTION",
				    id);
		out->kind = ACTION_KNOB_SET;
	}
	return plan_check_name(out);
}

char *plan_key_words(const struct action *a, char *buf, size_t size)
{
	if (a->kind == ACTION_JOB_SET)
		snprintf(buf, size, "job.%s.%s", a->job, a->knob);
	else
		snprintf(buf, size, "%s.%s", a->device, a->knob);
	return buf;
}

char *plan_words(const struct action *a, char *buf, size_t size)
{
	char key[160];

	snprintf(buf, size, "%s=%s", plan_key_words(a, key, sizeof(key)),
		 a->value);
	return buf;
}

int plan_add(struct plan *p, const char *text)
{
	int rc;
	struct plan_step step = { .action = { .kind = ACTION_KNOB_SET,
					      .by = BY_PLAN } };
	char copy[256], *colon, *eq;
	uint64_t ns;

	if (!text_set(copy, text))
		return fail(EINVAL, "--at=%s is too long", text);
	colon = strchr(copy, ':');
	eq = colon ? strchr(colon, '=') : NULL;
	if (!eq)
		goto bad;
	*colon = *eq = '\0';
	if (!units_parse_ns(copy, 1000000000, &ns) ||
	    !(split_job(colon + 1, &step.action) ||
	      plan_split(colon + 1, &step.action)) ||
	    !eq[1] || !text_set(step.action.value, eq + 1))
		goto bad;
	rc = plan_check_name(&step.action);
	if (rc)
		return rc;
	step.t_s = (double)ns / 1e9;
	plan_insert(p, &step);
	return 0;
bad:
	return fail(EINVAL,
		    "--at=%s is not TIME:DEVICE.KNOB=VALUE or "
		    "TIME:job.NAME.OPTION=VALUE, such as "
		    "20s:sda.scheduler=bfq",
		    text);
}

void plan_free(struct plan *p)
{
	free(p->step);
	memset(p, 0, sizeof(*p));
}
