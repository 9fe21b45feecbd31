/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collectors of the whole machine: processors, memory, pressure, and this
 * process.
 */
#include "collect/collector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/clock.h"
#include "base/root.h"
#include "base/text.h"
#include "collect/collect.h"
#include "model/schema/schema_machine.h"

/* --- processors: the cpu lines of /proc/stat --- */

/*
 * "cpu" is all of them, "cpuN" one that is online; then user, nice, system,
 * idle, iowait, irq, softirq and steal in 1/USER_HZ s. guest and guest_nice
 * follow, but are within user and nice already (proc_stat(5)). The counts of
 * tasks stand there as well, the load average in /proc/loadavg.
 */
struct cpus {
	struct collector_env *env;
	struct kept_text stat, load;
};

static int cpu_open(struct collector_env *env, void *state)
{
	struct cpus *c = state;

	c->env = env;
	c->stat = KEPT_TEXT(COLLECT_STAT);
	c->load = KEPT_TEXT(COLLECT_LOADAVG);
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
	text_set(raw->key.id, id);
	raw->load_1m = NAN;
	raw->running = raw->blocked = -1;
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
	uint64_t running, blocked;
	char *end, *last;

	if (strcmp(all->key.id, "all") != 0)
		return;
	if (find_count(&c->stat, length, "\nprocs_running ", &running) &&
	    find_count(&c->stat, length, "\nprocs_blocked ", &blocked)) {
		all->running = (int64_t)running;
		all->blocked = (int64_t)blocked;
	}
	c->env->last_pid = 0;
	if (root_kept_text_read(&c->env->files, &c->load) <= 0)
		return;
	all->load_1m = strtod(c->load.buf, &end);
	if (end == c->load.buf || !isfinite(all->load_1m))
		all->load_1m = NAN;
	/* "0.20 0.18 0.12 1/80 11206": the last pid that was given. */
	last = strrchr(c->load.buf, ' ');
	c->env->last_pid = last ? (pid_t)atoi(last) : 0;
}

/* The cpu lines come first. */
static void cpu_sample(void *state, struct sample *s)
{
	struct cpus *c = state;
	char *p, *stop;

	ssize_t length = root_kept_text_read(&c->env->files, &c->stat);

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

	root_kept_text_close(&c->env->files, &c->stat);
	root_kept_text_close(&c->env->files, &c->load);
}

const struct collector collector_cpu = {
	.size = sizeof(struct cpus),
	.open = cpu_open,
	.sample = cpu_sample,
	.close = cpu_close,
};

/* --- memory and writeback --- */

/*
 * /proc/meminfo ("Key: N kB") and /proc/vmstat ("key N"). vmstat counts pages
 * of this machine's size, but pgpgin and pgpgout in KiB. The unit of a number of
 * vmstat:
 */
enum memory_unit { UNIT_ONE, UNIT_PAGE, UNIT_KIB };

struct wanted {
	const char *key;
	size_t length;
	int to; /* a gauge or a counter */
	enum memory_unit unit;
};

#define KEY(k) k, sizeof(k) - 1

/*
 * The swap in use begins as the total; read_meminfo() subtracts the free part.
 */
static const struct wanted meminfo[] = {
	{ KEY("MemTotal"), MEMORY_TOTAL_BYTES, UNIT_KIB },
	{ KEY("MemAvailable"), MEMORY_AVAILABLE_BYTES, UNIT_KIB },
	{ KEY("Cached"), MEMORY_CACHED_BYTES, UNIT_KIB },
	{ KEY("Dirty"), MEMORY_DIRTY_BYTES, UNIT_KIB },
	{ KEY("Writeback"), MEMORY_WRITEBACK_BYTES, UNIT_KIB },
	{ KEY("SwapTotal"), MEMORY_SWAP_USED_BYTES, UNIT_KIB },
	{ KEY("SwapFree"), MEMORY_GAUGES, UNIT_KIB },
};

static const struct wanted vmstat_gauge[] = {
	{ KEY("nr_dirty_threshold"), MEMORY_DIRTY_LIMIT_BYTES, UNIT_PAGE },
	{ KEY("nr_dirty_background_threshold"), MEMORY_DIRTY_BACKGROUND_BYTES,
	  UNIT_PAGE },
};

/* The second name of a counter is that of kernels before 5.9. */
static const struct wanted vmstat_counter[] = {
	{ KEY("pgpgin"), MEMORY_PGPGIN_BYTES_PER_S, UNIT_KIB },
	{ KEY("pgpgout"), MEMORY_PGPGOUT_BYTES_PER_S, UNIT_KIB },
	{ KEY("nr_dirtied"), MEMORY_DIRTIED_BYTES_PER_S, UNIT_PAGE },
	{ KEY("nr_written"), MEMORY_WRITTEN_BYTES_PER_S, UNIT_PAGE },
	{ KEY("pgscan_kswapd"), MEMORY_KSWAPD_SCAN_PER_S, UNIT_ONE },
	{ KEY("pgscan_direct"), MEMORY_DIRECT_SCAN_PER_S, UNIT_ONE },
	{ KEY("pgmajfault"), MEMORY_MAJOR_FAULT_PER_S, UNIT_ONE },
	{ KEY("workingset_refault_file"), MEMORY_REFAULT_PER_S, UNIT_ONE },
	{ KEY("pswpin"), MEMORY_SWAP_IN_BYTES_PER_S, UNIT_PAGE },
	{ KEY("pswpout"), MEMORY_SWAP_OUT_BYTES_PER_S, UNIT_PAGE },
	{ KEY("workingset_refault"), MEMORY_REFAULT_PER_S, UNIT_ONE },
};

struct memory {
	struct collector_env *env;
	struct kept_text meminfo, vmstat;
	/*
	 * The first bytes of vmstat have so many lines that are wanted, which is
	 * all; 0: not known. The kernel makes the whole text again for each page
	 * of it that is read.
	 */
	size_t vmstat_bytes, vmstat_lines;
	uint64_t page_bytes;
};

/* Numbers grow. */
#define VMSTAT_SPARE 256

static int memory_open(struct collector_env *env, void *state)
{
	struct memory *m = state;

	m->env = env;
	m->meminfo = KEPT_TEXT(COLLECT_MEMINFO);
	m->vmstat = KEPT_TEXT("proc/vmstat");
	m->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

static const struct wanted *collect_host_find(const struct wanted *w, size_t n,
					      const char *key, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (w[i].length == length && !memcmp(w[i].key, key, length))
			return &w[i];
	return NULL;
}

/* The number after a key, in bytes or as a count; false when there is none. */
static bool collect_host_value_of(const struct memory *m,
				  const struct wanted *w, const char *p,
				  uint64_t *out)
{
	static const unsigned kib = 1024;
	char *end;

	*out = strtoull(p, &end, 10);
	if (end == p)
		return false;
	if (w->unit == UNIT_PAGE)
		*out *= m->page_bytes;
	else if (w->unit == UNIT_KIB)
		*out *= kib;
	return true;
}

static void read_meminfo(struct memory *m, struct memory_raw *raw)
{
	double swap_free = NAN;
	const char *p, *stop;

	if (root_kept_text_read(&m->env->files, &m->meminfo) <= 0)
		return;
	for (p = m->meminfo.buf; (stop = strchr(p, '\n')); p = stop + 1) {
		size_t length = strcspn(p, ":\n");
		const struct wanted *w = collect_host_find(
			meminfo, ARRAY_SIZE(meminfo), p, length);
		uint64_t value;

		if (!w || p[length] != ':' ||
		    !collect_host_value_of(m, w, p + length + 1, &value))
			continue;
		if (w->to == MEMORY_GAUGES)
			swap_free = (double)value;
		else
			raw->gauge[w->to] = (double)value;
	}
	raw->gauge[MEMORY_SWAP_USED_BYTES] -= swap_free;
	m->env->swap_used = raw->gauge[MEMORY_SWAP_USED_BYTES] > 0;
}

static double kib_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtod(at + strlen(key), NULL) * 1024 : NAN;
}

double collect_dirty_bytes(const struct root *root)
{
	char text[8192];

	if (root_read(root, COLLECT_MEMINFO, text, sizeof(text)) <= 0)
		return NAN;
	return kib_of(text, "\nDirty:") + kib_of(text, "\nWriteback:");
}

/* Find what is wanted; returns the number of its lines, *end is behind the last. */
static size_t parse_vmstat(const struct memory *m, struct memory_raw *raw,
			   size_t *end)
{
	const char *p, *stop;
	size_t lines = 0;

	for (p = m->vmstat.buf; (stop = strchr(p, '\n')); p = stop + 1) {
		size_t length = strcspn(p, " \n");
		const struct wanted *w;
		uint64_t value;

		/* Most lines end here: compare the first four letters. */
		if (*p != 'p' && *p != 'n' && *p != 'w')
			continue;
		w = collect_host_find(vmstat_counter,
				      ARRAY_SIZE(vmstat_counter), p, length);
		if (w && collect_host_value_of(m, w, p + length, &value))
			raw->counter[w->to] = value;
		if (!w) {
			w = collect_host_find(vmstat_gauge,
					      ARRAY_SIZE(vmstat_gauge), p,
					      length);
			if (w && collect_host_value_of(m, w, p + length, &value))
				raw->gauge[w->to] = (double)value;
		}
		if (!w)
			continue;
		lines++;
		*end = (size_t)(stop + 1 - m->vmstat.buf);
	}
	return lines;
}

static void read_vmstat(struct memory *m, struct memory_raw *raw)
{
	struct kept_files *files = &m->env->files;
	size_t end = 0;

	if (m->vmstat_bytes &&
	    root_kept_read(files, &m->vmstat.file, m->vmstat.path,
			   m->vmstat.buf, m->vmstat_bytes) > 0 &&
	    parse_vmstat(m, raw, &end) == m->vmstat_lines)
		return;
	if (root_kept_text_read(files, &m->vmstat) <= 0) {
		m->env->lacks[LACK_VMSTAT] = true;
		return;
	}
	m->vmstat_lines = parse_vmstat(m, raw, &end);
	m->vmstat_bytes = end + VMSTAT_SPARE < m->vmstat.size ?
				  end + VMSTAT_SPARE :
				  0;
}

static void memory_sample(void *state, struct sample *s)
{
	struct memory *m = state;
	struct memory_raw *raw = sample_add(s, SCHEMA_MEMORY);

	for (int i = 0; i < MEMORY_GAUGES; i++)
		raw->gauge[i] = NAN;
	memset(raw->counter, 0xff, sizeof(raw->counter));
	read_meminfo(m, raw);
	read_vmstat(m, raw);
}

static void memory_close(void *state)
{
	struct memory *m = state;

	root_kept_text_close(&m->env->files, &m->meminfo);
	root_kept_text_close(&m->env->files, &m->vmstat);
}

const struct collector collector_memory = {
	.size = sizeof(struct memory),
	.open = memory_open,
	.sample = memory_sample,
	.close = memory_close,
};

/* --- pressure: /proc/pressure/{cpu,memory,io} --- */

/*
 * Lines "some avg10=A avg60=B avg300=C total=US" and "full ..." of the same
 * shape; only the totals are read, they suit any interval. Without PSI the
 * files are absent, or a read gives EOPNOTSUPP (psi=0).
 */
static const struct {
	const char *id, *path;
} sources[] = {
	{ "cpu", "proc/pressure/cpu" },
	{ "memory", "proc/pressure/memory" },
	{ "io", "proc/pressure/io" },
};

struct pressure {
	struct collector_env *env;
	struct kept file[ARRAY_SIZE(sources)];
	bool absent[ARRAY_SIZE(sources)];
};

static int pressure_open(struct collector_env *env, void *state)
{
	struct pressure *p = state;

	p->env = env;
	env->lacks[LACK_PSI] = true;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		char buf[512];

		p->file[i] = KEPT_NONE;
		p->absent[i] =
			root_kept_first(&env->files, &p->file[i],
					sources[i].path, buf, sizeof(buf)) <= 0;
		if (!p->absent[i])
			env->lacks[LACK_PSI] = false;
	}
	return 0;
}

uint64_t collect_pressure_total(const char *text, const char *word)
{
	const char *line = strstr(text, word), *at;
	uint64_t value;
	char *end;

	if (!line)
		return UINT64_MAX;
	at = strstr(line, "total=");
	if (!at || memchr(line, '\n', (size_t)(at - line)))
		return UINT64_MAX;
	value = strtoull(at + 6, &end, 10);
	return end == at + 6 ? UINT64_MAX : value;
}

static void pressure_sample(void *state, struct sample *s)
{
	struct pressure *p = state;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		struct pressure_raw *raw;
		uint64_t some;
		char buf[512];

		if (p->absent[i] ||
		    root_kept_read(&p->env->files, &p->file[i], sources[i].path,
				   buf, sizeof(buf)) <= 0)
			continue;
		some = collect_pressure_total(buf, "some ");
		if (some == UINT64_MAX)
			continue;
		raw = sample_add(s, SCHEMA_PRESSURE);
		text_set(raw->key.id, sources[i].id);
		raw->some_us = some;
		raw->full_us = collect_pressure_total(buf, "full ");
	}
}

static void pressure_close(void *state)
{
	struct pressure *p = state;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		root_kept_close(&p->env->files, &p->file[i]);
}

const struct collector collector_pressure = {
	.size = sizeof(struct pressure),
	.open = pressure_open,
	.sample = pressure_sample,
	.close = pressure_close,
};

/* --- the program itself --- */

/*
 * The CPU time of the sampling thread, and the time for which the limit of a
 * control group held all threads back.
 */
/* cpu.max of version 2 ("max 100000"), cpu.cfs_quota_us of version 1 (-1). */
static bool limits_cpu(const struct root *root, const char *folder)
{
	static const char *const files[] = { "cpu.max", "cpu.cfs_quota_us" };
	char path[640];
	long long quota;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		if (root_read_number(root, path, &quota) && quota > 0)
			return true;
	}
	return false;
}

void collect_self_limits(const struct root *root, struct self_limits *limits)
{
	char folder[580];

	limits->n = 0;
	/* A captured tree is not where this program runs. */
	if (!root->live)
		return;
	for (unsigned up = 0;
	     limits->n < SELF_LIMITS &&
	     root_control_group(root, 0, "cpu", up, folder, sizeof(folder));
	     up++)
		if (limits_cpu(root, folder))
			snprintf(limits->path[limits->n++],
				 sizeof(limits->path[0]), "%s/cpu.stat",
				 folder);
}

/*
 * cpu.stat: throttled_usec of version 2, throttled_time (ns) of version 1; the
 * sum over the threads' processors. NaN without a limit.
 */
static double throttled_ns(const struct root *root,
			   const struct self_limits *limits)
{
	char text[1024];
	const char *at;
	double sum = 0;

	for (size_t i = 0; i < limits->n; i++) {
		if (root_read(root, limits->path[i], text, sizeof(text)) <= 0)
			continue;
		at = strstr(text, "throttled_usec ");
		if (at)
			sum += strtod(at + 15, NULL) * 1000;
		at = strstr(text, "throttled_time ");
		if (at)
			sum += strtod(at + 15, NULL);
	}
	return limits->n ? sum : NAN;
}

/* The clock of the thread is RUSAGE_THREAD in ns instead of us. */
void collect_self(struct sample *s, const struct root *root,
		  const struct self_limits *limits, uint64_t frame_ns,
		  uint64_t late)
{
	struct self_raw *raw = sample_add(s, SCHEMA_SELF);

	raw->cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	raw->throttled_ns = throttled_ns(root, limits);
	raw->frame_ns = frame_ns;
	raw->late = late;
	raw->trace_ns_per_io = raw->trace_ns = raw->trace_skipped = NAN;
}
