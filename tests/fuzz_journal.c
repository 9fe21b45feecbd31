/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: the journal's parser. */
#include <stddef.h>
#include <stdint.h>

#include "knob/journal.h"

#include "fuzz.h"

FUZZ_TARGET(journal)
{
	char boot_id[JOURNAL_BOOT_ID_MAX];
	struct ledger l = { 0 };

	journal_parse((const char *)data, size, &l, boot_id);
	ledger_free(&l);
	return 0;
}
