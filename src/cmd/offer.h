/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offer: what the screen may ask while a run is put together: presets,
 * engines, names of files, the settings of running jobs.
 */
#ifndef CMD_OFFER_H
#define CMD_OFFER_H

#include "ui/ui.h"

struct live;

void offer_fill(struct ui_offer *offer, struct live *l);

/* ui_offer.complete */
bool offer_complete(const char *typed, char *out, size_t size);

#endif
