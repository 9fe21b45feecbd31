/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preview: tells the effect of a run on its targets. It uses the plan and the
 * guard of a run, but opens nothing for writing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "block/sysfs.h"
#include "workload/kind/kind.h"
#include "workload/target/guard.h"
#include "workload/thread/clones.h"
#include "workload/thread/hook.h"

static void preview_device_words(const struct target *t, struct run_target *out,
				 const char *size, const char *used)
{
	if (t->need_bytes >= t->size_bytes)
		snprintf(out->words, sizeof(out->words),
			 "overwrites the whole of %.120s (%s)", t->path, size);
	else
		snprintf(out->words, sizeof(out->words),
			 "overwrites the first %s of %.120s (%s)", used,
			 t->path, size);
}

/* Override a reason for this target, and for no other. */
static void add_override(struct allow_list *need, const struct target *t,
			 const char *reason)
{
	char *word = xasprintf("%s:%s", t->path, reason);

	guard_allow_list_add(&need->override, &need->n_override, word);
	free(word);
}

/* A word to type here, unless the opener asks for its own. */
static void preview_demand(const struct target *t, struct run_target *out,
			   const char *word)
{
	if (!t->opener)
		text_join(out->demand, sizeof(out->demand), " ", "%s", word);
}

/*
 * Show each reason against writing to the device; the operator has to type its
 * name.
 */
static int look_at_device(struct target *t, const struct root *root,
			  struct run_target *out, struct allow_list *need,
			  const char *size, const char *used)
{
	struct guard_findings found = { 0 };
	bool any = false;
	int rc = guard_look(t, root, &found);

	if (rc)
		return rc;
	out->danger = RUN_DESTROY;
	preview_device_words(t, out, size, used);
	preview_demand(t, out, t->path);
	guard_allow_list_add(&need->destroy, &need->n_destroy, t->path);
	for (unsigned i = 0; i < n_guard_reasons; i++) {
		if (!*found.words[i])
			continue;
		any = true;
		text_join(out->words, sizeof(out->words), ": ", "%s",
			  found.words[i]);
		preview_demand(t, out, guard_reasons[i].name);
		add_override(need, t, guard_reasons[i].name);
	}
	if (!any)
		text_join(out->words, sizeof(out->words), ": ",
			  "no signature of data was found on it");
	return 0;
}

static void read_words(const struct target *t, struct run_target *out,
		       const char *size)
{
	snprintf(out->words, sizeof(out->words),
		 "reads %.160s (%s): nothing is written", t->path, size);
}

static void file_words(const struct target *t, struct run_target *out,
		       struct allow_list *need, const char *size,
		       const char *used)
{
	if (t->is_directory) {
		out->danger = RUN_MAKES;
		snprintf(out->words, sizeof(out->words),
			 "makes a directory with files (%s) in %.160s%s", used,
			 t->path, t->unlink ? ", and removes it at the end" : "");
	} else if (!t->exists) {
		out->danger = RUN_MAKES;
		snprintf(out->words, sizeof(out->words),
			 "makes the file %.160s (%s)%s", t->path, used,
			 t->unlink ? ", and removes it at the end" : "");
	} else if (t->mark == MARK_EXACT && t->writes) {
		out->danger = RUN_REWRITE;
		snprintf(out->words, sizeof(out->words),
			 "writes to %.160s (%s), which iodyno made", t->path,
			 used);
	} else {
		out->danger = RUN_DESTROY;
		snprintf(out->words, sizeof(out->words),
			 "%s %.160s (%s), which %s",
			 t->writes   ? "overwrites"
			 : t->unlink ? "removes"
				     : "extends",
			 t->path, size,
			 t->mark == MARK_NONE ? "iodyno did not make"
			 : t->mark == MARK_EXACT
				 ? "iodyno made"
				 : "changed since iodyno made it");
		text_join(out->demand, sizeof(out->demand), " ", "%s", t->path);
		guard_allow_list_add(&need->overwrite, &need->n_overwrite,
				     t->path);
	}
}

/*
 * If a loop device uses the file, the operator has to type the name of that
 * reason.
 */
static int look_at_file(const struct target *t, const struct root *root,
			struct run_target *out, struct allow_list *need,
			const char *size, const char *used)
{
	char name[64];
	int rc = guard_held(t, root, name, sizeof(name));

	if (rc < 0)
		return rc;
	if (rc && target_is_whole(t)) {
		read_words(t, out, size);
		return 0;
	}
	file_words(t, out, need, size, used);
	if (rc == 0)
		return 0;
	out->danger = RUN_DESTROY;
	text_join(out->words, sizeof(out->words), ": ", "%s", name);
	text_join(out->words, sizeof(out->words), " ", "is built on it");
	text_join(out->demand, sizeof(out->demand), " ", "%s",
		  guard_reasons[GUARD_HELD].name);
	add_override(need, t, guard_reasons[GUARD_HELD].name);
	return 0;
}

/* Check whether opening the target would succeed. */
static int check_access(const struct target *t, bool writes)
{
	const bool makes = !t->exists || t->is_directory;
	char *place;
	int rc = 0;

	/* The opener has the rights to open devices, and the guard judges. */
	if (t->is_device && t->opener)
		return 0;
	place = t->exists ? xstrdup(t->path) : text_folder(t->path);
	if (faccessat(AT_FDCWD, place,
		      makes    ? W_OK | X_OK
		      : writes ? R_OK | W_OK
			       : R_OK,
		      AT_EACCESS))
		rc = fail(errno, "cannot %s %s: %s",
			  makes    ? "make a file in"
			  : writes ? "write to"
				   : "read",
			  place, strerror(errno));
	free(place);
	return rc;
}

static int preview_look(struct target *t, const struct root *root,
			struct run_target *out, struct allow_list *need)
{
	const struct text_short size = units_bytes((double)t->size_bytes),
				used = units_bytes((double)t->need_bytes);
	bool writes = target_will_change(t);
	int rc = t->null ? 0 : check_access(t, writes);

	if (rc == 0 && writes && need->readonly)
		rc = guard_check(&(struct targets){ .item = &t, .n = 1 },
				 root, need);
	if (rc == 0 && writes && t->foreign && !t->is_device)
		rc = guard_check_place(t->job, t->path, need);
	if (rc)
		return rc;
	memset(out, 0, sizeof(*out));
	if (t->null)
		text_set(out->words,
			 "touches no data: the engine moves no data");
	else if (!writes)
		read_words(t, out, size.text);
	else if (t->is_device)
		return look_at_device(t, root, out, need, size.text, used.text);
	else
		return look_at_file(t, root, out, need, size.text, used.text);
	return 0;
}

static int worst_first(const void *a, const void *b)
{
	const struct run_target *x = a, *y = b;

	return (int)y->danger - (int)x->danger;
}

/* Examine all targets, then show the most dangerous first. */
static int look_at_all(struct workload *w, struct run_preview *out,
		       struct allow_list *need)
{
	struct targets *ts = &w->targets;
	struct run_target *all = xcalloc(ts->n + 2 * w->n + 1, sizeof(*all));
	size_t n = ts->n;
	int rc = targets_check_space(ts);

	for (size_t i = 0; i < ts->n && rc == 0; i++)
		rc = preview_look(ts->item[i], w->root, &all[i], need);
	for (size_t i = 0; i < w->n && rc == 0; i++)
		if (w->clones[i].kind->preview)
			w->clones[i].kind->preview(&w->clones[i], &all[n++],
						   need);
	for (size_t i = 0; i < w->n && rc == 0; i++)
		if (hook_wanted(w->clones[i].job))
			hook_preview(w->clones[i].job, &all[n++], need);
	for (size_t i = 0; i < n && rc == 0; i++)
		if (*all[i].demand)
			text_join(out->demand, sizeof(out->demand), " ", "%s",
				  all[i].demand);
	if (rc == 0) {
		qsort(all, n, sizeof(*all), worst_first);
		out->n_targets = n;
		memcpy(out->target, all,
		       (n < RUN_LINES ? n : RUN_LINES) * sizeof(*all));
	}
	free(all);
	out->asks = w->root->opener && need->n_destroy;
	return rc;
}

int preview_jobs(struct run_preview *out, struct allow_list *need,
		 const struct root *root, const struct job *jobs, size_t n_jobs)
{
	struct workload *w;
	int rc = workload_plan(&w, root, jobs, n_jobs);

	if (rc)
		return rc;
	rc = look_at_all(w, out, need);
	workload_free(w, true);
	return rc;
}

/* A disk that replaces another one has another diskseq. */
uint64_t preview_identity(const struct workload *w, size_t i)
{
	const struct clones *c = &w->clones[i];
	uint64_t hash = 0;

	for (unsigned j = 0; j < c->n; j++)
		for (unsigned k = 0; k < c->worker[j]->n_regions; k++) {
			const struct target *t = c->worker[j]->region[k].target;
			const uint64_t part[] = {
				t->exists,
				t->is_device ? t->rdev : t->dev,
				t->is_device ? sysfs_diskseq(w->root, t->rdev)
					     : t->ino,
			};

			for (size_t m = 0; m < ARRAY_SIZE(part); m++) {
				hash ^= part[m];
				hash = random_splitmix(&hash);
			}
		}
	return hash;
}

/* Compute a hash of each job, from the targets that the job would have now. */
static int hash_now(uint64_t *out, const struct root *root,
		    const struct job *jobs, size_t n_jobs,
		    uint64_t (*hash)(const struct workload *w, size_t i))
{
	struct workload *w;
	int rc = workload_plan(&w, root, jobs, n_jobs);

	if (rc)
		return rc;
	for (size_t i = 0; i < n_jobs; i++)
		out[i] = hash(w, i);
	workload_free(w, true);
	return 0;
}

int preview_identities(uint64_t *out, const struct root *root,
		       const struct job *jobs, size_t n_jobs)
{
	return hash_now(out, root, jobs, n_jobs, preview_identity);
}

uint64_t preview_contents(const struct workload *w, size_t i)
{
	const struct clones *c = &w->clones[i];
	uint64_t hash = 0;

	for (unsigned j = 0; j < c->n; j++)
		for (unsigned k = 0; k < c->worker[j]->n_regions; k++) {
			const struct target *t = c->worker[j]->region[k].target;
			int fd = t->null || !t->exists || t->made ||
						 t->is_directory
					 ? -1
					 : target_open_as(t,
							  O_RDONLY | O_CLOEXEC |
								  O_NONBLOCK);
			uint64_t found;

			if (fd < 0)
				continue;
			found = guard_signature_identity(fd);
			close(fd);
			if (found) {
				hash ^= found;
				hash = random_splitmix(&hash);
			}
		}
	return hash;
}

int preview_contents_now(uint64_t *out, const struct root *root,
			 const struct job *jobs, size_t n_jobs)
{
	return hash_now(out, root, jobs, n_jobs, preview_contents);
}

/* The words of all findings on a device, overridden or not. */
static int preview_found_words(struct target *t, const struct root *root,
			       char *buf, size_t size)
{
	struct guard_findings found = { 0 };
	int rc = guard_look(t, root, &found);

	*buf = '\0';
	for (size_t i = 0; i < n_guard_reasons; i++)
		if (*found.words[i])
			text_join(buf, size, "; ", "%s", found.words[i]);
	return rc;
}

static bool guard_passes(const struct root *root, const struct job *jobs,
			 size_t n_jobs, const struct allow_list *allowed)
{
	struct workload *w;
	bool passes;

	if (workload_plan(&w, root, jobs, n_jobs))
		return false;
	passes = guard_check(&w->targets, root, allowed) == 0;
	/*
	 * Until this call the guard keeps the devices that it passed open
	 * exclusively.
	 */
	workload_free(w, true);
	return passes;
}

int preview_lost_devices(const struct root *root, const struct job *jobs,
			 size_t n_jobs, const struct allow_list *allowed,
			 void (*fn)(const char *path, const char *found,
				    void *arg),
			 void *arg)
{
	struct workload *w;
	char found[1000];
	int rc;

	if (!guard_passes(root, jobs, n_jobs, allowed))
		return 0;
	rc = workload_plan(&w, root, jobs, n_jobs);
	if (rc)
		return rc;
	for (size_t i = 0; rc == 0 && i < w->targets.n; i++) {
		struct target *t = w->targets.item[i];

		if (!t->is_device || !target_will_change(t))
			continue;
		rc = preview_found_words(t, root, found, sizeof(found));
		if (rc == 0)
			fn(t->path, found, arg);
	}
	workload_free(w, true);
	return rc;
}
