/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the figures of a publication, and the plan and results of a log
 * that are compared with them. The reference stands first, up to a byte 0; then
 * come lines of the log.
 */
#include <stdio.h>

#include "base/fail.h"
#include "report/page.h"
#include "report/pivot/pivot.h"
#include "report/pivot/runs.h"

#include "fuzz.h"

static void add_lines(struct runs *r, const char *line, const char *end)
{
	while (line < end) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		struct json *j;

		stop = stop ? stop : end;
		if (!json_parse(line, (size_t)(stop - line), &j)) {
			const char *type = json_get_string(j, "type");

			if (type)
				runs_add_line(r, type, j);
			json_free(j);
		}
		line = stop + 1;
	}
}

FUZZ_TARGET(reference)
{
	char *text = as_string(data, size);
	size_t n = strlen(text);
	struct reference *ref = NULL;
	struct runs runs = { 0 };
	FILE *out = fopen("/dev/null", "w");

	must_hold(out != NULL);
	runs_add_log(&runs, "log");
	if (n < size)
		add_lines(&runs, text + n + 1, text + size);
	if (reference_new(&ref, &runs, "seed", text, true)) {
		must_hold(*fail_sentence());
	} else {
		reference_print(ref, PAGE_TEXT, out);
		reference_print(ref, PAGE_MAIL, out);
		reference_print(ref, PAGE_HTML, out);
		reference_print_json(ref, 0, out);
	}
	fclose(out);
	reference_free(ref);
	runs_free(&runs);
	free(text);
	return 0;
}
