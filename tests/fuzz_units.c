/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units and text from outside: nothing overflows, and what is cleaned stays
 * clean and as long as it was.
 */
#include "fuzz.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

FUZZ_TARGET(units)
{
	char *text = as_string(data, size), *again;
	size_t len = strlen(text);
	uint64_t n;

	if (units_parse_bytes(text, &n))
		must_hold(n <= INT64_MAX);
	if (units_parse_ns(text, 1000000000, &n))
		must_hold(n <= INT64_MAX);
	if (units_parse_count(text, 1, 100, &n))
		must_hold(n >= 1 && n <= 100);
	clock_parse_utc(text);
	text_clean(text);
	must_hold(strlen(text) == len);
	again = xstrdup(text);
	text_clean(again);
	must_hold(!strcmp(again, text));
	for (const char *p = text; *p; p++)
		must_hold((unsigned char)*p >= 0x20 && *p != 0x7f);
	text_trim(again);
	free(again);
	free(text);
	return 0;
}
