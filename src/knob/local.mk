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
	knob/knob_restore.c knob/knob_restore.h \
	knob/knob_sampler.c knob/knob_sampler.h \
	knob/ledger.c knob/ledger.h \
	knob/turn.c knob/turn.h \
	knob/turn_child.c knob/turn_child.h
