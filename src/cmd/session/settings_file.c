/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings file: the file with the operator's settings of the screen.
 */
#include "cmd/session/settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "cmd/privilege.h"

#define PATH_SIZE 4096

/*
 * The home of the effective user, not $HOME: after sudo, $HOME may be that of
 * root, but the settings belong to the calling user.
 */
static const char *home(void)
{
	const struct passwd *pw;

	if (!getenv("SUDO_UID"))
		return getenv("HOME");
	pw = getpwuid(geteuid());
	return pw ? pw->pw_dir : NULL;
}

/* The folder; an absolute path or nothing, as the XDG rules say. */
static bool find_folder(char *path, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *at = home();
	int n;

	if (config && *config == '/')
		n = snprintf(path, size, "%s/iodyno", config);
	else if (at && *at == '/')
		n = snprintf(path, size, "%s/.config/iodyno", at);
	else
		return false;
	return n > 0 && (size_t)n + sizeof("/screen.new") < size;
}

/* A regular file and not too long; refuse anything else. */
static char *read_text(int fd)
{
	char *text;
	struct stat st;
	ssize_t got;
	size_t n = 0;

	if (fstat(fd, &st) < 0)
		return NULL;
	if (!S_ISREG(st.st_mode) || st.st_size > SETTINGS_FILE_BYTES_MAX) {
		errno = EINVAL;
		return NULL;
	}
	text = xmalloc(SETTINGS_FILE_BYTES_MAX + 1);
	while (n < SETTINGS_FILE_BYTES_MAX &&
	       (got = read(fd, text + n, SETTINGS_FILE_BYTES_MAX - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	return text;
}

char *settings_file_read(char *note, size_t size)
{
	char folder[PATH_SIZE], path[PATH_SIZE + 16], *text = NULL;
	int fd;

	note[0] = '\0';
	privilege_lower();
	if (!find_folder(folder, sizeof(folder))) {
		privilege_raise();
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/screen", folder);
	/* Do not block on a pipe of that name. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		text = read_text(fd);
	if (!text && errno != ENOENT && errno != ENOTDIR)
		snprintf(note, size, "Cannot read %s: %s", path,
			 strerror(errno));
	if (fd >= 0)
		close(fd);
	privilege_raise();
	return text;
}

/* Make the folder and those above it that do not exist. */
static int make_folders(char *path)
{
	for (char *p = path + 1;; p++) {
		char was = *p;

		if (was && was != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return -1;
		*p = was;
		if (!was)
			return 0;
	}
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t got = write(fd, text, left);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		text += got;
		left -= (size_t)got;
	}
	return fsync(fd);
}

static int write_folder(char *folder, const char *text)
{
	char path[PATH_SIZE + 16], name[PATH_SIZE + 16];
	int fd, err;

	if (make_folders(folder) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/screen", folder);
	snprintf(name, sizeof(name), "%s/screen.new", folder);
	/* Remove a file that an interrupted save left. */
	unlink(name);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return -errno;
	err = write_all(fd, text) < 0 ? -errno : 0;
	close(fd);
	if (!err && rename(name, path) < 0)
		err = -errno;
	if (err)
		unlink(name);
	return err;
}

int settings_file_write(const char *text)
{
	char folder[PATH_SIZE];
	int err = 0;

	privilege_lower();
	if (find_folder(folder, sizeof(folder)))
		err = write_folder(folder, text);
	privilege_raise();
	if (err < 0)
		return fail(-err,
			    "cannot remember the screen in %s: %s; set "
			    "XDG_CONFIG_HOME to a folder of yours",
			    folder, strerror(-err));
	return 0;
}
