# Wiring: the commands, and the session that the live ones run in.
core_sources += \
	cmd/cmd_disk.c \
	cmd/cmd_knob.c \
	cmd/cmd_list.c \
	cmd/cmd_ping.c \
	cmd/cmd_report.c \
	cmd/command.c cmd/command.h \
	cmd/lists.c cmd/lists.h \
	cmd/lists_listing.c \
	cmd/log_range.c cmd/log_range.h \
	cmd/start_time.c cmd/start_time.h \
	cmd/report_fleet.c \
	cmd/option_rows.c \
	cmd/options.c cmd/options.h \
	cmd/options_help.c \
	cmd/privilege.c cmd/privilege.h \
	cmd/replay/cmd_replay.c \
	cmd/replay/fleet_past.c cmd/replay/fleet_past.h cmd/replay/fleet_screen.c cmd/replay/fleet_screen.h \
	cmd/replay/log_cursor.c \
	cmd/replay/replay.c cmd/replay/replay.h \
	cmd/run/cmd_run.c cmd/run/cmd_run.h \
	cmd/run/fit.c cmd/run/fit.h \
	cmd/run/jobs.c cmd/run/jobs.h \
	cmd/run/jobs_show.c \
	cmd/run/output.c cmd/run/output.h \
	cmd/scratch_disk.c cmd/scratch_disk.h \
	cmd/session/ab.c cmd/session/ab.h \
	cmd/session/cmd_top.c \
	cmd/session/display.c cmd/session/display.h \
	cmd/session/settings_file.c \
	cmd/session/job_control.c cmd/session/job_control.h \
	cmd/session/knob_control.c cmd/session/knob_control.h \
	cmd/session/loop.c cmd/session/loop.h \
	cmd/session/operator.c \
	cmd/session/task_control.c \
	cmd/session/pipeline.c cmd/session/pipeline.h \
	cmd/session/plan.c cmd/session/plan.h \
	cmd/session/preview_thread.c cmd/session/preview_thread.h \
	cmd/session/session.c cmd/session/session.h \
	cmd/session/cmd_slow.c \
	cmd/session/cmd_top.h \
	cmd/session/tracing.c cmd/session/tracing.h \
	cmd/session/view.c cmd/session/view.h \
	cmd/session/view_completion.c \
	cmd/session/view_compare.c \
	cmd/sweep/cmd_sweep.c \
	cmd/sweep/sweep.c cmd/sweep/sweep.h \
	cmd/sweep/sweep_audit.c cmd/sweep/sweep_audit.h \
	cmd/sweep/sweep_cell.c \
	cmd/sweep/sweep_check.c \
	cmd/sweep/sweep_emit.c \
	cmd/sweep/sweep_hand.c \
	cmd/sweep/sweep_log.c \
	cmd/sweep/sweep_metric.c \
	cmd/sweep/sweep_order.c \
	cmd/sweep/sweep_plan.c cmd/sweep/sweep_plan.h \
	cmd/sweep/sweep_print.c \
	cmd/sweep/sweep_screen.c \
	cmd/sweep/sweep_stage.c cmd/sweep/sweep_stage.h \
	cmd/witness/cmd_powercut.c \
	cmd/witness/cmd_witness.c \
	cmd/witness/witness_place.c cmd/witness/witness_place.h
