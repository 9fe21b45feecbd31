/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fleet screen: the hosts of a stream with labels, one row each, and the screen
 * of one of them.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "cmd/replay/replay.h"
#include "model/action.h"
#include "ui/ui.h"

struct fleet_screen;

/* Open the one stream of the options, "-" for stdin. 0, or -errno with a
 * sentence. */
int fleet_screen_open(struct fleet_screen **out,
		      const struct replay_options *o) must_check;
void fleet_screen_free(struct fleet_screen *s);

/* The descriptor to poll; -1: the stream has ended, or it is a file, from which
 * more is read now and then. */
int fleet_screen_fd(const struct fleet_screen *s);
/* Take what came. 0, or -errno with a sentence. */
int fleet_screen_read(struct fleet_screen *s) must_check;

/* Act on a key; *quit: the operator leaves. 0, or -errno with a sentence. */
int fleet_screen_act(struct fleet_screen *s, const struct action *a,
		     bool *quit) must_check;
/* Fill in the view; it borrows from s. */
void fleet_screen_view(struct fleet_screen *s, struct ui_view *view);
/* The host that is shown alone, or NULL. */
struct replay *fleet_screen_replay(struct fleet_screen *s);
