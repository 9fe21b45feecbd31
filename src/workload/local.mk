# Makes I/O and counts it.

# engine/: how an I/O reaches the kernel
core_sources += \
	workload/engine/engine.c workload/engine/engine.h \
	workload/engine/engine_libaio.c \
	workload/engine/engine_mmap.c \
	workload/engine/engine_null.c \
	workload/engine/engine_psync.c
if HAVE_LIBURING
core_sources += workload/engine/engine_io_uring.c
endif

# thread/: the clones of a job, their life and their path per I/O
core_sources += \
	workload/thread/affinity.c \
	workload/thread/barrier.c workload/thread/barrier.h \
	workload/thread/clones.c workload/thread/clones.h \
	workload/thread/cmdprio.c workload/thread/cmdprio.h \
	workload/thread/control.c workload/thread/control.h \
	workload/thread/counters.h \
	workload/thread/errors.c workload/thread/errors.h \
	workload/thread/filter.c workload/thread/filter.h \
	workload/thread/flow.c workload/thread/flow.h \
	workload/thread/invalidate.c \
	workload/thread/latency_target.c workload/thread/latency_target.h \
	workload/thread/plain.c \
	workload/thread/process.c workload/thread/process.h \
	workload/thread/rate.c workload/thread/rate.h \
	workload/thread/source.c \
	workload/thread/stages.c workload/thread/stages.h \
	workload/thread/steady.c workload/thread/steady.h \
	workload/thread/stopwatch.c workload/thread/stopwatch.h \
	workload/thread/sync.c workload/thread/sync.h \
	workload/thread/worker.c workload/thread/worker.h \
	workload/thread/worker_loop.c

core_sources += \
	workload/advise.c \
	workload/alias.c workload/alias.h \
	workload/data.c workload/data.h \
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
	workload/outlook.c \
	workload/pattern.c workload/pattern.h \
	workload/permit.c workload/permit.h \
	workload/ping.c workload/ping.h \
	workload/places.c workload/places.h \
	workload/places_prepare.c \
	workload/preset.c workload/preset.h \
	workload/probe.c workload/probe.h \
	workload/random.h \
	workload/scratch.c workload/scratch.h \
	workload/serve.c workload/serve.h \
	workload/sizes.c workload/sizes.h \
	workload/spread.c workload/spread.h \
	workload/streams.c workload/streams.h \
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
	workload/workload.c workload/workload.h \
	workload/workload_event.c \
	workload/workload_sample.c
