/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Smart: the health counters that a disk keeps about itself: log page 02h of
 * NVMe, SMART READ DATA of ATA.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/json.h"
#include "base/root.h"

#define SMART_PAGE	 512
#define SMART_ATTRIBUTES 30 /* an ATA page has room for so many */
#define SMART_COUNTERS	 22

enum smart_interface { SMART_NONE, SMART_NVME, SMART_ATA, SMART_SCSI };

/* Attribute of ATA; raw has 48 bits, whose meaning is the maker's. */
struct smart_attribute {
	uint8_t id;
	uint64_t raw;
};

/* One reading. value: in the order of the table in smart.c; NaN: absent. */
struct smart {
	double value[SMART_COUNTERS];
	struct smart_attribute attribute[SMART_ATTRIBUTES];
	size_t n_attributes;
};

/* The finding of a comparison of two readings; the worst counts. Noted: heat,
 * or a warning of anything but the disk's reliability. */
enum smart_change { SMART_CALM, SMART_NOTED, SMART_ERROR };

/*
 * Read a page. False: the page is not valid (an empty one, or a wrong checksum
 * of ATA). The bytes are untrusted.
 */
bool smart_parse(struct smart *s, enum smart_interface interface,
		 const uint8_t page[SMART_PAGE]) must_check;
/* The temperature in degrees Celsius; NaN: absent. */
double smart_temperature(const struct smart *s);
/*
 * Append to words which counters of heat or errors rose from before to after,
 * and of which the disk warns: "media_errors rose by 2 to 5". words stays as it
 * is when there is none.
 */
enum smart_change smart_compare(const struct smart *before,
				const struct smart *after, char *words,
				size_t size);
/* The counters that are there, as members of a new object. */
struct json *smart_json(const struct smart *s);

/*
 * Smart reader: a process that asks disks for these pages. It holds root's
 * rights, an open descriptor of each disk and nothing else: it opens no file,
 * and knows two commands, which change nothing. A disk that does not answer
 * holds only this process.
 */

#define SMART_DISKS 16

/* The answer of the process, for one disk. */
struct smart_answer {
	unsigned disk;
	int error; /* an errno; 0: the page is there */
	uint8_t page[SMART_PAGE];
};

struct smart_disk {
	char name[64]; /* the kernel's: "nvme0n1" */
	dev_t dev;
	enum smart_interface interface;
	struct smart reading[2]; /* before and after */
	bool has[2];
	/* An errno: why the last reading is missing; ESRCH: the process has
	 * ended; 0. */
	int error;
};

struct smart_reader {
	struct smart_disk disk[SMART_DISKS];
	size_t n;
	int socket; /* -1: there is no process */
	pid_t pid;
	unsigned due;  /* answers that have not come */
	unsigned when; /* the reading they belong to */
	bool late;     /* they are not waited for any more */
};

void smart_reader_init(struct smart_reader *r);
/*
 * Add the disks that hold the data of a block device: of a partition the disk,
 * of a stack its members, of a loop device the disk of its file.
 */
void smart_reader_add(struct smart_reader *r, const struct root *root,
		      dev_t dev);
/*
 * Add the disks of a path, be it a block device, a file, or a file to be made.
 * On a captured tree the file system is found by the words of an absolute path.
 */
void smart_reader_add_path(struct smart_reader *r, const struct root *root,
			   const char *path);
/*
 * Fork the process, before any thread and before rights are given up. Does
 * nothing when no disk has such counters. 0, or -errno with a sentence.
 */
int smart_reader_start(struct smart_reader *r) must_check;
void smart_reader_stop(struct smart_reader *r);

/*
 * Ask all disks for reading 0 (before), which forgets the last pair, or 1
 * (after). False: there is nothing to ask, or a disk owes its last answer.
 */
bool smart_reader_ask(struct smart_reader *r, unsigned when);
/* Take the answers that have come; whether some are due. Never waits. */
bool smart_reader_poll(struct smart_reader *r);
/* Wait no longer: those that are due get ETIMEDOUT. */
void smart_reader_give_up(struct smart_reader *r);
