/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ptyrun: run a program on a pseudo-terminal by a small script.
 *
 *   ptyrun [-s ROWSxCOLUMNS] PROGRAM [ARGUMENT]... <SCRIPT
 *
 * The script has a command a line; # begins a comment. It never sleeps: it
 * waits for output, the end of the program or a timeout. TEXT may stand in
 * double quotes. Timeouts are in seconds, 120 unless given.
 *
 *   wait TEXT [TIMEOUT]     until TEXT is on the screen
 *   gone TEXT [TIMEOUT]     until TEXT is not on the screen
 *   send KEYS               as typed: \e \n \r \t \\ \xHH, <Up> <Down> <Left>
 *                           <Right> <Enter> <Esc> <Tab> <PgUp> <PgDn> <Home>
 *                           <End> <F1> to <F12> <Space> <C-c>
 *   answer COUNT KEYS       so many keys, those given in turn, up to a tenth of
 *                           a second apart; print how long each took to change
 *                           the screen, in ms: the median, p99 and the most
 *   resize ROWS COLUMNS     the window
 *   screen [FILE]           write the screen as text to stdout, or to FILE
 *   run SECONDS             go on reading for so long
 *   stop-reading SECONDS    leave the output unread for so long: Ctrl-S
 *   kill SIGNAL             send the program a signal: KILL, TERM, 15, ...
 *   expect-exit N [TIMEOUT] until it ends; its status is N (128 + signal)
 *   attrs [TIMEOUT]         the terminal's attributes are those from before the
 *                           start; at once, unless a timeout is given
 *   first-paint MS          the screen was not blank MS after the start
 *   paint-time              print when that was, in ms
 *
 * Exit status: 0; 1 with a sentence and the screen on stderr when a command
 * failed; 2 for a mistake in the script.
 */
#include <ctype.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "pty.h"

#define MAX_WORDS 4

struct line {
	int number;
	int n;
	char *word[MAX_WORDS]; /* word[0] is the command; NULL beyond n */
};

enum outcome { DONE, FAILED, MISTAKE };

struct command {
	const char *name;
	int least, most; /* words after the name */
	enum outcome (*act)(struct pty *p, const struct line *l);
};

static uint64_t from_now_ns(const char *seconds)
{
	double s = seconds ? atof(seconds) : 120;

	return clock_mono_ns() + (uint64_t)(s * 1e9);
}

static bool shows(const struct pty *p, const char *what)
{
	char *text = pty_text(p);
	bool found = strstr(text, what) != NULL;

	free(text);
	return found;
}

/* Until the screen shows it, or no longer does. */
static enum outcome until(struct pty *p, const struct line *l, bool want)
{
	uint64_t end = from_now_ns(l->word[2]);

	while (shows(p, l->word[1]) != want)
		if (!pty_pump(p, true, end))
			return shows(p, l->word[1]) == want ? DONE : FAILED;
	return DONE;
}

static enum outcome do_wait(struct pty *p, const struct line *l)
{
	return until(p, l, true);
}

static enum outcome do_gone(struct pty *p, const struct line *l)
{
	return until(p, l, false);
}

struct key {
	const char *name, *bytes;
};

static const struct key keys[] = {
	{ "<Up>", "\033OA" },    { "<Down>", "\033OB" },
	{ "<Right>", "\033OC" }, { "<Left>", "\033OD" },
	{ "<Enter>", "\r" },     { "<Esc>", "\033" },
	{ "<Tab>", "\t" },       { "<Space>", " " },
	{ "<C-c>", "\003" },     { "<PgUp>", "\033[5~" },
	{ "<PgDn>", "\033[6~" }, { "<Home>", "\033OH" },
	{ "<End>", "\033OF" },   { "<F1>", "\033OP" },
	{ "<F2>", "\033OQ" },    { "<F3>", "\033OR" },
	{ "<F4>", "\033OS" },    { "<F5>", "\033[15~" },
	{ "<F6>", "\033[17~" },  { "<F7>", "\033[18~" },
	{ "<F8>", "\033[19~" },  { "<F9>", "\033[20~" },
	{ "<F10>", "\033[21~" }, { "<F11>", "\033[23~" },
	{ "<F12>", "\033[24~" },
};

/* One key or escape at *s into out; moves *s on. Returns the bytes. */
static size_t one_key(const char **s, char *out)
{
	static const char from[] = "enrt\\", to[] = "\033\n\r\t\\";
	const char *which;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t n = strlen(keys[i].name);

		if (strncmp(*s, keys[i].name, n))
			continue;
		*s += n;
		strcpy(out, keys[i].bytes);
		return strlen(out);
	}
	if ((*s)[0] == '\\' && (*s)[1] == 'x' && isxdigit((*s)[2])) {
		char *end;
		char hex[3] = { (*s)[2], (*s)[3], '\0' };

		*out = (char)strtol(hex, &end, 16);
		*s += 2 + (end - hex);
		return 1;
	}
	if ((*s)[0] == '\\' && (*s)[1] && (which = strchr(from, (*s)[1]))) {
		*out = to[which - from];
		*s += 2;
		return 1;
	}
	*out = *(*s)++;
	return 1;
}

static enum outcome do_send(struct pty *p, const struct line *l)
{
	const char *s = l->word[1];
	char bytes[1024];
	size_t n = 0;

	while (*s && n < sizeof(bytes) - 16)
		n += one_key(&s, bytes + n);
	return pty_send(p, bytes, n) ? DONE : FAILED;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The time from a key to output, in ms; negative when there is none. */
static double answer_ms(struct pty *p, const char *bytes, size_t n)
{
	/* Not in step with the ticks of the program. */
	uint64_t start = clock_mono_ns() + (uint64_t)rand() % 100 * 1000000;

	while (pty_pump(p, true, start))
		;
	start = clock_mono_ns();
	if (!pty_send(p, bytes, n) || !pty_pump(p, true, start + 5 * NS_PER_S))
		return -1;
	return (double)(clock_mono_ns() - start) / 1e6;
}

static enum outcome do_answer(struct pty *p, const struct line *l)
{
	int n = atoi(l->word[1]);
	const char *s = l->word[2];
	enum outcome outcome = DONE;
	double *ms;

	if (n < 1 || n > 100000 || !*s)
		return MISTAKE;
	ms = xcalloc((size_t)n, sizeof(*ms));
	for (int i = 0; i < n && outcome == DONE; i++) {
		char bytes[16];
		size_t size;

		s = *s ? s : l->word[2];
		size = one_key(&s, bytes);
		ms[i] = answer_ms(p, bytes, size);
		outcome = ms[i] < 0 ? FAILED : DONE;
	}
	qsort(ms, (size_t)n, sizeof(*ms), by_size);
	if (outcome == DONE)
		printf("%d keys: median %.1f, p99 %.1f, most %.1f ms\n", n,
		       ms[n / 2], ms[n * 99 / 100], ms[n - 1]);
	free(ms);
	return outcome;
}

static enum outcome do_resize(struct pty *p, const struct line *l)
{
	int rows = atoi(l->word[1]), columns = atoi(l->word[2]);

	if (rows < 1 || columns < 1 || rows > 1000 || columns > 1000)
		return MISTAKE;
	return pty_resize(p, rows, columns) ? DONE : FAILED;
}

static enum outcome do_screen(struct pty *p, const struct line *l)
{
	FILE *out = l->word[1] ? fopen(l->word[1], "w") : stdout;
	char *text = pty_text(p);
	enum outcome outcome = FAILED;

	if (out) {
		fputs(text, out);
		outcome = (out == stdout ? fflush(out) : fclose(out)) ? FAILED
								      : DONE;
	}
	free(text);
	return outcome;
}

static enum outcome do_run(struct pty *p, const struct line *l)
{
	uint64_t end = from_now_ns(l->word[1]);

	while (pty_pump(p, true, end))
		;
	return DONE;
}

static enum outcome do_stop_reading(struct pty *p, const struct line *l)
{
	uint64_t end = from_now_ns(l->word[1]);

	while (pty_pump(p, false, end))
		;
	return DONE;
}

static enum outcome do_kill(struct pty *p, const struct line *l)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {
		{ "HUP", SIGHUP },   { "INT", SIGINT },   { "QUIT", SIGQUIT },
		{ "KILL", SIGKILL }, { "TERM", SIGTERM }, { "STOP", SIGSTOP },
		{ "CONT", SIGCONT }, { "TSTP", SIGTSTP }, { "SEGV", SIGSEGV },
		{ "ABRT", SIGABRT }, { "USR1", SIGUSR1 }, { "PIPE", SIGPIPE },
	};
	int number = atoi(l->word[1]);

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!strcmp(l->word[1], signals[i].name))
			number = signals[i].number;
	if (number <= 0)
		return MISTAKE;
	return kill(p->pid, number) ? FAILED : DONE;
}

static enum outcome do_expect_exit(struct pty *p, const struct line *l)
{
	uint64_t end = from_now_ns(l->word[2]);

	while (!p->ended)
		if (!pty_pump(p, true, end))
			break;
	/* What it still said. */
	while (p->ended && pty_pump(p, true, end))
		;
	if (!p->ended) {
		fprintf(stderr, "ptyrun: the program still runs\n");
		return FAILED;
	}
	if (p->status == atoi(l->word[1]))
		return DONE;
	fprintf(stderr, "ptyrun: the exit status is %d\n", p->status);
	return FAILED;
}

static enum outcome do_attrs(struct pty *p, const struct line *l)
{
	uint64_t end = l->word[1] ? from_now_ns(l->word[1]) : 0;

	/* No event tells of a change, so this looks again and again. */
	while (!pty_attributes_same(p)) {
		if (clock_mono_ns() >= end)
			return FAILED;
		pty_pump(p, true, 0);
		poll(NULL, 0, 10);
	}
	return DONE;
}

static enum outcome do_first_paint(struct pty *p, const struct line *l)
{
	uint64_t limit = (uint64_t)atoi(l->word[1]) * 1000000, end;

	end = p->start_ns + limit;
	while (!p->paint_ns && pty_pump(p, true, end))
		;
	return p->paint_ns && p->paint_ns <= end ? DONE : FAILED;
}

static enum outcome do_paint_time(struct pty *p, const struct line *l)
{
	if (!p->paint_ns)
		return FAILED;
	printf("painted after %.0f ms\n",
	       (double)(p->paint_ns - p->start_ns) / 1e6);
	return DONE;
}

static const struct command commands[] = {
	{ "wait", 1, 2, do_wait },
	{ "gone", 1, 2, do_gone },
	{ "send", 1, 1, do_send },
	{ "answer", 2, 2, do_answer },
	{ "resize", 2, 2, do_resize },
	{ "screen", 0, 1, do_screen },
	{ "run", 1, 1, do_run },
	{ "stop-reading", 1, 1, do_stop_reading },
	{ "kill", 1, 1, do_kill },
	{ "expect-exit", 1, 2, do_expect_exit },
	{ "attrs", 0, 1, do_attrs },
	{ "first-paint", 1, 1, do_first_paint },
	{ "paint-time", 0, 0, do_paint_time },
};

/* Cut a line into words, in place; false when there are too many. */
static bool split(char *s, struct line *l)
{
	l->n = 0;
	memset(l->word, 0, sizeof(l->word));
	for (;;) {
		s += strspn(s, " \t\n");
		if (!*s || *s == '#')
			return true;
		if (l->n == MAX_WORDS)
			return false;
		if (*s == '"') {
			l->word[l->n++] = ++s;
			s += strcspn(s, "\"\n");
		} else {
			l->word[l->n++] = s;
			s += strcspn(s, " \t\n");
		}
		if (*s)
			*s++ = '\0';
	}
}

static enum outcome act(struct pty *p, const struct line *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *c = &commands[i];

		if (strcmp(c->name, l->word[0]))
			continue;
		if (l->n - 1 < c->least || l->n - 1 > c->most)
			return MISTAKE;
		return c->act(p, l);
	}
	return MISTAKE;
}

/* Run the script; says what went wrong. */
static enum outcome run(struct pty *p)
{
	char buf[1024], copy[1024];
	struct line l = { 0 };

	while (fgets(buf, sizeof(buf), stdin)) {
		enum outcome outcome = MISTAKE;
		char *text;

		l.number++;
		text_copy(copy, sizeof(copy), buf);
		if (split(buf, &l)) {
			if (l.n == 0)
				continue;
			outcome = act(p, &l);
		}
		if (outcome == DONE)
			continue;
		text = pty_text(p);
		fprintf(stderr, "ptyrun: line %d %s: %s%s", l.number,
			outcome == FAILED ? "failed" : "is no command",
			text_trim(copy), "; the screen is:\n");
		fputs(text, stderr);
		free(text);
		return outcome;
	}
	return DONE;
}

int main(int argc, char **argv)
{
	int rows = 24, columns = 80, c;
	enum outcome outcome;
	struct pty p;

	signal(SIGPIPE, SIG_IGN);
	while ((c = getopt(argc, argv, "+s:")) != -1)
		if (c != 's' || sscanf(optarg, "%dx%d", &rows, &columns) != 2)
			return MISTAKE;
	if (optind == argc || rows < 1 || columns < 1) {
		fprintf(stderr, "usage: ptyrun [-s ROWSxCOLUMNS] PROGRAM "
				"[ARGUMENT]... <SCRIPT\n");
		return MISTAKE;
	}
	outcome =
		pty_start(&p, rows, columns, argv + optind) ? run(&p) : FAILED;
	pty_end(&p);
	return (int)outcome;
}
