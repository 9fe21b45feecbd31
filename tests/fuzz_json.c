/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON: what parses prints, and what was printed parses to as much again.
 * (Not to the same text: json-c takes 060E for a number and keeps its digits.)
 */
#include "fuzz.h"

#include "base/json.h"

FUZZ_TARGET(json)
{
	struct json *first, *second;
	const char *text;
	char *once;
	size_t len;

	if (json_parse((const char *)data, size, &first))
		return 0;
	text = json_text(first, &len);
	once = as_string((const uint8_t *)text, len);
	if (!json_parse(once, len, &second)) {
		must_hold(json_length(second) == json_length(first));
		json_free(second);
	}
	json_number(first);
	json_get_string(first, "type");
	for (size_t i = 0; i < json_length(first); i++)
		json_number(json_at(first, i));
	json_free(first);
	free(once);
	return 0;
}
