# Tests of src/disk.
check_PROGRAMS += check_disk check_disk_store
TESTS += check_disk check_disk_store
check_disk_SOURCES = check_disk.c
check_disk_store_SOURCES = check_disk_store.c
