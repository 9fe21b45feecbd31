# Kernel statistics become a sample.
core_sources += \
	collect/collect.c collect/collect.h \
	collect/collect_cgroup.c \
	collect/collect_facts.c \
	collect/collect_host.c \
	collect/collect_tasks.c \
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
	collect/task_facts.c \
	collect/task_memory.c \
	collect/task_threads.c
