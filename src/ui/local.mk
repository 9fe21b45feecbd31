# Frames become cells, keys become actions.
core_sources += \
	ui/axis.c ui/axis.h \
	ui/box.c ui/box.h \
	ui/chart.c ui/chart.h \
	ui/canvas.c ui/canvas.h \
	ui/chooser.c ui/chooser.h \
	ui/effect_keys.c \
	ui/event_letter.c ui/event_letter.h \
	ui/graph_keys.c \
	ui/heatmap.c ui/heatmap.h \
	ui/help.c \
	ui/input.c ui/input.h \
	ui/job_keys.c \
	ui/key.h ui/key_bar.c ui/key_table.c ui/keys.c \
	ui/layout.c ui/layout.h \
	ui/menu.c ui/menu_items.c \
	ui/mouse.c \
	ui/overlay.h \
	ui/pane.c ui/pane.h \
	ui/picker.c \
	ui/series.c ui/series.h \
	ui/pane_effect.c ui/pane_effect.h \
	ui/pane_graph.c \
	ui/pane_header.c \
	ui/pane_heatmap.c \
	ui/histbars.c ui/histbars.h \
	ui/pane_job.c ui/pane_job.h \
	ui/pane_table.c ui/pane_table.h \
	ui/pane_timeline.c \
	ui/panes.c ui/panes.h \
	ui/prompt.c ui/prompts.c \
	ui/run_dialog.c ui/run_form.c ui/run_dialog.h \
	ui/job_edit.c ui/job_edit.h \
	ui/saved.c ui/saved.h \
	ui/screen.c ui/screen.h \
	ui/search.c ui/search.h \
	ui/settings.c ui/settings.h \
	ui/state.h \
	ui/table_columns.c \
	ui/table_filter.c \
	ui/table_fold.c \
	ui/table_group.c \
	ui/table_keys.c \
	ui/table_move.c \
	ui/pane_cpu.c \
	ui/pane_memory.c \
	ui/pane_device.c \
	ui/pane_task.c \
	ui/pane_knob.c \
	ui/table_order.c \
	ui/table_saved.c \
	ui/table_state.h \
	ui/tables.c \
	ui/terminal.c ui/terminal.h \
	ui/terminal_type.c \
	ui/timeline.h \
	ui/theme.c ui/theme.h \
	ui/ui.c ui/ui.h
