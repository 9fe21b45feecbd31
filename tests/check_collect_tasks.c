/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collect: processes, processors, memory, pressure and the host. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "base/text.h"
#include "collect/collect.h"
#include "collect/task.h"
#include "collect_fixture.h"
#include "model/schema/schema_machine.h"
#include "test.h"

#define VALUE_IS(f, schema, id, key, expected)                                \
	ck_assert_double_eq_tol(fixture_number(f, schema, id, key), expected, \
				1e-9 * fabs((double)(expected)) + 1e-12)

#define TAIL                                                             \
	" 1 1 1 0 -1 0 1 2 3 4 %d 5 7 8 20 0 %d 0 %d 0 0 0 0 0 0 0 0 0 " \
	"0 0 0 0 0 0 17 0 0 0 %d\n"

static void put_thread(struct fixture *f, int pid, int tid, const char *comm,
		       unsigned long long cpu_ns, unsigned long long read_bytes,
		       int threads, int start)
{
	char path[96];

	snprintf(path, sizeof(path), "proc/%d/task/%d/schedstat", pid, tid);
	fixture_put(f, path, "%llu 1 1\n", cpu_ns);
	snprintf(path, sizeof(path), "proc/%d/task/%d/stat", pid, tid);
	fixture_put(f, path, "%d (%s) R" TAIL, tid, comm, 10, threads, start,
		    50);
	snprintf(path, sizeof(path), "proc/%d/task/%d/io", pid, tid);
	fixture_put(f, path,
		    "rchar: 9\nread_bytes: %llu\nwrite_bytes: %llu\n"
		    "cancelled_write_bytes: 5\n",
		    read_bytes, read_bytes * 2);
}

START_TEST(threads)
{
	const struct task_raw *t;
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	t = fixture_task(&f, "40");
	ck_assert_str_eq(t->comm, "data) (base");
	ck_assert_uint_eq(t->threads, 2);
	ck_assert_uint_eq(t->cpu_ns, 5000000);
	/* Of the threads: the file of the process holds its children's too. */
	ck_assert_uint_eq(t->read_bytes, 1100);
	ck_assert_uint_eq(t->write_bytes, 2200);
	ck_assert(t->has_io && t->has_delay);
	ck_assert_int_eq(t->state, 'D');
	ck_assert_uint_eq(t->key.generation, 700);
	ck_assert_uint_eq(t->delay_ns, 30000000);
	ck_assert(fixture_task(&f, "50")->kernel);
	ck_assert(!fixture_task(&f, "1")->kernel);
	ck_assert_uint_eq(t->uid, getuid());
	/* A third thread is born, the second reads on. */
	put_thread(&f, 40, 40, "data) (base", 12000000, 100, 3, 700);
	put_thread(&f, 40, 41, "worker", 13000000, 2000, 3, 701);
	put_thread(&f, 40, 42, "worker", 20000000, 3000, 3, 702);
	fixture_sample(&f, 3);
	VALUE_IS(&f, SCHEMA_TASK, "40", "cpu_pct", 2);
	VALUE_IS(&f, SCHEMA_TASK, "40", "read_bytes_per_s", 2000);
	VALUE_IS(&f, SCHEMA_TASK, "40", "threads", 3);
	VALUE_IS(&f, SCHEMA_TASK, "1", "read_bytes_per_s", 0);
	/* One ends: what it did stays counted. */
	fixture_remove(&f, "proc/40/task/41");
	put_thread(&f, 40, 40, "renamed", 12000001, 100, 2, 700);
	fixture_sample(&f, 4);
	t = fixture_task(&f, "40");
	ck_assert_uint_eq(t->threads, 2);
	ck_assert_uint_eq(t->read_bytes, 5100);
	ck_assert_str_eq(t->comm, "renamed");
	fixture_free(&f);
}
END_TEST

/* I/O that is not readable at first counts from when it is. */
START_TEST(hidden_io)
{
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_remove(&f, "proc/40/task/40/io");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	ck_assert(!fixture_task(&f, "40")->has_io);
	put_thread(&f, 40, 40, "data", 3000000, 90000, 2, 700);
	put_thread(&f, 40, 41, "worker", 13000000, 1000, 2, 701);
	fixture_sample(&f, 2);
	ck_assert(fixture_task(&f, "40")->has_io);
	VALUE_IS(&f, SCHEMA_TASK, "40", "read_bytes_per_s", 0);
	put_thread(&f, 40, 40, "data", 4000000, 95000, 2, 700);
	fixture_sample(&f, 3);
	VALUE_IS(&f, SCHEMA_TASK, "40", "read_bytes_per_s", 5000);
	fixture_free(&f);
}
END_TEST

/* Threads have rows when somebody asks, and no rate of long ago. */
START_TEST(thread_rows)
{
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	ck_assert_ptr_null(fixture_task(&f, "40/41"));
	collect_threads(f.collect, true);
	/* Its row is new, but not what it did before. */
	fixture_sample(&f, 1.5);
	VALUE_IS(&f, SCHEMA_TASK, "40/41", "read_bytes_per_s", 0);
	put_thread(&f, 40, 40, "data) (base", 3000000, 100, 3, 700);
	put_thread(&f, 40, 41, "wor\033ker", 13000000, 5000, 3, 701);
	put_thread(&f, 40, 42, "late", 10000000, 3000, 3, 702);
	fixture_sample(&f, 3.5);
	ck_assert_ptr_null(fixture_task(&f, "1/1"));
	ck_assert_str_eq(fixture_task(&f, "40/41")->process, "40");
	ck_assert_str_eq(fixture_task(&f, "40/41")->comm, "wor?ker");
	ck_assert_str_eq(fixture_task(&f, "40/40")->comm, "data) (base");
	VALUE_IS(&f, SCHEMA_TASK, "40/41", "read_bytes_per_s", 2000);
	/* Born since the last look: all of it is new. */
	VALUE_IS(&f, SCHEMA_TASK, "40/42", "read_bytes_per_s", 1500);
	VALUE_IS(&f, SCHEMA_TASK, "40", "read_bytes_per_s", 3500);
	ck_assert_str_eq(fixture_task(&f, "40")->process, "");
	collect_threads(f.collect, false);
	fixture_sample(&f, 4.5);
	ck_assert_ptr_null(fixture_task(&f, "40/41"));
	fixture_free(&f);
}
END_TEST

/* Names of users, hostile ones too; a new user is found by and by. */
START_TEST(users)
{
	struct task_users u = { 0 };
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_put(&f, "etc/passwd", "%s",
		    "root:x:0:0:root:/root:/bin/sh\n"
		    "junk\n:x:7:7::/:\nnone:x:z:1::/:\n"
		    "e\033vil:x:1000:1000::/:\n"
		    "a-name-longer-than-any-that-there-is-anywhere:x:5:5::/:");
	ck_assert_str_eq(task_user_name(&u, &f.root, 1000, 1), "e?vil");
	ck_assert_str_eq(task_user_name(&u, &f.root, 0, 1), "root");
	ck_assert_str_eq(task_user_name(&u, &f.root, 7, 1), "");
	ck_assert_uint_eq(strlen(task_user_name(&u, &f.root, 5, 1)), 31);
	fixture_put(&f, "etc/passwd", "%s", "seven:x:7:7::/:\n");
	ck_assert_str_eq(task_user_name(&u, &f.root, 7, NS_PER_S), "");
	ck_assert_str_eq(task_user_name(&u, &f.root, 7, 61 * NS_PER_S),
			 "seven");
	task_users_free(&u);
	fixture_free(&f);
}
END_TEST

START_TEST(groups)
{
	static const char *const names[][2] = {
		{ "kswapd0", "reclaim" },
		{ "jbd2/vda1-8", "journal" },
		{ "kworker/u8:4-flush-254:0", "writeback" },
		{ "kworker/u8:4+loop40", "loop" },
		{ "kworker/1:1H-kblockd", "block" },
		{ "kworker/0:2-events", "other" },
		{ "kworker/0:2", "other" },
		{ "md0_raid1", "stack" },
		{ "rcu_sched", "other" },
	};
	struct task_raw raw = { .kernel = true };
	struct span span = { .now = &raw, .seconds = 1 };
	const struct field *field =
		&schema_task.fields[schema_field(SCHEMA_TASK, "group")];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		raw.group = schema_task_group(names[i][0]);
		ck_assert_str_eq(schema_text(field, &span), names[i][1]);
	}
	raw.kernel = false;
	ck_assert_ptr_null(schema_text(field, &span));
}
END_TEST

/* A worker of a loop device keeps its group between two pieces of its work. */
START_TEST(groups_kept)
{
	int loop = schema_task_group("kworker/u8:1-loop0");
	int writeback = schema_task_group("kworker/u8:1-writeback");

	ck_assert_int_ne(loop, writeback);
#define KEPT(name, before, s, group) \
	ck_assert_int_eq(schema_task_group_kept(name, before, s), group)
	KEPT("kworker/u8:1", writeback, 1e9, writeback);
	KEPT("kworker/u8:1-writeback", loop, 1, loop);
	KEPT("kworker/u8:1", loop, 1e9, loop);
	KEPT("kworker/u8:1-writeback", loop, 61, writeback);
	KEPT("kworker/u8:1-loop0", writeback, 1, loop);
	KEPT("jbd2/vda1-8", loop, 1, schema_task_group("jbd2/vda1-8"));
	KEPT("kworker/u8:1-loop0", -1, 0, loop);
#undef KEPT
}
END_TEST

/* A thread whose schedstat stands still is not looked at. */
START_TEST(gate)
{
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	fixture_put(&f, "proc/1/task/1/io",
		    "read_bytes: 999999\nwrite_bytes: 0\n");
	fixture_sample(&f, 2);
	VALUE_IS(&f, SCHEMA_TASK, "1", "read_bytes_per_s", 0);
	fixture_put(&f, "proc/1/task/1/schedstat", "1000001 2 3\n");
	fixture_sample(&f, 3);
	VALUE_IS(&f, SCHEMA_TASK, "1", "read_bytes_per_s", 999999 - 4096);
	/* A counter that fell does not pull the sum down. */
	ck_assert_uint_eq(fixture_task(&f, "1")->write_bytes, 8192);
	fixture_free(&f);
}
END_TEST

/* The kernel lists one thread. */
static void listed_make(struct fixture *f, struct collector_env *env,
			struct task_env *e, const struct trace_task *seen)
{
	fixture_make(f, NULL);
	*env = (struct collector_env){ .look_ns = NS_PER_S };
	root_kept_init(&env->files, &f->root);
	*e = (struct task_env){ .env = env, .seen = seen, .n_seen = 1,
				.has_schedstat = true, .tick_ns = 10000000,
				.facts_left = 9, .turns = 1,
				.now_ns = NS_PER_S };
}

/*
 * A process that came when the trace already listed all threads: its wait in D
 * began at the look that found it, not at the next one.
 */
START_TEST(listed_wait)
{
	const struct trace_task seen = { .tid = 60, .start_ns = 7000000000,
					 .cpu_ns = 9, .runs = 3 };
	struct collector_env env;
	struct task_env e;
	struct process *p;
	struct fixture f;

	listed_make(&f, &env, &e, &seen);
	fixture_put(&f, "proc/60/task/60/schedstat", "9 0 3\n");
	fixture_put(&f, "proc/60/task/60/stat", "60 (dd) D" TAIL, 0, 1, 700, 0);
	fixture_put(&f, "proc/60/task/60/io", "read_bytes: 0\nwrite_bytes: 0\n");
	p = process_new(&e, 60, e.now_ns);
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(p->thread[0].state, 'D');
	e.now_ns = 4 * NS_PER_S;
	ck_assert(process_update(&e, p, e.now_ns));
	ck_assert_uint_eq(p->thread[0].blocked_ns, NS_PER_S);
	process_free(&e, p);
	task_users_free(&e.users);
	fixture_free(&f);
}
END_TEST

START_TEST(state_letters)
{
	static const struct {
		uint32_t bits;
		char letter;
	} row[] = {
		{ 0, 'R' },	 { 1, 'S' },	  { 2, 'D' },	   { 0x102, 'D' },
		{ 0x402, 'I' },	 { 0x2402, 'I' }, { 0x2001, 'S' }, { 4, 'T' },
		{ 0x104, 'T' },	 { 8, 't' },	  { 0x20, 'Z' },   { 0xa0, 'Z' },
		{ 0x10, 'X' },	 { 0x40, 'P' },	  { 0x8000, 'D' }, { 0x200, 'R' },
		{ 0x1000, 'D' },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		ck_assert_int_eq(task_state_letter(row[i].bits), row[i].letter);
}
END_TEST

/*
 * With the list of all threads no file of a process that ran is read again, but
 * for the name of a worker that moved bytes, waits or is busy: it has its work in it.
 */
START_TEST(listed_state)
{
	struct trace_task seen = { .tid = 60, .pid = 60, .start_ns = 7000000000,
				   .cpu_ns = 9, .runs = 3, .has_io = 1,
				   .has_state = 1, .state = 1, .parent = 1,
				   .major_faults = 3,
				   .threads = 1, .comm = "dd" };
	struct collector_env env;
	struct task_env e;
	struct process *p;
	struct fixture f;

	listed_make(&f, &env, &e, &seen);
	fixture_put(&f, "proc/60/task/60/stat", "60 (dd) S" TAIL, 0, 1, 700, 0);
	p = process_new(&e, 60, e.now_ns);
	ck_assert_ptr_nonnull(p);
	/* A process is read once more: it may have started another program. */
	seen.cpu_ns++;
	fixture_put(&f, "proc/60/statm", "10 5 2 0 0 0 0\n");
	ck_assert(process_update(&e, p, 2 * NS_PER_S));
	ck_assert_int_eq(p->memory.rss, 5 * sysconf(_SC_PAGESIZE));
	/* Its memory is read when it had page faults. */
	fixture_put(&f, "proc/60/statm", "10 7 2 0 0 0 0\n");
	seen.runs++;
	ck_assert(process_update(&e, p, 2 * NS_PER_S));
	ck_assert_int_eq(p->memory.rss, 5 * sysconf(_SC_PAGESIZE));
	seen.minor_faults++;
	seen.runs++;
	ck_assert(process_update(&e, p, 2 * NS_PER_S));
	ck_assert_int_eq(p->memory.rss, 7 * sysconf(_SC_PAGESIZE));
	fixture_put(&f, "proc/60/task/60/stat", "60 (cp) S" TAIL, 0, 1, 700, 0);
	seen.cpu_ns += 5;
	seen.runs++;
	seen.state = 2;
	seen.parent = 9;
	seen.major_faults = 4;
	seen.read_bytes = 4096;
	e.now_ns = 3 * NS_PER_S;
	ck_assert(process_update(&e, p, e.now_ns));
	ck_assert_int_eq(p->thread[0].state, 'D');
	ck_assert_uint_eq(p->thread[0].blocked_ns, 3 * NS_PER_S);
	ck_assert_uint_eq(p->parent, 9);
	ck_assert_uint_eq(p->sum.major_faults, 4);
	ck_assert_uint_eq(p->sum.read_bytes, 4096);
	ck_assert_str_eq(p->comm, "dd");
	seen.flags = PF_KTHREAD | PF_WQ_WORKER;
	seen.state = 0x402;
	seen.runs++;
	ck_assert(process_update(&e, p, 4 * NS_PER_S));
	ck_assert_str_eq(p->comm, "dd");
	for (size_t i = 0; i < 3; i++) {
		const char name[] = { (char)('a' + i), '\0' };

		fixture_put(&f, "proc/60/task/60/stat", "60 (%s) S" TAIL, name,
			    0, 1, 700, 0);
		seen.write_bytes += i == 0 ? 4096 : 0;
		seen.state = i == 1 ? 2 : 0x402;
		seen.cpu_ns += i == 2 ? 2000000 : 0;
		seen.runs++;
		ck_assert(process_update(&e, p, (5 + i) * NS_PER_S));
		ck_assert_str_eq(p->comm, name);
	}
	/* Another one has its number. */
	seen.start_ns++;
	ck_assert(!process_update(&e, p, 9 * NS_PER_S));
	process_free(&e, p);
	task_users_free(&e.users);
	fixture_free(&f);
}
END_TEST

START_TEST(born_and_reused)
{
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	put_thread(&f, 60, 60, "new", 500000000, 4096, 1, 900);
	fixture_sample(&f, 2);
	VALUE_IS(&f, SCHEMA_TASK, "60", "cpu_pct", 50);
	VALUE_IS(&f, SCHEMA_TASK, "60", "read_bytes_per_s", 4096);
	/* Its pid goes to another one, which counts from zero. */
	put_thread(&f, 60, 60, "newer", 100000000, 1024, 1, 950);
	fixture_sample(&f, 3);
	VALUE_IS(&f, SCHEMA_TASK, "60", "cpu_pct", 10);
	VALUE_IS(&f, SCHEMA_TASK, "60", "read_bytes_per_s", 1024);
	ck_assert_uint_eq(fixture_task(&f, "60")->key.generation, 950);
	fixture_remove(&f, "proc/60");
	fixture_sample(&f, 4);
	ck_assert_ptr_null(fixture_task(&f, "60"));
	fixture_free(&f);
}
END_TEST

/* Without schedstat, io and task/ there is the CPU time by ticks. */
START_TEST(poor_kernel)
{
	const struct task_raw *t;
	struct fixture f;
	enum schema_id about;
	char all[2048] = "";

	fixture_make(&f, "sata");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	t = fixture_task(&f, "7");
	ck_assert_ptr_nonnull(t);
	ck_assert(!t->has_io && !t->has_delay);
	fixture_put(&f, "proc/7/stat", "7 (dd) D" TAIL, 170, 1, 100, 0);
	fixture_sample(&f, 2);
	VALUE_IS(&f, SCHEMA_TASK, "7", "cpu_pct", 25);
	ck_assert_int_eq(fixture_task(&f, "7")->state, 'D');
	ck_assert(isnan(
		fixture_number(&f, SCHEMA_TASK, "7", "read_bytes_per_s")));
	for (size_t i = 0; collect_missing(f.collect, i, &about); i++)
		strcat(all, collect_missing(f.collect, i, &about));
	ck_assert_ptr_nonnull(strstr(all, "psi=1"));
	ck_assert_ptr_nonnull(strstr(all, "TASK_IO_ACCOUNTING"));
	ck_assert_ptr_nonnull(strstr(all, "task_delayacct=1"));
	ck_assert_ptr_nonnull(strstr(all, "vmstat"));
	fixture_free(&f);
}
END_TEST

START_TEST(ten_thousand)
{
	struct fixture f;

	fixture_make(&f, NULL);
	for (int pid = 1; pid <= 10000; pid++) {
		char path[32];

		snprintf(path, sizeof(path), "proc/%d/stat", pid);
		fixture_put(&f, path, "%d (x) S" TAIL, pid, 10, 1, pid, 0);
	}
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	fixture_sample(&f, 2);
	ck_assert_uint_eq(f.frame.table[SCHEMA_TASK].n, 10000);
	VALUE_IS(&f, SCHEMA_TASK, "9999", "cpu_pct", 0);
	fixture_free(&f);
}
END_TEST

START_TEST(stat_parser)
{
	static const char *const junk[] = {
		"",        "1",        "1 (x",    "1 )x( S",    "1 (x) ",
		"1 (x) S", "1 (x)S 1", "(x) S a", "1 (x) S 1 2"
	};
	char good[] = "5 (a b) c) D 1 2 3 4 -5 2097152 7 8 9 10 11 12 13 14 15 "
		      "16 17 18 19";
	struct task_stat st;
	uint64_t r, w;
	unsigned seed = 7;

	ck_assert(task_stat_parse(good, &st));
	ck_assert_str_eq(st.comm, "a b) c");
	ck_assert_int_eq(st.state, 'D');
	ck_assert_uint_eq(st.flags, 2097152);
	ck_assert_uint_eq(st.cpu_ticks, 23);
	ck_assert_uint_eq(st.threads, 17);
	ck_assert_uint_eq(st.start, 19);
	for (size_t i = 0; i < ARRAY_SIZE(junk); i++) {
		char text[64];

		strcpy(text, junk[i]);
		ck_assert(!task_stat_parse(text, &st));
	}
	ck_assert(!task_io_parse("cancelled_write_bytes: 5\n", &r, &w));
	ck_assert(task_io_parse("read_bytes: 1\nwrite_bytes: 2\n", &r, &w));
	for (int round = 0; round < 20000; round++) {
		char text[128] = "1 (x) S ";

		for (size_t i = 3; i < sizeof(text) - 1; i++)
			text[i] = (char)(rand_r(&seed) % 255 + 1);
		text[127] = '\0';
		task_stat_parse(text, &st);
	}
}
END_TEST

START_TEST(cpu_memory_pressure)
{
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	ck_assert_uint_eq(f.frame.table[SCHEMA_CPU].n, 3);
	VALUE_IS(&f, SCHEMA_MEMORY, "", "swap_used_bytes", 100000 * 1024.0);
	VALUE_IS(&f, SCHEMA_MEMORY, "", "dirty_bytes", 200 * 1024);
	VALUE_IS(&f, SCHEMA_MEMORY, "", "dirty_limit_bytes",
		 100000.0 * (double)sysconf(_SC_PAGESIZE));
	fixture_put(&f, "proc/stat",
		    "cpu  200 4 100 1700 80 2 4 6 0 0\n"
		    "cpu0 150 2 50 840 50 1 2 3 0 0\nintr 5\n");
	fixture_put(&f, "proc/vmstat",
		    "nr_dirtied 1002\npgpgin 5004\npgscan_direct 12\n");
	fixture_put(&f, "proc/pressure/io",
		    "some avg10=0.00 avg60=0.00 avg300=0.00 total=501000\n"
		    "full avg10=0.00 avg60=0.00 avg300=0.00 total=250400\n");
	fixture_sample(&f, 2);
	/* CPU 1 went off line; of CPU 0: 50 user, 40 idle, 10 iowait. */
	ck_assert_uint_eq(f.frame.table[SCHEMA_CPU].n, 2);
	VALUE_IS(&f, SCHEMA_CPU, "0", "user_pct", 50);
	VALUE_IS(&f, SCHEMA_CPU, "0", "iowait_pct", 10);
	VALUE_IS(&f, SCHEMA_MEMORY, "", "pgpgin_bytes_per_s", 4096);
	VALUE_IS(&f, SCHEMA_MEMORY, "", "dirtied_bytes_per_s",
		 2.0 * (double)sysconf(_SC_PAGESIZE));
	ck_assert(isnan(
		fixture_number(&f, SCHEMA_MEMORY, "", "pgpgout_bytes_per_s")));
	VALUE_IS(&f, SCHEMA_PRESSURE, "io", "some_pct", 50);
	VALUE_IS(&f, SCHEMA_PRESSURE, "io", "full_pct", 25);
	ck_assert(
		isnan(fixture_number(&f, SCHEMA_PRESSURE, "cpu", "full_pct")));
	fixture_free(&f);
}
END_TEST

START_TEST(host)
{
	struct host_info h;
	struct fixture f;

	fixture_make(&f, "nvme");
	collect_host(&f.root, &h);
	ck_assert_str_eq(h.name, "box");
	ck_assert_str_eq(h.kernel, "6.1.0");
	ck_assert_str_eq(h.cpu, "Some CPU @ 2 GHz");
	ck_assert_str_eq(h.boot_id, "0-1-2");
	ck_assert_uint_eq(h.cpus, 2);
	ck_assert_uint_eq(h.memory_bytes, 8000000ull * 1024);
	fixture_free(&f);
	fixture_make(&f, "broken");
	collect_host(&f.root, &h);
	ck_assert_str_eq(h.name, "");
	fixture_free(&f);
}
END_TEST

static void sample_after(struct collect *c, struct sample *s, unsigned ms)
{
	usleep(ms * 1000);
	sample_reset(s);
	collect_sample(c, s);
}

/*
 * On the machine itself: a child that burns CPU is seen to, and then gone.
 * From the third sample on, looks are three seconds apart, and the samples in
 * between repeat what the last look found.
 */
START_TEST(live)
{
	struct sample s = { 0 };
	const struct task_raw *t;
	struct collect *c;
	struct root root;
	char id[16];
	uint64_t before;
	pid_t child;

	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(collect_open(&c, &root, NULL), 0);
	collect_sample(c, &s);
	child = fork();
	if (child == 0)
		for (;;)
			getppid();
	snprintf(id, sizeof(id), "%d", child);
	sample_reset(&s);
	collect_sample(c, &s);
	t = sample_find(&s, SCHEMA_TASK, id);
	ck_assert_ptr_nonnull(t);
	before = t->cpu_ns;
	ck_assert_uint_eq(t->step_ns, 0);
	ck_assert(!s.table[SCHEMA_TASK].repeats);
	sample_after(c, &s, 200);
	ck_assert(s.table[SCHEMA_TASK].repeats);
	t = sample_find(&s, SCHEMA_TASK, id);
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->cpu_ns, before);
	ck_assert_uint_gt(t->step_ns, 0);
	/* At the end of a job they are read at once. */
	collect_look(c);
	sample_after(c, &s, 200);
	ck_assert(!s.table[SCHEMA_TASK].repeats);
	t = sample_find(&s, SCHEMA_TASK, id);
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_gt(t->cpu_ns, before);
	ck_assert_uint_eq(t->step.cpu_ns, t->cpu_ns - before);
	ck_assert_uint_ge(t->step_ns, 400000000u);
	ck_assert_uint_lt(t->step.cpu_ns, t->step_ns * 11 / 10);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	sample_after(c, &s, 3000);
	ck_assert_ptr_null(sample_find(&s, SCHEMA_TASK, id));
	collect_self(&s, &root, &(struct self_limits){ .n = 0 }, 5, 1);
	ck_assert_uint_eq(s.table[SCHEMA_SELF].n, 1);
	ck_assert_uint_gt(
		((struct self_raw *)sample_row(&s, SCHEMA_SELF, 0))->cpu_ns, 0);
	collect_close(c);
	sample_free(&s);
	root_close(&root);
}
END_TEST

/* Damaged messages are no ends, whatever their lengths say. */
START_TEST(ends_damaged)
{
	_Alignas(8) unsigned char message[700];
	struct task_end end;

	for (unsigned seed = 1; seed < 3000; seed++) {
		unsigned x = seed * 2654435761u;

		for (size_t i = 0; i < sizeof(message); i++) {
			x = x * 1103515245u + 12345u;
			message[i] = (unsigned char)(x >> 16);
		}
		/* A length that fits, a type of generic netlink, attributes. */
		memcpy(message, &(unsigned){ sizeof(message) }, 4);
		memcpy(message + 4, &(unsigned){ 0x20 }, 4);
		memcpy(message + 20, &(unsigned){ 0x00040000 + seed % 700 }, 4);
		memcpy(message + 24, &(unsigned){ 0x00030000 + seed % 90 }, 4);
		task_ends_parse(message, seed % (sizeof(message) + 1), &end);
	}
	ck_assert(!task_ends_parse(message, 0, &end));
}
END_TEST

/* A process that lived between two looks is in the row of its command. */
START_TEST(ended)
{
	static const char file[] = "check_collect_ended.dat";
	const struct task_raw *t;
	struct task_ends *ends = task_ends_open();
	struct sample s = { 0 };
	struct collect *c;
	struct root root;
	char id[ROW_ID_MAX], bytes[65536] = { 1 };
	pid_t child;

	if (!ends)
		return; /* not root, or a container */
	task_ends_close(ends);
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert_int_eq(collect_open(&c, &root, NULL), 0);
	collect_sample(c, &s);
	child = fork();
	if (child == 0) {
		int fd = open(file, O_CREAT | O_WRONLY | O_TRUNC, 0600);

		for (int i = 0; i < 16; i++)
			if (write(fd, bytes, sizeof(bytes)) < 0)
				_exit(1);
		_exit(fsync(fd) < 0);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	unlink(file);
	sample_reset(&s);
	collect_sample(c, &s);
	snprintf(id, sizeof(id), "ended-%.15s-0", "check_collect_tasks");
	t = sample_find(&s, SCHEMA_TASK, id);
	if (!t) {
		snprintf(id, sizeof(id), "ended-%.15s-0-own",
			 "check_collect_tasks");
		t = sample_find(&s, SCHEMA_TASK, id);
	}
	/* A file in memory is no I/O. */
	if (t) {
		ck_assert_int_eq(t->state, TASK_ENDED);
		ck_assert_uint_ge(t->step.write_bytes, 16 * sizeof(bytes));
		ck_assert_int_eq(t->parent, getpid());
		ck_assert_int_eq(t->owner, TASK_OWNER_RUN);
		ck_assert_ptr_nonnull(strstr(t->arguments, "1 ended"));
	}
	collect_close(c);
	sample_free(&s);
	root_close(&root);
}
END_TEST

/* The cgroup of version 1 and 2, and what its parts name. */
START_TEST(cgroups)
{
	static const struct {
		const char *text, *cgroup, *unit, *container;
	} c[] = {
		{ "0::/system.slice/nginx.service\n",
		  "/system.slice/nginx.service", "nginx.service", NULL },
		{ "5:blkio:/a\n1:name=systemd:/user.slice/run-7.scope\n0::/\n",
		  "/user.slice/run-7.scope", "run-7.scope", NULL },
		{ "0::/system.slice/docker-0123456789abcdef0123.scope\n",
		  "/system.slice/docker-0123456789abcdef0123.scope",
		  "docker-0123456789abcdef0123.scope", "docker:0123456789ab" },
		{ "0::/kubepods/besteffort/pod1/"
		  "0123456789abcdef0123456789abcdef"
		  "0123456789abcdef0123456789abcdef\n",
		  NULL, NULL, "kubernetes:0123456789ab" },
		{ "0::/lxc.payload.web/x\033[2J\n", "/lxc.payload.web/x?[2J", NULL,
		  "lxc:web" },
		{ "garbage\n", NULL, NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		struct task_facts facts = { 0 };
		char text[256];

		text_copy(text, sizeof(text), c[i].text);
		task_facts_cgroup(&facts, text);
		if (c[i].cgroup)
			ck_assert_str_eq(facts.cgroup, c[i].cgroup);
		ck_assert_pstr_eq(facts.unit, c[i].unit);
		ck_assert_pstr_eq(facts.container, c[i].container);
		task_facts_free(&facts);
	}
}
END_TEST

/*
 * Memory of a process follows statm; swap is read only while the machine uses
 * some. The time in the run queue and major faults are rates.
 */
START_TEST(memory_and_waits)
{
	const struct task_raw *t;
	struct task_memory m = { -1, -1, -1 };
	struct fixture f;

	ck_assert(task_memory_parse("900 20 5 1 0 2 0\n", 4096, &m));
	ck_assert_int_eq(m.rss, 20 * 4096);
	ck_assert_int_eq(m.shared, 5 * 4096);
	ck_assert_int_eq(m.swap, -1);
	ck_assert(!task_memory_parse("900 20", 4096, &m));
	ck_assert(!task_memory_parse("1 99999999999999999 1", 4096, &m));

	fixture_make(&f, NULL);
	fixture_put(&f, "proc/meminfo", "SwapTotal: 100 kB\nSwapFree: 100 kB\n");
	put_thread(&f, 7, 7, "dd", 5, 0, 1, 100);
	fixture_put(&f, "proc/7/schedstat", "5 1000 1\n");
	fixture_put(&f, "proc/7/task/7/schedstat", "5 1000 1\n");
	fixture_put(&f, "proc/7/statm", "900 20 5 1 0 2 0\n");
	fixture_put(&f, "proc/7/status", "Name:\tdd\nVmSwap:\t  12 kB\n");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	t = fixture_task(&f, "7");
	ck_assert_int_eq(t->rss_bytes, 20 * (int64_t)sysconf(_SC_PAGESIZE));
	ck_assert_int_eq(t->shared_bytes, 5 * (int64_t)sysconf(_SC_PAGESIZE));
	ck_assert_int_eq(t->swap_bytes, 0);
	fixture_put(&f, "proc/meminfo", "SwapTotal: 100 kB\nSwapFree: 50 kB\n");
	fixture_put(&f, "proc/7/task/7/schedstat", "6 500001000 2\n");
	fixture_sample(&f, 2);
	t = fixture_task(&f, "7");
	ck_assert_int_eq(t->swap_bytes, 12 * 1024);
	ck_assert_uint_eq(t->run_delay_ns, 500001000);
	fixture_free(&f);
}
END_TEST

/*
 * A command line is harmless; a task in D that never runs has waited, and the limit
 * of its group is known from the first look on.
 */
START_TEST(command_lines)
{
	const struct task_raw *t;
	struct fixture f;

	fixture_make(&f, NULL);
	put_thread(&f, 7, 7, "dd", 5, 0, 1, 100);
	fixture_put(&f, "proc/7/task/7/stat", "7 (dd) D" TAIL, 10, 1, 100, 0);
	fixture_put(&f, "proc/7/schedstat", "5 1 1\n");
	fixture_put(&f, "proc/7/task/7/wchan", "rq_qos_wait");
	fixture_put(&f, "proc/7/cmdline", "dd%cif=/dev/zero%cof=\033]0;x%c", 0, 0,
		    0);
	fixture_put(&f, "proc/7/cgroup", "7:blkio:/slow\n");
	fixture_put(&f,
		    "sys/fs/cgroup/blkio/slow/blkio.throttle.read_bps_device",
		    "8:0 409600\n");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	fixture_sample(&f, 4);
	t = fixture_task(&f, "7");
	ck_assert_str_eq(t->command_line, "dd if=/dev/zero of=?]0;x");
	ck_assert_str_eq(t->arguments, "if=/dev/zero of=?]0;x");
	ck_assert_str_eq(t->wchan, "rq_qos_wait");
	ck_assert_uint_gt(t->wait_ns, 0);
	ck_assert_ptr_nonnull(t->io_limit);
	ck_assert_str_eq(t->io_limit, "400KiB/s read on 8:0 in /slow");
	/* It runs, and waits anew. */
	fixture_put(&f, "proc/7/task/7/schedstat", "6 1 1\n");
	fixture_sample(&f, 5);
	ck_assert_uint_eq(fixture_task(&f, "7")->wait_ns, 0);
	fixture_free(&f);
}
END_TEST

/* Whose work a kernel thread does, by its name; a device must exist. */
START_TEST(served)
{
	static const struct {
		const char *comm, *serves, *group;
	} c[] = {
		{ "kworker/u8:1-loop0", "loop0 /var/disk?[2J.img", "loop" },
		{ "loop0", "loop0 /var/disk?[2J.img", "loop" },
		{ "kworker/u8:1-loop9", NULL, "loop" },
		{ "kworker/1:2+dio/sda1", "sda1", "filesystem" },
		{ "kworker/1:2-xfs-conv/dm-0", "dm-0", "filesystem" },
		{ "xfsaild/sda1", "sda1", "journal" },
		{ "jbd2/dm-0-8", "dm-0", "journal" },
		{ "jbd2/sda1-", "sda1", "journal" },
		{ "md0_raid1", "md0", "stack" },
		{ "kworker/u8:2-kverityd", NULL, "stack" },
		{ "kworker/0:1H-kblockd", NULL, "block" },
		{ "ksoftirqd/0", NULL, "other" },
		{ "sda", NULL, "other" },
	};
	const int kthread = 0x200000;
	struct fixture f;

	fixture_make(&f, NULL);
	fixture_put(&f, "sys/class/block/sda1/dev", "8:1\n");
	fixture_put(&f, "sys/block/dm-0/dev", "253:0\n");
	fixture_put(&f, "sys/block/md0/dev", "9:0\n");
	fixture_put(&f, "sys/block/loop0/loop/backing_file",
		    "/var/disk\033[2J.img\n");
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		char path[64];

		snprintf(path, sizeof(path), "proc/%zu/stat", i + 100);
		fixture_put(&f, path,
			    "%zu (%s) S 2 0 0 0 -1 %d 0 0 0 0 1 1 0 0 20 0 1 0 "
			    "%zu 0 0\n",
			    i + 100, c[i].comm, kthread, i + 5);
	}
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		char id[16];

		snprintf(id, sizeof(id), "%zu", i + 100);
		ck_assert_pstr_eq(fixture_task(&f, id)->serves, c[i].serves);
		ck_assert_str_eq(frame_text(&f.frame, SCHEMA_TASK, id, "group"),
				 c[i].group);
	}
	/* Other work, another device; many new processes do not delay it. */
	for (int pid = 10; pid < 90; pid++) {
		char path[64];

		snprintf(path, sizeof(path), "proc/%d/stat", pid);
		fixture_put(&f, path, "%d (new) S" TAIL, pid, 1, 1, 900, 0);
	}
	fixture_put(&f, "proc/100/stat",
		    "100 (kworker/u8:1-dio/sda1) S 2 0 0 0 -1 %d 0 0 0 0 1 1 "
		    "0 0 20 0 1 0 5 0 0\n",
		    kthread);
	fixture_sample(&f, 2);
	ck_assert_pstr_eq(fixture_task(&f, "100")->serves, "sda1");
	fixture_free(&f);
}
END_TEST

/* A descriptor of a captured tree. */
static void put_file(const struct fixture *f, int fd, const char *file,
		     long long position, const char *flags)
{
	char path[160];

	snprintf(path, sizeof(path), "proc/7/fdinfo/%d", fd);
	fixture_put((struct fixture *)f, path, "pos:\t%lld\nflags:\t%s\nmnt_id:\t9\n",
		    position, flags);
	snprintf(path, sizeof(path), "%s/proc/7/fd", f->dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/proc/7/fd/%d", f->dir, fd);
	unlink(path);
	ck_assert_int_eq(symlink(file, path), 0);
}

/* Files by how far they moved; sockets, directories and terminals are none. */
START_TEST(files)
{
	struct process_files *p = process_files_new("7", "dd");
	struct open_files *o = calloc(1, sizeof(*o));
	char longest[400];
	struct fixture f;

	memset(longest, 'x', sizeof(longest));
	longest[0] = '/';
	strcpy(longest + 390, "/end");
	fixture_make(&f, NULL);
	fixture_put(&f, "proc/7/stat", "7 (dd) S" TAIL, 10, 1, 100, 0);
	fixture_put(&f, "sys/block/loop4/dev", "7:4\n");
	put_file(&f, 0, "/dev/pts/1", 5, "02");
	put_file(&f, 3, "/srv/slow", 1000, "0100000");
	put_file(&f, 4, "/srv/fast\033[2J", 4096, "0100001");
	put_file(&f, 5, "/dev/loop4", 0, "0140002");
	put_file(&f, 6, "socket:[77]", 0, "02");
	put_file(&f, 7, "/srv", 0, "0200000");
	put_file(&f, 8, longest, 0, "0100000");
	process_files_look(p, &f.root, NS_PER_S, o);
	ck_assert_str_eq(o->sentence, "");
	ck_assert_uint_eq(o->n, 4);
	ck_assert_uint_eq(o->n_looked, 7);
	for (size_t i = 0; i < o->n; i++)
		ck_assert(isnan(o->file[i].moved_bytes_per_s));
	ck_assert(isnan(o->read_call_bytes_per_s));

	fixture_put(&f, "proc/7/io", "rchar: 10\nwchar: 20\nsyscr: 1\n");
	put_file(&f, 3, "/srv/slow", 500, "0100000");
	put_file(&f, 4, "/srv/fast\033[2J", 4096 + 8000, "0100001");
	process_files_look(p, &f.root, 3 * NS_PER_S, o);
	ck_assert_int_eq(o->file[0].descriptor, 4);
	ck_assert_str_eq(o->file[0].path, "/srv/fast?[2J");
	ck_assert_str_eq(o->file[0].mode, "w");
	ck_assert_double_eq(o->file[0].moved_bytes_per_s, 4000);
	ck_assert_int_eq(o->file[0].position_bytes, 12096);
	/* Backwards counts, too. */
	ck_assert_int_eq(o->file[1].descriptor, 3);
	ck_assert_double_eq(o->file[1].moved_bytes_per_s, -250);
	/* Of those that stand still, first the one that can be written. */
	ck_assert_str_eq(o->file[2].path, "/dev/loop4");
	ck_assert_str_eq(o->file[2].mode, O_DIRECT == 040000 ? "rw direct" : "rw");
	ck_assert_double_eq(o->file[2].moved_bytes_per_s, 0);
	ck_assert_int_eq(o->file[3].path[0], '~');
	ck_assert_str_eq(o->file[3].path + 251, "/end");

	/* Another file of that number is new; its calls have a rate now. */
	fixture_put(&f, "proc/7/io", "rchar: 110\nwchar: 20\nsyscr: 1\n");
	put_file(&f, 4, "/srv/other", 1 << 20, "0100001");
	process_files_look(p, &f.root, 4 * NS_PER_S, o);
	ck_assert_double_eq(o->read_call_bytes_per_s, 100);
	ck_assert_double_eq(o->write_call_bytes_per_s, 0);
	for (size_t i = 0; i < o->n; i++)
		if (o->file[i].descriptor == 4)
			ck_assert(isnan(o->file[i].moved_bytes_per_s));

	/* Another process of that pid is another one. */
	fixture_put(&f, "proc/7/stat", "7 (dd) S" TAIL, 10, 1, 101, 0);
	process_files_look(p, &f.root, 5 * NS_PER_S, o);
	ck_assert_str_eq(o->sentence, "Process 7 (dd) is gone.");
	ck_assert_uint_eq(o->n, 0);
	process_files_free(p);
	process_files_free(NULL);
	fixture_free(&f);
	free(o);
}
END_TEST

/* A process with more of them than anybody reads. */
START_TEST(many_files)
{
	struct process_files *p = process_files_new("7", "dd");
	struct open_files *o = calloc(1, sizeof(*o));
	struct fixture f;

	fixture_make(&f, NULL);
	fixture_put(&f, "proc/7/stat", "7 (dd) S" TAIL, 10, 1, 100, 0);
	for (int i = 0; i < PROCESS_FILES_MAX + 2; i++)
		put_file(&f, i, "/srv/a", i, "0100000");
	process_files_look(p, &f.root, NS_PER_S, o);
	ck_assert_uint_eq(o->n_looked, PROCESS_FILES_MAX);
	ck_assert_uint_eq(o->more_than, PROCESS_FILES_MAX);
	ck_assert_uint_eq(o->n_found, PROCESS_FILES_MAX);
	ck_assert_uint_eq(o->n, OPEN_FILES_MAX);
	process_files_free(p);
	fixture_free(&f);
	free(o);
}
END_TEST

/* A child writes: the file by its position, another by pwrite. */
static void write_for_ever(const char *dir, int ready)
{
	char path[256], block[4096] = { 0 };
	int in_turn, at;

	snprintf(path, sizeof(path), "%s/in turn", dir);
	in_turn = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	snprintf(path, sizeof(path), "%s/at offsets", dir);
	at = open(path, O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < 1000000; i++) {
		if (write(in_turn, block, sizeof(block)) < 0 ||
		    pwrite(at, block, sizeof(block), 4096 * (i % 10)) < 0)
			break;
		if (i == 0 && write(ready, block, 1) < 0)
			break;
		usleep(1000);
	}
	_exit(0);
}

static const struct open_file *file_of(const struct open_files *o,
				       const char *end)
{
	for (size_t i = 0; i < o->n; i++) {
		const char *slash = strrchr(o->file[i].path, '/');

		if (slash && !strcmp(slash + 1, end))
			return &o->file[i];
	}
	return NULL;
}

START_TEST(files_of_a_child)
{
	struct open_files *o = calloc(1, sizeof(*o));
	const struct open_file *f;
	struct process_files *p;
	char *dir = make_dir(), pid[16], name[64], path[64], byte;
	uint64_t begin_ns, from;
	struct root root;
	int ready[2];
	pid_t child;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	if (child == 0)
		write_for_ever(dir, ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	ck_assert_int_eq(root_open(&root, NULL), 0);
	snprintf(pid, sizeof(pid), "%d", child);
	snprintf(path, sizeof(path), "proc/%d/comm", child);
	ck_assert_int_gt(root_read_line(&root, path, name, sizeof(name)), 0);
	p = process_files_new(pid, name);
	begin_ns = clock_mono_ns();
	process_files_look(p, &root, begin_ns, o);
	ck_assert_str_eq(o->sentence, "");
	f = file_of(o, "in turn");
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->mode, "w");
	from = (uint64_t)f->position_bytes;
	/* Look until it has moved. */
	do {
		usleep(20000);
		process_files_look(p, &root, clock_mono_ns(), o);
		f = file_of(o, "in turn");
		ck_assert_ptr_nonnull(f);
	} while (f->moved_bytes_per_s == 0 &&
		 clock_mono_ns() - begin_ns < 60 * NS_PER_S);
	ck_assert_ptr_eq(f, &o->file[0]);
	ck_assert_double_gt(f->moved_bytes_per_s, 0);
	ck_assert_uint_gt((uint64_t)f->position_bytes, from);
	f = file_of(o, "at offsets");
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->mode, "rw");
	ck_assert_double_eq(f->moved_bytes_per_s, 0);
	/* The pipe is no file. */
	for (size_t i = 0; i < o->n; i++)
		ck_assert_int_eq(o->file[i].path[0], '/');
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	process_files_look(p, &root, clock_mono_ns(), o);
	ck_assert_ptr_nonnull(strstr(o->sentence, " is gone."));
	process_files_free(p);
	root_close(&root);
	close(ready[0]);
	close(ready[1]);
	remove_dir(dir);
	free(o);
}
END_TEST

/* The files of root are not for everybody: one sentence. */
START_TEST(files_refused)
{
	struct open_files *o;
	int status;
	pid_t child;

	if (geteuid() != 0)
		return;
	child = fork();
	if (child == 0) {
		struct process_files *p;
		struct root root;
		char name[64];

		o = calloc(1, sizeof(*o));
		if (setgid(65534) || setuid(65534) || root_open(&root, NULL) ||
		    root_read_line(&root, "proc/1/comm", name, sizeof(name)) <
			    0)
			_exit(1);
		p = process_files_new("1", name);
		process_files_look(p, &root, 1, o);
		_exit(strstr(o->sentence, "cannot be read: the kernel shows") &&
				      !o->n
			      ? 7
			      : 2);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(WEXITSTATUS(status), 7);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("tasks");

	tcase_add_test(t, threads);
	tcase_add_test(t, cgroups);
	tcase_add_test(t, command_lines);
	tcase_add_test(t, memory_and_waits);
	tcase_add_test(t, served);
	tcase_add_test(t, files);
	tcase_add_test(t, many_files);
	tcase_add_test(t, files_of_a_child);
	tcase_add_test(t, files_refused);
	tcase_add_test(t, hidden_io);
	tcase_add_test(t, thread_rows);
	tcase_add_test(t, users);
	tcase_add_test(t, groups);
	tcase_add_test(t, groups_kept);
	tcase_add_test(t, gate);
	tcase_add_test(t, listed_wait);
	tcase_add_test(t, state_letters);
	tcase_add_test(t, listed_state);
	tcase_add_test(t, born_and_reused);
	tcase_add_test(t, poor_kernel);
	tcase_add_test(t, ten_thousand);
	tcase_add_test(t, stat_parser);
	tcase_add_test(t, cpu_memory_pressure);
	tcase_add_test(t, host);
	tcase_add_test(t, live);
	tcase_add_test(t, ended);
	tcase_add_test(t, ends_damaged);
	suite_add_tcase(suite, t);
}
