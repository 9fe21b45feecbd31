/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Point: values of axes; print them, write them to a log, read them. */
#include "model/point.h"

#include <limits.h>
#include <string.h>

#include "base/text.h"

bool point_set(struct point *p, const char *key, const char *value)
{
	struct point_value *axis = text_row(key, p->axis, p->n, key);

	if (!*key || strlen(key) >= sizeof(axis->key) ||
	    strlen(value) >= sizeof(axis->value))
		return false;
	if (!axis) {
		if (p->n == POINT_AXES)
			return false;
		axis = &p->axis[p->n++];
		text_set(axis->key, key);
	}
	text_set(axis->value, value);
	return true;
}

const char *point_get(const struct point *p, const char *key)
{
	const struct point_value *axis = text_row(key, p->axis, p->n, key);

	return axis ? axis->value : NULL;
}

bool point_equal(const struct point *a, const struct point *b)
{
	if (a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++) {
		const char *other = point_get(b, a->axis[i].key);

		if (!other || strcmp(other, a->axis[i].value) != 0)
			return false;
	}
	return true;
}

char *point_words(const struct point *p, char *buf, size_t size)
{
	*buf = '\0';
	for (unsigned i = 0; i < p->n; i++)
		text_add(buf, size, "%s%s=%s", i ? " " : "", p->axis[i].key,
			 p->axis[i].value);
	return buf;
}

bool point_cell_any(const struct cell *c)
{
	return c->point.n || c->block || c->run;
}

void point_cell_write(struct json_writer *w, const struct cell *c)
{
	if (c->point.n) {
		json_writer_begin(w, "point", '{');
		for (unsigned i = 0; i < c->point.n; i++)
			json_writer_put_text(w, c->point.axis[i].key,
					     c->point.axis[i].value);
		json_writer_close(w, '}');
	}
	if (c->block)
		json_writer_put_number(w, "block", c->block);
	if (c->run)
		json_writer_put_number(w, "run", c->run);
}

static void read_axis(const char *key, struct json *value, void *arg)
{
	struct point *p = arg;
	const char *text = json_string(value);
	struct point_value clean;

	if (!text || !text_set(clean.key, key) || !text_set(clean.value, text))
		return;
	text_clean(clean.key);
	text_clean(clean.value);
	if (!point_set(p, clean.key, clean.value))
		return;
}

static unsigned point_read_count(struct json *object, const char *key)
{
	double v = json_get_number(object, key);

	return v >= 1 && v <= INT_MAX ? (unsigned)v : 0;
}

void point_cell_read(struct json *object, struct cell *c)
{
	memset(c, 0, sizeof(*c));
	json_each(json_get(object, "point"), read_axis, &c->point);
	c->block = point_read_count(object, "block");
	c->run = point_read_count(object, "run");
}
