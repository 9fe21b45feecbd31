/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeper: sudden deaths of it, of its peer and of both, on a fake tree. */
#include "knob/keeper.h"

#include "knob_peer.h"

#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>

static struct keeper *k;

static void count(const struct keeper_report *r, void *arg)
{
	int *n = arg;

	*n += r->kind == KEEPER_RESTORED && !r->error;
}

static const struct wish two[] = {
	{ "vda", "scheduler", "bfq" },
	{ "vda", "nr_requests", "64" },
};

START_TEST(peer_is_killed)
{
	static const int fatal[] = { SIGKILL, SIGTERM, SIGSEGV, SIGHUP };
	pid_t pid;

	tree_make();
	pid = start_peer(two, 2, -1);
	tree_is(Q("scheduler"), "bfq");
	ck_assert_int_eq(tree_journals(), 1);
	kill(pid, fatal[_i]);
	waitpid(pid, NULL, 0);
	wait_is(Q("scheduler"), "mq-deadline", 5);
	wait_is(Q("nr_requests"), "256", 5);
	wait_no_journal(5);
	tree_remove();
}
END_TEST

/* Of the host, of both groups, by its keeper or by a later start. */
START_TEST(host_knobs_come_back)
{
	static const struct wish host[] = {
		{ "kernel", "task_delayacct", "1" },
		{ "vm", "dirty_ratio", "5" },
	};
	pid_t pid, keeper;

	tree_make();
	pid = start_peer(host, 2, -1);
	keeper = child_of(pid);
	tree_is("proc/sys/kernel/task_delayacct", "1");
	if (_i) {
		kill(pid, SIGSTOP);
		kill(keeper, SIGKILL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (_i) {
		wait_dead(keeper);
		ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 2);
	}
	wait_is("proc/sys/kernel/task_delayacct", "0", 5);
	wait_is("proc/sys/vm/dirty_ratio", "20", 5);
	wait_no_journal(5);
	tree_remove();
}
END_TEST

/* Ctrl-C and a hangup go to the whole group; the keeper must outlive them. */
START_TEST(keeper_outlives_signals)
{
	static const int deaf[] = { SIGINT,  SIGTERM, SIGHUP,
				    SIGQUIT, SIGPIPE, SIGTSTP };
	pid_t pid, keeper;

	tree_make();
	pid = start_peer(two, 2, -1);
	keeper = child_of(pid);
	ck_assert_int_gt(keeper, 0);
	ck_assert_int_ne(getpgid(keeper), getpgid(pid));
	for (size_t i = 0; i < ARRAY_SIZE(deaf); i++)
		kill(keeper, deaf[i]);
	/* Asleep again: it has had them. */
	ck_assert(test_within(60, test_state(keeper) == 'S'));
	ck_assert_int_eq(child_of(pid), keeper);
	kill(-pid, SIGINT);
	waitpid(pid, NULL, 0);
	wait_is(Q("scheduler"), "mq-deadline", 5);
	wait_no_journal(5);
	tree_remove();
}
END_TEST

/* Leave a journal behind: peer and keeper die at the same moment. */
static void kill_both(const struct wish *wish, size_t n)
{
	pid_t pid = start_peer(wish, n, -1), keeper = child_of(pid);

	kill(pid, SIGSTOP);
	kill(keeper, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_dead(keeper);
	tree_is(Q("scheduler"), "bfq");
	ck_assert_int_eq(tree_journals(), 1);
}

START_TEST(journal_is_replayed)
{
	int n = 0;

	tree_make();
	kill_both(two, 2);
	ck_assert_int_eq(keeper_restore_journals(&root, count, &n), 2);
	ck_assert_int_eq(n, 2);
	tree_is(Q("scheduler"), "mq-deadline");
	tree_is(Q("nr_requests"), "256");
	ck_assert_int_eq(tree_journals(), 0);
	ck_assert_int_eq(keeper_restore_journals(&root, count, &n), 0);
	tree_remove();
}
END_TEST

/* A captured tree may hold a journal: nobody asked to write it back. */
START_TEST(captured_journal_is_left)
{
	tree_make();
	kill_both(two, 2);
	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	ck_assert_int_eq(keeper_stop(k, 5 * NS_PER_S, NULL, NULL), 0);
	tree_is(Q("scheduler"), "bfq");
	ck_assert_int_eq(tree_journals(), 1);
	ck_assert_int_eq(keeper_recover(&root, NULL, NULL), 0);
	tree_is(Q("scheduler"), "bfq");
	ck_assert_int_eq(tree_journals(), 1);
	tree_remove();
}
END_TEST

static void note_held(const struct keeper_report *r, void *arg)
{
	if (r->kind == KEEPER_HELD && !strcmp(r->device, "vda"))
		*(pid_t *)arg = r->owner;
}

START_TEST(journal_of_the_living_is_left)
{
	pid_t pid, owner = 0;

	tree_make();
	pid = start_peer(two, 2, -1);
	ck_assert_int_eq(keeper_restore_journals(&root, note_held, &owner),
			 -EBUSY);
	ck_assert_int_eq(owner, child_of(pid));
	tree_is(Q("scheduler"), "bfq");
	ck_assert_int_eq(tree_journals(), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_no_journal(5);
	tree_remove();
}
END_TEST

START_TEST(journal_of_others_is_dropped)
{
	tree_make();
	kill_both(two, 2);
	if (_i == 0)
		tree_put("proc/sys/kernel/random/boot_id", "boot-two\n");
	else
		tree_put("sys/block/vda/diskseq", "77\n");
	ck_assert_int_eq(keeper_restore_journals(&root, NULL, NULL), 0);
	tree_is(Q("scheduler"), "bfq");
	tree_is(Q("nr_requests"), "64");
	ck_assert_int_eq(tree_journals(), 0);
	tree_remove();
}
END_TEST

/* A peer that died in raw mode on the alternate screen. */
START_TEST(terminal_is_given_back)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct termios was, raw, now;
	char text[256] = "";
	pid_t pid;

	tree_make();
	ck_assert(master >= 0 && !grantpt(master) && !unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(slave, 0);
	tcgetattr(slave, &was);
	pid = start_peer(two, 1, slave);
	raw = was;
	cfmakeraw(&raw);
	tcsetattr(slave, TCSANOW, &raw);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_is(Q("scheduler"), "mq-deadline", 5);
	tcgetattr(slave, &now);
	ck_assert_int_eq(now.c_lflag, was.c_lflag);
	ck_assert_int_eq(now.c_iflag, was.c_iflag);
	ck_assert_int_eq(now.c_oflag, was.c_oflag);
	ck_assert_int_gt(read(master, text, sizeof(text) - 1), 0);
	ck_assert_ptr_nonnull(strstr(text, "\033[?1049l"));
	ck_assert_ptr_nonnull(strstr(text, "\033[?25h"));
	close(slave);
	close(master);
	tree_remove();
}
END_TEST

/* Ask for what is refused until the keeper can send no more refusals. */
static void fill_reports(int socket)
{
	static const char request[8 + KNOB_DEVICE_MAX + KNOB_NAME_MAX +
				  KNOB_VALUE_MAX];
	struct pollfd p = { .fd = socket, .events = POLLOUT };

	while (poll(&p, 1, 1000) > 0)
		send(socket, request, sizeof(request),
		     MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * The socket lives on in a child of the peer; the peer is dead all the same.
 * In the second round it read none of its reports, so that no more fit.
 */
START_TEST(peer_leaves_a_child)
{
	struct keeper_report r;
	pid_t pid, orphan = 0;
	int ready[2];

	tree_make();
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (keeper_start(&k, &root, -1))
			_exit(1);
		turn(k, "vda", "nr_requests", "64", &r);
		if (_i)
			fill_reports(keeper_fd(k));
		orphan = fork();
		if (orphan && write(ready[1], &orphan, sizeof(orphan)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &orphan, sizeof(orphan)),
			 sizeof(orphan));
	tree_is(Q("nr_requests"), "64");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_is(Q("nr_requests"), "256", 5);
	ck_assert_int_eq(kill(orphan, SIGKILL), 0);
	wait_no_journal(5);
	tree_remove();
}
END_TEST

/* A reader of our output must see its end when we end, keeper or not. */
START_TEST(keeper_holds_no_output)
{
	char path[300], target[300];
	pid_t pid, keeper;
	struct dirent *e;
	int files = 0;
	DIR *d;

	tree_make();
	pid = start_peer(two, 2, -1);
	keeper = child_of(pid);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)keeper);
	d = opendir(path);
	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d))) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, target,
				       sizeof(target) - 1);

		if (n < 0)
			continue;
		target[n] = '\0';
		files++;
		ck_assert_msg(strncmp(target, "pipe:", 5), "fd %s is %s",
			      e->d_name, target);
		if (atoi(e->d_name) < 3)
			ck_assert_str_eq(target, "/dev/null");
	}
	closedir(d);
	/*
	 * Null thrice, socket, peer, its state, signals, two writers, sys,
	 * proc/sys, run, the journal and its directory.
	 */
	ck_assert_int_le(files, 14);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_no_journal(5);
	tree_remove();
}
END_TEST

static pid_t real_fork(void)
{
#ifdef __GLIBC__
#if !__GLIBC_PREREQ(2, 34)
#define _Fork() (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
#endif
#endif
	return _Fork();
}

/* How many more forks work; a test lowers it. */
static int forks = INT_MAX;

pid_t fork(void)
{
	if (forks <= 0) {
		errno = EAGAIN;
		return -1;
	}
	forks--;
	return real_fork();
}

/* fork() fails from some moment on: no memory, a limit of processes. */
START_TEST(restore_needs_no_fork)
{
	pid_t pid;

	tree_make();
	/* The peer, its keeper, and two or no writers. */
	forks = _i ? 2 : 4;
	pid = start_peer(two, 2, -1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_is(Q("scheduler"), "mq-deadline", 5);
	wait_is(Q("nr_requests"), "256", 5);
	wait_no_journal(5);
	forks = INT_MAX;
	tree_remove();
}
END_TEST

/* From now on these system calls do not exist in this process. */
static void without(const int *call, size_t n)
{
	struct sock_filter code[32] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .filter = code };
	size_t at = 1;

	for (size_t i = 0; i < n; i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call[i], 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						  SECCOMP_RET_ALLOW);
	program.len = (unsigned short)at;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
			 0);
}

/* A kernel before 5.3, or a sandbox that does not know the newer calls. */
START_TEST(older_kernel)
{
	/* Calls that the headers do not know, the program does not make. */
	static const int newer[] = {
#ifdef __NR_close_range
		__NR_close_range,
#endif
#ifdef __NR_openat2
		__NR_openat2,
#endif
		__NR_pidfd_open
	};
	pid_t pid, inner;
	int status;

	tree_make();
	inner = fork();
	if (inner == 0) {
		without(newer, ARRAY_SIZE(newer));
		pid = start_peer(two, 2, -1);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		wait_is(Q("scheduler"), "mq-deadline", 5);
		wait_no_journal(5);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(inner, &status, 0), inner);
	ck_assert_int_eq(status, 0);
	tree_is(Q("scheduler"), "mq-deadline");
	tree_is(Q("nr_requests"), "256");
	tree_remove();
}
END_TEST

/* How many descriptors a process may have. */
static void limit_descriptors(pid_t pid, rlim_t n)
{
	struct rlimit limit;

	ck_assert_int_eq(prlimit(pid, RLIMIT_NOFILE, NULL, &limit), 0);
	limit.rlim_cur = n;
	ck_assert_int_eq(prlimit(pid, RLIMIT_NOFILE, &limit, NULL), 0);
}

/* A device that cannot be looked at now is not gone: nothing is forgotten. */
START_TEST(no_descriptor_left)
{
	pid_t pid, keeper;

	tree_make();
	pid = start_peer(two, 2, -1);
	keeper = child_of(pid);
	limit_descriptors(keeper, 4);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ck_assert(!test_within(1, tree_journals() == 0));
	tree_is(Q("scheduler"), "bfq");
	limit_descriptors(keeper, 64);
	wait_is(Q("scheduler"), "mq-deadline", 20);
	wait_is(Q("nr_requests"), "256", 5);
	wait_no_journal(5);
	tree_remove();
}
END_TEST

/* The line of /proc/PID/status that begins with key, as a hex number. */
static unsigned long long status_of(pid_t pid, const char *key)
{
	char path[64], line[256];
	unsigned long long value = ~0ull;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			value = strtoull(line + strlen(key) + 1, NULL, 16);
	fclose(f);
	return value;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FILTERED 0
#else
#define FILTERED 2
#endif

/* The keeper and its writers gave up what they do not need. */
START_TEST(keeper_is_confined)
{
	pid_t pid, keeper, writer;

	tree_make();
	pid = start_peer(two, 2, -1);
	keeper = child_of(pid);
	writer = child_of(keeper);
	ck_assert_int_gt(writer, 0);
	ck_assert_uint_eq(status_of(keeper, "Seccomp:"), FILTERED);
	ck_assert_uint_eq(status_of(keeper, "NoNewPrivs:"), 1);
	ck_assert_uint_eq(status_of(writer, "Seccomp:"), FILTERED);
	ck_assert_uint_eq(status_of(writer, "NoNewPrivs:"), 1);
	/* CAP_SYS_ADMIN and, for a captured tree, CAP_DAC_OVERRIDE. */
	ck_assert_uint_eq(status_of(keeper, "CapPrm:") & ~0x200002ull, 0);
	ck_assert_uint_eq(status_of(writer, "CapEff:") & ~0x200000ull, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_no_journal(5);
	tree_remove();
}
END_TEST

/* A peer that went mad cannot make the kernel change settings for ever. */
START_TEST(changes_are_limited)
{
	struct keeper_report r;
	int refused = 0;
	char value[8];

	tree_make();
	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	for (int i = 0; i < 200; i++) {
		snprintf(value, sizeof(value), "%d", 64 + i % 2);
		turn(k, "vda", "nr_requests", value, &r);
		refused += r.error == EAGAIN;
	}
	ck_assert_int_gt(refused, 50);
	ck_assert_int_eq(keeper_stop(k, 5 * NS_PER_S, NULL, NULL), 0);
	tree_is(Q("nr_requests"), "256");
	tree_remove();
}
END_TEST

START_TEST(needs_the_right)
{
	struct keeper_report r;

	if (geteuid())
		return;
	tree_make();
	ck_assert_int_eq(chmod(tree, 0755), 0);
	ck_assert_int_eq(setegid(65534), 0);
	ck_assert_int_eq(seteuid(65534), 0);
	ck_assert_int_eq(keeper_start(&k, &root, -1), 0);
	turn(k, "vda", "nr_requests", "64", &r);
	ck_assert_int_eq(r.error, EACCES);
	ck_assert_int_eq(keeper_stop(k, NS_PER_S, NULL, NULL), 0);
	ck_assert_int_eq(seteuid(0), 0);
	tree_is(Q("nr_requests"), "256");
	tree_remove();
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *d = tcase_create("deaths");

	tcase_add_loop_test(d, peer_is_killed, 0, 4);
	tcase_add_loop_test(d, host_knobs_come_back, 0, 2);
	tcase_add_test(d, keeper_outlives_signals);
	tcase_add_test(d, journal_is_replayed);
	tcase_add_test(d, captured_journal_is_left);
	tcase_add_test(d, journal_of_the_living_is_left);
	tcase_add_loop_test(d, journal_of_others_is_dropped, 0, 2);
	tcase_add_test(d, terminal_is_given_back);
	tcase_add_loop_test(d, peer_leaves_a_child, 0, 2);
	tcase_add_test(d, keeper_holds_no_output);
	tcase_add_loop_test(d, restore_needs_no_fork, 0, 2);
	tcase_add_test(d, older_kernel);
	tcase_add_test(d, no_descriptor_left);
	tcase_add_test(d, keeper_is_confined);
	tcase_add_test(d, changes_are_limited);
	tcase_add_test(d, needs_the_right);
	suite_add_tcase(suite, d);
}
