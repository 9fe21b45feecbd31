/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help for the workload tests.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "workload/target/scratch.h"

#include "workload_help.h"

char *make_dir(void)
{
	char *dir = xstrdup("/var/tmp/iodyno-workload-XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

int run_command(const char *fmt, ...)
{
	char command[2000];
	va_list ap;
	int n = snprintf(command, sizeof(command),
			 "PATH=$PATH:/usr/sbin:/sbin; { ");

	va_start(ap, fmt);
	n += vsnprintf(command + n, sizeof(command) - (size_t)n, fmt, ap);
	va_end(ap);
	snprintf(command + n, sizeof(command) - (size_t)n,
		 "; } >/dev/null 2>&1");
	return system(command);
}

void remove_dir(char *dir)
{
	run_command("rm -rf '%s'", dir);
	free(dir);
}

void make_file(const char *path, uint64_t size_bytes, int fill)
{
	char buf[65536];
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	memset(buf, fill, sizeof(buf));
	for (uint64_t at = 0; at < size_bytes; at += sizeof(buf)) {
		uint64_t rest = size_bytes - at;
		size_t n = rest < sizeof(buf) ? rest : sizeof(buf);

		ck_assert_uint_eq(fwrite(buf, 1, n, f), n);
	}
	ck_assert_int_eq(fclose(f), 0);
}

bool file_is_all(const char *path, int fill)
{
	unsigned char buf[65536];
	FILE *f = fopen(path, "r");
	bool same = true;
	size_t n;

	ck_assert_ptr_nonnull(f);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		for (size_t i = 0; i < n; i++)
			same &= buf[i] == (unsigned char)fill;
	fclose(f);
	return same;
}

/* Devices that detach themselves when this process ends. */
static struct {
	char name[32];
	int fd;
} kept[4];

static void keep(const char *name, int fd)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		if (*kept[i].name)
			continue;
		snprintf(kept[i].name, sizeof(kept[i].name), "%s", name);
		kept[i].fd = fd;
		return;
	}
	ck_abort_msg("too many loop devices");
}

bool loop_attach(const char *path, bool partitions, char *name, size_t size)
{
	struct loop_config config = {
		.info.lo_flags = LO_FLAGS_AUTOCLEAR |
				 (partitions ? LO_FLAGS_PARTSCAN : 0),
	};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int file = open(path, O_RDWR | O_CLOEXEC), fd = -1;
	bool ok = false;

	config.fd = (uint32_t)file;
	for (int i = 0; control >= 0 && i < 20 && !ok; i++) {
		snprintf(name, size, "/dev/loop%d",
			 ioctl(control, LOOP_CTL_GET_FREE));
		fd = open(name, O_RDWR | O_CLOEXEC);
		ok = fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config) == 0;
		if (ok)
			keep(name, fd);
		else if (fd >= 0)
			close(fd);
	}
	if (control >= 0)
		close(control);
	close(file);
	return ok;
}

void loop_detach(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		if (strcmp(kept[i].name, name))
			continue;
		close(kept[i].fd);
		*kept[i].name = '\0';
	}
}

void set_option(struct job *job, const char *name, const char *value)
{
	ck_assert_msg(job_set(job, name, value) == 0, "%s", fail_sentence());
}

int engine_open(const struct engine *e, void **state, unsigned depth)
{
	const struct engine_setup setup = {
		.depth = depth,
		.job = &(const struct job){ .name = "test",
					    .rw = RW_RANDRW,
					    .sqthread_poll_cpu = UINT32_MAX },
	};

	return e->open(state, &setup);
}

bool engine_usable(const struct engine *e)
{
	void *state;

	if (engine_open(e, &state, 1))
		return false;
	e->close(state);
	return true;
}

static void wait_done(struct workload *w)
{
	uint64_t end_ns = clock_mono_ns() + 20 * NS_PER_S;

	while (!workload_done(w) && clock_mono_ns() < end_ns) {
		struct pollfd p = { .fd = workload_fd(w), .events = POLLIN };
		struct event e;

		poll(&p, 1, 100);
		while (workload_event(w, &e))
			;
	}
	ck_assert(workload_done(w));
}

void run_jobs(struct outcome *o, const struct job *jobs, size_t n,
	      const struct allow_list *allowed)
{
	struct workload *w;
	struct root root;

	memset(o, 0, sizeof(*o));
	ck_assert_int_eq(root_open(&root, NULL), 0);
	o->open_rc = workload_open(&w, &root, jobs, n, allowed);
	if (o->open_rc) {
		snprintf(o->sentence, sizeof(o->sentence), "%s",
			 fail_sentence());
		root_close(&root);
		return;
	}
	ck_assert_int_eq(workload_start(w), 0);
	wait_done(w);
	workload_sample(w, &o->sample);
	o->row = sample_row(&o->sample, SCHEMA_JOB, 0);
	o->close_rc = workload_close(w, 5 * NS_PER_S);
	if (o->close_rc)
		snprintf(o->sentence, sizeof(o->sentence), "%s",
			 fail_sentence());
	root_close(&root);
}

bool workload_did(struct workload *w, uint64_t ios)
{
	const struct job_raw *row;
	struct sample s = { 0 };
	uint64_t sum = 0;

	workload_sample(w, &s);
	for (size_t i = 0; i < s.table[SCHEMA_JOB].n; i++) {
		row = sample_row(&s, SCHEMA_JOB, i);
		sum += row->op[JOB_READ].ios + row->op[JOB_WRITE].ios;
	}
	sample_free(&s);
	return sum >= ios;
}

void free_outcome(struct outcome *o)
{
	sample_free(&o->sample);
}

bool can_loop(void)
{
	struct scratch s;
	bool ok = geteuid() == 0 && scratch_make(&s, "/var/tmp", 1 << 20) == 0;

	if (!ok)
		return false;
	ok = s.is_device;
	scratch_remove(&s);
	return ok;
}

void null_job(struct job *job, const char *name)
{
	job_init(job);
	set_option(job, "name", name);
	set_option(job, "ioengine", "null");
	set_option(job, "size", "1g");
	set_option(job, "bs", "4k");
}

void all_dirs(uint64_t *rate, uint64_t value)
{
	for (int i = 0; i < JOB_DIRS; i++)
		rate[i] = value;
}

void run_well(struct outcome *o, const struct job *jobs, size_t n)
{
	run_jobs(o, jobs, n, NULL);
	ck_assert_msg(o->open_rc == 0 && o->close_rc == 0, "%s", o->sentence);
}
