/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collect fixture: trees for the tests of src/collect. */
#include "collect_fixture.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void run(const char *fmt, const char *a, const char *b)
{
	char command[1024];

	snprintf(command, sizeof(command), fmt, a, b);
	ck_assert_int_eq(system(command), 0);
}

void fixture_make(struct fixture *f, const char *name)
{
	char *dir = make_tree(name);

	memset(f, 0, sizeof(*f));
	snprintf(f->dir, sizeof(f->dir), "%s", dir);
	free(dir);
	ck_assert_int_eq(root_open(&f->root, f->dir), 0);
}

void fixture_put(struct fixture *f, const char *path, const char *fmt, ...)
{
	char full[512];
	va_list args;
	FILE *out;

	snprintf(full, sizeof(full), "%s/%s", f->dir, path);
	for (char *p = strchr(full + strlen(f->dir) + 1, '/'); p;
	     p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	out = fopen(full, "w");
	ck_assert_ptr_nonnull(out);
	va_start(args, fmt);
	vfprintf(out, fmt, args);
	va_end(args);
	ck_assert_int_eq(fclose(out), 0);
}

void fixture_remove(struct fixture *f, const char *path)
{
	run("rm -r '%s/%s'", f->dir, path);
}

void fixture_open(struct fixture *f, const struct collect_options *options)
{
	ck_assert_int_eq(collect_open(&f->collect, &f->root, options), 0);
}

static struct sample *last(const struct fixture *f)
{
	return (struct sample *)&f->sample[(f->n + 1) % 2];
}

void fixture_sample(struct fixture *f, double t_s)
{
	struct sample *now = &f->sample[f->n % 2], *prev = last(f);

	sample_reset(now);
	collect_sample(f->collect, now);
	ck_assert_uint_gt(now->mono_ns, 0);
	ck_assert_uint_gt(now->wall_ns, 0);
	now->mono_ns = (uint64_t)(t_s * 1e9);
	frame_derive(&f->frame, f->n ? prev : NULL, now, 0);
	f->n++;
	fixture_sane(f);
}

const struct device_raw *fixture_device(const struct fixture *f, const char *id)
{
	return sample_find(last(f), SCHEMA_DEVICE, id);
}

const struct task_raw *fixture_task(const struct fixture *f, const char *id)
{
	return sample_find(last(f), SCHEMA_TASK, id);
}

double fixture_number(const struct fixture *f, enum schema_id id,
		      const char *row, const char *key)
{
	return frame_number(&f->frame, id, row, key);
}

void fixture_sane(const struct fixture *f)
{
	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct table *t = &f->frame.table[id];

		for (size_t i = 0; i < t->n; i++) {
			for (size_t k = 0; k < schemas[id]->n_fields; k++) {
				double v = t->row[i].value[k].number;

				if (schemas[id]->fields[k].kind !=
					    FIELD_NUMBER ||
				    isnan(v))
					continue;
				ck_assert_msg(v >= 0 && v < 1e17,
					      "%s.%s.%s is %g",
					      schemas[id]->name, t->row[i].id,
					      schemas[id]->fields[k].key, v);
			}
		}
	}
}

void fixture_free(struct fixture *f)
{
	collect_close(f->collect);
	sample_free(&f->sample[0]);
	sample_free(&f->sample[1]);
	frame_free(&f->frame);
	root_close(&f->root);
	run("rm -rf '%s'%s", f->dir, "");
}
