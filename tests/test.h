/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For every test with libcheck: include this, not check.h. A test program
 * defines test_suite(); main() is in test_main.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Ours come first: libcheck has a macro fail and writes the word unused. */
#include "base/fail.h"
#undef unused

#ifdef FUZZ_PLAIN
/* A fuzz target runs without libcheck's runner: an assertion ends it. */
#include <stdio.h>
#include <stdlib.h>
#define ck_assert(condition) ((condition) ? (void)0 : abort())
#define ck_assert_msg(condition, ...) \
	((condition) ? (void)0 : (fprintf(stderr, __VA_ARGS__), abort()))
#define ck_assert_int_eq(a, b)	  ck_assert((a) == (b))
#define ck_assert_ptr_nonnull(p)  ck_assert((p) != NULL)
typedef struct Suite Suite;
#else
#include <check.h>
#undef fail
/*
 * libcheck writes to a pipe for each assertion that holds, millions of times here,
 * to name the last one before a crash. One that fails names itself all the same.
 */
#define _mark_point(file, line) ((void)0)
#endif

/* Adds the test cases of this program. */
void test_suite(Suite *suite);

/*
 * Ends the program with status 77, "skipped", and the reason as the last line.
 * For test_suite(), before any test runs.
 */
void test_skip(const char *reason) __attribute__((noreturn));

/* What the devices of tests need, for test_skip() and test_in_part(). */
#define NEEDS_LOOP \
	"needs root and loop devices (docker run --privileged, or a VM)"

/* A part of the program cannot run here; contrib/test prints the reason. */
void test_in_part(const char *reason);

/* Skips the program when IODYNO_QUICK is set: it takes many seconds. */
void test_takes_long(void);

/* The processor time of this process: a limit of it holds on a busy machine. */
uint64_t test_cpu_ns(void);

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

/*
 * The state of a process as /proc/PID/stat has it: 'S' asleep, 'D' waits for a
 * device, 'T' stopped, 'Z' ended; '?' there is no such process.
 */
char test_state(pid_t pid);

uint64_t test_deadline_ns(double seconds);
/* Sleeps for a moment; false after the deadline. */
bool test_rest(uint64_t end_ns);
