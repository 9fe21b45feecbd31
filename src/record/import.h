/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Import: results of other programs as the lines of a log, so that report compares
 * them as it compares runs of its own. A file is recognized by its content.
 *
 * What has rates over time (fio, iostat) becomes frames; what has repeats
 * (elbencho, hyperfine, Phoronix Test Suite) becomes a line "result" for each run.
 */
#pragma once

#include <stddef.h>

#include "base/attributes.h"
#include "base/json.h"

/* A larger file is refused, because it is read as a whole. */
#define IMPORT_MAX_BYTES (256u << 20)
/* The bytes that recognize a file, with the NUL behind them. */
#define IMPORT_BEGIN 4096

struct import;

/* The program whose file begins so (text ended with NUL); NULL: none, so the file
 * is a log, or nothing that is known. */
const struct import *import_find(const char *begin);

/*
 * Append the lines of the log to out. text is ended with NUL at len. 0, or -EINVAL
 * with a sentence that begins with path.
 */
int import_lines(const struct import *import, const char *path,
		 const char *text, size_t len,
		 struct json_writer *out) must_check;
