/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker: what all stages of its life tell and do.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "workload/worker.h"

const char *const phase_names[PHASES] = {
	[PHASE_LAYOUT] = "layout",
	[PHASE_WAIT] = "wait",
	[PHASE_INVALIDATE] = "invalidate",
	[PHASE_RAMP] = "ramp",
	[PHASE_RUN] = "run",
	[PHASE_VERIFY] = "verify",
	[PHASE_DONE] = "done",
};

void worker_set_phase(struct worker *w, enum phase phase)
{
	atomic_store_explicit(&w->phase, phase, memory_order_release);
	gate_tell(w->gate);
}

void worker_note(struct worker *w, const char *fmt, ...)
{
	va_list ap;

	if (atomic_load_explicit(&w->noted, memory_order_relaxed))
		return;
	va_start(ap, fmt);
	vsnprintf(w->note, sizeof(w->note), fmt, ap);
	va_end(ap);
	atomic_store_explicit(&w->noted, true, memory_order_release);
	gate_tell(w->gate);
}

void worker_fail(struct worker *w, const char *fmt, ...)
{
	va_list ap;

	/* The main thread may find one at fault, too. */
	if (!atomic_exchange(&w->failing, true)) {
		va_start(ap, fmt);
		vsnprintf(w->words, sizeof(w->words), fmt, ap);
		va_end(ap);
		w->failed_ns = clock_mono_ns();
		atomic_store_explicit(&w->failed, true, memory_order_release);
	}
	atomic_store_explicit(w->stop, true, memory_order_relaxed);
	/* Clones may sleep through startdelay. */
	gate_wake(w->gate);
	gate_tell(w->gate);
}
