# Tests of src/ui.
if HAVE_CHECK
ui_scene = ui_scene.c ui_scene.h ui_scene_frame.c
ui_checks = check_ui_screen check_ui_canvas check_ui_keys check_ui_terminal check_ui_bytes
check_PROGRAMS += $(ui_checks)
TESTS += $(ui_checks)
check_ui_canvas_SOURCES = check_ui_canvas.c test.h
check_ui_screen_SOURCES = check_ui_screen.c $(ui_scene)
check_ui_keys_SOURCES = check_ui_keys.c $(ui_scene)
check_ui_bytes_SOURCES = check_ui_bytes.c $(ui_scene)
check_ui_terminal_SOURCES = check_ui_terminal.c $(ui_scene)
endif
EXTRA_DIST += \
	golden/first-80x24.txt \
	golden/top-80x24.txt \
	golden/top-120x40.txt \
	golden/top-160x45.txt \
	golden/top-40x10.txt \
	golden/run-80x24.txt \
	golden/run-120x40.txt \
	golden/run-160x45.txt \
	golden/run-40x10.txt \
	golden/run-ascii-80x24.txt \
	golden/replay-80x24.txt \
	golden/help-80x24.txt \
	golden/help-end-80x24.txt \
	golden/menu-device-80x24.txt \
	golden/menu-knob-80x24.txt \
	golden/menu-value-80x24.txt \
	golden/menu-confirm-80x24.txt \
	golden/menu-number-80x24.txt \
	golden/menu-replay-80x24.txt \
	golden/filter-80x24.txt \
	golden/columns-80x24.txt \
	golden/busy-80x24.txt \
	golden/pane-devices-80x24.txt \
	golden/pane-cpus-80x24.txt \
	golden/pane-processes-80x24.txt \
	golden/pane-jobs-80x24.txt \
	golden/pane-graph-80x24.txt \
	golden/pane-braille-80x24.txt \
	golden/pane-timeline-80x24.txt
