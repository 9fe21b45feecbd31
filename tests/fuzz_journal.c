/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the journal's parser.
 */
#include <stddef.h>
#include <stdint.h>

#include "knob/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char boot_id[JOURNAL_BOOT_ID_MAX];
	struct ledger l = { 0 };

	journal_parse((const char *)data, size, &l, boot_id);
	ledger_free(&l);
	return 0;
}
