# Frames become cells, keys become actions.
core_sources += \
	ui/axis.c ui/axis.h \
	ui/canvas.c ui/canvas.h \
	ui/help.c \
	ui/key.h ui/keys.c \
	ui/menu.c ui/menu_items.c \
	ui/overlay.h \
	ui/pane.c ui/pane.h \
	ui/pane_graph.c \
	ui/pane_header.c \
	ui/pane_job.c \
	ui/pane_table.c ui/pane_table.h \
	ui/pane_timeline.c \
	ui/panes.c \
	ui/prompt.c ui/prompts.c \
	ui/saved.c ui/saved.h \
	ui/screen.c ui/screen.h \
	ui/state.h \
	ui/table_order.c \
	ui/tables.c \
	ui/terminal.c ui/terminal.h \
	ui/terminal_type.c \
	ui/ui.c ui/ui.h
