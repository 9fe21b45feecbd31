/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * knob: queue knobs from the shell.
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/root.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/lists.h"
#include "cmd/options.h"
#include "cmd/recover.h"
#include "cmd/session/plan.h"
#include "cmd/sweep/sweep_stage.h"
#include "collect/collect.h"
#include "knob/keeper.h"
#include "knob/knob.h"
#include "model/event.h"
#include "model/schema/schema_host.h"

/* Whether the command line names the device of this knob id. */
static bool asked_for(const struct settings *s, const char *id)
{
	size_t n = strcspn(id, ".");

	for (size_t i = 1; i < s->arg.n; i++) {
		const char *name = strrchr(s->arg.word[i], '/');

		name = name ? name + 1 : s->arg.word[i];
		if (strlen(name) == n && !strncmp(name, id, n))
			return true;
	}
	return false;
}

/* Whether the word, such as "vm", is a group of settings of the machine. */
static bool is_host(const char *word)
{
	for (size_t i = 0; i < n_knobs; i++)
		if (knobs[i].host && !strcmp(knobs[i].host, word))
			return true;
	return false;
}

/*
 * Print a row per knob of the devices and groups that the command line names,
 * or of all.
 */
static int list(struct settings *s, const struct root *root)
{
	static const char *const columns[] = { "KNOB", "VALUE", "CHOICES" };
	char **device = xcalloc(s->arg.n + 1, sizeof(*device));
	struct collect_options options = { .no_tasks = true,
					   .all_devices = true,
					   .device = device };
	struct knob_sampler *sampler;
	struct collect *collect;
	struct sample sample = { 0 };
	struct listing *t;
	int rc;

	for (size_t i = 1; i < s->arg.n; i++)
		if (!is_host(s->arg.word[i]))
			device[options.n_devices++] = s->arg.word[i];
	rc = collect_open(&collect, root, &options);
	free(device);
	if (rc < 0)
		return command_failed(EXIT_FAILED);
	sampler = knob_sampler_new(root);
	collect_sample(collect, &sample);
	knob_sampler_read(sampler, &sample);
	t = lists_listing_new("knobs", columns, 3, s->json);
	for (size_t i = 0; i < sample.table[SCHEMA_KNOB].n; i++) {
		struct knob_raw *k = sample_row(&sample, SCHEMA_KNOB, i);

		if (s->arg.n > 1 && !asked_for(s, k->key.id))
			continue;
		lists_listing_add(t, (const char *const[]){ k->key.id, k->value,
							    k->choices });
	}
	lists_listing_print(t);
	sample_free(&sample);
	knob_sampler_free(sampler);
	collect_close(collect);
	return EXIT_DONE;
}

static int get(struct settings *s, const struct root *root)
{
	for (size_t i = 1; i < s->arg.n; i++) {
		char value[256], choices[1024];
		struct action a;

		if (!plan_split(s->arg.word[i], &a)) {
			fail(EINVAL,
			     "%s is not DEVICE.KNOB, such as "
			     "sda.scheduler",
			     s->arg.word[i]);
			return command_failed(EXIT_USAGE);
		}
		if (knob_get(root, a.device, a.knob, value, sizeof(value),
			     choices, sizeof(choices)) < 0)
			return command_failed(EXIT_FAILED);
		printf("%s\n", value);
	}
	return EXIT_DONE;
}

/* Wait for the answer to a turn; its side effects are printed on the way. */
static int answer(struct keeper *k, struct keeper_report *r)
{
	for (;;) {
		struct pollfd fd = { .fd = keeper_fd(k), .events = POLLIN };
		int got = keeper_receive(k, r);

		if (got < 0)
			return got;
		if (got == 0) {
			poll(&fd, 1, -1);
			continue;
		}
		if (r->kind == KEEPER_TURNED)
			return 0;
		if (r->kind == KEEPER_SHARED)
			command_say("another iodyno (process %d) has changed "
				    "%s; this value stays when it ends",
				    (int)r->owner, r->device);
		if (r->kind == KEEPER_CHANGED)
			printf("%s.%s: %s -> %s, as a consequence\n", r->device,
			       r->knob, *r->old_value ? r->old_value : "(none)",
			       *r->new_value ? r->new_value : "(none)");
	}
}

static int set_one(struct keeper *k, const struct root *root, const char *word)
{
	char copy[256], *eq, ns[32];
	struct keeper_report r;
	struct action a;

	eq = text_copy(copy, sizeof(copy), word) ? strchr(copy, '=') : NULL;
	if (eq)
		*eq = '\0';
	if (!eq || !eq[1] || !plan_split(copy, &a)) {
		fail(EINVAL,
		     "%s is not DEVICE.KNOB=VALUE, such as "
		     "sda.scheduler=bfq",
		     word);
		return command_failed(EXIT_USAGE);
	}
	if (knob_check(root, a.device, a.knob, eq + 1) < 0 ||
	    keeper_set(k, a.device, a.knob, eq + 1) < 0 || answer(k, &r) < 0)
		return command_failed(EXIT_FAILED);
	if (r.error) {
		struct event e = { .kind = EVENT_KNOB,
				   .error = r.error,
				   .by = "operator" };
		char words[512];

		text_copy(e.device, sizeof(e.device), r.device);
		text_copy(e.knob, sizeof(e.knob), r.knob);
		text_copy(e.old_value, sizeof(e.old_value), r.old_value);
		text_copy(e.wanted, sizeof(e.wanted), r.wanted);
		keeper_explain(root, &r, e.text, sizeof(e.text));
		command_say("%s", event_words(&e, words, sizeof(words)));
		return EXIT_FAILED;
	}
	printf("%s.%s: %s -> %s, took %s; undo: iodyno knob set %s.%s=%s\n",
	       r.device, r.knob, r.old_value, r.new_value,
	       units_format_ns(ns, sizeof(ns), (double)r.took_ns), r.device,
	       r.knob, r.old_value);
	return EXIT_DONE;
}

/* A value set from the shell stays: the keeper forgets it at the end. */
static int set(struct settings *s, const struct root *root)
{
	struct keeper *k;
	int status = EXIT_DONE;

	if (keeper_start(&k, root, -1) < 0)
		return command_failed(EXIT_FAILED);
	for (size_t i = 1; i < s->arg.n && status == EXIT_DONE; i++)
		status = set_one(k, root, s->arg.word[i]);
	if (keeper_forget(k) < 0 ||
	    keeper_stop(k, 10 * NS_PER_S, NULL, NULL) < 0)
		status = command_failed(EXIT_FAILED);
	return status;
}

/* Each setting that was put back, and the command for each that was not. */
static void print_restored(const struct keeper_report *r, void *arg)
{
	if (r->kind == KEEPER_HELD)
		printf("%s: held by process %d, which puts its settings back "
		       "when it ends\n",
		       r->device, (int)r->owner);
	if (r->kind != KEEPER_RESTORED)
		return;
	if (!r->error)
		printf("%s.%s: %s -> %s\n", r->device, r->knob, r->old_value,
		       r->new_value);
	else if (!*r->knob)
		printf("%s: not put back, because process %d is changing it\n",
		       r->device, (int)r->owner);
	else if (r->error == ESTALE)
		printf("%s.%s: left at %s: another program changed it since\n",
		       r->device, r->knob, r->new_value);
	else
		printf("%s.%s: still %s: %s; iodyno knob set %s.%s=%s\n",
		       r->device, r->knob, r->new_value, strerror(r->error),
		       r->device, r->knob, r->wanted);
}

static int restore(struct settings *s, const struct root *root)
{
	int n = keeper_restore_journals(root, print_restored, NULL);
	unsigned clusters;

	(void)sweep_memory_recover();
	clusters = recover_clusters(root);
	if (n < 0)
		return command_failed(EXIT_NOT_RESTORED);
	if (n == 0 && !clusters)
		printf("there is nothing to restore\n");
	return EXIT_DONE;
}

struct verb {
	const char *name;
	size_t least, most; /* arguments */
	bool reads; /* it starts no keeper */
	int (*run)(struct settings *s, const struct root *root);
};

static const struct verb verbs[] = {
	{ "list", 0, SIZE_MAX, true, list },
	{ "get", 1, SIZE_MAX, true, get },
	{ "set", 1, SIZE_MAX, false, set },
	{ "restore", 0, 0, false, restore },
};

int cmd_knob(struct settings *s)
{
	const char *name = s->arg.n ? s->arg.word[0] : "";
	struct root root;
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(verbs[i].name, name) ||
		    s->arg.n - 1 < verbs[i].least ||
		    s->arg.n - 1 > verbs[i].most)
			continue;
		if (root_open(&root, s->root) < 0)
			return command_failed(EXIT_USAGE);
		if (verbs[i].reads)
			recover_settings(&root);
		status = verbs[i].run(s, &root);
		root_close(&root);
		return status;
	}
	fail(EINVAL, "knob needs one of: list [DEVICE...], get DEVICE.KNOB..., "
		     "set DEVICE.KNOB=VALUE..., restore");
	return command_failed(EXIT_USAGE);
}
