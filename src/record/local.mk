# A frame becomes a line of the log, and back.
core_sources += \
	record/codec.c record/codec.h \
	record/frame_line.c \
	record/import.c record/import.h \
	record/known_facts.c \
	record/known_knobs.c \
	record/line_out.c record/line_out.h \
	record/label_stream.c record/label_stream.h \
	record/line_writer.c record/line_writer.h \
	record/log.h record/log_read.c record/log_schema.c record/log_schema.h \
	record/metrics.c record/metrics.h \
	record/text_file.c record/text_file.h record/log_write.c
