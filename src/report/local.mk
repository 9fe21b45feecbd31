# Frames become conclusions.
core_sources += \
	report/effects.c report/effects.h \
	report/judge.c \
	report/print_csv.c report/print_json.c report/print_text.c \
	report/report.c report/report.h \
	report/results.c report/results.h \
	report/stats.c report/stats.h \
	report/stretches.c report/stretches.h \
	report/telling.c report/telling.h \
	report/tracks.c report/tracks.h \
	report/turns.c report/turns.h \
	report/window.c report/window.h \
	report/words.c
