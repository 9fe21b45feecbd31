/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio normal: what its parts share.
 */
#ifndef REPORT_FIO_NORMAL_PARTS_H
#define REPORT_FIO_NORMAL_PARTS_H

#include "report/fio.h"

/*
 * A number of at most so many digits, with a letter of a unit and fractions
 * where there is room, as fio has it: "19.6k", "153Mi". base is 1000 or 1024.
 */
char *fio_short(char *buf, size_t size, double v, int digits, unsigned base);

/* "153MiB" and "161MB". */
char *fio_short_ib(char *buf, size_t size, double bytes);
char *fio_short_b(char *buf, size_t size, double bytes);

/* The lines of a direction, and of syncs. */
void fio_normal_dir(const struct fio_entry *e, const struct fio_dir *d,
		    FILE *out);
void fio_normal_sync(const struct fio_entry *e, FILE *out);
/* The line of the steady state that it waited for. */
void fio_normal_steady(const struct fio_entry *e, FILE *out);

#endif
