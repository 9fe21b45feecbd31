/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host, for the header of a log.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "collect/collect.h"
#include "collect/collector.h"

static void read_text(const struct root *root, const char *path, char *out,
		      size_t size)
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

static uint64_t memory_bytes(const struct root *root)
{
	char buf[256], *p;

	if (root_read(root, COLLECT_MEMINFO, buf, sizeof(buf)) <= 0)
		return 0;
	p = strstr(buf, "MemTotal:");
	return p ? strtoull(p + 9, NULL, 10) * 1024 : 0;
}

void collect_host(const struct root *root, struct host_info *out)
{
	memset(out, 0, sizeof(*out));
	read_text(root, "proc/sys/kernel/hostname", out->name,
		  sizeof(out->name));
	read_text(root, "proc/sys/kernel/osrelease", out->kernel,
		  sizeof(out->kernel));
	root_boot_id(root, out->boot_id, sizeof(out->boot_id));
	text_clean(out->boot_id);
	cpu_model(root, out->cpu, sizeof(out->cpu));
	out->cpus = cpus_online(root);
	out->memory_bytes = memory_bytes(root);
}
