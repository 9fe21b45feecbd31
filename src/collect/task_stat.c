/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task files: the parsers of a task's stat and io.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/task.h"

/* Numbers of the fields after the name, as proc_pid_stat(5) counts them. */
enum {
	FIELD_STATE = 3,
	FIELD_PARENT = 4,
	FIELD_FLAGS = 9,
	FIELD_UTIME = 14,
	FIELD_STIME = 15,
	FIELD_THREADS = 20,
	FIELD_START = 22,
	FIELD_DELAY = 42,
};

/*
 * The decimal number after blanks; NULL: there is none. The value of a negative
 * one (tty, priority) is none of ours. strtoull() takes five times as long, and
 * this line has 50 numbers.
 */
static const char *next_number(const char *p, uint64_t *out)
{
	const char *start;
	uint64_t value = 0;

	p += *p == ' ';
	p += *p == '-';
	for (start = p; *p >= '0' && *p <= '9'; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	*out = value;
	return p == start ? NULL : p;
}

/*
 * "pid (name) state ppid ...". The name may hold blanks and parentheses, so it
 * ends at the last one.
 */
bool task_stat_parse(char *text, struct task_stat *out)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t value[FIELD_DELAY + 1] = { 0 };
	int field = FIELD_STATE + 1;
	const char *p;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	*close = '\0';
	text_copy(out->comm, sizeof(out->comm), open + 1);
	text_clean(out->comm);
	out->state = close[2];
	for (p = close + 3; field <= FIELD_DELAY; field++) {
		p = next_number(p, &value[field]);
		if (!p)
			break;
	}
	if (field <= FIELD_START)
		return false;
	out->parent = (unsigned)value[FIELD_PARENT];
	out->flags = (unsigned)value[FIELD_FLAGS];
	out->cpu_ticks = value[FIELD_UTIME] + value[FIELD_STIME];
	out->threads = value[FIELD_THREADS] > INT32_MAX
			       ? 0
			       : (unsigned)value[FIELD_THREADS];
	out->start = value[FIELD_START];
	out->delay_ticks = value[FIELD_DELAY];
	return true;
}

/* The number of the line that starts with the key. */
static bool line_number(const char *text, const char *key, uint64_t *out)
{
	size_t n = strlen(key);

	while (text) {
		char *end;

		if (!strncmp(text, key, n)) {
			*out = strtoull(text + n, &end, 10);
			return end != text + n;
		}
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return false;
}

bool task_io_parse(const char *text, uint64_t *read_bytes,
		   uint64_t *write_bytes)
{
	return line_number(text, "read_bytes:", read_bytes) &&
	       line_number(text, "write_bytes:", write_bytes);
}
