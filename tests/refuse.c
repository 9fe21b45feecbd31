/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refuse CALL[,CALL]... PROGRAM [ARGUMENT]...: runs the program under a seccomp
 * filter that answers these system calls with EPERM, as those of containers do.
 * Ends with 77 where no filter can be set.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	{ "io_uring_setup", SYS_io_uring_setup },
	{ "io_setup", SYS_io_setup },
	{ "io_submit", SYS_io_submit },
	{ "io_getevents", SYS_io_getevents },
	{ "io_pgetevents", SYS_io_pgetevents },
};

#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

static size_t find(const char *name)
{
	size_t i = 0;

	while (i < N_CALLS && strcmp(calls[i].name, name) != 0)
		i++;
	return i;
}

int main(int argc, char **argv)
{
	struct sock_filter code[2 * N_CALLS + 2];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;
	char *rest, *name;

	if (argc < 3)
		return 2;
	rest = argv[1];
	code[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	while ((name = strsep(&rest, ",")) && n < 2 * N_CALLS) {
		size_t i = find(name);

		if (i == N_CALLS) {
			fprintf(stderr, "refuse: no call %s in its table\n",
				name);
			return 2;
		}
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						 SECCOMP_RET_ALLOW);
	program.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("refuse");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
