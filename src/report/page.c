/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page, its forms. */
#include "report/page.h"

#include <stdlib.h>

struct doc *page_new(enum page_extent extent)
{
	struct doc *d = doc_new();

	if (extent == PAGE_HTML)
		doc_with_pictures(d);
	return d;
}

void page_print(struct doc *d, enum page_extent extent, const char *title,
		FILE *out)
{
	const bool mail = extent == PAGE_MAIL;

	if (extent == PAGE_HTML)
		doc_print_html(d, title, out);
	else
		doc_print_text(d,
			       &(struct doc_layout){
				       .columns = mail ? 72 : 80,
				       .ascii = mail || MB_CUR_MAX <= 1,
				       .markdown = mail,
				       .detail = extent == PAGE_DETAIL },
			       out);
	doc_free(d);
}
