/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options: the table and its parser. */
#include "cmd/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/lists.h"
#include "cmd/privilege.h"

void settings_init(struct settings *s, int argc, char **argv)
{
	memset(s, 0, sizeof(*s));
	s->argc = argc;
	s->argv = argv;
	s->interval_s = 1;
	s->speed = 1;
	s->washout_s = -1;
	s->ping.interval_s = -1;
	s->ping.warmup = 1;
	s->sweep.settle_ns = UINT64_MAX;
	s->start_window_ns = 10 * NS_PER_S;
	s->disk.seed = 1;
	job_init(&s->global);
	s->global.defaults = true;
}

void settings_free(struct settings *s)
{
	free(s->at.word);
	free(s->destroy.word);
	free(s->override.word);
	free(s->overwrite.word);
	xfree_list(s->place.word, s->place.n);
	free(s->allow_path.word);
	free(s->allow_knob.word);
	free(s->label.word);
	free(s->sweep.vary.word);
	free(s->sweep.remount.word);
	free(s->disk.faults.word);
	free(s->section.word);
	free(s->assertion.word);
	assertions_free(&s->assertions);
	free(s->filter.word);
	free(s->exclude.word);
	free(s->target.word);
	free(s->jobfile.word);
	free(s->arg.word);
	xfree_list(s->note.word, s->note.n);
	for (size_t i = 0; i < s->n_jobs; i++)
		job_free(&s->job[i]);
	free(s->job);
	job_free(&s->global);
}

char *options_device(const char *word)
{
	char *path = !strchr(word, '/') || !strncmp(word, "cciss/", 6)
			     ? NULL
			     : realpath(word, NULL);
	const char *slash = path ? strrchr(path, '/') : NULL;
	char *name = xstrdup(slash ? slash + 1 : word);

	free(path);
	return name;
}

void options_add_word(struct words *w, char *word)
{
	w->word = xgrow(w->word, &w->cap, w->n + 2, sizeof(*w->word));
	w->word[w->n++] = word;
	/* options_parse() looks at the word behind the last, as in argv. */
	w->word[w->n] = NULL;
}

struct job *settings_add_job(struct settings *s)
{
	s->job = xgrow(s->job, &s->cap_jobs, s->n_jobs + 1, sizeof(*s->job));
	job_copy(&s->job[s->n_jobs], &s->global);
	s->job[s->n_jobs].defaults = false;
	return &s->job[s->n_jobs++];
}

bool options_taken(const struct command *c, const struct option_row *o)
{
	return o->group == OPTIONS_ALL || c->groups & 1u << o->group;
}

static int bad_choice(const struct option_row *o, const char *value)
{
	const struct name_list *list = lists_find(o->list);
	char words[200];

	return fail(EINVAL, "--%s=%s%s: it can be %s", o->name, value,
		    lists_did_you_mean(list, value).text,
		    lists_words(list, "or", words, sizeof(words)));
}

static int options_bad(const struct option_row *o, const char *value)
{
	return fail(EINVAL, "--%s=%s: not a valid %s (%s)", o->name, value,
		    o->value, o->help);
}

/* A time without its zone, or on another day, is a mistake of the zone. */
static int options_instant(const struct option_row *o, const char *value,
			   uint64_t *ns)
{
	uint64_t now_ns = clock_wall_ns();

	*ns = clock_parse_instant(value);
	if (!*ns)
		return fail(EINVAL,
			    "--%s=%.64s: write 2026-11-20T18:00:00Z (Z is UTC; "
			    "or +01:00), or @SECONDS since 1970, as date +%%s "
			    "prints them",
			    o->name, value);
	if (*ns <= now_ns || *ns - now_ns <= 24 * 3600 * NS_PER_S)
		return 0;
	return fail(EINVAL,
		    "--%s=%.64s is %s, more than 24 hours ahead; did you mean "
		    "UTC?",
		    o->name, value, clock_utc(*ns).text);
}

/* Store one option's value; value is NULL for flags. */
static int options_store(struct settings *s, const struct option_row *o,
			 char *value)
{
	void *member = (char *)s + o->offset;
	uint64_t ns;
	double factor;
	char *end;

	switch (o->kind) {
	case OPTION_TOPIC:
		*(const char **)member = value ? value : "";
		return 0;
	case OPTION_FLAG:
		*(bool *)member = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)member = value;
		return *value ? 0 : options_bad(o, value);
	case OPTION_CHOICE:
		*(const char **)member = value;
		return lists_has(lists_find(o->list), value)
			       ? 0
			       : bad_choice(o, value);
	case OPTION_WORDS:
		options_add_word(member, value);
		return *value ? 0 : options_bad(o, value);
	case OPTION_INSTANT:
		return options_instant(o, value, member);
	case OPTION_COUNT:
		return units_parse_count(value, (uint64_t)o->min, UINT64_MAX,
					 member)
			       ? 0
			       : options_bad(o, value);
	case OPTION_NS:
		return units_parse_ns(value, 1000000000, member)
			       ? 0
			       : options_bad(o, value);
	case OPTION_SECONDS:
		if (!units_parse_ns(value, 1000000000, &ns) ||
		    (double)ns / 1e9 < o->min || (double)ns / 1e9 > o->max)
			return options_bad(o, value);
		*(double *)member = (double)ns / 1e9;
		return 0;
	case OPTION_FACTOR:
		factor = strtod(value, &end);
		if (end == value || *end ||
		    !(factor >= o->min && factor <= o->max))
			return options_bad(o, value);
		*(double *)member = factor;
		return 0;
	}
	return 0;
}

/*
 * by: only rows of that group; OPTIONS_ALL: of all, where a letter that only
 * iostat's habits give comes last.
 */
static const struct option_row *options_find_row(const struct command *c,
						 const char *name, size_t n,
						 char letter, unsigned by)
{
	const struct option_row *found = NULL;

	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *o = &option_rows[i];

		if (!options_taken(c, o) || (by != OPTIONS_ALL && o->group != by))
			continue;
		if (letter ? o->letter != letter
			   : strlen(o->name) != n || memcmp(o->name, name, n) != 0)
			continue;
		if (!letter || by != OPTIONS_ALL || o->group != OPTIONS_BATCH)
			return o;
		found = found ? found : o;
	}
	return found;
}

/*
 * fio's own command-line options that are neither job options nor options of
 * iodyno: accepted with a note if leaving them out changes nothing, else
 * refused with what to do instead.
 */
enum fio_value { NONE, NEEDED, MAY_BE };

struct fio_row {
	const char *name;
	enum fio_value value;
	bool accepted;
	const char *why;
};

#define STATUS     "progress is on the screen, or in the frames of --log"
#define NO_TRIGGER "no event of a run starts a command"

/* clang-format off */
static const struct fio_row rows[] = {
	{ "eta", NEEDED, true, STATUS },
	{ "eta-interval", NEEDED, true, STATUS },
	{ "eta-newline", NEEDED, true, STATUS },
	{ "alloc-size", NEEDED, true, "memory is taken as it is needed" },
	{ "idle-prof", NEEDED, true, "the idle share of each CPU is in every "
	  "frame" },
	{ "debug", NEEDED, true, "there are no debugging messages" },
	{ "bandwidth-log", NONE, false, "give write_bw_log to a job, or --log" },
	{ "latency-log", NONE, false, "give write_lat_log to a job, or --log" },
	{ "profile", NEEDED, false, "iodyno list presets shows what is built "
	  "in" },
	{ "cmdhelp", MAY_BE, false, "see iodyno list options" },
	{ "enghelp", MAY_BE, false, "see iodyno list engines" },
	{ "crctest", MAY_BE, false, "checksums are not benchmarked" },
	{ "cpuclock-test", NONE, false, "the kernel's clock is trusted" },
	{ "merge-blktrace-only", NONE, false, "traces are not replayed" },
	{ "server", MAY_BE, false, "start iodyno on each machine instead" },
	{ "client", NEEDED, false, "start iodyno on each machine instead" },
	{ "remote-config", NEEDED, false, "start iodyno on each machine "
	  "instead" },
	{ "daemonize", NEEDED, false, "start it with --headless and & instead" },
	{ "trigger", NEEDED, false, NO_TRIGGER },
	{ "trigger-file", NEEDED, false, NO_TRIGGER },
	{ "trigger-timeout", NEEDED, false, NO_TRIGGER "; --time ends a run" },
	{ "trigger-remote", NEEDED, false, NO_TRIGGER },
	{ "inflate-log", NEEDED, false, "logs are never compressed" },
};
/* clang-format on */

static void add_note(struct settings *s, const struct fio_row *r)
{
	*xadd(s->note.word, s->note.n, s->note.cap) = xasprintf(
		"--%s is accepted and has no effect here: %s", r->name, r->why);
}

/*
 * Take argv[0] as a command-line option of fio that iodyno does not have.
 * Returns the number of words used, 0 if fio has no such option, or -EINVAL
 * with a sentence. An accepted option leaves a note.
 */
static int options_fio(struct settings *s, char **argv)
{
	const char *word = argv[0] + strspn(argv[0], "-");
	size_t n = strcspn(word, "=");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct fio_row *r = &rows[i];
		bool apart = r->value == NEEDED && word[n] != '=';

		if (strlen(r->name) != n || memcmp(r->name, word, n))
			continue;
		if (!r->accepted)
			return fail(EINVAL, "fio's --%s is not supported: %s",
				    r->name, r->why);
		if (apart && !argv[1])
			return fail(EINVAL, "--%s needs a value", r->name);
		add_note(s, r);
		return apart ? 2 : 1;
	}
	return 0;
}

static int options_unknown(const struct command *c, const char *word)
{
	const char *name[512];
	size_t n = 0;
	struct text_near near;
	char bare[64];
	bool blocks;

	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(word, "="), word);
	for (size_t i = 0; i < n_option_rows; i++)
		if (options_taken(c, &option_rows[i]))
			name[n++] = option_rows[i].name;
	for (size_t i = 0;
	     c->takes_jobs && job_option_at(i) && n < ARRAY_SIZE(name); i++)
		name[n++] = job_option_at(i)->name;
	/* Other programs' word for it is no mistake of typing. */
	blocks = options_find_row(c, "blocks", 6, 0, OPTIONS_ALL) != NULL &&
		 text_lists("repeat repeats repetitions runs", bare,
			    strlen(bare));
	near = text_did_you_mean(
		"--", blocks ? "blocks"
			     : text_closest_name(bare, name, 0, n, sizeof(*name)));
	return fail(EINVAL,
		    "iodyno %s has no option --%s%s; see iodyno %s --help",
		    c->name, bare, near.text, c->name);
}

/* The name of a program without its folder, from its command line. */
static void name_after_program(struct job *job, const char *command)
{
	const char *begin = command + strspn(command, " \t'\"");
	char *word = xasprintf("%.*s", (int)strcspn(begin, " \t'\""), begin);
	const char *slash = strrchr(word, '/');

	text_set(job->name, slash ? slash + 1 : word);
	free(word);
}

/* Whether nothing but names and the kind was given for the job itself. */
static bool options_is_fresh(const struct job *job)
{
	for (size_t i = 0; i < job->n_given; i++)
		if (!job->given[i].global &&
		    strcmp(job->given[i].name, "name") != 0 &&
		    strcmp(job->given[i].name, "kind") != 0 &&
		    strcmp(job->given[i].name, "description") != 0)
			return false;
	return true;
}

/* The files or directories of a list that the command line names. */
static void add_places(struct settings *s, const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *path;

	while ((path = strsep(&rest, ":")))
		if (*path)
			options_add_word(&s->place, xstrdup(path));
	free(copy);
}

/*
 * --name begins a job, and so does --exec, unless --name stands just before it;
 * options before the first apply to all jobs. A command on the command line
 * needs no --allow-exec.
 */
static int job_word(struct settings *s, const char *name, char *value)
{
	struct job *job = s->n_jobs ? &s->job[s->n_jobs - 1] : &s->global;
	bool exec = !strcmp(name, "exec");
	int err;

	if (!strcmp(name, "name") ||
	    (exec && (!s->n_jobs || !options_is_fresh(job)))) {
		job = settings_add_job(s);
		/* --kind may stand before --name; jobs of files do not count. */
		job->by_operator = s->commanded && !s->foreign;
		if (exec && value)
			name_after_program(job, value);
	}
	job->foreign = s->foreign;
	err = job_set(job, name, value);
	job->foreign = false;
	if (value && !s->foreign &&
	    (!strcmp(name, "filename") || !strcmp(name, "directory")))
		add_places(s, value);
	if (!s->foreign &&
	    (exec || !strcmp(name, "program") || !strcmp(name, "kind"))) {
		job->by_operator = !job->defaults;
		s->commanded |= job->defaults;
	}
	if (err == -EOPNOTSUPP && s->lenient) {
		job_note(job, "left out: %s", fail_sentence());
		err = 0;
	}
	return err;
}

/*
 * --overwrite is an option of iodyno with a FILE, and one of fio's jobs with 0
 * or 1. Write ./0 or ./1 for a file of that name.
 */
static bool is_job_value(const char *value)
{
	return value && (!strcmp(value, "0") || !strcmp(value, "1"));
}

/* --metric of a sweep names a metric; that of a job has NAME=REGEX. */
static bool is_job_metric(const char *name, const char *value)
{
	return value && !strcmp(name, "metric") && strchr(value, '=');
}

/*
 * One "--word", "--word=value" or "--word value". Returns the number of words
 * used, or -EINVAL.
 */
static int long_option(struct settings *s, const struct command *c, char **argv)
{
	char *word = argv[0] + strspn(argv[0], "-"), *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);
	const struct option_row *o = options_find_row(c, word, n, 0, OPTIONS_ALL);
	const struct job_option *j;
	char name[64], *value = eq ? eq + 1 : NULL;
	bool flag;
	int used = 1, err;

	snprintf(name, sizeof(name), "%.*s", (int)n, word);
	j = c->takes_jobs ? job_option_find(name) : NULL;
	if (j && o && job_option_bare(j) &&
	    is_job_value(value ? value : argv[1]))
		o = NULL;
	else if (j && o && is_job_metric(name, value ? value : argv[1]))
		o = NULL;
	else if (o)
		j = NULL;
	if (!o && !j && c->takes_jobs)
		used = options_fio(s, argv);
	if (!o && !j && (!c->takes_jobs || !used))
		return options_unknown(c, word);
	if (!o && !j)
		return used;
	flag = o ? o->kind == OPTION_FLAG || o->kind == OPTION_TOPIC
		 : job_option_bare(j);
	if (!flag && !value) {
		value = argv[1];
		used = 2;
	}
	if (!flag && !value)
		return fail(EINVAL, "--%s needs a value: --%s=%s", name, name,
			    o ? o->value : j->value);
	if (o && o->kind == OPTION_FLAG && value)
		return fail(EINVAL, "--%s takes no value", name);
	err = o ? options_store(s, o, value) : job_word(s, name, value);
	return err < 0 ? err : used;
}

/* -h is help and -t a time; beside a letter that only iostat has, iostat's. */
static const struct option_row *options_by_letter(const struct settings *s,
						  const struct command *c,
						  char letter)
{
	const struct option_row *o =
		s->letters_of_iostat
			? options_find_row(c, "", 0, letter, OPTIONS_BATCH)
			: NULL;

	return o ? o : options_find_row(c, "", 0, letter, OPTIONS_ALL);
}

/* Whether the word asks for iostat's tables: "--batch", "-xz". */
static bool options_like_iostat(const struct command *c, const char *word)
{
	if (!(c->groups & 1u << OPTIONS_BATCH) || *word != '-')
		return false;
	if (word[1] == '-')
		return !strcmp(word, "--batch");
	for (const char *p = word + 1; *p; p++) {
		const struct option_row *o =
			options_find_row(c, "", 0, *p, OPTIONS_ALL);

		if (o && o->group == OPTIONS_BATCH)
			return true;
		/* The rest is a value. */
		if (!o || (o->kind != OPTION_FLAG && o->kind != OPTION_TOPIC))
			return false;
	}
	return false;
}

/* "-i1", "-i 1" or "-aJ". Returns the number of words used, or -EINVAL. */
static int short_options(struct settings *s, const struct command *c,
			 char **argv)
{
	for (char *p = argv[0] + 1; *p; p++) {
		const struct option_row *o = options_by_letter(s, c, *p);
		int err;

		if (!o)
			return fail(EINVAL,
				    "iodyno %s has no option -%c; see iodyno "
				    "%s --help",
				    c->name, *p, c->name);
		if (o->kind == OPTION_FLAG || o->kind == OPTION_TOPIC) {
			err = options_store(s, o, NULL);
			if (err < 0)
				return err;
			continue;
		}
		if (p[1]) {
			err = options_store(s, o, p + 1);
			return err < 0 ? err : 1;
		}
		if (!argv[1])
			return fail(EINVAL, "-%c needs a value: -%c %s", *p, *p,
				    o->value);
		err = options_store(s, o, argv[1]);
		return err < 0 ? err : 2;
	}
	return 1;
}

/* Accept "-name=x" for "--name=x", as fio does. */
static bool is_single_dash(const struct command *c, const char *word)
{
	size_t n = strcspn(word, "=");
	char name[64];

	if (!c->takes_jobs || word[0] != '-' || n < 3 || n >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)n - 1, word + 1);
	return options_find_row(c, name, n - 1, 0, OPTIONS_ALL) || job_option_find(name);
}

/* A file of limits is a page of text. */
#define LIMITS_BYTES 16384

int options_alarm_limits(const struct settings *s, struct alarms *alarms)
{
	const char *path = s->alarm_limits;
	char *text = NULL;
	ssize_t n;
	int err;

	/* Sentences quote the file: under sudo, it is one of the caller's. */
	privilege_lower();
	n = descriptor_text(path, LIMITS_BYTES - 1, &text);
	privilege_raise();
	if (n < 0 || strlen(text) < (size_t)n)
		err = fail(EINVAL,
			   "--alarm-limits=%.255s cannot be read as a text "
			   "file of less than %d bytes",
			   path, LIMITS_BYTES);
	else
		err = alarms_set_limits(alarms, text, path);
	free(text);
	return err;
}

/* A wrong line is a mistake of the command line, so that nothing has begun. */
static int options_check_limits(const struct settings *s)
{
	struct alarms *alarms = alarms_new();
	int err = s->alarm_limits ? options_alarm_limits(s, alarms) : 0;

	alarms_free(alarms);
	return err;
}

int options_parse(struct settings *s, const struct command *command, int argc,
		  char **argv)
{
	int i = 0;

	/* --lenient applies also to the words before it. */
	for (int k = 0; k < argc && command->takes_jobs; k++)
		if (!strcmp(argv[k], "--lenient"))
			s->lenient = true;
	for (int k = 0; k < argc && strcmp(argv[k], "--") != 0; k++)
		s->letters_of_iostat |= options_like_iostat(command, argv[k]);
	while (i < argc) {
		int used = 1;

		if (!strcmp(argv[i], "--")) {
			while (++i < argc)
				options_add_word(&s->arg, argv[i]);
			break;
		}
		if (!strncmp(argv[i], "--", 2))
			used = long_option(s, command, argv + i);
		else if (is_single_dash(command, argv[i]))
			used = long_option(s, command, argv + i);
		else if (argv[i][0] == '-' && argv[i][1])
			used = short_options(s, command, argv + i);
		else
			options_add_word(&s->arg, argv[i]);
		if (used < 0)
			return used;
		i += used;
	}
	for (size_t k = 0; k < s->assertion.n; k++)
		if (assertions_add(&s->assertions, s->assertion.word[k], NULL))
			return -EINVAL;
	return options_check_limits(s);
}

void settings_take_permits(struct settings *s)
{
	s->destroy.n = s->override.n = s->overwrite.n = 0;
	s->allow_path.n = s->allow_knob.n = 0;
	s->allow_exec = s->sweep.dry_run = s->yes = false;
	s->sweep.boot = s->sweep.resume_from = NULL;
	if (s->foreign) {
		s->foreign_at = s->at.n;
		s->foreign_vary = s->sweep.vary.n;
	}
}

bool options_allow_knob(const struct settings *s, const char *device,
			const char *knob)
{
	const size_t n = strlen(device);

	for (size_t i = 0; i < s->allow_knob.n; i++) {
		const char *word = s->allow_knob.word[i];

		if (!strncmp(word, "/dev/", 5))
			word += 5;
		if (!strncmp(word, device, n) &&
		    (!word[n] || (word[n] == '.' && !strcmp(word + n + 1, knob))))
			return true;
	}
	/* The device under test. */
	for (size_t i = 0; i < s->place.n + s->destroy.n; i++) {
		const char *word = i < s->place.n
					   ? s->place.word[i]
					   : s->destroy.word[i - s->place.n];

		if (!strcmp(word, device) || (!strncmp(word, "/dev/", 5) &&
					      !strcmp(word + 5, device)))
			return true;
	}
	return false;
}

int options_refuse_knob(const char *option, const char *device,
			const char *knob)
{
	return fail(EPERM,
		    "%s of a plan or log changes the setting %s of %s, which "
		    "the command line does not name; if that is right give "
		    "--allow-knob=%s.%s",
		    option, knob, device, device, knob);
}

int options_labels(const struct settings *s, struct header_fact **out)
{
	struct header_fact *label = xcalloc(s->label.n, sizeof(*label));

	for (size_t i = 0; i < s->label.n; i++) {
		char *word = s->label.word[i], *eq = strchr(word, '=');

		if (!eq || eq == word || eq - word >= 64) {
			free(label);
			return fail(EINVAL,
				    "--label=%s is not KEY=VALUE, such as "
				    "disk=old",
				    word);
		}
		snprintf(label[i].key, sizeof(label[i].key), "%.*s",
			 (int)(eq - word), word);
		text_set(label[i].value, eq + 1);
		text_clean(label[i].key);
		text_clean(label[i].value);
	}
	*out = label;
	return 0;
}

struct allow_list options_allowed(const struct settings *s)
{
	return (struct allow_list){
		.destroy = s->destroy.word,
		.n_destroy = s->destroy.n,
		.overwrite = s->overwrite.word,
		.n_overwrite = s->overwrite.n,
		.override = s->override.word,
		.n_override = s->override.n,
		.readonly = s->readonly,
		.exec = s->allow_exec,
		.place = s->place.word,
		.n_place = s->place.n,
		.path = s->allow_path.word,
		.n_path = s->allow_path.n,
		.folder = s->folder ? s->folder : ".",
	};
}
