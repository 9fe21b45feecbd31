/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knob words: texts about knobs and devices for the screen, which knows no
 * knob.
 */
#ifndef CMD_KNOB_WORD_H
#define CMD_KNOB_WORD_H

#include "ui/ui.h"

/* See struct ui_view. */
const char *knob_word(const char *knob, enum ui_knob_word word, char *buf,
		      size_t size);

/*
 * Describe a device as "disk.img, 256 MiB, mounted on /mnt". root is a struct
 * root. Returns buf, or NULL when there is no such device.
 */
const char *knob_word_device(const void *root, const char *device, char *buf,
			      size_t size);

#endif
