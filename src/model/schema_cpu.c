/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A processor: shares of its time, which add up to 100.
 */
#include "model/schema_cpu.h"

#include <math.h>

#include "base/attributes.h"

/*
 * A time that went backwards (idle and iowait do, proc_stat(5)) counts as 0,
 * in the share and in the sum, as iostat does it.
 */
static double delta(const struct span *s, enum cpu_time t)
{
	const struct cpu_raw *now = s->now, *prev = s->prev;

	return now->time[t] > prev->time[t] ?
		       (double)(now->time[t] - prev->time[t]) :
		       0;
}

/* The share of two times together; pass one twice for it alone. */
static double share(const struct span *s, enum cpu_time a, enum cpu_time b)
{
	double sum = 0;

	if (!s->prev)
		return NAN;
	for (int t = 0; t < CPU_TIMES; t++)
		sum += delta(s, (enum cpu_time)t);
	if (sum == 0)
		return NAN;
	return 100 * (delta(s, a) + (a == b ? 0 : delta(s, b))) / sum;
}

#define SHARE(name, a, b)                          \
	static double name(const struct span *s)   \
	{                                          \
		return share(s, a, b);             \
	}

SHARE(user_pct, CPU_USER, CPU_USER)
SHARE(nice_pct, CPU_NICE, CPU_NICE)
SHARE(system_pct, CPU_SYSTEM, CPU_SYSTEM)
SHARE(iowait_pct, CPU_IOWAIT, CPU_IOWAIT)
SHARE(irq_pct, CPU_IRQ, CPU_SOFTIRQ)
SHARE(steal_pct, CPU_STEAL, CPU_STEAL)
SHARE(idle_pct, CPU_IDLE, CPU_IDLE)

/* clang-format off */
static const struct field fields[] = {
	{ "user_pct", "%user",
	  "time in programs, not niced (guests included)",
	  FIELD_NUMBER, 7, 1, 0, NULL, user_pct, NULL, NULL },
	{ "nice_pct", "%nice",
	  "time in niced programs",
	  FIELD_NUMBER, 7, 1, 0, NULL, nice_pct, NULL, NULL },
	{ "system_pct", "%system",
	  "time in the kernel",
	  FIELD_NUMBER, 7, 1, 0, NULL, system_pct, NULL, NULL },
	{ "iowait_pct", "%iowait",
	  "idle time with a task waiting for I/O; a kind of idle, unreliable per CPU",
	  FIELD_NUMBER, 7, 1, 0, NULL, iowait_pct, NULL, NULL },
	{ "irq_pct", "%irq",
	  "time in hard and soft interrupts",
	  FIELD_NUMBER, 7, 1, 0, NULL, irq_pct, NULL, NULL },
	{ "steal_pct", "%steal",
	  "time that the hypervisor gave to others",
	  FIELD_NUMBER, 7, 1, 0, NULL, steal_pct, NULL, NULL },
	{ "idle_pct", "%idle",
	  "idle time without a task waiting for I/O",
	  FIELD_NUMBER, 7, 1, 0, NULL, idle_pct, NULL, NULL },
};
/* clang-format on */

const struct schema schema_cpu = {
	.name = "cpu",
	.help = "processors: shares of their time",
	.row_size = sizeof(struct cpu_raw),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
