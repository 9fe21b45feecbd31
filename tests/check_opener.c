/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opener: what it opens for a program that has given up its rights, and what it
 * asks the operator. The program may be in the hands of an attacker: here it
 * speaks the opener's protocol itself. Most of it needs root and loop devices.
 */
#include "workload/target/opener.c"

#include <sys/wait.h>
#include <termios.h>

#include "base/random.h"
#include "base/sandbox.h"

#include "workload_help.h"

#define SIZE (16u << 20)

static char *dir;
static char image[300], loop[64], other_image[300], other[64];

static void setup_file(void)
{
	dir = make_dir();
	snprintf(image, sizeof(image), "%s/image", dir);
	make_file(image, SIZE, 0);
}

static void teardown_file(void)
{
	remove_dir(dir);
}

static void setup(void)
{
	setup_file();
	snprintf(other_image, sizeof(other_image), "%s/other", dir);
	make_file(other_image, SIZE, 0);
	ck_assert(loop_attach(image, false, loop, sizeof(loop)));
	ck_assert(loop_attach(other_image, false, other, sizeof(other)));
}

static void teardown(void)
{
	loop_detach(loop);
	loop_detach(other);
	remove_dir(dir);
}

static int open_device(const struct opener *o, int flags)
{
	int fd = opener_open(o, loop, flags), error = errno;

	if (fd < 0)
		return -error;
	close(fd);
	return 0;
}

/* Returns the claim. */
static uint64_t look_at(const struct opener *o, char *path,
			struct guard_findings *found)
{
	struct stat st;
	struct target t = { .path = path, .guard_fd = -1, .lock_fd = -1 };

	ck_assert_int_eq(stat(path, &st), 0);
	t.rdev = st.st_rdev;
	memset(found, 0, sizeof(*found));
	ck_assert_int_eq(opener_look(o, &t, true, found), 0);
	if (t.guard_fd >= 0)
		close(t.guard_fd);
	if (t.lock_fd >= 0)
		close(t.lock_fd);
	return t.claim;
}

static uint64_t look_by(const struct opener *o, struct guard_findings *found)
{
	return look_at(o, loop, found);
}

/*
 * The operator: a terminal, on which a program runs. Each question of the opener
 * gets the answer of operator_answers.
 */

static const char *operator_answers; /* '@': the name, '#': the letters */
static unsigned questions;

static int error_line;

/* In the program, where libcheck's pipe is not. */
#define require(condition)                       \
	do {                                     \
		if (!(condition)) {              \
			error_line = __LINE__;   \
			fprintf(stderr,          \
				"line %d: %s\n", \
				error_line,      \
				#condition);     \
			_exit(1);                \
		}                                \
	} while (0)

static void operator_type(int master, const char *answer, size_t n)
{
	while (n) {
		ssize_t got = write(master, answer, n);

		if (got <= 0)
			return;
		answer += got;
		n -= (size_t)got;
	}
}

/* The end of all that was shown: a question ends with "refuses) > ". */
static void operator_reads(int master, char *shown, size_t size)
{
	char name[80], letters[20], answer[200] = "";
	const char *at, *next = shown;

	while ((at = strstr(next, "right type: "))) {
		next = at + 1;
	}
	if (next == shown || !strstr(next, "refuses) > ") ||
	    sscanf(next, "ight type: %70s %10s", name, letters) != 2)
		return;
	questions++;
	for (at = operator_answers; *at; at++) {
		size_t n = strlen(answer);

		snprintf(answer + n, sizeof(answer) - n, "%.*s",
			 *at == '@' || *at == '#' ? 70 : 1,
			 *at == '@'   ? name
			 : *at == '#' ? letters
				      : at);
	}
	operator_type(master, answer, strlen(answer));
	memset(shown, 0, size);
}

/* Run fn on a terminal of its own, with the operator at it: its exit status. */
static int on_terminal(void (*fn)(int terminal))
{
	static char shown[1 << 16];
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	char slave[128];
	size_t n = 0;
	pid_t pid;

	questions = 0;
	ck_assert(master >= 0 && !grantpt(master) && !unlockpt(master) &&
		  !ptsname_r(master, slave, sizeof(slave)));
	pid = fork();
	if (pid == 0) {
		int fd;

		close(master);
		setsid();
		fd = open(slave, O_RDWR);
		require(fd >= 0 && !ioctl(fd, TIOCSCTTY, 0));
		fn(fd);
		_exit(0);
	}
	memset(shown, 0, sizeof(shown));
	for (;;) {
		struct pollfd p = { .fd = master, .events = POLLIN };
		ssize_t got;

		if (waitpid(pid, &status, WNOHANG) == pid)
			break;
		if (poll(&p, 1, 20) <= 0 || !(p.revents & POLLIN))
			continue;
		if (n > sizeof(shown) / 2) {
			memmove(shown, shown + n - 1000, 1000);
			memset(shown + 1000, 0, sizeof(shown) - 1000);
			n = 1000;
		}
		got = read(master, shown + n, sizeof(shown) - n - 1);
		if (got <= 0)
			continue;
		n += (size_t)got;
		operator_reads(master, shown, sizeof(shown));
		if (!*shown)
			n = 0;
	}
	close(master);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int ask_and_hear(const struct opener *o, const char *path)
{
	int from = opener_ask(o, path);

	return from < 0 ? from : opener_answer(from, path);
}

/* Other programs of the machine may have it open for a moment: ask again then. */
static bool is_permitted(const struct opener *o, uint64_t *claim)
{
	struct guard_findings found;
	uint64_t end_ns = test_deadline_ns(60);

	while (open_device(o, O_RDWR) < 0 && test_rest(end_ns)) {
		opener_release(o, *claim);
		require(ask_and_hear(o, loop) == 0);
		*claim = look_by(o, &found);
	}
	return open_device(o, O_RDWR) == 0;
}

/* The modes, to compare as bytes: padding is 0. */
static struct termios modes_of(int terminal)
{
	struct termios modes;

	memset(&modes, 0, sizeof(modes));
	require(tcgetattr(terminal, &modes) == 0);
	return modes;
}

static bool has_modes(int terminal, const struct termios *modes)
{
	struct termios now = modes_of(terminal);

	return !memcmp(&now, modes, sizeof(now));
}

/* For writing it opens only what its own look and its own list pass. */
static void judges_itself(int terminal)
{
	const struct termios before = modes_of(terminal);
	struct guard_findings found;
	struct opener *o;
	uint64_t claim;

	require(opener_start(&o, &(struct allow_list){ 0 }, true) == 0);
	require(open_device(o, O_RDONLY) == 0);
	require(open_device(o, O_RDWR) == -EPERM);
	claim = look_by(o, &found);
	require(open_device(o, O_RDWR) == -EPERM);
	require(ask_and_hear(o, loop) == 0);
	require(has_modes(terminal, &before));
	/* What was agreed holds for the next look. */
	require(open_device(o, O_RDWR) == -EPERM);
	opener_release(o, claim);
	claim = look_by(o, &found);
	require(is_permitted(o, &claim));
	require(open_device(o, O_RDWR | O_DIRECT) == 0);
	require(open_device(o, O_WRONLY) == 0);
	/* It keeps its claim: what was looked at cannot be mounted now. */
	require(open_device(NULL, O_RDONLY | O_EXCL) == -EBUSY);
	opener_release(o, claim);
	run_command("mkfs.ext4 -q -F %s", loop);
	claim = look_by(o, &found);
	require(strstr(found.words[GUARD_SIGNATURE], "ext4"));
	require(open_device(o, O_RDWR) == -EPERM);
	opener_stop(o);
	require(open_device(NULL, O_RDONLY | O_EXCL) == 0);
}

START_TEST(opener_judges_itself)
{
	operator_answers = "@ #\r";
	ck_assert_int_eq(on_terminal(judges_itself), 0);
	ck_assert_uint_ge(questions, 1);
	ck_assert_int_eq(run_command("wipefs -qa %s", loop), 0);
}
END_TEST

/* The answer holds for what was found, and for nothing that came since. */
static void permits_what_it_found(int terminal)
{
	struct guard_findings found;
	struct opener *o;
	uint64_t claim;

	run_command("mkfs.ext4 -q -F -L one %s", loop);
	require(opener_start(&o, &(struct allow_list){ 0 }, true) == 0);
	require(ask_and_hear(o, loop) == 0);
	run_command("mkfs.ext4 -q -F -L two %s", loop);
	opener_release(o, look_by(o, &found));
	require(strstr(found.words[GUARD_SIGNATURE], "two"));
	require(open_device(o, O_RDWR) == -EPERM);
	require(ask_and_hear(o, loop) == 0);
	claim = look_by(o, &found);
	require(is_permitted(o, &claim));
	/* Another device is not meant. */
	(void)look_at(o, other, &found);
	require(opener_open(o, other, O_RDWR) < 0 && errno == EPERM);
	opener_stop(o);

	/* Without a screen it asks nothing. */
	require(opener_start(&o, &(struct allow_list){ 0 }, false) == 0);
	require(ask_and_hear(o, loop) == -ENOTTY);
	(void)look_by(o, &found);
	require(open_device(o, O_RDWR) == -EPERM);
	opener_stop(o);
	/* With --readonly neither. */
	require(opener_start(&o, &(struct allow_list){ .readonly = true },
			     true) == 0);
	require(ask_and_hear(o, loop) == -EPERM);
	opener_stop(o);
}

START_TEST(opener_permits_what_it_found)
{
	operator_answers = "@ #\r";
	ck_assert_int_eq(on_terminal(permits_what_it_found), 0);
	ck_assert_uint_ge(questions, 2);
	ck_assert_int_eq(run_command("wipefs -qa %s", loop), 0);
}
END_TEST

/* No other answer permits anything. */
static void is_refused(int terminal)
{
	struct guard_findings found;
	struct opener *o;

	require(opener_start(&o, &(struct allow_list){ 0 }, true) == 0);
	require(ask_and_hear(o, loop) == -EPERM);
	(void)look_by(o, &found);
	require(open_device(o, O_RDWR) == -EPERM);
	opener_stop(o);
}

START_TEST(opener_takes_no_other_answer)
{
	static const char *const answers[] = {
		"@\r",   "\r",	     "y\r",
		"#\r",   "/dev/@ #\r", "@ #\x03",
		"@ # \r", "@  #\r", "loop #\r",
		"\x1b]l@ #\x1b\\\r", /* a title that a terminal reports */
	};

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		questions = 0;
		operator_answers = answers[i];
		ck_assert_msg(on_terminal(is_refused) == 0, "answer %zu", i);
		ck_assert_uint_eq(questions, 1);
	}
	operator_answers = "@ x\b#\r";
	ck_assert_int_ne(on_terminal(is_refused), 0);
}
END_TEST

/* After five wrong answers the opener asks no more. */
static void is_guessed(int terminal)
{
	struct opener *o;

	require(opener_start(&o, &(struct allow_list){ 0 }, true) == 0);
	for (int i = 0; i < 5; i++)
		require(ask_and_hear(o, loop) == -EPERM);
	require(ask_and_hear(o, loop) == -EACCES);
	opener_stop(o);
}

START_TEST(opener_is_not_guessed)
{
	operator_answers = "@ abcd\r";
	ck_assert_int_eq(on_terminal(is_guessed), 0);
	ck_assert_uint_eq(questions, 5);
}
END_TEST

/* Other threads are served while a question is open; one at a time is. */
static void serves_meanwhile(int terminal)
{
	struct guard_findings found;
	struct opener *o;
	int from;

	require(opener_start(&o, &(struct allow_list){ 0 }, true) == 0);
	from = opener_ask(o, loop);
	require(from >= 0);
	require(open_device(o, O_RDONLY) == 0);
	opener_release(o, look_by(o, &found));
	require(ask_and_hear(o, other) == -EBUSY);
	/* Its end, in the middle of a question, leaves the terminal well. */
	opener_stop(o);
	close(from);
}

static void leaves_the_terminal(int terminal)
{
	const struct termios before = modes_of(terminal);

	serves_meanwhile(terminal);
	require(test_within(10, has_modes(terminal, &before)));
}

START_TEST(opener_serves_while_it_asks)
{
	operator_answers = "";
	ck_assert_int_eq(on_terminal(leaves_the_terminal), 0);
}
END_TEST

/*
 * A program that an attacker has: it has lost its rights as after sudo, has the
 * terminal, and wants a descriptor of `loop` for writing.
 */

#define MESSAGES 4000

/* Whether a descriptor that came can be written to, and to which device. */
static bool is_write_on(int fd, const char *path)
{
	struct stat want, got;

	return (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY &&
	       !stat(path, &want) && !fstat(fd, &got) &&
	       got.st_rdev == want.st_rdev;
}

/* One random message, of any length and with any content. */
static unsigned send_random(const struct opener *o, struct random *r,
			    const char *const *path, size_t n_paths)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR, 3 };
	struct question q = { .op = (enum op)random_below(r, 8) };
	struct answer a = { 0 };
	int pair[2], fd[2] = { -1, -1 };
	struct pollfd p;
	unsigned won = 0;
	struct stat st;
	size_t size;

	/* A look at a device in use takes a third of a second. */
	if (q.op == OPENER_LOOK && random_below(r, 10))
		q.op = OPENER_OPEN;
	q.flags = modes[random_below(r, 4)] | (int)(random_below(r, 1u << 24) & ~3u);
	q.only = random_below(r, 2);
	q.claim = random_below(r, 20);
	text_copy(q.path, sizeof(q.path), path[random_below(r, n_paths)]);
	q.rdev = stat(q.path, &st) ? 0 : st.st_rdev;
	size = random_below(r, 20) ? sizeof(q) : 1 + random_below(r, sizeof(q));
	require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ==
		0);
	require(descriptor_send(o->socket, &q, size, &pair[1], 1) == 0);
	close(pair[1]);
	/* The answer to a question comes when it comes. */
	p = (struct pollfd){ .fd = pair[0], .events = POLLIN };
	if (poll(&p, 1, q.op == OPENER_ASK ? 1 : 5000) == 1 &&
	    descriptor_receive(pair[0], &a, sizeof(a), fd, 2) > 0 &&
	    q.op == OPENER_ASK && size == sizeof(q))
		require(a.error != 0);
	close(pair[0]);
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0) {
			won += is_write_on(fd[i], loop);
			close(fd[i]);
		}
	return won;
}

/* Cover the question, take keys, change the modes, type. */
static void disturb(int terminal, struct random *r)
{
	static const char cover[] =
		"\033[2J\033[HTo overwrite loop999 type its name and the "
		"letters\r\n\033[21t\033[c\033[0;0;0;0;0*y";
	struct termios modes;
	char keys[64];

	switch (random_below(r, 4)) {
	case 0:
		if (write(terminal, cover, sizeof(cover) - 1) < 0)
			_exit(3);
		break;
	case 1:
		if (random_below(r, 8) == 0 && read(terminal, keys, 3) < 0)
			errno = 0;
		break;
	case 2:
		if (tcgetattr(terminal, &modes) == 0) {
			modes.c_lflag ^= (tcflag_t)random_below(r, 2)
						 ? ICANON
						 : ECHO;
			modes.c_cc[VEOF] = (cc_t)random_below(r, 256);
			tcsetattr(terminal, TCSANOW, &modes);
		}
		break;
	default:
		for (const char *c = "loop0 aaaa\r"; *c; c++)
			ioctl(terminal, TIOCSTI, c);
	}
}

static void attacks(int terminal)
{
	char link[340], name[40];
	const char *path[] = { loop, other, link, name, "/dev/null",
			       "/etc/shadow" };
	struct guard_findings found;
	struct random r;
	struct opener *o;
	unsigned won = 0;
	uint64_t claim;
	int fd;
	/* The fixture has the devices open. */
	char open_too[] = "open", *names[] = { other }, *words[] = { open_too };
	const struct allow_list p = { .destroy = names,
				      .n_destroy = 1,
				      .override = words,
				      .n_override = 1 };

	random_seed(&r, 20);
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", terminal);
	require(symlink(loop, link) == 0);
	require(opener_start(&o, &p, true) == 0);
	sandbox_deny(CALLS_NO_TYPING);
	require(setgid(65534) == 0 && setuid(65534) == 0);
	/* What the command line named it opens. */
	claim = look_at(o, other, &found);
	require((fd = opener_open(o, other, O_RDWR)) >= 0);
	close(fd);
	opener_release(o, claim);
	fcntl(terminal, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < MESSAGES; i++) {
		won += send_random(o, &r, path, ARRAY_SIZE(path));
		if (i % 16 == 0)
			disturb(terminal, &r);
	}
	require(won == 0);
	/* It lives. */
	require((fd = opener_open(o, other, O_RDONLY)) >= 0);
	close(fd);
	opener_stop(o);
}

/* The operator believes what the screen says: another device. */
START_TEST(attacker_gets_nothing)
{
	operator_answers = "loop999 #\r";
	ck_assert_int_eq(on_terminal(attacks), 0);
	ck_assert_uint_gt(questions, 0);
}
END_TEST

#define NO_FILTER 77 /* the sanitizers' build has none */

/* It types the right name; it cannot, and it would not know the letters. */
static void types(int terminal)
{
	char c = 'x';

	if (ioctl(terminal, TIOCSTI, &c) == 0)
		_exit(NO_FILTER);
	require(errno == EPERM);
}

static void types_after_root(int terminal)
{
	char c = 'x';

	require(ioctl(terminal, TIOCSTI, &c) == 0 || errno == EIO);
	sandbox_deny(CALLS_NO_TYPING);
	require(setgid(65534) == 0 && setuid(65534) == 0);
	types(terminal);
}

/* A user may add a filter only with no_new_privs, which is set then. */
static void types_as_user(int terminal)
{
	require(setgid(65534) == 0 && setuid(65534) == 0);
	sandbox_deny(CALLS_NO_TYPING);
	types(terminal);
}

START_TEST(program_cannot_type)
{
	int status = on_terminal(types_after_root);

	ck_assert(status == 0 || status == NO_FILTER);
	ck_assert_int_eq(on_terminal(types_as_user), status);
}
END_TEST

/* A preview of a device that a run writes leaves the run its claim. */
START_TEST(opener_keeps_claims_apart)
{
	char *names[] = { loop };
	const struct allow_list p = { .destroy = names, .n_destroy = 1 };
	struct guard_findings found;
	struct opener *o;
	uint64_t run, preview;

	ck_assert_int_eq(opener_start(&o, &p, false), 0);
	run = look_by(o, &found);
	ck_assert_str_eq(found.words[GUARD_BUSY], "");
	preview = look_by(o, &found);
	ck_assert_uint_ne(run, preview);
	ck_assert_str_ne(found.words[GUARD_BUSY], "");
	ck_assert_int_eq(open_device(o, O_RDWR), 0);
	opener_release(o, preview);
	ck_assert_int_eq(open_device(o, O_RDWR), 0);
	ck_assert_int_eq(open_device(NULL, O_RDONLY | O_EXCL), -EBUSY);
	opener_release(o, run);
	ck_assert_int_eq(open_device(o, O_RDWR), -EPERM);
	ck_assert_int_eq(open_device(NULL, O_RDONLY | O_EXCL), 0);
	opener_stop(o);
}
END_TEST

START_TEST(opener_lets_go)
{
	char *names[] = { loop };
	const struct allow_list p = { .destroy = names, .n_destroy = 1 };
	struct guard_findings found;
	struct opener *o;
	uint64_t claim;

	ck_assert_int_eq(opener_start(&o, &p, false), 0);
	claim = look_by(o, &found);
	ck_assert_int_eq(open_device(o, O_RDWR), 0);
	opener_release(o, claim);
	ck_assert_int_eq(open_device(o, O_RDWR), -EPERM);
	ck_assert_int_eq(open_device(NULL, O_RDONLY | O_EXCL), 0);
	opener_stop(o);
}
END_TEST

/* Nothing but block devices, and no file is made, cut or followed. */
START_TEST(opener_opens_devices_only)
{
	char link[300], *names[] = { image, link };
	const struct allow_list p = { .destroy = names, .n_destroy = 2 };
	struct opener *o;
	struct stat st;

	snprintf(link, sizeof(link), "%s/link", dir);
	ck_assert_int_eq(symlink(image, link), 0);
	ck_assert_int_eq(opener_start(&o, &p, false), 0);
	ck_assert_int_eq(opener_open(o, image, O_RDWR | O_TRUNC), -1);
	ck_assert_int_eq(stat(image, &st), 0);
	ck_assert_int_eq(st.st_size, SIZE);
	ck_assert_int_eq(opener_open(o, link, O_RDONLY), -1);
	ck_assert_int_eq(errno, ENOTBLK);
	ck_assert_int_eq(opener_open(o, image, O_RDONLY), -1);
	ck_assert_int_eq(errno, ENOTBLK);
	ck_assert_int_eq(opener_open(o, "/dev/null", O_RDONLY), -1);
	ck_assert_int_eq(errno, ENOTBLK);
	ck_assert_int_eq(opener_open(o, "/no/such", O_RDWR | O_CREAT), -1);
	ck_assert_int_eq(errno, ENOENT);
	opener_stop(o);
}
END_TEST

/* Where the process has died nothing is opened, and the sentence says so. */
START_TEST(dead_opener_opens_nothing)
{
	static const struct job job;
	struct target t = { .job = &job, .path = image, .guard_fd = -1 };
	struct guard_findings found;
	char path[PATH_MAX + 2];
	struct opener *o;

	ck_assert_int_eq(opener_start(&o, &(struct allow_list){ 0 }, false), 0);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	ck_assert_int_eq(opener_open(o, path, O_RDONLY), -1);
	ck_assert_int_eq(errno, ENAMETOOLONG);
	ck_assert_int_eq(opener_ask(o, path), -ENAMETOOLONG);
	kill(o->pid, SIGKILL);
	ck_assert_int_eq(waitpid(o->pid, NULL, 0), o->pid);
	ck_assert_int_eq(opener_open(o, "/dev/null", O_RDONLY), -1);
	ck_assert_int_eq(errno, EPIPE);
	ck_assert_int_eq(opener_look(o, &t, true, &found), -EPIPE);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "start iodyno again"));
	ck_assert_int_eq(t.guard_fd, -1);
	ck_assert_int_eq(opener_ask(o, image), -EPIPE);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), image));
	opener_release(o, 1);
	opener_stop(o);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("opener"), *files = tcase_create("files");

	tcase_add_checked_fixture(files, setup_file, teardown_file);
	tcase_add_test(files, opener_opens_devices_only);
	tcase_add_test(files, dead_opener_opens_nothing);
	suite_add_tcase(suite, files);
	if (!have_loop()) {
		test_in_part(NEEDS_LOOP);
		return;
	}
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, opener_judges_itself);
	tcase_add_test(tc, opener_permits_what_it_found);
	tcase_add_test(tc, opener_takes_no_other_answer);
	tcase_add_test(tc, opener_is_not_guessed);
	tcase_add_test(tc, opener_serves_while_it_asks);
	tcase_add_test(tc, attacker_gets_nothing);
	tcase_add_test(tc, program_cannot_type);
	tcase_add_test(tc, opener_keeps_claims_apart);
	tcase_add_test(tc, opener_lets_go);
	suite_add_tcase(suite, tc);
}
