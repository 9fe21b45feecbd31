/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failure: a negative errno, and one sentence that says what, where and what
 * to do. Rooms return it, only the commands print it.
 */
#pragma once

#include <stddef.h>

#include "base/attributes.h"

/*
 * Keep the sentence (per thread, cut at 4095 bytes, control characters made
 * harmless) and return -code. code is a positive errno.
 */
int fail(int code, const char *fmt, ...) printf_like(2, 3);

/* The sentence that fail() kept last in this thread; "" when there is none. */
const char *fail_sentence(void);

/* Room for the words of fail_as_root(), as far as they belong in a sentence. */
#define FAIL_ROOT_MAX 800

/*
 * The end of a sentence about rights that are missing: "; as root: sudo iodyno
 * run --filename=/dev/sdb". "" when the process is root already. Words are
 * quoted for the shell; what does not fit in size is left to "the same command
 * with sudo". Returns buf.
 */
const char *fail_as_root(char *buf, size_t size);

/* The same from the words of a command line, n bytes that each end with '\0'.
 */
const char *fail_rerun(char *buf, size_t size, const char *words, size_t n);
