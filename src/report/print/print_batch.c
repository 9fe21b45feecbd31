/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Print batch: each interval as tables like iostat's, CSV or JSON Lines. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/units.h"
#include "block/device_names.h"
#include "model/schema/schema_machine.h"
#include "report/print/print.h"

#define COLUMNS_MOST 512
#define LINE_CELLS   80
/* Lines are cut here, unless --columns chose the columns. */
#define LINE_MOST    132

/*
 * A column of iostat that adds up fields of a device: num, each times its weight,
 * over the sum of over, times factor. NULL ends a list.
 */
struct batch_sum {
	struct field field; /* title, width, digits */
	const char *num[4], *weight[4], *over[4];
	double factor;
	bool in_all; /* over the whole interval, not for each second */
};

#define IOPS   { "read_iops", "write_iops", "discard_iops", NULL }
#define AWAITS { "read_await_ns", "write_await_ns", "discard_await_ns", NULL }
#define BYTES                                                             \
	{ "read_bytes_per_s", "write_bytes_per_s", "discard_bytes_per_s", \
	  NULL }
#define CHANGES { "write_bytes_per_s", "discard_bytes_per_s", NULL }
#define MERGES                                           \
	{ "read_merges_per_s", "write_merges_per_s",     \
	  "discard_merges_per_s", NULL }
#define COLUMN(t, w, d) .field = { .key = t, .title = t, .width = w, .digits = d }
#define KIB		(1.0 / 1024)

static const struct batch_sum sums[] = {
	{ COLUMN("tps", 10, 2), .num = IOPS, .factor = 1 },
	{ COLUMN("kB/s", 11, 2), .num = BYTES, .factor = KIB },
	{ COLUMN("kB_read/s", 12, 2), .num = { "read_bytes_per_s" },
	  .factor = KIB },
	{ COLUMN("kB_wrtn/s", 12, 2), .num = { "write_bytes_per_s" },
	  .factor = KIB },
	{ COLUMN("kB_w+d/s", 12, 2), .num = CHANGES, .factor = KIB },
	{ COLUMN("kB_dscd/s", 12, 2), .num = { "discard_bytes_per_s" },
	  .factor = KIB },
	{ COLUMN("kB_read", 11, 0), .num = { "read_bytes_per_s" },
	  .factor = KIB, .in_all = true },
	{ COLUMN("kB_wrtn", 11, 0), .num = { "write_bytes_per_s" },
	  .factor = KIB, .in_all = true },
	{ COLUMN("kB_w+d", 11, 0), .num = CHANGES, .factor = KIB,
	  .in_all = true },
	{ COLUMN("kB_dscd", 11, 0), .num = { "discard_bytes_per_s" },
	  .factor = KIB, .in_all = true },
	{ COLUMN("rqm/s", 9, 2), .num = MERGES, .factor = 1 },
	{ COLUMN("await", 8, 2), .num = AWAITS, .weight = IOPS, .over = IOPS,
	  .factor = 1e-6 },
	{ COLUMN("areq-sz", 9, 2), .num = BYTES, .over = IOPS, .factor = KIB },
};

/* A field of the table, or the sum of number field - SUMS. */
#define SUMS 10000

/* The chosen columns of a table, in their order. */
struct batch_table {
	enum schema_id id;
	int field[COLUMNS_MOST];
	size_t n;
};

struct print_batch {
	struct batch_options wish; /* columns is NULL */
	enum batch_form form;
	struct batch_table table[SCHEMA_COUNT];
	size_t n; /* tables */
	bool idle;  /* print idle devices */
	bool cut;   /* texts at LINE_MOST cells */
	bool headed;
	double interval_s; /* of the frame that is printed */
	struct row sum;    /* of the group */
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

static struct batch_table *print_batch_table_of(struct print_batch *b,
						 enum schema_id id)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->table[i].id == id)
			return &b->table[i];
	b->table[b->n].id = id;
	b->table[b->n].n = 0;
	return &b->table[b->n++];
}

static const struct field *print_batch_field(enum schema_id id, int column)
{
	return column >= SUMS ? &sums[column - SUMS].field
			      : &schemas[id]->fields[column];
}

/* A sum of fields of which none was measured is absent. */
static double print_batch_add(const struct row *row, const char *const *num,
			      const char *const *weight)
{
	double sum = NAN;

	for (size_t i = 0; i < 4 && num[i]; i++) {
		double v = row_number(SCHEMA_DEVICE, row, num[i]);

		if (weight[i])
			v *= row_number(SCHEMA_DEVICE, row, weight[i]);
		if (!isnan(v))
			sum = isnan(sum) ? v : sum + v;
	}
	return sum;
}

/* The value of a column, as it is printed. */
static double print_batch_value(const struct print_batch *b,
				const struct row *row, const struct field *f,
				int column)
{
	static const char *const none[4];
	const struct batch_sum *s;
	double v;

	if (column < SUMS)
		return row->value[column].number *
		       (f->scale != 0 ? f->scale : 1);
	s = &sums[column - SUMS];
	v = print_batch_add(row, s->num, s->weight) * s->factor;
	if (s->over[0])
		return schema_ratio(v, print_batch_add(row, s->over, none));
	return s->in_all ? v * b->interval_s : v;
}

/* The field of "KEY", in the first table that has it, or of "TABLE.KEY". */
static int print_batch_find_field(const char *word, enum schema_id *id)
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
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		if (!strcmp(sums[i].field.title, word))
			return SUMS + (int)i;
	return -1;
}

static int add_column(struct print_batch *b, const char *word)
{
	enum schema_id id;
	int field = print_batch_find_field(word, &id);
	struct batch_table *t;

	if (field < 0 || print_batch_field(id, field)->kind == FIELD_HISTOGRAM)
		return fail(EINVAL,
			    "--columns: there is no field %.64s; iodyno list "
			    "fields has them",
			    word);
	t = print_batch_table_of(b, id);
	if (t->n == COLUMNS_MOST)
		return fail(EINVAL, "--columns: at most %d of a table",
			    COLUMNS_MOST);
	t->field[t->n++] = field;
	return 0;
}

/* The cells of a column with the blank before it, which f->width of a number
 * includes. */
static int print_batch_cells_of(const struct field *f)
{
	int title = (int)strlen(f->title);

	return f->kind == FIELD_NUMBER && f->width > title ? f->width
	       : f->width > title			     ? f->width + 1
							     : title + 1;
}

/* Add the first columns of the screen that a line of 80 cells holds. */
static void add_default(struct print_batch *b, enum schema_id id)
{
	struct batch_table *t = print_batch_table_of(b, id);
	int field[COLUMNS_MOST], cells = id_width(id);
	size_t n = schema_fields_in(id, FIELD_ON_SCREEN, field, COLUMNS_MOST);
	int last = id == SCHEMA_TASK ? schema_field(id, "arguments") : -1;

	/* The command takes the rest of the line, see cell_text(). */
	if (last >= 0) {
		const struct field *f = &schemas[id]->fields[last];

		cells += print_batch_cells_of(f);
	}
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &schemas[id]->fields[field[i]];

		if (field[i] == last ||
		    (last >= 0 && !strcmp(f->key, "comm")))
			continue;
		cells += print_batch_cells_of(f);
		if (cells > LINE_CELLS)
			break;
		t->field[t->n++] = field[i];
	}
	if (last >= 0)
		t->field[t->n++] = last;
}

/* JSON also has processors, pressure and memory. */
static void add_machine(struct print_batch *b)
{
	static const enum schema_id of[] = { SCHEMA_CPU, SCHEMA_PRESSURE,
					     SCHEMA_MEMORY };

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct batch_table *t = print_batch_table_of(b, of[i]);

		while (t->n < schemas[of[i]]->n_fields && t->n < COLUMNS_MOST) {
			t->field[t->n] = (int)t->n;
			t->n++;
		}
	}
}

/* The columns of iostat -x. */
static const char extended[] =
	"r/s,rkB/s,rrqm/s,%rrqm,r_await,rareq-sz,w/s,wkB/s,wrqm/s,%wrqm,"
	"w_await,wareq-sz,d/s,dkB/s,drqm/s,%drqm,d_await,dareq-sz,f/s,f_await,"
	"aqu-sz,%util";

/* The same in the order of its JSON. */
static const char extended_json[] =
	"r/s,w/s,d/s,f/s,rkB/s,wkB/s,dkB/s,rrqm/s,wrqm/s,drqm/s,%rrqm,%wrqm,"
	"%drqm,r_await,w_await,d_await,f_await,rareq-sz,wareq-sz,dareq-sz,"
	"aqu-sz,%util";

static const char basic[] =
	"tps,kB_read/s,kB_wrtn/s,kB_dscd/s,kB_read,kB_wrtn,kB_dscd";
static const char narrow[] = "tps,kB/s,rqm/s,await,areq-sz,aqu-sz,%util";
static const char basic_narrow[] = "tps,kB_read/s,kB_w+d/s,kB_read,kB_w+d";

int print_batch_new(struct print_batch **out, const struct batch_options *wish)
{
	struct print_batch *b = xcalloc(1, sizeof(*b));
	const enum batch_form form = wish->form;
	const bool iostat = form == BATCH_IOSTAT;
	const char *columns =
		wish->columns			    ? wish->columns
		: iostat && !wish->extended	    ? basic
		: wish->narrow && wish->extended    ? narrow
		: wish->narrow			    ? basic_narrow
		: iostat			    ? extended_json
		: wish->extended		    ? extended
		: wish->basic			    ? basic
						    : NULL;
	char *copy = xstrdup(columns ? columns : ""), *save = NULL;
	int err = 0;

	b->wish = *wish;
	b->wish.columns = NULL;
	b->form = form;
	b->idle = wish->idle || (form != BATCH_TEXT && !iostat);
	b->cut = !columns;
	for (char *word = strtok_r(copy, ",", &save); word && !err;
	     word = strtok_r(NULL, ",", &save))
		err = add_column(b, word);
	free(copy);
	if (!columns && !wish->no_devices)
		add_default(b, SCHEMA_DEVICE);
	if (!columns && form != BATCH_CSV && !wish->no_tasks)
		add_default(b, SCHEMA_TASK);
	if (!columns && form != BATCH_CSV && wish->cgroups)
		add_default(b, SCHEMA_CGROUP);
	if (!columns && form == BATCH_JSON)
		add_machine(b);
	if (!err && !b->n && !(wish->no_devices && form != BATCH_CSV))
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
	free(b->sum.value);
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

/* Whether a number that an idle row has as 0 is above. */
static bool is_busy(enum schema_id id, const struct row *row)
{
	for (size_t i = 0; i < schemas[id]->n_fields; i++)
		if (schemas[id]->fields[i].idle && row->value[i].number > 0)
			return true;
	return false;
}

static bool is_wanted(const struct print_batch *b, enum schema_id id,
		      const struct row *row)
{
	if (id == SCHEMA_TASK)
		return task_weight(row) >= 0;
	if (id == SCHEMA_CGROUP)
		return b->idle || is_busy(id, row);
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

/* Whether the column is in KiB, which -m turns into MiB. */
static bool is_in_kib(const struct field *f)
{
	return strstr(f->title, "kB") != NULL;
}

static const char *cell_title(const struct print_batch *b,
			      const struct field *f, char *buf, size_t size)
{
	snprintf(buf, size, "%s",
		 is_command(b, f) ? "command" : f->title);
	if (b->wish.megabytes && is_in_kib(f))
		*strstr(buf, "kB") = 'M';
	return buf;
}

/* "40.5M" of KiB, "12.9%" of a share, as iostat --human. */
static const char *print_batch_human(const struct field *f, double v,
				     int digits, char *buf, size_t size)
{
	static const char units[] = "kMGTPE";
	size_t i = 0;

	if (!is_in_kib(f) && !strstr(f->title, "req-sz"))
		snprintf(buf, size, "%.*f%s", digits, v,
			 *f->title == '%' ? "%" : "");
	else {
		for (; fabs(v) >= 1024 && i + 2 < sizeof(units); i++)
			v /= 1024;
		snprintf(buf, size, "%.*f%c", digits, v, units[i]);
	}
	return buf;
}

static const char *print_batch_number(const struct print_batch *b,
				      const struct field *f, double v,
				      char *buf, size_t size)
{
	int digits = b->wish.digits >= 0 ? b->wish.digits : f->digits;

	if (b->wish.human)
		return print_batch_human(f, v,
					 b->wish.digits >= 0 ? digits : 1, buf,
					 size);
	if (b->wish.megabytes && is_in_kib(f))
		snprintf(buf, size, "%.*f",
			 b->wish.digits >= 0 ? digits : 2, v / 1024);
	else
		snprintf(buf, size, "%.*f", digits, v);
	return buf;
}

static const char *cell_text(const struct print_batch *b, const struct row *row,
			     const struct field *f, int field, char *buf,
			     size_t size)
{
	const char *text =
		f->kind == FIELD_TEXT ? row->value[field].text : NULL;
	double v;

	if (is_command(b, f)) {
		const char *name = row_text(SCHEMA_TASK, row, "comm");
		snprintf(buf, size, "%s%s%s", name ? name : "-",
			 text ? " " : "", text ? text : "");
		return buf;
	}
	/* A kernel thread has no command line. */
	if (f->kind == FIELD_TEXT && !text && !strcmp(f->key, "command_line"))
		text = row_text(SCHEMA_TASK, row, "comm");
	if (f->kind == FIELD_TEXT)
		return text ? text : "-";
	v = print_batch_value(b, row, f, field);
	if (isnan(v))
		return "-";
	return print_batch_number(b, f, v, buf, size);
}

/* most: the cells of a text in the last column; 0: the column's width. */
static int print_cell(const struct field *f, const char *text, int most,
		      FILE *out)
{
	int cells = print_batch_cells_of(f);

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
	for (size_t k = 0; k < t->n; k++) {
		const struct field *f = print_batch_field(t->id, t->field[k]);
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
}

/* Whether the row sums processes that ended. */
static bool print_batch_ended(enum schema_id id, const struct row *row)
{
	const char *state =
		id == SCHEMA_TASK ? row_text(id, row, "state") : NULL;

	return state && *state == TASK_ENDED;
}

/* The name of a row, or with row NULL the title of names. */
static const char *print_batch_name(const struct print_batch *b,
				    enum schema_id id, const struct row *row)
{
	if (!row)
		return id_title(id);
	if (schemas[id]->bare)
		return "-";
	if (print_batch_ended(id, row))
		return "ended";
	return id == SCHEMA_DEVICE ? device_names_of(b->wish.names, row->id)
				   : row->id;
}

/* row NULL: the line of titles. */
static void print_batch_print_line(const struct print_batch *b,
				   const struct batch_table *t,
				   const struct row *row, FILE *out)
{
	const char *name = print_batch_name(b, t->id, row);
	bool last = b->wish.pretty && t->id == SCHEMA_DEVICE;

	print_cells(b, t, row,
		    last ? 0 : fprintf(out, "%-*s", id_width(t->id), name), out);
	fprintf(out, "%s%s\n", last ? " " : "", last ? name : "");
}

/* The sums of the chosen rows: means by their weights. */
static const struct row *print_batch_group(struct print_batch *b, size_t n)
{
	const struct schema *s = schemas[SCHEMA_DEVICE];

	if (!b->sum.value)
		b->sum.value = xcalloc(s->n_fields, sizeof(*b->sum.value));
	b->sum.id = b->wish.group;
	for (size_t k = 0; k < s->n_fields; k++) {
		const struct field *f = &s->fields[k];
		double sum = NAN, weight = 0;

		if (f->kind != FIELD_NUMBER) {
			b->sum.value[k].text = NULL;
			continue;
		}
		for (size_t i = 0; i < n; i++) {
			double v = b->row[i]->value[k].number;
			double w = f->weight ? row_number(SCHEMA_DEVICE,
							  b->row[i], f->weight)
					     : 1;

			if (isnan(v) || isnan(w))
				continue;
			sum = (isnan(sum) ? 0 : sum) + v * w;
			weight += w;
		}
		b->sum.value[k].number =
			f->weight || f->total == TOTAL_MEAN
				? schema_ratio(sum, weight)
			: f->total == TOTAL_SUM ? sum
						: NAN;
	}
	return &b->sum;
}

static void print_batch_print_table(struct print_batch *b,
				    const struct batch_table *t,
				    const struct frame *f, FILE *out)
{
	size_t n = choose_rows(b, f, t->id);
	bool group = b->wish.group && t->id == SCHEMA_DEVICE;

	if (!n)
		return;
	print_batch_print_line(b, t, NULL, out);
	for (size_t i = 0; i < n && !(group && b->wish.group_only); i++)
		print_batch_print_line(b, t, b->row[i], out);
	if (group)
		print_batch_print_line(b, t, print_batch_group(b, n), out);
}

/* "us 1.0 sy 2.0 wa 0.0 id 97.0  io 0.0/0.0  dirty 5.20MiB" */
static void print_batch_print_machine(const struct frame *f, FILE *out)
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
			units_bytes(row_number(SCHEMA_MEMORY, &memory->row[0],
					       "dirty_bytes"))
				.text);
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
	if (b->wish.epoch)
		fprintf(out, "%" PRIu64,
			(uint64_t)(f->wall_ns / NS_PER_S));
	else
		fputs(clock_local(f->wall_ns, true).text, out);
	print_batch_print_machine(f, out);
	fputc('\n', out);
	print_events(f, out);
	for (size_t i = 0; i < b->n; i++)
		print_batch_print_table(b, &b->table[i], f, out);
	fputc('\n', out);
}

/* In base units; a sum of iostat's as iostat has it. */
static double print_batch_base(const struct print_batch *b,
			       const struct row *row, const struct field *f,
			       int column)
{
	return column >= SUMS ? print_batch_value(b, row, f, column)
			      : row->value[column].number;
}

static void print_csv_frame(struct print_batch *b, const struct frame *f,
			    FILE *out)
{
	const struct batch_table *t = &b->table[0];
	size_t n = choose_rows(b, f, t->id);

	if (!b->headed) {
		fprintf(out, "time,t,%s", id_title(t->id));
		for (size_t k = 0; k < t->n; k++)
			fprintf(out, ",%s",
				print_batch_field(t->id, t->field[k])->key);
		fputc('\n', out);
		b->headed = true;
	}
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s,", clock_utc(f->wall_ns).text);
		print_csv_number(out, f->t_s);
		fputc(',', out);
		print_csv_text(out, b->row[i]->id);
		for (size_t k = 0; k < t->n; k++) {
			const struct field *c =
				print_batch_field(t->id, t->field[k]);
			bool text = c->kind == FIELD_TEXT;
			const char *words =
				text ? b->row[i]->value[t->field[k]].text : NULL;

			fputc(',', out);
			if (words)
				print_csv_text(out, words);
			else if (!text)
				print_csv_number(out, print_batch_base(
							      b, b->row[i], c,
							      t->field[k]));
		}
		fputc('\n', out);
	}
}

static struct json *print_batch_row_json(const struct print_batch *b,
					 const struct batch_table *t,
					 const struct row *row)
{
	const struct schema *s = schemas[t->id];
	struct json *j = json_new_object();

	if (!s->bare)
		json_put_text(j, "id", row->id);
	for (size_t k = 0; k < t->n; k++) {
		const struct field *f = print_batch_field(t->id, t->field[k]);

		if (f->kind == FIELD_NUMBER)
			json_put_number(j, f->key,
					print_batch_base(b, row, f,
							 t->field[k]));
		else if (row->value[t->field[k]].text)
			json_put_text(j, f->key,
				      row->value[t->field[k]].text);
	}
	return j;
}

static void print_json_frame(struct print_batch *b, const struct frame *f,
			     FILE *out)
{
	struct json *j = json_new_object();
	char time[32];
	size_t length;

	text_set(time, clock_utc(f->wall_ns).text);
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
			json_push(rows, print_batch_row_json(b, &b->table[i],
							     b->row[k]));
		json_put(j, schemas[b->table[i].id]->name, rows);
	}
	fprintf(out, "%s\n", json_text(j, &length));
	json_free(j);
}

/* iostat's JSON has no signs of per cent, two digits, and 0 for what is unknown. */
static void print_batch_iostat_row(struct print_batch *b,
				   const struct batch_table *t,
				   const struct row *row, bool first, FILE *out)
{
	fprintf(out, "%s\n\t\t\t\t\t\t{\"disk_device\": ", first ? "" : ",");
	print_iostat_text(print_batch_name(b, t->id, row), out);
	for (size_t k = 0; k < t->n; k++) {
		const struct field *f = print_batch_field(t->id, t->field[k]);
		const bool whole = t->field[k] >= SUMS &&
				   sums[t->field[k] - SUMS].in_all;
		double v = frame_or_0(print_batch_value(b, row, f, t->field[k]));
		char title[32];

		cell_title(b, f, title, sizeof(title));
		if (b->wish.megabytes && is_in_kib(f))
			v /= 1024;
		fprintf(out, ", \"%s\": %.*f", title + (*title == '%'),
			whole ? 0 : 2, v);
	}
	fputc('}', out);
}

static void print_batch_iostat(struct print_batch *b, const struct frame *f,
			       FILE *out)
{
	const struct batch_table *t = &b->table[0];
	const bool disks = !b->wish.no_devices;
	size_t n;

	print_iostat_cpu(f, !b->headed, b->wish.no_cpu, out);
	b->headed = true;
	n = disks ? choose_rows(b, f, SCHEMA_DEVICE) : 0;
	if (disks)
		fputs(",\n\t\t\t\t\t\"disk\": [", out);
	for (size_t i = 0; i < n && !b->wish.group_only; i++)
		print_batch_iostat_row(b, t, b->row[i], !i, out);
	if (n && b->wish.group)
		print_batch_iostat_row(b, t, print_batch_group(b, n),
				       b->wish.group_only, out);
	fputs(disks ? "\n\t\t\t\t\t]\n\t\t\t\t}" : "\n\t\t\t\t}", out);
}

void print_batch_frame(struct print_batch *b, const struct frame *f, FILE *out)
{
	static void (*const print[])(struct print_batch *, const struct frame *,
				     FILE *) = {
		[BATCH_TEXT] = print_text_frame,
		[BATCH_CSV] = print_csv_frame,
		[BATCH_JSON] = print_json_frame,
		[BATCH_IOSTAT] = print_batch_iostat,
	};

	b->interval_s = f->interval_s;
	print[b->form](b, f, out);
}
