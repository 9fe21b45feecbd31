# Tests of src/ui.
