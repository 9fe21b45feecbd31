/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Imbalance: members of a stack (RAID, striped or multipath volume, btrfs)
 * that bear more than their share, or answer more slowly than the others.
 *
 * A stack is a device with two members or more, or a btrfs of two devices or
 * more. In an interval a member is
 *  - hot when it did at least 10 requests/s, and its busy time (util_pct) is
 *    at least 1.5 times the mean of the other members' and at least 10
 *    points above it;
 *  - slow when it did at least 10 requests/s, so did another, and its mean
 *    time of a read or write is at least twice that of the others together
 *    (each weighted by its requests) and at least 1 ms above it.
 * Fewer requests say nothing: the kernel counts time in whole milliseconds.
 */
#ifndef MODEL_IMBALANCE_H
#define MODEL_IMBALANCE_H

#include "model/frame.h"

enum imbalance { BALANCED, MEMBER_HOT, MEMBER_SLOW };

/*
 * Judge each device row of the frame; out is in the order of the rows, n is at
 * least the number of rows. O(n log n).
 */
void imbalance_find(const struct frame *f, enum imbalance *out, size_t n);

#endif
