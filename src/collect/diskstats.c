/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diskstats: a parser by hand, some times as fast as sscanf().
 */
#include "collect/diskstats.h"

#include <string.h>

/* Where each value stands after the name, from 0. */
enum {
	AT_OP = 0, /* ios, merges, sectors, ms of reads; then of writes */
	AT_DEPTH = 8,
	AT_BUSY = 9,
	AT_WEIGHTED = 10,
	AT_DISCARD = 11,
	AT_FLUSH = 15,
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* A whole number up to a blank or the end of the line; NULL for junk. */
static const char *number(const char *p, const char *end, uint64_t *out)
{
	uint64_t value = 0;
	const char *start;

	p = skip_blanks(p, end);
	for (start = p; p < end && *p >= '0' && *p <= '9'; p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (p - start >= 19 && value > (UINT64_MAX - digit) / 10)
			return NULL;
		value = value * 10 + digit;
	}
	if (p == start || (p < end && *p != ' ' && *p != '\t' && *p != '\r'))
		return NULL;
	*out = value;
	return p;
}

static bool parse(const char *p, const char *end, struct diskstats_line *line)
{
	uint64_t major, minor;
	const char *start;

	p = number(p, end, &major);
	p = p ? number(p, end, &minor) : NULL;
	if (!p || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	line->major = (unsigned)major;
	line->minor = (unsigned)minor;
	start = skip_blanks(p, end);
	/* The kernel's names are ASCII; anything else might draw on a screen.
	 */
	for (p = start; p<end && * p> ' ' && *p < 0x7f;)
		p++;
	if (p == start || p >= end || *p != ' ')
		return false;
	line->name = start;
	line->name_length = (size_t)(p - start);
	if (line->name_length >= ROW_ID_MAX)
		line->name_length = ROW_ID_MAX - 1;
	memset(line->value, 0, sizeof(line->value));
	for (line->columns = 0;; line->columns++) {
		uint64_t beyond;

		p = skip_blanks(p, end);
		if (p >= end || *p == '\r')
			return line->columns >= 11;
		p = number(p, end,
			   line->columns < DISKSTATS_VALUES
				   ? &line->value[line->columns]
				   : &beyond);
		if (!p)
			return false;
	}
}

bool diskstats_next(const char **p, const char *end,
		    struct diskstats_line *line)
{
	while (*p < end) {
		const char *start = *p;
		const char *stop = memchr(start, '\n', (size_t)(end - start));

		/* A last line without its end may lack half of a number. */
		if (!stop) {
			*p = end;
			return false;
		}
		*p = stop + 1;
		if (parse(start, stop, line))
			return true;
	}
	return false;
}

void diskstats_fill(const struct diskstats_line *line, struct device_raw *raw)
{
	static const unsigned at[DEVICE_OPS] = { AT_OP, AT_OP + 4, AT_DISCARD };
	const uint64_t *v = line->value;

	for (int op = 0; op < DEVICE_OPS; op++) {
		raw->ios[op] = v[at[op]];
		raw->merges[op] = v[at[op] + 1];
		raw->sectors[op] = v[at[op] + 2];
		raw->ms[op] = v[at[op] + 3];
	}
	raw->flush_ios = v[AT_FLUSH];
	raw->flush_ms = v[AT_FLUSH + 1];
	/* Old kernels could count below 0 and print it without a sign. */
	raw->queue_depth = v[AT_DEPTH] > INT32_MAX ? 0 : v[AT_DEPTH];
	raw->busy_ms = v[AT_BUSY];
	raw->weighted_ms = v[AT_WEIGHTED];
	raw->columns = line->columns;
}

bool diskstats_used(const struct diskstats_line *line)
{
	uint64_t any = 0;

	for (int i = 0; i < DISKSTATS_VALUES; i++)
		any |= line->value[i];
	return any != 0;
}

uint64_t diskstats_completed(const struct diskstats_line *line)
{
	return line->value[AT_OP] + line->value[AT_OP + 4] +
	       line->value[AT_DISCARD] + line->value[AT_FLUSH];
}
