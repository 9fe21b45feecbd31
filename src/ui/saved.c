/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved: what the screen remembers between runs, as lines "KEY = VALUE".
 */
#include "ui/saved.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

void saved_put(struct saved *s, const char *key, const char *value)
{
	char clean[SAVED_VALUE_MAX];
	size_t room;

	text_copy(clean, sizeof(clean), value);
	text_clean(clean);
	room = strlen(key) + strlen(clean) + 8 +
	       (s->prefix ? strlen(s->prefix) : 0);
	s->text = xgrow(s->text, &s->cap, s->n + room, 1);
	s->n += (size_t)snprintf(s->text + s->n, room, "%s%s%s = %s\n",
				 s->prefix ? s->prefix : "",
				 s->prefix ? "." : "", key, clean);
}

void saved_add(struct saved *s, const char *lines)
{
	size_t n = lines ? strlen(lines) : 0;

	if (!n)
		return;
	s->text = xgrow(s->text, &s->cap, s->n + n + 1, 1);
	memcpy(s->text + s->n, lines, n + 1);
	s->n += n;
}
