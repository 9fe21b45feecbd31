/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * XML: the only user of expat. A text becomes a value as JSON has them, so that
 * readers of XML are readers of JSON.
 */
#pragma once

#include <stddef.h>

#include "base/attributes.h"
#include "base/json.h"

/* An element in so many others is refused. */
#define XML_DEPTH 32
/* So are more elements. */
#define XML_ELEMENTS (1u << 18)

/*
 * Parse a document of len bytes. An element with others in it is an object, each
 * member an array of the elements of that name; one without is its text. The value is
 * an object with the outermost element. Attributes are left out. A document type,
 * and thus each entity of its own, is refused.
 *
 * 0 with *out to be freed by json_free(), or -EINVAL with a sentence; without the
 * library always so.
 */
int xml_parse(const char *text, size_t len, struct json **out) must_check;
/* The i-th element of that name in another, NULL: none. */
struct json *xml_get(struct json *element, const char *name, size_t i);
/* The text of the first element of that name, "": none. */
const char *xml_text(struct json *element, const char *name);
