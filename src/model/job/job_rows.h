/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job rows: the pieces of the option table, one per theme. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/job/job_kind.h"

/* Rows name only the fields that they need; the others are 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define AT(member) offsetof(struct job, member)
/* The first columns of an option whose member has its name. */
#define OWN(name, type, value) #name, NULL, &job_##type, AT(name), value
#define FLAG(name)	       OWN(name, flag, "0|1")
#define BOOL(name)	       OWN(name, bool, "0|1")
#define BLOCK_MAX  (1ull << 30)
#define NS_PER_US  1000ull
#define NS_PER_S   1000000000ull

/* A list of words and its end. */
#define WORDS(...) (const struct job_word[]){ __VA_ARGS__, { NULL, 0, NULL } }

/* The fields of options that have no effect or are refused. */
#define ACCEPTED(why_)       .class = JOB_ACCEPTED, .why = why_
#define REFUSED(near_, why_) .class = JOB_REFUSED, .near = near_, .why = why_

extern const struct job_option_group job_rows_files, job_rows_pattern,
	job_rows_engine, job_rows_flow, job_rows_rate, job_rows_sync,
	job_rows_command, job_rows_fileio, job_rows_iozone,
	job_rows_fsmark, job_rows_dbench,
	job_rows_pgbench, job_rows_startup, job_rows_engines, job_rows_data, job_rows_results,
	job_rows_accepted, job_rows_refused;
