# What pages are made of, and their printers; knows no content.
core_sources += \
	doc/svg.c doc/svg.h \
	doc/doc.c doc/doc.h \
	doc/doc_html.c doc/style.h \
	doc/doc_json.c \
	doc/doc_text.c \
	doc/print_parts.c doc/print_parts.h
