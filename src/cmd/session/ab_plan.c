/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plan of a live crossover: its variants and its length.
 */
#include "cmd/session/ab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/session/plan.h"
#include "knob/knob.h"

static bool same_key(const struct action *a, const struct action *b)
{
	return a->kind == b->kind && !strcmp(a->device, b->device) &&
	       !strcmp(a->job, b->job) && !strcmp(a->knob, b->knob);
}

static const struct action *find(const struct ab_variant *v,
				 const struct action *key)
{
	for (size_t i = 0; i < v->n; i++)
		if (same_key(&v->set[i], key))
			return &v->set[i];
	return NULL;
}

/*
 * Cut the next piece off *rest, up to a separator outside of '...'; NULL: no
 * more. Quotes stay until strip_quotes().
 */
static char *next_piece(char **rest, char separator)
{
	char *piece = *rest, *p = piece;
	bool quoted = false;

	if (!piece)
		return NULL;
	for (; *p && (quoted || *p != separator); p++)
		quoted ^= *p == '\'';
	*rest = *p ? p + 1 : NULL;
	*p = '\0';
	return piece;
}

static void strip_quotes(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != '\'')
			*to++ = *text;
	*to = '\0';
}

/* Add "sda.scheduler=none", or "bfq" with the key at the same place. */
static int add_setting(struct ab_plan *p, struct ab_variant *v, char *word,
		       const char *option)
{
	const struct ab_variant *first = &p->variant[0];
	char *eq = strchr(word, '=');
	struct action a = { 0 };
	int rc;

	if (v->n >= AB_SETTINGS)
		return fail(EINVAL, "%s: a variant has at most %d settings",
			    option, AB_SETTINGS);
	if (eq) {
		*eq = '\0';
		rc = plan_key(word, &a);
		if (rc < 0)
			return rc;
	} else if (v != first && v->n < first->n) {
		a = first->set[v->n];
	} else {
		return fail(EINVAL,
			    "%s: \"%s\" has no setting; give DEVICE.KNOB=VALUE "
			    "or job.NAME.OPTION=VALUE, such as "
			    "sda.scheduler=none,bfq",
			    option, word);
	}
	word = eq ? eq + 1 : word;
	strip_quotes(word);
	if (!*word || !text_copy(a.value, sizeof(a.value), word))
		return fail(EINVAL, "%s: a value is empty or too long", option);
	if (find(v, &a))
		return fail(EINVAL, "%s: a variant sets %s twice", option,
			    a.knob);
	v->set[v->n++] = a;
	return 0;
}

int ab_plan_parse(struct ab_plan *p, const char *option, const char *text)
{
	char copy[1024], *rest = copy, *variant, *word;

	p->n = 0;
	memset(p->variant, 0, sizeof(p->variant));
	if (!text_copy(copy, sizeof(copy), text))
		return fail(EINVAL, "%s is too long", option);
	while ((variant = next_piece(&rest, ','))) {
		if (p->n >= CROSSOVER_VARIANTS)
			return fail(EINVAL, "%s: at most %d variants are "
					    "compared",
				    option, CROSSOVER_VARIANTS);
		p->n++;
		while ((word = next_piece(&variant, '+'))) {
			int rc = add_setting(p, &p->variant[p->n - 1], word,
					     option);

			if (rc < 0)
				return rc;
		}
	}
	if (p->n >= 2)
		return 0;
	return fail(EINVAL,
		    "%s=%s has one variant; give two or more, such as "
		    "sda.scheduler=none,bfq",
		    option, text);
}

int ab_plan_until(struct ab_plan *p, const char *text)
{
	char *end;

	if (!strncmp(text, "ci<", 3)) {
		p->narrow = strtod(text + 3, &end) / 100;
		if (!strcmp(end, "%") && p->narrow > 0.0001 && p->narrow < 1)
			return 0;
	}
	return fail(EINVAL,
		    "--until=%s: give the width of an interval, such as "
		    "--until='ci<2%%'",
		    text);
}

static int take_seconds(double *out, const char *name, const char *text,
			double otherwise)
{
	uint64_t ns;

	*out = otherwise;
	if (!*text)
		return 0;
	if (!units_parse_ns(text, NS_PER_S, &ns) || ns > 86400 * NS_PER_S)
		return fail(EINVAL, "%s: \"%s\" is not a time such as 5s", name,
			    text);
	*out = (double)ns / 1e9;
	return 0;
}

int ab_plan_request(struct ab_plan *p, const struct crossover_request *r)
{
	unsigned long blocks = strtoul(r->blocks, NULL, 10);
	int err;

	memset(p, 0, sizeof(*p));
	err = ab_plan_parse(p, "variants", r->variants);
	if (!err && *r->until)
		err = ab_plan_until(p, r->until);
	if (!err)
		err = take_seconds(&p->period_s, "period", r->period,
				   AB_PERIOD_S);
	if (!err)
		err = take_seconds(&p->washout_s, "washout", r->washout, -1);
	if (err < 0)
		return err;
	if (p->period_s < AB_LEAST_PERIOD_S)
		return fail(EINVAL, "period: give %g s or more",
			    AB_LEAST_PERIOD_S);
	if (r->blocks[strspn(r->blocks, "0123456789")] || blocks > 100000 ||
	    (*r->blocks && !blocks))
		return fail(EINVAL,
			    "blocks: \"%s\" is not a count of 1 to 100000",
			    r->blocks);
	p->blocks = blocks	  ? blocks
		    : p->narrow > 0 ? AB_BLOCKS_UNTIL
				    : AB_BLOCKS;
	return 0;
}

/* --- settings that only other variants name --- */

/* Read the present value, of a knob from the kernel, of a job from the job. */
static int value_now(const struct root *root, struct workloads *workloads,
		     struct action *a)
{
	struct job_set *set;
	char choices[KNOB_TEXT_MAX];
	const char *name;
	int rc;

	if (a->kind == ACTION_KNOB_SET)
		return knob_get(root, a->device, a->knob, a->value,
				sizeof(a->value), choices, sizeof(choices));
	rc = workloads_find(workloads, a->job, &set);
	for (size_t i = 0; rc >= 0 && (name = workload_control_name(i)); i++)
		if (!strcmp(name, a->knob) &&
		    workload_control_value(set->workload, a->job, i, a->value,
					   sizeof(a->value)))
			return 0;
	if (rc < 0)
		return rc;
	return fail(EINVAL, "--ab: name %s of job %s in each variant", a->knob,
		    a->job);
}

static bool is_tunable(const struct action *a)
{
	return a->kind == ACTION_KNOB_SET && !strncmp(a->knob, "iosched.", 8);
}

static const char *scheduler_of(const struct ab_variant *v, const char *device)
{
	const struct action key = { .kind = ACTION_KNOB_SET,
				    .knob = "scheduler" };
	struct action of = key;

	text_copy(of.device, sizeof(of.device), device);
	return find(v, &of) ? find(v, &of)->value : NULL;
}

/* A tunable exists only with its scheduler, so it has no present value. */
static int check_tunable(const struct ab_variant *v, const struct ab_variant *of,
			 const struct action *a)
{
	const char *here = scheduler_of(v, a->device);
	const char *there = scheduler_of(of, a->device);

	if (here && there && strcmp(here, there) != 0)
		return 0;
	return fail(EINVAL,
		    "--ab: two variants of one scheduler: give %s.%s in both",
		    a->device, a->knob);
}

static int fill_in(struct ab_plan *p, struct ab_variant *v,
		   const struct ab_variant *of, const struct root *root,
		   struct workloads *workloads)
{
	for (size_t i = 0; i < of->n; i++) {
		struct action a = of->set[i];
		int rc;

		if (find(v, &a))
			continue;
		if (is_tunable(&a)) {
			rc = check_tunable(v, of, &a);
			if (rc < 0)
				return rc;
			continue;
		}
		rc = value_now(root, workloads, &a);
		if (rc < 0)
			return rc;
		if (v->n >= AB_SETTINGS)
			return fail(EINVAL,
				    "--ab: the %zu variants have more than %d "
				    "settings together",
				    p->n, AB_SETTINGS);
		v->set[v->n++] = a;
	}
	return 0;
}

static int check(const struct ab_variant *v, const struct root *root,
		 struct workloads *workloads)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct action *a = &v->set[i];
		struct job_set *set;
		int rc = 0;

		if (a->kind == ACTION_JOB_SET)
			rc = workloads_find(workloads, a->job, &set);
		else if (!is_tunable(a))
			rc = knob_check(root, a->device, a->knob, a->value);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int ab_plan_complete(struct ab_plan *p, const struct root *root,
		     struct workloads *workloads)
{
	for (size_t i = 0; i < p->n; i++) {
		int rc = check(&p->variant[i], root, workloads);

		for (size_t k = 0; rc >= 0 && k < p->n; k++)
			if (k != i)
				rc = fill_in(p, &p->variant[i], &p->variant[k],
					     root, workloads);
		if (rc < 0)
			return rc;
	}
	return 0;
}

void ab_plan_now(const struct ab_plan *p, const struct root *root,
		 struct workloads *workloads, struct ab_variant *now)
{
	now->n = 0;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->variant[i].n; k++) {
			struct action a = p->variant[i].set[k];

			if (now->n < AB_SETTINGS && !find(now, &a) &&
			    value_now(root, workloads, &a) == 0)
				now->set[now->n++] = a;
		}
}

void ab_plan_point(const struct ab_plan *p, size_t variant, struct point *out)
{
	const struct ab_variant *v = &p->variant[variant];
	char letter[2] = { (char)('A' + variant), '\0' };

	memset(out, 0, sizeof(*out));
	if (!point_set(out, CROSSOVER_AXIS, letter))
		return;
	for (size_t i = 0; i < v->n; i++) {
		const struct action *a = &v->set[i];
		char key[160];

		plan_key_words(a, key, sizeof(key));
		key[sizeof(out->axis[0].key) - 1] = '\0';
		/* A cut key or value still distinguishes the variants. */
		if (!point_set(out, key, a->value))
			break;
	}
}
