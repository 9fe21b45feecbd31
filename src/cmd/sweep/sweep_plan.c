/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep plan: from options to axes and variants. */
#include "cmd/sweep/sweep_plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/scratch_disk.h"
#include "cmd/session/plan.h"
#include "cmd/sweep/sweep_audit.h"
#include "knob/knob.h"
#include "model/job/job.h"

#define DEFAULT_SETTLE_NS   60000000000ull
#define DEFAULT_BLOCKS      5
#define SWEEP_TEXT	    4096 /* characters of a value of an option */
#define PTS_BLOCKS          3 /* that the rule schedules */
#define DEFAULT_DIRTY_BYTES (16u << 20)

const struct text_word sweep_plan_colds[] = {
	{ "evict", "each job drops the cached pages of its own target" },
	{ "drop", "drop_caches of the whole machine, too" },
	{ "none", "caches stay as the run before left them" },
	{ "remount", "files are laid out, then the file system of --vary=fs is "
		     "unmounted and mounted" },
	{ NULL, NULL },
};

/* In the order of the bits. */
const struct text_word sweep_plan_preconditions[] = {
	{ "discard", "all blocks are discarded" },
	{ "fill", "all blocks are written twice, in order, with random data" },
	{ "discard-fill", "both, as SNIA's performance test asks for" },
	{ NULL, NULL },
};

const struct text_word sweep_plan_orders[] = {
	{ "random", "shuffled anew in each block" },
	{ "listed", "as listed: order and drift are confounded" },
	{ NULL, NULL },
};

const struct text_word sweep_plan_resumes[] = {
	{ "run", "at the interrupted run" },
	{ "block", "at the start of its block, with all runs of the block" },
	{ NULL, NULL },
};

const struct text_word sweep_plan_rules[] = {
	{ "pts2018",
	  "more runs, to at most 6, while sd / mean is above 3.5 %" },
	{ NULL, NULL },
};

/* --- axes --- */

static bool set_axis(struct sweep_axis *a, enum sweep_axis_kind kind,
		     const char *name)
{
	a->kind = kind;
	return text_copy(a->name, sizeof(a->name), name);
}

/* Keys that are neither a knob nor an option. */
static const struct special {
	const char *key;
	enum sweep_axis_kind kind;
} specials[] = {
	{ "kernel", SWEEP_KERNEL },
	{ "fs", SWEEP_FS },
	{ "job", SWEEP_JOB },
	{ "label", SWEEP_LABEL },
};

/*
 * Readahead as blockdev --setra and its manual have it: in sectors of 512
 * bytes. The knob is read_ahead_kb.
 */
#define SETRA "setra"

/* The commands that a sweep compares, the option exec of a job. */
#define COMMANDS "cmd"

static bool take_setra(struct sweep_axis *a)
{
	const char *name = strrchr(a->key, '.');

	if (strcmp(name ? name + 1 : a->key, SETRA) != 0)
		return false;
	if (name)
		snprintf(a->device, sizeof(a->device), "%.*s",
			 (int)(name - a->key), a->key);
	a->divisor = 2;
	return set_axis(a, SWEEP_KNOB, "read_ahead_kb");
}

static const char *sweep_plan_key_at(size_t i, const void *arg)
{
	return i < n_knobs ? knobs[i].name : job_option_at(i - n_knobs)->name;
}

/* The kind of an axis, by its key. */
static int sweep_plan_find_kind(struct sweep_axis *a)
{
	struct action split = { .kind = ACTION_NONE };
	size_t n = 0;

	a->divisor = 1;
	if (take_setra(a))
		return 0;
	if (!strcmp(a->key, COMMANDS))
		return set_axis(a, SWEEP_OPTION, "exec") ? 0 : -1;

	for (size_t i = 0; i < ARRAY_SIZE(specials); i++)
		if (!strcmp(a->key, specials[i].key))
			return set_axis(a, specials[i].kind, a->key) ? 0 : -1;
	if (knob_find(a->key))
		return set_axis(a, SWEEP_KNOB, a->key) ? 0 : -1;
	if (!strncmp(a->key, "job.", 4) && strrchr(a->key, '.') > a->key + 4) {
		snprintf(a->job, sizeof(a->job), "%.*s",
			 (int)(strrchr(a->key, '.') - a->key - 4), a->key + 4);
		set_axis(a, SWEEP_OPTION, strrchr(a->key, '.') + 1);
	} else if (plan_split(a->key, &split) && knob_find(split.knob)) {
		text_copy(a->device, sizeof(a->device), split.device);
		return set_axis(a, SWEEP_KNOB, split.knob) ? 0 : -1;
	} else {
		set_axis(a, SWEEP_OPTION, a->key);
	}
	if (job_option_find(a->name))
		return 0;
	while (job_option_at(n))
		n++;
	return fail(EINVAL,
		    "--vary=%s=...: %s is neither a knob nor an option of "
		    "jobs%s, nor cmd, kernel, fs, job or label",
		    a->key, a->key,
		    text_did_you_mean("", text_closest(a->key, n_knobs + n,
						       sweep_plan_key_at, NULL))
			    .text);
}

/*
 * Schedulers of the time before blk-mq, which publications name, and their
 * successors (Linux 5.0 removed them; anticipatory went with 2.6.33).
 */
static const struct {
	const char *old, *today;
} schedulers[] = {
	{ "noop", "none" },
	{ "deadline", "mq-deadline" },
	{ "cfq", "bfq" },
};

/* Replace an old name in value by that of today, and note it in the plan. */
static int take_scheduler(struct sweep_plan *p, char *value, size_t size)
{
	char old[48], rest[48];
	size_t n = strcspn(value, "[");

	snprintf(old, sizeof(old), "%.*s", (int)n, value);
	text_copy(rest, sizeof(rest), value + n);
	if (!strcmp(old, "anticipatory"))
		return fail(EINVAL, "the scheduler anticipatory was removed "
				    "from Linux 2.6.33 and has no successor");
	for (size_t i = 0; i < ARRAY_SIZE(schedulers); i++) {
		if (strcmp(old, schedulers[i].old) != 0)
			continue;
		snprintf(value, size, "%.20s%.27s", schedulers[i].today, rest);
		text_join(p->note, sizeof(p->note), ", ",
			  "%s is %s since Linux 5.0", old, schedulers[i].today);
	}
	return 0;
}

/* Check that a number of sectors makes whole KiB. */
static int check_sectors(const struct sweep_axis *a, const char *value)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (*value >= '0' && *value <= '9' && !*end && n % a->divisor == 0)
		return 0;
	return fail(EINVAL,
		    "--vary=%s: %s is not an even number of sectors of "
		    "512 bytes",
		    a->key, value);
}

/* Whether the values are commands, whose brackets mean nothing here. */
static bool is_command(const struct sweep_axis *a)
{
	return a->kind == SWEEP_OPTION && !strcmp(a->name, "exec");
}

/* The length of a command in quotation marks, with the marks; else 0. */
static size_t quoted_length(const struct sweep_axis *a, const char *s)
{
	const char *end = is_command(a) && (*s == '\'' || *s == '"')
				  ? strchr(s + 1, *s)
				  : NULL;

	return end && (!end[1] || end[1] == ',') ? (size_t)(end + 1 - s) : 0;
}

/* The length of the next value: up to a comma outside of brackets; "\," is a
 * comma in the value. */
static size_t value_length(const struct sweep_axis *a, const char *s)
{
	const bool brackets = !is_command(a);
	int depth = 0;
	size_t n = quoted_length(a, s);

	if (n)
		return n;
	for (; s[n] && (s[n] != ',' || depth > 0); n++) {
		if (s[n] == '\\' && s[n + 1] == ',')
			n++;
		depth += brackets && s[n] == '[';
		depth -= brackets && s[n] == ']';
	}
	return n;
}

/* A scheduler's tunables are NAME=VALUE, with commas between them. */
static int check_tunables(const struct sweep_axis *a, const char *value)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	char item[64];

	for (size_t i = 0; sweep_plan_item(value, i, item, sizeof(item)); i++) {
		size_t n = strspn(item, letters);

		if (!n || item[n] != '=' || !item[n + 1] ||
		    strpbrk(item + n + 1, " ="))
			return fail(EINVAL,
				    "--vary=%s: %s in %s is not TUNABLE=VALUE; "
				    "a comma separates two, as in "
				    "mq-deadline[fifo_batch=1,front_merges=0]",
				    a->key, item, value);
	}
	return 0;
}

/*
 * No value of a knob has other characters. A plan or log may hold any bytes,
 * and --emit prints the values for a shell, udev and TuneD.
 */
static int check_letters(const struct sweep_axis *a, const char *value)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.:+- []=,";
	size_t n = strspn(value, letters);

	if (!value[n])
		return 0;
	return fail(EINVAL,
		    "--vary=%s: %s has the character '%c', which no value of a "
		    "knob has",
		    a->key, value, value[n]);
}

/* Check a value, which may change to the name of today. */
static int sweep_plan_check_value(struct sweep_plan *p, struct sweep_axis *a,
				  char *value, size_t size)
{
	size_t n;
	int err = 0;

	if (a->kind == SWEEP_KNOB && !strcmp(a->name, "scheduler"))
		err = take_scheduler(p, value, size);
	if (!err && a->divisor > 1)
		err = check_sectors(a, value);
	if (err < 0)
		return err;
	n = strlen(value);
	if (!is_command(a) && strchr(value, '[') && value[n - 1] != ']')
		return fail(EINVAL, "--vary=%s: %s has no ] at its end", a->key,
			    value);
	if (a->kind != SWEEP_KNOB)
		return 0;
	err = check_letters(a, value);
	return err < 0 ? err : check_tunables(a, value);
}

static int sweep_plan_add_value(struct sweep_plan *p, struct sweep_axis *a,
				const char *s, size_t n)
{
	const size_t most = a->kind == SWEEP_OPTION ? SWEEP_TEXT
						    : sizeof(a->value[0]) - 1;
	char *value = a->value[a->n], *to;
	int err;

	if (n && quoted_length(a, s) == n) {
		s++;
		n -= 2;
	}
	if (a->n == SWEEP_VALUES)
		return fail(EINVAL, "--vary=%s has more than %d values", a->key,
			    SWEEP_VALUES);
	if (!n || n > most)
		return fail(EINVAL,
			    "--vary=%s: a value must have 1 to %zu characters: "
			    "%.60s",
			    a->key, most, s);
	a->text[a->n] = to = xcalloc(n + 1, 1);
	for (size_t i = 0; i < n; i++)
		if (s[i] != '\\' || i + 1 == n || s[i + 1] != ',')
			*to++ = s[i];
	text_copy(value, sizeof(a->value[0]), a->text[a->n]);
	err = sweep_plan_check_value(p, a, value, sizeof(a->value[0]));
	for (size_t i = 0; i < a->n && !err; i++)
		if (!strcmp(a->value[i], value) &&
		    !strcmp(a->text[i], a->text[a->n]))
			err = fail(EINVAL,
				   "--vary=%s has %s twice; to compare a "
				   "setting with itself, use "
				   "--vary=label=a,b",
				   a->key, value);
	a->n++;
	return err;
}

/* Number the values of an axis if one is too long for a table and the log. */
static void sweep_plan_number(struct sweep_axis *a)
{
	bool wide = false;

	for (size_t i = 0; i < a->n; i++)
		wide |= strlen(a->text[i]) >= sizeof(a->value[0]) ||
			!text_is_clean(a->text[i]);
	for (size_t i = 0; i < a->n; i++)
		if (wide) {
			snprintf(a->value[i], sizeof(a->value[0]), "#%zu",
				 i + 1);
		} else {
			free(a->text[i]);
			a->text[i] = NULL;
		}
}

/* A number and its unit: 4k is 4096 of which unit 1024 is called "k". */
struct range_end {
	uint64_t value, unit;
	char name[2];
};

/* Read one; false: it is none. */
static bool read_range_end(const char **s, struct range_end *r)
{
	static const char units[] = "kmgt";
	const char *is;
	char *end;

	*r = (struct range_end){ .unit = 1 };
	if (**s < '0' || **s > '9')
		return false;
	r->value = strtoull(*s, &end, 10);
	is = *end ? strchr(units, *end | 0x20) : NULL;
	if (is) {
		r->name[0] = *end++;
		r->unit <<= 10 * (is - units + 1);
	}
	*s = end;
	r->value *= r->unit;
	return r->value < UINT64_MAX / 1024;
}

/* "1..64*2", "4k..1m*2", "0..10+2", "1..4": false: it is none. */
static bool read_range(const char *s, size_t n, struct range_end *from,
		       struct range_end *to, struct range_end *step,
		       bool *multiplies)
{
	const char *at = s, *end = s + n;

	if (!read_range_end(&at, from) || strncmp(at, "..", 2) != 0)
		return false;
	at += 2;
	if (!read_range_end(&at, to))
		return false;
	step->value = from->unit;
	*multiplies = *at == '*';
	if (at < end && (*at == '*' || *at == '+')) {
		at++;
		if (!read_range_end(&at, step))
			return false;
	}
	return at == end;
}

/* Add the values of "A..B*M" or "A..B+S", or the value itself. */
static int sweep_plan_add_values(struct sweep_plan *p, struct sweep_axis *a,
				 const char *s, size_t n)
{
	struct range_end from, to, step;
	bool multiplies;
	char number[32];
	int err = 0;

	if (is_command(a) || !read_range(s, n, &from, &to, &step, &multiplies))
		return sweep_plan_add_value(p, a, s, n);
	if (from.value > to.value ||
	    (multiplies ? step.value < 2 || !from.value : !step.value))
		return fail(EINVAL,
			    "--vary=%s: %.*s has no end: give a range that "
			    "rises, as 1..64*2 or 0..10+2",
			    a->key, (int)n, s);
	for (uint64_t v = from.value; v <= to.value && !err;
	     v = multiplies ? v * step.value : v + step.value) {
		if (v % from.unit)
			snprintf(number, sizeof(number), "%llu",
				 (unsigned long long)v);
		else
			snprintf(number, sizeof(number), "%llu%s",
				 (unsigned long long)(v / from.unit),
				 from.name);
		err = sweep_plan_add_value(p, a, number, strlen(number));
	}
	return err;
}

static int sweep_plan_add_axis(struct sweep_plan *p, const char *text)
{
	const char *eq = strchr(text, '='), *at;
	struct sweep_axis *a = &p->axis[p->n_axes];
	int err;

	if (!eq || eq == text || (size_t)(eq - text) >= sizeof(a->key))
		return fail(EINVAL, "--vary=%s is not KEY=VALUE,VALUE", text);
	if (p->n_axes == POINT_AXES)
		return fail(EINVAL, "there can be at most %d axes", POINT_AXES);
	memset(a, 0, sizeof(*a));
	snprintf(a->key, sizeof(a->key), "%.*s", (int)(eq - text), text);
	err = sweep_plan_find_kind(a);
	for (at = eq + 1; err >= 0; at++) {
		size_t n = value_length(a, at);

		err = sweep_plan_add_values(p, a, at, n);
		at += n;
		if (!*at)
			break;
	}
	p->n_axes++;
	sweep_plan_number(a);
	if (err < 0)
		return err;
	p->n_variants *= a->n;
	if (p->n_variants > SWEEP_VARIANTS)
		return fail(EINVAL, "there are more than %d combinations",
			    SWEEP_VARIANTS);
	return 0;
}

/* Whether a later word has the same key and so replaces this one. */
static bool sweep_plan_is_replaced(const struct words *vary, size_t i)
{
	size_t n = strcspn(vary->word[i], "=") + 1;

	for (size_t k = i + 1; k < vary->n; k++)
		if (!strncmp(vary->word[i], vary->word[k], n))
			return true;
	return false;
}

/* --- the rest --- */

static int read_until(struct sweep_plan *p, const char *text)
{
	if (!text)
		return 0;
	if (p->stop == POWER_STOP_PTS)
		return fail(EINVAL, "--until and --rule are two rules for the "
				    "end of a sweep: give one of them");
	if (!strcmp(text, "verdict")) {
		p->stop = POWER_STOP_LOOKS;
		if (p->blocks == POWER_LOOK_BLOCKS &&
		    p->max_blocks == POWER_LOOKS * POWER_LOOK_BLOCKS)
			return 0;
		return fail(EINVAL,
			    "--until=verdict looks after %d, %d and %d blocks: "
			    "leave --blocks and --max-blocks out",
			    POWER_LOOK_BLOCKS, 2 * POWER_LOOK_BLOCKS,
			    POWER_LOOKS * POWER_LOOK_BLOCKS);
	}
	p->stop = POWER_STOP_WIDTH;
	if (power_read_width(text, &p->until))
		return 0;
	return fail(EINVAL,
		    "--until=%s is neither ci<N%%, such as ci<2%%, nor verdict",
		    text);
}

struct text_short sweep_plan_until(const struct sweep_plan *p)
{
	return p->stop == POWER_STOP_LOOKS ? text_shortly("verdict")
	       : p->until > 0 ? text_shortly("ci<%g%%", p->until * 100)
			      : text_shortly("%s", "");
}

static int read_sizes(struct sweep_plan *p, const struct sweep_settings *w)
{
	if (w->max_writes && !units_parse_bytes(w->max_writes, &p->max_writes))
		return fail(EINVAL, "--max-writes=%s is not a size",
			    w->max_writes);
	if (w->scratch && *w->scratch == '/')
		p->scratch_device = w->scratch;
	else if (w->scratch && scratch_disk_parse(w->scratch, &p->scratch_bytes,
						  &p->scratch_model) < 0)
		return -EINVAL;
	if (sweep_plan_axis(p, SWEEP_FS) && !w->scratch)
		return fail(EINVAL, "--vary=fs makes file systems: give "
				    "--scratch=SIZE, or --scratch=DEVICE with "
				    "--destroy-data=DEVICE");
	if (p->cold == SWEEP_REMOUNT && !sweep_plan_axis(p, SWEEP_FS))
		return fail(EINVAL, "--cold=remount needs a file system of the "
				    "sweep: give --vary=fs=FS");
	if (w->dirty && !units_parse_bytes(w->dirty, &p->dirty_bytes))
		return fail(EINVAL, "--dirty=%s is not a size", w->dirty);
	if (p->precondition && !w->scratch)
		return fail(EINVAL,
			    "--precondition=%s needs a device of the sweep: "
			    "give --scratch=SIZE, or --scratch=DEVICE with "
			    "--destroy-data=DEVICE",
			    w->precondition);
	if (w->remount.n && !sweep_plan_axis(p, SWEEP_FS))
		return fail(EINVAL, "--remount needs a file system of the "
				    "sweep: give --vary=fs=FS");
	p->remount = &w->remount;
	return 0;
}

/* A hash of a text with its end. */
static uint64_t sweep_plan_fnv(uint64_t h, const char *s)
{
	return text_hash(h, s, strlen(s) + 1);
}

/*
 * Hash the plan without its limits and the number of blocks, which may grow.
 * Another hash means another experiment: do not mix its runs with these.
 */
static uint64_t sweep_plan_hash_of(const struct sweep_plan *p)
{
	uint64_t h = TEXT_HASH;
	char line[512];

	for (size_t i = 0; i < p->n_axes; i++) {
		h = sweep_plan_fnv(h, p->axis[i].key);
		for (size_t v = 0; v < p->axis[i].n; v++)
			h = sweep_plan_fnv(h, p->axis[i].text[v]
						      ? p->axis[i].text[v]
						      : p->axis[i].value[v]);
	}
	for (size_t i = 0; p->remount && i < p->remount->n; i++)
		h = sweep_plan_fnv(h, p->remount->word[i]);
	if (p->scratch_model)
		h = sweep_plan_fnv(h, p->scratch_model);
	if (p->precondition)
		h = sweep_plan_fnv(h, sweep_plan_preconditions[p->precondition - 1].name);
	snprintf(line, sizeof(line), "%llu %s %s %s %llu %s %s %s:%s %g %d",
		 (unsigned long long)p->seed, sweep_plan_orders[p->order].name,
		 sweep_plan_colds[p->cold].name, power_stop_name(p->stop),
		 (unsigned long long)p->scratch_bytes,
		 p->scratch_device ? p->scratch_device : "", p->device,
		 p->metric_job, p->metric, p->until, p->sign);
	h = sweep_plan_fnv(h, line);
	return p->metric_device ? sweep_plan_fnv(h, "device") : h;
}

/* The seconds that a job says of itself; *open: it takes more, until its end. */
static double job_seconds(const struct job *job, bool *open)
{
	uint64_t run = job->runtime_ns ? job->runtime_ns : job->pgbench.run_ns;

	*open = !run;
	return (double)(job->ramp_ns + run + job->startdelay_ns) / 1e9;
}

/*
 * How long the jobs run: those of a stonewall as long as the longest of them, or
 * as the first that ends all others.
 */
static void estimate_jobs(struct sweep_plan *p, const struct job *job, size_t n)
{
	double all = 0;
	bool any_open = false;

	for (size_t i = 0; i < n;) {
		double longest = 0, first = INFINITY;
		bool open = false, first_open = false, one;

		do {
			double s = job_seconds(&job[i], &one);

			longest = fmax(longest, s);
			open |= one;
			if (job[i].exitall && s < first) {
				first = s;
				first_open = one;
			}
		} while (++i < n && !job[i].stonewall);
		all += fmin(longest, first);
		any_open |= isinf(first) ? open : first_open;
	}
	p->job_s = fmax(p->job_s, all);
	p->job_open |= any_open;
}

void sweep_plan_add_jobs(struct sweep_plan *p, const struct job *job, size_t n)
{
	estimate_jobs(p, job, n);
	for (size_t i = 0; i < n; i++) {
		/* The given options alone: an option that a later version of
		 * the program has besides makes no other experiment. */
		p->hash = sweep_plan_fnv(p->hash, job[i].name);
		for (size_t k = 0; k < job[i].n_given; k++) {
			const struct job_given *g = &job[i].given[k];

			p->hash = sweep_plan_fnv(p->hash, g->name);
			p->hash = sweep_plan_fnv(p->hash,
						 g->value ? g->value : "");
		}
	}
}

void sweep_plan_free(struct sweep_plan *p)
{
	/* An axis that was refused is not counted. */
	for (size_t a = 0; a < POINT_AXES; a++)
		for (size_t i = 0; i < p->axis[a].n; i++) {
			free(p->axis[a].text[i]);
			p->axis[a].text[i] = NULL;
		}
}

/* The place of a word among those of an option, which the options have checked;
 * 0: none is given. */
static unsigned sweep_plan_word(const char *word, const struct text_word *words)
{
	unsigned i = 0;

	while (word && strcmp(words[i].name, word) != 0)
		i++;
	return i;
}

int sweep_plan_make(struct sweep_plan *p, const struct settings *s)
{
	const struct sweep_settings *w = &s->sweep;
	int err = 0;

	memset(p, 0, sizeof(*p));
	p->n_variants = 1;
	for (size_t i = 0; i < w->vary.n && !err; i++) {
		if (sweep_plan_is_replaced(&w->vary, i))
			continue;
		err = sweep_plan_add_axis(p, w->vary.word[i]);
		if (!err)
			p->axis[p->n_axes - 1].foreign = i < s->foreign_vary;
	}
	if (err)
		return err;
	if (p->n_variants < 2)
		return fail(EINVAL, "a sweep needs two settings to compare; "
				    "give --vary=KEY=VALUE,VALUE");
	p->stop = w->rule ? POWER_STOP_PTS : POWER_STOP_FIXED;
	p->blocks = w->blocks ? (unsigned)w->blocks
		    : w->rule ? PTS_BLOCKS
			      : DEFAULT_BLOCKS;
	p->confirm = (unsigned)w->confirm;
	p->max_blocks = w->max_blocks ? (unsigned)w->max_blocks : 15;
	if (w->max_blocks && p->max_blocks < p->blocks)
		return fail(EINVAL,
			    "--max-blocks=%u is less than --blocks, %u%s: set "
			    "both",
			    p->max_blocks, p->blocks,
			    w->blocks ? "" : " by default");
	if (p->max_blocks < p->blocks)
		p->max_blocks = p->blocks;
	if (w->blocks > SWEEP_BLOCKS || w->max_blocks > SWEEP_BLOCKS ||
	    w->confirm > SWEEP_BLOCKS)
		return fail(EINVAL, "there can be at most %d blocks",
			    SWEEP_BLOCKS);
	p->seed = w->seed ? w->seed : 1;
	p->cold = sweep_plan_word(w->cold, sweep_plan_colds);
	p->order = sweep_plan_word(w->order, sweep_plan_orders);
	if (w->precondition)
		p->precondition = 1 + sweep_plan_word(w->precondition,
						      sweep_plan_preconditions);
	p->dirty_bytes = DEFAULT_DIRTY_BYTES;
	p->waits_dirty = w->dirty != NULL;
	p->settle_ns =
		w->settle_ns == UINT64_MAX ? DEFAULT_SETTLE_NS : w->settle_ns;
	p->max_time_ns = w->max_time_ns;
	if (w->device)
		text_copy(p->device, sizeof(p->device),
			  strncmp(w->device, "/dev/", 5) ? w->device
							 : w->device + 5);
	sweep_metric_read(p, w->metric);
	err = sweep_audit_parse(w->audit, &p->audit);
	if (err >= 0)
		err = read_until(p, w->until);
	if (err >= 0)
		err = read_sizes(p, w);
	p->hash = sweep_plan_hash_of(p);
	return err;
}

/* --- variants --- */

size_t sweep_plan_choice(const struct sweep_plan *p, size_t variant,
			 size_t axis)
{
	for (size_t i = p->n_axes - 1; i > axis; i--)
		variant /= p->axis[i].n;
	return variant % p->axis[axis].n;
}

const char *sweep_plan_value(const struct sweep_plan *p, size_t variant,
			     size_t axis)
{
	return p->axis[axis].value[sweep_plan_choice(p, variant, axis)];
}

const char *sweep_plan_text(const struct sweep_plan *p, size_t variant,
			    size_t axis)
{
	size_t choice = sweep_plan_choice(p, variant, axis);
	const struct sweep_axis *a = &p->axis[axis];

	return a->text[choice] ? a->text[choice] : a->value[choice];
}

const char *sweep_plan_value_of(const struct sweep_plan *p, size_t variant,
				enum sweep_axis_kind kind)
{
	const struct sweep_axis *a = sweep_plan_axis(p, kind);

	return a ? sweep_plan_value(p, variant, (size_t)(a - p->axis)) : NULL;
}

void sweep_plan_point(const struct sweep_plan *p, size_t variant,
		      struct point *point)
{
	memset(point, 0, sizeof(*point));
	for (size_t i = 0; i < p->n_axes; i++)
		(void)!point_set(point, p->axis[i].key,
				 sweep_plan_value(p, variant, i));
}

size_t sweep_plan_find(const struct sweep_plan *p, const struct point *point)
{
	struct point own;

	for (size_t v = 0; v < p->n_variants; v++) {
		sweep_plan_point(p, v, &own);
		if (point_equal(&own, point))
			return v;
	}
	return p->n_variants;
}

struct text_line sweep_plan_words(const struct sweep_plan *p, size_t variant)
{
	struct text_line out = { "" };

	for (size_t i = 0; i < p->n_axes; i++)
		text_append(out.text, "%s%s", i ? " " : "",
			    sweep_plan_value(p, variant, i));
	return out;
}

void sweep_plan_base(const char *value, char *base, size_t size)
{
	snprintf(base, size, "%.*s", (int)strcspn(value, "["), value);
}

bool sweep_plan_item(const char *value, size_t i, char *item, size_t size)
{
	const char *at = strchr(value, '[');

	for (; at && *at && *at != ']'; i--) {
		size_t n = strcspn(++at, ",]");

		if (!i) {
			snprintf(item, size, "%.*s", (int)n, at);
			return n > 0;
		}
		at += n;
	}
	return false;
}

bool sweep_plan_setting(const struct sweep_axis *a, const char *value, size_t i,
			struct sweep_setting *s)
{
	const struct knob *row;
	char item[64];
	int n;

	if (!i) {
		text_set(s->knob, a->name);
		sweep_plan_base(value, s->value, sizeof(s->value));
		if (a->divisor > 1)
			snprintf(s->value, sizeof(s->value), "%lu",
				 strtoul(value, NULL, 10) / a->divisor);
		return true;
	}
	if (!sweep_plan_item(value, i - 1, item, sizeof(item)))
		return false;
	/* Each has a sign: check_tunables(). */
	n = (int)strcspn(item, "=");
	snprintf(s->knob, sizeof(s->knob), "%.*s", n, item);
	row = knob_find(s->knob);
	if (!row || strncmp(row->path, "queue/", 6) != 0)
		snprintf(s->knob, sizeof(s->knob), "iosched.%.*s", n, item);
	text_set(s->value, item[n] ? item + n + 1 : "");
	return true;
}

const struct sweep_axis *sweep_plan_axis(const struct sweep_plan *p,
					 enum sweep_axis_kind kind)
{
	for (size_t i = 0; i < p->n_axes; i++)
		if (p->axis[i].kind == kind)
			return &p->axis[i];
	return NULL;
}
