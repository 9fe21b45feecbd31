/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep emit: the best settings as udev rule, TuneD profile or shell lines.
 */
#include "cmd/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "block/sysfs.h"

/* A setting of the winner: bfq, and iosched.low_latency=0. */
struct setting {
	const char *device, *knob, *value, *before;
	/* For a tunable whose old value is not known: the scheduler that resets
	 * the tunable when it is set again. NULL: that is not needed. */
	const char *anew;
};

struct form {
	const char *name, *help;
	void (*head)(const char *device, FILE *out);
	void (*line)(const struct setting *s, FILE *out);
	const char *undo; /* printed after the lines */
};

/* In place of the device of --scratch=SIZE, which was made for the sweep. */
#define NO_DEVICE "DEVICE"

/*
 * The device of an axis; NULL: its name has characters that a shell, udev or
 * TuneD does not take for letters.
 */
static const char *emit_device(const struct sweep *sw,
			       const struct sweep_axis *a)
{
	const char *device = sweep_device(sw, a);
	bool own = !device || (!*a->device && !*sw->plan.device &&
			       device == sw->stage.disk);

	if (sw->plan.scratch_bytes && own)
		return NO_DEVICE;
	return device && !device[strspn(device,
					"abcdefghijklmnopqrstuvwxyz"
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_.:/!-")]
		       ? device
		       : NULL;
}

static void udev_head(const char *device, FILE *out)
{
	fprintf(out,
		"# /etc/udev/rules.d/60-iodyno.rules\nACTION==\"add|"
		"change\", KERNEL==\"%s\", SUBSYSTEM==\"block\"",
		device);
}

static void path_of(const char *knob, char *path, size_t size)
{
	snprintf(path, size, "queue/%s", knob);
	if (!strncmp(knob, "iosched.", 8))
		path[strlen("queue/iosched")] = '/';
}

static void udev_line(const struct setting *s, FILE *out)
{
	char path[96];

	path_of(s->knob, path, sizeof(path));
	fprintf(out, ", ATTR{%s}=\"%s\"", path, s->value);
}

static void tuned_head(const char *device, FILE *out)
{
	fprintf(out,
		"# /etc/tuned/iodyno/tuned.conf\n[main]\nsummary=found by "
		"iodyno sweep\n[sysfs]\n# of %s\n",
		device);
}

static void tuned_line(const struct setting *s, FILE *out)
{
	char path[96], whole[SYSFS_PATH_MAX];

	path_of(s->knob, path, sizeof(path));
	if (sysfs_path_of(whole, sizeof(whole), s->device, path))
		fprintf(out, "/%s=%s\n", whole, s->value);
}

static void shell_head(const char *device, FILE *out)
{
	fprintf(out, "# settings of %s\n", device);
}

static void shell_set(const char *before, const char *device, const char *knob,
		      const char *value, FILE *out)
{
	char *word = xasprintf("%s.%s=%s", device, knob, value);

	fprintf(out, "%siodyno knob set ", before);
	text_put_word(out, word);
	fputc('\n', out);
	free(word);
}

static void shell_line(const struct setting *s, FILE *out)
{
	static const char undo[] = "# undo: ";

	shell_set("", s->device, s->knob, s->value, out);
	if (s->before)
		shell_set(undo, s->device, s->knob, s->before, out);
	if (s->anew) {
		shell_set(undo, s->device, "scheduler", "none", out);
		shell_set(undo, s->device, "scheduler", s->anew, out);
	}
}

/* The value that the baseline gives to a tunable, or NULL. */
static const char *item_before(const struct sweep_axis *a, const char *name,
			       char *item, size_t size)
{
	size_t n = strlen(name);

	for (size_t i = 0; sweep_plan_item(a->value[0], i, item, size); i++)
		if (!strncmp(item, name, n) && item[n] == '=')
			return item + n + 1;
	return NULL;
}

static const struct form forms[] = {
	{ "udev", "a rule for /etc/udev/rules.d", udev_head, udev_line,
	  "\n# undo: remove the file; udevadm control --reload; the next boot "
	  "brings\n# the old settings back\n" },
	{ "tuned", "a profile of TuneD", tuned_head, tuned_line,
	  "# on: tuned-adm profile iodyno; undo: tuned-adm off, then the "
	  "former profile\n" },
	{ "shell", "commands, each with its undo", shell_head, shell_line,
	  "" },
};

const char *sweep_emit_at(size_t i, const char **help)
{
	if (i >= ARRAY_SIZE(forms))
		return NULL;
	*help = forms[i].help;
	return forms[i].name;
}

static const struct form *find_form(const char *name)
{
	const struct form *f = forms;

	while (strcmp(f->name, name))
		f++;
	return f;
}

static void emit_axis(const struct sweep *sw, const struct form *f, size_t axis,
		      size_t best, FILE *out)
{
	const struct sweep_axis *a = &sw->plan.axis[axis];
	const char *value = sweep_plan_value(&sw->plan, best, axis);
	char base[48], before[48], item[64], knob[80];
	struct setting s = { emit_device(sw, a), a->name, base, before, NULL };
	char first[64];

	sweep_plan_knob_value(a, value, base, sizeof(base));
	sweep_plan_knob_value(a, a->value[0], before, sizeof(before));
	f->line(&s, out);
	for (size_t k = 0; sweep_plan_item(value, k, item, sizeof(item)); k++) {
		char *eq = strchr(item, '=');

		if (!eq)
			continue;
		*eq = '\0';
		snprintf(knob, sizeof(knob), "iosched.%s", item);
		s = (struct setting){ s.device, knob, eq + 1, NULL, NULL };
		if (!strcmp(base, before)) {
			s.before = item_before(a, item, first, sizeof(first));
			s.anew = s.before ? NULL : before;
		}
		f->line(&s, out);
	}
}

void sweep_emit_print(const struct sweep *sw, const char *form, FILE *out)
{
	const struct form *f = find_form(form);
	struct judge_verdict *v;
	unsigned from, to;
	bool any = false;
	size_t best;

	v = sweep_print_verdicts(sw, &from, &to);
	best = sweep_order_best(&sw->plan, &sw->runs, from, to);
	if (!best || judge_sign(&v[best]) <= 0 ||
	    sweep_print_lost(sw, best)) {
		fprintf(out, "# no variant is better than the baseline beyond "
			     "doubt: nothing to emit\n");
		free(v);
		return;
	}
	for (size_t a = 0; a < sw->plan.n_axes; a++) {
		const struct sweep_axis *axis = &sw->plan.axis[a];
		const char *device;

		if (axis->kind != SWEEP_KNOB)
			continue;
		device = emit_device(sw, axis);
		if (!device) {
			fputs("# left out: a device whose name has special "
			      "characters\n",
			      out);
			continue;
		}
		if (!any && !strcmp(device, NO_DEVICE))
			fputs("# The sweep made its device itself: replace "
			      "DEVICE by the name of yours.\n",
			      out);
		if (!any)
			f->head(device, out);
		any = true;
		emit_axis(sw, f, a, best, out);
	}
	fputs(any ? f->undo : "# no axis is a knob: nothing to emit\n", out);
	free(v);
}
