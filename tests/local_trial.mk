# Tests of src/trial and src/doc.
check_PROGRAMS += check_trial
check_trial_SOURCES = check_trial.c
TESTS += check_trial
check_PROGRAMS += check_doc
check_doc_SOURCES = check_doc.c
TESTS += check_doc
