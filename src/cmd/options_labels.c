/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels of --label=KEY=VALUE.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/options.h"

int options_labels(const struct settings *s, struct label **out)
{
	struct label *label = xcalloc(s->label.n, sizeof(*label));

	for (size_t i = 0; i < s->label.n; i++) {
		char *word = s->label.word[i], *eq = strchr(word, '=');

		if (!eq || eq == word || eq - word >= 64) {
			free(label);
			return fail(EINVAL, "--label=%s is not KEY=VALUE",
				    word);
		}
		snprintf(label[i].key, sizeof(label[i].key), "%.*s",
			 (int)(eq - word), word);
		text_copy(label[i].value, sizeof(label[i].value), eq + 1);
		text_clean(label[i].key);
		text_clean(label[i].value);
	}
	*out = label;
	return 0;
}
