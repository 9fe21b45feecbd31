# Tests of src/record.
EXTRA_DIST += logs/turns.jsonl logs/record.jsonl
if HAVE_CHECK
check_PROGRAMS += check_record check_log_read
TESTS += check_record check_log_read
endif
