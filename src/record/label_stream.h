/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Label stream: the logs of several hosts in one stream of lines, each with the
 * label of its host before it, as clush, pdsh, srun --label and kubectl logs
 * --prefix print them.
 *
 * Everything before the first '{' of a line is its label; the pieces into which
 * srun cuts a line are put together. A header begins a host. The lines of each
 * host go to a temporary file without a name, which is then a log as any other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/json.h"
#include "model/frame.h"
#include "model/header.h"

#define LABEL_STREAM_HOSTS 4096

/* A host of the stream. */
struct label_stream_host {
	char label[HOST_LABEL_MAX]; /* made fit to show; "node1#2": the second */
	int fd;		/* its log: the lines without the label */
	uint64_t bytes; /* of the log */
	char *prefix;	/* the label as it stands in the lines */
	bool again;	/* a later header of that label began another host */
};

/* Lines of a label that are no log. */
struct label_stream_refused {
	char label[HOST_LABEL_MAX];
	uint64_t lines;
	char first[128]; /* the first of them, made fit to show */
};

/*
 * What a reader of the stream calls, each for the i-th host. arrived_ns: the
 * wall clock when the line was read. frame, line: as log_visitor. NULL: none.
 */
struct label_stream_visitor {
	void (*frame)(size_t host, const struct frame *f, uint64_t arrived_ns,
		      void *arg);
	void (*line)(size_t host, const char *type, struct json *line,
		     uint64_t arrived_ns, void *arg);
	void *arg;
};

/* Whether the first line of a file, or of what waits in a pipe ("-": stdin), has
 * a label. Waits for the first bytes of a pipe and leaves them there. */
bool label_stream_is(const char *path);

struct label_stream;

/* Open a file, or "-". 0, or -errno with a sentence. */
int label_stream_open(struct label_stream **out, const char *path,
		      const struct label_stream_visitor *visitor) must_check;
void label_stream_free(struct label_stream *s);
/* The descriptor to poll. */
int label_stream_fd(const struct label_stream *s);
/*
 * Take what can be read at once. 1: something came; 0: the end, a file may
 * still grow; -errno with a sentence.
 */
int label_stream_read(struct label_stream *s) must_check;

size_t label_stream_hosts(const struct label_stream *s);
const struct label_stream_host *label_stream_host(const struct label_stream *s,
						  size_t i);
/* The labels with lines that are no log; NULL: no more. */
const struct label_stream_refused *
label_stream_refused(const struct label_stream *s, size_t i);
