/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test cases of src/model, one per file. */
#pragma once

#include "test.h"

struct job;
struct json;

/* What the log has of the job, read back; to be freed by the caller. */
struct json *job_in_log(const struct job *job);

TCase *device_case(void);
TCase *frame_case(void);
TCase *heat_case(void);
TCase *histogram_case(void);
TCase *history_case(void);
TCase *alarms_case(void);
TCase *imbalance_case(void);
TCase *job_case(void);
TCase *point_case(void);
TCase *values_case(void);
TCase *schema_case(void);
