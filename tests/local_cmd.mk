# Tests of src/cmd.
if HAVE_CHECK
check_PROGRAMS += check_cmd check_knob_control check_preview_thread check_privilege check_replay check_session check_sweep
TESTS += check_cmd check_knob_control check_preview_thread check_privilege check_replay check_session check_sweep
check_replay_SOURCES = check_replay.c test.h
check_privilege_SOURCES = check_privilege.c test.h
check_cmd_SOURCES = check_cmd.c test.h
check_knob_control_SOURCES = check_knob_control.c test.h
check_preview_thread_SOURCES = check_preview_thread.c $(workload_help)
check_session_SOURCES = check_session.c $(workload_help)
check_sweep_SOURCES = check_sweep.c test.h
endif
