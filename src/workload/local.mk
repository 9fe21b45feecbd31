# Makes I/O and counts it.
core_sources += \
	workload/advise.c \
	workload/alias.c workload/alias.h \
	workload/complete.c \
	workload/cool.c \
	workload/counters.h \
	workload/control.c workload/control.h \
	workload/crew_errors.c \
	workload/crew.c workload/crew.h \
	workload/crew_plan.c workload/crew_plan.h \
	workload/data.c workload/data.h \
	workload/engine.c workload/engine.h \
	workload/engine_calls.c \
	workload/engine_libaio.c \
	workload/engine_mmap.c \
	workload/engine_null.c \
	workload/engine_psync.c \
	workload/errors.c workload/errors.h \
	workload/flow.c workload/flow.h \
	workload/gate.c workload/gate.h \
	workload/guard.c workload/guard.h \
	workload/guard_device.c workload/guard_device.h \
	workload/iolog.c workload/iolog.h \
	workload/iolog_file.c workload/iolog_file.h \
	workload/iolog_out.c workload/iolog_out.h \
	workload/jobfile.c workload/jobfile.h \
	workload/jobfile_expand.c \
	workload/jobfile_look.c \
	workload/layout.c workload/layout.h \
	workload/notation.c workload/notation.h \
	workload/permit.c workload/permit.h \
	workload/pattern.c workload/pattern.h \
	workload/preset.c workload/preset.h \
	workload/places.c workload/places.h \
	workload/places_prepare.c \
	workload/outlook.c \
	workload/pace.c workload/pace.h \
	workload/ping.c workload/ping.h \
	workload/place.c \
	workload/probe.c workload/probe.h \
	workload/prio.c workload/prio.h \
	workload/process.c workload/process.h \
	workload/random.h \
	workload/scratch.c workload/scratch.h \
	workload/serve.c workload/serve.h \
	workload/sizes.c workload/sizes.h \
	workload/search.c workload/search.h \
	workload/share.c workload/share.h \
	workload/shared.c workload/shared.h \
	workload/source.c \
	workload/source_choose.c \
	workload/source_plain.c workload/plain_inline.h \
	workload/stopwatch.c workload/stopwatch.h \
	workload/spread.c workload/spread.h \
	workload/steady.c workload/steady.h \
	workload/streams.c workload/streams.h \
	workload/sync.c workload/sync.h \
	workload/target.c workload/target.h \
	workload/target_open.c \
	workload/target_paths.c \
	workload/target_words.c \
	workload/tree.c workload/tree.h \
	workload/verify.c workload/verify.h \
	workload/verify_block.c workload/verify_block.h \
	workload/verify_map.c workload/verify_map.h \
	workload/verify_phase.c \
	workload/verify_plan.c \
	workload/verify_report.c workload/verify_report.h \
	workload/verify_state.c workload/verify_state.h \
	workload/worker.c workload/worker.h \
	workload/worker_burst.c \
	workload/worker_loop.c \
	workload/worker_main.c \
	workload/worker_prepare.c \
	workload/worker_usage.c \
	workload/workload.c workload/workload.h \
	workload/workload_event.c \
	workload/workload_sample.c

if HAVE_LIBURING
core_sources += workload/engine_io_uring.c workload/uring_setup.c workload/uring.h
endif
