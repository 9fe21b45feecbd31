/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep stage: the scratch device, its file systems, and caches. */
#include "cmd/sweep/sweep_stage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/random.h"
#include "base/text.h"
#include "block/mounts.h"
#include "workload/kind/program.h"

#define WORDS        32
#define OPTIONS_MAX  256 /* of mount */
#define HEAD_BYTES   (128u << 10)
#define HEAD_ALIGN   4096
/* Of ext2 to ext4: any, but always the same. */
#define HASH_SEED "hash_seed=00000000-0000-4000-8000-000000000001"

void sweep_stage_init(struct sweep_stage *st)
{
	memset(st, 0, sizeof(*st));
	st->own.scratch.fd = st->output = st->device_fd = -1;
}

void sweep_stage_give(struct sweep_stage *st, uid_t uid, gid_t gid)
{
	st->gives = true;
	st->uid = uid;
	st->gid = gid;
}

/* --- the scratch device --- */

/* The guard decides as it does for a job that writes all of the device. */
static int sweep_stage_check_device(const char *path, const struct root *root,
				    const struct allow_list *allowed)
{
	struct targets targets = { 0 };
	struct target *t;
	struct job job;
	int err;

	job_init(&job);
	err = job_set(&job, "name", "mkfs");
	if (!err)
		err = job_set(&job, "rw", "write");
	if (!err)
		err = targets_add(&targets, &job, path, false, &t);
	if (!err) {
		t->writes = true;
		err = t->is_device
			      ? guard_check(&targets, root, allowed)
			      : fail(ENOTBLK,
				     "--scratch=%s is not a block device",
				     path);
	}
	targets_free(&targets, false);
	job_free(&job);
	return err;
}

/*
 * A hash of the first bytes of a device, which hold the superblock (of btrfs at
 * 64 KiB) with times, number of mounts or generation. O_DIRECT, because file
 * systems write past the device's page cache.
 */
static uint64_t hash_head(const char *device)
{
	int fd = open(device, O_RDONLY | O_CLOEXEC | O_DIRECT);
	uint64_t hash = TEXT_HASH;
	unsigned char *head = NULL;
	ssize_t n = -1;

	if (fd >= 0 && !posix_memalign((void **)&head, HEAD_ALIGN, HEAD_BYTES))
		n = pread(fd, head, HEAD_BYTES, 0);
	if (n > 0)
		hash = text_hash(hash, head, (size_t)n);
	free(head);
	if (fd >= 0)
		close(fd);
	return hash;
}

/* Identify the content by the signatures of libblkid and the first bytes. */
static int read_content(const struct sweep_stage *st, uint64_t *content)
{
	int fd = open(st->device, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(errno, "cannot open %s: %s", st->device,
			    strerror(errno));
	*content = guard_signature_identity(fd);
	/* Without a file system the jobs write there: ignore the bytes. */
	if (*content)
		*content ^= hash_head(st->device);
	close(fd);
	return 0;
}

static int check_same_content(const struct sweep_stage *st)
{
	uint64_t content;
	int err = read_content(st, &content);

	if (err < 0 || content == st->content)
		return err;
	return fail(EPERM,
		    "%s is not as this sweep left it: another program made a "
		    "file system or partition table there, or mounted this "
		    "one; nothing is written",
		    st->device);
}

/* Check that the name still leads to the device that the guard allowed. */
static int check_same_device(const struct sweep_stage *st)
{
	struct stat was, is;

	if (st->device_fd < 0)
		return 0;
	if (fstat(st->device_fd, &was) == 0 && stat(st->device, &is) == 0 &&
	    S_ISBLK(is.st_mode) && was.st_rdev == is.st_rdev)
		return 0;
	return fail(ESTALE, "%s is another device now than at the start",
		    st->device);
}

static int open_device(struct sweep_stage *st, const char *path,
		       const struct root *root,
		       const struct allow_list *allowed)
{
	int err, error;

	text_copy(st->device, sizeof(st->device), path);
	text_copy(st->disk, sizeof(st->disk), strrchr(st->device, '/') + 1);
	/* While the device is open, no other device gets its number: the guard
	 * judges the device that is held. */
	st->device_fd = open(st->device, O_RDONLY | O_NONBLOCK | O_NOCTTY |
						 O_CLOEXEC);
	error = errno;
	err = sweep_stage_check_device(path, root, allowed);
	if (err < 0)
		return err;
	if (st->device_fd < 0)
		return fail(error, "cannot open %s: %s", st->device,
			    strerror(error));
	err = check_same_device(st);
	if (err < 0)
		return err;
	/*
	 * The lock that the guard takes for each target: between two runs no
	 * file system is mounted and no job uses the device.
	 */
	if (flock(st->device_fd, LOCK_EX | LOCK_NB) < 0)
		return fail(EBUSY, "another program has locked %s; end it first",
			    st->device);
	st->bytes = descriptor_bytes(st->device_fd);
	return read_content(st, &st->content);
}

int sweep_stage_open(struct sweep_stage *st, const struct sweep_plan *p,
		     const struct root *root, const struct allow_list *allowed)
{
	char rerun[FAIL_ROOT_MAX];
	int err;

	if (p->scratch_device)
		return open_device(st, p->scratch_device, root, allowed);
	if (!p->scratch_bytes)
		return 0;
	err = scratch_disk_make(&st->own, p->scratch_bytes, p->scratch_model,
				p->seed);
	if (err < 0)
		return err;
	if (!st->own.scratch.is_device)
		return fail(EPERM,
			    "--scratch needs root and a loop device, and none "
			    "could be made%s",
			    fail_as_root(rerun, sizeof(rerun)));
	text_copy(st->device, sizeof(st->device), st->own.scratch.path);
	text_copy(st->disk, sizeof(st->disk), st->own.scratch.device);
	st->bytes = descriptor_bytes(st->own.scratch.fd);
	return read_content(st, &st->content);
}

int sweep_stage_own_mounts(void)
{
	char rerun[FAIL_ROOT_MAX];

	if (mounts_own() < 0)
		return fail(errno,
			    "--vary=fs cannot make a mount namespace: %s%s",
			    strerror(errno),
			    fail_as_root(rerun, sizeof(rerun)));
	if (mkdir(SWEEP_STAGE_PLACE, 0700) < 0 && errno != EEXIST)
		return fail(errno, "cannot make %s: %s", SWEEP_STAGE_PLACE,
			    strerror(errno));
	return 0;
}

/* --- children --- */

/* How long the end of the sweep waits for a child. mkfs, mount and umount have
 * this time to finish; others are killed. */
#define END_NS (10 * (uint64_t)NS_PER_S)

/* Run fn instead of a program. */
struct inner {
	int (*fn)(const struct sweep_stage *st, unsigned how);
	unsigned how;
};

static void prepare_child(int out, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Die with the sweep, however it ends; the parent may be dead already.
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	setpgid(0, 0);
	dup2(out, 1);
	dup2(out, 2);
}

static _Noreturn void be_child(const char *const *argv)
{
	/* A word of mkfs= that names a file is relative to an empty folder. */
	if (!strncmp(argv[0], "mkfs.", 5) && chdir(SWEEP_STAGE_PLACE) < 0)
		_exit(127);
	/* execvp(3) changes nothing; its type says otherwise. */
	execvp(argv[0], (char **)(uintptr_t)argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* A descriptor of the scratch device, whatever its name leads to now. */
static int held_device(const struct sweep_stage *st)
{
	return st->device_fd >= 0 ? st->device_fd : st->own.scratch.fd;
}

/* Run fn. Without an exec, close the sweep's descriptors by hand. */
static _Noreturn void be_inner(const struct sweep_stage *st,
			       const struct inner *inner)
{
	int keep[] = { 1, 2, held_device(st) };

	descriptor_close_others(keep, ARRAY_SIZE(keep));
	_exit(inner->fn(st, inner->how));
}

static int start_child(struct sweep_stage *st, const char *const *argv,
		       const struct inner *inner)
{
	const pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(errno, "cannot start %s: %s", argv[0],
			    strerror(errno));
	*st->said = '\0';
	st->finishes = st->mounts = st->unmounts = false;
	st->child = fork();
	if (!st->child) {
		prepare_child(ends[1], parent);
		if (inner)
			be_inner(st, inner);
		be_child(argv);
	}
	close(ends[1]);
	st->output = ends[0];
	(void)fcntl(st->output, F_SETFL, O_NONBLOCK);
	if (st->child > 0)
		return 0;
	st->child = 0;
	return fail(EAGAIN, "cannot start %s: no more processes", argv[0]);
}

static int sweep_stage_start(struct sweep_stage *st, const char *const *argv)
{
	return start_child(st, argv, NULL);
}

/* Start a command that changes the device; its result counts as the sweep's. */
static int start_change(struct sweep_stage *st, const char *const *argv)
{
	int err = sweep_stage_start(st, argv);

	st->changes = st->finishes = !err;
	return err;
}

static void sweep_stage_read_output(struct sweep_stage *st)
{
	char buf[512];
	ssize_t n;

	/* The first line has the error; usage and hints follow it. */
	while ((n = read(st->output, buf, sizeof(buf) - 1)) > 0) {
		buf[n] = '\0';
		if (!*st->said)
			text_copy(st->said, sizeof(st->said),
				  strtok(text_trim(buf), "\n") ?: "");
	}
	text_clean(st->said);
}

/*
 * mount(8) ends with 0 although it mounted nothing, or something else, for
 * options such as X-mount.subdir. Whether the last mount at the place is the
 * scratch device, whole: btrfs has a device number of its own, so what counts
 * is the source.
 */
static int check_mount(const struct sweep_stage *st)
{
	struct mounts *all;
	const struct mount *m, *last = NULL;
	struct stat in, above, device, source;
	struct root root;
	bool ours;

	if (root_open(&root, NULL) < 0)
		return -EIO;
	all = mounts_read(&root);
	for (size_t i = 0; (m = mounts_at(all, i)); i++)
		if (!strcmp(m->point, SWEEP_STAGE_PLACE))
			last = m;
	ours = last && !stat(SWEEP_STAGE_PLACE, &in) &&
	       !stat(SWEEP_STAGE_PLACE "/..", &above) &&
	       in.st_dev != above.st_dev && !strcmp(last->subtree, "/") &&
	       !fstat(held_device(st), &device) &&
	       !stat(last->source, &source) && S_ISBLK(source.st_mode) &&
	       source.st_rdev == device.st_rdev;
	mounts_free(all);
	root_close(&root);
	if (ours)
		return 0;
	/* Whatever it is, nothing may be written there. */
	(void)!umount2(SWEEP_STAGE_PLACE, MNT_DETACH);
	return fail(EIO,
		    "mount ended without an error, but %s is not mounted at %s "
		    "as a whole; leave out the options that mount something "
		    "else",
		    st->device, SWEEP_STAGE_PLACE);
}

/* Give the mounted file system to the user of the jobs. */
static int give_place(const struct sweep_stage *st)
{
	int fd = st->gives ? open(SWEEP_STAGE_PLACE,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					  O_CLOEXEC)
			   : -1;
	int err = 0;

	if (st->gives && (fd < 0 || fchown(fd, st->uid, st->gid) < 0))
		err = fail(errno, "cannot give %s to user %u: %s",
			   SWEEP_STAGE_PLACE, (unsigned)st->uid,
			   strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

/*
 * After a child, note whether a file system is still mounted. After a failed
 * unmount it is, so that no mkfs begins below it.
 */
static void sweep_stage_note_mount(struct sweep_stage *st, bool worked)
{
	const bool none = st->mounts ? !worked : st->unmounts && worked;

	/* mount(8) may fail after the kernel has mounted. */
	if (none && st->mounts)
		(void)!umount2(SWEEP_STAGE_PLACE, MNT_DETACH);
	if (none)
		*st->mount = '\0';
}

int sweep_stage_poll(struct sweep_stage *st)
{
	int status, err;
	bool worked;
	pid_t pid;

	if (!st->child)
		return 0;
	sweep_stage_read_output(st);
	pid = waitpid(st->child, &status, WNOHANG);
	if (!pid)
		return 1;
	sweep_stage_read_output(st);
	close(st->output);
	st->output = -1;
	st->child = 0;
	worked = pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
	err = worked && st->mounts ? check_mount(st) : 0;
	if (err < 0) {
		worked = false;
		text_copy(st->said, sizeof(st->said), fail_sentence());
	}
	sweep_stage_note_mount(st, worked);
	/* Take the content of a failed mkfs, too: the next one replaces it. */
	err = st->changes ? read_content(st, &st->content) : 0;
	st->changes = false;
	if (err < 0)
		return err;
	if (worked)
		return st->mounts ? give_place(st) : 0;
	return fail(EIO, "it failed: %s",
		    *st->said ? st->said : "without a message");
}

/* --- file systems --- */

static const struct maker {
	const char *fs;
	const char *word[8];
} makers[] = {
	/* With lazy tables the kernel writes long after the mount. The seed of
	 * the directories' hash orders their files. */
	{ "ext4",
	  { "mkfs.ext4", "-F", "-q", "-E",
	    "lazy_itable_init=0,lazy_journal_init=0," HASH_SEED } },
	{ "ext2", { "mkfs.ext2", "-F", "-q", "-E", HASH_SEED } },
	{ "ext3", { "mkfs.ext3", "-F", "-q", "-E", HASH_SEED } },
	{ "xfs", { "mkfs.xfs", "-f", "-q" } },
	{ "btrfs", { "mkfs.btrfs", "-f", "-q" } },
	{ "f2fs", { "mkfs.f2fs", "-f", "-q" } },
};

/* NULL with a sentence: a sweep makes and mounts no such file system. */
static const struct maker *find_maker(const char *base)
{
	const struct maker *m = text_row(base, makers, ARRAY_SIZE(makers), fs);

	if (!m)
		fail(EINVAL,
		     "fs=%s: iodyno makes ext2, ext3, ext4, xfs, btrfs and f2fs",
		     base);
	return m;
}

/* An option of mkfs whose value is a name: features, profiles, kinds. */
static bool takes_name(const char *base, const char *option)
{
	/* mke2fs -d copies a folder, mkfs.btrfs -d takes a profile. */
	if (!strcmp(base, "btrfs") && !strcmp(option, "-d"))
		return true;
	return text_among(option, "-O", "-T", "-m", "--csum", "--features",
			  "--data", "--metadata");
}

/*
 * A plan or a log names the words, so none of them may name a device or a file:
 * mkfs.btrfs makes a file system on each device that is named, mke2fs -z makes a
 * file, -d copies one. A value is a number or, behind a few options, a name.
 */
static bool sweep_stage_is_harmless(const char *base, const char *before,
				    const char *word)
{
	const char *value = strchr(word, '=');
	char option[3] = { word[0], word[0] ? word[1] : '\0', '\0' };
	bool is_option = word[0] == '-' && word[1];

	if (strchr(word, '/') || strstr(word, "..") || !strcmp(word, "--"))
		return false;
	if (value)
		return value[1] >= '0' && value[1] <= '9';
	if (is_option && word[1] != '-' && word[2])
		return (word[2] >= '0' && word[2] <= '9') ||
		       takes_name(base, option);
	return !*word || is_option ||
	       (*before == '-' && *word >= '0' && *word <= '9') ||
	       !strcmp(before, "-E") || takes_name(base, before);
}

static void keep_command(char *to, size_t size, const char *const *argv)
{
	for (*to = '\0'; *argv; argv++)
		text_add(to, size, "%s%s", *to ? " " : "", *argv);
}

/* The words of a mkfs; extended: the value of -E, or NULL. */
struct mkfs_words {
	const char *argv[WORDS];
	size_t n;
	const char **extended;
	char value[256];
};

static void begin_words(struct mkfs_words *w, const struct maker *maker)
{
	memset(w, 0, sizeof(*w));
	for (size_t k = 0; maker->word[k]; k++) {
		if (k && !strcmp(maker->word[k - 1], "-E"))
			w->extended = &w->argv[w->n];
		w->argv[w->n++] = maker->word[k];
	}
}

/* Of two -E mkfs would take the last one: theirs goes behind ours. */
static void extend(struct mkfs_words *w, const char *more)
{
	char value[sizeof(w->value)];

	snprintf(value, sizeof(value), "%s,%s", *w->extended, more);
	text_copy(w->value, sizeof(w->value), value);
	*w->extended = w->value;
}

/* Add the words of a mkfs= item, which is changed. */
static int sweep_stage_add_words(struct mkfs_words *w, const char *base,
				 char *rest)
{
	bool after_e = false;
	const char *word, *before = "";

	while ((word = strsep(&rest, " ")) && w->n < WORDS - 3) {
		if (!sweep_stage_is_harmless(base, before, word))
			return fail(EINVAL,
				    "fs=%s: mkfs= takes options of mkfs with "
				    "numbers, not \"%s\"",
				    base, word);
		before = *word ? word : before;
		if (after_e && *word) {
			extend(w, word);
			after_e = false;
		} else if (w->extended && !strcmp(word, "-E")) {
			after_e = true;
		} else if (w->extended && !strncmp(word, "-E", 2)) {
			extend(w, word + 2);
		} else if (*word) {
			w->argv[w->n++] = word;
		}
	}
	return 0;
}

/* The mkfs of a value; its words are in copy, which is as long as the value. */
static int mkfs_words(struct mkfs_words *w, const char *value, char *copy)
{
	char base[48], item[64];
	const struct maker *maker;
	int err = 0;

	sweep_plan_base(value, base, sizeof(base));
	maker = find_maker(base);
	if (!maker)
		return -EINVAL;
	begin_words(w, maker);
	for (size_t k = 0; sweep_plan_item(value, k, item, sizeof(item)) && !err;
	     k++) {
		if (strncmp(item, "mkfs=", 5))
			continue;
		err = sweep_stage_add_words(w, base, strcpy(copy, item + 5));
		copy += strlen(item + 5) + 1;
	}
	return err;
}

int sweep_stage_mkfs(struct sweep_stage *st, const char *value)
{
	struct mkfs_words w;
	int err = check_same_device(st);

	if (!err)
		err = check_same_content(st);
	if (!err)
		err = mkfs_words(&w, value, strdupa(value));
	if (err < 0)
		return err;
	keep_command(st->made, sizeof(st->made), w.argv);
	w.argv[w.n++] = "--";
	w.argv[w.n++] = st->device;
	return start_change(st, w.argv);
}

/* Options that mount(8) itself acts on: what it mounts, where, and whether. */
static bool mounts_elsewhere(const char *item)
{
	static const char *const words[] = {
		"bind",	  "rbind",    "move",	 "remount",  "loop",
		"offset", "sizelimit", "shared", "rshared",  "slave",
		"rslave", "private",  "rprivate", "unbindable", "runbindable",
		"verity", "fake",     "helper",	 "uhelper",  "nofail"
	};
	size_t n = strcspn(item, "=.");

	if (!strncasecmp(item, "x-", 2))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], item, n))
			return true;
	return false;
}

static int mount_options(const struct sweep_stage *st, const char *value,
			 char *options, size_t size)
{
	char base[48], item[64];
	bool fits = true;

	text_copy(options, size, "noatime");
	sweep_plan_base(value, base, sizeof(base));
	for (size_t k = 0; sweep_plan_item(value, k, item, sizeof(item)); k++) {
		if (!strncmp(item, "mkfs=", 5))
			continue;
		if (strchr(item, '/'))
			return fail(EINVAL,
				    "fs=%s: the mount option %s names a file, "
				    "which a sweep refuses",
				    base, item);
		if (mounts_elsewhere(item))
			return fail(EINVAL,
				    "fs=%s: %s is an option of mount(8), not of "
				    "the file system; a sweep mounts its device "
				    "as a whole",
				    base, item);
		fits &= text_add(options, size, ",%s", item);
	}
	/* The last options count. ext2 to ext4 reserve blocks for one user. */
	if (st->gives && !strncmp(base, "ext", 3))
		fits &= text_add(options, size, ",resuid=%u", (unsigned)st->uid);
	/* The caller of sudo gets the file system. */
	if (st->gives)
		fits &= text_add(options, size, ",nosuid,nodev");
	return fits ? 0
		    : fail(EINVAL, "fs=%s: the mount options are too long", base);
}

int sweep_stage_check_fs(const struct sweep_stage *st, const char *value)
{
	char options[OPTIONS_MAX], *program;
	struct mkfs_words w;
	int err = mkfs_words(&w, value, strdupa(value));

	if (!err)
		err = mount_options(st, value, options, sizeof(options));
	if (err < 0)
		return err;
	program = program_find(w.argv[0]);
	if (!program)
		return fail(ENOENT, "fs=%s: there is no program %s; install it",
			    value, w.argv[0]);
	free(program);
	return 0;
}

int sweep_stage_mount(struct sweep_stage *st, const char *value)
{
	char base[48], options[OPTIONS_MAX];
	const char *argv[] = { "mount", "-t",       base,        "-o",
			       options, st->device, SWEEP_STAGE_PLACE, NULL };
	int err = check_same_device(st);

	sweep_plan_base(value, base, sizeof(base));
	if (!err && !find_maker(base))
		err = -EINVAL;
	if (!err)
		err = mount_options(st, value, options, sizeof(options));
	if (!err)
		err = start_change(st, argv);
	if (err < 0)
		return err;
	/* Set this while mount runs: an early end has to unmount, too. */
	text_copy(st->mount, sizeof(st->mount), SWEEP_STAGE_PLACE);
	st->mounts = true;
	return 0;
}

int sweep_stage_umount(struct sweep_stage *st)
{
	const char *argv[] = { "umount", SWEEP_STAGE_PLACE, NULL };
	int err = start_change(st, argv);

	st->unmounts = !err;
	return err;
}

int sweep_stage_sync(struct sweep_stage *st, const char *path)
{
	const char *argv[] = { "sync", "-f", "--", path, NULL };

	return sweep_stage_start(st, argv);
}

/* --- one state of the device --- */

#define FILL_PASSES 2
#define FILL_BYTES  (1u << 20)

/* From linux/fs.h, which conflicts with sys/mount.h in some C libraries. */
#ifndef BLKDISCARD
#define BLKDISCARD _IO(0x12, 119)
#endif

static int say_failed(const char *what)
{
	dprintf(2, "%s: %s\n", what, strerror(errno));
	return 1;
}

/* Write all blocks in order, with data that no drive compresses. */
static int fill_device(int fd, uint64_t bytes, uint64_t *seed)
{
	uint64_t *data;

	if (posix_memalign((void **)&data, 4096, FILL_BYTES) != 0)
		return say_failed("no memory");
	for (uint64_t at = 0; at < bytes;) {
		size_t n = bytes - at < FILL_BYTES ? (size_t)(bytes - at)
						   : FILL_BYTES;
		ssize_t done;

		for (size_t i = 0; i < FILL_BYTES / sizeof(*data); i++)
			data[i] = random_splitmix(seed);
		done = pwrite(fd, data, n, (off_t)at);
		if (done <= 0)
			return say_failed("cannot write the device");
		at += (uint64_t)done;
	}
	free(data);
	return 0;
}

/* Open exclusively: write nothing while another user claims the device. */
static int condition(const struct sweep_stage *st, unsigned how)
{
	char held[ROOT_FD_PATH];
	int fd = open(root_fd_path(held, held_device(st)),
		      O_RDWR | O_DIRECT | O_EXCL | O_CLOEXEC);
	uint64_t seed = (uint64_t)getpid(), range[2] = { 0, 0 };

	range[1] = fd >= 0 ? descriptor_bytes(fd) : 0;
	if (!range[1])
		return say_failed(st->device);
	if (how & SWEEP_DISCARD && ioctl(fd, BLKDISCARD, range) < 0)
		return say_failed("the device cannot discard");
	for (int i = 0; how & SWEEP_FILL && i < FILL_PASSES; i++)
		if (fill_device(fd, range[1], &seed))
			return 1;
	return fsync(fd) < 0 ? say_failed(st->device) : 0;
}

int sweep_stage_precondition(struct sweep_stage *st, unsigned how)
{
	const struct inner inner = { condition, how };
	int err = check_same_device(st);

	if (!err)
		err = check_same_content(st);
	if (!err)
		err = start_child(st, (const char *const[]){ "preconditioning",
							     NULL },
				  &inner);
	st->changes = !err;
	return err;
}

uint64_t sweep_stage_condition_bytes(const struct sweep_stage *st, unsigned how)
{
	return how & SWEEP_FILL ? FILL_PASSES * st->bytes : 0;
}

int sweep_stage_check_drop(const struct root *root)
{
	char rerun[FAIL_ROOT_MAX];
	int err = root_can_write(root, ROOT_DROP_CACHES);

	return err ? fail(-err, "--cold=drop cannot write /" ROOT_DROP_CACHES ": %s%s",
			  strerror(-err), fail_as_root(rerun, sizeof(rerun)))
		   : 0;
}

/* sync first: only clean pages are dropped; 3 is pages, dentries and inodes
 * (Documentation/admin-guide/sysctl/vm.rst). */
int sweep_stage_drop(struct sweep_stage *st)
{
	const char *argv[] = { "sh", "-c", "sync; echo 3 >/" ROOT_DROP_CACHES, NULL };

	return sweep_stage_start(st, argv);
}

/* End the child. Leave one that hangs in the kernel: it gets SIGKILL when this
 * process ends. */
static void end_child(struct sweep_stage *st)
{
	const uint64_t until_ns = clock_mono_ns() + END_NS;

	/* The child leads a process group as soon as it runs. */
	if (!st->finishes && kill(-st->child, SIGKILL) < 0)
		kill(st->child, SIGKILL);
	while (waitpid(st->child, NULL, WNOHANG) == 0 &&
	       clock_mono_ns() < until_ns)
		clock_pause_ns(10000000);
	st->child = 0;
}

void sweep_stage_close(struct sweep_stage *st)
{
	if (st->child)
		end_child(st);
	if (st->output >= 0)
		close(st->output);
	if (*st->mount)
		(void)!umount2(st->mount, MNT_DETACH);
	*st->mount = '\0';
	/* The empty folder stays: its removal would detach the file system of
	 * another sweep, which is mounted there in a namespace of its own. */
	if (st->device_fd >= 0)
		close(st->device_fd);
	st->device_fd = -1;
	scratch_disk_remove(&st->own);
}
