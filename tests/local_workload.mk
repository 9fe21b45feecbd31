# Tests of src/workload: one paragraph each.
workload_help = workload_help.c workload_help.h

check_PROGRAMS += check_data
TESTS += check_data
check_data_SOURCES = check_data.c $(workload_help)

check_PROGRAMS += check_engine
TESTS += check_engine
check_engine_SOURCES = check_engine.c $(workload_help)

check_PROGRAMS += check_errors
TESTS += check_errors
check_errors_SOURCES = check_errors.c $(workload_help)

check_PROGRAMS += check_fileio
TESTS += check_fileio
check_fileio_SOURCES = check_fileio.c $(workload_help)

check_PROGRAMS += check_files
TESTS += check_files
check_files_SOURCES = check_files.c $(workload_help)

check_PROGRAMS += check_kinds
TESTS += check_kinds
check_kinds_SOURCES = check_kinds.c $(workload_help)

check_PROGRAMS += check_flow
TESTS += check_flow
check_flow_SOURCES = check_flow.c $(workload_help)

check_PROGRAMS += check_guard_loop
TESTS += check_guard_loop
check_guard_loop_SOURCES = check_guard_loop.c $(workload_help)

check_PROGRAMS += check_iolog
TESTS += check_iolog
check_iolog_SOURCES = check_iolog.c $(workload_help)

check_PROGRAMS += check_latency
TESTS += check_latency
check_latency_SOURCES = check_latency.c $(workload_help)

check_PROGRAMS += check_omission
TESTS += check_omission
check_omission_SOURCES = check_omission.c $(workload_help)

check_PROGRAMS += check_preview
TESTS += check_preview
check_preview_SOURCES = check_preview.c $(workload_help)

check_PROGRAMS += check_opener
TESTS += check_opener
check_opener_SOURCES = check_opener.c $(workload_help)

check_PROGRAMS += check_pattern
TESTS += check_pattern
check_pattern_SOURCES = check_pattern.c $(workload_help)

check_PROGRAMS += check_ping
TESTS += check_ping
check_ping_SOURCES = check_ping.c $(workload_help)

check_PROGRAMS += check_offsets
TESTS += check_offsets
check_offsets_SOURCES = check_offsets.c offsets_rig.h $(workload_help)

check_PROGRAMS += check_prio
TESTS += check_prio
check_prio_SOURCES = check_prio.c $(workload_help)

check_PROGRAMS += check_processes
TESTS += check_processes
check_processes_SOURCES = check_processes.c stages_rig.h $(workload_help)

check_PROGRAMS += check_scratch
TESTS += check_scratch
check_scratch_SOURCES = check_scratch.c $(workload_help)

check_PROGRAMS += check_share
TESTS += check_share
check_share_SOURCES = check_share.c $(workload_help)

check_PROGRAMS += check_distribution
TESTS += check_distribution
check_distribution_SOURCES = check_distribution.c $(workload_help)

check_PROGRAMS += check_stages
TESTS += check_stages
check_stages_SOURCES = check_stages.c stages_rig.h $(workload_help)

check_PROGRAMS += check_startup
TESTS += check_startup
check_startup_SOURCES = check_startup.c

check_PROGRAMS += check_streams
TESTS += check_streams
check_streams_SOURCES = check_streams.c $(workload_help)

check_PROGRAMS += check_syncs
TESTS += check_syncs
check_syncs_SOURCES = check_syncs.c $(workload_help)

check_PROGRAMS += check_tree
TESTS += check_tree
check_tree_SOURCES = check_tree.c $(workload_help)

check_PROGRAMS += check_verify
TESTS += check_verify
check_verify_SOURCES = check_verify.c $(workload_help)

check_PROGRAMS += check_workload
TESTS += check_workload
check_workload_SOURCES = check_workload.c $(workload_help)

check_PROGRAMS += check_workload_device
TESTS += check_workload_device
check_workload_device_SOURCES = check_workload_device.c $(workload_help)

check_PROGRAMS += check_witness
TESTS += check_witness
check_witness_SOURCES = check_witness.c

check_PROGRAMS += check_zones
TESTS += check_zones
check_zones_SOURCES = check_zones.c offsets_rig.h $(workload_help)
