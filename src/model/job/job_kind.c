/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job kind: options that hold one text, flag or word, also a word with an
 * argument.
 */
#include "model/job/job_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"

int job_bad_value(const struct job_option *o, const char *value)
{
	return fail(EINVAL, "%s=%s: not a valid %s (%s)", o->name, value,
		    o->value, o->help);
}

void job_own(char **member, const char *text)
{
	free(*member);
	*member = xstrdup(text);
}

char **job_owned_member(struct job *job, void *member, unsigned i)
{
	return i ? NULL : (char **)member;
}

static int parse_name(struct job *job, const struct job_option *o,
		      const char *value, void *member)
{
	if (!*value || !text_copy(member, sizeof(job->name), value))
		return fail(EINVAL, "%s=%s: a name has 1 to %zu characters",
			    o->name, value, sizeof(job->name) - 1);
	return 0;
}

static int parse_engine(struct job *job, const struct job_option *o,
			const char *value, void *member)
{
	size_t known = 0;

	for (const struct job_word *w = o->words; w && w->word; w++) {
		if (strcmp(w->word, value))
			continue;
		if (w->note)
			return fail(EINVAL, "%s=%s is not supported: %s; %s",
				    o->name, value, w->note, o->why);
		known++;
	}
	if (!known && (!*value || strlen(value) >= sizeof(job->engine)))
		return job_bad_value(o, value);
	text_copy(member, sizeof(job->engine), value);
	return 0;
}

static int parse_string(struct job *job, const struct job_option *o,
			const char *value, void *member)
{
	if (!*value)
		return job_bad_value(o, value);
	job_own(member, value);
	return 0;
}

/* A program, which may stand in quotes, and its arguments. */
static int parse_command(struct job *job, const struct job_option *o,
			 const char *value, void *member)
{
	const char *begin = value + strspn(value, " \t"), *end;
	bool quoted = *begin == '\'' || *begin == '"';
	char *program;

	begin += quoted;
	end = quoted ? strchr(begin, begin[-1])
		     : begin + strcspn(begin, " \t");
	if (!end || end == begin)
		return job_bad_value(o, value);
	program = xasprintf("%.*s", (int)(end - begin), begin);
	job_own(&job->program, program);
	free(program);
	job_own(member, value);
	end += quoted;
	job_own(&job->arguments, end + strspn(end, " \t"));
	if (!strcmp(job->kind, "io"))
		text_set(job->kind, "exec");
	return 0;
}

/* "NAME=PATTERN", a key of the log; several are divided by newlines. */
static int parse_metric(struct job *job, const struct job_option *o,
			const char *value, void *member)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	char **list = member, *copy = xstrdup(value), *rest = copy, *line;
	int err = 0;

	while (!err && (line = strsep(&rest, "\n"))) {
		size_t n = strspn(line, letters);

		if (!n || n > 31 || line[n] != '=' || !line[n + 1]) {
			err = fail(EINVAL,
				   "%s=%s: give NAME=REGEX or NAME=json:PATH; "
				   "the name is up to 31 small letters, digits "
				   "and _",
				   o->name, value);
			break;
		}
		xappend(list, "%s %s", *list ? "\n" : "", line);
	}
	free(copy);
	return err;
}

static int parse_better(struct job *job, const struct job_option *o,
			const char *value, void *member)
{
	char *list = *(char **)member, *line;

	if (strcmp(value, "more") != 0 && strcmp(value, "less") != 0)
		return job_bad_value(o, value);
	if (!list)
		return fail(EINVAL,
			    "%s=%s: no metric was given before; give "
			    "metric=NAME=REGEX first",
			    o->name, value);
	line = strrchr(list, '\n');
	*(line ? line + 1 : list) = *value == 'm' ? '+' : '-';
	return 0;
}

static int parse_log(struct job *job, const struct job_option *o,
		     const char *value, void *member)
{
	job_own(member, value ? value : "");
	return 0;
}

static int parse_bool(struct job *job, const struct job_option *o,
		      const char *value, void *member)
{
	if (strcmp(value, "0") && strcmp(value, "1"))
		return fail(EINVAL, "%s=%s is not 0 or 1; %s", o->name, value,
			    o->help);
	*(bool *)member = *value == '1';
	return 0;
}

static int parse_flag(struct job *job, const struct job_option *o,
		      const char *value, void *member)
{
	return parse_bool(job, o, value ? value : "1", member);
}

static int parse_not(struct job *job, const struct job_option *o,
		     const char *value, void *member)
{
	int err = parse_bool(job, o, value, member);

	if (!err)
		*(bool *)member = !*(bool *)member;
	return err;
}

static int parse_words(struct job *job, const struct job_option *o,
		       const char *value, void *member)
{
	char list[400] = "";
	size_t n = 0;

	for (; o->words[n].word; n++) {
		const struct job_word *w = &o->words[n];

		if (!strcmp(w->word, value)) {
			*(unsigned *)member = w->value;
			if (w->note)
				job_note(job, "%s=%s: %s", o->name, value,
					 w->note);
			return 0;
		}
		text_join(list, sizeof(list), ", ", "%s", w->word);
	}
	return fail(EINVAL, "%s=%s is not supported%s; it can be %s", o->name,
		    value,
		    text_did_you_mean("", text_nearest(value, o->words, n, word))
			    .text,
		    list);
}

/* Two words for a bool. */
static int job_kind_parse_choice(struct job *job, const struct job_option *o,
				 const char *value, void *member)
{
	unsigned word;
	int err = parse_words(job, o, value, &word);

	if (!err)
		*(bool *)member = word != 0;
	return err;
}

static int parse_any(struct job *job, const struct job_option *o,
		     const char *value, void *member)
{
	return *value ? 0 : job_bad_value(o, value);
}

static double number_bool(const void *member)
{
	return *(const bool *)member;
}

static void from_bool(void *member, uint64_t n)
{
	*(bool *)member = n != 0;
}

static const char *text_array(const void *member)
{
	return member;
}

static const char *text_string(const void *member)
{
	return *(char *const *)member;
}

static void from_name(void *member, const char *text)
{
	text_copy(member, sizeof(((struct job *)0)->name), text);
	text_clean(member);
}

static void from_engine(void *member, const char *text)
{
	text_copy(member, sizeof(((struct job *)0)->engine), text);
	text_clean(member);
}

static void from_string(void *member, const char *text)
{
	job_own(member, text);
	text_clean(*(char **)member);
}

/* clang-format off */
const struct job_kind job_command = { .parse = parse_command,
				      .owned = job_owned_member };
const struct job_kind job_metric = { .parse = parse_metric,
				     .owned = job_owned_member };
const struct job_kind job_better = { .parse = parse_better,
				     .owned = job_owned_member };
const struct job_kind
	job_name = { .parse = parse_name, .text = text_array,
		     .from_text = from_name },
	job_engine = { .parse = parse_engine, .text = text_array,
		       .from_text = from_engine },
	job_string = { .parse = parse_string, .text = text_string,
		       .from_text = from_string, .owned = job_owned_member },
	job_log = { .bare = true, .parse = parse_log, .text = text_string,
		    .from_text = from_string, .owned = job_owned_member },
	job_flag = { .bare = true, .parse = parse_flag,
		     .number = number_bool, .from_number = from_bool },
	job_bool = { .parse = parse_bool, .number = number_bool,
		     .from_number = from_bool },
	job_not = { .parse = parse_not },
	job_choice = { .parse = job_kind_parse_choice },
	job_words = { .parse = parse_words },
	job_any = { .parse = parse_any };
/* clang-format on */

char *job_piece(char **rest, char separator)
{
	const char only[] = { separator, '\0' };

	return strsep(rest, only);
}
