/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XML: the elements that are open, each with what it holds so far. */
#include "base/xml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"

#ifdef HAVE_EXPAT
#include <expat.h>

#ifdef HAVE_XML_GETCURRENTLINENUMBER64
#define XML_LINE XML_GetCurrentLineNumber64
#else
#define XML_LINE XML_GetCurrentLineNumber
#endif

struct xml_element {
	struct json *inside; /* NULL: no element as yet */
	char *text;
	size_t len, cap;
};

struct xml {
	XML_Parser parser;
	struct xml_element open[XML_DEPTH + 1]; /* [0]: the document */
	size_t depth, elements;
	const char *why; /* it is refused */
};

static void xml_stop(struct xml *x, const char *why)
{
	x->why = why;
	XML_StopParser(x->parser, XML_FALSE);
}

static void xml_doctype(void *arg, const XML_Char *name, const XML_Char *system,
			const XML_Char *public, int subset)
{
	xml_stop(arg, "it has a document type");
}

static void xml_begin(void *arg, const XML_Char *name,
		      const XML_Char **attribute)
{
	struct xml *x = arg;
	struct xml_element *in = &x->open[x->depth];

	if (x->depth == XML_DEPTH || ++x->elements > XML_ELEMENTS) {
		xml_stop(x, x->depth == XML_DEPTH ? "its elements are too deep"
						  : "it has too many elements");
		return;
	}
	if (!in->inside)
		in->inside = json_new_object();
	x->depth++;
}

static void xml_characters(void *arg, const XML_Char *s, int n)
{
	struct xml *x = arg;
	struct xml_element *e = &x->open[x->depth];

	e->text = xgrow(e->text, &e->cap, e->len + (size_t)n + 1, 1);
	memcpy(e->text + e->len, s, (size_t)n);
	e->len += (size_t)n;
	e->text[e->len] = '\0';
}

static void xml_element_free(struct xml_element *e)
{
	json_free(e->inside);
	free(e->text);
	*e = (struct xml_element){ 0 };
}

static void xml_end(void *arg, const XML_Char *name)
{
	struct xml *x = arg;
	struct xml_element *e = &x->open[x->depth--];
	struct xml_element *in = &x->open[x->depth];
	struct json *list = json_get(in->inside, name);

	if (!list) {
		list = json_new_array();
		json_put(in->inside, name, list);
	}
	if (e->inside)
		json_push(list, e->inside);
	else
		json_push_text(list, e->text ? e->text : "");
	e->inside = NULL;
	xml_element_free(e);
}

int xml_parse(const char *text, size_t len, struct json **out)
{
	struct xml x = { .parser = XML_ParserCreate(NULL) };
	int err = 0;

	if (!x.parser)
		return fail(ENOMEM, "there is no memory for a reader of XML");
	XML_SetUserData(x.parser, &x);
	XML_SetElementHandler(x.parser, xml_begin, xml_end);
	XML_SetCharacterDataHandler(x.parser, xml_characters);
	XML_SetStartDoctypeDeclHandler(x.parser, xml_doctype);
	if (len > INT32_MAX ||
	    XML_Parse(x.parser, text, (int)len, 1) != XML_STATUS_OK)
		err = fail(EINVAL, "line %llu: %s",
			   (unsigned long long)XML_LINE(x.parser),
			   x.why ? x.why
				 : XML_ErrorString(
					   XML_GetErrorCode(x.parser)));
	if (!err) {
		*out = x.open[0].inside;
		x.open[0].inside = NULL;
	}
	for (size_t i = 0; i <= XML_DEPTH; i++)
		xml_element_free(&x.open[i]);
	XML_ParserFree(x.parser);
	return err;
}
#else
int xml_parse(const char *text, size_t len, struct json **out)
{
	return fail(EINVAL, "this iodyno was built without expat");
}
#endif

struct json *xml_get(struct json *element, const char *name, size_t i)
{
	return json_at(json_get(element, name), i);
}

const char *xml_text(struct json *element, const char *name)
{
	const char *text = json_string(xml_get(element, name, 0));

	return text ? text : "";
}
