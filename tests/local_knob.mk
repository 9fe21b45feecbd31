# Tests of src/knob.
EXTRA_DIST += knob_peer.h knob_tree.h
if HAVE_CHECK
check_PROGRAMS += check_knob check_keeper
TESTS += check_knob check_keeper
endif
