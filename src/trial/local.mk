# The store of the runs of an experiment, and the judge of them.
core_sources += \
	trial/crossover.c trial/crossover.h \
	trial/effect.c trial/effect.h \
	trial/judge.c trial/judge.h \
	trial/trial.c trial/trial.h
