# Tests of src/cmd.
if HAVE_CHECK
check_PROGRAMS += check_cmd check_finish check_look check_replay
TESTS += check_cmd check_finish check_look check_replay
check_replay_SOURCES = check_replay.c test.h
check_cmd_SOURCES = check_cmd.c test.h
check_finish_SOURCES = check_finish.c test.h
check_look_SOURCES = check_look.c $(workload_help)
endif
