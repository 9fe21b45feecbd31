# Tests of src/cmd.
if HAVE_CHECK
check_PROGRAMS += check_cmd
TESTS += check_cmd
check_cmd_SOURCES = check_cmd.c test.h
endif
EXTRA_DIST += fuzz_jobfile.c
