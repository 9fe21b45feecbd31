# The nouns and their arithmetic; opens no file and no terminal.
core_sources += \
	model/action.c model/action.h \
	model/alarm_rules.c \
	model/alarm_traced.c \
	model/alarms.c model/alarms.h \
	model/alarms_baseline.c \
	model/alarms_imbalance.c \
	model/assertion.c model/assertion.h \
	model/disk_class.c model/disk_class.h \
	model/event.c model/event.h \
	model/frame.c model/frame.h \
	model/frame_foreign.c \
	model/header.h \
	model/histogram.c model/histogram.h \
	model/histogram_heat.c \
	model/host_clock.c model/host_clock.h \
	model/history.c model/history.h \
	model/job/job.c model/job/job.h \
	model/job/job_check.c \
	model/job/job_options.c \
	model/job/job_json.c \
	model/job/job_kind.c model/job/job_kind.h \
	model/job/job_kind_syntax.c \
	model/job/job_lists.c \
	model/job/job_number.c \
	model/job/job_rows.h \
	model/job/job_rows_fio.c \
	model/job/job_rows_io.c \
	model/job/job_rows_seed.c \
	model/point.c model/point.h \
	model/request.h \
	model/wait_reason.c model/wait_reason.h \
	model/schema/iostat_words.c model/schema/iostat_words.h \
	model/schema/schema.c model/schema/schema.h \
	model/schema/schema_device.c \
	model/schema/schema_fleet.c \
	model/schema/schema_host.c \
	model/schema/schema_job.c model/schema/schema_job.h \
	model/schema/schema_machine.h \
	model/schema/schema_mount.c \
	model/schema/schema_slow.c \
	model/schema/schema_task.c \
	model/schema/schema_trace.c model/schema/schema_trace.h \
	model/trace_counts.h \
	model/unit.c model/unit.h \
	model/stats/blocks.c model/stats/blocks.h \
	model/stats/difference.c model/stats/difference.h \
	model/stats/members.c model/stats/members.h \
	model/stats/power.c model/stats/power.h \
	model/stats/probability.c model/stats/probability.h \
	model/stats/series.c model/stats/series.h
