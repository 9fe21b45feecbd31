/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile: the table of known programs, and the reader of their lines. */
#include "workload/kind/program.h"

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"
#include "model/job/job.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"

#define GROUPS   10
#define DOCUMENT (16u << 20) /* the longest JSON document, bytes */

enum when { INTERVAL, FINAL, BOTH };

/* A metric of a known program. */
struct known_metric {
	const char *name, *pattern;
	unsigned group; /* of the figure; the next is its unit; 0: the first */
	enum when when;
	int better;
	double scale; /* to the base unit, where no unit is read; 0 is 1 */
	bool used;    /* 0 means that there was no such I/O */
};

struct program_rules {
	const char *name, *help;
	const struct known_metric *known;
};

#define NUMBER  "([0-9.]+)"
#define BYTES   "([0-9.]+)([KMGT]?i?B)/s"
#define COUNT   "([0-9.]+)([kM]?)"
#define MIB     1048576.0
#define MS      1e6

/* fio: its JSON, its normal output, and the lines of --eta=always. */
#define FIO_JSON(op)                                                         \
	{ op "_iops", "json:jobs[*]." op ".iops", .when = FINAL,             \
	  .better = 1, .used = true },                                       \
	{ op "_bytes_per_s", "json:jobs[*]." op ".bw_bytes", .when = FINAL,  \
	  .better = 1, .used = true },                                       \
	{ op "_ios", "json:jobs[*]." op ".total_ios", .when = FINAL,         \
	  .used = true },                                                    \
	{ op "_bytes", "json:jobs[*]." op ".io_bytes", .when = FINAL,        \
	  .used = true },                                                    \
	{ op "_mean_ns", "json:jobs[only]." op ".lat_ns.mean", .when = FINAL,   \
	  .better = -1, .used = true },                                      \
	{ op "_p99_ns",                                                      \
	  "json:jobs[only]." op ".clat_ns.percentile[\"99.000000\"]",           \
	  .when = FINAL, .better = -1, .used = true },                       \
	{ op "_max_ns", "json:jobs[only]." op ".lat_ns.max", .when = FINAL,     \
	  .better = -1, .used = true },                                      \
	{ op "_iops", "^ *" op ": IOPS=" COUNT ",", .when = FINAL,           \
	  .better = 1 },                                                     \
	{ op "_bytes_per_s", "^ *" op ": IOPS=[^,]*, BW=" BYTES,             \
	  .when = FINAL, .better = 1 }

/* clang-format off */
/* A row names only the members that it needs; the others are 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const struct known_metric fio[] = {
	FIO_JSON("read"),
	FIO_JSON("write"),
	FIO_JSON("trim"),
	{ "read_bytes_per_s", "^Jobs: .*\\[r=" BYTES, .better = 1 },
	{ "write_bytes_per_s", "^Jobs: .*[[,]w=" BYTES, .better = 1 },
	{ "read_iops", "^Jobs: .*\\[r=" COUNT "(,[a-z]=[^] ]*)? IOPS\\]",
	  .better = 1 },
	{ "write_iops", "^Jobs: .*[[,]w=" COUNT "(,[a-z]=[^] ]*)? IOPS\\]",
	  .better = 1 },
	{ NULL },
};

static const struct known_metric sysbench[] = {
	{ "read_iops", "^ *reads/s: +" NUMBER, .when = FINAL, .better = 1 },
	{ "write_iops", "^ *writes/s: +" NUMBER, .when = FINAL, .better = 1 },
	{ "sync_iops", "^ *fsyncs/s: +" NUMBER, .when = FINAL, .better = 1 },
	{ "read_bytes_per_s", "^ *read, MiB/s: +" NUMBER, .when = FINAL,
	  .better = 1, .scale = MIB },
	{ "write_bytes_per_s", "^ *written, MiB/s: +" NUMBER, .when = FINAL,
	  .better = 1, .scale = MIB },
	{ "requests_per_s", NUMBER " Requests/sec executed", .when = FINAL,
	  .better = 1 },
	{ "tps", "^ *transactions: +[0-9]+ +\\(" NUMBER " per sec",
	  .when = FINAL, .better = 1 },
	{ "total_ns", "^ *total time: +" NUMBER "s", .when = FINAL,
	  .better = -1, .scale = 1e9 },
	{ "events", "^ *total number of events: +" NUMBER, .when = FINAL },
	{ "event_mean_ns", "^ *avg: +" NUMBER, .when = FINAL, .better = -1,
	  .scale = MS },
	{ "event_p95_ns", "^ *95th percentile: +" NUMBER, .when = FINAL,
	  .better = -1, .scale = MS },
	{ "event_max_ns", "^ *max: +" NUMBER, .when = FINAL, .better = -1,
	  .scale = MS },
	{ "read_bytes_per_s", "^\\[ [0-9]+s \\] reads: " NUMBER " MiB/s",
	  .better = 1, .scale = MIB },
	{ "write_bytes_per_s", "^\\[ [0-9]+s \\] .*writes: " NUMBER " MiB/s",
	  .better = 1, .scale = MIB },
	{ "sync_iops", "^\\[ [0-9]+s \\] .*fsyncs: " NUMBER "/s",
	  .better = 1 },
	{ "event_p95_ns", "^\\[ [0-9]+s \\] .*latency \\(ms,95%\\): " NUMBER,
	  .better = -1, .scale = MS },
	{ "tps", "^\\[ [0-9]+s \\] .*tps: " NUMBER, .better = 1 },
	{ NULL },
};

/* FSUse% Count Size Files/sec "App Overhead"; a line for each loop. */
#define FS_MARK "^ *[0-9]+ +[0-9]+ +[0-9]+ +"
static const struct known_metric fs_mark[] = {
	{ "files_per_s", FS_MARK NUMBER, .when = BOTH, .better = 1 },
	{ "app_overhead_ns", FS_MARK "[0-9.]+ +" NUMBER, .when = BOTH,
	  .better = -1, .scale = 1e3 },
	{ NULL },
};

/* MB are 10^6 bytes; lines of the warm-up are none of the run. */
static const struct known_metric dbench[] = {
	{ "bytes_per_s", "^Throughput " NUMBER " MB/sec", .when = FINAL,
	  .better = 1, .scale = 1e6 },
	{ "clients", "^Throughput .* ([0-9]+) clients", .when = FINAL },
	{ "max_latency_ns", "^Throughput .* max_latency=" NUMBER " ms",
	  .when = FINAL, .better = -1, .scale = MS },
	{ "bytes_per_s", NUMBER " MB/sec +execute", .better = 1,
	  .scale = 1e6 },
	{ "max_latency_ns", "MB/sec +execute .*latency " NUMBER " ms",
	  .better = -1, .scale = MS },
	{ NULL },
};

/* The throughput mode of iozone; its kB are 1024 bytes. */
#define SEEN(who)                                                            \
	"see throughput for +[0-9]+ " who "\\s+=\\s+" NUMBER " [kK]B/sec"
static const struct known_metric iozone[] = {
	{ "children_bytes_per_s", "Children " SEEN(".*[a-z]"), .when = BOTH,
	  .better = 1, .scale = 1024 },
	{ "parent_bytes_per_s",
	  "Parent sees throughput for .*=\\s+" NUMBER " [kK]B/sec",
	  .when = BOTH, .better = 1, .scale = 1024 },
	{ "children_cpu_pct", "CPU utilization\\s+" NUMBER " %", .when = BOTH,
	  .better = -1 },
	{ "initial_write_bytes_per_s", "Children " SEEN("initial writers"),
	  .when = FINAL, .better = 1, .scale = 1024 },
	{ "rewrite_bytes_per_s", "Children " SEEN("rewriters"), .when = FINAL,
	  .better = 1, .scale = 1024 },
	{ "read_bytes_per_s", "Children " SEEN("readers"), .when = FINAL,
	  .better = 1, .scale = 1024 },
	{ "reread_bytes_per_s", "Children " SEEN("re-readers"), .when = FINAL,
	  .better = 1, .scale = 1024 },
	{ NULL },
};

/* tps and latency; 10 says "excluding", 14 and later "without". */
static const struct known_metric pgbench[] = {
	{ "tps", "^tps = " NUMBER " \\((excluding|without)", .when = FINAL,
	  .better = 1 },
	{ "transaction_mean_ns", "^latency average = " NUMBER " ms",
	  .when = FINAL, .better = -1, .scale = MS },
	{ "transaction_stddev_ns", "^latency stddev = " NUMBER " ms",
	  .when = FINAL, .better = -1, .scale = MS },
	{ "transactions",
	  "^number of transactions actually processed: " NUMBER,
	  .when = FINAL, .better = 1 },
	{ "failed_transactions", "^number of failed transactions: " NUMBER,
	  .when = FINAL, .better = -1 },
	{ "tps", "^progress: [0-9.]+ s, " NUMBER " tps", .better = 1 },
	{ "transaction_mean_ns", "^progress: .* lat " NUMBER " ms",
	  .better = -1, .scale = MS },
	{ "transaction_stddev_ns", "^progress: .* stddev " NUMBER,
	  .better = -1, .scale = MS },
	{ NULL },
};

/* A profile has the name of its program. */
static const struct program_rules programs[] = {
	{ "fio", "rates and latencies of its JSON or its text, and its lines "
	  "of --eta=always --eta-newline=1", fio },
	{ "sysbench", "rates, times and events, and its lines of "
	  "--report-interval=1", sysbench },
	{ "fs_mark", "files per second and overhead of each loop", fs_mark },
	{ "dbench", "throughput and greatest latency, and its lines per "
	  "second", dbench },
	{ "iozone", "sum of the children's rates and their CPU % of each phase "
	  "of the throughput mode with -+u", iozone },
	{ "pgbench", "transactions per second and their latency, and its "
	  "lines of --progress=1", pgbench },
};
/* clang-format on */

/* A figure to find. */
struct figure_rule {
	struct known_metric of;
	regex_t regex;
	const char *path; /* into the JSON document; NULL: regex */
	double last;      /* NaN: not found */
};

struct profile {
	struct figure_rule *rule;
	size_t n, cap;
	regex_t phase;
	bool has_phase, has_path;
	char *own; /* text of the job's own rules */
	char *document;
	size_t size;
	bool in_document;
};

const char *profile_name(size_t i, const char **help)
{
	if (i >= ARRAY_SIZE(programs))
		return NULL;
	*help = programs[i].help;
	return programs[i].name;
}

/* --- expressions --- */

/* Perl's \d and \s, which POSIX lacks, as its classes; to be freed. */
static char *to_posix(const char *text)
{
	char *out = xmalloc(strlen(text) * 6 + 1), *to = out;
	bool bracket = false;

	for (const char *p = text; *p; p++) {
		const char *class = p[0] != '\\'  ? NULL
				    : p[1] == 'd' ? "[:digit:]"
				    : p[1] == 's' ? "[:space:]"
						  : NULL;

		if (class) {
			to += sprintf(to, bracket ? "%s" : "[%s]", class);
			p++;
			continue;
		}
		if (!bracket && p[0] == '\\' && p[1])
			*to++ = *p++;
		else if (*p == '[' && !bracket)
			bracket = true;
		else if (*p == ']')
			bracket = false;
		*to++ = *p;
	}
	*to = '\0';
	return out;
}

/*
 * regcomp(3) writes out each repeat: (a{1,100}){1,100} has 10000 parts, and one
 * more level takes the machine's memory, in a call that no signal ends.
 */
#define MOST_PARTS 20000.0

/* The greatest number of "{2,10}" at *p, which moves behind it; else 1. */
static double repeat_of(const char **p)
{
	double most = 1, n = 0;

	if (**p != '{')
		return 1;
	while (*++*p && **p != '}') {
		n = **p >= '0' && **p <= '9' ? 10 * n + (**p - '0') : 0;
		most = fmax(most, n);
	}
	*p += **p == '}';
	return most;
}

/* The end of a bracket expression that begins at p: ']' first is a letter. */
static const char *behind_bracket(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	p += *p == ']';
	while (*p && *p != ']')
		p++;
	return *p ? p + 1 : p;
}

/* The parts up to the ) of this level; deeper levels are counted by itself. */
static double parts_of(const char **p, unsigned depth)
{
	double sum = 0;

	while (**p && **p != ')') {
		double parts = 1;

		if (**p == '(' && depth < 32) {
			++*p;
			parts = 1 + parts_of(p, depth + 1);
			*p += **p == ')';
		} else if (**p == '(') {
			return MOST_PARTS;
		} else if (**p == '[') {
			*p = behind_bracket(*p);
		} else {
			*p += **p == '\\' && (*p)[1] ? 2 : 1;
		}
		while (**p == '{')
			parts *= repeat_of(p);
		sum += parts;
	}
	return sum;
}

static int check_parts(const char *text)
{
	const char *p = text;
	double parts = 0;

	/* A ) without a ( is a letter. */
	for (; *p; p += *p == ')')
		parts += parts_of(&p, 0);
	if (parts < MOST_PARTS)
		return 0;
	return fail(EINVAL,
		    "the expression %.100s repeats too much: its {} make more "
		    "than %.0f parts; leave out nested repeats",
		    text, MOST_PARTS);
}

static int compile(regex_t *to, const char *text)
{
	char *posix, words[120];
	int rc = check_parts(text);

	if (rc < 0)
		return rc;
	posix = to_posix(text);
	rc = regcomp(to, posix, REG_EXTENDED);

	free(posix);
	if (!rc)
		return 0;
	regerror(rc, to, words, sizeof(words));
	return fail(EINVAL, "the expression %.100s is not valid: %s", text,
		    words);
}

/* The name and the pattern must live as long as the profile. */
static int add_rule(struct profile *p, struct known_metric of)
{
	struct figure_rule *r = xadd(p->rule, p->n, p->cap);
	const char *pattern = of.pattern;
	static const char json[] = "json:";

	of.scale = of.scale != 0 ? of.scale : 1;
	of.group = of.group ? of.group : 1;
	r->of = of;
	r->last = NAN;
	if (!strncmp(pattern, json, sizeof(json) - 1)) {
		r->path = pattern + sizeof(json) - 1;
		p->has_path = true;
		return 0;
	}
	if (compile(&r->regex, pattern)) {
		p->n--;
		return -EINVAL;
	}
	if (r->of.group <= r->regex.re_nsub)
		return 0;
	regfree(&r->regex);
	p->n--;
	return fail(EINVAL,
		    "the expression %.100s has no group: put the figure into "
		    "(...)",
		    pattern);
}

/* Lines of "+NAME=PATTERN", as metric= and better= leave them in the job. */
static int profile_add_own(struct profile *p, const char *metrics)
{
	char *rest, *line;
	int rc = 0;

	if (!metrics)
		return 0;
	rest = p->own = xstrdup(metrics);
	while (!rc && (line = strsep(&rest, "\n"))) {
		char *eq = strchr(line, '=');

		if (!eq)
			continue;
		*eq = '\0';
		rc = add_rule(p, (struct known_metric){
					 .name = line + 1,
					 .pattern = eq + 1,
					 .when = BOTH,
					 .better = *line == '+'	  ? 1
						   : *line == '-' ? -1
								  : 0,
				 });
	}
	return rc;
}

/* The rules of a known program; NULL: there are none. */
static int find_known(const struct job *job, const char *program,
		      const struct known_metric **out)
{
	const char *name = job->profile ? job->profile : text_base(program);
	const size_t i = text_find(name, programs, ARRAY_SIZE(programs), name);

	*out = i < ARRAY_SIZE(programs) ? programs[i].known : NULL;
	if (*out || !job->profile || !strcmp(name, "none"))
		return 0;
	return fail(EINVAL,
		    "there is no profile %s%s; iodyno list profiles shows all; "
		    "profile=none reads nothing",
		    name,
		    text_did_you_mean("", text_nearest(name, programs,
						       ARRAY_SIZE(programs),
						       name))
			    .text);
}

const char *profile_figure(const struct job *job, const char *program, size_t i,
			   char name[32], int *better)
{
	const struct known_metric *known;

	for (const char *line = job->metrics; line && *line;) {
		const char *end = strchrnul(line, '\n');
		size_t n = strcspn(line, "=\n");

		if (n && !i--) {
			snprintf(name, 32, "%.*s", (int)n - 1, line + 1);
			*better = *line == '-' ? -1 : 1;
			return name;
		}
		line = *end ? end + 1 : end;
	}
	if (find_known(job, program, &known) || !known)
		return NULL;
	while (known->name && i--)
		known++;
	if (known->name)
		text_copy(name, 32, known->name);
	*better = known->better;
	return known->name ? name : NULL;
}

int profile_open(struct profile **out, const struct job *job,
		 const char *program)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	const struct known_metric *known;
	int rc = find_known(job, program, &known);

	for (; !rc && known && known->name; known++)
		rc = add_rule(p, *known);
	if (!rc)
		rc = profile_add_own(p, job->metrics);
	if (!rc && job->phase_regex) {
		rc = compile(&p->phase, job->phase_regex);
		p->has_phase = !rc;
	}
	*out = p;
	if (!rc && (p->n || p->has_phase))
		return 0;
	profile_free(p);
	*out = NULL;
	return rc ? job_fail(job, EINVAL, "%s", fail_sentence()) : 0;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		if (!p->rule[i].path)
			regfree(&p->rule[i].regex);
	if (p->has_phase)
		regfree(&p->phase);
	free(p->rule);
	free(p->own);
	free(p->document);
	free(p);
}

/* --- lines --- */

void profile_begin(struct profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		p->rule[i].last = NAN;
	free(p->document);
	p->document = NULL;
	p->size = 0;
	p->in_document = false;
}

/* The factor of a unit to base units; 0: it is not a unit. */
static double unit_worth(const char *text, size_t n)
{
	static const struct {
		const char *name;
		double worth;
	} units[] = {
		{ "", 1 },	{ "B", 1 },	 { "k", 1e3 },	{ "K", 1e3 },
		{ "M", 1e6 },	{ "G", 1e9 },	 { "kB", 1e3 }, { "KB", 1e3 },
		{ "MB", 1e6 },	{ "GB", 1e9 },	 { "TB", 1e12 },
		{ "KiB", 0x1p10 }, { "MiB", 0x1p20 }, { "GiB", 0x1p30 },
		{ "TiB", 0x1p40 }, { "ns", 1 },	 { "nsec", 1 }, { "us", 1e3 },
		{ "usec", 1e3 }, { "ms", 1e6 },	 { "msec", 1e6 },
		{ "s", 1e9 },	{ "sec", 1e9 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == n &&
		    !memcmp(units[i].name, text, n))
			return units[i].worth;
	return 0;
}

/* The figure in a line, in its base unit; NaN: it is not there. */
static double find_figure(const struct figure_rule *r, const char *line)
{
	regmatch_t m[GROUPS];
	char *end;
	double value, worth = 0;
	unsigned g = r->of.group;

	if (regexec(&r->regex, line, GROUPS, m, 0) || m[g].rm_so < 0)
		return NAN;
	value = strtod(line + m[g].rm_so, &end);
	if (end == line + m[g].rm_so)
		return NAN;
	if (g + 1 < GROUPS && g < r->regex.re_nsub && m[g + 1].rm_so >= 0)
		worth = unit_worth(line + m[g + 1].rm_so,
				   (size_t)(m[g + 1].rm_eo - m[g + 1].rm_so));
	return value * (worth > 0 ? worth : r->of.scale);
}

/* The document begins with a line "{"; what stands before is other output. */
static void keep_document(struct profile *p, const char *line)
{
	size_t n = strlen(line);

	/* fio prints one after the other with --status-interval. */
	if (*line == '{' && p->document && *p->document == '{')
		p->size = 0;
	p->in_document |= *line == '{' || !strcmp(line, "[") ||
			  !strncmp(line, "[{", 2);
	if (!p->in_document || p->size + n + 2 > DOCUMENT)
		return;
	p->document = xrealloc(p->document, p->size + n + 2);
	memcpy(p->document + p->size, line, n);
	p->size += n;
	p->document[p->size++] = '\n';
	p->document[p->size] = '\0';
}

static void find_phase(struct profile *p, struct worker *w, const char *line)
{
	regmatch_t m[2];
	char text[120];
	int g;

	if (!p->has_phase || regexec(&p->phase, line, 2, m, 0))
		return;
	g = p->phase.re_nsub && m[1].rm_so >= 0;
	snprintf(text, sizeof(text), "%.*s", (int)(m[g].rm_eo - m[g].rm_so),
		 line + m[g].rm_so);
	kind_phase(w, text);
}

void profile_line(struct profile *p, struct worker *w, const char *line)
{
	find_phase(p, w, line);
	if (p->has_path)
		keep_document(p, line);
	for (size_t i = 0; i < p->n; i++) {
		struct figure_rule *r = &p->rule[i];
		double value = r->path ? NAN : find_figure(r, line);

		if (!isfinite(value))
			continue;
		if (r->of.when != FINAL)
			kind_metric(w, r->of.name, value, r->of.better, false);
		if (r->of.when != INTERVAL)
			r->last = value;
	}
}

/* --- JSON --- */

static double profile_follow(struct json *at, const char *path);

/* "[...]" at the path's beginning, and what follows it. */
static double follow_bracket(struct json *at, const char *path)
{
	const char *end = strchr(path, ']'), *rest = end ? end + 1 : NULL;
	char key[80];
	double sum = NAN;

	if (!rest)
		return NAN;
	snprintf(key, sizeof(key), "%.*s", (int)(end - path - 1), path + 1);
	if (*key == '"') {
		key[strcspn(key + 1, "\"") + 1] = '\0';
		return profile_follow(json_get(at, key + 1), rest);
	}
	if (!strcmp(key, "only"))
		return json_length(at) == 1
			       ? profile_follow(json_at(at, 0), rest)
			       : NAN;
	if (strcmp(key, "*") != 0)
		return profile_follow(
			json_at(at, (size_t)strtoul(key, NULL, 10)), rest);
	for (size_t i = 0; i < json_length(at); i++) {
		double value = profile_follow(json_at(at, i), rest);

		if (isfinite(value))
			sum = isfinite(sum) ? sum + value : value;
	}
	return sum;
}

static double profile_follow(struct json *at, const char *path)
{
	char key[80];
	size_t n;

	path += *path == '.';
	if (!at || !*path)
		return json_number(at);
	if (*path == '[')
		return follow_bracket(at, path);
	n = strcspn(path, ".[");
	snprintf(key, sizeof(key), "%.*s", (int)n, path);
	return profile_follow(json_get(at, key), path + n);
}

/* The document, without what follows its last line "}"; NULL: there is none. */
static struct json *document_of(struct profile *p)
{
	struct json *j = NULL;

	while (p->size && p->document[p->size - 1] != '}' &&
	       p->document[p->size - 1] != ']')
		p->size--;
	if (!p->size || json_parse(p->document, p->size, &j))
		return NULL;
	return j;
}

void profile_end(struct profile *p, struct worker *w)
{
	struct json *j = document_of(p);

	for (size_t i = 0; i < p->n; i++) {
		struct figure_rule *r = &p->rule[i];

		if (r->path && j)
			r->last = profile_follow(j, r->path) * r->of.scale;
		if (isfinite(r->last) && !(r->of.used && r->last == 0))
			kind_metric(w, r->of.name, r->last, r->of.better, true);
	}
	json_free(j);
}

void profile_summary(struct clones *c, const char *name, const char *summary)
{
	struct worker *w = c->worker[0];
	char *copy, *rest, *line;
	struct profile *p;

	/* A line without a figure is not an error of the job. */
	if (profile_open(&p, c->job, name) || !p)
		return;
	if (!w->readings)
		kind_readings_open(w);
	copy = rest = xstrdup(summary);
	profile_begin(p);
	while ((line = strsep(&rest, "\n")))
		profile_line(p, w, line);
	profile_end(p, w);
	profile_free(p);
	free(copy);
}
