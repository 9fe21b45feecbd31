/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Witness place: the descriptors between a run and its witness. Places are "-"
 * (stdout or stdin), "fd:N", "unix:PATH" and "HOST:PORT".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/text.h"
#include "cmd/options.h"
#include "workload/witness/witness.h"

/* The values of --witness-mode. */
extern const struct text_word witness_place_modes[];

/*
 * --witness of run: connect. With "-" the records get stdout, and all else that
 * is printed goes to stderr. 0, or -errno with a sentence: -EINVAL is a usage
 * error. witness_place_close() closes it.
 */
int witness_place_connect(struct settings *s) must_check;
void witness_place_close(struct settings *s);
bool witness_place_is_stdout(const struct settings *s);
/* The options of a run that is connected; fd -1: it has no witness. */
struct witness_options witness_place_options(const struct settings *s);

/*
 * --listen of witness: wait for one peer. *remote: others than this machine may
 * connect. A descriptor, or -errno with a sentence.
 */
int witness_place_listen(const char *place, bool *remote) must_check;
int witness_place_accept(int listener) must_check;
