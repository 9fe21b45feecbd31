/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test cases of src/base, one per file.
 */
#ifndef TESTS_CHECK_BASE_H
#define TESTS_CHECK_BASE_H

#include "test.h"

TCase *json_case(void);

#endif
