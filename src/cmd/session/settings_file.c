/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings file: the file with the operator's settings of the screen,
 * $XDG_CONFIG_HOME/iodyno/screen. Under sudo it is the file of the calling
 * user, who stays its owner.
 */
#include "cmd/session/display.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/fail.h"
#include "cmd/privilege.h"

#define SETTINGS_FILE_BYTES_MAX 65536

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
static bool settings_file_folder(char *path, size_t size)
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

char *settings_file_read(char *note, size_t size)
{
	char folder[PATH_SIZE], path[PATH_SIZE + 16], *text = NULL;
	ssize_t n;

	note[0] = '\0';
	privilege_lower();
	if (!settings_file_folder(folder, sizeof(folder))) {
		privilege_raise();
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/screen", folder);
	n = descriptor_text(path, SETTINGS_FILE_BYTES_MAX, &text);
	if (n < 0 && n != -ENOENT && n != -ENOTDIR)
		snprintf(note, size, "Cannot read %.200s: %s", path,
			 strerror((int)-n));
	privilege_raise();
	return text;
}

/* Make the folder and those above it that do not exist. */
static int display_make_folders(char *path)
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

static int write_folder(char *folder, const char *text)
{
	char path[PATH_SIZE + 16], name[PATH_SIZE + 16];
	int fd, err;

	if (display_make_folders(folder) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/screen", folder);
	snprintf(name, sizeof(name), "%s/screen.new", folder);
	/* Remove a file that an interrupted save left. */
	unlink(name);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return -errno;
	err = descriptor_write(fd, text, strlen(text), -1);
	if (!err && fsync(fd) < 0)
		err = -errno;
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
	if (settings_file_folder(folder, sizeof(folder)))
		err = write_folder(folder, text);
	privilege_raise();
	if (err < 0)
		return fail(-err,
			    "cannot save the screen's settings in %s: %s; set "
			    "XDG_CONFIG_HOME to a folder of yours",
			    folder, strerror(-err));
	return 0;
}
