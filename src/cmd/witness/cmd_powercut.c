/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * powercut: what a loss of power left of a run that had a witness. check compares
 * the targets with the ledger, and adds a line to powercut.jsonl beside the
 * ledger; report sums up these lines.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "model/stats/probability.h"
#include "workload/witness/witness.h"

/* Exit statuses of their own: see the manual. */
#define EXIT_OTHER_DEVICE 3
#define HISTORY	      "powercut.jsonl"
#define HISTORY_MOST  100000
#define CONFIDENCE    0.95

/* --- check --- */

static uint64_t powercut_bad(const struct powercut_result *r)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < POWERCUT_CLASSES; i++)
		n += powercut_is_bad(i) ? r->count[i] : 0;
	return n;
}

/* Whether the power was cut at all: the run did not end by itself. */
static bool powercut_was_cut(const struct powercut *p)
{
	return !p->ended || p->failed;
}

static void print_classes(const struct powercut_result *r)
{
	const char *help, *name;

	for (unsigned i = 0; (name = powercut_class_name(i, &help)); i++)
		if (r->count[i])
			printf("  %-11s %10llu  %s\n", name,
			       (unsigned long long)r->count[i], help);
	if (r->unserialisable)
		printf("  %llu of the lost blocks were flushed before others "
		       "that are there: the order of the flushes is broken\n",
		       (unsigned long long)r->unserialisable);
}

static void print_blocks(const struct powercut *p,
			 const struct powercut_result *r)
{
	const char *help;
	char age[80] = "";

	for (unsigned i = 0; i < r->n_blocks; i++) {
		const struct powercut_block *b = &r->block[i];

		if (isfinite(b->age_ms))
			snprintf(age, sizeof(age), ", flushed %.3f s before "
						   "the last record",
				 b->age_ms / 1000);
		printf("  %s at offset %llu of %s%s: %s\n",
		       powercut_class_name(b->class, &help),
		       (unsigned long long)b->offset,
		       p->target[b->target].path,
		       isfinite(b->age_ms) ? age : "", b->words);
	}
	if (powercut_bad(r) > r->n_blocks)
		printf("  and %llu more\n",
		       (unsigned long long)(powercut_bad(r) - r->n_blocks));
}

/* "/dev/loop3 (loop3 (write back), vda (write through))". */
static void powercut_stack(const struct powercut_target *t, char *buf,
			   size_t size)
{
	if (t->device)
		snprintf(buf, size, "%s (%s)", t->path, t->chain);
	else
		snprintf(buf, size, "what is below %s (%s; %s)", t->path,
			 t->file_system, t->chain);
}

/* The sentence; the caller prints it. */
static void powercut_sentence(const struct powercut *p,
			      const struct powercut_result *r, char *buf,
			      size_t size)
{
	const uint64_t torn = r->count[POWERCUT_TORN];
	const uint64_t lost = r->count[POWERCUT_LOST] +
			      r->count[POWERCUT_SHORT] +
			      r->count[POWERCUT_MISSING] + torn;
	const uint64_t bad = powercut_bad(r);
	char stack[700], age[80] = "", part[40] = "";

	if (!bad) {
		snprintf(buf, size,
			 "all %llu guaranteed blocks are there (1 cut)",
			 (unsigned long long)r->guaranteed);
		return;
	}
	powercut_stack(&p->target[r->worst_target], stack, sizeof(stack));
	if (isfinite(r->newest_age_ms))
		snprintf(age, sizeof(age),
			 "; the newest of them was flushed %.3g s before the "
			 "last record",
			 r->newest_age_ms / 1000);
	if (torn && torn == lost)
		strcpy(part, " in part");
	else if (torn)
		snprintf(part, sizeof(part), ", %llu of them in part",
			 (unsigned long long)torn);
	if (lost == bad)
		snprintf(buf, size,
			 "%llu of %llu guaranteed blocks are lost%s%s: %s drops "
			 "%s",
			 (unsigned long long)lost,
			 (unsigned long long)r->guaranteed, part, age, stack,
			 isfinite(r->newest_age_ms)
				 ? "flushes"
				 : "writes that were to be durable");
	else if (lost)
		snprintf(buf, size,
			 "%llu of %llu guaranteed blocks are lost%s, and %llu "
			 "damaged%s: %s does not keep what it flushed",
			 (unsigned long long)lost,
			 (unsigned long long)r->guaranteed, part,
			 (unsigned long long)(bad - lost), age, stack);
	else
		snprintf(buf, size,
			 "%llu of %llu guaranteed blocks are damaged%s: %s "
			 "does not keep what it flushed",
			 (unsigned long long)bad,
			 (unsigned long long)r->guaranteed, age, stack);
}

static struct json *powercut_json(const struct powercut *p,
				  const struct powercut_result *r,
				  const char *ledger)
{
	struct json *j = json_new_object(), *classes = json_new_object();
	const char *help, *name;

	json_put_text(j, "type", "powercut");
	json_put_number(j, "schema", 1);
	json_put_text(j, "ledger", ledger);
	json_put_text(j, "run", p->run);
	json_put_text(j, "time", p->time);
	json_put_text(j, "host", p->host);
	json_put_text(j, "target", p->target[0].path);
	json_put_bool(j, "cut", powercut_was_cut(p));
	json_put_number(j, "records", (double)p->lines);
	json_put_number(j, "writes", (double)p->writes);
	json_put_number(j, "flushes", (double)p->flushes);
	json_put_number(j, "failed_flushes", (double)p->failed_flushes);
	json_put_number(j, "guaranteed", (double)r->guaranteed);
	json_put_number(j, "bad", (double)powercut_bad(r));
	json_put_number(j, "unserialisable", (double)r->unserialisable);
	for (unsigned i = 0; (name = powercut_class_name(i, &help)); i++)
		json_put_number(classes, name, (double)r->count[i]);
	json_put(j, "class", classes);
	return j;
}

/* "powercut.jsonl" in the directory of the ledger; the caller frees it. */
static char *powercut_history(const char *ledger)
{
	const char *slash = strrchr(ledger, '/');

	return slash ? xasprintf("%.*s" HISTORY, (int)(slash - ledger + 1),
				 ledger)
		     : xstrdup(HISTORY);
}

static int powercut_remember(const char *ledger, const char *line, size_t n)
{
	char *path = powercut_history(ledger);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
		      0644);
	char *text = xasprintf("%.*s\n", (int)n, line);
	int rc = 0;

	if (fd < 0 || write(fd, text, n + 1) != (ssize_t)n + 1)
		rc = fail(errno, "cannot add the result to %s: %s", path,
			  strerror(errno));
	if (fd >= 0)
		close(fd);
	free(text);
	free(path);
	return rc;
}

static void print_check(const struct powercut *p,
			const struct powercut_result *r)
{
	char words[1200];

	powercut_sentence(p, r, words, sizeof(words));
	printf("%s.\n", words);
	print_classes(r);
	print_blocks(p, r);
	printf("%llu records: %llu writes completed, %llu flushes",
	       (unsigned long long)p->lines, (unsigned long long)p->writes,
	       (unsigned long long)p->flushes);
	if (p->failed_flushes)
		printf(", %llu of which failed and %llu came after a failed one "
		       "and guarantee nothing",
		       (unsigned long long)p->failed_flushes,
		       (unsigned long long)p->after_failed);
	printf("\n");
	if (p->torn)
		printf("The last line of the ledger is torn and left out.\n");
	if (!powercut_was_cut(p))
		printf("The run ended by itself: no power was cut, so this "
		       "proves nothing about a loss of power.\n");
}

static int check_targets(const struct powercut *p, const char *target,
			 struct powercut_result *r)
{
	int rc = 0;

	if (target && p->n_targets > 1)
		return fail(EINVAL, "the ledger has %zu files; check them at "
				    "their own paths, without a TARGET",
			    p->n_targets);
	r->newest_age_ms = r->oldest_age_ms = NAN;
	for (size_t i = 0; i < p->n_targets && rc == 0; i++)
		rc = powercut_check(p, i, target, r);
	return rc;
}

static int check_status(int rc)
{
	return command_failed(rc == -EINVAL   ? EXIT_USAGE
			      : rc == -ENODEV ? EXIT_OTHER_DEVICE
					      : EXIT_FAILED);
}

static int check(struct settings *s, const char *ledger, const char *target)
{
	struct powercut p;
	struct powercut_result r = { 0 };
	int rc = powercut_load(&p, ledger), status = EXIT_DONE;

	if (rc == 0)
		rc = check_targets(&p, target, &r);
	if (rc == 0 && !r.guaranteed)
		rc = fail(ENODATA, "no block was guaranteed before the end of "
				   "%s: nothing is checked", ledger);
	if (rc == 0) {
		struct json *j = powercut_json(&p, &r, ledger);
		const char *line;
		size_t n;

		line = json_text(j, &n);
		if (s->json)
			printf("%.*s\n", (int)n, line);
		else
			print_check(&p, &r);
		if (powercut_remember(ledger, line, n) < 0)
			status = command_failed(EXIT_FAILED);
		json_free(j);
		status = powercut_bad(&r) ? EXIT_FAILED : status;
	}
	powercut_free(&p);
	return rc < 0 ? check_status(rc) : status;
}

/* --- report --- */

struct cut_result {
	char run[20], target[200];
	double guaranteed, bad;
};

struct cuts {
	struct cut_result *item;
	size_t n, cap;
	uint64_t skipped; /* lines that are no results, or without a cut */
};

/* A later check of a run replaces an earlier one. */
static void cuts_add(struct cuts *c, struct json *j)
{
	struct cut_result one = { .guaranteed = json_get_number(j, "guaranteed"),
				  .bad = json_get_number(j, "bad") };
	const char *run = json_get_string(j, "run");
	const char *target = json_get_string(j, "target");
	size_t i = 0;

	if (!run || !*run || !(one.guaranteed > 0) || !(one.bad >= 0) ||
	    !json_true(json_get(j, "cut")) || c->n == HISTORY_MOST) {
		c->skipped++;
		return;
	}
	text_set(one.run, run);
	text_set(one.target, target ? target : "");
	text_clean(one.run);
	text_clean(one.target);
	while (i < c->n && strcmp(c->item[i].run, one.run) != 0)
		i++;
	if (i == c->n) {
		c->item = xgrow(c->item, &c->cap, c->n + 1, sizeof(*c->item));
		c->n++;
	}
	c->item[i] = one;
}

static int cuts_read(struct cuts *c, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (!f)
		return fail(errno, "cannot read %s: %s; iodyno powercut check "
				   "makes it", path, strerror(errno));
	while ((n = getline(&line, &size, f)) > 0) {
		struct json *j = NULL;

		if (n > 100000 || json_parse(line, (size_t)n, &j) < 0)
			c->skipped++;
		else
			cuts_add(c, j);
		json_free(j);
	}
	free(line);
	fclose(f);
	return 0;
}

static void print_report(const struct cuts *c, size_t lossy)
{
	const double tail = (1 - CONFIDENCE) / 2;
	size_t k = c->n;

	if (!lossy) {
		printf("%zu cut%s, no loss: with 95 %% confidence fewer than "
		       "%.3g %% of cuts lose something.\n",
		       k, k == 1 ? "" : "s",
		       100 * probability_share_most(0, k, 1 - CONFIDENCE));
	} else {
		printf("%zu of %zu cut%s lost or damaged guaranteed blocks: "
		       "with 95 %% confidence that happens at %.3g %% to "
		       "%.3g %% of cuts.\n",
		       lossy, k, k == 1 ? "" : "s",
		       100 * probability_share_least(lossy, k, tail),
		       100 * probability_share_most(lossy, k, tail));
	}
	for (size_t i = 0; i < k; i++)
		printf("  %s  %10.0f guaranteed  %10.0f bad  %s\n",
		       c->item[i].run, c->item[i].guaranteed, c->item[i].bad,
		       c->item[i].target);
	if (c->skipped)
		printf("%llu line%s left out: no result, or no power was cut\n",
		       (unsigned long long)c->skipped,
		       c->skipped == 1 ? "" : "s");
}

static void json_report(const struct cuts *c, size_t lossy)
{
	const double tail = lossy ? (1 - CONFIDENCE) / 2 : 1 - CONFIDENCE;
	struct json *j = json_new_object();
	size_t n;

	json_put_text(j, "type", "powercut_report");
	json_put_number(j, "cuts", (double)c->n);
	json_put_number(j, "lossy", (double)lossy);
	json_put_number(j, "least_pct",
			100 * probability_share_least(lossy, c->n, tail));
	json_put_number(j, "most_pct",
			100 * probability_share_most(lossy, c->n, tail));
	printf("%s\n", json_text(j, &n));
	json_free(j);
}

static int report(struct settings *s, const char *folder)
{
	char *path = xasprintf("%s/" HISTORY, folder);
	struct cuts c = { 0 };
	size_t lossy = 0;
	int rc = cuts_read(&c, path);

	if (rc == 0 && !c.n)
		rc = fail(ENODATA, "%s has no result of a cut", path);
	for (size_t i = 0; i < c.n; i++)
		lossy += c.item[i].bad > 0;
	if (rc == 0 && s->json)
		json_report(&c, lossy);
	else if (rc == 0)
		print_report(&c, lossy);
	free(c.item);
	free(path);
	return rc < 0 ? command_failed(EXIT_FAILED) : EXIT_DONE;
}

int cmd_powercut(struct settings *s)
{
	const char *verb = s->arg.n ? s->arg.word[0] : "";

	if (!strcmp(verb, "check") && (s->arg.n == 2 || s->arg.n == 3))
		return check(s, s->arg.word[1],
			     s->arg.n == 3 ? s->arg.word[2] : NULL);
	if (!strcmp(verb, "report") && s->arg.n <= 2)
		return report(s, s->arg.n == 2 ? s->arg.word[1] : ".");
	fail(EINVAL, "powercut needs check LEDGER [TARGET], or report "
		     "[DIRECTORY]");
	return command_failed(EXIT_USAGE);
}
