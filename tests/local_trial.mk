# Tests of src/trial and src/doc.
check_PROGRAMS += check_trial
check_trial_SOURCES = check_trial.c
TESTS += check_trial
