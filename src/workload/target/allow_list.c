/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allow list: copy and free.
 */
#include "workload/target/allow_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void allow_list_add(char ***list, size_t *n, const char *word)
{
	*list = xrealloc(*list, (*n + 1) * sizeof(**list));
	(*list)[(*n)++] = xstrdup(word);
}

static void copy_words(char ***to, size_t *n_to, char *const *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		allow_list_add(to, n_to, word[i]);
}

static void free_words(char **word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(word[i]);
	free(word);
}

struct allow_list allow_list_copy(const struct allow_list *p)
{
	struct allow_list to = { .readonly = p->readonly, .exec = p->exec };

	copy_words(&to.destroy, &to.n_destroy, p->destroy, p->n_destroy);
	copy_words(&to.overwrite, &to.n_overwrite, p->overwrite,
		   p->n_overwrite);
	copy_words(&to.override, &to.n_override, p->override, p->n_override);
	return to;
}

void allow_list_free(struct allow_list *p)
{
	free_words(p->destroy, p->n_destroy);
	free_words(p->overwrite, p->n_overwrite);
	free_words(p->override, p->n_override);
	memset(p, 0, sizeof(*p));
}
