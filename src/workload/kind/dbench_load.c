/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dbench load: read a loadfile, or make one. */
#include "workload/kind/dbench_load.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/random.h"
#include "base/text.h"

#define PACKAGED    "/usr/share/dbench/client.txt"
#define FILE_MAX    (256l << 20)
#define OPS_MAX     (16u << 20)
#define PATH_MAX_   512
#define BYTES_MAX   (16u << 20)
#define OFFSET_MAX  (1ull << 40)
#define HANDLES_MAX 65536
#define CLIENT      "client1"

const struct dbench_syntax dbench_syntax[DBENCH_TYPES] = {
	[DBENCH_NTCREATEX] = { "NTCreateX", "NTCreateX", 1, "cdh" },
	[DBENCH_CLOSE] = { "Close", "Close", 0, "h" },
	[DBENCH_RENAME] = { "Rename", "Rename", 2, "" },
	[DBENCH_UNLINK] = { "Unlink", "Unlink", 1, "-" },
	[DBENCH_DELTREE] = { "Deltree", "Deltree", 1, "" },
	[DBENCH_RMDIR] = { "Rmdir", "Rmdir", 1, "" },
	[DBENCH_MKDIR] = { "Mkdir", "Mkdir", 1, "" },
	[DBENCH_QPATHINFO] = { "Qpathinfo", "QUERY_PATH_INFORMATION", 1, "-" },
	[DBENCH_QFILEINFO] = { "Qfileinfo", "QUERY_FILE_INFORMATION", 0, "h-" },
	[DBENCH_QFSINFO] = { "Qfsinfo", "QUERY_FS_INFORMATION", 0, "-" },
	[DBENCH_SFILEINFO] = { "Sfileinfo", "SET_FILE_INFORMATION", 0, "h-" },
	[DBENCH_FIND] = { "Find", "FIND_FIRST", 1, "-b-" },
	[DBENCH_WRITEX] = { "WriteX", "WriteX", 0, "hob-" },
	[DBENCH_READX] = { "ReadX", "ReadX", 0, "hob-" },
	[DBENCH_LOCKX] = { "LockX", "LockX", 0, "hob" },
	[DBENCH_UNLOCKX] = { "UnlockX", "UnlockX", 0, "hob" },
	[DBENCH_FLUSH] = { "Flush", "Flush", 0, "h" },
};

/* --- paths --- */

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct dbench_path *)a)->name,
		      ((const struct dbench_path *)b)->name);
}

static uint32_t add_path(struct dbench_load *l, char *whole)
{
	const char *client = strstr(whole, CLIENT);
	const struct dbench_path key = { .name = whole };
	struct dbench_path **same = tfind(&key, &l->by_name, compare_paths), *p;

	if (same)
		return (*same)->index;
	p = xcalloc(1, sizeof(*p));
	*p = (struct dbench_path){ .name = xstrdup(whole),
				   .client_at = client ? (int)(client - whole)
						       : -1,
				   .index = (uint32_t)l->n_paths };
	*xadd(l->path, l->n_paths, l->cap_paths) = p;
	if (!tsearch(p, &l->by_name, compare_paths))
		die("out of memory (paths of a loadfile)");
	return p->index;
}

static void free_path(void *path)
{
	free(((struct dbench_path *)path)->name);
	free(path);
}

const char *dbench_load_path(const struct dbench_load *l, uint32_t path,
			     unsigned client, char *buf, size_t size)
{
	const struct dbench_path *p = l->path[path];
	int n;

	if (p->client_at < 0)
		return p->name;
	n = snprintf(buf, size, "%.*sclient%u%s", p->client_at, p->name, client,
		     p->name + p->client_at + strlen(CLIENT));
	return n < 0 || (size_t)n >= size ? "" : buf;
}

/* Whether a relative path, in place, stays below where it begins. */
static bool clean_path(char *path)
{
	char *to = path;

	for (const char *p = path; *p;) {
		const char *end = p + strcspn(p, "/\\");
		size_t n = (size_t)(end - p);

		if (n == 2 && p[0] == '.' && p[1] == '.')
			return false;
		if (n && !(n == 1 && *p == '.')) {
			if (to != path)
				*to++ = '/';
			memmove(to, p, n);
			to += n;
		}
		p = *end ? end + 1 : end;
	}
	*to = '\0';
	return to != path && strlen(path) < PATH_MAX_;
}

/* --- a synthetic loadfile --- */

/*
 * A tenth of the counts of a pass of dbench 4's client.txt. Each session opens
 * a file, works on it and closes it; what happens n times in a pass happens in
 * n of the sessions, evenly spread.
 */
enum {
	SESSIONS = 5820, /* NTCreateX that succeed */
	CREATED = 1606,  /* of them: files that are new */
	MISSING = 2103,  /* NTCreateX of names that are not there */
	READS = 12420,
	WRITES = 3950,
	FLUSHES = 555,
	QPATHS = 4743,
	QPATHS_MISSING = 2438,
	QFILES = 1258,
	QFS = 1317,
	SFILES = 645,
	FINDS = 1344,
	FINDS_MISSING = 1433,
	UNLINKS = 1600,
	RENAMES = 335,
	LOCKS = 26,
	BASES = 50,      /* files that stay */
	BASE_BLOCKS = 7, /* of 64 KiB */
	ROUNDS = SESSIONS - BASES - 3,
};

#define BLOCK 65536u
#define DIR_  "\\clients\\client1\\~dmtmp"

struct load_maker {
	FILE *out;
	struct random random;
	unsigned session, made, gone; /* temporary files: made and removed */
	unsigned handle;
	bool temporary; /* the file that is open */
};

/* How many of n fall into this session. */
static unsigned share(const struct load_maker *m, unsigned n)
{
	return (unsigned)((uint64_t)(m->session + 1) * n / ROUNDS -
			  (uint64_t)m->session * n / ROUNDS);
}

/* With the files that stay: 64 KiB 32 %, 4 KiB 25 %, 1 byte 19 %, the rest
 * 16 KiB. */
static unsigned dbench_load_write_bytes(struct load_maker *m)
{
	uint64_t n = random_below(&m->random, 100);

	return n < 25 ? BLOCK : n < 53 ? 4096 : n < 74 ? 1 : 16384;
}

/* 4 KiB 67 %, 60 KiB 13 %, the rest 5.5 KiB. */
static unsigned dbench_load_read_bytes(struct load_maker *m)
{
	uint64_t n = random_below(&m->random, 100);

	return n < 67 ? 4096 : n < 80 ? 61440 : 5632;
}

static unsigned offset_of(struct load_maker *m)
{
	return (unsigned)random_below(&m->random, BASE_BLOCKS - 1) * BLOCK;
}

static void make_bases(struct load_maker *m)
{
	fprintf(m->out,
		"Deltree \"\\clients\\client1\" NT_STATUS_OK\n"
		"Mkdir \"\\clients\" NT_STATUS_OK\n"
		"NTCreateX \"\\clients\\client1\" 0x1 0x2 1 NT_STATUS_OK\n"
		"Close 1 NT_STATUS_OK\n"
		"NTCreateX \"" DIR_ "\" 0x1 0x2 1 NT_STATUS_OK\n"
		"Close 1 NT_STATUS_OK\n");
	for (unsigned i = 0; i < BASES; i++) {
		fprintf(m->out,
			"NTCreateX \"" DIR_ "\\BASE%02u.DAT\" 0x40 0x2 1 "
			"NT_STATUS_OK\n",
			i);
		for (unsigned j = 0; j < BASE_BLOCKS; j++)
			fprintf(m->out, "WriteX 1 %u %u %u NT_STATUS_OK\n",
				j * BLOCK, BLOCK, BLOCK);
		fprintf(m->out, "Close 1 NT_STATUS_OK\n");
	}
}

/* Queries about files that are not open. */
static void make_queries(struct load_maker *m)
{
	for (unsigned i = share(m, MISSING); i; i--)
		fprintf(m->out,
			"NTCreateX \"" DIR_ "\\NONE%u.DAT\" 0x40 0x1 2 "
			"NT_STATUS_OBJECT_NAME_NOT_FOUND\n",
			m->session % 100);
	for (unsigned i = share(m, QPATHS); i; i--)
		fprintf(m->out,
			"QUERY_PATH_INFORMATION \"" DIR_ "\\BASE%02u.DAT\" "
			"1004 NT_STATUS_OK\n",
			(m->session + i) % BASES);
	for (unsigned i = share(m, QPATHS_MISSING); i; i--)
		fprintf(m->out,
			"QUERY_PATH_INFORMATION \"" DIR_ "\\NONE%u.TMP\" 1004 "
			"NT_STATUS_OBJECT_NAME_NOT_FOUND\n",
			m->session % 100);
	for (unsigned i = share(m, FINDS); i; i--)
		fprintf(m->out,
			"FIND_FIRST \"" DIR_ "\\BASE%02u.DAT\" 260 1366 1 "
			"NT_STATUS_OK\n",
			m->session % BASES);
	for (unsigned i = share(m, FINDS_MISSING); i; i--)
		fprintf(m->out, "FIND_FIRST \"" DIR_ "\\NONE.*\" 260 1366 0 "
				"NT_STATUS_NO_SUCH_FILE\n");
	for (unsigned i = share(m, QFS); i; i--)
		fprintf(m->out, "QUERY_FS_INFORMATION 1 NT_STATUS_OK\n");
}

static void make_io(struct load_maker *m)
{
	const unsigned h = m->handle;

	for (unsigned i = share(m, WRITES - BASES * BASE_BLOCKS); i; i--) {
		unsigned n = dbench_load_write_bytes(m);

		fprintf(m->out, "WriteX %u %u %u %u NT_STATUS_OK\n", h,
			m->temporary ? 0 : offset_of(m), n, n);
	}
	for (unsigned i = share(m, FLUSHES); i; i--)
		fprintf(m->out, "Flush %u NT_STATUS_OK\n", h);
	for (unsigned i = share(m, QFILES); i; i--)
		fprintf(m->out, "QUERY_FILE_INFORMATION %u 258 NT_STATUS_OK\n",
			h);
	for (unsigned i = share(m, LOCKS); i; i--)
		fprintf(m->out,
			"LockX %u 0 100 NT_STATUS_OK\n"
			"UnlockX %u 0 100 NT_STATUS_OK\n",
			h, h);
	for (unsigned i = share(m, SFILES); i; i--)
		fprintf(m->out, "SET_FILE_INFORMATION %u 1004 NT_STATUS_OK\n",
			h);
}

/* Read files that have their size already. */
static void make_reads(struct load_maker *m)
{
	for (unsigned i = share(m, READS); i; i--) {
		unsigned n = dbench_load_read_bytes(m);

		fprintf(m->out, "ReadX 1 %u %u %u NT_STATUS_OK\n", offset_of(m),
			n, n);
	}
}

static void make_session(struct load_maker *m)
{
	m->temporary = share(m, CREATED - BASES);
	m->handle = 2;
	make_queries(m);
	if (m->temporary)
		fprintf(m->out,
			"NTCreateX \"" DIR_ "\\T%u.TMP\" 0x40 0x2 2 "
			"NT_STATUS_OK\n",
			m->made++ % 1000);
	else
		fprintf(m->out,
			"NTCreateX \"" DIR_ "\\BASE%02u.DAT\" 0x40 0x1 2 "
			"NT_STATUS_OK\n",
			m->session % BASES);
	make_io(m);
	make_reads(m);
	fprintf(m->out, "Close 2 NT_STATUS_OK\n");
	for (unsigned i = share(m, RENAMES / 2); i; i--)
		fprintf(m->out,
			"Rename \"" DIR_ "\\BASE%02u.DAT\" \"" DIR_ "\\R.TMP\" "
			"NT_STATUS_OK\n"
			"Rename \"" DIR_ "\\R.TMP\" \"" DIR_ "\\BASE%02u.DAT\" "
			"NT_STATUS_OK\n",
			m->session % BASES, m->session % BASES);
	for (unsigned i = share(m, UNLINKS); i && m->made > m->gone; i--)
		fprintf(m->out,
			"Unlink \"" DIR_ "\\T%u.TMP\" 0x6 NT_STATUS_OK\n",
			m->gone++ % 1000);
}

/*
 * The synthetic loadfile, as text owned by the caller: one tenth of a pass of
 * client.txt, with its counts of operations, sizes of reads and writes, and
 * share of names that are not there.
 */
static char *dbench_load_make(void)
{
	struct load_maker m = { .made = 0 };
	char *text = NULL;
	size_t size;

	m.out = open_memstream(&text, &size);
	if (!m.out)
		return xstrdup("");
	random_seed(&m.random, 1);
	make_bases(&m);
	fprintf(m.out, "NTCreateX \"" DIR_ "\\BASE00.DAT\" 0x40 0x1 1 "
		       "NT_STATUS_OK\n");
	for (; m.session < ROUNDS; m.session++)
		make_session(&m);
	fprintf(m.out, "Close 1 NT_STATUS_OK\n");
	while (m.made > m.gone)
		fprintf(m.out,
			"Unlink \"" DIR_ "\\T%u.TMP\" 0x6 NT_STATUS_OK\n",
			m.gone++ % 1000);
	fprintf(m.out, "Deltree \"\\clients\\client1\" NT_STATUS_OK\n");
	fclose(m.out);
	return text;
}

/* --- lines --- */

struct load_reading {
	struct dbench_load *load;
	const char *job;
	unsigned line;
	uint32_t *opened; /* path of each handle */
};

static int dbench_load_bad(const struct load_reading *r, const char *what,
			   const char *word)
{
	return fail(EINVAL, "job %s: line %u of the loadfile %s: %s%.60s",
		    r->job, r->line, r->load->source, what, word);
}

/* The next word; quotes hold blanks. NULL: no more. */
static char *dbench_load_next_word(char **at)
{
	char *p = *at + strspn(*at, " \t\r"), *end;

	if (!*p)
		return NULL;
	if (*p == '"') {
		end = strchr(++p, '"');
		if (!end)
			return NULL;
	} else {
		end = p + strcspn(p, " \t\r");
	}
	*at = *end ? end + 1 : end;
	*end = '\0';
	return p;
}

static int read_paths(struct load_reading *r, struct dbench_op *op, char **at)
{
	for (unsigned i = 0; i < dbench_syntax[op->type].paths; i++) {
		char *word = dbench_load_next_word(at);

		if (!word)
			return dbench_load_bad(r, "a path is missing", "");
		if (!clean_path(word))
			return dbench_load_bad(
				r, "this path cannot be used: ", word);
		*(i ? &op->to : &op->path) = add_path(r->load, word);
	}
	return 0;
}

static int dbench_load_put_number(struct load_reading *r, struct dbench_op *op,
				  char what, unsigned long long n)
{
	switch (what) {
	case 'h':
		if (n >= HANDLES_MAX)
			return dbench_load_bad(r, "a handle is 65535 at most",
					       "");
		op->handle = (uint16_t)n;
		if (n >= r->load->handles)
			r->load->handles = (unsigned)n + 1;
		break;
	case 'o':
		if (n > OFFSET_MAX)
			return dbench_load_bad(r, "an offset is 1 TiB at most",
					       "");
		op->offset = n;
		break;
	case 'b':
		if (n > BYTES_MAX)
			return dbench_load_bad(r, "a size is 16 MiB at most",
					       "");
		op->bytes = (uint32_t)n;
		break;
	case 'c':
		op->flags |= n & 1 ? DBENCH_DIRECTORY : 0;
		break;
	case 'd':
		op->flags |= n == 2                  ? DBENCH_CREATE
			     : n == 4 || n == 5 ? DBENCH_CREATE |
							  DBENCH_TRUNCATE
						: 0;
		break;
	default:
		break;
	}
	return 0;
}

static int read_numbers(struct load_reading *r, struct dbench_op *op, char **at)
{
	for (const char *p = dbench_syntax[op->type].numbers; *p; p++) {
		char *word = dbench_load_next_word(at), *end;
		unsigned long long n;
		int rc;

		if (!word)
			return dbench_load_bad(r, "a number is missing", "");
		n = strtoull(word, &end, 0);
		if (*end || end == word || *word == '-')
			return dbench_load_bad(r,
					       "this is not a number: ", word);
		rc = dbench_load_put_number(r, op, *p, n);
		if (rc)
			return rc;
	}
	return 0;
}

/* Add the operation to the sums. */
static void dbench_load_sum_up(struct load_reading *r,
			       const struct dbench_op *op)
{
	const bool reads = op->type == DBENCH_READX,
		   writes = op->type == DBENCH_WRITEX;
	struct dbench_load *l = r->load;
	struct dbench_path *p;

	l->count[op->type]++;
	if (op->type == DBENCH_NTCREATEX && op->succeeds)
		r->opened[op->handle] = op->path + 1;
	if ((reads || writes) && op->bytes > l->most_bytes)
		l->most_bytes = op->bytes;
	l->read_bytes += reads ? op->bytes : 0;
	l->written_bytes += writes ? op->bytes : 0;
	if (!writes || !r->opened[op->handle])
		return;
	p = l->path[r->opened[op->handle] - 1];
	if (p->bytes < op->offset + op->bytes)
		p->bytes = op->offset + op->bytes;
}

static int dbench_load_read_line(struct load_reading *r, char *line)
{
	struct dbench_load *l = r->load;
	struct dbench_op op = { .line = r->line };
	char *word = dbench_load_next_word(&line);
	size_t type;
	int rc;

	/* Skip a time in front: dbench 4 does not wait for it either. */
	if (word && strspn(word, "0123456789.") == strlen(word))
		word = dbench_load_next_word(&line);
	if (!word || *word == '#')
		return 0;
	type = text_find(word, dbench_syntax, DBENCH_TYPES, word);
	if (type == DBENCH_TYPES)
		return dbench_load_bad(r, "there is no operation ", word);
	op.type = (uint8_t)type;
	rc = read_paths(r, &op, &line);
	if (rc == 0)
		rc = read_numbers(r, &op, &line);
	if (rc)
		return rc;
	word = dbench_load_next_word(&line);
	if (!word)
		return dbench_load_bad(r, "the status is missing", "");
	op.succeeds = !strcmp(word, "NT_STATUS_OK") || !strcmp(word, "SUCCESS");
	if (l->n_ops == OPS_MAX)
		return dbench_load_bad(r, "there are too many operations", "");
	dbench_load_sum_up(r, &op);
	*xadd(l->op, l->n_ops, l->cap_ops) = op;
	return 0;
}

int dbench_load_text(struct dbench_load **out, const char *job,
		     const char *source, char *text)
{
	struct load_reading r = { .load = xcalloc(1, sizeof(**out)), .job = job };
	struct dbench_load *l = r.load;
	int rc = 0;

	l->source = xstrdup(source);
	r.opened = xcalloc(HANDLES_MAX, sizeof(*r.opened));
	for (char *line = text; line && rc == 0;) {
		char *next = strchr(line, '\n');

		if (next)
			*next++ = '\0';
		r.line++;
		rc = dbench_load_read_line(&r, line);
		line = next;
	}
	free(r.opened);
	if (rc == 0 && !l->n_ops)
		rc = fail(EINVAL, "job %s: the loadfile %s has no operation",
			  job, source);
	for (size_t i = 0; i < l->n_paths; i++)
		l->footprint_bytes += l->path[i]->bytes;
	if (rc)
		dbench_load_free(l);
	else
		*out = l;
	return rc;
}

void dbench_load_free(struct dbench_load *l)
{
	if (!l)
		return;
	tdestroy(l->by_name, free_path);
	free(l->source);
	free(l->op);
	free(l->path);
	free(l);
}

static int dbench_load_read_file(const char *job, const char *file, char **out)
{
	ssize_t n = descriptor_text(file, FILE_MAX, out);

	if (n >= 0)
		return 0;
	return fail(n == -EINVAL ? EFBIG : (int)-n,
		    "job %s: cannot read the loadfile %s: %s; give "
		    "loadfile=synthetic for one of iodyno's own",
		    job, file,
		    n == -EINVAL ? "it is not a regular file, or is larger "
				   "than 256 MiB"
				 : strerror((int)-n));
}

int dbench_load(struct dbench_load **out, const char *job, const char *file)
{
	char *text = NULL;
	struct stat st;
	int rc;

	if (!file)
		file = stat(PACKAGED, &st) ? "synthetic" : PACKAGED;
	if (!strcmp(file, "synthetic")) {
		text = dbench_load_make();
	} else {
		rc = dbench_load_read_file(job, file, &text);
		if (rc)
			return rc;
	}
	rc = dbench_load_text(out, job, file, text);
	free(text);
	return rc;
}
