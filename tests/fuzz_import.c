/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: a file of another program. What is taken becomes lines that the
 * reader of logs takes.
 */
#include "base/fail.h"
#include "record/import.h"
#include "record/log.h"

#include "fuzz.h"
#include "log_memory.h"

FUZZ_TARGET(import)
{
	char *text = as_string(data, size);
	char *begin = xstrdup(text);
	struct json_writer lines = { 0 };
	struct log_reader *log = NULL;
	const struct import *import;

	if (strlen(begin) >= IMPORT_BEGIN)
		begin[IMPORT_BEGIN - 1] = '\0';
	import = import_find(begin);
	if (import && import_lines(import, "x", text, size, &lines))
		must_hold(*fail_sentence());
	else if (import)
		must_hold(!log_open_text(&log, lines.buf, lines.len));
	log_reader_free(log);
	json_writer_free(&lines);
	free(begin);
	free(text);
	return 0;
}
