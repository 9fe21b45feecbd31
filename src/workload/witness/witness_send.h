/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Witness send: packs writes and flushes into records and sends them. The first
 * failure ends all sending and is kept as words.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "workload/witness/witness.h"

struct witness_send;

enum send_flags { SEND_DURABLE = 1, SEND_FAILED = 2, SEND_TRIM = 4 };

/*
 * Make the plan of the run, the first record, and sync the directories of its
 * files, so that their names survive. 0 or -errno with a sentence.
 */
int witness_send_open(struct witness_send **out, const struct workload *w,
		      const struct witness_options *o) must_check;
/* NULL is fine. */
void witness_send_close(struct witness_send *s);

/* These allocate nothing. The plan comes first. */
void witness_send_plan(struct witness_send *s);
void witness_send_intent(struct witness_send *s,
			 const struct witness_word *word, unsigned flags);
void witness_send_done(struct witness_send *s, const struct witness_word *word,
		       uint64_t after, unsigned flags);
void witness_send_flush(struct witness_send *s, unsigned target,
			uint64_t number);
void witness_send_flushed(struct witness_send *s, unsigned target,
			  uint64_t number, int error);
void witness_send_end(struct witness_send *s, bool failed);
/* Send all that is packed. */
void witness_send_all(struct witness_send *s);

/* Wait for an answer, the end of the peer, or so many ms. */
void witness_send_wait(struct witness_send *s, int ms);
/* Whether the witness has answered all that was sent. */
bool witness_send_answered(const struct witness_send *s);
/* The greatest number of a record that the witness has answered. */
uint64_t witness_send_number(const struct witness_send *s);
/* Why nothing can be sent any more, or NULL. */
const char *witness_send_error(const struct witness_send *s);
