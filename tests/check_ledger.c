/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ledger: stories drawn at random. Three instances turn the settings of one
 * device, end or are killed at any point, also in the middle of a write, and the
 * next start adopts what is left: afterwards the device is as it was. The device
 * behaves as the kernel's: a switch of the scheduler resets nr_requests and
 * creates or removes tunables, and a write of nr_requests resets a tunable, one of
 * max_sectors_kb the readahead.
 *
 * IODYNO_LEDGER_SEED=N tells the one story N, IODYNO_LEDGER_STORIES=N is their number.
 */
#include "knob/journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#include "test.h"

/* With IODYNO_WHOLE four times as many. */
#define STORIES   25000
#define INSTANCES 3
#define STEPS     12

enum { NONE, DEADLINE, KYBER, SCHEDULERS };
static const char *const scheduler_name[] = { "none", "mq-deadline", "kyber" };

#define TUNABLE "iosched.async_depth"

struct device {
	int scheduler, requests, sectors, ahead;
	int depth; /* the tunable; of DEADLINE only */
};

/* The books of an instance; empty ones are its journal removed. */
struct instance {
	struct ledger l;
	bool lives;
};

static struct device now;
static struct instance all[INSTANCES];
static uint64_t clock_ns;
static unsigned seed;
static bool tells;

static void tell(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
	va_list list;

	if (!tells)
		return;
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
}

static int draw(int n)
{
	return (int)(rand_r(&seed) / (RAND_MAX / (unsigned)n + 1));
}

static void scan_add(struct knob_scan *s, const char *name,
		     const char *scheduler, const char *value)
{
	struct knob_setting *k = &s->at[s->n++];

	memset(k, 0, sizeof(*k));
	k->row = knob_find(name);
	text_copy(k->name, sizeof(k->name), name);
	text_copy(k->scheduler, sizeof(k->scheduler), scheduler);
	text_copy(k->value, sizeof(k->value), value);
}

static struct knob_scan scan(struct knob_setting at[5])
{
	struct knob_scan s = { .at = at, .cap = 5 };
	char number[16];

	scan_add(&s, "scheduler", "", scheduler_name[now.scheduler]);
	snprintf(number, sizeof(number), "%d", now.sectors);
	scan_add(&s, "max_sectors_kb", "", number);
	snprintf(number, sizeof(number), "%d", now.ahead);
	scan_add(&s, "read_ahead_kb", "", number);
	snprintf(number, sizeof(number), "%d", now.requests);
	scan_add(&s, "nr_requests", "", number);
	if (now.scheduler == DEADLINE) {
		snprintf(number, sizeof(number), "%d", now.depth);
		scan_add(&s, TUNABLE, "mq-deadline", number);
	}
	return s;
}

/* As the kernel does it. */
static void apply(const char *knob, const char *value)
{
	if (!strcmp(knob, "scheduler")) {
		int to = 0;

		while (strcmp(scheduler_name[to], value))
			to++;
		if (to == now.scheduler)
			return;
		now.scheduler = to;
		now.requests = to == NONE ? 128 : 256;
		now.depth = now.requests;
	} else if (!strcmp(knob, "nr_requests")) {
		if (now.requests != atoi(value))
			now.depth = atoi(value);
		now.requests = atoi(value);
	} else if (!strcmp(knob, "max_sectors_kb")) {
		/* Also where the value is the same. */
		now.sectors = atoi(value);
		now.ahead = 2 * now.sectors;
	} else if (!strcmp(knob, "read_ahead_kb")) {
		now.ahead = atoi(value);
	} else if (now.scheduler == DEADLINE) {
		now.depth = atoi(value);
	}
}

static void append(struct ledger *to, const struct ledger *from)
{
	for (size_t i = 0; i < from->n; i++)
		ledger_add(to, &from->at[i]);
}

/* The books of all others, as journal_others() reads them. */
static void read_others(const struct instance *who,
			const struct knob_scan *present, struct ledger *out)
{
	struct ledger copy[INSTANCES] = { 0 }, raw = { 0 };

	for (int i = 0; i < INSTANCES; i++) {
		if (&all[i] == who)
			continue;
		append(&copy[i], &all[i].l);
		for (size_t k = 0; k < copy[i].n; k++)
			copy[i].at[k].owner = all[i].lives ? 100 + i : 0;
		append(&raw, &copy[i]);
	}
	out->n = 0;
	for (int i = 0; i < INSTANCES; i++) {
		ledger_settle(&copy[i], "vda", present, &raw);
		append(out, &copy[i]);
		ledger_free(&copy[i]);
	}
	ledger_free(&raw);
}

enum outcome { WHOLE, KILLED_BEFORE, KILLED_AFTER };

/* One write with its books, as write_knob() of turn.c makes it. */
static void write_knob(struct instance *who, const char *knob,
		       const char *value, enum outcome how)
{
	static const struct knob_identity id;
	struct knob_setting b[5], a[5];
	struct knob_scan before = scan(b), after;
	struct ledger others = { 0 };

	read_others(who, &before, &others);
	ledger_settle(&who->l, "vda", &before, &others);
	ledger_before(&who->l, "vda", &id, ++clock_ns, &before, knob, &others);
	if (how == KILLED_BEFORE) {
		ledger_turning(&who->l, "vda", knob, true);
	} else {
		apply(knob, value);
		after = scan(a);
		if (how == KILLED_AFTER)
			ledger_turning(&who->l, "vda", knob, true);
		else
			ledger_after(&who->l, "vda", &id, &before, &after,
				     &others);
	}
	ledger_free(&others);
	tell("%d: %s = %s%s -> %s nr %d depth %d ahead %d\n", (int)(who - all), knob,
	     value,
	     how == WHOLE           ? "" :
	     how == KILLED_BEFORE ? " (killed before)" :
				      " (killed after)",
	     scheduler_name[now.scheduler], now.requests, now.depth, now.ahead);
}

/* One entry: true when the setting is left to another instance. */
static bool restore_entry(struct instance *who, size_t i,
			  const struct ledger *others)
{
	struct ledger_entry *e = &who->l.at[i];
	struct knob_setting at[5];
	struct knob_scan present = scan(at);
	char value[KNOB_VALUE_MAX];
	const char *target;
	enum ledger_verdict verdict =
		ledger_judge(e, &present, others, &target);

	tell("   %s: orig '%s' ours '%s': verdict %d, target '%s'\n", e->name,
	     e->orig, e->ours, (int)verdict, target);
	if (verdict == LEDGER_WRITE) {
		text_copy(value, sizeof(value), target);
		write_knob(who, e->name, value, WHOLE);
	}
	return verdict == LEDGER_LEFT;
}

/* As restore_locked() of turn.c: adopted books are those of a dead instance. */
static void restore(struct instance *who, bool adopted, bool last)
{
	struct knob_setting at[5];
	struct knob_scan present = scan(at);
	struct ledger others = { 0 };
	struct knob_identity id;
	uint64_t since_ns;
	bool left = false;

	if (!ledger_device(&who->l, "vda", &id, &since_ns))
		return;
	read_others(who, &present, &others);
	ledger_settle(&who->l, "vda", &present, &others);
	tell("%d is put back%s\n", (int)(who - all),
	     adopted ? ", adopted" : "");
	if (ledger_later_owner(&others, adopted ? 0 : since_ns)) {
		tell("   held\n");
		ledger_free(&others);
		return;
	}
	for (size_t k = 0; k < n_knobs; k++)
		for (size_t i = 0; i < who->l.n; i++)
			if (who->l.at[i].row == &knobs[k] &&
			    restore_entry(who, i, &others))
				left = true;
	for (size_t i = 0; i < others.n; i++)
		left = left || !others.at[i].owner;
	if (!left || last)
		ledger_free(&who->l);
	ledger_free(&others);
}

/* The journals of the dead, in any order, until none needs another look. */
static void adopt(void)
{
	int first = draw(INSTANCES);

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < INSTANCES; i++) {
			struct instance *who = &all[(first + i) % INSTANCES];

			if (!who->lives)
				restore(who, true, pass == 1);
		}
}

static void end(struct instance *who)
{
	restore(who, false, false);
	who->lives = false;
	adopt();
}

static void step(struct instance *who)
{
	static const struct {
		const char *knob;
		const char *value[3];
	} turn[] = {
		{ "scheduler", { "none", "mq-deadline", "kyber" } },
		{ "nr_requests", { "64", "32", "100" } },
		{ "read_ahead_kb", { "64", "256", "1024" } },
		{ "max_sectors_kb", { "64", "1280", "512" } },
		{ TUNABLE, { "16", "64", "90" } },
	};
	int knob = draw(5), value = draw(3), what = draw(10);
	enum outcome how = WHOLE;

	if (!who->lives)
		return;
	if (what == 0) {
		end(who);
		return;
	}
	if (what == 1) {
		tell("%d is killed\n", (int)(who - all));
		who->lives = false;
		return;
	}
	if (knob == 4 && now.scheduler != DEADLINE)
		return;
	if (what == 2) {
		how = draw(2) ? KILLED_AFTER : KILLED_BEFORE;
		who->lives = false;
	}
	write_knob(who, turn[knob].knob, turn[knob].value[value], how);
}

static bool is_as_it_was(const struct device *begin)
{
	return now.scheduler == begin->scheduler &&
	       now.requests == begin->requests && now.ahead == begin->ahead &&
	       now.sectors == begin->sectors &&
	       (now.scheduler != DEADLINE || now.depth == begin->depth);
}

/* True when all is back, and no books are left. */
static bool story(unsigned number)
{
	static const int requests[] = { 64, 100, 128, 256 };
	struct device begin;
	bool good;
	int first;

	seed = number;
	now.scheduler = draw(SCHEDULERS);
	now.requests = requests[draw(4)];
	now.depth = draw(2) ? 33 : now.requests;
	now.sectors = 1280;
	now.ahead = 128;
	begin = now;
	tell("%s nr %d depth %d\n", scheduler_name[now.scheduler],
	     now.requests, now.depth);
	for (int i = 0; i < INSTANCES; i++)
		all[i].lives = true;
	for (int i = 0; i < STEPS; i++)
		step(&all[draw(INSTANCES)]);
	first = draw(INSTANCES);
	for (int i = 0; i < INSTANCES; i++) {
		struct instance *who = &all[(first + i) % INSTANCES];

		if (who->lives)
			end(who);
	}
	adopt();
	good = is_as_it_was(&begin);
	for (int i = 0; i < INSTANCES; i++) {
		good = good && !all[i].l.n;
		ledger_free(&all[i].l);
	}
	return good;
}

START_TEST(the_device_is_as_it_was)
{
	const char *one = getenv("IODYNO_LEDGER_SEED");
	const char *many = getenv("IODYNO_LEDGER_STORIES");
	unsigned lost = 0, last = 0, n;

	n = many                     ? (unsigned)atoi(many)
	    : getenv("IODYNO_WHOLE") ? 4 * STORIES
				     : STORIES;
	tells = one != NULL;
	for (unsigned i = 0; i < n && !one; i++)
		if (!story(i)) {
			lost++;
			last = i;
		}
	if (one)
		ck_assert(story((unsigned)atoi(one)));
	ck_assert_msg(!lost, "%u of %u stories lost a setting, the last is %u",
		      lost, n, last);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("ledger");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, the_device_is_as_it_was);
	suite_add_tcase(suite, t);
}
