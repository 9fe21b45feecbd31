# Frames become conclusions.
core_sources += \
	report/cross.c report/cross.h \
	report/effects.c report/effects.h \
	report/fio.c report/fio.h \
	report/fio_disk.c report/fio_latency.c \
	report/fio_json.c report/fio_json_dir.c report/fio_json_parts.h \
	report/fio_normal.c report/fio_normal_dir.c report/fio_normal_parts.h \
	report/fio_steady.c report/fio_terse.c \
	report/job_sum.c report/job_sum.h \
	report/judge.c \
	report/op_sum.c report/op_sum.h \
	report/print_csv.c report/print_json.c report/print_text.c \
	report/print_text_jobs.c \
	report/report.c report/report.h \
	report/results.c report/results.h \
	report/stats.c report/stats.h \
	report/stretches.c report/stretches.h \
	report/telling.c report/telling.h \
	report/text_table.c report/text_table.h \
	report/tracks.c report/tracks.h \
	report/turns.c report/turns.h \
	report/window.c report/window.h \
	report/words.c
