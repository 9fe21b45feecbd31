/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text file: one thread, one text that waits. */
#include "record/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"

struct text_file {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char *path, *aside;
	const char *begin; /* of each text */
	char *waiting; /* the next text */
	bool writing, ends, left; /* left: the owner is gone, the thread frees */
	bool begun;    /* there is a thread */
	int error, told; /* of the last text; the one that was complained of */
	char words[512];
};

static void text_file_destroy(struct text_file *t)
{
	free(t->path);
	free(t->aside);
	free(t->waiting);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->changed);
	free(t);
}

/* Whether the name is free, or has a text of an earlier run: 0 or an errno. */
static int check_name(const struct text_file *t, const char *path)
{
	char begin[TEXT_FILE_BEGIN_MAX];
	struct stat st;
	ssize_t n;
	int fd;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : errno;
	if (!S_ISREG(st.st_mode))
		return EEXIST;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno;
	n = read(fd, begin, strlen(t->begin));
	close(fd);
	return n < 0 ? errno : memcmp(begin, t->begin, (size_t)n) ? EEXIST : 0;
}

/* Make PATH.tmp, which a killed run may have left: a descriptor or -errno. */
static int make_aside(const struct text_file *t)
{
	int err = check_name(t, t->path), fd;

	if (!err)
		err = check_name(t, t->aside);
	if (err)
		return -err;
	(void)unlink(t->aside);
	fd = open(t->aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : fd;
}

/* 0 or an errno. */
static int text_file_replace(const struct text_file *t, const char *text)
{
	int fd = make_aside(t), err;

	if (fd < 0)
		return -fd;
	err = -descriptor_write(fd, text, strlen(text), -1);
	if (close(fd) < 0 && !err)
		err = errno;
	if (!err && rename(t->aside, t->path) < 0)
		err = errno;
	if (err)
		(void)unlink(t->aside);
	return err;
}

static void *text_file_write(void *arg)
{
	struct text_file *t = arg;
	bool left;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		char *text = t->waiting;
		int err;

		if (!text && t->ends)
			break;
		if (!text) {
			pthread_cond_wait(&t->changed, &t->lock);
			continue;
		}
		t->waiting = NULL;
		t->writing = true;
		pthread_mutex_unlock(&t->lock);
		err = text_file_replace(t, text);
		free(text);
		pthread_mutex_lock(&t->lock);
		t->writing = false;
		t->error = err;
		pthread_cond_broadcast(&t->changed);
	}
	t->begun = false;
	pthread_cond_broadcast(&t->changed);
	left = t->left;
	pthread_mutex_unlock(&t->lock);
	if (left)
		text_file_destroy(t);
	return NULL;
}

static struct text_file *text_file_new(const char *path, const char *begin)
{
	struct text_file *t = xcalloc(1, sizeof(*t));
	pthread_condattr_t attr;

	t->path = xstrdup(path);
	t->aside = xasprintf("%s.tmp", path);
	t->begin = begin;
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&t->changed, &attr);
	pthread_condattr_destroy(&attr);
	return t;
}

int text_file_open(struct text_file **out, const char *path, const char *begin)
{
	struct text_file *t = text_file_new(path, begin);
	int fd = make_aside(t);

	if (fd >= 0) {
		close(fd);
		(void)unlink(t->aside);
		*out = t;
		return 0;
	}
	text_file_destroy(t);
	*out = NULL;
	if (fd == -EEXIST)
		return fail(EEXIST,
			    "%s or %s.tmp exists and was not written by iodyno; "
			    "remove it or give another name",
			    path, path);
	/* EPERM and EINVAL have other meanings for the caller. */
	return fail(fd == -EPERM || fd == -EINVAL ? EACCES : -fd,
		    "%s cannot be written: %s; give the name of a file in a "
		    "folder that this user may write",
		    path, strerror(-fd));
}

/* The signals of the program are for its main thread. */
static int text_file_begin(struct text_file *t)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, text_file_write, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_detach(thread);
	return err;
}

void text_file_put(struct text_file *t, char *text)
{
	pthread_mutex_lock(&t->lock);
	free(t->waiting);
	t->waiting = text;
	if (!t->begun) {
		int err = text_file_begin(t);

		t->begun = !err;
		t->error = err ? err : t->error;
	}
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
}

const char *text_file_complaint(struct text_file *t)
{
	bool new;

	pthread_mutex_lock(&t->lock);
	new = t->error && t->error != t->told;
	t->told = t->error;
	pthread_mutex_unlock(&t->lock);
	if (!new)
		return NULL;
	snprintf(t->words, sizeof(t->words),
		 "cannot write the metrics %.300s: %s; each interval tries "
		 "again",
		 t->path, strerror(t->told));
	return t->words;
}

void text_file_wait(struct text_file *t)
{
	const struct timespec until =
		clock_timespec(clock_mono_ns() + NS_PER_S);
	int err = 0;

	pthread_mutex_lock(&t->lock);
	while (t->begun && !err && (t->waiting || t->writing || t->ends))
		err = pthread_cond_timedwait(&t->changed, &t->lock, &until);
	pthread_mutex_unlock(&t->lock);
}

void text_file_free(struct text_file *t)
{
	bool begun;

	pthread_mutex_lock(&t->lock);
	t->ends = true;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	text_file_wait(t);
	pthread_mutex_lock(&t->lock);
	begun = t->begun;
	t->left = begun;
	pthread_mutex_unlock(&t->lock);
	/* A thread that hangs on its disk frees it, if it ever ends. */
	if (!begun)
		text_file_destroy(t);
}
