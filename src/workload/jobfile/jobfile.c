/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job file: sections, their lines, and includes. */
#include "workload/jobfile/jobfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"

#define MAX_BYTES    (1u << 20)
#define MAX_JOBS     1024
#define MAX_DEPTH    8
#define MAX_LINES    65536
#define MAX_INCLUDES 256 /* in all: files may name each other twice */

/* --- the parser --- */

/* A line of a section, kept until the section is whole. */
struct kept_line {
	char *path, *text;
	unsigned line;
};

struct parser {
	struct jobfile *file;
	unsigned jobs, includes;
	bool inside, skipping;
	char *name; /* of the section; NULL: global */
	const char *path;
	unsigned line;
	struct kept_line *kept;
	size_t n_kept, cap_kept;
};

/* Put file and line in front of the kept sentence. */
static int at_line(const char *path, unsigned line)
{
	return fail(EINVAL, "%s:%u: %s", path, line, fail_sentence());
}

static void forget_lines(struct parser *p)
{
	for (size_t i = 0; i < p->n_kept; i++) {
		free(p->kept[i].path);
		free(p->kept[i].text);
	}
	p->n_kept = 0;
	free(p->name);
	p->name = NULL;
}

/*
 * Whether the text holds nothing that a terminal treats as a command. Names,
 * paths and descriptions are printed in many places, so harmful ones are
 * refused here.
 */
static bool jobfile_is_harmless(const char *text)
{
	char *copy = xstrdup(text), *clean;
	bool same;

	for (char *p = copy; *p; p++)
		if (*p == '\t')
			*p = ' ';
	clean = xstrdup(copy);
	text_clean(clean);
	same = !strcmp(copy, clean);
	free(clean);
	free(copy);
	return same;
}

static int harmful(const char *path, unsigned line)
{
	fail(EINVAL, "the line holds control characters, which a job file "
		     "cannot have");
	return at_line(path, line);
}

/* Set the option of one line; an unsupported one may become a note. */
static int set_line(const struct jobfile *f, struct job *job,
		    const struct kept_line *l)
{
	const bool foreign = job->foreign;
	char *copy, *eq, *name, *value = NULL;
	bool missing;
	int err = jobfile_expand(l->text, &copy, &missing);

	if (err < 0)
		return at_line(l->path, l->line);
	if (!jobfile_is_harmless(copy)) {
		free(copy);
		return harmful(l->path, l->line);
	}
	eq = strchr(copy, '=');
	if (eq) {
		*eq = '\0';
		value = text_trim(eq + 1);
	}
	name = text_trim(copy);
	if (missing && value && !*value)
		err = fail(EINVAL,
			   "%s: this environment variable is not set",
			   l->text);
	job->foreign |= !f->trusted;
	if (!err)
		err = job_set(job, name, value);
	job->foreign = foreign;
	if (missing && !err)
		job_note(job,
			 "%s:%u: %s: an environment variable that is not set "
			 "is taken as empty, as in fio",
			 l->path, l->line, l->text);
	free(copy);
	if (err == -EOPNOTSUPP && f->lenient) {
		job_note(job, "%s:%u: left out: %s", l->path, l->line,
			 fail_sentence());
		err = 0;
	}
	return err < 0 ? at_line(l->path, l->line) : 0;
}

static int close_section(struct parser *p)
{
	struct jobfile *f = p->file;
	struct job *job = f->global;
	bool foreign = false;
	int err = 0;

	if (!p->inside)
		return 0;
	p->inside = false;
	if (p->name && !p->skipping) {
		job = f->add(f->arg);
		foreign = job->foreign;
		p->jobs++;
		job->foreign |= !f->trusted;
		job->by_operator |= f->trusted;
		err = job_set(job, "name", p->name);
		job->foreign = foreign;
		if (f->stonewall)
			job->stonewall = true;
		f->stonewall = false;
	}
	/* fio reads kb_base before all other lines of its section. */
	for (int first = 1; first >= 0 && !p->skipping; first--)
		for (size_t i = 0; i < p->n_kept && !err; i++)
			if ((strncmp(p->kept[i].text, "kb_base", 7) == 0) == first)
				err = set_line(f, job, &p->kept[i]);
	forget_lines(p);
	return err;
}

static bool jobfile_wanted(const struct jobfile *f, const char *name)
{
	return !f->n_sections ||
	       text_is_of(name, (const char *const *)f->section, f->n_sections);
}

/*
 * "[NAME]". A comment may have cut off the bracket: fio then drops the last
 * letter, and so does this, because the job's name names its files.
 */
static int open_section(struct parser *p, char *line, bool cut)
{
	size_t n = strlen(line);
	int err = close_section(p);

	if (err < 0)
		return err;
	if (n < 3 ||
	    strcspn(line, "]") != (cut && line[n - 1] != ']' ? n : n - 1)) {
		fail(EINVAL, "a section is [NAME]");
		return at_line(p->path, p->line);
	}
	line[n - 1] = '\0';
	if (!jobfile_is_harmless(line))
		return harmful(p->path, p->line);
	p->inside = true;
	p->skipping = false;
	/* As in fio, any name that begins with "global" means the defaults. */
	if (!strncmp(line + 1, "global", 6))
		return 0;
	p->skipping = !jobfile_wanted(p->file, line + 1);
	if (p->jobs >= MAX_JOBS) {
		fail(EINVAL, "more than %u jobs", MAX_JOBS);
		return at_line(p->path, p->line);
	}
	p->name = xstrdup(line + 1);
	return 0;
}

static int jobfile_keep(struct parser *p, const char *line)
{
	struct kept_line *l;

	if (p->n_kept >= MAX_LINES) {
		fail(EINVAL, "more than %u lines in a section", MAX_LINES);
		return at_line(p->path, p->line);
	}
	l = xadd(p->kept, p->n_kept, p->cap_kept);
	l->path = xstrdup(p->path);
	l->text = xstrdup(line);
	l->line = p->line;
	return 0;
}

static int jobfile_read_text(const char *path, bool included, char **out);
static int parse_lines(struct parser *p, char *text, unsigned depth);

/* The path as given; if absent, relative to the file that includes it. */
static char *include_path(const struct parser *p, const char *name)
{
	const char *slash = strrchr(p->path, '/');

	if (!access(name, F_OK) || !slash || *name == '/')
		return xstrdup(name);
	return xasprintf("%.*s%s", (int)(slash - p->path + 1), p->path, name);
}

static int include(struct parser *p, const char *name, unsigned depth)
{
	const char *path = p->path;
	unsigned line = p->line;
	char *inner, *text = NULL;
	int err;

	if (!*name)
		err = fail(EINVAL, "include needs a file");
	else if (depth >= MAX_DEPTH || ++p->includes > MAX_INCLUDES)
		err = fail(EINVAL, "includes are %d deep at most and %d in all",
			   MAX_DEPTH, MAX_INCLUDES);
	else
		err = 0;
	if (err < 0)
		return at_line(path, line);
	inner = include_path(p, name);
	err = jobfile_read_text(inner, true, &text);
	if (err < 0) {
		at_line(path, line);
	} else {
		p->path = inner;
		p->line = 0;
		err = parse_lines(p, text, depth + 1);
		p->path = path;
		p->line = line;
	}
	free(text);
	free(inner);
	return err;
}

static int jobfile_parse_line(struct parser *p, char *line, unsigned depth)
{
	size_t whole = strlen(line), left = strcspn(line, ";#");
	char *start;

	line[left] = '\0';
	start = text_trim(line);
	if (!*start)
		return 0;
	if (*start == '[' && depth) {
		fail(EINVAL, "an included file must not have sections");
		return at_line(p->path, p->line);
	}
	if (*start == '[')
		return open_section(p, start, left < whole);
	if (!p->inside) {
		fail(EINVAL, "an option comes before the first [section]");
		return at_line(p->path, p->line);
	}
	if (!strncmp(start, "include", 7) &&
	    (start[7] == ' ' || start[7] == '\t' || !start[7]))
		return include(p, text_trim(start + 7), depth);
	return jobfile_keep(p, start);
}

static int parse_lines(struct parser *p, char *text, unsigned depth)
{
	char *line;
	int err = 0;

	while (!err && (line = strsep(&text, "\n"))) {
		p->line++;
		err = jobfile_parse_line(p, line, depth);
	}
	return err;
}

int jobfile_parse(struct jobfile *f, const char *path, char *text)
{
	struct parser p = { .file = f, .path = path };
	int err = parse_lines(&p, text, 0);

	if (!err)
		err = close_section(&p);
	forget_lines(&p);
	free(p.kept);
	if (!err && !p.jobs)
		return fail(EINVAL, "%s holds no job%s; a job is a [section]",
			    path, f->n_sections ? " of that --section" : "");
	f->stonewall = true;
	return err;
}

/* An included file must be a file: a device or a pipe might never end. */
static FILE *open_text(const char *path, bool included)
{
	struct stat st;
	FILE *in;
	int fd;

	if (!included && !strcmp(path, "-"))
		return stdin;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
				(included ? O_NONBLOCK : 0));
	if (fd < 0)
		return NULL;
	if (included && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return NULL;
	}
	in = fdopen(fd, "r");
	if (!in)
		close(fd);
	return in;
}

static int jobfile_read_text(const char *path, bool included, char **out)
{
	FILE *in = open_text(path, included);
	char *text;
	size_t n;
	int err;

	if (!in)
		return fail(errno, "cannot read job file %s: %s", path,
			    strerror(errno));
	text = xmalloc(MAX_BYTES + 1);
	n = fread(text, 1, MAX_BYTES + 1, in);
	err = ferror(in) ? errno : 0;
	if (in != stdin)
		fclose(in);
	if (err)
		err = fail(err, "cannot read job file %s: %s", path,
			   strerror(err));
	else if (n > MAX_BYTES)
		err = fail(EFBIG, "job file %s is larger than 1 MiB", path);
	else if (memchr(text, '\0', n))
		err = fail(EINVAL, "job file %s is not text", path);
	if (err) {
		free(text);
		return err;
	}
	text[n] = '\0';
	*out = text;
	return 0;
}

int jobfile_read(struct jobfile *f, const char *path)
{
	char *text;
	int err = jobfile_read_text(path, false, &text);

	if (err < 0)
		return err;
	err = jobfile_parse(f, path, text);
	free(text);
	return err;
}

#define LOOK_BYTES 16384

/* Bytes that occur in no text file; those above ASCII may be UTF-8. */
static bool jobfile_is_text(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)p[i] < 0x20 && !strchr("\t\n\r\f", p[i]))
			return false;
	return memchr(p, '\0', n) == NULL;
}

/* Whether a line begins as in a job file; the line is changed. */
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

	if (text_ends(path, ".fio") || text_ends(path, ".job"))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	n = fstat(fd, &st) || !S_ISREG(st.st_mode) ||
			    st.st_size > (off_t)MAX_BYTES
		    ? -1
		    : read(fd, text, LOOK_BYTES);
	close(fd);
	if (n <= 0 || !jobfile_is_text(text, (size_t)n))
		return false;
	text[n] = '\0';
	return text_looks_so(text);
}
