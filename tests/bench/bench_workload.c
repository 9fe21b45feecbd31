/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs one job given as KEY=VALUE words and prints what it did and what CPU
 * time it cost: ios user_ns system_ns iops. Devices named by a job are
 * destroyed without asking; for benchmarks only.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/fail.h"
#include "model/schema_job.h"
#include "workload/workload.h"

static int give_up(void)
{
	fprintf(stderr, "bench_workload: %s\n", fail_sentence());
	return 1;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void print(struct workload *w, uint64_t begin_ns)
{
	double wall_s = (double)(clock_mono_ns() - begin_ns) / 1e9, ios = 0;
	struct sample s = { 0 };
	struct job_raw *row;
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	workload_sample(w, &s);
	row = sample_row(&s, SCHEMA_JOB, 0);
	for (int op = 0; op < JOB_OPS; op++)
		ios += (double)row->op[op].ios;
	printf("%.0f %.1f %.1f %.0f\n", ios, seconds(u.ru_utime) / ios * 1e9,
	       seconds(u.ru_stime) / ios * 1e9, ios / wall_s);
	sample_free(&s);
}

int main(int argc, char **argv)
{
	struct permit permit = { 0 };
	struct workload *w;
	struct root root;
	struct job job;
	uint64_t begin_ns;

	job_init(&job);
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (value)
			*value++ = '\0';
		if (job_set(&job, argv[i], value))
			return give_up();
	}
	permit.destroy = permit.overwrite = &job.filename;
	permit.n_destroy = permit.n_overwrite = job.filename != NULL;
	if (root_open(&root, NULL) ||
	    workload_open(&w, &root, &job, 1, &permit) || workload_start(w))
		return give_up();
	begin_ns = clock_mono_ns();
	while (!workload_done(w)) {
		struct pollfd p = { .fd = workload_fd(w), .events = POLLIN };
		struct event e;

		poll(&p, 1, -1);
		while (workload_event(w, &e))
			if (!begin_ns || !strcmp(e.text, "run"))
				begin_ns = clock_mono_ns();
	}
	print(w, begin_ns);
	if (workload_close(w, 5 * NS_PER_S))
		return give_up();
	root_close(&root);
	job_free(&job);
	return 0;
}
