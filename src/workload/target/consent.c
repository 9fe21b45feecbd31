/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Consent: the question, the letters, the keys.
 *
 * How it works: the terminal is in raw mode while the question is open, and the
 * keys are echoed here. Only printable ASCII, backspace and Enter belong to an
 * answer; anything else refuses, so that neither the answer of a terminal to an
 * escape sequence nor Ctrl-C counts. When another process changes the modes
 * meanwhile, the answer refuses, too.
 */
#include "workload/target/consent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"

#define ASK_NS 120000000000ull

/* Four letters of 19 are guessed five times with a chance of 1 in 26000. */
#define LETTERS	  4
#define WRONG_MAX 5

int consent_terminal(void)
{
	return open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Write all or fail: a terminal that is stopped must not stop this process. */
static bool consent_write(const struct consent *c, const char *text, size_t n)
{
	return !descriptor_write(c->tty, text, n, -1);
}

static bool consent_say(const struct consent *c, const char *text)
{
	return consent_write(c, text, strlen(text));
}

/* Letters without those that look alike or form words. */
static bool consent_draw_letters(char out[LETTERS + 1])
{
	static const char from[] = "bcdfghjkmnpqrstvwxz";
	const unsigned kinds = sizeof(from) - 1;
	size_t n = 0;

	while (n < LETTERS) {
		unsigned char byte;

		if (getrandom(&byte, 1, 0) != 1)
			return false;
		/* Equal chances for all of them. */
		if (byte < 256 / kinds * kinds)
			out[n++] = from[byte % kinds];
	}
	out[n] = '\0';
	return true;
}

static bool consent_take_modes(struct consent *c)
{
	if (tcgetattr(c->tty, &c->before) < 0)
		return false;
	c->during = c->before;
	cfmakeraw(&c->during);
	/* A line feed still begins a line. */
	c->during.c_oflag |= OPOST | ONLCR;
	/* What was typed before is no answer. */
	if (tcsetattr(c->tty, TCSANOW, &c->during) < 0 ||
	    tcflush(c->tty, TCIFLUSH) < 0)
		return false;
	/* As the driver of the terminal has them. */
	return tcgetattr(c->tty, &c->during) == 0;
}

int consent_ready(const struct consent *c)
{
	if (c->tty < 0)
		return ENOTTY;
	if (c->asking)
		return EBUSY;
	return c->wrong >= WRONG_MAX ? EACCES : 0;
}

int consent_ask(struct consent *c, const char *device, const char *lines)
{
	char letters[LETTERS + 1], question[160];
	int error = consent_ready(c);

	if (error)
		return error;
	if (!consent_draw_letters(letters))
		return EIO;
	snprintf(c->wanted, sizeof(c->wanted), "%s %s", device, letters);
	snprintf(question, sizeof(question),
		 "If that is right type: %s\n(anything else refuses) > ",
		 c->wanted);
	if (!consent_take_modes(c))
		return ENOTTY;
	c->asking = true;
	c->n = 0;
	c->until_ns = clock_mono_ns() + ASK_NS;
	if (!consent_say(c, lines) || !consent_say(c, question)) {
		consent_end(c);
		return EAGAIN;
	}
	return 0;
}

int consent_wait_ms(const struct consent *c)
{
	uint64_t now = clock_mono_ns();

	if (!c->asking)
		return -1;
	return now >= c->until_ns ? 0
				  : (int)((c->until_ns - now) / 1000000) + 1;
}

void consent_end(struct consent *c)
{
	if (!c->asking)
		return;
	c->asking = false;
	memset(c->wanted, 0, sizeof(c->wanted));
	/* What was typed too much does not reach the screen. */
	if (tcflush(c->tty, TCIFLUSH) < 0 ||
	    tcsetattr(c->tty, TCSANOW, &c->before) < 0) {
		/* The terminal is gone. */
	}
}

static int consent_over(struct consent *c, int error)
{
	if (!consent_say(c, error ? "\nnot permitted\n" : "\npermitted\n")) {
		/* The screen says so, too. */
	}
	consent_end(c);
	return error;
}

/* Enter was typed. */
static int consent_judge(struct consent *c)
{
	/* musl copies only what the kernel fills. */
	struct termios now = c->during;

	c->typed[c->n] = '\0';
	if (tcgetattr(c->tty, &now) < 0 || now.c_iflag != c->during.c_iflag ||
	    now.c_lflag != c->during.c_lflag ||
	    memcmp(now.c_cc, c->during.c_cc, sizeof(now.c_cc)) != 0)
		return consent_over(c, EPERM);
	if (!strcmp(c->typed, c->wanted))
		return consent_over(c, 0);
	if (c->n)
		c->wrong++;
	return consent_over(c, EPERM);
}

static int consent_key(struct consent *c, unsigned char key)
{
	if (key == '\r' || key == '\n')
		return consent_judge(c);
	if (key == '\b' || key == 127) {
		if (c->n && consent_say(c, "\b \b"))
			c->n--;
		return EINPROGRESS;
	}
	if (key < ' ' || key > '~' || c->n + 1 >= sizeof(c->typed))
		return consent_over(c, EPERM);
	c->typed[c->n++] = (char)key;
	if (!consent_write(c, (const char *)&key, 1))
		return consent_over(c, EPERM);
	return EINPROGRESS;
}

int consent_take(struct consent *c)
{
	unsigned char key;
	ssize_t n;

	if (!c->asking)
		return EPERM;
	while ((n = read(c->tty, &key, 1)) == 1) {
		int answer = consent_key(c, key);

		if (answer != EINPROGRESS)
			return answer;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		return consent_over(c, EPERM);
	return clock_mono_ns() >= c->until_ns ? consent_over(c, ETIMEDOUT)
					      : EINPROGRESS;
}
