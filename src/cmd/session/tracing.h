/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracing: whether a session traces the I/O of all programs, by --bpf, and the
 * start of the trace.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/root.h"
#include "base/text.h"
#include "cmd/options.h"
#include "collect/trace.h"

/* The values of --bpf, the default first. */
extern const struct text_word tracing_modes[];

/*
 * Start the trace where the settings ask for it; by_itself: the command traces
 * without the option. Before any thread and before rights are given up. *trace
 * is NULL where there is none. 0; with --bpf=on -errno with a sentence that says
 * why there can be none.
 */
int tracing_start(struct trace **trace, const struct settings *s,
		  const struct root *root, bool by_itself) must_check;
/* NULL is fine. */
void tracing_stop(struct trace *trace);
