/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failure: a negative errno, and one sentence that says what, where and what
 * to do. Rooms return it, only the commands print it.
 */
#ifndef BASE_FAIL_H
#define BASE_FAIL_H

#include "base/attributes.h"

/*
 * Keep the sentence (per thread, cut at 4095 bytes, control characters made
 * harmless) and return -code. code is a positive errno.
 */
int fail(int code, const char *fmt, ...) printf_like(2, 3);

/* The sentence that fail() kept last in this thread; "" when there is none. */
const char *fail_sentence(void);

#endif
