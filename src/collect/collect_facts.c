/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host: the facts in the header of a log, and the messages of the kernel.
 *
 * The facts are the environment that may change the results: kernel and its
 * debug options, CPU frequency, mitigations, memory limit, firmware of disks,
 * mounted file systems. Facts that the kernel does not provide are left out.
 */
#include "collect/collect.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/alloc.h"
#include "base/attributes.h"
#include "base/text.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "collect/collector.h"
#include "collect/task.h"

#define CPUS "sys/devices/system/cpu"

int64_t collect_throttles(const struct root *root)
{
	static const char *const names[] = { "core", "package" };
	int64_t sum = -1;
	char path[96], line[32];

	for (unsigned cpu = 0;; cpu++) {
		snprintf(path, sizeof(path), CPUS "/cpu%u", cpu);
		if (!root_exists(root, path))
			return sum;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			snprintf(path, sizeof(path),
				 CPUS "/cpu%u/thermal_throttle/"
				      "%s_throttle_count",
				 cpu, names[i]);
			if (root_read_line(root, path, line, sizeof(line)) > 0)
				sum = (sum < 0 ? 0 : sum) +
				      strtoll(line, NULL, 10);
		}
	}
}

/* --- the host --- */

static void collect_facts_read_text(const struct root *root, const char *path,
				    char *out, size_t size)
{
	if (root_read_line(root, path, out, size) < 0)
		out[0] = '\0';
	text_clean(out);
}

/*
 * The names of the processor's model in /proc/cpuinfo: x86, arm, powerpc, s390,
 * riscv.
 */
static void cpu_model(const struct root *root, char *out, size_t size)
{
	static const char *const keys[] = { "model name", "cpu model", "Model",
					    "Processor",  "cpu",       "uarch",
					    "Hardware",   "CPU part",  "isa" };
	char buf[8192];

	out[0] = '\0';
	/* The first processor's lines are enough. */
	if (root_read(root, "proc/cpuinfo", buf, sizeof(buf)) <= 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(keys) && !out[0]; i++) {
		size_t n = strlen(keys[i]);

		for (char *p = buf; p; p = strchr(p, '\n')) {
			char *value;

			p += *p == '\n';
			value = p + n;
			if (strncmp(p, keys[i], n) != 0)
				continue;
			value += strspn(value, " \t");
			if (*value != ':')
				continue;
			value[strcspn(value, "\n")] = '\0';
			text_copy(out, size, text_trim(value + 1));
			break;
		}
	}
	text_clean(out);
}

/* Processors that are online have a line "cpuN" in /proc/stat. */
static unsigned cpus_online(const struct root *root)
{
	enum { SIZE = 1 << 20 };
	char *buf = xmalloc(SIZE);
	unsigned n = 0;

	if (root_read(root, COLLECT_STAT, buf, SIZE) > 0)
		for (char *p = buf; p && !strncmp(p, "cpu", 3);) {
			n += isdigit((unsigned char)p[3]) != 0;
			p = strchr(p, '\n');
			p = p ? p + 1 : NULL;
		}
	free(buf);
	return n;
}

static uint64_t collect_facts_memory_bytes(const struct root *root)
{
	char buf[256], *p;

	if (root_read(root, COLLECT_MEMINFO, buf, sizeof(buf)) <= 0)
		return 0;
	p = strstr(buf, "MemTotal:");
	return p ? strtoull(p + 9, NULL, 10) * 1024 : 0;
}

void collect_clock(struct clock_facts *out)
{
	struct timex t = { .modes = 0 };
	int state = adjtimex(&t);

	memset(out, 0, sizeof(*out));
	if (state < 0)
		return;
	out->known = true;
	out->synchronized = state != TIME_ERROR && !(t.status & STA_UNSYNC);
	out->max_error_ns = t.maxerror > 0 ? (uint64_t)t.maxerror * 1000 : 0;
	out->est_error_ns = t.esterror > 0 ? (uint64_t)t.esterror * 1000 : 0;
}

void collect_host(const struct root *root, struct host_info *out)
{
	memset(out, 0, sizeof(*out));
	collect_clock(&out->clock);
	collect_facts_read_text(root, "proc/sys/kernel/hostname", out->name,
				sizeof(out->name));
	collect_facts_read_text(root, "proc/sys/kernel/osrelease", out->kernel,
				sizeof(out->kernel));
	root_boot_id(root, out->boot_id, sizeof(out->boot_id));
	text_clean(out->boot_id);
	cpu_model(root, out->cpu, sizeof(out->cpu));
	out->cpus = cpus_online(root);
	out->memory_bytes = collect_facts_memory_bytes(root);
}

/* --- facts --- */

struct facts {
	const struct root *root;
	struct header *header;
	size_t cap;
};

static void collect_facts_add(struct facts *f, const char *key,
			      const char *value)
{
	struct header *h = f->header;

	if (!*value)
		return;
	h->fact = xgrow(h->fact, &f->cap, h->n_facts + 1, sizeof(*h->fact));
	text_copy(h->fact[h->n_facts].key, sizeof(h->fact->key), key);
	text_copy(h->fact[h->n_facts].value, sizeof(h->fact->value), value);
	text_clean(h->fact[h->n_facts].key);
	text_clean(h->fact[h->n_facts].value);
	h->n_facts++;
}

/* One line of a file; of "always [madvise] never" the choice. */
static void collect_facts_add_file(struct facts *f, const char *key,
				   const char *path)
{
	char line[4096], *open, *close;

	if (root_read_line(f->root, path, line, sizeof(line)) <= 0)
		return;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close) {
		*close = '\0';
		collect_facts_add(f, key, open + 1);
	} else {
		collect_facts_add(f, key, line);
	}
}

/* --- the kernel's configuration --- */

/* Options that cost time or change its order. */
static const char *const debug_options[] = {
	"KASAN",	   "KCSAN",	      "KMSAN",
	"UBSAN",	   "KCOV",	      "GCOV_KERNEL",
	"PROVE_LOCKING",   "LOCK_STAT",	      "DEBUG_LOCK_ALLOC",
	"DEBUG_PAGEALLOC", "DEBUG_KMEMLEAK",  "SLUB_DEBUG_ON",
	"DEBUG_VM",	   "DEBUG_OBJECTS",   "DEBUG_ATOMIC_SLEEP",
	"DEBUG_PREEMPT",   "FAULT_INJECTION", "PAGE_POISONING",
};

#define CONFIG_BYTES (1 << 20)

/* /proc/config.gz, unpacked; false without zlib, or where there is none. */
static bool collect_facts_read_packed(const struct root *root, char *out,
				      size_t size)
{
#ifdef HAVE_ZLIB
	char *packed = xmalloc(CONFIG_BYTES);
	ssize_t n = root_read(root, "proc/config.gz", packed, CONFIG_BYTES);
	z_stream z = { 0 };
	int rc = Z_DATA_ERROR;

	if (n > 0 && inflateInit2(&z, 16 + MAX_WBITS) == Z_OK) {
		z.next_in = (Bytef *)packed;
		z.avail_in = (uInt)n;
		z.next_out = (Bytef *)out;
		z.avail_out = (uInt)(size - 1);
		rc = inflate(&z, Z_FINISH);
		out[size - 1 - z.avail_out] = '\0';
		inflateEnd(&z);
	}
	free(packed);
	return rc == Z_STREAM_END || rc == Z_BUF_ERROR;
#else
	return false;
#endif
}

static bool is_set(const char *config, const char *option)
{
	char line[64];
	const char *at;

	snprintf(line, sizeof(line), "CONFIG_%s=y", option);
	at = strstr(config, line);
	return at && (at == config || at[-1] == '\n') &&
	       (at[strlen(line)] == '\n' || !at[strlen(line)]);
}

static void add_config(struct facts *f)
{
	char *config = xmalloc(CONFIG_BYTES), path[256], found[256] = "";
	bool known;

	snprintf(path, sizeof(path), "boot/config-%s", f->header->host.kernel);
	known = collect_facts_read_packed(f->root, config, CONFIG_BYTES) ||
		root_read(f->root, path, config, CONFIG_BYTES) > 0;
	for (size_t i = 0; known && i < ARRAY_SIZE(debug_options); i++)
		if (is_set(config, debug_options[i]))
			text_append(found, "%s%s", *found ? " " : "",
				    debug_options[i]);
	if (known)
		collect_facts_add(f, FACT_DEBUG, *found ? found : FACT_NONE);
	free(config);
}

/* --- the processor --- */

/* "Vulnerable: ..." and "Mitigation: ..." by name; the others are safe. */
static void add_mitigations(struct facts *f)
{
	static const char *const state[] = { "Mitigation", "Vulnerable" };
	static const char *const key[] = { "mitigations", "vulnerable" };
	char words[2][256] = { "", "" };
	size_t n;
	struct sysfs_name *name = sysfs_names(f->root, CPUS, "vulnerabilities", &n);

	for (size_t i = 0; i < n; i++) {
		char path[320], line[256];

		snprintf(path, sizeof(path), CPUS "/vulnerabilities/%s",
			 name[i].text);
		if (root_read_line(f->root, path, line, sizeof(line)) <= 0)
			continue;
		for (size_t k = 0; k < 2; k++)
			if (!strncmp(line, state[k], strlen(state[k])))
				text_join(words[k], sizeof(words[k]), " ", "%s",
					  name[i].text);
	}
	free(name);
	for (size_t k = 0; n && k < 2; k++)
		collect_facts_add(f, key[k], *words[k] ? words[k] : FACT_NONE);
}

/* --- memory --- */

static void add_memory_limit(struct facts *f)
{
	const long long limit = root_memory_limit(f->root);
	char text[32];

	if (!limit)
		return;
	snprintf(text, sizeof(text), "%lld", limit);
	collect_facts_add(f, FACT_MEMORY_LIMIT, text);
}

/* --- priority --- */

/* Its jobs inherit it, so ordinary processes do not take processors from them. */
static void add_realtime(struct facts *f)
{
	struct sched_param p = { .sched_priority = 0 };
	char text[32];

	if (sched_getparam(0, &p) || !p.sched_priority)
		return;
	snprintf(text, sizeof(text), "%d", p.sched_priority);
	collect_facts_add(f, FACT_REALTIME, text);
}

/* --- disks --- */

static void collect_facts_add_disk(struct facts *f, const char *disk)
{
	static const struct {
		const char *key, *file;
	} rows[] = {
		{ "vendor", "device/vendor" },
		{ "firmware", "device/firmware_rev" },
		{ "firmware", "device/rev" },
		{ "wwid", "wwid" },
		{ "wwid", "device/wwid" },
		{ "write_cache", "queue/write_cache" },
		{ "physical_block_bytes", "queue/physical_block_size" },
		{ "zoned", "queue/zoned" },
		{ "direct_io_below", "loop/dio" },
	};
	char path[320], key[80], name[SYSFS_NAME_MAX];

	text_set(name, disk);
	sysfs_name_swap(name, true);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char folder[200];

		if (!sysfs_path_of(folder, sizeof(folder), name, rows[i].file))
			continue;
		text_set(path, folder);
		snprintf(key, sizeof(key), "%.31s.%s", disk, rows[i].key);
		collect_facts_add_file(f, key, path);
	}
}

/* Most machines have none, which one look tells for all disks. */
static void add_io_limits(struct facts *f)
{
	char *any = io_limit_of_task(f->root, 0, NULL);

	for (size_t i = 0; any && i < f->header->n_devices; i++) {
		const char *disk = f->header->device[i].id;
		char *limit = io_limit_of_task(f->root, 0, disk), key[80];

		snprintf(key, sizeof(key), "%.31s." FACT_IO_LIMIT, disk);
		if (limit)
			collect_facts_add(f, key, limit);
		free(limit);
	}
	free(any);
}

/* "/ ext4 rw,relatime,errors=remount-ro", and whether ext4 has a journal. */
static void add_mounts(struct facts *f)
{
	struct mounts *mounts = mounts_read(f->root);
	const struct mount *m;

	for (size_t i = 0; (m = mounts_at(mounts, i)) && i < 200; i++) {
		const char *name = mounts_source_name(m);
		char key[80], value[512], path[160];

		if (!*name)
			continue;
		snprintf(key, sizeof(key), "%.31s.mount", name);
		snprintf(value, sizeof(value), "%.120s %.32s %.300s", m->point,
			 m->type, m->options);
		collect_facts_add(f, key, value);
		if (strcmp(m->type, "ext4") != 0)
			continue;
		snprintf(path, sizeof(path), "sys/fs/ext4/%.31s/journal_task",
			 name);
		snprintf(key, sizeof(key), "%.31s.journal", name);
		collect_facts_add(f, key,
				  root_exists(f->root, path) ? "yes" : "no");
	}
	mounts_free(mounts);
}

void collect_facts(const struct root *root, struct header *h)
{
	static const struct {
		const char *key, *path;
	} rows[] = {
		{ "machine", "proc/sys/kernel/arch" },
		{ "kernel_version", "proc/sys/kernel/version" },
		{ "kernel_command_line", "proc/cmdline" },
		{ "kernel_tainted", "proc/sys/kernel/tainted" },
		{ "governor",
		  CPUS "/cpu0/cpufreq/scaling_governor" },
		{ "frequency_driver",
		  CPUS "/cpu0/cpufreq/scaling_driver" },
		{ "boost", CPUS "/cpufreq/boost" },
		{ "no_turbo", CPUS "/intel_pstate/no_turbo" },
		{ "smt", CPUS "/smt/control" },
		{ "transparent_hugepage",
		  "sys/kernel/mm/transparent_hugepage/enabled" },
		{ "ksm", "sys/kernel/mm/ksm/run" },
		{ "damon", "sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds" },
		{ "numa_balancing", "proc/sys/kernel/numa_balancing" },
	};
	struct facts f = { .root = root, .header = h };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		collect_facts_add_file(&f, rows[i].key, rows[i].path);
	add_config(&f);
	add_mitigations(&f);
	add_memory_limit(&f);
	add_realtime(&f);
	for (size_t i = 0; i < h->n_devices; i++)
		if (h->device[i].size_bytes)
			collect_facts_add_disk(&f, h->device[i].id);
	add_io_limits(&f);
	add_mounts(&f);
}

/* --- the kernel's log: /dev/kmsg, one message a read(2) --- */

#define RECORD_BYTES 8192

bool collect_log_open(struct kernel_log *k, const struct root *root)
{
	k->fd = root_open_file(root, "dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (k->fd < 0)
		k->fd = -1;
	collect_log_skip(k);
	return k->fd >= 0;
}

void collect_log_skip(struct kernel_log *k)
{
	if (k->fd >= 0 && lseek(k->fd, 0, SEEK_END) < 0)
		collect_log_close(k);
}

void collect_log_close(struct kernel_log *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

/* "6,339,5140900,-;text\n KEY=value\n": the text. */
bool collect_log_next(struct kernel_log *k, char *text, size_t size)
{
	char record[RECORD_BYTES], *at;
	ssize_t n;

	if (k->fd < 0)
		return false;
	/* EPIPE: the kernel has overwritten the next ones; go on behind them.
	 */
	do
		n = read(k->fd, record, sizeof(record) - 1);
	while (n < 0 && (errno == EPIPE || errno == EINTR));
	if (n <= 0)
		return false;
	record[n] = '\0';
	record[strcspn(record, "\n")] = '\0';
	at = strchr(record, ';');
	text_copy(text, size, at ? at + 1 : record);
	text_clean(text);
	return true;
}

/* Words of the kernel's messages (block/blk-core.c, drivers/scsi, drivers/ata,
 * drivers/nvme, fs, kernel/hung_task.c, mm/oom_kill.c). */
static const struct sign {
	const char *words;
	bool whole_machine;
} signs[] = {
	{ "I/O error", false },
	{ "critical medium error", false },
	{ "critical target error", false },
	{ "critical space allocation error", false },
	{ "protection error", false },
	{ "Medium Error", false },
	{ "Hardware Error", false },
	{ "timing out command", false },
	{ "failed command:", false },
	{ "hard resetting link", false },
	{ "resetting controller", false },
	{ "reset controller", false },
	{ "timeout, aborting", false },
	{ "timeout, reset", false },
	{ "attempting task abort", false },
	{ "device reset", false },
	{ "-fs error (device", false },
	{ "Remounting filesystem read-only", false },
	{ "Filesystem has been shut down", false },
	{ "Corruption detected", false },
	{ "forced readonly", false },
	{ "blocked for more than", true },
	{ "soft lockup", true },
	{ "hard LOCKUP", true },
	{ "Kernel panic", true },
	{ "general protection fault", true },
	{ "unable to handle", true },
	{ "Out of memory: Killed process", true },
};

/* The name as a word; a partition of it counts ("sda1", "nvme0n1p2"). */
static bool names(const char *text, const char *device, size_t n)
{
	const char *at = text;

	while ((at = strstr(at, device))) {
		const char *end = at + n;

		if ((at == text || !isalnum((unsigned char)at[-1])) &&
		    (!isdigit((unsigned char)device[n - 1]) ||
		     !isdigit((unsigned char)*end)) &&
		    (!isalpha((unsigned char)*end) || *end == 'p'))
			return true;
		at = end;
	}
	return false;
}

/* Messages about an NVMe controller have its name, "nvme0". */
static bool collect_facts_is_of(const char *text, const char *device)
{
	size_t n = strlen(device);
	char controller[16];

	if (names(text, device, n))
		return true;
	if (strncmp(device, "nvme", 4) != 0)
		return false;
	n = 4 + strspn(device + 4, "0123456789");
	if (n >= sizeof(controller))
		return false;
	memcpy(controller, device, n);
	controller[n] = '\0';
	return names(text, controller, n);
}

enum kernel_log_sign collect_log_judge(const char *text, const char *device)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (!strcasestr(text, signs[i].words))
			continue;
		return signs[i].whole_machine ||
				       (device &&
					collect_facts_is_of(text, device))
			       ? KERNEL_LOG_DEVICE
			       : KERNEL_LOG_OTHER;
	}
	return KERNEL_LOG_NOTHING;
}
