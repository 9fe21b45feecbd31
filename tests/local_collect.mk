# Tests of src/collect.
EXTRA_DIST += roots

if HAVE_CHECK
check_PROGRAMS += check_collect check_collect_info check_collect_tasks
TESTS += check_collect check_collect_info check_collect_tasks
endif
check_collect_SOURCES = check_collect.c collect_fixture.c collect_fixture.h
check_collect_info_SOURCES = check_collect_info.c collect_fixture.c \
	collect_fixture.h
check_collect_tasks_SOURCES = check_collect_tasks.c collect_fixture.c \
	collect_fixture.h
