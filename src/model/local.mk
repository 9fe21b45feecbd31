# The nouns and their arithmetic; opens no file and no terminal.
core_sources += \
	model/action.h \
	model/effect.c model/effect.h \
	model/event.c model/event.h \
	model/fio_bucket.c model/fio_bucket.h \
	model/frame.c model/frame.h \
	model/header.c model/header.h \
	model/heat.c model/heat.h \
	model/histogram.c model/histogram.h \
	model/history.c model/history.h \
	model/job.c model/job.h \
	model/job_check.c \
	model/job_json.c \
	model/job_kind.c model/job_kind.h \
	model/job_lists.c \
	model/job_number.c model/job_number.h \
	model/job_options.c \
	model/job_patterns.c \
	model/job_rows.h \
	model/job_rows_accepted.c \
	model/job_rows_files.c \
	model/job_rows_flow.c \
	model/job_rows_pattern.c \
	model/job_rows_refused.c \
	model/job_rows_results.c \
	model/job_scalar.c \
	model/job_split.c model/job_split.h \
	model/imbalance.c model/imbalance.h \
	model/phase.c model/phase.h \
	model/point.c model/point.h \
	model/idle_rows.c model/idle_rows.h \
	model/run.h \
	model/sample.c model/sample.h \
	model/schema.c model/schema.h \
	model/schema_cpu.c model/schema_cpu.h \
	model/schema_device.c model/schema_device.h \
	model/schema_job.c model/schema_job.h \
	model/schema_knob.c model/schema_knob.h \
	model/schema_memory.c model/schema_memory.h \
	model/schema_pressure.c model/schema_pressure.h \
	model/schema_self.c model/schema_self.h \
	model/schema_task.c model/schema_task.h \
	model/stats/blocks.c model/stats/blocks.h \
	model/stats/difference.c model/stats/difference.h \
	model/stats/family.c model/stats/family.h \
	model/stats/power.c model/stats/power.h \
	model/stats/quantile.c model/stats/quantile.h \
	model/stats/rank.c model/stats/rank.h \
	model/stats/series.c model/stats/series.h \
	model/unit.c model/unit.h \
	model/watch.c model/watch.h
