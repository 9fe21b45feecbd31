/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio JSON: what its parts share.
 */
#ifndef REPORT_FIO_JSON_PARTS_H
#define REPORT_FIO_JSON_PARTS_H

#include "base/json.h"
#include "report/fio.h"

/* A whole number, as fio has it; NaN becomes 0. */
void fio_json_whole(struct json *to, const char *key, double v);
/* Any number; NaN becomes 0. */
void fio_json_real(struct json *to, const char *key, double v);

/* The members of a direction, as "read". plus: with all buckets. */
void fio_json_dir(struct json *to, const struct fio_entry *e,
		  const struct fio_dir *d, bool plus);
/* "sync". */
void fio_json_sync(struct json *to, const struct fio_entry *e, bool plus);
/* "steadystate", of a job that waits for it. */
void fio_json_steady(struct json *to, const struct fio_entry *e);

#endif
