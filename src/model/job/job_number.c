/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job number: options that hold a size, a time or a count: one, or one for each
 * direction. Numbers are read as fio reads them.
 */
#include "model/job/job_kind.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"

struct number {
	uint64_t whole;
	double value;
	bool fraction;
	const char *unit;
};

/* Parse "12", "0x1f" or "1.5" and find where its unit begins. */
static bool job_number_parse_number(const char *s, struct number *n)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	size_t digits = strspn(s, "0123456789");
	char copy[40], *end;

	if (!isdigit((unsigned char)s[0]))
		return false;
	if (hex && !isxdigit((unsigned char)s[2]))
		return false;
	errno = 0;
	n->whole = strtoull(s, &end, hex ? 16 : 10);
	if (errno || n->whole > INT64_MAX)
		return false;
	n->value = (double)n->whole;
	n->unit = end;
	n->fraction = !hex && s[digits] == '.';
	if (!n->fraction)
		return true;
	digits += 1 + strspn(s + digits + 1, "0123456789");
	if (digits >= sizeof(copy))
		return false;
	memcpy(copy, s, digits);
	copy[digits] = '\0';
	n->value = strtod(copy, &end);
	n->unit = s + digits;
	return !*end;
}

static bool job_number_scale(const struct number *n, uint64_t factor,
			     uint64_t *out)
{
	double v = n->value * (double)factor;

	if (!(v < 0x1p63))
		return false;
	/* Parse a whole number exactly: a double has only 53 bits. */
	*out = n->fraction ? (uint64_t)llround(v) : n->whole * factor;
	return true;
}

/* "k", "kb" or "kib" of one letter; inverted is set for the last. */
static bool job_number_byte_unit(const char *unit, unsigned *power,
				 bool *inverted)
{
	static const char letters[] = "kmgtp";
	const char *letter;

	*power = 0;
	*inverted = false;
	if (!*unit || !strcasecmp(unit, "b"))
		return true;
	letter = strchr(letters, tolower((unsigned char)*unit));
	if (!letter)
		return false;
	*power = (unsigned)(letter - letters) + 1;
	*inverted = !strcasecmp(unit + 1, "ib");
	return *inverted || !unit[1] || !strcasecmp(unit + 1, "b");
}

bool job_bytes(const char *text, unsigned kb_base, uint64_t *bytes,
	       unsigned *trap)
{
	uint64_t factor = 1, base;
	unsigned power, what = NUMBER_PLAIN;
	bool inverted;
	struct number n;

	if (!job_number_parse_number(text, &n) ||
	    !job_number_byte_unit(n.unit, &power, &inverted))
		return false;
	base = inverted == (kb_base == 1000) ? 1024 : 1000;
	while (power--)
		factor *= base;
	if (n.fraction && factor == 1)
		return false;
	if (inverted && kb_base != 1000)
		what = NUMBER_INVERTED;
	else if (n.fraction)
		what = NUMBER_FRACTION;
	if (trap)
		*trap = what;
	return job_number_scale(&n, factor, bytes);
}

static const struct {
	const char *name;
	uint64_t ns;
} time_units[] = {
	{ "us", 1000 },         { "usec", 1000 },        { "ms", 1000000 },
	{ "msec", 1000000 },    { "s", 1000000000 },     { "m", 60000000000 },
	{ "h", 3600000000000 }, { "d", 86400000000000 },
};

bool job_time(const char *text, uint64_t bare_ns, uint64_t *ns, unsigned *trap)
{
	struct number n;

	if (!job_number_parse_number(text, &n))
		return false;
	if (trap)
		*trap = n.fraction ? NUMBER_FRACTION : NUMBER_PLAIN;
	if (!*n.unit)
		return job_number_scale(&n, bare_ns, ns);
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++)
		if (!strcasecmp(n.unit, time_units[i].name))
			return job_number_scale(&n, time_units[i].ns, ns);
	return false;
}

bool job_real(const char *text, double *value)
{
	struct number n;

	if (!job_number_parse_number(text, &n) || *n.unit)
		return false;
	*value = n.value;
	return true;
}

static int out_of_range(const struct job_option *o, const char *value)
{
	if (!o->max || o->max == UINT64_MAX)
		return fail(EINVAL, "%s=%s: must be at least %llu", o->name,
			    value, (unsigned long long)o->min);
	return fail(EINVAL, "%s=%s: must be %llu to %llu", o->name, value,
		    (unsigned long long)o->min, (unsigned long long)o->max);
}

static int job_number_in_range(const struct job_option *o, const char *value,
			       uint64_t n)
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
	return job_number_in_range(o, text, *bytes);
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

	if (!text_set(copy, value))
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
	return job_number_in_range(o, value, ns);
}

static int parse_count64(struct job *job, const struct job_option *o,
			 const char *value, void *member)
{
	return job_read_bytes(job, o, value, member);
}

static int parse_count(struct job *job, const struct job_option *o,
		       const char *value, void *member)
{
	uint64_t n = 0;
	int err = job_read_bytes(job, o, value, &n);

	if (err < 0)
		return err;
	if (n > UINT32_MAX)
		return job_bad_value(o, value);
	*(unsigned *)member = (unsigned)n;
	return 0;
}

static int parse_percentage(struct job *job, const struct job_option *o,
			    const char *value, void *member)
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

static int parse_integer(struct job *job, const struct job_option *o,
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
	uint64_t ms = 0;
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

/* --- a value for each direction --- */

/*
 * "read,write,trim": each direction gets its piece, or the last one when its
 * own is missing; an empty piece changes nothing.
 */
static int each_direction(struct job *job, const struct job_option *o,
			  const char *value, void *member)
{
	unsigned commas = 0;
	int err = 0;

	for (const char *p = value; *p; p++)
		commas += *p == ',';
	if (!*value || commas >= JOB_DIRS)
		return job_bad_value(o, value);
	for (unsigned dir = 0; dir < JOB_DIRS && !err; dir++) {
		char *piece = job_direction_piece(value, dir);

		if (*piece)
			err = o->kind->each(job, o, piece, member, dir);
		free(piece);
	}
	return err;
}

static void set_block(struct job_bs *bs, uint64_t min, uint64_t max)
{
	bs->min = min;
	bs->max = max;
	free(bs->split);
	bs->split = NULL;
}

static int one_bs(struct job *job, const struct job_option *o,
		  const char *piece, void *member, unsigned dir)
{
	uint64_t n;
	int err = job_read_bytes(job, o, piece, &n);

	if (!err)
		set_block((struct job_bs *)member + dir, n, n);
	return err;
}

static int one_range(struct job *job, const struct job_option *o,
		     const char *piece, void *member, unsigned dir)
{
	char copy[64], *rest = copy, *first;
	uint64_t low, high;
	int err;

	if (!text_set(copy, piece))
		return job_bad_value(o, piece);
	first = job_piece(&rest, strchr(copy, '-') ? '-' : ':');
	if (!rest)
		return fail(EINVAL, "%s=%s is not a range such as 4k-64k",
			    o->name, piece);
	err = job_read_bytes(job, o, first, &low);
	if (!err)
		err = job_read_bytes(job, o, rest, &high);
	if (!err)
		set_block((struct job_bs *)member + dir,
			  low < high ? low : high, low < high ? high : low);
	return err;
}

/*
 * The split with sizes in bytes and with every per cent: reading it does not
 * depend on kb_base.
 */
static char *split_text(const struct job_split *split)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < split->n; i++)
		xappend(&text, "%s%llu/%.10g", i ? ":" : "",
			(unsigned long long)split->part[i].bytes,
			split->part[i].pct);
	return text;
}

static int one_split(struct job *job, const struct job_option *o,
		     const char *piece, void *member, unsigned dir)
{
	struct job_bs *bs = (struct job_bs *)member + dir;
	struct job_split split;
	uint64_t min = UINT64_MAX, max = 0;

	if (job_split_parse(piece, job->kb_base, &split) < 0)
		return fail(EINVAL, "%s=%s: %s", o->name, piece,
			    fail_sentence());
	for (size_t i = 0; i < split.n; i++) {
		uint64_t bytes = split.part[i].bytes;

		min = bytes < min ? bytes : min;
		max = bytes > max ? bytes : max;
	}
	if (max > o->max)
		return fail(EINVAL, "%s=%s: blocks have at most %llu bytes",
			    o->name, piece, (unsigned long long)o->max);
	set_block(bs, min, max);
	bs->split = split_text(&split);
	return 0;
}

static int job_number_one_size(struct job *job, const struct job_option *o,
			       const char *piece, void *member, unsigned dir)
{
	return job_read_bytes(job, o, piece, (uint64_t *)member + dir);
}

static int job_number_one_time(struct job *job, const struct job_option *o,
			       const char *piece, void *member, unsigned dir)
{
	unsigned trap;

	if (job_time(piece, o->unit, (uint64_t *)member + dir, &trap))
		return 0;
	return fail(EINVAL,
		    "%s=%s: not a valid TIME; the units are us, ms, s, m, h "
		    "and d",
		    o->name, piece);
}

static int one_percent(struct job *job, const struct job_option *o,
		       const char *piece, void *member, unsigned dir)
{
	uint64_t n;
	int err = job_read_bytes(job, o, piece, &n);

	if (!err)
		((unsigned *)member)[dir] = (unsigned)n;
	return err;
}

static double number_bs(const void *member)
{
	return (double)((const struct job_bs *)member)->min;
}

static void from_bs(void *member, uint64_t n)
{
	for (unsigned i = 0; i < JOB_DIRS; i++)
		set_block((struct job_bs *)member + i, n, n);
}

/* bs, bsrange and bssplit share their member. */
static char **owned_splits(struct job *job, void *member, unsigned i)
{
	return i < JOB_DIRS ? &((struct job_bs *)member)[i].split : NULL;
}

const struct job_kind
	job_size = { .parse = parse_size, .number = number_u64,
		     .from_number = from_u64 },
	job_ns = { .parse = parse_ns, .number = number_u64,
		   .from_number = from_u64 },
	job_ms = { .parse = parse_ms },
	job_count64 = { .parse = parse_count64, .number = number_u64,
			.from_number = from_u64 },
	job_count = { .parse = parse_count, .number = number_unsigned,
		      .from_number = from_unsigned },
	job_percent = { .parse = parse_percentage },
	job_rest = { .parse = parse_rest },
	job_integer = { .parse = parse_integer };
const struct job_kind job_bs_kind = { .parse = each_direction,
				      .each = one_bs,
				      .number = number_bs,
				      .from_number = from_bs,
				      .owned = owned_splits };
const struct job_kind job_bsrange = { .parse = each_direction,
				      .each = one_range,
				      .owned = owned_splits };
const struct job_kind job_bssplit = { .parse = each_direction,
				      .each = one_split,
				      .owned = owned_splits };
const struct job_kind job_sizes = { .parse = each_direction,
				    .each = job_number_one_size };
const struct job_kind job_times = { .parse = each_direction,
				    .each = job_number_one_time };
const struct job_kind job_percents = { .parse = each_direction,
				       .each = one_percent };
