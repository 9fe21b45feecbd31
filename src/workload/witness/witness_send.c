/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Witness send: the records of a run, and the plan that comes first. */
#include "workload/witness/witness_send.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "block/mounts.h"
#include "block/sysfs.h"
#include "block/tree.h"
#include "workload/thread/clones.h"
#include "workload/verify/verify.h"

/* Room of packed words, and of lines that wait to be sent. */
#define WORDS_MAX (WITNESS_BATCH_MOST * WITNESS_WORD_MAX)
#define OUT_MAX	  (4 * WORDS_MAX)

struct send_words {
	char text[WORDS_MAX];
	size_t n;
	unsigned count;
};

struct witness_send {
	int fd;
	bool socket;
	unsigned batch;
	uint64_t begin_ns, seq;
	struct send_words intent, done;
	uint64_t after; /* of done */
	unsigned flags, intent_flags;
	char out[OUT_MAX];
	size_t n;
	char answer[32]; /* the part of an answer that has come */
	size_t n_answer;
	uint64_t answered; /* the greatest number that the witness has */
	char error[200];
	char *plan;
};

/* --- lines --- */

static void witness_send_write(struct witness_send *s)
{
	size_t at = 0;

	while (at < s->n && !*s->error) {
		ssize_t n = write(s->fd, s->out + at, s->n - at);

		if (n > 0)
			at += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ s->fd, POLLOUT, 0 }, 1, 1000);
		else if (n < 0 && errno != EINTR)
			snprintf(s->error, sizeof(s->error),
				 "the witness is gone (%s)", strerror(errno));
	}
	s->n = 0;
}

static void witness_send_vline(struct witness_send *s, const char *type,
			       const char *fmt, va_list ap)
{
	char *line = s->out + s->n;
	size_t n;

	n = (size_t)sprintf(line, "{\"type\":\"%s\",\"seq\":%llu,\"t\":%llu",
			    type, (unsigned long long)++s->seq,
			    (unsigned long long)(clock_mono_ns() -
						 s->begin_ns) /
				    1000000);
	n += (size_t)vsprintf(line + n, fmt, ap);
	s->n += witness_line_end(line, n);
}

/* Add a line of at most WORDS_MAX + 200 bytes. */
static void printf_like(3, 4)
	witness_send_line(struct witness_send *s, const char *type,
			  const char *fmt, ...)
{
	va_list ap;

	if (s->n + WORDS_MAX + 400 > OUT_MAX)
		witness_send_write(s);
	if (!*s->error) {
		va_start(ap, fmt);
		witness_send_vline(s, type, fmt, ap);
		va_end(ap);
	}
}

static bool witness_send_is_full(const struct witness_send *s,
				 const struct send_words *w)
{
	return w->count == s->batch ||
	       w->n + WITNESS_WORD_MAX > sizeof(w->text);
}

static void witness_send_add(struct send_words *w, const struct witness_word *word)
{
	w->n = witness_word_put(w->text, w->n, word);
	w->count++;
}

/* Make lines of the words: of what began, before what is done. */
static void witness_send_pack(struct witness_send *s)
{
	if (s->intent.count)
		witness_send_line(s, "intent", "%s,\"w\":\"%.*s\"",
				  s->intent_flags & SEND_TRIM ? ",\"trim\":true"
							      : "",
				  (int)s->intent.n, s->intent.text);
	if (s->done.count)
		witness_send_line(s, "done", ",\"after\":%llu%s%s,\"w\":\"%.*s\"",
				  (unsigned long long)s->after,
				  s->flags & SEND_DURABLE ? ",\"durable\":true"
							  : "",
				  s->flags & SEND_FAILED ? ",\"failed\":true"
							 : "",
				  (int)s->done.n, s->done.text);
	s->intent.n = s->intent.count = 0;
	s->done.n = s->done.count = 0;
}

void witness_send_intent(struct witness_send *s,
			 const struct witness_word *word, unsigned flags)
{
	if (witness_send_is_full(s, &s->intent) ||
	    (s->intent.count && flags != s->intent_flags))
		witness_send_pack(s);
	s->intent_flags = flags;
	witness_send_add(&s->intent, word);
}

void witness_send_done(struct witness_send *s, const struct witness_word *word,
		       uint64_t after, unsigned flags)
{
	if (witness_send_is_full(s, &s->done) ||
	    (s->done.count && (after != s->after || flags != s->flags)))
		witness_send_pack(s);
	s->after = after;
	s->flags = flags;
	witness_send_add(&s->done, word);
}

void witness_send_flush(struct witness_send *s, unsigned target,
			uint64_t number)
{
	witness_send_pack(s);
	witness_send_line(s, "flush", ",\"target\":%u,\"id\":%llu", target,
			  (unsigned long long)number);
}

void witness_send_flushed(struct witness_send *s, unsigned target,
			  uint64_t number, int error)
{
	witness_send_pack(s);
	witness_send_line(s, "flushed",
			  ",\"target\":%u,\"id\":%llu,\"error\":%d", target,
			  (unsigned long long)number, error);
}

void witness_send_plan(struct witness_send *s)
{
	size_t left = strlen(s->plan), part;

	/* It may be longer than the room of the others. */
	for (const char *p = s->plan; left; p += part, left -= part) {
		part = left < OUT_MAX ? left : OUT_MAX;
		memcpy(s->out, p, part);
		s->n = part;
		witness_send_write(s);
	}
}

void witness_send_all(struct witness_send *s)
{
	witness_send_pack(s);
	witness_send_write(s);
}

void witness_send_end(struct witness_send *s, bool failed)
{
	witness_send_pack(s);
	witness_send_line(s, "end", ",\"failed\":%s", failed ? "true" : "false");
	witness_send_write(s);
}

/* --- answers --- */

/* An answer is a number and a newline: the witness has the records up to it. */
static void witness_send_take(struct witness_send *s, const char *p, ssize_t n)
{
	for (; n > 0; n--, p++) {
		if (*p == '\n') {
			uint64_t v = strtoull(s->answer, NULL, 10);

			s->answered = v > s->answered ? v : s->answered;
			memset(s->answer, 0, sizeof(s->answer));
			s->n_answer = 0;
		} else if (s->n_answer + 1 < sizeof(s->answer)) {
			s->answer[s->n_answer++] = *p;
		}
	}
}

void witness_send_wait(struct witness_send *s, int ms)
{
	struct pollfd p = { s->fd, s->socket ? POLLIN : 0, 0 };
	char buf[512];
	ssize_t n;

	if (*s->error) {
		poll(NULL, 0, ms);
		return;
	}
	if (poll(&p, 1, ms) <= 0)
		return;
	if (p.revents & POLLIN) {
		n = read(s->fd, buf, sizeof(buf));
		if (n > 0)
			witness_send_take(s, buf, n);
		else if (n == 0 || errno != EINTR)
			strcpy(s->error, "the witness has closed the connection");
	} else if (p.revents & (POLLERR | POLLHUP)) {
		strcpy(s->error, "the witness is gone");
	}
}

bool witness_send_answered(const struct witness_send *s)
{
	return s->answered >= s->seq;
}

uint64_t witness_send_number(const struct witness_send *s)
{
	return s->answered;
}

const char *witness_send_error(const struct witness_send *s)
{
	return *s->error ? s->error : NULL;
}

/* --- the plan --- */

static void witness_send_add_chain(const struct root *root, dev_t dev, FILE *f,
				   bool *any)
{
	char path[SYSFS_PATH_MAX], cache[32];
	struct tree t = { 0 };

	tree_build(&t, root, dev);
	for (size_t i = 0; i < t.n; i++) {
		const struct tree_device *d = &t.item[i];

		if (d->role != TREE_SELF && d->role != TREE_DISK &&
		    d->role != TREE_MEMBER)
			continue;
		sysfs_path(root, path, d->dev, "queue/write_cache");
		if (root_read_line(root, path, cache, sizeof(cache)) <= 0)
			continue;
		fprintf(f, "%s%s (%s)", *any ? ", " : "", d->name, cache);
		*any = true;
	}
	tree_free(&t);
}

/*
 * "loop3 (write back), vda (write through)": the devices below the target, which
 * are several below a btrfs. The caller frees it.
 */
static char *witness_send_chain_of(const struct root *root,
				   const struct target *t)
{
	char names[256], *rest = names, *name, *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	bool any = false;
	dev_t dev;

	if (!f)
		return xstrdup("");
	target_disks(root, t, names, sizeof(names));
	while ((name = strsep(&rest, " ")))
		if (*name && sysfs_number_of(root, name, &dev))
			witness_send_add_chain(root, dev, f, &any);
	fclose(f);
	return text;
}

static void witness_send_put_file(struct json *j, const struct root *root,
				  const char *path)
{
	struct mounts *mounts = mounts_read(root);
	const struct mount *m = mounts_of_path(mounts, path);
	char *text;

	if (m) {
		text = xasprintf("%s on %s (%s)", m->type, m->source,
				 m->options);
		json_put_text(j, "file_system", text);
		free(text);
	}
	mounts_free(mounts);
}

static struct json *witness_send_target(const struct workload *w,
					const struct target *t)
{
	const struct verify_map *map = t->verify;
	struct json *j = json_new_object();
	char identity[200] = "";
	char *path = realpath(t->path, NULL), *chain;

	json_put_text(j, "path", path ? path : t->path);
	json_put_bool(j, "device", t->is_device);
	json_put_number(j, "interval_bytes", (double)map->bytes);
	json_put_number(j, "first", (double)map->witness_first);
	json_put_number(j, "intervals", (double)map->n);
	json_put_number(j, "atom",
			target_logical_block(w->root, t));
	if (t->is_device) {
		json_put_number(j, "bytes", (double)t->size_bytes);
		if (sysfs_wwid(w->root, t->rdev, identity, sizeof(identity)))
			json_put_text(j, "identity", identity);
	} else {
		witness_send_put_file(j, w->root, path ? path : t->path);
	}
	chain = witness_send_chain_of(w->root, t);
	json_put_text(j, "chain", chain);
	free(chain);
	free(path);
	return j;
}

static void witness_send_put_jobs(struct json *plan, const struct workload *w)
{
	struct json *list = json_new_array();

	for (size_t i = 0; i < w->n; i++) {
		const struct job *job = w->clones[i].job;
		struct json *j;

		if (job->verify == VERIFY_NONE || !job_writes(job))
			continue;
		j = json_new_object();
		json_put_text(j, "name", job->name);
		json_put_text(j, "rw", job_rw_name(job->rw));
		json_put_number(j, "fsync", (double)job->fsync_every);
		json_put_number(j, "fdatasync", (double)job->fdatasync_every);
		json_put_number(j, "verify_offset", (double)job->verify_offset);
		json_put_bool(j, "header_only", job->verify == VERIFY_HEADER);
		json_push(list, j);
	}
	json_put(plan, "job", list);
}

static void witness_send_put_host(struct json *plan, const struct root *root)
{
	char text[128] = "";
	struct timespec now;
	struct tm tm;

	gethostname(text, sizeof(text) - 1);
	json_put_text(plan, "host", text);
	root_boot_id(root, text, sizeof(text));
	json_put_text(plan, "boot_id", text);
	clock_gettime(CLOCK_REALTIME, &now);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ",
		 gmtime_r(&now.tv_sec, &tm));
	json_put_text(plan, "time", text);
}

/* The options of the header's place must be the same in all jobs. */
static int witness_send_check(const struct workload *w)
{
	const struct job *first = NULL;

	for (size_t i = 0; i < w->n; i++) {
		const struct job *job = w->clones[i].job;

		if (job->verify == VERIFY_NONE || !job_writes(job))
			continue;
		if (first && (job->verify_offset != first->verify_offset ||
			      (job->verify == VERIFY_HEADER) !=
				      (first->verify == VERIFY_HEADER)))
			return fail(EINVAL, "--witness needs the same verify "
					    "and verify_offset in all jobs");
		first = job;
	}
	return 0;
}

/* The name of a file is only safe once its directory is synced. */
static int witness_send_sync_name(const struct target *t)
{
	char *dir = text_folder(t->path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

	if (fd < 0 || fsync(fd) || (t->fd >= 0 && fsync(t->fd)))
		rc = fail(errno, "cannot sync the directory of %s: %s", t->path,
			  strerror(errno));
	descriptor_close(fd);
	free(dir);
	return rc;
}

static int witness_send_make_plan(struct witness_send *s,
				  const struct workload *w, bool echo)
{
	struct json *plan = json_new_object(), *list = json_new_array();
	const char *text;
	char run[20];
	size_t n;
	int rc = witness_send_check(w);

	json_put_text(plan, "type", "plan");
	json_put_number(plan, "seq", 1);
	json_put_number(plan, "t", 0);
	json_put_number(plan, "schema", 1);
	json_put_text(plan, "mode", echo ? "echo" : "stream");
	witness_send_put_host(plan, w->root);
	witness_send_put_jobs(plan, w);
	for (size_t i = 0; i < w->targets.n && rc == 0; i++) {
		const struct target *t = w->targets.item[i];
		struct json *j;

		if (!t->verify)
			continue;
		if (!t->is_device)
			rc = witness_send_sync_name(t);
		j = witness_send_target(w, t);
		snprintf(run, sizeof(run), "%016llx",
			 (unsigned long long)t->verify->run);
		json_put_text(j, "run", run);
		json_push(list, j);
	}
	json_put(plan, "target", list);
	text = json_text(plan, &n);
	if (rc == 0 && n + WITNESS_END_MAX > WITNESS_LINE_MAX)
		rc = fail(EINVAL, "--witness cannot name so many files; use "
				  "fewer of them");
	if (rc == 0) {
		s->plan = xcalloc(1, n + WITNESS_END_MAX);
		memcpy(s->plan, text, n - 1);
		witness_line_end(s->plan, n - 1);
	}
	json_free(plan);
	return rc;
}

int witness_send_open(struct witness_send **out, const struct workload *w,
		      const struct witness_options *o)
{
	struct witness_send *s = *out = xcalloc(1, sizeof(*s));

	s->fd = o->fd;
	s->socket = o->socket;
	s->batch = o->batch ? o->batch : WITNESS_BATCH;
	s->begin_ns = clock_mono_ns();
	s->seq = 1;
	return witness_send_make_plan(s, w, o->echo);
}

void witness_send_close(struct witness_send *s)
{
	if (!s)
		return;
	free(s->plan);
	free(s);
}
