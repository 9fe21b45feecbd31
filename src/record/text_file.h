/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text file: a file that other programs read at any time, replaced as a whole by
 * each new text. A thread writes it, so that a disk that hangs stops nobody.
 */
#pragma once

#include "base/attributes.h"

struct text_file;

/* Bytes of the begin of a text, at most. */
#define TEXT_FILE_BEGIN_MAX 64

/*
 * begin: the first bytes of every text, borrowed; only an empty file or one that
 * begins so is replaced, at PATH and at PATH.tmp. Tries whether a file can be made
 * there and leaves none. 0, or -errno with a sentence that begins with the path.
 */
int text_file_open(struct text_file **out, const char *path,
		   const char *begin) must_check;
/*
 * Replace the file: the text goes to PATH.tmp, which is then renamed. Takes over
 * the text, from malloc(). A text that still waits for the disk is replaced.
 */
void text_file_put(struct text_file *t, char *text);
/* Wait a second at most until the last text is written or has failed. */
void text_file_wait(struct text_file *t);
/* The sentence of a new failure, once until a text was written; NULL: none. */
const char *text_file_complaint(struct text_file *t);
/* Wait a second at most for what was put; the file stays. */
void text_file_free(struct text_file *t);
