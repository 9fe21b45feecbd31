/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: lines of several hosts with labels, live, at past times, the screen of
 * the first host, and their settings.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "cmd/replay/fleet_screen.h"

#include "fuzz.h"

static const struct action keys[] = {
	{ .kind = ACTION_FLEET_DIFF },
	{ .kind = ACTION_PAUSE },
	{ .kind = ACTION_SEEK, .number = 2 },
	{ .kind = ACTION_SEEK_ALARM, .number = 1 },
	{ .kind = ACTION_STEP, .number = -1 },
	{ .kind = ACTION_FLEET_OPEN, .job = "a" },
	{ .kind = ACTION_STEP, .number = 1 },
	{ .kind = ACTION_QUIT },
	{ .kind = ACTION_SEEK, .number = 1e9 },
	{ .kind = ACTION_PAUSE },
};

static void press(struct fleet_screen *s)
{
	struct ui_view view;
	bool quit;

	fleet_screen_view(s, &view);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (fleet_screen_act(s, &keys[i], &quit) < 0) {
			must_hold(*fail_sentence());
			return;
		}
		fleet_screen_view(s, &view);
	}
}

FUZZ_TARGET(fleet)
{
	int fd = memfd_create("fleet", MFD_CLOEXEC);
	struct fleet_screen *s = NULL;
	char path[40], *paths[] = { path };
	const struct replay_options o = { .path = paths, .n = 1, .speed = 1 };

	must_hold(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fleet_screen_open(&s, &o) < 0 || fleet_screen_read(s) < 0)
		must_hold(*fail_sentence());
	else
		press(s);
	fleet_screen_free(s);
	close(fd);
	return 0;
}
