/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main() of every test program with libcheck, and waiting.
 *
 * libcheck's own variables choose what runs: CK_RUN_CASE=NAME, CK_FORK=no,
 * CK_VERBOSITY=verbose, CK_DEFAULT_TIMEOUT=SECONDS.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#include "test.h"

/* Far above what a test needs on a busy machine; see CONTRIBUTING.md. */
#define DEFAULT_TIMEOUT_S "300"
#define REST_NS		  (5 * 1000 * 1000)

void test_skip(const char *reason)
{
	printf("skipped: %s\n", reason);
	exit(77);
}

void test_in_part(const char *reason)
{
	printf("in part: %s\n", reason);
}

void test_takes_long(void)
{
	if (getenv("IODYNO_QUICK"))
		test_skip("takes long, IODYNO_QUICK is set");
}

uint64_t test_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t test_deadline_ns(double seconds)
{
	return clock_mono_ns() + (uint64_t)(seconds * (double)NS_PER_S);
}

bool test_rest(uint64_t end_ns)
{
	const struct timespec rest = { .tv_nsec = REST_NS };

	nanosleep(&rest, NULL);
	return clock_mono_ns() < end_ns;
}

char test_state(pid_t pid)
{
	char path[32], line[256];
	const char *end = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return '?';
	/* The name stands in brackets and may hold any byte. */
	if (fgets(line, sizeof(line), f))
		end = strrchr(line, ')');
	fclose(f);
	return end && end[1] ? end[2] : '?';
}

int main(void)
{
	Suite *suite = suite_create(program_invocation_short_name);
	SRunner *runner;
	int failed;

	setenv("CK_DEFAULT_TIMEOUT", DEFAULT_TIMEOUT_S, 0);
	test_suite(suite);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
