/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list: print the rows of the tables: engines, options, fields, knobs, ... */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/lists.h"
#include "cmd/options.h"
#include "disk/disk_model.h"
#include "knob/knob.h"
#include "model/disk_class.h"
#include "model/schema/schema.h"
#include "record/log_schema.h"
#include "report/checks.h"
#include "ui/ui.h"
#include "workload/jobfile/jobfile.h"

static void list_fields(struct listing *t, bool json)
{
	static const char *const levels[] = { NULL, "1", "2", "3" };

	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct schema *s = schemas[id];

		for (size_t i = 0; i < s->n_fields && !s->detail; i++) {
			const struct field *f = &s->fields[i];
			const char *cells[] = { s->name, f->key, f->title,
						f->help, f->idle ? "0" : NULL,
						levels[f->idle ? 1 : f->zero],
						f->fact ? "1" : NULL };

			lists_listing_add(t, cells);
		}
	}
}

static void list_knobs(struct listing *t, bool json)
{
	for (size_t i = 0; i < n_knobs; i++) {
		const struct knob *k = &knobs[i];
		char name[64], values[64] = "as the kernel offers";

		snprintf(name, sizeof(name), "%s%s", k->name,
			 k->kind == KNOB_FOUND ? ".NAME" : "");
		if (k->kind == KNOB_NUMBER)
			snprintf(values, sizeof(values), "%lld..%lld%s%s",
				 k->min, k->max, *k->unit ? " " : "", k->unit);
		lists_listing_add(t, (const char *const[]){
					     name, k->host ? k->host : "device",
					     values, k->help });
	}
}

/* The help of an option; if it has no effect, also why, and the nearest one. */
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

static void cmd_list_list_options(struct listing *t, bool json)
{
	static const char *const state[] = { "acted", "accepted", "refused" };
	const struct job_option_group *g;

	for (size_t i = 0; (g = job_option_group_at(i)); i++) {
		for (size_t k = 0; k < g->n; k++) {
			const struct job_option *o = &g->option[k];
			char words[512];

			lists_listing_add(
				t, (const char *const[]){
					   o->name, o->alias, o->value,
					   state[o->class], g->title,
					   option_words(o, words,
							sizeof(words)) });
		}
	}
}

static void list_presets(struct listing *t, bool json)
{
	static const char *const scales[] = { "full", "full, small",
					      "full, model",
					      "full, small, model" };
	const struct preset *p;

	for (size_t i = 0; (p = preset_at(i)); i++)
		lists_listing_add(t,
				  (const char *const[]){
					  p->name, p->plan ? "plan" : "jobs",
					  scales[p->has_small + 2 * p->has_model],
					  p->help, p->source });
}

static void list_disk_classes(struct listing *t, bool json)
{
	for (size_t i = 0; i < n_disk_classes; i++) {
		const struct disk_class *c = &disk_classes[i];
		char span[DISK_CLASS_IOS][72];

		for (int io = 0; io < DISK_CLASS_IOS; io++)
			snprintf(span[io], sizeof(span[io]), "%s..%s",
				 units_ns(c->io[io].least_ns).text,
				 units_ns(c->io[io].most_ns).text);
		lists_listing_add(t, (const char *const[]){
					     c->name, span[DISK_CLASS_READ],
					     span[DISK_CLASS_SYNC], c->iops,
					     c->mb_per_s, c->source });
	}
}

/* Each figure of each model, and whether a source has it. */
static void list_disk_figures(struct listing *t, bool json)
{
	char text[32];

	for (size_t i = 0; i < n_disk_models; i++)
		for (size_t k = 0; k < n_disk_keys; k++) {
			const struct disk_model_row *row = &disk_models[i];
			const struct disk_key *key = &disk_keys[k];

			disk_model_figure(&row->model, key, text, sizeof(text));
			if (!*text)
				continue;
			lists_listing_add(
				t, (const char *const[]){
					   row->model.name, key->name, text,
					   disk_model_is_sourced(row, key->name)
						   ? "source"
						   : "assumption" });
		}
}

static void list_keys(struct listing *t, bool json)
{
	const struct ui_key_help *k;

	for (size_t i = 0; (k = ui_key_help(i)); i++)
		lists_listing_add(t, (const char *const[]){ k->keys,
							    ui_key_where(i),
							    k->help });
}

static void list_checks(struct listing *t, bool json)
{
	for (size_t i = 0; i < n_checks_table; i++) {
		const struct check *c = &checks_table[i];
		char f[16];

		snprintf(f, sizeof(f), "F%u", c->f);
		lists_listing_add(t, (const char *const[]){
					     c->name, c->help, f, c->needs,
					     c->look });
	}
}

/*
 * For completion: the options of the command line, one a line, and the list of
 * the values of each. Without JSON, "-" keeps the column from being empty.
 */
static void list_flags(struct listing *t, bool json)
{
	for (size_t c = 0; c < n_commands; c++) {
		for (size_t i = 0; i < n_option_rows; i++) {
			const struct option_row *o = &option_rows[i];
			const char letter[] = { o->letter, '\0' };
			char name[64];

			if (!options_taken(&commands[c], o))
				continue;
			snprintf(name, sizeof(name), "--%s", o->name);
			lists_listing_add(t, (const char *const[]){
						     commands[c].name, name,
						     o->list ? o->list
						     : json  ? NULL
							     : "-",
						     o->value, o->help,
						     letter });
		}
	}
}

static void list_commands(struct listing *t, bool json)
{
	for (size_t i = 0; i < n_commands; i++)
		lists_listing_add(t,
				  (const char *const[]){
					  commands[i].name,
					  commands[i].takes_jobs ? "yes" : "no",
					  commands[i].help });
}

/* The form of the log's lines, for programs that read logs: always JSON. */
static void list_schema(void)
{
	struct json *schema = log_schema_json();

	puts(json_pretty(schema));
	json_free(schema);
}

/* A list of names and their meanings. */
static void cmd_list_print_list(const struct name_list *list, bool json)
{
	const char *const columns[] = { list->column, "MEANING" };
	struct listing *t = lists_listing_new(list->name, columns, 2, json);
	const char *name, *help;

	for (size_t i = 0; (name = lists_name(list, i, &help)); i++)
		lists_listing_add(t, (const char *const[]){ name, help });
	lists_listing_print(t);
}

#define COLUMNS 7

/* Lists with columns of their own. */
static const struct wide_list {
	const char *name;
	/* Add the rows. NULL: a list of names, or JSON. */
	void (*add)(struct listing *t, bool json);
	const char *help; /* NULL: that of the list of names */
	const char *columns[COLUMNS];
	size_t less; /* of them only for programs: in JSON */
} wide[] = {
	{ "checks", list_checks, "what can make a result invalid",
	  .columns = { "CHECK", "MEANING", "F", "NEEDS", "ADVICE" }, .less = 3 },
	{ "commands", list_commands, NULL,
	  .columns = { "COMMAND", "JOBS", "MEANING" } },
	{ "disk-classes", list_disk_classes,
	  "what latencies and rates kinds of disks have, with sources",
	  .columns = { "CLASS", "READ-4K", "SYNC", "IOPS", "MB/S", "SOURCE" } },
	{ "disk-figures", list_disk_figures,
	  "figures of the models of simulated disks, and whether a source has "
	  "them",
	  .columns = { "MODEL", "KEY", "FIGURE", "FROM" } },
	{ "fields", list_fields, "columns of the screen, keys of the log",
	  .columns = { "ROW", "FIELD", "TITLE", "MEANING", "IDLE", "ZERO", "FACT" },
	  .less = 3 },
	{ "flags", list_flags, "the options of each command",
	  .columns = { "COMMAND", "OPTION", "LIST", "VALUE", "MEANING", "LETTER" } },
	{ "keys", list_keys, "keys of the screen",
	  .columns = { "KEYS", "ABOUT", "MEANING" } },
	{ "knobs", list_knobs, "settings that iodyno changes and restores",
	  .columns = { "KNOB", "OF", "VALUES", "MEANING" } },
	{ .name = "lists", .help = "these lists" },
	{ "options", cmd_list_list_options, "options of jobs, in fio's words",
	  .columns = { "OPTION", "ALIAS", "VALUE", "STATE", "THEME", "MEANING" } },
	{ "presets", list_presets, NULL,
	  .columns = { "PRESET", "TYPE", "SCALES", "MEANING", "SOURCE" }, .less = 1 },
	{ .name = "schema", .help = "the form of a line of the log" },
};

/* The index of a wide list; ARRAY_SIZE(wide): it is none. */
static size_t cmd_list_wide(const char *name)
{
	return text_find(name, wide, ARRAY_SIZE(wide), name);
}

/* The i-th name that "iodyno list" takes, or NULL. */
static const char *list_name(size_t i, const char **help)
{
	const struct name_list *list;

	*help = NULL;
	if (i < ARRAY_SIZE(wide)) {
		list = lists_find(wide[i].name);
		*help = wide[i].help || !list ? wide[i].help : list->help;
		return wide[i].name;
	}
	i -= ARRAY_SIZE(wide);
	for (size_t k = 0; (list = lists_at(k)); k++)
		if (cmd_list_wide(list->name) == ARRAY_SIZE(wide) && !i--) {
			*help = list->help;
			return list->name;
		}
	return NULL;
}

static const struct name_list names = { "lists", "LIST", "these lists",
					.at = list_name };

static void cmd_list_print_wide(const struct wide_list *w, bool json)
{
	struct listing *t;
	size_t n = 0;

	while (n < COLUMNS && w->columns[n])
		n++;
	t = lists_listing_new(w->name, w->columns, json ? n : n - w->less, json);
	w->add(t, json);
	lists_listing_print(t);
	if (w->add == list_presets && !preset_at(0))
		command_say("there are no presets in " PKGDATADIR "/presets: "
			    "install the program with its presets");
}

static void fail_unknown(const char *name)
{
	char words[600];

	fail(EINVAL, "there is no list %s%s; there are %s", name,
	     lists_did_you_mean(&names, name).text,
	     lists_words(&names, "and", words, sizeof(words)));
}

int cmd_list(struct settings *s)
{
	const char *name = s->arg.n ? s->arg.word[0] : "lists";
	const size_t i = cmd_list_wide(name);

	if (s->arg.n > 1) {
		fail(EINVAL, "list prints one list at a time: %s or %s", name,
		     s->arg.word[1]);
		return command_failed(EXIT_USAGE);
	}
	if (i < ARRAY_SIZE(wide) && wide[i].add) {
		cmd_list_print_wide(&wide[i], s->json);
	} else if (!strcmp(name, "schema")) {
		list_schema();
	} else if (!strcmp(name, names.name) || lists_find(name)) {
		cmd_list_print_list(strcmp(name, names.name) ? lists_find(name)
							     : &names,
				    s->json);
	} else {
		fail_unknown(name);
		return command_failed(EXIT_USAGE);
	}
	return EXIT_DONE;
}
