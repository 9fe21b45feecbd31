/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep emit: udev rule, TuneD profile, shell lines.
 */
#include "cmd/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/alloc.h"

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
	/* Prints everything; NULL: head, line and undo do. */
	void (*whole)(const struct sweep *sw, FILE *out);
};

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

static void shell_line(const struct setting *s, FILE *out)
{
	fprintf(out, "iodyno knob set %s.%s=%s\n", s->device, s->knob,
		s->value);
	if (s->before)
		fprintf(out, "# undo: iodyno knob set %s.%s=%s\n", s->device,
			s->knob, s->before);
	if (s->anew)
		fprintf(out,
			"# undo: iodyno knob set %s.scheduler=none\n"
			"# undo: iodyno knob set %s.scheduler=%s\n",
			s->device, s->device, s->anew);
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

/*
 * A word of ExecStart: % and $ mean something to systemd, and quotes, blanks
 * and backslashes end or change a word (systemd.service(5), COMMAND LINES).
 */
static void unit_word(const char *word, FILE *out)
{
	fputs(" \"", out);
	for (; *word; word++) {
		if (*word == '%' || *word == '$')
			fputc(*word, out);
		else if (*word == '"' || *word == '\\')
			fputc('\\', out);
		fputc(*word, out);
	}
	fputc('"', out);
}

static void unit_option(const char *name, const char *value, FILE *out)
{
	char *word = xasprintf("--%s=%s", name, value);

	unit_word(word, out);
	free(word);
}

/* The path of this program; the caller frees it. */
static char *program_path(void)
{
	const char *name = (const char *)getauxval(AT_EXECFN);
	char *path = name ? realpath(name, NULL) : NULL;

	return path ? path : xstrdup("/usr/bin/iodyno");
}

static void unit_permits(const struct settings *s, FILE *out)
{
	for (size_t i = 0; i < s->destroy.n; i++)
		unit_option("destroy-data", s->destroy.word[i], out);
	for (size_t i = 0; i < s->override.n; i++)
		unit_option("override", s->override.word[i], out);
	for (size_t i = 0; i < s->overwrite.n; i++)
		unit_option("overwrite", s->overwrite.word[i], out);
	if (s->allow_exec)
		unit_word("--allow-exec", out);
	if (s->destroy.n)
		unit_word("--yes", out);
	if (s->sweep.boot)
		unit_option("boot", s->sweep.boot, out);
}

/* Double each % of the path, because the condition takes specifiers. */
static void unit_print(const struct sweep *sw, FILE *out)
{
	char folder[4096], *log, *program = program_path();

	if (*sw->log == '/' || !getcwd(folder, sizeof(folder)))
		log = xstrdup(sw->log);
	else
		log = xasprintf("%s/%s", folder, sw->log);
	fputs("# /etc/systemd/system/iodyno-sweep.service\n"
	      "# on:  systemctl daemon-reload; systemctl enable "
	      "iodyno-sweep.service\n"
	      "# off: systemctl disable iodyno-sweep.service; rm "
	      "/etc/systemd/system/iodyno-sweep.service\n"
	      "[Unit]\nDescription=iodyno sweep\nAfter=multi-user.target\n"
	      "ConditionPathExists=",
	      out);
	for (const char *at = log; *at; at++)
		fprintf(out, "%s%c", *at == '%' ? "%" : "", *at);
	fputs("\n\n[Service]\nType=oneshot\n"
	      "# Wait until the machine is idle after a boot.\n"
	      "ExecStartPre=/bin/sleep 120\nExecStart=",
	      out);
	unit_word(program, out);
	unit_word("sweep", out);
	unit_word("--headless", out);
	unit_option("resume", log, out);
	unit_permits(sw->settings, out);
	fputs("\n\n[Install]\nWantedBy=multi-user.target\n", out);
	free(log);
	free(program);
}

static const struct form forms[] = {
	{ "udev", "a rule for /etc/udev/rules.d", udev_head, udev_line,
	  "\n# undo: remove the file; udevadm control --reload; the next boot "
	  "brings\n# the old settings back\n",
	  NULL },
	{ "tuned", "a profile of TuneD", tuned_head, tuned_line,
	  "# on: tuned-adm profile iodyno; undo: tuned-adm off, then the "
	  "former profile\n",
	  NULL },
	{ "shell", "commands, each with its undo", shell_head, shell_line, "",
	  NULL },
	{ "unit", "a systemd unit that continues the sweep after each boot",
	  NULL, NULL, NULL, unit_print },
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

bool sweep_emit_at_once(const char *form)
{
	return form && find_form(form)->whole;
}

static void emit_axis(const struct sweep *sw, const struct form *f, size_t axis,
		      size_t best, FILE *out)
{
	const struct sweep_axis *a = &sw->plan.axis[axis];
	const char *value = sweep_plan_value(&sw->plan, best, axis);
	char base[48], before[48], item[64], knob[80];
	struct setting s = { sweep_device(sw, a), a->name, base, before, NULL };
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
	struct sweep_verdict *v;
	unsigned from, to;
	bool any = false;
	size_t best;

	if (f->whole) {
		f->whole(sw, out);
		return;
	}
	v = sweep_print_verdicts(sw, &from, &to);
	best = sweep_order_best(&sw->plan, &sw->runs, from, to);
	if (!best || !(v[best].p < 0.05) || v[best].lost) {
		fprintf(out, "# no variant is better than the baseline beyond "
			     "doubt: nothing to emit\n");
		free(v);
		return;
	}
	for (size_t a = 0; a < sw->plan.n_axes; a++) {
		if (sw->plan.axis[a].kind != SWEEP_KNOB)
			continue;
		if (!any)
			f->head(sweep_device(sw, &sw->plan.axis[a]), out);
		any = true;
		emit_axis(sw, f, a, best, out);
	}
	fputs(any ? f->undo : "# no axis is a knob: nothing to emit\n", out);
	free(v);
}
