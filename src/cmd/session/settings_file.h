/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings file: the file with what the operator chose on the screen,
 * $XDG_CONFIG_HOME/iodyno/screen. Started by sudo it is that of the user who
 * called, and stays theirs.
 */
#ifndef CMD_SESSION_SETTINGS_FILE_H
#define CMD_SESSION_SETTINGS_FILE_H

#include <stddef.h>

#include "base/attributes.h"

#define SETTINGS_FILE_BYTES_MAX 65536

/*
 * The text of the file, to be freed. NULL when there is none or it cannot be
 * read; then note says why, or is "" when it is merely not there.
 */
char *settings_file_read(char *note, size_t size);

/*
 * Put the text there, all of it or none: another name first, then that one.
 * Folders that are missing are made. 0, or -errno with a sentence.
 */
int settings_file_write(const char *text) must_check;

#endif
