/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process: what it used in an interval.
 */
#include "model/schema_task.h"

#include <math.h>

#include "base/attributes.h"

static const struct task_raw *now(const struct span *s)
{
	return s->now;
}

static const struct task_raw *prev(const struct span *s)
{
	return s->prev;
}

/*
 * What was used per second: between the last two looks where they are not made
 * at every sample, so that no rate is higher than it was; else between the
 * two samples.
 */
static double per_s(const struct span *s, uint64_t step, uint64_t to,
		    uint64_t from)
{
	if (now(s)->step_ns)
		return (double)step * 1e9 / (double)now(s)->step_ns;
	return schema_delta64(to, from) / s->seconds;
}

static double cpu_pct(const struct span *s)
{
	if (!s->prev)
		return NAN;
	return per_s(s, now(s)->step.cpu_ns, now(s)->cpu_ns, prev(s)->cpu_ns) /
	       1e7;
}

static double read_bytes_per_s(const struct span *s)
{
	if (!s->prev || !now(s)->has_io)
		return NAN;
	return per_s(s, now(s)->step.read_bytes, now(s)->read_bytes,
		     prev(s)->read_bytes);
}

static double write_bytes_per_s(const struct span *s)
{
	if (!s->prev || !now(s)->has_io)
		return NAN;
	return per_s(s, now(s)->step.write_bytes, now(s)->write_bytes,
		     prev(s)->write_bytes);
}

static double io_delay_pct(const struct span *s)
{
	if (!s->prev || !now(s)->has_delay)
		return NAN;
	return per_s(s, now(s)->step.delay_ns, now(s)->delay_ns,
		     prev(s)->delay_ns) /
	       1e7;
}

static double kernel(const struct span *s)
{
	return now(s)->kernel;
}

static double threads(const struct span *s)
{
	return now(s)->threads;
}

static double uid(const struct span *s)
{
	return now(s)->uid;
}

static const char *comm(const struct span *s)
{
	return now(s)->comm;
}

/* One letter; a table of all letters gives it an address that lasts. */
static const char *state(const struct span *s)
{
	static const char letters[26][2] = { "A", "B", "C", "D", "E", "F", "G",
					     "H", "I", "J", "K", "L", "M", "N",
					     "O", "P", "Q", "R", "S", "T", "U",
					     "V", "W", "X", "Y", "Z" };
	int i = (now(s)->state & ~0x20) - 'A';

	return i >= 0 && i < 26 ? letters[i] : NULL;
}

#define KIB (1.0 / 1024)

/* clang-format off */
static const struct field fields[] = {
	{ "comm", "command",
	  "name of the process (kernel threads stand in brackets on the screen)",
	  FIELD_TEXT, 16, 0, 0, NULL, NULL, comm, NULL },
	{ "cpu_pct", "%cpu",
	  "CPU time of all its threads, 100 is one processor",
	  FIELD_NUMBER, 6, 1, 0, NULL, cpu_pct, NULL, NULL },
	{ "read_bytes_per_s", "rkB/s",
	  "bytes that it caused to be read from block devices (on the screen in KiB)",
	  FIELD_NUMBER, 10, 1, KIB, NULL, read_bytes_per_s, NULL, NULL },
	{ "write_bytes_per_s", "wkB/s",
	  "bytes that it dirtied or wrote directly (on the screen in KiB)",
	  FIELD_NUMBER, 10, 1, KIB, NULL, write_bytes_per_s, NULL, NULL },
	{ "io_delay_pct", "%iodly",
	  "time that it waited for block I/O; absent unless kernel.task_delayacct is 1",
	  FIELD_NUMBER, 6, 1, 0, NULL, io_delay_pct, NULL, NULL },
	{ "state", "S",
	  "state letter: R running, S sleeping, D waiting for I/O, I idle kernel thread",
	  FIELD_TEXT, 1, 0, 0, NULL, NULL, state, NULL },
	{ "threads", "thr",
	  "number of threads",
	  FIELD_NUMBER, 4, 0, 0, NULL, threads, NULL, NULL },
	{ "uid", "uid",
	  "user that it runs as",
	  FIELD_NUMBER, 6, 0, 0, NULL, uid, NULL, NULL },
	{ "kernel", "k",
	  "1 for a kernel thread (kswapd, jbd2, kworker)",
	  FIELD_NUMBER, 1, 0, 0, NULL, kernel, NULL, NULL },
};
/* clang-format on */

const struct schema schema_task = {
	.name = "task",
	.help = "processes and kernel threads by I/O and CPU",
	.row_size = sizeof(struct task_raw),
	.born_zero = true,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
};
