/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rerun: the command line of this process, as it would be typed with sudo.
 */
#ifndef BASE_RERUN_H
#define BASE_RERUN_H

#include <stddef.h>
#include <stdio.h>

/* Room for the words, as far as they belong in a sentence. */
#define RERUN_MAX 800

/*
 * The end of a sentence about rights that are missing: "; as root: sudo iodyno
 * run --filename=/dev/sdb". "" when the process is root already. Words are
 * quoted for the shell; what does not fit in size is left to "the same command
 * with sudo". Returns buf.
 */
const char *rerun_as_root(char *buf, size_t size);

/* The same from the words of a command line, n bytes that each end with '\0'.
 */
const char *rerun_words(char *buf, size_t size, const char *words, size_t n);

/*
 * Print a word as the shell wants it: 'two words', plain where it can be; one
 * that text_clean() would change as $'\033', which bash, ksh and zsh read.
 */
void rerun_put_word(FILE *f, const char *word);

#endif
