# Tests of src/report. The logs are listed in local_record.mk.
EXTRA_DIST += logs/turns.text logs/turns.json logs/turns.csv \
	logs/turns.fio-json logs/turns.fio-json+ logs/turns.terse \
	logs/turns.normal logs/record.fio-json logs/record.fio-json+ \
	logs/record.terse logs/record.normal \
	logs/record.text logs/record.json logs/record.csv \
	logs/turns.junit logs/record.junit logs/turns.mail logs/record.mail \
	logs/turns.html logs/record.html logs/turns.openmetrics logs/record.openmetrics
if HAVE_CHECK
check_PROGRAMS += check_report check_changes check_compare check_pivot
TESTS += check_report check_changes check_compare check_pivot
check_compare_SOURCES = check_compare.c test.h
check_pivot_SOURCES = check_pivot.c test.h
check_changes_SOURCES = check_changes.c test.h
endif
