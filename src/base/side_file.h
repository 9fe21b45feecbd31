/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Side file: a file that a run writes beside its targets: results, fio's logs,
 * the state of verify. Their names are easily guessed or come from a job file,
 * so one function makes all of them: it follows no link in the last part of the
 * name, and it replaces nothing that iodyno did not write.
 *
 * The extended attribute user.iodyno.side marks what was made here: the inode,
 * and once it is complete its size and time, so that neither a copy nor a file
 * that another program changed counts. Where the file system has no such
 * attributes, an existing file is not replaced unless it is empty.
 */
#pragma once

#include <sys/types.h>

#include "base/attributes.h"

/* Whether a new file shows under its name at once, or when it is complete. */
enum side_file_when { SIDE_FILE_NOW, SIDE_FILE_COMPLETE };

struct side_file {
	int fd;      /* for reading and writing; -1 before and after */
	char *path;  /* its name */
	char *aside; /* its name until it is complete, or NULL */
};

/*
 * The one way to make a file beside the targets: nothing has the name yet, not
 * even a dangling link. flags: O_APPEND or 0; the umask is taken off mode. A
 * descriptor for reading and writing, or -errno without a sentence.
 */
int side_file_new(const char *path, int flags, mode_t mode) must_check;

/*
 * Make the file with mode 0644: 0; or -errno with a sentence that begins with
 * what ("the log"), -EEXIST when something else has the name. The descriptor is
 * close-on-exec.
 */
int side_file_open(struct side_file *f, const char *path, const char *what,
		   enum side_file_when when) must_check;
/*
 * Give the complete file its name and close it; 0, or -errno without a
 * sentence, and then the file is gone.
 */
int side_file_commit(struct side_file *f) must_check;
/*
 * Mark the file as complete: a later change by another program makes the file
 * foreign. Call this after the last write, before closing or committing.
 */
void side_file_left(int fd);
/* Close the file; remove a file that is not complete. */
void side_file_close(struct side_file *f);
