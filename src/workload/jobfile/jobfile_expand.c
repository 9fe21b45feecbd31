/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job file expansion: words of the environment and of the machine, and
 * arithmetic with them.
 */
#include "workload/jobfile/jobfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"

#define MAX_LINE 8192 /* fio's OPT_LEN_MAX */

struct line {
	char *text;
	size_t n;
};

static int jobfile_append(struct line *l, const char *text, size_t n)
{
	if (l->n + n >= MAX_LINE)
		return fail(EINVAL, "the line is longer than %d bytes",
			    MAX_LINE);
	memcpy(l->text + l->n, text, n);
	l->n += n;
	l->text[l->n] = '\0';
	return 0;
}

static unsigned long long cpus(void)
{
	return (unsigned long long)sysconf(_SC_NPROCESSORS_ONLN);
}

static unsigned long long page_size(void)
{
	return (unsigned long long)sysconf(_SC_PAGESIZE);
}

static unsigned long long memory_mb(void)
{
	return (unsigned long long)sysconf(_SC_PHYS_PAGES) * page_size() >> 20;
}

static const struct {
	const char *word;
	unsigned long long (*value)(void);
} words[] = {
	{ "$ncpus", cpus },
	{ "$pagesize", page_size },
	{ "$mb_memory", memory_mb },
};

/*
 * Append the value of a machine word at this place. The word's length, 0: there
 * is none, or -EINVAL.
 */
static int machine_word(const char *at, struct line *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i].word);
		char number[24];

		if (strncmp(at, words[i].word, n))
			continue;
		snprintf(number, sizeof(number), "%llu", words[i].value());
		if (jobfile_append(l, number, strlen(number)) < 0)
			return -EINVAL;
		return (int)n;
	}
	return 0;
}

/* The same for ${NAME}. */
static int environment_word(const char *at, struct line *l, bool *missing)
{
	const char *end = at[1] == '{' ? strchr(at, '}') : NULL, *value;
	char name[128];

	if (!end)
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)(end - at - 2), at + 2);
	value = getenv(name);
	if (!value)
		*missing = true;
	else if (jobfile_append(l, value, strlen(value)) < 0)
		return -EINVAL;
	return (int)(end - at + 1);
}

static bool jobfile_number(const char **p, long long *out)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	*out = strtoll(*p, &end, 10);
	*p = end;
	return !errno;
}

/* Products of numbers. */
static bool term(const char **p, long long *out)
{
	long long v;
	char sign;

	if (!jobfile_number(p, out))
		return false;
	while (**p == '*' || **p == '/') {
		sign = *(*p)++;
		if (!jobfile_number(p, &v))
			return false;
		if (sign == '*' && __builtin_mul_overflow(*out, v, out))
			return false;
		if (sign == '/' && !v)
			return false;
		if (sign == '/')
			*out /= v;
	}
	return true;
}

/* "8*3980", "4096-96" and nothing behind. */
static bool sum(const char *p, long long *out)
{
	long long v;
	char sign;

	if (!term(&p, out))
		return false;
	while (*p == '+' || *p == '-') {
		sign = *p++;
		if (!term(&p, &v))
			return false;
		if (sign == '+' ? __builtin_add_overflow(*out, v, out)
				: __builtin_sub_overflow(*out, v, out))
			return false;
	}
	return !*p && *out >= 0;
}

/*
 * fio passes a value with such a word to bc; here is the small part of bc that
 * job files use.
 */
static void work_out(struct line *l)
{
	char *value = strchr(l->text, '=');
	long long result;

	if (!value || !strpbrk(value, "+-*/") || !sum(value + 1, &result))
		return;
	/*
	 * The result may be longer than "2*3", but never longer than the
	 * buffer.
	 */
	snprintf(value + 1, MAX_LINE - (size_t)(value + 1 - l->text), "%lld",
		 result);
}

int jobfile_expand(const char *line, char **out, bool *missing)
{
	struct line l = { .text = xcalloc(1, MAX_LINE) };
	bool worked = false;
	int n = 0;

	*missing = false;
	while (*line && n >= 0) {
		n = *line == '$' ? machine_word(line, &l) : 0;
		worked = worked || n > 0;
		if (*line == '$' && n == 0)
			n = environment_word(line, &l, missing);
		if (n == 0)
			n = jobfile_append(&l, line, 1) < 0 ? -EINVAL : 1;
		line += n > 0 ? n : 0;
	}
	if (n < 0) {
		free(l.text);
		return n;
	}
	if (worked)
		work_out(&l);
	*out = l.text;
	return 0;
}
