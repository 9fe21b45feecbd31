# Frames become cells, keys become actions.
core_sources += \
	ui/ab_view.c \
	ui/head.c \
	ui/list.c ui/list.h \
	ui/overlay.c ui/overlay.h \
	ui/pane.c ui/pane.h \
	ui/state.h \
	ui/ui.c ui/ui.h \
	ui/ui_settings.c \
	ui/chart/canvas.c \
	ui/chart/chart.c ui/chart/chart.h \
	ui/chart/heatmap.c \
	ui/chart/graph_series.c \
	ui/chart/graph_list.c \
	ui/form/file_list.c \
	ui/form/job_form.c \
	ui/form/task_form.c \
	ui/form/knob_menu.c \
	ui/form/run_form.c \
	ui/key/key_help.c \
	ui/key/key_bar.c \
	ui/key/key.c ui/key/key.h \
	ui/key/key_mouse.c \
	ui/pane/pane_cpu.c \
	ui/pane/pane_device.c \
	ui/pane/pane_effect.c \
	ui/pane/pane_fleet.c \
	ui/pane/pane_graph.c \
	ui/pane/pane_heatmap.c \
	ui/pane/pane_job.c \
	ui/pane/pane_knob.c \
	ui/pane/pane_cgroup.c \
	ui/pane/pane_mount.c \
	ui/pane/pane_slow.c \
	ui/pane/pane_sweep.c \
	ui/pane/pane_task.c \
	ui/pane/pane_timeline.c \
	ui/table/table.c ui/table/table.h \
	ui/table/table_columns.c \
	ui/table/table_column_list.c \
	ui/table/table_pane.c \
	ui/terminal/cells.c ui/terminal/cells.h \
	ui/terminal/screen.c ui/terminal/screen.h \
	ui/terminal/terminal.c ui/terminal/terminal.h \
	ui/terminal/terminal_type.c \
	ui/terminal/theme.c
