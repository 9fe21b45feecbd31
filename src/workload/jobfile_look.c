/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job file or not: a look at how a file begins.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "workload/jobfile.h"

#define MAX_BYTES  (1 << 20)
#define LOOK_BYTES 16384

static bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n > m && !strcmp(path + n - m, suffix);
}

/* Bytes that no text holds; those above ASCII may be UTF-8. */
static bool is_text(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)p[i] < 0x20 && !strchr("\t\n\r\f", p[i]))
			return false;
	return memchr(p, '\0', n) == NULL;
}

/* Whether a line begins as those of a job file do; it is changed. */
static bool is_job_line(char *line)
{
	char name[64];
	size_t n = strcspn(line, "= \t");

	if (*line == '[')
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)n, line);
	line = text_trim(line + n);
	return (*line == '=' || !*line) && job_option_find(name);
}

static bool text_looks_so(char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		line[strcspn(line, ";#")] = '\0';
		line = text_trim(line);
		if (*line)
			return is_job_line(line);
	}
	return false;
}

bool jobfile_looks_so(const char *path)
{
	char text[LOOK_BYTES + 1];
	struct stat st;
	ssize_t n;
	int fd;

	if (has_suffix(path, ".fio") || has_suffix(path, ".job"))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	n = fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_BYTES
		    ? -1
		    : read(fd, text, LOOK_BYTES);
	close(fd);
	if (n <= 0 || !is_text(text, (size_t)n))
		return false;
	text[n] = '\0';
	return text_looks_so(text);
}
