/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print frames: each interval as tables like iostat's, CSV or JSON Lines
 * (batch), chosen fields of every frame as CSV (series), one interval in the
 * columns of iostat and top (excerpt).
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "model/schema/schema_machine.h"
#include "report/print/print.h"

#define COLUMNS_MOST 512
#define LINE_CELLS   80
/* Lines are cut here, unless --columns chose the columns. */
#define LINE_MOST    132

/* The chosen fields of a table, in their order. */
struct batch_table {
	enum schema_id id;
	int field[COLUMNS_MOST];
	size_t n;
};

struct print_batch {
	enum batch_form form;
	struct batch_table table[SCHEMA_COUNT];
	size_t n; /* tables */
	bool idle;  /* print idle devices */
	bool cut;   /* texts at LINE_MOST cells */
	bool megabytes;
	bool headed;
	const struct row **row; /* of the table that is printed */
	size_t cap;
};

/* The title of the column of ids. */
static const char *id_title(enum schema_id id)
{
	return id == SCHEMA_TASK ? "pid" : schemas[id]->name;
}

static int id_width(enum schema_id id)
{
	return id == SCHEMA_DEVICE ? 12 : 8;
}

static struct batch_table *print_frames_table_of(struct print_batch *b,
						 enum schema_id id)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->table[i].id == id)
			return &b->table[i];
	b->table[b->n].id = id;
	b->table[b->n].n = 0;
	return &b->table[b->n++];
}

/* The field of "KEY", in the first table that has it, or of "TABLE.KEY". */
static int print_frames_find_field(const char *word, enum schema_id *id)
{
	static const enum schema_id order[] = { SCHEMA_DEVICE, SCHEMA_TASK,
						SCHEMA_CPU,    SCHEMA_MEMORY,
						SCHEMA_PRESSURE };
	const char *dot = strchr(word, '.');
	char name[32];

	if (dot) {
		snprintf(name, sizeof(name), "%.*s", (int)(dot - word), word);
		*id = schema_by_name(name);
		return *id == SCHEMA_COUNT ? -1 : schema_field(*id, dot + 1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		*id = order[i];
		if (schema_field(*id, word) >= 0)
			return schema_field(*id, word);
	}
	/* iostat's title. */
	*id = SCHEMA_DEVICE;
	for (size_t i = 0; i < schemas[SCHEMA_DEVICE]->n_fields; i++)
		if (!strcmp(schemas[SCHEMA_DEVICE]->fields[i].title, word))
			return (int)i;
	return -1;
}

static int add_column(struct print_batch *b, const char *word)
{
	enum schema_id id;
	int field = print_frames_find_field(word, &id);
	struct batch_table *t;

	if (field < 0 || schemas[id]->fields[field].kind == FIELD_HISTOGRAM)
		return fail(EINVAL,
			    "--columns: there is no field %.64s; iodyno list "
			    "fields has them",
			    word);
	t = print_frames_table_of(b, id);
	if (t->n == COLUMNS_MOST)
		return fail(EINVAL, "--columns: at most %d of a table",
			    COLUMNS_MOST);
	t->field[t->n++] = field;
	return 0;
}

/* The cells of a column with the blank before it, which f->width of a number
 * includes. */
static int print_frames_cells_of(const struct field *f)
{
	int title = (int)strlen(f->title);

	return f->kind == FIELD_NUMBER && f->width > title ? f->width
	       : f->width > title			     ? f->width + 1
							     : title + 1;
}

/* Add the first columns of the screen that a line of 80 cells holds. */
static void add_default(struct print_batch *b, enum schema_id id)
{
	struct batch_table *t = print_frames_table_of(b, id);
	int field[COLUMNS_MOST], cells = id_width(id);
	size_t n = schema_fields_in(id, FIELD_ON_SCREEN, field, COLUMNS_MOST);
	int last = id == SCHEMA_TASK ? schema_field(id, "arguments") : -1;

	/* The command takes the rest of the line, see cell_text(). */
	if (last >= 0) {
		const struct field *f = &schemas[id]->fields[last];

		cells += print_frames_cells_of(f);
	}
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &schemas[id]->fields[field[i]];

		if (field[i] == last ||
		    (last >= 0 && !strcmp(f->key, "comm")))
			continue;
		cells += print_frames_cells_of(f);
		if (cells > LINE_CELLS)
			break;
		t->field[t->n++] = field[i];
	}
	if (last >= 0)
		t->field[t->n++] = last;
}

/* The columns of iostat -x. */
static const char extended[] =
	"r/s,rkB/s,rrqm/s,%rrqm,r_await,rareq-sz,w/s,wkB/s,wrqm/s,%wrqm,"
	"w_await,wareq-sz,d/s,dkB/s,drqm/s,%drqm,d_await,dareq-sz,f/s,f_await,"
	"aqu-sz,%util";

int print_batch_new(struct print_batch **out, const struct batch_options *wish)
{
	struct print_batch *b = xcalloc(1, sizeof(*b));
	const char *columns = wish->columns	? wish->columns
			      : wish->extended ? extended
					       : NULL;
	char *copy = xstrdup(columns ? columns : ""), *save = NULL;
	const enum batch_form form = wish->form;
	int err = 0;

	b->form = form;
	b->idle = wish->idle || form != BATCH_TEXT;
	b->cut = !columns;
	b->megabytes = wish->megabytes;
	for (char *word = strtok_r(copy, ",", &save); word && !err;
	     word = strtok_r(NULL, ",", &save))
		err = add_column(b, word);
	free(copy);
	if (!columns && !wish->no_devices)
		add_default(b, SCHEMA_DEVICE);
	if (!columns && form != BATCH_CSV && !wish->no_tasks)
		add_default(b, SCHEMA_TASK);
	if (!err && !b->n && !(wish->no_devices && form == BATCH_TEXT))
		err = fail(EINVAL, "--columns names no field");
	if (!err && form == BATCH_CSV && b->n > 1)
		err = fail(EINVAL, "--csv prints one table; name columns of "
				   "one, or use --json");
	if (err)
		print_batch_free(b);
	else
		*out = b;
	return err;
}

void print_batch_free(struct print_batch *b)
{
	if (!b)
		return;
	free(b->row);
	free(b);
}

/* Sort tasks in D first, then by bytes; below 0: the task did no I/O. */
static double task_weight(const struct row *row)
{
	double bytes =
		frame_or_0(row_number(SCHEMA_TASK, row, "read_bytes_per_s")) +
		frame_or_0(row_number(SCHEMA_TASK, row, "write_bytes_per_s"));
	double wait = row_number(SCHEMA_TASK, row, "wait_ns");
	const char *group = row_text(SCHEMA_TASK, row, "group");

	if (wait > 0)
		return 1e18 + wait;
	/* Loop workers transfer the bytes of other tasks. */
	return bytes > 0 && !(group && !strcmp(group, "loop")) ? bytes : -1;
}

static bool is_wanted(const struct print_batch *b, enum schema_id id,
		      const struct row *row)
{
	if (id == SCHEMA_TASK)
		return task_weight(row) >= 0;
	return id != SCHEMA_DEVICE || b->idle || !schema_device_idle(row);
}

static int by_weight(const void *a, const void *b)
{
	double x = task_weight(*(const struct row *const *)a);
	double y = task_weight(*(const struct row *const *)b);

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Choose the rows of a table to print; returns how many. */
static size_t choose_rows(struct print_batch *b, const struct frame *f,
			  enum schema_id id)
{
	const struct table *t = &f->table[id];
	size_t n = 0;

	/* Rows of an interval without a reading were printed before. */
	if (t->repeats)
		return 0;
	b->row = xgrow(b->row, &b->cap, t->n + 1, sizeof(*b->row));
	for (size_t i = 0; i < t->n; i++)
		if (is_wanted(b, id, &t->row[i]))
			b->row[n++] = &t->row[i];
	if (id != SCHEMA_TASK)
		return n;
	if (n)
		qsort(b->row, n, sizeof(*b->row), by_weight);
	return n < BATCH_TASKS ? n : BATCH_TASKS;
}

/* Whether the column has the name of the process before its arguments. */
static bool is_command(const struct print_batch *b, const struct field *f)
{
	return b->cut && !strcmp(f->key, "arguments");
}

/* Whether -m turns the column into MB/s. */
static bool is_in_megabytes(const struct print_batch *b, const struct field *f)
{
	const char *unit = strstr(f->title, "kB/s");

	return b->megabytes && unit && !unit[4];
}

static const char *cell_title(const struct print_batch *b,
			      const struct field *f, char *buf, size_t size)
{
	snprintf(buf, size, "%s",
		 is_command(b, f) ? "command" : f->title);
	if (is_in_megabytes(b, f))
		*strstr(buf, "kB/s") = 'M';
	return buf;
}

static const char *cell_text(const struct print_batch *b, const struct row *row,
			     const struct field *f, int field, char *buf,
			     size_t size)
{
	const char *text = row->value[field].text, *name;
	double v;

	if (is_command(b, f)) {
		name = row_text(SCHEMA_TASK, row, "comm");
		snprintf(buf, size, "%s%s%s", name ? name : "-",
			 text ? " " : "", text ? text : "");
		return buf;
	}
	/* A kernel thread has no command line. */
	if (f->kind == FIELD_TEXT && !text && !strcmp(f->key, "command_line"))
		text = row_text(SCHEMA_TASK, row, "comm");
	if (f->kind == FIELD_TEXT)
		return text ? text : "-";
	v = row->value[field].number * (f->scale != 0 ? f->scale : 1);
	if (isnan(v))
		return "-";
	if (is_in_megabytes(b, f))
		snprintf(buf, size, "%.2f", v / 1024);
	else
		snprintf(buf, size, "%.*f", f->digits, v);
	return buf;
}

/* most: the cells of a text in the last column; 0: the column's width. */
static int print_cell(const struct field *f, const char *text, int most,
		      FILE *out)
{
	int cells = print_frames_cells_of(f);

	if (f->kind != FIELD_TEXT)
		return fprintf(out, "%*s", cells, text);
	if (most)
		return fprintf(out, " %.*s", most, text);
	return fprintf(out, " %-*s", cells - 1, text);
}

/* Print the cells of a line after the id; row NULL: the titles. */
static void print_cells(const struct print_batch *b,
			const struct batch_table *t, const struct row *row,
			int used, FILE *out)
{
	const struct schema *s = schemas[t->id];

	for (size_t k = 0; k < t->n; k++) {
		const struct field *f = &s->fields[t->field[k]];
		bool last = k + 1 == t->n;
		char buf[LINE_MOST * 4];

		used += print_cell(f,
				   row ? cell_text(b, row, f, t->field[k], buf,
						   sizeof(buf))
				       : cell_title(b, f, buf, sizeof(buf)),
				   !last		     ? 0
				   : b->cut && used < LINE_MOST ? LINE_MOST - used
							     : INT_MAX,
				   out);
	}
	fputc('\n', out);
}

/* Whether the row sums processes that ended. */
static bool print_frames_ended(enum schema_id id, const struct row *row)
{
	const char *state =
		id == SCHEMA_TASK ? row_text(id, row, "state") : NULL;

	return state && *state == TASK_ENDED;
}

static void print_frames_print_table(struct print_batch *b,
				     const struct batch_table *t,
				     const struct frame *f, FILE *out)
{
	size_t n = choose_rows(b, f, t->id);

	if (!n)
		return;
	print_cells(b, t, NULL,
		    fprintf(out, "%-*s", id_width(t->id), id_title(t->id)),
		    out);
	for (size_t i = 0; i < n; i++)
		print_cells(b, t, b->row[i],
			    fprintf(out, "%-*s", id_width(t->id),
				    schemas[t->id]->bare ? "-"
				    : print_frames_ended(t->id, b->row[i])
					    ? "ended"
					    : b->row[i]->id),
			    out);
}

/* "us 1.0 sy 2.0 wa 0.0 id 97.0  io 0.0/0.0  dirty 5.20MiB" */
static void print_frames_print_machine(const struct frame *f, FILE *out)
{
	static const struct {
		const char *label, *key;
	} cpu[] = {
		{ "us", "user_pct" },   { "ni", "nice_pct" },
		{ "sy", "system_pct" }, { "ir", "irq_pct" },
		{ "wa", "iowait_pct" }, { "st", "steal_pct" },
		{ "id", "idle_pct" },
	};
	const struct table *memory = &f->table[SCHEMA_MEMORY];
	double some = frame_number(f, SCHEMA_PRESSURE, "io", "some_pct");
	double full = frame_number(f, SCHEMA_PRESSURE, "io", "full_pct");
	char dirty[16];

	fputs(" ", out);
	for (size_t i = 0; i < ARRAY_SIZE(cpu); i++) {
		double v = frame_number(f, SCHEMA_CPU, "all", cpu[i].key);

		if (!isnan(v))
			fprintf(out, " %s %.1f", cpu[i].label, v);
	}
	if (!isnan(some))
		fprintf(out, "  PSI io %.1f", some);
	if (!isnan(some) && !isnan(full))
		fprintf(out, "/%.1f", full);
	if (memory->n)
		fprintf(out, "  dirty %s",
			units_format_bytes(dirty, sizeof(dirty),
					   row_number(SCHEMA_MEMORY,
						      &memory->row[0],
						      "dirty_bytes")));
}

/* Print alarms, changes of settings, and devices that came or went. */
static void print_events(const struct frame *f, FILE *out)
{
	char words[512];

	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->event[i];

		if (e->kind == EVENT_ALARM_BEGIN || e->kind == EVENT_ALARM_END ||
		    e->kind == EVENT_KNOB || e->kind == EVENT_DEVICE_ADDED ||
		    e->kind == EVENT_DEVICE_REMOVED)
			fprintf(out, "%s\n",
				event_words(e, words, sizeof(words)));
	}
}

static void print_text_frame(struct print_batch *b, const struct frame *f,
			     FILE *out)
{
	char at[32];

	fputs(clock_format_local(f->wall_ns, true, at, sizeof(at)), out);
	print_frames_print_machine(f, out);
	fputc('\n', out);
	print_events(f, out);
	for (size_t i = 0; i < b->n; i++)
		print_frames_print_table(b, &b->table[i], f, out);
	fputc('\n', out);
}

static void print_csv_frame(struct print_batch *b, const struct frame *f,
			    FILE *out)
{
	const struct batch_table *t = &b->table[0];
	const struct schema *s = schemas[t->id];
	size_t n = choose_rows(b, f, t->id);
	char time[32];

	if (!b->headed) {
		fprintf(out, "time,t,%s", id_title(t->id));
		for (size_t k = 0; k < t->n; k++)
			fprintf(out, ",%s", s->fields[t->field[k]].key);
		fputc('\n', out);
		b->headed = true;
	}
	clock_format_utc(f->wall_ns, time, sizeof(time));
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s,", time);
		print_csv_number(out, f->t_s);
		fputc(',', out);
		print_csv_text(out, b->row[i]->id);
		for (size_t k = 0; k < t->n; k++) {
			union value v = b->row[i]->value[t->field[k]];
			bool text = s->fields[t->field[k]].kind == FIELD_TEXT;

			fputc(',', out);
			if (text && v.text)
				print_csv_text(out, v.text);
			else if (!text)
				print_csv_number(out, v.number);
		}
		fputc('\n', out);
	}
}

static struct json *print_frames_row_json(const struct batch_table *t,
					  const struct row *row)
{
	const struct schema *s = schemas[t->id];
	struct json *j = json_new_object();

	if (!s->bare)
		json_put_text(j, "id", row->id);
	for (size_t k = 0; k < t->n; k++) {
		const struct field *f = &s->fields[t->field[k]];
		union value v = row->value[t->field[k]];

		if (f->kind == FIELD_NUMBER)
			json_put_number(j, f->key, v.number);
		else if (v.text)
			json_put_text(j, f->key, v.text);
	}
	return j;
}

static void print_json_frame(struct print_batch *b, const struct frame *f,
			     FILE *out)
{
	struct json *j = json_new_object();
	char time[32];
	size_t length;

	clock_format_utc(f->wall_ns, time, sizeof(time));
	json_put_text(j, "time", time);
	json_put_number(j, "t", f->t_s);
	json_put_number(j, "interval_s", f->interval_s);
	for (size_t i = 0; i < b->n; i++) {
		struct json *rows;
		size_t n = choose_rows(b, f, b->table[i].id);

		if (f->table[b->table[i].id].repeats)
			continue;
		rows = json_new_array();
		for (size_t k = 0; k < n; k++)
			json_push(rows, print_frames_row_json(&b->table[i],
							      b->row[k]));
		json_put(j, schemas[b->table[i].id]->name, rows);
	}
	fprintf(out, "%s\n", json_text(j, &length));
	json_free(j);
}

void print_batch_frame(struct print_batch *b, const struct frame *f, FILE *out)
{
	static void (*const print[])(struct print_batch *, const struct frame *,
				     FILE *) = {
		[BATCH_TEXT] = print_text_frame,
		[BATCH_CSV] = print_csv_frame,
		[BATCH_JSON] = print_json_frame,
	};

	print[b->form](b, f, out);
}

/*
 * Series: a column per field of a row, and a line per frame.
 */

/* The limit of columns, because a log is untrusted. */
#define SERIES_COLUMNS 4096

struct series_column {
	enum schema_id schema;
	int field;
	char id[ROW_ID_MAX]; /* "*": all */
	size_t row;          /* its index in the last frame */
};

struct print_series {
	struct series_column *asked, *column;
	size_t n_asked, n, cap_asked, cap;
	bool scans;
};

static void print_frames_add_series(struct print_series *s,
				    const struct series_column *c)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->column[i].schema == c->schema &&
		    s->column[i].field == c->field &&
		    !strcmp(s->column[i].id, c->id))
			return;
	if (s->n == SERIES_COLUMNS)
		return;
	s->column = xgrow(s->column, &s->cap, s->n + 1, sizeof(*s->column));
	s->column[s->n++] = *c;
}

/* Parse a word such as "device.sda.read_iops". */
static int parse_series(struct print_series *s, const char *word)
{
	const char *dot = strchr(word, '.'), *last = strrchr(word, '.');
	struct series_column c = { .schema = SCHEMA_COUNT, .field = -1 };
	char table[64];

	if (dot) {
		snprintf(table, sizeof(table), "%.*s", (int)(dot - word), word);
		c.schema = schema_by_name(table);
	}
	if (c.schema != SCHEMA_COUNT)
		c.field = schema_field(c.schema, last + 1);
	if (c.field < 0)
		return fail(EINVAL,
			    "--series: %s is not TABLE.ROW.KEY, such as "
			    "device.sda.read_iops; iodyno list fields has "
			    "them",
			    word);
	if (last > dot)
		snprintf(c.id, sizeof(c.id), "%.*s", (int)(last - dot - 1),
			 dot + 1);
	else if (!schemas[c.schema]->bare)
		snprintf(c.id, sizeof(c.id), "*");
	s->asked = xgrow(s->asked, &s->cap_asked, s->n_asked + 1,
			 sizeof(*s->asked));
	s->asked[s->n_asked++] = c;
	s->scans |= !strcmp(c.id, "*");
	return 0;
}

int print_series_new(struct print_series **out, const char *fields)
{
	struct print_series *s = xcalloc(1, sizeof(*s));
	char *copy = xstrdup(fields), *save = NULL;
	int err = 0;

	for (char *word = strtok_r(copy, ",", &save); word && !err;
	     word = strtok_r(NULL, ",", &save))
		err = parse_series(s, word);
	free(copy);
	if (!err && !s->n_asked)
		err = fail(EINVAL, "--series names no field");
	for (size_t i = 0; !err && !s->scans && i < s->n_asked; i++)
		print_frames_add_series(s, &s->asked[i]);
	if (err)
		print_series_free(s);
	else
		*out = s;
	return err;
}

void print_series_free(struct print_series *s)
{
	if (!s)
		return;
	free(s->asked);
	free(s->column);
	free(s);
}

bool print_series_scans(const struct print_series *s)
{
	return s->scans;
}

void print_series_scan(struct print_series *s, const struct frame *f)
{
	for (size_t i = 0; i < s->n_asked; i++) {
		struct series_column c = s->asked[i];
		const struct table *t = &f->table[c.schema];

		if (strcmp(c.id, "*") != 0) {
			print_frames_add_series(s, &c);
			continue;
		}
		for (size_t k = 0; k < t->n; k++) {
			text_copy(c.id, sizeof(c.id), t->row[k].id);
			print_frames_add_series(s, &c);
		}
	}
}

void print_series_head(const struct print_series *s, FILE *out)
{
	fputs("log,t,time", out);
	for (size_t i = 0; i < s->n; i++) {
		const struct series_column *c = &s->column[i];
		const struct schema *of = schemas[c->schema];
		char name[256];

		snprintf(name, sizeof(name), "%s%s%s.%s", of->name,
			 *c->id ? "." : "", c->id, of->fields[c->field].key);
		fputc(',', out);
		print_csv_text(out, name);
	}
	fputc('\n', out);
}

/* Search from the last index: most rows keep it from frame to frame. */
static const struct row *print_frames_find_row(struct series_column *c,
					       const struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t at = (c->row + i) % t->n;

		if (*c->id && strcmp(t->row[at].id, c->id) != 0)
			continue;
		c->row = at;
		return &t->row[at];
	}
	return NULL;
}

void print_series_add(struct print_series *s, const char *log,
		      const struct frame *f, FILE *out)
{
	char time[64];

	print_csv_text(out, log);
	fputc(',', out);
	print_csv_number(out, f->t_s);
	clock_format_utc(f->wall_ns, time, sizeof(time));
	fprintf(out, ",%s", time);
	for (size_t i = 0; i < s->n; i++) {
		struct series_column *c = &s->column[i];
		const struct row *row =
			print_frames_find_row(c, &f->table[c->schema]);
		const struct field *field =
			&schemas[c->schema]->fields[c->field];

		fputc(',', out);
		if (row && field->kind == FIELD_NUMBER)
			print_csv_number(out, row->value[c->field].number);
		else if (row && field->kind == FIELD_TEXT &&
			 row->value[c->field].text)
			print_csv_text(out, row->value[c->field].text);
	}
	fputc('\n', out);
}

/*
 * Excerpt: a frame in the columns of iostat and top.
 */

#define SECTOR        512.0
#define EXCERPT_TASKS 20

static double print_frames_number(enum schema_id id, const struct row *row,
				  const char *key)
{
	return frame_or_0(row_number(id, row, key));
}

static double print_frames_device(const struct row *row, const char *key)
{
	return print_frames_number(SCHEMA_DEVICE, row, key);
}

static void print_frames_print_title(const struct frame *f, unsigned n,
				     const char *program, double seconds,
				     FILE *out)
{
	fprintf(out, "[%u] %s, %.1f s after the start, over %.1f s:\n\n", n,
		program, f->t_s, seconds);
}

static void print_device(const struct row *row, FILE *out)
{
	double r = print_frames_device(row, "read_iops"),
	       w = print_frames_device(row, "write_iops");
	double rs = print_frames_device(row, "read_bytes_per_s") / SECTOR;
	double ws = print_frames_device(row, "write_bytes_per_s") / SECTOR;
	double util = print_frames_device(row, "util_pct"), n = r + w;
	double wait = r * print_frames_device(row, "read_await_ns") +
		      w * print_frames_device(row, "write_await_ns");

	if (!(n > 0) && !(util > 0))
		return;
	fprintf(out,
		"%-9s %7.2f %7.2f %8.2f %8.2f %10.2f %10.2f %8.2f %7.2f %7.2f "
		"%6.2f %6.2f\n",
		row->id, print_frames_device(row, "read_merges_per_s"),
		print_frames_device(row, "write_merges_per_s"), r, w, rs, ws,
		n > 0 ? (rs + ws) / n : 0,
		print_frames_device(row, "queue_size"),
		n > 0 ? wait / n / 1e6 : 0, n > 0 ? util * 10 / n : 0, util);
}

void print_excerpt_iostat(const struct frame *f, unsigned n, FILE *out)
{
	const struct row *cpu = frame_find(f, SCHEMA_CPU, "all");
	const struct table *t = &f->table[SCHEMA_DEVICE];

	print_frames_print_title(f, n, "iostat", f->interval_s, out);
	if (cpu)
		fprintf(out,
			"avg-cpu:  %%user   %%nice %%system %%iowait  %%steal  "
			" "
			"%%idle\n        %7.2f %7.2f %7.2f %7.2f %7.2f "
			"%7.2f\n\n",
			print_frames_number(SCHEMA_CPU, cpu, "user_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "nice_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "system_pct") +
				print_frames_number(SCHEMA_CPU, cpu, "irq_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "iowait_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "steal_pct"),
			print_frames_number(SCHEMA_CPU, cpu, "idle_pct"));
	fprintf(out, "%-9s %7s %7s %8s %8s %10s %10s %8s %7s %7s %6s %6s\n",
		"Device:", "rrqm/s", "wrqm/s", "r/s", "w/s", "rsec/s", "wsec/s",
		"avgrq-sz", "avgqu-sz", "await", "svctm", "%util");
	for (size_t i = 0; i < t->n; i++)
		print_device(&t->row[i], out);
	fputc('\n', out);
}

static int by_cpu(const void *a, const void *b)
{
	double x = print_frames_number(
		SCHEMA_TASK, *(const struct row *const *)a, "cpu_pct");
	double y = print_frames_number(
		SCHEMA_TASK, *(const struct row *const *)b, "cpu_pct");

	return x < y ? 1 : x > y ? -1 : 0;
}

void print_excerpt_top(const struct frame *f, double since_s, unsigned n,
		       FILE *out)
{
	const struct table *t = &f->table[SCHEMA_TASK];
	const struct row **row = xcalloc(t->n + 1, sizeof(struct row *));
	size_t used = 0;

	for (size_t i = 0; i < t->n; i++)
		if (print_frames_number(SCHEMA_TASK, &t->row[i], "cpu_pct") > 0)
			row[used++] = &t->row[i];
	if (used)
		qsort(row, used, sizeof(struct row *), by_cpu);
	print_frames_print_title(
		f, n, "top (only %CPU > 0 shown)",
		f->t_s > since_s ? f->t_s - since_s : f->interval_s, out);
	fprintf(out, "%8s %1s %6s %11s %11s  COMMAND\n", "PID", "S", "%CPU",
		"read kB/s", "written kB/s");
	for (size_t i = 0; i < used && i < EXCERPT_TASKS; i++) {
		const char *state = row_text(SCHEMA_TASK, row[i], "state");
		const char *comm = row_text(SCHEMA_TASK, row[i], "comm");

		fprintf(out, "%8s %1.1s %6.1f %11.1f %11.1f  %s\n", row[i]->id,
			state ? state : "",
			print_frames_number(SCHEMA_TASK, row[i], "cpu_pct"),
			print_frames_number(SCHEMA_TASK, row[i],
					    "read_bytes_per_s") /
				1024,
			print_frames_number(SCHEMA_TASK, row[i],
					    "write_bytes_per_s") /
				1024,
			comm ? comm : "");
	}
	if (!used)
		fputs("the log holds no processes of that moment\n", out);
	fputc('\n', out);
	free(row);
}
