# Tests of src/knob.
EXTRA_DIST += knob_peer.h knob_tree.h
if HAVE_CHECK
knob_checks = check_knob check_ledger check_journal check_keeper check_keeper_death check_keeper_shared \
	check_keeper_loop
check_PROGRAMS += $(knob_checks)
TESTS += $(knob_checks)
endif
