/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known knobs: the last value of each knob in a log, kept alike by writer
 * and reader, in the same order, so that only changes need to be written.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "record/codec.h"

static void free_knob(struct known_knob *knob)
{
	free(knob->id);
	for (size_t i = 0; i < KNOWN_KNOB_TEXTS; i++)
		free(knob->text[i]);
}

void known_knobs_free(struct known_knobs *k)
{
	for (size_t i = 0; i < k->n; i++)
		free_knob(&k->knob[i]);
	free(k->knob);
	memset(k, 0, sizeof(*k));
}

/* Spares most string compares when a knob is not there. */
static uint32_t known_knobs_hash_of(const char *s)
{
	return (uint32_t)text_hash(TEXT_HASH, s, strlen(s));
}

/* Rows keep their order, so the search begins where the last one ended. */
static struct known_knob *known_knobs_find(struct known_knobs *k,
					   const char *id, size_t *hint)
{
	uint32_t hash;

	if (*hint < k->n && !strcmp(k->knob[*hint].id, id))
		return &k->knob[(*hint)++];
	hash = known_knobs_hash_of(id);
	for (size_t i = 0; i < k->n; i++) {
		if (k->knob[i].hash == hash && !strcmp(k->knob[i].id, id)) {
			*hint = i + 1;
			return &k->knob[i];
		}
	}
	return NULL;
}

static struct known_knob *known_knobs_add(struct known_knobs *k, const char *id)
{
	struct known_knob *knob;

	knob = xadd(k->knob, k->n, k->cap);
	knob->id = xstrdup(id);
	knob->hash = known_knobs_hash_of(id);
	knob->changed = true;
	return knob;
}

/* Set one text; true when it was another. */
static bool known_knobs_set(char **member, const char *text)
{
	if (*member && text ? !strcmp(*member, text) : *member == text)
		return false;
	free(*member);
	*member = text ? xstrdup(text) : NULL;
	return true;
}

static void known_knobs_drop_unseen(struct known_knobs *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (k->knob[i].seen)
			k->knob[kept++] = k->knob[i];
		else
			free_knob(&k->knob[i]);
	}
	k->n = kept;
}

/* The fields of a knob, as far as there is room for their texts. */
static size_t n_texts(void)
{
	size_t n = schemas[SCHEMA_KNOB]->n_fields;

	return n < KNOWN_KNOB_TEXTS ? n : KNOWN_KNOB_TEXTS;
}

static const char *known_knobs_key_of(size_t i)
{
	return schemas[SCHEMA_KNOB]->fields[i].key;
}

static void merge_row(struct known_knobs *k, struct json *row, size_t *hint)
{
	const char *id = json_get_string(row, "id");
	struct known_knob *knob;
	char name[ROW_ID_MAX];

	if (!id || !*id)
		return;
	text_set(name, id);
	text_clean(name);
	knob = known_knobs_find(k, name, hint);
	if (!knob && k->n < CODEC_MAX_KNOBS)
		knob = known_knobs_add(k, name);
	if (!knob)
		return;
	knob->seen = false;
	for (size_t i = 0; i < n_texts(); i++) {
		const char *text = json_get_string(row, known_knobs_key_of(i));

		knob->seen |= text != NULL;
		known_knobs_set(&knob->text[i], text);
		if (knob->text[i])
			text_clean(knob->text[i]);
	}
}

void known_knobs_merge(struct known_knobs *k, struct json *rows)
{
	size_t n = json_length(rows), hint = 0;

	for (size_t i = 0; i < k->n; i++)
		k->knob[i].seen = true;
	for (size_t i = 0; i < n; i++)
		merge_row(k, json_at(rows, i), &hint);
	known_knobs_drop_unseen(k);
}

void known_knobs_copy(const struct known_knobs *k, struct frame *f)
{
	f->table[SCHEMA_KNOB].n = 0;
	for (size_t i = 0; i < k->n; i++) {
		const struct known_knob *knob = &k->knob[i];
		struct row *row = frame_add_row(f, SCHEMA_KNOB, knob->id);

		for (size_t t = 0; t < n_texts(); t++)
			if (knob->text[t])
				row->value[t].text =
					arena_strdup(&f->arena, knob->text[t]);
	}
}

static bool has_text(const struct row *row)
{
	for (size_t i = 0; i < n_texts(); i++)
		if (row->value[i].text)
			return true;
	return false;
}

/* Update from a frame's table; true when there is anything to write. */
static bool known_knobs_take_table(struct known_knobs *k, const struct table *t)
{
	size_t hint = 0, seen = 0;
	bool any = false, first = !k->n;

	for (size_t i = 0; i < k->n; i++)
		k->knob[i].seen = k->knob[i].changed = false;
	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->row[i];
		struct known_knob *knob =
			first ? NULL : known_knobs_find(k, row->id, &hint);

		if (!has_text(row))
			continue;
		if (!knob)
			knob = known_knobs_add(k, row->id);
		for (size_t j = 0; j < n_texts(); j++)
			knob->changed |= known_knobs_set(&knob->text[j],
							 row->value[j].text);
		any |= knob->changed;
		seen += !knob->seen;
		knob->seen = true;
	}
	return any || seen < k->n;
}

void known_knobs_write(struct known_knobs *k, const struct table *t,
		       struct json_writer *w)
{
	/* An empty table was not sampled; the knobs are not gone. */
	if (t->n == 0 || !known_knobs_take_table(k, t))
		return;
	json_writer_begin(w, schemas[SCHEMA_KNOB]->name, '[');
	for (size_t i = 0; i < k->n; i++) {
		const struct known_knob *knob = &k->knob[i];

		if (knob->seen && !knob->changed)
			continue;
		json_writer_open(w, '{');
		json_writer_put_text(w, "id", knob->id);
		for (size_t j = 0; knob->seen && j < n_texts(); j++)
			json_writer_put_text(w, known_knobs_key_of(j),
					     knob->text[j]);
		json_writer_close(w, '}');
	}
	json_writer_close(w, ']');
	known_knobs_drop_unseen(k);
}
