/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Documents: what text, mail and HTML make of the same content. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "doc/doc.h"
#include "test.h"

static char *text_of(const struct doc *d, unsigned columns, bool ascii,
		     bool markdown, bool detail)
{
	const struct doc_layout layout = { columns, ascii, markdown, detail };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	doc_print_text(d, &layout, f);
	fclose(f);
	return text;
}

static char *html_of(const struct doc *d)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	doc_print_html(d, "title", f);
	fclose(f);
	return text;
}

/* Cells that are too wide wrap; what is for programs only is not printed. */
START_TEST(document)
{
	struct json_writer w = { 0 };
	struct doc *d = doc_new();
	char *text;

	doc_heading(d, "Result");
	doc_say(d, DOC_GOOD, "a is ±%d", 3);
	doc_table(d, "rows", "", 0);
	doc_column(d, "name", "name", DOC_LEFT);
	doc_column(d, "value", "value", 0);
	doc_column(d, "raw", "raw", DOC_DATA);
	doc_row(d);
	doc_text(d, DOC_PLAIN, "a name of several words that is long");
	doc_number(d, 1.5, DOC_BAD, "1.5k");
	doc_number(d, 1500, DOC_PLAIN, "unseen");
	doc_row(d);
	doc_text(d, DOC_PLAIN, "<b>");
	doc_number(d, NAN, DOC_PLAIN, "-");
	text = text_of(d, 30, true, false, false);
	ck_assert_str_eq(text, "Result\n  a is +-3\n\n"
			       "name                     value\n"
			       "a name of several words   1.5k\n"
			       "that is long\n"
			       "<b>                          -\n");
	free(text);
	text = html_of(d);
	ck_assert_ptr_nonnull(strstr(text, "<p class=\"good\">a is ±3</p>"));
	ck_assert_ptr_nonnull(strstr(text, "<td class=\"bad\">1.5k</td>"));
	ck_assert_ptr_nonnull(strstr(text, "<th scope=\"row\">&lt;b&gt;"));
	ck_assert_ptr_null(strstr(text, "unseen"));
	free(text);
	json_writer_open(&w, '{');
	doc_print_json(d, &w);
	json_writer_close(&w, '}');
	text = xasprintf("%.*s", (int)w.len, w.buf);
	ck_assert_str_eq(text, "{\"rows\":[{\"name\":\"a name of several words "
			       "that is long\",\"value\":1.5,\"raw\":1500},"
			       "{\"name\":\"<b>\"}],\"say\":[\"a is ±3\"]}");
	free(text);
	json_writer_free(&w);
	doc_free(d);
}
END_TEST

/* A table that is too wide gives up gaps, then is two tables. */
START_TEST(narrow)
{
	struct doc *d = doc_new();
	char *text;

	doc_heading(d, "T");
	doc_table(d, "t", "", 0);
	doc_column(d, "a", "a", DOC_LEFT);
	doc_column(d, "b", "bbb", 0);
	doc_column(d, "c", "ccc", DOC_SECOND);
	doc_row(d);
	doc_text(d, DOC_PLAIN, "x");
	doc_number(d, 1, DOC_PLAIN, "1");
	doc_number(d, 2, DOC_PLAIN, "2");
	text = text_of(d, 11, true, false, false);
	ck_assert_str_eq(text, "T\na  bbb  ccc\nx    1    2\n");
	free(text);
	text = text_of(d, 9, true, false, false);
	ck_assert_str_eq(text, "T\na bbb ccc\nx   1   2\n");
	free(text);
	text = text_of(d, 8, true, false, false);
	ck_assert_str_eq(text, "T\na  bbb\nx    1\na  ccc\nx    2\n");
	free(text);
	doc_free(d);
	/* A sentence does not break between a number and its sign. */
	d = doc_new();
	doc_say(d, DOC_PLAIN, "it fell by 5 %%.");
	text = text_of(d, 14, true, false, false);
	ck_assert_str_eq(text, "it fell by\n  5 %.\n");
	free(text);
	doc_free(d);
}
END_TEST

/* A table of a mail that is too wide is several, each with the names at the left;
 * a page in HTML has no column without a value. */
START_TEST(wide)
{
	struct doc *d = doc_new();
	char *text;

	doc_table(d, "t", "", 0);
	doc_column(d, "a", "a", DOC_LEFT);
	doc_column(d, "b", "b", DOC_LEFT);
	doc_column(d, "c", "c", 0);
	doc_column(d, "d", "d", 0);
	doc_column(d, "e", "e", 0);
	doc_row(d);
	doc_text(d, DOC_PLAIN, "x");
	doc_text(d, DOC_PLAIN, "y");
	doc_number(d, 1, DOC_PLAIN, "1");
	doc_number(d, NAN, DOC_PLAIN, "-");
	doc_number(d, 3, DOC_PLAIN, "3");
	text = text_of(d, 25, true, true, false);
	ck_assert_str_eq(text, "\n| a   | b   |   c |   d |\n"
			       "|-----|-----|----:|----:|\n"
			       "| x   | y   |   1 |   - |\n\n"
			       "| a   | b   |   e |\n"
			       "|-----|-----|----:|\n"
			       "| x   | y   |   3 |\n\n");
	free(text);
	text = html_of(d);
	ck_assert_ptr_nonnull(strstr(text, "<td>1</td><td>3</td></tr>"));
	free(text);
	doc_free(d);
}
END_TEST

/* No label is cut: one that needs many lines is a number with a legend. */
START_TEST(legend)
{
	struct doc *d = doc_new();
	char *text;

	doc_table(d, "t", "", 0);
	doc_column(d, "a", "a", DOC_LEFT);
	doc_column(d, "b", "b", 0);
	for (int i = 1; i <= 2; i++) {
		doc_row(d);
		doc_text(d, DOC_PLAIN,
			 "if=/dev/zero of=x bs=64k count=50 oflag=dsync n=%d",
			 i);
		doc_number(d, i, DOC_PLAIN, "%d", i);
	}
	text = text_of(d, 14, true, false, false);
	ck_assert_ptr_nonnull(strstr(text, "[1]"));
	ck_assert_ptr_nonnull(strstr(text, "n=1\n"));
	ck_assert_ptr_nonnull(strstr(text, "n=2\n"));
	free(text);
	text = text_of(d, 40, true, true, false);
	ck_assert_ptr_nonnull(strstr(text, "| a   |   b |\n|-----|----:|\n"
					   "| [1] |   1 |\n| [2] |   2 |\n"));
	free(text);
	doc_free(d);
}
END_TEST

/* Names of logs are no markup, neither in HTML nor in Markdown. */
START_TEST(harmless)
{
	struct doc *d = doc_new();
	char *text;

	doc_table(d, "t", "", 0);
	doc_column(d, "a", "a", DOC_LEFT);
	doc_row(d);
	doc_text(d, DOC_PLAIN, "<i>x|y&amp;[a](b)`<.001");
	text = text_of(d, 72, true, true, false);
	ck_assert_ptr_nonnull(strstr(text, "\\<i>x/y\\&amp;[a\\](b)\\`<.001"));
	free(text);
	text = html_of(d);
	ck_assert_ptr_nonnull(strstr(text, "&lt;i&gt;x|y&amp;amp;"));
	free(text);
	doc_free(d);
}
END_TEST

/* Facts are a list, details are folded or left out, words are appended. */
START_TEST(facts)
{
	struct doc *d = doc_new();
	char *text;

	doc_fact(d, "a", "1");
	doc_words(d, ", %d", 2);
	doc_fact(d, "b", "3");
	doc_say(d, DOC_FIXED, "x  y");
	doc_flags(d, DOC_DETAIL);
	doc_heading(d, "More");
	doc_fact(d, "c", "4");
	text = text_of(d, 72, true, false, false);
	ck_assert_str_eq(text, "a: 1, 2\nb: 3\nx  y\n");
	free(text);
	text = text_of(d, 72, true, false, true);
	ck_assert_str_eq(text,
			 "a: 1, 2\nb: 3\nx  y\n\nMore\n  c: 4\n");
	free(text);
	text = html_of(d);
	ck_assert_ptr_nonnull(strstr(text, "<dl>\n<dt>a</dt><dd>1, 2</dd>\n"
					   "<dt>b</dt><dd>3</dd>\n</dl>"));
	ck_assert_ptr_nonnull(strstr(text, "<pre>x  y</pre>"));
	ck_assert_ptr_nonnull(strstr(text, "<details><summary>More</summary>"));
	free(text);
	doc_free(d);
}
END_TEST

/* Intervals are bars in text and a picture in HTML; pictures only there. */
START_TEST(pictures)
{
	struct doc *d = doc_new();
	char *text;

	ck_assert_ptr_null(doc_draw(d));
	doc_with_pictures(d);
	fputs("<svg>mine</svg>", doc_draw(d));
	doc_drawn(d);
	ck_assert_ptr_nonnull(doc_draw(d));
	doc_drawn(d); /* nothing was drawn */
	doc_intervals(d, 0, "change");
	doc_interval(d, 1, -0.1, 0, 0.1, "name");
	text = text_of(d, 45, true, false, false);
	ck_assert_ptr_nonnull(
		strstr(text, "\nname                    |---------o---------|\n"));
	free(text);
	text = html_of(d);
	ck_assert_ptr_nonnull(strstr(text, "<div class=\"charts\">\n<figure>"
					   "<svg>mine</svg></figure>\n<figure>"
					   "<svg"));
	free(text);
	doc_free(d);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("doc");

	tcase_add_test(t, document);
	tcase_add_test(t, narrow);
	tcase_add_test(t, wide);
	tcase_add_test(t, legend);
	tcase_add_test(t, harmless);
	tcase_add_test(t, facts);
	tcase_add_test(t, pictures);
	suite_add_tcase(suite, t);
}
