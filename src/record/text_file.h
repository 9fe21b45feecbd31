/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text file: a file that other programs read at any time, replaced as a whole by
 * each new text. A thread writes it, so that a disk that hangs stops nobody.
 */
#ifndef RECORD_TEXT_FILE_H
#define RECORD_TEXT_FILE_H

struct text_file;

/* Never NULL. Nothing is written before the first text. */
struct text_file *text_file_new(const char *path);
/*
 * Replace the file: the text goes to PATH.tmp, which is then renamed. Takes over
 * the text, from malloc(). A text that still waits for the disk is replaced.
 */
void text_file_put(struct text_file *t, char *text);
/* The sentence of a new failure, once until a text was written; NULL: none. */
const char *text_file_complaint(struct text_file *t);
/* Wait a second at most for what was put; the file stays. */
void text_file_free(struct text_file *t);

#endif
