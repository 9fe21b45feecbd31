/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output: the file and the formats of a run's results. */
#include "cmd/run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/role.h"
#include "base/side_file.h"
#include "base/text.h"
#include "cmd/lists.h"
#include "cmd/privilege.h"

/* fio's words, in the order in which fio prints them. */
static const struct {
	const char *word, *format, *help;
} words[] = {
	{ "terse", "terse", "fields between semicolons, one line a job" },
	{ "minimal", "terse", "the same as terse" },
	{ "json", "fio-json", "one JSON document" },
	{ "json+", "fio-json+", "fio's JSON with all buckets of latency" },
	{ "normal", "normal", "text for people" },
};

const char *output_format_at(size_t i, const char **help)
{
	if (i >= ARRAY_SIZE(words))
		return NULL;
	*help = words[i].help;
	return words[i].word;
}

static int no_format(const char *word, int n)
{
	char names[80];

	lists_words(lists_find("output-formats"), "and", names, sizeof(names));
	return fail(EINVAL, "there is no output format %.*s; there are %s", n,
		    word, names);
}

/* Read a list of words as a set of rows of words[]. */
static int read_list(const char *list, unsigned *set)
{
	while (*list) {
		size_t n = strcspn(list, ","), i = 0;

		while (i < ARRAY_SIZE(words) &&
		       (strlen(words[i].word) != n ||
			memcmp(words[i].word, list, n)))
			i++;
		if (i == ARRAY_SIZE(words))
			return no_format(list, (int)n);
		*set |= 1u << i;
		list += n + (list[n] == ',');
	}
	return 0;
}

/* Another version has its fields in other places, so none stands in for it. */
static int check_terse(const char *version)
{
	return version && !strcmp(version, "5")
		       ? 0
		       : fail(EINVAL,
			      "version %s of fio's terse format is not written; "
			      "give --terse-version=5, or --output-format=json",
			      version ? version : "3 (the default)");
}

/* Add a format of --format after the formats of fio. */
static int add_format(struct output *o, const char *name)
{
	const struct report_format *f = report_format_find(name);

	if (!f->print)
		return fail(EINVAL,
			    "--format=%s is not for the end of a run; write "
			    "--log=FILE and give it to iodyno report",
			    name);
	o->format[o->n_formats++] = f;
	if (strcmp(name, "text") != 0)
		o->fio |= 1u << ARRAY_SIZE(words);
	return 0;
}

static int read_formats(struct output *o, const struct settings *s)
{
	unsigned set = s->minimal ? 1 : 0;
	if (s->output_format && read_list(s->output_format, &set) < 0)
		return -EINVAL;
	if (s->as_fio && !set && !s->append_terse && !s->format)
		set = 1u << (ARRAY_SIZE(words) - 1);
	/* As in fio, --append-terse alone is normal and terse. */
	if (s->append_terse)
		set |= set ? 1 : 1 | 1u << (ARRAY_SIZE(words) - 1);
	/* The words terse and minimal. */
	if ((set & 3 || s->terse_version) && check_terse(s->terse_version) < 0)
		return -EINVAL;
	o->fio = set;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct report_format *f =
			report_format_find(words[i].format);

		if (set & 1u << i &&
		    (!o->n_formats || o->format[o->n_formats - 1] != f))
			o->format[o->n_formats++] = f;
	}
	if (s->format)
		return add_format(o, s->format);
	if (!set)
		o->format[o->n_formats++] = report_format_find("text");
	return 0;
}

/* --output=/dev/sdX is almost always a typo for --filename: refuse it. */
static bool is_disk(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISBLK(st.st_mode);
}

/* A pipe, a terminal or /dev/null, by a link such as /dev/stdout, too. */
static bool is_stream(const char *path)
{
	struct stat st, own;

	if (stat(path, &st))
		return false;
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
		return true;
	/* Use the same place as the text output. */
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &own) && own.st_dev == st.st_dev &&
		    own.st_ino == st.st_ino)
			return true;
	return false;
}

/* Make a file, or replace a file that holds earlier results. */
static int make_results(const char *path, FILE **file)
{
	struct side_file f;
	int rc = side_file_open(&f, path, "the file of results", SIDE_FILE_NOW);

	if (rc)
		return rc;
	*file = fdopen(f.fd, "w");
	if (!*file)
		rc = fail(errno, "the results cannot be written to %s: %s",
			  path, strerror(errno));
	else
		f.fd = -1;
	side_file_close(&f);
	return rc;
}

static int open_results(const char *path, FILE **file)
{
	int rc = 0;

	if (is_disk(path))
		return fail(EPERM,
			    "the results are not written over the block device "
			    "%s; give --output a file",
			    path);
	privilege_lower();
	if (!is_stream(path)) {
		rc = make_results(path, file);
	} else {
		*file = fopen(path, "we");
		/* The caller takes EINVAL for usage and EPERM for a refusal. */
		if (!*file)
			rc = fail(errno == EINVAL || errno == EPERM ? EIO
								    : errno,
				  "cannot write the results to %s: %s", path,
				  strerror(errno));
	}
	privilege_raise();
	return rc;
}

int output_open(struct output *o, const struct settings *s)
{
	int err;

	memset(o, 0, sizeof(*o));
	/* Results go to stdout, unless the log is there. */
	o->file = s->log && !strcmp(s->log, "-") ? stderr : stdout;
	if (read_formats(o, s) < 0)
		return -EINVAL;
	if (!s->output)
		return 0;
	err = open_results(s->output, &o->file);
	if (err < 0)
		return err;
	o->path = s->output;
	return 0;
}

struct printing {
	struct output *o;
	struct report *r;
	const struct header *h;
	int *error; /* in shared memory */
};

/* Write all formats, then mark the file as this run leaves it. */
static void print_all(struct printing *p)
{
	struct output *o = p->o;

	for (size_t i = 0; i < o->n_formats; i++)
		o->format[i]->print(p->r, p->h, o->format[i]->how, o->file);
	*p->error = fflush(o->file) ? errno : 0;
	if (o->path && !*p->error)
		side_file_left(fileno(o->file));
}

static void print_to_file(int socket, void *arg)
{
	print_all(arg);
}

/*
 * A process writes to a file: the program must end even when the disk of the file
 * does not answer.
 */
static int print_aside(struct printing *p)
{
	const int fd = fileno(p->o->file);
	const struct role_start start = { .role = ROLE_RESULTS,
					  .keep = &fd,
					  .n = 1,
					  .serve = print_to_file,
					  .arg = p };
	int rc;
	pid_t helper;

	*p->error = ECHILD;
	helper = role_start(&start, NULL);
	if (helper < 0)
		return helper;
	rc = role_wait(helper);
	if (rc)
		return fail(-rc,
			    "the results are not in %s yet: its disk does not "
			    "answer; process %d goes on when it does",
			    p->o->path, (int)helper);
	return -*p->error;
}

struct status {
	struct output *o;
	struct report *r;
	const struct header *h;
	int fd;
	double t_s;
};

static void print_status(int socket, void *arg)
{
	const struct status *p = arg;
	FILE *file = fdopen(p->fd, "w");

	if (!file)
		return;
	/* In formats that programs read there is nothing but documents. */
	if (!p->o->fio)
		fprintf(file,
			"The results so far, at %.3f s; the run goes on:\n\n",
			p->t_s);
	for (size_t i = 0; i < p->o->n_formats; i++)
		p->o->format[i]->print(p->r, p->h, p->o->format[i]->how, file);
	if (!p->o->fio)
		fputc('\n', file);
	fclose(file);
}

/* Whether the last status is written; wait for it if asked to. */
static bool status_over(struct output *o, bool wait)
{
	if (o->status <= 0)
		return true;
	if (wait ? role_wait(o->status)
		 : waitpid(o->status, NULL, WNOHANG) == 0)
		return false;
	o->status = 0;
	return true;
}

int output_status(struct output *o, struct report *r, const struct header *h,
		  double t_s)
{
	struct status p = { o, r, h, -1, t_s };
	const struct role_start start = { .role = ROLE_RESULTS,
					  .keep = &p.fd,
					  .n = 1,
					  .serve = print_status,
					  .arg = &p };

	if (!status_over(o, false))
		return fail(EBUSY, "the results so far are left out: those "
				   "before are not written yet");
	fflush(o->file);
	p.fd = fcntl(fileno(o->file), F_DUPFD_CLOEXEC, 3);
	if (p.fd < 0)
		return fail(errno, "the results so far cannot be written: %s",
			    strerror(errno));
	o->status = role_start(&start, NULL);
	close(p.fd);
	return o->status < 0 ? (int)o->status : 0;
}

int output_print(struct output *o, struct report *r, const struct header *h)
{
	struct printing p = { o, r, h, NULL };
	struct stat st;
	int rc = 0;

	o->printed = true;
	if (!status_over(o, true))
		return fail(ETIMEDOUT, "the results are not written: their "
				       "reader does not take the results so "
				       "far");
	p.error = xshared(sizeof(int));
	if (o->path && fstat(fileno(o->file), &st) == 0 && S_ISREG(st.st_mode))
		rc = print_aside(&p);
	else
		print_all(&p);
	if (rc != -ETIMEDOUT && *p.error)
		rc = fail(*p.error, "cannot write the results to %s: %s",
			  o->path ? o->path : "stdout", strerror(*p.error));
	xshared_free(p.error, sizeof(int));
	return rc;
}

int output_finish(struct output *o, const struct settings *s, int status)
{
	struct header h = {
		.wall_ns = clock_wall_ns(),
		.job = s->job,
		.n_jobs = s->n_jobs,
	};
	struct report *r;

	if (!o->file || o->printed || !o->fio)
		return status;
	text_set(h.program, PACKAGE_STRING);
	r = report_new();
	report_never_began(r, status == EXIT_REFUSED ? EPERM
			      : status == EXIT_USAGE ? EINVAL
						     : EIO);
	if (output_print(o, r, &h) < 0)
		status = command_failed(EXIT_FAILED);
	report_free(r);
	return status;
}

void output_close(struct output *o)
{
	if (o->path && o->file) {
		if (!o->printed)
			side_file_left(fileno(o->file));
		fclose(o->file);
	}
	o->file = NULL;
}
