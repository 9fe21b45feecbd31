/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processors: the cpu lines of /proc/stat.
 *
 * "cpu" is all of them, "cpuN" one that is online; then user, nice, system,
 * idle, iowait, irq, softirq and steal in 1/USER_HZ s. guest and guest_nice
 * follow, but are within user and nice already (proc_stat(5)). The counts of
 * tasks stand there as well, the load average in /proc/loadavg.
 */
#include "collect/collector.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/schema/schema_host.h"

struct cpus {
	struct collector_env *env;
	struct kept_text stat, load;
};

static int cpu_open(struct collector_env *env, void **state)
{
	struct cpus *c = xcalloc(1, sizeof(*c));

	c->env = env;
	c->stat = KEPT_TEXT(COLLECT_STAT);
	c->load = KEPT_TEXT(COLLECT_LOADAVG);
	*state = c;
	return 0;
}

/* Parse what follows "cpu" in a line that is ended with NUL. */
static void cpu_line(struct sample *s, const char *p)
{
	struct cpu_raw *raw;
	char id[16] = "all";
	size_t n = strspn(p, "0123456789");
	char *end;

	if (p[n] != ' ' || n >= sizeof(id))
		return;
	if (n > 0) {
		memcpy(id, p, n);
		id[n] = '\0';
	}
	p += n;
	raw = sample_add(s, SCHEMA_CPU);
	text_copy(raw->key.id, sizeof(raw->key.id), id);
	for (int i = 0; i < CPU_TIMES; i++) {
		raw->time[i] = strtoull(p, &end, 10);
		if (end == p)
			break;
		p = end;
	}
}

/*
 * Find a line near the end, after the long line of interrupts; false: not
 * there.
 */
static bool find_count(const struct kept_text *stat, size_t length,
		       const char *name, uint64_t *out)
{
	const char *line = memmem(stat->buf, length, name, strlen(name));

	*out = line ? strtoull(line + strlen(name), NULL, 10) : 0;
	return line != NULL;
}

/* Tasks and load, kept in the row of all processors, which is the first. */
static void add_tasks(struct cpus *c, struct sample *s, size_t length)
{
	struct cpu_raw *all = sample_row(s, SCHEMA_CPU, 0);
	char *end;

	if (strcmp(all->key.id, "all") != 0)
		return;
	all->told = find_count(&c->stat, length, "\nprocs_running ",
			       &all->running) &&
		    find_count(&c->stat, length, "\nprocs_blocked ",
			       &all->blocked);
	all->load_1m = NAN;
	if (kept_text_read(&c->env->files, &c->load) <= 0)
		return;
	all->load_1m = strtod(c->load.buf, &end);
	if (end == c->load.buf || !isfinite(all->load_1m))
		all->load_1m = NAN;
}

/* The cpu lines come first. */
static void cpu_sample(void *state, struct sample *s)
{
	struct cpus *c = state;
	char *p, *stop;

	ssize_t length = kept_text_read(&c->env->files, &c->stat);

	if (length <= 0) {
		c->env->forks = 0;
		return;
	}
	find_count(&c->stat, (size_t)length, "\nprocesses ", &c->env->forks);
	for (p = c->stat.buf; !strncmp(p, "cpu", 3); p = stop + 1) {
		stop = strchr(p, '\n');
		if (!stop)
			break;
		*stop = '\0';
		cpu_line(s, p + 3);
	}
	if (s->table[SCHEMA_CPU].n)
		add_tasks(c, s, (size_t)length);
}

static void cpu_close(void *state)
{
	struct cpus *c = state;

	kept_text_close(&c->env->files, &c->stat);
	kept_text_close(&c->env->files, &c->load);
	free(c);
}

const struct collector collector_cpu = {
	.name = "cpu",
	.open = cpu_open,
	.sample = cpu_sample,
	.close = cpu_close,
};
