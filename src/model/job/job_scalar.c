/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job scalar: options that hold one number: a size, a time, a count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "model/job/job_kind.h"

static int out_of_range(const struct job_option *o, const char *value)
{
	if (!o->max || o->max == UINT64_MAX)
		return fail(EINVAL, "%s=%s is below the least, %llu", o->name,
			    value, (unsigned long long)o->min);
	return fail(EINVAL, "%s=%s is not within %llu and %llu", o->name, value,
		    (unsigned long long)o->min, (unsigned long long)o->max);
}

static int in_range(const struct job_option *o, const char *value, uint64_t n)
{
	if (n < o->min || (o->max && n > o->max))
		return out_of_range(o, value);
	return 0;
}

static void note_trap(struct job *job, const struct job_option *o,
		      const char *text, uint64_t value, unsigned trap)
{
	if (trap == NUMBER_INVERTED)
		job_note(job,
			 "%s=%s is %llu bytes: with kb_base=1024 fio reads "
			 "KiB, MiB, ... as powers of 1000, and k, m, ... as "
			 "powers of 1024; write %.*s or kb_base=1000",
			 o->name, text, (unsigned long long)value,
			 (int)strspn(text, "0123456789.") + 1, text);
	else if (trap == NUMBER_FRACTION)
		job_note(job,
			 "%s=%s is %llu here; fio would read the whole number "
			 "alone, without the unit",
			 o->name, text, (unsigned long long)value);
}

int job_read_bytes(struct job *job, const struct job_option *o,
		   const char *text, uint64_t *bytes)
{
	unsigned trap;

	if (*text == '(')
		return fail(EINVAL,
			    "%s=%s: arithmetic in brackets is not supported; "
			    "write the result",
			    o->name, text);
	if (!job_bytes(text, job->kb_base, bytes, &trap))
		return job_bad_value(o, text);
	note_trap(job, o, text, *bytes, trap);
	return in_range(o, text, *bytes);
}

/* "50%" into the member of per cents. */
static int parse_percent(struct job *job, const struct job_option *o,
			 const char *value)
{
	unsigned *pct = (unsigned *)(void *)((char *)job + o->pct_offset);
	char digits[8];
	uint64_t n;
	size_t len = strlen(value) - 1;

	if (len >= sizeof(digits))
		return job_bad_value(o, value);
	memcpy(digits, value, len);
	digits[len] = '\0';
	if (!units_parse_count(digits, 1, 100, &n))
		return job_bad_value(o, value);
	*pct = (unsigned)n;
	return 0;
}

static int one_end(struct job *job, const struct job_option *o,
		   const char *text, uint64_t *out)
{
	if (!o->unit)
		return job_read_bytes(job, o, text, out);
	return job_time(text, o->unit, out, NULL) ? 0 : job_bad_value(o, text);
}

/* "4k-64k": low and high in either order, as in fio. */
static int parse_range(struct job *job, const struct job_option *o,
		       const char *value, uint64_t *low)
{
	uint64_t *high = (uint64_t *)(void *)((char *)job + o->high_offset);
	char copy[64], *rest = copy, *first, separator;
	int err;

	if (!text_copy(copy, sizeof(copy), value))
		return job_bad_value(o, value);
	separator = copy[strcspn(copy, "-,:")];
	first = job_piece(&rest, separator ? separator : '-');
	err = one_end(job, o, first, low);
	if (err < 0)
		return err;
	/* A size without a range gets a range of width 0; a time gets none. */
	*high = o->unit ? 0 : *low;
	if (rest && *rest)
		err = one_end(job, o, rest, high);
	if (!err && rest && *rest && *low > *high) {
		uint64_t most = *low;

		*low = *high;
		*high = most;
	}
	return err;
}

static int parse_size(struct job *job, const struct job_option *o,
		      const char *value, void *member)
{
	size_t n = strlen(value);
	uint64_t bytes;
	int err;

	if (n > 1 && value[n - 1] == '%' && o->pct_offset) {
		err = parse_percent(job, o, value);
		if (!err)
			*(uint64_t *)member = 0;
		return err;
	}
	if (n > 1 && value[n - 1] == 'z')
		return fail(EINVAL,
			    "%s=%s: sizes in zones are not supported; give "
			    "bytes",
			    o->name, value);
	if (o->high_offset)
		return parse_range(job, o, value, member);
	err = job_read_bytes(job, o, value, &bytes);
	if (err < 0)
		return err;
	*(uint64_t *)member = bytes;
	if (o->pct_offset)
		*(unsigned *)(void *)((char *)job + o->pct_offset) = 0;
	return 0;
}

static int parse_ns(struct job *job, const struct job_option *o,
		    const char *value, void *member)
{
	unsigned trap;
	uint64_t ns;

	if (o->high_offset)
		return parse_range(job, o, value, member);
	if (!job_time(value, o->unit, &ns, &trap))
		return fail(EINVAL,
			    "%s=%s: not a valid %s; the units are us, ms, s, "
			    "m, h and d (fio takes others for microseconds)",
			    o->name, value, o->value);
	if (trap == NUMBER_FRACTION)
		job_note(job,
			 "%s=%s is %llu us here; fio would read the whole "
			 "number alone",
			 o->name, value, (unsigned long long)(ns / 1000));
	*(uint64_t *)member = ns;
	return in_range(o, value, ns);
}

static int parse_count64(struct job *job, const struct job_option *o,
			 const char *value, void *member)
{
	return job_read_bytes(job, o, value, member);
}

static int parse_count(struct job *job, const struct job_option *o,
		       const char *value, void *member)
{
	uint64_t n;
	int err = job_read_bytes(job, o, value, &n);

	if (err < 0)
		return err;
	if (n > UINT32_MAX)
		return job_bad_value(o, value);
	*(unsigned *)member = (unsigned)n;
	return 0;
}

static int parse_percentage(struct job *job not_used,
			    const struct job_option *o, const char *value,
			    void *member)
{
	double pct;

	if (!job_real(value, &pct) || pct > 100)
		return job_bad_value(o, value);
	*(double *)member = pct;
	return 0;
}

static int parse_rest(struct job *job, const struct job_option *o,
		      const char *value, void *member)
{
	int err = parse_count(job, o, value, member);

	if (!err)
		*(unsigned *)member = 100 - *(unsigned *)member;
	return err;
}

static int parse_integer(struct job *job not_used, const struct job_option *o,
			 const char *value, void *member)
{
	bool minus = *value == '-';
	uint64_t n;

	/* The range is symmetric except at one end: nice is -20 to 19. */
	if (!units_parse_count(value + minus, 0, minus ? o->min : o->max, &n))
		return job_bad_value(o, value);
	*(int *)member = minus ? -(int)n : (int)n;
	return 0;
}

/* Bare milliseconds, kept in ns. */
static int parse_ms(struct job *job, const struct job_option *o,
		    const char *value, void *member)
{
	uint64_t ms;
	int err = job_read_bytes(job, o, value, &ms);

	if (err < 0)
		return err;
	if (ms > UINT32_MAX)
		return job_bad_value(o, value);
	*(uint64_t *)member = ms * 1000000;
	return 0;
}

static double number_u64(const void *member)
{
	return (double)*(const uint64_t *)member;
}

static double number_unsigned(const void *member)
{
	return *(const unsigned *)member;
}

static void from_u64(void *member, uint64_t n)
{
	*(uint64_t *)member = n;
}

static void from_unsigned(void *member, uint64_t n)
{
	if (n <= UINT32_MAX)
		*(unsigned *)member = (unsigned)n;
}

/* clang-format off */
const struct job_kind
	job_size = { false, parse_size, number_u64, NULL, from_u64, NULL, NULL },
	job_ns = { false, parse_ns, number_u64, NULL, from_u64, NULL, NULL },
	job_ms = { false, parse_ms, NULL, NULL, NULL, NULL, NULL },
	job_count64 = { false, parse_count64, number_u64, NULL, from_u64,
			NULL, NULL },
	job_count = { false, parse_count, number_unsigned, NULL, from_unsigned,
		      NULL, NULL },
	job_percent = { false, parse_percentage, NULL, NULL, NULL, NULL, NULL },
	job_rest = { false, parse_rest, NULL, NULL, NULL, NULL, NULL },
	job_integer = { false, parse_integer, NULL, NULL, NULL, NULL, NULL };
/* clang-format on */
