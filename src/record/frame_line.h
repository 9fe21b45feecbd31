/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frame line: a frame from the text of its line, without a tree of JSON.
 *
 * A tree of json-c costs ten times as much as all else that a report does. The
 * lines that this program writes are read here in one pass; any other line is
 * left to json-c, with the same result.
 */
#ifndef RECORD_FRAME_LINE_H
#define RECORD_FRAME_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/frame.h"

/*
 * Fill f from a line of len bytes without its newline; line[len] is readable.
 * false: the line is not of the plain form (it holds knobs, events, points,
 * escapes, characters beyond ASCII, or is not valid); f is then undefined but
 * can be reset.
 */
bool frame_line_read(const char *line, size_t len, struct frame *f);

#endif
