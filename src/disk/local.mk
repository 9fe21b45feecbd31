# A simulated disk: models, simulation, data, faults, and the process behind it.
core_sources += \
	disk/disk.c disk/disk.h \
	disk/disk_arm.c disk/disk_arm.h \
	disk/disk_fault.c disk/disk_fault.h \
	disk/disk_model.c disk/disk_model.h \
	disk/disk_serve.c disk/disk_serve.h \
	disk/disk_sim.c disk/disk_sim.h \
	disk/disk_store.c disk/disk_store.h \
	disk/disk_truth.c disk/disk_truth.h
