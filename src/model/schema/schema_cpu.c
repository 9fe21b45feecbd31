/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A processor: shares of its time, which add up to 100.
 */
#include "model/schema/schema_cpu.h"

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

static double tasks_running(const struct span *s)
{
	const struct cpu_raw *now = s->now;

	return now->told ? (double)now->running : NAN;
}

static double tasks_blocked(const struct span *s)
{
	const struct cpu_raw *now = s->now;

	return now->told ? (double)now->blocked : NAN;
}

static double load_1m(const struct span *s)
{
	const struct cpu_raw *now = s->now;

	return now->told ? now->load_1m : NAN;
}

/* clang-format off */
static const struct field fields[] = {
	{ .key = "user_pct", .title = "%user",
	  .help = "time in programs, not niced (guests included)",
	  .width = 7, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 1 },
	  .number = user_pct },
	{ .key = "nice_pct", .title = "%nice",
	  .help = "time in niced programs",
	  .width = 7, .digits = 1,
	  .number = nice_pct },
	{ .key = "system_pct", .title = "%system",
	  .help = "time in the kernel",
	  .width = 7, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 2 },
	  .number = system_pct },
	{ .key = "iowait_pct", .title = "%iowait",
	  .help = "idle time with a task waiting for I/O; a kind of idle, "
		  "unreliable per CPU",
	  .width = 7, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 3 },
	  .number = iowait_pct },
	{ .key = "irq_pct", .title = "%irq",
	  .help = "time in hard and soft interrupts",
	  .width = 7, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 4 },
	  .number = irq_pct },
	{ .key = "steal_pct", .title = "%steal",
	  .help = "time that the hypervisor gave to others",
	  .width = 7, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 5 },
	  .number = steal_pct },
	{ .key = "idle_pct", .title = "%idle",
	  .help = "idle time without a task waiting for I/O",
	  .width = 7, .digits = 1,
	  .place = { [FIELD_IN_GRAPH] = 6 },
	  .number = idle_pct },
	{ .key = "tasks_running", .title = "run",
	  .help = "tasks that run or wait for a processor (of all processors)",
	  .kind = FIELD_NUMBER, .width = 5, .number = tasks_running },
	{ .key = "tasks_blocked", .title = "D",
	  .help = "tasks that wait for I/O, in state D (of all processors)",
	  .kind = FIELD_NUMBER, .width = 5, .number = tasks_blocked },
	{ .key = "load_1m", .title = "load",
	  .help = "load average of one minute (of all processors)",
	  .kind = FIELD_NUMBER, .width = 6, .digits = 2, .number = load_1m },
};
/* clang-format on */

const struct schema schema_cpu = {
	.name = "cpu",
	.help = "processors: shares of their time",
	.row_size = sizeof(struct cpu_raw),
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
