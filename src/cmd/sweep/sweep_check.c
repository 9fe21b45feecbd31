/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep check: refuses before the first run what each run of a variant would. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "block/loop_device.h"
#include "cmd/sweep/sweep.h"
#include "knob/knob.h"

#define TRIED_BYTES (1 << 20)

/*
 * A loop device with this scheduler, on which its tunables can be looked at
 * while the device of the sweep keeps its own. False: this process can make
 * none, and the first run finds out.
 */
static bool make_tried(struct loop_device *l, const char *scheduler,
		       const struct root *root)
{
	const struct knob *row = knob_find("scheduler");
	char path[KNOB_PATH_MAX];
	int memory = memfd_create("iodyno-tunables", MFD_CLOEXEC);
	int fd = -1;
	bool made;

	l->fd = -1;
	made = memory >= 0 && loop_device_may() &&
	       !ftruncate(memory, TRIED_BYTES) &&
	       !loop_device_attach(l, memory, "iodyno-tunables");
	if (made && knob_path(row, l->device, row->name, path))
		fd = root_open_file(root, path, O_WRONLY);
	made = fd >= 0 && write(fd, scheduler, strlen(scheduler)) > 0;
	if (fd >= 0)
		close(fd);
	if (memory >= 0)
		close(memory);
	return made;
}

/* The tunables of a scheduler in a value such as bfq[slice_idle=0]. */
static int check_items(const struct sweep_axis *x, const char *value,
		       const struct root *root)
{
	struct loop_device tried = { .fd = -1 };
	struct sweep_setting s;
	char scheduler[48];
	bool made;
	int err = 0;

	if (!root->live || !sweep_plan_setting(x, value, 1, &s))
		return 0;
	sweep_plan_base(value, scheduler, sizeof(scheduler));
	made = make_tried(&tried, scheduler, root);
	for (size_t i = 1; made && !err && sweep_plan_setting(x, value, i, &s);
	     i++) {
		const char *dot = strchr(s.knob, '.');

		err = knob_check(root, tried.device, s.knob, s.value);
		if (err == -ENOENT)
			err = fail(EINVAL, "--vary=%s: %s has no tunable %s",
				   x->key, scheduler, dot ? dot + 1 : s.knob);
		else if (err == -EINVAL)
			err = fail(EINVAL, "--vary=%s: %s, tried on a loop device: %s",
				   x->key, value, strdupa(fail_sentence()));
	}
	if (tried.fd >= 0)
		close(tried.fd);
	return err;
}

static int check_knob(const struct sweep *sw, const struct sweep_axis *x,
		      const char *value, const struct root *root)
{
	const char *device = sweep_device(sw, x);
	struct sweep_setting s;
	int err;

	if (!device)
		return 0;
	(void)sweep_plan_setting(x, value, 0, &s);
	err = knob_check(root, device, s.knob, s.value);
	/* Another axis may choose the scheduler that has the tunable. */
	for (size_t a = 0; err == -ENOENT && a < sw->plan.n_axes; a++)
		if (!strcmp(sw->plan.axis[a].name, "scheduler"))
			err = 0;
	return err ? err : check_items(x, value, root);
}

int sweep_check_values(const struct sweep *sw, const struct root *root)
{
	const struct sweep_plan *p = &sw->plan;
	int err = 0;

	for (size_t a = 0; a < p->n_axes && !err; a++) {
		const struct sweep_axis *x = &p->axis[a];

		for (size_t i = 0; i < x->n && !err; i++)
			if (x->kind == SWEEP_KNOB)
				err = check_knob(sw, x, x->value[i], root);
			else if (x->kind == SWEEP_FS)
				err = sweep_stage_check_fs(&sw->stage, x->value[i]);
	}
	if (!err && p->cold == SWEEP_DROP)
		err = sweep_stage_check_drop(root);
	return err;
}
