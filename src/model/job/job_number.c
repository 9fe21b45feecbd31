/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job number: sizes and times as fio reads them.
 */
#include "model/job/job_number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct number {
	uint64_t whole;
	double value;
	bool fraction;
	const char *unit;
};

/* Parse "12", "0x1f" or "1.5" and find where its unit begins. */
static bool parse_number(const char *s, struct number *n)
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

static bool scale(const struct number *n, uint64_t factor, uint64_t *out)
{
	double v = n->value * (double)factor;

	if (!(v < 0x1p63))
		return false;
	/* Parse a whole number exactly: a double has only 53 bits. */
	*out = n->fraction ? (uint64_t)llround(v) : n->whole * factor;
	return true;
}

/* "k", "kb" or "kib" of one letter; inverted is set for the last. */
static bool byte_unit(const char *unit, unsigned *power, bool *inverted)
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

	if (!parse_number(text, &n) || !byte_unit(n.unit, &power, &inverted))
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
	return scale(&n, factor, bytes);
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

	if (!parse_number(text, &n))
		return false;
	if (trap)
		*trap = n.fraction ? NUMBER_FRACTION : NUMBER_PLAIN;
	if (!*n.unit)
		return scale(&n, bare_ns, ns);
	for (size_t i = 0; i < ARRAY_SIZE(time_units); i++)
		if (!strcasecmp(n.unit, time_units[i].name))
			return scale(&n, time_units[i].ns, ns);
	return false;
}

bool job_real(const char *text, double *value)
{
	struct number n;

	if (!parse_number(text, &n) || *n.unit)
		return false;
	*value = n.value;
	return true;
}

char *job_piece(char **rest, char separator)
{
	const char only[] = { separator, '\0' };

	return strsep(rest, only);
}
