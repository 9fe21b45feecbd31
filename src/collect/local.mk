# Kernel statistics become a sample.
core_sources += \
	collect/collect.c collect/collect.h \
	collect/collect_cgroup.c \
	collect/collect_facts.c \
	collect/collect_host.c \
	collect/collect_mounts.c \
	collect/collect_tasks.c \
	collect/collect_trace.c \
	collect/collector.h \
	collect/device.h \
	\
	collect/device_health.c \
	collect/device_info.c \
	collect/device_set.c \
	collect/diskstats.c \
	\
	\
	collect/file_space.c collect/file_space.h \
	collect/io_limit.c \
	collect/process_files.c \
	collect/smart.c collect/smart.h \
	\
	collect/task.h \
	collect/task_ended.c \
	collect/task_ends.c collect/task_ends.h \
	collect/task_facts.c \
	collect/task_memory.c \
	collect/task_threads.c \
	collect/trace.c collect/trace.h \
	collect/trace_owner.c collect/trace_owner.h \
	collect/trace_slow.c collect/trace_slow.h \
	collect/bpf/trace_memory.h

# The programs of the trace, as the bytes of an array. A tarball has them, so that
# it builds without clang.
if HAVE_BPF
core_sources += collect/bpf/trace_load.c
endif
EXTRA_DIST = collect/bpf/trace.bpf.c collect/bpf/types.h
if COMPILE_BPF
EXTRA_DIST += collect/bpf/trace_object.inc
BUILT_SOURCES = collect/bpf/trace_object.inc
CLEANFILES = collect/bpf/trace.elf collect/bpf/trace_object.inc
collect/bpf/trace_object.inc: collect/bpf/trace.bpf.c collect/bpf/trace_memory.h collect/bpf/types.h model/trace_counts.h
	$(AM_V_GEN)$(MKDIR_P) collect/bpf && \
	$(BPF_CLANG) -target bpf -mcpu=v3 -O2 -g -ffreestanding -Wall -Werror \
		-ffile-prefix-map=$(srcdir)=. -I$(srcdir) $(LIBBPF_CFLAGS) \
		-c $(srcdir)/collect/bpf/trace.bpf.c -o collect/bpf/trace.elf && \
	$(BPF_STRIP) -g collect/bpf/trace.elf && \
	od -An -v -tu1 collect/bpf/trace.elf | sed 's/\([0-9]\) *\( \|$$\)/\1,/g' >$@.new && mv $@.new $@
collect/bpf/trace_load.$(OBJEXT): collect/bpf/trace_object.inc
endif
