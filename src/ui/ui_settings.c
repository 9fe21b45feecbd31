/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings: what the file of the operator's settings keeps of the screen. */
#include "ui/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ui/pane.h"
#include "ui/state.h"
#include "ui/table/table.h"
#include "ui/terminal/screen.h"

void ui_settings_put(struct settings_file *s, const char *key,
		       const char *value)
{
	char clean[SETTINGS_VALUE_MAX];
	size_t room;

	text_set(clean, value);
	text_clean(clean);
	room = strlen(key) + strlen(clean) + 8 +
	       (s->prefix ? strlen(s->prefix) : 0);
	s->text = xgrow(s->text, &s->cap, s->n + room, 1);
	s->n += (size_t)snprintf(s->text + s->n, room, "%s%s%s = %s\n",
				 s->prefix ? s->prefix : "",
				 s->prefix ? "." : "", key, clean);
}

/* Add complete lines; NULL: none. */
static void ui_settings_add(struct settings_file *s, const char *lines)
{
	size_t n = lines ? strlen(lines) : 0;

	if (!n)
		return;
	s->text = xgrow(s->text, &s->cap, s->n + n + 1, 1);
	memcpy(s->text + s->n, lines, n + 1);
	s->n += n;
}

static const char *bool_word(bool v)
{
	return v ? "yes" : "no";
}

static bool take_bool(bool *out, const char *value)
{
	*out = !strcmp(value, "yes");
	return *out || !strcmp(value, "no");
}

/* "jobs graph": the panes that were shown or hidden by their digits. */
static void save_shown(const struct ui *ui, struct settings_file *out,
		       const char *key, enum shown shown)
{
	char list[SETTINGS_VALUE_MAX] = "";

	for (int id = 0; id < PANES; id++)
		if (ui->shown[id] == shown)
			text_append(list, "%s%s", *list ? " " : "",
				    panes[id]->name);
	if (*list)
		ui_settings_put(out, key, list);
}

static bool take_shown(struct ui *ui, const char *value, enum shown shown)
{
	char list[SETTINGS_VALUE_MAX], *rest = list, *name;
	bool known = true;

	text_set(list, value);
	while ((name = strsep(&rest, " "))) {
		bool found = !*name;

		for (int id = 0; id < PANES; id++)
			if (!strcmp(panes[id]->name, name)) {
				ui->shown[id] = shown;
				found = true;
			}
		known = known && found;
	}
	return known;
}

static void save_table(const struct ui *ui, int id, struct settings_file *out)
{
	const struct table_state *t = &ui->table[id];
	const struct table_spec *spec = panes[id]->table;
	const int sort = t->viewed ? t->own.sort : t->sort;

	if (sort != SORT_DEFAULT)
		ui_settings_put(out, "sort",
				  schemas[spec->schema]->fields[sort].key);
	if (t->viewed ? t->own.reverse : t->reverse)
		ui_settings_put(out, "reverse", bool_word(true));
	if (t->busy_only)
		ui_settings_put(out, "busy_only", bool_word(true));
}

static bool ui_take_table(struct ui *ui, int id, const char *key,
			  const char *value)
{
	struct table_state *t = &ui->table[id];
	int field;

	if (!strcmp(key, "reverse"))
		return take_bool(&t->reverse, value);
	if (!strcmp(key, "busy_only"))
		return take_bool(&t->busy_only, value);
	if (strcmp(key, "sort") != 0)
		return false;
	field = schema_field(panes[id]->table->schema, value);
	if (field >= 0)
		t->sort = field;
	return field >= 0;
}

static bool take_focus(struct ui *ui, const char *name)
{
	for (int id = 0; id < PANES; id++)
		if (!strcmp(panes[id]->name, name)) {
			ui->focus = (enum pane_id)id;
			return true;
		}
	return false;
}

static bool take_theme(struct ui *ui, const char *name)
{
	int theme = theme_find(name);

	if (theme < 0)
		return false;
	ui->theme_wanted = theme;
	screen_theme(theme);
	return true;
}

/* The settings that each occasion has for itself. */
static const char *const occasions[UI_OCCASIONS] = {
	[UI_MONITOR] = "monitor",
	[UI_RUN] = "run",
	[UI_REPLAY] = "replay",
};

static void save_arrangement(const struct ui *ui, struct settings_file *out)
{
	out->prefix = occasions[ui->occasion];
	ui_settings_put(out, "layout", pane_layout_name(ui->layout));
	ui_settings_put(out, "focus", panes[ui->focus]->name);
	save_shown(ui, out, "shown", SHOWN_ALWAYS);
	save_shown(ui, out, "hidden", SHOWN_NEVER);
	out->prefix = NULL;
}

char *ui_settings_text(const struct ui *ui)
{
	struct settings_file out = { 0 };

	ui_settings_put(&out, "colors", theme_name((size_t)ui->theme_wanted));
	save_arrangement(ui, &out);
	ui_settings_add(&out, ui->others);
	for (int id = 0; id < PANES; id++) {
		out.prefix = panes[id]->name;
		if (panes[id]->table) {
			save_table(ui, id, &out);
			table_columns_save(&ui->table[id], &out);
		}
		if (panes[id]->save)
			panes[id]->save(ui, &out);
	}
	return out.text;
}

static bool take_arrangement(struct ui *ui, const char *key, const char *value)
{
	if (!strcmp(key, "layout"))
		return pane_layout_by_name(ui, value);
	if (!strcmp(key, "focus"))
		return take_focus(ui, value);
	if (!strcmp(key, "shown"))
		return take_shown(ui, value, SHOWN_ALWAYS);
	return !strcmp(key, "hidden") && take_shown(ui, value, SHOWN_NEVER);
}

/* "run.layout": for this occasion, or kept for another one. */
static bool take_occasion(struct ui *ui, const char *key, const char *value)
{
	const char *dot = strchr(key, '.');
	struct settings_file others = { 0 };

	for (int i = 0; dot && i < UI_OCCASIONS; i++) {
		if (strlen(occasions[i]) != (size_t)(dot - key) ||
		    memcmp(key, occasions[i], (size_t)(dot - key)))
			continue;
		if (i == (int)ui->occasion)
			return take_arrangement(ui, dot + 1, value);
		ui_settings_add(&others, ui->others);
		ui_settings_put(&others, key, value);
		free(ui->others);
		ui->others = others.text;
		return true;
	}
	return false;
}

static bool take_pane(struct ui *ui, const char *key, const char *value)
{
	const char *dot = strchr(key, '.');

	for (int id = 0; dot && id < PANES; id++) {
		size_t n = strlen(panes[id]->name);

		if ((size_t)(dot - key) != n || memcmp(key, panes[id]->name, n))
			continue;
		return (panes[id]->table &&
			(ui_take_table(ui, id, dot + 1, value) ||
			 table_columns_load(&ui->table[id], dot + 1, value))) ||
		       (panes[id]->load && panes[id]->load(ui, dot + 1, value));
	}
	return false;
}

static bool ui_take_line(struct ui *ui, const char *key, const char *value)
{
	if (!strcmp(key, "colors"))
		return take_theme(ui, value);
	/* A key without an occasion is for all of them. */
	return take_arrangement(ui, key, value) ||
	       take_occasion(ui, key, value) || take_pane(ui, key, value);
}

size_t ui_settings_take(struct ui *ui, const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *line;
	size_t lines = 0, bad = 0;

	while ((line = strsep(&rest, "\n")) && lines++ < SETTINGS_LINES_MAX) {
		char *key = text_trim(line), *eq = strchr(key, '=');

		if (!*key || *key == '#')
			continue;
		if (eq)
			*eq = '\0';
		text_clean(key);
		if (eq)
			text_clean(eq + 1);
		if (!eq || !ui_take_line(ui, text_trim(key), text_trim(eq + 1)))
			bad++;
	}
	free(copy);
	return bad + (line != NULL);
}
