/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion: answers for the run dialog of the screen: presets, engines, names
 * of files, the options of running jobs that can change.
 */
#include "cmd/session/view.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cmd/session/job_control.h"
#include "workload/engine/engine.h"
#include "workload/jobfile/jobfile.h"

/* Read at most so many names, so that no directory delays the screen. */
#define MAX_NAMES 20000

static const char *view_preset(size_t i, const char **help)
{
	const struct preset *p;
	size_t k = 0;

	/* A plan is for sweep. */
	while ((p = preset_at(k)) && (p->plan || i--))
		k++;
	*help = p ? p->help : NULL;
	return p ? p->name : NULL;
}

static const char *view_setting(void *workloads, const char *job, size_t i,
				const char **help, char *buf, size_t size)
{
	struct job_set *set;
	int row;

	if (workloads_find(workloads, job, &set) < 0 || !set->workload ||
	    workload_job_over(set->workload, job))
		return NULL;
	row = workload_control_at(set->workload, job, i);
	if (row < 0 ||
	    !workload_control_value(set->workload, job, (size_t)row, buf, size))
		return NULL;
	return workload_control_name((size_t)row, help);
}

/* The beginning that all names so far have in common. */
struct names {
	char common[256];
	size_t n;
};

static void view_take_name(struct names *names, const char *name)
{
	size_t i = 0;

	if (!names->n++) {
		text_set(names->common, name);
		return;
	}
	while (names->common[i] && names->common[i] == name[i])
		i++;
	/* Do not cut within a character. */
	while (i && ((unsigned char)names->common[i] & 0xc0) == 0x80)
		i--;
	names->common[i] = '\0';
}

static struct names look_up(const char *dir, const char *start)
{
	struct names names = { .n = 0 };
	DIR *d = opendir(dir);
	struct dirent *e;

	for (unsigned i = 0; d && i < MAX_NAMES && (e = readdir(d)); i++)
		if (!strncmp(e->d_name, start, strlen(start)) &&
		    strcmp(e->d_name, ".") != 0 &&
		    strcmp(e->d_name, "..") != 0 &&
		    (*start == '.' || e->d_name[0] != '.'))
			view_take_name(&names, e->d_name);
	if (d)
		closedir(d);
	return names;
}

/* ui_offer.complete */
static bool completion_file(const char *typed, char *out, size_t size)
{
	const char *slash = strrchr(typed, '/');
	int before = slash ? (int)(slash - typed) + 1 : 0;
	char *dir = slash ? xasprintf("%.*s", before, typed) : xstrdup(".");
	struct names names = look_up(dir, typed + before);
	struct stat st;

	free(dir);
	if (!names.n || (size_t)snprintf(out, size, "%.*s%s", before, typed,
					 names.common) >= size)
		return false;
	if (names.n == 1 && stat(out, &st) == 0 && S_ISDIR(st.st_mode) &&
	    strlen(out) + 1 < size)
		strcat(out, "/");
	return strcmp(out, typed) != 0;
}

/* The workloads are borrowed. */
void view_completion_fill(struct ui_offer *offer, struct workloads *workloads)
{
	/* Read the files now, not while the screen waits for a key. */
	(void)preset_at(0);
	*offer = (struct ui_offer){
		.arg = workloads,
		.preset = view_preset,
		.engine = engine_name,
		.complete = completion_file,
		.setting = view_setting,
	};
}
