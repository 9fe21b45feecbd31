# Tunables: sampled, set, restored.
core_sources += \
	knob/journal.c knob/journal.h \
	knob/journal_dir.c knob/journal_dir.h \
	knob/journal_read.c \
	knob/keeper.c knob/keeper.h \
	knob/keeper_peer.c \
	knob/keeper_tty.c knob/keeper_tty.h \
	knob/keeper_wire.h \
	knob/knob.c knob/knob.h \
	knob/knob_effect.c knob/knob_effect.h \
	knob/knob_held.c knob/knob_held.h \
	knob/knob_path.c knob/knob_path.h \
	knob/knob_restore.c knob/knob_restore.h \
	knob/knob_sample.c \
	knob/knob_scan.c knob/knob_scan.h \
	knob/knob_value.c knob/knob_value.h \
	knob/ledger.c knob/ledger.h \
	knob/turn.c knob/turn.h \
	knob/turn_child.c knob/turn_child.h
