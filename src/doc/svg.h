/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SVG: the parts of pictures as inline SVG. Each picture has a title and a
 * description for screen readers. No meaning is in the colour only: variants
 * have shapes, too.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/attributes.h"

/* In units of the drawing: about the CSS pixels of a phone. */
#define WIDTH 400
#define LEFT  8
#define RIGHT (WIDTH - 8)
#define INNER (RIGHT - LEFT)

/* Begin a picture; the caller ends it with </svg>. */
void svg_begin(FILE *out, double height, const char *title,
		      const char *description);
void svg_text(FILE *out, double x, double y, const char *class,
	      const char *fmt, ...) printf_like(5, 6);
/* Write a name at the left, cut where the words at the right begin. */
void svg_pair(FILE *out, double y, const char *name, const char *class,
		     const char *words);
void svg_line(FILE *out, double x1, double y1, double x2, double y2,
		     const char *class);
/* The dot of a variant: circle, square, diamond, triangle, ring, cross. */
void svg_dot(FILE *out, size_t variant, double x, double y, double r);
