/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader of the trace: it looks at what the kernel has, loads the programs
 * that fit, sends their descriptors, and ends. libbpf is opened at run time: a
 * machine without it runs without a trace.
 *
 * All that reads files, and the parse of the object, is done before the role's filter
 * and loss of rights; what is left needs the calls of CALLS_BPF (base/sandbox.c).
 */
#include "collect/trace.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/text.h"

/* Made by the build from trace.bpf.c. */
static const unsigned char object[] __attribute__((aligned(8))) = {
#include <collect/bpf/trace_object.inc>
};

#define LIBRARY	 "libbpf.so.1"
#define LIBRARY_0 "libbpf.so.0"
#define BTF	 "/sys/kernel/btf/vmlinux"
#define LOCKDOWN "/sys/kernel/security/lockdown"

/* The functions of libbpf that are used. */
#define LIBBPF(X)                                                          \
	X(libbpf_set_print) X(bpf_object__open_mem) X(bpf_object__load)    \
	X(bpf_object__next_map) X(bpf_map__name)                           \
	X(bpf_object__find_program_by_name)                                \
	X(bpf_program__set_autoload) X(bpf_program__attach)                \
	X(bpf_map__set_max_entries) X(bpf_map__set_initial_value)          \
	X(bpf_map__fd) X(bpf_link__fd) X(bpf_program__fd) X(libbpf_num_possible_cpus)         \
	X(libbpf_get_error) X(btf__load_vmlinux_btf) X(btf__type_by_id)    \
	X(btf__find_by_name_kind) X(btf__type_cnt) X(btf__name_by_offset)

struct libbpf {
#define LIBBPF_POINTER(name) __typeof__(&name) name;
	LIBBPF(LIBBPF_POINTER)
};

/* With so many files that may be open a load has never too few. */
#define FILES 128

/* When a program is loaded, if the kernel has its event. */
enum program_use {
	USE_ALWAYS,
	USE_NO_START,
	USE_BIOS,
	USE_IF_THERE,
	USE_CALLS, /* event is a function; some kernels refuse such programs */
	USE_TASKS, /* the list of all threads; event is its function */
};

static const struct program_row {
	const char *name, *event;
	unsigned args; /* of this form of the event */
	enum program_use use;
} programs[] = {
	{ "trace_io_start", "block_io_start", 1, USE_ALWAYS },
	{ "trace_rq_insert", "block_rq_insert", 1, USE_NO_START },
	{ "trace_rq_insert_q", "block_rq_insert", 2, USE_NO_START },
	{ "trace_rq_issue", "block_rq_issue", 1, USE_ALWAYS },
	{ "trace_rq_issue_q", "block_rq_issue", 2, USE_ALWAYS },
	{ "trace_rq_requeue", "block_rq_requeue", 1, USE_ALWAYS },
	{ "trace_rq_requeue_q", "block_rq_requeue", 2, USE_ALWAYS },
	{ "trace_rq_complete", "block_rq_complete", 3, USE_ALWAYS },
	{ "trace_bio_queue", "block_bio_queue", 1, USE_BIOS },
	{ "trace_bio_queue_q", "block_bio_queue", 2, USE_BIOS },
	{ "trace_bio_complete", "block_bio_complete", 2, USE_BIOS },
	{ "trace_mark_dirty", "writeback_mark_inode_dirty", 2, USE_ALWAYS },
	/* An event of a module: the attempt to attach says whether it is there. */
	{ "trace_sync_enter", NULL, 0, USE_IF_THERE },
	{ "trace_sync_exit", NULL, 0, USE_IF_THERE },
	{ "trace_list_tasks", "bpf_iter_task", 0, USE_TASKS },
	{ "trace_fsync_enter", "__x64_sys_fsync", 0, USE_CALLS },
	{ "trace_fdatasync_enter", "__x64_sys_fdatasync", 0, USE_CALLS },
	{ "trace_fsync_exit", "__x64_sys_fsync", 0, USE_CALLS },
	{ "trace_fdatasync_exit", "__x64_sys_fdatasync", 0, USE_CALLS },
};

static const char *const map_names[TRACE_MAPS] = {
	[TRACE_MAP_CONTROL] = ".bss",    [TRACE_MAP_COUNTS] = "counts",
	[TRACE_MAP_SLOWEST] = "slowest", [TRACE_MAP_RING] = "ring",
	[TRACE_MAP_OWNERS] = "owners",
};

struct trace_load {
	struct libbpf lib;
	int socket;
	const struct trace_wish *wish;
	struct trace_news end;
	/* With the programs of USE_CALLS, and without. */
	struct trace_object {
		struct bpf_object *object;
		bool used[ARRAY_SIZE(programs)];
	} with, without;
	struct trace_constants constants;
	int error;	    /* of the load; 0: none */
	bool few_files;	    /* may be open */
	char log[64 << 10]; /* of the verifier */
};

static bool trace_load_library(struct libbpf *lib)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW);
	bool all = true;

	if (!handle)
		handle = dlopen(LIBRARY_0, RTLD_NOW);
	if (!handle)
		return false;
#define LIBBPF_FIND(name)                                                   \
	lib->name = (__typeof__(lib->name))(uintptr_t)dlsym(handle, #name); \
	all &= lib->name != NULL;
	LIBBPF(LIBBPF_FIND)
	return all;
}

static bool trace_load_locked(void)
{
	char text[120] = "";
	int fd = open(LOCKDOWN, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && strstr(text, "[confidentiality]");
}

/* How many arguments an event has; 0: the kernel has no such event. */
static unsigned trace_load_args(const struct trace_load *l,
				const struct btf *btf, const char *event)
{
	const struct btf_type *t;
	char name[80];
	int id;

	snprintf(name, sizeof(name), "btf_trace_%s", event);
	id = l->lib.btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	t = id > 0 ? l->lib.btf__type_by_id(btf, (__u32)id) : NULL;
	t = t ? l->lib.btf__type_by_id(btf, t->type) : NULL; /* the pointer */
	t = t ? l->lib.btf__type_by_id(btf, t->type) : NULL; /* the function */
	return t && btf_is_func_proto(t) && btf_vlen(t) ? btf_vlen(t) - 1u : 0;
}

/* The value of a name of any enumeration of the kernel; without: it has none. */
static uint32_t trace_load_enum(const struct trace_load *l,
				const struct btf *btf, const char *name,
				uint32_t without)
{
	const __u32 n = l->lib.btf__type_cnt(btf);

	for (__u32 i = 1; i < n; i++) {
		const struct btf_type *t = l->lib.btf__type_by_id(btf, i);
		const struct btf_enum *e;

		if (!btf_is_enum(t))
			continue;
		e = btf_enum(t);
		for (unsigned k = 0; k < btf_vlen(t); k++) {
			const char *is = l->lib.btf__name_by_offset(
				btf, e[k].name_off);

			if (is && !strcmp(is, name))
				return (uint32_t)e[k].val;
		}
	}
	return without;
}

static struct bpf_map *trace_load_map(const struct trace_load *l,
				      const struct bpf_object *o,
				      const char *name)
{
	struct bpf_map *map = NULL;

	/* The maps of sections have the object's name in front. */
	while ((map = l->lib.bpf_object__next_map(o, map))) {
		const char *is = l->lib.bpf_map__name(map);
		const size_t n = strlen(is), m = strlen(name);

		if (!strcmp(is, name) ||
		    (*name == '.' && n >= m && !strcmp(is + n - m, name)))
			return map;
	}
	return NULL;
}

/* Once: each look for a name goes through all types. */
static void trace_load_constants(struct trace_load *l, const struct btf *btf)
{
	l->constants.layout = TRACE_LAYOUT;
	l->constants.has_io_start =
		trace_load_args(l, btf, "block_io_start") == 1;
	l->constants.has_task_btf = trace_load_enum(
		l, btf, "BPF_FUNC_get_current_task_btf", 0) != 0;
	/* Bit 4 before Linux 6.12, where it is no enumeration. */
	l->constants.flush_part =
		1u << trace_load_enum(l, btf, "__RQF_FLUSH_SEQ", 4);
	l->constants.dirty_pages =
		trace_load_enum(l, btf, "I_DIRTY_PAGES", 0);
}

static void trace_load_choose(struct trace_load *l, struct trace_object *o,
			      const struct btf *btf, bool calls)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const struct program_row *row = &programs[i];
		bool use = !row->event ||
			   trace_load_args(l, btf, row->event) == row->args;

		if (row->use == USE_NO_START)
			use = use && !l->constants.has_io_start;
		if (row->use == USE_BIOS)
			use = use && l->wish->bios;
		if (row->use >= USE_CALLS)
			use = (calls || row->use != USE_CALLS) &&
			      l->lib.btf__find_by_name_kind(btf, row->event,
							    BTF_KIND_FUNC) > 0;
		o->used[i] = use;
		l->lib.bpf_program__set_autoload(
			l->lib.bpf_object__find_program_by_name(o->object, row->name),
			use);
	}
}

/* 128 MiB of counters at most. */
#define COUNTS_MAX (128u << 20)

static unsigned trace_load_devices(unsigned wish, unsigned cpus)
{
	const size_t each = sizeof(struct trace_counts) * TRACE_OPS * cpus;
	unsigned n = wish < 4 ? 4 : wish > TRACE_DEVICES ? TRACE_DEVICES : wish;

	while (n > 4 && n * each > COUNTS_MAX)
		n--;
	return n;
}

static bool trace_load_size(struct trace_load *l, struct bpf_object *o)
{
	const int cpus = l->lib.libbpf_num_possible_cpus();
	struct bpf_map *constants = trace_load_map(l, o, ".rodata");

	if (cpus <= 0 || !constants)
		return false;
	l->end.n_cpus = l->constants.n_cpus = (unsigned)cpus;
	l->end.devices = trace_load_devices(l->wish->devices, (unsigned)cpus);
	l->constants.has_ring = l->wish->slower_ns > 0;
	l->constants.devices = (uint16_t)l->end.devices;
	return !l->lib.bpf_map__set_initial_value(constants, &l->constants,
					       sizeof(l->constants)) &&
	       !l->lib.bpf_map__set_max_entries(trace_load_map(l, o, "counts"),
					     l->end.n_cpus * l->end.devices *
						     TRACE_OPS) &&
	       !l->lib.bpf_map__set_max_entries(trace_load_map(l, o, "slowest"),
					     2 * l->end.n_cpus *
						     l->end.devices) &&
	       (!l->wish->slower_ns ||
		!l->lib.bpf_map__set_max_entries(trace_load_map(l, o, "ring"),
					      l->end.n_cpus));
}

static bool trace_load_send(const struct trace_load *l,
			    const struct trace_news *news, int fd)
{
	return descriptor_send(l->socket, news, sizeof(*news), &fd,
			       fd >= 0) == 0;
}

static bool trace_load_hand_over(struct trace_load *l, const struct trace_object *o)
{
	struct trace_news news = { .kind = TRACE_NEWS_MAP };

	for (int i = 0; i < TRACE_MAPS; i++) {
		news.map = (enum trace_map)i;
		if (!trace_load_send(l, &news,
				     l->lib.bpf_map__fd(
					     trace_load_map(l, o->object, map_names[i]))))
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		struct bpf_program *program;
		struct bpf_link *link;

		if (!o->used[i])
			continue;
		program = l->lib.bpf_object__find_program_by_name(
			o->object, programs[i].name);
		link = l->lib.bpf_program__attach(program);
		news.kind = programs[i].use == USE_TASKS ? TRACE_NEWS_TASKS
							 : TRACE_NEWS_LINK;
		if (l->lib.libbpf_get_error(link) &&
		    programs[i].use >= USE_IF_THERE)
			continue;
		if (l->lib.libbpf_get_error(link) ||
		    !trace_load_send(l, &news, l->lib.bpf_link__fd(link)))
			return false;
		if (news.kind == TRACE_NEWS_LINK &&
		    !trace_load_send(l, &news, l->lib.bpf_program__fd(program)))
			return false;
		l->end.calls |= programs[i].use == USE_CALLS;
	}
	return true;
}

static bool trace_load_open(struct trace_load *l, struct trace_object *o,
			    const struct btf *btf, bool calls)
{
	const struct bpf_object_open_opts opts = {
		.sz = sizeof(opts),
		.object_name = "iodyno",
		.kernel_log_buf = l->log,
		.kernel_log_size = sizeof(l->log),
	};

	o->object = l->lib.bpf_object__open_mem(object, sizeof(object), &opts);
	if (l->lib.libbpf_get_error(o->object))
		return false;
	trace_load_choose(l, o, btf, calls);
	return trace_load_size(l, o->object);
}

/* Whether all is there that a load needs. */
static enum trace_refusal trace_load_look(struct trace_load *l)
{
	struct btf *btf;

	if (access(BTF, R_OK) < 0)
		return TRACE_NO_BTF;
	if (trace_load_locked())
		return TRACE_LOCKDOWN;
	if (!trace_may())
		return geteuid() == 0 ? TRACE_CONTAINER : TRACE_NO_RIGHT;
	if (!trace_load_library(&l->lib))
		return TRACE_NO_LIBRARY;
	l->lib.libbpf_set_print(NULL);
	btf = l->lib.btf__load_vmlinux_btf();
	if (l->lib.libbpf_get_error(btf))
		return TRACE_NO_BTF;
	trace_load_constants(l, btf);
	return trace_load_open(l, &l->with, btf, true) &&
			       trace_load_open(l, &l->without, btf, false) ?
		       TRACE_LOADED :
		       TRACE_VERIFIER;
}

static enum trace_refusal trace_load(struct trace_load *l)
{
	const struct trace_object *o = &l->with;
	int err = l->lib.bpf_object__load(o->object);

	if (err) {
		o = &l->without;
		err = l->lib.bpf_object__load(o->object);
	}
	l->error = -err;
	if (err == -EPERM)
		return TRACE_CONTAINER;
	return err || !trace_load_hand_over(l, o) ? TRACE_VERIFIER : TRACE_LOADED;
}

/*
 * The verifier's own words are its last line but one; without descriptors or memory
 * it was not asked.
 */
static void trace_load_say(struct trace_load *l)
{
	char *line = l->log, *next, *best = l->log;
	bool scarce;

	/* libbpf loads a refused program again, for words that may have no room. */
	if (l->error == ENOSPC && l->few_files)
		l->error = EMFILE;
	scarce = l->error == EMFILE || l->error == ENFILE || l->error == ENOMEM;
	for (; (next = strchr(line, '\n')); line = next + 1) {
		*next = '\0';
		if (*line && strncmp(line, "processed ", 10) != 0)
			best = line;
	}
	text_copy(l->end.words, sizeof(l->end.words),
		  *best && !scarce ? best : strerror(l->error ? l->error : errno));
}

void trace_load_prepare(void *arg)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct trace_wish *wish = arg;
	struct rlimit files;
	struct trace_load *l;

	/* Before Linux 5.11 maps count as locked memory. */
	if (setrlimit(RLIMIT_MEMLOCK, &all) < 0) {
		/* The kernel says so if it minds. */
	}
	l = xcalloc(1, sizeof(*l));
	l->wish = wish;
	l->few_files = !getrlimit(RLIMIT_NOFILE, &files) &&
		       files.rlim_cur < FILES;
	l->end.kind = TRACE_NEWS_END;
	l->end.refusal = trace_load_look(l);
	wish->load = l;
}

void trace_load_serve(int socket, void *arg)
{
	struct trace_load *l = ((struct trace_wish *)arg)->load;

	l->socket = socket;
	if (l->end.refusal == TRACE_LOADED)
		l->end.refusal = trace_load(l);
	if (l->end.refusal == TRACE_VERIFIER)
		trace_load_say(l);
	(void)trace_load_send(l, &l->end, -1);
}
