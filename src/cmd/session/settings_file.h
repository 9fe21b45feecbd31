/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings file: the file with the operator's settings of the screen,
 * $XDG_CONFIG_HOME/iodyno/screen. Under sudo it is the file of the calling
 * user, who stays its owner.
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
 * Write the text, all of it or none: to another name first, which then replaces
 * the file. Makes missing folders. 0, or -errno with a sentence.
 */
int settings_file_write(const char *text) must_check;

#endif
