/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs in the kernel: each request gets a stamp when it is made and
 * when the driver gets it, and is counted when it completes.
 *
 * The stamps are our own: from Linux 6.9 on the kernel's are those of the plug,
 * whose clock stands still while requests gather in it. A request's place is
 * found by its address. The requests of a queue are a fixed set, so a place is
 * never given back; the next life of the request uses it again.
 */
#include "collect/bpf/trace_memory.h"
#include "collect/bpf/types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

const volatile struct trace_constants constants = { .layout = TRACE_LAYOUT,
						    .n_cpus = 1 };

/* include/linux/blk_types.h, include/linux/sched.h */
#define OP_MASK	    0xff
#define OP_FLUSH    2
#define OP_DISCARD  3
#define OP_PASSTHRU 34
#define OPF_SYNC    (1u << 11)
#define OPF_META    (1u << 12)

/* "jbd2", the begin of the name of a journal's thread, as a number. */
#define COMM_JBD2 0x3264626au
#define ERROR_IO    10 /* BLK_STS_IOERR */

struct trace_control control;

/* Such a map begins a page: a place is a line of the cache. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRACE_SETS);
	__type(key, uint32_t);
	__type(value, struct trace_set);
} places SEC(".maps");

/* By row and processor. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct trace_counts);
} counts SEC(".maps");

/* By device and processor. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct trace_slowest);
} slowest SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct trace_ring);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TRACE_OWNERS);
	__type(key, uint32_t);
	__type(value, struct trace_owner);
} owners SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRACE_PLACES *TRACE_OPS);
	__type(key, uint32_t);
	__type(value, struct trace_streams);
} streams SEC(".maps");

/* The last process that changed a file, by its inode. */
struct blame {
	uint32_t pid, unused;
	char comm[TRACE_COMM];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, uint64_t);
	__type(value, struct blame);
} blames SEC(".maps");

/* Calls that wait for a file to be on the disk, by thread. */
struct sync {
	uint64_t start_ns, inode;
	struct inode *of;
	uint64_t busy_ns[3]; /* of the device, when the call began */
	uint32_t device, file_dev, opf, unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, uint32_t);
	__type(value, struct sync);
} syncs SEC(".maps");

/* How many there are. While there is none, requests cost nothing for them. */
uint64_t n_syncs;

/*
 * How long synchronous writes and flushes were in the queue, the driver or a
 * flush of a device while there were such calls: any of them, the last two, a
 * flush. Requests complete in the order of their ends, so each adds the time
 * since the end of the one before.
 */
enum { BUSY_ANY, BUSY_DRIVER, BUSY_FLUSH, BUSY_KINDS };
struct busy {
	uint64_t busy_ns[BUSY_KINDS], until_ns[BUSY_KINDS], unused[2];
};
struct busy busy[TRACE_PLACES];

/*
 * The calls themselves. They come first: a kernel that refuses programs at
 * functions says so before it verified the others.
 */
static __always_inline int trace_call(const struct pt_regs *regs, uint32_t opf);
static __always_inline int trace_sync_end(int32_t error);

SEC("fentry/__x64_sys_fsync")
int trace_fsync_enter(uint64_t *ctx)
{
	return trace_call((const struct pt_regs *)ctx[0], TRACE_OPF_FSYNC);
}

SEC("fentry/__x64_sys_fdatasync")
int trace_fdatasync_enter(uint64_t *ctx)
{
	return trace_call((const struct pt_regs *)ctx[0], TRACE_OPF_FDATASYNC);
}

SEC("fexit/__x64_sys_fsync")
int trace_fsync_exit(uint64_t *ctx)
{
	return trace_sync_end((int32_t)ctx[1]);
}

SEC("fexit/__x64_sys_fdatasync")
int trace_fdatasync_exit(uint64_t *ctx)
{
	return trace_sync_end((int32_t)ctx[1]);
}

/* What stat says of the thread, where the kernel has these fields. */
static __always_inline void trace_list_state(const struct task_struct *task,
					     struct trace_task *t)
{
	const struct task_struct___long *old = (const void *)task;

	if (bpf_core_field_exists(task->__state))
		t->state = task->__state;
	else if (bpf_core_field_exists(old->state))
		t->state = (uint32_t)old->state;
	else
		return;
	if (!bpf_core_field_exists(task->exit_state) ||
	    !bpf_core_field_exists(task->real_parent) ||
	    !bpf_core_field_exists(task->maj_flt) ||
	    !bpf_core_field_exists(task->signal->nr_threads))
		return;
	t->state |= (uint32_t)task->exit_state;
	t->parent = (uint32_t)task->real_parent->tgid;
	t->minor_faults = task->min_flt;
	t->major_faults = task->maj_flt;
	t->flags = task->flags;
	/* Each line of the cache that is touched here is a cold one. */
	t->threads = t->flags & PF_KTHREAD ?
			     1 :
			     (uint32_t)task->signal->nr_threads;
	__builtin_memcpy(t->comm, task->comm, sizeof(t->comm));
	t->has_state = 1;
}

/* A row for each thread, by number, for who reads the list. */
SEC("iter/task")
int trace_list_tasks(struct bpf_iter__task *ctx)
{
	const struct task_struct *task = ctx->task;
	struct trace_task t = { 0 };

	if (!task || !bpf_core_field_exists(task->sched_info.pcount) ||
	    !bpf_core_field_exists(task->start_boottime))
		return 0;
	t.tid = (uint32_t)task->pid;
	t.pid = (uint32_t)task->tgid;
	t.start_ns = task->start_boottime;
	t.cpu_ns = task->se.sum_exec_runtime;
	t.run_delay_ns = task->sched_info.run_delay;
	t.runs = task->sched_info.pcount;
	t.has_io = bpf_core_field_exists(task->ioac.read_bytes);
	if (t.has_io) {
		t.read_bytes = task->ioac.read_bytes;
		t.write_bytes = task->ioac.write_bytes;
	}
	trace_list_state(task, &t);
	bpf_seq_write(ctx->meta->seq, &t, sizeof(t));
	return 0;
}

/*
 * The functions with APART are verified alone, once, and their result is any
 * number: else the verifier follows each combination of their branches.
 */
#define APART __attribute__((noinline))

APART uint32_t trace_bucket_of(uint64_t ns)
{
	return trace_bucket(ns);
}

/* The low half of a pointer: the verifier allows no arithmetic on pointers. */
static __always_inline uint32_t trace_low(const void *p)
{
	uint64_t low = (uint64_t)p;

	asm volatile("%0 = %0" : "+w"(*(uint32_t *)&low));
	return (uint32_t)low;
}

/*
 * The place of a request; with claim one that is free, or that of a request
 * whose last life began longest ago.
 */
static __always_inline struct trace_place *trace_place(const void *request,
						       bool claim)
{
	const uint64_t id = (uint64_t)request;
	uint32_t key = trace_low(request), at = TRACE_WAYS;
	struct trace_set *set;

	key = (key * 2654435769u) >> 20;
	set = bpf_map_lookup_elem(&places, &key);
	if (!set)
		return NULL;
	/* Each way is a line of the cache: touch no more than needed. */
#pragma unroll
	for (uint32_t i = 0; i < TRACE_WAYS; i++)
		if (set->way[i].request == id) {
			at = i;
			break;
		}
	if (at < TRACE_WAYS)
		return &set->way[at & (TRACE_WAYS - 1)];
	if (!claim)
		return NULL;
	at = 0;
#pragma unroll
	for (uint32_t i = 1; i < TRACE_WAYS; i++)
		if (set->way[i].busy < set->way[at & (TRACE_WAYS - 1)].busy ||
		    (set->way[i].busy == set->way[at & (TRACE_WAYS - 1)].busy &&
		     set->way[i].start_ns <
			     set->way[at & (TRACE_WAYS - 1)].start_ns))
			at = i;
	set->way[at & (TRACE_WAYS - 1)].request = id;
	return &set->way[at & (TRACE_WAYS - 1)];
}

/* Linux 5.10 has the task as a number only. */
static __always_inline bool trace_is_kernel(void)
{
	const struct task_struct *task;
	unsigned int flags = 0;

	if (constants.has_task_btf) {
		task = (const void *)bpf_get_current_task_btf();
		return task->flags & PF_KTHREAD;
	}
	task = (const void *)bpf_get_current_task();
	bpf_core_read(&flags, sizeof(flags), &task->flags);
	return flags & PF_KTHREAD;
}

/* The name of the process; on Linux 5.10 that of the thread. */
static __always_inline void trace_comm(char *to)
{
	const struct task_struct *leader;

	if (!constants.has_task_btf) {
		bpf_get_current_comm(to, TRACE_COMM);
		return;
	}
	leader = ((const struct task_struct *)bpf_get_current_task_btf())
			 ->group_leader;
	bpf_core_read(to, TRACE_COMM, &leader->comm);
}

static __always_inline void trace_begin(struct trace_place *p, uint64_t now_ns)
{
	uint64_t who;

	p->start_ns = now_ns;
	p->issue_ns = 0;
	p->requeues = 0;
	p->device = 0;
	p->bytes = 0;
	p->busy = 1;
	p->flags = 0;
	if (control.level < TRACE_LEVEL_NAMES) {
		p->pid = p->tid = 0;
		p->comm[0] = 0;
		return;
	}
	who = bpf_get_current_pid_tgid();
	p->pid = (uint32_t)(who >> 32);
	p->tid = (uint32_t)who;
	if (trace_is_kernel())
		p->flags = TRACE_KERNEL;
	trace_comm(p->comm);
}

static __always_inline uint32_t trace_dev(const struct request___any *rq)
{
	const struct gendisk *disk = NULL;

	if (bpf_core_field_exists(rq->q->disk))
		disk = rq->q->disk;
	else if (bpf_core_field_exists(rq->rq_disk))
		disk = rq->rq_disk;
	if (!disk)
		return 0;
	return (uint32_t)disk->major << 20 | (uint32_t)disk->first_minor;
}

APART uint32_t trace_device_further(uint32_t dev, uint32_t flags)
{
	uint32_t at = trace_device_place(dev), found = TRACE_PLACES;

	if (!dev)
		return found;
#pragma unroll
	for (uint32_t i = 1; i < TRACE_PROBES; i++) {
		const uint32_t k = (at + i) & (TRACE_PLACES - 1);

		if (control.device[k].dev == dev &&
		    control.device[k].flags == flags)
			found = k;
	}
	return found;
}

/* The place of a device in the table; TRACE_PLACES: it is not traced. */
static __always_inline uint32_t trace_device(uint32_t dev, uint32_t flags)
{
	const uint32_t at = trace_device_place(dev) & (TRACE_PLACES - 1);

	if (dev && control.device[at].dev == dev &&
	    control.device[at].flags == flags)
		return at;
	return trace_device_further(dev, flags);
}

static __always_inline uint32_t trace_operation(uint32_t opf)
{
	const uint32_t op = opf & OP_MASK;

	return op == OP_FLUSH	? TRACE_FLUSH
	       : op == OP_DISCARD ? TRACE_DISCARD
	       : op & 1		  ? TRACE_WRITE
				  : TRACE_READ;
}

/*
 * Whether it begins where one of the last requests of its kind ended:
 * TRACE_SEQUENTIAL or 0.
 */
APART uint32_t trace_follow(uint32_t row, uint64_t sector, uint32_t bytes)
{
	struct trace_streams *s = bpf_map_lookup_elem(&streams, &row);

	if (!s)
		return 0;
#pragma unroll
	for (uint32_t i = 0; i < TRACE_STREAMS; i++)
		if (s->end[i] == sector) {
			s->end[i] = sector + (bytes >> 9);
			return TRACE_SEQUENTIAL;
		}
	s->end[s->next++ & (TRACE_STREAMS - 1)] = sector + (bytes >> 9);
	return 0;
}

/* At the end of a run, which began then: the low bits of the clock choose runs. */
static __always_inline void trace_measure(enum trace_program program,
					  uint64_t began_ns)
{
	uint64_t ns;

	if (began_ns & (TRACE_MEASURED - 1))
		return;
	ns = bpf_ktime_get_ns() - began_ns;
	/* Else an interrupt or the host had the processor meanwhile. */
	if (ns < TRACE_MEASURED_MOST) {
		__sync_fetch_and_add(&control.run_ns[program], ns);
		__sync_fetch_and_add(&control.runs[program], 1);
	}
}

static __always_inline void trace_start(struct request___any *rq)
{
	const uint64_t now_ns = control.level ? bpf_ktime_get_ns() : 0;
	struct trace_place *p;

	if (!now_ns)
		return;
	p = trace_place(rq, true);
	if (p)
		trace_begin(p, now_ns);
	trace_measure(TRACE_START, now_ns);
}

SEC("tp_btf/block_io_start")
int trace_io_start(uint64_t *ctx)
{
	trace_start((struct request___any *)ctx[0]);
	return 0;
}

/*
 * Where the kernel has no event of a new request: its own stamp of that is
 * exact there.
 */
static __always_inline void trace_first(struct request___any *rq,
					struct trace_place *p, uint64_t now_ns)
{
	const uint64_t made_ns = rq->start_time_ns;

	trace_begin(p, made_ns && made_ns < now_ns ? made_ns : now_ns);
}

/*
 * Whether the place is not that of this life of the request. One that was merged
 * into another, or that was no I/O, has ended without a completion: without an event
 * of a new request the kernel's stamp tells. It stays when the driver puts the request
 * back.
 */
static __always_inline bool trace_is_new(const struct request___any *rq,
					 const struct trace_place *p)
{
	return !p->busy ||
	       (!constants.has_io_start && rq->start_time_ns > p->start_ns);
}

static __always_inline void trace_insert(struct request___any *rq)
{
	struct trace_place *p;

	if (!control.level)
		return;
	p = trace_place(rq, true);
	if (p && trace_is_new(rq, p))
		trace_first(rq, p, bpf_ktime_get_ns());
}

SEC("tp_btf/block_rq_insert")
int trace_rq_insert(uint64_t *ctx)
{
	trace_insert((struct request___any *)ctx[0]);
	return 0;
}

/* Before Linux 5.11, and 5.10.137, the queue came first. */
SEC("tp_btf/block_rq_insert")
int trace_rq_insert_q(uint64_t *ctx)
{
	trace_insert((struct request___any *)ctx[1]);
	return 0;
}

static __always_inline void trace_issue(struct request___any *rq)
{
	const uint32_t opf = rq->cmd_flags;
	struct trace_place *p;
	uint32_t device;
	uint64_t now_ns;

	if (!control.level)
		return;
	now_ns = bpf_ktime_get_ns();
	/* The request of a flush is nobody's: the kernel keeps it. */
	p = trace_place(rq, (opf & OP_MASK) == OP_FLUSH || !constants.has_io_start);
	if (!p)
		return;
	if ((opf & OP_MASK) == OP_FLUSH ? !p->requeues :
					      trace_is_new(rq, p))
		trace_first(rq, p, now_ns);
	p->issue_ns = now_ns;
	device = trace_device(trace_dev(rq), TRACE_USED);
	if (device >= TRACE_PLACES)
		return;
	p->device = (uint8_t)(device + 1);
	if ((opf & OP_MASK) != OP_FLUSH)
		p->flags |= (uint8_t)trace_follow(
			device * TRACE_OPS + trace_operation(opf), rq->__sector,
			rq->__data_len);
	trace_measure(TRACE_ISSUE, now_ns);
}

SEC("tp_btf/block_rq_issue")
int trace_rq_issue(uint64_t *ctx)
{
	trace_issue((struct request___any *)ctx[0]);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int trace_rq_issue_q(uint64_t *ctx)
{
	trace_issue((struct request___any *)ctx[1]);
	return 0;
}

static __always_inline struct trace_counts *
trace_counts_of(uint32_t device, uint32_t op, uint32_t cpu)
{
	uint32_t key;

	key = (control.device[device & (TRACE_PLACES - 1)].row * TRACE_OPS +
	       op) * constants.n_cpus +
	      cpu;
	return bpf_map_lookup_elem(&counts, &key);
}

static __always_inline void trace_requeue(struct request___any *rq)
{
	struct trace_place *p;
	struct trace_counts *c;
	uint32_t device;

	if (!control.level)
		return;
	p = trace_place(rq, false);
	if (p && p->busy && p->requeues < 255)
		p->requeues++;
	device = trace_device(trace_dev(rq), TRACE_USED);
	if (device >= TRACE_PLACES)
		return;
	c = trace_counts_of(device, trace_operation(rq->cmd_flags),
			    bpf_get_smp_processor_id());
	if (c)
		__sync_fetch_and_add(&c->requeues, 1);
}

SEC("tp_btf/block_rq_requeue")
int trace_rq_requeue(uint64_t *ctx)
{
	trace_requeue((struct request___any *)ctx[0]);
	return 0;
}

SEC("tp_btf/block_rq_requeue")
int trace_rq_requeue_q(uint64_t *ctx)
{
	trace_requeue((struct request___any *)ctx[1]);
	return 0;
}

/* What completed. */
struct trace_end {
	uint32_t cpu, bucket; /* of whole_ns */
	uint64_t now_ns, whole_ns, queue_ns, device_ns, sector;
	uint32_t dev, bytes, opf;
	uint32_t last_bytes; /* those of earlier parts are counted */
	int32_t error;
	bool issued;
};

static __always_inline uint64_t trace_cgroup(const struct bio *bio)
{
	if (!bio || !bpf_core_field_exists(bio->bi_blkg) || !bio->bi_blkg ||
	    !bio->bi_blkg->blkcg)
		return 0;
	return bio->bi_blkg->blkcg->css.cgroup->kn->id;
}

/* The name that the file has in one of its directories. */
static __always_inline void trace_name(struct trace_slow *slow,
				       const struct inode *inode)
{
	struct hlist_node *first = NULL;
	const struct dentry *dentry = NULL;
	const struct dentry___alias *later = NULL;
	const unsigned char *name = NULL;
	uint32_t at;

	if (bpf_core_field_exists(dentry->d_u.d_alias))
		at = bpf_core_field_offset(dentry->d_u.d_alias);
	else if (bpf_core_field_exists(later->d_alias))
		at = bpf_core_field_offset(later->d_alias);
	else
		return;
	if (bpf_core_read(&first, sizeof(first), &inode->i_dentry.first) ||
	    !first)
		return;
	dentry = (const void *)((const char *)first - at);
	if (!bpf_core_read(&name, sizeof(name), &dentry->d_name.name) && name)
		bpf_probe_read_kernel_str(slow->name, sizeof(slow->name), name);
}

/* The file of the first page, and the process that changed it last. */
static __always_inline void trace_file(struct trace_slow *slow,
				       const struct bio *bio)
{
	struct bio_vec *vec = NULL;
	struct page___any *page = NULL;
	struct address_space *mapping = NULL;
	struct inode *inode = NULL;
	struct super_block *sb = NULL;
	struct blame *blame;
	uint64_t key;
	unsigned long ino = 0;

	if (!bio || bpf_core_read(&vec, sizeof(vec), &bio->bi_io_vec) || !vec)
		return;
	if (bpf_core_read(&page, sizeof(page), &vec->bv_page) || !page)
		return;
	if (bpf_core_read(&mapping, sizeof(mapping), &page->mapping) ||
	    !mapping || (uint64_t)mapping & 3)
		return;
	if (bpf_core_read(&inode, sizeof(inode), &mapping->host) || !inode)
		return;
	bpf_core_read(&ino, sizeof(ino), &inode->i_ino);
	bpf_core_read(&sb, sizeof(sb), &inode->i_sb);
	if (sb)
		bpf_core_read(&slow->file_dev, sizeof(slow->file_dev),
			      &sb->s_dev);
	slow->inode = ino;
	slow->flags |= TRACE_FILE;
	trace_name(slow, inode);
	/* A journal's thread itself dirties the pages of the journal and of
	 * metadata, which are the device's; a user process did so last when it
	 * made the file system. It writes the pages of files, too. */
	if (!(slow->flags & TRACE_KERNEL) || !(slow->opf & 1) ||
	    slow->opf & OPF_META ||
	    (*(uint32_t *)slow->comm == COMM_JBD2 && !(slow->file_dev >> 20)))
		return;
	key = (uint64_t)inode;
	blame = bpf_map_lookup_elem(&blames, &key);
	if (!blame)
		return;
	slow->flags |= TRACE_BLAMED;
	__builtin_memcpy(slow->writer, slow->comm, TRACE_COMM);
	__builtin_memcpy(slow->comm, blame->comm, TRACE_COMM);
	slow->pid = blame->pid;
}

/*
 * Begin to write a row; the result is the writer's own. An interrupt on this
 * processor may begin the same row, and end it, before this writer goes on.
 */
static __always_inline uint32_t trace_open(struct trace_slow *slow, uint64_t now_ns)
{
	const uint32_t mine = (uint32_t)now_ns & ~1u;

	*(volatile uint32_t *)&slow->sequence = mine;
	asm volatile("" ::: "memory");
	return mine;
}

/* The row is whole, unless another one wrote it meanwhile: then it is nobody's. */
static __always_inline void trace_close(struct trace_slow *slow, uint32_t mine,
					uint64_t number)
{
	asm volatile("" ::: "memory");
	*(volatile uint32_t *)&slow->sequence =
		*(volatile uint32_t *)&slow->sequence == mine ?
			trace_slow_sequence(number) :
			0;
}

/* number: as trace_slow_sequence(). */
static __always_inline void trace_note(struct trace_slow *slow,
				       const struct trace_place *p,
				       const struct trace_end *e,
				       const struct bio *bio, uint64_t number)
{
	const uint32_t mine = trace_open(slow, e->now_ns);

	slow->end_ns = e->now_ns;
	slow->whole_ns = e->whole_ns;
	slow->queue_ns = e->queue_ns;
	slow->device_ns = e->device_ns;
	slow->issued = e->issued;
	slow->sector = e->sector;
	slow->cgroup = trace_cgroup(bio);
	slow->bytes = e->bytes;
	slow->dev = e->dev;
	slow->opf = e->opf;
	slow->error = e->error;
	slow->pid = p->pid;
	slow->flush_us = 0;
	slow->requeues = p->requeues;
	slow->flags = p->flags;
	slow->inode = 0;
	slow->file_dev = 0;
	__builtin_memcpy(slow->comm, p->comm, TRACE_COMM);
	__builtin_memset(slow->writer, 0, TRACE_COMM);
	slow->name[0] = 0;
	trace_file(slow, bio);
	trace_close(slow, mine, number);
}

/*
 * The place of a request among the slowest of its device, processor and epoch;
 * TRACE_SLOWEST: it is none of them.
 */
APART uint32_t trace_rank_of(uint32_t key, uint32_t epoch, uint64_t whole_ns)
{
	struct trace_slowest *s = bpf_map_lookup_elem(&slowest, &key);
	struct trace_slowest_half *h;

	if (!s)
		return TRACE_SLOWEST;
	h = &s->half[epoch & 1];
	if (h->epoch != epoch) {
		h->epoch = epoch;
		h->n = 0;
		h->least_ns = 0;
	}
	if (h->n < TRACE_SLOWEST)
		return h->n++;
	return whole_ns > h->least_ns ? h->least_at : TRACE_SLOWEST;
}

/* Find the fastest of the slowest: the next one to give way. */
APART int trace_find_least(uint32_t key, uint32_t epoch)
{
	struct trace_slowest *s = bpf_map_lookup_elem(&slowest, &key);
	struct trace_slowest_half *h;
	uint64_t least_ns;
	uint32_t at = 0;

	if (!s)
		return 0;
	h = &s->half[epoch & 1];
	least_ns = UINT64_MAX;
#pragma unroll
	for (uint32_t i = 0; i < TRACE_SLOWEST; i++)
		if (!h->slow[i].error && h->slow[i].whole_ns < least_ns) {
			least_ns = h->slow[i].whole_ns;
			at = i;
		}
	h->least_at = at;
	h->least_ns = least_ns;
	return 0;
}

/*
 * Keep it if it failed or is one of the slowest of this processor and epoch. Most
 * are not: one look tells.
 */
static __always_inline void trace_rank(uint32_t device,
				       const struct trace_place *p,
				       const struct trace_end *e,
				       const struct bio *bio)
{
	const uint32_t epoch = control.epoch;
	uint32_t key = control.device[device & (TRACE_PLACES - 1)].row *
			       constants.n_cpus +
		       e->cpu;
	struct trace_slowest *s = bpf_map_lookup_elem(&slowest, &key);
	struct trace_slowest_half *h;
	uint32_t at;

	if (!s)
		return;
	h = &s->half[epoch & 1];
	if (h->epoch == epoch && h->n == TRACE_SLOWEST && !e->error &&
	    e->whole_ns <= h->least_ns)
		return;
	at = trace_rank_of(key, epoch, e->error ? UINT64_MAX : e->whole_ns);
	if (at >= TRACE_SLOWEST)
		return;
	trace_note(&h->slow[at & (TRACE_SLOWEST - 1)], p, e, bio, epoch);
	trace_find_least(key, epoch);
}

/*
 * The next place of the ring of a processor; NULL: none. An interrupt between the
 * look and the addition may have the same place in mind, so neither takes it, and the
 * reader finds a place that nobody wrote. Linux 5.10 has no addition with a result.
 */
static __always_inline struct trace_slow *trace_take(uint32_t cpu, uint64_t *number)
{
	struct trace_ring *r = bpf_map_lookup_elem(&ring, &cpu);

	if (!r)
		return NULL;
	*number = *(volatile uint64_t *)&r->head;
	__sync_fetch_and_add(&r->head, 1);
	if (*(volatile uint64_t *)&r->head != *number + 1)
		return NULL;
	return &r->slow[*number & (TRACE_RING - 1)];
}

static __always_inline void trace_push(const struct trace_place *p,
				       const struct trace_end *e,
				       const struct bio *bio)
{
	struct trace_slow *slow;
	uint64_t number;

	if (!constants.has_ring || !control.slower_ns ||
	    (e->whole_ns < control.slower_ns && !e->error))
		return;
	slow = trace_take(e->cpu, &number);
	if (slow)
		trace_note(slow, p, e, bio, number);
}

static __always_inline void trace_busy_add(uint32_t device, uint32_t kind,
					   uint64_t from_ns, uint64_t to_ns)
{
	struct busy *b = &busy[device & (TRACE_PLACES - 1)];
	const uint64_t until_ns = b->until_ns[kind];

	if (from_ns < until_ns)
		from_ns = until_ns;
	if (from_ns >= to_ns)
		return;
	b->until_ns[kind] = to_ns;
	__sync_fetch_and_add(&b->busy_ns[kind], to_ns - from_ns);
}

/* What a call that waits for a file may wait for. */
static __always_inline void trace_busy(uint32_t device, uint32_t op,
				       const struct trace_place *p,
				       const struct trace_end *e)
{
	if (!n_syncs || !(op == TRACE_FLUSH ||
			  (op == TRACE_WRITE && e->opf & OPF_SYNC)))
		return;
	trace_busy_add(device, BUSY_ANY, p->start_ns, e->now_ns);
	if (e->issued)
		trace_busy_add(device, BUSY_DRIVER, p->issue_ns, e->now_ns);
	if (e->issued && op == TRACE_FLUSH)
		trace_busy_add(device, BUSY_FLUSH, p->issue_ns, e->now_ns);
}

static __always_inline void trace_count(struct trace_counts *c,
					const struct trace_place *p,
					const struct trace_end *e)
{
	uint32_t bucket = e->bucket;

	if (bucket >= TRACE_BUCKETS)
		return;
	c->whole[bucket]++;
	if (p->flags & TRACE_SEQUENTIAL)
		c->sequential++;
	if (!e->issued)
		return;
	c->timed++;
	c->queue_ns += e->queue_ns;
	c->device_ns += e->device_ns;
	/* Known to the verifier: else the shift becomes a mask, and the bound is lost. */
	bucket >>= 3;
	asm volatile("" : "+r"(bucket));
	if (bucket < TRACE_BUCKETS / 8)
		c->queue_ns_of[bucket] += e->queue_ns;
	bucket = trace_bucket_of(e->queue_ns);
	if (bucket < TRACE_BUCKETS)
		c->queue[bucket]++;
	bucket = trace_bucket_of(e->device_ns);
	if (bucket < TRACE_BUCKETS)
		c->device[bucket]++;
}

/* A free place for a key. Two processors may take the same one: one of the keys
 * gets another with its next request. */
APART uint32_t trace_owner_new(uint64_t key)
{
	const uint32_t set = trace_owner_set(key);

#pragma unroll
	for (uint32_t i = 0; i < TRACE_OWNER_WAYS; i++) {
		const uint32_t at = (set + i) & (TRACE_OWNERS - 1);

		if (!control.owner[at]) {
			control.owner[at] = key;
			return at;
		}
	}
	return TRACE_OWNERS;
}

static __always_inline void trace_charge(uint64_t key,
					 const struct trace_end *e)
{
	const uint32_t set = trace_owner_set(key);
	uint32_t at = TRACE_OWNERS, bucket = e->bucket;
	struct trace_owner *o;

#pragma unroll
	for (uint32_t i = 0; i < TRACE_OWNER_WAYS; i++)
		if (control.owner[(set + i) & (TRACE_OWNERS - 1)] == key) {
			at = (set + i) & (TRACE_OWNERS - 1);
			break;
		}
	if (at >= TRACE_OWNERS)
		at = trace_owner_new(key);
	o = bpf_map_lookup_elem(&owners, &at);
	if (!o || bucket >= TRACE_BUCKETS)
		return;
	/* Two processors may lose one: atomic additions are a tenth of all time. */
	o->changes++;
	o->whole[bucket]++;
	if (!e->issued)
		return;
	o->queue_ns += e->queue_ns;
	o->device_ns += e->device_ns;
}

/* Whether a device above counts it, too. */
static __always_inline bool trace_is_held(const struct bio *bio, uint32_t dev)
{
	if (!control.held)
		return false;
	if (bpf_core_field_exists(bio->bi_bdev))
		dev = bio->bi_bdev->bd_dev;
	return trace_device(dev, TRACE_HELD) < TRACE_PLACES;
}

static __always_inline void trace_charge_all(const struct trace_place *p,
					     const struct trace_end *e,
					     const struct bio *bio)
{
	uint64_t cgroup;

	/* The request of a flush is nobody's. */
	if (control.level < TRACE_LEVEL_NAMES || !bio || trace_is_held(bio, e->dev))
		return;
	if (p->pid)
		trace_charge(p->pid, e);
	cgroup = control.cgroups ? trace_cgroup(bio) : 0;
	if (cgroup)
		trace_charge(cgroup | TRACE_OWNER_CGROUP, e);
}

static __always_inline void trace_finish(uint32_t device, uint32_t op,
					 struct trace_place *p,
					 struct trace_end *e,
					 const struct bio *bio)
{
	struct trace_counts *c;
	uint32_t size;

	e->cpu = bpf_get_smp_processor_id();
	c = trace_counts_of(device, op, e->cpu);
	if (!c)
		return;
	c->ios++;
	c->bytes += e->last_bytes;
	size = trace_size_bucket(e->bytes);
	if (e->bytes && size < TRACE_SIZES)
		c->size[size]++;
	if (e->error)
		c->errors++;
	/* It began before the trace did, or another one took its place. */
	if (!p || !p->busy)
		return;
	e->whole_ns = e->now_ns - p->start_ns;
	e->issued = p->issue_ns >= p->start_ns;
	e->queue_ns = e->issued ? p->issue_ns - p->start_ns : 0;
	e->device_ns = e->issued ? e->now_ns - p->issue_ns : 0;
	e->bucket = trace_bucket_of(e->whole_ns);
	trace_count(c, p, e);
	trace_charge_all(p, e, bio);
	trace_busy(device, op, p, e);
	trace_rank(device, p, e, bio);
	trace_push(p, e, bio);
}

/*
 * The event comes for each part of a request that completes in parts, and for
 * each step of a write with flushes; the last one counts, as in diskstats.
 */
SEC("tp_btf/block_rq_complete")
int trace_rq_complete(uint64_t *ctx)
{
	struct request___any *rq = (struct request___any *)ctx[0];
	const uint32_t opf = rq->cmd_flags, op = opf & OP_MASK;
	const uint32_t bytes = (uint32_t)ctx[2];
	struct trace_end e = { .now_ns = bpf_ktime_get_ns() };
	struct trace_place *p;
	uint32_t device;

	if (!control.level || op >= OP_PASSTHRU)
		return 0;
	p = trace_place(rq, !constants.has_io_start);
	/* Without an event of a new request an empty flush is seen here only. */
	if (p && !constants.has_io_start && rq->start_time_ns && trace_is_new(rq, p)) {
		trace_first(rq, p, e.now_ns);
		p->pid = p->tid = 0;
		p->comm[0] = 0;
		p->flags = 0;
	}
	device = p && p->busy && p->device ?
			 (p->device - 1u) & (TRACE_PLACES - 1) :
			 trace_device(trace_dev(rq), TRACE_USED);
	if (bytes < rq->__data_len ||
	    (op != OP_FLUSH && rq->rq_flags & constants.flush_part)) {
		if (device < TRACE_PLACES) {
			struct trace_counts *c = trace_counts_of(
				device, trace_operation(opf),
				bpf_get_smp_processor_id());

			if (c)
				c->bytes += bytes;
		}
		if (p)
			p->bytes += bytes;
		return 0;
	}
	e.bytes = bytes + (p ? p->bytes : 0);
	e.last_bytes = bytes;
	e.opf = opf;
	e.error = (int32_t)(uint8_t)ctx[1];
	e.sector = op == OP_FLUSH ? 0 : rq->__sector;
	if (device < TRACE_PLACES) {
		e.dev = control.device[device].dev;
		trace_finish(device, trace_operation(opf), p, &e, rq->bio);
	}
	if (p) {
		p->busy = 0;
		p->requeues = 0;
		p->bytes = 0;
	}
	trace_measure(TRACE_COMPLETE, e.now_ns);
	return 0;
}

static __always_inline const struct gendisk *trace_disk(const struct bio *bio)
{
	const struct bio___disk *old = (const void *)bio;

	return bpf_core_field_exists(bio->bi_bdev) ? bio->bi_bdev->bd_disk :
						     old->bi_disk;
}

/*
 * Devices without requests: each bio has its place; the time in the queue is
 * not known.
 */
static __always_inline void trace_bio_start(const struct bio *bio)
{
	const struct gendisk *disk;
	struct trace_place *p;
	uint32_t device;

	/* Each request has bios, too. */
	if (!control.level || !control.bios)
		return;
	disk = trace_disk(bio);
	device = trace_device((uint32_t)disk->major << 20 |
				      (uint32_t)disk->first_minor,
			      TRACE_USED | TRACE_BIOS);
	if (device >= TRACE_PLACES)
		return;
	p = trace_place(bio, true);
	if (!p)
		return;
	trace_begin(p, bpf_ktime_get_ns());
	p->bytes = bio->bi_iter.bi_size;
	p->sector = bio->bi_iter.bi_sector;
	if (p->bytes)
		p->flags |= (uint8_t)trace_follow(
			device * TRACE_OPS + trace_operation(bio->bi_opf),
			bio->bi_iter.bi_sector, p->bytes);
}

SEC("tp_btf/block_bio_queue")
int trace_bio_queue(uint64_t *ctx)
{
	trace_bio_start((const struct bio *)ctx[0]);
	return 0;
}

/* Before Linux 5.11. */
SEC("tp_btf/block_bio_queue")
int trace_bio_queue_q(uint64_t *ctx)
{
	trace_bio_start((const struct bio *)ctx[1]);
	return 0;
}

SEC("tp_btf/block_bio_complete")
int trace_bio_complete(uint64_t *ctx)
{
	struct bio *bio = (struct bio *)ctx[1];
	struct trace_end e = { .now_ns = bpf_ktime_get_ns() };
	const struct gendisk *disk;
	struct trace_place *p;
	uint32_t device;

	if (!control.level)
		return 0;
	disk = trace_disk(bio);
	e.dev = (uint32_t)disk->major << 20 | (uint32_t)disk->first_minor;
	device = trace_device(e.dev, TRACE_USED | TRACE_BIOS);
	if (device >= TRACE_PLACES)
		return 0;
	p = trace_place(bio, false);
	e.bytes = e.last_bytes = p ? p->bytes : 0;
	e.opf = bio->bi_opf;
	e.error = bio->bi_status;
	e.sector = p ? p->sector : 0;
	trace_finish(device, trace_operation(e.opf), p, &e, bio);
	if (p) {
		p->busy = 0;
		p->bytes = 0;
	}
	return 0;
}

/*
 * Writeback changes inodes, too: it must not blame itself. A reader changes only
 * the time of the last access, where the kernel's types tell that apart.
 */
SEC("tp_btf/writeback_mark_inode_dirty")
int trace_mark_dirty(uint64_t *ctx)
{
	struct inode *inode = (struct inode *)ctx[0];
	struct blame blame = { 0 }, *last;
	uint64_t key = (uint64_t)inode;

	if (!control.level || trace_is_kernel() ||
	    (constants.dirty_pages &&
	     !((uint32_t)ctx[1] & constants.dirty_pages)))
		return 0;
	blame.pid = (uint32_t)(bpf_get_current_pid_tgid() >> 32);
	/* A file is mostly changed by one process, many times. */
	last = bpf_map_lookup_elem(&blames, &key);
	if (last && last->pid == blame.pid)
		return 0;
	trace_comm(blame.comm);
	bpf_map_update_elem(&blames, &key, &blame, BPF_ANY);
	return 0;
}

/* The disk of a file system; 0: its own number is no disk's. */
static __always_inline uint32_t trace_disk_of(const struct super_block *sb)
{
	struct block_device *bdev = NULL;
	struct gendisk *disk = NULL;
	int major = 0, minor = 0;

	if (bpf_core_read(&bdev, sizeof(bdev), &sb->s_bdev) || !bdev ||
	    bpf_core_read(&disk, sizeof(disk), &bdev->bd_disk) || !disk ||
	    bpf_core_read(&major, sizeof(major), &disk->major) ||
	    bpf_core_read(&minor, sizeof(minor), &disk->first_minor))
		return 0;
	return (uint32_t)major << 20 | (uint32_t)minor;
}

/* The place of the device that a file system is on; TRACE_PLACES: not traced. */
static __always_inline uint32_t trace_device_of(const struct super_block *sb,
						uint32_t number)
{
	const uint32_t dev = trace_disk_of(sb);
	uint32_t at = trace_device(dev, TRACE_USED);

	if (at >= TRACE_PLACES)
		at = trace_device(dev, TRACE_USED | TRACE_BIOS);
	if (at < TRACE_PLACES)
		return at;
	at = trace_device(number, TRACE_MOUNTED);
	return at < TRACE_PLACES ? control.device[at].row : TRACE_PLACES;
}

static __always_inline int trace_sync_begin(const struct file *file, uint32_t opf)
{
	const uint32_t tid = (uint32_t)bpf_get_current_pid_tgid();
	const struct sync *last;
	struct sync sync = { 0 };
	struct inode *inode = NULL;
	struct super_block *sb = NULL;
	unsigned long ino = 0;
	bool none;

	if (!control.level ||
	    bpf_core_read(&inode, sizeof(inode), &file->f_inode) || !inode ||
	    bpf_core_read(&sb, sizeof(sb), &inode->i_sb) || !sb)
		return 0;
	bpf_core_read(&sync.file_dev, sizeof(sync.file_dev), &sb->s_dev);
	sync.device = trace_device_of(sb, sync.file_dev);
	if (sync.device >= TRACE_PLACES)
		return 0;
	bpf_core_read(&ino, sizeof(ino), &inode->i_ino);
	sync.inode = ino;
	sync.of = inode;
	sync.opf = opf;
	/* The call began before its file system did. */
	last = bpf_map_lookup_elem(&syncs, &tid);
	if (last && last->of == inode && last->opf == opf)
		return 0;
	sync.start_ns = bpf_ktime_get_ns();
	/* Linux 5.10 has no addition with a result. */
	none = n_syncs == 0;
	if (!last)
		__sync_fetch_and_add(&n_syncs, 1);
	if (none)
		for (int i = 0; i < BUSY_KINDS; i++)
			busy[sync.device & (TRACE_PLACES - 1)].until_ns[i] =
				sync.start_ns;
	for (int i = 0; i < BUSY_KINDS; i++)
		sync.busy_ns[i] =
			busy[sync.device & (TRACE_PLACES - 1)].busy_ns[i];
	bpf_map_update_elem(&syncs, &tid, &sync, BPF_ANY);
	return 0;
}

/* How long the device was busy since the call began, at most so long. */
static __always_inline uint64_t trace_busy_since(const struct sync *sync,
						 uint32_t kind, uint64_t most_ns)
{
	const uint64_t ns =
		busy[sync->device & (TRACE_PLACES - 1)].busy_ns[kind] -
		sync->busy_ns[kind];

	return ns < most_ns ? ns : most_ns;
}

static __always_inline void trace_note_sync(struct trace_slow *slow,
					    const struct sync *sync,
					    uint64_t now_ns, int64_t error,
					    uint64_t number)
{
	const uint32_t mine = trace_open(slow, now_ns);
	const struct trace_device *device =
		&control.device[sync->device & (TRACE_PLACES - 1)];
	uint64_t any_ns, driver_ns, flush_ns;

	slow->end_ns = now_ns;
	slow->whole_ns = now_ns - sync->start_ns;
	any_ns = trace_busy_since(sync, BUSY_ANY, slow->whole_ns);
	driver_ns = trace_busy_since(sync, BUSY_DRIVER, any_ns);
	flush_ns = trace_busy_since(sync, BUSY_FLUSH, driver_ns);
	slow->queue_ns = any_ns - driver_ns;
	slow->device_ns = driver_ns - flush_ns;
	slow->flush_us = (uint32_t)(flush_ns / 1000);
	slow->issued = !(device->flags & TRACE_BIOS);
	slow->inode = sync->inode;
	slow->file_dev = sync->file_dev;
	slow->dev = device->dev;
	slow->opf = sync->opf;
	slow->error = error ? ERROR_IO : 0;
	slow->flags = TRACE_FILE;
	slow->sector = slow->cgroup = 0;
	slow->bytes = 0;
	slow->requeues = 0;
	slow->pid = (uint32_t)(bpf_get_current_pid_tgid() >> 32);
	trace_comm(slow->comm);
	__builtin_memset(slow->writer, 0, TRACE_COMM);
	slow->name[0] = 0;
	trace_name(slow, sync->of);
	trace_close(slow, mine, number);
}

static __always_inline int trace_sync_end(int32_t error)
{
	const uint32_t tid = (uint32_t)bpf_get_current_pid_tgid();
	const struct sync *found = bpf_map_lookup_elem(&syncs, &tid);
	const uint64_t now_ns = bpf_ktime_get_ns();
	const uint32_t cpu = bpf_get_smp_processor_id(), epoch = control.epoch;
	struct trace_slowest *s;
	struct trace_slow *slow;
	uint32_t key, at;
	uint64_t number;
	struct sync sync;

	if (!found)
		return 0;
	sync = *found;
	bpf_map_delete_elem(&syncs, &tid);
	__sync_fetch_and_add(&n_syncs, -1);
	key = (constants.devices +
	       control.device[sync.device & (TRACE_PLACES - 1)].row) *
		      constants.n_cpus +
	      cpu;
	at = trace_rank_of(key, epoch, error ? UINT64_MAX : now_ns - sync.start_ns);
	s = bpf_map_lookup_elem(&slowest, &key);
	if (s && at < TRACE_SLOWEST) {
		trace_note_sync(&s->half[epoch & 1].slow[at & (TRACE_SLOWEST - 1)],
				&sync, now_ns, error, epoch);
		trace_find_least(key, epoch);
	}
	if (!constants.has_ring || !control.slower_ns ||
	    (now_ns - sync.start_ns < control.slower_ns && !error))
		return 0;
	slow = trace_take(cpu, &number);
	if (slow)
		trace_note_sync(slow, &sync, now_ns, error, number);
	return 0;
}

/*
 * ext4 may be a module, whose types the loader cannot ask for: these two read
 * what they are given, as a program of any tracepoint can. A file that was opened
 * for synchronous writes comes here without a call.
 */
SEC("raw_tp/ext4_sync_file_enter")
int trace_sync_enter(uint64_t *ctx)
{
	return trace_sync_begin((const struct file *)ctx[0],
				(uint32_t)ctx[1] ? TRACE_OPF_FDATASYNC :
						   TRACE_OPF_FSYNC);
}

SEC("raw_tp/ext4_sync_file_exit")
int trace_sync_exit(uint64_t *ctx)
{
	return trace_sync_end((int32_t)ctx[1]);
}

/* A call: for the file systems without such events (x86-64). */
static __always_inline int trace_call(const struct pt_regs *regs, uint32_t opf)
{
	const struct task_struct *task = (const void *)bpf_get_current_task();
	struct files_struct *files = NULL;
	struct fdtable *table = NULL;
	struct file **open = NULL, *file = NULL;
	uint64_t fd = 0;
	unsigned int most = 0;

	if (!control.level || bpf_core_read(&fd, sizeof(fd), &regs->di) ||
	    bpf_core_read(&files, sizeof(files), &task->files) || !files ||
	    bpf_core_read(&table, sizeof(table), &files->fdt) || !table ||
	    bpf_core_read(&most, sizeof(most), &table->max_fds) ||
	    bpf_core_read(&open, sizeof(open), &table->fd) ||
	    (uint32_t)fd >= most ||
	    bpf_probe_read_kernel(&file, sizeof(file), open + (uint32_t)fd) ||
	    !file)
		return 0;
	return trace_sync_begin(file, opf);
}
