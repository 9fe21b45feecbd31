# Tests of src/base.
check_PROGRAMS += check_base
check_base_SOURCES = check_base.c check_base_json.c check_base.h
TESTS += check_base

check_PROGRAMS += check_role
TESTS += check_role
