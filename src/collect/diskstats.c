/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diskstats: a parser by hand, some times as fast as sscanf().
 *
 * Block devices: /proc/diskstats, read whole at every tick through one
 * descriptor, and the little of sysfs that may change.
 *
 * A tick also reads: the lists of mounts and swap areas when they changed (a
 * captured tree's at each tick), diskseq of two disks in turn (of more where
 * there are many) and of those whose counters fell, inflight of devices with
 * something in flight, slaves/ and queue/iostats of a device in turn,
 * queue/iostats of those that just became idle. All else of sysfs is read when
 * a device is first seen.
 */
#include "collect/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "collect/collector.h"

/* Where each value stands after the name, from 0. */
enum {
	AT_OP = 0, /* ios, merges, sectors, ms of reads; then of writes */
	AT_DEPTH = 8,
	AT_BUSY = 9,
	AT_WEIGHTED = 10,
	AT_DISCARD = 11,
	AT_FLUSH = 15,
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* A whole number up to a blank or the end of the line; NULL for junk. */
static const char *diskstats_number(const char *p, const char *end,
				    uint64_t *out)
{
	uint64_t value = 0;
	const char *start;

	p = skip_blanks(p, end);
	for (start = p; p < end && *p >= '0' && *p <= '9'; p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (p - start >= 19 && value > (UINT64_MAX - digit) / 10)
			return NULL;
		value = value * 10 + digit;
	}
	if (p == start || (p < end && *p != ' ' && *p != '\t' && *p != '\r'))
		return NULL;
	*out = value;
	return p;
}

static bool diskstats_parse(const char *p, const char *end,
			    struct diskstats_line *line)
{
	uint64_t major, minor;
	const char *start;

	p = diskstats_number(p, end, &major);
	p = p ? diskstats_number(p, end, &minor) : NULL;
	if (!p || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	line->major = (unsigned)major;
	line->minor = (unsigned)minor;
	start = skip_blanks(p, end);
	/* The kernel's names are ASCII; anything else might draw on a screen.
	 */
	p = start;
	while (p < end && (*p > ' ') && *p < 0x7f)
		p++;
	if (p == start || p >= end || *p != ' ')
		return false;
	line->name = start;
	line->name_length = (size_t)(p - start);
	if (line->name_length >= ROW_ID_MAX)
		line->name_length = ROW_ID_MAX - 1;
	memset(line->value, 0, sizeof(line->value));
	for (line->columns = 0;; line->columns++) {
		uint64_t beyond;

		p = skip_blanks(p, end);
		if (p >= end || *p == '\r')
			return line->columns >= 11;
		p = diskstats_number(p, end,
				     line->columns < DISKSTATS_VALUES
					     ? &line->value[line->columns]
					     : &beyond);
		if (!p)
			return false;
	}
}

bool diskstats_next(const char **p, const char *end,
		    struct diskstats_line *line)
{
	while (*p < end) {
		const char *start = *p;
		const char *stop = memchr(start, '\n', (size_t)(end - start));

		/* A last line without its end may lack half of a number. */
		if (!stop) {
			*p = end;
			return false;
		}
		*p = stop + 1;
		if (!diskstats_parse(start, stop, line))
			continue;
		line->text = start;
		line->length = (size_t)(*p - start);
		return true;
	}
	return false;
}

void diskstats_fill(const struct diskstats_line *line, struct device_raw *raw)
{
	static const unsigned at[DEVICE_OPS] = { AT_OP, AT_OP + 4, AT_DISCARD };
	const uint64_t *v = line->value;

	for (int op = 0; op < DEVICE_OPS; op++) {
		raw->ios[op] = v[at[op]];
		raw->merges[op] = v[at[op] + 1];
		raw->sectors[op] = v[at[op] + 2];
		raw->ms[op] = v[at[op] + 3];
	}
	raw->flush_ios = v[AT_FLUSH];
	raw->flush_ms = v[AT_FLUSH + 1];
	/* Old kernels could count below 0 and print it without a sign. */
	raw->queue_depth = v[AT_DEPTH] > INT32_MAX ? 0 : v[AT_DEPTH];
	raw->busy_ms = v[AT_BUSY];
	raw->weighted_ms = v[AT_WEIGHTED];
	raw->columns = line->columns;
}

/* Whether the device ever did anything: iostat's test. */
static bool diskstats_used(const struct diskstats_line *line)
{
	uint64_t any = 0;

	for (int i = 0; i < DISKSTATS_VALUES; i++)
		any |= line->value[i];
	return any != 0;
}

/* All that ever completed, flushes too. */
static uint64_t diskstats_completed(const struct diskstats_line *line)
{
	return line->value[AT_OP] + line->value[AT_OP + 4] +
	       line->value[AT_DISCARD] + line->value[AT_FLUSH];
}

/*
 * How many devices a tick checks at least, and the share of all that are
 * checked in turn.
 */
#define IDENTITY_LEAST 2
#define IDENTITY_SHARE 48
#define STATS_CHECKS    16
#define REFRESH_TICKS   4
#define BTRFS_TICKS     16
#define MOUNT_TICKS     4
#define HEALTH_PER_TICK 8
#define HEALTH_IDLE_NS	(5 * NS_PER_S)

struct diskstats {
	struct collector_env *env;
	struct kept_text file;
	char *other; /* the text of the last tick, to which line[] points */
	size_t other_size;
	struct device_set set;
	struct device **spare; /* the order that this tick builds */
	size_t spare_cap;
	struct diskstats_line *line; /* of set.device[] */
	size_t line_cap;
	uint64_t tick;
	size_t identity_at, refresh_at, health_at; /* the next device in turn */
	unsigned stats_checks;
	uint64_t ext4_ns;     /* when the devices with ext4 were listed */
	unsigned ext4_mounts; /* env->mounts at that time */
	bool tree_changed, rows_changed;
};

/* A device of that name was replaced by another, or is new. */
static void diskstats_meet(struct diskstats *c, struct device *d,
			   const struct diskstats_line *line)
{
	d->major = line->major;
	d->minor = line->minor;
	device_facts(&c->set, d);
	d->used = d->shown = d->active = false;
	d->sampled_ns = d->stall_ns = 0;
	d->completed = diskstats_completed(line);
	c->tree_changed = true;
}

static size_t identity_checks(const struct diskstats *c)
{
	size_t share = c->set.n / IDENTITY_SHARE;

	return share > IDENTITY_LEAST ? share : IDENTITY_LEAST;
}

/* Whether another device has the name now. */
static bool was_replaced(struct diskstats *c, struct device *d, size_t at,
			 const struct diskstats_line *line)
{
	if (d->major != line->major || d->minor != line->minor)
		return true;
	/* Skip devices that have no row yet. */
	if (!d->has_diskseq || (d->used && !d->shown))
		return false;
	if (!d->used && !diskstats_used(line))
		return false;
	/* Check a device out of turn when its counters fell. */
	if ((at < c->identity_at || at >= c->identity_at + identity_checks(c)) &&
	    diskstats_completed(line) >= d->completed)
		return false;
	return device_generation(&c->set, d) != d->generation;
}

static struct device *diskstats_place(struct diskstats *c, size_t at,
				      const struct diskstats_line *line)
{
	struct device *d = at < c->set.n ? c->set.device[at] : NULL;
	size_t n = line->name_length;

	if (!d || memcmp(d->name, line->name, n) != 0 || d->name[n])
		d = device_find(&c->set, line->name, n);
	if (!d) {
		d = device_new(&c->set, line->name, n);
		diskstats_meet(c, d, line);
	} else if (d->seen != c->tick && was_replaced(c, d, at, line)) {
		diskstats_meet(c, d, line);
	}
	return d;
}

/* Take over the new order; devices that are not in it are gone. */
static void reorder(struct diskstats *c, size_t n)
{
	struct device_set *set = &c->set;
	struct device **old = set->device;
	size_t cap = set->cap, n_old = set->n;

	set->device = c->spare;
	set->cap = c->spare_cap;
	set->n = n;
	c->spare = old;
	c->spare_cap = cap;
	for (size_t i = 0; i < n_old; i++) {
		if (old[i]->seen == c->tick)
			continue;
		device_drop(set, old[i]);
		c->tree_changed = true;
	}
}

/* Parse the next line, unless it is what the last tick had in its place. */
static bool take_line(const char **p, const char *end, bool known,
		      struct diskstats_line *line)
{
	if (!known || (size_t)(end - *p) < line->length ||
	    memcmp(*p, line->text, line->length) != 0)
		return diskstats_next(p, end, line);
	line->name += *p - line->text;
	line->text = *p;
	*p += line->length;
	return true;
}

static ssize_t read_text(struct diskstats *c)
{
	char *buf = c->file.buf;
	size_t size = c->file.size;

	c->file.buf = c->other;
	c->file.size = c->other_size;
	c->other = buf;
	c->other_size = size;
	return root_kept_text_read(&c->env->files, &c->file);
}

/* Read the statistics and bring the set of devices up to date. */
static void diskstats_scan(struct diskstats *c, uint64_t *mono_ns,
			   uint64_t *wall_ns)
{
	uint64_t before = clock_mono_ns();
	ssize_t length = read_text(c);
	const char *p = c->file.buf;
	size_t n = 0;

	/* The middle of the read, however long the read takes. */
	*mono_ns = before + (clock_mono_ns() - before) / 2;
	*wall_ns = clock_wall_ns();
	c->env->lacks[LACK_DISKSTATS] = length < 0;
	c->tick++;
	while (length > 0) {
		struct device *d;

		c->line = xgrow(c->line, &c->line_cap, n + 1, sizeof(*c->line));
		if (!take_line(&p, c->file.buf + length, n < c->set.n,
			       &c->line[n]))
			break;
		d = diskstats_place(c, n, &c->line[n]);
		/* A name that occurs twice is invalid. */
		if (d->seen == c->tick)
			continue;
		d->seen = c->tick;
		c->spare = xgrow(c->spare, &c->spare_cap, n + 1,
				 sizeof(*c->spare));
		c->spare[n++] = d;
	}
	reorder(c, n);
	device_set_unmount(&c->set);
	c->identity_at += identity_checks(c);
	if (c->identity_at >= c->set.n)
		c->identity_at = 0;
}

static void diskstats_close(void *state)
{
	struct diskstats *c = state;

	root_kept_text_close(&c->env->files, &c->file);
	free(c->other);
	file_space_close(c->set.space);
	device_set_free(&c->set);
	free(c->spare);
	free(c->line);
}

static int diskstats_open(struct collector_env *env, void *state)
{
	struct diskstats *c = state;
	uint64_t mono_ns, wall_ns;

	c->env = env;
	c->file = KEPT_TEXT(COLLECT_DISKSTATS);
	c->set.files = &env->files;
	mounts_watch_open(&c->set.watch, env->files.root);
	if (env->files.root->live)
		c->set.space = file_space_new();
	c->set.all = env->options->all_devices;
	env->lacks[LACK_SYSFS] = !sysfs_present(env->files.root);
	diskstats_scan(c, &mono_ns, &wall_ns);
	return device_select(&c->set, env->options->device,
			     env->options->n_devices);
}

/* Whether a device is to have a row. */
static bool diskstats_wanted(const struct device_set *set,
			     const struct device *d)
{
	if (set->n_names > 0 && !d->above && !d->below)
		return false;
	return d->used || d->named || set->all;
}

static void update_tree(struct diskstats *c)
{
	struct device_set *set = &c->set;

	/* A file system comes and goes without a change of any device. */
	if (c->tree_changed || c->tick % BTRFS_TICKS == 0)
		device_btrfs(set);
	c->env->mounts += device_mounts(set, c->tick % MOUNT_TICKS == 0,
					c->tree_changed);
	if (c->tree_changed) {
		device_tree_build(set);
		device_mark(set);
		c->rows_changed = true;
	}
	for (size_t i = 0; i < set->n; i++) {
		struct device *d = set->device[i];

		if (!d->used && diskstats_used(&c->line[i])) {
			d->used = true;
			c->rows_changed = true;
		}
		if (!d->shown && diskstats_wanted(set, d))
			d->shown = c->rows_changed = true;
	}
	if (c->rows_changed)
		device_tree_show(set);
	c->tree_changed = c->rows_changed = false;
}

/*
 * Reread the facts that may change of the devices that are shown: one in 64 of
 * them in turn.
 */
static void refresh_some(struct diskstats *c)
{
	size_t turns = c->set.n / 64 + (c->tick % REFRESH_TICKS == 0);

	for (size_t step = 0; step < c->set.n && turns > 0; step++) {
		struct device *d;

		c->refresh_at = (c->refresh_at + 1) % c->set.n;
		d = c->set.device[c->refresh_at];
		if (!d->shown || device_is(d, "part"))
			continue;
		c->tree_changed |= device_refresh(&c->set, d);
		turns--;
	}
}

/* Whether its health may differ from the last look; a captured tree's always. */
static bool health_is_due(const struct diskstats *c, const struct device *d,
			  uint64_t now_ns)
{
	return d->active || !c->env->files.live_sys ||
	       now_ns - d->health.looked_ns >= HEALTH_IDLE_NS;
}

/*
 * A mount of this namespace shows at once; one of another with the next look at
 * idle devices.
 */
static void find_ext4(struct diskstats *c, uint64_t now_ns)
{
	if (c->ext4_ns && c->env->files.live_sys &&
	    c->ext4_mounts == c->env->mounts &&
	    now_ns - c->ext4_ns < HEALTH_IDLE_NS)
		return;
	c->ext4_ns = now_ns;
	c->ext4_mounts = c->env->mounts;
	device_health_begin(&c->set);
}

/* Errors, missing members and temperature of some devices in turn. */
static void look_at_health(struct diskstats *c, uint64_t now_ns)
{
	size_t turns = HEALTH_PER_TICK;

	find_ext4(c, now_ns);
	for (size_t step = 0; step < c->set.n && turns > 0; step++) {
		struct device *d;

		c->health_at = (c->health_at + 1) % c->set.n;
		d = c->set.device[c->health_at];
		if (!d->shown)
			continue;
		if (health_is_due(c, d, now_ns)) {
			device_health(&c->set, d, now_ns);
			turns--;
		}
		device_temperature(&c->set, d, now_ns);
	}
}

/*
 * The requests in the driver: "reads writes". With none queued the driver has
 * nothing.
 */
static void read_inflight(struct diskstats *c, struct device *d,
			  struct device_raw *raw)
{
	char buf[64], *end;

	raw->in_flight_read = raw->in_flight_write = d->has_inflight ? 0 : -1;
	if (!d->has_inflight || raw->queue_depth == 0)
		return;
	raw->in_flight_read = raw->in_flight_write = -1;
	if (device_read(&c->set, d, DEVICE_INFLIGHT, buf, sizeof(buf)) <= 0)
		return;
	raw->in_flight_read = strtol(buf, &end, 10);
	raw->in_flight_write = strtol(end, NULL, 10);
}

/* How long nothing has completed although something was in flight. */
static void diskstats_follow(struct diskstats *c, struct device *d,
			     uint64_t completed, uint64_t depth,
			     uint64_t now_ns)
{
	bool moved = completed != d->completed;

	if (d->active && !moved && c->stats_checks > 0) {
		c->stats_checks--;
		device_read_stats_off(&c->set, d);
	} else if (moved) {
		d->stats_off = false;
	}
	if (moved || depth == 0 || d->stats_off || !d->sampled_ns)
		d->stall_ns = 0;
	else
		d->stall_ns += now_ns - d->sampled_ns;
	d->active = moved;
	d->completed = completed;
	d->sampled_ns = now_ns;
}

static void add_space(const struct diskstats *c, const struct device *d,
		      uint64_t now_ns, struct device_raw *raw)
{
	struct file_space_use use;

	raw->fs_size = raw->fs_free = raw->fs_used_pct = NAN;
	raw->fs_inodes_pct = raw->fs_full_in_s = NAN;
	raw->fs_read_only = d->mount_point[0] ? d->fs_read_only : -1;
	if (!c->set.space || !d->fs_point[0] || d->fs_read_only ||
	    !file_space_get(c->set.space, d->fs_point, now_ns, &use))
		return;
	raw->fs_size = use.size;
	raw->fs_free = use.free;
	raw->fs_used_pct = use.used_pct;
	raw->fs_inodes_pct = use.inodes_pct;
	raw->fs_full_in_s = use.full_in_s;
}

static void diskstats_add_row(struct diskstats *c, size_t i, struct sample *s)
{
	struct device *d = c->set.device[i];
	const struct device *whole =
		device_is(d, "part") && d->owner ? d->owner : d;
	struct device_raw *raw = sample_add(s, SCHEMA_DEVICE);

	diskstats_fill(&c->line[i], raw);
	diskstats_follow(c, d, diskstats_completed(&c->line[i]),
			 raw->queue_depth, s->mono_ns);
	memcpy(raw->key.id, d->name, sizeof(raw->key.id));
	raw->key.generation = whole->generation;
	raw->major = d->major;
	raw->minor = d->minor;
	raw->stats_off = whole->stats_off;
	read_inflight(c, d, raw);
	raw->active = d->active;
	raw->stall_ns = d->stall_ns;
	memcpy(raw->kind, d->kind, sizeof(raw->kind));
	memcpy(raw->parent, d->parent, sizeof(raw->parent));
	if (*d->members)
		raw->members = d->members;
	raw->tree = c->set.trees;
	memcpy(raw->member_of, d->member_of, sizeof(raw->member_of));
	raw->counted = d->counted;
	raw->simulated = d->simulated != NULL;
	if (d->simulated) {
		raw->answers = d->simulated->answers;
		raw->late_answers = d->simulated->late;
	}
	raw->errors = d->health.new_errors;
	raw->missing_members = d->health.missing;
	raw->turned_read_only = d->health.turned_read_only ||
				(d->fs_was_writable && d->fs_read_only);
	raw->temperature_c = d->heat.now_c;
	raw->temperature_max_c = d->heat.max_c;
	raw->temperature_crit_c = d->heat.crit_c;
	memcpy(raw->mount_point, d->mount_point, sizeof(raw->mount_point));
	memcpy(raw->file_system, d->file_system, sizeof(raw->file_system));
	add_space(c, d, s->mono_ns, raw);
	raw->read_ahead_kb = raw->read_ahead_was_kb = -1;
}

static void diskstats_sample(void *state, struct sample *s)
{
	struct diskstats *c = state;

	diskstats_scan(c, &s->mono_ns, &s->wall_ns);
	if (c->set.n == 0)
		return;
	refresh_some(c);
	look_at_health(c, s->mono_ns);
	update_tree(c);
	c->stats_checks = STATS_CHECKS;
	for (size_t i = 0; i < c->set.n; i++)
		if (c->set.device[i]->shown)
			diskstats_add_row(c, i, s);
}

const struct collector collector_diskstats = {
	.size = sizeof(struct diskstats),
	.open = diskstats_open,
	.sample = diskstats_sample,
	.close = diskstats_close,
};
