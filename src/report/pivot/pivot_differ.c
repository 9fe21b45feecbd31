/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The difference of two logs: settings and facts that they do not have alike.
 * Keys of devices that did nothing in either are counted only, and so are those
 * of a job or device that one log does not have.
 */
#include "report/pivot/pivot.h"

#include <stdlib.h>
#include <string.h>

#include "report/print/print.h"

struct diff {
	struct runs *r;
	size_t same, differ, idle;
	FILE *out;
};

static const char several[] = "(several)";

/* The text of a key in a log: of its header, else of its runs. */
static const char *text_in_log(struct diff *d, int side, size_t key)
{
	struct runs_run whole = { .log = (size_t)side };
	const char *text = runs_fact_at(d->r, &whole, key);
	bool in_header = text != NULL;

	for (size_t i = 0; i < d->r->n && !in_header; i++) {
		const struct runs_run *run = &d->r->run[i];
		const char *of = run->log == (size_t)side
					 ? runs_fact_at(d->r, run, key)
					 : NULL;

		if (!text)
			text = of;
		else if (of && strcmp(of, text) != 0)
			return several;
	}
	return text;
}

/* Whether each value that the runs of one log have is one of the other's. */
static bool is_within(struct diff *d, int side, size_t key)
{
	for (size_t i = 0; i < d->r->n; i++) {
		const struct runs_run *run = &d->r->run[i];
		const char *of = runs_fact_at(d->r, run, key);
		bool found = run->log != (size_t)side || !of;

		for (size_t k = 0; k < d->r->n && !found; k++) {
			const struct runs_run *other = &d->r->run[k];
			const char *text = runs_fact_at(d->r, other, key);

			found = other->log != (size_t)side && text &&
				!strcmp(text, of);
		}
		if (!found)
			return false;
	}
	return true;
}

static bool is_same(struct diff *d, size_t key, const char *a, const char *b)
{
	if (a == several && b == several)
		return is_within(d, 0, key) && is_within(d, 1, key);
	return a && b && !strcmp(a, b);
}

/* "job.x." of "job.x.iodepth", "sda." of "sda.scheduler"; 0: no owner. */
static size_t owner_of(const char *key)
{
	const char *dot = strchr(key, '.');

	if (dot && !strncmp(key, "job.", 4))
		dot = strchr(dot + 1, '.');
	return dot ? (size_t)(dot - key) + 1 : 0;
}

/* Keys of that owner if one log has none of them, which *side is then; else 0. */
static size_t only_in_one(struct diff *d, const char *key, size_t len,
			  int *side)
{
	size_t has[2] = { 0, 0 };

	for (size_t i = 0; i < d->r->n_keys; i++) {
		if (strncmp(d->r->key[i].name, key, len) != 0)
			continue;
		for (int k = 0; k < 2; k++)
			has[k] += text_in_log(d, k, i) != NULL;
	}
	if (has[0] && has[1])
		return 0;
	*side = has[0] ? 0 : 1;
	return has[*side];
}

static bool is_first_of_owner(const struct runs *r, size_t key, size_t len)
{
	for (size_t i = 0; i < key; i++)
		if (!strncmp(r->key[i].name, r->key[key].name, len))
			return false;
	return true;
}

static void pivot_differ_title(struct diff *d)
{
	if (!d->differ++)
		for (int k = 0; k < 2; k++)
			fprintf(d->out, "%c %s%s", "AB"[k],
				d->r->log[k].name, k ? "\n\n" : "\n");
}

/* Print a key that differs, or one line for all keys of its owner. */
static void print_key(struct diff *d, size_t i, const char *a, const char *b)
{
	const char *key = d->r->key[i].name;
	size_t len = owner_of(key), n = 0;
	int side = 0;

	if (len && (!a || !b))
		n = only_in_one(d, key, len, &side);
	if (n > 1 && !is_first_of_owner(d->r, i, len))
		return;
	pivot_differ_title(d);
	if (n > 1) {
		fprintf(d->out, "%.*s: only in %c (%zu keys)\n", (int)len - 1,
			key, "AB"[side], n);
		return;
	}
	fprintf(d->out, "%s\n", key);
	print_paragraph(d->out, 80, 4, "  A %s", a ? a : "-");
	print_paragraph(d->out, 80, 4, "  B %s", b ? b : "-");
}

void pivot_differ_print(struct runs *r, FILE *out)
{
	struct diff d = { .r = r, .out = out };

	for (size_t i = 0; i < r->n_keys; i++) {
		const char *x = text_in_log(&d, 0, i),
			   *y = text_in_log(&d, 1, i);

		if (!strcmp(r->key[i].name, "log") || (!x && !y))
			continue;
		if (is_same(&d, i, x, y))
			d.same++;
		else if (runs_key_is_idle(r, r->key[i].name))
			d.idle++;
		else
			print_key(&d, i, x, y);
	}
	fprintf(out, "%s%zu keys differ, %zu are equal\n", d.differ ? "\n" : "",
		d.differ, d.same);
	if (d.idle)
		fprintf(out,
			"and %zu keys of devices without I/O, which are not "
			"shown, differ\n",
			d.idle);
}
