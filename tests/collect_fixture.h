/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collect fixture: a tree in a temporary directory, sampled and derived. */
#pragma once

#include "base/root.h"
#include "collect/collect.h"
#include "model/frame.h"
#include "model/schema/schema_machine.h"

#include "fixture.h"
#include "test.h"

struct fixture {
	char dir[64];
	struct root root;
	struct collect *collect;
	struct sample sample[2]; /* used in turn */
	unsigned n;
	struct frame frame;
};

/* A copy of tests/roots/NAME, or an empty tree when name is NULL. */
void fixture_make(struct fixture *f, const char *name);
/* Write a file of the tree; "" makes an empty one. */
void fixture_put(struct fixture *f, const char *path, const char *fmt, ...)
	printf_like(3, 4);
/* Remove a file or a whole directory of the tree. */
void fixture_remove(struct fixture *f, const char *path);
/* Open the collectors; options may be NULL. */
void fixture_open(struct fixture *f, const struct collect_options *options);
/* Sample, set the time, and derive a frame from this and the last one. */
void fixture_sample(struct fixture *f, double t_s);
/* The raw rows of the last sample; NULL when there is none of that id. */
const struct device_raw *fixture_device(const struct fixture *f,
					const char *id);
const struct task_raw *fixture_task(const struct fixture *f, const char *id);
/* A value of the last frame. */
double fixture_number(const struct fixture *f, enum schema_id id,
		      const char *row, const char *key);
/* No value of the last frame is negative or infinite. */
void fixture_sane(const struct fixture *f);
void fixture_free(struct fixture *f);
