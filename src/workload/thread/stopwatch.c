/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stopwatch: compare the counter with the clock, and correct it. */
#include "workload/thread/stopwatch.h"

#include <string.h>

#include "base/root.h"

#ifdef __x86_64__
#include <cpuid.h>

#define LEAST_NS 5000000ull
/*
 * The distance of the base into the past, so that a processor whose counter is
 * slightly behind still reads a later value.
 */
#define BACK_TICKS (1ull << 20)
/* A greater difference means that the counter was stopped, as by a suspend. */
#define BROKEN_NS 10000000ull

bool stopwatch_possible(void)
{
	unsigned a, b, c, d = 0;
	struct root machine;
	char name[32];
	bool is_tsc;

	/* AMD and Intel: bit 8 is "invariant TSC". */
	if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8))
		return false;
	/*
	 * Read the tree of this machine, also when iodyno reads a captured
	 * tree.
	 */
	if (root_open(&machine, NULL) < 0)
		return false;
	is_tsc = root_read_line(&machine,
				"sys/devices/system/clocksource/clocksource0/"
				"current_clocksource",
				name, sizeof(name)) > 0 &&
		 !strcmp(name, "tsc");
	root_close(&machine);
	return is_tsc;
}

/* Read both clocks at one instant; use the shortest of four tries. */
static void stopwatch_compare(uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	*ticks = *ns = 0;
	for (int i = 0; i < 4; i++) {
		uint64_t before = __builtin_ia32_rdtsc();
		uint64_t now_ns = clock_mono_ns();
		uint64_t after = __builtin_ia32_rdtsc();

		if (after - before >= best)
			continue;
		best = after - before;
		*ticks = before + best / 2;
		*ns = now_ns;
	}
}

static uint64_t stopwatch_scaled(const struct stopwatch *s, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * s->scale >> 32);
}

void stopwatch_begin(struct stopwatch *s, bool allowed)
{
	memset(s, 0, sizeof(*s));
	s->correct_ns = UINT64_MAX;
	if (allowed)
		stopwatch_compare(&s->mark_ticks, &s->mark_ns);
}

/*
 * Set the scale from the time since the mark; the base is not before least_ns.
 */
static void set_scale(struct stopwatch *s, uint64_t ticks, uint64_t ns,
		      uint64_t least_ns)
{
	s->scale = (uint64_t)(((unsigned __int128)(ns - s->mark_ns) << 32) /
			      (ticks - s->mark_ticks));
	s->mark_ticks = ticks;
	s->mark_ns = ns;
	s->base_ticks = ticks - BACK_TICKS;
	s->base_ns = (ns > least_ns ? ns : least_ns) -
		     stopwatch_scaled(s, BACK_TICKS);
	s->correct_ns = ns + NS_PER_S;
}

void stopwatch_set(struct stopwatch *s)
{
	uint64_t ticks, ns, past_ns;

	if (!s->mark_ticks)
		return;
	past_ns = clock_mono_ns() - s->mark_ns;
	if (past_ns < LEAST_NS)
		clock_pause_ns(LEAST_NS - past_ns);
	stopwatch_compare(&ticks, &ns);
	/* A counter that did not move is unusable. */
	if (ticks > s->mark_ticks && ns > s->mark_ns)
		set_scale(s, ticks, ns, 0);
}

int64_t stopwatch_correct(struct stopwatch *s)
{
	uint64_t ticks, ns, ours_ns;

	stopwatch_compare(&ticks, &ns);
	ours_ns = s->base_ns + stopwatch_scaled(s, ticks - s->base_ticks);
	if (ours_ns - ns + BROKEN_NS > 2 * BROKEN_NS) {
		s->scale = 0;
		s->correct_ns = UINT64_MAX;
		return (int64_t)(ours_ns - ns);
	}
	set_scale(s, ticks, ns, ours_ns);
	return 0;
}

#else

bool stopwatch_possible(void)
{
	return false;
}

void stopwatch_begin(struct stopwatch *s, bool allowed)
{
	memset(s, 0, sizeof(*s));
	s->correct_ns = UINT64_MAX;
}

void stopwatch_set(struct stopwatch *s)
{
}

int64_t stopwatch_correct(struct stopwatch *s)
{
	return 0;
}

#endif
