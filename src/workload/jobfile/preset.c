/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preset: the files of a folder, and the facts in their comments. */
#include "base/descriptor.h"
#include "workload/jobfile/jobfile.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"

#define PACKAGE_DIR PKGDATADIR "/presets"
#define MAX_BYTES   (64u << 10)
#define MAX_PRESETS 256
#define SMALL       "#small "
#define MODEL	    "#model "
#define FULL        " #full"

/* A mutable global (CONTRIBUTING.md): read once, then const. */
static struct preset *table;
static size_t n_table, cap_table;

/* The words of the comments, and where they go. */
static const struct {
	const char *word;
	size_t at;
} facts[] = {
	{ "Models", offsetof(struct preset, help) },
	{ "Source", offsetof(struct preset, source) },
	{ "Headline", offsetof(struct preset, headline) },
	{ "Look", offsetof(struct preset, look) },
	{ "Figures", offsetof(struct preset, figures) },
};

static const char **preset_fact(struct preset *p, size_t i)
{
	return (const char **)(void *)((char *)p + facts[i].at);
}

/* A text file of moderate size, to be freed. 0, or -errno without a sentence.
 */
static int preset_read_file(const char *path, char **out)
{
	ssize_t n = descriptor_text(path, MAX_BYTES, out);

	if (n < 0 || strlen(*out) == (size_t)n)
		return n < 0 ? (int)n : 0;
	free(*out);
	return -EINVAL;
}

/*
 * "Word: text" of a comment; a line that continues is added to the text before.
 */
static void take_comment(struct preset *p, const char *line, size_t *open)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		size_t n = strlen(facts[i].word);

		if (strncmp(line, facts[i].word, n) != 0 || line[n] != ':')
			continue;
		free((char *)*preset_fact(p, i));
		*preset_fact(p, i) =
			xstrdup(line + n + 1 + (line[n + 1] == ' '));
		*open = i;
		return;
	}
	if (*open < ARRAY_SIZE(facts) && !strncmp(line, "  ", 2))
		xappend((char **)preset_fact(p, *open), "%s%s",
			**preset_fact(p, *open) ? " " : "",
			line + strspn(line, " "));
	else
		*open = ARRAY_SIZE(facts);
}

static void preset_take_text(struct preset *p, char *text)
{
	size_t open = ARRAY_SIZE(facts);
	char *line;

	while ((line = strsep(&text, "\n"))) {
		text_clean(line);
		if (!strncmp(line, SMALL, strlen(SMALL)))
			p->has_small = true;
		else if (!strncmp(line, MODEL, strlen(MODEL)))
			p->has_model = true;
		else if (*line == '#')
			take_comment(p, line + 1 + (line[1] == ' '), &open);
		else
			open = ARRAY_SIZE(facts);
	}
}

/* A file of the folder, if it is a preset. */
static void preset_add_file(const char *dir, const char *file)
{
	const char *dot = strrchr(file, '.');
	char *path, *text;
	struct preset *p;

	if (*file == '.' || !dot || n_table == MAX_PRESETS ||
	    (strcmp(dot, ".fio") != 0 && strcmp(dot, ".plan") != 0))
		return;
	path = xasprintf("%s/%s", dir, file);
	if (preset_read_file(path, &text) < 0) {
		free(path);
		return;
	}
	p = xadd(table, n_table, cap_table);
	p->name = xasprintf("%.*s", (int)(dot - file), file);
	p->path = path;
	p->plan = !strcmp(dot, ".plan");
	preset_take_text(p, text);
	if (!p->help)
		p->help = xstrdup("");
	free(text);
}

static int preset_by_name(const void *a, const void *b)
{
	const struct preset *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/*
 * Where the presets lie when the program is not where configure planned it: in
 * a build tree, in which configure has linked them to the source, and in an
 * installation that was moved or made with DESTDIR.
 */
static const struct {
	const char *program; /* the program's folder */
	const char *presets; /* beside that folder */
} near[] = {
	{ "/src", "/contrib/presets" },
	{ "/bin", "/share/" PACKAGE "/presets" },
};

/* The folder near the program, or NULL. */
static DIR *open_near(char *dir, size_t size)
{
	char exe[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	slash = strrchr(exe, '/');
	for (size_t i = 0; slash && i < ARRAY_SIZE(near); i++)
		if (!strcmp(slash, near[i].program) &&
		    (size_t)snprintf(dir, size, "%.*s%s", (int)(slash - exe),
				     exe, near[i].presets) < size)
			return opendir(dir);
	return NULL;
}

static void preset_read_table(void)
{
	char beside[4200];
	const char *dir = beside;
	DIR *d = open_near(beside, sizeof(beside));
	struct dirent *e;

	if (!d) {
		dir = PACKAGE_DIR;
		d = opendir(dir);
	}
	while (d && (e = readdir(d)))
		preset_add_file(dir, e->d_name);
	if (d)
		closedir(d);
	if (n_table)
		qsort(table, n_table, sizeof(*table), preset_by_name);
}

const struct preset *preset_at(size_t i)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, preset_read_table);
	return i < n_table ? &table[i] : NULL;
}

const struct preset *preset_find(const char *name)
{
	const struct preset *p;

	for (size_t i = 0; (p = preset_at(i)); i++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

static const struct {
	const char *name, *help;
	const char *mark; /* of lines for this scale; NULL: they end in FULL */
} scales[PRESET_SCALES] = {
	[PRESET_FULL] = { "full", "as in its source", NULL },
	[PRESET_SMALL] = { "small", "the same shape in seconds", SMALL },
	[PRESET_MODEL] = { "model", "of a plan: on a simulated disk like that "
				    "of its source, in real time", MODEL },
};

const char *preset_scale_name(size_t i, const char **help)
{
	if (i >= PRESET_SCALES)
		return NULL;
	*help = scales[i].help;
	return scales[i].name;
}

/* Blank what does not count at this scale, and the marks. */
static void scale_line(char *line, size_t n, enum preset_scale scale)
{
	const char *own = scales[scale].mark;
	const size_t mark = strlen(FULL);

	if (own && !strncmp(line, own, strlen(own)))
		memset(line, ' ', strlen(own));
	else if (n > mark && !strncmp(line + n - mark, FULL, mark))
		memset(own ? line : line + n - mark, ' ', own ? n : mark);
}

int preset_text(const struct preset *p, enum preset_scale scale, char **out)
{
	int err;

	if (scale == PRESET_SMALL && !p->has_small)
		return fail(EINVAL,
			    "preset %s has one size only; leave --scale out",
			    p->name);
	if (scale == PRESET_MODEL && p->plan && !p->has_model)
		return fail(EINVAL,
			    "plan %s has no model of a disk; give "
			    "--scratch=SIZE,model=MODEL", p->name);
	err = preset_read_file(p->path, out);
	if (err < 0)
		return fail(-err, "cannot read preset %s: %s", p->path,
			    strerror(-err));
	for (char *line = *out; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		scale_line(line, strcspn(line, "\n"), scale);
	}
	return 0;
}

int preset_reference(const struct preset *p, char **out)
{
	const char *dot = strrchr(p->path, '.');
	char *path = xasprintf("%.*s.reference", (int)(dot - p->path), p->path);
	int err = preset_read_file(path, out);

	free(path);
	if (err < 0)
		return fail(-err,
			    "there are no figures of the publication of %s: %s",
			    p->name, strerror(-err));
	return 0;
}
