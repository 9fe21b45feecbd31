/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knob peer: a process with a keeper, to be killed by a test. */
#pragma once

#include "knob_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"

/* The child of a process, by /proc; 0 when it has none. */
static __attribute__((unused)) pid_t child_of(pid_t parent)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	pid_t found = 0;

	while (!found && (e = readdir(d))) {
		char path[300], buf[512], *end;
		int ppid = 0;
		FILE *f;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(buf, sizeof(buf), f) && (end = strrchr(buf, ')')) &&
		    sscanf(end + 1, " %*c %d", &ppid) == 1 && ppid == parent)
			found = atoi(e->d_name);
		fclose(f);
	}
	closedir(d);
	return found;
}

struct wish {
	const char *device, *knob, *value;
};

/*
 * Fork a process that starts a keeper, turns n knobs and then sleeps; at SIGUSR1
 * it stops the keeper and exits with 0 when that worked. It is in a session of
 * its own, so signals to its group reach no other process. Returns when all are
 * turned.
 */
static __attribute__((unused)) pid_t start_peer(const struct wish *wish,
						size_t n, int tty)
{
	struct keeper_report r;
	struct keeper *k;
	int ready[2], sig;
	sigset_t stop;
	char c;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	sigemptyset(&stop);
	sigaddset(&stop, SIGUSR1);
	pid = fork();
	if (pid == 0) {
		sigprocmask(SIG_BLOCK, &stop, NULL);
		/* The test runner has handlers of its own for these. */
		signal(SIGTERM, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		setsid();
		close(ready[0]);
		if (keeper_start(&k, &root, tty))
			_exit(1);
		for (size_t i = 0; i < n; i++) {
			if (keeper_set(k, wish[i].device, wish[i].knob,
				       wish[i].value))
				_exit(2);
			do
				if (!next_report(k, &r, 5000))
					_exit(3);
			while (r.kind != KEEPER_TURNED);
			if (r.error)
				_exit(4);
		}
		if (write(ready[1], "x", 1) != 1)
			_exit(5);
		while (sigwait(&stop, &sig))
			;
		_exit(keeper_stop(k, 10 * NS_PER_S, NULL, NULL) ? 6 : 0);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

/* Wait until a file says so, at most s seconds. */
static __attribute__((unused)) void wait_is(const char *path, const char *text,
					    int s)
{
	uint64_t end = clock_mono_ns() + (uint64_t)s * NS_PER_S;
	char buf[512] = "";

	while (clock_mono_ns() < end) {
		if (root_read_line(&root, path, buf, sizeof(buf)) >= 0 &&
		    !strcmp(buf, text))
			return;
		usleep(10000);
	}
	ck_abort_msg("%s is still \"%s\", not \"%s\"", path, buf, text);
}

static __attribute__((unused)) void wait_no_journal(int s)
{
	for (int i = 0; i < s * 100 && tree_journals(); i++)
		usleep(10000);
	ck_assert_int_eq(tree_journals(), 0);
}

/* Wait until a process that is no child of ours is dead, reaped or not. */
static __attribute__((unused)) void wait_dead(pid_t pid)
{
	char path[64], buf[512], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (int i = 0; i < 500; i++) {
		FILE *f = fopen(path, "r");
		bool dead = !f || !fgets(buf, sizeof(buf), f) ||
			    !(end = strrchr(buf, ')')) || end[2] == 'Z';

		if (f)
			fclose(f);
		if (dead)
			return;
		usleep(10000);
	}
}
