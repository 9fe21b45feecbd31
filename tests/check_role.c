/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each row of the table of roles: the process has its name, its descriptors and
 * no others, no signal of the terminal, its sandbox, and its end. A new role is
 * tried by the same loops.
 */
#include "base/role.c"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"

/* Seen by a process; in shared memory, as most sandboxes let nothing be told. */
struct seen {
	int kept, other; /* descriptors */
	char name[16];
	int kept_open, other_open; /* 1 yes, -1 no */
	sigset_t blocked;
	bool term_ignored, int_ignored;
	pid_t session;
	int exec, network, ptrace; /* errno of what most may not do */
	int made;		   /* of a file that it makes */
	_Atomic bool done;
};

static int is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0 ? 1 : -1;
}

static void look(void *arg)
{
	struct seen *s = arg;
	struct sigaction a;

	prctl(PR_GET_NAME, s->name);
	s->kept_open = is_open(s->kept);
	s->other_open = is_open(s->other);
	sigprocmask(SIG_BLOCK, NULL, &s->blocked);
	s->term_ignored = !sigaction(SIGTERM, NULL, &a) &&
			  a.sa_handler == SIG_IGN;
	s->int_ignored = !sigaction(SIGINT, NULL, &a) &&
			 a.sa_handler == SIG_IGN;
	s->session = getsid(0);
}

static int error_of(long rc)
{
	return rc < 0 ? errno : 0;
}

/* A program of this name does not exist: only the filter says EPERM. */
static void try(int socket, void *arg)
{
	char *const words[] = { NULL };
	struct seen *s = arg;

	s->exec = error_of(syscall(SYS_execve, "/nowhere/program", words,
				   words));
	s->network = error_of(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
	s->ptrace = error_of(syscall(SYS_ptrace, -1, 0, NULL, NULL));
	s->made = error_of(syscall(SYS_openat, AT_FDCWD, "/nowhere/file",
				   O_CREAT | O_WRONLY, 0600));
	atomic_store(&s->done, true);
}

static struct seen *start(enum role_id role)
{
	struct seen *s = xshared(sizeof(*s));
	int socket, status;
	const struct role_start start = { .role = role,
					  .keep = &s->kept,
					  .n = 1,
					  .prepare = look,
					  .serve = try,
					  .arg = s };
	pid_t pid;

	s->kept = open("/dev/null", O_RDONLY);
	s->other = open("/dev/null", O_RDONLY);
	pid = role_start(&start, &socket);
	ck_assert_msg(pid > 0, "%s", fail_sentence());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		      "%s: status %d", roles[role].name, status);
	ck_assert(s->done);
	close(socket);
	close(s->kept);
	close(s->other);
	return s;
}

START_TEST(process_is_set_up)
{
	const enum role_id role = (enum role_id)_i;
	struct seen *s = start(role);

	ck_assert_str_eq(s->name, roles[role].name);
	ck_assert_uint_lt(strlen(roles[role].name), 16);
	ck_assert_int_eq(s->kept_open, 1);
	ck_assert_int_eq(s->other_open, -1);
	ck_assert(s->term_ignored || sigismember(&s->blocked, SIGTERM));
	ck_assert(s->int_ignored || sigismember(&s->blocked, SIGINT));
	xshared_free(s, sizeof(*s));
}
END_TEST

/*
 * Nobody reaches a network or looks into other processes. Two execute programs.
 * The runner has no filter, as its command would inherit it.
 */
START_TEST(process_has_a_sandbox)
{
	const enum role_id role = (enum role_id)_i;
	struct seen *s = start(role);
	bool writes = role == ROLE_HAND || role == ROLE_PING ||
		      role == ROLE_RESULTS || role == ROLE_CLEANER;

	if (role == ROLE_RUNNER) {
		ck_assert_int_ne(s->exec, EPERM);
	} else if (prctl(PR_GET_SECCOMP) >= 0 && s->ptrace != ESRCH) {
		ck_assert_int_eq(s->ptrace, EPERM);
		ck_assert_int_eq(s->network, EPERM);
		ck_assert_int_eq(s->exec, role == ROLE_HAND ? ENOENT : EPERM);
		ck_assert_int_eq(s->made, writes ? ENOENT : EPERM);
	} else {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
	defined(__x86_64__)
		ck_abort_msg("%s has no filter", roles[role].name);
#endif
	}
	xshared_free(s, sizeof(*s));
}
END_TEST

/* How many calls the filter lets through; none of them does anything. */
static void count(int socket, void *arg)
{
	struct seen *s = arg;

	for (long call = 0; call < 512; call++)
		if (call != SYS_exit && call != SYS_exit_group && call != SYS_bpf &&
		    error_of(syscall(call, -1L, 0L, 0L, 0L, 0L, 0L)) != EPERM)
			s->kept++;
	atomic_store(&s->done, true);
}

/* The process that loads programs into the kernel: what libbpf calls, and not more. */
START_TEST(loader_has_few_calls)
{
	struct seen *s = xshared(sizeof(*s));
	int socket, status;
	const struct role_start start = {
		.role = ROLE_TRACE, .serve = count, .arg = s
	};
	const pid_t pid = role_start(&start, &socket);

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	close(socket);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
	!defined(COVERAGE) && defined(__x86_64__)
	/* 12 besides bpf(2) and the end, and other names of three of them. */
	ck_assert_int_le(s->kept, 16);
#endif
	xshared_free(s, sizeof(*s));
}
END_TEST

/* The drawing of the processes has each row. */
START_TEST(process_is_drawn)
{
	const char *name = roles[_i].name;
	FILE *f = fopen(SRCDIR "/../docs/architecture.md", "r");
	char line[200];
	bool found = false;

	ck_assert_ptr_nonnull(f);
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, name) != NULL;
	fclose(f);
	ck_assert_msg(found, "docs/architecture.md lacks %s", name);
}
END_TEST

static void echo(int socket, void *arg)
{
	char c;

	for (;;)
		if (role_hear(socket, &c, 1, NULL, 0) != 1 ||
		    send(socket, &c, 1, MSG_NOSIGNAL) != 1)
			_exit(1);
}

/* It answers, and ends with status 0 when the socket is closed. */
START_TEST(process_ends_with_its_socket)
{
	const struct role_start start = { .role = ROLE_KEEPER, .serve = echo };
	int socket, status = -1;
	char c = 'x';
	pid_t pid = role_start(&start, &socket);

	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(send(socket, &c, 1, 0), 1);
	c = 0;
	ck_assert_int_eq(recv(socket, &c, 1, 0), 1);
	ck_assert_int_eq(c, 'x');
	close(socket);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

static void wait_for_ever(int socket, void *arg)
{
	for (;;)
		pause();
}

/* A process whose row says so dies with the one that started it. */
START_TEST(process_dies_with_its_parent)
{
	const struct role_start start = { .role = ROLE_PING,
					  .serve = wait_for_ever };
	pid_t parent, child = 0;
	int fd[2];

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	ck_assert_int_eq(pipe(fd), 0);
	parent = fork();
	if (parent == 0) {
		child = role_start(&start, NULL);
		_exit(write(fd[1], &child, sizeof(child)) < 0);
	}
	ck_assert_int_eq(read(fd[0], &child, sizeof(child)), sizeof(child));
	ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	close(fd[0]);
	close(fd[1]);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("roles");

	tcase_add_loop_test(t, process_is_set_up, 0, ROLES);
	tcase_add_loop_test(t, process_has_a_sandbox, 0, ROLES);
	tcase_add_test(t, loader_has_few_calls);
	tcase_add_loop_test(t, process_is_drawn, 0, ROLES);
	tcase_add_test(t, process_ends_with_its_socket);
	tcase_add_test(t, process_dies_with_its_parent);
	suite_add_tcase(suite, t);
}
