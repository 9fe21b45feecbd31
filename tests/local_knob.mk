# Tests of src/knob.
