/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trial: the store of runs. */
#include "trial/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void trial_free(struct trial *t)
{
	for (size_t i = 0; i < t->n_axes; i++)
		free((void *)t->axis[i].level);
	for (size_t i = 0; i < t->n_runs; i++)
		free(t->run[i].value);
	free(t->metric);
	free(t->run);
	arena_free(&t->arena);
	memset(t, 0, sizeof(*t));
}

bool trial_add_axis(struct trial *t, const char *key)
{
	if (t->n_axes == TRIAL_AXES)
		return false;
	t->axis[t->n_axes++].key = arena_strdup(&t->arena, key);
	return true;
}

size_t trial_level(const struct trial_axis *axis, const char *text)
{
	return text_index(text, axis->level, 0, axis->n, sizeof(*axis->level));
}

size_t trial_add_level(struct trial *t, const char *level)
{
	struct trial_axis *axis = &t->axis[t->n_axes - 1];
	size_t at = trial_level(axis, level);

	if (at < axis->n)
		return at;
	*xadd(axis->level, axis->n, axis->cap) = arena_strdup(&t->arena, level);
	return axis->n - 1;
}

size_t trial_add_metric(struct trial *t, const char *name, const char *title,
			int better, bool judged)
{
	*xadd(t->metric, t->n_metrics, t->cap_metrics) = (struct trial_metric){
		arena_strdup(&t->arena, name), arena_strdup(&t->arena, title),
		better, judged, NULL
	};
	return t->n_metrics - 1;
}

size_t trial_add_run(struct trial *t, size_t cell, size_t block)
{
	*xadd(t->run, t->n_runs, t->cap_runs) =
		(struct trial_run){ .cell = cell, .block = block };
	if (block >= t->n_blocks)
		t->n_blocks = block + 1;
	return t->n_runs - 1;
}

void trial_put(struct trial *t, size_t run, size_t metric, double value)
{
	struct trial_run *of = &t->run[run];

	if (metric >= of->n)
		of->value = xrealloc(of->value,
				     t->n_metrics * sizeof(*of->value));
	for (; of->n <= metric; of->n++)
		of->value[of->n] = NAN;
	of->value[metric] = value;
}

double trial_value(const struct trial_run *run, size_t metric)
{
	return metric < run->n ? run->value[metric] : NAN;
}

size_t trial_cells(const struct trial *t)
{
	size_t n = 1;

	for (size_t i = 0; i < t->n_axes; i++)
		n *= t->axis[i].n ? t->axis[i].n : 1;
	return n;
}

size_t trial_cell(const struct trial *t, const size_t *level)
{
	size_t cell = 0;

	for (size_t i = 0; i < t->n_axes; i++)
		cell = cell * t->axis[i].n + level[i];
	return cell;
}

size_t trial_level_of(const struct trial *t, size_t cell, size_t axis)
{
	for (size_t i = t->n_axes - 1; i > axis; i--)
		cell /= t->axis[i].n;
	return cell % t->axis[axis].n;
}

char *trial_cell_words(const struct trial *t, size_t cell, char *buf,
		       size_t size)
{
	*buf = '\0';
	for (size_t i = 0; i < t->n_axes; i++)
		text_add(buf, size, "%s%s=%s", i ? " " : "", t->axis[i].key,
			 t->axis[i].level[trial_level_of(t, cell, i)]);
	return buf;
}

bool trial_counts(const struct trial *t, const struct trial_run *run)
{
	return !run->failed && (!run->invalid || t->include_invalid);
}

bool trial_all_invalid(const struct trial *t)
{
	size_t invalid = 0;

	for (size_t i = 0; i < t->n_runs; i++) {
		if (trial_counts(t, &t->run[i]))
			return false;
		invalid += !t->run[i].failed;
	}
	return invalid != 0;
}

double *trial_values(const struct trial *t, size_t metric)
{
	const size_t n = trial_cells(t) * t->n_blocks;
	double *value = xcalloc(n + 1, sizeof(*value));
	size_t *count = xcalloc(n + 1, sizeof(*count));

	for (size_t i = 0; i < t->n_runs; i++) {
		const struct trial_run *run = &t->run[i];
		const size_t at = run->cell * t->n_blocks + run->block;
		const double v = trial_value(run, metric);

		if (!trial_counts(t, run) || !isfinite(v))
			continue;
		value[at] += v;
		count[at]++;
	}
	for (size_t i = 0; i < n; i++)
		value[i] = count[i] ? value[i] / (double)count[i] : NAN;
	free(count);
	return value;
}
