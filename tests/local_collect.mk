# Tests of src/block and src/collect.
EXTRA_DIST += roots

if HAVE_CHECK
check_PROGRAMS += check_block check_collect check_collect_info check_collect_tasks \
	check_smart
TESTS += check_block check_collect check_collect_info check_collect_tasks check_smart
endif
check_block_SOURCES = check_block.c collect_fixture.c collect_fixture.h
check_collect_SOURCES = check_collect.c collect_fixture.c collect_fixture.h
check_collect_info_SOURCES = check_collect_info.c collect_fixture.c \
	collect_fixture.h
check_smart_SOURCES = check_smart.c collect_fixture.c collect_fixture.h
check_collect_tasks_SOURCES = check_collect_tasks.c collect_fixture.c \
	collect_fixture.h
