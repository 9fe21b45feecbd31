/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knob: queue knobs from the shell. */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/root.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/lists.h"
#include "cmd/options.h"
#include "cmd/session/plan.h"
#include "cmd/sweep/sweep_stage.h"
#include "collect/collect.h"
#include "knob/journal.h"
#include "knob/keeper.h"
#include "knob/knob.h"
#include "model/event.h"
#include "model/schema/schema_machine.h"

/* Whether the command line names the device of this knob id. */
static bool asked_for(const struct settings *s, const char *id)
{
	size_t n = strcspn(id, ".");

	for (size_t i = 1; i < s->arg.n; i++) {
		const char *name = text_base(s->arg.word[i]);

		if (strlen(name) == n && !strncmp(name, id, n))
			return true;
	}
	return false;
}

static struct listing *cmd_knob_listing(const struct settings *s,
					const struct sample *sample, bool all)
{
	static const char *const columns[] = { "KNOB", "VALUE", "CHOICES" };
	struct listing *t = lists_listing_new("knobs", columns, 3, s->json);

	for (size_t i = 0; i < sample->table[SCHEMA_KNOB].n; i++) {
		struct knob_raw *k = sample_row(sample, SCHEMA_KNOB, i);

		if (all || asked_for(s, k->key.id))
			lists_listing_add(t, (const char *const[]){
						     k->key.id, k->value,
						     k->choices });
	}
	return t;
}

/* The knobs that most people turn, a row per device. */
static struct listing *cmd_knob_short(const struct sample *sample)
{
	enum { N = 6 };
	static const char *const columns[N] = { "DEVICE",	"scheduler",
						"read_ahead_kb",  "nr_requests",
						"max_sectors_kb", "wbt_lat_usec" };
	struct listing *t = lists_listing_new("knobs", columns, N, false);
	const size_t n = sample->table[SCHEMA_KNOB].n;

	for (size_t i = 0; i < sample->table[SCHEMA_DEVICE].n; i++) {
		struct device_raw *d = sample_row(sample, SCHEMA_DEVICE, i);
		const size_t length = strlen(d->key.id);
		const char *cell[N] = { d->key.id };
		bool any = false;

		for (size_t j = 0; j < n; j++) {
			struct knob_raw *k = sample_row(sample, SCHEMA_KNOB, j);

			if (strncmp(k->key.id, d->key.id, length) ||
			    k->key.id[length] != '.')
				continue;
			any = true;
			for (size_t c = 1; c < N; c++)
				if (!strcmp(k->key.id + length + 1, columns[c]))
					cell[c] = k->value;
		}
		if (any)
			lists_listing_add(t, cell);
	}
	return t;
}

/*
 * Print a row per knob of the devices and groups that the command line names,
 * or of all; without a name the main ones of all devices.
 */
static int cmd_knob_list(struct settings *s, const struct root *root)
{
	char **device = xcalloc(s->arg.n + 1, sizeof(*device));
	struct collect_options options = { .no_tasks = true,
					   .all_devices = true,
					   .device = device };
	struct knob_sampler *sampler;
	struct collect *collect;
	struct sample sample = { 0 };
	bool all = s->arg.n == 1 && s->json;
	int rc;

	for (size_t i = 1; i < s->arg.n; i++)
		if (!strcmp(s->arg.word[i], "all"))
			all = true;
		else if (!knob_is_host(s->arg.word[i]))
			device[options.n_devices++] = s->arg.word[i];
	if (all)
		options.n_devices = 0;
	rc = collect_open(&collect, root, &options);
	free(device);
	if (rc < 0)
		return command_failed(EXIT_FAILED);
	sampler = knob_sampler_new(root);
	collect_sample(collect, &sample);
	knob_sampler_read(sampler, &sample);
	lists_listing_print(s->arg.n == 1 && !all
				    ? cmd_knob_short(&sample)
				    : cmd_knob_listing(s, &sample, all));
	if (s->arg.n == 1 && !all)
		printf("all settings: iodyno knob list DEVICE, vm, kernel or "
		       "all\n");
	sample_free(&sample);
	knob_sampler_free(sampler);
	collect_close(collect);
	return EXIT_DONE;
}

static int cmd_knob_get(struct settings *s, const struct root *root)
{
	for (size_t i = 1; i < s->arg.n; i++) {
		char value[256], choices[1024];
		struct action a;

		if (!plan_split(s->arg.word[i], &a)) {
			fail(EINVAL,
			     "%s is not DEVICE.KNOB, such as sda.scheduler; "
			     "see iodyno knob list DEVICE",
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

/* A write that takes longer is stuck in the kernel. */
#define PATIENCE_NS (10 * NS_PER_S)

/* Wait for the answer to a turn; its side effects are printed on the way. */
static int cmd_knob_answer(struct keeper *k, struct keeper_report *r)
{
	const uint64_t begin = clock_mono_ns();

	for (;;) {
		struct pollfd fd = { .fd = keeper_fd(k), .events = POLLIN };
		int got = keeper_receive(k, r);

		if (got < 0)
			return got;
		if (got == 0 && clock_mono_ns() - begin > PATIENCE_NS)
			return fail(ETIMEDOUT,
				    "%s has not taken the value after 10 s; "
				    "see what its device waits for",
				    keeper_pending(k, NULL));
		if (got == 0) {
			poll(&fd, 1, 1000);
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

/* One DEVICE.KNOB=VALUE of the command line. */
struct assignment {
	struct action a;   /* device and knob */
	const char *value; /* borrowed */
	int order;         /* of its row; 0: the knob is unknown */
	size_t nth;        /* on the command line */
	char held[KNOB_VALUE_MAX]; /* the value after the write */
};

static int assignment_parse(struct assignment *to, const char *word)
{
	const char *eq = strchr(word, '=');
	const struct knob *row;
	char id[128];

	snprintf(id, sizeof(id), "%.*s", eq ? (int)(eq - word) : 0, word);
	if (!eq || !eq[1] || (size_t)(eq - word) >= sizeof(id) ||
	    !plan_split(id, &to->a))
		return fail(EINVAL,
			    "%s is not DEVICE.KNOB=VALUE, such as "
			    "sda.scheduler=bfq",
			    word);
	row = knob_find(to->a.knob);
	to->value = eq + 1;
	to->order = row ? row->order : 0;
	return 0;
}

static int by_order(const void *x, const void *y)
{
	const struct assignment *a = x, *b = y;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->nth < b->nth ? -1 : a->nth > b->nth;
}

static int set_one(struct keeper *k, const struct root *root,
		   struct assignment *one)
{
	const struct action *a = &one->a;
	struct keeper_report r;

	if (knob_check(root, a->device, a->knob, one->value) < 0 ||
	    keeper_set(k, a->device, a->knob, one->value) < 0 ||
	    cmd_knob_answer(k, &r) < 0)
		return command_failed(EXIT_FAILED);
	if (r.error) {
		struct event e = { .kind = EVENT_KNOB,
				   .error = r.error,
				   .by = BY_OPERATOR };
		char words[512];

		text_set(e.device, r.device);
		text_set(e.knob, r.knob);
		text_set(e.old_value, r.old_value);
		text_set(e.wanted, r.wanted);
		keeper_explain(root, &r, e.text, sizeof(e.text));
		command_say("%s", event_words(&e, words, sizeof(words)));
		return EXIT_FAILED;
	}
	text_set(one->held, r.new_value);
	printf("%s.%s: %s -> %s, took %s; undo: iodyno knob set %s.%s=%s\n",
	       r.device, r.knob, r.old_value, r.new_value,
	       units_ns((double)r.took_ns).text, r.device, r.knob, r.old_value);
	return EXIT_DONE;
}

/*
 * Read a setting again behind the writes of all others: a write can change
 * another setting, also one of a device above or below.
 */
static int cmd_knob_check_one(const struct root *root,
			      const struct assignment *one)
{
	const struct action *a = &one->a;
	char now[KNOB_VALUE_MAX];

	if (knob_get(root, a->device, a->knob, now, sizeof(now), NULL, 0) < 0)
		return command_failed(EXIT_FAILED);
	if (!strcmp(now, one->held))
		return EXIT_DONE;
	command_say("%s.%s is %s now, not %s: a later write of this command or "
		    "another program changed it",
		    a->device, a->knob, now, one->held);
	return EXIT_FAILED;
}

/* In the order of the table, so that no write resets what was set before. */
static int set_all(struct keeper *k, const struct root *root,
		   struct assignment *all, size_t n)
{
	int status = EXIT_DONE, bad;

	qsort(all, n, sizeof(*all), by_order);
	for (size_t i = 0; i < n && status == EXIT_DONE; i++)
		status = set_one(k, root, &all[i]);
	if (status != EXIT_DONE)
		return status;
	for (size_t i = 0; i < n; i++) {
		bad = cmd_knob_check_one(root, &all[i]);
		if (bad != EXIT_DONE)
			status = bad;
	}
	return status;
}

/* A value set from the shell stays: the keeper forgets it at the end. */
static int cmd_knob_set(struct settings *s, const struct root *root)
{
	const size_t n = s->arg.n - 1;
	struct assignment *all = xcalloc(n, sizeof(*all));
	struct keeper *k;
	int status = EXIT_DONE;

	for (size_t i = 0; i < n && status == EXIT_DONE; i++) {
		all[i].nth = i;
		if (assignment_parse(&all[i], s->arg.word[i + 1]) < 0)
			status = command_failed(EXIT_USAGE);
	}
	if (status == EXIT_DONE && keeper_start(&k, root, -1) < 0)
		status = command_failed(EXIT_FAILED);
	if (status != EXIT_DONE)
		goto out;
	status = set_all(k, root, all, n);
	if (keeper_forget(k) < 0 ||
	    keeper_stop(k, PATIENCE_NS, NULL, NULL) < 0)
		status = command_failed(EXIT_FAILED);
out:
	free(all);
	return status;
}

/* Each setting that was put back, and the command for each that was not. arg
 * counts them. */
static void print_restored(const struct keeper_report *r, void *arg)
{
	int *n = arg;

	*n += r->kind == KEEPER_RESTORED && !r->error;
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

static int cmd_knob_restore(struct settings *s, const struct root *root)
{
	int put = 0, n;
	unsigned clusters;

	/* A keeper does it: it stays when a write is stuck in the kernel. */
	if (keeper_recover(root, print_restored, &put) == -ETIMEDOUT)
		return command_failed(EXIT_NOT_RESTORED);
	n = keeper_restore_journals(root, print_restored, &put);

	/* Journals that others could have written are not read: say so. */
	if (n == 0 && geteuid() == 0 &&
	    (journal_dir_check(root) < 0 || journal_check_owners(root) < 0))
		return command_failed(EXIT_NOT_RESTORED);
	clusters = command_recover_clusters(root);
	if (n < 0)
		return command_failed(EXIT_NOT_RESTORED);
	if (!put && !clusters)
		printf("there is nothing to restore: no killed run left "
		       "settings; knob set prints the undo of its changes\n");
	return EXIT_DONE;
}

struct verb {
	const char *name;
	size_t least, most; /* arguments */
	bool reads; /* it starts no keeper */
	int (*run)(struct settings *s, const struct root *root);
};

static const struct verb verbs[] = {
	{ "list", 0, SIZE_MAX, true, cmd_knob_list },
	{ "get", 1, SIZE_MAX, true, cmd_knob_get },
	{ "set", 1, SIZE_MAX, false, cmd_knob_set },
	{ "restore", 0, 0, false, cmd_knob_restore },
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
			command_recover(&root);
		status = verbs[i].run(s, &root);
		root_close(&root);
		return status;
	}
	fail(EINVAL, "knob needs one of: list [DEVICE...|all], get DEVICE.KNOB..., "
		     "set DEVICE.KNOB=VALUE..., restore");
	return command_failed(EXIT_USAGE);
}
