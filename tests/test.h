/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For every test with libcheck: include this, not check.h. A test program
 * defines test_suite(); main() is in test_main.c.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <stdbool.h>
#include <stdint.h>

/* Ours come first: libcheck has a macro fail and writes the word unused. */
#include "base/attributes.h"
#include "base/fail.h"
#undef unused

#include <check.h>
#undef fail

/* Adds the test cases of this program. */
void test_suite(Suite *suite);

/*
 * Ends the program with status 77, "skipped", and the reason as the last line.
 * For test_suite(), before any test runs.
 */
void test_skip(const char *reason) __attribute__((noreturn));

/* Skips the program when IODYNO_QUICK is set: it takes many seconds. */
void test_takes_long(void);

/*
 * True as soon as the condition is, false when it is not within so many seconds.
 * Evaluates the condition every few milliseconds. The limit is for what hangs,
 * so it can be far above what a busy machine needs.
 */
#define test_within(seconds, condition)                          \
	({                                                       \
		uint64_t end_ns__ = test_deadline_ns(seconds);   \
		bool ok__;                                       \
		while (!(ok__ = (condition)) && test_rest(end_ns__)) \
			;                                        \
		ok__;                                            \
	})

uint64_t test_deadline_ns(double seconds);
/* Sleeps for a moment; false after the deadline. */
bool test_rest(uint64_t end_ns);

#endif
