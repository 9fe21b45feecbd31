/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frame line: a frame from the text of its line. */
#include "record/codec.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "model/point.h"

/* The position of the reader; p never passes end, *end is readable. */
struct scan {
	const char *p, *end;
	struct frame *f;
	unsigned histograms;
	struct cell cell; /* of the row so far */
};

/* A text without escapes, in the line. */
struct span_text {
	const char *at;
	size_t len;
};

static bool frame_line_take(struct scan *s, char c)
{
	if (s->p >= s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

/*
 * A text; with escapes also one with those for '"', '\\' and '/', as command lines
 * have them, which stay in t. Any other escape is left to json-c.
 */
static bool frame_line_text(struct scan *s, struct span_text *t, bool escapes)
{
	const char *p;

	if (!frame_line_take(s, '"'))
		return false;
	for (p = s->p; p < s->end && *p != '"'; p++) {
		if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7f)
			return false;
		if (*p == '\\' && (!escapes || (*++p != '"' && *p != '\\' &&
						*p != '/')))
			return false;
	}
	t->at = s->p;
	t->len = (size_t)(p - s->p);
	s->p = p;
	return frame_line_take(s, '"');
}

static bool frame_line_read_text(struct scan *s, struct span_text *t)
{
	return frame_line_text(s, t, false);
}

/* Copy without the escapes; to has room for t->len + 1 bytes. */
static void unescape(char *to, const struct span_text *t)
{
	for (size_t i = 0; i < t->len; i++) {
		if (t->at[i] == '\\')
			i++;
		*to++ = t->at[i];
	}
	*to = '\0';
}

static bool frame_line_is_text(const struct span_text *t, const char *s)
{
	return *t->at == *s && !strncmp(t->at, s, t->len) && !s[t->len];
}

/* Powers of ten that a double holds exactly. */
static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* Append digits to *value; returns their number. */
static unsigned read_digits(struct scan *s, uint64_t *value)
{
	const char *from = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		*value = *value * 10 + (uint64_t)(*s->p++ - '0');
	return (unsigned)(s->p - from);
}

static bool by_strtod(struct scan *s, const char *from, double *v)
{
	char copy[64], *end;
	size_t len = (size_t)(s->p - from);

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, from, len);
	copy[len] = '\0';
	*v = strtod(copy, &end);
	return !*end && fabs(*v) <= JSON_MOST;
}

/*
 * With at most 15 digits the value is exact in a double, and so is the power of
 * ten: one multiplication or division rounds as strtod() does (Clinger 1990).
 */
static bool frame_line_read_number(struct scan *s, double *v)
{
	const char *from = s->p;
	bool minus = frame_line_take(s, '-');
	uint64_t digits = 0, power = 0;
	unsigned whole, fraction = 0;
	int exponent = 0;

	whole = read_digits(s, &digits);
	/* json-c holds whole numbers within 64 bits. */
	if (!whole || whole > 18 || (whole > 1 && from[minus] == '0'))
		return false;
	if (frame_line_take(s, '.')) {
		fraction = read_digits(s, &digits);
		if (!fraction)
			return false;
	}
	if (frame_line_take(s, 'e') || frame_line_take(s, 'E')) {
		bool down = frame_line_take(s, '-');

		if (!down)
			frame_line_take(s, '+');
		if (!read_digits(s, &power) || power > 400)
			return false;
		exponent = down ? -(int)power : (int)power;
	}
	exponent -= (int)fraction;
	if (whole + fraction > 15 || exponent < -22 || exponent > 22)
		return by_strtod(s, from, v);
	*v = exponent < 0 ? (double)digits / powers[-exponent]
			  : (double)digits * powers[exponent];
	if (minus)
		*v = -*v;
	return fabs(*v) <= JSON_MOST;
}

/* A value of a key that is not known: numbers and texts only. */
static bool frame_line_skip(struct scan *s)
{
	struct span_text text;
	double number;

	if (s->p < s->end && *s->p == '"')
		return frame_line_read_text(s, &text);
	return frame_line_read_number(s, &number);
}

/* "key": */
static bool frame_line_read_key(struct scan *s, struct span_text *key)
{
	return frame_line_read_text(s, key) && frame_line_take(s, ':');
}

/* Read [[low,count],...] after its first bracket. */
static bool read_buckets(struct scan *s, struct histogram *h)
{
	do {
		double low, count;

		if (!frame_line_take(s, '[') ||
		    !frame_line_read_number(s, &low) ||
		    !frame_line_take(s, ',') ||
		    !frame_line_read_number(s, &count) ||
		    !frame_line_take(s, ']'))
			return false;
		if (!(low >= 0 && low < 0x1p63) ||
		    !(count >= 0 && count < 0x1p53))
			return false;
		h->bucket[histogram_index((uint64_t)low)] += (uint64_t)count;
	} while (frame_line_take(s, ','));
	return frame_line_take(s, ']');
}

static bool frame_line_read_histogram(struct scan *s, union value *v)
{
	struct histogram *h;

	if (!frame_line_take(s, '['))
		return false;
	if (frame_line_take(s, ']'))
		return true;
	if (s->histograms++ >= CODEC_MAX_HISTOGRAMS)
		return false;
	h = arena_zalloc(&s->f->arena, sizeof(*h));
	v->histogram = h;
	return read_buckets(s, h);
}

static bool frame_line_read_value(struct scan *s, const struct field *field,
				  union value *v)
{
	struct span_text text;
	char *copy;

	if (field->kind == FIELD_NUMBER)
		return frame_line_read_number(s, &v->number);
	if (field->kind == FIELD_HISTOGRAM)
		return frame_line_read_histogram(s, v);
	if (!frame_line_text(s, &text, true))
		return false;
	copy = arena_alloc(&s->f->arena, text.len + 1);
	unescape(copy, &text);
	v->text = copy;
	return true;
}

/* Fields come in the order of the schema, so search from the last one on. */
static const struct field *frame_line_find_field(const struct schema *s,
						 const struct span_text *key,
						 size_t *next)
{
	for (size_t k = 0; k < s->n_fields; k++) {
		size_t i = *next + k;

		if (i >= s->n_fields)
			i -= s->n_fields;
		if (frame_line_is_text(key, s->fields[i].key)) {
			*next = i + 1 < s->n_fields ? i + 1 : 0;
			return &s->fields[i];
		}
	}
	return NULL;
}

/* false: it does not fit. */
static bool copy_text(char *to, size_t size, const struct span_text *t)
{
	if (t->len >= size)
		return false;
	memcpy(to, t->at, t->len);
	to[t->len] = '\0';
	return true;
}

/* {"scheduler":"bfq",...}; values that are not texts are left to json-c. */
static bool read_point(struct scan *s, struct point *p)
{
	if (p->n || !frame_line_take(s, '{'))
		return false;
	do {
		struct point_value axis;
		struct span_text key, value;

		if (!frame_line_read_key(s, &key) ||
		    !frame_line_read_text(s, &value))
			return false;
		if (copy_text(axis.key, sizeof(axis.key), &key) &&
		    copy_text(axis.value, sizeof(axis.value), &value) &&
		    !point_set(p, axis.key, axis.value))
			return false;
	} while (frame_line_take(s, ','));
	return frame_line_take(s, '}');
}

static bool frame_line_read_count(struct scan *s, unsigned *to)
{
	double v;

	if (*to || !frame_line_read_number(s, &v) || !(v >= 1 && v <= INT_MAX))
		return false;
	*to = (unsigned)v;
	return true;
}

static bool is_of_cell(const struct span_text *key)
{
	return frame_line_is_text(key, "point") ||
	       frame_line_is_text(key, "block") ||
	       frame_line_is_text(key, "run");
}

/* A member of an experiment. */
static bool read_cell(struct scan *s, const struct span_text *key)
{
	if (frame_line_is_text(key, "point"))
		return read_point(s, &s->cell.point);
	return frame_line_read_count(s, frame_line_is_text(key, "run")
						? &s->cell.run
						: &s->cell.block);
}

static void keep_cell(struct scan *s, struct row *row)
{
	if (!point_cell_any(&s->cell))
		return;
	frame_set_cell(s->f, row, &s->cell);
	memset(&s->cell, 0, sizeof(s->cell));
}

static bool read_same(struct scan *s, struct row *row)
{
	double same;

	if (!frame_line_read_number(s, &same))
		return false;
	row->same = same == 1;
	return true;
}

/* Of "idle", whose 1 is a level, and of "zero". */
static bool read_zeros(struct scan *s, const struct schema *schema,
		       struct row *row)
{
	double level;

	if (!frame_line_read_number(s, &level))
		return false;
	codec_set_zeros(schema, row, level);
	return true;
}

static bool read_members(struct scan *s, enum schema_id id, struct row *row)
{
	const struct schema *schema = schemas[id];
	size_t next = 0;

	do {
		struct span_text key;
		const struct field *field;
		bool read;

		if (!frame_line_read_key(s, &key))
			return false;
		field = frame_line_find_field(schema, &key, &next);
		if (field)
			read = frame_line_read_value(
				s, field, &row->value[field - schema->fields]);
		else if (frame_line_is_text(&key, "idle") ||
			 frame_line_is_text(&key, "zero"))
			read = read_zeros(s, schema, row);
		else if (frame_line_is_text(&key, "same"))
			read = read_same(s, row);
		else if (schema->cell_at && is_of_cell(&key))
			read = read_cell(s, &key);
		else
			read = frame_line_skip(s);
		if (!read)
			return false;
	} while (frame_line_take(s, ','));
	keep_cell(s, row);
	return frame_line_take(s, '}');
}

/* The id comes first; a row with nothing else is possible. */
static bool frame_line_read_row(struct scan *s, enum schema_id id)
{
	char name[ROW_ID_MAX] = "";
	struct span_text text;
	struct row *row;

	if (!frame_line_take(s, '{'))
		return false;
	if (!schemas[id]->bare) {
		if (!frame_line_read_key(s, &text) ||
		    !frame_line_is_text(&text, "id") ||
		    !frame_line_read_text(s, &text) || !text.len ||
		    text.len >= sizeof(name))
			return false;
		memcpy(name, text.at, text.len);
	}
	row = frame_add_row(s->f, id, name);
	if (frame_line_take(s, '}'))
		return true;
	if (!schemas[id]->bare && !frame_line_take(s, ','))
		return false;
	if (!read_members(s, id, row))
		return false;
	if (id == SCHEMA_TASK)
		codec_set_arguments(row);
	return true;
}

static bool read_rows(struct scan *s, enum schema_id id)
{
	size_t n = 0;

	if (schemas[id]->single)
		return frame_line_read_row(s, id);
	if (!frame_line_take(s, '['))
		return false;
	do {
		if (++n > CODEC_MAX_ROWS || !frame_line_read_row(s, id))
			return false;
	} while (frame_line_take(s, ','));
	return frame_line_take(s, ']');
}

static bool read_bounded(struct scan *s, double *to)
{
	return frame_line_read_number(s, to) && *to >= 0 && *to < 1e9;
}

static bool read_time(struct scan *s)
{
	struct span_text text;
	char copy[40];

	if (!frame_line_read_text(s, &text) ||
	    !copy_text(copy, sizeof(copy), &text))
		return false;
	s->f->wall_ns = clock_parse_utc(copy);
	return true;
}

/* Each member may come once: JSON does not define which of two counts. */
static bool read_member(struct scan *s, unsigned *seen)
{
	static const char *const keys[] = { "type",       "t",
					    "time",       "interval_s",
					    "late",       "task_repeats",
					    "whole" };
	struct span_text key, text;
	double number = 0;
	size_t i = 0;

	if (!frame_line_read_key(s, &key))
		return false;
	while (i < ARRAY_SIZE(keys) && !frame_line_is_text(&key, keys[i]))
		i++;
	if (i == ARRAY_SIZE(keys))
		while (i < ARRAY_SIZE(keys) + SCHEMA_COUNT &&
		       !frame_line_is_text(&key,
					   schemas[i - ARRAY_SIZE(keys)]->name))
			i++;
	if (i >= ARRAY_SIZE(keys) + SCHEMA_COUNT || *seen & 1u << i)
		return false;
	*seen |= 1u << i;
	switch (i) {
	case 0:
		return frame_line_read_text(s, &text) &&
		       frame_line_is_text(&text, "frame");
	case 1:
		if (!frame_line_read_number(s, &s->f->t_s))
			return false;
		s->f->t_s = frame_time_s(s->f->t_s);
		return true;
	case 2:
		return read_time(s);
	case 3:
		return read_bounded(s, &s->f->interval_s);
	case 4:
		if (!read_bounded(s, &number))
			return false;
		s->f->late = (unsigned)number;
		return true;
	case 5:
		if (!read_bounded(s, &number))
			return false;
		s->f->table[SCHEMA_TASK].repeats = number > 0;
		return true;
	case 6:
		if (!read_bounded(s, &number))
			return false;
		s->f->whole = number == 1;
		return true;
	default:
		i -= ARRAY_SIZE(keys);
		return i != SCHEMA_KNOB && read_rows(s, (enum schema_id)i);
	}
}

bool frame_line_read(const char *line, size_t len, struct frame *f)
{
	struct scan s = { .p = line, .end = line + len, .f = f };
	unsigned seen = 0;

	frame_reset(f);
	f->t_s = 0;
	f->wall_ns = 0;
	f->interval_s = 0;
	f->late = 0;
	if (!frame_line_take(&s, '{'))
		return false;
	do {
		if (!read_member(&s, &seen))
			return false;
	} while (frame_line_take(&s, ','));
	return frame_line_take(&s, '}') && s.p == s.end && seen & 1;
}
