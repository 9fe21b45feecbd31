/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network mounts: what the NFS client counts for each mount, in mountstats
 * (nfs_show_stats() in fs/nfs/super.c, rpc_clnt_show_stats()
 * in net/sunrpc/stats.c). CIFS and others have no such statistics.
 */
#include "collect/collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "block/mounts.h"
#include "model/schema/schema_machine.h"

/* Where there is no NFS, look for one so often. */
#define LOOK_NS (10 * NS_PER_S)
/* An NFS of version 4 has about 5 kB, any other mount 60 bytes. */
#define TEXT_MOST (4 << 20)
#define ROWS_MOST 256

/* What a server answered so far, to see that it answers no more. */
struct mount_answers {
	char id[ROW_ID_MAX];
	uint64_t received, since_ns; /* since_ns 0: it answers */
};

struct mounts_state {
	struct collector_env *env;
	char *text;
	size_t size;
	uint64_t looked_ns; /* 0: read at each sample */
	struct mount_answers answers[ROWS_MOST];
	size_t n_answers;
};

static int mounts_open(struct collector_env *env, void *state)
{
	struct mounts_state *m = state;

	m->env = env;
	return 0;
}

/* "\040" is a blank. */
static void collect_mounts_decode(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' &&
		    p[2] <= '7' && p[3] >= '0' && p[3] <= '7') {
			*to = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 +
				     (p[3] - '0'));
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

static void collect_mounts_name(char *out, size_t size, const char *from,
				const char *end)
{
	char *text = xasprintf("%.*s", (int)(end - from), from);

	collect_mounts_decode(text);
	text_copy_end(out, size, text);
	text_clean(out);
	free(text);
}

/* "device SOURCE mounted on POINT with fstype TYPE statvers=1.1" */
static struct mount_raw *collect_mounts_begin(struct sample *s, const char *line)
{
	const char *on = strstr(line, " mounted on "), *with, *stats;
	struct mount_raw *raw;

	with = on ? strstr(on, " with fstype nfs") : NULL;
	stats = with ? strstr(with, " statvers=") : NULL;
	if (!stats || strncmp(line, "device ", 7) != 0 ||
	    s->table[SCHEMA_MOUNT].n >= ROWS_MOST)
		return NULL;
	raw = sample_add(s, SCHEMA_MOUNT);
	collect_mounts_name(raw->key.id, sizeof(raw->key.id), on + 12, with);
	collect_mounts_name(raw->source, sizeof(raw->source), line + 7, on);
	collect_mounts_name(raw->type, sizeof(raw->type), with + 13, stats);
	return raw;
}

/* Of several connections (nconnect) the sums. */
static void collect_mounts_connection(struct mount_raw *raw, const char *line)
{
	unsigned long long sent, received;
	char kind[16];
	int n = 0;

	if (sscanf(line, "%15s%n", kind, &n) != 1)
		return;
	/* Ports, connections and times before the two: one more of TCP. */
	if (sscanf(line + n, strcmp(kind, "udp") ? "%*s %*s %*s %*s %*s %llu %llu"
						 : "%*s %*s %llu %llu",
		   &sent, &received) != 2)
		return;
	raw->sent += sent;
	raw->received += received;
}

/* "READ: OPS SENT TIMEOUTS BYTES_SENT BYTES_RECEIVED QUEUE RTT EXECUTE [ERRORS]" */
static void collect_mounts_op(struct mount_raw *raw, const char *line)
{
	enum mount_ops which = !strncmp(line, "READ:", 5)    ? MOUNT_READ
			       : !strncmp(line, "WRITE:", 6) ? MOUNT_WRITE
							     : MOUNT_OTHER;
	struct mount_op *op = &raw->op[which];
	unsigned long long v[8];

	line += strcspn(line, ":");
	if (*line != ':' ||
	    sscanf(line + 1, "%llu %llu %llu %llu %llu %llu %llu %llu", &v[0],
		   &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) != 8)
		return;
	op->ops += v[0];
	raw->retransmits += v[1] > v[0] ? v[1] - v[0] : 0;
	raw->timeouts += v[2];
	op->queue_ms += v[5];
	op->rtt_ms += v[6];
	op->execute_ms += v[7];
}

static void collect_mounts_line(struct mount_raw *raw, bool *in_ops,
				const char *line)
{
	unsigned long long read, written;

	if (!strncmp(line, "bytes:", 6)) {
		if (sscanf(line + 6, "%*s %*s %*s %*s %llu %llu", &read,
			   &written) == 2) {
			raw->read_bytes = read;
			raw->write_bytes = written;
		}
	} else if (!strncmp(line, "xprt:", 5)) {
		collect_mounts_connection(raw, line + 5);
	} else if (!strncmp(line, "per-op statistics", 17)) {
		*in_ops = true;
	} else if (*in_ops) {
		collect_mounts_op(raw, line);
	}
}

static void collect_mounts_parse(struct sample *s, char *text)
{
	struct mount_raw *raw = NULL;
	bool in_ops = false;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		line += strspn(line, " \t");
		if (!strncmp(line, "device ", 7) ||
		    !strncmp(line, "no device ", 10)) {
			raw = collect_mounts_begin(s, line);
			in_ops = false;
		} else if (raw) {
			collect_mounts_line(raw, &in_ops, line);
		}
	}
}

static struct mount_answers *collect_mounts_answers(struct mounts_state *m,
						    const char *id)
{
	struct mount_answers *a;

	for (size_t i = 0; i < m->n_answers; i++)
		if (!strcmp(m->answers[i].id, id))
			return &m->answers[i];
	/* Mounts that went make room for others. */
	if (m->n_answers == ROWS_MOST)
		m->n_answers = 0;
	a = &m->answers[m->n_answers++];
	memset(a, 0, sizeof(*a));
	text_set(a->id, id);
	return a;
}

static void collect_mounts_stall(struct mounts_state *m, struct mount_raw *raw,
				 uint64_t now_ns)
{
	struct mount_answers *a = collect_mounts_answers(m, raw->key.id);
	bool waits = raw->sent > raw->received && raw->received == a->received;

	if (!waits)
		a->since_ns = 0;
	else if (!a->since_ns)
		a->since_ns = now_ns;
	a->received = raw->received;
	raw->stall_ns = a->since_ns ? now_ns - a->since_ns : 0;
}

static void mounts_sample(void *state, struct sample *s)
{
	struct mounts_state *m = state;
	const struct root *root = m->env->files.root;
	ssize_t n;

	if (m->looked_ns && s->mono_ns - m->looked_ns < LOOK_NS)
		return;
	m->text = m->text ? m->text : xmalloc(m->size = 16 << 10);
	while ((n = root_read(root, MOUNTS_STATISTICS, m->text, m->size)) > 0 &&
	       (size_t)n + 1 >= m->size && m->size < TEXT_MOST)
		m->text = xrealloc(m->text, m->size *= 2);
	if (n > 0)
		collect_mounts_parse(s, m->text);
	m->looked_ns = s->table[SCHEMA_MOUNT].n ? 0 : s->mono_ns;
	for (size_t i = 0; i < s->table[SCHEMA_MOUNT].n; i++)
		collect_mounts_stall(m, sample_row(s, SCHEMA_MOUNT, i),
				     s->mono_ns);
}

static void mounts_close(void *state)
{
	struct mounts_state *m = state;

	free(m->text);
}

const struct collector collector_mounts = {
	.size = sizeof(struct mounts_state),
	.open = mounts_open,
	.sample = mounts_sample,
	.close = mounts_close,
};
