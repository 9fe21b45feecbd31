/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the words of a command line, or of the section [sweep] of a plan,
 * and their values; the model and the faults of a simulated disk. The first byte
 * chooses the command, a line is a word.
 */
#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/scratch_disk.h"
#include "cmd/session/plan.h"
#include "cmd/sweep/sweep_plan.h"
#include "disk/disk.h"
#include "model/job/job.h"

#include "fuzz.h"

#define WORDS_MAX 64

static void look_at_plan(const struct settings *s)
{
	static struct sweep_plan p;
	struct sweep_setting set;

	if (sweep_plan_make(&p, s)) {
		must_hold(*fail_sentence());
		sweep_plan_free(&p);
		return;
	}
	must_hold(p.n_variants >= 2);
	(void)sweep_plan_until(&p);
	for (size_t v = 0; v < p.n_variants; v += 1 + p.n_variants / 16) {
		struct point point;

		sweep_plan_point(&p, v, &point);
		(void)sweep_plan_words(&p, v);
		for (size_t a = 0; a < p.n_axes; a++)
			for (size_t k = 0; sweep_plan_setting(
				     &p.axis[a], sweep_plan_value(&p, v, a), k,
				     &set);
			     k++)
				must_hold(*set.knob);
	}
	sweep_plan_add_jobs(&p, s->job, s->n_jobs);
	must_hold(p.job_s >= 0);
	sweep_plan_free(&p);
}

/* The first word is the model. */
static void look_at_disk(const struct settings *s)
{
	const struct disk_options o = {
		.model = s->arg.n ? s->arg.word[0] : "nvme",
		.bytes = 64u << 20,
		.faults = (const char *const *)s->disk.faults.word,
		.n_faults = s->disk.faults.n,
	};

	if (disk_check(&o))
		must_hold(*fail_sentence());
}

static void look_at_scratch(const char *text)
{
	const char *model;
	uint64_t bytes;

	if (text && *text != '/' && scratch_disk_parse(text, &bytes, &model))
		must_hold(*fail_sentence());
}

static void look_at(struct settings *s)
{
	struct header_fact *labels = NULL;
	struct plan plan = { 0 };

	must_hold(s->interval_s < 0 || s->interval_s <= 3600);
	for (size_t i = 0; i < s->at.n; i++)
		if (plan_add(&plan, s->at.word[i]))
			must_hold(*fail_sentence());
	for (size_t i = 1; i < plan.n; i++)
		must_hold(plan.step[i - 1].t_s <= plan.step[i].t_s);
	plan_free(&plan);
	if (options_labels(s, &labels))
		must_hold(*fail_sentence());
	free(labels);
	look_at_scratch(s->sweep.scratch);
	for (size_t i = 0; i < s->n_jobs; i++)
		if (job_check(&s->job[i]))
			must_hold(*fail_sentence());
}

FUZZ_TARGET(options)
{
	const struct command *command;
	struct words words = { 0 };
	char *text, *save = NULL;
	struct settings s;

	if (!size)
		return 0;
	command = &commands[data[0] % n_commands];
	text = as_string(data + 1, size - 1);
	for (char *w = strtok_r(text, "\n", &save); w && words.n < WORDS_MAX;
	     w = strtok_r(NULL, "\n", &save))
		options_add_word(&words, w);
	settings_init(&s, (int)words.n, words.word);
	if (words.n &&
	    options_parse(&s, command, (int)words.n, words.word)) {
		must_hold(*fail_sentence());
	} else {
		look_at(&s);
		if (command == command_find("sweep"))
			look_at_plan(&s);
		if (command == command_find("disk"))
			look_at_disk(&s);
	}
	settings_free(&s);
	free(words.word);
	free(text);
	return 0;
}
