/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace of devices: counters of the programs in the kernel, by a read of
 * mapped memory. The number of completions is compared with that of diskstats:
 * what the programs miss is shown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/text.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "collect/collector.h"
#include "collect/device.h"
#include "collect/trace.h"
#include "collect/trace_owner.h"
#include "collect/trace_slow.h"
#include "model/schema/schema_machine.h"
#include "model/schema/schema_trace.h"

/* With fewer measured runs their mean says little. */
#define MEASURED_LEAST 8

/* Above so many requests per second the programs name nobody, until there are
 * fewer again. */
#define NAMES_IOPS 200000
#define NAMES_AGAIN_IOPS 150000

/* A device that was idle in so many samples gives its place to one that is busy. */
#define IDLE_TICKS 4

/* Samples between two looks at what the kernel skipped. */
#define SKIPPED_TICKS 16

/* So many slow requests of an idle device are kept without a screen and --bpf=on:
 * a log of days stays small. With less than one request in twenty intervals on
 * average in its queue and in the driver a device is idle. */
#define SLOWEST_IDLE	 2
#define IDLE_PART_OF_QUEUE 20

/* A device in the programs' table. */
struct traced {
	char name[32];
	uint32_t dev; /* 0: free */
	uint64_t generation;
	unsigned place; /* in the table */
	bool bios;
	/* Numbers of the last samples that had it, and in which it was busy; 0: none. */
	uint64_t seen, busy;
	struct device_raw *raw; /* of this sample */
	struct device_trace trace;
	/* What the last two samples that differ point to. */
	struct device_trace shown[2];
	unsigned newest_shown;
	/*
	 * The sums over all processors. The sample before has the other one of
	 * a pair, or the same while nothing happens.
	 */
	struct trace_counts *sum[TRACE_OPS][2];
	unsigned newest[TRACE_OPS];
	/* Completions of diskstats less those of the programs, and bytes. */
	int64_t base[2], last[2];
	bool has_base;
	/* As diskstats had it, and whether that is idle since the last sample. */
	uint64_t weighted_ms;
	bool idle;
};

/* Devices without a size, and when that was looked at. */
#define EMPTY	    256
#define EMPTY_TICKS 16
struct empty {
	uint32_t dev;
	uint64_t generation, tick;
};

struct collect_trace {
	struct collector_env *env;
	struct trace *trace;
	uint64_t tick;
	uint64_t ios, mono_ns; /* traced so far, and when */
	double iops;
	double spent_ns; /* by the programs on these */
	bool all; /* an idle device has as many rows of slow requests as others */
	struct trace_slow_state slow;
	struct trace_owner_state owners;
	uint32_t
		held[TRACE_DEVICES]; /* in the programs' table, as TRACE_HELD */
	unsigned held_place[TRACE_DEVICES], n_held;
	/* File systems in the table, as TRACE_MOUNTED; mounts: the number of the
	 * lists that they are from, 0: to be read. */
	unsigned mounted_place[TRACE_DEVICES], n_mounted, mounts;
	double skipped;
	struct traced device[TRACE_DEVICES]; /* by row of the counters */
	struct empty empty[EMPTY];	     /* by the last bits of dev */
};

static int collect_trace_open(struct collector_env *env, void *state)
{
	struct collect_trace *c = state;

	c->env = env;
	c->trace = env->options->trace;
	c->all = env->options->watched || (c->trace && c->trace->pinned);
	return 0;
}

static void collect_trace_close(void *state)
{
	struct collect_trace *c = state;

	for (size_t i = 0; i < TRACE_DEVICES; i++)
		for (int op = 0; op < TRACE_OPS; op++)
			for (int k = 0; k < 2; k++)
				free(c->device[i].sum[op][k]);
	trace_slow_free(&c->slow);
	trace_owner_free(&c->owners);
}

static struct trace_control *collect_trace_control(const struct collect_trace *c)
{
	return c->trace->memory[TRACE_MAP_CONTROL];
}

/* A device without requests, such as zram and most of dm. */
static bool collect_trace_has_requests(const struct root *root, const char *name)
{
	char path[SYSFS_PATH_MAX];

	return sysfs_path_of(path, sizeof(path), name, "mq") &&
	       root_exists(root, path);
}

/*
 * A loop device without a file, for one: it needs no row. A machine has many, and
 * each gets another generation with its file.
 */
static bool collect_trace_is_empty(struct collect_trace *c,
				   const struct device_raw *raw, uint32_t dev)
{
	struct empty *e = &c->empty[dev % EMPTY];
	char path[SYSFS_PATH_MAX];
	long long sectors;

	if (e->dev == dev && e->generation == raw->key.generation &&
	    c->tick - e->tick < EMPTY_TICKS)
		return true;
	if (!sysfs_path_of(path, sizeof(path), raw->key.id, "size") ||
	    !root_read_number(c->env->files.root, path, &sectors) ||
	    sectors > 0)
		return false;
	*e = (struct empty){ dev, raw->key.generation, c->tick };
	return true;
}

/* A free place of the table that the programs find; TRACE_PLACES: none. */
static unsigned collect_trace_place(const struct trace_control *control,
				    uint32_t dev)
{
	for (unsigned i = 0; i < TRACE_PROBES; i++) {
		const unsigned at = (trace_device_place(dev) + i) &
				    (TRACE_PLACES - 1);

		if (!control->device[at].dev)
			return at;
	}
	return TRACE_PLACES;
}

static void collect_trace_drop(struct collect_trace *c, struct traced *d)
{
	struct trace_control *control = collect_trace_control(c);

	/* What still ends there finds no counters: its row may be another one's. */
	control->device[d->place] = (struct trace_device){ .row = UINT16_MAX };
	control->bios -= d->bios;
	d->dev = 0;
	c->mounts = 0;
}

static bool collect_trace_is_of_job(const struct collect_trace *c, const char *name)
{
	return text_lists(c->env->jobs, name, strlen(name));
}

static bool collect_trace_is_busy(const struct device_raw *raw)
{
	return raw->active || raw->queue_depth;
}

/*
 * A free row of counters. A busy device gets that of the one that is idle for
 * longest, a job's that of any other device. NULL: none.
 */
static struct traced *collect_trace_row(struct collect_trace *c,
					const struct device_raw *raw)
{
	const bool of_job = collect_trace_is_of_job(c, raw->key.id);
	struct traced *least = NULL;

	for (size_t i = 0; i < c->trace->devices; i++) {
		struct traced *d = &c->device[i];

		if (!d->dev)
			return d;
		if (!collect_trace_is_of_job(c, d->name) &&
		    (!least || d->busy < least->busy))
			least = d;
	}
	if (!of_job && !collect_trace_is_busy(raw))
		return NULL;
	if (least && !of_job && least->busy && c->tick - least->busy < IDLE_TICKS)
		least = NULL;
	if (least) {
		least->raw->trace = NULL;
		collect_trace_drop(c, least);
	} else {
		c->env->lacks[LACK_TRACE_ROOM] = true;
	}
	return least;
}

/* Give the device a row of counters, if there is one. */
static struct traced *collect_trace_add(struct collect_trace *c,
					const struct device_raw *raw,
					uint32_t dev)
{
	struct trace_control *control = collect_trace_control(c);
	struct traced *d;
	unsigned place;
	bool bios;

	if (collect_trace_is_empty(c, raw, dev))
		return NULL;
	bios = !collect_trace_has_requests(c->env->files.root, raw->key.id);
	/* The bios of its head end as requests of a hidden path. */
	if (bios && !strncmp(raw->key.id, "nvme", 4)) {
		c->env->lacks[LACK_TRACE_PATHS] = true;
		return NULL;
	}
	/* The programs of bios are not loaded: all of them would be missed. */
	if (bios && !c->trace->bios) {
		c->env->lacks[LACK_TRACE_BIOS] = true;
		return NULL;
	}
	d = collect_trace_row(c, raw);
	if (!d)
		return NULL;
	place = collect_trace_place(control, dev);
	if (place == TRACE_PLACES) {
		c->env->lacks[LACK_TRACE_ROOM] = true;
		return NULL;
	}
	text_set(d->name, raw->key.id);
	d->dev = dev;
	d->busy = 0;
	d->generation = raw->key.generation;
	d->place = place;
	d->bios = bios;
	d->has_base = false;
	d->last[0] = d->last[1] = 0;
	d->weighted_ms = raw->weighted_ms;
	d->trace = (struct device_trace){ .split = !bios, .missed = NAN,
					  .missed_bytes = NAN };
	control->device[place] = (struct trace_device){
		.dev = dev,
		.flags = TRACE_USED | (bios ? TRACE_BIOS : 0),
		.row = (uint16_t)(d - c->device),
	};
	control->bios += bios;
	c->mounts = 0;
	return d;
}

static struct traced *collect_trace_find(struct collect_trace *c,
					 const struct device_raw *raw, uint32_t dev)
{
	for (size_t i = 0; i < c->trace->devices; i++) {
		struct traced *d = &c->device[i];

		if (d->dev != dev)
			continue;
		if (d->generation == raw->key.generation)
			return d;
		collect_trace_drop(c, d);
	}
	return NULL;
}

static const struct trace_counts *
collect_trace_counts(const struct collect_trace *c, const struct traced *d,
		     int op)
{
	const struct trace_counts *all = c->trace->memory[TRACE_MAP_COUNTS];

	return all + ((size_t)(d - c->device) * TRACE_OPS + (size_t)op) *
			     c->trace->n_cpus;
}

static void collect_trace_sum(struct trace_counts *to,
			      const struct trace_counts *from)
{
	to->ios += from->ios;
	to->bytes += from->bytes;
	to->timed += from->timed;
	to->queue_ns += from->queue_ns;
	to->device_ns += from->device_ns;
	to->sequential += from->sequential;
	to->requeues += from->requeues;
	to->errors += from->errors;
	for (size_t i = 0; i < TRACE_BUCKETS; i++) {
		to->whole[i] += from->whole[i];
		to->queue[i] += from->queue[i];
		to->device[i] += from->device[i];
	}
	for (size_t i = 0; i < TRACE_SIZES; i++)
		to->size[i] += from->size[i];
	for (size_t i = 0; i < ARRAY_SIZE(to->queue_ns_of); i++)
		to->queue_ns_of[i] += from->queue_ns_of[i];
}

/* Add up the processors, unless nothing happened. */
static void collect_trace_operation(struct collect_trace *c, struct traced *d,
				    int op)
{
	const struct trace_counts *counts = collect_trace_counts(c, d, op);
	struct trace_counts **pair = d->sum[op], *to;
	uint64_t ios = 0, requeues = 0;

	for (unsigned cpu = 0; cpu < c->trace->n_cpus; cpu++) {
		ios += counts[cpu].ios;
		requeues += counts[cpu].requeues;
	}
	d->trace.op[op] = to = pair[d->newest[op]];
	if (to ? to->ios == ios && to->requeues == requeues : !ios && !requeues)
		return;
	d->newest[op] = !d->newest[op];
	if (!pair[d->newest[op]])
		pair[d->newest[op]] = xcalloc(1, sizeof(*to));
	to = pair[d->newest[op]];
	memset(to, 0, sizeof(*to));
	for (unsigned cpu = 0; cpu < c->trace->n_cpus; cpu++)
		collect_trace_sum(to, &counts[cpu]);
	d->trace.op[op] = to;
}

/* The counts of the kernel as they are now. */
static bool collect_trace_now(const struct collect_trace *c,
			      const struct traced *d, struct device_raw *raw)
{
	char path[SYSFS_PATH_MAX], text[512] = "0 0 - ";
	const char *at = text;
	struct diskstats_line line;
	const size_t n = strlen(text);
	ssize_t got;

	if (!sysfs_path_of(path, sizeof(path), d->name, "stat"))
		return false;
	got = root_read(c->env->files.root, path, text + n, sizeof(text) - n);
	if (got <= 0 || !diskstats_next(&at, text + n + got, &line))
		return false;
	diskstats_fill(&line, raw);
	return true;
}

/* What is missed of a count, which was that much more. */
static void collect_trace_distance(struct traced *d, int count, int64_t distance,
				   double *missed)
{
	int64_t more, last = d->last[count];

	if (!d->has_base)
		d->base[count] = distance;
	more = d->last[count] = distance - d->base[count];
	if (d->bios && more > last)
		more = last;
	if (!(*missed >= (double)more))
		*missed = (double)more;
}

/*
 * The counts of diskstats were read before those of the programs, and a
 * completion is traced before the kernel counts it, but that of a bio after it:
 * what is missed of these is missed at the next look, too. The first time the
 * kernel's are read behind those of the programs: what completed before the device
 * had its row is in the base.
 */
static void collect_trace_check(const struct collect_trace *c, struct traced *d,
				const struct device_raw *raw)
{
	int64_t distance, distance_bytes = 0;
	struct device_raw now = *raw;

	if (raw->stats_off || raw->columns < 17 ||
	    (!d->has_base && !collect_trace_now(c, d, &now))) {
		d->has_base = false;
		d->trace.missed = d->trace.missed_bytes = NAN;
		return;
	}
	distance = (int64_t)now.flush_ios;
	for (int op = 0; op < DEVICE_OPS; op++) {
		distance += (int64_t)now.ios[op];
		distance_bytes += (int64_t)(now.sectors[op] * 512);
	}
	for (int op = 0; op < TRACE_OPS; op++)
		if (d->trace.op[op]) {
			distance -= (int64_t)d->trace.op[op]->ios;
			distance_bytes -= (int64_t)d->trace.op[op]->bytes;
		}
	collect_trace_distance(d, 0, distance, &d->trace.missed);
	collect_trace_distance(d, 1, distance_bytes, &d->trace.missed_bytes);
	d->has_base = true;
}

static void collect_trace_device(struct collect_trace *c, const struct sample *s,
				 struct traced *d)
{
	struct device_raw *raw = d->raw;
	struct device_trace *shown;

	for (int op = 0; op < TRACE_OPS; op++)
		collect_trace_operation(c, d, op);
	collect_trace_check(c, d, raw);
	d->idle = !raw->stats_off &&
		  (raw->weighted_ms - d->weighted_ms) * 1000000 * IDLE_PART_OF_QUEUE <
			  s->mono_ns - c->mono_ns;
	d->weighted_ms = raw->weighted_ms;
	/* The row stays the same while nothing happens. */
	shown = &d->shown[d->newest_shown];
	if (memcmp(shown, &d->trace, sizeof(*shown)) != 0) {
		d->newest_shown = !d->newest_shown;
		shown = &d->shown[d->newest_shown];
		memcpy(shown, &d->trace, sizeof(*shown));
	}
	raw->trace = shown;
	raw->trace_lack = d->bios ? "whole time only" : NULL;
}

/* Find the traced devices in the sample, or give rows to those that have none. */
static void collect_trace_pass(struct collect_trace *c, const struct sample *s,
			       bool adds)
{
	for (size_t i = 0; i < s->table[SCHEMA_DEVICE].n; i++) {
		struct device_raw *raw = sample_row(s, SCHEMA_DEVICE, i);
		const uint32_t dev = raw->major << 20 | raw->minor;
		struct traced *d;

		/* A hidden device, such as a path of NVMe, has no number. */
		if (raw->trace || !dev || !strcmp(raw->kind, "part"))
			continue;
		d = adds ? collect_trace_add(c, raw, dev) :
			   collect_trace_find(c, raw, dev);
		if (!d)
			continue;
		d->raw = raw;
		raw->trace = &d->trace;
		d->seen = c->tick;
		if (collect_trace_is_busy(raw))
			d->busy = c->tick;
	}
}

/* A device that gives its row away has none in this sample already. */
static void collect_trace_devices(struct collect_trace *c, const struct sample *s)
{
	collect_trace_pass(c, s, false);
	for (size_t i = 0; i < c->trace->devices; i++)
		if (c->device[i].dev && c->device[i].seen != c->tick)
			collect_trace_drop(c, &c->device[i]);
	collect_trace_pass(c, s, true);
	for (size_t i = 0; i < c->trace->devices; i++)
		if (c->device[i].dev)
			collect_trace_device(c, s, &c->device[i]);
}

/* A loop device is not meant: another thread reads and writes its file. */
static bool collect_trace_is_held(struct sample *s,
				  const struct device_raw *raw)
{
	for (size_t i = 0; i < s->table[SCHEMA_DEVICE].n; i++) {
		const struct device_raw *above =
			sample_row(s, SCHEMA_DEVICE, i);

		if (above->members && strcmp(above->kind, "part") != 0 &&
		    strcmp(above->kind, "loop") != 0 && above != raw &&
		    text_lists(above->members, raw->key.id, strlen(raw->key.id)))
			return true;
	}
	return false;
}

/*
 * A process is charged for a request on the upper device alone. The programs
 * find the disks and partitions below others in their table.
 */
static void collect_trace_held(struct collect_trace *c, struct sample *s)
{
	struct trace_control *control = collect_trace_control(c);
	uint32_t held[TRACE_DEVICES];
	bool full = false;
	unsigned n = 0;

	for (size_t i = 0; i < s->table[SCHEMA_DEVICE].n; i++) {
		const struct device_raw *raw = sample_row(s, SCHEMA_DEVICE, i);

		if (!collect_trace_is_held(s, raw))
			continue;
		if (n == TRACE_DEVICES / 2) {
			full = true;
			break;
		}
		held[n++] = raw->major << 20 | raw->minor;
	}
	/* Processes are charged for the requests of the others, too. */
	c->env->lacks[LACK_TRACE_ROOM] |= full;
	if (n == c->n_held && !memcmp(held, c->held, n * sizeof(*held)))
		return;
	memcpy(c->held, held, n * sizeof(*held));
	while (c->n_held)
		control->device[c->held_place[--c->n_held]] =
			(struct trace_device){ 0 };
	for (c->n_held = 0; c->n_held < n; c->n_held++) {
		const unsigned at =
			collect_trace_place(control, held[c->n_held]);

		if (at == TRACE_PLACES)
			break;
		c->held_place[c->n_held] = at;
		control->device[at] =
			(struct trace_device){ .dev = held[c->n_held],
					       .flags = TRACE_HELD };
	}
	control->held = c->n_held;
	c->env->lacks[LACK_TRACE_ROOM] |= c->n_held < n;
}

static const struct traced *collect_trace_of(const struct collect_trace *c,
					     uint32_t dev)
{
	for (size_t i = 0; i < c->trace->devices; i++)
		if (dev && c->device[i].dev == dev)
			return &c->device[i];
	return NULL;
}

static const char *collect_trace_name(void *arg, uint32_t dev)
{
	const struct traced *d = collect_trace_of(arg, dev);

	return d ? d->name : NULL;
}

/* The traced disk that a mount names; NULL: none. */
static const struct traced *collect_trace_disk(const struct collect_trace *c,
					       const struct mount *m)
{
	const struct root *root = c->env->files.root;
	dev_t dev;

	if (!*mounts_source_name(m) ||
	    !sysfs_number_of(root, mounts_source_name(m), &dev) ||
	    !sysfs_whole_disk(root, dev, &dev))
		return NULL;
	return collect_trace_of(c, major(dev) << 20 | minor(dev));
}

static bool collect_trace_is_mounted(const struct collect_trace *c, uint32_t dev)
{
	const struct trace_control *control = collect_trace_control(c);

	for (unsigned i = 0; i < c->n_mounted; i++)
		if (control->device[c->mounted_place[i]].dev == dev)
			return true;
	return false;
}

/*
 * A Btrfs has a number that is no device's: the programs find the disk that its
 * mount names, of several the one that the kernel lists.
 */
static void collect_trace_mounts(struct collect_trace *c)
{
	struct trace_control *control = collect_trace_control(c);
	const struct mount *m;
	struct mounts *all;

	if (c->mounts == c->env->mounts)
		return;
	c->mounts = c->env->mounts;
	while (c->n_mounted)
		control->device[c->mounted_place[--c->n_mounted]] =
			(struct trace_device){ 0 };
	c->env->lacks[LACK_TRACE_CALLS] = false;
	all = mounts_read(c->env->files.root);
	for (size_t i = 0; (m = mounts_at(all, i)); i++) {
		const uint32_t dev = major(m->dev) << 20 | minor(m->dev);
		const bool own = dev && !major(m->dev) &&
				 !collect_trace_is_mounted(c, dev);
		const struct traced *d;
		unsigned at;

		if (m->read_only || !strcmp(m->type, "ext4") ||
		    !(own || !c->trace->calls) ||
		    !(d = collect_trace_disk(c, m)))
			continue;
		c->env->lacks[LACK_TRACE_CALLS] |= !c->trace->calls;
		at = own ? collect_trace_place(control, dev) : TRACE_PLACES;
		if (at == TRACE_PLACES || c->n_mounted == TRACE_DEVICES / 4)
			continue;
		control->device[at] = (struct trace_device){
			.dev = dev,
			.flags = TRACE_MOUNTED,
			.row = (uint16_t)d->place,
		};
		c->mounted_place[c->n_mounted++] = at;
	}
	mounts_free(all);
}

/* The programs go on in the other half; this one is read. */
static void collect_trace_slow(struct collect_trace *c, struct sample *s)
{
	struct trace_control *control = collect_trace_control(c);
	const uint32_t epoch = control->epoch;

	trace_slow_begin(&c->slow);
	if (c->trace->slower_ns) {
		trace_slow_all(&c->slow, c->trace, s, collect_trace_name, c);
		return;
	}
	__atomic_store_n(&control->epoch, epoch + 1, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < c->trace->devices; i++)
		for (unsigned calls = 0; c->device[i].dev && calls < 2; calls++)
			trace_slow_slowest(&c->slow, c->trace, s,
					   i + calls * c->trace->devices,
					   c->device[i].dev, c->device[i].name,
					   epoch,
					   c->device[i].idle && !c->all
						   ? SLOWEST_IDLE - calls
						   : TRACE_SLOWEST);
}

/* What the programs cost: the mean of each, and the requests of this sample. */
static void collect_trace_cost(struct collect_trace *c, struct sample *s)
{
	const struct trace_control *control = collect_trace_control(c);
	struct self_raw *self = s->table[SCHEMA_SELF].n
					? sample_row(s, SCHEMA_SELF, 0)
					: NULL;
	double each_ns = 0;
	uint64_t ios = 0;

	for (int i = 0; i < TRACE_PROGRAMS; i++)
		if (control->runs[i])
			each_ns += (double)control->run_ns[i] /
				   (double)control->runs[i];
	for (size_t i = 0; i < c->trace->devices; i++)
		for (int op = 0; op < TRACE_OPS; op++)
			if (c->device[i].trace.op[op])
				ios += c->device[i].trace.op[op]->ios;
	if (ios > c->ios)
		c->spent_ns += each_ns * (double)(ios - c->ios);
	c->iops = c->mono_ns && ios > c->ios && s->mono_ns > c->mono_ns
			  ? (double)(ios - c->ios) * 1e9 /
				    (double)(s->mono_ns - c->mono_ns)
			  : 0;
	c->ios = ios;
	c->mono_ns = s->mono_ns;
	if (c->tick % SKIPPED_TICKS == 1)
		c->skipped = trace_skipped(c->trace);
	if (!self)
		return;
	self->trace_skipped = c->skipped;
	if (control->runs[TRACE_COMPLETE] < MEASURED_LEAST)
		return;
	self->trace_ns_per_io = each_ns;
	self->trace_ns = c->spent_ns;
}

/* Leave out the names while they cost a lot, unless they were asked for. */
static void collect_trace_level(struct collect_trace *c)
{
	struct trace_control *control = collect_trace_control(c);
	const double most = control->level == TRACE_LEVEL_TIMES
				    ? NAMES_AGAIN_IOPS
				    : NAMES_IOPS;

	control->level = c->iops > most && !c->trace->pinned
				 ? TRACE_LEVEL_TIMES
				 : TRACE_LEVEL_NAMES;
	c->env->lacks[LACK_TRACE_NAMES] = control->level == TRACE_LEVEL_TIMES;
}

static void collect_trace_lacks(struct collect_trace *c)
{
	for (int i = TRACE_NO_RIGHT; i < TRACE_REFUSALS; i++)
		c->env->lacks[LACK_TRACE_RIGHT + i - TRACE_NO_RIGHT] =
			c->trace->socket < 0 && (int)c->trace->refusal == i;
}

static void collect_trace_sample(void *state, struct sample *s)
{
	struct collect_trace *c = state;

	if (!c->trace)
		return;
	if (!trace_ready(c->trace)) {
		collect_trace_lacks(c);
		return;
	}
	c->tick++;
	for (int i = LACK_TRACE_BIOS; i <= LACK_TRACE_PATHS; i++)
		c->env->lacks[i] = false;
	collect_trace_devices(c, s);
	collect_trace_cost(c, s);
	collect_trace_slow(c, s);
	collect_trace_held(c, s);
	collect_trace_mounts(c);
	collect_trace_control(c)->cgroups = c->env->cgroups;
	trace_owner_rows(&c->owners, c->trace, s);
	collect_trace_control(c)->slower_ns = c->trace->slower_ns;
	collect_trace_level(c);
}

const struct collector collector_trace = {
	.size = sizeof(struct collect_trace),
	.open = collect_trace_open,
	.sample = collect_trace_sample,
	.close = collect_trace_close,
};
