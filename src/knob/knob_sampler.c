/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob sampler: reads settings with every sample, cheaply.
 *
 * Three parts: rules for settings without effect at present (rules[]); the
 * settings of one device, with their files kept open (struct held_device); the
 * sampler, which decides what to read anew.
 */
#include "knob/knob.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "model/schema/schema_machine.h"

/* The files that are kept open over all devices, and how often a value changed. */
struct held_files {
	struct kept_files kept;
	uint64_t changes;
};

/* One setting. value "" is absent; choices "" is none. */
struct held {
	const struct knob *row;
	struct kept file;
	int rule;            /* row of rules[], or -1 */
	char id[ROW_ID_MAX]; /* "vda.scheduler" */
	char name[KNOB_NAME_MAX];
	char value[KNOB_VALUE_MAX];
	char choices[2 * KNOB_VALUE_MAX];
	char original[KNOB_VALUE_MAX]; /* when it was first seen; "" never */
};

/* The first value seen of a tunable: tunables come and go. */
struct origin {
	char name[KNOB_NAME_MAX], scheduler[KNOB_VALUE_MAX];
	char value[KNOB_VALUE_MAX];
};

/* fixed has one for each row of knobs[], found has the tunables. */
struct held_device {
	char name[ROW_ID_MAX];
	struct held *fixed;
	struct held *found;
	size_t n_found, cap_found;
	struct origin *origin;
	size_t n_origins, cap_origins;
};

/* The facts that a rule reads. */
struct context {
	const struct held_device *device, *host;
	const struct held *knob;
	/* The device above this one that has its own readahead, or "". */
	const char *above;
	bool one_cpu;
};

/* The value of a setting beside it; "" when there is none. */
static const char *knob_sampler_value_of(const struct held_device *d,
					 const char *name)
{
	for (size_t i = 0; i < n_knobs; i++)
		if (d->fixed[i].row && !strcmp(d->fixed[i].name, name))
			return d->fixed[i].value;
	return "";
}

static const char *only_choice(const struct context *c, char *buf, size_t size)
{
	if (!c->knob->choices[0] || strchr(c->knob->choices, ' '))
		return NULL;
	return "the kernel offers no other value";
}

static const char *one_cpu(const struct context *c, char *buf, size_t size)
{
	return c->one_cpu ? "there is only one CPU" : NULL;
}

static const char *merges_off(const struct context *c, char *buf, size_t size)
{
	if (strcmp(knob_sampler_value_of(c->device, "nomerges"), "2"))
		return NULL;
	return "nomerges is 2: nothing is merged";
}

/* The device that a reader opened decides how far its reads look ahead. */
static const char *readahead_above(const struct context *c, char *buf,
				   size_t size)
{
	if (!*c->above)
		return NULL;
	snprintf(buf, size,
		 "not for data on %s, which has a readahead of its own",
		 c->above);
	return buf;
}

static const char *never_looks(const struct context *c, char *buf, size_t size)
{
	if (strcmp(knob_sampler_value_of(c->host, "dirty_writeback_centisecs"),
		   "0"))
		return NULL;
	return "dirty_writeback_centisecs is 0: the kernel does not look for "
	       "old data";
}

/* Compares limits of one unit only; "0" is not in force. */
static const char *above_limit(const struct context *c, const char *name,
			       char *buf, size_t size)
{
	long long limit = atoll(knob_sampler_value_of(c->host, name));
	long long background = atoll(c->knob->value);

	if (limit <= 0 || background < limit)
		return NULL;
	snprintf(buf, size,
		 "must be below %s (%lld), else the kernel uses half of "
		 "that", name,
		 limit);
	return buf;
}

static const char *above_ratio(const struct context *c, char *buf, size_t size)
{
	return above_limit(c, "dirty_ratio", buf, size);
}

static const char *above_bytes(const struct context *c, char *buf, size_t size)
{
	return above_limit(c, "dirty_bytes", buf, size);
}

static const struct rule {
	const char *knob;
	const char *(*why)(const struct context *c, char *buf, size_t size);
} rules[] = {
	{ "scheduler", only_choice },
	{ "rq_affinity", one_cpu },
	{ "iosched.front_merges", merges_off },
	{ "read_ahead_kb", readahead_above },
	{ "dirty_expire_centisecs", never_looks },
	{ "dirty_background_ratio", above_ratio },
	{ "dirty_background_bytes", above_bytes },
};

static int rule_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].knob, name))
			return (int)i;
	return -1;
}

static const char *no_effect_of(const struct context *c, char *buf, size_t size)
{
	return c->knob->rule < 0 ? NULL
				 : rules[c->knob->rule].why(c, buf, size);
}

#define ORIGINS_MAX 512

static void held_name(struct held *h, const struct knob *row,
		      const char *device, const char *name)
{
	memset(h, 0, sizeof(*h));
	h->row = row;
	h->file = KEPT_NONE;
	h->rule = rule_of(name);
	text_set(h->name, name);
	if (snprintf(h->id, sizeof(h->id), "%.*s.%s", KNOB_DEVICE_MAX - 1,
		     device, name) >= (int)sizeof(h->id))
		h->row = NULL; /* too long for a row of the sample */
}

static void held_init(struct held_device *d, const char *name)
{
	memset(d, 0, sizeof(*d));
	text_set(d->name, name);
	d->fixed = xcalloc(n_knobs, sizeof(*d->fixed));
	for (size_t i = 0; i < n_knobs; i++)
		held_name(&d->fixed[i], &knobs[i], name, knobs[i].name);
}

static void held_free(struct held_device *d, struct held_files *files)
{
	for (size_t i = 0; d->fixed && i < n_knobs; i++)
		root_kept_close(&files->kept, &d->fixed[i].file);
	for (size_t i = 0; i < d->n_found; i++)
		root_kept_close(&files->kept, &d->found[i].file);
	free(d->fixed);
	free(d->found);
	free(d->origin);
	memset(d, 0, sizeof(*d));
}

/* Read one setting; false when it is absent. */
static bool read_one(struct held *h, const struct held_device *d, bool keep,
		     struct held_files *files)
{
	char text[KNOB_TEXT_MAX], value[KNOB_VALUE_MAX], path[KNOB_PATH_MAX];
	char choices[sizeof(h->choices)];
	ssize_t n;
	bool found;

	if (!h->row)
		return true;
	n = root_kept_again(&h->file, text, sizeof(text));
	if (n < 0 && knob_path(h->row, d->name, h->name, path))
		n = root_kept_first(&files->kept, &h->file, path, text,
				    sizeof(text));
	if (!keep)
		root_kept_close(&files->kept, &h->file);
	found = n >= 0 && knob_value_parse(h->row, text, value, sizeof(value),
					   choices, sizeof(choices));
	if (!found)
		value[0] = choices[0] = '\0';
	if (strcmp(value, h->value) || strcmp(choices, h->choices))
		files->changes++;
	text_set(h->value, value);
	text_set(h->choices, choices);
	return found;
}

struct finding {
	struct held_device *d;
	const struct knob *row;
};

static void add_found(const char *name, void *arg)
{
	struct finding *f = arg;
	struct held_device *d = f->d;

	d->found = xgrow(d->found, &d->cap_found, d->n_found + 1,
			 sizeof(*d->found));
	held_name(&d->found[d->n_found++], f->row, d->name, name);
}

static void find_tunables(struct held_device *d, struct held_files *files)
{
	for (size_t i = 0; i < d->n_found; i++)
		root_kept_close(&files->kept, &d->found[i].file);
	d->n_found = 0;
	for (size_t i = 0; i < n_knobs; i++) {
		struct finding f = { d, &knobs[i] };

		if (knobs[i].kind == KNOB_FOUND)
			knob_scan_tunables(files->kept.root, &knobs[i], d->name,
					   add_found, &f);
	}
}

static bool read_tunables(struct held_device *d, bool keep,
			  struct held_files *files)
{
	bool whole = true;

	for (size_t i = 0; i < d->n_found; i++)
		whole &= read_one(&d->found[i], d, keep, files);
	return whole;
}

/*
 * The first value seen of a tunable under this scheduler: the present one when
 * it was never seen before.
 */
static const char *origin_of(struct held_device *d, const struct held *h,
			     const char *scheduler)
{
	struct origin *o;

	for (size_t i = 0; i < d->n_origins; i++) {
		o = &d->origin[i];
		if (!strcmp(o->name, h->name) &&
		    !strcmp(o->scheduler, scheduler))
			return o->value;
	}
	/* More than all schedulers together have: the tree is damaged. */
	if (d->n_origins >= ORIGINS_MAX)
		return h->value;
	o = xadd(d->origin, d->n_origins, d->cap_origins);
	text_set(o->name, h->name);
	text_set(o->scheduler, scheduler);
	text_set(o->value, h->value);
	return o->value;
}

/* Remember the first value of each setting. */
static void knob_sampler_learn(struct held_device *d)
{
	const char *scheduler = "";

	for (size_t i = 0; i < n_knobs; i++) {
		struct held *h = &d->fixed[i];

		if (!h->original[0])
			text_set(h->original, h->value);
		if (h->row && h->row->kind == KNOB_CHOICE)
			scheduler = h->value;
	}
	for (size_t i = 0; i < d->n_found; i++) {
		struct held *h = &d->found[i];

		if (!h->original[0] && h->value[0])
			text_set(h->original, origin_of(d, h, scheduler));
	}
}

static void knob_sampler_read_all(struct held_device *d, bool keep,
				  struct held_files *files)
{
	bool host = knob_is_host(d->name), anew = !keep && !host;

	for (size_t i = 0; i < n_knobs; i++) {
		struct held *h = &d->fixed[i];
		char was[KNOB_VALUE_MAX];

		if (!h->row || h->row->kind == KNOB_FOUND ||
		    !knob_is_of(h->row, d->name))
			continue;
		text_set(was, h->value);
		read_one(h, d, keep, files);
		if (h->row->kind == KNOB_CHOICE && strcmp(was, h->value))
			anew = true;
	}
	/* Two switches between two samples end where they began. */
	if (!anew && read_tunables(d, keep, files))
		return;
	if (host)
		return;
	find_tunables(d, files);
	read_tunables(d, keep, files);
}

static void held_read(struct held_device *d, bool keep, struct held_files *files)
{
	knob_sampler_read_all(d, keep, files);
	knob_sampler_learn(d);
}

/* Of the idle devices, one and this share of all are read in turn. */
#define ROTATION 16
/* With so few devices the files of idle ones stay open, too: 14 each. */
#define KEEP_MOST 32
/* Every so many samples: idle devices, host groups, links to above. */
#define IDLE_EVERY  4
#define HOST_EVERY  4
#define ABOVE_EVERY 16
/*
 * The kernel reports who writes to a queue's folders, in any mount of this sysfs.
 * It reports no ioctl: the readahead is read as before, for BLKRASET changes it,
 * and the other files so much later.
 */
#define AGAIN_NS (4 * NS_PER_S - NS_PER_S / 10)
/* The part of RLIMIT_NOFILE to use, and a bound. */
#define FILES_SHARE 4
#define FILES_MAX   4096

struct followed {
	struct held_device held;
	uint64_t generation, activity, read_ns;
	bool seen, known, part;
	bool written; /* since it was read */
	int watch[2]; /* of queue and queue/iosched; 0: not yet, -1: none */
	char above[40]; /* see struct context */
};

struct knob_sampler {
	struct held_files files;
	struct held_device *host; /* one for each group: "vm", "kernel" */
	size_t n_hosts, cap_hosts;
	struct followed *at;
	size_t n, cap, rotor;
	uint64_t samples;
	char (*watched)[KNOB_DEVICE_MAX];
	size_t n_watched, cap_watched;
	bool one_cpu;
	int writes; /* an inotify; -1: none */
	size_t scheduler, readahead; /* rows of knobs[] */
	size_t linked; /* the number of devices at the last link_above() */
	uint64_t version; /* of the rows of knobs */
	uint64_t changes; /* of the files at that time */
};

/* The settings of a host group, or NULL. */
static const struct held_device *
knob_sampler_find_host(const struct knob_sampler *k, const char *name)
{
	return text_row(name, k->host, k->n_hosts, name);
}

static void add_host(struct knob_sampler *k, const char *name)
{
	if (!name || knob_sampler_find_host(k, name))
		return;
	k->host =
		xgrow(k->host, &k->cap_hosts, k->n_hosts + 1, sizeof(*k->host));
	held_init(&k->host[k->n_hosts++], name);
}

static size_t row_of(const char *name)
{
	size_t i = 0;

	while (strcmp(knobs[i].name, name) != 0)
		i++;
	return i;
}

struct knob_sampler *knob_sampler_new(const struct root *root)
{
	struct knob_sampler *k = xcalloc(1, sizeof(*k));
	struct rlimit limit = { 256, 256 };

	k->writes = root->live ? inotify_init1(IN_NONBLOCK | IN_CLOEXEC) : -1;
	/* Another one than that of another sampler. */
	k->version = clock_mono_ns();
	k->scheduler = row_of("scheduler");
	k->readahead = row_of("read_ahead_kb");
	root_kept_init(&k->files.kept, root);
	getrlimit(RLIMIT_NOFILE, &limit);
	k->files.kept.limit = limit.rlim_cur / FILES_SHARE < FILES_MAX
				      ? (unsigned)limit.rlim_cur / FILES_SHARE
				      : FILES_MAX;
	for (size_t i = 0; i < n_knobs; i++)
		add_host(k, knobs[i].host);
	k->one_cpu = root_exists(root, "sys/devices/system/cpu/cpu0") &&
		     !root_exists(root, "sys/devices/system/cpu/cpu1");
	return k;
}

void knob_sampler_free(struct knob_sampler *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++)
		held_free(&k->at[i].held, &k->files);
	for (size_t i = 0; i < k->n_hosts; i++)
		held_free(&k->host[i], &k->files);
	if (k->writes >= 0)
		close(k->writes);
	free(k->host);
	free(k->at);
	free(k->watched);
	free(k);
}

static bool is_watched(const struct knob_sampler *k, const char *device)
{
	for (size_t i = 0; i < k->n_watched; i++)
		if (!strcmp(k->watched[i], device))
			return true;
	return false;
}

void knob_sampler_watch(struct knob_sampler *k, const char *device)
{
	if (is_watched(k, device))
		return;
	k->watched = xgrow(k->watched, &k->cap_watched, k->n_watched + 1,
			   KNOB_DEVICE_MAX);
	text_copy(k->watched[k->n_watched++], KNOB_DEVICE_MAX, device);
}

/* A sum that grows when a device does I/O. */
static uint64_t activity_of(const struct device_raw *r)
{
	uint64_t sum = r->flush_ios;

	for (int op = 0; op < DEVICE_OPS; op++)
		sum += r->ios[op] + r->sectors[op];
	return sum;
}

/* Find a device. Rows mostly keep their order: hint is the likely index. */
static struct followed *knob_sampler_find(struct knob_sampler *k, size_t hint,
					  const char *name)
{
	if (hint < k->n && !strcmp(k->at[hint].held.name, name))
		return &k->at[hint];
	return text_row(name, k->at, k->n, held.name);
}

static void knob_sampler_unguard(const struct knob_sampler *k,
				 const struct followed *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(f->watch); i++)
		if (f->watch[i] > 0)
			inotify_rm_watch(k->writes, f->watch[i]);
}

static struct followed *knob_sampler_follow(struct knob_sampler *k, size_t hint,
					    const struct device_raw *r)
{
	struct followed *f = knob_sampler_find(k, hint, r->key.id);

	if (f && f->generation == r->key.generation)
		return f;
	if (f) {
		/* Another device took the name. */
		knob_sampler_unguard(k, f);
		held_free(&f->held, &k->files);
		k->files.changes++;
	} else {
		f = xadd(k->at, k->n, k->cap);
	}
	memset(f, 0, sizeof(*f));
	held_init(&f->held, r->key.id);
	f->generation = r->key.generation;
	/* Partitions have no queue of their own. */
	f->part = !strcmp(r->kind, "part");
	return f;
}

static void forget_vanished(struct knob_sampler *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (k->at[i].seen) {
			k->at[kept++] = k->at[i];
			continue;
		}
		knob_sampler_unguard(k, &k->at[i]);
		held_free(&k->at[i].held, &k->files);
		k->files.changes++;
	}
	k->n = kept;
}

static void set_above(struct knob_sampler *k, const char *device,
		      const char *above)
{
	struct followed *f = knob_sampler_find(k, k->n, device);

	if (f)
		text_set(f->above, above);
}

/* A partition as a member stands for its disk. */
static void set_members_above(struct knob_sampler *k, const struct sample *s,
			      const struct device_raw *r)
{
	char names[ROW_NAMES_MAX], *rest = names, *name;

	text_set(names, r->members ? r->members : "");
	while ((name = strsep(&rest, " "))) {
		const struct device_raw *m =
			*name ? sample_find(s, SCHEMA_DEVICE, name) : NULL;

		if (m)
			set_above(k, strcmp(m->kind, "part") ? name : m->parent,
				  r->key.id);
	}
}

/*
 * Find what lies on each device and has a readahead of its own: devices built
 * on it (not loop devices: they read through a file of the file system below),
 * and a btrfs, also on a partition.
 */
static void link_above(struct knob_sampler *k, const struct sample *s)
{
	size_t devices = s->table[SCHEMA_DEVICE].n;

	for (size_t i = 0; i < k->n; i++)
		k->at[i].above[0] = '\0';
	for (size_t i = 0; i < devices; i++) {
		const struct device_raw *r = sample_row(s, SCHEMA_DEVICE, i);
		bool part = !strcmp(r->kind, "part");

		if (*r->member_of)
			set_above(k, part ? r->parent : r->key.id,
				  r->member_of);
		if (strcmp(r->kind, "loop"))
			set_members_above(k, s, r);
	}
	k->linked = k->n;
	k->files.changes++;
}

/* Ask for reports of writes; a folder of tunables comes with its scheduler. */
static void knob_sampler_guard(struct knob_sampler *k, struct followed *f)
{
	static const char *const folders[] = { "queue", "queue/iosched" };
	char path[KNOB_PATH_MAX], fd_path[ROOT_FD_PATH];

	for (size_t i = 0; k->writes >= 0 && i < ARRAY_SIZE(folders); i++) {
		int fd = -1;

		f->watch[i] = -1;
		if (knob_device_path(f->held.name, folders[i], path))
			fd = root_open_file(k->files.kept.root, path, O_PATH);
		if (fd < 0)
			continue;
		f->watch[i] = inotify_add_watch(
			k->writes, root_fd_path(fd_path, fd), IN_MODIFY);
		close(fd);
	}
}

/* Mark the devices whose settings were written. */
static void take_writes(struct knob_sampler *k)
{
	_Alignas(struct inotify_event) char buf[4096];
	ssize_t n;

	while (k->writes >= 0 && (n = read(k->writes, buf, sizeof(buf))) > 0)
		for (const char *p = buf; p < buf + n;) {
			const struct inotify_event *e = (const void *)p;

			for (size_t i = 0; i < k->n; i++)
				k->at[i].written |=
					e->wd == k->at[i].watch[0] ||
					e->wd == k->at[i].watch[1] ||
					e->mask & IN_Q_OVERFLOW;
			p += sizeof(*e) + e->len;
		}
}

/* Read all of its settings. */
static void knob_sampler_read_device(struct knob_sampler *k, struct followed *f,
				     bool keep, uint64_t now_ns)
{
	/* One reading is no reason to ask. */
	if (f->known && (!f->watch[0] || f->written))
		knob_sampler_guard(k, f);
	f->written = false;
	f->known = true;
	f->read_ns = now_ns;
	held_read(&f->held, keep, &k->files);
}

/* Read what may have changed of a device that does I/O or is new. */
static void read_busy(struct knob_sampler *k, struct followed *f,
		      uint64_t now_ns)
{
	if (!f->known || f->written || f->watch[0] < 1 ||
	    now_ns - f->read_ns >= AGAIN_NS || is_watched(k, f->held.name))
		knob_sampler_read_device(k, f, f->known, now_ns);
	else
		read_one(&f->held.fixed[k->readahead], &f->held, true, &k->files);
}

/* Read active, watched, written and new devices, and some of the idle ones. */
static void read_devices(struct knob_sampler *k, const struct sample *s)
{
	size_t devices = s->table[SCHEMA_DEVICE].n;

	take_writes(k);
	for (size_t i = 0; i < k->n; i++)
		k->at[i].seen = false;
	for (size_t i = 0; i < devices; i++) {
		const struct device_raw *r = sample_row(s, SCHEMA_DEVICE, i);
		struct followed *f = knob_sampler_follow(k, i, r);
		uint64_t activity = activity_of(r);
		bool busy = activity != f->activity || r->queue_depth > 0 ||
			    is_watched(k, r->key.id);

		f->seen = true;
		f->activity = activity;
		if (!f->part && (busy || f->written || !f->known))
			read_busy(k, f, s->mono_ns);
	}
	forget_vanished(k);
	if (k->samples % IDLE_EVERY)
		return;
	for (size_t i = 0; k->n && i < 1 + k->n / ROTATION; i++) {
		struct followed *f = &k->at[k->rotor++ % k->n];
		/*
		 * With few devices the files stay open: opening costs several
		 * times what reading does. With many, idle devices close
		 * theirs.
		 */
		bool keep = (k->n <= KEEP_MOST || f->held.fixed[0].file.fd >= 0) &&
			    k->files.kept.open < k->files.kept.limit;

		if (f->part)
			continue;
		if (i && f->watch[0] > 0)
			read_one(&f->held.fixed[k->readahead], &f->held, keep,
				 &k->files);
		else
			knob_sampler_read_device(k, f, keep, s->mono_ns);
	}
}

static const char *kept(struct sample *s, const char *text)
{
	return text ? arena_strdup(&s->kept, text) : NULL;
}

static void emit_one(struct sample *s, struct context *c, const struct held *h,
		     uint64_t generation)
{
	struct knob_raw *row;
	char why[160];

	if (!h->row || !h->value[0])
		return;
	c->knob = h;
	row = sample_add(s, SCHEMA_KNOB);
	memcpy(row->key.id, h->id, sizeof(h->id));
	row->key.generation = generation;
	row->value = kept(s, h->value);
	row->choices = kept(s, h->choices[0] ? h->choices : NULL);
	row->original =
		kept(s, strcmp(h->original, h->value) ? h->original : NULL);
	row->no_effect = kept(s, no_effect_of(c, why, sizeof(why)));
}

static void emit(const struct knob_sampler *k, struct sample *s,
		 const struct held_device *d, const char *above,
		 uint64_t generation)
{
	struct context c = {
		.device = d,
		.host = knob_sampler_find_host(k, "vm"),
		.above = above,
		.one_cpu = k->one_cpu,
	};

	for (size_t i = 0; i < n_knobs; i++) {
		if (knobs[i].kind != KNOB_FOUND) {
			emit_one(s, &c, &d->fixed[i], generation);
			continue;
		}
		for (size_t f = 0; f < d->n_found; f++)
			emit_one(s, &c, &d->found[f], generation);
	}
}

/* The readahead, and the original one when it differs. */
static void fill_readahead(struct device_raw *r, const struct held *h)
{
	r->read_ahead_kb = strtoll(h->value, NULL, 10);
	if (strcmp(h->original, h->value))
		r->read_ahead_was_kb = strtoll(h->original, NULL, 10);
}

static void fill_scheduler(struct device_raw *r, const struct held *h)
{
	text_set(r->scheduler, h->value);
	if (strcmp(h->original, h->value))
		text_set(r->scheduler_was, h->original);
}

/* The scheduler and the readahead of a device's own row. */
static void fill_row(const struct knob_sampler *k, struct device_raw *r,
		     const struct followed *f)
{
	const struct held *scheduler = &f->held.fixed[k->scheduler];
	const struct held *readahead = &f->held.fixed[k->readahead];

	r->scheduler[0] = '\0';
	r->scheduler_was[0] = '\0';
	r->read_ahead_kb = r->read_ahead_was_kb = -1;
	if (scheduler->value[0])
		fill_scheduler(r, scheduler);
	if (readahead->value[0])
		fill_readahead(r, readahead);
}

void knob_sampler_read(struct knob_sampler *k, struct sample *s)
{
	size_t devices = s->table[SCHEMA_DEVICE].n;
	bool anew;

	read_devices(k, s);
	for (size_t i = 0; i < k->n_hosts; i++)
		if (k->samples % HOST_EVERY == 0 ||
		    is_watched(k, k->host[i].name))
			held_read(&k->host[i], true, &k->files);
	if (k->samples % ABOVE_EVERY == 0 || k->n != k->linked)
		link_above(k, s);
	k->samples++;
	if (k->changes != k->files.changes)
		k->version++;
	k->changes = k->files.changes;
	anew = sample_keep(s, SCHEMA_KNOB, k->version);
	for (size_t i = 0; anew && i < k->n_hosts; i++)
		emit(k, s, &k->host[i], "", 0);
	/* read_devices() keeps devices in the order of the rows. */
	for (size_t i = 0; i < devices; i++) {
		struct device_raw *r = sample_row(s, SCHEMA_DEVICE, i);
		const struct followed *f = knob_sampler_find(k, i, r->key.id);

		fill_row(k, r, f);
		if (anew)
			emit(k, s, &f->held, f->above, f->generation);
	}
}
