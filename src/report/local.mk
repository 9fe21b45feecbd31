# Frames become conclusions.
core_sources += \
	report/checks.c report/checks.h \
	report/checks_table.c \
	report/checks_work.c report/checks_beside.c report/checks_flush.c \
	report/course.c report/course.h \
	report/effects.c \
	report/fleet.c report/fleet.h \
	report/fio/fio.c report/fio/fio.h \
	report/fio/fio_data.c \
	report/fio/fio_terse.c \
	report/fio/fio_normal.c \
	report/digest.c report/digest.h \
	report/op_sum.c \
	report/page.c report/page.h \
	report/page_changes.c \
	report/page_fleet.c \
	report/page_jobs.c \
	report/page_pivot.c \
	report/page_result.c \
	report/page_run.c \
	report/periods.c report/periods.h \
	report/periods_print.c \
	report/pivot/pivot.c report/pivot/pivot.h \
	report/pivot/pivot_choose.c \
	report/pivot/pivot_figure.c \
	report/pivot/pivot_latencies.c \
	report/pivot/pivot_judge.c \
	report/pivot/pivot_order.c \
	report/pivot/pivot_keys.c \
	report/pivot/pivot_differ.c \
	report/pivot/pivot_trial.c \
	report/pivot/print_pivot_data.c \
	report/pivot/print_pivot_csv.c \
	report/pivot/reference.c \
	report/pivot/runs.c report/pivot/runs.h \
	report/print/html.h \
	report/print/html_chart.c \
	report/print/html_chart_latency.c \
	report/print/print.h \
	report/print/print_data.c \
	report/print/print_csv.c \
	report/print/print_export.c \
	report/print/print_batch.c \
	report/print/print_frames.c \
	report/print/print_excerpt.c \
	report/print/print_iostat.c \
	report/print/print_perfetto.c \
	report/report.c report/report.h \
	report/results.c report/results.h \
	report/segment.c report/segment.h \
	report/trouble.c report/trouble.h \
	report/window.c report/window.h
