/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log schema: the tables of fields, and the keys of lines that are no rows, as
 * JSON Schema.
 */
#include "record/log_schema.h"

#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "model/event.h"
#include "model/schema/schema.h"
#include "model/unit.h"

/* A key of an object that is not a row of a table. */
struct log_key {
	const char *of, *key;
	const char *type; /* a type of JSON Schema, or "#NAME", "[NAME]": $defs */
	const char *help;
	bool always;
};

static const struct log_key members[] = {
	{ "header", "schema", "integer", "version of this format", true },
	{ "header", "program", "string", "name and version of the writer", false },
	{ "header", "argv", "[text]", "the command line", true },
	{ "header", "time", "#time", "wall time of the start", false },
	{ "header", "boot_id", "string", "id of this boot of the machine", false },
	{ "header", "host", "#host", "the machine", true },
	{ "header", "clock", "#clock", "state of the wall clock", false },
	{ "header", "interval_s", "number", "the requested interval", false },
	{ "header", "device", "[header_device]", "the devices at the start", false },
	{ "header", "job", "[header_job]", "the jobs of the command line", false },
	{ "header", "label", "#texts", "the labels of --label", false },
	{ "header", "environment", "#texts", "facts that may change results", false },
	{ "host", "name", "string", "host name", false },
	{ "host", "label", "string", "name of --host-label", false },
	{ "host", "kernel", "string", "release of the kernel", false },
	{ "host", "cpu", "string", "model of the processors", false },
	{ "host", "cpus", "integer", "processors", false },
	{ "host", "memory_bytes", "integer", "memory", false },
	{ "host", "knobs", "#texts", "settings of the host at the start", false },
	{ "clock", "synchronized", "boolean", "whether a time service keeps it", true },
	{ "clock", "max_error_ns", "integer", "largest error, as the kernel knows it", true },
	{ "clock", "est_error_ns", "integer", "estimated error", true },
	{ "header_device", "id", "string", "name in the kernel", true },
	{ "header_device", "model", "string", "model", false },
	{ "header_device", "serial", "string", "serial number", false },
	{ "header_device", "size_bytes", "integer", "size", false },
	{ "header_device", "rotational", "boolean", "whether it rotates", false },
	{ "header_device", "logical_block_bytes", "integer", "logical block", false },
	{ "header_device", "members", "[text]", "devices below it", false },
	{ "header_device", "knobs", "#texts", "settings at the start", false },
	{ "header_job", "name", "string", "name of the job", true },
	{ "header_job", "id", "string", "name in rows, where it differs", false },
	{ "header_job", "nth", "integer", "number among jobs of that name", false },
	{ "job_line", "job", "[header_job]", "jobs that start later", true },
	{ "frame", "t", "number", "seconds since the start, monotonic", true },
	{ "frame", "time", "#time", "wall time of the sample", false },
	{ "frame", "interval_s", "number", "the measured interval", true },
	{ "frame", "late", "integer", "missed ticks before this frame", false },
	{ "frame", "whole", "integer", "1: no row of the frame has \"same\"", false },
	{ "frame", "task_repeats", "integer", "1: the processes were not read", false },
	{ "frame", "event", "[event]", "events of the interval, in order", false },
	{ "event", "t", "number", "seconds since the start", true },
	{ "event", "device", "string", "device", false },
	{ "event", "knob", "string", "setting", false },
	{ "event", "old", "string", "value before", false },
	{ "event", "new", "string", "value that the kernel reports", false },
	{ "event", "wanted", "string", "value or condition that was asked for", false },
	{ "event", "by", "string", "who changed it", false },
	{ "event", "cause", "string", "setting whose change caused this one", false },
	{ "event", "took_ns", "number", "time of the change", false },
	{ "event", "error", "integer", "number of the error", false },
	{ "event", "job", "string", "job", false },
	{ "event", "name", "string", "name of a figure, alarm or check", false },
	{ "event", "phase", "string", "phase that the job entered", false },
	{ "event", "value", "number", "measured value", false },
	{ "event", "limit", "number", "limit of the alarm", false },
	{ "event", "better", "integer", "1: more is better, -1: less is", false },
	{ "event", "number", "number", "a count", false },
	{ "event", "text", "string", "words", false },
	{ "summary", "from_t", "number", "start of the figures", false },
	{ "summary", "to_t", "number", "end of the figures", false },
	{ "summary", "frames", "integer", "frames of the figures", false },
	{ "summary", "job", "[result_row]", "results per job", false },
	{ "summary", "device", "[result_row]", "results per device", false },
	{ "summary", "clock", "#clock", "state of the wall clock at the end", false },
	{ "summary", "restored", "boolean", "whether all settings are back", false },
	{ "lost", "frames", "integer", "frames dropped before this line", true },
	{ "result_row", "id", "string", "name of the job or device", false },
};

/* The lines of a log by their type. */
static const struct {
	const char *type, *form, *help;
} lines[] = {
	{ "header", "header", "the first line" },
	{ "job", "job_line", "jobs that start after the header was written" },
	{ "frame", "frame", "the activity since the previous frame" },
	{ "lost", "lost", "frames were dropped while the log could not be written" },
	{ "result", "summary", "the figures of a run of an experiment" },
	{ "summary", "summary", "the last line: the results" },
};

static struct json *type_of(const char *type, const char *help)
{
	struct json *j = json_new_object(), *items;
	char name[64];
	size_t n = strlen(type);

	if (*type == '#') {
		snprintf(name, sizeof(name), "#/$defs/%s", type + 1);
		json_put_text(j, "$ref", name);
	} else if (*type == '[') {
		snprintf(name, sizeof(name), "#/$defs/%.*s", (int)n - 2,
			 type + 1);
		items = json_new_object();
		json_put_text(items, "$ref", name);
		json_put_text(j, "type", "array");
		json_put(j, "items", items);
	} else {
		json_put_text(j, "type", type);
	}
	if (help)
		json_put_text(j, "description", help);
	return j;
}

/* An object whose known keys have their types. */
static struct json *object_of(const char *help, struct json **properties,
			      struct json **required)
{
	struct json *j = json_new_object();

	json_put_text(j, "type", "object");
	if (help)
		json_put_text(j, "description", help);
	*properties = json_new_object();
	json_put(j, "properties", *properties);
	*required = json_new_array();
	json_put(j, "required", *required);
	return j;
}

static void add_members(const char *of, struct json *properties,
			struct json *required)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const struct log_key *m = &members[i];

		if (strcmp(m->of, of) != 0)
			continue;
		json_put(properties, m->key, type_of(m->type, m->help));
		if (m->always)
			json_push_text(required, m->key);
	}
}

/* The cell of an experiment that a row, event or result belongs to. */
static void add_cell(struct json *properties)
{
	json_put(properties, "point", type_of("#texts", "values of the axes"));
	json_put(properties, "block", type_of("integer", "number of the block"));
	json_put(properties, "run", type_of("integer", "number of the run"));
}

static const char *unit_words(const char *key)
{
	static const char *const words[UNITS] = {
		[UNIT_COUNT] = NULL,	   [UNIT_BYTES] = "bytes",
		[UNIT_BYTES_PER_S] = "bytes per second",
		[UNIT_NS] = "nanoseconds", [UNIT_PCT] = "per cent",
	};

	return words[unit_of(key)];
}

static struct json *field_schema(const struct field *f)
{
	static const char *const types[] = {
		[FIELD_NUMBER] = "number",
		[FIELD_TEXT] = "string",
		[FIELD_HISTOGRAM] = "#histogram",
	};
	const char *unit = f->kind == FIELD_NUMBER ? unit_words(f->key) : NULL;
	char words[512];

	snprintf(words, sizeof(words), "%s%s%s", f->help, unit ? ", in " : "",
		 unit ? unit : "");
	return type_of(types[f->kind], words);
}

/* One row of a table of a frame. */
static struct json *row_schema(const struct schema *s)
{
	struct json *properties, *required;
	struct json *row = object_of(s->help, &properties, &required);

	if (!s->bare) {
		json_put(properties, "id", type_of("string", NULL));
		json_push_text(required, "id");
	}
	json_put(properties, "idle",
		 type_of("integer", "1: the fields that \"iodyno list --json "
				    "fields\" marks are absent and 0"));
	json_put(properties, "zero",
		 type_of("integer", "absent fields that \"iodyno list --json "
				    "fields\" gives this number or a smaller "
				    "one are 0"));
	json_put(properties, "same",
		 type_of("integer", "1: the fields that \"iodyno list --json "
				    "fields\" gives \"fact\" are those of the "
				    "last row of this id without this mark"));
	for (size_t i = 0; i < s->n_fields; i++)
		json_put(properties, s->fields[i].key,
			 field_schema(&s->fields[i]));
	if (s->cell_at)
		add_cell(properties);
	return row;
}

static void add_rows(struct json *defs, struct json *frame)
{
	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct schema *s = schemas[id];
		char name[64], type[80];

		snprintf(name, sizeof(name), "row_%s", s->name);
		json_put(defs, name, row_schema(s));
		snprintf(type, sizeof(type), s->single ? "#%s" : "[%s]", name);
		json_put(frame, s->name, type_of(type, s->help));
	}
}

/* Forms that several keys have. */
static void add_common(struct json *defs)
{
	static const char texts[] =
		"{\"type\":\"object\","
		"\"additionalProperties\":{\"type\":\"string\"}}";
	static const char histogram[] =
		"{\"type\":\"array\",\"description\":\"[least ns of the "
		"bucket, count] for each bucket in use\",\"items\":"
		"{\"type\":\"array\",\"items\":{\"type\":\"integer\","
		"\"minimum\":0},\"minItems\":2,\"maxItems\":2}}";
	static const char time[] =
		"{\"type\":\"string\",\"description\":\"UTC\",\"pattern\":"
		"\"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
		"(\\\\.[0-9]+)?Z$\"}";
	static const struct {
		const char *name, *text;
	} forms[] = {
		{ "text", "{\"type\":\"string\"}" },
		{ "texts", texts },
		{ "histogram", histogram },
		{ "time", time },
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct json *form;

		if (!json_parse(forms[i].text, strlen(forms[i].text), &form))
			json_put(defs, forms[i].name, form);
	}
}

/* Results have keys that depend on the run; their ends tell their types. */
static void add_results(struct json *row)
{
	struct json *patterns = json_new_object();

	json_put(patterns, "_(ns|bytes|per_s|iops|pct|ios)$",
		 type_of("number", NULL));
	json_put(patterns, "_hist$", type_of("#histogram", NULL));
	json_put(row, "patternProperties", patterns);
}

static struct json *event_kinds(void)
{
	struct json *kind = type_of("string", "the kind of the event"),
		    *words = json_new_array();

	for (int k = 0; k < EVENT_KINDS; k++)
		json_push_text(words, event_kind_name((enum event_kind)k));
	json_put(kind, "examples", words);
	return kind;
}

/* Each object that members[] describes, in its order. */
static void add_objects(struct json *defs)
{
	const char *last = "";

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const char *of = members[i].of;
		struct json *properties, *required, *j;

		if (!strcmp(of, last))
			continue;
		last = of;
		j = object_of(NULL, &properties, &required);
		add_members(of, properties, required);
		if (!strcmp(of, "frame"))
			add_rows(defs, properties);
		if (!strcmp(of, "event")) {
			json_put(properties, "kind", event_kinds());
			json_push_text(required, "kind");
		}
		if (!strcmp(of, "event") || !strcmp(of, "summary"))
			add_cell(properties);
		if (!strcmp(of, "result_row"))
			add_results(j);
		json_put(defs, of, j);
	}
}

/* if type is NAME then the form of that line. */
static struct json *line_rule(size_t i)
{
	struct json *rule = json_new_object(), *when = json_new_object(),
		    *properties = json_new_object(),
		    *type = json_new_object();
	char form[64];

	json_put_text(type, "const", lines[i].type);
	json_put(properties, "type", type);
	json_put(when, "properties", properties);
	json_put(rule, "if", when);
	snprintf(form, sizeof(form), "#%s", lines[i].form);
	json_put(rule, "then", type_of(form, lines[i].help));
	return rule;
}

struct json *log_schema_json(void)
{
	struct json *properties, *required, *rules = json_new_array(),
				     *defs = json_new_object(),
				     *top = json_new_object(), *line;

	json_put_text(top, "$schema",
		      "https://json-schema.org/draft/2020-12/schema");
	json_put_text(top, "title", "a line of a log of iodyno");
	line = object_of("Every line is one object. Readers skip types and "
			 "keys that they do not know; a figure that was not "
			 "measured is absent.",
			 &properties, &required);
	json_put(properties, "type",
		 type_of("string", "the kind of the line"));
	json_push_text(required, "type");
	add_common(defs);
	add_objects(defs);
	json_put(defs, "line", line);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		json_push(rules, line_rule(i));
	json_put_text(top, "$ref", "#/$defs/line");
	json_put(top, "allOf", rules);
	json_put(top, "$defs", defs);
	return top;
}
