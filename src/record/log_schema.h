/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log schema: the form of a log's lines as JSON Schema, made from the tables of
 * fields, for programs that read logs.
 */
#pragma once

#include "base/json.h"

/*
 * The schema of one line (draft 2020-12). New keys are valid, a known key with a
 * value of another type is not. To be freed by the caller.
 */
struct json *log_schema_json(void);
