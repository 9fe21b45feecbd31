/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knob tree: a fake machine in a temporary directory, for the knob tests. */
#pragma once

#include "base/root.h"
#include "knob/keeper.h"

#include "fixture.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree[64];
static struct root root;

static __attribute__((unused)) void tree_put(const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", tree, path);
	for (char *p = full + strlen(tree) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		if (mkdir(full, 0755))
			ck_assert_int_eq(errno, EEXIST);
		*p = '/';
	}
	f = fopen(full, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static __attribute__((unused)) void tree_is(const char *path, const char *text)
{
	char buf[512];

	ck_assert_int_ge(root_read_line(&root, path, buf, sizeof(buf)), 0);
	ck_assert_str_eq(buf, text);
}

#define Q(file) "sys/block/vda/queue/" file

/* A disk with mq-deadline, a second one, one without a queue's scheduler. */
static __attribute__((unused)) void tree_make(void)
{
	char *dir = make_tree(NULL);

	snprintf(tree, sizeof(tree), "%s", dir);
	free(dir);
	tree_put("sys/block/vda/diskseq", "9\n");
	tree_put(Q("scheduler"), "none [mq-deadline] kyber bfq\n");
	tree_put(Q("nr_requests"), "256\n");
	tree_put(Q("max_sectors_kb"), "1280\n");
	tree_put(Q("nomerges"), "0\n");
	tree_put(Q("rq_affinity"), "1\n");
	tree_put(Q("wbt_lat_usec"), "75000\n");
	tree_put(Q("read_ahead_kb"), "128\n");
	tree_put(Q("iosched/fifo_batch"), "16\n");
	tree_put(Q("iosched/read_expire"), "500\n");
	tree_put("sys/block/vdb/diskseq", "10\n");
	tree_put("sys/block/vdb/queue/scheduler", "[none] bfq\n");
	tree_put("sys/block/vdb/queue/read_ahead_kb", "256\n");
	tree_put("sys/block/dm-0/queue/read_ahead_kb", "512\n");
	tree_put("proc/sys/vm/dirty_ratio", "20\n");
	tree_put("proc/sys/vm/dirty_bytes", "0\n");
	tree_put("proc/sys/kernel/task_delayacct", "0\n");
	tree_put("proc/sys/kernel/random/boot_id", "boot-one\n");
	ck_assert_int_eq(root_open(&root, tree), 0);
}

static __attribute__((unused)) void tree_remove(void)
{
	char command[128];

	root_close(&root);
	snprintf(command, sizeof(command), "rm -rf %s", tree);
	ck_assert_int_eq(system(command), 0);
}

/* How many journals lie in the tree. */
static __attribute__((unused)) int tree_journals(void)
{
	DIR *d = root_open_dir(&root, "run/iodyno");
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += strstr(e->d_name, ".journal") != NULL;
	if (d)
		closedir(d);
	return n;
}

/* Wait for the next report, at most ms; false when none came. */
static __attribute__((unused)) bool next_report(struct keeper *k,
						struct keeper_report *r, int ms)
{
	struct pollfd p = { .fd = keeper_fd(k), .events = POLLIN };

	if (poll(&p, 1, ms) <= 0)
		return false;
	return keeper_receive(k, r) == 1;
}

/* Turn a knob and wait for the answer; what changed besides is counted. */
static __attribute__((unused)) int turn(struct keeper *k, const char *device,
					const char *knob, const char *value,
					struct keeper_report *r)
{
	int others = 0;

	ck_assert_msg(keeper_set(k, device, knob, value) == 0, "%s",
		      fail_sentence());
	do {
		ck_assert(next_report(k, r, 10000));
		others += r->kind == KEEPER_CHANGED;
	} while (r->kind != KEEPER_TURNED);
	return others;
}
