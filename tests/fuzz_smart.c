/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of disks: the first byte is the interface. Compared with an empty
 * reading nothing rises, and words end in their buffer.
 */
#include "fuzz.h"

#include <math.h>

#include "collect/smart.h"

FUZZ_TARGET(smart)
{
	uint8_t page[SMART_PAGE] = { 0 };
	struct smart none = { .n_attributes = 0 }, s;
	char words[64] = "";
	size_t n = size ? size - 1 : 0;

	for (size_t i = 0; i < SMART_COUNTERS; i++)
		none.value[i] = NAN;
	if (n)
		memcpy(page, data + 1, n < SMART_PAGE ? n : SMART_PAGE);
	if (!size || !smart_parse(&s, data[0] % 4, page))
		return 0;
	must_hold(s.n_attributes <= SMART_ATTRIBUTES);
	for (size_t i = 0; i < SMART_COUNTERS; i++)
		must_hold(!(s.value[i] < -128));
	json_free(smart_json(&s));
	smart_compare(&s, &s, words, sizeof(words));
	smart_compare(&none, &s, words, sizeof(words));
	must_hold(!strstr(words, "rose"));
	return 0;
}
