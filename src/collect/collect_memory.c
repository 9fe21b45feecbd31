/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and writeback: /proc/meminfo ("Key: N kB") and /proc/vmstat ("key N").
 *
 * vmstat counts pages of this machine's size, but pgpgin and pgpgout in KiB.
 */
#include "collect/collector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "model/schema/schema_host.h"

/* The unit of a number in vmstat. */
enum memory_unit { UNIT_ONE, UNIT_PAGE, UNIT_KIB };

struct wanted {
	const char *key;
	size_t length;
	int to; /* a gauge or a counter */
	enum memory_unit unit;
};

#define KEY(k) k, sizeof(k) - 1

/* The total of swap; the free part is subtracted later. */
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
	uint64_t page_bytes;
};

static int memory_open(struct collector_env *env, void **state)
{
	struct memory *m = xcalloc(1, sizeof(*m));

	m->env = env;
	m->meminfo = KEPT_TEXT(COLLECT_MEMINFO);
	m->vmstat = KEPT_TEXT("proc/vmstat");
	m->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	*state = m;
	return 0;
}

static const struct wanted *find(const struct wanted *w, size_t n,
				 const char *key, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (w[i].length == length && !memcmp(w[i].key, key, length))
			return &w[i];
	return NULL;
}

/* The number after a key, in bytes or pieces; false when there is none. */
static bool value_of(const struct memory *m, const struct wanted *w,
		     const char *p, uint64_t *out)
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
	const char *p = m->meminfo.buf, *stop;

	if (kept_text_read(&m->env->files, &m->meminfo) <= 0)
		return;
	for (p = m->meminfo.buf; (stop = strchr(p, '\n')); p = stop + 1) {
		size_t length = strcspn(p, ":\n");
		const struct wanted *w =
			find(meminfo, ARRAY_SIZE(meminfo), p, length);
		uint64_t value;

		if (!w || p[length] != ':' ||
		    !value_of(m, w, p + length + 1, &value))
			continue;
		if (w->to == MEMORY_GAUGES)
			swap_free = (double)value;
		else
			raw->gauge[w->to] = (double)value;
	}
	raw->gauge[MEMORY_SWAP_USED_BYTES] -= swap_free;
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

static void read_vmstat(struct memory *m, struct memory_raw *raw)
{
	const char *p, *stop;

	if (kept_text_read(&m->env->files, &m->vmstat) <= 0) {
		m->env->lacks[LACK_VMSTAT] = true;
		return;
	}
	for (p = m->vmstat.buf; (stop = strchr(p, '\n')); p = stop + 1) {
		size_t length = strcspn(p, " \n");
		const struct wanted *w;
		uint64_t value;

		/* Most lines end here: compare the first four letters. */
		if (*p != 'p' && *p != 'n' && *p != 'w')
			continue;
		w = find(vmstat_counter, ARRAY_SIZE(vmstat_counter), p, length);
		if (w && value_of(m, w, p + length, &value))
			raw->counter[w->to] = value;
		w = find(vmstat_gauge, ARRAY_SIZE(vmstat_gauge), p, length);
		if (w && value_of(m, w, p + length, &value))
			raw->gauge[w->to] = (double)value;
	}
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

	kept_text_close(&m->env->files, &m->meminfo);
	kept_text_close(&m->env->files, &m->vmstat);
	free(m);
}

const struct collector collector_memory = {
	.name = "memory",
	.open = memory_open,
	.sample = memory_sample,
	.close = memory_close,
};
