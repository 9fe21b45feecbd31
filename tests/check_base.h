/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test cases of src/base, one per file. */
#pragma once

#include "test.h"

TCase *json_case(void);
