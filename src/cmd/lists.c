/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists: names and their help, from the tables of the rooms. */
#include "cmd/lists.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/replay/replay.h"
#include "cmd/run/output.h"
#include "cmd/session/tracing.h"
#include "cmd/sweep/sweep.h"
#include "cmd/sweep/sweep_audit.h"
#include "cmd/sweep/sweep_plan.h"
#include "cmd/witness/witness_place.h"
#include "collect/collect.h"
#include "disk/disk_fault.h"
#include "disk/disk_model.h"
#include "knob/knob.h"
#include "model/alarms.h"
#include "model/job/job.h"
#include "report/fleet.h"
#include "report/pivot/pivot.h"
#include "report/report.h"
#include "workload/engine/engine.h"
#include "workload/jobfile/jobfile.h"
#include "workload/kind/kind.h"
#include "workload/kind/program.h"
#include "workload/workload.h"

static const char *align(size_t i, const char **help)
{
	*help = replay_aligns[i].help;
	return replay_aligns[i].name;
}

static const char *lists_format(size_t i, const char **help)
{
	if (i >= n_report_formats)
		return NULL;
	*help = report_formats[i].help;
	return report_formats[i].name;
}

static const char *lists_preset(size_t i, const char **help)
{
	const struct preset *p = preset_at(i);

	*help = p ? p->help : NULL;
	return p ? p->name : NULL;
}

static const char *lists_reason(size_t i, const char **help)
{
	if (i >= n_guard_reasons)
		return NULL;
	*help = guard_reasons[i].help;
	return guard_reasons[i].name;
}

static const char *rw(size_t i, const char **help)
{
	*help = job_rw_help((unsigned)i);
	return *help ? job_rw_name((unsigned)i) : NULL;
}

static const struct name_list all_lists[] = {
	{ "alarms", "ALARM", "states of the machine that need a person",
	  .at = alarms_name },
	{ "aligns", "ALIGN", "moments at which replay puts two logs side by side",
	  .at = align },
	{ "bpf-modes", "MODE", "how much the BPF programs measure",
	  .word = tracing_modes },
	{ "commands", "COMMAND", "the commands",
	  .at = command_name },
	{ "corrections", "METHOD", "corrections of a family of comparisons in report",
	  .word = pivot_corrections },
	{ "disk-faults", "FAULT", "faults of a simulated disk",
	  .at = disk_fault_name },
	{ "disk-keys", "KEY", "figures of the model of a simulated disk",
	  .at = disk_model_key },
	{ "disks", "MODEL", "models of simulated disks",
	  .at = disk_model_name },
	{ "engines", "ENGINE", "ioengines: how jobs submit I/O",
	  .at = engine_name },
	{ "errors", "ERROR", "what report prints beside a mean",
	  .word = pivot_errors },
	{ "formats", "FORMAT", "formats of report",
	  .at = lists_format },
	{ "kinds", "KIND", "kinds of work of a job",
	  .at = kind_name },
	{ "output-formats", "FORMAT", "formats of the results of run",
	  .at = output_format_at },
	{ "presets", "PRESET", "jobs and plans by name",
	  .at = lists_preset },
	{ "profiles", "PROFILE", "programs with output that iodyno reads",
	  .at = profile_name },
	{ "reasons", "REASON", "why the guard refuses a target, for --override",
	  .at = lists_reason },
	{ "rw", "RW", "access patterns",
	  .at = rw },
	{ "scales", "SCALE", "sizes of presets",
	  .at = preset_scale_name },
	{ "sweep-audits", "WHAT", "what a sweep notes before and after each run",
	  .word = sweep_audits },
	{ "sweep-colds", "HOW", "how a sweep empties caches",
	  .word = sweep_plan_colds },
	{ "sweep-emits", "FORM", "forms of the best settings",
	  .at = sweep_emit_at },
	{ "sweep-orders", "ORDER", "orders of the runs of a sweep",
	  .word = sweep_plan_orders },
	{ "sweep-preconditions", "HOW", "how a sweep prepares a device",
	  .word = sweep_plan_preconditions },
	{ "sweep-resumes", "WHERE", "where a sweep goes on",
	  .word = sweep_plan_resumes },
	{ "sweep-rules", "RULE", "when a sweep has enough runs",
	  .word = sweep_plan_rules },
	{ "themes", "THEME", "colours of the screen",
	  .at = ui_theme },
	{ "windows", "WINDOW", "the time of a fleet that counts",
	  .word = fleet_windows },
	{ "witness-modes", "MODE", "whether a flush waits for the witness",
	  .word = witness_place_modes },
};

const struct name_list *lists_at(size_t i)
{
	return i < ARRAY_SIZE(all_lists) ? &all_lists[i] : NULL;
}

const struct name_list *lists_find(const char *name)
{
	return lists_at(text_find(name, all_lists, ARRAY_SIZE(all_lists), name));
}

const char *lists_name(const struct name_list *list, size_t i,
		       const char **help)
{
	if (list->at)
		return list->at(i, help);
	*help = list->word[i].help;
	return list->word[i].name;
}

bool lists_has(const struct name_list *list, const char *name)
{
	const char *one, *help;

	for (size_t i = 0; (one = lists_name(list, i, &help)); i++)
		if (!strcmp(one, name))
			return true;
	return false;
}

static size_t lists_count(const struct name_list *list)
{
	const char *help;
	size_t n = 0;

	while (lists_name(list, n, &help))
		n++;
	return n;
}

char *lists_words(const struct name_list *list, const char *last, char *buf,
		  size_t size)
{
	const size_t n = lists_count(list);
	const char *help;

	*buf = '\0';
	for (size_t i = 0; i < n; i++) {
		const bool ends = i && i + 1 == n;

		text_add(buf, size, "%s%s%s%s", ends ? " " : "",
			 ends ? last : "", ends ? " " : i ? ", " : "",
			 lists_name(list, i, &help));
	}
	return buf;
}

static const char *lists_name_at(size_t i, const void *arg)
{
	const struct name_list *list = arg;
	const char *help;

	return lists_name(list, i, &help);
}

struct text_near lists_did_you_mean(const struct name_list *list,
				    const char *name)
{
	return text_did_you_mean("", text_closest(name, lists_count(list),
						  lists_name_at, list));
}

/* Whether a maximum is a real limit, not the largest value of the C type. */
static bool is_bound(long long max)
{
	return max != INT_MAX && max != UINT_MAX && max != LLONG_MAX;
}

const char *lists_knob_word(const char *knob, enum ui_knob_word word, char *buf,
			    size_t size)
{
	const struct knob *k = knob_find(knob);
	const char *blank;

	if (!k)
		return NULL;
	if (word == UI_KNOB_HELP)
		return k->help;
	if (k->kind == KNOB_CHOICE)
		return NULL;
	blank = *k->unit ? " " : "";
	if (is_bound(k->max))
		snprintf(buf, size, "%lld to %lld%s%s", k->min, k->max, blank,
			 k->unit);
	else
		snprintf(buf, size, "%lld or more%s%s", k->min, blank, k->unit);
	return buf;
}

const char *lists_device_words(const void *root, const char *device, char *buf,
				size_t size)
{
	struct device_info info;
	char use[256];
	const char *model;

	if (!device_header_collect(root, device, &info))
		return NULL;
	model = strrchr(info.model, '/');
	model = model ? model + 1 : info.model;
	if (!device_use_collect(root, device, use, sizeof(use)))
		snprintf(use, sizeof(use), "not mounted");
	snprintf(buf, size, "%s%s%s, %s", model, *model ? ", " : "",
		 units_bytes((double)info.size_bytes).text, use);
	return buf;
}
