/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Witness place: opens the pipe or socket between a run and its witness. */
#include "cmd/witness/witness_place.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/units.h"

/* A peer that does not answer for this time is gone. */
#define GONE_MS 5000

const struct text_word witness_place_modes[] = {
	{ "stream", "no flush waits: what is on the way when the power "
		    "is cut is not checked (the default)" },
	{ "echo", "a job goes on when the witness has its flush" },
	{ NULL, NULL },
};

/* "HOST:PORT", also "[::1]:PORT"; false: it is none. */
static bool witness_place_split(const char *place, char *host, size_t size,
				const char **port)
{
	const char *colon = strrchr(place, ':');
	size_t n = colon ? (size_t)(colon - place) : 0;

	if (!colon || !colon[1])
		return false;
	if (n >= 2 && place[0] == '[' && place[n - 1] == ']') {
		place++;
		n -= 2;
	}
	if (n >= size)
		return false;
	memcpy(host, place, n);
	host[n] = '\0';
	*port = colon + 1;
	return true;
}

static void witness_place_keep_alive(int fd)
{
	const int on = 1, s = GONE_MS / 1000 / 2, tries = 2;
	const unsigned ms = GONE_MS;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &s, sizeof(s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &s, sizeof(s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof(tries));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Connect to one of the addresses, or bind and listen; fd or -errno. */
static int witness_place_use(const struct addrinfo *a, bool bound, bool *remote)
{
	const int on = 1;
	int fd = -1, err = EADDRNOTAVAIL;

	for (; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC,
			    a->ai_protocol);
		if (fd < 0) {
			err = errno;
			continue;
		}
		if (bound)
			setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on,
				   sizeof(on));
		if (bound ? !bind(fd, a->ai_addr, a->ai_addrlen) &&
				    !listen(fd, 1)
			  : !connect(fd, a->ai_addr, a->ai_addrlen))
			break;
		err = errno;
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		return -err;
	if (a->ai_family == AF_INET)
		*remote = ntohl(((const struct sockaddr_in *)(const void *)
					 a->ai_addr)
					->sin_addr.s_addr) >> 24 != 127;
	else
		*remote = !IN6_IS_ADDR_LOOPBACK(
			&((const struct sockaddr_in6 *)(const void *)a->ai_addr)
				 ->sin6_addr);
	return fd;
}

static int witness_place_tcp(const char *place, bool bound, bool *remote)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;
	char host[256];
	const char *port;
	int err, fd;

	if (!witness_place_split(place, host, sizeof(host), &port))
		return fail(EINVAL, "%s is no place of a witness; it is -, "
				    "fd:N, unix:PATH or HOST:PORT",
			    place);
	/* Without a host only this machine can connect. */
	err = getaddrinfo(*host ? host : "localhost", port, &hints, &list);
	if (err)
		return fail(EADDRNOTAVAIL, "cannot find %s: %s", place,
			    gai_strerror(err));
	fd = witness_place_use(list, bound, remote);
	freeaddrinfo(list);
	if (fd < 0)
		return fail(-fd, "cannot %s %s: %s",
			    bound ? "listen at" : "reach the witness at", place,
			    strerror(-fd));
	witness_place_keep_alive(fd);
	return fd;
}

/* Bind to the path; a socket that nothing listens at is replaced. */
static bool witness_place_bind(int fd, const struct sockaddr_un *a)
{
	const struct sockaddr *to = (const struct sockaddr *)a;
	struct stat st;
	int test;
	bool dead;

	if (!bind(fd, to, sizeof(*a)))
		return true;
	if (errno != EADDRINUSE || lstat(a->sun_path, &st) < 0 ||
	    !S_ISSOCK(st.st_mode))
		return false;
	/* Of another type, so that a witness that listens sees nothing. */
	test = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	dead = test >= 0 && connect(test, to, sizeof(*a)) < 0 &&
	       errno == ECONNREFUSED;
	if (test >= 0)
		close(test);
	errno = EADDRINUSE;
	return dead && !unlink(a->sun_path) && !bind(fd, to, sizeof(*a));
}

static int witness_place_unix(const char *path, bool bound)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(a.sun_path))
		return fail(ENAMETOOLONG, "the path of a socket has at most "
					  "%zu bytes: %s",
			    sizeof(a.sun_path) - 1, path);
	strcpy(a.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    (bound ? witness_place_bind(fd, &a) && !listen(fd, 1)
		   : !connect(fd, (const struct sockaddr *)&a, sizeof(a))))
		return fd;
	fail(errno, "cannot %s %s: %s",
	     bound ? "listen at" : "reach the witness at", path,
	     strerror(errno));
	if (fd >= 0)
		close(fd);
	return -EIO;
}

static int witness_place_fd(const char *text)
{
	uint64_t n;

	if (!units_parse_count(text, 3, 1 << 20, &n) ||
	    fcntl((int)n, F_GETFD) < 0)
		return fail(EINVAL, "fd:%s is no open descriptor from 3 on",
			    text);
	return fcntl((int)n, F_DUPFD_CLOEXEC, 3);
}

/* The records get stdout; all else goes to stderr. */
static int witness_place_stdout(void)
{
	int fd;

	if (isatty(STDOUT_FILENO))
		return fail(EINVAL, "--witness=- needs a pipe at stdout: "
				    "iodyno run ... --witness=- | ssh HOST "
				    "iodyno witness LEDGER");
	fflush(stdout);
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return fail(errno, "cannot use stdout: %s", strerror(errno));
	return fd;
}

bool witness_place_is_stdout(const struct settings *s)
{
	return s->witness.place && !strcmp(s->witness.place, "-");
}

static int witness_place_open(const struct settings *s)
{
	const char *place = s->witness.place;
	bool remote;

	if (witness_place_is_stdout(s))
		return witness_place_stdout();
	if (!strncmp(place, "fd:", 3))
		return witness_place_fd(place + 3);
	if (!strncmp(place, "unix:", 5))
		return witness_place_unix(place + 5, false);
	return witness_place_tcp(place, false, &remote);
}

static bool witness_place_is_echo(const struct settings *s)
{
	return s->witness.mode && !strcmp(s->witness.mode, "echo");
}

int witness_place_connect(struct settings *s)
{
	struct witness_settings *w = &s->witness;
	struct stat st;

	if (witness_place_is_stdout(s) && s->log && !strcmp(s->log, "-"))
		return fail(EINVAL, "--witness=- and --log=- both want stdout; "
				    "give --log=FILE");
	if (w->batch > WITNESS_BATCH_MOST)
		return fail(EINVAL, "--witness-batch is at most %d",
			    WITNESS_BATCH_MOST);
	w->fd = witness_place_open(s);
	if (w->fd < 0)
		return w->fd;
	w->connected = true;
	w->answers = fstat(w->fd, &st) == 0 && S_ISSOCK(st.st_mode);
	if (witness_place_is_echo(s) && !w->answers) {
		witness_place_close(s);
		return fail(EINVAL, "--witness-mode=echo needs a witness that "
				    "can answer: unix:PATH, HOST:PORT or the "
				    "descriptor of a socket");
	}
	return 0;
}

void witness_place_close(struct settings *s)
{
	if (s->witness.connected)
		close(s->witness.fd);
	s->witness.connected = false;
}

struct witness_options witness_place_options(const struct settings *s)
{
	return (struct witness_options){
		.fd = s->witness.connected ? s->witness.fd : -1,
		.socket = s->witness.answers,
		.echo = witness_place_is_echo(s),
		.batch = (unsigned)s->witness.batch,
	};
}

int witness_place_listen(const char *place, bool *remote)
{
	*remote = false;
	return strncmp(place, "unix:", 5) ? witness_place_tcp(place, true, remote)
					  : witness_place_unix(place + 5, true);
}

int witness_place_accept(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return fail(errno, "no run connects: %s", strerror(errno));
	witness_place_keep_alive(fd);
	return fd;
}
