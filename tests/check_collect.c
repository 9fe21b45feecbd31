/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collect: devices, on trees of files. */
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "collect/device.h"
#include "collect/trace.h"
#include "collect_fixture.h"
#include "model/schema/schema_job.h"
#include "model/schema/schema_trace.h"
#include "test.h"

#define DEVICE_IS(f, id, key, expected)                                    \
	ck_assert_double_eq_tol(fixture_number(f, SCHEMA_DEVICE, id, key), \
				expected,                                  \
				1e-9 * fabs((double)(expected)) + 1e-12)
#define DEVICE_ABSENT(f, id, key) \
	ck_assert(isnan(fixture_number(f, SCHEMA_DEVICE, id, key)))

static void parent_is(const struct fixture *f, const char *id, const char *up)
{
	ck_assert_ptr_nonnull(fixture_device(f, id));
	ck_assert_msg(!strcmp(fixture_device(f, id)->parent, up),
		      "%s is under \"%s\", not \"%s\"", id,
		      fixture_device(f, id)->parent, up);
}

/* Every formula of iostat, on 17 columns and 2 s. */
START_TEST(nvme)
{
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_open(&f, NULL);
	fixture_sample(&f, 10);
	ck_assert_ptr_nonnull(fixture_device(&f, "nvme0n1p1"));
	ck_assert_ptr_null(fixture_device(&f, "nvme0n1p2"));
	ck_assert_ptr_null(fixture_device(&f, "loop0"));
	DEVICE_ABSENT(&f, "nvme0n1", "read_iops");
	fixture_put(&f, "proc/diskstats",
		    "259 0 nvme0n1 1200 60 82000 900 2100 20 168000 1500 3 "
		    "1700 2604 15 10 8192 12 40 25\n"
		    "259 1 nvme0n1p1 100 1 800 50 0 0 0 0 0 50 50 0 0 0 0 0 "
		    "0\n");
	fixture_put(&f, "sys/block/nvme0n1/inflight", "  2   1\n");
	fixture_sample(&f, 12);
	DEVICE_IS(&f, "nvme0n1", "read_iops", 100);
	DEVICE_IS(&f, "nvme0n1", "read_bytes_per_s", 512000);
	DEVICE_IS(&f, "nvme0n1", "read_merges_per_s", 25);
	DEVICE_IS(&f, "nvme0n1", "read_merge_pct", 20);
	DEVICE_IS(&f, "nvme0n1", "read_await_ns", 2e6);
	DEVICE_IS(&f, "nvme0n1", "read_size_bytes", 5120);
	DEVICE_IS(&f, "nvme0n1", "write_iops", 50);
	DEVICE_IS(&f, "nvme0n1", "write_await_ns", 5e6);
	DEVICE_IS(&f, "nvme0n1", "discard_iops", 5);
	DEVICE_IS(&f, "nvme0n1", "discard_await_ns", 1e6);
	DEVICE_IS(&f, "nvme0n1", "flush_iops", 5);
	DEVICE_IS(&f, "nvme0n1", "flush_await_ns", 1e6);
	DEVICE_IS(&f, "nvme0n1", "queue_size", 0.552);
	DEVICE_IS(&f, "nvme0n1", "util_pct", 50);
	DEVICE_IS(&f, "nvme0n1", "queue_depth", 3);
	DEVICE_IS(&f, "nvme0n1", "in_flight_read", 2);
	DEVICE_IS(&f, "nvme0n1", "in_flight_write", 1);
	DEVICE_IS(&f, "nvme0n1", "counted", 1);
	DEVICE_IS(&f, "nvme0n1p1", "counted", 0);
	DEVICE_IS(&f, "nvme0n1p1", "read_iops", 0);
	DEVICE_ABSENT(&f, "nvme0n1p1", "read_await_ns");
	parent_is(&f, "nvme0n1p1", "nvme0n1");
	ck_assert_uint_eq(fixture_device(&f, "nvme0n1")->key.generation, 9);
	fixture_free(&f);
}
END_TEST

START_TEST(sata)
{
	struct fixture f;

	fixture_make(&f, "sata");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	fixture_sample(&f, 2);
	ck_assert_uint_eq(fixture_device(&f, "sda")->columns, 15);
	DEVICE_IS(&f, "sda", "discard_iops", 0);
	DEVICE_ABSENT(&f, "sda", "flush_iops");
	DEVICE_IS(&f, "sda", "in_flight_write", 1);
	ck_assert_str_eq(fixture_device(&f, "sr0")->kind, "rom");
	ck_assert(!fixture_device(&f, "sr0")->counted);
	ck_assert_str_eq(fixture_device(&f, "sda1")->kind, "part");
	/* Nothing has completed since, with two in flight. */
	DEVICE_IS(&f, "sda", "queue_depth", 2);
	ck_assert_uint_gt(fixture_device(&f, "sda")->stall_ns, 0);
	fixture_free(&f);
}
END_TEST

/* 4294967290 -> 5 is a step of 11 ms; a counter that fell is a reset. */
START_TEST(wrap_and_reset)
{
	struct fixture f;
	enum schema_id about;

	fixture_make(&f, "old");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	ck_assert_uint_eq(fixture_device(&f, "hda")->columns, 11);
	ck_assert_ptr_null(fixture_device(&f, "hda2"));
	parent_is(&f, "hda1", "hda");
	fixture_put(&f, "proc/diskstats",
		    "3 0 hda 4294967295 0 140 5 50 0 400 100 0 204 5\n");
	fixture_sample(&f, 2);
	DEVICE_IS(&f, "hda", "read_iops", 5);
	DEVICE_IS(&f, "hda", "read_await_ns", 11e6 / 5);
	DEVICE_IS(&f, "hda", "queue_size", 0.011);
	DEVICE_IS(&f, "hda", "util_pct", 50);
	DEVICE_ABSENT(&f, "hda", "discard_iops");
	DEVICE_ABSENT(&f, "hda", "in_flight_read");
	ck_assert_ptr_null(fixture_device(&f, "hda1"));
	fixture_put(&f, "proc/diskstats", "3 0 hda 3 0 8 1 0 0 0 0 0 4 1\n");
	fixture_sample(&f, 3);
	DEVICE_ABSENT(&f, "hda", "read_iops");
	DEVICE_ABSENT(&f, "hda", "util_pct");
	DEVICE_ABSENT(&f, "hda", "queue_size");
	fixture_put(&f, "proc/diskstats", "3 0 hda 0 0 0 0 0 0 0 0 0 0 0\n");
	fixture_sample(&f, 4);
	ck_assert_ptr_nonnull(fixture_device(&f, "hda"));
	ck_assert_ptr_nonnull(collect_missing(f.collect, 0, &about));
	fixture_free(&f);
}
END_TEST

static unsigned events(const struct fixture *f, enum event_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < f->frame.n_events; i++)
		n += f->frame.event[i].kind == kind;
	return n;
}

/* Another disk under the same name starts anew; one that goes is gone. */
START_TEST(replaced)
{
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	fixture_put(&f, "sys/block/nvme0n1/diskseq", "10\n");
	fixture_put(&f, "proc/diskstats",
		    "259 0 nvme0n1 5000 0 90000 900 2100 20 168000 1500 0 "
		    "1700 2600 15 10 8192 12 40 25\n");
	fixture_sample(&f, 2);
	ck_assert_uint_eq(fixture_device(&f, "nvme0n1")->key.generation, 10);
	DEVICE_ABSENT(&f, "nvme0n1", "read_iops");
	ck_assert_uint_eq(events(&f, EVENT_DEVICE_REMOVED), 2);
	ck_assert_uint_eq(events(&f, EVENT_DEVICE_ADDED), 1);
	fixture_put(&f, "proc/diskstats", "%s", "");
	fixture_sample(&f, 3);
	ck_assert_ptr_null(fixture_device(&f, "nvme0n1"));
	fixture_remove(&f, "proc/diskstats");
	fixture_sample(&f, 4);
	fixture_put(&f, "proc/diskstats",
		    "259 0 nvme0n1 1 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
	fixture_sample(&f, 5);
	DEVICE_ABSENT(&f, "nvme0n1", "read_iops");
	ck_assert_uint_eq(events(&f, EVENT_DEVICE_ADDED), 1);
	fixture_free(&f);
}
END_TEST

START_TEST(stack)
{
	struct fixture f;

	fixture_make(&f, "stack");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	parent_is(&f, "sda1", "sda");
	parent_is(&f, "sda", "");
	parent_is(&f, "md0", "");
	parent_is(&f, "dm-0", "md0");
	parent_is(&f, "dm-1", "dm-0");
	parent_is(&f, "sdc", "md1");
	parent_is(&f, "sdd", "md1");
	parent_is(&f, "loop0", "dm-1");
	parent_is(&f, "cciss/c0d0p1", "cciss/c0d0");
	ck_assert_str_eq(fixture_device(&f, "md0")->members, "sda1 sdb1");
	ck_assert_str_eq(fixture_device(&f, "md0")->kind, "md");
	ck_assert_str_eq(fixture_device(&f, "dm-1")->kind, "dm");
	ck_assert_str_eq(fixture_device(&f, "loop0")->members, "dm-1");
	ck_assert_str_eq(fixture_device(&f, "zram0")->kind, "zram");
	/* sda sdb sdc sdd and cciss/c0d0: 10, 12, 14, 15 and 22 reads. */
	for (size_t i = 0; i < f.frame.table[SCHEMA_DEVICE].n; i++) {
		const char *id = f.frame.table[SCHEMA_DEVICE].row[i].id;
		bool disk = strlen(id) == 3 && id[0] == 's';

		ck_assert_int_eq(fixture_device(&f, id)->counted,
				 disk || !strcmp(id, "cciss/c0d0"));
	}
	/* A member that leaves is noticed in some ticks. */
	fixture_remove(&f, "sys/block/md1/slaves/sdd");
	for (int i = 2; i < 100; i++)
		fixture_sample(&f, i);
	ck_assert_str_eq(fixture_device(&f, "md1")->members, "sdc");
	parent_is(&f, "md1", "sdc");
	parent_is(&f, "sdd", "");
	fixture_free(&f);
}
END_TEST

/* Errors are new ones only, and forgotten a minute after the last. */
START_TEST(health)
{
	struct fixture f;

	fixture_make(&f, "stack");
	fixture_put(&f, "sys/block/sdc/device/ioerr_cnt", "0x10\n");
	fixture_put(&f, "sys/fs/ext4/sda1/errors_count", "3\n");
	fixture_put(&f, "sys/block/sdd/ro", "0\n");
	fixture_put(&f, "sys/block/md1/md/degraded", "0\n");
	fixture_open(&f, NULL);
	for (int i = 1; i < 5; i++)
		fixture_sample(&f, i);
	ck_assert_uint_eq(fixture_device(&f, "sdc")->errors, 0);
	ck_assert_uint_eq(fixture_device(&f, "md1")->missing_members, 0);
	ck_assert(!fixture_device(&f, "sdd")->turned_read_only);
	fixture_put(&f, "sys/block/sdc/device/ioerr_cnt", "0x12\n");
	fixture_put(&f, "sys/fs/ext4/sda1/errors_count", "4\n");
	fixture_put(&f, "sys/block/sdd/ro", "1\n");
	fixture_put(&f, "sys/block/md1/md/degraded", "1\n");
	for (int i = 5; i < 10; i++)
		fixture_sample(&f, i);
	ck_assert_uint_eq(fixture_device(&f, "sdc")->errors, 2);
	ck_assert_uint_eq(fixture_device(&f, "sda1")->errors, 1);
	ck_assert(fixture_device(&f, "sdd")->turned_read_only);
	ck_assert_uint_eq(fixture_device(&f, "md1")->missing_members, 1);
	/* A file system that is mounted now brings its old errors along. */
	fixture_put(&f, "sys/fs/ext4/sdc/errors_count", "7\n");
	for (int i = 10; i < 15; i++)
		fixture_sample(&f, i);
	ck_assert_uint_eq(fixture_device(&f, "sdc")->errors, 2);
	fixture_put(&f, "sys/fs/ext4/sdc/errors_count", "8\n");
	for (int i = 15; i < 20; i++)
		fixture_sample(&f, i);
	ck_assert_uint_eq(fixture_device(&f, "sdc")->errors, 3);
	fixture_free(&f);
}
END_TEST

static double heat_of(const struct fixture *f, const char *id, const char *key)
{
	return fixture_number(f, SCHEMA_DEVICE, id, key);
}

/* hwmon of a SCSI disk, of an NVMe and of an older kernel's NVMe. */
START_TEST(temperature)
{
	const struct collect_options all = { .all_devices = true };
	struct fixture f;

	fixture_make(&f, "stack");
	fixture_put(&f, "sys/block/sdc/device/hwmon/hwmon2/temp1_input",
		    "38500\n");
	fixture_put(&f, "sys/block/sdc/device/hwmon/hwmon2/temp1_max",
		    "60000\n");
	fixture_put(&f, "sys/block/sdc/device/hwmon/hwmon2/temp1_crit",
		    "65000\n");
	fixture_put(&f, "sys/block/sdd/device/hwmon/hwmon3/temp1_input",
		    "5000\n");
	/* What drivers give when they know none. */
	fixture_put(&f, "sys/block/sdd/device/hwmon/hwmon3/temp1_max",
		    "65261850\n");
	fixture_open(&f, NULL);
	for (int i = 1; i < 5; i++)
		fixture_sample(&f, i);
	ck_assert_double_eq(heat_of(&f, "sdc", "temperature_c"), 38.5);
	ck_assert_double_eq(heat_of(&f, "sdc", "temperature_max_c"), 60);
	ck_assert_double_eq(heat_of(&f, "sdc", "temperature_crit_c"), 65);
	ck_assert_double_eq(heat_of(&f, "sdd", "temperature_c"), 5);
	ck_assert_double_nan(heat_of(&f, "sdd", "temperature_max_c"));
	ck_assert_double_nan(heat_of(&f, "sdd", "temperature_crit_c"));
	ck_assert_double_nan(heat_of(&f, "sda", "temperature_c"));
	fixture_put(&f, "sys/block/sdc/device/hwmon/hwmon2/temp1_input",
		    "junk\n");
	for (int i = 5; i < 9; i++)
		fixture_sample(&f, i);
	ck_assert_double_nan(heat_of(&f, "sdc", "temperature_c"));
	fixture_free(&f);

	fixture_make(&f, "nvme");
	fixture_put(&f, "sys/block/nvme0n1/device/hwmon1/temp1_input",
		    "41850\n");
	fixture_put(&f, "sys/block/nvme0n1/device/hwmon1/temp1_crit",
		    "84850\n");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	fixture_sample(&f, 2);
	ck_assert_double_eq(heat_of(&f, "nvme0n1", "temperature_c"), 41.85);
	ck_assert_double_eq(heat_of(&f, "nvme0n1", "temperature_crit_c"),
			    84.85);
	fixture_remove(&f, "sys/block/nvme0n1/device/hwmon1");
	/* Before 5.12 it stands below the PCI device. */
	fixture_put(&f,
		    "sys/block/nvme0n1/device/device/hwmon/hwmon1/temp1_input",
		    "39000\n");
	for (int i = 3; i < 6; i++)
		fixture_sample(&f, i);
	ck_assert_double_eq(heat_of(&f, "nvme0n1", "temperature_c"), 39);
	fixture_free(&f);

	/* The head of two paths: a controller of its subsystem. */
	fixture_make(&f, "multipath");
	fixture_put(&f, "sys/block/nvme0n1/device/nvme1/hwmon4/temp1_input",
		    "50000\n");
	fixture_open(&f, &all);
	fixture_sample(&f, 1);
	fixture_sample(&f, 2);
	ck_assert_double_eq(heat_of(&f, "nvme0n1", "temperature_c"), 50);
	fixture_free(&f);
}
END_TEST

/* Whether the disk is asked at that time. */
static bool is_asked(struct device_set *set, struct device *d, double s)
{
	const uint64_t now_ns = (uint64_t)(s * 1e9);

	/* The answer before must have come. */
	for (int i = 0; i < 100 && d->asked_ns != now_ns; i++) {
		device_temperature(set, d, now_ns);
		usleep(1000);
	}
	return d->asked_ns == now_ns;
}

/* A disk is asked while it does I/O and as it cools, not while it is idle. */
START_TEST(temperature_of_idle_disk)
{
	struct kept_files files = { 0 };
	struct device_set set = { .files = &files };
	struct device *d;
	struct fixture f;

	fixture_make(&f, NULL);
	fixture_put(&f, "sys/block/sdz/device/hwmon/hwmon0/temp1_input",
		    "55000\n");
	f.root.live = true;
	files.root = &f.root;
	d = device_new(&set, "sdz", 3);
	strcpy(d->dir, "sys/block/sdz");
	strcpy(d->kind, "disk");
	d->heat = DEVICE_HEAT_NONE;
	d->completed = 7; /* before the program */
	ck_assert(is_asked(&set, d, 1));
	ck_assert(!is_asked(&set, d, 20));
	d->completed++;
	ck_assert(is_asked(&set, d, 40));
	ck_assert(!is_asked(&set, d, 45));
	ck_assert(is_asked(&set, d, 50));
	ck_assert(is_asked(&set, d, 339));
	ck_assert(!is_asked(&set, d, 350));
	d->completed++;
	ck_assert(is_asked(&set, d, 360));
	device_temperature_close(&set);
	device_drop(&set, d);
	fixture_free(&f);
}
END_TEST

/*
 * A disk that does not answer holds neither a sample nor the end of the
 * program: here a pipe without a writer is the disk.
 */
START_TEST(temperature_hangs)
{
	static const char folder[] = "sys/block/sdz/device/hwmon/hwmon0";
	struct kept_files files = { 0 };
	struct device_set set = { .files = &files };
	struct device *d;
	struct fixture f;
	char path[256];
	int fd;

	fixture_make(&f, NULL);
	fixture_put(&f, "sys/block/sdz/device/hwmon/hwmon0/temp1_max",
		    "70000\n");
	fixture_put(&f, "sys/block/sdz/device/hwmon/hwmon0/temp1_input",
		    "55000\n");
	snprintf(path, sizeof(path), "%s/%s/temp1_input", f.dir, folder);
	f.root.live = true;
	files.root = &f.root;
	d = device_new(&set, "sdz", 3);
	strcpy(d->dir, "sys/block/sdz");
	strcpy(d->kind, "disk");
	d->heat = DEVICE_HEAT_NONE;
	device_temperature(&set, d, 1);
	ck_assert_ptr_nonnull(set.thermometer);
	for (int i = 0; i < 1000 && isnan(d->heat.now_c); i++) {
		device_temperature(&set, d, 2);
		usleep(10000);
	}
	ck_assert_double_eq(d->heat.now_c, 55);
	ck_assert_double_eq(d->heat.max_c, 70);
	/* It did no I/O since: it is not asked. */
	device_temperature(&set, d, 20000000000);
	ck_assert_uint_eq(d->asked_ns, 1);
	d->completed = 1;
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	device_temperature(&set, d, 20000000000);
	ck_assert_uint_eq(d->asked_ns, 20000000000);
	ck_assert_double_eq(d->heat.now_c, 55);
	/* A reading that is too old is none. */
	device_temperature(&set, d, 400000000000);
	ck_assert_double_nan(d->heat.now_c);
	device_temperature_close(&set);
	ck_assert_ptr_null(set.thermometer);
	device_drop(&set, d);
	/* Let the thread go that was left behind, if it was reading. */
	fd = open(path, O_RDWR | O_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	fixture_remove(&f, "sys");
	ck_assert_int_eq(rmdir(f.dir), 0);
	root_close(&f.root);
}
END_TEST

static const char *mounted_on(const struct fixture *f, const char *id)
{
	return fixture_device(f, id)->mount_point;
}

/* Of several mounts the shortest; a remount that the device did not ask for. */
START_TEST(mounts)
{
	static const char line[] = "20 1 %s / %s rw - %s /dev/x %s\n";
	char text[512], *p = text;
	struct fixture f;

	fixture_make(&f, "stack");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	ck_assert_str_eq(mounted_on(&f, "dm-0"), "/");
	ck_assert_str_eq(mounted_on(&f, "dm-1"), "/var");
	ck_assert_str_eq(fixture_device(&f, "dm-1")->file_system, "ext4");
	ck_assert_str_eq(mounted_on(&f, "sda"), "");
	p += sprintf(p, line, "253:0", "/", "ext4", "rw");
	p += sprintf(p, line, "253:1", "/var/long", "xfs", "ro,errors=x");
	p += sprintf(p, line, "253:1", "/srv\\0331", "xfs", "ro,errors=x");
	fixture_put(&f, "proc/self/mountinfo", "%s", text);
	fixture_put(&f, "proc/swaps",
		    "Filename\tType\tSize\tUsed\tPriority\n"
		    "/dev/sda1\tpartition\t1000\t0\t-2\n");
	fixture_sample(&f, 2);
	ck_assert_str_eq(mounted_on(&f, "dm-1"), "/srv?1");
	ck_assert(fixture_device(&f, "dm-1")->turned_read_only);
	ck_assert(!fixture_device(&f, "dm-0")->turned_read_only);
	ck_assert_str_eq(mounted_on(&f, "sda1"), "[SWAP]");
	/* Mounted anew, it was never writable. */
	fixture_put(&f, "proc/self/mountinfo", line, "253:0", "/", "ext4",
		    "rw");
	fixture_sample(&f, 3);
	ck_assert_str_eq(mounted_on(&f, "dm-1"), "");
	fixture_put(&f, "proc/self/mountinfo", "%s", text);
	fixture_sample(&f, 4);
	ck_assert_str_eq(mounted_on(&f, "dm-1"), "/srv?1");
	ck_assert(!fixture_device(&f, "dm-1")->turned_read_only);
	fixture_free(&f);
}
END_TEST

/* The tree of cgroup v2: rates, parents, I/O through a stack once. */
START_TEST(cgroups)
{
	const struct collect_options options = { .cgroups = true };
	static const char io[] = "%srbytes=%d wbytes=%d rios=%d wios=0 "
				 "dbytes=0 dios=0\n";
	char text[8192], *p = text;
	const char *missing;
	enum schema_id about;
	struct fixture f;

	fixture_make(&f, "stack");
	fixture_put(&f, "sys/dev/block/253:0/slaves/sda", "\n");
	fixture_put(&f, "sys/fs/cgroup/cgroup.stat", "nr_descendants 2\n");
	fixture_put(&f, "sys/fs/cgroup/cgroup.controllers", "memory\n");
	fixture_put(&f, "sys/fs/cgroup/a.slice/b.service/memory.current",
		    "4096\n");
	fixture_put(&f, "sys/fs/cgroup/a.slice/cpu.stat",
		    "usage_usec 1000000\nuser_usec 1\n");
	fixture_put(&f, "sys/fs/cgroup/a.slice/b.service/io.stat", io, "8:0 ",
		    0, 0, 0);
	fixture_put(&f, "sys/fs/cgroup/a.slice/io.pressure",
		    "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
		    "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
	fixture_open(&f, &options);
	for (size_t i = 0; (missing = collect_missing(f.collect, i, &about)); i++)
		if (about == SCHEMA_CGROUP)
			break;
	ck_assert_str_eq(missing, "no I/O: cgroup v2 has no controller io; "
				  "see systemd.unified_cgroup_hierarchy=1");
	fixture_sample(&f, 1);
	/* A machine with many devices: more than a page of text. */
	for (int i = 2; i < 100; i++)
		p += sprintf(p, "7:%d rbytes=1 wbytes=0 rios=1 wios=0 dbytes=0 "
				"dios=0\n", i);
	ck_assert_int_gt(p - text, 4096);
	p += sprintf(p, io, "8:0 ", 10240, 2048, 5);
	/* The same bytes on the device above, and a loop device. */
	p += sprintf(p, io, "253:0 ", 10240, 2048, 5);
	sprintf(p, io, "7:1 ", 10240, 2048, 5);
	fixture_put(&f, "sys/fs/cgroup/a.slice/b.service/io.stat", "%s", text);
	fixture_put(&f, "sys/fs/cgroup/a.slice/cpu.stat",
		    "usage_usec 1500000\nuser_usec 1\n");
	fixture_put(&f, "sys/fs/cgroup/a.slice/io.pressure",
		    "some avg10=0.00 avg60=0.00 avg300=0.00 total=500005\n"
		    "full avg10=0.00 avg60=0.00 avg300=0.00 total=100001\n");
	fixture_sample(&f, 3);
	ck_assert_double_eq(fixture_number(&f, SCHEMA_CGROUP,
					   "a.slice/b.service",
					   "read_bytes_per_s"),
			    5120);
	ck_assert_double_eq(fixture_number(&f, SCHEMA_CGROUP,
					   "a.slice/b.service", "read_iops"),
			    2.5);
	ck_assert_double_eq(fixture_number(&f, SCHEMA_CGROUP,
					   "a.slice/b.service",
					   "memory_bytes"),
			    4096);
	ck_assert_str_eq(frame_text(&f.frame, SCHEMA_CGROUP,
				    "a.slice/b.service", "parent"),
			 "a.slice");
	ck_assert_double_eq(fixture_number(&f, SCHEMA_CGROUP, "a.slice",
					   "io_some_pct"),
			    25);
	ck_assert_double_eq(fixture_number(&f, SCHEMA_CGROUP, "a.slice",
					   "io_full_pct"),
			    5);
	ck_assert_double_eq(fixture_number(&f, SCHEMA_CGROUP, "a.slice",
					   "cpu_pct"),
			    25);
	ck_assert(isnan(fixture_number(&f, SCHEMA_CGROUP, "a.slice",
				       "memory_bytes")));
	fixture_free(&f);
}
END_TEST

static const char *fs_of(const struct fixture *f, const char *id)
{
	const char *name =
		frame_text(&f->frame, SCHEMA_DEVICE, id, "member_of");

	return name ? name : "";
}

/* No device stands for the file system; a label cannot do harm. */
START_TEST(btrfs)
{
	struct fixture f;

	fixture_make(&f, "btrfs");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	ck_assert_str_eq(fs_of(&f, "sda"), "btrfs:da?ta");
	ck_assert_str_eq(fs_of(&f, "sdb"), "btrfs:da?ta");
	ck_assert_str_eq(fs_of(&f, "sdc1"), "btrfs:7f00aa11");
	ck_assert_str_eq(fs_of(&f, "sdc"), "");
	ck_assert_str_eq(fs_of(&f, "loop0"), "");
	/* Of the several, mountinfo names one. */
	parent_is(&f, "loop0", "sda");
	parent_is(&f, "sdc1", "sdc");
	/* An unmount changes no device. */
	fixture_remove(&f, "sys/fs/btrfs/7f00aa11-2222-4333-8444-555566667777"
			   "/devices/sdc1/keep");
	fixture_remove(&f, "sys/fs/btrfs/7f00aa11-2222-4333-8444-555566667777"
			   "/devices/sdc1");
	for (int i = 2; i < 20; i++)
		fixture_sample(&f, i);
	ck_assert_str_eq(fs_of(&f, "sdc1"), "");
	ck_assert_str_eq(fs_of(&f, "sda"), "btrfs:da?ta");
	fixture_free(&f);
}
END_TEST

START_TEST(multipath)
{
	struct fixture f;

	fixture_make(&f, "multipath");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	ck_assert_str_eq(fixture_device(&f, "nvme0c0n1")->kind, "nvme-path");
	ck_assert(fixture_device(&f, "nvme0c0n1")->counted);
	ck_assert(fixture_device(&f, "nvme0c1n1")->counted);
	/* The head does statistics after all: only it counts. */
	fixture_put(&f, "proc/diskstats",
		    "259 0 nvme0n1 9 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n"
		    "0 0 nvme0c0n1 109 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
	fixture_sample(&f, 2);
	parent_is(&f, "nvme0c0n1", "nvme0n1");
	ck_assert(fixture_device(&f, "nvme0n1")->counted);
	ck_assert(!fixture_device(&f, "nvme0c0n1")->counted);
	ck_assert_str_eq(fixture_device(&f, "nvme0n1")->members, "nvme0c0n1");
	fixture_free(&f);
}
END_TEST

static size_t rows(const struct fixture *f)
{
	return f->frame.table[SCHEMA_DEVICE].n;
}

START_TEST(selection)
{
	char *names[] = { (char *)"/dev/dm-0" };
	struct collect_options o = { .device = names, .n_devices = 1 };
	struct collect *c;
	struct fixture f;

	fixture_make(&f, "stack");
	fixture_open(&f, &o);
	fixture_sample(&f, 1);
	/* What it is built on, and what is built on it. */
	ck_assert_uint_eq(rows(&f), 6);
	ck_assert_ptr_nonnull(fixture_device(&f, "dm-1"));
	ck_assert_ptr_nonnull(fixture_device(&f, "loop0"));
	ck_assert_ptr_nonnull(fixture_device(&f, "md0"));
	ck_assert_ptr_nonnull(fixture_device(&f, "sda1"));
	/* No whole disk is shown: the partitions are the lowest. */
	ck_assert(fixture_device(&f, "sda1")->counted);
	ck_assert(!fixture_device(&f, "dm-0")->counted);
	names[0] = (char *)"sdx";
	ck_assert_int_eq(collect_open(&c, &f.root, &o), -ENODEV);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "sdx"));
	ck_assert_ptr_null(c);
	fixture_free(&f);
	fixture_make(&f, "nvme");
	o = (struct collect_options){ .all_devices = true, .no_tasks = true };
	fixture_open(&f, &o);
	fixture_sample(&f, 1);
	ck_assert_uint_eq(rows(&f), 4);
	ck_assert_uint_eq(f.frame.table[SCHEMA_TASK].n, 0);
	fixture_free(&f);
}
END_TEST

/* Counters that stand still because they are off are no stall. */
START_TEST(stats_off)
{
	struct fixture f;

	fixture_make(&f, "sata");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	fixture_put(&f, "proc/diskstats",
		    "8 0 sda 101 0 800 1000 200 0 1600 2000 2 900 3000 0 0 0 "
		    "0\n");
	fixture_sample(&f, 2);
	fixture_put(&f, "sys/block/sda/queue/iostats", "0\n");
	fixture_sample(&f, 3);
	ck_assert(fixture_device(&f, "sda")->stats_off);
	ck_assert_uint_eq(fixture_device(&f, "sda")->stall_ns, 0);
	DEVICE_ABSENT(&f, "sda", "read_iops");
	fixture_free(&f);
	/* A zram counts whatever it says there. */
	fixture_make(&f, "stack");
	fixture_put(&f, "sys/block/zram0/queue/iostats", "0\n");
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	fixture_sample(&f, 2);
	DEVICE_IS(&f, "zram0", "read_iops", 0);
	fixture_free(&f);
}
END_TEST

START_TEST(broken)
{
	struct fixture f;

	fixture_make(&f, "broken");
	fixture_open(&f, NULL);
	for (int i = 0; i < 6; i++)
		fixture_sample(&f, i);
	/* sda once, the long name cut, and sdc. */
	ck_assert_uint_eq(rows(&f), 3);
	ck_assert_uint_eq(fixture_device(&f, "sda")->ios[DEVICE_READ], 1);
	ck_assert_uint_eq(fixture_device(&f, "sdc")->queue_depth, 0);
	ck_assert(!*fixture_device(&f, "sda")->parent ||
		  !*fixture_device(&f, "sdc")->parent);
	ck_assert_uint_eq(f.frame.table[SCHEMA_TASK].n, 0);
	ck_assert_uint_eq(f.frame.table[SCHEMA_PRESSURE].n, 0);
	fixture_free(&f);
}
END_TEST

/* Two reads of an NFS mount: 40 reads of 100 ms, then a server that is silent. */
static void put_mounts(struct fixture *f, unsigned step, unsigned received)
{
	fixture_put(f, "proc/self/mountstats",
		    "device rootfs mounted on / with fstype ext4\n"
		    "device srv:/ex\\040port mounted on /mnt/a\\040b with fstype "
		    "nfs4 statvers=1.1\n"
		    "\topts:\trw,vers=4.2\n\tage:\t12\n"
		    "\tbytes:\t1 2 3 4 %u %u 7 8\n"
		    "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
		    "\txprt:\ttcp 768 0 2 0 10 %u %u 0 155 0 2 0 0\n"
		    "\txprt:\ttcp 769 0 2 0 10 10 10 0 155 0 2 0 0\n"
		    "\tper-op statistics\n"
		    "\t        NULL: 1 1 0 44 24 0 0 0 0\n"
		    "\t        READ: %u %u %u 1800 41000 0 %u %u 0\n"
		    "\t       WRITE: x\n"
		    "\t     GETATTR: %u %u 0 44 24 0 0 0 0\n\n"
		    "device auto mounted on /auto with fstype autofs\n",
		    step * 40960, 0, 100 + step * 40, received, step * 40,
		    step * 40 + step * 4, step * 2, step * 3000, step * 4000,
		    step * 6, step * 6);
}

#define MOUNT_IS(key, expected)                                     \
	ck_assert_double_eq(fixture_number(&f, SCHEMA_MOUNT, "/mnt/a b", key), \
			    expected)

START_TEST(nfs_mounts)
{
	struct fixture f;

	fixture_make(&f, "nvme");
	put_mounts(&f, 0, 100);
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	put_mounts(&f, 1, 140);
	fixture_sample(&f, 3);
	ck_assert_uint_eq(f.frame.table[SCHEMA_MOUNT].n, 1);
	MOUNT_IS("read_iops", 20);
	MOUNT_IS("other_iops", 3);
	MOUNT_IS("write_iops", 0);
	MOUNT_IS("read_bytes_per_s", 20480);
	MOUNT_IS("read_await_ns", 100e6);
	MOUNT_IS("rtt_ns", 3000e6 / 46);
	MOUNT_IS("retransmits_per_s", 2);
	MOUNT_IS("timeouts_per_s", 1);
	MOUNT_IS("in_flight", 0);
	MOUNT_IS("stall_ns", 0);
	ck_assert_str_eq(frame_text(&f.frame, SCHEMA_MOUNT, "/mnt/a b",
				    "source"),
			 "srv:/ex port");
	put_mounts(&f, 2, 140);
	fixture_sample(&f, 4);
	MOUNT_IS("in_flight", 40);
	fixture_sample(&f, 9);
	ck_assert_double_gt(fixture_number(&f, SCHEMA_MOUNT, "/mnt/a b",
					   "stall_ns"),
			    0);
	fixture_free(&f);
}
END_TEST

START_TEST(nothing_at_all)
{
	struct fixture f;
	enum schema_id about;

	fixture_make(&f, NULL);
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	fixture_sample(&f, 2);
	ck_assert_uint_eq(rows(&f), 0);
	ck_assert_ptr_nonnull(collect_missing(f.collect, 2, &about));
	ck_assert_ptr_null(collect_missing(f.collect, 50, &about));
	fixture_free(&f);
}
END_TEST

static void put_many(struct fixture *f, unsigned from, unsigned to)
{
	char path[128];
	FILE *out;

	fixture_put(f, "proc/diskstats", "%s", "");
	snprintf(path, sizeof(path), "%s/proc/diskstats", f->dir);
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	for (unsigned i = from; i < to; i++)
		fprintf(out, "8 %u sd%u 1 2 3 4 5 6 7 8 9 10 11\n", i * 16,
			i * 10 + 1000001);
	fclose(out);
}

START_TEST(three_thousand)
{
	struct fixture f;

	fixture_make(&f, NULL);
	put_many(&f, 0, 3000);
	fixture_open(&f, NULL);
	fixture_sample(&f, 1);
	ck_assert_uint_eq(rows(&f), 3000);
	put_many(&f, 100, 3100);
	fixture_sample(&f, 2);
	ck_assert_uint_eq(rows(&f), 3000);
	ck_assert_uint_eq(events(&f, EVENT_DEVICE_REMOVED), 100);
	ck_assert_uint_eq(events(&f, EVENT_DEVICE_ADDED), 100);
	fixture_free(&f);
}
END_TEST

/* The memory of a trace on one processor. */
static struct trace trace_memory(void)
{
	struct trace t = {
		.socket = -1, .n_cpus = 1, .devices = 4, .bios = true
	};

	t.memory[TRACE_MAP_CONTROL] = xcalloc(1, sizeof(struct trace_control));
	t.memory[TRACE_MAP_COUNTS] =
		xcalloc(t.devices * TRACE_OPS, sizeof(struct trace_counts));
	t.memory[TRACE_MAP_SLOWEST] =
		xcalloc(2 * t.devices, sizeof(struct trace_slowest));
	t.memory[TRACE_MAP_OWNERS] =
		xcalloc(TRACE_OWNERS, sizeof(struct trace_owner));
	return t;
}

static void trace_memory_free(struct trace *t)
{
	for (int i = 0; i < TRACE_MAPS; i++)
		free(t->memory[i]);
}

/*
 * What completed between the read of diskstats and the row of the device is not
 * missed, also under a load that goes on; and a device that gets the row of
 * another one has none of its requests.
 */
START_TEST(trace_missed)
{
	static const struct {
		unsigned kernel, ours;
	} step[] = { { 1200, 0 }, { 1236, 30 }, { 1266, 60 }, { 1296, 90 },
		     { 1316, 90 }, { 1317, 90 } };
	struct trace t = trace_memory();
	struct trace_counts *counts = t.memory[TRACE_MAP_COUNTS];
	const struct collect_options options = { .trace = &t };
	struct fixture f;

	fixture_make(&f, "nvme");
	for (unsigned i = 0; i < ARRAY_SIZE(step); i++) {
		counts[TRACE_READ].ios = step[i].ours;
		fixture_put(&f, "proc/diskstats",
			    "259 0 nvme0n1 %u 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			    step[i].kernel);
		fixture_put(&f, "sys/block/nvme0n1/stat",
			    "%u 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", 1226);
		if (i == 0)
			fixture_open(&f, &options);
		fixture_sample(&f, 10 + i);
		ck_assert_double_eq(
			fixture_device(&f, "nvme0n1")->trace->missed,
			i == 5 ? 1 : 0);
	}
	fixture_put(&f, "proc/diskstats", "\n");
	fixture_sample(&f, 19);
	fixture_put(&f, "proc/diskstats",
		    "8 0 sda 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	fixture_sample(&f, 20);
	fixture_sample(&f, 21);
	ck_assert_uint_eq(fixture_device(&f, "sda")->trace->op[TRACE_READ]->ios,
			  90);
	counts[TRACE_READ].ios++;
	fixture_sample(&f, 22);
	ck_assert_double_nan(fixture_device(&f, "sda")->trace->missed);
	fixture_put(&f, "sys/block/sda/stat",
		    "7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	fixture_sample(&f, 23);
	ck_assert_double_eq(fixture_device(&f, "sda")->trace->missed, 0);
	/* Of a device without requests the kernel counts first. */
	for (unsigned i = 0; i < 4; i++) {
		fixture_put(&f, "proc/diskstats",
			    "8 0 sda %u 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			    8 + i / 2);
		counts[TRACE_READ].ios += i == 1;
		fixture_sample(&f, 24 + i);
		ck_assert_double_eq(fixture_device(&f, "sda")->trace->missed,
				    i == 3);
	}
	fixture_free(&f);
	trace_memory_free(&t);
}
END_TEST

/* Above a rate the programs name nobody, unless that was asked for. */
START_TEST(trace_level)
{
	struct trace t = trace_memory();
	struct trace_control *control = t.memory[TRACE_MAP_CONTROL];
	struct trace_counts *counts = t.memory[TRACE_MAP_COUNTS];
	const struct collect_options options = { .trace = &t };
	enum schema_id about;
	struct fixture f;

	fixture_make(&f, "nvme");
	/* It has no size, so the first row is that of the next device. */
	fixture_put(&f, "sys/block/loop0/size", "0\n");
	fixture_put(&f, "proc/diskstats",
		    "7 0 loop0 1 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n"
		    "259 0 nvme0n1 1200 60 82000 900 2100 20 168000 1500 3 "
		    "1700 2604 15 10 8192 12 40 25\n");
	fixture_open(&f, &options);
	for (int pinned = 0; pinned < 2; pinned++) {
		t.pinned = pinned;
		fixture_sample(&f, 10 + pinned * 10);
		ck_assert_uint_eq(control->level, TRACE_LEVEL_NAMES);
		ck_assert_ptr_null(fixture_device(&f, "loop0")->trace);
		ck_assert_ptr_nonnull(fixture_device(&f, "nvme0n1")->trace);
		counts[TRACE_READ].ios += UINT64_C(1000000000);
		fixture_sample(&f, 11 + pinned * 10);
		ck_assert_uint_eq(control->level,
				  pinned ? TRACE_LEVEL_NAMES : TRACE_LEVEL_TIMES);
		fixture_sample(&f, 12 + pinned * 10);
		ck_assert_uint_eq(control->level, TRACE_LEVEL_NAMES);
		for (size_t i = 0; collect_missing(f.collect, i, &about); i++)
			ck_assert_ptr_null(strstr(
				collect_missing(f.collect, i, &about),
				"200 000"));
	}
	fixture_free(&f);
	trace_memory_free(&t);
}
END_TEST

/* The 16 slowest of each interval; of an idle device 2 (and one call), unless a screen
 * shows them or the trace was asked for; none of a device that had the row before. */
START_TEST(trace_slowest)
{
	static const struct {
		unsigned weighted_ms; /* of the interval */
		bool watched, pinned;
		unsigned others, rows;
	} form[] = {
		{ 0, false, false, 0, 2 },
		{ 1000000, false, false, 0, 16 },
		{ 0, true, false, 0, 16 },
		{ 0, false, true, 0, 16 },
		{ 0, true, false, 1, 15 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(form); i++) {
		struct trace t = trace_memory();
		struct trace_control *control = t.memory[TRACE_MAP_CONTROL];
		struct trace_slowest *slowest = t.memory[TRACE_MAP_SLOWEST];
		const struct collect_options options = {
			.trace = &t, .watched = form[i].watched
		};
		struct fixture f;

		t.pinned = form[i].pinned;
		fixture_make(&f, "nvme");
		for (unsigned k = 0; k < 2; k++) {
			fixture_put(&f, "proc/diskstats",
				    "259 0 nvme0n1 9 0 8 1 0 0 0 0 0 1 %u 0 0 0 0 0 0\n",
				    k * form[i].weighted_ms);
			if (k == 0)
				fixture_open(&f, &options);
			slowest->half[control->epoch & 1].epoch = control->epoch;
			slowest->half[control->epoch & 1].n = TRACE_SLOWEST;
			for (unsigned j = 0; j < TRACE_SLOWEST; j++)
				slowest->half[control->epoch & 1].slow[j] =
					(struct trace_slow){
						.dev = (259u << 20) +
						       (j < form[i].others),
						.sequence = trace_slow_sequence(
							control->epoch),
					};
			fixture_sample(&f, 10 + k);
		}
		ck_assert_uint_eq(f.frame.table[SCHEMA_SLOW].n, form[i].rows);
		fixture_free(&f);
		trace_memory_free(&t);
	}
}
END_TEST

static double lost_rows(const struct fixture *f)
{
	const struct table *t = &f->frame.table[SCHEMA_SLOW];
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += frame_or_0(row_number(SCHEMA_SLOW, &t->row[i], "lost"));
	return sum;
}

/* A row that a program writes just now, or that is of another interval, is no row; it
 * is counted. In a ring it may be written by the next time. */
START_TEST(trace_half_written)
{
	struct trace t = trace_memory();
	const struct trace_control *control = t.memory[TRACE_MAP_CONTROL];
	struct trace_slowest *slowest = t.memory[TRACE_MAP_SLOWEST];
	struct trace_ring *ring = xcalloc(1, sizeof(*ring));
	const struct collect_options options = { .trace = &t, .watched = true };
	struct trace_slowest_half *h;
	struct fixture f;

	t.memory[TRACE_MAP_RING] = ring;
	fixture_make(&f, "nvme");
	fixture_open(&f, &options);
	fixture_sample(&f, 1);
	h = &slowest->half[control->epoch & 1];
	h->epoch = control->epoch;
	h->n = 3;
	for (unsigned i = 0; i < h->n; i++)
		h->slow[i] = (struct trace_slow){ .dev = 259u << 20, .whole_ns = i };
	h->slow[0].sequence = trace_slow_sequence(h->epoch);
	h->slow[1].sequence = trace_slow_sequence(h->epoch - 2);
	h->slow[2].sequence = 1234;
	fixture_sample(&f, 2);
	ck_assert_uint_eq(f.frame.table[SCHEMA_SLOW].n, 1);
	ck_assert_double_eq(lost_rows(&f), 2);
	/* A call has no size, and what is in the cache of a device no inode. */
	ck_assert_double_eq(row_number(SCHEMA_SLOW, f.frame.table[SCHEMA_SLOW].row,
				       "size_bytes"), 0);
	t.slower_ns = 1;
	for (unsigned i = 0; i < 5; i++)
		ring->slow[i] = (struct trace_slow){
			.dev = 259u << 20,
			.opf = TRACE_OPF_FSYNC,
			.flags = TRACE_FILE,
			.inode = 259u << 20,
			.sequence = trace_slow_sequence(i),
		};
	ring->head = 5;
	ring->slow[1].sequence = ring->slow[3].sequence = 0;
	fixture_sample(&f, 3);
	ck_assert_uint_eq(f.frame.table[SCHEMA_SLOW].n, 1);
	ck_assert_double_eq(lost_rows(&f), 0);
	ck_assert_double_nan(row_number(SCHEMA_SLOW, f.frame.table[SCHEMA_SLOW].row,
					"size_bytes"));
	ck_assert_double_nan(row_number(SCHEMA_SLOW, f.frame.table[SCHEMA_SLOW].row,
					"inode"));
	ring->slow[1].sequence = trace_slow_sequence(1);
	fixture_sample(&f, 4);
	ck_assert_uint_eq(f.frame.table[SCHEMA_SLOW].n, 2);
	ck_assert_double_eq(lost_rows(&f), 0);
	fixture_sample(&f, 5);
	ck_assert_uint_eq(f.frame.table[SCHEMA_SLOW].n, 1);
	ck_assert_double_eq(lost_rows(&f), 1);
	/* Before the look the ring went round: what is left of it is whole. So many
	 * are too many for the time. */
	for (unsigned i = 0; i < TRACE_RING; i++)
		ring->slow[i].dev = 259u << 20;
	ring->head = 5 + TRACE_RING + 2;
	for (uint64_t i = ring->head - TRACE_RING; i < ring->head; i++)
		ring->slow[i % TRACE_RING].sequence = trace_slow_sequence(i);
	fixture_sample(&f, 6);
	ck_assert_uint_eq(f.frame.table[SCHEMA_SLOW].n, 100);
	ck_assert_double_eq(lost_rows(&f), 10 + TRACE_RING - 8 - 100);
	fixture_free(&f);
	trace_memory_free(&t);
}
END_TEST

/* A file has the name of now, also when its inode's number was another file's. */
START_TEST(trace_file_names)
{
	static const struct {
		const char *path, *name, *file;
	} step[] = {
		{ "one", "one", "/one" },
		{ "two", "two", "two" },
		{ NULL, "three", "three" },
		{ NULL, "", NULL },
	};
	struct trace t = trace_memory();
	struct trace_control *control = t.memory[TRACE_MAP_CONTROL];
	struct trace_slowest *slowest = t.memory[TRACE_MAP_SLOWEST];
	const struct collect_options options = { .trace = &t };
	char dir[] = "/tmp/check-collect-XXXXXX", path[64], last[64];
	struct fixture f;
	struct stat st;
	int fd;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(last, sizeof(last), "%s/one", dir);
	fd = open(last, O_CREAT | O_RDWR, 0600);
	ck_assert_int_eq(fstat(fd, &st), 0);
	fixture_make(&f, "nvme");
	fixture_open(&f, &options);
	fixture_sample(&f, 9);
	for (unsigned i = 0; i < ARRAY_SIZE(step); i++) {
		struct trace_slowest_half *h = &slowest->half[control->epoch & 1];
		const char *file;

		if (step[i].path) {
			snprintf(path, sizeof(path), "%s/%s", dir, step[i].path);
			ck_assert_int_eq(rename(last, path), 0);
			text_set(last, path);
		} else if (fd >= 0) {
			close(fd);
			fd = -1;
		}
		h->epoch = control->epoch;
		h->n = 1;
		h->slow[0] = (struct trace_slow){
			.whole_ns = 1000,
			.dev = 259u << 20,
			.flags = TRACE_FILE,
			.inode = st.st_ino,
			.file_dev = major(st.st_dev) << 20 | minor(st.st_dev),
			.pid = (uint32_t)getpid(),
			.sequence = trace_slow_sequence(h->epoch),
		};
		text_set(h->slow[0].name, step[i].name);
		fixture_sample(&f, 10 + i);
		ck_assert_uint_eq(f.frame.table[SCHEMA_SLOW].n, 1);
		file = row_text(SCHEMA_SLOW, f.frame.table[SCHEMA_SLOW].row,
				"file");
		/* One file is looked for once a second: the path may lack. */
		ck_assert_msg(step[i].file ?
				      file && text_ends(file, step[i].file) :
				      !file,
			      "%u: %s", i, file);
	}
	unlink(last);
	rmdir(dir);
	fixture_free(&f);
	trace_memory_free(&t);
}
END_TEST

/* The programs' number of a process is not that of one in a container. */
START_TEST(trace_other_pids)
{
	for (int other = 0; other < 2; other++) {
		struct trace t = trace_memory();
		struct trace_control *control = t.memory[TRACE_MAP_CONTROL];
		struct trace_slowest *slowest = t.memory[TRACE_MAP_SLOWEST];
		struct trace_owner *owners = t.memory[TRACE_MAP_OWNERS];
		const struct collect_options options = { .trace = &t };
		const struct table *slow;
		struct fixture f;

		t.other_pids = other;
		fixture_make(&f, NULL);
		fixture_put(&f, "sys/block/nvme0n1/mq/0/cpu_list", "0\n");
		fixture_put(&f, "proc/diskstats",
			    "259 0 nvme0n1 9 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
		fixture_put(&f, "proc/7/stat",
			    "7 (db) R 1 7 7 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5 0 0\n");
		fixture_open(&f, &options);
		fixture_sample(&f, 1);
		control->owner[trace_owner_set(7)] = 7;
		owners[trace_owner_set(7)].changes = 1;
		slowest->half[control->epoch & 1].epoch = control->epoch;
		slowest->half[control->epoch & 1].n = 1;
		slowest->half[control->epoch & 1].slow[0] = (struct trace_slow){
			.pid = 7,
			.dev = 259u << 20,
			.sequence = trace_slow_sequence(control->epoch),
		};
		fixture_sample(&f, 9);
		ck_assert_ptr_nonnull(fixture_task(&f, "7"));
		ck_assert((fixture_task(&f, "7")->trace.now == NULL) == other);
		slow = &f.frame.table[SCHEMA_SLOW];
		ck_assert_uint_eq(slow->n, 1);
		ck_assert(isnan(row_number(SCHEMA_SLOW, slow->row, "pid")) == other);
		fixture_free(&f);
		trace_memory_free(&t);
	}
}
END_TEST

/* The place that the programs find for a number; NULL: none. */
static const struct trace_device *
trace_entry(const struct trace_control *control, uint32_t dev)
{
	for (unsigned i = 0; i < TRACE_PROBES; i++) {
		const struct trace_device *d =
			&control->device[(trace_device_place(dev) + i) &
					 (TRACE_PLACES - 1)];

		if (d->dev == dev)
			return d;
	}
	return NULL;
}

static bool says(const struct fixture *f, const char *part)
{
	enum schema_id about;
	const char *words;

	for (size_t i = 0; (words = collect_missing(f->collect, i, &about)); i++)
		if (strstr(words, part))
			return true;
	return false;
}

/* The first device without requests comes after the programs were chosen: it has no
 * times, and none of its bios are missed. */
START_TEST(trace_late_bios)
{
	for (int bios = 0; bios < 2; bios++) {
		struct trace t = trace_memory();
		const struct collect_options options = { .trace = &t };
		const char *line = "252 0 dm-0 %u 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
		struct fixture f;

		t.bios = bios;
		fixture_make(&f, "nvme");
		fixture_open(&f, &options);
		fixture_put(&f, "sys/block/dm-0/size", "8\n");
		fixture_put(&f, "proc/diskstats", line, 1);
		fixture_sample(&f, 1);
		ck_assert(!fixture_device(&f, "dm-0")->trace == !bios);
		ck_assert((frame_text(&f.frame, SCHEMA_DEVICE, "dm-0", "trace_lack") != NULL) ==
			  bios);
		ck_assert(says(&f, "dm, md and zram") == !bios);
		fixture_put(&f, "proc/diskstats", "\n");
		fixture_sample(&f, 2);
		ck_assert(!says(&f, "dm, md and zram"));
		fixture_free(&f);
		trace_memory_free(&t);
	}
}
END_TEST

/* One I/O more of each device that has one. */
static void trace_room_sample(struct fixture *f, const char *busy)
{
	static unsigned n[5];
	static double at;
	char *lines = xstrdup("");

	for (unsigned i = 0; i < ARRAY_SIZE(n); i++) {
		char *more;

		n[i] += !at || strchr(busy, 'a' + (int)i);
		more = xasprintf("%s8 %u sd%c %u 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
				 lines, i * 16, 'a' + i, n[i]);
		free(lines);
		lines = more;
	}
	fixture_put(f, "proc/diskstats", "%s", lines);
	free(lines);
	fixture_sample(f, ++at);
}

/* The devices that have no times, one letter each. */
static const char *trace_room_lacks(struct fixture *f)
{
	static char none[6];
	size_t n = 0;

	for (char c = 'a'; c <= 'e'; c++) {
		char name[] = { 's', 'd', c, '\0' };

		if (!fixture_device(f, name)->trace)
			none[n++] = c;
	}
	none[n] = '\0';
	return none;
}

/*
 * More devices than rows: one that is busy gets the row of one that is idle, one of
 * a job that of any other. A busy one that has no times is said.
 */
START_TEST(trace_room)
{
	static const struct {
		const char *busy, *job, *lacks;
		bool says;
	} step[] = {
		{ "", "", "e", false },
		{ "e", "", "a", false },
		/* Busy a moment ago is not idle. */
		{ "abcd", "", "a", true },
		{ "bcd", "", "a", false },
		{ "bcd", "", "a", false },
		{ "bcd", "", "a", false },
		{ "a", "", "e", false },
		{ "abcd", "sda sde", "b", false },
		{ "bcd", "sda sde", "b", true },
	};
	struct trace t = trace_memory();
	const struct collect_options options = { .trace = &t };
	struct fixture f;

	fixture_make(&f, NULL);
	fixture_open(&f, &options);
	for (size_t i = 0; i < ARRAY_SIZE(step); i++) {
		struct sample jobs = { 0 };
		struct job_raw *job;

		sample_reset(&jobs);
		job = sample_add(&jobs, SCHEMA_JOB);
		text_set(job->device, step[i].job);
		collect_jobs(f.collect, &jobs);
		sample_free(&jobs);
		trace_room_sample(&f, step[i].busy);
		ck_assert_str_eq(trace_room_lacks(&f), step[i].lacks);
		ck_assert(says(&f, "more devices than") == step[i].says);
	}
	fixture_put(&f, "proc/diskstats", "8 0 sda 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	fixture_sample(&f, 99);
	ck_assert(!says(&f, "more devices than"));
	fixture_free(&f);
	trace_memory_free(&t);
}
END_TEST

/* An NVMe disk with paths has no times and none are missed; its path has no number, and
 * takes no place of another device. */
START_TEST(trace_nvme_paths)
{
	struct trace t = trace_memory();
	const struct trace_control *control = t.memory[TRACE_MAP_CONTROL];
	const struct collect_options options = { .trace = &t };
	struct fixture f;

	fixture_make(&f, "multipath");
	fixture_open(&f, &options);
	/* The device whose place is the first of the table: that of free rows. */
	fixture_put(&f, "proc/diskstats",
		    "0 0 nvme0c0n1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		    "259 0 nvme0n1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		    "0 89 sda 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	ck_assert_uint_eq(trace_device_place(89), 0);
	for (unsigned i = 0; i < 3; i++) {
		fixture_sample(&f, 1 + i);
		ck_assert_ptr_null(fixture_device(&f, "nvme0n1")->trace);
		ck_assert(says(&f, "NVMe disks with paths"));
		ck_assert_ptr_nonnull(trace_entry(control, 89));
	}
	fixture_free(&f);
	trace_memory_free(&t);
}
END_TEST

/* The programs find the disk of a Btrfs, however many mounts there are. */
START_TEST(trace_mounts)
{
	struct trace t = trace_memory();
	const struct trace_control *control = t.memory[TRACE_MAP_CONTROL];
	const struct collect_options options = { .trace = &t };
	const struct trace_device *disk, *mounted;
	char *lines = xstrdup("");
	struct fixture f;

	fixture_make(&f, "nvme");
	fixture_put(&f, "sys/class/block/nvme0n1/dev", "259:0\n");
	fixture_put(&f, "sys/dev/block/259:0/dev", "259:0\n");
	for (int i = 0; i < 400; i++) {
		char *more = xasprintf("%s%d 1 0:%d / /m%d rw - tmpfs none rw\n",
				       lines, 100 + i, 1000 + i, i);

		free(lines);
		lines = more;
	}
	fixture_put(&f, "proc/self/mountinfo",
		    "%s900 1 0:45 / /data rw - btrfs /dev/nvme0n1 rw\n", lines);
	fixture_open(&f, &options);
	fixture_sample(&f, 1);
	disk = trace_entry(control, 259u << 20);
	mounted = trace_entry(control, 45);
	ck_assert_ptr_nonnull(disk);
	ck_assert_ptr_nonnull(mounted);
	ck_assert_uint_eq(mounted->flags, TRACE_MOUNTED);
	ck_assert_ptr_eq(&control->device[mounted->row], disk);
	ck_assert_ptr_null(trace_entry(control, 1000));
	ck_assert(says(&f, "but those of ext4"));
	t.calls = true;
	fixture_put(&f, "proc/self/mountinfo", "%s", lines);
	for (int i = 2; i < 40; i++)
		fixture_sample(&f, i);
	ck_assert_ptr_null(trace_entry(control, 45));
	ck_assert(!says(&f, "but those of ext4"));
	fixture_free(&f);
	trace_memory_free(&t);
	free(lines);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("devices");

	tcase_add_test(t, nvme);
	tcase_add_test(t, sata);
	tcase_add_test(t, wrap_and_reset);
	tcase_add_test(t, replaced);
	tcase_add_test(t, stack);
	tcase_add_test(t, health);
	tcase_add_test(t, temperature);
	tcase_add_test(t, temperature_of_idle_disk);
	tcase_add_test(t, temperature_hangs);
	tcase_add_test(t, mounts);
	tcase_add_test(t, cgroups);
	tcase_add_test(t, btrfs);
	tcase_add_test(t, multipath);
	tcase_add_test(t, selection);
	tcase_add_test(t, stats_off);
	tcase_add_test(t, broken);
	tcase_add_test(t, nfs_mounts);
	tcase_add_test(t, nothing_at_all);
	tcase_add_test(t, three_thousand);
	tcase_add_test(t, trace_level);
	tcase_add_test(t, trace_slowest);
	tcase_add_test(t, trace_half_written);
	tcase_add_test(t, trace_file_names);
	tcase_add_test(t, trace_late_bios);
	tcase_add_test(t, trace_room);
	tcase_add_test(t, trace_nvme_paths);
	tcase_add_test(t, trace_other_pids);
	tcase_add_test(t, trace_missed);
	tcase_add_test(t, trace_mounts);
	suite_add_tcase(suite, t);
}
