/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep emit: the best settings as udev rule, TuneD profile or shell lines. */
#include "cmd/sweep/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"
#include "knob/knob.h"

/* A setting of the winner: bfq, and iosched.low_latency=0. */
struct setting {
	const char *device, *knob, *value;
	const char *found; /* at the start of the sweep; NULL: not known */
};

/* A device, by what stays when the kernel names it otherwise. */
struct lasting {
	const char *device;
	char file[32];   /* of its folder in sysfs, with the identity; or "" */
	char value[256]; /* of that file */
	char place[256]; /* its folder in sysfs without its name; "": virtual */
};

struct form {
	const char *name, *help;
	const char *begin; /* printed before the first line */
	void (*head)(const struct lasting *d, FILE *out);
	void (*line)(const struct setting *s, const struct lasting *d,
		     FILE *out);
	const char *tail; /* printed after the lines of a device */
	const char *undo; /* printed after all lines */
	/* What it lacks: needs a place on a bus, knows no settings of the host.
	 */
	bool by_place, no_host;
};

/*
 * The device of an axis: that of --emit-for in place of the one that the sweep
 * was given; NULL: its name has characters that a shell, udev or TuneD does not
 * take for letters.
 */
static const char *emit_device(const struct sweep *sw,
			       const struct sweep_axis *a)
{
	const char *device = sweep_device(sw, a);
	const char *instead = sw->settings->sweep.emit_for;
	const char *scratch = sw->plan.scratch_device;

	if (instead && !(device && knob_is_host(device)))
		device = instead;
	if (!device)
		device = scratch;
	if (device && !strncmp(device, "/dev/", 5))
		device += 5;
	return device && !device[strspn(device,
					"abcdefghijklmnopqrstuvwxyz"
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_.:/!-")]
		       ? device
		       : NULL;
}

/* Find out what lasts of a device; false: nothing does. */
static bool emit_find(const struct root *root, const char *device,
		      struct lasting *d)
{
	static const char *const files[] = {
		"wwid",	  "device/wwid", "dm/uuid",	     "md/uuid",
		"serial", "device/serial", "loop/backing_file",
	};
	static const char sys[] = "/sys/";
	char path[KNOB_PATH_MAX], line[512], *whole, *real, *slash;

	memset(d, 0, sizeof(*d));
	d->device = device;
	for (size_t i = 0; i < ARRAY_SIZE(files) && !*d->value; i++) {
		if (!knob_device_path(device, files[i], path) ||
		    root_read_line(root, path, line, sizeof(line)) <= 0 ||
		    !text_is_clean(line) ||
		    !text_copy(d->value, sizeof(d->value), text_trim(line)))
			continue;
		text_copy(d->file, sizeof(d->file), files[i]);
	}
	/* /sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda */
	if (!root->live || !knob_device_path(device, "", path))
		return *d->value;
	whole = xasprintf("/%s", path);
	real = realpath(whole, NULL);
	slash = real ? strrchr(real, '/') : NULL;
	if (slash && !strncmp(real, sys, strlen(sys)) &&
	    !strstr(real, "/devices/virtual/") && text_is_clean(real)) {
		*slash = '\0';
		(void)!text_copy(d->place, sizeof(d->place),
				 real + strlen(sys));
	}
	free(real);
	free(whole);
	return *d->value || *d->place;
}

/* Print a text for a pattern of udev, whose own letters match any. */
static void udev_pattern(const char *text, FILE *out)
{
	for (; *text; text++)
		fputc(strchr("\"\\*?[]|$%", *text) ? '?' : *text, out);
}

static void udev_head(const struct lasting *d, FILE *out)
{
	const char *parent = "device/";
	size_t n = strlen(parent);

	fputs("ACTION==\"add|change\", SUBSYSTEM==\"block\", "
	      "ENV{DEVTYPE}==\"disk\", ",
	      out);
	if (!*d->value)
		fprintf(out, "DEVPATH==\"/");
	else if (!strncmp(d->file, parent, n))
		fprintf(out, "ATTRS{%s}==\"", d->file + n);
	else
		fprintf(out, "ATTR{%s}==\"", d->file);
	udev_pattern(*d->value ? d->value : d->place, out);
	fputs(*d->value ? "\"" : "/*\"", out);
}

static void path_of(const char *knob, char *path, size_t size)
{
	snprintf(path, size, "queue/%s", knob);
	if (!strncmp(knob, "iosched.", 8))
		path[strlen("queue/iosched")] = '/';
}

static void udev_line(const struct setting *s, const struct lasting *d,
		      FILE *out)
{
	char path[96];

	path_of(s->knob, path, sizeof(path));
	fprintf(out, ", ATTR{%s}=\"%s\"", path, s->value);
}

static void tuned_head(const struct lasting *d, FILE *out)
{
	fputs(knob_is_host(d->device) ? "[sysctl]\n" : "[sysfs]\n", out);
}

static void tuned_line(const struct setting *s, const struct lasting *d,
		       FILE *out)
{
	char path[96];

	path_of(s->knob, path, sizeof(path));
	if (knob_is_host(d->device))
		fprintf(out, "%s.%s=%s\n", d->device, s->knob, s->value);
	else
		fprintf(out, "/sys/%s/*/%s=%s\n", d->place, path, s->value);
}

/* Refuse another disk that has the name now. */
static void shell_head(const struct lasting *d, FILE *out)
{
	char path[KNOB_PATH_MAX], *word;

	fprintf(out, "# settings of %s\n", d->device);
	if (knob_is_host(d->device) ||
	    !knob_device_path(d->device, d->file, path))
		return;
	word = *d->value ? xasprintf("%s", d->value)
			 : xasprintf("/sys/%s/%s", d->place, d->device);
	fprintf(out, "[ \"$(%s /%s)\" = ", *d->value ? "cat" : "readlink -f",
		path);
	text_put_word(out, word);
	fprintf(out, " ] || { echo %s is another disk now; exit 1; }\n",
		d->device);
	free(word);
}

static void shell_set(const char *before, const struct setting *s,
		      const char *value, FILE *out)
{
	char *word = xasprintf("%s.%s=%s", s->device, s->knob, value);

	fprintf(out, "%siodyno knob set ", before);
	text_put_word(out, word);
	fputc('\n', out);
	free(word);
}

static void shell_line(const struct setting *s, const struct lasting *d,
		       FILE *out)
{
	shell_set("", s, s->value, out);
	if (s->found)
		shell_set("# undo: ", s, s->found, out);
}

static const struct form forms[] = {
	{ .name = "udev",
	  .help = "a rule for /etc/udev/rules.d",
	  .begin = "# /etc/udev/rules.d/60-iodyno.rules\n",
	  .head = udev_head,
	  .line = udev_line,
	  .tail = "\n",
	  .undo = "# undo: remove the file; udevadm control --reload; the next "
		  "boot brings\n# the old settings back\n",
	  .no_host = true },
	{ .name = "tuned",
	  .help = "a profile of TuneD",
	  .begin = "# /etc/tuned/iodyno/tuned.conf\n[main]\nsummary=found by "
		   "iodyno sweep\n",
	  .head = tuned_head,
	  .line = tuned_line,
	  .tail = "",
	  .undo = "# on: tuned-adm profile iodyno; undo: tuned-adm off, then "
		  "the former profile\n",
	  .by_place = true },
	{ .name = "shell",
	  .help = "commands, each with its undo",
	  .begin = "",
	  .head = shell_head,
	  .line = shell_line,
	  .tail = "",
	  .undo = "" },
};

const char *sweep_emit_at(size_t i, const char **help)
{
	if (i >= ARRAY_SIZE(forms))
		return NULL;
	*help = forms[i].help;
	return forms[i].name;
}

/* --- the settings that the sweep found --- */

static void emit_read(const struct root *root, struct json *found,
		      const char *device, const char *knob)
{
	char id[KNOB_PATH_MAX], value[KNOB_VALUE_MAX], choices[512];

	snprintf(id, sizeof(id), "%s.%s", device, knob);
	if (!json_get(found, id) &&
	    knob_get(root, device, knob, value, sizeof(value), choices,
		     sizeof(choices)) == 0)
		json_put_text(found, id, value);
}

void sweep_emit_look(struct sweep *sw)
{
	struct root root;

	if (root_open(&root, sw->settings->root) < 0)
		return;
	sw->found = json_new_object();
	for (size_t a = 0; a < sw->plan.n_axes; a++) {
		const struct sweep_axis *axis = &sw->plan.axis[a];
		const char *device = emit_device(sw, axis);
		struct sweep_setting set;

		if (axis->kind != SWEEP_KNOB || !device)
			continue;
		for (size_t v = 0; v < axis->n; v++)
			for (size_t k = 0; sweep_plan_setting(
				     axis, axis->value[v], k, &set);
			     k++)
				emit_read(&root, sw->found, device, set.knob);
	}
	root_close(&root);
}

int sweep_emit_check(const struct sweep *sw)
{
	const struct settings *s = sw->settings;
	struct knob_identity id;
	struct root root;
	int err;

	if (!s->sweep.emit)
		return 0;
	for (size_t a = 0; a < sw->plan.n_axes && !s->sweep.emit_for; a++)
		if (sw->plan.axis[a].kind == SWEEP_KNOB &&
		    !*sw->plan.axis[a].device && !*sw->plan.device &&
		    !knob_find(sw->plan.axis[a].name)->host &&
		    sw->plan.scratch_bytes)
			return fail(EINVAL,
				    "--emit=%s: --scratch makes the device of "
				    "this sweep, which is gone afterwards; name "
				    "the real one by --emit-for=DEVICE",
				    s->sweep.emit);
	if (!s->sweep.emit_for)
		return 0;
	err = root_open(&root, s->root);
	if (err < 0)
		return err;
	err = knob_identify(&root,
			    s->sweep.emit_for +
				    (strncmp(s->sweep.emit_for, "/dev/", 5)
					     ? 0
					     : strlen("/dev/")),
			    &id);
	root_close(&root);
	return err == -ENODEV ? fail(EINVAL, "--emit-for=%s: there is no such "
					     "device",
				     s->sweep.emit_for)
	       : err	      ? fail(-err, "--emit-for=%s: %s",
				     s->sweep.emit_for, strerror(-err))
			      : 0;
}

/* --- the text --- */

/* The settings of the best variant on an axis. A scheduler that comes back
 * brings its tunables with it. */
static void emit_axis(const struct sweep *sw, const struct form *f,
		      const struct lasting *d, size_t axis, size_t best,
		      FILE *out)
{
	const char *value = sweep_plan_value(&sw->plan, best, axis);
	struct sweep_setting set;

	for (size_t k = 0; sweep_plan_setting(&sw->plan.axis[axis], value, k,
					      &set);
	     k++) {
		struct setting s = { d->device, set.knob, set.value, NULL };
		char id[KNOB_PATH_MAX];

		snprintf(id, sizeof(id), "%s.%s", d->device, set.knob);
		s.found = json_get_string(sw->found, id);
		f->line(&s, d, out);
	}
}

/* Print the settings of one device; false: they were left out, with the
 * reason. */
static bool emit_of_device(const struct sweep *sw, const struct form *f,
			   const char *device, const struct root *root,
			   size_t best, bool first, FILE *out)
{
	const bool host = device && knob_is_host(device);
	struct lasting d = { .device = device };
	const char *why = NULL;

	if (!device)
		why = "a device whose name has special characters";
	else if (host && f->no_host)
		why = "a setting of the host, which is no device; see "
		      "sysctl.d(5), --emit=tuned, --emit=shell";
	else if (!host && !emit_find(root, device, &d))
		why = "nothing in sysfs tells it from another device";
	else if (!host && f->by_place && !*d.place)
		why = "it is on no bus, and TuneD finds a device by its path; "
		      "see --emit=udev, --emit=shell";
	if (why) {
		fprintf(out, "# left out: %s%s%s\n", device ? device : "",
			device ? ": " : "", why);
		return false;
	}
	if (first)
		fputs(f->begin, out);
	f->head(&d, out);
	for (size_t a = 0; a < sw->plan.n_axes; a++) {
		const char *own = emit_device(sw, &sw->plan.axis[a]);

		if (sw->plan.axis[a].kind == SWEEP_KNOB && own &&
		    !strcmp(own, device))
			emit_axis(sw, f, &d, a, best, out);
	}
	fputs(f->tail, out);
	return true;
}

/* Whether an earlier axis has the same device. */
static bool emit_has_seen(const struct sweep *sw, size_t axis)
{
	const char *device = emit_device(sw, &sw->plan.axis[axis]);

	for (size_t a = 0; a < axis; a++) {
		const char *other = emit_device(sw, &sw->plan.axis[a]);

		if (sw->plan.axis[a].kind == SWEEP_KNOB &&
		    (device ? other && !strcmp(device, other) : !other))
			return true;
	}
	return false;
}

/* Whether a run of the variant was given up. */
static bool sweep_emit_lacks(const struct sweep *sw, size_t variant)
{
	bool lost = false;

	for (size_t i = 0; i < sw->runs.n; i++)
		lost |= sw->runs.run[i].variant == variant &&
			sw->runs.run[i].state == SWEEP_LOST;
	return lost;
}

void sweep_emit_print(const struct sweep *sw, const char *form, FILE *out)
{
	const struct form *f = text_row(form, forms, ARRAY_SIZE(forms), name);
	struct judge_verdict *v;
	bool any = false, knob = false;
	unsigned from, to;
	struct root root;
	size_t best;

	v = sweep_print_verdicts(sw, &from, &to);
	best = sweep_order_best(&sw->plan, &sw->runs, from, to);
	if (!best || judge_sign(&v[best]) <= 0 ||
	    sweep_emit_lacks(sw, best)) {
		fprintf(out, "# no variant is better than the baseline beyond "
			     "doubt: nothing to emit\n");
		free(v);
		return;
	}
	free(v);
	if (root_open(&root, sw->settings->root) < 0)
		return;
	for (size_t a = 0; a < sw->plan.n_axes; a++) {
		if (sw->plan.axis[a].kind != SWEEP_KNOB || emit_has_seen(sw, a))
			continue;
		knob = true;
		any |= emit_of_device(sw, f, emit_device(sw, &sw->plan.axis[a]),
				      &root, best, !any, out);
	}
	root_close(&root);
	if (any)
		fputs(f->undo, out);
	else if (!knob)
		fputs("# no axis is a knob: nothing to emit\n", out);
}
