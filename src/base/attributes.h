/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes: the GNU function attributes in use, under short names. */
#pragma once

#define must_check __attribute__((warn_unused_result))
#define printf_like(fmt, args) __attribute__((format(printf, fmt, args)))
#define never_returns          __attribute__((noreturn))

/* The expected outcome of a condition on the path of every I/O. */
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
