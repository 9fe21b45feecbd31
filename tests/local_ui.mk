# Tests of src/ui.
if HAVE_CHECK
ui_scene = ui_scene.c ui_scene.h ui_scene_frame.c ui_offer.c
ui_checks = check_ui_screen check_ui_keys check_ui_terminal check_ui_bytes \
	check_ui_mouse check_ui_settings check_ui_random check_ui_canvas check_ui_table \
	check_ui_cost check_ui_run check_ui_list
check_PROGRAMS += $(ui_checks)
TESTS += $(ui_checks)
check_ui_canvas_SOURCES = check_ui_canvas.c test.h
check_ui_list_SOURCES = check_ui_list.c test.h
check_ui_table_SOURCES = check_ui_table.c $(ui_scene)
check_ui_cost_SOURCES = check_ui_cost.c $(ui_scene)
check_ui_run_SOURCES = check_ui_run.c $(ui_scene)
check_ui_screen_SOURCES = check_ui_screen.c $(ui_scene)
check_ui_keys_SOURCES = check_ui_keys.c $(ui_scene)
check_ui_bytes_SOURCES = check_ui_bytes.c $(ui_scene)
check_ui_terminal_SOURCES = check_ui_terminal.c $(ui_scene)
check_ui_mouse_SOURCES = check_ui_mouse.c $(ui_scene)
check_ui_settings_SOURCES = check_ui_settings.c $(ui_scene)
check_ui_random_SOURCES = check_ui_random.c $(ui_scene)
endif
# Whatever is there: each pane of the table has three.
EXTRA_DIST += golden

# A minute of random keys, resizes and mouse reports under the sanitizers; see
# CONTRIBUTING.md.
RANDOM_SECONDS = 60
screen-random:
	$(srcdir)/screen-random.sh screen-random-build $(RANDOM_SECONDS)

clean-local-ui:
	rm -rf screen-random-build

.PHONY: screen-random clean-local-ui
EXTRA_DIST += screen-random.sh
EXTRA_DIST += bench/refresh-cost.sh bench/key-delay.sh bench/quiet-alarms.sh
