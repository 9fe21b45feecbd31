/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sample: raw rows of one instant. collect, knob and workload fill it; it
 * carries its own time, so nothing downstream asks a clock.
 */
#ifndef MODEL_SAMPLE_H
#define MODEL_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "model/schema/schema.h"

struct sample_table {
	size_t n, cap;
	char *rows; /* n raw structs of schemas[id]->row_size bytes */
	bool repeats; /* nothing was read: the rows are those of the sample
		       * before */
};

/* A zeroed struct is a valid, empty sample. */
struct sample {
	uint64_t mono_ns, wall_ns;
	unsigned late; /* ticks missed before this one */
	bool jumped;   /* the clock jumped before this sample: no interval */
	struct sample_table table[SCHEMA_COUNT];
	struct arena arena; /* texts and histograms of the rows */
};

/* Empty the sample for the next instant and keep its memory. */
void sample_reset(struct sample *s);
void sample_free(struct sample *s);

/*
 * Add a zeroed raw row and return it. The row moves when the next one of that
 * schema is added.
 */
void *sample_add(struct sample *s, enum schema_id id);

/* The i-th raw row. */
void *sample_row(const struct sample *s, enum schema_id id, size_t i);

/* The raw row of that id, or NULL. */
void *sample_find(const struct sample *s, enum schema_id id, const char *row);

#endif
