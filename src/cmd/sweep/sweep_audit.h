/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep audit: facts about a run that its figures do not show: failures that
 * the kernel logged, the temperature of disk and processors, the health counters
 * of the disks, the extents of the files.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/text.h"
#include "base/json.h"
#include "base/root.h"
#include "collect/collect.h"
#include "collect/smart.h"
#include "model/job/job.h"
#include "report/checks.h"

/* The facts of --audit, as bits; all of them by default. */
enum sweep_audit_what {
	SWEEP_AUDIT_EXTENTS = 1,
	SWEEP_AUDIT_TEMPERATURE = 2,
	SWEEP_AUDIT_KERNEL = 4,
	SWEEP_AUDIT_SMART = 8,
};

/* The words of --audit, in the order of the bits. */
extern const struct text_word sweep_audits[];
/* "extents,kernel" as bits; NULL: all. 0, or -EINVAL with a sentence. */
int sweep_audit_parse(const char *text, unsigned *what) must_check;

struct sweep_extents {
	unsigned files;
	uint64_t extents, bytes, unwritten_bytes;
};

struct sweep_audit {
	unsigned what;
	struct kernel_log kernel;
	unsigned messages, of_device; /* failures that it logged */
	char message[200];            /* the first of the worst kind */
	double first_c;               /* at the start of the first run; NaN */
	double from_c, to_c;          /* NaN: not known */
	int64_t throttles; /* collect_throttles() before; -1: not known */
	int64_t throttled; /* times in the run; -1: not known */
	struct sweep_extents extents;
	bool has_extents;
	struct smart_reader smart;
	bool no_smart; /* no disk has counters; the log says so */
};

/* Set an audit that has nothing open. */
void sweep_audit_init(struct sweep_audit *a);
/* Open the kernel's log, which needs root's rights. */
void sweep_audit_open(struct sweep_audit *a, const struct root *root);
/* At the start of a run: forget the last one and its messages. */
void sweep_audit_begin(struct sweep_audit *a, const struct root *root);
/* Note the disk's temperature in a frame of the jobs; NaN: not known. */
void sweep_audit_frame(struct sweep_audit *a, double c);
void sweep_audit_close(struct sweep_audit *a);

/*
 * Whether a disk of c degrees is hotter than it was at the start of the first
 * run, by more than 3: a run that began now would not be like the first. False
 * where one of them is not known, or --audit leaves out the temperature.
 */
bool sweep_audit_is_hot(const struct sweep_audit *a, double c);

/*
 * The steps. Each writes a sentence into words and returns true, or returns
 * false when there is nothing to report.
 *
 * Extents: by FIEMAP (Documentation/filesystems/fiemap.rst) of the files below
 * a folder of the sweep's own, or where it is "" of the files that jobs name.
 */
bool sweep_audit_extents(struct sweep_audit *a, const char *folder,
			 const struct job *job, size_t n_jobs, char *words,
			 size_t size);
bool sweep_audit_temperature(struct sweep_audit *a, const struct root *root,
			     char *words, size_t size);
bool sweep_audit_kernel(struct sweep_audit *a, const char *device, char *words,
			size_t size);

/*
 * Read the counters of the disks in audit->smart before the jobs (when 0) and
 * after them (1). begin: whether disks were asked; if not, words may have the
 * reason, once. poll: 1 while answers are due that are not late, else 0.
 */
bool sweep_audit_smart_begin(struct sweep_audit *a, unsigned when, char *words,
			     size_t size);
int sweep_audit_smart_poll(struct sweep_audit *a, uint64_t waited_ns,
			   char *words, size_t size);

/* For the checks kernel-log, heat and smart, and as members of a result. */
void sweep_audit_facts(const struct sweep_audit *a, struct checks *facts);
void sweep_audit_put_json(const struct sweep_audit *a, struct json *result);
