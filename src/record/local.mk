# A frame becomes a line of the log, and back.
core_sources += \
	record/codec.h record/codec_read.c record/codec_write.c \
	record/frame_line.c \
	record/known_knobs.c \
	record/line_writer.c record/line_writer.h \
	record/log.h record/log_read.c \
	record/log_source.c record/log_source.h record/log_write.c
