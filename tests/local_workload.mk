# Tests of src/workload.
workload_help = workload_help.c workload_help.h
check_PROGRAMS += check_workload check_workload_device
TESTS += check_workload check_workload_device
check_workload_SOURCES = check_workload.c $(workload_help)
check_workload_device_SOURCES = check_workload_device.c $(workload_help)
