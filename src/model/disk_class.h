/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk class: what kind of disk a latency belongs to, so that a figure can be
 * called good or bad. The bounds are those of single I/Os on an idle disk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What one I/O at a time shows: the median of these is compared. */
enum disk_class_io {
	DISK_CLASS_READ, /* of 4 KiB at random, not from a cache */
	DISK_CLASS_SYNC, /* a small write and fsync(2), or a durable write */
	DISK_CLASS_IOS
};

struct disk_class {
	const char *name;  /* "disk7200" */
	const char *words; /* "a disk of 7200/min" */
	struct {
		double least_ns, most_ns;
	} io[DISK_CLASS_IOS];
	const char *iops; /* of reads, one at a time */
	const char *mb_per_s; /* of a stream of reads, 10^6 bytes */
	const char *source;
};

extern const struct disk_class disk_classes[];
extern const size_t n_disk_classes;

/*
 * "as a SATA SSD or a network volume" for a median; "faster than any disk: a
 * cache answers" and "slower than any disk here" where none fits. Returns buf.
 */
char *disk_class_fits(char *buf, size_t size, enum disk_class_io io,
		      double median_ns);
/*
 * One sentence: "A read of 4 KiB takes 382us (median): as a SATA SSD or a
 * network volume. Its p99 of 12ms is not: ...". p99_ns NaN: not known, or from
 * too few I/Os. Returns buf.
 */
char *disk_class_sentence(char *buf, size_t size, enum disk_class_io io,
			  double median_ns, double p99_ns);
