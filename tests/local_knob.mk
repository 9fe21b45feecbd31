# Tests of src/knob.
EXTRA_DIST += knob_peer.h knob_tree.h fuzz_journal.c
if HAVE_CHECK
check_PROGRAMS += check_knob check_journal check_keeper check_keeper_loop
TESTS += check_knob check_journal check_keeper check_keeper_loop
endif
