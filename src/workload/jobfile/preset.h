/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preset: published recipes as job files and plans, which the package installs.
 *
 * A preset is a text file NAME.fio (jobs, for "iodyno run") or NAME.plan (for
 * "iodyno sweep") in PKGDATADIR/presets, or, while the program lies in its
 * build tree, in contrib/presets of the source. Its comments say what it is:
 *
 *     # Models: one sentence without a full stop
 *     # Source: where the recipe was published
 *     # Headline: the figure that the source reports
 *     # Look: the figures to check when that one is bad
 *     # Figures: what the source measured, on other hardware
 *     #   a line with more blanks goes on with the text before
 *
 * A line "#small OPTION=VALUE" counts at the scale small only, and replaces an
 * earlier line of the same option; a line that ends in " #full" counts at the
 * scale full only. So fio(1) reads the file as it is.
 */
#ifndef WORKLOAD_PRESET_H
#define WORKLOAD_PRESET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"

/* All texts are owned by the table; NULL where the file says nothing. */
struct preset {
	const char *name;
	const char *path;
	const char *help; /* what it models; "" if the file does not say */
	const char *source;
	const char *headline, *look, *figures;
	bool plan; /* for sweep */
	bool has_small;
	bool packaged; /* of PKGDATADIR, not of a source tree */
};

/* The preset of that name, or NULL. The files are read once, on first use. */
const struct preset *preset_find(const char *name);

/* The i-th by name, or NULL behind the last. */
const struct preset *preset_at(size_t i);

/*
 * The text of a preset, at the scale small or full; *out is to be freed. 0, or
 * -errno with a sentence, such as -EINVAL for a preset without the scale small.
 */
int preset_text(const struct preset *p, bool small, char **out) must_check;

/*
 * The figures of the publication of a plan: the file NAME.reference beside it.
 * 0 with *out to be freed, or -errno with a sentence: -ENOENT, there is none.
 */
int preset_reference(const struct preset *p, char **out) must_check;

#endif
