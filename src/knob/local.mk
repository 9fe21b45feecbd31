# Settings of devices and of the host: sampled, set, put back.
core_sources += \
	knob/journal.c knob/journal.h \
	knob/keeper.c knob/keeper.h \
	knob/knob.c knob/knob.h \
	knob/knob_sampler.c \
	knob/ledger.c \
	knob/turn.c knob/turn.h \
	knob/writer.c
