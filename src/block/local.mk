# Block devices as sysfs, /proc and libmount describe them.
core_sources += \
	block/device_names.c block/device_names.h \
	block/loop_device.c block/loop_device.h \
	block/mounts.c block/mounts.h \
	block/mounts_btrfs.c \
	block/simulated.c block/simulated.h \
	block/sysfs.c block/sysfs.h \
	block/tree.c block/tree.h
