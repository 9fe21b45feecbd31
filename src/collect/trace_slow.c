/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slow requests of the trace: read from the memory that the programs fill,
 * named, and made rows.
 */
#include "collect/trace_slow.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/kernel.h"
#include "base/text.h"
#include "model/schema/schema_trace.h"

/* With a limit of time, at most so many a second; the rest is counted. */
#define RATE_MAX 10000
/* What searches for the names of files may take in a sample, and what part of all
 * time: 50 ms of each second. */
#define NAMES_NS 5000000
#define NAMES_PART 20
#define FILES_MAX 1024
/* A program writes a row in about a microsecond. */
#define KEEP_TRIES 1000

/* --- words --- */

static const char *const ops[TRACE_OPS] = {
	[TRACE_READ] = "read",
	[TRACE_WRITE] = "write",
	[TRACE_DISCARD] = "discard",
	[TRACE_FLUSH] = "flush",
};

/* By blk_status_t, include/linux/blk_types.h. */
static const char *const errors[] = {
	NULL,	  "notsupp",  "timeout", "nospace",  "transport", "target",
	"reserved", "medium", "protection", "resource", "io", "requeue",
	"again",
};

/* In the flags of a request; the same since Linux 5.10. */
#define OPF_META (1u << 12)
/* Together on writes of a journal: SYNC, META, IDLE. */
#define OPF_JOURNAL (1u << 11 | OPF_META | 1u << 15)

/* By the bit of the request's flags; the same since Linux 5.10. */
static const struct {
	unsigned bit;
	const char *word;
} flag_words[] = {
	{ 11, "sync" },	    { 12, "meta" },	 { 13, "prio" },
	{ 17, "fua" },	    { 18, "preflush" },	 { 19, "readahead" },
	{ 20, "background" },
};

static const char *trace_slow_op(uint32_t opf)
{
	const uint32_t op = opf & 0xff;

	if (op >= TRACE_OPF_FSYNC)
		return op == TRACE_OPF_FSYNC ? "fsync" : "fdatasync";
	return ops[op == 2 ? TRACE_FLUSH
		   : op == 3 ? TRACE_DISCARD
		   : op & 1  ? TRACE_WRITE
			     : TRACE_READ];
}

static const char *trace_slow_error(int32_t error)
{
	if (!error)
		return NULL;
	if (error > 0 && (size_t)error < ARRAY_SIZE(errors))
		return errors[error];
	return "other";
}

/* --- names of files --- */

/* Whether a path ends with the name that the kernel has; a long one is cut there. */
static bool trace_slow_fits(const char *path, const char *name)
{
	const char *last = strrchr(path, '/');
	const size_t n = strlen(name);

	if (!last || !n || strncmp(++last, name, n < TRACE_NAME - 4 ? n : TRACE_NAME - 4))
		return false;
	return n >= TRACE_NAME - 4 || !last[n] || !strcmp(last + n, " (deleted)");
}

/*
 * Whether a descriptor of the process is that file; its name. Each subvolume of a
 * Btrfs has another number for its files, so their names are compared.
 */
static bool trace_slow_is(int folder, const char *fd, const struct trace_slow *r,
			  char *name, size_t size)
{
	struct statx st;
	ssize_t n;

	/* No attribute is asked of a server: it might not answer. */
	if (statx(folder, fd, AT_STATX_DONT_SYNC, STATX_INO, &st) < 0 ||
	    st.stx_ino != r->inode ||
	    ((st.stx_dev_major << 20 | st.stx_dev_minor) != r->file_dev &&
	     (st.stx_dev_major || r->file_dev >> 20)))
		return false;
	n = readlinkat(folder, fd, name, size - 1);
	if (n <= 0 || *name != '/')
		return false;
	name[n] = '\0';
	text_clean(name);
	return r->file_dev >> 20 || trace_slow_fits(name, r->name);
}

static bool trace_slow_search(const struct trace_slow *r, char *name, size_t size)
{
	char path[40];
	struct dirent *entry;
	unsigned seen = 0;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/fd", r->pid);
	dir = opendir(path);
	while (dir && !found && seen++ < FILES_MAX && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			found = trace_slow_is(dirfd(dir), entry->d_name, r, name,
					      size);
	if (dir)
		closedir(dir);
	return found;
}

/*
 * What was read or written, where it is no file; NULL: not known. Memory of a
 * process or of the kernel has no inode.
 */
static const char *trace_slow_kind(const struct trace_slow *r)
{
	const char *op = trace_slow_op(r->opf);
	const bool write = op == ops[TRACE_WRITE];

	if (!write && op != ops[TRACE_READ])
		return NULL;
	/* It has no memory, and never reaches the driver. */
	if (write && !r->bytes && !r->issued)
		return "[flush]";
	/* The flags are since Linux 6.5 those of ext4's, too. */
	if (write && ((r->opf & OPF_JOURNAL) == OPF_JOURNAL ||
		      (r->flags & TRACE_KERNEL && !strncmp(r->comm, "jbd2/", 5))))
		return "[journal]";
	if (r->flags & TRACE_FILE || r->opf & OPF_META)
		return "[metadata]";
	if (!(r->flags & TRACE_KERNEL))
		return r->pid ? "[direct]" : NULL;
	return write ? "[writeback]" : NULL;
}

/*
 * Whether inode is that of a file: the page cache of a device has the device's
 * number. The file system of devices has no device of its own, and its files no
 * names; a file's inode may look like the number of a device.
 */
static bool trace_slow_is_file(const struct trace_slow *r)
{
	return r->flags & TRACE_FILE &&
	       ((*r->name && strcmp(r->name, "/") != 0) || r->file_dev >> 20 ||
		r->inode >> 20 != r->dev >> 20);
}

/*
 * The name, from a search now or the last one for it; else without its directory,
 * or in brackets what it is; NULL: not known.
 */
static const char *trace_slow_name(struct trace_slow_state *s,
				   const struct trace_slow *r)
{
	const unsigned at = (unsigned)(r->inode % TRACE_NAMES);
	struct trace_name *n = &s->name[at];
	const uint64_t now_ns = clock_mono_ns();
	const char *bare = *r->name && strcmp(r->name, "/") != 0 ? r->name : NULL;

	if (!trace_slow_is_file(r))
		return trace_slow_kind(r);
	/* A file can get another name, and its inode's number another file. */
	if (n->inode == r->inode && n->dev == r->file_dev) {
		if (bare && trace_slow_fits(n->name, bare))
			return n->name;
		if (now_ns - n->looked_ns < NS_PER_S)
			return bare;
	}
	if (s->names_left_ns <= 0)
		return bare;
	n->inode = r->inode;
	n->dev = r->file_dev;
	n->looked_ns = now_ns;
	if (!trace_slow_search(r, n->name, sizeof(n->name)))
		*n->name = '\0';
	s->names_left_ns -= (int64_t)(clock_mono_ns() - now_ns);
	return *n->name ? n->name : bare;
}

/* --- rows --- */

static void trace_slow_cgroup(const struct sample *s, uint64_t id,
			      struct slow_raw *row)
{
	const struct sample_table *t = &s->table[SCHEMA_CGROUP];

	for (size_t i = 0; id && i < t->n; i++) {
		const struct row_key *key = sample_row(s, SCHEMA_CGROUP, i);

		if (key->generation == id) {
			text_set(row->cgroup, key->id);
			return;
		}
	}
}

static void trace_slow_add(struct trace_slow_state *state, const struct trace *t,
			   struct sample *s, const struct trace_slow *r,
			   const char *device)
{
	const char *file = trace_slow_name(state, r);
	const bool call = r->opf == TRACE_OPF_FSYNC || r->opf == TRACE_OPF_FDATASYNC;
	struct slow_raw *row = sample_add(s, SCHEMA_SLOW);

	row->key.generation = ++state->number;
	snprintf(row->key.id, sizeof(row->key.id), "%.40s.%llu", device,
		 (unsigned long long)state->number);
	text_set(row->device, device);
	row->op = trace_slow_op(r->opf);
	row->error = trace_slow_error(r->error);
	row->file = file ? arena_strdup(&s->arena, file) : NULL;
	row->ago_ns = (double)(int64_t)(s->mono_ns - r->end_ns);
	row->total_ns = r->whole_ns;
	row->queue_ns = r->issued ? (int64_t)r->queue_ns : -1;
	row->device_ns = r->issued ? (int64_t)r->device_ns : -1;
	row->flush_ns = call && r->issued ? (int64_t)r->flush_us * 1000 : -1;
	row->size_bytes = call ? -1 : (int64_t)r->bytes;
	row->sector = r->bytes ? (int64_t)r->sector : -1;
	row->inode = trace_slow_is_file(r) ? (int64_t)r->inode : -1;
	row->pid = r->pid && !t->other_pids ? (int64_t)r->pid : -1;
	row->requeues = r->requeues;
	row->lost = state->lost ? (int64_t)state->lost : -1;
	state->lost = 0;
	text_set(row->comm, r->comm);
	text_clean(row->comm);
	if (r->flags & TRACE_BLAMED)
		text_set(row->writer, r->writer);
	text_clean(row->writer);
	for (size_t i = 0; i < ARRAY_SIZE(flag_words); i++)
		if (r->opf & 1u << flag_words[i].bit)
			text_join(row->flags, sizeof(row->flags), ",", "%s",
				  flag_words[i].word);
	if (r->flags & TRACE_SEQUENTIAL)
		text_join(row->flags, sizeof(row->flags), ",", "sequential");
	trace_slow_cgroup(s, r->cgroup, row);
}

/* --- the slowest of an interval --- */

/* Those that failed first, then the slowest. */
static int trace_slow_by_time(const void *a, const void *b)
{
	const struct trace_slow *x = a, *y = b;

	if (!x->error != !y->error)
		return x->error ? -1 : 1;
	return x->whole_ns < y->whole_ns ? 1 : x->whole_ns > y->whole_ns ? -1 : 0;
}

static int trace_slow_by_end(const void *a, const void *b)
{
	const uint64_t x = ((const struct trace_slow *)a)->end_ns;
	const uint64_t y = ((const struct trace_slow *)b)->end_ns;

	return x > y ? 1 : x < y ? -1 : 0;
}

/* Copy a row while no program writes it; false: it is not the row of that number. */
static bool trace_slow_keep(struct trace_slow_state *state,
			    const struct trace_slow *r, uint64_t number)
{
	const uint32_t whole = trace_slow_sequence(number);
	struct trace_slow *to;

	state->found = xgrow(state->found, &state->cap, state->n + 1,
			     sizeof(*state->found));
	to = &state->found[state->n];
	if (__atomic_load_n(&r->sequence, __ATOMIC_ACQUIRE) != whole)
		return false;
	*to = *r;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&r->sequence, __ATOMIC_RELAXED) != whole)
		return false;
	/* Other programs can write this memory: names end here. */
	to->comm[TRACE_COMM - 1] = '\0';
	to->writer[TRACE_COMM - 1] = '\0';
	to->name[TRACE_NAME - 1] = '\0';
	text_clean(to->name);
	state->n++;
	return true;
}

/* A program that was in the midst of a row at the turn of the epoch ends soon. */
static bool trace_slow_keep_soon(struct trace_slow_state *state,
				 const struct trace_slow *r, uint32_t epoch)
{
	for (int tries = 0; tries < KEEP_TRIES; tries++)
		if (trace_slow_keep(state, r, epoch))
			return true;
	return false;
}

void trace_slow_begin(struct trace_slow_state *state)
{
	const uint64_t now_ns = clock_mono_ns();

	state->names_left_ns += (int64_t)((now_ns - state->names_ns) / NAMES_PART);
	if (state->names_left_ns > NAMES_NS)
		state->names_left_ns = NAMES_NS;
	state->names_ns = now_ns;
}

void trace_slow_slowest(struct trace_slow_state *state, const struct trace *t,
			struct sample *s, unsigned row, uint32_t dev,
			const char *device, uint32_t epoch, unsigned most)
{
	const struct trace_slowest *all = t->memory[TRACE_MAP_SLOWEST];

	state->n = 0;
	for (unsigned cpu = 0; cpu < t->n_cpus; cpu++) {
		const struct trace_slowest_half *h =
			&all[row * t->n_cpus + cpu].half[epoch & 1];

		if (h->epoch != epoch)
			continue;
		/* Another device may have had the row in this interval. */
		for (uint32_t i = 0; i < h->n && i < TRACE_SLOWEST; i++)
			if (!trace_slow_keep_soon(state, &h->slow[i], epoch))
				state->lost++;
			else if (state->found[state->n - 1].dev != dev)
				state->n--;
	}
	if (state->n)
		qsort(state->found, state->n, sizeof(*state->found),
		      trace_slow_by_time);
	for (size_t i = 0; i < state->n && i < most; i++)
		trace_slow_add(state, t, s, &state->found[i], device);
}

/* --- all that were so slow --- */

static void trace_slow_ring(struct trace_slow_state *state,
			    const struct trace_ring *ring, unsigned cpu)
{
	const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	struct trace_tail *tail;

	if (cpu >= state->n_tails) {
		state->tail = xrealloc(state->tail,
				       (cpu + 1) * sizeof(*state->tail));
		while (state->n_tails <= cpu)
			state->tail[state->n_tails++] = (struct trace_tail){ 0 };
	}
	tail = &state->tail[cpu];
	/* The oldest places may be written just now. */
	if (head - tail->at > TRACE_RING - 8) {
		state->lost += head - tail->at - (TRACE_RING - 8);
		tail->at = head - (TRACE_RING - 8);
	}
	for (; tail->at != head; tail->at++) {
		if (trace_slow_keep(state, &ring->slow[tail->at & (TRACE_RING - 1)],
				    tail->at))
			continue;
		/* A program took the place just now: it is written by the next
		 * time. */
		if (head - tail->at < 8 && tail->empty != tail->at + 1) {
			tail->empty = tail->at + 1;
			break;
		}
		state->lost++;
	}
}

void trace_slow_all(struct trace_slow_state *state, const struct trace *t,
		    struct sample *s,
		    const char *(*name)(void *arg, uint32_t dev), void *arg)
{
	const struct trace_ring *ring = t->memory[TRACE_MAP_RING];
	const double span_s = (double)(s->mono_ns - state->last_ns) / 1e9;
	const double most = state->last_ns ? fmax(span_s, 0.01) * RATE_MAX
					   : RATE_MAX;

	state->last_ns = s->mono_ns;
	state->n = 0;
	for (unsigned cpu = 0; cpu < t->n_cpus; cpu++)
		trace_slow_ring(state, &ring[cpu], cpu);
	if (state->n)
		qsort(state->found, state->n, sizeof(*state->found),
		      trace_slow_by_end);
	/* The first row tells it: there may be no later one. */
	for (size_t i = (size_t)most; i < state->n; i++)
		state->lost += name(arg, state->found[i].dev) != NULL;
	for (size_t i = 0; i < state->n && i < (size_t)most; i++) {
		const char *device = name(arg, state->found[i].dev);

		if (device)
			trace_slow_add(state, t, s, &state->found[i], device);
	}
}

void trace_slow_free(struct trace_slow_state *state)
{
	free(state->found);
	free(state->tail);
}
