/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracing: the start of the trace. */
#include "cmd/session/tracing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "block/sysfs.h"

/* Room for devices that come later. */
#define SPARE_DEVICES 4
/* How long --bpf=on waits for the loader; a busy machine takes a second. */
#define LOAD_MS 20000

const struct text_word tracing_modes[] = {
	{ "auto", "trace where the rights are there: the monitor and record" },
	{ "on", "trace, or end with the reason why it cannot be done" },
	{ "off", "load nothing into the kernel" },
	{ NULL, NULL },
};

/* Count the devices that have a size, and see whether some have no requests. */
static void tracing_look(const struct root *root, struct trace_wish *wish)
{
	DIR *dir = sysfs_disks(root);
	const char *name;

	wish->devices = SPARE_DEVICES;
	while ((name = descriptor_entry(&dir))) {
		char path[SYSFS_PATH_MAX];
		long long sectors;

		if (!sysfs_path_of(path, sizeof(path), name, "size") ||
		    !root_read_number(root, path, &sectors) || sectors <= 0)
			continue;
		wish->devices++;
		if (sysfs_path_of(path, sizeof(path), name, "mq"))
			wish->bios |= !root_exists(root, path);
	}
}

int tracing_start(struct trace **trace, const struct settings *s,
		  const struct root *root, bool by_itself)
{
	const bool must = (s->bpf && !strcmp(s->bpf, "on")) ||
			  (s->slower_ns && !s->bpf);
	struct trace_wish wish = { .slower_ns = s->slower_ns };
	const char *why;

	*trace = NULL;
	if (must && !root->live)
		return fail(EINVAL, "--bpf=on and --slower trace the live "
				    "machine; with --root there is none");
	if (s->slower_ns && s->bpf && !strcmp(s->bpf, "off"))
		return fail(EINVAL, "--slower needs the trace that --bpf=off "
				    "forbids");
	if (!root->live || (s->bpf && !strcmp(s->bpf, "off")) ||
	    (!must && !by_itself))
		return 0;
	tracing_look(root, &wish);
	*trace = xcalloc(1, sizeof(**trace));
	trace_start(*trace, &wish);
	(*trace)->pinned = must;
	if (!must || trace_wait(*trace, LOAD_MS))
		return 0;
	if ((*trace)->refusal == TRACE_LOADED)
		return fail(ETIMEDOUT, "the trace was not loaded in %d s; "
				       "try again on a calmer machine",
			    LOAD_MS / 1000);
	why = collect_trace_refusal((*trace)->refusal);
	if (!*(*trace)->words)
		return fail(EPERM, "%s", why);
	/* In place of the option that prints them. */
	return fail(EPERM, "%.*s: %s", (int)strcspn(why, ";"), why, (*trace)->words);
}

void tracing_stop(struct trace *trace)
{
	if (trace)
		trace_stop(trace);
	free(trace);
}
