/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: assertions. A line is a list of them; what is read is judged by
 * a small result, and its words fit.
 */
#include "fuzz.h"

#include <math.h>

#include "base/fail.h"
#include "model/assertion.h"

static void judge(const struct assertion *a, struct json *result)
{
	struct assertion_outcome o;
	char words[300];

	must_hold(*a->table && *a->key && isfinite(a->limit));
	assertion_judge(a, result, &o);
	must_hold(o.measured || !o.passed);
	must_hold(o.measured == isfinite(o.value));
	assertion_words(a, &o, words, sizeof(words));
	must_hold(strlen(words) < sizeof(words) && *assertion_advice(a, &o));
}

FUZZ_TARGET(assertion)
{
	static const char result_text[] =
		"{\"job\":[{\"id\":\"a\",\"read_iops\":1,\"read_p99_ns\":2},"
		"{\"id\":\"b.c\",\"read_iops\":3}],\"all_jobs\":{\"errors\":0},"
		"\"cpu\":[{\"id\":\"all\",\"idle_pct\":9}],"
		"\"memory\":{\"dirty_bytes\":7}}";
	char *text = as_string(data, size), *save = NULL;
	struct json *result;

	must_hold(!json_parse(result_text, sizeof(result_text) - 1, &result));
	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct assertions all = { 0 };

		if (assertions_add(&all, line, strlen(line) % 2 ? NULL : "b.c"))
			must_hold(*fail_sentence() && !all.n);
		for (size_t i = 0; i < all.n; i++)
			judge(&all.list[i], result);
		assertions_free(&all);
	}
	json_free(result);
	free(text);
	return 0;
}
