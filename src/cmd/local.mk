# Wiring: one file per command, and the one loop.
core_sources += \
	cmd/bare.c cmd/bare.h \
	cmd/cmd_knob.c \
	cmd/cmd_list.c \
	cmd/cmd_ping.c \
	cmd/cmd_record.c \
	cmd/cmd_replay.c \
	cmd/cmd_report.c \
	cmd/cmd_run.c \
	cmd/cmd_top.c \
	cmd/command.c cmd/command.h \
	cmd/command_table.c \
	cmd/compare.c cmd/compare.h \
	cmd/demo.c cmd/demo.h \
	cmd/finish.c \
	cmd/help.c \
	cmd/knob_word.c cmd/knob_word.h \
	cmd/jobs.c cmd/jobs.h \
	cmd/launch.c cmd/launch.h \
	cmd/live.c cmd/live.h \
	cmd/live_open.c \
	cmd/live_tick.c \
	cmd/live_view.c \
	cmd/loads.c cmd/loads.h \
	cmd/look.c cmd/look.h \
	cmd/offer.c cmd/offer.h \
	cmd/loop.c cmd/loop.h \
	cmd/option_rows.c \
	cmd/options.c cmd/options.h \
	cmd/options_fio.c \
	cmd/options_labels.c \
	cmd/output.c cmd/output.h \
	cmd/ping_tally.c cmd/ping_tally.h \
	cmd/plan.c cmd/plan.h \
	cmd/privilege.c cmd/privilege.h \
	cmd/remember.c cmd/remember.h \
	cmd/reset.c \
	cmd/replay.c cmd/replay.h \
	cmd/replay_align.c \
	cmd/screen.c cmd/screen.h \
	cmd/showcmd.c \
	cmd/steer.c \
	cmd/table.c cmd/table.h \
	cmd/tape.c cmd/tape.h \
	cmd/term.c cmd/term.h \
	cmd/turn.c \
	cmd/turn_event.c
