/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collect: the table of collectors. */
#include "collect/collect.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "collect/collector.h"
#include "collect/trace.h"
#include "model/schema/schema_job.h"

/*
 * Devices first: the sample's time is that of reading them. The trace last: it
 * adds to their rows.
 */
static const struct collector *const collectors[] = {
	&collector_diskstats, &collector_cpu,	&collector_memory,
	&collector_pressure,  &collector_tasks, &collector_cgroups,
	&collector_mounts,
	&collector_trace,
};

/*
 * The time between two reads of all processes: one second with a screen, else
 * three, as top does it; shorter by the time that a tick may come early.
 */
#define LOOK_WATCHED_NS (900 * 1000000ull)
#define LOOK_NS         (2900 * 1000000ull)

#define N_COLLECTORS ARRAY_SIZE(collectors)

/* clang-format off */
static const struct {
	enum schema_id about;
	const char *sentence;
} lack[LACK_COUNT] = {
	[LACK_DISKSTATS] = { SCHEMA_DEVICE,
		"no /proc/diskstats: this kernel has no statistics of block devices" },
	[LACK_SYSFS] = { SCHEMA_DEVICE,
		"no /sys/block: members and requests in the driver are unknown; mount sysfs" },
	[LACK_PSI] = { SCHEMA_PRESSURE,
		"no PSI: boot with psi=1 to see the pressure on CPU, memory and I/O" },
	[LACK_TASK_IO] = { SCHEMA_TASK,
		"no /proc/PID/io: this kernel was built without TASK_IO_ACCOUNTING, so processes show no I/O" },
	[LACK_TASK_IO_RIGHTS] = { SCHEMA_TASK,
		"/proc/PID/io of some processes cannot be read: start iodyno as root (sudo -i), outside of a container, to see the I/O of all" },
	[LACK_TASK_DELAY] = { SCHEMA_TASK,
		"no I/O delays: d measures those of later processes (kernel.task_delayacct=1)" },
	[LACK_TASK_ENDS] = { SCHEMA_TASK,
		"no I/O of processes that end between two looks: the kernel sends it only to root outside of a container (taskstats)" },
	[LACK_SCHEDSTAT] = { SCHEMA_TASK,
		"no /proc/PID/schedstat: CPU time of processes comes in steps of 10 ms, and reading it costs more" },
	[LACK_CGROUP] = { SCHEMA_CGROUP,
		"no cgroup v2: mount -t cgroup2 none /sys/fs/cgroup/unified, or boot with systemd.unified_cgroup_hierarchy=1" },
	[LACK_CGROUP_IO] = { SCHEMA_CGROUP,
		"no I/O: cgroup v2 has no controller io; see systemd.unified_cgroup_hierarchy=1" },
	[LACK_VMSTAT] = { SCHEMA_MEMORY,
		"no /proc/vmstat: rates of writeback and paging are unknown" },
	[LACK_TRACE_RIGHT] = { SCHEMA_DEVICE,
		"no times of single requests: tracing needs root, or CAP_BPF and CAP_PERFMON; call sudo iodyno" },
	[LACK_TRACE_LOCKDOWN] = { SCHEMA_DEVICE,
		"no times of single requests: the kernel is locked down (confidentiality), which forbids tracing" },
	[LACK_TRACE_CONTAINER] = { SCHEMA_DEVICE,
		"no times of single requests: this container or sandbox refuses bpf(2); call iodyno outside of it" },
	[LACK_TRACE_BTF] = { SCHEMA_DEVICE,
		"no times of single requests: this kernel has no /sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)" },
	[LACK_TRACE_LIBRARY] = { SCHEMA_DEVICE,
		"no times of single requests: the library libbpf was not found; install it (Debian: libbpf1)" },
	[LACK_TRACE_BUILD] = { SCHEMA_DEVICE,
		"no times of single requests: this iodyno was built without libbpf or clang; "
		"build it after contrib/install-packages trace" },
	[LACK_TRACE_VERIFIER] = { SCHEMA_DEVICE,
		"no times of single requests: the kernel refused the programs of the trace; --bpf=on prints the reason" },
	[LACK_TRACE_DIED] = { SCHEMA_DEVICE,
		"no times of single requests: the process that loads the trace ended early" },
	[LACK_TRACE_NAMES] = { SCHEMA_DEVICE,
		"slow requests have no process above 200 000 requests per second; --bpf=on names it" },
	[LACK_TRACE_CALLS] = { SCHEMA_DEVICE,
		"no fsync by file but those of ext4: this kernel lets no program watch its functions (fentry)" },
	[LACK_TRACE_BIOS] = { SCHEMA_DEVICE,
		"no times of the dm, md and zram devices, as there was none at the start; start iodyno again" },
	[LACK_TRACE_ROOM] = { SCHEMA_DEVICE,
		"more devices than the trace has room for: some have no times, or processes are charged for their requests twice" },
	[LACK_TRACE_PATHS] = { SCHEMA_DEVICE,
		"no times of NVMe disks with paths (multipath): their requests are those of hidden devices" },
};
/* clang-format on */

struct collect {
	struct collector_env env;
	void *state[N_COLLECTORS]; /* NULL: left out */
};

int collect_open(struct collect **out, const struct root *root,
		 const struct collect_options *options)
{
	static const struct collect_options none;
	struct collect *c = xcalloc(1, sizeof(*c));

	*out = NULL;
	root_kept_init(&c->env.files, root);
	c->env.options = options ? options : &none;
	c->env.cgroups = c->env.options->cgroups;
	c->env.look_ns = c->env.options->look_ns   ? c->env.options->look_ns
			 : c->env.options->watched ? LOOK_WATCHED_NS
						   : LOOK_NS;
	for (size_t i = 0; i < N_COLLECTORS; i++) {
		int rc;

		if (collectors[i] == &collector_tasks &&
		    c->env.options->no_tasks)
			continue;
		c->state[i] = xcalloc(1, collectors[i]->size);
		rc = collectors[i]->open(&c->env, c->state[i]);
		if (rc < 0) {
			collect_close(c);
			return rc;
		}
	}
	c->env.options = NULL;
	*out = c;
	return 0;
}

void collect_close(struct collect *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < N_COLLECTORS; i++) {
		if (c->state[i])
			collectors[i]->close(c->state[i]);
		free(c->state[i]);
	}
	free(c);
}

void collect_sample(struct collect *c, struct sample *s)
{
	for (size_t i = 0; i < N_COLLECTORS; i++)
		if (c->state[i])
			collectors[i]->sample(c->state[i], s);
}

void collect_threads(struct collect *c, bool on)
{
	c->env.threads = on;
}

void collect_cgroups(struct collect *c, bool on)
{
	c->env.cgroups = on;
}

void collect_look(struct collect *c)
{
	c->env.look_now = true;
}

void collect_jobs(struct collect *c, const struct sample *s)
{
	c->env.jobs[0] = '\0';
	for (size_t i = 0; i < s->table[SCHEMA_JOB].n; i++) {
		const struct job_raw *job = sample_row(s, SCHEMA_JOB, i);

		text_add_words(c->env.jobs, sizeof(c->env.jobs), job->device);
	}
}

const char *collect_trace_refusal(enum trace_refusal refusal)
{
	const int at = LACK_TRACE_RIGHT + (int)refusal - TRACE_NO_RIGHT;

	return refusal == TRACE_LOADED ? NULL : lack[at].sentence;
}

const char *collect_missing(const struct collect *c, size_t i,
			    enum schema_id *about)
{
	for (int k = 0; k < LACK_COUNT; k++)
		if (c->env.lacks[k] && i-- == 0) {
			*about = lack[k].about;
			return lack[k].sentence;
		}
	return NULL;
}
