/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk: make a simulated disk and keep it until a signal or another iodyno ends
 * it; print what it did.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/root.h"
#include "base/side_file.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "disk/disk.h"

/* How often the record is written, in ms: the ring holds 65536 requests. */
#define DRAIN_MS 100
/* How long to wait for others who have the device open. */
#define END_MS	 2000

struct held_disk {
	struct disk disk;
	struct side_file truth; /* fd -1: none */
	FILE *out;
	int signals;
};

/* Signals that the command takes itself: the end, and the power. */
static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* True: the command is to end. */
static bool cmd_disk_take_signal(struct held_disk *k)
{
	struct signalfd_siginfo info;

	if (read(k->signals, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo != SIGUSR1 && info.ssi_signo != SIGUSR2)
		return true;
	disk_order(&k->disk, info.ssi_signo == SIGUSR1);
	return false;
}

static void cmd_disk_drain(struct held_disk *k)
{
	if (k->disk.ring)
		disk_truth_drain(k->disk.ring, k->out);
}

/* Until a signal; EXIT_FAILED when the process of the disk ends by itself. */
static int cmd_disk_serve(struct held_disk *k)
{
	struct pollfd p[2] = {
		{ .fd = k->signals, .events = POLLIN },
		{ .fd = disk_fd(&k->disk), .events = POLLIN },
	};

	for (;;) {
		if (poll(p, 2, k->disk.ring ? DRAIN_MS : -1) < 0 &&
		    errno != EINTR)
			return EXIT_FAILED;
		cmd_disk_drain(k);
		if (p[0].revents && cmd_disk_take_signal(k))
			return EXIT_DONE;
		if (p[1].revents && disk_ended(&k->disk)) {
			fail(EPIPE, "the process of the simulated disk was "
				    "killed; %s answers with I/O errors until "
				    "its users close it",
			     k->disk.loop.path);
			return command_failed(EXIT_FAILED);
		}
	}
}

static void print_op(const struct disk_page *p, enum disk_op op)
{
	const struct histogram *h = &p->time[op];

	if (!p->requests[op])
		return;
	printf("%-8s %8llu  p50 %-7s p99 %-7s max %s\n", disk_op_name(op),
	       (unsigned long long)p->requests[op],
	       units_ns(histogram_percentile(h, 50)).text,
	       units_ns(histogram_percentile(h, 99)).text,
	       units_ns(histogram_max(h)).text);
}

/* What the disk did, and whether it was in time. */
static void summarize(const struct held_disk *k)
{
	const struct disk_page *p = k->disk.page;
	double pct = disk_truth_late_pct(p);

	for (unsigned op = 0; op < DISK_OPS; op++)
		print_op(p, op);
	for (unsigned i = 0; i < DISK_FAULTS; i++) {
		const char *help, *name = disk_fault_name(i, &help);

		if (p->faults[i])
			printf("fault %-10s %llu\n", name,
			       (unsigned long long)p->faults[i]);
	}
	if (p->faults[DISK_FAULT_CUT])
		printf("lost in cuts of power: %llu sectors\n",
		       (unsigned long long)p->lost_sectors);
	if (!disk_truth_requests(p))
		return;
	printf("answers late by p99 %s; %.2f %% of them by more than 5 %%\n",
	       units_ns(histogram_percentile(&p->lateness, 99)).text, pct);
	if (simulated_was_late((double)p->head.answers, (double)p->head.late))
		command_say("the machine was too busy to simulate this disk: "
			    "what was measured on it is invalid");
}

static int open_truth(struct held_disk *k, const char *path)
{
	int err = side_file_open(&k->truth, path, "the record of the disk",
				 SIDE_FILE_NOW);

	if (err)
		return err;
	k->out = fdopen(dup(k->truth.fd), "w");
	return k->out ? 0 : fail(errno, "cannot write %s: %s", path,
				 strerror(errno));
}

static int close_truth(struct held_disk *k)
{
	int err = 0;

	if (k->disk.ring && k->disk.ring->lost)
		command_say("the record lacks %llu requests: the disk was "
			    "faster than the file",
			    (unsigned long long)k->disk.ring->lost);
	if (k->out && fclose(k->out))
		err = fail(errno, "cannot write the record of the disk: %s",
			   strerror(errno));
	k->out = NULL;
	side_file_left(k->truth.fd);
	side_file_close(&k->truth);
	return err;
}

static int cmd_disk_make(struct held_disk *k, const struct settings *s)
{
	struct disk_options o = {
		.model = s->arg.word[0],
		.bytes = DISK_BYTES_DEFAULT,
		.seed = s->disk.seed,
		.faults = (const char *const *)s->disk.faults.word,
		.n_faults = s->disk.faults.n,
		.truth = s->disk.truth != NULL,
	};
	int err;

	if (s->disk.size && !units_parse_bytes(s->disk.size, &o.bytes)) {
		fail(EINVAL, "--size=%s is not a size, such as 2g",
		     s->disk.size);
		return command_failed(EXIT_USAGE);
	}
	err = disk_check(&o);
	if (err)
		return command_failed(EXIT_USAGE);
	if (o.truth)
		err = open_truth(k, s->disk.truth);
	if (!err)
		err = disk_start(&k->disk, &o);
	if (!err)
		return EXIT_DONE;
	return command_failed(EXIT_FAILED);
}

static int cmd_disk_keep(const struct settings *s)
{
	struct held_disk k = { .truth.fd = -1 };
	int status = cmd_disk_make(&k, s);

	if (status != EXIT_DONE)
		return status;
	k.signals = open_signals();
	printf("%s\n", k.disk.loop.path);
	fflush(stdout);
	status = cmd_disk_serve(&k);
	if (disk_stop(&k.disk, END_MS) == -EBUSY)
		command_say("%s is still in use; it goes when its last user "
			    "closes it",
			    k.disk.loop.path);
	cmd_disk_drain(&k);
	summarize(&k);
	if (s->disk.truth && close_truth(&k) < 0)
		status = command_failed(EXIT_FAILED);
	disk_free(&k.disk);
	close(k.signals);
	return status;
}

/* --end: all disks, or those that are named. */
static int end_disks(const struct settings *s, const struct root *root)
{
	unsigned n = 0, one;

	for (size_t i = 0; i < s->arg.n; i++) {
		one = disk_end_others(root, s->arg.word[i]);
		if (!one) {
			fail(ENOENT, "%s is no simulated disk; iodyno list "
				     "disks prints those that are there",
			     s->arg.word[i]);
			return command_failed(EXIT_FAILED);
		}
		n += one;
	}
	if (!s->arg.n)
		n = disk_end_others(root, NULL);
	if (!n)
		command_say("there is no simulated disk");
	return EXIT_DONE;
}

int cmd_disk(struct settings *s)
{
	struct root root;
	int status;

	if (!s->disk.end && s->arg.n != 1) {
		fail(EINVAL, "disk needs one model, such as hdd-7200; iodyno "
			     "list disks prints them");
		return command_failed(EXIT_USAGE);
	}
	if (root_open(&root, NULL) < 0)
		return command_failed(EXIT_FAILED);
	command_recover(&root);
	status = s->disk.end ? end_disks(s, &root) : cmd_disk_keep(s);
	root_close(&root);
	return status;
}
