/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For every test with libcheck: include this, not check.h.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <check.h>

/* libcheck's old macro of that name hides our function. */
#undef fail

#include "base/fail.h"

#endif
