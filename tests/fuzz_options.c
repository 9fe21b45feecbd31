/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the words of a command line and their values. The first byte
 * chooses the command, a line is a word.
 */
#include "base/attributes.h"
#include "base/fail.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/session/plan.h"
#include "model/job/job.h"

#include "fuzz.h"

#define WORDS_MAX 64

static void look_at(struct settings *s)
{
	struct label *labels = NULL;
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
	for (size_t i = 0; i < s->n_jobs; i++)
		if (job_check(&s->job[i]))
			must_hold(*fail_sentence());
}

FUZZ_TARGET(options)
{
	char *word[WORDS_MAX + 1] = { 0 }, *text, *save = NULL;
	struct settings s;
	int n = 0;

	if (!size)
		return 0;
	text = as_string(data + 1, size - 1);
	for (char *w = strtok_r(text, "\n", &save); w && n < WORDS_MAX;
	     w = strtok_r(NULL, "\n", &save))
		word[n++] = w;
	settings_init(&s, n, word);
	if (options_parse(&s, &commands[data[0] % n_commands], n, word))
		must_hold(*fail_sentence());
	else
		look_at(&s);
	settings_free(&s);
	free(text);
	return 0;
}
