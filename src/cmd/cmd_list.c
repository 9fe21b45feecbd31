/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list: what there is, from the tables.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/table.h"
#include "knob/knob.h"
#include "model/schema.h"
#include "ui/ui.h"
#include "workload/engine/engine.h"
#include "workload/jobfile/preset.h"
#include "workload/kind/kind.h"
#include "workload/workload.h"

static void list_fields(bool json)
{
	static const char *const columns[] = { "ROW", "FIELD", "TITLE",
					       "MEANING" };
	struct table_out *t = table_new("fields", columns, 4, json);

	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct schema *s = schemas[id];

		for (size_t i = 0; i < s->n_fields; i++) {
			const struct field *f = &s->fields[i];
			const char *cells[] = { s->name, f->key, f->title,
						f->help };

			table_add(t, cells);
		}
	}
	table_print(t);
}

static void list_knobs(bool json)
{
	static const char *const columns[] = { "KNOB", "OF", "VALUES",
					       "MEANING" };
	struct table_out *t = table_new("knobs", columns, 4, json);

	for (size_t i = 0; i < n_knobs; i++) {
		const struct knob *k = &knobs[i];
		char name[64], values[64] = "as the kernel offers";

		snprintf(name, sizeof(name), "%s%s", k->name,
			 k->kind == KNOB_FOUND ? ".NAME" : "");
		if (k->kind == KNOB_NUMBER)
			snprintf(values, sizeof(values), "%lld..%lld%s%s",
				 k->min, k->max, *k->unit ? " " : "", k->unit);
		table_add(t, (const char *const[]){
				     name, k->host ? k->host : "device", values,
				     k->help });
	}
	table_print(t);
}

static void list_kinds(bool json)
{
	static const char *const columns[] = { "KIND", "MEANING" };
	struct table_out *t = table_new("kinds", columns, 2, json);

	for (size_t i = 0; kind_name(i); i++)
		table_add(t, (const char *const[]){ kind_name(i),
						    kind_help(i) });
	table_print(t);
}

static void list_engines(bool json)
{
	static const char *const columns[] = { "ENGINE", "MEANING" };
	struct table_out *t = table_new("engines", columns, 2, json);

	for (size_t i = 0; engine_name(i); i++)
		table_add(t, (const char *const[]){ engine_name(i),
						    engine_help(i) });
	table_print(t);
}

/* What an option does, or why it does nothing, and what would instead. */
static const char *option_words(const struct job_option *o, char *buf,
				size_t size)
{
	if (o->class == JOB_ACTED)
		return o->help;
	if (o->class == JOB_ACCEPTED)
		snprintf(buf, size, "%s; no effect here: %s", o->help, o->why);
	else
		snprintf(buf, size, "%s: %s%s%s", o->help, o->why,
			 o->near ? "; the nearest is " : "",
			 o->near ? o->near : "");
	return buf;
}

static void list_options(bool json)
{
	static const char *const columns[] = { "OPTION", "ALIAS", "VALUE",
					       "STATE",  "THEME", "MEANING" };
	static const char *const state[] = { "acted", "accepted", "refused" };
	struct table_out *t = table_new("options", columns, 6, json);
	const struct job_option_group *g;

	for (size_t i = 0; (g = job_option_group_at(i)); i++) {
		for (size_t k = 0; k < g->n; k++) {
			const struct job_option *o = &g->option[k];
			char words[512];

			table_add(t, (const char *const[]){
					     o->name, o->alias, o->value,
					     state[o->class], g->title,
					     option_words(o, words,
							  sizeof(words)) });
		}
	}
	table_print(t);
}

static void list_presets(bool json)
{
	static const char *const columns[] = { "PRESET", "SOURCE", "MEANING" };
	struct table_out *t = table_new("presets", columns, 3, json);
	const struct preset *p;

	for (size_t i = 0; (p = preset_at(i)); i++)
		table_add(t,
			  (const char *const[]){ p->name, p->source, p->help });
	table_print(t);
}

static void list_keys(bool json)
{
	static const char *const columns[] = { "KEYS", "ABOUT", "MEANING" };
	struct table_out *t = table_new("keys", columns, 3, json);
	const struct ui_key_help *k;

	for (size_t i = 0; (k = ui_key_help(i)); i++)
		table_add(t, (const char *const[]){ k->keys, ui_key_where(i),
						    k->help });
	table_print(t);
}

static void list_themes(bool json)
{
	static const char *const columns[] = { "THEME", "MEANING" };
	struct table_out *t = table_new("themes", columns, 2, json);
	const char *name, *help;

	for (size_t i = 0; (name = ui_theme(i, &help)); i++)
		table_add(t, (const char *const[]){ name, help });
	table_print(t);
}

static void list_reasons(bool json)
{
	static const char *const columns[] = { "REASON", "MEANING" };
	struct table_out *t = table_new("reasons", columns, 2, json);

	for (size_t i = 0; i < n_guard_reasons; i++)
		table_add(t, (const char *const[]){ guard_reasons[i].name,
						    guard_reasons[i].help });
	table_print(t);
}

/* For completion: the options of the command line, one a line. */
static void list_flags(bool json)
{
	static const char *const columns[] = { "COMMAND", "OPTION", "VALUE",
					       "MEANING" };
	struct table_out *t = table_new("flags", columns, 4, json);

	for (size_t c = 0; c < n_commands; c++) {
		for (size_t i = 0; i < n_option_rows; i++) {
			const struct option_row *o = &option_rows[i];
			char name[64];

			if (!(o->commands & commands[c].bit))
				continue;
			snprintf(name, sizeof(name), "--%s", o->name);
			table_add(t,
				  (const char *const[]){ commands[c].name, name,
							 o->value, o->help });
		}
	}
	table_print(t);
}

struct subject {
	const char *name;
	void (*list)(bool json);
};

static const struct subject subjects[] = {
	{ "fields", list_fields },   { "knobs", list_knobs },
	{ "kinds", list_kinds },     { "engines", list_engines }, { "options", list_options },
	{ "keys", list_keys },       { "themes", list_themes },
	{ "reasons", list_reasons }, { "flags", list_flags },
	{ "presets", list_presets },
};

/* "fields, knobs and engines" */
static const char *subject_names(char *buf, size_t size)
{
	const size_t n = ARRAY_SIZE(subjects);
	size_t used = 0;

	for (size_t i = 0; i < n && used < size; i++) {
		const char *between = !i ? "" : i + 1 < n ? ", " : " and ";

		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 between, subjects[i].name);
	}
	return buf;
}

int cmd_list(struct settings *s)
{
	char names[128];

	const char *name = s->arg.n ? s->arg.word[0] : "";

	for (size_t i = 0; i < ARRAY_SIZE(subjects) && s->arg.n == 1; i++) {
		if (!strcmp(subjects[i].name, name)) {
			subjects[i].list(s->json);
			return EXIT_DONE;
		}
	}
	fail(EINVAL, "list what? There are %s",
	     subject_names(names, sizeof(names)));
	return command_failed(EXIT_USAGE);
}
