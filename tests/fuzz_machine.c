/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: files below /proc and /sys, as collectors and knobs read them.
 * They are untrusted in a captured tree, and a kernel may print what no other
 * has printed.
 *
 * The input changes files of a small tree: a byte that chooses the path, its
 * content up to a byte 0xff, the next byte that chooses, and so on. Two samples
 * are taken, one after each half of the changes; no value of the frame between
 * them may be negative or infinite.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/fail.h"
#include "base/root.h"
#include "collect/collect.h"
#include "knob/knob.h"
#include "model/frame.h"

#include "fuzz.h"

#define DISK  "sys/block/sda/"
#define QUEUE DISK "queue/"
#define PID   "proc/40/"
#define TASK  PID "task/40/"

static const struct {
	const char *path, *text;
} files[] = {
	{ "proc/diskstats",
	  "8 0 sda 10 1 80 5 20 2 160 9 1 12 14 3 0 24 1 2 1\n"
	  "8 1 sda1 9 1 72 5 20 2 160 9 0 12 14\n"
	  "253 0 dm-0 9 0 72 5 20 0 160 9 0 12 14\n"
	  "7 0 loop0 1 0 8 0 0 0 0 0 0 0 0\n" },
	{ "proc/stat", "cpu 10 0 20 300 4 5 6 7 0 0\n"
		       "cpu0 10 0 20 300 4 5 6 7 0 0\n"
		       "ctxt 100\nbtime 1700000000\nprocs_running 1\n" },
	{ "proc/meminfo", "MemTotal: 1000 kB\nMemFree: 500 kB\n"
			  "Cached: 100 kB\nDirty: 8 kB\nWriteback: 0 kB\n" },
	{ "proc/vmstat", "nr_dirty 2\npgpgin 10\npgpgout 20\nworkingset_refault_file 1\n" },
	{ "proc/cpuinfo", "processor : 0\nmodel name : A Processor\n" },
	{ "proc/pressure/io",
	  "some avg10=0.00 avg60=0.00 avg300=0.00 total=10\n"
	  "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n" },
	{ "proc/pressure/cpu",
	  "some avg10=1.00 avg60=0.00 avg300=0.00 total=10\n" },
	{ "proc/self/mountinfo",
	  "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	  "21 20 253:0 / /with\\040blank rw,noatime shared:1 - btrfs /dev/dm-0 rw\n" },
	{ "proc/swaps", "Filename Type Size Used Priority\n"
			"/dev/sda1 partition 100 0 -2\n" },
	{ "proc/sys/kernel/task_delayacct", "1\n" },
	{ "proc/sys/kernel/random/boot_id", "boot\n" },
	{ "proc/sys/vm/dirty_ratio", "20\n" },
	{ "proc/sys/vm/dirty_bytes", "0\n" },
	{ PID "stat", "40 (a) b) S 1 1 1 0 -1 0 1 2 3 4 10 5 7 8 20 0 1 0 700 0 0 "
		      "0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 50\n" },
	{ PID "io", "rchar: 1\nread_bytes: 100\nwrite_bytes: 200\n" },
	{ PID "schedstat", "1000 10 1\n" },
	{ PID "cmdline", "a" },
	{ TASK "stat", "40 (a) b) S 1 1 1 0 -1 0 1 2 3 4 10 5 7 8 20 0 1 0 700 0 "
		       "0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 50\n" },
	{ TASK "io", "rchar: 1\nread_bytes: 100\nwrite_bytes: 200\n" },
	{ TASK "schedstat", "1000 10 1\n" },
	{ DISK "dev", "8:0\n" },
	{ DISK "diskseq", "3\n" },
	{ DISK "inflight", "1 2\n" },
	{ DISK "stat", "10 1 80 5 20 2 160 9 1 12 14\n" },
	{ DISK "size", "2048\n" },
	{ DISK "hidden", "0\n" },
	{ DISK "device/model", "A Disk\n" },
	{ DISK "sda1/partition", "1\n" },
	{ DISK "sda1/inflight", "0 0\n" },
	{ DISK "sda1/size", "1024\n" },
	{ QUEUE "scheduler", "none [mq-deadline] bfq\n" },
	{ QUEUE "nr_requests", "256\n" },
	{ QUEUE "read_ahead_kb", "128\n" },
	{ QUEUE "wbt_lat_usec", "75000\n" },
	{ QUEUE "rotational", "1\n" },
	{ QUEUE "logical_block_size", "512\n" },
	{ QUEUE "iostats", "1\n" },
	{ QUEUE "iosched/fifo_batch", "16\n" },
	{ "sys/block/dm-0/dm/name", "vg-root\n" },
	{ "sys/block/dm-0/dm/uuid", "LVM-x\n" },
	{ "sys/block/dm-0/slaves/sda/dev", "8:0\n" },
	{ "sys/block/dm-0/size", "1024\n" },
	{ "sys/block/loop0/loop/backing_file", "/with blank/disk.img\n" },
	{ "sys/block/loop0/size", "16\n" },
};

static char tree[] = "/dev/shm/iodyno-fuzz-XXXXXX";
static struct root root;

static void put(size_t i, const void *text, size_t n)
{
	int fd = openat(root.fd, files[i].path,
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	must_hold(fd >= 0 && write(fd, text, n) == (ssize_t)n);
	close(fd);
}

static void put_back(size_t i)
{
	put(i, files[i].text, strlen(files[i].text));
}

static void remove_tree(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", tree);
	must_hold(system(command) == 0);
}

static void make_tree(void)
{
	char path[128];

	if (access("/dev/shm", W_OK))
		memcpy(tree, "/var/tmp", 8);
	must_hold(mkdtemp(tree));
	must_hold(root_open(&root, tree) == 0);
	atexit(remove_tree);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s", files[i].path);
		for (char *p = path; (p = strchr(p, '/')); *p++ = '/') {
			*p = '\0';
			must_hold(!mkdirat(root.fd, path, 0755) ||
				  errno == EEXIST);
		}
		put_back(i);
	}
}

static void frame_is_sane(const struct frame *f)
{
	for (int id = 0; id < SCHEMA_COUNT; id++) {
		const struct table *t = &f->table[id];

		for (size_t i = 0; i < t->n; i++)
			for (size_t k = 0; k < schemas[id]->n_fields; k++)
				must_hold(schemas[id]->fields[k].kind !=
						  FIELD_NUMBER ||
					  isnan(t->row[i].value[k].number) ||
					  (t->row[i].value[k].number >= 0 &&
					   !isinf(t->row[i].value[k].number)));
	}
}

static void read_knobs(void)
{
	static const char *const names[] = { "scheduler", "nr_requests",
					     "read_ahead_kb", "wbt_lat_usec",
					     "iosched.fifo_batch" };
	char value[64], choices[128];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (knob_get(&root, "sda", names[i], value, sizeof(value),
			     choices, sizeof(choices)))
			must_hold(*fail_sentence());
}

FUZZ_TARGET(machine)
{
	const struct collect_options options = { .all_devices = true,
						 .watched = true };
	bool changed[ARRAY_SIZE(files)] = { false };
	struct sample sample[2] = { 0 };
	struct frame frame = { 0 };
	struct host_info host = { 0 };
	struct device_info device = { 0 };
	const uint8_t *end = data + size, *half = data + size / 2;
	struct collect *c;
	char use[256];

	if (!root.fd)
		make_tree();
	if (collect_open(&c, &root, &options))
		must_hold(*fail_sentence());
	for (int n = 0; n < 2; n++) {
		sample_reset(&sample[n]);
		collect_sample(c, &sample[n]);
		while (data < (n ? end : half)) {
			size_t i = *data++ % ARRAY_SIZE(files);
			const uint8_t *stop =
				memchr(data, 0xff, (size_t)(end - data));

			stop = stop ? stop : end;
			put(i, data, (size_t)(stop - data));
			changed[i] = true;
			data = stop < end ? stop + 1 : end;
		}
	}
	sample_reset(&sample[0]);
	collect_sample(c, &sample[0]);
	sample[0].mono_ns = sample[1].mono_ns + 1000000000;
	frame_derive(&frame, &sample[1], &sample[0], 0);
	frame_is_sane(&frame);
	read_knobs();
	collect_host(&root, &host);
	if (device_header_collect(&root, "sda", &device))
		device_use_collect(&root, "sda", use, sizeof(use));
	collect_close(c);
	frame_free(&frame);
	sample_free(&sample[0]);
	sample_free(&sample[1]);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (changed[i])
			put_back(i);
	return 0;
}
