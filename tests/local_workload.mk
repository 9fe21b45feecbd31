# Tests of src/workload.
workload_help = workload_help.c workload_help.h
check_PROGRAMS += check_engine check_errors check_verify check_pattern
check_PROGRAMS += check_places check_spread check_workload
check_PROGRAMS += check_workload_device check_scratch
TESTS += check_engine check_errors check_verify check_pattern
TESTS += check_places check_spread check_workload
TESTS += check_workload_device check_scratch
check_engine_SOURCES = check_engine.c $(workload_help)
check_errors_SOURCES = check_errors.c $(workload_help)
check_pattern_SOURCES = check_pattern.c $(workload_help)
check_places_SOURCES = check_places.c places_rig.h $(workload_help)
check_zones_SOURCES = check_zones.c places_rig.h $(workload_help)
check_spread_SOURCES = check_spread.c $(workload_help)
check_verify_SOURCES = check_verify.c $(workload_help)
check_workload_SOURCES = check_workload.c $(workload_help)
check_scratch_SOURCES = check_scratch.c $(workload_help)
check_workload_device_SOURCES = check_workload_device.c $(workload_help)
# When workers begin, how fast they go, what ends them.
check_PROGRAMS += check_flow check_stages check_omission
TESTS += check_flow check_stages check_omission
check_flow_SOURCES = check_flow.c $(workload_help)
check_stages_SOURCES = check_stages.c $(workload_help)
check_omission_SOURCES = check_omission.c $(workload_help)
# Not a timed test: built by hand with "make bench_workload".
EXTRA_PROGRAMS = bench_workload
bench_workload_SOURCES = bench/bench_workload.c
EXTRA_DIST += bench/instructions-per-io.sh
check_PROGRAMS += check_data check_files
TESTS += check_data check_files
check_data_SOURCES = check_data.c $(workload_help)
check_files_SOURCES = check_files.c $(workload_help)
check_PROGRAMS += check_iolog
TESTS += check_iolog
check_iolog_SOURCES = check_iolog.c $(workload_help)
check_PROGRAMS += check_zones
TESTS += check_zones
