# Makes I/O and counts it.

# engine/: how an I/O reaches the kernel
core_sources += \
	workload/engine/engine.c workload/engine/engine.h \
	workload/engine/engine_libaio.c \
	workload/engine/engine_mmap.c \
	workload/engine/engine_null.c \
	workload/engine/engine_psync.c \
	workload/engine/engine_splice.c
if HAVE_LIBURING
core_sources += workload/engine/engine_io_uring.c
endif

# kind/: what a job does
core_sources += \
	workload/kind/cluster.c workload/kind/cluster.h \
	workload/kind/dbench_load.c workload/kind/dbench_load.h \
	workload/kind/fileio.h \
	workload/kind/fileio_pool.c \
	workload/kind/fileio_check.c \
	workload/kind/kind.c workload/kind/kind.h \
	workload/kind/kind_dbench.c \
	workload/kind/kind_exec.c \
	workload/kind/kind_fileio.c \
	workload/kind/kind_fsmark.c \
	workload/kind/kind_iozone.c \
	workload/kind/kind_pgbench.c \
	workload/kind/kind_sqlite.c \
	workload/kind/kind_startup.c \
	workload/kind/kind_stream.c \
	workload/kind/kind_cpuio.c \
	workload/kind/kind_metadata.c \
	workload/kind/startup_trace.c workload/kind/startup_trace.h \
	workload/kind/profile.c \
	workload/kind/program.c workload/kind/program.h \
	workload/kind/runner.c

# thread/: the clones of a job, their life and their path per I/O
core_sources += \
	workload/thread/clones.c workload/thread/clones.h workload/thread/counters.h \
	workload/thread/filter.c workload/thread/filter.h \
	workload/thread/filter_sync.c \
	workload/thread/filter_flow.c \
	workload/thread/filter_latency.c \
	workload/thread/hook.c workload/thread/hook.h \
	workload/thread/process.c workload/thread/process.h \
	workload/thread/rate.c \
	workload/thread/source.c \
	workload/thread/stages.c workload/thread/stages.h \
	workload/thread/stopwatch.c workload/thread/stopwatch.h \
	workload/thread/worker.c workload/thread/worker.h \
	workload/thread/worker_cache.c \
	workload/thread/worker_loop.c

# target/: what jobs read and write, and the guard in front of it
core_sources += \
	workload/target/found.c \
	workload/target/consent.c workload/target/consent.h \
	workload/target/directory.c \
	workload/target/guard.c workload/target/guard.h \
	workload/target/guard_device.c \
	workload/target/layout.c \
	workload/target/layout_mark.c \
	workload/target/opener.c \
	workload/target/preview.c \
	workload/target/scratch.c \
	workload/target/target.c workload/target/target.h

# offset/: where the next I/O goes and how large it is
core_sources += \
	workload/offset/distribution.c \
	workload/offset/offsets.c workload/offset/offsets.h \
	workload/offset/pattern.c \
	workload/offset/regions.c

# verify/: what was written is checked when it is read
core_sources += \
	workload/verify/verify.c workload/verify/verify.h \
	workload/verify/verify_flush.c \
	workload/verify/verify_block.c \
	workload/verify/verify_map.c \
	workload/verify/verify_phase.c \
	workload/verify/verify_plan.c \
	workload/verify/verify_state.c

# witness/: what another host knows of writes and flushes, and the check after
# a loss of power
core_sources += \
	workload/witness/powercut.c \
	workload/witness/powercut_check.c \
	workload/witness/witness.c workload/witness/witness.h \
	workload/witness/witness_line.c \
	workload/witness/witness_send.c workload/witness/witness_send.h

# iolog/: fio's write_*_log
core_sources += \
	workload/iolog/iolog.c workload/iolog/iolog.h

# jobfile/: fio's job files, and the presets
core_sources += \
	workload/jobfile/jobfile.c workload/jobfile/jobfile.h \
	workload/jobfile/jobfile_expand.c \
	workload/jobfile/preset.c

core_sources += \
	workload/data.c workload/data.h \
	workload/data_pattern.c \
	workload/ping.c workload/ping.h \
	workload/ping_probe.c \
	workload/workload.c workload/workload.h \
	workload/workload_control.c \
	workload/workload_readahead.c \
	workload/workload_sample.c \
	workload/workload_events.c
