/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Privilege: who a root process works for, and changes of user that fail. Each
 * test works in a child, because it gives rights up. Skipped without root.
 */
#include "base/role.c"

#include "test.h"

#include "cmd/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/nvme_ioctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <scsi/sg.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY "65534"

/* From now on this system call fails with the error. */
static void make_fail(int call, unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
			 0);
}

static void called_by_sudo(const char *command)
{
	setenv("SUDO_UID", NOBODY, 1);
	setenv("SUDO_GID", NOBODY, 1);
	if (command)
		setenv("SUDO_COMMAND", command, 1);
	else
		unsetenv("SUDO_COMMAND");
}

/* The exit status of fn in a child; its stderr goes to text. */
static int in_child(void (*fn)(void), char *text, size_t size)
{
	int out[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	ck_assert_int_eq(pipe(out), 0);
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDERR_FILENO);
		close(out[0]);
		fn();
		_exit(0);
	}
	close(out[1]);
	while (n < size - 1 && (got = read(out[0], text + n, size - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(out[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void lower_fails(void)
{
	called_by_sudo(NULL);
	make_fail(SYS_setresuid, EPERM);
	privilege_lower();
	_exit(99); /* as root: a file would be made with its rights */
}

START_TEST(failed_change_ends_the_program)
{
	char text[512];

	ck_assert_int_eq(in_child(lower_fails, text, sizeof(text)), 1);
	ck_assert_ptr_nonnull(strstr(text, "iodyno: cannot work as user 65534"));
}
END_TEST

static void lower_and_raise(void)
{
	called_by_sudo("/usr/bin/iodyno record");
	privilege_lower();
	if (geteuid() != 65534 || getegid() != 65534 || getgroups(0, NULL) > 1)
		_exit(1);
	privilege_raise();
	if (geteuid() || getegid())
		_exit(2);
}

START_TEST(lowers_and_raises)
{
	char text[512];

	ck_assert_int_eq(in_child(lower_and_raise, text, sizeof(text)), 0);
	ck_assert_str_eq(text, "");
}
END_TEST

static void drop_without_capset(void)
{
	called_by_sudo(NULL);
	make_fail(SYS_capset, EPERM);
	_exit(privilege_drop() < 0 && *fail_sentence() ? 0 : 1);
}

/* KEEPCAPS left every capability where capset() failed. */
START_TEST(kept_capabilities_are_an_error)
{
	char text[512];

	ck_assert_int_eq(in_child(drop_without_capset, text, sizeof(text)), 0);
}
END_TEST

START_TEST(root_shell_is_root)
{
	static const char *const shells[] = {
		"/bin/bash", "/usr/bin/zsh", "/usr/bin/su", "/usr/bin/su - root"
	};
	static const char *const programs[] = {
		"/usr/bin/iodyno run x.fio", "/bin/sh -c iodyno",
		"/usr/bin/env A=/bin/bash iodyno", "/usr/bin/sudoedit"
	};

	for (size_t i = 0; i < 4; i++) {
		called_by_sudo(shells[i]);
		ck_assert_msg(!privilege_by_sudo(), "%s", shells[i]);
		called_by_sudo(programs[i]);
		ck_assert_msg(privilege_by_sudo(), "%s", programs[i]);
	}
	called_by_sudo(NULL);
	ck_assert(privilege_by_sudo());
	unsetenv("SUDO_UID");
	ck_assert(!privilege_by_sudo());
}
END_TEST

static void read_roots_file(void)
{
	char path[] = "/tmp/iodyno-secret-XXXXXX", pattern[64];
	struct job job = { .name = "x", .buffer_pattern = pattern };
	struct job load = { .name = "y", .dbench.loadfile = path };
	int fd = mkstemp(path), err, load_err;

	snprintf(pattern, sizeof(pattern), "0x41'%s'", path);
	called_by_sudo(NULL);
	err = privilege_check_files(&job, 1);
	load_err = privilege_check_files(&load, 1);
	unlink(path);
	close(fd);
	/* Root again, and not for the check only. */
	if (getuid() || getgid() || geteuid())
		_exit(2);
	_exit(err == -EACCES && load_err == -EACCES ? 0 : 1);
}

/* A kernel before 5.8. */
static void read_roots_file_without_faccessat2(void)
{
#ifdef __NR_faccessat2
	make_fail(__NR_faccessat2, ENOSYS);
#endif
	read_roots_file();
}

/* No job copies one to a device as a pattern, or to a sentence as a loadfile. */
START_TEST(roots_file_is_not_read)
{
	char text[512];

	ck_assert_int_eq(in_child(read_roots_file, text, sizeof(text)), 0);
	ck_assert_int_eq(in_child(read_roots_file_without_faccessat2, text,
				  sizeof(text)),
			 0);
}
END_TEST

#define NO_FILTER 77 /* the sanitizers' build has none */

/* Requests to a regular file, which knows none of them. */
static int refusal(int fd, unsigned long request)
{
	char answer[4096] = { 0 };

	return ioctl(fd, request, answer) < 0 ? errno : 0;
}

/* The file is made before: the filter lets none be made. */
static void ask_devices(void)
{
	static const unsigned long questions[] = { BLKGETSIZE64, BLKSSZGET,
						   LOOP_GET_STATUS64,
						   DM_TABLE_STATUS };
	static const unsigned long changes[] = {
		BLKDISCARD,	   BLKZEROOUT,	   BLKROSET,
		BLKRRPART,	   BLKFLSBUF,	   BLKRASET,
		LOOP_SET_FD,	   LOOP_CLR_FD,	   LOOP_CHANGE_FD,
		LOOP_SET_STATUS64, DM_DEV_CREATE,  DM_DEV_REMOVE,
		DM_TABLE_LOAD,	   DM_TABLE_CLEAR, DM_REMOVE_ALL,
		TIOCSTI
	};
	int fd = fileno(tmpfile());

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (refusal(fd, changes[i]) != ENOTTY)
			_exit(1); /* the filter is not what refuses */
	sandbox_enter(&roles[ROLE_OPENER].sandbox);
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0) /* the filter forbids it */
		_exit(NO_FILTER);
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		if (refusal(fd, questions[i]) != ENOTTY)
			_exit(2);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (refusal(fd, changes[i]) != EPERM)
			_exit(3);
}

/* The opener asks a device what it is, and changes none. */
START_TEST(opener_only_asks_devices)
{
	char text[512];
	int status = in_child(ask_devices, text, sizeof(text));

	ck_assert(status == 0 || status == NO_FILTER);
}
END_TEST

static void ask_disks(void)
{
	static const unsigned long others[] = { BLKDISCARD, BLKRRPART, TIOCSTI,
						BLKGETSIZE64,
						NVME_IOCTL_IO_CMD,
						NVME_IOCTL_RESET };
	int fd = fileno(tmpfile());

	sandbox_enter(&roles[ROLE_HEALTH].sandbox);
	if (refusal(fd, BLKGETSIZE64) != EPERM)
		_exit(NO_FILTER);
	if (refusal(fd, NVME_IOCTL_ADMIN_CMD) != ENOTTY ||
	    refusal(fd, SG_IO) != ENOTTY)
		_exit(2);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (refusal(fd, others[i]) != EPERM)
			_exit(3);
	if (open("/dev/null", O_RDONLY) >= 0 || errno != EPERM)
		_exit(4);
#ifndef COVERAGE
	if (write(fd, "x", 1) >= 0 || errno != EPERM)
		_exit(5);
#endif
}

/* The process that asks disks for counters can do nothing else. */
START_TEST(smart_reader_asks_disks)
{
	char text[512];
	int status = in_child(ask_disks, text, sizeof(text));

	ck_assert(status == 0 || status == NO_FILTER);
}
END_TEST

static int denied(long rc)
{
	return rc < 0 && errno == EPERM;
}

static void be_hand(void)
{
	int pair[2];
	pid_t pid;

	sandbox_enter(&roles[ROLE_HAND].sandbox);
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0)
		_exit(NO_FILTER);
	/* Without the filter none of these fails with EPERM. */
	if (!denied(syscall(SYS_setns, -1, 0)) ||
	    !denied(syscall(SYS_unshare, 0)) ||
	    !denied(syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0,
			    0)) ||
	    !denied(syscall(SYS_bpf, -1, NULL, 0)) ||
	    !denied(syscall(SYS_keyctl, -1, 0, 0, 0, 0)) ||
	    !denied(syscall(SYS_chroot, "/nowhere")) ||
	    !denied(syscall(SYS_swapoff, "/nowhere")) ||
	    !denied(syscall(SYS_ptrace, -1, 0, NULL, NULL)) ||
	    !denied(syscall(SYS_io_uring_setup, 0, NULL)) ||
	    !denied(syscall(SYS_clone, CLONE_NEWNS | CLONE_NEWUSER | SIGCHLD,
			    NULL, NULL, NULL, NULL)) ||
	    !denied(socket(AF_INET, SOCK_STREAM, 0)) ||
	    !denied(socket(AF_NETLINK, SOCK_RAW, 0)))
		_exit(1);
#ifdef __x86_64__
	/* getpid() by its number of x32. */
	if (!denied(syscall(0x40000000 + SYS_getpid)))
		_exit(2);
#endif
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	    socket(AF_UNIX, SOCK_STREAM, 0) < 0)
		_exit(3);
	/* Programs run, and have the filter, too. */
	pid = fork();
	if (pid == 0) {
		execlp("sh", "sh", "-c",
		       "grep -q '^Seccomp:[[:space:]]*2' /proc/self/status",
		       NULL);
		_exit(127);
	}
	_exit(pid > 0 && waitpid(pid, pair, 0) == pid && pair[0] == 0 ? 0 : 4);
}

START_TEST(hand_is_denied_what_it_does_not_need)
{
	char text[512];
	int status = in_child(be_hand, text, sizeof(text));

	ck_assert_msg(status == 0 || status == NO_FILTER, "status %d", status);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("privilege");

	if (geteuid())
		test_skip("needs root");
	tcase_add_test(t, failed_change_ends_the_program);
	tcase_add_test(t, lowers_and_raises);
	tcase_add_test(t, kept_capabilities_are_an_error);
	tcase_add_test(t, root_shell_is_root);
	tcase_add_test(t, roots_file_is_not_read);
	tcase_add_test(t, opener_only_asks_devices);
	tcase_add_test(t, smart_reader_asks_disks);
	tcase_add_test(t, hand_is_denied_what_it_does_not_need);
	suite_add_tcase(suite, t);
}
