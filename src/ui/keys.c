/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys: who gets a key, and all keys one after the other.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/overlay.h"

const struct key *key_at(size_t i, const char **where)
{
	for (size_t s = 0; s < n_key_sections; s++) {
		*where = key_sections[s].title;
		if (i < key_sections[s].keys.n)
			return &key_sections[s].keys.row[i];
		i -= key_sections[s].keys.n;
	}
	for (int id = 0; id < PANES; id++) {
		if (!panes[id].own)
			continue;
		*where = panes[id].name;
		if (i < panes[id].own->n)
			return &panes[id].own->row[i];
		i -= panes[id].own->n;
	}
	*where = NULL;
	return NULL;
}

const struct ui_key_help *ui_key_help(size_t i)
{
	const char *where;
	const struct key *key = key_at(i, &where);

	return key ? &key->help : NULL;
}

const char *ui_key_where(size_t i)
{
	const char *where;

	return key_at(i, &where) ? where : NULL;
}

const struct ui_key_help *ui_pane_help(size_t i)
{
	return i < PANES ? &panes[i].help : NULL;
}

bool key_counts(const struct key *k, const struct ui_view *view)
{
	return k->when == WHEN_ALWAYS ||
	       (k->when == WHEN_REPLAY) == view->replay;
}

static bool has_code(const struct key *k, int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(k->code) && k->code[i]; i++)
		if (k->code[i] == key)
			return true;
	return false;
}

static void run(struct ui *ui, const struct ui_view *view, const struct key *k,
		int key, struct action *action)
{
	if (!key_counts(k, view)) {
		text_copy(ui->note, sizeof(ui->note),
			  view->replay ? "That key does nothing in a replay."
				       : "That key is for replays.");
	} else if (k->act) {
		k->act(ui, view, key, action);
	} else {
		action->kind = k->action;
		action->number = k->number;
		text_copy(action->by, sizeof(action->by), "operator");
	}
}

static bool list_has(const struct key_list *list, int key)
{
	for (size_t i = 0; list && i < list->n; i++)
		if (has_code(&list->row[i], key))
			return true;
	return false;
}

/* A key of another pane: which that is, and how to get there. */
static void tell_where(struct ui *ui, const struct ui_view *view, int key)
{
	const struct pane *none = NULL;

	for (int id = 0; id < PANES; id++) {
		if (!list_has(panes[id].own, key))
			continue;
		if (panes[id].want(ui, view) > 0) {
			snprintf(ui->note, sizeof(ui->note),
				 "That is a key of the %s: %s goes there.",
				 panes[id].name, panes[id].help.keys);
			return;
		}
		none = none ? none : &panes[id];
	}
	if (none)
		snprintf(ui->note, sizeof(ui->note),
			 "That is a key of the %s: there are none now.",
			 none->name);
}

static bool run_list(struct ui *ui, const struct ui_view *view,
		     const struct key_list *list, int key,
		     struct action *action)
{
	for (size_t i = 0; i < list->n; i++)
		if (has_code(&list->row[i], key)) {
			run(ui, view, &list->row[i], key, action);
			return true;
		}
	return false;
}

/* The pane that has the keys comes first. */
void keys_dispatch(struct ui *ui, const struct ui_view *view, int key,
		   struct action *action)
{
	const struct pane *pane = &panes[ui->focus];

	/* Who goes on with other keys stays where he is. */
	ui->to_jobs = false;
	if (pane->key && pane->key(ui, view, key, action))
		return;
	if (pane->own && run_list(ui, view, pane->own, key, action))
		return;
	for (size_t i = 0; i < n_key_sections; i++)
		if (run_list(ui, view, &key_sections[i].keys, key, action))
			return;
	tell_where(ui, view, key);
}
